"""Facts that models were trained on and no other test is about; README.md beside this lists where each is tested."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import harnesses
from harnesses.data import Options, SkillInfo
from oi_tui.protocol.lmc import Message, message
from tests.conftest import ROOT
from tests.harnesses.golden import ENV, HISTORY, PIXEL
from tests.harnesses.test_rendering import code, result, user
from tests.session.harness_matrix import told


def _built(harness: str, history: list[Message], env: Any = ENV, **options: Any) -> dict[str, Any]:
    return harnesses.load(harness).build(history, env, Options(options.pop("model", "m"), **options))


def test_every_test_that_is_named_is_there() -> None:
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", Path(__file__).with_name("README.md").read_text())
    assert len(named) > 60
    for file, name in named:
        (place,) = (ROOT / "tests").rglob(file)
        assert re.search(rf"def {name}\(", place.read_text(encoding="utf-8")), f"{file}::{name}"


async def test_native_keeps_both_ends_of_a_long_output() -> None:
    (text,) = await told("native", ("exec_command", {"cmd": "printf 'begun '; printf '%0200000d' 0; echo ' ended'"}))
    assert text.count("tokens truncated") == 1
    assert re.search(r"\nOriginal token count: 5\d{4}\n", text)
    assert "begun 000" in text
    assert text.rstrip().endswith("000 ended")
    assert len(text) < 41_000


def test_native_patches_are_one_text() -> None:
    (patch,) = (t["function"] for t in _built("native", [user("x")])["tools"] if t["function"]["name"] == "apply_patch")
    assert set(patch["parameters"]["properties"]) == {"input"}


def test_native_has_one_message_of_instructions() -> None:
    env = replace(ENV, project_docs=(("/w/AGENTS.md", "zebra one"), ("/w/project/AGENTS.md", "zebra two")))
    (text,) = (
        str(one["content"]) for one in _built("native", [user("x")], env)["messages"] if "zebra" in str(one["content"])
    )
    assert text.startswith("# AGENTS.md instructions for /w/project\n\n<INSTRUCTIONS>\nzebra one")
    assert text.index("zebra one") < text.index("zebra two")


def test_minimal_is_native_without_advice() -> None:
    env = replace(ENV, skills=(SkillInfo("s", "d"),), custom_instructions="")
    made, native = _built("minimal", HISTORY, env), _built("native", HISTORY, env)
    system = made["messages"][0]["content"]
    assert len(re.findall(r"[.!?](?:\s|$)", system)) == 2
    for left_out in ("/w/project", "<environment_context>", "Use tabs."):
        assert left_out not in str(made["messages"])
    without = {"apply_patch", "load_skill"}
    assert made["tools"] == [one for one in native["tools"] if one["function"]["name"] not in without]


@pytest.mark.parametrize(
    ("model", "effort", "thinking"),
    [
        ("deepseek-chat", "none", {"type": "disabled"}),
        ("kimi-k2", "high", {"type": "enabled"}),
        ("deepseek-chat", "", None),
        ("gpt-4o", "none", None),
    ],
)
def test_minimal_switches_thinking(model: str, effort: str, thinking: dict[str, str] | None) -> None:
    made = _built("minimal", [user("x")], model=model, effort=effort)
    assert made.get("thinking") == thinking
    assert "reasoning_effort" not in made


def test_minimal_shows_pictures() -> None:
    shown = message("computer", "image", PIXEL, "base64.png", call={"id": "a", "name": "execute"})
    made = _built("minimal", [user("plot"), code("a", "plot()"), result("a", "drawn"), shown], vision=True)
    assert PIXEL in str(made["messages"][-1]["content"])

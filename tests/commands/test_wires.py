"""A harness without the model's wire is refused when chosen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import harnesses
from oi_tui import paths
from oi_tui.commands.harness import about
from oi_tui.session.connection import connect
from oi_tui.settings import LlmSettings, Settings, load
from tests.commands.hosting import Face, face
from tests.commands.test_commands import typed


async def test_a_harness_without_the_wire_of_the_model_is_refused_when_it_is_chosen(host: Face) -> None:
    settings = replace(Settings(), llm=LlmSettings(api_key="k"))
    host.session.engine.connection = await connect(settings, "claude-sonnet-4-5", lambda *_: None)
    before = host.session.harness_id
    with pytest.raises(harnesses.UnknownHarness, match="swe-agent") as refused:
        host.session.engine.use_harness("swe-agent")
    for part in (
        "harness = 'swe-agent'",
        "the wire chat",
        "llm.wire_api of claude-sonnet-4-5 is messages",
        "--wire chat",
    ):
        assert part in str(refused.value)
    listed = {one.value: one for one in host.choices("harness")}
    assert list(listed)[:2] == ["auto", "claude-code"]
    assert listed["claude-code"].detail.startswith("recommended · chat, messages, responses · ")
    assert listed["swe-agent"].group == "not over messages, the wire of claude-sonnet-4-5"
    assert "is messages: take /harness auto (claude-code" in about(host.session, "swe-agent")
    told = about(host.session, "claude-code-bare").splitlines()
    assert told[1] == "instead of claude-code:"
    assert any(line.startswith("loses Agent, ") and "Bash" not in line for line in told)
    assert "in use now" in about(host.session, "auto")
    assert host.session.harness_id == before


async def test_the_choice_is_kept_for_its_model_until_auto(host: Face) -> None:
    """In the config file, whose other lines stay; a later session takes it, a flag wins over it."""
    paths.private_dir(paths.home())
    before = "# mine\nmodel = 'x' # why\n\n[llm]\ntemperature = 0.5\n"
    paths.config_file().write_text(before, encoding="utf-8")
    for line in ("/model ollama/a.b", "%harness minimal", "/model ollama/other", "/harness kimi-cli"):
        await typed(host, line)
    assert host.told[-1] == ("info", "harness is kimi-cli, now and later, for ollama/other", "")
    await typed(host, "/model ollama/a.b")
    assert (host.session.harness_id, host.session.harness_auto) == ("minimal", False)
    loaded = load()
    assert loaded.settings.model_harnesses == {"ollama/a.b": "minimal", "ollama/other": "kimi-cli"}
    assert paths.config_file().read_text(encoding="utf-8").startswith(before)
    loaded.settings.model = "ollama/other"
    later = face(Path(host.session.cwd), loaded.settings)
    assert later.session.harness_id == "kimi-cli"
    await later.session.close()
    assert load({"harness": "native"}).settings.model_harnesses == {}
    for line in ("/harness auto", "/model ollama/other", "/harness auto"):
        await typed(host, line)
    assert host.session.harness_auto
    assert paths.config_file().read_text(encoding="utf-8") == before


async def test_what_cannot_be_kept_is_said_and_holds_for_now(host: Face) -> None:
    paths.private_dir(paths.home())
    paths.config_file().write_text("model = \n", encoding="utf-8")
    await typed(host, "/harness native")
    level, _, hint = host.told[-1]
    assert (level, host.session.harness_id) == ("warning", "native")
    assert "config.toml is not valid TOML" in hint
    assert paths.config_file().read_text(encoding="utf-8") == "model = \n"


def test_the_table_says_which_wires_each_harness_writes_for() -> None:
    assert {one: set(harnesses.wires_of(one)) for one in harnesses.BUILT_IN} == {
        one: set(harnesses.load(one).wires) for one in harnesses.BUILT_IN
    }

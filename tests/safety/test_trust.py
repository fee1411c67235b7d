"""Trust holds for one folder, is remembered, and fails closed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from oi_tui import paths, settings
from oi_tui.safety import trust


def test_a_decision_holds_for_that_folder_alone_and_can_be_forgotten(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "a")
    trust.decide(str(tmp_path / "a"), "trusted")
    assert trust.state(str(link), {}) == "trusted"
    assert trust.state(str(inner), {}) == "unknown"
    assert trust.state(str(tmp_path), {}) == "unknown"
    trust.decide(str(link), "untrusted")
    assert trust.state(str(tmp_path / "a"), {str(tmp_path / "a"): {"trust_level": "trusted"}}) == "untrusted"
    trust.decide(str(link), "unknown")
    assert trust.decisions() == {}
    assert paths.trust_file().stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("facts", "state"),
    [({"trust_level": "trusted"}, "trusted"), ({"trust_level": "untrusted"}, "untrusted"), ({}, "unknown"),
     ({"trust_level": "yes"}, "unknown"), ("trusted", "unknown")],
)  # fmt: skip
def test_the_settings_may_say_it(tmp_path: Path, facts: object, state: str) -> None:
    assert trust.state(str(tmp_path), {str(tmp_path) + "/": facts}) == state
    assert trust.state(str(tmp_path), {}, always=True) == "trusted"


@pytest.mark.parametrize("content", ["", "[]", "{broken", '{"/": true}', '{"TMP": "yes"}'])
def test_a_file_that_says_nothing_clear_trusts_nothing(tmp_path: Path, content: str) -> None:
    paths.home().mkdir(parents=True, exist_ok=True)
    paths.trust_file().write_text(content.replace("TMP", str(tmp_path)), encoding="utf-8")
    assert trust.state(str(tmp_path), {}) == "unknown"
    trust.decide(str(tmp_path), "trusted")
    assert trust.state(str(tmp_path), {}) == "trusted"


def test_settings_are_read_and_a_wrong_level_is_told(tmp_path: Path) -> None:
    paths.home().mkdir(parents=True, exist_ok=True)
    paths.config_file().write_text(
        '[projects."/a"]\ntrust_level = "trusted"\n[projects."/b"]\ntrust_level = "yes"\n'
        '[skills.bundled]\nenabled = false\n[[skills.config]]\nname = "x"\nenabled = false\n',
        encoding="utf-8",
    )
    loaded = settings.load({}, {})
    assert trust.state("/a", loaded.settings.projects) == "trusted"
    assert not loaded.settings.skills.bundled
    assert loaded.settings.skills.config == [{"name": "x", "enabled": False}]
    assert loaded.problems == []
    assert trust.problems(loaded.settings.projects) == ['[projects."/b"]: trust_level is one of trusted and untrusted']
    assert settings.load({"trust": True}, {}).settings.trust


def test_what_says_who_is_trusted_is_out_of_reach_of_tools(tmp_path: Path) -> None:
    from oi_tui.safety.places import is_secret
    from oi_tui.safety.policy import Policy
    from oi_tui.tools.base import Preview

    for mode in ("auto", "full"):
        for name in ("hooks.json", "trusted_hooks.json", "trust.json", "auth.json", "config.toml", "rules.toml"):
            target = os.path.realpath(paths.home() / name)
            seen = Preview("file", "diff", "+x", f"change {name}", writes=(target,))
            assert Policy(mode).decide("write", seen, str(tmp_path)).decision == "deny", name
    assert is_secret(os.path.realpath(paths.keys_file()))
    project = Preview(
        "file", "diff", "+x", "change", writes=(os.path.realpath(tmp_path / ".openinterpreter/hooks.json"),)
    )
    assert Policy("auto").decide("write", project, os.path.realpath(tmp_path)).decision == "ask"

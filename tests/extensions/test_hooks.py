"""Hooks on disk: what can be used, what is trusted, and what their exit codes and outputs mean."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from oi_tui import paths
from oi_tui.extensions import hooks
from oi_tui.extensions.hook_run import run
from oi_tui.extensions.hooks import Hook


def put(folder: Path, **events: Any) -> Path:
    """Write hooks.json into a folder: event -> (matcher, handler) pairs."""
    table = {event: [{"matcher": matcher, "hooks": [one]} for matcher, one in pairs] for event, pairs in events.items()}
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "hooks.json"
    file.write_text(json.dumps({"hooks": table}))
    return file


def command(line: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": line, **more}


def states(cwd: Path, *, trusted: bool = True, configured: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    return [(one.event, one.state) for one in hooks.found(str(cwd), str(cwd), trusted, configured or {})]


def test_none_runs_before_it_is_trusted_and_a_change_takes_the_trust_away(tmp_path: Path) -> None:
    script = tmp_path / "check.sh"
    script.write_text("exit 0\n")
    put(paths.home(), PreToolUse=[("Bash", command(f"sh {script}"))])
    put(tmp_path / ".openinterpreter", Stop=[("", command("true"))])
    assert states(tmp_path, trusted=False) == [("PreToolUse", "new"), ("Stop", "folder")]
    assert states(tmp_path) == [("PreToolUse", "new"), ("Stop", "new")]
    for one in hooks.found(str(tmp_path), str(tmp_path), True, {}):
        hooks.trust(one)
    assert states(tmp_path) == [("PreToolUse", "on"), ("Stop", "on")]
    assert states(tmp_path, trusted=False)[1] == ("Stop", "folder")
    assert paths.hook_trust_file().stat().st_mode & 0o077 == 0
    script.write_text("touch pwned\n")
    assert states(tmp_path)[0] == ("PreToolUse", "changed")
    hooks.trust(hooks.found(str(tmp_path), str(tmp_path), True, {})[0])
    put(paths.home(), PreToolUse=[("Bash|Write", command(f"sh {script}"))])
    assert states(tmp_path)[0] == ("PreToolUse", "changed")
    hooks.switch(hooks.found(str(tmp_path), str(tmp_path), True, {})[1], False)
    assert states(tmp_path)[1] == ("Stop", "off")


@pytest.mark.parametrize(
    ("event", "matcher", "handler", "why"),
    [
        ("Nothing", "", command("true"), "there is no event Nothing"),
        ("Stop", "(", command("true"), "no regular expression"),
        ("Stop", "", {"type": "command"}, "no command"),
        ("Stop", "", {"type": "prompt", "prompt": "x"}, "reserved"),
        ("Stop", "", {"type": "magic"}, "there is no type 'magic'"),
        ("Stop", "", command("true", timout=3), "unknown key timout"),
        ("Stop", "", command("true", timeout=0), "timeout is a number above 0"),
        ("Stop", "", command("true", onFailure="ajar"), "open or closed"),
        ("Stop", "", "true", "a handler is a table"),
    ],
)
def test_what_is_wrong_is_told_and_the_rest_holds(
    tmp_path: Path, event: str, matcher: str, handler: Any, why: str
) -> None:
    put(paths.home(), **{event: [(matcher, handler)], "SessionStart": [("", command("true"))]})
    found = hooks.found(str(tmp_path), str(tmp_path), True, {})
    assert [one.why for one in found if one.state == "broken"] == [next(one.why for one in found if why in one.why)]
    assert ("SessionStart", "new") in [(one.event, one.state) for one in found]


def test_files_that_cannot_be_read_and_tables_of_the_settings(tmp_path: Path) -> None:
    paths.private_dir(paths.home())
    for text in ("{", "[]", '{"hooks": 3}'):
        (paths.home() / "hooks.json").write_text(text)
        assert states(tmp_path) == [("", "broken")]
    (paths.home() / "hooks.json").unlink()
    configured = {"SessionEnd": [{"hooks": [command("true", timeout=60)]}]}
    (one,) = hooks.found(str(tmp_path), str(tmp_path), True, configured)
    assert (one.event, one.timeout) == ("SessionEnd", 3.0)


def test_a_matcher_is_a_whole_regular_expression() -> None:
    one = Hook("i", "PreToolUse", "mcp__.*|Bash", "true", "s")
    assert one.fits(("Bash", "shell")) and one.fits(("mcp__a__b",)) and not one.fits(("Bashful",))
    assert Hook("i", "Stop", "*", "true", "s").fits(("x",))


def _said(**specific: Any) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **specific}})


@pytest.mark.parametrize(
    ("event", "line", "found"),
    [
        ("PreToolUse", "exit 0", {}),
        ("PreToolUse", "echo plain", {}),
        ("SessionStart", "echo plain", {"context": "plain"}),
        ("UserPromptSubmit", "echo plain", {"context": "plain"}),
        ("PreToolUse", "echo no >&2; exit 2", {"block": "no"}),
        ("PreToolUse", "exit 2", {"failed": "exit code 2"}),
        ("SessionEnd", "echo no >&2; exit 2", {"failed": "no"}),
        ("PreToolUse", "echo oops >&2; exit 3", {"failed": "exit code 3: oops"}),
        ("PreToolUse", "echo '{'", {"failed": "what it prints is not JSON"}),
        ("PreToolUse", "echo '{\"extra\": 1}'", {"failed": "extra is not known"}),
        ("PreToolUse", 'echo \'{"decision": "approve"}\'', {"failed": "decision 'approve' is not supported"}),
        ("PreToolUse", 'echo \'{"decision": "block", "reason": "why"}\'', {"block": "why"}),
        ("PreToolUse", 'echo \'{"continue": false, "stopReason": "late"}\'', {"stop": "late"}),
        ("PreToolUse", 'echo \'{"systemMessage": "hi"}\'', {"message": "hi"}),
        ("PreToolUse", f"echo '{_said(permissionDecision='deny', permissionDecisionReason='r')}'", {"block": "r"}),
        (
            "PreToolUse",
            f"echo '{_said(permissionDecision='ask')}'",
            {"failed": "permissionDecision 'ask' is not supported"},
        ),
        ("PreToolUse", f"echo '{_said(updatedInput={'command': 'ls'})}'", {"input": {"command": "ls"}}),
        ("PreToolUse", f"echo '{_said(additionalContext='c')}'", {"context": "c"}),
        ("PreToolUse", f"echo '{_said(strange=1)}'", {"failed": "hookSpecificOutput.strange is not known"}),
        ("PostToolUse", f"echo '{_said(additionalContext='c')}'", {"failed": "hookEventName must be PostToolUse"}),
    ],
)
async def test_exit_codes_and_outputs(tmp_path: Path, event: str, line: str, found: dict[str, Any]) -> None:
    said = await run(Hook("i", event, "", line, "s"), {"a": 1}, str(tmp_path), dict(os.environ))
    got = {name: getattr(said, name) for name in ("failed", "block", "stop", "context", "input", "message")}
    assert {name: one for name, one in got.items() if one} == found


@pytest.mark.parametrize(
    ("decision", "allow", "block"),
    [
        ({"behavior": "allow"}, True, ""),
        ({"behavior": "deny", "message": "m"}, False, "m"),
        ({"behavior": "allow", "updatedInput": {"a": 1}}, False, "a hook answered with more than it may"),
        ({"behavior": "allow", "interrupt": True}, False, "a hook answered with more than it may"),
    ],
)
async def test_answers_to_requests_for_permission(tmp_path: Path, decision: Any, allow: bool, block: str) -> None:
    out = json.dumps({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
    said = await run(Hook("i", "PermissionRequest", "", f"echo '{out}'", "s"), {}, str(tmp_path), dict(os.environ))
    assert (said.allow, said.block, said.failed) == (allow, block, "")


@pytest.mark.parametrize("closed", [False, True])
async def test_one_that_hangs_is_ended_with_what_it_started(tmp_path: Path, closed: bool) -> None:
    hook = Hook("i", "PreToolUse", "", "sleep 600 & echo $! > pid; sleep 600", "s", timeout=0.5, closed=closed)
    said = await run(hook, {}, str(tmp_path), dict(os.environ))
    assert said.failed == "it took longer than 0.5 s"
    assert bool(said.block) == closed


async def test_the_payload_comes_on_stdin(tmp_path: Path) -> None:
    hook = Hook("i", "Stop", "", "cat > seen", "s")
    await run(hook, {"prompt": 'ünïcode "q"'}, str(tmp_path), dict(os.environ))
    assert json.loads((tmp_path / "seen").read_text()) == {"prompt": 'ünïcode "q"'}

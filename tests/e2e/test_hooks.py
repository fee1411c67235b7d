"""Hooks as a person meets them: told at the start, trusted in the app, then at work; and the keys' own files."""

from __future__ import annotations

from oi_tui import paths
from oi_tui.extensions.hooks import found
from tests.e2e.terminal import Terminal
from tests.extensions.test_hooks import command, put
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import results


def test_a_hook_is_trusted_in_the_app_and_then_blocks() -> None:
    put(paths.home(), PreToolUse=[("Bash", command("echo 'not with me' >&2; exit 2"))])
    script = [code("shell", "touch one"), say("first done"), code("shell", "touch two"), say("second done")]
    with MockModel(script) as mock, Terminal(mock, "-y", size=(120, 34)) as term:
        term.wait_for("hooks do not run before you trust them")
        term.say("go")
        term.wait_for("first done")
        assert (term.cwd / "one").exists()
        term.idle()
        term.say("/hooks trust 1")
        term.wait_for("trusted as it is now")
        term.say("again")
        term.wait_for("second done")
        assert not (term.cwd / "two").exists()
        assert "not with me" in results(mock.requests[-1])[-1]
    (one,) = found(str(term.cwd), str(term.cwd), False, {})
    assert one.state == "on"

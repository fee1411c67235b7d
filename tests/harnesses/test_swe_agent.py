"""swe-agent's answers: which action they mean, what is wrong with those that have none; observations that age."""

from __future__ import annotations

import pytest

import harnesses
from harnesses.data import Options
from harnesses.swe_actions import parse
from harnesses.swe_agent import SweAgentHarness, observed
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import message
from tests.harnesses.golden import ENV


def action(text: str) -> str:
    parsed = parse(text, "stop")
    assert parsed.error is None, parsed.error
    (call,) = parsed.calls
    return str(call.args.get("code", f"{call.name} {call.args}"))


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("First:\n```\nls\n```\nThen:\n```bash\npwd\n```", "pwd\n"),
        ("```\necho 1\n```", "echo 1\n"),
        ("Show:\n```python\nprint(1)\n```\nRun:\n```sh\nls\n```", "ls\n"),
        ("```bash\ncat <<'E' > a.md\n```python\nx\n```\nE\n```", "cat <<'E' > a.md\n```python\nx\n```\nE\n"),
        ('<invoke name="bash">\n<parameter name="command">\nls -l\n</parameter>\n</invoke>', "ls -l"),
        ('<invoke name="execute_bash"><command>ls</command></invoke>', "ls"),
        ("<execute_bash>\nls\n</execute_bash>", "ls"),
        ("<execute_bash><code>ls</code></execute_bash>", "ls"),
        ("<tool_invoke><name>execute_bash</name><code>ls</code></tool_invoke>", "ls"),
        ("```\nsubmit\n```", "submit {}"),
        ("```\nmakefile_test\n```", "makefile_test\n"),
        ("```\npython x.py\n```", "python x.py\n"),
        ("```\nradare2 -c q x\n```", "radare2 -c q x\n"),
    ],
)
def test_the_action_of_an_answer(text: str, command: str) -> None:
    assert action(text).strip("\n") == command.strip("\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I think.", "no command"),
        ("```python\nprint(1)\n```", "no command"),
        ("<function=bash>\n<parameter=command>ls</parameter>\n</function>", "no command"),
        ("```\n\n```", "empty"),
        ("```\nvim a\n```", "Operation 'vim a' is not supported by this environment."),
        ("```\npython\n```", "Operation 'python' is not supported"),
        ("```\ntail -f log\n```", "Operation 'tail -f log' is not supported"),
        ("```\nr2 x\n```", "Operation 'r2 x' is not supported"),
        ("```\nstr_replace_editor fly a\n```", "Usage: str_replace_editor"),
        ("```\nstr_replace_editor create a\n```", "--file_text is required"),
        ("```\nstr_replace_editor view a --view_range one two\n```", "must be two line numbers"),
        ("```\nstr_replace_editor view 'a\n```", "cannot be read"),
    ],
)
def test_what_is_wrong_with_an_answer(text: str, told: str) -> None:
    parsed = parse(text, "stop")
    assert parsed.calls == ()
    assert told in str(parsed.error)


def test_an_answer_that_was_cut_does_not_run() -> None:
    parsed = parse("Doing it.\n```\nrm -rf a/b", "length")
    assert parsed.calls == ()
    assert parsed.error is not None


def test_old_observations_are_counted() -> None:
    history = [message("user", "message", "go")]
    for number in range(5):
        key = {"id": f"a{number}", "name": "run"}
        text = f"{number}\n" * 3
        history.append(message("assistant", "code", f"echo {number}", "shell", call={**key, "arguments": ""}))
        facts = Result(True, exit_code=0).facts()
        history.append(message("computer", "console", text, "output", call={**key, "result": facts}))

    class Forgetful(SweAgentHarness):
        observations_kept = 2

    made = Forgetful().build(history, ENV, Options("m"))
    seen = [one["content"] for one in made["messages"]][3::2]
    old = "Old environment output: (3 lines omitted)"
    assert seen == ["OBSERVATION:\n0\n0\n0\n", old, old, "OBSERVATION:\n3\n3\n3\n", "OBSERVATION:\n4\n4\n4\n"]


def test_observations() -> None:
    assert observed(Result(True, "hi\n", exit_code=0)) == "OBSERVATION:\nhi\n"
    assert observed(Result(True, exit_code=0)).startswith("Your last command ran successfully")
    assert observed(Result(False, "bash: line 7: x: command not found\n", exit_code=127)).endswith(
        "\nx: command not found\n"
    )
    long = observed(Result(True, "x" * 150_000, exit_code=0))
    assert long.startswith("Observation: xxx")
    assert "50000 characters were left out" in long


def test_submitting_twice_ends_the_work() -> None:
    from harnesses.data import Made

    harness = harnesses.load("swe-agent")
    call = Call("s", "submit", {}, "{}")
    assert harness.guard([], call) is None
    ended = harness.guard([Made("submit", "{}")], call)
    assert ended is not None
    assert ended.kind == "end"

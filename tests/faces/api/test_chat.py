"""`OpenInterpreter.chat` in all its forms, with real kernels."""

from __future__ import annotations

import asyncio
import copy
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oi_tui.faces.api.instance import InterpreterError, OpenInterpreter
from oi_tui.protocol.lmc import InvalidMessage, check
from tests.faces.api.conftest import Scripted, flat, run
from tests.mock_model import MockModel, answer, call, code, http, say

Make = Callable[..., OpenInterpreter]
CALCULATED = [
    ("assistant", "message", None, "start"),
    ("assistant", "message", None, "Let me see."),
    ("assistant", "message", None, "end"),
    ("assistant", "code", "python", "start"),
    ("assistant", "code", "python", "a = 3\na * 2"),
    ("assistant", "code", "python", "end"),
    ("computer", "console", None, "start"),
    ("computer", "console", "output", "6\n"),
    ("computer", "console", "active_line", None),
    ("computer", "console", None, "end"),
    ("assistant", "message", None, "start"),
    ("assistant", "message", None, "It is **6**."),
    ("assistant", "message", None, "end"),
]
STORED = [
    {"role": "assistant", "type": "message", "content": "Let me see."},
    {"role": "assistant", "type": "code", "format": "python", "content": "a = 3\na * 2"},
    {"role": "computer", "type": "console", "format": "output", "content": "6\n"},
    {"role": "assistant", "type": "message", "content": "It is **6**."},
]


def without_lines(chunks: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Without the lines that ran: how many are told depends on how fast they were."""
    return [one for one in chunks if not (one[2] == "active_line" and one[3] is not None)]


def test_the_chunks_of_a_turn_in_text(make: Make) -> None:
    one = make(run("a = 3\na * 2"), "It is **6**.")
    chunks = list(one.chat("3 * 2?", display=False, stream=True))
    assert without_lines(flat(chunks)) == CALCULATED
    assert one.messages[1:] == STORED and not one.responding
    model = one.llm.completions
    assert isinstance(model, Scripted)
    assert model.said()[-1]["content"].startswith("Code output: 6")
    assert model.seen[0]["messages"][0]["content"].startswith(one.system_message)
    assert model.seen[0]["temperature"] == 0


@pytest.mark.parametrize("wire", ["chat", "messages", "responses"])
def test_the_chunks_of_a_turn_with_tools(make: Make, monkeypatch: pytest.MonkeyPatch, wire: str) -> None:
    monkeypatch.setenv("OI_LLM_WIRE_API", wire)
    with MockModel([answer(say("Let me see."), code("python", "a = 3\na * 2")), say("It is **6**.")]) as mock:
        one = make()
        one.llm.model, one.llm.api_base, one.llm.supports_functions = "mock", mock.url, None
        chunks = list(one.chat("3 * 2?", display=False, stream=True))
        assert without_lines(flat(chunks)) == CALCULATED and one.messages[1:] == STORED
        names = [tool.get("function", tool)["name"] for tool in mock.requests[0]["tools"]]
        assert names == ["execute"]


def test_a_program_decides_between_two_chunks(make: Make) -> None:
    one = make(run("print(1)"), "changed", run("print(2)"), "after", run("x = 9"), auto_run=False)
    seen: list[dict[str, Any]] = []
    for chunk in one.chat("go", display=False, stream=True):
        seen.append(chunk)
        if chunk["type"] == "confirmation":
            assert chunk["content"] == {"type": "code", "format": "python", "content": "print(1)"}
            one.messages[-1]["content"] = "print('edited')"
    kinds = [one["type"] for one in seen]
    assert kinds.index("confirmation") == kinds.index("console") - 1 and seen[kinds.index("confirmation") - 1]["end"]
    assert one.messages[2:4] == [
        {"role": "assistant", "type": "code", "format": "python", "content": "print('edited')"},
        {"role": "computer", "type": "console", "format": "output", "content": "edited\n"},
    ]
    for chunk in one.chat("again", display=False, stream=True):
        if chunk["type"] == "confirmation":
            break
    assert one.messages[-1]["type"] == "code" and one.last_stop and one.last_stop.reason == "refused"
    # What was declined is run by going on with it.
    out = [str(part["content"]) for part in one._respond_and_store() if part.get("format") == "output"]
    assert "".join(out) == "2\n"


def test_nothing_runs_where_nobody_is_asked(make: Make) -> None:
    one = make(run("open('made', 'w')"), auto_run=False)
    with pytest.warns(UserWarning, match="auto_run"):
        new = one.chat("go", display=False)
    assert new[-1]["type"] == "code" and one.computer.run("python", "import os; os.path.exists('made')")[0][
        "content"
    ] == ("False\n")


def test_all_that_chat_takes(make: Make) -> None:
    one = make("one", "two", "three")
    assert one.chat("a", display=False) == [{"role": "assistant", "type": "message", "content": "one"}]
    one.chat({"type": "message", "content": "b"}, display=False)
    assert [part["role"] for part in one.messages] == ["user", "assistant", "user", "assistant"]
    given = [{"role": "user", "type": "message", "content": "c"}]
    assert one.chat(given, display=False)[0]["content"] == "three" and len(one.messages) == 2
    for wrong, why in (
        ({"role": "user", "content": "x"}, "needs a type"),
        ([{"role": "system", "type": "message", "content": "x"}], "system_message"),
        (5, "not int"),
    ):
        with pytest.raises(InvalidMessage, match=why):
            one.chat(wrong, display=False)
    with pytest.raises(ValueError, match="say something"):
        one.chat(display=False)
    assert len(one.messages) == 2


def test_messages_are_plain_and_can_be_kept(make: Make) -> None:
    one = make(run("1 + 1"), "two", "again")
    one.chat("x", display=False)
    assert all(check(part) for part in one.messages)
    saved = json.loads(json.dumps(one.messages))
    other = make("I see", messages=saved)
    other.chat("what was it?", display=False)
    model, before = other.llm.completions, one.llm.completions
    assert isinstance(model, Scripted) and isinstance(before, Scripted)
    one.messages = copy.deepcopy(one.messages)
    one.chat("what was it?", display=False)
    assert model.said() == before.said()


def test_state_stays_when_the_model_changes(make: Make) -> None:
    one = make(run("kept = 41"), "ok")
    one.chat("x", display=False)
    one.llm.model, one.llm.completions = "another/model", Scripted(run("kept + 1"), "42")
    one.chat("y", display=False)
    assert one.messages[-2]["content"] == "42\n"
    one.reset()
    assert one.messages == [] and "NameError" in one.computer.run("python", "kept")[0]["content"]


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("`\nprint(11 * 2)", "22"),
        ('functions.execute({"language": "python", "code": "print(11 * 2)"})', "22"),
        ('{language: "python", code: "print(\'hello\')"}', "hello"),
        ('{"language": "python", "code": "print(11 * 2)"}', "22"),
        ("print(11 * 2)executeexecute", "22"),
    ],
)
def test_what_models_put_around_code_is_taken_off(make: Make, written: str, printed: str) -> None:
    one = make("done")
    one.messages = [{"role": "assistant", "type": "code", "format": "python", "content": written}]
    out = "".join(str(part["content"]) for part in one._respond_and_store() if part.get("format") == "output")
    assert out.strip() == printed


def test_loop_prompts_until_a_breaker(make: Make) -> None:
    one = make("Step one.", run("print(5)"), "More.", "The task is done.", loop=True)
    chunks = list(one.chat("go", display=False, stream=True))
    assert [str(part["content"]) for part in one.messages[1:]] == [
        "Step one.\n\nLet me see.", "print(5)", "5\n", "More.\n\nThe task is done.",
    ]  # fmt: skip
    assert flat(chunks)[1][3] == "Step one.\n\nLet me see."
    model = one.llm.completions
    assert isinstance(model, Scripted) and one.loop_message in str(model.said()[-1]["content"])


def test_failures_are_told_and_the_next_turn_works(make: Make) -> None:
    def broken(**_: Any) -> Any:
        raise RuntimeError("out of order")

    one = make()
    one.llm.completions = broken
    with pytest.raises(InterpreterError, match="out of order"):
        one.chat("x", display=False)
    assert not one.responding
    with MockModel([http(401, {"error": {"message": "bad key"}}), say("fine")]) as mock:
        one.llm.completions, one.llm.model, one.llm.api_base = None, "mock", mock.url
        with pytest.raises(InterpreterError, match=r"401|bad key"):
            one.chat("y", display=False)
        assert one.chat("z", display=False)[0]["content"] == "fine"


def test_unknown_languages_and_words_for_the_person(make: Make) -> None:
    with MockModel([call("execute", {"language": "klingon", "code": "Qapla"}), say("sorry")]) as mock:
        one = make()
        one.llm.model, one.llm.api_base, one.llm.supports_functions = "mock", mock.url, True
        out = [part for part in one.chat("x", display=False) if part["type"] == "console"]
        assert "klingon" in str(mock.requests[-1]["messages"]) and len(out) == 1
    one = make("yes")
    one.messages = [{"role": "assistant", "type": "code", "format": "markdown", "content": "# hello"}]
    list(one._respond_and_store())
    assert [part["type"] for part in one.messages] == ["message", "message"]


def test_from_a_running_loop_a_thread_and_the_background(make: Make) -> None:
    one = make("in a loop", "in a thread", "in the background", "x")

    async def inside() -> Any:
        return one.chat("a", display=False)

    assert asyncio.run(inside())[0]["content"] == "in a loop"
    threading.Thread(target=lambda: one.chat("b", display=False)).start()
    deadline = time.monotonic() + 20
    while one.messages[-1]["content"] != "in a thread" or one.responding:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert one.chat("c", display=False, blocking=False) is None
    assert one.wait()[0]["content"] == "in the background"
    turn = one.chat("d", display=False, stream=True)
    next(turn)
    with pytest.raises(InterpreterError, match="answering already"):
        one.chat("e", display=False)
    turn.close()


def test_closing_stops_what_runs(make: Make) -> None:
    counting = "import time\nfor n in range(1000):\n    print(n, flush=True)\n    time.sleep(0.05)"
    one = make(run(counting), "and then")
    for part in one.chat("count", display=False, stream=True):
        if part.get("format") == "output":
            break
    assert one.last_stop and one.last_stop.reason == "interrupted" and not one.responding
    assert "KeyboardInterrupt" in one.messages[-1]["content"] or one.messages[-1]["content"].startswith("0")
    assert one.chat("and?", display=False)[-1]["content"] == "and then"


def test_two_instances_share_nothing(make: Make) -> None:
    one, two = make(run("v = 1"), "ok"), make(run("v"), "no")
    two.system_message = "Be brief."
    one.chat("x", display=False)
    two.chat("y", display=False)
    assert "NameError" in two.messages[-2]["content"] and one.system_message != two.system_message
    assert one.loop_breakers is not two.loop_breakers and two.messages is not one.messages


def test_templates_and_senders(make: Make) -> None:
    one = make(run("print('out')"), "a", run("pass"), "b", user_message_template="<<{content}>>")
    one.code_output_template, one.empty_code_output_template = "RAN {content}", "SILENT"
    one.chat("first", display=False)
    one.chat("second", display=False)
    model = one.llm.completions
    assert isinstance(model, Scripted)
    texts = [str(part["content"]) for part in model.said()]
    assert texts[0] == "first" and "<<second>>" in texts and "RAN out" in texts and texts[-1] == "SILENT"
    one.code_output_sender, one.llm.completions = "assistant", Scripted("c")
    one.chat("third", display=False)
    assert "```output\nout\n```" in one.llm.completions.said()[1]["content"]
    one.code_output_sender = "nobody"
    with pytest.raises(ValueError, match="user or assistant"):
        one.chat("fourth", display=False)


def test_placeholders_run_only_where_they_are_trusted(make: Make) -> None:
    one = make("a", "b", system_message="Today is {{print(6 * 7)}}.")
    with pytest.warns(UserWarning, match="trust_placeholders"):
        one.chat("x", display=False)
    one.trust_placeholders = True
    one.chat("y", display=False)
    model = one.llm.completions
    assert isinstance(model, Scripted)
    systems = [str(part["messages"][0]["content"]) for part in model.seen]
    assert "{{print" in systems[0] and "Today is 42." in systems[1]


def test_safe_mode_wins_over_auto_run(make: Make) -> None:
    one = make(run("print(1)"), "done", auto_run=True, safe_mode="ask")
    kinds = [part["type"] for part in one.chat("x", display=False, stream=True)][:12]
    assert "confirmation" in kinds


def test_safe_mode_tells_what_it_found_before_it_asks(
    semgrep: Path, make: Make, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = "eval(name)  # never run"
    one = make(run(bad), "done", auto_run=True, safe_mode="auto")
    (asked,) = [part for part in one.chat("x", display=False, stream=True) if part["type"] == "confirmation"][:1]
    assert asked["content"]["findings"] == ["line 1: runs text as code (warning)"]
    answers = ["y", "n"]
    monkeypatch.setattr("builtins.input", lambda prompt="": print(prompt) or answers.pop(0))
    one = make(run(bad), "done", safe_mode="ask")
    one.chat("x", display=True)
    shown = capsys.readouterr().out
    assert "check it with semgrep first?" in shown
    assert shown.index("line 1: runs text as code (warning)") < shown.index("run this python?")
    assert answers == []

"""Reports on answers: thinking that must be sent back, empty ones, code in text, unusual event streams."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oi_tui.protocol.events import ApprovalRequested, Notice, TurnEnded
from tests.mock_model import Answer, MockModel, answer, code, finish, http, raw, say, think
from tests.user_reports.driver import output, run_exec, run_steps
from tests.user_reports.in_process import Live


def _wants_reasoning(request: dict[str, Any]) -> Answer:
    """Refuses step 2 unless the message with the call has its reasoning."""
    message = next(one for one in request["messages"] if one.get("tool_calls"))
    if message.get("reasoning_content") != "r1":
        return http(400, {"error": {"message": "reasoning_content is missing"}})
    return say("finished")


def test_ur_045_reasoning_goes_back_to_the_model() -> None:
    with MockModel([answer(think("r1"), code("python", "print(1)")), _wants_reasoning]) as mock:
        done = run_exec(mock)
    assert (done.code, done.out) == (0, "finished\n"), done.err


async def test_ur_045_switching_the_model_in_the_middle_of_a_session() -> None:
    with MockModel([answer(think("r1"), code("python", "print(1)")), say("a"), say("b")]) as mock:
        async with Live(mock) as live:
            await live.turn()
            live.session.use_model("y")
            assert (await live.turn("go on")).reason == "done"
            assert [one["model"] for one in mock.requests] == ["x", "x", "y"]


def test_ur_046_an_answer_with_only_thinking_is_asked_again() -> None:
    with MockModel([answer(think("let me see"), finish("stop")), say("real answer")]) as mock:
        done = run_exec(mock)
    assert done.out == "real answer\n"
    assert len(done.requests) == 2
    assert "the answer was empty" in done.err


def test_ur_046_empty_answers_end_the_turn() -> None:
    empty = raw([{"role": "assistant", "content": ""}])
    with MockModel([empty] * 9) as mock:
        done = run_exec(mock)
    assert done.code == 1
    assert len(done.requests) == 3
    assert "empty answer" in done.err
    assert all(one["role"] != "assistant" for one in done.requests[-1]["messages"])


_FENCES: list[tuple[str, str | None]] = [
    ("```markdown\nprint(1)\n```", None),
    ("```\nls\n```", None),
    ("``` python \nprint(2)\r\n```\r\n", "2"),
    ("```python\n`print(3)`\n```", "3"),
    ("```python\nprint(1 &lt; 2)\n```", "SyntaxError"),
    ("```python\nprint('<')\n```", "<"),
    ("```python\nprint('&lt;')\n```", "&lt;"),
    ("Text first.\n\n~~~sh\necho five\n~~~\n", "five"),
]


@pytest.mark.parametrize(("text", "printed"), _FENCES)
def test_ur_048_fences(text: str, printed: str | None) -> None:
    with MockModel([say(text), say("finished")]) as mock:
        done = run_exec(mock, "run it", "-c", "llm.supports_functions=false")
    assert done.code == 0
    assert "tools" not in done.requests[0]
    if printed is None:
        assert len(done.requests) == 1
        assert done.out.strip() == text.strip().replace("\r", "")
    else:
        assert len(done.requests) == 2
        assert printed in output(done.requests[1]["messages"][-1]["content"])


async def test_ur_048_an_unclosed_block_is_run_only_after_approval() -> None:
    with MockModel([say("```python\nprint(4)"), say("finished")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.settings.llm.supports_functions = False
            live.session.submit("run it")
            request = await live.asked()
            assert request.code == "print(4)"
            assert any("no end" in one.text for one in live.all_of(Notice))
            live.approve(request)
            await live.until(TurnEnded)
            assert output(mock.requests[1]["messages"][-1]["content"]) == "4\n"


def test_ur_050_unusual_event_streams() -> None:
    text = "a\u4f60b\u2028c\u0085d"
    long = "x" * 300_000

    def event(content: str, newline: str = "\r\n") -> bytes:
        body = json.dumps({"choices": [{"index": 0, "delta": {"content": content}}]}, ensure_ascii=False)
        return f"data: {body}{newline}{newline}".encode()

    two_lines = b'data: {"choices":[{"index":0,\r\ndata: "delta":{"content":"two"}}]}\r\n\r\n'
    pieces = [
        b": keep-alive\r\n\r\n",
        event(text),
        b"event: ping\r\ndata: {}\r\n\r\n",
        b"event: ping\r\n\r\n",
        two_lines,
        event(long, "\n"),
        b"data:[DONE]\r\n\r\n",
    ]
    cut = pieces[1].index("\u4f60".encode()) + 1
    stream = raw([pieces[0], pieces[1][:cut], pieces[1][cut:], *pieces[2:]])
    with MockModel([stream]) as mock:
        done = run_exec(mock, "say it", "--json")
    said = [one["item"]["text"] for one in done.events if one.get("item", {}).get("type") == "agent_message"]
    assert said == [text + "two" + long]


async def test_notices_of_an_answer_that_was_cut() -> None:
    with MockModel([answer(say("half"), finish("length"))]) as mock:
        async with Live(mock) as live:
            assert (await live.turn()).reason == "done"
            assert any("token limit" in one.text for one in live.all_of(Notice))
            assert live.all_of(ApprovalRequested) == []


def test_a_call_that_was_cut_is_not_run() -> None:
    done = run_steps(answer(code("shell", "touch made"), finish("length")))
    assert not (done.cwd / "made").exists()
    assert "not run" in done.results[0]

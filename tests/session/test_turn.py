"""The loop with a real Session: approvals, steering, limits, repeated failures, undo, reset, resume, close."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from oi_tui import paths
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import (
    ApprovalRequested,
    ApprovalResolved,
    CallEnded,
    HistoryChanged,
    MessageDelta,
    Notice,
    QueueChanged,
    TurnEnded,
    TurnStarted,
    UserMessage,
)
from oi_tui.session import store
from oi_tui.session.approvals import StaleDecision
from tests.mock_model import MockModel, answer, call, code, finish, raw, say, usage, wait
from tests.user_reports.driver import output, results, saved_messages, sessions, work_folder
from tests.user_reports.in_process import Live


def _contents(request: dict[str, Any], role: str) -> list[str]:
    """Texts of one role in a request, without what the program says about the machine."""
    texts = [one["content"] for one in request["messages"] if one["role"] == role and isinstance(one["content"], str)]
    return [text for text in texts if not text.startswith(("<environment_context>", "<skills_instructions>"))]


def _there(name: str) -> bool:
    return (work_folder() / name).exists()


def _make(name: str) -> None:
    (work_folder() / name).touch()


class TestApprovals:
    async def test_a_decision_is_bound_to_the_exact_code(self) -> None:
        with MockModel([code("shell", "touch made"), say("ok")]) as mock:
            async with Live(mock, approval_policy="ask") as live:
                live.session.submit("make it")
                request = await live.asked()
                assert request.rules[0].startswith("allow commands that begin with `touch`, in ")
                for kind in ("approve", "approve_session", "approve_always"):
                    for text in (None, "", "touch made ", "touch other"):
                        with pytest.raises(StaleDecision):
                            live.session.answer(request.approval_id, Decision(kind, text))
                with pytest.raises(StaleDecision):
                    live.session.answer("approval_99", Decision("approve", "touch made"))
                assert not _there("made")
                live.approve(request)
                with pytest.raises(StaleDecision):
                    live.approve(request)
                assert (await live.until(TurnEnded)).reason == "done"
                with pytest.raises(StaleDecision):
                    live.approve(request)
        assert _there("made")

    async def test_approved_for_the_session(self) -> None:
        made = [code("shell", one) for one in ("mkdir a", "ls; mkdir b", "mkdir c && ls", "rm x")]
        script = [*made[:2], say("a"), *made[2:]]
        with MockModel(script) as mock:
            async with Live(mock, approval_policy="ask") as live:
                live.session.submit("list")
                live.approve(await live.asked(), "approve_session")
                assert (await live.until(TurnEnded)).reason == "done"
                assert len(live.all_of(ApprovalRequested)) == 1
                live.session.submit("list, then remove")
                request = await live.asked()
                assert request.code == "rm x"
                live.session.answer(request.approval_id, Decision("stop"))
                await live.until(TurnEnded)

    async def test_edited_code_is_what_runs_and_what_the_history_holds(self) -> None:
        with MockModel([code("python", "print('theirs')"), say("ok")]) as mock:
            async with Live(mock, approval_policy="ask") as live:
                live.session.submit("print")
                request = await live.asked()
                with pytest.raises(StaleDecision):
                    live.session.answer(request.approval_id, Decision("edit", "  \n"))
                live.session.answer(request.approval_id, Decision("edit", "print('mine')"))
                assert (await live.until(TurnEnded)).reason == "done"
                assert output(live.results[0]) == "mine\n"
                assistant = next(one for one in mock.requests[1]["messages"] if one.get("tool_calls"))
                arguments = json.loads(assistant["tool_calls"][0]["function"]["arguments"])
                assert arguments == {"language": "python", "code": "print('mine')"}
        (file,) = sessions()
        assert [one["content"] for one in store.load(file).messages if one["type"] == "code"] == ["print('mine')"]

    async def test_rejected_with_a_reason(self) -> None:
        with MockModel([code("shell", "touch no"), say("I see")]) as mock:
            async with Live(mock, approval_policy="ask") as live:
                live.session.submit("make it")
                request = await live.asked()
                live.session.answer(request.approval_id, Decision("reject", reason="not in this folder"))
                assert (await live.until(TurnEnded)).reason == "done"
                assert "not in this folder" in live.results[0]
                assert live.all_of(CallEnded)[0].summary == "declined"
                assert live.all_of(ApprovalResolved)[0].decision == "reject"
        assert not _there("no")

    async def test_stop_ends_the_turn(self) -> None:
        both = answer(code("shell", "touch one"), code("shell", "touch two"))
        with MockModel([both, say("on")]) as mock:
            async with Live(mock, approval_policy="ask") as live:
                live.session.submit("make both")
                request = await live.asked()
                live.session.answer(request.approval_id, Decision("stop"))
                assert (await live.until(TurnEnded)).reason == "refused"
                assert len(mock.requests) == 1
                assert (await live.turn("go on")).reason == "done"
                assert len(live.results) == 2  # the second call is answered too
        assert not list(work_folder().iterdir())

    async def test_a_file_change_is_asked_about_with_its_diff(self) -> None:
        with MockModel([call("write_file", {"path": "a.txt", "content": "one\n"}), say("ok")]) as mock:
            async with Live(mock, approval_policy="ask") as live:
                live.session.submit("write")
                request = await live.asked()
                assert request.subject == "file"
                assert "+one" in request.code
                live.approve(request)
                assert (await live.until(TurnEnded)).reason == "done"
        assert _there("a.txt")


class TestSteering:
    async def test_what_is_said_meanwhile_goes_in_at_the_next_step(self) -> None:
        with MockModel([code("shell", "while [ ! -e go ]; do sleep 0.05; done; echo end"), say("ok")]) as mock:
            async with Live(mock) as live:
                live.session.submit("first")
                await live.until(UserMessage)
                await asyncio.to_thread(mock.wait_until, lambda one: len(one.requests) == 1)
                live.session.submit("and also this")
                assert (await live.until(QueueChanged)).steering == ("and also this",)
                _make("go")
                assert (await live.until(UserMessage)).steered
                assert (await live.until(TurnEnded)).reason == "done"
                assert len(live.all_of(TurnStarted)) == 1
                assert mock.requests[1]["messages"][-1]["content"] == "and also this"
                assert len(results(mock.requests[1])) == 1

    async def test_what_is_said_during_the_last_answer_is_answered(self) -> None:
        with MockModel([answer(say("one "), wait(0.5), say("two")), say("three")]) as mock:
            async with Live(mock) as live:
                live.session.submit("first")
                await live.until(MessageDelta)
                live.session.submit("second")
                assert (await live.until(TurnEnded)).reason == "done"
                assert _contents(mock.requests[1], "user")[-1] == "second"
                assert _contents(mock.requests[1], "assistant") == ["one two"]

    async def test_a_queued_message_waits_for_the_end(self) -> None:
        with MockModel([code("shell", "echo 1"), say("first done"), say("second done")]) as mock:
            async with Live(mock) as live:
                live.session.submit("first")
                live.session.queue("second")
                live.session.queue("third")
                assert live.session.unqueue() == "third"
                await live.until(TurnEnded)
                assert (await live.until(UserMessage)).text == "second"
                assert (await live.until(TurnEnded)).reason == "done"
                assert [_contents(one, "user")[-1] for one in mock.requests] == ["first", "first", "second"]
                assert live.session.unqueue() is None


class TestLimits:
    async def test_most_steps(self) -> None:
        with MockModel([code("shell", f"echo {number}") for number in range(9)]) as mock:
            async with Live(mock, max_turns=2) as live:
                ended = await live.turn()
                assert (ended.reason, len(mock.requests)) == ("limit", 2)
                assert "max_turns" in ended.text
                assert ended.hint
                assert (await live.turn("go on")).reason == "limit"  # every turn counts from zero
                assert len(mock.requests) == 4

    async def test_most_money(self) -> None:
        price = {"x": {"input_price": 50.0, "output_price": 100.0, "output": 9000}}  # dollars a million tokens
        dear = answer(code("shell", "echo 1"), usage(prompt_tokens=4000, completion_tokens=1000))
        with MockModel([dear] * 9) as mock:
            async with Live(mock, max_budget=0.85, models=price) as live:
                ended = await live.turn()
                assert (ended.reason, len(mock.requests)) == ("limit", 2)  # a third would make it more than 0.85
                assert live.session.budget.spent == pytest.approx(0.6)
                assert "would cost about $0." in ended.text and "of the $0.8500" in ended.text
                assert "max_budget" in ended.hint
                assert (await live.turn("go on")).reason == "limit"
                assert len(mock.requests) == 2
                # The answer to the second is not longer than the money lasts.
                assert mock.requests[1]["max_tokens"] == pytest.approx((0.85 - 0.3 - 5000 * 50e-6) / 100e-6, abs=20)

    async def test_the_same_block_that_fails_again_and_again(self) -> None:
        with MockModel([code("python", "1/0")] * 9) as mock:
            async with Live(mock) as live:
                ended = await live.turn()
                assert (ended.reason, len(mock.requests)) == ("limit", 3)
                assert "same block failed 3 times" in ended.text

    async def test_a_block_that_failed_in_an_earlier_turn_says_so_when_it_fails_again(self) -> None:
        with MockModel(
            [code("python", "1/0"), say("a"), code("python", "1/0\n"), code("python", "2/0"), say("b")]
        ) as mock:
            async with Live(mock) as live:
                await live.turn()
                await live.turn("again")
                words = "this same block failed before (ZeroDivisionError: division by zero)"
                assert [words in one for one in live.results] == [False, True, False]

    async def test_blocks_that_fail_in_different_ways_are_not_counted_together(self) -> None:
        blocks = [code("python", f"{number}/0") for number in range(1, 5)]
        with MockModel([*blocks, say("ok")]) as mock:
            async with Live(mock) as live:
                assert (await live.turn()).reason == "done"

    async def test_empty_answers(self) -> None:
        with MockModel([raw([{"role": "assistant", "content": ""}])] * 9) as mock:
            async with Live(mock) as live:
                ended = await live.turn()
                assert (ended.reason, len(mock.requests)) == ("failed", 3)
                assert len([one for one in live.all_of(Notice) if "empty" in one.text]) == 2
                assert [one["role"] for one in live.session.messages] == ["user"]

    async def test_a_call_that_was_cut_never_runs(self) -> None:
        first = answer(code("shell", "touch one"), code("shell", "touch two"), finish("length"))
        with MockModel([first, say("ok")]) as mock:
            async with Live(mock) as live:
                assert (await live.turn()).reason == "done"
                assert "not run" in live.results[1]
        assert [one.name for one in work_folder().iterdir()] == ["one"]

    async def test_a_call_that_fails_the_same_way_for_ever_ends_the_turn(self) -> None:
        with MockModel([call("no_such_tool", {})] * 9) as mock:
            async with Live(mock) as live:
                ended = await live.turn()
                assert (ended.reason, len(mock.requests)) == ("failed", 5)
                assert "same call" in ended.text

    async def test_calls_that_are_always_cut_end_the_turn(self) -> None:
        cut = [answer(code("shell", f"touch number-{number}"), finish("length")) for number in range(9)]
        with MockModel(cut) as mock:
            async with Live(mock) as live:
                ended = await live.turn()
                assert (ended.reason, len(mock.requests)) == ("failed", 3)
                assert "max_tokens" in ended.hint
        assert list(work_folder().iterdir()) == []


class TestHistory:
    async def test_undo_takes_back_the_last_exchange(self) -> None:
        with MockModel([say("a"), code("shell", "echo 1"), say("b"), say("c")]) as mock:
            async with Live(mock) as live:
                await live.turn("first")
                await live.turn("second")
                assert live.session.undo().said == "second"
                await live.until(HistoryChanged)
                await live.turn("third")
                assert _contents(mock.requests[3], "user") == ["first", "third"]
                assert results(mock.requests[3]) == []
        (file,) = sessions()
        said = [one["content"] for one in store.load(file).messages]
        assert said == ["first", "a", "third", "c"]

    async def test_undo_of_files_after_resume(self) -> None:
        def write(text: str) -> Any:
            return call("write_file", {"path": "f", "content": text})

        file = work_folder() / "f"
        with MockModel([write("one"), say("a"), write("two"), say("b"), write("three"), say("c")]) as mock:
            async with Live(mock, harness="native") as live:
                await live.turn("first")
                await live.turn("second")
            for taken, left in (("second", "one"), ("first", None)):
                async with Live(mock, harness="native", saved=store.find(live.session.id)) as live:
                    if left:
                        await live.turn("third")
                        assert live.session.undo().said == "third"
                    undone = live.session.undo()
                    assert (undone.said, undone.files) == (taken, ("f",))
                    assert (file.read_text() if file.exists() else None) == left
            kept = paths.undo(live.session.id)
            assert kept.stat().st_mode & 0o777 == 0o700
            assert list(kept.iterdir()) == []

    async def test_undo_with_nothing_said(self) -> None:
        with MockModel() as mock:
            async with Live(mock) as live:
                assert live.session.undo().said == ""

    async def test_reset_keeps_the_old_session(self) -> None:
        with MockModel([say("a"), say("b")]) as mock:
            async with Live(mock) as live:
                await live.turn("first")
                live.session.reset()
                await live.turn("second")
                assert _contents(mock.requests[1], "user") == ["second"]
        assert [saved_messages(one)[0]["content"] for one in sessions()].count("first") == 1
        assert len(sessions()) == 2

    @pytest.mark.parametrize("what", ["undo", "reset"])
    async def test_not_while_a_turn_runs(self, what: str) -> None:
        with MockModel([answer(say("one "), wait(600))]) as mock:
            async with Live(mock) as live:
                live.session.submit("first")
                await live.until(MessageDelta)
                with pytest.raises(ValueError, match="esc"):
                    getattr(live.session, what)()

    async def test_resume_sends_the_whole_history_and_asks_nothing_by_itself(self) -> None:
        both = answer(say("both. "), code("python", "print(1)"), code("shell", "echo two"))
        with MockModel([both, say("first done"), say("second done")]) as mock:
            async with Live(mock) as live:
                await live.turn("first")
            saved = store.find(live.session.id)
            async with Live(mock, saved=saved) as live:
                await live.until(HistoryChanged)
                assert len(mock.requests) == 2
                assert live.session.messages == saved.messages
                await live.turn("second")
            before, after = mock.requests[1]["messages"], mock.requests[2]["messages"]
            assert [one for one in after if one["role"] in {"assistant", "tool"}][:-1] == [
                one for one in before if one["role"] in {"assistant", "tool"}
            ]
            assert after[-1]["content"] == "second"

    async def test_close_in_the_middle_leaves_nothing(self) -> None:
        script = [code("python", "x = 1"), code("shell", "sleep 600 & echo begun; sleep 600")]
        with MockModel(script) as mock:
            async with Live(mock) as live:  # checks processes and files
                live.session.submit("wait")
                await live.printed("begun")
            assert live.all_of(TurnEnded)[-1].reason == "interrupted"
        (file,) = sessions()
        assert store.load(file).messages[0]["content"] == "wait"

"""Tools through the real loop: questions, sub-agents, undo, interruption, what is offered and how it is judged."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import pytest

import harnesses
from harnesses.data import Binding, Env
from harnesses.native import NativeHarness
from oi_tui.app.panes import cells
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import (
    AgentAdvanced,
    ApprovalRequested,
    CallEnded,
    CallStarted,
    ConsoleOutput,
    FileChanged,
    QuestionAnswered,
    QuestionAsked,
    TurnEnded,
    UsageChanged,
)
from oi_tui.protocol.transcript import ToolItem, Transcript
from oi_tui.tools import NAMES
from oi_tui.tools.undo import UndoRefused
from tests.mock_model import Answer, MockModel, answer, call, say, usage
from tests.tools.disk import snapshot
from tests.user_reports.driver import results, work_folder
from tests.user_reports.in_process import Live


class Everything(NativeHarness):
    """Advertises every executor under its own name, with its own arguments."""

    id: ClassVar[str] = "everything"

    def bindings(self, env: Env) -> list[Binding]:
        schema: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": True}
        fields = {"code": "code", "shell": "command"}
        return [
            Binding(name, name, _open(schema, name), name, code_field=fields.get(name, ""),
                    language_field="language" if name == "code" else "", language="shell")
            for name in NAMES
        ]  # fmt: skip


def _open(schema: dict[str, Any], name: str) -> dict[str, Any]:
    from oi_tui.tools.checked import executor

    return {**schema, "properties": {key: {} for key in executor(name)._parameters}}


@pytest.fixture(autouse=True)
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harnesses, "load", lambda _: Everything())


def _by_request(body: dict[str, Any]) -> Any:
    """What the model says, by what it was last told: the session and its agents ask in no certain order."""
    said = [str(one.get("content")) for one in body["messages"]]
    last = next(text for text in reversed(said) if not text.startswith("<background>"))
    calls = {
        "start": call("agent", {"prompt": "a1, answer", "background": True}),
        "look": call("job_output", {"id": "a1", "wait_s": 30, "until": "end"}),
        "endless": call("agent", {"prompt": "a2, work", "background": True}),
        "a2, work": call("shell", {"command": "sleep 600"}),
        "stop": call("job_stop", {"id": "a2"}),
        "a1, answer": say("the answer of a1"),
    }
    return calls.get(last, say("ok"))


ASKED = [
    {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red"}, {"label": "Blue"}]},
    {"question": "Which sizes?", "several": True, "options": [{"label": "S"}, {"label": "M"}, {"label": "L"}]},
    {"question": "Anything else?"},
]


class TestQuestions:
    async def test_the_person_answers_by_number_label_or_in_words(self) -> None:
        with MockModel([call("ask", {"questions": ASKED}), say("thanks")]) as mock:
            async with Live(mock) as live:
                live.session.submit("ask me")
                first = await live.until(QuestionAsked)
                assert (first.question.text, first.number, first.total) == ("Which colour?", 1, 3)
                live.session.submit("2")
                await live.until(QuestionAsked)
                live.session.submit("l, 9")  # no such number: words of one's own
                assert (await live.until(QuestionAnswered)).answer == ("l, 9",)
                await live.until(QuestionAsked)
                live.session.submit("no, thanks")
                assert (await live.until(TurnEnded)).reason == "done"
                assert "Which colour?\nBlue\nWhich sizes?\nl, 9\nAnything else?\nno, thanks" in live.results[0]
                assert live.all_of(QuestionAnswered)[0].answer == ("Blue",)
                shown = Transcript()
                for event in live.seen:
                    shown.apply(event)
                texts = [str(getattr(one, "text", "")) for one in shown.items]
                assert any("1. **Red**" in text for text in texts)
                assert "Blue" in texts

    async def test_nobody_is_there(self) -> None:
        with MockModel([call("ask", {"questions": ASKED}), say("so I chose red")]) as mock:
            async with Live(mock) as live:
                live.session.attended = False
                assert (await live.turn()).reason == "done"
                assert "nobody is here to answer" in live.results[0]

    async def test_an_interrupt_withdraws_the_question(self) -> None:
        with MockModel([call("ask", {"questions": ASKED}), say("on")]) as mock:
            async with Live(mock) as live:
                live.session.submit("ask me")
                await live.until(QuestionAsked)
                live.session.interrupt()
                assert (await live.until(TurnEnded)).reason == "interrupted"
                assert live.all_of(QuestionAnswered)[0].answer == ()
                assert live.session.questions.open is None
                assert (await live.turn("go on")).reason == "done"


class TestAgents:
    async def test_an_agent_works_in_a_context_of_its_own(self) -> None:
        script = [
            answer(
                call("agent", {"prompt": "count the files", "title": "count"}),
                usage(prompt_tokens=100, completion_tokens=10),
            ),
            answer(call("write", {"path": "n", "content": "1"}), usage(prompt_tokens=50, completion_tokens=5)),
            answer(say("there is one"), usage(prompt_tokens=60, completion_tokens=5)),
            answer(say("done"), usage(prompt_tokens=120, completion_tokens=10)),
        ]
        with MockModel(script) as mock:
            async with Live(mock) as live:
                assert (await live.turn("how many files?")).reason == "done"
                inner = [str(one["content"]) for one in mock.requests[1]["messages"]]
                assert any("count the files" in text for text in inner)
                assert not any("how many files?" in text for text in inner)
                names = [one["function"]["name"] for one in mock.requests[1]["tools"]]
                assert not {"agent", "ask"} & set(names)
                assert live.results == ["there is one"]
                assert len(live.session.messages) == 4  # what was said, the call, its result, the answer
                printed = "".join(one.text for one in live.all_of(ConsoleOutput))
                assert "> write" in printed
                assert "there is one" in printed
                (changed,) = live.all_of(FileChanged)
                assert changed.call_id == live.all_of(CallStarted)[0].call_id
                assert live.all_of(UsageChanged)[-1].input_tokens == 330
                assert [one.summary for one in live.all_of(CallEnded)] == ["1 step, 120 tokens"]
                assert {(one.agent, one.calls) for one in live.all_of(AgentAdvanced)} == {("a1", 0), ("a1", 1)}
                assert live.session.undo().files == ("n",)

    async def test_what_it_does_stands_below_its_call(self) -> None:
        script = [
            call("agent", {"prompt": "x", "title": "job"}),
            call("code", {"language": "python", "code": "for number in range(40):\n    print(number)\nprint(7)"}),
            call("code", {"language": "python", "code": "print('one')"}),
            say("so it is"),
            say("done"),
        ]
        with MockModel(script) as mock:
            async with Live(mock) as live:
                await live.turn()
                shown, heads = Transcript(), set[str]()
                for event in live.seen:
                    shown.apply(event)
                    heads |= {cells.head(one).text for one in shown.items if isinstance(one, ToolItem)}
        assert any("running, 1 call, " in one and "python: print('one')" in one for one in heads)
        (item,) = [one for one in shown.items if isinstance(one, ToolItem)]
        text = item.output.tail
        assert "> python\n  for number in range(40):\n      print(number)\n" in text
        assert "  │ 0\n  │ 1\n" in text
        assert "  │ 11\n  │ …\n  ok" in text
        assert "> python: print('one')\n  │ one\n  ok" in text
        assert item.progress.startswith("2 calls, ")
        assert "running" not in cells.head(item).text

    async def test_its_calls_are_asked_about_as_the_sessions_own(self) -> None:
        script = [
            call("agent", {"prompt": "x", "title": "job"}),
            call("shell", {"command": "touch made"}),
            say("ok"),
            say("done"),
        ]
        with MockModel(script) as mock:
            async with Live(mock, approval_policy="ask") as live:
                live.session.submit("go")
                request = await live.asked()
                assert request.what.startswith("agent job: ")
                assert (request.code, request.subject) == ("touch made", "code")
                live.session.answer(request.approval_id, Decision("reject", reason="no"))
                assert (await live.until(TurnEnded)).reason == "done"
        assert not (work_folder() / "made").exists()

    async def test_an_explorer_changes_nothing_whatever_the_mode(self) -> None:
        script = [
            call("agent", {"prompt": "x", "kind": "explorer"}),
            answer(call("write", {"path": "f", "content": "x"}), call("shell", {"command": "touch g"})),
            say("could not"), say("ok"),
        ]  # fmt: skip
        with MockModel(script) as mock:
            async with Live(mock, approval_policy="auto") as live:
                assert (await live.turn()).reason == "done"
        assert snapshot(work_folder()) == {}

    async def test_it_can_be_gone_on_with_and_stops_with_the_turn(self) -> None:
        script = [
            call("agent", {"prompt": "one"}), say("first"),
            call("agent", {"prompt": "two", "resume": "a1"}), say("second"),
            call("agent", {"prompt": "three", "resume": "a9"}), say("done"),
            call("agent", {"prompt": "long"}), call("shell", {"command": "echo going; exec sleep 600"}), say("end"),
        ]  # fmt: skip
        with MockModel(script) as mock:
            async with Live(mock) as live:
                await live.turn()
                again = [one["content"] for one in mock.requests[3]["messages"] if one["role"] in {"user", "assistant"}]
                assert again[-3:] == ["one", "first", "two"]
                assert "there is no agent 'a9'" in live.results[-1]
                live.session.submit("again")
                await live.printed("going")
                live.session.interrupt()
                assert (await live.until(TurnEnded)).reason == "interrupted"
                assert not any("sleep 600" in one for one in live.processes())

    async def test_in_the_background_it_is_looked_at_and_stopped_like_a_job(self) -> None:
        with MockModel([_by_request] * 20) as mock:
            async with Live(mock) as live:

                def told() -> str:
                    own = [one for one in mock.requests if any(m.get("content") == "start" for m in one["messages"])]
                    return results(own[-1])[-1]

                await live.turn("start")
                assert told() == "agent a1 works"
                await live.turn("look")
                assert told() == "the answer of a1"
                await live.turn("endless")
                await live.turn("stop")
                assert told() == "agent a2: stopped"
                assert not any("sleep 600" in one for one in live.processes())

    async def test_it_is_stopped_when_its_time_is_over(self) -> None:
        def answered(request: dict[str, Any]) -> Answer:
            if any("inner" in str(one.get("content")) for one in request["messages"] if one["role"] == "user"):
                return call("shell", {"command": "exec sleep 600"})
            ran = any(one["role"] == "tool" for one in request["messages"])
            return say("late") if ran else call("agent", {"prompt": "inner", "timeout_s": 1})

        with MockModel([answered] * 3) as mock:
            async with Live(mock) as live:
                assert (await live.turn()).reason == "done"
                assert live.results == ["the agent was stopped after 1 s"]
                assert not any("sleep 600" in one for one in live.processes())


class TestUndo:
    async def test_it_takes_files_back_with_the_message(self) -> None:
        (work_folder() / "a").write_bytes(b"1\r\n")
        script = [
            answer(
                call("edit", {"path": "a", "old": "1", "new": "2"}), call("write", {"path": "d/new", "content": "x"})
            ), say("ok"),
            call("edit", {"path": "a", "old": "2", "new": "3"}), say("ok"),
        ]  # fmt: skip
        with MockModel(script) as mock:
            async with Live(mock) as live:
                await live.turn("first")
                await live.turn("second")
                undone = live.session.undo()
                assert (undone.said, undone.files) == ("second", ("a",))
                assert (work_folder() / "a").read_bytes() == b"2\r\n"
                undone = live.session.undo()
                assert (undone.said, undone.files) == ("first", ("a", "d/new"))
                assert {name: one[0] for name, one in snapshot(work_folder()).items()} == {"a": b"1\r\n"}
                assert not (work_folder() / "d").exists()
                assert live.session.undo().said == ""

    async def test_it_asks_when_files_changed_since(self) -> None:
        script = [call("write", {"path": "a", "content": "x"}), say("ok")] * 3
        with MockModel(script) as mock:
            async with Live(mock) as live:
                await live.turn("one")
                (work_folder() / "a").write_text("mine")
                with pytest.raises(UndoRefused, match="a has changed since"):
                    live.session.undo()
                assert len(live.session.messages) == 4
                assert live.session.undo("keep").files == ()
                assert (work_folder() / "a").read_text() == "mine"
                (work_folder() / "a").unlink()
                await live.turn("two")
                (work_folder() / "a").write_text("mine")
                assert live.session.undo("force").files == ("a",)
                assert not (work_folder() / "a").exists()


async def test_a_tool_can_be_interrupted_and_keeps_what_it_said() -> None:
    with MockModel([call("shell", {"command": "echo began; exec sleep 600"}), say("on")]) as mock:
        async with Live(mock) as live:
            live.session.submit("run")
            await live.printed("began")
            live.session.interrupt()
            assert (await live.until(TurnEnded)).reason == "interrupted"
            await live.turn("go on")
            assert "began" in live.results[0]
            assert not any("sleep 600" in one for one in live.processes())


async def test_the_model_is_told_of_jobs_that_have_ended() -> None:
    script = [call("shell", {"command": "cat; exit 3", "background": True}), say("started"), say("I see"), say("on")]
    with MockModel(script) as mock:
        async with Live(mock) as live:
            await live.turn()
            jobs = live.session.engine.computer.jobs
            assert jobs is not None
            (job,) = jobs.all()
            job.close_input()
            await asyncio.wait_for(job.ended.wait(), 30)
            await asyncio.sleep(0)
            await live.turn("and now?")
            await live.turn("and then?")
            told = [str(one.get("content")) for one in mock.requests[-1]["messages"]]
            assert sum("<ended>cat; exit 3 (job 1), exit code 3" in text for text in told) == 1


async def test_an_edited_command_is_what_runs_and_what_the_history_holds() -> None:
    with MockModel([call("shell", {"command": "touch theirs", "timeout_s": 5}), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("go")
            request = await live.asked()
            live.session.answer(request.approval_id, Decision("edit", "touch mine"))
            await live.until(TurnEnded)
            assert '"command":"touch mine"' in str(mock.requests[1]["messages"])
    assert list(snapshot(work_folder())) == ["mine"]


async def test_the_folder_that_is_shown_is_where_it_runs() -> None:
    (work_folder() / "sub").mkdir()
    with MockModel([call("shell", {"command": "touch x; pwd", "workdir": "sub"}), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("go")
            request = await live.asked()
            assert request.where.partition(", ")[0].endswith("/sub")
            live.approve(request)
            await live.until(TurnEnded)
            assert "/sub" in live.results[0]


async def test_only_what_works_is_offered() -> None:
    with MockModel([say("hi")]) as mock:
        async with Live(mock) as live:
            await live.turn()
    names = {one["function"]["name"] for one in mock.requests[0]["tools"]}
    assert set(NAMES) - names == {"web_search", "recall"}


@pytest.mark.parametrize(
    ("name", "arguments", "asked"),
    [
        ("read", {"path": "f"}, False),
        ("glob", {"pattern": "*"}, False),
        ("grep", {"pattern": "x"}, False),
        ("list", {}, False),
        ("plan", {"steps": []}, False),
        ("job_list", {}, False),
        ("write", {"path": "n", "content": "x"}, True),
        ("edit", {"path": "f", "old": "x", "new": "y"}, True),
        ("insert", {"path": "f", "line": 0, "text": "y"}, True),
        ("patch", {"patch": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n"}, True),
        ("shell", {"command": "ls"}, False),
        ("shell", {"command": "sh", "stdin": "ls"}, True),
        ("code", {"language": "python", "code": "1"}, True),
        ("fetch", {"url": "http://localhost/"}, True),
        ("note", {"text": "x"}, True),
    ],
)
async def test_what_is_asked_about(name: str, arguments: dict[str, Any], asked: bool) -> None:
    (work_folder() / "f").write_text("x\n")
    with MockModel([call(name, arguments), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("go")
            if asked:
                request = await live.asked()
                live.session.answer(request.approval_id, Decision("reject"))
            assert (await live.until(TurnEnded)).reason == "done"
            assert bool(live.all_of(ApprovalRequested)) == asked
            assert (work_folder() / "f").read_text() == "x\n"
            assert live.all_of(CallEnded)[0].ok != asked

"""Plan mode through the real loop: what is refused, how each harness puts its plan, what the person can say to it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import harnesses
from oi_tui.protocol.events import CallEnded, MessageDelta, PlanProposed, QuestionAsked, SessionChanged, TurnEnded
from oi_tui.protocol.plans import Untagged
from oi_tui.protocol.transcript import MessageItem, Transcript, UserItem
from oi_tui.session import store
from tests.mock_model import MockModel, call, code, say
from tests.session.harness_matrix import text_of
from tests.user_reports.driver import work_folder
from tests.user_reports.in_process import Live

PLAN = "1. Write the file.\n2. Look at it."
TAGGED = f"I have looked.\n<proposed_plan>\n{PLAN}\n</proposed_plan>"

# harness -> (tool that writes, its arguments for path and content), name of the tool that ends plan mode
TOOLS: dict[str, tuple[str, str, str]] = {
    "claude-code": ("Write", "file_path", "ExitPlanMode"),
    "zcode": ("Write", "file_path", "ExitPlanMode"),
    "kimi-code": ("Write", "path", "ExitPlanMode"),
    "kimi-cli": ("WriteFile", "path", "ExitPlanMode"),
    "qwen-code": ("write_file", "file_path", "exit_plan_mode"),
}
BY_ARGUMENT = {"zcode", "qwen-code"}


def _write(harness: str, path: str, text: str) -> Any:
    name, key, _ = TOOLS[harness]
    return call(name, {key: path, "content": text})


def _requests(mock: MockModel) -> str:
    return json.dumps(mock.requests[-1]["messages"], ensure_ascii=False)


def _plan_file(live: Live) -> str:
    return live.session.planning.file


@pytest.mark.parametrize("harness", TOOLS)
async def test_a_plan_is_written_put_and_agreed_to(harness: str) -> None:
    out = str(work_folder() / "out.txt")
    leave = TOOLS[harness][2]

    def script(body: dict[str, Any]) -> Any:
        results = [one for one in body["messages"] if one["role"] == "tool"]
        steps = [
            _write(harness, out, "too early"),
            call(leave, {"plan": PLAN}) if harness in BY_ARGUMENT else _write(harness, _plan_file(live), PLAN),
            call(leave, {"plan": PLAN} if harness in BY_ARGUMENT else {}),
            _write(harness, out, "written"),
            say("done"),
        ]
        if harness in BY_ARGUMENT:
            del steps[1]
        return steps[len(results)]

    with MockModel([script] * 5) as mock:
        live = Live(mock, harness=harness, approval_policy="read-only")
        live.settings.approval_policy = "auto"
        async with live:
            assert live.session.plan(True)
            live.session.submit("make out.txt")
            asked = await live.until(QuestionAsked)
            assert not (work_folder() / "out.txt").exists()
            assert asked.question.options[0].label == "yes"
            assert live.all_of(PlanProposed)[-1].text == PLAN
            live.session.submit("1")
            assert (await live.until(TurnEnded)).reason == "done"
            assert not live.session.planning.on
        told = [text_of(one["content"]) for one in mock.requests[-1]["messages"] if one["role"] == "tool"]
        assert "plan mode is on" in told[0]
        assert "The person agreed to the plan" in told[-2]
        assert (PLAN in told[-2]) == (harness not in BY_ARGUMENT)
        assert (work_folder() / "out.txt").read_text(encoding="utf-8") == "written"
        notes = [text_of(one["content"]) for one in mock.requests[-1]["messages"] if one["role"] == "user"]
        assert sum("Plan mode is on" in one for one in notes) == 1
        assert sum("Plan mode is over" in one for one in notes) == 1
        assert {leave} <= {one["function"]["name"] for one in mock.requests[0]["tools"]}


@pytest.mark.parametrize(
    "harness", ["native", "minimal", "claude-code-bare", "deepseek-tui", "swe-agent", "mini-swe-agent", "embedded"]
)
async def test_a_plan_in_the_answer(harness: str) -> None:
    """Where there is no tool for it, the plan stands in the answer."""
    text = PLAN if harness == "embedded" else TAGGED
    with MockModel([say(text), say(text)]) as mock:
        async with Live(mock, harness=harness, strict=False) as live:
            live.session.plan(True)
            live.session.submit("make out.txt")
            await live.until(QuestionAsked)
            assert "lan mode is on" in _requests(mock) or "Do not write code" in _requests(mock)
            live.session.submit("use another name")
            await live.until(QuestionAsked)
            assert "use another name" in _requests(mock)
            assert live.session.planning.on
            live.session.submit("yes")
            await live.until(SessionChanged, lambda one: not one.planning)
            shown = "".join(one.text for one in live.all_of(MessageDelta))
            assert PLAN in shown
            assert "proposed_plan" not in shown
            await live.until(TurnEnded)
    assert "agreed to the plan" in json.dumps(mock.requests[2]["messages"])


@pytest.mark.parametrize(
    ("said", "mode", "on"),
    [("yes", "ask", False), ("yes, auto", "auto", False), ("keep planning", "ask", True), ("shorter", "ask", True)],
)
async def test_what_the_person_can_say(said: str, mode: str, on: bool) -> None:
    with MockModel([call("exit_plan_mode", {"plan": PLAN}), say("all right")]) as mock:
        async with Live(mock, harness="qwen-code", approval_policy="ask") as live:
            live.session.plan(True)
            live.session.submit("plan it")
            await live.until(QuestionAsked)
            live.session.submit(said)
            await live.until(TurnEnded)
            assert (live.session.approval, live.session.planning.on) == (mode, on)
            assert ("They say: shorter" in text_of(live.results[0])) == (said == "shorter")


async def test_ways_that_the_plan_leaves_to_the_person() -> None:
    ways = [{"label": "With sqlite", "description": "one file"}, {"label": "With files"}]

    def script(body: dict[str, Any]) -> Any:
        done = sum(one["role"] == "tool" for one in body["messages"])
        return [_write("kimi-code", _plan_file(live), PLAN), call("ExitPlanMode", {"options": ways}), say("x")][done]

    with MockModel([script] * 5) as mock:
        async with Live(mock, harness="kimi-code") as live:
            live.session.plan(True)
            live.session.submit("plan it")
            asked = await live.until(QuestionAsked)
            assert [one.label for one in asked.question.options] == ["With sqlite", "With files", "keep planning"]
            live.session.submit("2")
            await live.until(TurnEnded)
            assert "They chose: With files." in live.results[1]


async def test_the_model_begins_it_and_nothing_runs_any_more() -> None:
    steps = [call("EnterPlanMode"), call("Bash", {"command": "touch made"}), call("ExitPlanMode"), say("hm")]
    with MockModel(steps) as mock:
        async with Live(mock, harness="claude-code") as live:
            ended = await live.turn()
            assert ended.reason == "done"
            assert live.session.planning.on
            assert not (work_folder() / "made").exists()
            assert "plan mode is on" in live.results[1]
            assert "there is no plan yet: write it to" in live.results[2]
            assert [one.ok for one in live.all_of(CallEnded)] == [True, False, False]
            assert "Plan mode is on" in _requests(mock)


async def test_only_looking_is_allowed_whatever_runs_it() -> None:
    (work_folder() / "a.txt").write_text("seen", encoding="utf-8")
    steps = [
        code("python", "open('b.txt', 'w')"),
        call("read_file", {"path": "a.txt"}),
        call("write_file", {"path": "b.txt", "content": ""}),
        say("so much"),
    ]
    with MockModel(steps) as mock:
        async with Live(mock, harness="native") as live:
            live.session.plan(True)
            await live.turn()
            assert "plan mode is on" in live.results[0]
            assert "seen" in live.results[1]
            assert "plan mode is on" in live.results[2]
            assert not (work_folder() / "b.txt").exists()
            live.session.plan(False)
            mock.script.extend([code("python", "open('b.txt', 'w').close()"), say("made")])
            await live.turn("now do it")
            assert (work_folder() / "b.txt").exists()
            assert "Plan mode is over" in _requests(mock)


async def test_an_agent_inherits_it() -> None:
    steps = [
        call("Agent", {"description": "d", "prompt": "make it"}),
        call("Write", {"file_path": "x", "content": "x"}),
        say("I could not"),
        say("so it is"),
    ]
    with MockModel(steps) as mock:
        async with Live(mock, harness="claude-code") as live:
            live.session.plan(True)
            assert (await live.turn()).reason == "done"
        inner = mock.requests[1]
        assert not {"EnterPlanMode", "ExitPlanMode"} & {one["function"]["name"] for one in inner["tools"]}
        assert "Another agent makes the plan" in json.dumps(inner["messages"])
        assert "plan mode is on" in json.dumps(mock.requests[2]["messages"])


async def test_it_is_saved_with_the_session_and_shown_again() -> None:
    with MockModel([call("exit_plan_mode", {"plan": PLAN}), say("hm"), say("still here")]) as mock:
        async with Live(mock, harness="qwen-code") as live:
            live.session.plan(True)
            live.session.submit("plan it")
            await live.until(QuestionAsked)
            live.session.submit("not yet")
            await live.until(TurnEnded)
            saved_id = live.session.id
        saved = store.find(saved_id)
        assert saved.planning
        texts = [one.text for one in Transcript.from_messages(saved.messages).items if isinstance(one, MessageItem)]
        assert PLAN in texts
        said = [one.text for one in Transcript.from_messages(saved.messages).items if isinstance(one, UserItem)]
        assert said == ["plan it", "not yet"]
        async with Live(mock, harness="qwen-code", saved=saved) as live:
            assert live.session.planning.on
            await live.turn("go on")
            assert "Plan mode is still on" in _requests(mock)
            live.session.plan(False)
        assert not store.find(saved_id).planning
        async with Live(mock, harness="qwen-code", saved=store.find(saved_id), plan_mode=True) as live:
            assert live.session.planning.on


async def test_the_note_is_in_the_words_of_the_harness_that_is_used_now() -> None:
    with MockModel([say("one"), say("two")]) as mock:
        async with Live(mock, harness="native") as live:
            live.session.plan(True)
            await live.turn("first")
            live.session.use_harness("qwen-code")
            await live.turn("second")
        assert "<collaboration_mode>" in json.dumps(mock.requests[0]["messages"])
        now = _requests(mock)
        assert "<collaboration_mode>" not in now
        assert now.count("exit_plan_mode") == 2


def test_every_harness_says_what_plan_mode_is() -> None:
    from harnesses.data import Env, PlanNote

    for id in harnesses.ids():
        harness, env = harnesses.load(id), Env("/w")
        notes = [harness.plan_note(PlanNote(True, full, "/o/plan.md"), env) for full in (True, False)]
        notes.append(harness.plan_note(PlanNote(False, agreed=True), env))
        assert len(set(notes)) == (2 if id in {"embedded", "deepseek-tui"} else 3)
        assert "agreed to the plan" in notes[2]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_tags_are_taken_out_of_a_text_in_pieces(size: int) -> None:
    text = f"a < b\n{TAGGED}\nend <prop"
    untagged = Untagged()
    pieces = [untagged.feed(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join([*pieces, untagged.flush()]) == f"a < b\nI have looked.\n{PLAN}\nend <prop"

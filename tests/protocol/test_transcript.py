"""The fold of events into items, and saved messages into the same items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oi_tui.protocol import events as ev
from oi_tui.protocol import lmc
from oi_tui.protocol.items import TAIL_CHARS
from oi_tui.protocol.transcript import (
    CodeItem,
    DiffItem,
    MessageItem,
    NoticeItem,
    PlanItem,
    ThoughtItem,
    ToolItem,
    Transcript,
    UserItem,
)


def folded(*events: ev.Event) -> Transcript:
    transcript = Transcript()
    for event in events:
        transcript.apply(event)
    return transcript


def ran(call_id: str = "c", code: str = "1+1", output: str = "2\n") -> list[ev.Event]:
    return [
        ev.CodeStarted(call_id, "python"),
        ev.CodeDelta(call_id, code),
        ev.CodeEnded(call_id, "python", code),
        ev.CallStarted(call_id),
        ev.ConsoleOutput(call_id, output),
        ev.CallEnded(call_id, True, "ok", 0.3, 0),
    ]


def test_a_turn_reads_as_user_thought_message_and_cell() -> None:
    items = folded(
        ev.UserMessage("add"),
        ev.TurnStarted(1),
        ev.ReasoningDelta("hm"),
        ev.MessageDelta("I "),
        ev.MessageDelta("add."),
        ev.MessageEnded(),
        *ran(),
        ev.MessageDelta("It is 2."),
        ev.TurnEnded("done"),
    ).items
    assert [type(one) for one in items] == [UserItem, ThoughtItem, MessageItem, CodeItem, MessageItem]
    thought, first, cell, last = items[1:]
    assert isinstance(thought, ThoughtItem) and thought.text == "hm" and not thought.open
    assert isinstance(first, MessageItem) and first.text == "I add." and not first.open
    assert isinstance(cell, CodeItem)
    assert (cell.code, cell.state, cell.number, cell.output.tail, cell.seconds) == ("1+1", "ok", 1, "2\n", 0.3)
    assert isinstance(last, MessageItem) and not last.open


def test_apply_tells_what_is_new_or_changed() -> None:
    transcript = Transcript()
    assert transcript.apply(ev.UserMessage("hello")) == [0]
    assert transcript.apply(ev.MessageDelta("a")) == [1]
    assert transcript.apply(ev.MessageDelta("b")) == [1]
    assert transcript.apply(ev.MessageDelta("")) == []
    assert transcript.apply(ev.CodeStarted("c", "python")) == [1, 2]
    assert transcript.apply(ev.UsageChanged(1, 1, 0, 0, None, 1, 2, True)) == []
    assert transcript.apply(ev.HistoryChanged()) == []


def test_ids_are_unique_and_not_used_again_after_a_restart() -> None:
    transcript = folded(ev.UserMessage("a"), *ran())
    before = [one.id for one in transcript.items]
    transcript.restart([lmc.message("user", "message", "b")])
    assert len(set(before)) == len(before)
    assert len(transcript.items) == 1
    assert transcript.items[0].id not in before


def test_declined_stays_declined_when_the_call_ends() -> None:
    transcript = folded(
        ev.CodeStarted("c", "shell"),
        ev.CodeEnded("c", "shell", "rm x"),
        ev.ApprovalRequested("a", "c", "code", "shell", "rm x", "", "", ""),
    )
    cell = transcript.call("c")
    assert isinstance(cell, CodeItem) and cell.state == "waiting" and not cell.settled
    transcript.apply(ev.ApprovalResolved("a", "c", "reject", "keep x"))
    transcript.apply(ev.CallEnded("c", False, "declined", 0.0))
    assert (cell.state, cell.reason, cell.summary) == ("declined", "keep x", "declined")


def test_an_edited_cell_shows_the_edited_code() -> None:
    cell = folded(
        *ran()[:3],
        ev.ApprovalRequested("a", "c", "code", "python", "1+1", "", "", ""),
        ev.ApprovalResolved("a", "c", "edit"),
        ev.CodeEnded("c", "python", "2+2"),
        ev.CallStarted("c"),
    ).call("c")
    assert isinstance(cell, CodeItem)
    assert (cell.code, cell.state) == ("2+2", "running")


def test_an_interrupted_turn_settles_what_was_open_and_says_so() -> None:
    transcript = folded(*ran()[:4], ev.TurnEnded("interrupted"))
    cell, notice = transcript.items
    assert isinstance(cell, CodeItem) and cell.state == "cancelled"
    assert isinstance(notice, NoticeItem) and notice.text == "stopped by you"


def test_a_failure_that_was_a_notice_is_not_told_twice() -> None:
    transcript = folded(
        ev.Notice("error", "no server answered"), ev.TurnEnded("failed", "no server answered", "start it")
    )
    assert transcript.items == [NoticeItem("i1", "error", "no server answered", "start it")]


def test_retries_replace_each_other() -> None:
    transcript = folded(ev.RetryScheduled(1, 1, 3, "busy"), ev.RetryScheduled(2, 2, 3, "busy"))
    assert len(transcript.items) == 1
    notice = transcript.items[0]
    assert isinstance(notice, NoticeItem) and "2 of 3" in notice.text


def test_tools_plans_and_changes() -> None:
    transcript = folded(
        ev.TurnStarted(1),
        ev.PlanChanged((("look", "pending"),)),
        ev.ToolCalled("t", "edit", "edit a.py", "{}"),
        ev.FileChanged("t", "a.py", "update", "@@"),
        ev.CallEnded("t", True, "1 line", 0.1),
        ev.PlanChanged((("look", "completed"),)),
        ev.FileChanged("elsewhere", "b.py", "add", "@@"),
        ev.TurnStarted(2),
        ev.PlanChanged((("next", "pending"),)),
    )
    plan, tool, loose, second = transcript.items
    assert isinstance(plan, PlanItem) and plan.steps == (("look", "completed"),)
    assert isinstance(tool, ToolItem) and tool.title == "edit a.py" and tool.diffs[0].path == "a.py"
    assert tool.state == "ok" and tool.summary == "1 line"
    assert isinstance(loose, DiffItem) and loose.change.kind == "add"
    assert isinstance(second, PlanItem)


def test_output_keeps_its_end_and_counts_the_rest() -> None:
    transcript = folded(*ran()[:4])
    for _ in range(50):
        transcript.apply(ev.ConsoleOutput("c", "x" * 999 + "\n"))
    transcript.apply(ev.ConsoleOutput("c", "oops\n", error=True))
    cell = transcript.call("c")
    assert cell is not None
    assert len(cell.output.tail) == TAIL_CHARS
    assert cell.output.tail.endswith("oops\n")
    assert cell.output.lines == 51 and cell.output.errors
    assert cell.output.cut == 50 * 1000 + 5 - TAIL_CHARS


def test_output_of_an_unannounced_call_is_not_lost() -> None:
    item = folded(ev.ConsoleOutput("who", "hi\n")).items[0]
    assert isinstance(item, ToolItem) and item.output.tail == "hi\n"


# -- cutting and merging

_words = st.text(alphabet="ab\n\r`é😀", min_size=1, max_size=12)
_deltas = st.one_of(
    st.builds(ev.MessageDelta, _words),
    st.builds(ev.ReasoningDelta, _words),
    st.builds(ev.CodeDelta, st.sampled_from(["c", "d"]), _words),
    st.builds(ev.ConsoleOutput, st.sampled_from(["c", "d"]), _words, st.booleans()),
)
_others = st.one_of(
    st.builds(ev.CodeStarted, st.sampled_from(["c", "d"]), st.just("python")),
    st.builds(ev.CallStarted, st.sampled_from(["c", "d"])),
    st.builds(ev.CallEnded, st.sampled_from(["c", "d"]), st.booleans(), st.just("ok"), st.just(0.1)),
    st.builds(ev.UserMessage, _words),
    st.just(ev.MessageEnded()),
    st.just(ev.TurnEnded("done")),
)


def merged(events: list[Any]) -> list[Any]:
    """Adjacent deltas of one kind and call as one event, as the bus delivers them to a slow reader."""
    out: list[Any] = []
    for event in events:
        key = (type(event), getattr(event, "call_id", None), getattr(event, "error", None))
        last: Any = out[-1] if out else None
        is_delta = isinstance(event, ev.MessageDelta | ev.ReasoningDelta | ev.CodeDelta | ev.ConsoleOutput)
        if is_delta and key == (type(last), getattr(last, "call_id", None), getattr(last, "error", None)):
            out[-1] = replace(last, text=last.text + event.text)
        else:
            out.append(event)
    return out


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(_deltas, _deltas, _others), max_size=30), st.integers(1, 4))
def test_cutting_and_merging_of_deltas_makes_no_difference(events: list[Any], size: int) -> None:
    cut: list[Any] = []
    for event in events:
        text = event.text if not isinstance(event, ev.UserMessage | ev.TurnEnded) and hasattr(event, "text") else None
        if text is None:
            cut.append(event)
        else:
            cut += [replace(event, text=text[at : at + size]) for at in range(0, len(text), size)]
    whole = folded(*events).items
    assert folded(*cut).items == whole
    assert folded(*merged(events)).items == whole


# -- resume

SAVED: list[lmc.Message] = [
    lmc.message("user", "message", "add, then read"),
    lmc.message("assistant", "message", "I add.", reasoning="hm"),
    lmc.message("assistant", "code", "1+1", "python", call={"id": "c", "name": "run", "arguments": "{}"}),
    lmc.message("assistant", "message", "", call={"id": "t", "name": "read", "arguments": '{"path": "a.csv"}'}),
    lmc.message(
        "computer", "console", "2\n", "output", call={"id": "c", "name": "run", "result": {"ok": True, "seconds": 0.3}}
    ),
    lmc.message(
        "computer",
        "console",
        "no such file",
        "output",
        call={"id": "t", "name": "read", "result": {"ok": False, "exit_code": 2}},
    ),
    lmc.message("assistant", "message", "Done."),
]


def test_a_saved_history_becomes_the_same_kinds_of_items() -> None:
    items = Transcript.from_messages(SAVED).items
    assert [type(one) for one in items] == [UserItem, ThoughtItem, MessageItem, CodeItem, ToolItem, MessageItem]
    cell, tool = items[3], items[4]
    assert isinstance(cell, CodeItem) and (cell.state, cell.output.tail, cell.seconds) == ("ok", "2\n", 0.3)
    assert isinstance(tool, ToolItem)
    assert (tool.title, tool.state, tool.summary) == ("read a.csv", "failed", "exit 2")


def test_classic_messages_without_call_keys_are_understood() -> None:
    items = Transcript.from_messages(
        [
            lmc.message("user", "message", "plot"),
            lmc.message("user", "image", "/tmp/a.png", "path"),
            lmc.message("assistant", "code", "plot()", "python"),
            lmc.message("computer", "console", "1", "active_line"),
            lmc.message("computer", "console", "ok\n", "output"),
            lmc.message("computer", "image", "aGk=", "base64.png"),
            lmc.message("computer", "console", "for the model only", "output", recipient="assistant"),
            lmc.message("server", "error", "gone"),
        ]
    ).items
    assert [type(one) for one in items] == [UserItem, UserItem, CodeItem, NoticeItem]
    assert isinstance(items[1], UserItem) and items[1].text == "[image /tmp/a.png]"
    cell = items[2]
    assert isinstance(cell, CodeItem) and cell.state == "ok"
    assert cell.output.tail == "ok\n" and cell.pictures[0].format == "png"


@pytest.mark.parametrize(
    ("facts", "summary"),
    [
        ({"ok": True, "meta": {"summary": "12 lines"}}, "12 lines"),
        ({"ok": True}, "ok"),
        ({"ok": False}, "failed"),
        ({"ok": False, "timed_out": True}, "timed out"),
        ({"ok": False, "interrupted": True}, "interrupted"),
        ({"ok": False, "exit_code": 3, "meta": {"summary": "x"}}, "exit 3"),
        ({"ok": True, "meta": "junk"}, "ok"),
    ],
)
def test_outcomes_are_worded_as_they_were_live(facts: dict[str, Any], summary: str) -> None:
    key = {"id": "c", "name": "run", "result": facts}
    items = Transcript.from_messages(
        [
            lmc.message("assistant", "code", "x", "shell", call={"id": "c", "name": "run"}),
            lmc.message("computer", "console", "", "output", call=key),
        ]
    ).items
    assert isinstance(items[0], CodeItem) and items[0].summary == summary


def test_a_line_that_the_person_ran_is_a_cell_again() -> None:
    told = (
        "<user_shell_command>\n<command>\nls &lt; a &amp;&amp; b\n</command>\n<result>\nExit code: 2\n"
        "Output:\n&lt;none&gt;\n</result>\n</user_shell_command>"
    )
    items = Transcript.from_messages(
        [
            lmc.message("user", "message", told, recipient="assistant"),
            lmc.message("user", "message", "for the model only", recipient="assistant"),
        ]
    ).items
    (cell,) = items
    assert isinstance(cell, CodeItem)
    assert (cell.code, cell.output.tail, cell.summary, cell.state) == ("ls < a && b", "<none>", "exit 2", "failed")


def test_declined_and_unfinished_calls_are_shown_as_such() -> None:
    rejected = {"ok": False, "rejected": True, "note": "keep it"}
    items = Transcript.from_messages(
        [
            lmc.message("assistant", "code", "rm x", "shell", call={"id": "a", "name": "run"}),
            lmc.message("computer", "console", "", "output", call={"id": "a", "name": "run", "result": rejected}),
            lmc.message("assistant", "code", "ls", "shell", call={"id": "b", "name": "run"}),
        ]
    ).items
    first, second = items
    assert isinstance(first, CodeItem) and (first.state, first.reason) == ("declined", "keep it")
    assert isinstance(second, CodeItem) and second.state == "cancelled"


def test_junk_in_a_saved_file_does_not_stop_a_resume() -> None:
    junk: list[Any] = [
        {},
        {"role": "computer", "type": "console", "content": "stray"},
        {"role": "assistant", "type": "message", "content": "", "call": {"name": "x", "arguments": "{broken"}},
        {"role": "nobody", "type": "message", "content": "?"},
    ]
    items = Transcript.from_messages(junk).items
    assert [type(one) for one in items] == [ToolItem]

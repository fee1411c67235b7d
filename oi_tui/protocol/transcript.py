"""A session as a list of things to look at: a pure fold of events, or of saved messages, into items.

The app shows these items, resume replays them, export writes them. Items are only ever added or changed in place, never
moved or removed, so an index stays good until `restart`. How deltas were cut or merged on the way makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, cast

from oi_tui.protocol import events as ev
from oi_tui.protocol.items import (
    BACKGROUND,
    CallItem,
    CallState,
    CodeItem,
    Diff,
    DiffItem,
    Growing,
    Item,
    MessageItem,
    NoticeItem,
    Output,
    Picture,
    PlanItem,
    Rich,
    ThoughtItem,
    ToolItem,
    UserItem,
)
from oi_tui.protocol.lmc import Message
from oi_tui.protocol.questions import as_markdown
from oi_tui.protocol.replay import replay

__all__ = [
    "CallItem",
    "CallState",
    "CodeItem",
    "Diff",
    "DiffItem",
    "Growing",
    "Item",
    "MessageItem",
    "NoticeItem",
    "Output",
    "Picture",
    "PlanItem",
    "Rich",
    "ThoughtItem",
    "ToolItem",
    "Transcript",
    "UserItem",
]


_ENDINGS: dict[ev.EndReason, tuple[ev.NoticeLevel, str]] = {
    "interrupted": ("info", "stopped by you"),
    "failed": ("error", "the turn failed"),
    "limit": ("warning", "a limit was reached"),
    "refused": ("warning", "nothing more was allowed to run"),
}


class Transcript:
    """The items of one session. Feed it every event in order with `apply`."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._made = 0
        self._begin()

    def _begin(self) -> None:
        self._speech: int | None = None  # index of the message or thought that deltas go to
        self._plan: int | None = None
        self._calls: dict[str, int] = {}
        self._cells = 0
        self._changed: list[int] = []

    @classmethod
    def from_messages(cls, messages: Iterable[Message]) -> Transcript:
        """The transcript of a saved history."""
        made = cls()
        made.restart(messages)
        return made

    def restart(self, messages: Iterable[Message], cells: int = 0) -> None:
        """Drop all items and build them anew from `messages`; ids of old items are not used again.

        cells: how many code cells came before these messages."""
        self.items = []
        self._begin()
        self._cells = cells
        for event in replay(messages):
            self.apply(event)

    def call(self, call_id: str) -> CodeItem | ToolItem | None:
        """The cell or tool line of that call."""
        index = self._calls.get(call_id)
        return None if index is None else cast("CodeItem | ToolItem", self.items[index])

    def apply(self, event: ev.Event) -> list[int]:
        """Take one event in; return the indexes of items that are new or changed, ascending.

        HistoryChanged changes nothing here: whoever holds the history calls `restart` with it.
        """
        handler = self._HANDLERS.get(type(event))
        if handler is None:
            return []
        self._changed = []
        handler(self, event)
        return sorted(set(self._changed))

    # -- adding and changing

    def _add(self, make: Callable[[str], Item]) -> int:
        self._made += 1
        self.items.append(make(f"i{self._made}"))
        self._changed.append(len(self.items) - 1)
        return len(self.items) - 1

    def _hush(self) -> None:
        """Close the message or thought that is open."""
        if self._speech is not None:
            cast("MessageItem | ThoughtItem", self.items[self._speech]).open = False
            self._changed.append(self._speech)
            self._speech = None

    def _speak(self, kind: type[MessageItem] | type[ThoughtItem], text: str) -> None:
        if not text:
            return
        if self._speech is None or not isinstance(self.items[self._speech], kind):
            self._hush()
            self._speech = self._add(kind)
        cast("MessageItem | ThoughtItem", self.items[self._speech]).body.add(text)
        self._changed.append(self._speech)

    def _touch(self, call_id: str) -> CodeItem | ToolItem:
        """The item of a call, marked as changed; a tool line without a name if nobody announced the call."""
        if call_id not in self._calls:
            self._hush()
            self._calls[call_id] = self._add(lambda made: ToolItem(made, call_id))
        index = self._calls[call_id]
        self._changed.append(index)
        return cast("CodeItem | ToolItem", self.items[index])

    def _cell(self, call_id: str, language: str) -> CodeItem:
        known = self.call(call_id)
        if isinstance(known, CodeItem):
            self._changed.append(self._calls[call_id])
            known.language = language or known.language
            return known
        self._hush()
        self._cells += 1
        number = self._cells
        index = self._add(lambda made: CodeItem(made, call_id, language=language, number=number))
        self._calls[call_id] = index
        return cast(CodeItem, self.items[index])

    # -- one method an event

    def _user(self, event: ev.UserMessage) -> None:
        self._hush()
        self._add(lambda made: UserItem(made, event.text, event.steered))

    def _message(self, event: ev.MessageDelta) -> None:
        self._speak(MessageItem, event.text)

    def _thought(self, event: ev.ReasoningDelta) -> None:
        self._speak(ThoughtItem, event.text)

    def _message_ended(self, event: ev.MessageEnded) -> None:
        self._hush()

    def _code_started(self, event: ev.CodeStarted) -> None:
        self._cell(event.call_id, event.language)

    def _code(self, event: ev.CodeDelta) -> None:
        if event.text:
            self._cell(event.call_id, "").body.add(event.text)

    def _code_ended(self, event: ev.CodeEnded) -> None:
        cell = self._cell(event.call_id, event.language)
        cell.body = Growing(event.code)
        if cell.state == "writing":
            cell.state = "written"

    def _tool(self, event: ev.ToolCalled) -> None:
        item = self._touch(event.call_id)
        if isinstance(item, ToolItem):
            item.name, item.title, item.arguments = event.name, event.title, event.arguments
            item.state = "written"

    def _asked(self, event: ev.ApprovalRequested) -> None:
        item = self._touch(event.call_id)
        item.state = "waiting"
        if isinstance(item, ToolItem) and not item.title:
            item.title = event.what

    def _answered(self, event: ev.ApprovalResolved) -> None:
        item = self._touch(event.call_id)
        if event.decision in {"reject", "stop"}:
            item.state, item.reason = "declined", event.reason
        elif event.decision == "cancelled":
            item.state = "cancelled"
        elif item.state == "waiting":
            item.state = "written"

    def _call_started(self, event: ev.CallStarted) -> None:
        self._touch(event.call_id).state = "running"

    def _printed(self, event: ev.ConsoleOutput) -> None:
        if event.text:
            self._touch(event.call_id).output.add(event.text, event.error)

    def _input_wanted(self, event: ev.InputRequested) -> None:
        self._touch(event.call_id).state = "waiting"

    def _input_given(self, event: ev.InputGiven) -> None:
        self._touch(event.call_id).state = "running"

    def _line(self, event: ev.ActiveLine) -> None:
        item = self._touch(event.call_id)
        if isinstance(item, CodeItem):
            item.active_line = event.line

    def _image(self, event: ev.ImageOutput) -> None:
        self._touch(event.call_id).pictures.append(Picture(event.format, event.data, event.path))

    def _rich(self, event: ev.RichOutput) -> None:
        self._touch(event.call_id).rich.append(Rich(event.format, event.content))

    def _job(self, event: ev.JobOutput) -> None:
        """Each stretch of it stands where it came, under a line of its own."""
        title = f"{BACKGROUND} {event.source}"
        last = self.items[-1] if self.items else None
        if not isinstance(last, ToolItem) or last.name != BACKGROUND or last.title != title:
            self._hush()
            call_id = f"{BACKGROUND}-{self._made + 1}"
            self._calls[call_id] = self._add(lambda made: ToolItem(made, call_id, "ok", name=BACKGROUND, title=title))
            last = cast(ToolItem, self.items[-1])
        last.output.add(event.text, False)
        last.arguments = event.path or last.arguments
        self._changed.append(len(self.items) - 1)

    def _job_ended(self, event: ev.JobEnded) -> None:
        self._tell("info", f"{event.command} ({event.job_id}) has ended")

    def _file(self, event: ev.FileChanged) -> None:
        change = Diff(event.path, event.kind, event.diff)
        if event.call_id in self._calls:
            self._touch(event.call_id).diffs.append(change)
        else:
            self._add(lambda made: DiffItem(made, change))

    def _advanced(self, event: ev.AgentAdvanced) -> None:
        item = self._touch(event.call_id)
        if isinstance(item, ToolItem):
            counted = f"{event.calls} call{'s' * (event.calls != 1)}, {event.tokens:,} tokens"
            item.progress = f"{counted}: {event.doing}" if event.doing else counted

    def _call_ended(self, event: ev.CallEnded) -> None:
        item = self._touch(event.call_id)
        if item.state not in {"declined", "cancelled"}:
            item.state = "ok" if event.ok else "failed"
        item.summary, item.seconds = event.summary, event.seconds
        item.exit_code, item.note = event.exit_code, event.note
        if isinstance(item, CodeItem):
            item.active_line = None

    def _planned(self, event: ev.PlanChanged) -> None:
        if self._plan is None:
            self._hush()
            self._plan = self._add(lambda made: PlanItem(made, event.steps))
            return
        cast(PlanItem, self.items[self._plan]).steps = event.steps
        self._changed.append(self._plan)

    def _proposed(self, event: ev.PlanProposed) -> None:
        if event.call_id:
            self._hush()
            self._speak(MessageItem, event.text)
            self._hush()

    def _tell(self, level: ev.NoticeLevel, text: str, hint: str = "", retry: bool = False) -> None:
        last = self.items[-1] if self.items else None
        if isinstance(last, NoticeItem):
            if last.text == text:  # a failure is often told twice: as a notice and as the end of the turn
                last.hint = last.hint or hint
                return
            if retry and last.retry:
                last.text = text
                self._changed.append(len(self.items) - 1)
                return
        if not retry:  # a message that broke off goes on above the notice
            self._hush()
        self._add(lambda made: NoticeItem(made, level, text, hint, retry))

    def _notice(self, event: ev.Notice) -> None:
        self._tell(event.level, event.text, event.hint)

    def _compacted(self, event: ev.ContextCompacted) -> None:
        self._tell("warning" if event.how == "trimmed" else "info", event.text, event.hint)

    def _retry(self, event: ev.RetryScheduled) -> None:
        when = f"in {event.seconds:.0f} s" if event.seconds >= 0.5 else "now"
        text = f"{event.cause}; trying again {when} ({event.attempt} of {event.limit})"
        self._tell("warning", text, retry=True)

    def _question(self, event: ev.QuestionAsked) -> None:
        self._speak(MessageItem, as_markdown(event))
        self._hush()

    def _reply(self, event: ev.QuestionAnswered) -> None:
        if event.answer:
            self._add(lambda made: UserItem(made, ", ".join(event.answer)))

    def _turn_started(self, event: ev.TurnStarted) -> None:
        self._plan = None

    def _turn_ended(self, event: ev.TurnEnded) -> None:
        self._hush()
        for index in self._calls.values():
            item = cast("CodeItem | ToolItem", self.items[index])
            if not item.settled:
                item.state = "cancelled"
                self._changed.append(index)
        if event.reason != "done":
            level, text = _ENDINGS[event.reason]
            self._tell(level, event.text or text, event.hint)

    _HANDLERS: ClassVar[dict[type[Any], Callable[[Transcript, Any], None]]] = {
        ev.UserMessage: _user,
        ev.MessageDelta: _message,
        ev.ReasoningDelta: _thought,
        ev.MessageEnded: _message_ended,
        ev.CodeStarted: _code_started,
        ev.CodeDelta: _code,
        ev.CodeEnded: _code_ended,
        ev.ToolCalled: _tool,
        ev.ApprovalRequested: _asked,
        ev.ApprovalResolved: _answered,
        ev.QuestionAsked: _question,
        ev.QuestionAnswered: _reply,
        ev.CallStarted: _call_started,
        ev.ConsoleOutput: _printed,
        ev.InputRequested: _input_wanted,
        ev.InputGiven: _input_given,
        ev.ActiveLine: _line,
        ev.ImageOutput: _image,
        ev.RichOutput: _rich,
        ev.FileChanged: _file,
        ev.JobOutput: _job,
        ev.JobEnded: _job_ended,
        ev.AgentAdvanced: _advanced,
        ev.CallEnded: _call_ended,
        ev.PlanChanged: _planned,
        ev.PlanProposed: _proposed,
        ev.Notice: _notice,
        ev.ContextCompacted: _compacted,
        ev.RetryScheduled: _retry,
        ev.TurnStarted: _turn_started,
        ev.TurnEnded: _turn_ended,
    }

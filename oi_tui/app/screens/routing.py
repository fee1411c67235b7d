"""Events to panes: folds each event into the transcript and tells those panes that show something of it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from oi_tui.app.panes.status import Facts
from oi_tui.protocol import events as ev
from oi_tui.protocol.lmc import Message
from oi_tui.protocol.transcript import CodeItem, Transcript

if TYPE_CHECKING:
    from oi_tui.app.bridge import Engine
    from oi_tui.app.panes.approval import ApprovalPane
    from oi_tui.app.panes.chat import ChatPane
    from oi_tui.app.panes.code import CodePane
    from oi_tui.app.panes.console import ConsolePane
    from oi_tui.app.panes.status import Activity
    from oi_tui.app.widgets.composer import Composer


TAIL = 120  # messages of a long history that are shown at once
LONG = 600  # messages from which a history is long


def first_of_tail(messages: Sequence[Message]) -> int:
    """Where the end of a long history begins: with a message of the person, 0 for one that is not long."""
    if len(messages) < LONG:
        return 0
    first = len(messages) - TAIL
    while first > 0 and not (messages[first]["role"] == "user" and messages[first].get("recipient") is None):
        first -= 1
    return first


class Panes(Protocol):
    """What events are told to; `framed.FramedScreen` has it all."""

    chat: ChatPane
    code: CodePane
    console: ConsolePane
    approval: ApprovalPane
    activity: Activity
    composer: Composer

    @property
    def app(self) -> Any: ...
    def tell(self, facts: Facts) -> None: ...
    def follow(self, pane: str) -> None: ...
    def occupied(self, is_so: bool) -> None: ...
    def turn_is(self, running: bool) -> None: ...
    def input_wanted(self) -> None: ...
    def later(self, do: Callable[[], None]) -> None: ...


class Routing:
    """Holds what the screen knows of a session; widgets only show it."""

    def __init__(self, screen: Panes) -> None:
        self._screen = screen
        self.transcript = Transcript()
        self.facts = Facts()
        self.queued = 0
        self._awaited = ""
        self._requested = False  # the turn asked a model; the person's own shell line does not
        self._unread: list[Message] | None = None  # the whole of a long history, of which only the end is shown yet
        self._since: list[ev.Event] = []  # what came while it is

    def _await(self, what: str) -> None:
        """What is awaited from here on; while something long goes on inside it, that is shown instead."""
        self._awaited = what
        self._screen.activity.wait_for(what)

    def take(self, batch: list[ev.Event]) -> None:
        """Apply a batch of events in order."""
        screen = self._screen
        for event in batch:
            if self._unread is not None:
                self._since.append(event)
            changed = self.transcript.apply(event)
            handler = _HANDLERS.get(type(event))
            if handler is not None:
                handler(self, event)
            if changed:
                screen.occupied(True)
                screen.chat.take(self.transcript, changed, event)
        screen.tell(self.facts)

    def learn(self, session: Engine) -> None:
        """Read what no event tells."""
        self.facts = replace(
            self.facts,
            cwd=session.cwd,
            branch=session.git_branch,
            model=session.model,
            harness=session.harness_id,
            harness_auto=session.harness_auto,
            approval=session.approval,
            planning=session.planning.on,
            sandbox=session.sandbox,
        )
        self._screen.tell(self.facts)

    def restart(self, session: Engine) -> None:
        """Start over from the session's history. Of a long one the end is there at once, the rest a frame later."""
        screen, messages = self._screen, session.messages
        first = first_of_tail(messages)
        self._unread, self._since = (list(messages) if first else None), []
        self.transcript.restart(messages[first:], cells=sum(one["type"] == "code" for one in messages[:first]))
        screen.occupied(bool(self.transcript.items))
        self._show_all()
        screen.approval.clear()
        if first:
            screen.later(self._read_all)
        self.facts = replace(self.facts, context=0)  # of a request with another history
        screen.tell(self.facts)
        self._await("")

    def _show_all(self) -> None:
        self._screen.chat.restart(self.transcript)
        self._screen.code.restart(self.transcript)
        self._screen.console.restart(self.transcript)

    def _read_all(self) -> None:
        """Make the transcript of all messages, and of what came since."""
        messages, self._unread = self._unread, None
        if messages is None:
            return
        gc.disable()  # nothing of it is garbage, and looking at all of it time and again takes as long as making it
        try:
            self.transcript.restart(messages)
            for event in self._since:
                self.transcript.apply(event)
            self._since = []
            self._show_all()
        finally:
            gc.enable()

    def say(self, level: ev.NoticeLevel, text: str, hint: str = "") -> None:
        """Put something to tell into the chat."""
        self.take([ev.Notice(level, text, hint)])

    # -- one method an event

    def _started(self, event: ev.SessionStarted) -> None:
        self._know(event.model, event.harness, event.harness_auto)
        self.facts = replace(self.facts, cwd=event.cwd)

    def _know(self, model: str, harness: str, auto: bool) -> None:
        self.facts = replace(self.facts, model=model, harness=harness, harness_auto=auto)

    def _changed(self, event: ev.SessionChanged) -> None:
        self._know(event.model, event.harness, event.harness_auto)
        self.facts = replace(self.facts, approval=event.approval, planning=event.planning)

    def _usage(self, event: ev.UsageChanged) -> None:
        self.facts = replace(
            self.facts,
            context=event.context,
            window=event.context_window,
            window_known=event.window_known,
            cost=event.cost,
            estimated=event.estimated,
        )

    def _turn_started(self, event: ev.TurnStarted) -> None:
        self._requested = False
        self._screen.turn_is(running=True)
        self._await("starting")

    def _request(self, event: ev.RequestStarted) -> None:
        self._requested = True
        self._await(event.note or f"waiting for {event.model or 'the model'}")

    def _retry(self, event: ev.RetryScheduled) -> None:
        self._awaited = f"waiting for {self.facts.model or 'the model'}"
        self._screen.activity.count_down(event.seconds, self._awaited)

    def _message(self, event: ev.MessageDelta) -> None:
        self._await("")
        self._screen.follow("chat")

    def _thought(self, event: ev.ReasoningDelta) -> None:
        self._await("thinking")

    def _code_started(self, event: ev.CodeStarted) -> None:
        self._await(f"writing {event.language or 'code'}")
        self._screen.code.begin(event.call_id, event.language)
        self._screen.follow("code")

    def _code(self, event: ev.CodeDelta) -> None:
        self._screen.code.grow(event.call_id, event.text)

    def _code_ended(self, event: ev.CodeEnded) -> None:
        self._screen.code.finish(event.call_id, event.language, event.code)
        self._screen.follow("code")
        self._await("")

    def _tool(self, event: ev.ToolCalled) -> None:
        self._await("")

    def _asked(self, event: ev.ApprovalRequested) -> None:
        screen = self._screen
        self._await("")
        screen.approval.ask(event)

    def _scanned(self, event: ev.ScanChanged) -> None:
        self._screen.approval.scanned(event.approval_id, event.scan)

    def _answered(self, event: ev.ApprovalResolved) -> None:
        self._screen.approval.drop(event.approval_id)
        self._screen.code.answered(event.approval_id)

    def _question(self, event: ev.QuestionAsked) -> None:
        self._await("waiting for your answer")
        self._screen.follow("chat")

    def _reply(self, event: ev.QuestionAnswered) -> None:
        self._await("")

    def _call_started(self, event: ev.CallStarted) -> None:
        self._await_call(event.call_id)
        if getattr(self.transcript.call(event.call_id), "language", ""):
            self._screen.console.begin(event.call_id, self._cell(event.call_id))

    def _await_call(self, call_id: str) -> None:
        item = self.transcript.call(call_id)
        self._await(f"running {getattr(item, 'language', '') or getattr(item, 'name', '') or 'a tool'}")

    def _cell(self, call_id: str) -> int:
        return getattr(self.transcript.call(call_id), "number", 0)

    def _printed(self, event: ev.ConsoleOutput) -> None:
        self._screen.console.add(event.call_id, self._cell(event.call_id), event.text)
        self._screen.follow("console")

    def _input_wanted(self, event: ev.InputRequested) -> None:
        self._screen.console.ask(self._cell(event.call_id), event)
        self._screen.input_wanted()
        self._await("waiting for you to type")

    def _input_given(self, event: ev.InputGiven) -> None:
        self._screen.console.asked_no_more(event)
        self._await_call(event.call_id)

    def _image(self, event: ev.ImageOutput) -> None:
        self._screen.console.add_image(event.call_id, self._cell(event.call_id), event)
        self._screen.follow("console")

    def _line(self, event: ev.ActiveLine) -> None:
        self._screen.code.running(event.call_id, event.line)

    def _call_ended(self, event: ev.CallEnded) -> None:
        self._screen.code.running(event.call_id, None)
        self._screen.console.input_line.close()
        self._screen.console.end(event.call_id, event.ok, event.summary, event.seconds)
        self._await("")

    def _queue(self, event: ev.QueueChanged) -> None:
        self.queued = len(event.steering) + len(event.queued)
        self._screen.activity.queued(self.queued, next(iter((*event.steering, *event.queued)[-1:]), ""))
        self._screen.composer.queued = self.queued

    def _progress(self, event: ev.Progress) -> None:
        over = not (event.text or event.name) or (event.total and event.done >= event.total)
        share = f" {100 * event.done // event.total}%" if event.total else ""
        what = self._awaited if over else f"{event.text or event.name}{share}"
        self._screen.activity.wait_for(what, restart=False)

    def _history(self, event: ev.HistoryChanged) -> None:
        # At once: what is told right after it belongs to the new history.
        self._screen.app.history_changed()  # type: ignore[attr-defined]

    def _output_answers(self) -> bool:
        """Did the turn end with what a block printed? Small models say nothing after it."""
        last = self.transcript.items[-1] if self.transcript.items else None
        return isinstance(last, CodeItem) and last.state == "ok" and bool(last.output.tail.strip())

    def _turn_ended(self, event: ev.TurnEnded) -> None:
        self._await("")
        self._screen.approval.clear()
        self._screen.console.input_line.close()
        if self._requested or event.reason != "done":
            self._screen.follow("console" if self._output_answers() else "chat")
        self._screen.turn_is(running=False)


_HANDLERS: dict[type[Any], Any] = {
    ev.SessionStarted: Routing._started,
    ev.SessionChanged: Routing._changed,
    ev.UsageChanged: Routing._usage,
    ev.TurnStarted: Routing._turn_started,
    ev.RequestStarted: Routing._request,
    ev.RetryScheduled: Routing._retry,
    ev.MessageDelta: Routing._message,
    ev.ReasoningDelta: Routing._thought,
    ev.CodeStarted: Routing._code_started,
    ev.CodeDelta: Routing._code,
    ev.CodeEnded: Routing._code_ended,
    ev.ToolCalled: Routing._tool,
    ev.ApprovalRequested: Routing._asked,
    ev.ScanChanged: Routing._scanned,
    ev.ApprovalResolved: Routing._answered,
    ev.QuestionAsked: Routing._question,
    ev.QuestionAnswered: Routing._reply,
    ev.CallStarted: Routing._call_started,
    ev.ConsoleOutput: Routing._printed,
    ev.InputRequested: Routing._input_wanted,
    ev.InputGiven: Routing._input_given,
    ev.ImageOutput: Routing._image,
    ev.ActiveLine: Routing._line,
    ev.CallEnded: Routing._call_ended,
    ev.QueueChanged: Routing._queue,
    ev.Progress: Routing._progress,
    ev.HistoryChanged: Routing._history,
    ev.TurnEnded: Routing._turn_ended,
}

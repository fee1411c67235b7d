"""The chat pane: the transcript's items as blocks of one view. It follows the transcript, never the events alone."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from oi_tui.app.panes import cells
from oi_tui.app.panes.chat_search import ChatSearch
from oi_tui.app.panes.search_line import SearchLine
from oi_tui.app.panes.sources import Code, code_of, runnable, saved_as, source_of
from oi_tui.app.widgets import blocks
from oi_tui.app.widgets.blocks import Block
from oi_tui.app.widgets.transcript import Transcript as View
from oi_tui.protocol import events as ev
from oi_tui.protocol.transcript import (
    CodeItem,
    DiffItem,
    Item,
    MessageItem,
    NoticeItem,
    PlanItem,
    ThoughtItem,
    ToolItem,
    Transcript,
    UserItem,
)

RUN_SECONDS = 3.0  # between the two presses that run a block again


class ChatPane(Vertical):
    """The conversation."""

    class CellPressed(Message):
        """The line of a call was pressed: show its code."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    @dataclass
    class CopyWanted(Message):
        """The person wants a text of the chat on the clipboard."""

        text: str

    @dataclass
    class CodeWanted(Message):
        """The person wants code of the chat in the code pane."""

        name: str
        code: Code

    @dataclass
    class RunWanted(Message):
        """The person wants code to run again, as their own."""

        code: Code

    @dataclass
    class SaveWanted(Message):
        """The person wants a text in a file: its name without a number, its ending."""

        text: str
        name: str
        ending: str

    @dataclass
    class Told(Message):
        """Words for the person that pass."""

        text: str

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+f", "search", "search the chat", id="chat.search"),
        Binding("y", "copy", "copy the block", id="chat.copy"),
        Binding("c", "copy_code", "copy its code", id="chat.copy_code"),
        Binding("o", "open_code", "its code into the code pane", id="chat.open_code"),
        Binding("r", "run", "run it again", id="chat.run"),
        Binding("s", "save", "save it to a file", id="chat.save"),
    ]

    def __init__(self, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.view = View(id="transcript")
        self.search_line = SearchLine("search the chat · enter goes on · esc closes")
        self._search = ChatSearch(self.view, lambda item: self._blocks.get(item.id), self._unfold)
        self._run_asked = ("", float("-inf"))  # the item that r was pressed on, and when
        self._transcript = Transcript()
        self._blocks: dict[str, Block] = {}

    def compose(self) -> ComposeResult:
        yield self.view
        yield self.search_line

    def focus_view(self) -> None:
        """Give the keyboard to the conversation."""
        self.view.focus()

    # -- following the transcript

    def restart(self, transcript: Transcript) -> None:
        """Show another transcript from its beginning."""
        self.view.clear()
        self.view.cursor = None
        self._blocks.clear()
        self._transcript = transcript
        self._search.end()
        for item in transcript.items:
            self._add(item)

    def take(self, transcript: Transcript, changed: list[int], event: ev.Event) -> None:
        """Some items are new or changed by an event."""
        self._transcript = transcript
        for index in changed:
            item = transcript.items[index]
            block = self._blocks.get(item.id)
            if block is None:
                self._add(item)
            elif not isinstance(event, ev.ConsoleOutput | ev.CodeDelta | ev.ActiveLine):
                self._change(block, item, event)

    def _add(self, item: Item) -> None:
        self._blocks[item.id] = self.view.add(whole_block(item))

    def _change(self, block: Block, item: Item, event: ev.Event) -> None:
        if isinstance(item, MessageItem | ThoughtItem):
            if isinstance(event, ev.MessageDelta if isinstance(item, MessageItem) else ev.ReasoningDelta):
                block.append(event.text)
            if not item.open:
                block.finish()
                if isinstance(item, ThoughtItem):
                    block.set_head(_thought_head(item))
        elif isinstance(item, CodeItem | ToolItem):
            block.set_head(cells.head(item))
            if block.open:
                block.set_lines(cells.body(item))
        elif isinstance(item, PlanItem):
            block.set_head(cells.plan_head(item))
            block.set_lines(cells.plan_lines(item))
        elif isinstance(item, NoticeItem):
            self._replace(block, item)

    def _replace(self, block: Block, item: NoticeItem) -> None:
        """A notice has no head to change: it is made anew, in its place at the end."""
        self.view.remove_from(block)
        self._blocks[item.id] = self.view.add(_block(item))

    # -- what can be done with a block

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters act on the block that is chosen; without one they are the beginning of a message."""
        return action == "search" or self.view.cursor is not None

    @property
    def chosen(self) -> Item | None:
        """The item of the block under the cursor."""
        block = self.view.cursor
        wanted = next((name for name, one in self._blocks.items() if one is block), None) if block else None
        return next((item for item in reversed(self._transcript.items) if item.id == wanted), None)

    def action_copy(self) -> None:
        """Copy the block as it came."""
        if (item := self.chosen) is not None:
            self.post_message(self.CopyWanted(source_of(item)))

    def action_copy_code(self) -> None:
        """Copy the code of the block."""
        if (code := self._code("code to copy")) is not None:
            self.post_message(self.CopyWanted(code.text))

    def action_open_code(self) -> None:
        """Show the code of the block in the code pane."""
        item = self.chosen
        if isinstance(item, CodeItem):
            self.post_message(self.CellPressed(item.call_id))
        elif item is not None and (code := self._code("code")) is not None:
            self.post_message(self.CodeWanted(f"block {item.id}", code))

    def action_run(self) -> None:
        """Run the code of the block again; it takes two presses, because nothing is asked after them."""
        item = self.chosen
        if item is None:
            return
        code, now = runnable(item), time.monotonic()
        if code is None:
            self.post_message(self.Told("there is nothing in this block that could run"))
        elif self._run_asked[0] == item.id and now - self._run_asked[1] < RUN_SECONDS:
            self._run_asked = ("", float("-inf"))
            self.post_message(self.RunWanted(code))
        else:
            self._run_asked = (item.id, now)
            lines = code.text.strip().count("\n") + 1
            what = "this line" if lines == 1 else f"these {lines} lines"
            self.post_message(self.Told(f"r again runs {what} of {code.language}"))

    def action_save(self) -> None:
        """Save the block to a file of its own."""
        if (item := self.chosen) is not None:
            self.post_message(self.SaveWanted(source_of(item), *saved_as(item)))

    def _code(self, what: str) -> Code | None:
        item = self.chosen
        code = code_of(item) if item is not None else None
        if code is None and item is not None:
            self.post_message(self.Told(f"there is no {what} in this block"))
        return code

    # -- search

    @property
    def searching(self) -> bool:
        """True while the line is open in which is written what to look for."""
        return self.search_line.display

    def action_search(self) -> None:
        """Ask what to look for."""
        self.search_line.display = True
        self.search_line.focus()

    def leave_search(self) -> None:
        """Close the line; the view stays at what was found."""
        self.search_line.display = False
        self.search_line.value = ""
        self._search.end()
        self.view.focus()

    @on(SearchLine.Changed)
    def _written(self, event: SearchLine.Changed) -> None:
        event.stop()
        self._find(event.value, backwards=False)

    @on(SearchLine.Submitted)
    def _sent(self, event: SearchLine.Submitted) -> None:
        event.stop()
        self._find(event.value, backwards=False)

    @on(SearchLine.Step)
    def _stepped(self, event: SearchLine.Step) -> None:
        event.stop()
        self._find(self.search_line.value, backwards=not event.backwards)

    def _find(self, text: str, backwards: bool) -> None:
        if self.searching and not self._search.find(self._transcript.items, text, backwards) and text:
            self.post_message(self.Told("not found in this chat"))

    def _unfold(self, block: Block, item: Item) -> None:
        block.set_open(True)
        if isinstance(item, CodeItem | ToolItem):
            block.set_lines(cells.body(item))

    def on_transcript_block_pressed(self, message: View.BlockPressed) -> None:
        message.stop()
        item = self._transcript.call(message.block.data) if message.block.data else None
        if item is not None and message.block.open:
            message.block.set_lines(cells.body(item))
            if isinstance(item, CodeItem):
                self.post_message(self.CellPressed(item.call_id))


def _thought_head(item: ThoughtItem) -> blocks.Line:
    return blocks.styled(("thinking" if item.open else "thought", "muted"))


def whole_block(item: Item) -> Block:
    """A block with all that an item holds."""
    block = _block(item)
    if isinstance(item, MessageItem | ThoughtItem):
        block.append(item.text)
        if not item.open:
            block.finish()
    elif isinstance(item, PlanItem):
        block.set_lines(cells.plan_lines(item))
    return block


def _block(item: Item) -> Block:
    """A block for an item; for speech an empty one."""
    match item:
        case UserItem():
            return blocks.person(item.text)
        case MessageItem():
            return blocks.model()
        case ThoughtItem():
            return blocks.entry(_thought_head(item), kind="thought")
        case CodeItem() | ToolItem():
            made = blocks.entry(cells.head(item), data=item.call_id, is_open=cells.is_background(item))
            if made.open:
                made.set_lines(cells.body(item))
            return made
        case PlanItem():
            return blocks.entry(cells.plan_head(item), is_open=True, kind="plan")
        case DiffItem():
            made = blocks.entry(blocks.styled(("changed ", "muted"), (item.change.path, "text")), kind="diff")
            made.set_lines(cells.change_lines(item.change))
            return made
        case NoticeItem():
            return blocks.notice(item.level, f"{item.text}\n{item.hint}" if item.hint else item.text)

"""The chat pane: the transcript's items as blocks of one view. It follows the transcript, never the events alone."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from oi_tui.app.panes import cells
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


class ChatPane(Vertical):
    """The conversation."""

    class CellPressed(Message):
        """The line of a call was pressed: show its code."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    def __init__(self, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.view = View(id="transcript")
        self._transcript = Transcript()
        self._blocks: dict[str, Block] = {}

    def compose(self) -> ComposeResult:
        yield self.view

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

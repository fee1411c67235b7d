"""The code pane: the block being written, asked about or run; earlier ones by ← and →; editing before approval."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from oi_tui.app.panes.approval_text import Asked
from oi_tui.app.panes.diff_view import DiffView
from oi_tui.app.panes.fitting import Part, part
from oi_tui.app.panes.reveal import revealed
from oi_tui.app.panes.sheets import Sheet, Sheets
from oi_tui.app.panes.split_diff import SPLIT_WIDTH, SplitDiff
from oi_tui.app.panes.titled import TitledPane
from oi_tui.app.widgets.code_view import CodeView
from oi_tui.app.widgets.editor import Editor
from oi_tui.app.widgets.lines import LineView
from oi_tui.protocol.transcript import CodeItem, Transcript


class CodePane(TitledPane):
    """One page of code or of a diff at a time."""

    HELP = "the code: ← → turn to other blocks, c copies, e edits what is asked about"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "earlier block", id="code.earlier"),
        Binding("right", "turn(1)", "later block", id="code.later"),
        Binding("c", "copy", "copy the block", id="code.copy"),
        Binding("e", "edit", "edit what is asked about", id="code.edit"),
    ]

    class Turned(Message):
        """Another page is on top."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    class CopyWanted(Message):
        """The person wants the code on the clipboard."""

        def __init__(self, code: str) -> None:
            super().__init__()
            self.code = code

    class EditWanted(Message):
        """The person wants to edit what is asked about."""

    class Edited(Message):
        """Editing is over; code is None when nothing is to change."""

        def __init__(self, code: str | None) -> None:
            super().__init__()
            self.code = code

    class Reaches(Message):
        """So many rows of the page are out of sight below."""

        def __init__(self, call_id: str, below: int) -> None:
            super().__init__()
            self.call_id, self.below = call_id, below

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.sheets = Sheets()
        self.code_view, self.diff_view, self.split_view = CodeView(), DiffView(), SplitDiff()
        self._editor: Editor | None = None
        self._shown = ""  # call id of the page that the views hold

    def compose(self) -> ComposeResult:
        self.diff_view.display = self.split_view.display = False
        yield self.title
        yield self.code_view
        yield self.diff_view
        yield self.split_view

    def on_mount(self) -> None:
        for view in (self.code_view, self.diff_view, self.split_view.new):
            self.watch(view, "scroll_y", self._reach, init=False)
        self._tell()

    @property
    def view(self) -> LineView:
        page = self.sheets.current
        if page is None or page.language != "diff":
            return self.code_view
        return self.split_view.new if self.is_split else self.diff_view

    @property
    def is_split(self) -> bool:
        """Is there room for old and new side by side?"""
        return self.size.width >= SPLIT_WIDTH

    # -- pages

    def begin(self, call_id: str, language: str) -> None:
        """A block is being written."""
        self.sheets.add(call_id, language, cell=True)
        self._show()

    def grow(self, call_id: str, text: str) -> None:
        """More of a block has come."""
        page = self.sheets.add(call_id, "", cell=True)
        page.text += text
        if self._shown == call_id and self.view is self.code_view:
            self.code_view.append(revealed(text))
        else:
            self._show()

    def finish(self, call_id: str, language: str, code: str) -> None:
        """A block is whole."""
        page = self.sheets.add(call_id, language, cell=True)
        page.language, page.text, page.whole = language or page.language, code, True
        self._show(again=self.code_view.code != _shown(code))

    def running(self, call_id: str, line: int | None) -> None:
        """A line of a block runs now."""
        page = self.sheets.of(call_id)
        if page is not None and page is self.sheets.current and self._shown == call_id:
            self.code_view.active_line = line or 0

    def put(self, asked: Asked) -> None:
        """Put what is asked about on top, exactly as it would run."""
        request, key = asked.request, self.page_of(asked)
        page = self.sheets.add(key, request.language, cell=request.subject == "code")
        page.text, page.whole = asked.code, True
        if request.subject == "file":
            page.language = "diff"
        self.sheets.open(key)
        self._show(again=True)

    def page_of(self, asked: Asked) -> str:
        """The name of the page for what is asked about: that of its call, but a page of its own where a block is to
        have something installed and runs again after it."""
        request = asked.request
        page = self.sheets.of(request.call_id)
        beside = page is not None and page.number > 0 and request.subject == "tool"
        return request.approval_id if beside else request.call_id or request.approval_id

    def answered(self, approval_id: str) -> None:
        """Take away the page that stood for this question alone."""
        if self.sheets.drop(approval_id):
            self._show()

    def put_text(self, key: str, language: str, code: str) -> None:
        """Put code on top that is no cell: from a text, to read or copy."""
        page = self.sheets.add(key, language, cell=False)
        page.text, page.whole = code, True
        self.open(key)

    def open(self, call_id: str) -> None:
        """Put the page of a call on top, if it has one."""
        if self.sheets.open(call_id):
            self._show()

    def restart(self, transcript: Transcript) -> None:
        """Start over from a transcript."""
        cells = [item for item in transcript.items if isinstance(item, CodeItem)]
        self.sheets = Sheets(cells=cells[0].number - 1 if cells else 0)
        for item in cells:
            page = self.sheets.add(item.call_id, item.language, cell=True)
            page.text, page.whole = item.code, True
        self._shown = ""
        self.code_view.show("", "")
        self._show(again=True)

    def _show(self, again: bool = False) -> None:
        page = self.sheets.current
        if page is not None and (again or page.call_id != self._shown):
            self._shown = page.call_id
            is_diff = page.language == "diff"
            self._choose_view()
            if is_diff:
                self.diff_view.show(page.text)
                self.split_view.show(page.text)
            else:
                self.code_view.show(_shown(page.text) if page.whole else revealed(page.text), page.language)
                self.code_view.following = not page.whole
        self._tell()
        self.call_after_refresh(self._reach)

    def _choose_view(self) -> None:
        """Show the view that fits the page and the room."""
        page = self.sheets.current
        is_diff = page is not None and page.language == "diff"
        self.code_view.display = not is_diff and not self.editing
        self.diff_view.display, self.split_view.display = is_diff and not self.is_split, is_diff and self.is_split

    def _reach(self) -> None:
        page = self.sheets.current
        if page is not None and page.whole:
            view = self.view
            self.post_message(self.Reaches(page.call_id, round(view.max_scroll_y - view.scroll_y)))

    def on_resize(self) -> None:
        if self._shown:
            self._choose_view()
        # The view below gets its own size one refresh later.
        self.call_after_refresh(self.call_after_refresh, self._reach)

    def scroll(self, key: str) -> None:
        """Scroll the page by a key that another pane got."""
        view = self.view
        moves = {
            "up": view.action_scroll_up,
            "down": view.action_scroll_down,
            "pageup": view.action_page_up,
            "pagedown": view.action_page_down,
            "home": view.action_scroll_home,
            "end": view.action_scroll_end,
        }
        if key in moves:
            moves[key]()
        elif key in {"left", "right"}:
            self.action_turn(-1 if key == "left" else 1)

    # -- title

    def _tell(self) -> None:
        page = self.sheets.current
        if self.editing:
            self.head([part(9, ("edit", "accent")), part(8, ("ctrl+s asks again · esc leaves it as it was", "muted"))])
        elif page is None:
            self.head([part(9, ("code", "muted"))])
        else:
            self.head(*_title(page, self.sheets))

    # -- keys

    def action_turn(self, step: int) -> None:
        """Turn to another page."""
        if self.sheets.turn(step):
            self._show()
            page = self.sheets.current
            self.post_message(self.Turned(page.call_id if page else ""))

    def action_copy(self) -> None:
        """Copy the page on top."""
        page = self.sheets.current
        if page is not None:
            self.post_message(self.CopyWanted(page.text))

    def action_edit(self) -> None:
        """Edit what is asked about."""
        self.post_message(self.EditWanted())

    # -- editing

    @property
    def editing(self) -> bool:
        """True while the code is edited."""
        return self._editor is not None

    def edit(self, code: str) -> None:
        """Open the code in an editor, in the place of the view."""
        if self._editor is None:
            self._editor = Editor(code)
            self._editor.cursor_blink = False
            self.view.display = False
            self.mount(self._editor)
            self._editor.focus()
            self._tell()

    @on(Editor.Done)
    def _done(self, event: Editor.Done) -> None:
        event.stop()
        self._leave(event.code)

    @on(Editor.Cancelled)
    def _cancelled(self, event: Editor.Cancelled) -> None:
        event.stop()
        self._leave(None)

    def leave_editor(self) -> None:
        """Close the editor and change nothing."""
        self._leave(None)

    def _leave(self, code: str | None) -> None:
        if self._editor is not None:
            self._editor.remove()
            self._editor = None
            self.view.display = True
            self._tell()
            self.post_message(self.Edited(code))


def _shown(code: str) -> str:
    """Whole code as it is shown: its last line end would look like one more line."""
    return revealed(code).removesuffix("\n")


def _title(page: Sheet, sheets: Sheets) -> tuple[list[Part], list[Part]]:
    left = [part(9, (page.language or "text", "code"))]
    if page.number:
        left.append(part(8, (f"cell {page.number} of {sheets.cells}", "muted"), before="  "))
    right: list[Part] = []
    if len(sheets.pages) > 1:
        back = "muted" if sheets.top > 0 else "faint"
        on_ = "muted" if sheets.top < len(sheets.pages) - 1 else "faint"
        right.append(part(7, ("◂", back), (" ▸", on_)))
    right.append(part(6, ("c", "muted"), (" copy", "faint"), before="  "))
    return left, right

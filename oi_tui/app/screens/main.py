"""The main screen: what the person does in it, by keys and by mouse, and where each key goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import events, on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.widgets import Input, TextArea

from oi_tui.app.keymap import QUIT_SECONDS, REWIND_SECONDS, Action, Keys, ctrl_c, escape
from oi_tui.app.screens.framed import FramedScreen
from oi_tui.app.widgets.composer import Composer
from oi_tui.commands.suggest import Suggestion

if TYPE_CHECKING:
    from oi_tui.app.history import PromptHistory
    from oi_tui.app.panes.approval import ApprovalPane
    from oi_tui.app.panes.approval_text import Asked
    from oi_tui.app.panes.chat import ChatPane
    from oi_tui.app.panes.code import CodePane
    from oi_tui.app.panes.input_line import InputLine

PAUSE = 1.0  # seconds without a key in the message box before a program's question takes the keyboard

Want = Literal["interrupt", "unqueue", "keys", "picture", "plan", "history", "editor", "rewind", "quit"]


class MainScreen(FramedScreen):
    """One session on the screen."""

    class Said(Message):
        """The person sent a message; queue: for after the running turn."""

        def __init__(self, text: str, queue: bool) -> None:
            super().__init__()
            self.text, self.queue = text, queue

    class Wanted(Message):
        """The person wants something of the session or of the app."""

        def __init__(self, what: Want) -> None:
            super().__init__()
            self.what = what

    class CopyWanted(Message):
        """The person wants a text on the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2,ctrl+1", "pane('chat')", "chat", id="pane.chat", priority=True),
        Binding("f3,ctrl+2", "pane('code')", "code", id="pane.code", priority=True),
        Binding("f4,ctrl+3", "pane('console')", "console", id="pane.console", priority=True),
        Binding("f5,ctrl+4", "pane('answer')", "answer or write", id="pane.answer", priority=True),
        Binding("escape", "escape", "close, stop", id="escape", priority=True),
        Binding("ctrl+c", "ctrl_c", "copy, clear, stop, quit", id="ctrl_c", priority=True),
    ]

    def __init__(
        self,
        history: PromptHistory,
        suggestions: Callable[[str], Sequence[Suggestion]],
        motion: bool = True,
        dropped: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(history, suggestions, motion, dropped)
        self.interrupting = False
        self._enlarged = False  # the code fills the work area until the approval is answered
        self._quit_armed_at = self._rewind_armed_at = float("-inf")

    def turn_is(self, running: bool) -> None:
        """A turn runs now, or no longer."""
        self.interrupting = False
        super().turn_is(running)

    def action_pane(self, pane: str) -> None:
        """Focus a pane; asked for again, zoom it. `answer` goes to the approval, else to the message box."""
        if not self.furnished:
            return
        if pane != "answer":
            self.choose(pane)
        elif self.console.input_line.asked is not None and not self._typing_in():
            self.follow("console")
            self.console.input_line.take_focus()
        elif self.approval.asked is not None and not self.approval.has_focus:
            self.approval.take_over()
            self.approval.focus()
        else:
            self.composer.focus_box()

    # -- the message box

    @on(Composer.Submitted)
    def _submitted(self, event: Composer.Submitted) -> None:
        event.stop()
        if self.furnished:
            self.chat.view.follow()
        self.post_message(self.Said(event.text, event.mode == "queue"))

    @on(Composer.Unqueue)
    def _unqueue(self) -> None:
        self.post_message(self.Wanted("unqueue"))

    @on(Composer.KeysWanted)
    def _keys_wanted(self) -> None:
        self.post_message(self.Wanted("keys"))

    @on(Composer.PlanWanted)
    def _plan_wanted(self) -> None:
        self.post_message(self.Wanted("plan"))

    @on(Composer.PictureWanted)
    def _picture_wanted(self) -> None:
        self.post_message(self.Wanted("picture"))

    @on(Composer.HistoryWanted)
    def _history_wanted(self) -> None:
        self.post_message(self.Wanted("history"))

    @on(Composer.EditorWanted)
    def _editor_wanted(self) -> None:
        self.post_message(self.Wanted("editor"))

    @on(Composer.EndOfInput)
    def _end_of_input(self) -> None:
        self.post_message(self.Wanted("quit"))

    @on(Composer.Trouble)
    def _trouble(self, event: Composer.Trouble) -> None:
        self.routing.say("warning", event.text, "messages of this session are still here")

    def on_key(self, event: events.Key) -> None:
        """Who types in a pane means the message box."""
        if event.is_printable and event.character and self._in_pane() and not self._bound(event.key):
            event.stop()
            self.composer.take_key(event)

    def back_from_outside(self) -> None:
        """Another program had the terminal: what it was typed into must answer nothing here."""
        self.composer.typed_at = time.monotonic()
        self.approval.ask_again()

    def _bound(self, key: str) -> bool:
        """Does the pane with the keyboard do something by that key now?"""
        for node in self.focused.ancestors_with_self if self.focused is not None else ():
            if node is self:
                break
            for binding in node._bindings.key_to_bindings.get(key, ()):  # type: ignore[attr-defined]
                if node.check_action(binding.action.partition("(")[0], ()):
                    return True
        return False

    # -- approvals

    def on_approval_pane_raised(self, event: ApprovalPane.Raised) -> None:
        now = self.approval.asked
        if now is None or now.request.approval_id != event.asked.request.approval_id:
            return  # it was withdrawn, or answered elsewhere, before it could be shown
        self.pinned = False
        self.work.add_class("-asking")
        self.code.put(event.asked)
        self.follow("code")
        self.show_hints()

    def on_approval_pane_armed(self) -> None:
        if self.app.screen is self and not self.composer.completer.is_open:
            self.approval.focus()

    def on_approval_pane_emptied(self) -> None:
        self.code.leave_editor()
        self.work.remove_class("-asking")
        if self._enlarged:
            self._enlarged = False
            self.zoom_code(False)
        self.show_hints()
        self.composer.focus_box()

    def on_approval_pane_edit_wanted(self, event: ApprovalPane.EditWanted) -> None:
        self.follow("code")
        self.code.edit(event.asked.code)
        self.show_hints()

    def on_code_pane_edit_wanted(self) -> None:
        asked = self.approval.asked
        if asked is not None and asked.armed:
            self.code.put(asked)
            self.code.edit(asked.code)
            self.show_hints()

    def on_code_pane_edited(self, event: CodePane.Edited) -> None:
        if event.code is not None:
            self.approval.edit_done(event.code)
        if (asked := self.approval.asked) is not None:
            self.code.put(asked)
            self.approval.focus()
        else:
            self.composer.focus_box()
        self.show_hints()

    def on_approval_pane_view_wanted(self) -> None:
        asked = self.approval.asked
        if asked is not None and asked.files > 1:
            self._review(asked)
            return
        self._enlarged = self.zoom_code()

    def _review(self, asked: Asked) -> None:
        """Show a change of several files on the whole screen."""
        from oi_tui.app.screens.review import Review, changed_files

        def done(verdict: str | None) -> None:
            now = self.approval.asked
            if verdict and now is not None and now.request.approval_id == asked.request.approval_id:
                # In the pane's own turn: a message that its screen sends for it would not reach the app.
                self.approval.call_later(self.approval.decide, verdict)
            elif now is not None:
                self.approval.focus()

        self.app.push_screen(Review(changed_files(asked.request.code)), done)

    def on_approval_pane_refused(self, event: ApprovalPane.Refused) -> None:
        self.activity.say(event.why)

    def on_approval_pane_scroll_wanted(self, event: ApprovalPane.ScrollWanted) -> None:
        self.code.scroll(event.key)

    def on_approval_pane_typed_on(self, event: ApprovalPane.TypedOn) -> None:
        if isinstance(event.event, events.Key):
            self.composer.take_key(event.event)
        else:
            self.composer.focus_box()
            self.composer.area.post_message(events.Paste(event.event.text))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Whoever goes to the message box while something is asked writes a message."""
        if self.furnished and event.widget is self.composer.area:
            self.approval.step_back()
        if self.furnished:
            self.show_hints()

    # -- programs that wait for input

    def input_wanted(self) -> None:
        """A program waits for the person: its line gets the keyboard, once nobody is writing a message."""
        self.pinned = False
        self.follow("console")
        self.show_hints()
        self._offer_input()

    def _offer_input(self) -> None:
        line = self.console.input_line
        if line.asked is None or line.has_focus_within:
            return
        still = time.monotonic() - self.composer.typed_at >= PAUSE
        if still and not self.composer.draft and self.app.screen is self and self.focused is not None:
            line.take_focus()
            self.show_hints()
        else:
            self.set_timer(PAUSE / 4, self._offer_input)

    def on_input_line_closed(self, event: InputLine.Closed) -> None:
        if event.had_focus:
            self.composer.focus_box()
        self.show_hints()

    def _typing_in(self) -> bool:
        return self.console.input_line.has_focus_within

    # -- the other panes

    def on_code_pane_reaches(self, event: CodePane.Reaches) -> None:
        asked = self.approval.asked
        if asked is not None and event.call_id == self.code.page_of(asked):
            self.approval.code_reaches(event.below)
            self.show_hints()

    def on_code_pane_turned(self, event: CodePane.Turned) -> None:
        item = self.routing.transcript.call(event.call_id)
        self.console.show(item, getattr(item, "number", 0))

    def on_code_pane_copy_wanted(self, event: CodePane.CopyWanted) -> None:
        self.post_message(self.CopyWanted(event.code))

    def on_chat_pane_copy_wanted(self, event: ChatPane.CopyWanted) -> None:
        self.post_message(self.CopyWanted(event.text))

    def on_chat_pane_code_wanted(self, event: ChatPane.CodeWanted) -> None:
        self.code.put_text(event.name, event.code.language, event.code.text)
        self.follow("code")

    def on_chat_pane_told(self, event: ChatPane.Told) -> None:
        self.activity.say(event.text)

    def on_transcript_cursor_moved(self) -> None:
        self.show_hints()

    def on_chat_pane_cell_pressed(self, event: ChatPane.CellPressed) -> None:
        self.code.open(event.call_id)
        item = self.routing.transcript.call(event.call_id)
        self.console.show(item, getattr(item, "number", 0))

    # -- keys whose meaning depends on everything

    def _keys(self) -> Keys:
        return Keys(
            popup_open=self.composer.completer.is_open,
            entry_open=self.code.editing or self.approval.asks_reason or self.approval.shows_rule or self._searching(),
            approval_open=self.approval.asked is not None,
            input_open=self._typing_in(),
            focus_in_pane=self._in_pane(),
            vim_insert=self.composer.area.vim.inserting and self.composer.area.has_focus,
            busy=self.busy,
            interrupting=self.interrupting,
            draft=bool(self.composer.draft) and not self._typing_in(),
            selection=bool(self._selected()),
            quit_armed=time.monotonic() - self._quit_armed_at < QUIT_SECONDS,
            rewindable=not self.busy and not self.composer.draft and not self._empty,
            rewind_armed=time.monotonic() - self._rewind_armed_at < REWIND_SECONDS,
        )

    def _in_pane(self) -> bool:
        """True if the keyboard is in one of the views that only show."""
        return isinstance(self.focused, ScrollView) and not isinstance(self.focused, (TextArea, Input))

    def _searching(self) -> bool:
        return any(pane.searching and pane.has_focus_within for pane in (self.console, self.chat))

    def _selected(self) -> str:
        return self.get_selected_text() or self.composer.area.selected_text

    def action_escape(self) -> None:
        """One rung of the Esc ladder."""
        if self.furnished:
            self._do(escape(self._keys()))

    def action_ctrl_c(self) -> None:
        """One rung of the Ctrl+C ladder."""
        if self.furnished:
            self._do(ctrl_c(self._keys()))

    def _do(self, action: Action) -> None:
        match action:
            case "close_popup":
                self.composer.completer.close(self.composer.area.before_cursor)
            case "close_entry":
                if self.code.editing:
                    self.code.leave_editor()
                elif self._searching():
                    (self.chat if self.chat.has_focus_within else self.console).leave_search()
                elif self.approval.shows_rule:
                    self.approval.hide_rule()
                else:
                    self.approval.back_from_reason()
            case "end_input":
                self.console.input_line.end_input()
            case "leave_pane":
                self.composer.focus_box()
            case "vim_normal":
                self.composer.area.vim_escape()
            case "decline_and_stop":
                self.approval.stop()
            case "copy":
                self.post_message(self.CopyWanted(self._selected()))
                self.clear_selection()
            case "clear_draft":
                self.composer.clear()
            case "interrupt" | "interrupt_and_arm":
                self.interrupting = self.busy
                self.post_message(self.Wanted("interrupt"))
                if action == "interrupt_and_arm":
                    self._arm_quit()
            case "arm_quit":
                self._arm_quit()
            case "quit" | "rewind":
                self.post_message(self.Wanted(action))
            case "arm_rewind":
                self._rewind_armed_at = time.monotonic()
                self.activity.say("esc again goes back to an earlier message", seconds=REWIND_SECONDS)
            case "close_picker" | "nothing":
                pass

    def _arm_quit(self) -> None:
        self._quit_armed_at = time.monotonic()
        self.activity.say("ctrl+c again quits", seconds=QUIT_SECONDS)

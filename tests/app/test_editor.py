"""Editing the code of an approval: nothing hidden, nothing lost."""

from __future__ import annotations

import pytest
from textual import on
from textual.app import ComposeResult

from oi_tui.app.widgets.editor import Editor
from tests.app.picking import Stage


class EditorStage(Stage):
    def __init__(self, code: str) -> None:
        super().__init__()
        self.editor = Editor(code)
        self.done: list[tuple[str, bool]] = []
        self.cancelled = 0

    def compose(self) -> ComposeResult:
        yield self.editor

    def on_mount(self) -> None:
        self.editor.focus()

    @on(Editor.Done)
    def _done(self, event: Editor.Done) -> None:
        self.done.append((event.code, event.changed))

    @on(Editor.Cancelled)
    def _cancelled(self) -> None:
        self.cancelled += 1


@pytest.mark.parametrize("key", ["ctrl+s", "alt+enter", "shift+enter"])
async def test_done_gives_the_changed_code(key: str) -> None:
    app = EditorStage("a = 1\n")
    async with app.run_test() as pilot:
        await pilot.press("b", key)
        await pilot.pause()
        assert app.done == [("ba = 1\n", True)]


@pytest.mark.parametrize("code", ["a\r\nb\r\n", "\tif x:\n\t\ty\n", "no end", "", "x = '\u202e\u200b'\n", "\u3000pass"])
async def test_untouched_code_comes_back_exactly(code: str) -> None:
    app = EditorStage(code)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.done == [(code, False)]


async def test_hidden_signs_are_shown_and_kept() -> None:
    app = EditorStage("x = '\u202e'\n")
    async with app.run_test() as pilot:
        assert app.editor.text == "x = '‹U+202E›'\n"
        await pilot.press("y", "ctrl+s")
        await pilot.pause()
        assert app.done == [("yx = '\u202e'\n", True)]


async def test_a_notation_that_was_there_stays_a_notation() -> None:
    app = EditorStage("# ‹U+0041›\n")
    async with app.run_test() as pilot:
        await pilot.press("#", "ctrl+s")
        await pilot.pause()
        assert app.done == [("## ‹U+0041›\n", True)]


async def test_a_number_beyond_unicode_is_left_as_text() -> None:
    app = EditorStage("a")
    async with app.run_test() as pilot:
        app.editor.insert("‹U+FFFFFF›")
        await pilot.pause()
        assert "‹U+FFFFFF›" in app.editor.code


async def test_escape_leaves_and_enter_keeps_the_indentation() -> None:
    app = EditorStage("    if x:")
    async with app.run_test() as pilot:
        await pilot.press("ctrl+e", "enter", "y", "enter", "tab", "z")
        assert app.editor.text == "    if x:\n        y\n            z"
        await pilot.press("escape")
        await pilot.pause()
        assert app.cancelled == 1
        assert app.done == []

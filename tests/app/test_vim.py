"""Vim keys in the message box: the machine on texts, and in the app."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oi_tui.app.widgets.vim import Vim
from tests.app.running import running


def after(keys: str, text: str, at: int = 0) -> tuple[str, int, str]:
    """Text, cursor and mode after some keys in normal mode; ⎋ is Esc, and in insert mode keys are typed."""
    vim = Vim(on=True, mode="normal")
    for key in keys:
        if key == "⎋":
            at = vim.escape(text, at).at
        elif vim.mode == "insert":
            text, at = text[:at] + key + text[at:], at + 1
        elif (edit := vim.press(key, text, at)) is not None:
            text = text[: edit.start] + edit.text + text[edit.end :] if edit.changes else text
            at = edit.at
    return text, at, vim.mode


@pytest.mark.parametrize(
    ("keys", "text", "at", "expected"),
    [
        ("x", "abc", 1, "ac"),
        ("2x", "abc", 0, "c"),
        ("dw", "one two", 0, "two"),
        ("d2w", "one two three", 0, "three"),
        ("dw", "one\ntwo", 0, "\ntwo"),
        ("de", "one two", 0, " two"),
        ("db", "one two", 4, "two"),
        ("d$", "one two", 3, "one"),
        ("D", "one\ntwo", 1, "o\ntwo"),
        ("dd", "one\ntwo\nthree", 5, "one\nthree"),
        ("2dd", "one\ntwo\nthree", 0, "three"),
        ("dG", "one\ntwo\nthree", 4, "one"),
        ("dgg", "one\ntwo\nthree", 5, "three"),
        ("cwnew⎋", "one two", 0, "new two"),
        ("ccnew⎋", "one\ntwo", 5, "one\nnew"),
        ("ciwx⎋", "one two", 5, "one x"),
        ("daw", "one two three", 4, "one three"),
        ("di(", "f(a, (b), c)", 2, "f()"),
        ("da(", "f(a, (b), c)", 6, "f(a, , c)"),
        ('ci"x⎋', 'say "hello" now', 6, 'say "x" now'),
        ("ofoo⎋", "one\ntwo", 0, "one\nfoo\ntwo"),
        ("Ofoo⎋", "one\ntwo", 4, "one\nfoo\ntwo"),
        ("A!⎋", "one\ntwo", 0, "one!\ntwo"),
        ("I-⎋", "  one", 4, "  -one"),
        ("yyp", "one\ntwo", 0, "one\none\ntwo"),
        ("yyP", "one\ntwo", 4, "one\ntwo\ntwo"),
        ("yyp", "one\ntwo", 4, "one\ntwo\ntwo"),
        ("ywP", "one two", 0, "one one two"),
        ("rX", "abc", 1, "aXc"),
        ("J", "one\n  two", 0, "one two"),
        ("qZ;.", "kept", 0, "kept"),
        ("dq", "kept", 0, "kept"),
        ("p", "kept", 0, "kept"),
        ("999999999x", "abc", 0, ""),
    ],
)
def test_a_command_changes_the_text_as_in_vim(keys: str, text: str, at: int, expected: str) -> None:
    assert after(keys, text, at)[0] == expected


@pytest.mark.parametrize(
    ("keys", "at", "to"),
    [("w", 0, 4), ("2w", 0, 8), ("b", 6, 4), ("e", 0, 2), ("0", 6, 0), ("$", 0, 6), ("j", 1, 9), ("G", 0, 8),
     ("gg", 9, 0), ("k", 9, 1), ("l", 6, 6), ("h", 0, 0), ("3l", 0, 3)],
)  # fmt: skip
def test_a_motion_leads_where_it_leads_in_vim(keys: str, at: int, to: int) -> None:
    assert after(keys, "one two\nthree", at)[1] == to


@given(
    st.text(alphabet="hjklwbe0$GgdcyxXsSDCYpPrJuiaIAoO123\"'()[]{}⎋ab", max_size=30),
    st.text(alphabet='ab (\n"', max_size=20),
)
def test_no_keys_break_it(keys: str, text: str) -> None:
    changed, at, _ = after(keys, text)
    assert 0 <= at <= len(changed)


async def test_vim_in_the_message_box() -> None:
    async with running() as app:
        box = app.main.composer
        await app.pilot.press(*"/vim", "enter")
        await app.until(lambda: box.area.vim.on)
        await app.pilot.press(*"one two", "escape")
        await app.until(lambda: "❮" in app.screen_text())
        await app.pilot.press(*"bdw")
        assert box.draft == "one "
        await app.pilot.press("u")
        await app.until(lambda: box.draft == "one two")
        await app.pilot.press(*"ccthree", "enter")
        await app.until(lambda: app.told("submit") == ["three"])
        await app.until(lambda: "❯" in app.screen_text())
        await app.pilot.press("escape", *"/vi")
        assert box.draft == "/vi"


async def test_without_vim_esc_and_letters_mean_what_they_always_do() -> None:
    async with running() as app:
        await app.pilot.press("a", "escape", *"dd")
        assert app.main.composer.draft == "add"

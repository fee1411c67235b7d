"""Every row of the Esc and Ctrl+C ladders."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product

import pytest

from oi_tui.app.keymap import LADDERS, Keys, ctrl_c, escape

ALL_SET = Keys(**{one.name: True for one in fields(Keys)})
ROWS = [(key, number) for key, rows in LADDERS.items() for number in range(len(rows))]


@pytest.mark.parametrize(
    ("keys", "action"),
    [
        (Keys(), "nothing"),
        (Keys(draft=True), "nothing"),
        (Keys(popup_open=True, busy=True, draft=True), "close_popup"),
        (Keys(picker_open=True, busy=True), "close_picker"),
        (Keys(entry_open=True, approval_open=True, busy=True), "close_entry"),
        (Keys(focus_in_pane=True, approval_open=True, busy=True), "leave_pane"),
        (Keys(approval_open=True, busy=True, draft=True), "decline_and_stop"),
        (Keys(busy=True, draft=True), "interrupt"),
        (Keys(busy=True, interrupting=True), "interrupt"),
        (Keys(selection=True, quit_armed=True), "nothing"),
    ],
)
def test_escape(keys: Keys, action: str) -> None:
    assert escape(keys) == action


@pytest.mark.parametrize(
    ("keys", "action"),
    [
        (Keys(), "arm_quit"),
        (Keys(quit_armed=True), "quit"),
        (Keys(selection=True, draft=True, busy=True, quit_armed=True), "copy"),
        (Keys(picker_open=True, draft=True), "close_picker"),
        (Keys(entry_open=True, draft=True, busy=True), "close_entry"),
        (Keys(draft=True, busy=True, quit_armed=True), "clear_draft"),
        (Keys(busy=True), "interrupt"),
        (Keys(busy=True, approval_open=True), "interrupt"),
        (Keys(busy=True, interrupting=True), "interrupt_and_arm"),
        (Keys(busy=True, interrupting=True, quit_armed=True), "quit"),
    ],
)
def test_ctrl_c(keys: Keys, action: str) -> None:
    assert ctrl_c(keys) == action


@pytest.mark.parametrize(("key", "number"), ROWS)
def test_every_row_can_be_reached_and_names_real_fields(key: str, number: int) -> None:
    names, action = LADDERS[key][number]  # type: ignore[index]
    only = Keys(**dict.fromkeys(names, True))
    assert (escape if key == "escape" else ctrl_c)(only) == action


def test_no_state_leaves_a_key_without_meaning_and_esc_never_clears() -> None:
    names = [one.name for one in fields(Keys)]
    for values in product((False, True), repeat=len(names)):
        keys = replace(ALL_SET, **dict(zip(names, values, strict=True)))
        assert escape(keys) not in {"clear_draft", "quit", "arm_quit"}
        assert ctrl_c(keys) != "nothing"

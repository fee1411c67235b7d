"""What Esc and Ctrl+C do: two ladders, each a table read from the top. The first row that fits names the action.

Pure, so that a test can walk every row. The app asks `escape` or `ctrl_c` and carries the action out. Esc never touches
the draft.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

QUIT_SECONDS = 2.0  # how long the first Ctrl+C waits for the second
REWIND_SECONDS = 2.0  # how long the first Esc waits for the second

Key = Literal["escape", "ctrl+c"]
Action = Literal[
    "close_popup",
    "close_picker",
    "close_entry",
    "end_input",
    "leave_pane",
    "decline_and_stop",
    "interrupt",
    "interrupt_and_arm",
    "copy",
    "clear_draft",
    "arm_quit",
    "quit",
    "vim_normal",
    "rewind",
    "arm_rewind",
    "nothing",
]


@dataclass(frozen=True, slots=True)
class Keys:
    """What is so at the moment a key comes.

    picker_open: a picker, the palette or a page of text is over the screen. entry_open: the code of an approval is
    edited, or the reason of a no is written. input_open: the keyboard is in the line that types into a program.
    approval_open: an approval waits and takes keys. focus_in_pane: the
    keyboard is in a pane and not in the message box. vim_insert: it is in the message box, with vim keys, in insert
    mode. interrupting: the turn was told to stop and has not yet.
    quit_armed: a Ctrl+C came less than QUIT_SECONDS ago that would have quit. rewindable: nothing runs, nothing is
    written, and there are messages to go back to. rewind_armed: an Esc came less than REWIND_SECONDS ago that did
    nothing else.
    """

    popup_open: bool = False
    picker_open: bool = False
    entry_open: bool = False
    input_open: bool = False
    approval_open: bool = False
    focus_in_pane: bool = False
    vim_insert: bool = False
    busy: bool = False
    interrupting: bool = False
    draft: bool = False
    selection: bool = False
    quit_armed: bool = False
    rewindable: bool = False
    rewind_armed: bool = False


# (fields of Keys that must all be set, action). A row without fields always fits.
LADDERS: dict[Key, tuple[tuple[tuple[str, ...], Action], ...]] = {
    "escape": (
        (("picker_open",), "close_picker"),
        (("popup_open",), "close_popup"),
        (("entry_open",), "close_entry"),
        (("input_open",), "end_input"),
        (("focus_in_pane",), "leave_pane"),
        (("vim_insert",), "vim_normal"),
        (("approval_open",), "decline_and_stop"),
        (("busy",), "interrupt"),
        (("rewindable", "rewind_armed"), "rewind"),
        (("rewindable",), "arm_rewind"),
        ((), "nothing"),
    ),
    "ctrl+c": (
        (("selection",), "copy"),
        (("picker_open",), "close_picker"),
        (("entry_open",), "close_entry"),
        (("draft",), "clear_draft"),
        (("quit_armed",), "quit"),
        (("busy", "interrupting"), "interrupt_and_arm"),
        (("busy",), "interrupt"),
        ((), "arm_quit"),
    ),
}


def rung(key: Key, keys: Keys) -> Action:
    """The action of `key` while things are as `keys` says."""
    return next(action for fields, action in LADDERS[key] if all(getattr(keys, name) for name in fields))


def escape(keys: Keys) -> Action:
    """What Esc does now."""
    return rung("escape", keys)


def ctrl_c(keys: Keys) -> Action:
    """What Ctrl+C does now."""
    return rung("ctrl+c", keys)

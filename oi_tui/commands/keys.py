"""The keys of the full-screen app, as data for help. What they do is decided in `app/keymap.py` and the widgets."""

from __future__ import annotations

KEYS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "message box",
        (
            ("enter", "send; while a turn runs: steer it at its next step"),
            ("shift+enter, alt+enter, ctrl+j", "new line; so does a backslash before enter"),
            ("tab", "while a turn runs: queue for after it"),
            ("up, down", "earlier messages, at the edge of the box; on an empty box up takes the queued one back"),
            ("shift+tab", "plan mode on or off: the model plans, and changes nothing before you agree"),
            ("ctrl+v", "attach the picture on the clipboard, or paste what was copied here"),
            ("ctrl+r", "search what was written in this folder before"),
            ("ctrl+g", "write on in your own editor, $EDITOR"),
            ("@", "name a file of this folder"),
            ("$", "name a skill"),
            ("/ or %", "commands"),
            ("!", "run a shell line yourself"),
            ("/vim", "vim keys: esc for normal mode, i to write; tui.vim = true keeps them"),
            ("?", "this list, on an empty box"),
        ),
    ),
    (
        "approval",
        (
            ("y", "run once"),
            ("a", "run, and the same kind of thing for the rest of the session"),
            ("p", "run, and write a rule for it: the rule is shown first"),
            ("e", "edit the code, then decide again"),
            ("n", "no, and say why"),
            ("v", "show the whole code, or each file of a change; s: side by side; arrows and page keys move in it"),
            ("esc", "no, and stop the turn"),
        ),
    ),
    (
        "panes",
        (
            ("f2, f3, f4", "go to chat, code, console; again: zoom; in some terminals also ctrl+1, 2, 3"),
            ("f5", "answer what is asked, or back to the message box"),
            ("enter, esc", "where a program asks: type the line in, end its input"),
            ("up, down, enter", "in the chat: choose a block, open or close it"),
            (
                "y, c, o, r, s",
                "on the chosen block: copy it, copy its code, open that as code, run it, save it",
            ),
            ("left, right", "in the code: earlier and later blocks; c copies one"),
            ("ctrl+f", "in the chat and the console: search"),
        ),
    ),
    (
        "everywhere",
        (
            ("esc", "close what is open, then stop the turn"),
            ("esc esc", "go back to an earlier message, while nothing runs and nothing is written"),
            ("ctrl+c", "copy the selection, clear the box, stop the turn, twice to quit"),
            ("ctrl+d", "leave, on an empty box"),
            ("ctrl+p", "command palette"),
            ("ctrl+o", "copy the last answer"),
            ("ctrl+z", "back to the shell; fg returns"),
            ("ctrl+l", "paint the screen anew"),
            ("f1", "this list"),
        ),
    ),
)


def keys_text() -> str:
    """All keys as Markdown: a table for each place."""
    parts: list[str] = []
    for title, rows in KEYS:
        parts += [f"| {title} | |", "| --- | --- |"]
        parts += [f"| `{keys}` | {meaning} |" for keys, meaning in rows]
        parts.append("")
    return "\n".join(parts).rstrip()

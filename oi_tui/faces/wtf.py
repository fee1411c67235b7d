"""`oi wtf`: what went wrong with the last command of the shell, and what mends it. Nothing runs unapproved."""

from __future__ import annotations

import sys

from oi_tui.faces import shell_history
from oi_tui.settings import Loaded

_ASKED = """\
Something in my terminal went wrong. Say in two or three sentences what and why, then give the command that mends it \
in one fenced block, as I would type it. If you can mend it here, offer to run that; look at files first where it \
helps. Do nothing else."""
_UNSEEN = """
What it printed is not known. Where you need that, run the last command again, unless running it twice could do harm."""


def main(loaded: Loaded, question: str = "", *, clipboard: bool = False) -> int:
    """Ask the model about the last command, or what the person wants to know of it. Exit code as in plain mode."""
    from oi_tui.faces.plain import main as plain

    try:
        seen = _seen(clipboard)
    except ValueError as error:
        sys.stderr.write(f"oi: {error}\n")
        return 1
    name = shell_history.shell()
    said = shell_history.commands(name)
    if not (seen or said or question):
        sys.stderr.write(
            f"oi: there is nothing to explain: no text of the terminal, and no history of {name}\n"
            f"{_remedy(name)}, or pipe it: COMMAND 2>&1 | oi wtf\n"
        )
        return 1
    if loaded.settings.wtf.model:
        loaded.settings.model = loaded.settings.wtf.model
    return plain(loaded, prompt(question, seen, name, said), once=True)


def _remedy(name: str) -> str:
    if name == "bash":
        return "bash writes it when it ends; `history -a` writes it now"
    return "run it inside tmux, which can be read"


def _seen(clipboard: bool) -> str:
    """What was piped in, or copied, or stands on the terminal. Raises ValueError."""
    if clipboard:
        import pyperclip

        try:
            text = pyperclip.paste()
        except pyperclip.PyperclipException:
            raise ValueError("the clipboard cannot be read; on Linux install xclip or wl-clipboard") from None
        if not text.strip():
            raise ValueError("the clipboard is empty")
        return text[-shell_history.LONGEST :]
    if sys.stdin is not None and not sys.stdin.isatty():
        text = sys.stdin.read()[-shell_history.LONGEST :]
        if text.strip():
            if sys.stdout.isatty():
                shell_history.terminal_again()
            return text
    return shell_history.on_screen()


def prompt(question: str, seen: str, shell: str, said: list[str]) -> str:
    """What the model is told."""
    parts = [question or _ASKED + ("" if seen else _UNSEEN)]
    if seen:
        parts.append(f"The end of the terminal:\n<terminal>\n{seen}\n</terminal>")
        near = shell_history.around(seen)
        if near:
            parts.append(f"Around the line that the error names:\n<code>\n{near}\n</code>")
    if said:
        listed = "\n".join(said)
        parts.append(f"My last commands in {shell}, the newest last:\n<history>\n{listed}\n</history>")
    return "\n\n".join(parts)

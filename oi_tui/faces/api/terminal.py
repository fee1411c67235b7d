"""What a program's turn looks like in the terminal, and the questions asked there."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oi_tui.faces.api.program import Program

Chunks = Generator[dict[str, Any], None, None]
_QUOTES = '"""'
_LEAVE = {"exit", "exit()", "quit", "quit()", "%exit", "%quit", "/exit", "/quit"}


def converse(interpreter: Program) -> Chunks:
    """Talk with the person until they leave (an empty end of input, `exit`), as chunks of all turns."""
    sys.stdout.write("say what you want done; exit leaves\n")
    while True:
        try:
            said = _typed() if interpreter.multi_line else input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            sys.stdout.write("\n")
            return
        if said.lower() in _LEAVE:
            return
        if said.lower() in {"%reset", "/reset"}:
            interpreter.reset()
            continue
        if not said:
            continue
        try:
            yield from interpreter._streaming_chat(said, display=True)
        except KeyboardInterrupt:
            sys.stdout.write("\nstopped\n")
        except Exception as error:
            sys.stdout.write(f"{error}\n")


def _typed() -> str:
    """A line, or from three quotes on all lines to the next three. Raises EOFError."""
    lines = [input("> ")]
    if lines[0].count(_QUOTES) % 2:
        while _QUOTES not in (line := input(". ")):
            lines.append(line)
        lines.append(line)
    text = "\n".join(lines).strip()
    whole = text.startswith(_QUOTES) and text.endswith(_QUOTES) and text.count(_QUOTES) == 2
    return text.removeprefix(_QUOTES).removesuffix(_QUOTES).strip("\n") if whole else text


def displayed(interpreter: Program, chunks: Chunks) -> Chunks:
    """Show the chunks as they are taken, and ask the person before code runs."""
    view = _View(interpreter.plain_text_display or not sys.stdout.isatty())
    try:
        for chunk in chunks:
            view.show(chunk)
            if chunk.get("type") == "confirmation" and not _agrees(interpreter, chunk["content"]):
                break
            yield chunk
    finally:
        chunks.close()
        view.end()


def _agrees(interpreter: Program, asked: dict[str, Any]) -> bool:
    """Whether the person wants it to run; `e` lets them change it first."""
    for sentence in asked.get("findings") or _looked_at(interpreter, asked):
        sys.stdout.write(f"{sentence}\n")
    while True:
        try:
            answer = input(f"run this {asked['format']}? y = yes, n = no, e = edit: ").strip().lower()
        except EOFError:
            sys.stdout.write("\nnobody is here to agree; set auto_run to let code run\n")
            return False
        if answer in {"y", "yes"}:
            return True
        if answer in {"n", "no"}:
            return False
        if answer in {"e", "edit"}:
            edited = _edited(asked)
            for one in reversed(interpreter.messages):
                if one.get("type") == "code":
                    one["content"] = edited
                    break
            return True


def _looked_at(interpreter: Program, asked: dict[str, Any]) -> list[str]:
    """What safe mode found, where the person wants it to look first."""
    if interpreter.safe_mode != "ask":
        return []
    try:
        if input("check it with semgrep first? y = yes: ").strip().lower() not in {"y", "yes"}:
            return []
    except EOFError:
        return []
    from oi_tui.faces.api import loop
    from oi_tui.safety.scan import Order, scan

    more = interpreter.settings().safe_rules
    return loop.wait_for(scan(Order(str(asked["format"]), str(asked["content"]), more))).sentences()


def _edited(asked: dict[str, Any]) -> str:
    """The code as the person's editor leaves it."""
    import os
    import shlex
    import subprocess
    import tempfile
    from pathlib import Path

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"code.{asked['format']}"
        file.write_text(str(asked["content"]), encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(file)], check=False)
        except OSError as error:
            sys.stdout.write(f"{editor}: {error.strerror}; it stays as it is\n")
        return file.read_text(encoding="utf-8")


def show_markdown(text: str, plain: bool) -> None:
    """Markdown, rendered where the terminal can."""
    if plain or not sys.stdout.isatty():
        sys.stdout.write(text.rstrip("\n") + "\n")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))


def display_markdown_message(message: str) -> None:
    """The name that classic programs know for it."""
    show_markdown(message, plain=False)


class _View:
    """One turn in lines of text. plain: no colours and no rendering; controls in outputs never reach the terminal."""

    def __init__(self, plain: bool) -> None:
        self._plain = plain
        self._kind = ""
        self._said: list[str] = []

    def show(self, chunk: dict[str, Any]) -> None:
        """Take one chunk, flags included."""
        kind = str(chunk.get("type"))
        if chunk.get("start"):
            self._begin(kind, str(chunk.get("format", "")))
        elif chunk.get("end"):
            self.end()
        elif chunk.get("recipient") in {None, "user"} and isinstance(chunk.get("content"), str):
            self._piece(kind, chunk)

    def _begin(self, kind: str, form: str) -> None:
        self.end()
        self._kind = kind
        if kind == "code":
            sys.stdout.write(f"\n{form}\n")

    def _piece(self, kind: str, chunk: dict[str, Any]) -> None:
        text = str(chunk["content"])
        if kind == "message" and not self._plain:
            self._said.append(text)
        elif kind in {"message", "code"} or chunk.get("format") == "output":
            sys.stdout.write("".join(_harmless(text)))
            sys.stdout.flush()
        elif kind == "image":
            sys.stdout.write("[picture]\n")

    def end(self) -> None:
        """Finish what is begun."""
        if self._said:
            show_markdown("".join(self._said), plain=False)
            self._said.clear()
        elif self._kind in {"code", "message"}:
            sys.stdout.write("\n")
        self._kind = ""


def _harmless(text: str) -> Iterable[str]:
    """Text without what could move the cursor or dress up the screen."""
    return (one for one in text if one in "\n\t\r" or one.isprintable())

"""The message box in a real terminal: what arrives there byte by byte."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

ROOT = Path(__file__).parents[2]
FORTY = "".join(f"\tline {number}\n" if number != 7 else "\n" for number in range(40))


class Terminal:
    """The box in a terminal of its own, and what it has sent so far."""

    def __init__(self, file: Path) -> None:
        self.file = file
        environ = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
        self.child = pexpect.spawn(
            sys.executable, ["-m", "tests.app.composing", str(file)], env=environ, cwd=str(ROOT), dimensions=(30, 100)
        )
        self.child.delaybeforesend = None
        self.child.expect("❯".encode(), timeout=30)
        self._painted = time.monotonic()
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def _drain(self) -> None:
        try:
            while True:
                self.child.read_nonblocking(65_536, timeout=60)
                self._painted = time.monotonic()
        except (pexpect.EOF, pexpect.TIMEOUT, ValueError, OSError):
            pass

    def wait_until_still(self, seconds: float = 0.5) -> None:
        """Wait until all that was typed so far has arrived: nothing was painted for so long."""
        time.sleep(seconds)
        deadline = time.monotonic() + 20
        while (still := time.monotonic() - self._painted) < seconds and time.monotonic() < deadline:
            time.sleep(seconds - still)

    @property
    def sent(self) -> list[str]:
        whole, _, _ = self.file.read_text().rpartition("\n") if self.file.exists() else ("", "", "")
        return [json.loads(line) for line in whole.splitlines()]  # the last line may still be being written

    def until(self, count: int) -> list[str]:
        """All that was sent, once that is `count` texts or more."""
        deadline = time.monotonic() + 20
        while len(self.sent) < count and time.monotonic() < deadline and self.child.isalive():
            time.sleep(0.02)
        return self.sent

    def type(self, text: str | bytes, seconds: float = 0.0) -> None:
        """Send, either at once or key by key with `seconds` between them."""
        if not seconds:
            self.child.send(text)
            return
        for sign in text:
            self.child.send(str(sign))
            time.sleep(seconds)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path / "sent.jsonl")
    yield made
    made.child.close(force=True)


@pytest.mark.parametrize("line_end", ["\r", "\n"])
def test_an_unmarked_paste_is_one_message(terminal: Terminal, line_end: str) -> None:
    terminal.type(FORTY.replace("\n", line_end), 0.001)
    terminal.wait_until_still()  # a person looks at it before pressing Enter
    assert terminal.sent == []
    terminal.type("\r")
    assert terminal.until(1) == [FORTY]


def test_a_marked_paste_of_a_megabyte_is_sent_whole(terminal: Terminal) -> None:
    big = ("x" * 99 + "\n") * 10_486
    terminal.type("\x1b[200~" + big + "\x1b[201~")
    time.sleep(0.5)
    assert terminal.sent == []
    terminal.type("\r")
    assert terminal.until(1) == [big]


def test_alt_enter_without_the_kitty_protocol_is_a_new_line(terminal: Terminal) -> None:
    for keys in ("a", "\x1b\r", "b", "\r"):
        terminal.type(keys)
        time.sleep(0.15)
    assert terminal.until(1) == ["a\nb"]


def test_a_line_from_a_script_is_sent(terminal: Terminal) -> None:
    terminal.type("what is 2+2\r")
    assert terminal.until(1) == ["what is 2+2"]


def test_bytes_that_are_not_utf_8_do_not_end_the_program(terminal: Terminal) -> None:
    terminal.type(b"ok \xff\xfe \xed\xa0\x80 \x00 fin")
    time.sleep(0.3)
    terminal.type("\r")
    assert terminal.until(1) == ["ok \ufffd\ufffd \ufffd\ufffd\ufffd  fin"]
    terminal.type("still here\r")
    assert terminal.until(2)[1:] == ["still here"]

"""A screen of its own for a test (Xvfb), and a small window on it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SIZE = (1280, 800)
_WAIT = 60.0  # seconds


class Window:
    """The window of window.py. heard: what it told so far."""

    def __init__(self, display: str, left: int, top: int) -> None:
        self.left, self.top = left, top
        command = [sys.executable, str(Path(__file__).with_name("window.py")), str(left), str(top)]
        env = {**os.environ, "DISPLAY": display, "XAUTHORITY": os.devnull}
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE)
        os.set_blocking(self.process.stdout.fileno(), False)  # type: ignore[union-attr]
        self.heard: list[dict[str, Any]] = []
        self._rest = b""
        self.until(lambda one: one.get("ready"))

    def _take(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._rest += os.read(self.process.stdout.fileno(), 1 << 16)  # type: ignore[union-attr]
        *lines, self._rest = self._rest.split(b"\n")
        self.heard += [json.loads(one) for one in lines if one.startswith(b"{")]  # Xlib prints there, too

    def until(self, fits: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Wait until it has told something that fits."""
        deadline = time.monotonic() + _WAIT
        while True:
            self._take()
            for one in self.heard:
                if fits(one):
                    return one
            assert self.process.poll() is None, "the window is gone"
            assert time.monotonic() < deadline, f"it did not come; heard: {self.heard}"
            time.sleep(0.02)

    def has_text(self, text: str) -> None:
        """Wait until this was typed into it."""
        self.until(lambda one: one.get("text") == text)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()  # type: ignore[union-attr]


@pytest.fixture(scope="session")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed: apt install xvfb")
    read, write = os.pipe()
    process = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as stream:
        number = stream.readline().strip()
    assert number, "Xvfb did not start"
    yield f":{number}"
    process.terminate()
    process.wait()


@pytest.fixture
def display(_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a screen that this process, and what it starts, draws on. The mouse is in its middle."""
    monkeypatch.setenv("DISPLAY", _server)
    monkeypatch.setenv("XAUTHORITY", os.devnull)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    from Xlib.display import Display

    screen = Display(_server)
    screen.screen().root.warp_pointer(SIZE[0] // 2, SIZE[1] // 2)
    screen.sync()
    screen.close()
    return _server


@pytest.fixture
def window(display: str) -> Iterator[Window]:
    """The small window, at 300, 200."""
    made = Window(display, 300, 200)
    yield made
    made.close()


@pytest.fixture
def needs_tesseract() -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("tesseract is not installed: apt install tesseract-ocr")

"""Copying: what is used where, and that the words about it are true."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from oi_tui.app.clipboard import OSC52_BYTES, CopyFailed, copy


def test_over_ssh_the_terminal_is_asked_and_nothing_is_promised() -> None:
    sent: list[str] = []
    done = copy("häh", sent.append, {"SSH_CONNECTION": "1 2 3 4", "DISPLAY": ":0"})
    assert sent == ["häh"]
    assert not done.sure
    assert "OSC 52" in done.way


def test_without_any_way_it_says_what_to_do() -> None:
    with pytest.raises(CopyFailed) as failed:
        copy("x", None, {})
    assert failed.value.hint


def test_what_a_terminal_would_cut_is_not_sent() -> None:
    sent: list[str] = []
    with pytest.raises(CopyFailed, match="at once"):
        copy("x" * OSC52_BYTES, sent.append, {})
    assert sent == []


def _program(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text("#!/bin/sh\n" + script)
    file.chmod(0o755)


@pytest.fixture
def xclip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clipboard program that keeps its text in a file, on a desktop of its own."""
    import pyperclip

    kept = tmp_path / "clipboard"
    _program(tmp_path, "xclip", f'case "$*" in *-o*) cat {kept};; *) cat > {kept};; esac\n')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":0")
    copying, pasting = pyperclip.init_xclip_clipboard()
    monkeypatch.setattr(pyperclip, "copy", copying)
    monkeypatch.setattr(pyperclip, "paste", pasting)
    return kept


def test_on_a_desktop_the_clipboard_is_set_and_read_back(xclip: Path) -> None:
    done = copy("a\nb é", lambda text: pytest.fail("the terminal was asked"), {"DISPLAY": ":0"})
    assert done.sure
    assert xclip.read_text() == "a\nb é"


def test_a_clipboard_program_that_forgets_is_not_believed(xclip: Path) -> None:
    _program(xclip.parent, "xclip", 'case "$*" in *-o*) echo other;; *) cat > /dev/null;; esac\n')
    sent: list[str] = []
    done = copy("text", sent.append, {"DISPLAY": ":0"})
    assert sent == ["text"]
    assert not done.sure


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_in_tmux_its_buffer_is_set(tmp_path: Path) -> None:
    socket = tmp_path / "tmux"
    base = ["tmux", "-S", str(socket), "-f", "/dev/null"]
    subprocess.run([*base, "new-session", "-d", "sleep 60"], check=True)
    try:
        environ = {**os.environ, "TMUX": f"{socket},0,0"}
        environ.pop("DISPLAY", None)
        environ.pop("WAYLAND_DISPLAY", None)
        done = copy("over tmux\n", None, environ)
        shown = subprocess.run([*base, "show-buffer"], capture_output=True, text=True, check=True)
    finally:
        subprocess.run([*base, "kill-server"], check=False)
    assert done.sure
    assert "tmux" in done.way
    assert shown.stdout == "over tmux\n"

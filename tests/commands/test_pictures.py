"""/image: a picture by its path, or from the clipboard by the program of the place."""

# ruff: noqa: ASYNC240 - tests may wait for the disk
from __future__ import annotations

import base64
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from oi_tui.commands.base import CommandError
from oi_tui.commands.clipboard_picture import read
from oi_tui.commands.registry import Invocation, parse, run
from oi_tui.session.attached import marked
from tests.commands.hosting import Face


async def _typed(host: Face, line: str) -> None:
    parsed = parse(line)
    assert isinstance(parsed, Invocation), parsed
    await run(parsed, host)


@pytest.fixture
def png(tmp_path: Path) -> Path:
    file = tmp_path / "a b.png"
    Image.new("RGB", (3, 2), "blue").save(file)
    return file


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def _program(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text("#!/bin/sh\n" + script)
    file.chmod(0o755)


def _place(folder: Path, **more: str) -> dict[str, str]:
    return {"PATH": f"{folder}:/usr/bin:/bin", **more}


async def test_by_path(host: Face, png: Path) -> None:
    for written in (str(png), f"'{png}'"):
        await _typed(host, f"/image {written}")
        assert list(marked(host.attached, "/")) == [str(png)]


async def test_what_is_no_picture_is_said(host: Face) -> None:
    await _typed(host, "/image nothing.png")
    assert host.told[-1][:2] == ("error", "there is no picture nothing.png")


async def test_from_the_clipboard(host: Face, png: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(
        programs, "wl-paste", f'case "$*" in --list-types) echo text/plain image/png;; *image/png) cat "{png}";; esac'
    )
    for name, value in _place(programs, WAYLAND_DISPLAY="wayland-0").items():
        monkeypatch.setenv(name, value)
    await _typed(host, "/image")
    (path,) = marked(host.attached, "/")
    assert Path(path).expanduser().read_bytes() == png.read_bytes()


def test_every_clipboard_program(png: Path, programs: Path) -> None:
    _program(
        programs, "xclip", f'case "$*" in *TARGETS) echo TARGETS; echo image/png;; *-t\\ image/png) cat "{png}";; esac'
    )
    assert read(_place(programs, DISPLAY=":0")) == png.read_bytes()
    encoded = base64.b64encode(png.read_bytes()).decode()
    _program(programs, "powershell.exe", f"printf '{encoded}\\r\\n'")
    assert read(_place(programs)) == png.read_bytes()


@pytest.mark.parametrize("script", ["exit 1", "echo text/plain", ":"])
def test_a_clipboard_without_a_picture(programs: Path, script: str) -> None:
    for name, more in (("wl-paste", {"WAYLAND_DISPLAY": "w"}), ("xclip", {"DISPLAY": ":0"})):
        _program(programs, name, script)
        with pytest.raises(CommandError, match="no picture on the clipboard"):
            read(_place(programs, **more))


def test_without_a_program_it_says_what_to_do(programs: Path) -> None:
    with pytest.raises(CommandError) as refused:
        read({"PATH": str(programs)})
    assert "/image PATH" in refused.value.hint
    with pytest.raises(CommandError, match="over SSH"):
        read({"PATH": str(programs), "SSH_CONNECTION": "1 2 3 4"})


@pytest.fixture
def display() -> Iterator[dict[str, str]]:
    """The environment of an X server without a screen."""
    if not (shutil.which("Xvfb") and shutil.which("xclip")):
        pytest.skip("Xvfb and xclip are not installed")
    told, tells = os.pipe()
    command = ["Xvfb", "-displayfd", str(tells), "-screen", "0", "64x64x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(tells,), stderr=subprocess.DEVNULL) as server:
        os.close(tells)
        with os.fdopen(told) as answer:
            number = answer.readline().strip()
        yield {"PATH": os.environ["PATH"], "DISPLAY": f":{number}", "HOME": os.environ["HOME"]}
        server.terminate()


@pytest.mark.parametrize("kind", ["png", "jpeg"])
def test_from_a_real_clipboard(kind: str, display: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(CommandError):  # nothing was copied yet
        read(display)
    file = tmp_path / f"picture.{kind}"
    Image.new("RGB", (40, 30), "green").save(file)
    copy = ["xclip", "-selection", "clipboard", "-quiet", "-t"]
    with subprocess.Popen([*copy, f"image/{kind}", str(file)], env=display, stderr=subprocess.PIPE) as owner:
        assert owner.stderr is not None
        owner.stderr.readline()  # it says so once the clipboard is its own
        found = read(display)
        owner.terminate()
    assert found == file.read_bytes()
    with subprocess.Popen([*copy, "UTF8_STRING"], env=display, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as owner:
        assert owner.stdin is not None
        assert owner.stderr is not None
        owner.stdin.write(b"only words")
        owner.stdin.close()
        owner.stderr.readline()
        with pytest.raises(CommandError, match="there is no picture on the clipboard"):
            read(display)
        owner.terminate()

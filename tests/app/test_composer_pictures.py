"""Pictures in the message box: dropped files, a typed path that is offered, ctrl+v, marks that go as one."""

# ruff: noqa: ASYNC240 - tests may wait for the disk
from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from textual import events

from oi_tui.session.attached import mark
from tests.app.running import running


@pytest.fixture
def png(tmp_path: Path) -> Path:
    file = tmp_path / "a b.png"
    Image.new("RGB", (3, 2), "blue").save(file)
    return file


async def test_a_dropped_file_becomes_a_mark_that_goes_as_one(png: Path) -> None:
    async with running() as it:
        box = it.main.composer
        box.area.post_message(events.Paste(f"'{png}'"))
        await it.until(lambda: box.draft)
        assert box.draft == mark(png)
        await it.pilot.press("backspace")
        assert box.draft == ""


async def test_a_typed_path_is_offered_and_enter_sends_it_as_it_is(png: Path) -> None:
    plain = png.rename(png.with_name("p.png"))
    async with running() as it:
        box = it.main.composer
        for taken in (False, True):
            box.add(f"see {plain}")
            await it.until(lambda: box.completer.is_open)
            if taken:
                await it.calm()
                await it.pilot.press("tab")
                assert box.draft == f"see {mark(plain)}"
                assert not box.completer.is_open
            await it.calm()
            await it.pilot.press("enter")
            await it.until(lambda: not box.draft)
        assert it.told("submit") == [f"see {plain}", f"see {mark(plain)}"]


async def test_ctrl_v_takes_the_picture_of_the_clipboard(
    png: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "wl-paste"
    program.write_text(f'#!/bin/sh\ncase "$*" in --list-types) echo image/png;; *) cat "{png}";; esac\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("WAYLAND_DISPLAY", "w")
    async with running() as it:
        box = it.main.composer
        box.add("see")
        await it.pilot.press("ctrl+v")
        await it.until(lambda: "[image: " in box.draft)
        assert box.draft.startswith("see [image: ")
        box.load("")
        program.write_text("#!/bin/sh\nexit 1\n")
        it.app.copy_to_clipboard("copied in the app")
        await it.pilot.press("ctrl+v")
        await it.until(lambda: box.draft == "copied in the app")

"""Mouse, keyboard, display and clipboard on a real screen with a real window, from code in the Python kernel."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from tests.computer.conftest import Bench, eventually
from tests.computer.devices.conftest import SIZE, Window


@pytest.fixture
async def desk(display: str, tmp_path: Path) -> AsyncIterator[Bench]:
    """A computer whose code has a screen."""
    bench = Bench(Computer(str(tmp_path), python=sys.executable))
    yield bench
    await bench.computer.close()


@pytest.mark.usefixtures("needs_tesseract")
async def test_a_text_is_found_and_clicked_and_the_field_typed_into(desk: Bench, window: Window) -> None:
    ran = await desk.run("python", "computer.mouse.click('Save'); computer.mouse.position()")
    assert ran.result.ok, ran.text
    window.until(lambda one: one.get("button") == "Save" and one["with"] == 1)
    ran = await desk.run("python", "computer.mouse.right_click('Cancel')\ncomputer.keyboard.write('Hi Jörg ŵ €5!')")
    assert ran.result.ok, ran.text
    window.until(lambda one: one.get("button") == "Cancel" and one["with"] == 3)
    window.has_text("Hi Jörg ŵ €5!")
    ran = await desk.run("python", "computer.keyboard.press('enter'); computer.keyboard.hotkey('ctrl', 's')")
    window.has_text("Hi Jörg ŵ €5!\n")
    window.until(lambda one: one.get("keys") == ["ctrl", "s"])


@pytest.mark.usefixtures("needs_tesseract")
async def test_what_is_there_twice_is_not_guessed(desk: Bench, window: Window, display: str) -> None:
    second = Window(display, 300, 540)
    try:
        ran = await desk.run("python", "computer.mouse.click('Save')")
    finally:
        second.close()
    assert not ran.result.ok and "'Save' is there 2 times: give x and y of one of them: x=" in ran.text
    assert len(ran.of_type("image")) == 1  # where they are
    assert not any("button" in one for one in window.heard)
    ran = await desk.run("python", "computer.mouse.click('No such thing')")
    assert "ValueError: 'No such thing' is not on the screen" in ran.text


async def test_places_are_given_in_pixels(desk: Bench, window: Window) -> None:
    code = (
        f"computer.mouse.double_click(x={window.left + 100}, y={window.top + 80})\nprint(computer.mouse.position())\n"
        "computer.mouse.scroll(-2)\nprint(computer.display.width, computer.display.size(), computer.display.center())\n"
        "print(computer.os.get_active_window(), computer.display.info()[0]['width'])"
    )
    ran = await desk.run("python", code)
    assert f"({window.left + 100}, {window.top + 80})\n{SIZE[0]} {SIZE} {SIZE[0] // 2, SIZE[1] // 2}\n" in ran.text
    assert ran.text.endswith(f"Little Window {SIZE[0]}\n")
    window.until(lambda one: one.get("wheel") == 5)
    assert [one for one in window.heard if one.get("button")] == [{"button": "Save", "with": 1}] * 2


async def test_screenshots_are_shown_and_can_be_used(desk: Bench, window: Window, tmp_path: Path) -> None:
    ran = await desk.run("python", "p = computer.display.screenshot()\np.save('a.png'); p.save('a.jpg'); print(p.size)")
    assert ran.result.ok, ran.text
    assert len(ran.of_type("image")) == 1 and "(560, 320)" in ran.text  # of the window in front
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG" and (tmp_path / "a.jpg").read_bytes()[:2] == b"\xff\xd8"
    code = "p = computer.screenshot(show=False, active_app_only=False, quadrant=1)\nprint(p.size, p.getpixel((0, 0)))"
    ran = await desk.run("python", code)
    assert ran.text == "(640, 400) (0, 0, 0)\n" and not ran.of_type("image")
    ran = await desk.run("python", "computer.display.screenshot(screen=4)")
    assert "there is no screen 4; there are 1, counted from 0" in ran.text


@pytest.mark.usefixtures("needs_tesseract")
async def test_the_text_of_a_picture_is_read(desk: Bench, window: Window) -> None:
    ran = await desk.run("python", "computer.display.get_text_as_list_of_lists()")
    assert "'Save'" in ran.text and "'Cancel'" in ran.text
    ran = await desk.run("python", "computer.vision.ocr(pil_image=computer.screenshot(show=False))")
    assert "Save" in ran.text and "Cancel" in ran.text
    ran = await desk.run("python", "computer.display.find('\"Cancel\"')[0]['coordinates']")
    x, y = (float(one) for one in ran.text.strip("[]\n").split(","))
    assert abs(x * SIZE[0] - (window.left + 390)) < 30 and abs(y * SIZE[1] - (window.top + 75)) < 20


async def test_an_icon_is_found_by_its_picture(desk: Bench, window: Window) -> None:
    pytest.importorskip("cv2")
    left, top = window.left + 236, window.top + 246
    code = (
        "whole = computer.screenshot(show=False, active_app_only=False).image\n"
        f"whole.crop(({left}, {top}, {left + 58}, {top + 58})).save('icon.png')\n"
        "computer.mouse.click(icon='icon.png')"
    )
    ran = await desk.run("python", code)
    assert ran.result.ok, ran.text
    found = window.until(lambda one: "at" in one)
    assert abs(found["at"][0] - 265) <= 2 and abs(found["at"][1] - 275) <= 2


async def test_the_clipboard(desk: Bench) -> None:
    if shutil.which("xclip") is None:
        pytest.skip("xclip is not installed")
    ran = await desk.run("python", "computer.clipboard.copy('héllo\\n2'); computer.clipboard.view()")
    assert ran.text == "'héllo\\n2'\n"
    assert desk.computer.in_background() == []  # what keeps the clipboard is no program that a block left


async def test_a_device_that_works_can_be_interrupted(desk: Bench, window: Window) -> None:
    task = await desk.start(
        "python", "print('now', flush=True)\ncomputer.keyboard.write('x' * 500, interval=0.2)", "now"
    )
    window.has_text("xx")
    await desk.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and "KeyboardInterrupt" in ran.text
    ran = await desk.run("python", "1 + 1; computer.mouse.position()")
    assert ran.result.ok and ran.text.startswith("(")


async def test_the_corner_stops_it(desk: Bench) -> None:
    ran = await desk.run("python", "computer.mouse.move(x=0, y=0)\ncomputer.mouse.click()")
    assert not ran.result.ok and "top left corner of the screen: the person stopped this" in ran.text


async def test_the_devices_come_back_after_their_process_has_died(desk: Bench) -> None:
    await desk.run("python", "computer.mouse.position()")
    child = desk.computer.devices()._child  # pyright: ignore[reportPrivateUsage]
    assert child is not None
    os.kill(child.pid, 9)
    await eventually(lambda: desk.computer.devices()._child is None)  # pyright: ignore[reportPrivateUsage]
    assert (await desk.run("python", "computer.mouse.position()")).result.ok


async def test_without_a_screen_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    bench = Bench(Computer(str(tmp_path), python=sys.executable))
    for call in ("mouse.click('a')", "keyboard.write('a')", "display.screenshot()", "display.find('\"a\"')"):
        ran = await bench.run("python", f"computer.{call}")
        assert ran.text.endswith(
            "DISPLAY is not set; run it in a desktop session, or without one under `xvfb-run -a`\n"
        )
        assert ran.text.count("File") == 1  # of the person's own line alone
    await bench.computer.close()
    monkeypatch.setenv("DISPLAY", ":64999")
    bench = Bench(Computer(str(tmp_path), python=sys.executable))
    assert "the screen :64999 cannot be reached" in (await bench.run("python", "computer.mouse.position()")).text
    assert "the screen :64999 cannot be reached" in (await bench.run("python", "computer.display.screenshot()")).text
    monkeypatch.delenv("DISPLAY")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    await bench.computer.close()
    bench = Bench(Computer(str(tmp_path), python=sys.executable))
    assert "a Wayland session cannot be" in (await bench.run("python", "computer.mouse.position()")).text
    await bench.computer.close()

"""OS mode on a real screen: a model clicks a window and types into it; the person sees, is asked, can stop it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from oi_tui.models.computer_versions import version_for
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import ApprovalRequested, CallStarted, Notice, TurnEnded
from oi_tui.protocol.lmc import message
from oi_tui.session.os_mode import budget
from tests.computer.devices.conftest import SIZE, Window, _server, display, window  # noqa: F401 - fixtures
from tests.mock_model import MockModel, call, say
from tests.user_reports.in_process import Live


def _tool(request: dict[str, Any]) -> dict[str, Any]:
    return next(one for one in request["tools"] if "computer" in (one.get("name"), one.get("function", {}).get("name")))


async def test_any_model_that_sees_gets_the_tool_and_each_action_is_asked_about(window: Window) -> None:  # noqa: F811
    script = [
        call("computer", {"action": "screenshot"}),
        call("computer", {"action": "left_click", "coordinate": [window.left + 100, window.top + 80]}),
        call("computer", {"action": "type", "text": "Grüße 1"}),
        call("computer", {"action": "key", "text": "ctrl+s"}),
        say("Saved."),
    ]
    with MockModel(script) as mock:
        async with Live(mock, model="gpt-4o", approval_policy="ask", os_mode=True) as live:
            live.session.submit("save it")
            asked = await live.until(ApprovalRequested, seconds=60)  # looking is not asked about
            assert (
                asked.what == f"left click at {window.left + 100}, {window.top + 80}"
                and "acts on your screen" in asked.why
            )
            assert len(live.all_of(CallStarted)) == 1
            live.approve(asked)
            asked = await live.until(ApprovalRequested, seconds=60)
            assert asked.what == "type 'Grüße 1'"
            live.session.answer(asked.approval_id, Decision("approve_session", asked.code))
            assert (await live.until(TurnEnded, seconds=90)).reason == "done"
        window.until(lambda one: one.get("button") == "Save")
        window.has_text("Grüße 1")
        window.until(lambda one: one.get("keys") == ["ctrl", "s"])
        assert f"{SIZE[0]} x {SIZE[1]} pixels" in _tool(mock.requests[0])["function"]["description"]
        assert "image_url" in str(mock.requests[-1]["messages"])


async def test_claude_gets_its_own_tool_with_the_header_for_it(window: Window) -> None:  # noqa: F811
    script = [
        call("computer", {"action": "double_click", "coordinate": [window.left + 390, window.top + 80]}),
        call("computer", {"action": "left_click_drag", "start_coordinate": [350, 460], "coordinate": [400, 480]}),
        call(
            "computer", {"action": "scroll", "scroll_direction": "down", "scroll_amount": 2, "coordinate": [400, 480]}
        ),
        call("computer", {"action": "left_click", "coordinate": [5000, 1]}),
        call("computer", {"action": "mouse_move", "coordinate": [0, 0]}),
        call("computer", {"action": "cursor_position"}),
        call("computer", {"action": "zoom", "region": [0, 0, 64, 40]}),
        say("Done."),
    ]
    with MockModel(script) as mock:
        async with Live(mock, model="anthropic/claude-sonnet-4-5", os_mode=True) as live:
            assert (await live.turn(seconds=110)).reason == "done"
        assert _tool(mock.requests[0]) == {
            "type": "computer_20250124", "name": "computer", "display_width_px": SIZE[0], "display_height_px": SIZE[1]
        }  # fmt: skip
        assert mock.headers[0]["anthropic-beta"] == "computer-use-2025-01-24"
        window.until(lambda one: one.get("released") == [100, 280])
        window.until(lambda one: one.get("wheel") == 5)
        assert len([one for one in window.heard if one.get("button") == "Cancel"]) == 2
        told = str(mock.requests[-1]["messages"])
        assert "(5000, 1) is outside of the screen, whose picture is 1280 x 800" in told
        assert "the top left corner is where the person stops you" in told and "X=400,Y=480" in told
        results = [one for one in mock.requests[-1]["messages"] if one["role"] == "user"]
        assert results[1]["content"][0]["content"][-1]["source"]["media_type"] == "image/png"


@pytest.mark.parametrize("how", ["corner", "keys"])
async def test_the_person_stops_it_at_once(window: Window, display: str, how: str) -> None:  # noqa: F811
    script = [call("computer", {"action": "type", "text": "x" * 3000}), say("never")]
    with MockModel(script) as mock:
        async with Live(mock, model="gpt-4o", os_mode=True) as live:
            live.session.submit("type a lot")
            await asyncio.to_thread(window.has_text, "xxxx")
            if how == "corner":
                _move(display, 0, 0)
            else:
                _press(display, "Control_L", "Alt_L", "q")
            ended = await live.until(TurnEnded, seconds=60)
            assert ended.reason == "interrupted"
            said = "top left corner" if how == "corner" else "ctrl+alt+q"
            assert any(said in one.text for one in live.all_of(Notice))
            _move(display, *[one // 2 for one in SIZE])
        assert len(mock.requests) == 1
        assert not any(len(one.get("text", "")) > 2500 for one in window.heard)


async def test_without_a_screen_the_turn_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with MockModel([]) as mock:
        async with Live(mock, model="gpt-4o", os_mode=True) as live:
            ended = await live.turn()
        assert ended.reason == "failed" and ended.text.startswith(
            "OS mode cannot begin: there is no screen here: DISPLAY"
        )
        assert mock.requests == []


def test_old_screenshots_go_several_at_a_time() -> None:
    def kept(count: int) -> int:
        return min(count, budget([message("computer", "image", "", "base64.png")] * count, 10))

    assert [kept(one) for one in (1, 10, 11, 15, 16, 20, 21)] == [1, 10, 6, 10, 6, 10, 6]
    assert budget([message("computer", "image", "", "base64.png")] * 9, 1) == 1


def test_the_version_of_the_tool_is_the_models() -> None:
    wanted = {
        "claude-3-5-sonnet-20241022": "computer_20241022", "claude-3-7-sonnet-20250219": "computer_20250124",
        "claude-sonnet-4-20250514": "computer_20250124", "claude-opus-4-1": "computer_20250124",
        "claude-opus-4-5-20251101": "computer_20251124", "claude-sonnet-4-6": "computer_20251124", "gpt-4o": "",
    }  # fmt: skip
    assert {name: version_for(name) for name in wanted} == wanted


def _move(name: str, x: int, y: int) -> None:
    from Xlib.display import Display

    screen = Display(name)
    screen.screen().root.warp_pointer(x, y)
    screen.sync()
    screen.close()


def _press(name: str, *keys: str) -> None:
    import time

    from Xlib import XK, X
    from Xlib.display import Display
    from Xlib.ext.xtest import fake_input

    screen = Display(name)
    codes = [screen.keysym_to_keycode(XK.string_to_keysym(one)) for one in keys]
    for code in codes:
        fake_input(screen, X.KeyPress, code)
    screen.sync()
    time.sleep(0.5)  # as long as a hand on a slow machine
    for code in codes:
        fake_input(screen, X.KeyRelease, code)
    screen.sync()
    screen.close()

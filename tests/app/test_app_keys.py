"""Keys in the running app: the ladders, steering and queueing, panes, tabs, commands."""

from pathlib import Path

import pytest

from oi_tui.protocol import events as ev
from screenshots import scripted
from tests.app.running import running


async def test_enter_sends_and_the_box_is_empty_again() -> None:
    async with running() as app:
        await app.pilot.press(*"hi there", "enter")
        await app.settle()
        assert app.told("submit") == ["hi there"]
        assert app.main.composer.draft == ""
        assert "hi there" in app.screen_text()


async def test_what_is_sent_before_the_session_is_there_is_not_lost() -> None:
    async with running(first_message="plot sales") as app:
        assert app.told("submit") == ["plot sales"]


async def test_while_it_works_enter_steers_and_tab_queues_and_up_takes_back() -> None:
    async with running([ev.TurnStarted(1)]) as app:
        assert "enter steer · tab queue" in app.screen_text()
        await app.pilot.press(*"one", "enter")
        await app.until(lambda: app.told("submit") == ["one"])
        for text in ("two", "three"):
            app.main.composer.load(text)
            await app.calm()
            await app.pilot.press("tab")
            await app.until(lambda sent=text: sent in app.told("queue"))
        await app.settle()
        assert app.told("submit") == ["one"]
        assert app.told("queue") == ["two", "three"]
        assert "2 waiting · ↑ takes it back" in app.screen_text()
        await app.pilot.press("up")
        await app.settle()
        assert app.main.composer.draft == "three"
        assert "1 waiting" in app.screen_text()


async def test_the_window_title_says_that_it_works_or_waits() -> None:
    async with running() as app:
        attention = app.app.attention
        assert attention._title.startswith("oi · ")
        await app.play(*scripted.looked())
        assert attention._title.startswith("works · oi · ")
        await app.play(scripted.request())
        assert attention._title.startswith("waits for you · oi · ")
        await app.armed()
        await app.pilot.press("escape")
        await app.until(lambda: attention._title.startswith("oi · "))


async def test_esc_closes_the_popup_then_stops_the_turn_and_keeps_the_draft() -> None:
    async with running([ev.TurnStarted(1)]) as app:
        await app.pilot.press("/")
        assert app.main.composer.completer.is_open
        await app.pilot.press("escape")
        assert not app.main.composer.completer.is_open
        assert app.told("interrupt") == []
        await app.pilot.press("escape")
        assert app.told("interrupt") == [None]
        assert app.main.composer.draft == "/"


async def test_esc_when_nothing_runs_does_nothing() -> None:
    async with running() as app:
        await app.pilot.press(*"draft", "escape", "escape")
        assert app.main.composer.draft == "draft"
        assert app.session.told == [("prewarm", None)]


async def test_ctrl_c_clears_then_stops_then_quits_on_the_second() -> None:
    async with running([ev.TurnStarted(1)]) as app:
        await app.pilot.press(*"draft", "ctrl+c")
        assert app.main.composer.draft == ""
        assert app.told("interrupt") == []
        await app.pilot.press("ctrl+c")
        await app.settle()
        assert app.told("interrupt") == [None]
        await app.pilot.press("ctrl+c")
        assert "ctrl+c again quits" in app.screen_text()
        assert not app.session.closed
        await app.pilot.press("ctrl+c")
        await app.until(lambda: app.session.closed)
        assert app.app.return_code == 0


async def test_a_cleared_draft_comes_back_with_up() -> None:
    async with running() as app:
        await app.pilot.press(*"a long thought", "ctrl+c", "up")
        assert app.main.composer.draft == "a long thought"


async def test_ctrl_d_on_an_empty_box_leaves() -> None:
    async with running() as app:
        await app.pilot.press("ctrl+d")
        await app.until(lambda: app.session.closed)


async def test_question_mark_on_an_empty_box_shows_every_key() -> None:
    async with running() as app:
        await app.pilot.press("question_mark")
        await app.until(lambda: "approval" in app.screen_text())
        assert "run once" in app.screen_text()
        await app.pilot.press("escape")
        assert app.app.screen is app.main


async def test_typing_in_a_pane_goes_to_the_message_box() -> None:
    async with running(scripted.done()) as app:
        await app.pilot.press("f2")
        assert app.main.chat.view.has_focus
        await app.pilot.press(*"more")
        assert app.main.composer.draft == "more"
        assert app.main.composer.area.has_focus


async def test_function_keys_focus_and_zoom_panes() -> None:
    async with running(scripted.done()) as app:
        await app.pilot.press("f3")
        assert app.main.code.code_view.has_focus
        assert "plot sales per month" in app.screen_text()
        await app.pilot.press("f3")
        assert "plot sales per month" not in app.screen_text()
        await app.pilot.press("f3")
        assert "plot sales per month" in app.screen_text()
        await app.pilot.press("f4")
        assert app.main.console.console_view.has_focus
        await app.pilot.press("f5")
        assert app.main.composer.area.has_focus


async def test_arrows_in_the_code_pane_turn_to_other_blocks_and_their_output() -> None:
    async with running(scripted.done()) as app:
        assert "418,200" in app.screen_text()
        await app.pilot.press("f3", "left")
        await app.until(lambda: "cell 1 of 2" in app.screen_text())
        await app.until(lambda: "datetime64[ns]" in app.screen_text())
        await app.pilot.press("right")
        await app.until(lambda: "cell 2 of 2" in app.screen_text())
        await app.until(lambda: "2026-11    418,200" in app.screen_text())


async def test_narrow_shows_one_pane_that_follows_the_action() -> None:
    async with running(scripted.looked(), size=(80, 24)) as app:
        assert "Dates parse cleanly" in app.screen_text()
        await app.play(ev.CodeStarted("c3", "python"), ev.CodeDelta("c3", "print(3)\n"))
        assert "print(3)" in app.screen_text()
        assert "Dates parse cleanly" not in app.screen_text()
        await app.play(
            ev.CodeEnded("c3", "python", "print(3)"), ev.CallStarted("c3"), ev.ConsoleOutput("c3", "three\n")
        )
        assert "three" in app.screen_text()
        assert "print(3)" not in app.screen_text()
        await app.play(ev.CallEnded("c3", True, "ok", 0.1), ev.MessageDelta("It is three."))
        assert "It is three." in app.screen_text()


async def test_a_tab_that_was_chosen_stays_and_the_others_tell_their_news() -> None:
    async with running(scripted.looked(), size=(80, 24)) as app:
        await app.pilot.press("f4")
        await app.play(ev.MessageDelta("Something new."))
        assert "Something new." not in app.screen_text()
        assert "chat•" in app.screen_text()
        await app.pilot.press("f2")
        assert "Something new." in app.screen_text()
        assert "chat•" not in app.screen_text()


@pytest.mark.parametrize("size", [(40, 12), (59, 16), (60, 20), (80, 24), (109, 30), (110, 30), (200, 60)])
async def test_every_size_shows_the_question_its_keys_and_the_message_box(size: tuple[int, int]) -> None:
    async with running(scripted.asking(), size=size) as app:
        await app.armed()
        text = app.screen_text()
        assert "Run this Python?" in text
        assert "y\u00a0run" in text
        assert "esc\u00a0stop" in text
        assert "❯" in text
        assert "import pandas as pd" in text


async def test_resizing_keeps_everything() -> None:
    async with running(scripted.done()) as app:
        for size in ((60, 20), (130, 40), (45, 12), (110, 30)):
            await app.pilot.resize_terminal(*size)
            await app.settle()
        assert "plot sales per month" in app.screen_text()
        assert "2026-11    418,200" in app.screen_text()


async def test_the_palette_runs_a_command() -> None:
    async with running(scripted.done()) as app:
        await app.pilot.press("ctrl+p", *"/theme oi-light", "enter")
        await app.until(lambda: app.app.theme == "oi-light")
        assert app.app.screen is app.main


async def test_the_theme_picker_previews_and_takes_back() -> None:
    async with running(scripted.done()) as app:
        app.main.composer.load("/theme")
        await app.pilot.press("enter")
        await app.until(lambda: app.app.screen is not app.main)
        await app.pilot.press("down")
        await app.until(lambda: app.app.theme != "oi-dark")
        await app.pilot.press("escape")
        await app.until(lambda: app.app.theme == "oi-dark")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/harness native", ("use_harness", "native")),
        ("/approval read-only", ("use_approval", "read-only")),
        ("/effort high", ("use_effort", "high")),
        ("%undo", ("undo", "ask")),
        ("%reset", ("reset", None)),
        ("!ls -l", ("run_shell", "ls -l")),
    ],
)
async def test_commands_reach_the_session(line: str, told: tuple[str, str | None]) -> None:
    async with running(scripted.done()) as app:
        app.session.messages.append({"role": "user", "type": "message", "content": "x"})
        app.main.composer.load(line)
        await app.pilot.press("enter")
        await app.until(lambda: told in app.session.told)
        assert app.told("submit") == []


async def test_an_unknown_command_names_the_nearest_and_gives_the_line_back() -> None:
    async with running() as app:
        app.main.composer.load("/modle")
        await app.pilot.press("escape", "enter")
        await app.until(lambda: "there is no command /modle" in app.screen_text())
        assert "/model" in app.screen_text()
        assert app.main.composer.draft == "/modle"
        assert app.told("submit") == []


async def test_reset_brings_the_first_screen_back() -> None:
    async with running(scripted.done()) as app:
        app.main.composer.load("%reset")
        await app.pilot.press("enter")
        await app.until(lambda: "say what you want done" in app.screen_text())
        assert "plot sales" not in app.screen_text()


async def test_a_failed_turn_says_cause_and_next_step() -> None:
    async with running(scripted.failed()) as app:
        assert "the provider refused the key (401)" in app.screen_text()
        assert "/model" in app.screen_text()


async def test_a_session_that_cannot_start_says_why() -> None:
    from oi_tui.app.app import OiApp

    def broken() -> scripted.ScriptedSession:
        raise ValueError("the folder is gone")

    app = OiApp(broken, motion=False)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.pause()
        assert [item.text for item in app.main.routing.transcript.items] == [  # type: ignore[union-attr]
            "the session could not start: the folder is gone"
        ]


async def test_model_text_is_never_read_as_markup() -> None:
    text = "[red]x[/red] [link=https://e.example]y[/link] [@click=app.quit]z[/]"
    async with running(
        [
            ev.UserMessage(text),
            ev.TurnStarted(1),
            ev.MessageDelta(text),
            ev.ToolCalled("c1", "read", f"read {text}", "{}"),
            ev.CallEnded("c1", False, text, 0.1, note=text),
            ev.RequestStarted("[bold]model[/]"),
            ev.Notice("warning", text, text),
        ]
    ) as app:
        shown = app.screen_text()
        assert shown.count("[red]x[/red]") >= 4
        assert "waiting for [bold]model[/]" in shown


async def test_leaving_declines_and_closes_the_session() -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        app.app.leave(143)
        await app.until(lambda: app.session.closed)
        assert app.app.return_code == 143
        assert all(decision.kind != "approve" for _, decision in app.decisions)


async def test_drafts_survive_a_crash_free_exit(isolated: Path) -> None:
    async with running() as app:
        await app.pilot.press(*"half a thought")
    async with running() as app:
        await app.pilot.press("up")
        assert app.main.composer.draft == "half a thought"

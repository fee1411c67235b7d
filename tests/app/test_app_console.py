"""The console pane in the app: searching what was printed, and what it shows when the history is another one."""

from oi_tui.app.panes.cells import head
from oi_tui.protocol import events as ev
from oi_tui.protocol.transcript import CodeItem, Transcript
from screenshots import scripted
from tests.app.running import running

PRINTED = "".join(f"row {number}{' needle' if number % 40 == 0 else ''}\n" for number in range(200))


def printed() -> list[ev.Event]:
    return [
        ev.CodeStarted("c1", "python"),
        ev.CodeEnded("c1", "python", "print()"),
        ev.CallStarted("c1"),
        ev.ConsoleOutput("c1", PRINTED),
        ev.CallEnded("c1", True, "ok", 0.1),
    ]


async def test_ctrl_f_in_the_console_searches() -> None:
    async with running(printed()) as app:
        view = app.main.console.console_view
        await app.pilot.press("f4", "ctrl+f", *"needle")
        await app.until(lambda: view.found is not None and view.found[1] == 0)
        await app.pilot.press("enter")
        await app.until(lambda: view.found is not None and view.found[1] == 40)
        await app.pilot.press("down", "down", "up")
        await app.until(lambda: view.found is not None and view.found[1] == 80)
        assert "row 80 needle" in app.screen_text()
        await app.pilot.press("s")
        await app.until(lambda: "not found" in app.screen_text())
        await app.pilot.press("escape")
        assert not app.main.console.searching
        assert view.has_focus
        await app.pilot.press("escape")
        assert app.main.composer.area.has_focus
        assert app.main.composer.draft == ""


async def test_another_history_shows_the_output_of_its_last_block_and_no_old_numbers() -> None:
    async with running([*printed(), scripted.usage()]) as app:
        assert "34% full" in app.screen_text()
        app.session.messages.extend(
            [
                {"role": "user", "type": "message", "content": "go"},
                {"role": "assistant", "type": "code", "format": "python", "content": "print(7 * 6)"},
                {"role": "computer", "type": "console", "format": "output", "content": "42\n"},
            ]
        )
        app.app.history_changed()
        await app.settle()
        assert "42" in app.screen_text()
        assert "console  cell 1" in app.screen_text()
        assert "% full" not in app.screen_text()


def test_a_call_that_was_stopped_says_so_once_and_its_time_stays_whole() -> None:
    transcript = Transcript()
    for event in (
        *printed()[:3],
        ev.ConsoleOutput("c1", "Traceback\nKeyboardInterrupt\n"),
        ev.CallEnded("c1", False, "interrupted", 3.1),
    ):
        transcript.apply(event)
    item = transcript.call("c1")
    assert isinstance(item, CodeItem)
    assert head(item).text.endswith("interrupted   3.1\u00a0s")


def test_why_a_call_failed_is_cut_at_a_word() -> None:
    transcript = Transcript()
    for event in (
        *printed()[:3],
        ev.ConsoleOutput("c1", "ValueError: " + "too long, " * 40 + "\n"),
        ev.CallEnded("c1", False, "failed", 0.1),
    ):
        transcript.apply(event)
    item = transcript.call("c1")
    assert isinstance(item, CodeItem)
    why = head(item).text.partition("failed: ")[2].partition("   ")[0]
    assert why.endswith(("too long…", "too…"))
    assert 100 < len(why) <= 120


async def test_where_the_output_is_the_answer_it_stays_in_sight() -> None:
    asked = [ev.UserMessage("count"), ev.TurnStarted(1), ev.RequestStarted("m")]
    async with running([*asked, *printed(), ev.TurnEnded("done")], size=(80, 24)) as app:
        assert "row 199" in app.screen_text()
    spoken = [ev.MessageDelta("There are 200 rows."), ev.MessageEnded()]
    async with running([*asked, *printed(), *spoken, ev.TurnEnded("done")], size=(80, 24)) as app:
        assert "There are 200 rows." in app.screen_text()
        assert "row 199" not in app.screen_text()

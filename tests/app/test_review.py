"""A change on the whole screen: several files one by one, old and new side by side."""

from __future__ import annotations

from oi_tui.app.panes.diff_lines import diff_rows
from oi_tui.app.panes.split_diff import pairs
from oi_tui.app.screens.review import Review, changed_files
from screenshots import scripted
from tests.app.running import Running, running


async def reviewing(app: Running) -> Review:
    await app.armed()
    await app.pilot.press("v")
    await app.until(lambda: isinstance(app.app.screen, Review))
    screen = app.app.screen
    assert isinstance(screen, Review)
    return screen


def test_files_of_a_diff_and_what_looks_like_a_head_in_it() -> None:
    files = changed_files(scripted.MANY)
    assert [(one.path, one.added, one.removed) for one in files] == [
        ("report/build.py", 2, 1),
        ("report/load.py", 1, 2),
        ("tests/test_load.py", 2, 0),
    ]
    tricky = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- old note\n+-- new note\n select 1\n"
    assert [(one.path, one.added, one.removed) for one in changed_files(tricky)] == [("x.sql", 1, 1)]
    assert changed_files("no diff at all") == []


def test_what_stands_beside_what() -> None:
    shown = [
        (old.line.text.strip() if old else "", new.line.text.strip() if new else "")
        for old, new in pairs(diff_rows(scripted.DIFF))
    ]
    assert shown[2:] == [
        ("frame = pd.read_csv(path)", "frame = pd.read_csv(path)"),
        ("frame = frame.dropna()", 'frame["date"] = pd.to_datetime(frame["date"])'),
        ("", 'frame = frame.dropna(subset=["revenue"])'),
        ("return frame", "return frame"),
    ]


async def test_v_shows_every_file_and_y_allows_exactly_that_change() -> None:
    async with running(scripted.changing_many()) as app:
        await app.armed()
        assert "review\u00a03\u00a0files" in app.screen_text()
        await reviewing(app)
        await app.until(lambda: "return frame" in app.screen_text())
        await app.pilot.press("down")
        await app.until(lambda: "import numpy as np" in app.screen_text())
        assert "2 of 3" in app.screen_text()
        await app.pilot.press("y")
        await app.until(lambda: app.decisions)
        (name, decision), *more = app.decisions
        assert (name, decision.kind, decision.code, more) == ("a1", "approve", scripted.MANY, [])


async def test_n_asks_for_the_reason_and_esc_goes_back_to_the_question() -> None:
    async with running(scripted.changing_many()) as app:
        await reviewing(app)
        await app.pilot.press("escape")
        await app.until(lambda: app.app.screen is app.main)
        assert app.decisions == []
        await reviewing(app)
        await app.pilot.press("n")
        await app.until(lambda: app.main.approval.asks_reason)
        await app.pilot.press(*"leave tests", "enter")
        await app.until(lambda: app.decisions)
        assert (app.decisions[0][1].kind, app.decisions[0][1].reason) == ("reject", "leave tests")


async def test_a_request_that_is_withdrawn_meanwhile_is_not_answered() -> None:
    from oi_tui.protocol import events as ev

    async with running(scripted.changing_many()) as app:
        await reviewing(app)
        await app.play(ev.ApprovalResolved("a1", "c1", "cancelled"))
        await app.pilot.press("y")
        await app.until(lambda: app.app.screen is app.main)
        assert app.decisions == []


async def test_side_by_side_where_there_is_room_and_by_s() -> None:
    async with running(scripted.changing_many(), size=(150, 30)) as app:
        screen = await reviewing(app)
        await app.until(lambda: app.screen_text().count("return frame") == 2)
        await app.pilot.press("s")
        await app.until(lambda: app.screen_text().count("return frame") == 1)
        assert not screen.is_split
    async with running(scripted.changing_many(), size=(80, 24)) as app:
        await reviewing(app)
        await app.until(lambda: app.screen_text().count("return frame") == 1)
        assert "tests/test_load.py" in app.screen_text()


async def test_a_single_change_is_side_by_side_once_it_has_the_room() -> None:
    async with running(scripted.changing()) as app:
        await app.armed()
        assert app.screen_text().count("return frame") == 1
        await app.pilot.press("v")
        await app.until(lambda: app.screen_text().count("return frame") == 2)

"""What can be done with a block of the chat, the search in it, and its links."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from oi_tui.app import outside
from oi_tui.app.panes.sources import code_of, runnable, saved_as, source_of
from oi_tui.protocol import events as ev
from oi_tui.protocol.items import Growing
from oi_tui.protocol.transcript import CodeItem, MessageItem, UserItem
from screenshots import scripted
from tests.app.running import Running, running

FENCED = "Try this:\n\n```python\nprint('[bold]')\n```\n\nor\n\n````sh\necho ```\n````\n"


async def choose(app: Running, words: str) -> None:
    """Go to the block whose text has these words."""
    await app.pilot.press("f2")
    view = app.main.chat.view
    for _ in range(30):
        if view.cursor is not None and (item := app.main.chat.chosen) and words in source_of(item):
            return
        await app.pilot.press("up")
    raise AssertionError(f"no block with {words!r}")


def message(text: str) -> MessageItem:
    return MessageItem("m1", Growing(text), open=False)


def test_the_code_of_a_text_is_its_last_fence_whatever_the_fence_is_made_of() -> None:
    code = code_of(message(FENCED))
    assert code is not None and (code.language, code.text, code.ending) == ("sh", "echo ```\n", "sh")
    assert code_of(message("no code")) is None
    assert runnable(message("```diff\n-a\n```")) is None
    assert runnable(message("```python\nunfinished")) is not None
    assert saved_as(message(FENCED)) == ("answer", "md")
    assert saved_as(CodeItem("i", "c", language="python", body=Growing("1"))) == ("cell", "py")
    assert saved_as(UserItem("u", "hello")) == ("answer", "txt")


async def test_letters_act_on_the_chosen_block_and_are_text_without_one() -> None:
    seen: list[str] = []
    async with running([ev.MessageDelta(FENCED), ev.MessageEnded()]) as app:
        app.app.host.copy = _kept(seen)  # type: ignore[method-assign]
        await app.pilot.press("f2", "y")
        assert app.main.composer.draft == "y"
        await app.pilot.press("ctrl+c")
        await choose(app, "Try this")
        assert "copy code" in app.screen_text()
        await app.pilot.press("y")
        await app.until(lambda: seen)
        assert seen == [FENCED]
        await app.pilot.press("c")
        await app.until(lambda: len(seen) == 2)
        assert seen[1] == "echo ```\n"
        assert app.main.composer.draft == ""
        await app.pilot.press("escape")
        assert app.main.composer.area.has_focus


def _kept(seen: list[str]) -> object:
    async def copy(text: str) -> str:
        seen.append(text)
        return "for the test"

    return copy


async def test_a_block_runs_again_only_at_the_second_press() -> None:
    async with running(scripted.done()) as app:
        await choose(app, "df.dtypes")
        await app.pilot.press("r")
        await app.until(lambda: "r again runs this line of python" in app.screen_text())
        assert app.told("run_python") == []
        await app.pilot.press("r")
        await app.until(lambda: app.told("run_python") == ["df.dtypes"])


async def test_what_cannot_run_says_so() -> None:
    async with running(scripted.done()) as app:
        await choose(app, "peaked in")
        await app.pilot.press("r")
        await app.until(lambda: "nothing in this block that could run" in app.screen_text())
        await app.pilot.press("c")
        await app.until(lambda: "there is no code to copy" in app.screen_text())


async def test_code_of_a_text_opens_in_the_code_pane() -> None:
    async with running([ev.MessageDelta(FENCED), ev.MessageEnded()]) as app:
        await choose(app, "Try this")
        await app.pilot.press("o")
        await app.until(lambda: app.main.code.code_view.code == "echo ```")


async def test_a_block_is_saved_beside_what_is_there(tmp_path: Path) -> None:
    async with running(scripted.done()) as app:
        app.session.cwd = str(tmp_path)
        (tmp_path / "cell-1.py").write_text("mine")
        await choose(app, "df.dtypes")
        await app.pilot.press("s")
        await app.until(lambda: "saved to cell-2.py" in app.screen_text())
        assert (tmp_path / "cell-2.py").read_text() == "df.dtypes\n"
        assert (tmp_path / "cell-1.py").read_text() == "mine"


async def test_c_in_the_code_pane_copies_and_other_letters_begin_a_message() -> None:
    seen: list[str] = []
    async with running(scripted.done()) as app:
        app.app.host.copy = _kept(seen)  # type: ignore[method-assign]
        await app.pilot.press("f3", "c")
        await app.until(lambda: seen == [scripted.CODE])
        await app.pilot.press("x")
        assert app.main.composer.draft == "x"


async def test_search_finds_what_is_folded_and_far_away_and_goes_round() -> None:
    script = [
        *scripted.done(),
        *(part for n in range(60) for part in (ev.MessageDelta(f"filler {n}"), ev.MessageEnded())),
    ]
    async with running(script) as app:
        await app.pilot.press("f2", "ctrl+f")
        assert app.main.chat.searching
        await app.pilot.press(*"datetime64")
        await app.until(lambda: "datetime64[ns]" in app.screen_text().split("console")[0])
        await app.pilot.press(*("backspace",) * 10, *"filler 5")
        await app.until(lambda: "filler 59" in app.screen_text())
        await app.pilot.press(*("enter",) * 11)
        await app.until(lambda: "filler 5\n" in app.screen_text().replace(" " * 4, "\n"))
        await app.pilot.press(*"zzz")
        await app.until(lambda: "not found in this chat" in app.screen_text())
        await app.pilot.press("escape")
        assert not app.main.chat.searching
        assert app.main.chat.view.has_focus


async def test_a_link_goes_to_the_browser_or_else_to_the_clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: not opened.append(address))
    assert not outside.browse("file:///etc/passwd", {"DISPLAY": ":0"})
    assert not outside.browse("https://example.org", {"DISPLAY": ":0", "SSH_CONNECTION": "x"})
    assert not outside.browse("https://example.org", {})
    assert opened == []
    assert outside.browse("https://example.org", {"DISPLAY": ":0"})
    assert opened == ["https://example.org"]
    monkeypatch.delenv("DISPLAY", raising=False)
    async with running([ev.MessageDelta("See [the page](https://example.org/a)."), ev.MessageEnded()]) as app:
        app.app.host.copy = _kept(seen)  # type: ignore[method-assign]
        row = next(y for y, line in enumerate(app.screen_text().splitlines()) if "the page" in line)
        column = app.screen_text().splitlines()[row].index("the page")
        await app.pilot.click(offset=(column + 1, row))
        await app.until(lambda: seen == ["https://example.org/a"])


def test_the_editor_is_the_persons_own(tmp_path: Path) -> None:
    program = tmp_path / "ed"
    program.write_text("#!/bin/sh\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert outside.editor_of({"EDITOR": f"{program} -w", "PATH": ""}) == [str(program), "-w"]
    assert outside.editor_of({"VISUAL": str(program), "EDITOR": "other"}) == [str(program)]
    for broken in ({"EDITOR": "'open", "PATH": ""}, {"EDITOR": "missing", "PATH": ""}, {"PATH": ""}):
        with pytest.raises(outside.CommandError):
            outside.editor_of(broken)

"""Pictures that a person puts into a message: the marks, what counts as a picture, what the model is sent of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oi_tui.protocol.events import Notice, TurnEnded, UserMessage
from oi_tui.protocol.replay import replay
from oi_tui.session.attached import NotAPicture, dropped, look, mark, marked, offered
from tests.mock_model import MockModel, say
from tests.user_reports.in_process import Live


def picture(file: Path, colour: str = "red", size: tuple[int, int] = (8, 8), mode: str = "RGB") -> Path:
    Image.new("RGB", size, colour).convert(mode).save(file)
    return file


@pytest.mark.parametrize("name", ["a.png", "a b.png", "[1] a].png", "plot (2).PNG", "größe.jpg", "x.tiff"])
def test_a_mark_names_its_file(tmp_path: Path, name: str) -> None:
    file = picture(tmp_path / name)
    assert list(marked(f"see {mark(file)} and [image: no", "/")) == [str(file)]


def test_a_mark_below_the_home_folder_is_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = picture(tmp_path / "a.png")
    assert mark(file) == "[image: ~/a.png]"
    assert look("~/a.png", "/") == file


def test_marks_of_the_same_picture_count_once_and_of_none_are_named(tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    assert list(marked("[image: a.png] [image: a.png] [image: b.png] [image: ]", str(tmp_path))) == ["a.png", "b.png"]


@pytest.mark.parametrize("mode", ["CMYK", "L", "RGB"])
def test_every_kind_that_can_be_read_is_a_picture(tmp_path: Path, mode: str) -> None:
    file = picture(tmp_path / "a.tiff", mode=mode)
    assert look("a.tiff", str(tmp_path)) == file


def test_what_is_no_picture_is_told_why(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("not a picture")
    (tmp_path / "empty.png").touch()
    (tmp_path / "folder.png").mkdir()
    with (tmp_path / "huge.png").open("wb") as huge:
        huge.truncate(200_000_000)
    said = {"text.png": "is not a picture", "empty.png": "is not a picture", "folder.png": "is a folder"}
    said |= {"huge.png": "more than 100 MB", "none.png": "there is no picture", "a\0b": "there is no picture"}
    for name, words in {**said, "x" * 5000: "there is no picture", "~nobody-here/a.png": "there is no"}.items():
        with pytest.raises(NotAPicture) as refused:
            look(name, str(tmp_path))
        assert words in str(refused.value) or "cannot be read" in str(refused.value)


def test_files_dropped_on_the_terminal(tmp_path: Path) -> None:
    one, two = picture(tmp_path / "a b.png"), picture(tmp_path / "c.jpg")
    spaced = str(one).replace(" ", "\\ ")
    for pasted in (str(one), f"'{one}'", f'"{one}" ', spaced, one.as_uri(), f"{spaced}\n"):
        assert dropped(pasted, "/") == mark(one), pasted
    assert dropped(f"{spaced} {two}", "/") == f"{mark(one)} {mark(two)}"
    (tmp_path / "x.txt").touch()
    for other in ("", "c", "it's", f"{two} please", str(tmp_path / "x.txt"), "http://h/c.jpg", "a\0.png", "none.png"):
        assert dropped(other, str(tmp_path)) == "", other


def test_a_path_at_the_end_of_a_draft_is_offered(tmp_path: Path) -> None:
    file, spaced = picture(tmp_path / "a.png"), picture(tmp_path / "b c.png")
    here = str(tmp_path)
    assert offered("what is in a.png", here) == (f"what is in {mark(file)}", "a.png")
    assert offered("what is in a.png?", here) == (f"what is in {mark(file)}?", "a.png")
    assert offered("see 'b c.png'", here) == (f"see {mark(spaced)}", "b c.png")
    assert offered("see b\\ c.png", here) == (f"see {mark(spaced)}", "b c.png")
    for draft in ("a.png is", "see nothing.png", f"see {mark(file)}", "", "a.png, then b"):
        assert offered(draft, here) is None, draft


def test_a_long_draft_is_looked_at_quickly(tmp_path: Path) -> None:
    assert offered("\\a" * 200_000, str(tmp_path)) is None  # backtracking would never end


async def _talk(live: Live, text: str) -> None:
    live.session.submit(text)
    await live.until(TurnEnded)


def _pictures(body: dict[str, Any]) -> list[str]:
    parts = [part for one in body["messages"] if isinstance(one["content"], list) for part in one["content"]]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


async def test_the_model_sees_it_as_it_was_said(tmp_path: Path) -> None:
    file = picture(tmp_path / "a.png")
    with MockModel([say("red"), say("still red")]) as mock:
        live = Live(mock)
        live.settings.llm.supports_vision = True
        async with live:
            await _talk(live, f"what colour? {mark(file)}")
            file.unlink()
            await _talk(live, "and now?")
            messages = list(live.session.messages)
            shown = [one.text for one in replay(messages) if isinstance(one, UserMessage)]
            assert live.session.undo().said == "and now?"
            assert live.session.undo().said.startswith("what colour?")
            assert live.session.messages == []
    first, second = (_pictures(one) for one in mock.requests)
    assert len(first) == 1
    assert first == second
    assert shown == [f"what colour? {mark(file)}", "and now?"]
    assert not [one for one in live.seen if isinstance(one, Notice)]


async def test_a_model_that_cannot_see_is_told_and_so_is_the_person(tmp_path: Path) -> None:
    with MockModel([say("I see nothing"), say("no")]) as mock:
        live = Live(mock)
        live.settings.llm.supports_vision = False
        async with live:
            await _talk(live, f"what colour? {mark(picture(tmp_path / 'a.png'))}")
            await _talk(live, "and now?")
    assert "8x8" in str(mock.requests[0]["messages"])
    assert _pictures(mock.requests[0]) == []
    (told,) = [one for one in live.seen if isinstance(one, Notice)]
    assert "cannot see" in told.text


async def test_a_picture_that_is_gone_does_not_stop_the_message() -> None:
    with MockModel([say("which one?")]) as mock:
        async with Live(mock) as live:
            await _talk(live, "look [image: /nowhere/a.png]")
    assert mock.requests[0]["messages"][-1]["content"] == "look [image: /nowhere/a.png]"
    (told,) = [one for one in live.seen if isinstance(one, Notice)]
    assert "/nowhere/a.png" in told.text

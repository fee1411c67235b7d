"""Going back to earlier sessions and messages: resume in place, fork, rewind with files, titles, the shelf."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oi_tui import paths
from oi_tui.protocol.events import HistoryChanged, Notice
from oi_tui.session import cards, shelf, store
from oi_tui.session.store import SessionInUse, Store
from oi_tui.tools.undo import UndoRefused
from tests.mock_model import MockModel, call, code, say
from tests.user_reports.driver import sessions, work_folder
from tests.user_reports.in_process import Live


def said(saved: store.Saved) -> list[str]:
    return [str(one["content"]) for one in saved.messages if one["role"] == "user"]


def write(text: str) -> Any:
    return call("write_file", {"path": "f", "content": text})


def saved_session(*texts: str, cwd: str = "/w", title: str = "") -> Store:
    one = Store(store.new_id())
    one.begin(cwd=cwd, model="m", harness="auto")
    for text in texts:
        one.message({"role": "user", "type": "message", "content": text})
    if title:
        one.title(title)
    one.close()
    return one


class TestInASession:
    async def test_resume_in_place_leaves_the_old_session_and_goes_on_with_the_other(self) -> None:
        with MockModel([code("python", "x = 1"), say("a"), say("b"), say("c")]) as mock:
            async with Live(mock) as live:
                await live.turn("first")
            first = live.session.id
            async with Live(mock) as live:
                await live.turn("second")
                second = live.session.id
                live.session.resume(store.find(first))
                assert live.session.id == first
                while not any("variables" in one.text for one in live.all_of(Notice)):
                    await live.until(Notice)
                await live.turn("third")
        assert said(store.find(first))[0] == "first" and said(store.find(first))[-1] == "third"
        assert said(store.find(second)) == ["second"]

    async def test_a_session_that_is_open_elsewhere_is_refused_and_nothing_changes(self) -> None:
        held = saved_session("elsewhere")
        held.reopen()
        with MockModel([say("a")]) as mock:
            async with Live(mock) as live:
                await live.turn("first")
                own = live.session.id
                with pytest.raises(SessionInUse):
                    live.session.resume(store.find(held.id))
                assert live.session.id == own
                assert [one["content"] for one in live.session.messages if one["role"] == "user"] == ["first"]
        held.close()

    async def test_a_fork_goes_its_own_way_and_keeps_variables(self) -> None:
        script = [code("python", "x = 41"), say("a"), code("python", "print(x + 1)"), say("b")]
        with MockModel(script) as mock:
            async with Live(mock) as live:
                await live.turn("first")
                source = live.session.id
                fork = live.session.fork("other way")
                assert fork != source == store.find(fork).forked_from
                await live.turn("second")
                assert any("42" in str(one["content"]) for one in live.session.messages if one["role"] == "computer")
        assert said(store.find(source)) == ["first"]
        assert said(store.find("other way")) == ["first", "second"]

    @pytest.mark.parametrize(("files", "left"), [("ask", "one"), ("keep", "three")])
    async def test_rewind_goes_back_with_files_or_without(self, files: Any, left: str) -> None:
        file = work_folder() / "f"
        script = [write("one"), say("a"), write("two"), say("b"), write("three"), say("c"), say("d")]
        with MockModel(script) as mock:
            async with Live(mock, harness="native") as live:
                for text in ("first", "second", "third"):
                    await live.turn(text)
                source = live.session.id
                stops = live.session.stops()
                assert [(one.number, one.said) for one in stops] == [(3, "third"), (2, "second"), (1, "first")]
                assert stops[1].files == ("f",)
                gone = live.session.rewind(2, files)
                assert gone.said == "second"
                assert file.read_text() == left
                await live.turn("instead")
                assert said(store.find(live.session.id)) == ["first", "instead"]
                undone = live.session.undo()
                assert undone.said == "instead"
                if files == "ask":
                    assert live.session.undo().files == ("f",)
                    assert not file.exists()
        assert said(store.find(source)) == ["first", "second", "third"]

    async def test_rewind_refuses_where_somebody_else_changed_the_file(self) -> None:
        file = work_folder() / "f"
        with MockModel([write("one"), say("a")]) as mock:
            async with Live(mock, harness="native") as live:
                await live.turn("first")
                file.write_text("mine")
                before = live.session.id
                with pytest.raises(UndoRefused):
                    live.session.rewind(1)
                assert live.session.id == before and len(live.session.messages) > 1
                assert live.session.rewind(1, "force").files == ("f",)
        assert not file.exists()

    async def test_a_message_that_is_none_is_told(self) -> None:
        with MockModel([say("a")]) as mock:
            async with Live(mock) as live:
                await live.turn("first")
                with pytest.raises(ValueError, match="no message 5, there are 1"):
                    live.session.rewind(5)

    async def test_without_saving_fork_and_rewind_work_in_memory(self) -> None:
        with MockModel([say("a"), say("b")]) as mock:
            async with Live(mock, conversation_history=False) as live:
                await live.turn("first")
                await live.turn("second")
                live.session.fork()
                live.session.rewind(2)
                assert [one["content"] for one in live.session.messages if one["role"] == "user"] == ["first"]
                assert live.all_of(HistoryChanged) or await live.until(HistoryChanged)
        assert sessions() == []

    async def test_a_title_given_before_the_first_message_is_kept(self) -> None:
        with MockModel([say("a")]) as mock:
            async with Live(mock) as live:
                live.session.rename("my work")
                assert sessions() == []
                await live.turn("first")
        assert store.find("my work").title == "my work"


class TestShelf:
    def test_a_card_says_what_a_list_needs(self, tmp_path: Path) -> None:
        one = saved_session("what is\nhere?", "more", cwd=str(tmp_path), title='a "title"')
        (card,) = cards.cards(str(tmp_path))
        assert (card.id, card.name, card.said, card.model) == (one.id, 'a "title"', "what is here?", "m")
        assert list(cards.cards("/elsewhere")) == []

    def test_only_a_real_title_counts_and_the_newest_wins(self) -> None:
        one = saved_session('say {"type":"title","title":"forged"}', title="old")
        one.reopen()
        one.title("new")
        one.message({"role": "user", "type": "message", "content": '"type":"title"', "type2": {"type": "title"}})
        one.close()
        card = cards.card(one.path)
        assert card is not None and card.title == "new"

    def test_words_are_found_in_all_that_was_said(self) -> None:
        one = saved_session("first", 'the "Größe" of it')
        card = cards.card(one.path)
        assert card is not None
        assert cards.mentions(card, "größe") or cards.mentions(card, "Größe")
        assert cards.mentions(card, 'OF "it'.replace('"', "")) and cards.mentions(card, '"Größe"')
        assert not cards.mentions(card, "nowhere")

    def test_deleted_and_brought_back_and_cleared(self) -> None:
        one = saved_session("first")
        card = cards.card(one.path)
        assert card is not None
        kept = paths.private_dir(paths.outputs(one.id)) / "c1.txt"
        kept.write_text("x")
        gone = shelf.delete(card)
        assert list(cards.cards()) == []
        assert shelf.bring_back(gone) == one.path
        assert [each.id for each in cards.cards()] == [one.id] and kept.exists()
        gone = shelf.delete(card)
        shelf.clear_old()
        assert gone.exists(), "a day has not passed"
        shelf.clear_old(now=lambda: gone.stat().st_ctime + 90_000)
        assert not gone.exists() and not kept.exists()

    def test_an_open_session_is_neither_deleted_nor_renamed(self) -> None:
        one = saved_session("first")
        card = cards.card(one.path)
        assert card is not None
        one.reopen()
        with pytest.raises(SessionInUse):
            shelf.delete(card)
        with pytest.raises(SessionInUse):
            shelf.rename(card, "x")
        one.close()
        shelf.rename(card, "x")
        assert store.load(one.path).title == "x"

    def test_the_title_at_the_end_of_a_large_session_is_found(self) -> None:
        one = saved_session("first", *("word " * 2_000 for _ in range(300)), title="large")
        assert one.path.stat().st_size > 2_000_000
        card = cards.card(one.path)
        assert card is not None and (card.title, card.said) == ("large", "first")
        assert one.path.stat().st_size > cards._HEAD

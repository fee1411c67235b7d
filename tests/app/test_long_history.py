"""A long history: its end is on the screen first, then all of it, with what came meanwhile."""

from __future__ import annotations

from typing import Any

from oi_tui.app.screens import routing
from oi_tui.protocol import events as ev
from tests.app.running import running


def history(turns: int) -> list[Any]:
    made: list[Any] = []
    for number in range(turns):
        call = {"id": f"k{number}", "name": "run", "arguments": "{}"}
        made += [
            {"role": "user", "type": "message", "content": f"question {number}"},
            {"role": "assistant", "type": "code", "format": "python", "content": f"print({number})", "call": call},
            {"role": "computer", "type": "console", "format": "output", "content": f"{number}\n", "call": call},
            {"role": "assistant", "type": "message", "content": f"answer {number}"},
        ]
    return made


def test_the_end_begins_with_a_message_of_the_person() -> None:
    messages = history(300)
    first = routing.first_of_tail(messages)
    assert 0 < len(messages) - first <= routing.TAIL + 4
    assert messages[first]["content"] == f"question {first // 4}"
    assert routing.first_of_tail(messages[: routing.LONG - 1]) == 0


async def test_the_end_comes_first_and_nothing_is_lost_or_told_twice() -> None:
    async with running() as one:
        main, read_all = one.main, []
        main.later = read_all.append  # type: ignore[method-assign]
        one.session.messages = history(300)
        one.session.play(ev.HistoryChanged(), ev.Notice("info", "the variables are gone"))
        await one.settle()
        assert "answer 299" in one.screen_text()
        assert "the variables are gone" in one.screen_text()
        assert main.code.sheets.current is not None and main.code.sheets.current.number == 300
        few = len(main.chat.view.blocks)
        assert few < 200
        await one.play(ev.UserMessage("and now?"))
        read_all[0]()
        await one.settle()
        assert len(main.chat.view.blocks) == 900 + 2
        text = one.screen_text()
        assert text.count("and now?") == 1 and text.count("the variables are gone") == 1
        assert main.code.sheets.cells == len(main.code.sheets.pages) == 300
        await one.play(ev.MessageDelta("well"), ev.MessageEnded())
        assert "well" in one.screen_text()


async def test_it_is_read_whole_by_itself() -> None:
    async with running() as one:
        one.session.messages = history(300)
        await one.play(ev.HistoryChanged())
        await one.until(lambda: len(one.main.chat.view.blocks) == 900)
        assert one.main.chat.view.following

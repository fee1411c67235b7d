"""The main job by keyboard: ask, see the code, press y, read the answer."""

from __future__ import annotations

import pytest

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, answer, code, say, wait

_JOB = [
    answer(wait(0.6), say("I will compute it.\n"), code("python", "print(2380 * 3875)")),
    say("The product is 9222500."),
]


def test_wide_everything_is_on_the_screen_at_once() -> None:
    with MockModel(_JOB) as mock, Terminal(mock, size=(130, 36)) as term:
        term.say("what is 2380*3875?")
        term.wait_for(lambda: "what is 2380*3875?" in "\n".join(term.lines()[:20]), 5)
        assert "I will compute it." not in term.text(), "what was said has to be shown before any answer comes"
        term.asked()
        assert "print(2380 * 3875)" in term.text()
        assert "9222500" not in term.text()
        term.answer("y")
        term.wait_for("The product is 9222500.")
        term.idle()
        shown = term.text()
        assert "what is 2380*3875?" in shown
        assert "print(2380 * 3875)" in shown
        assert shown.count("9222500") >= 2, "in the console and in the answer"
        assert len(mock.requests) == 2


@pytest.mark.parametrize("size", [(90, 24), (50, 16)])
def test_narrow_the_panes_follow_what_happens(size: tuple[int, int]) -> None:
    with MockModel(_JOB) as mock, Terminal(mock, size=size) as term:
        term.say("what is 2380*3875?")
        term.asked()
        assert "print(2380 * 3875)" in term.text()
        term.answer("y")
        term.wait_for("The product is 9222500.")
        term.press("f3")
        term.wait_for("print(2380 * 3875)")
        term.press("f4")
        term.wait_for(lambda: "9222500" in term.text() and "The product" not in term.text())
        term.press("f2")
        term.wait_for("what is 2380*3875?")

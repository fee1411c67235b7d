"""What an append costs must not grow with what is above it. Counted in Python calls, which no busy machine changes."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from textual.app import App, ComposeResult

from oi_tui.app.widgets.blocks import model
from oi_tui.app.widgets.console import ConsoleView
from oi_tui.app.widgets.lines import LineView
from oi_tui.app.widgets.transcript import Transcript
from tests.benchmarks.content import fence, items, prose, table

SOURCES = {"prose": prose(40_000), "fence": fence(1_200), "list": items(300), "table": table(400)}


class TwoViews(App[None]):
    """A transcript and a console."""

    def compose(self) -> ComposeResult:
        yield Transcript()
        yield ConsoleView()


class Calls:
    """Counts calls of functions while it is entered."""

    def __init__(self) -> None:
        self.count = 0

    def _event(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            self.count += 1

    def __enter__(self) -> Calls:
        sys.setprofile(self._event)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)


def paint(view: LineView) -> None:
    view._arrange()
    view.render_lines(view.size.region)


@pytest.mark.parametrize("name", sorted(SOURCES))
async def test_streaming_costs_the_same_at_the_end(name: str) -> None:
    source = SOURCES[name]
    costs: list[int] = []
    app = TwoViews()
    async with app.run_test(size=(100, 60)) as pilot:
        view = app.query_one(Transcript)
        await pilot.pause()
        block = view.add(model())
        for place in range(0, len(source), 100):
            with Calls() as calls:
                block.append(source[place : place + 100])
                paint(view)
            costs.append(calls.count)
    quarter = len(costs) // 4
    assert sum(costs[-quarter:]) <= 1.3 * sum(costs[quarter : 2 * quarter])


async def test_output_costs_the_same_at_the_end() -> None:
    costs: list[int] = []
    app = TwoViews()
    async with app.run_test(size=(100, 60)) as pilot:
        view = app.query_one(ConsoleView)
        await pilot.pause()
        for number in range(0, 6_000, 30):
            with Calls() as calls:
                view.append("".join(f"line {line} \x1b[32mok\x1b[0m\n" for line in range(number, number + 30)))
                paint(view)
            costs.append(calls.count)
    quarter = len(costs) // 4
    assert sum(costs[-quarter:]) <= 1.3 * sum(costs[quarter : 2 * quarter])


async def test_an_append_below_ten_thousand_blocks_costs_what_it_costs_below_ten() -> None:
    costs: list[int] = []
    for count in (10, 10_000):
        app = TwoViews()
        async with app.run_test(size=(100, 60)) as pilot:
            view = app.query_one(Transcript)
            view.add_all(model("some words " * 20) for _ in range(count))
            await pilot.pause()
            block = view.add(model())
            paint(view)
            with Calls() as calls:
                for _ in range(20):
                    block.append("a few words more ")
                    paint(view)
            costs.append(calls.count)
    assert costs[1] <= 1.3 * costs[0]

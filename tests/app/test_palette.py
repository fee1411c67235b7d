"""The command palette is the registry, searched."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oi_tui.app.palette import deep_rows, palette, rows, wants_more
from oi_tui.commands.registry import ALL, Invocation, parse
from tests.app.picking import Stage
from tests.commands.hosting import Face, face


@pytest.fixture
async def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Face]:
    monkeypatch.setenv("INTERPRETER_HOME", str(tmp_path / "home"))
    made = face(tmp_path)
    yield made
    await made.session.close()


async def test_it_lists_what_can_be_used_now(host: Face) -> None:
    listed = {one.value for one in rows(host)}
    assert listed == {one.title for one in ALL if not one.unavailable(host)}
    assert "/undo" not in listed
    assert "/model" in listed


async def test_every_row_is_a_line_that_runs(host: Face) -> None:
    for one in [*rows(host), *deep_rows(host)]:
        assert isinstance(parse(one.value), Invocation)


async def test_searching_finds_a_choice_of_a_command(host: Face) -> None:
    app = Stage(palette(host))
    async with app.run_test() as pilot:
        await pilot.press(*"oi-light", "enter")
        await pilot.pause()
        assert app.results == ["/theme oi-light"]


def test_what_lacks_an_argument_goes_to_the_message_box() -> None:
    assert not wants_more("/model")
    assert not wants_more("/quit")

"""Programs that ask, as a session has it: a request by id, an answer, and what the model and the disk get of it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from oi_tui.protocol.events import CallEnded, InputGiven, InputRequested, TurnEnded
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import output, results
from tests.user_reports.in_process import Live

PASSWORD = "correct-horse-77"


def files_with(text: str) -> list[Path]:
    """Files of the home folder that hold `text`."""
    home = Path(os.environ["INTERPRETER_HOME"])
    return [one for one in home.rglob("*") if one.is_file() and text.encode() in one.read_bytes()]


async def test_a_line_and_a_password() -> None:
    asks = "name = input('Name? ')\nimport getpass\np = getpass.getpass()\nprint(name, len(p))"
    with MockModel([code("python", asks), say("fine")]) as mock:
        async with Live(mock) as live:
            live.session.take_input()
            live.session.submit("go")
            first = await live.until(InputRequested)
            assert (first.prompt, first.secret) == ("Name? ", False)
            live.session.type_in(first.input_id, "Ada")
            second = await live.until(InputRequested)
            assert (second.prompt, second.secret, second.call_id) == ("Password: ", True, first.call_id)
            with pytest.raises(ValueError, match="no longer waits"):
                live.session.type_in(first.input_id, "late")
            live.session.type_in(second.input_id, PASSWORD)
            assert (await live.until(TurnEnded)).reason == "done"
            assert [(one.how, one.text) for one in live.all_of(InputGiven)] == [("typed", "Ada"), ("typed", "")]
            (result,) = results(mock.requests[-1])
            assert output(result) == f"Name? Ada\nPassword: \nAda {len(PASSWORD)}\n"
            assert "the person typed 2 lines into it (1 hidden)" in result
            assert PASSWORD not in str(mock.requests) and PASSWORD not in str(live.seen)
            assert files_with("Ada") and not files_with(PASSWORD)
            with pytest.raises(ValueError, match="no program waits"):
                live.session.type_in(second.input_id, PASSWORD)


async def test_an_interrupt_while_it_waits() -> None:
    with MockModel([code("shell", "x=1; read a; echo no"), code("shell", "echo [$x]"), say("fine")]) as mock:
        async with Live(mock) as live:
            live.session.take_input()
            live.session.submit("go")
            await live.until(InputRequested)
            live.session.interrupt()
            assert (await live.until(TurnEnded)).reason == "interrupted"
            assert [one.how for one in live.all_of(InputGiven)] == ["end"]
            await live.turn("go on")
            assert output(results(mock.requests[-1])[-1]) == "[1]\n"


async def test_the_persons_own_line_asks_too() -> None:
    with MockModel([say("fine")]) as mock:
        async with Live(mock) as live:
            live.session.take_input()
            running = asyncio.ensure_future(live.session.run_shell("read -p 'Sure? ' x; exit $x"))
            live.session.type_in((await live.until(InputRequested)).input_id, "7")
            assert (await live.until(CallEnded)).exit_code == 7
            await running

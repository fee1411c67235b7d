"""`AsyncInterpreter`: pieces in, chunks out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from oi_tui.faces.api.async_instance import COMPLETE, AsyncInterpreter
from oi_tui.protocol.lmc import InvalidMessage
from tests.faces.api.conftest import Scripted, flat, run


@pytest.fixture
async def one(isolated: Any) -> AsyncIterator[AsyncInterpreter]:
    made = AsyncInterpreter(conversation_history=False)
    made.llm.supports_functions = False
    yield made
    made.close()


async def send(one: AsyncInterpreter, content: str, kind: str = "message") -> None:
    await one.input({"role": "user", "type": kind, "start": True})
    await one.input(json.dumps({"role": "user", "type": kind, "content": content[:3]}))
    await one.input({"role": "user", "type": kind, "content": content[3:]})
    await one.input({"role": "user", "type": kind, "end": True})


async def until_complete(one: AsyncInterpreter) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while not found or found[-1] != COMPLETE:
        found.append(await asyncio.wait_for(one.output(), 30))
    return found


async def test_go_runs_one_block(one: AsyncInterpreter) -> None:
    one.llm.completions = Scripted(run("x = 1; print(x)"), run("print(x + 1)"), "done")
    await send(one, "count for me")
    first = await until_complete(one)
    assert one.messages[0] == {"role": "user", "type": "message", "content": "count for me"}
    assert [part["type"] for part in first[-2:]] == ["confirmation", "status"] and first[-3].get("end")
    await send(one, "go", "command")
    second = flat(await until_complete(one))
    assert ("computer", "console", "output", "1\n") in second and second[-2][1] == "confirmation"
    await send(one, "go", "command")
    third = flat(await until_complete(one))
    assert ("computer", "console", "output", "2\n") in third and ("assistant", "message", None, "done") in third
    assert not any(part["type"] == "command" for part in one.messages)


async def test_stop_ends_what_runs_and_says_so(one: AsyncInterpreter) -> None:
    one.auto_run = True
    one.llm.completions = Scripted(run("import time\nprint('begun', flush=True)\ntime.sleep(60)"), "next")
    await send(one, "wait")
    while (await asyncio.wait_for(one.output(), 30)).get("format") != "output":
        pass
    await send(one, "stop", "command")
    assert (await until_complete(one))[-1] == COMPLETE
    await send(one, "and now?")
    assert ("assistant", "message", None, "next") in flat(await until_complete(one))


async def test_what_goes_wrong_is_a_chunk(one: AsyncInterpreter) -> None:
    def broken(**_: Any) -> Any:
        raise RuntimeError("out of order")

    one.llm.completions = broken
    await send(one, "hello")
    found = await until_complete(one)
    assert found[-2]["type"] == "error" and "out of order" in found[-2]["content"]
    one.messages.clear()
    for piece, why in (({"content": "x"}, "start"), ("{", "JSON"), ("[]", "object")):
        with pytest.raises(InvalidMessage, match=why):
            await one.input(piece)  # type: ignore[arg-type]

"""`/profile` in a running session."""

from __future__ import annotations

import pytest

from oi_tui.commands import registry
from oi_tui.commands.registry import Invocation, parse
from tests.classic.test_profiles import profile
from tests.commands.hosting import Face
from tests.mock_model import MockModel, say
from tests.user_reports.in_process import Live


async def typed(host: Face, line: str) -> None:
    parsed = parse(line)
    assert isinstance(parsed, Invocation), parsed
    await registry.run(parsed, host)


@pytest.mark.parametrize("sign", ["/", "%"])
async def test_it_counts_from_the_next_request_on(sign: str) -> None:
    text = "model: other\nmax_turns: 5\nauto_run: true\ncustom_instructions: Be a pirate.\nllm:\n  max_tokens: 77\n"
    profile("mine.yaml", text)
    with MockModel([say("one"), say("two")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            await live.turn("hello")
            host = Face(live.session)
            await typed(host, f"{sign}profile mine")
            level, told, _ = host.told[-1]
            assert level == "info" and told.startswith("profile mine: model = other, max_turns = 5")
            assert (live.session.approval, live.session.budget.max_turns) == ("auto", 5)
            await live.turn("and now")
    first, second = mock.requests
    assert (first["model"], second["model"]) == ("x", "other")
    assert "Be a pirate." in str(second["messages"]) and "Be a pirate." not in str(first["messages"])
    assert 77 in {second.get("max_tokens"), second.get("max_completion_tokens")}
    assert [one["content"] for one in second["messages"] if one["role"] == "assistant"] == ["one"]


async def test_what_cannot_be_used_is_said_and_nothing_changes() -> None:
    profile("program.py", "interpreter.auto_run = True\n")
    profile("late.yaml", "backend: docker\nmodle: x\n")
    with MockModel([say("one")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            host = Face(live.session)
            for line, words in (
                ("/profile nothing", "there is no profile nothing"),
                ("/profile http://127.0.0.1:1/p.yaml", "from the web"),
                ("/profile program", "is a program"),
            ):
                await typed(host, line)
                assert host.told[-1][0] == "error" and words in host.told[-1][1]
            await typed(host, "/profile late")
            texts = [text for _, text, _ in host.told[-2:]]
            assert "backend counts from the start of a session" in texts[0]
            assert "late.yaml:2: unknown setting modle" in texts[1]
            assert live.session.approval == "ask"
            await typed(host, "/profile")
            assert host.picked == ["profile"]
            names = [one.value for one in host.choices("profile")]
            assert names[0] == "late" and names.index("fast") < names.index("program")

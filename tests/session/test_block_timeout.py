"""The time that one block may take: set by the person, bounded where nobody could interrupt."""

from __future__ import annotations

import pytest

from oi_tui.session.conversation import Conversation
from oi_tui.settings import Settings, load
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import output, run_exec


@pytest.mark.parametrize(
    ("wanted", "attended", "seconds"),
    [(None, True, None), (None, False, 600.0), (0, True, None), (0, False, None), (5, True, 5), (5, False, 5)],
)
async def test_which_limit_is_in_force(wanted: float | None, attended: bool, seconds: float | None) -> None:
    conversation = Conversation(Settings(block_timeout=wanted, conversation_history=False))
    conversation.attended = attended
    assert conversation.tool_context("c1").timeout_s == seconds


def test_a_negative_limit_is_refused() -> None:
    assert load({"block_timeout": "-1"}, {}).problems[0].fatal


def test_a_block_is_stopped_and_the_model_is_told() -> None:
    script = [code("python", "x = 7\nimport time\ntime.sleep(60)"), code("python", "print(x)"), say("ok")]
    with MockModel(script) as mock:
        done = run_exec(mock, "wait", "--block_timeout", "0.5")
    assert done.code == 0
    first, second = done.results
    assert "The code was stopped after 0.5 s." in first
    assert output(second) == "7\n"

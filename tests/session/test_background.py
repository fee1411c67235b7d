"""Programs that go on beside the blocks: the person sees them, the model is told once, and nothing outlives the run."""

from __future__ import annotations

from oi_tui.protocol.events import JobEnded, JobOutput, TurnEnded
from oi_tui.protocol.items import BACKGROUND
from oi_tui.protocol.transcript import ToolItem, Transcript
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import run_exec, work_folder
from tests.user_reports.in_process import Live

_LATE = "(until [ -e go ]; do sleep 0.02; done; echo '<late>'; exec sleep 0.05) & echo now"


async def test_late_output_is_shown_and_told_with_the_next_request() -> None:
    with MockModel([code("shell", _LATE), say("one"), say("two")]) as mock:
        async with Live(mock) as live:
            await live.turn("first")
            (work_folder() / "go").touch()
            printed = await live.until(JobOutput)
            assert printed.text == "<late>\n" and "(" in printed.source
            await live.until(JobEnded)
            await live.turn("second")
            told = [one["content"] for one in mock.requests[-1]["messages"] if one["role"] == "user"]
            assert sum("&lt;late&gt;" in one for one in told) == 1 and sum("<ended>" in one for one in told) == 1
            items = Transcript.from_messages(live.session.messages).items
            shown = [one for one in items if isinstance(one, ToolItem) and one.name == BACKGROUND]
            assert [one.output.tail for one in shown] == ["<late>\n"] and shown[0].title.startswith(BACKGROUND)


def test_a_run_says_what_it_ends() -> None:
    with MockModel([code("shell", "sleep 987 & echo begun"), say("done")]) as mock:
        done = run_exec(mock, "go")
    assert done.code == 0 and "still running at the end, and ended now: sleep 987 (" in done.err


def test_stretches_of_one_program_stand_where_they_came() -> None:
    transcript = Transcript()
    for event in (JobOutput("a", "1\n"), JobOutput("a", "2\n"), JobOutput("b", "x\n"), JobOutput("a", "3\n")):
        transcript.apply(event)
    transcript.apply(TurnEnded("done"))
    shown = [one for one in transcript.items if isinstance(one, ToolItem)]
    assert [(one.title, one.output.tail, one.state) for one in shown] == [
        ("background a", "1\n2\n", "ok"), ("background b", "x\n", "ok"), ("background a", "3\n", "ok"),
    ]  # fmt: skip

"""One task in one harness: a real session over real HTTP, then the check of the files."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import harnesses
from oi_tui.protocol.events import CallEnded
from tests.benchmarks.harness_tasks.forms import script
from tests.benchmarks.harness_tasks.steps import Run
from tests.benchmarks.harness_tasks.tasks import Task
from tests.mock_model import MockModel
from tests.user_reports.in_process import Live


@dataclass(frozen=True)
class Outcome:
    """requests: how often the model was asked. seconds: of the turn."""

    requests: int
    seconds: float


def lay_out(task: Task, folder: Path) -> None:
    """Put the files of a task into `folder`."""
    for name, content in task.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


async def solve(harness: str, task: Task, folder: Path) -> Outcome:
    """Let the scripted model do the task in `folder`, the work folder of the session.

    Raises AssertionError where a call fails, the turn does not end as done, a history is invalid or the files are not
    as they should be."""
    lay_out(task, folder)
    with MockModel(script(harness, task.steps, folder)) as mock:
        live = Live(mock, harness=harness)
        live.settings.llm.wire_api = harnesses.load(harness).wires[0]
        live.settings.llm.context_window = 200_000
        async with live:
            began = time.perf_counter()
            ended = await live.turn(task.asked, 120)
            seconds = time.perf_counter() - began
            failed = [one for one in live.all_of(CallEnded) if not one.ok]
        expected = sum(isinstance(one, Run) and one.fails for one in task.steps)
        assert (ended.reason, mock.script) == ("done", []), ended
        assert len(failed) <= expected, failed
        requests = len(mock.requests)
    task.check(folder)
    return Outcome(requests, seconds)

"""A few tasks in every harness, by its own tools, through the real loop; all twenty are in tests/benchmarks."""

from __future__ import annotations

import sqlite3
import subprocess

import pytest

import harnesses
from tests.benchmarks.harness_tasks.running import lay_out, solve
from tests.benchmarks.harness_tasks.tasks import ALL, FEW, Task
from tests.user_reports.driver import work_folder


@pytest.mark.parametrize("task", FEW, ids=lambda one: one.name.replace(" ", "_"))
@pytest.mark.parametrize("harness", list(harnesses.BUILT_IN))
async def test_the_task_is_done(harness: str, task: Task) -> None:
    await solve(harness, task, work_folder())


@pytest.mark.parametrize("task", ALL, ids=lambda one: one.name.replace(" ", "_"))
def test_a_check_fails_where_nothing_was_done(task: Task) -> None:
    lay_out(task, work_folder())
    with pytest.raises((AssertionError, OSError, subprocess.CalledProcessError, sqlite3.Error)):
        task.check(work_folder())

"""`python -m tests.benchmarks.harness_tasks [HARNESS ...]`: every task in every harness, as a table.

A cell is milliseconds a step: from one request to the next, with the work of the tool and the mock's own part. Exit
code 1 when a task failed; what was wrong is told below the table.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
from pathlib import Path

import harnesses
from tests.benchmarks.harness_tasks.running import Outcome, solve
from tests.benchmarks.harness_tasks.tasks import ALL, Task


def measured(harness: str, task: Task) -> Outcome | str:
    """The outcome in a home folder of its own, or what was wrong."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, INTERPRETER_HOME=str(Path(home, ".openinterpreter")))
        folder = Path(home, "work")
        folder.mkdir()
        os.chdir(folder)
        try:
            return asyncio.run(solve(harness, task, folder))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        finally:
            os.chdir("/")


def main() -> int:
    chosen = sys.argv[1:] or list(harnesses.BUILT_IN)
    faults: list[str] = []
    rows: dict[str, list[str]] = {task.name: [] for task in ALL}
    steps: dict[str, list[float]] = {one: [] for one in chosen}
    for harness in chosen:
        for task in ALL:
            outcome = measured(harness, task)
            if isinstance(outcome, str):
                faults.append(f"{harness}, {task.name}: {outcome}")
                rows[task.name].append("failed")
                continue
            each = 1000 * outcome.seconds / outcome.requests
            steps[harness].append(each)
            rows[task.name].append(f"{each:.0f}")
        sys.stderr.write(f"{harness}: {len(steps[harness])} of {len(ALL)}\n")
    print(f"| task | {' | '.join(chosen)} |\n|{' --- |' * (len(chosen) + 1)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"| median | {' | '.join(f'{statistics.median(each):.0f}' if each else '' for each in steps.values())} |")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

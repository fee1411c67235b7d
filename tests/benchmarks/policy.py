"""What it costs to decide about a call: the parser's start, then one check for every command of the table.

python -m tests.benchmarks.policy            # medians and the worst, in milliseconds
python -m tests.benchmarks.policy --check    # exit 1 when the median or nine of ten are over 2 ms
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from oi_tui.safety.policy import Policy
from oi_tui.safety.rules import Rule
from tests.safety.test_shell_table import TABLE, shell

BAR = 2.0


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        policy = Policy("auto")
        folder = str(work)
        policy.rules.stored = [Rule("deny", command=("rm", str(number))) for number in range(50)]
        policy.rules.stored += [Rule("allow", path=f"src/{number}/**", folder=folder) for number in range(50)]
        began = time.process_time()
        policy.decide("code", shell("ls", work), folder)
        print(f"first check, with the parser's start: {1000 * (time.process_time() - began):.1f} ms")
        took: list[tuple[float, str]] = []
        for command in (one for commands in TABLE.values() for one in commands):
            tries: list[float] = []
            for _ in range(5):
                began = time.process_time()
                policy.decide("code", shell(command, work), folder)
                tries.append(1000 * (time.process_time() - began))
            took.append((statistics.median(tries), command))
    took.sort()
    middle, nine, worst = took[len(took) // 2], took[len(took) * 9 // 10], took[-1]
    print(f"{len(took)} commands, 100 rules: median {middle[0]:.2f} ms, nine of ten under {nine[0]:.2f} ms")
    print(f"the worst: {worst[0]:.2f} ms, {worst[1]!r}")
    return 1 if "--check" in sys.argv and max(middle[0], nine[0]) > BAR else 0


if __name__ == "__main__":
    sys.exit(main())

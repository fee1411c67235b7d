"""Does a long answer get slower as it grows? Streams 200 kB of Markdown in small pieces into the app in a pty and
compares the CPU time of the first and the second half (UR-083: at most 1.5 times).

Run: python -m tests.benchmarks.long_answer
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from pathlib import Path

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, say

_PART = "### Part {n}\n\nSome **bold** words, `code`, and a list:\n\n- one\n- two\n\n```python\nprint({n})\n```\n\n"
_TICKS = os.sysconf("SC_CLK_TCK")


def _cpu(pid: int) -> float:
    """CPU seconds of a process so far (proc(5): utime and stime)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def measure() -> tuple[float, float]:
    """CPU milliseconds of the app for one part of the answer, in its first and in its second half."""
    parts = 2000
    text = "".join(_PART.format(n=number) for number in range(parts))
    with MockModel([say(text + "THE END")], chunk=20) as mock, Terminal(mock) as term:
        term.say("go")
        start, seen = _cpu(term.process.pid), 0
        while seen < parts // 2:
            shown = re.findall(r"Part (\d+)", term.text())
            seen = max([seen, *(int(one) + 1 for one in shown)])
            time.sleep(0.01)
        middle = _cpu(term.process.pid)
        term.wait_for("THE END", 300)
        end = _cpu(term.process.pid)
        return 1000 * (middle - start) / seen, 1000 * (end - middle) / (parts - seen)


def main() -> None:
    """Print both figures and their ratio."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, INTERPRETER_HOME=home + "/.openinterpreter")
        began = time.monotonic()
        first, second = measure()
        print(f"first half {first:.2f} ms a part, second half {second:.2f} ms, ratio {second / first:.2f}")
        print(f"took {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()

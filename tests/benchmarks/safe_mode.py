"""How long safe mode looks at a short block, once semgrep lies in the cache of the system; semgrep must be installed.

python -m tests.benchmarks.safe_mode            # median and worst of ten looks for each language, in seconds
python -m tests.benchmarks.safe_mode --check    # exit 1 when a median is over 2 s
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

from oi_tui.safety.scan import Order, program, scan

BAR = 2.0
BLOCKS = {
    "python": "import os\nfor name in os.listdir('.'):\n    print(name, os.path.getsize(name))\n" * 5,
    "shell": 'ls -la\nfor one in *.txt; do wc -l "$one"; done\n' * 5,
    "javascript": "const fs = require('fs')\nfs.readdirSync('.').forEach(name => console.log(name))\n",
}


async def looks(language: str, code: str) -> list[float]:
    """Seconds of ten looks, after one that does not count."""
    taken: list[float] = []
    for _ in range(11):
        began = time.perf_counter()
        found = await scan(Order(language, code))
        taken.append(time.perf_counter() - began)
        assert found.state in {"clean", "found"}, found.text
    return taken[1:]


def main() -> int:
    if not program():
        print("semgrep is not installed: uv tool install semgrep")
        return 1
    slow = False
    for language, code in BLOCKS.items():
        taken = asyncio.run(looks(language, code))
        median = statistics.median(taken)
        slow |= median > BAR
        print(f"{language:<12} {median:.2f} s, worst {max(taken):.2f} s")
    return int(slow and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())

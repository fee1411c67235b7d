"""A numbered list in the terminal, to choose from before a conversation begins."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def choose(title: str, rows: Sequence[str], default: int | None = None) -> int | None:
    """The index of the row that the person takes, None if they leave. default: what enter alone takes.

    Without a terminal the rows are printed and nothing is chosen.
    """
    sys.stdout.write(f"{title}\n\n")
    for number, row in enumerate(rows, 1):
        sys.stdout.write(f"{number:>3}  {row}\n")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    most = f"1 to {len(rows)}" if len(rows) > 1 else "1"
    offered = f", enter for {default + 1}" if default is not None else ""
    while True:
        sys.stdout.write(f"\nnumber ({most}{offered}, q leaves): ")
        sys.stdout.flush()
        try:
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            line = ""
        said = line.strip().lower()
        if not line or said in {"q", "quit", "exit"}:
            return None
        if not said and default is not None:
            return default
        if said.isdecimal() and 1 <= int(said) <= len(rows):
            return int(said) - 1
        sys.stdout.write(f"{said or 'that'} is none of them\n")

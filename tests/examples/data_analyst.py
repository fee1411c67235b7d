"""A data analyst: questions to a table, each answered by code that you see and agree to.

    python data_analyst.py sales.csv "which region grew fastest?" "plot it by month"

With `--yes` nothing is asked before code runs.
"""

from __future__ import annotations

import sys
from pathlib import Path

from interpreter import interpreter


def main(arguments: list[str]) -> int:
    """Answer every question in turn; variables and files of one answer are there for the next."""
    interpreter.auto_run = "--yes" in arguments
    table, *questions = [one for one in arguments if one != "--yes"]
    if not Path(table).is_file():
        print(f"there is no file {table}")
        return 1
    interpreter.custom_instructions = (
        f"The user asks about the table {table}. Look at its columns and a few rows before anything else, never change "
        "the file, check what looks odd, and answer in one or two sentences with the numbers that matter. Save charts "
        "as PNG files and name them."
    )
    for question in questions or iter(lambda: input("\nquestion (enter leaves): "), ""):
        print(f"\n## {question}\n")
        answer = interpreter.chat(question)  # shows the code, asks, shows the output
        print(f"\n→ {answer[-1]['content']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

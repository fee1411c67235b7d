"""A report generator: a folder of files becomes one HTML report, with what was done to get there.

    python report_generator.py data/ report.html "sales of the quarter, for the board"

Code runs in a step of its own; what would run is shown, and a step that deletes something is declined.
"""

from __future__ import annotations

import html
import sys
from pathlib import Path

from interpreter import OpenInterpreter

STEPS = (
    "List the files in {folder} and say in a sentence each what is in them.",
    "Work out the figures that the report '{subject}' needs. Keep them in the variable `figures`, and print them.",
    "Write the report '{subject}' as Markdown into the variable `report`: a summary, a table of the figures, and what "
    "to do next. Print it.",
)
FORBIDDEN = ("rm ", "unlink", "rmtree", "DROP TABLE")


def answer(interpreter: OpenInterpreter, message: str) -> str:
    """Say something and follow what happens: taking the next chunk after a confirmation agrees to it."""
    said = ""
    chunks = interpreter.chat(message, display=False, stream=True)
    for chunk in chunks:
        if chunk["type"] == "confirmation":
            code = str(chunk["content"]["content"])
            print(f"--- {chunk['content']['format']}\n{code}")
            if any(word in code for word in FORBIDDEN):
                print("--- declined")
                chunks.close()
                break
        elif chunk["type"] == "message" and "content" in chunk:
            said += chunk["content"]
    return said


def main(folder: str, target: str, subject: str) -> int:
    """Carry out the steps and write the report with the conversation behind it."""
    interpreter = OpenInterpreter(conversation_history=False)
    for step in STEPS:
        print(f"\n# {step.format(folder=folder, subject=subject)}")
        print(answer(interpreter, step.format(folder=folder, subject=subject)))
    printed = interpreter.computer.run("python", "print(report)")
    report = "".join(str(one["content"]) for one in printed if one["type"] == "console")
    Path(target).write_text(f"<!doctype html><meta charset=utf-8><pre>{html.escape(report)}</pre>\n", encoding="utf-8")
    print(f"\nwrote {target}")
    interpreter.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))

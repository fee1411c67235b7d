"""The system prompt of `qwen-code`: what in it depends on the machine and on the model."""

from __future__ import annotations

import json
import re

from harnesses.base import Section, prompt
from harnesses.data import Env

_SANDBOX = {"seatbelt": "qwen_code_seatbelt", "container": "qwen_code_sandbox"}  # else qwen_code_open

# What the examples show: what the person says, what is said and called, what is said then.
_Turn = tuple[str, tuple[str, dict[str, str | bool]] | None]
_EXAMPLES: tuple[tuple[str, tuple[_Turn, ...]], ...] = (
    ("how many minutes has a week?", (("10,080", None),)),
    ("does gzip keep file names?", (("Yes, the name of the one file it packs, in its header.", None),)),
    ("what lies in the folder docs?", (("", ("list_directory", {"path": "/home/ada/shop/docs"})),)),
    (
        "let me see the documentation in a browser",
        (
            (
                "",
                (
                    "run_shell_command",
                    {"command": "mkdocs serve", "description": "Serve the pages", "is_background": True},
                ),
            ),
        ),
    ),
    (
        "prices.py rounds halves down; they should go up",
        (
            (
                "I look at the rounding, and whether something tests it.",
                ("read_file", {"file_path": "/home/ada/shop/prices.py"}),
            ),
            ("", ("grep_search", {"pattern": "round_price", "glob": "*_test.py"})),
            (
                "It uses round(), and prices_test.py covers it. I add a failing case, change it to Decimal with "
                "ROUND_HALF_UP, and run the tests.",
                None,
            ),
        ),
    ),
    ("empty the cache", (("", ("run_shell_command", {"command": "rm -r .cache/shop"})),)),
    (
        "who sends the mails?",
        (("", ("grep_search", {"pattern": "smtplib|send_mail", "glob": "*.py"})),),
    ),
)
_CODER, _VISION = re.compile(r"qwen[^/]*-coder|coder-model", re.IGNORECASE), re.compile(r"qwen[^/]*-vl", re.IGNORECASE)


def _static(env: Env) -> str:
    text = prompt("qwen_code").replace("{sandbox}", prompt(_SANDBOX.get(env.sandbox, "qwen_code_open")))
    text = text.replace("{git}\n\n", prompt("qwen_code_git") + "\n\n" if env.git is not None else "")
    return text.replace("{examples}", examples(env.model))


SECTIONS: tuple[Section, ...] = (_static,)


def memory(env: Env) -> str:
    """The project's own instructions and what earlier sessions noted, below a line."""
    parts = [
        f"--- Context from: {path} ---\n{text}\n--- End of Context from: {path} ---" for path, text in env.project_docs
    ]
    if env.memory:
        parts.append(f"## Memories of earlier sessions\n\n{env.memory}")
    return "---\n\n" + "\n\n".join(parts) if parts else ""


def examples(model: str) -> str:
    """The examples, their calls in the form that the model was trained on."""
    called = _function if _CODER.search(model) else _tagged if _VISION.search(model) else _bracketed
    made: list[str] = []
    for asked, turns in _EXAMPLES:
        lines = [f"person: {asked}"]
        for number, (said, call) in enumerate(turns):
            words = "\n".join(part for part in (said, called(*call) if call else "") if part)
            lines.append(words if number else f"model: {words}" if said else f"model:\n{words}")
        made.append("<example>\n" + "\n".join(lines) + "\n</example>")
    return "\n\n".join(made)


def _function(name: str, args: dict[str, str | bool]) -> str:
    values = "".join(f"<parameter={key}>\n{_written(value)}\n</parameter>\n" for key, value in args.items())
    return f"<tool_call>\n<function={name}>\n{values}</function>\n</tool_call>"


def _tagged(name: str, args: dict[str, str | bool]) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': args})}\n</tool_call>"


def _bracketed(name: str, args: dict[str, str | bool]) -> str:
    what = next((args[key] for key in ("file_path", "path", "command", "pattern") if key in args), "")
    return f"[tool_call: {name} for {what!r}]"


def _written(value: str | bool) -> str:
    return value if isinstance(value, str) else json.dumps(value)

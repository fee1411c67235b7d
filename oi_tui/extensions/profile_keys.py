"""What the keys of a profile mean: those of classic Open Interpreter in today's words, and what is gone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from oi_tui.settings import Problem, Row

# Before 0.2.0 these lay at the top; `function_calling_llm` and `local` had other names altogether.
OLD: dict[str, str] = {
    "temperature": "llm.temperature",
    "context_window": "llm.context_window",
    "max_tokens": "llm.max_tokens",
    "api_base": "llm.api_base",
    "api_key": "llm.api_key",
    "api_version": "llm.api_version",
    "llm_supports_vision": "llm.supports_vision",
    "llm_supports_functions": "llm.supports_functions",
    "function_calling_llm": "llm.supports_functions",
    "local": "offline",
    "debug_mode": "verbose",
}
# What is true here in any case, or has nothing to act on; harmless to leave out.
SILENT = frozenset({
    "version", "description", "computer.import_computer_api", "computer.emit_images", "computer.verbose",
    "computer.save_skills", "computer.offline", "computer.debug", "computer.max_output", "shrink_images",
    "in_terminal_interface", "llm.vision_renderer", "computer.system_message", "conversation_history_path",
    "conversation_filename", "skills_path", "import_skills", "computer.import_skills", "sync_computer",
})  # fmt: skip
# What a harness says for itself: in a program (`interpreter.chat`) they count.
_PLACE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_WORDING = frozenset({
    "user_message_template", "always_apply_user_message_template", "code_output_template", "empty_code_output_template",
    "code_output_sender", "llm.execution_instructions",
})  # fmt: skip


def translated(place: str, rows: Sequence[Row]) -> tuple[list[Row], list[Problem]]:
    """Rows in the names of the settings, and what there is to say about those that have no effect."""
    made: list[Row] = []
    problems: list[Problem] = []
    for row in rows:
        key = OLD.get(row.key, row.key)
        if key in SILENT:
            continue
        if key in _WORDING:
            where = f"{place}:{row.line}" if row.line else place
            problems.append(Problem(f"{where}: {key} has no effect", "harnesses word this themselves; /harness"))
        elif key == "computer.languages":
            made += _languages(row)
        elif key == "messages":
            problems.append(Problem(f"{place}:{row.line}: messages are not taken from a profile", "/import a file"))
        elif row.value is not None:
            if key in {"system_message", "custom_instructions"} and _PLACE.search(str(row.value)):
                where = f"{place}:{row.line}" if row.line else place
                hint = "programs run them with trust_placeholders; the model is told the date and the folder anyhow"
                problems.append(Problem(f"{where}: {key}: what stands in {{{{ }}}} is not run", hint))
            made.append(Row(key, row.value, row.line))
    return made, problems


def _languages(row: Row) -> list[Row]:
    names: Any = row.value
    if isinstance(names, str):
        names = [names]
    return [Row("languages", names, row.line)]

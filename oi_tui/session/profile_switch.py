"""Another profile in the middle of a session: its values take the place of those in force, and what depends on them
is made anew when it is next needed."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from oi_tui.settings import Layer, Loaded, Problem, lay

if TYPE_CHECKING:
    from oi_tui.session.session import Session

# What a running session cannot take back: where and how code runs, what is kept, what the screen looks like.
_AT_START = frozenset({
    "backend", "python", "languages", "start_code", "conversation_history", "audit", "plain_text_display",
    "theme.name", "speak_messages", "plan_mode", "trust", "os_mode",
})  # fmt: skip


def use(session: Session, name: str, layer: Layer) -> tuple[list[str], list[Problem]]:
    """Lay a profile over the session's settings. Returns what changed, in words, and what there is to say of the rest.

    What a person set by a flag or a command gives way: they chose the profile last.
    """
    settings = session.settings
    rows = [row for row in layer.rows if row.key not in _AT_START]
    problems = [
        Problem(f"{row.key} counts from the start of a session", f"oi -p {name}")
        for row in layer.rows
        if row.key in _AT_START
    ]
    before = {row.key: _value(settings, row.key) for row in rows}
    loaded = Loaded(settings, [], {})
    lay(loaded, Layer(layer.place, rows, layer.problems))
    changed = [key for key in loaded.origins if before.get(key, before.get(_written(key))) != _value(settings, key)]
    settings.profile = name
    problems += loaded.problems
    problems += _apply(session, changed)
    return [f"{key} = {_shown(_value(settings, key))}" for key in changed], problems


def _written(key: str) -> str:
    """The other name that a row may have had for a setting."""
    return {"model": "llm.model", "max_budget": "llm.max_budget", "os_mode": "os", "verbose": "debug"}.get(key, key)


def _value(settings: Any, key: str) -> Any:
    try:
        return attrgetter(key)(settings)
    except AttributeError:
        return None


def _shown(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 40 else f"{text[:39]}…"


def _apply(session: Session, changed: list[str]) -> list[Problem]:
    """Let the parts of the session know. Returns what could not be."""
    import harnesses
    from oi_tui.models.client import ModelError

    settings, problems = session.settings, list[Problem]()
    wanted = settings.model or session.model
    if wanted and any(key.startswith(("llm.", "model")) for key in changed):
        try:
            session.use_model(wanted)
        except ModelError as error:
            problems.append(Problem(str(error), error.hint))
    if "harness" in changed:
        try:
            session.use_harness(settings.harness)
        except harnesses.UnknownHarness as error:
            problems.append(Problem(str(error), "/harness lists them"))
    if "llm.reasoning_effort" in changed:
        session.engine.effort = settings.llm.reasoning_effort
    if {"approval_policy", "auto_run", "safe_mode"} & set(changed):
        session.engine.policy.mode = settings.approval
    budget = session.budget
    budget.max_budget, budget.max_turns = settings.max_budget, settings.max_turns
    if {"custom_instructions", "system_message"} & set(changed):
        session.engine.forget_instructions()
    session.changed()
    return problems

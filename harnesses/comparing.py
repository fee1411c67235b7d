"""What sets one harness apart from another, in words for the person who chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import cast

from harnesses.base import Harness
from harnesses.data import Env, WirePolicy

_OF_MESSAGES = {"explicit_ok", "cache", "plain_text"}  # of no meaning on the other wires
_WORDS = {
    "stream": "answers stream",
    "include_usage": "tokens are told in a stream",
    "token_key": "the limit of an answer is sent as",
    "max_tokens": "most tokens of an answer",
    "parallel": "several calls at once",
    "tool_choice": "tool choice",
    "empty_assistant": "text beside calls that have none",
    "reasoning": "earlier thoughts",
    "placeholder": "in place of thoughts that are not known",
    "tool_content": "a result is",
    "orphan": "a call without a result gets",
    "plain_ids": "ids of calls are made plain",
    "compact_arguments": "arguments are written anew",
    "explicit_ok": "success is marked for",
    "sampling": "sampling",
    "cache": "marked for the provider's cache",
    "plain_text": "plain messages are strings",
}


def facts(harness: Harness, env: Env) -> list[str]:
    """What a harness is and has, one line each."""
    tools = [one.name for one in harness.tools(env)] if harness.uses_tools else []
    told = [f"for {harness.title}" if harness.title else "", f"writes for {', '.join(harness.wires)}"]
    told.append(f"{len(tools)} tools: {', '.join(tools)}" if tools else "no tools: the model writes its code as text")
    told.append(f"system prompt of {len(harness.system(env)):,} characters")
    told.append(f"instructions from {files(harness)}")
    told += [f"{name} {value}" for name, value in limits(harness)]
    return [one for one in told if one]


def differences(now: Harness, other: Harness, env: Env) -> list[str]:
    """What changes when `other` takes the place of `now`, one line each; empty where nothing does."""
    told: list[str] = []
    before, after = ([one.name for one in each.tools(env)] if each.uses_tools else [] for each in (now, other))
    if gained := [one for one in after if one not in before]:
        told.append(f"gains {', '.join(gained)}")
    if lost := [one for one in before if one not in after]:
        told.append(f"loses {', '.join(lost)}")
    told += _changed("system prompt", f"{len(now.system(env)):,}", f"{len(other.system(env)):,} characters")
    told += _changed("instructions from", files(now), files(other))
    told += _changed("wires", ", ".join(now.wires), ", ".join(other.wires))
    shared = set(now.wires) & set(other.wires)
    for each in fields(WirePolicy):
        if each.name not in _OF_MESSAGES or "messages" in shared:
            told += _changed(_WORDS[each.name], *(_text(getattr(one.policy, each.name)) for one in (now, other)))
    old, new = dict(limits(now)), dict(limits(other))
    for name in [*old, *(one for one in new if one not in old)]:
        told += _changed(name, old.get(name, "none"), new.get(name, "none"))
    return told


def files(harness: Harness) -> str:
    """The files with instructions that it reads: `QWEN.md; AGENTS.override.md or AGENTS.md`."""
    return "; ".join(" or ".join(group) for group in harness.project_files) or "no files"


def policy(one: WirePolicy) -> list[tuple[str, str]]:
    """How it writes requests: (field of WirePolicy, value as text)."""
    return [(each.name, _text(getattr(one, each.name))) for each in fields(one)]


def limits(harness: Harness) -> list[tuple[str, str]]:
    """Where its turns stop by themselves: (name, value)."""
    words = {
        "steps": "most steps of a turn",
        "format_errors": "answers in a wrong form in a row",
        "timeouts": "calls in a row that run out of time",
        "cost": "US dollars of a session",
        "stored": "characters of a result before a file takes it",
    }
    found = ((text, getattr(harness.limits, name)) for name, text in words.items())
    return [(text, f"{value:,}") for text, value in found if value is not None]


def _changed(name: str, old: str, new: str) -> Sequence[str]:
    return () if old == new.removesuffix(" characters") else (f"{name}: {old} → {new}",)


def _text(value: object) -> str:
    if isinstance(value, frozenset | tuple):
        names = [str(one) for one in cast("tuple[object, ...]", value)]
        return ", ".join(sorted(names) if isinstance(value, frozenset) else names) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in cast("dict[str, object]", value).items()) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not sent" if value is None else str(value) or "none"

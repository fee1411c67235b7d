"""What `deepseek-tui` puts around a conversation: facts on the turn and the project, budgets of results.

DeepSeek's servers keep the beginning of a request in a cache. What changes here changes with the person's newest
message and not before it, so within a turn the cache holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from harnesses.data import Entry, Env
from harnesses.rendering_turns import arguments_of
from oi_tui.protocol.lmc import Message

ACTIVE = 8  # paths of the working set
_PACKED = 60  # names of the project
_KEY = (
    "README.md", "README.rst", "README", "AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", "pyproject.toml", "setup.py",
    "requirements.txt", "package.json", "Cargo.toml", "go.mod", "pom.xml", "build.gradle", "Makefile", "Dockerfile",
)  # fmt: skip
_FOLDERS = frozenset({"list_dir", "project_map"})

LONGEST, SNIPPET = 60_000, 40_000  # characters of a result when it comes
OLD, ENDS = 12_000, 4_000  # of one from an earlier turn: more than that is cut to so much of each end
SAME = 1_024  # from here on a result that came before is only referred to


def with_turn_meta(history: Sequence[Message], env: Env) -> Sequence[Message]:
    """The history with the facts on this turn before the person's newest message."""
    places = [
        index
        for index, one in enumerate(history)
        if one["role"] == "user" and one["type"] == "message" and one.get("recipient") is None
    ]
    if not places:
        return history
    newest = places[-1]
    lines = [f"Current local date: {env.now[:10]}"] if env.now else []
    lines += ["## Repo Working Set", f"Workspace: {env.cwd}"]
    if keys := key_files(env.tree):
        lines.append(f"Key files: {', '.join(keys)}")
    if active := _active(history[:newest], env.cwd):
        lines += ["Active paths (prioritize these):", *(f"- {path} ({kind})" for path, kind in active.items())]
    one = history[newest]
    meta = "\n".join(["<turn_meta>", *lines, "</turn_meta>"])
    return [*history[:newest], {**one, "content": f"{meta}\n\n{one['content']}"}, *history[newest + 1 :]]


def _active(history: Sequence[Message], cwd: str) -> dict[str, str]:
    """Paths that earlier calls were about, newest first: path -> file or dir."""
    found: dict[str, str] = {}
    for one in reversed(history):
        call = one.get("call", {})
        if one["role"] != "assistant" or "name" not in call:
            continue
        path = (arguments_of(call.get("arguments", "")) or {}).get("path")
        if not isinstance(path, str) or not path.strip() or "\n" in path:
            continue
        path = path.removeprefix(f"{cwd.rstrip('/')}/")
        found.setdefault(path, "dir" if call["name"] in _FOLDERS or path.endswith("/") else "file")
        if len(found) == ACTIVE:
            break
    return found


def key_files(tree: Entry | None) -> list[str]:
    """Files of the workspace that tell most about it."""
    there = {one.name for one in (tree.entries or () if tree is not None else ()) if not one.folder}
    return [name for name in _KEY if name in there]


def context_pack(env: Env) -> str:
    """Facts on the project as JSON, "" where nothing is known."""
    if env.tree is None or not env.tree.entries:
        return ""
    names: list[str] = []
    for one in env.tree.entries:
        if one.name.startswith("."):
            continue
        names.append(one.name + "/" * one.folder)
        names += [f"{one.name}/{inner.name}{'/' * inner.folder}" for inner in one.entries or ()]
    pack: dict[str, Any] = {"project": env.tree.name, "root": env.cwd, "entries": names[:_PACKED]}
    if len(names) > _PACKED or env.tree.more:
        pack["more_entries"] = len(names) - len(pack["entries"]) + env.tree.more
    pack["key_files"] = key_files(env.tree)
    if env.git is not None:
        pack["git"] = {"root": env.git.root, "branch": env.git.branch}
    text = json.dumps(pack, ensure_ascii=False, separators=(",", ":"))
    return f"## Project Context Pack\n\n<project_context_pack>\n{text}\n</project_context_pack>"


def compacted(text: str) -> str:
    """A result within bounds: of a very long one, how long it was, how it began and how it ended."""
    if len(text) <= LONGEST:
        return text
    half = SNIPPET // 2
    first = next((line for line in text.splitlines() if line.strip()), "")[:200]
    return (
        "[tool output compacted to protect context]\n"
        f"Summary: {text.count(chr(10)) + 1} lines, beginning with: {first}\n"
        f"Original size: {len(text)} chars\nSnippet:\n{text[:half]}\n[...]\n{text[-half:]}"
    )


def within_budget(messages: list[dict[str, Any]]) -> None:
    """Shorten the results of a request in place: those that came before in the same words, old ones that are long."""
    newest = max((index for index, one in enumerate(messages) if _from_person(one)), default=0)
    seen: dict[str, int] = {}
    for index, one in enumerate(messages):
        text = one.get("content")
        if one["role"] != "tool" or not isinstance(text, str):
            continue
        if len(text) >= SAME:
            digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
            if digest in seen:
                one["content"] = (
                    f'<TOOL_RESULT_REF sha="{digest}" original_message="{seen[digest]}" chars="{len(text)}">\n'
                    "This is the same text as the result in that message."
                )
                continue
            seen[digest] = index
        if len(text) > OLD and index < newest:
            left = len(text) - 2 * ENDS
            one["content"] = f"{text[:ENDS]}\n[... {left} characters of an earlier turn left out ...]\n{text[-ENDS:]}"


def _from_person(one: dict[str, Any]) -> bool:
    return one["role"] == "user" and str(one.get("content")).startswith("<turn_meta>")

"""Hooks: programs of a person's own that run at points of a session. Which there are, and which of them are trusted.

They stand in `hooks.json` (of the person's home folder, or of a project's `.openinterpreter`), or as `hooks` in
`config.toml`: `{"hooks": {EVENT: [{"matcher": …, "hooks": [handler]}]}}`, the form of Codex and Claude Code. None runs
before the person has trusted it as it stands: a change of the handler, or of a script that its command names, takes the
trust away. Those of a project also wait for the trust of its folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

from oi_tui import paths

EVENTS = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact",
    "PostCompact", "SubagentStart", "SubagentStop", "Stop",
)  # fmt: skip
State = Literal["on", "off", "new", "changed", "folder", "broken"]
_KEYS = frozenset(
    {"type", "command", "commandWindows", "timeout", "async", "statusMessage", "additionalContextLimit", "onFailure"}
)
_LATER = {"mcp_tool": "MCP servers cannot be asked by hooks yet", "prompt": "reserved", "agent": "reserved"}
_SCRIPT = 1_000_000  # bytes of a script that is looked at for changes


@dataclass(frozen=True, slots=True)
class Hook:
    """One handler. id: where it stands. hash: of all that it is. timeout: seconds. closed: when it fails, what it was
    to judge is refused. limit: tokens of the context it may add. state: `on` runs; why not otherwise, in `why`."""

    id: str
    event: str
    matcher: str
    command: str
    source: str
    hash: str = ""
    timeout: float = 600.0
    apart: bool = False
    status: str = ""
    limit: int = 2500
    closed: bool = False
    state: State = "new"
    why: str = ""

    def fits(self, names: Sequence[str]) -> bool:
        """Whether it is for one of these, the names that a tool goes by (or what else the event is matched by)."""
        if self.matcher in {"", "*"} or not names:
            return True
        return any(re.fullmatch(self.matcher, one) for one in names)


def found(cwd: str, root: str, trusted: bool, configured: Mapping[str, Any]) -> list[Hook]:
    """All hooks for a session in `cwd`, those that cannot be used with the reason. root: of the project; trusted:
    whether its hooks may be used at all. configured: `hooks` of the settings."""
    own = _of_file(paths.home() / "hooks.json", cwd)
    every = [*own, *_of_table(configured, str(paths.config_file()), cwd)]
    folders = dict.fromkeys((root, cwd))
    for folder in folders:
        file = Path(folder) / ".openinterpreter" / "hooks.json"
        if file.resolve() == (paths.home() / "hooks.json").resolve():
            continue
        for one in _of_file(file, folder):
            held = one.state != "broken" and not trusted
            every.append(replace(one, state="folder", why="the folder is not trusted: /trust yes") if held else one)
    known = _decisions()
    return [_judged(one, known.get(one.id, {})) for one in every]


def trust(hook: Hook) -> None:
    """The person trusts it as it stands now. Raises OSError."""
    _decide(hook.id, {"enabled": True, "trusted_hash": hook.hash})


def switch(hook: Hook, on: bool) -> None:
    """Run it from now on, or no longer; trust stays as it is. Raises OSError."""
    _decide(hook.id, {**_decisions().get(hook.id, {}), "enabled": on})


def _judged(hook: Hook, known: Mapping[str, Any]) -> Hook:
    if hook.state in {"broken", "folder"}:
        return hook
    if known.get("enabled") is False:
        return replace(hook, state="off", why="switched off")
    if not known.get("trusted_hash"):
        return replace(hook, state="new", why="not trusted yet")
    if known["trusted_hash"] != hook.hash:
        return replace(hook, state="changed", why="it has changed since you trusted it")
    return replace(hook, state="on", why="")


def _of_file(file: Path, folder: str) -> list[Hook]:
    try:
        read: Any = json.loads(file.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        return [_broken(str(file), "", str(file), f"it cannot be read: {error}")]
    table = cast("dict[str, Any]", read).get("hooks") if isinstance(read, dict) else None
    if not isinstance(table, dict):
        return [_broken(str(file), "", str(file), 'it holds no table "hooks"')]
    return _of_table(cast("dict[str, Any]", table), str(file), folder)


def _of_table(table: Mapping[str, Any], source: str, folder: str) -> list[Hook]:
    made: list[Hook] = []
    for event, groups in table.items():
        where = f"{source}#{event}"
        if event == "state":
            continue
        if event not in EVENTS or not isinstance(groups, list):
            why = f"there is no event {event}" if event not in EVENTS else "it is no list"
            made.append(_broken(where, event, source, why))
            continue
        for number, group in enumerate(cast("list[Any]", groups)):
            made += _of_group(event, group, f"{where}/{number}", source, folder)
    return made


def _of_group(event: str, group: Any, where: str, source: str, folder: str) -> Iterator[Hook]:
    handlers = cast("dict[str, Any]", group).get("hooks") if isinstance(group, dict) else None
    if not isinstance(handlers, list):
        yield _broken(where, event, source, 'it holds no list "hooks"')
        return
    matcher = cast("dict[str, Any]", group).get("matcher") or ""
    for number, handler in enumerate(cast("list[Any]", handlers)):
        id = f"{where}/{number}"
        try:
            yield _hook(id, event, matcher, handler, source, folder)
        except ValueError as error:
            yield _broken(id, event, source, str(error))


def _hook(id: str, event: str, matcher: Any, handler: Any, source: str, folder: str) -> Hook:
    """Raises ValueError with what is wrong."""
    if not isinstance(handler, dict):
        raise ValueError("a handler is a table")
    given = cast("dict[str, Any]", handler)
    kind = given.get("type", "command")
    if kind != "command":
        raise ValueError(_LATER.get(str(kind), f"there is no type {kind!r}"))
    if unknown := set(given) - _KEYS:
        raise ValueError(f"unknown key {min(unknown)}")
    command = given.get("commandWindows") if os.name == "nt" and given.get("commandWindows") else given.get("command")
    if not isinstance(command, str) or not command.strip():
        raise ValueError("it has no command")
    if not isinstance(matcher, str):
        raise ValueError("its matcher is no text")
    try:
        if matcher != "*":
            re.compile(matcher)
    except re.error as error:
        raise ValueError(f"its matcher is no regular expression: {error}") from None
    most = 3.0 if event == "SessionEnd" else float("inf")
    timeout = _number(given, "timeout", 1.0 if event == "SessionEnd" else 600.0)
    if given.get("onFailure", "open") not in {"open", "closed"}:
        raise ValueError("onFailure is open or closed")
    return Hook(
        id,
        event,
        matcher,
        command,
        source,
        _hash(event, matcher, given, command, folder),
        min(timeout, most),
        given.get("async") is True,
        str(given.get("statusMessage") or ""),
        int(_number(given, "additionalContextLimit", 2500)),
        given.get("onFailure") == "closed",
    )


def _number(given: Mapping[str, Any], key: str, default: float) -> float:
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise ValueError(f"{key} is a number above 0")
    return float(value)


def _hash(event: str, matcher: str, handler: Mapping[str, Any], command: str, folder: str) -> str:
    """Of the handler, and of the scripts that its command names."""
    digest = hashlib.sha256(json.dumps([event, matcher, handler], sort_keys=True, default=str).encode())
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    for word in words:
        file = Path(folder, Path(word).expanduser())
        try:
            if file.is_file() and file.stat().st_size <= _SCRIPT:
                digest.update(b"\0" + word.encode() + b"\0" + file.read_bytes())
        except (OSError, ValueError):
            continue
    return digest.hexdigest()


def _broken(id: str, event: str, source: str, why: str) -> Hook:
    return Hook(id, event, "", "", source, state="broken", why=why)


def _decisions() -> dict[str, dict[str, Any]]:
    try:
        read: Any = json.loads(paths.hook_trust_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(read, dict):
        return {}
    return {str(id): one for id, one in cast("dict[str, Any]", read).items() if isinstance(one, dict)}


def _decide(id: str, decision: dict[str, Any]) -> None:
    file = paths.hook_trust_file()
    paths.private_dir(file.parent)
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as writing:
        writing.write(json.dumps(_decisions() | {id: decision}, indent=1))
    fresh.replace(file)

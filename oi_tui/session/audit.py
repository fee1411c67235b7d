"""The record of what ran: one JSON object a line, two for each call: who decided before it, what came of it after.

It lies in the program's home, readable by the owner alone; what looks like a key is left out. When a file is full it is
put aside with a number, and the oldest is deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from oi_tui import paths
from oi_tui.protocol.bus import EventBus
from oi_tui.protocol.events import Notice

if TYPE_CHECKING:
    from oi_tui.protocol.calls import Result
    from oi_tui.safety.policy import Verdict
    from oi_tui.tools import Preview

FULL = 4_000_000  # bytes of one file
KEPT = 5  # files with a number
_LONGEST = 2000  # characters of a text that are kept
_SILENT = frozenset({"plan", "ask", "agent", "skill", "job_output", "job_list", "lookup", "recall"})  # do nothing


class _Engine(Protocol):
    @property
    def harness_id(self) -> str: ...


class Recorded(Protocol):
    """What the record takes from a conversation."""

    bus: EventBus
    cwd: str

    @property
    def approval(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def engine(self) -> _Engine: ...
    def place(self, preview: Preview) -> str: ...


class Audit:
    """Writes the record of one session and its agents. on: false keeps none. name: of the session."""

    def __init__(self, on: bool, name: str) -> None:
        self._on, self._name = on, name
        self._told = False
        self._hooks = 0
        self._open: dict[str, dict[str, Any]] = {}  # calls whose end is to be written

    def about(
        self, session: Recorded, call_id: str, tool: str, executor: str, preview: Preview, verdict: Verdict
    ) -> dict[str, Any]:
        """The record of a call, but for the decision."""
        if not self._on or executor in _SILENT:
            return {}
        self._session = session
        return {
            "session": self._name,
            "id": call_id,
            "folder": session.cwd,
            "tool": tool,
            "executor": executor,
            "language": preview.language,
            "what": preview.what,
            **self.text(preview.text),
            "paths": [*preview.reads, *preview.writes][:20],
            "host": preview.host,
            "mode": session.approval,
            "where": session.place(preview),
            "asked": verdict.why if verdict.decision == "ask" else "",
            "model": session.model,
            "harness": session.engine.harness_id,
        }

    def text(self, text: str) -> dict[str, Any]:
        """What is kept of a text: its beginning, and by what to know all of it again."""
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        return {"text": _masked(text)[:_LONGEST], "length": len(text), "sha256": digest}

    def write(self, record: dict[str, Any], decided: str, by: str) -> None:
        """Write down who decided. decided: allowed, approved, declined or denied."""
        if record:
            self._append({**record, "decided": decided, "by": _masked(by)})
            if decided in {"allowed", "approved"}:
                self._open[record["id"]] = {"session": record["session"], "id": record["id"]}

    def hook(self, folder: str, event: str, command: str, summary: str) -> None:
        """A hook has run."""
        if self._on:
            self._hooks += 1
            record = {
                "session": self._name, "id": f"hook{self._hooks}", "folder": folder, "tool": "hook", "executor": "hook",
                "language": f"hook {event}", "what": f"hook of {event}", **self.text(command), "decided": "allowed",
                "by": "the person trusts this hook", "summary": _masked(summary),
                "ok": not summary.startswith("failed"),
            }  # fmt: skip
            self._append(record)

    def own(self, session: Recorded, call_id: str, line: str, language: str = "shell") -> None:
        """The person runs a command themselves."""
        if not self._on:
            return
        self._session = session
        record = {
            "session": self._name, "id": call_id, "folder": session.cwd, "tool": "!", "executor": "code",
            "language": language, "what": "the person's own command", **self.text(line), "mode": session.approval,
        }  # fmt: skip
        self.write(record, "approved", "the person typed it")

    def ended(self, call_id: str, result: Result, summary: str) -> None:
        """Write down what came of a call that was let run."""
        record = self._open.pop(call_id, None)
        if record is not None:
            facts = {"ended": True, "ok": result.ok, "summary": _masked(summary), "seconds": round(result.seconds, 3)}
            self._append({**record, **facts, "exit_code": result.exit_code})

    def _append(self, record: dict[str, Any]) -> None:
        line = {"time": datetime.now().astimezone().isoformat(timespec="milliseconds")}
        line |= {key: value for key, value in record.items() if value not in ("", None, [], ())}
        try:
            append(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            if not self._told:
                self._told = True
                why = f"what runs is not recorded: {error.strerror or error}"
                self._session.bus.publish(Notice("warning", why, f"check {paths.audit_file().parent}"))


def append(line: str) -> None:
    """Add one line to the record, putting a full file aside first. Raises OSError."""
    file = paths.audit_file()
    paths.private_dir(file.parent)
    data = line.encode("utf-8", "replace")
    with suppress(FileNotFoundError):
        if file.stat().st_size + len(data) > FULL:
            _put_aside(file)
    where = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(where, data)  # one write each, so that sessions do not mix their lines
    finally:
        os.close(where)


def _put_aside(file: Path) -> None:
    for number in range(KEPT, 0, -1):
        older = file.with_name(f"{file.stem}.{number}{file.suffix}")
        newer = file.with_name(f"{file.stem}.{number - 1}{file.suffix}") if number > 1 else file
        with suppress(FileNotFoundError):
            newer.replace(older)


def read() -> Iterator[dict[str, Any]]:
    """All records, oldest first, each with what came of it. Lines that are damaged are left out."""
    file = paths.audit_file()
    found: dict[tuple[str, str], dict[str, Any]] = {}
    older = [file.with_name(f"{file.stem}.{number}{file.suffix}") for number in range(KEPT, 0, -1)]
    order: list[dict[str, Any]] = []
    for one in (*older, file):
        with suppress(OSError), one.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    record = json.loads(line)
                    key = (str(record["session"]), str(record["id"]))
                except (ValueError, KeyError, TypeError):
                    continue
                if record.get("ended"):
                    begun = found.get(key)
                    if begun is not None:
                        begun |= {
                            name: record[name] for name in ("ok", "summary", "seconds", "exit_code") if name in record
                        }
                        begun["ended"] = record.get("time", "")
                else:
                    found[key] = record
                    order.append(record)
    yield from order


def _masked(text: str) -> str:
    from oi_tui.protocol.secrets import mask

    return mask(text)

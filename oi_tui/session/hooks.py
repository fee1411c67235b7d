"""The hooks of one session: fired at its points, all that fit at once, and what they said put together.

A hook that failed is told to the person and blocks nothing, unless it is to fail closed. What ran is in the record.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from oi_tui import paths
from oi_tui.protocol.bus import EventBus
from oi_tui.protocol.events import Notice, Progress
from oi_tui.settings import Settings

if TYPE_CHECKING:
    from oi_tui.extensions.hook_run import Said
    from oi_tui.extensions.hooks import Hook
    from oi_tui.safety.planning import Planning
    from oi_tui.session.audit import Audit
    from oi_tui.session.history import History
    from oi_tui.session.skills import Skills

_MODES = {"ask": "default", "auto-edit": "acceptEdits", "auto": "dontAsk", "full": "bypassPermissions"}


class Owner(Protocol):
    """What hooks take from a conversation."""

    bus: EventBus
    cwd: str
    settings: Settings
    planning: Planning
    audit: Audit
    history: History

    @property
    def id(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def approval(self) -> str: ...
    @property
    def skills(self) -> Skills: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the hooks of one event said together. block: why it is not to be. stop: why all is to end. allow: they
    permit it. context: for the model. input: arguments in place of those of the call."""

    block: str = ""
    stop: str = ""
    allow: bool = False
    context: str = ""
    input: dict[str, Any] | None = None


class Hooks:
    """Fires hooks. agent: id and kind of the agent that this conversation belongs to, "" for none."""

    def __init__(self, owner: Owner, agent: tuple[str, str] = ("", "")) -> None:
        self._owner, self._agent = owner, agent
        self.turns = 0
        self._beginning: asyncio.Task[Outcome] | None = None
        self._apart: set[asyncio.Task[Any]] = set()

    def all(self) -> list[Hook]:
        """All that there are, as they stand on disk now."""
        from oi_tui.extensions.hooks import found

        owner = self._owner
        return found(owner.cwd, owner.skills.root, owner.skills.trust == "trusted", owner.settings.hooks)

    def active(self, event: str, names: Sequence[str] = ()) -> list[Hook]:
        """Those that run at this event."""
        return [one for one in self.all() if one.event == event and one.state == "on" and one.fits(names)]

    def tell_waiting(self) -> None:
        """Tell the person of hooks that wait for their word, and of those that are broken."""
        every = self.all()
        waiting = sum(one.state in {"new", "changed"} for one in every)
        held = sum(one.state == "folder" for one in every)
        if waiting or held:
            what = f"{waiting + held} hooks do not run before you trust them" if waiting else (
                f"this folder brings {held} hooks that are not used before you trust it")  # fmt: skip
            self._owner.bus.publish(Notice("info", what, "/hooks shows them" if waiting else "/hooks, then /trust yes"))
        for one in every:
            if one.state == "broken":
                self._owner.bus.publish(Notice("warning", f"a hook cannot be used: {one.id}: {one.why}", "/hooks"))

    def begin(self, source: str) -> None:
        """The session begins, in the background; the first turn waits for it with `ready`."""
        if self.active("SessionStart", (source,)):
            self._beginning = asyncio.ensure_future(self.fire("SessionStart", (source,), {"source": source}))

    async def ready(self) -> Outcome:
        """What hooks say to the beginning of the session, once."""
        beginning, self._beginning = self._beginning, None
        return await beginning if beginning is not None else Outcome()

    async def fire(self, event: str, names: Sequence[str] = (), extra: Mapping[str, Any] | None = None) -> Outcome:
        """Run all hooks of an event. names: what their matcher is held against."""
        hooks = self.active(event, names)
        if not hooks:
            return Outcome()
        from oi_tui.extensions.hook_run import run

        payload, env = self._payload(event, extra or {}), self._environment()
        runs: list[Awaitable[Said]] = []
        for one in hooks:
            running = run(one, payload, self._owner.cwd, env)
            if one.apart:
                task = asyncio.ensure_future(running)
                self._apart.add(task)
                task.add_done_callback(self._apart.discard)
            else:
                runs.append(running)
        status = next((one.status for one in hooks if one.status), "")
        if status:
            self._owner.bus.publish(Progress("", 0, 0, status))
        try:
            said = await asyncio.gather(*runs)
        finally:
            if status:
                self._owner.bus.publish(Progress("", 0, 0, ""))
        return self._together(event, said)

    async def close(self, reason: str) -> None:
        """The session ends."""
        if self._beginning is not None:
            self._beginning.cancel()
        await self.fire("SessionEnd", (), {"reason": reason})
        for task in self._apart:
            task.cancel()
        if self._apart:
            await asyncio.wait(self._apart, timeout=3)

    def _together(self, event: str, said: Sequence[Said]) -> Outcome:
        owner = self._owner
        for one in said:
            owner.audit.hook(owner.cwd, event, one.hook.command, _summary(one))
            if one.failed:
                what = f"a hook of {event} failed: {one.failed}"
                owner.bus.publish(
                    Notice("warning", what, one.hook.command if not one.block else "it is to fail closed")
                )
            if one.message:
                owner.bus.publish(Notice("info", f"hook: {one.message}"))
        block = "; ".join(one.block for one in said if one.block)
        return Outcome(
            block,
            next((one.stop for one in said if one.stop), ""),
            any(one.allow for one in said) and not block,
            "\n\n".join(self._context(one) for one in said if one.context),
            next((one.input for one in said if one.input is not None), None),
        )

    def _context(self, said: Said) -> str:
        """What one hook tells the model; what is too long lies in a file."""
        most = 4 * said.hook.limit
        if len(said.context) <= most:
            return said.context
        folder = paths.private_dir(paths.outputs(self._owner.id))
        file = folder / f"hook-{os.urandom(4).hex()}.txt"
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as whole:
            whole.write(said.context)
        return f"{said.context[:most]}\n[cut here: the whole text of the hook is in {file}]"

    def _payload(self, event: str, extra: Mapping[str, Any]) -> dict[str, Any]:
        owner = self._owner
        mode = "plan" if owner.planning.on else _MODES.get(owner.approval, "plan")
        common = {
            "session_id": owner.id,
            "turn_id": f"{owner.id}-{self.turns}",
            "transcript_path": owner.history.saved_as or None,
            "cwd": owner.cwd,
            "hook_event_name": event,
            "model": owner.model,
            "permission_mode": mode,
        }
        agent = {"agent_id": self._agent[0], "agent_type": self._agent[1]} if self._agent[0] else {}
        return common | agent | dict(extra)

    def _environment(self) -> dict[str, str]:
        from oi_tui.session.backend import variables_of

        return variables_of(self._owner.settings).of(os.environ)


def by_a_person(attended: bool) -> None:
    """Raises ValueError where it is not a person who says what is trusted."""
    if not attended or not sys.stdin.isatty():
        raise ValueError("hooks are trusted by a person at a terminal, and nobody is there")
    if "OI_COMPUTER" in os.environ:
        raise ValueError("hooks are trusted by a person, not by code that a session runs")


def _summary(said: Said) -> str:
    if said.block or said.stop:
        return f"blocked: {said.block or said.stop}"
    if said.failed:
        return f"failed: {said.failed}"
    return "allowed it" if said.allow else "ok"

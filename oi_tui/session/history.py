"""The one history of a session: LMC messages in memory and, as they come, in the session's file."""

from __future__ import annotations

from typing import Any

from harnesses.rendering import compact
from harnesses.rendering_turns import arguments_of
from oi_tui.protocol.bus import EventBus
from oi_tui.protocol.calls import Call, Image, Result
from oi_tui.protocol.events import HistoryChanged, Notice
from oi_tui.protocol.lmc import Message, message
from oi_tui.session.store import Saved, Store, new_id, remove_outputs
from oi_tui.session.view import Compaction, View


def spoken(one: Message) -> bool:
    """Whether it is what the person said to the model."""
    return one["role"] == "user" and one["type"] == "message" and one.get("recipient") is None


class History:
    """Messages of one session. `saving` is False where nothing is to be written to disk."""

    def __init__(self, bus: EventBus, saved: Saved | None = None, *, saving: bool = True) -> None:
        self.id = saved.id if saved else new_id()
        self.title = saved.title if saved else ""
        self.messages: list[Message] = list(saved.messages) if saved else []
        self.compactions: list[Compaction] = list(saved.compactions) if saved else []  # the newest one holds
        self._view = View()
        self._bus = bus
        self._store = Store(self.id, saved.path if saved else None) if saving else None
        self._warned = False
        self._ids: dict[str, str] = {}  # id of a call in events -> in the history
        self._used = {one["call"]["id"] for one in self.messages if "call" in one}

    def open(self, *, resumed: bool, cwd: str, model: str, harness: str) -> None:
        """Take the session's file. Raises store.SessionInUse when another process has it."""
        if self._store is None:
            return
        if resumed:
            self._store.reopen()
        else:
            self._store.begin(cwd=cwd, model=model, harness=harness)

    def restart(self, *, cwd: str, model: str, harness: str) -> None:
        """Begin an empty history with an id and a file of its own; the old one stays saved as it was."""
        self.messages.clear()
        self.compactions.clear()
        self._ids.clear()
        self._used.clear()
        self.close()
        self.id, self.title = new_id(), ""
        if self._store is not None:
            self._store = Store(self.id)
            self._store.begin(cwd=cwd, model=model, harness=harness)
        self._bus.publish(HistoryChanged())

    def resume(self, saved: Saved) -> None:
        """Go on with a saved history; this one stays saved as it was. Raises store.SessionInUse and OSError, and then
        nothing has changed."""
        if self._store is not None:
            store = Store(saved.id, saved.path)
            store.reopen()
            self.close()
            self._store = store
        self.id, self.title = saved.id, saved.title
        self.messages, self.compactions = list(saved.messages), list(saved.compactions)
        self._ids.clear()
        self._used = {one["call"]["id"] for one in self.messages if "call" in one}
        self._bus.publish(HistoryChanged())

    def rename(self, title: str) -> None:
        """Call the session so from now on, "" for nothing."""
        self.title = title
        if self._store is not None:
            self._store.title(title)

    @property
    def saving(self) -> bool:
        """Whether it is written to disk."""
        return self._store is not None

    @property
    def saved_as(self) -> str:
        """Where it lies on disk, "" while it does not."""
        return str(self._store.path) if self._store is not None and self._store.written else ""

    def append(self, *messages: Message) -> None:
        for one in messages:
            self.messages.append(one)
            if self._store is not None:
                self._store.message(one)
        if self._store is not None and self._store.broken and not self._warned:
            self._warned = True
            self._bus.publish(Notice("warning", self._store.broken, "the session goes on in memory; free some space"))

    def replace(self, messages: list[Message]) -> None:
        """Go on with another history, made by a caller that keeps its own; nothing of it is written to disk."""
        self.messages = messages
        self.compactions.clear()
        self._ids.clear()
        self._used = {one["call"]["id"] for one in messages if "call" in one}

    def unrun(self, event_id: str) -> Message | None:
        """The block that stands last and has not run; its call is known as `event_id` from here on."""
        last = self.messages[-1] if self.messages else {}
        if last.get("type") != "code" or last.get("role") != "assistant" or "call" not in last:
            return None
        self._ids[event_id] = last["call"]["id"]
        return last

    @property
    def compaction(self) -> Compaction | None:
        """What is sent instead of the whole history, None if all of it is."""
        return self.compactions[-1] if self.compactions else None

    def view(self, compaction: Compaction | None = None) -> list[Message]:
        """The messages that a model is sent, as things stand or with another compaction."""
        return self._view.of(self.messages, compaction or self.compaction)

    def compact(self, compaction: Compaction) -> None:
        """Send less from now on. Nothing is lost: the messages stay as they are."""
        self.compactions.append(compaction)
        if self._store is not None:
            self._store.compaction(compaction)

    def used(self, totals: dict[str, Any]) -> None:
        """Save what the session has used so far."""
        if self._store is not None:
            self._store.usage(totals)

    def planned(self, on: bool) -> None:
        """Save whether plan mode is on."""
        if self._store is not None:
            self._store.mode(on)

    def call_key(self, event_id: str, call: Call) -> dict[str, str]:
        """The `call` key of an assistant message. The provider's id is kept unless another call has it already."""
        wanted = call.id or "call"
        self._ids[event_id] = wanted if wanted not in self._used else f"{wanted}_{event_id}"
        while self._ids[event_id] in self._used:
            self._ids[event_id] += "_"
        self._used.add(self._ids[event_id])
        return {"id": self._ids[event_id], "name": call.name, "arguments": call.raw}

    def record(self, event_id: str, call: Call, result: Result) -> None:
        """Add a call's result, its pictures, and what it showed the person alone."""
        key = {"id": self._ids.get(event_id, call.id), "name": call.name}
        facts = result.facts()
        if result.images:  # in words, for models that cannot see
            facts["meta"] = {**result.meta, "pictures": [_described(one) for one in result.images]}
        self.append(
            message("computer", "console", result.text, "output", call={**key, "result": facts}),
            *(message("computer", "image", one.data, f"base64.{one.format}", call=key) for one in result.images),
            *(message("computer", "code", text, form, recipient="user", call=key) for form, text in result.shown),
        )

    def edited(self, event_id: str, code: str, field: str) -> None:
        """The person changed the code of a call before it ran: the history holds what ran. field: the argument of the
        call that holds code."""
        wanted = self._ids.get(event_id)
        for index in range(len(self.messages) - 1, -1, -1):
            one = self.messages[index]
            if one["type"] == "code" and one.get("call", {}).get("id") == wanted:
                before = arguments_of(one["call"].get("arguments", "")) or {"language": one["format"]}
                arguments = compact({**before, field: code})
                self.messages[index] = {**one, "content": code, "call": {**one["call"], "arguments": arguments}}
                if self._store is not None:
                    self._store.replace(index, self.messages[index])
                return

    def undo(self) -> str:
        """Take back the person's last message and all that followed. Returns what it said, "" if there is none."""
        for index in range(len(self.messages) - 1, -1, -1):
            one = self.messages[index]
            if spoken(one):
                del self.messages[index:]
                self.compactions = [one for one in self.compactions if one.fits(index)]
                if self._store is not None:
                    self._store.cut(index)
                self._bus.publish(HistoryChanged())
                return str(one["content"])
        return ""

    def last_request(self) -> str:
        """What the person said last, "" before their first message."""
        return str(next((one["content"] for one in reversed(self.messages) if spoken(one)), ""))

    def close(self) -> None:
        """Let go of the file. Outputs of a session that is not kept go with it."""
        if self._store is None or not self._store.written:
            remove_outputs(self.id)
        if self._store is not None:
            self._store.close()


def _described(image: Image) -> str:
    size = f", {image.width}x{image.height}" if image.width and image.height else ""
    return f"image{size}, saved at {image.path}" if image.path else f"image{size}, not saved"

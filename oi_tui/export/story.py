"""A conversation as the parts that every kind of file shows: who said what, which block ran and what came of it."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oi_tui.protocol.items import CodeItem, DiffItem, MessageItem, Picture, PlanItem, Rich, ToolItem, UserItem
from oi_tui.protocol.lmc import Message
from oi_tui.protocol.transcript import Transcript

LARGEST = 5_000_000  # characters of one output that a file gets
_CUT = "[… {cut:,} characters are left out here …]"
# What a terminal would do with the text; SGR is no colour in a file.
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Said:
    """Words: of the person, or of the model as Markdown."""

    person: bool
    text: str


@dataclass(frozen=True, slots=True)
class Ran:
    """A block of code. ran: it was run, well or not. ok: without an error. output: all that it printed."""

    language: str
    code: str
    ran: bool
    ok: bool
    output: str = ""
    note: str = ""
    pictures: tuple[Picture, ...] = ()
    rich: tuple[Rich, ...] = ()


@dataclass(frozen=True, slots=True)
class Did:
    """Another tool: one line on it, and the changes of files, as unified diffs."""

    title: str
    ok: bool
    diffs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan as it stood: (step, status)."""

    steps: tuple[tuple[str, str], ...]


Part = Said | Ran | Did | Planned


@dataclass(slots=True)
class Story:
    """title: how it begins. parts: in order."""

    title: str = ""
    parts: list[Part] = field(default_factory=list[Part])


def told(messages: Sequence[Message]) -> Story:
    """The story of a history."""
    full = _outputs(messages)
    story = Story()
    for item in Transcript.from_messages(messages).items:
        match item:
            case UserItem(text=text):
                story.title = story.title or " ".join(text.split())[:80]
                story.parts.append(Said(True, text))
            case MessageItem() if item.text.strip():
                story.parts.append(Said(False, item.text.strip()))
            case CodeItem():
                story.parts.append(_ran(item, full.get(item.call_id)))
            case ToolItem() if item.title or item.name:
                story.parts.append(Did(item.title or item.name, item.state == "ok", tuple(d.diff for d in item.diffs)))
            case DiffItem(change=change):
                story.parts.append(Did(f"{change.kind} {change.path}", True, (change.diff,)))
            case PlanItem(steps=steps):
                story.parts.append(Planned(steps))
            case _:
                pass
    return story


def _ran(item: CodeItem, output: str | None) -> Ran:
    text = item.output.tail if output is None else output
    ran = item.state in {"ok", "failed"} or item.summary in {"interrupted", "timed out"}
    pictures = tuple(one for one in map(_with_data, item.pictures) if one.data)
    return Ran(
        item.language, item.code, ran, item.state == "ok", plain(text), item.note or item.reason, pictures,
        tuple(item.rich),
    )  # fmt: skip


def _with_data(picture: Picture) -> Picture:
    """The picture with its bytes in it: a file that is given away must not depend on others."""
    if picture.data or not picture.path:
        return picture
    try:
        data = base64.b64encode(Path(picture.path).read_bytes()).decode()
    except OSError:
        return picture
    return Picture(picture.format, data, picture.path)


def _outputs(messages: Sequence[Message]) -> dict[str, str]:
    """What calls printed, whole where it was kept: the history has what a model was shown of it."""
    found: dict[str, str] = {}
    for one in messages:
        if one.get("role") != "computer" or one.get("type") != "console" or "call" not in one:
            continue
        path = one["call"].get("result", {}).get("path")
        text = _kept(path) if isinstance(path, str) and path else None
        id = str(one["call"].get("id"))
        found[id] = found.get(id, "") + (text if text is not None else str(one.get("content", "")))
    return found


def _kept(path: str) -> str | None:
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            text = file.read(LARGEST + 1)
            size = Path(path).stat().st_size
    except OSError:
        return None
    return text if len(text) <= LARGEST else f"{text[:LARGEST]}\n{_CUT.format(cut=size - LARGEST)}"


def plain(text: str) -> str:
    """Text without colours and other controls; of a line that was written over, what stood there last."""
    lines = re.sub(r"\r+\n", "\n", text).split("\n")
    return _ESCAPES.sub("", "\n".join(next(filter(None, reversed(line.split("\r"))), "") for line in lines))

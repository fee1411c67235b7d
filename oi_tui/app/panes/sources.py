"""What a block of the chat is made of, as text: to copy, to save, to run again, to search in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from oi_tui.protocol.transcript import (
    CodeItem,
    DiffItem,
    Item,
    MessageItem,
    NoticeItem,
    PlanItem,
    ThoughtItem,
    ToolItem,
    UserItem,
)

_FENCE = re.compile(
    r"^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n]*\n(.*?)(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_ENDINGS = {"python": "py", "shell": "sh", "bash": "sh", "javascript": "js", "typescript": "ts", "markdown": "md"}


@dataclass(frozen=True, slots=True)
class Code:
    """A block of code. language: "" if it is not told."""

    language: str
    text: str

    @property
    def ending(self) -> str:
        """The ending of a file that holds it, without the dot."""
        language = self.language.lower()
        return _ENDINGS.get(language) or (language if language.isalnum() and len(language) <= 5 else "txt")


def source_of(item: Item) -> str:
    """The text of an item as it came, without what the screen makes of it."""
    match item:
        case UserItem() | MessageItem() | ThoughtItem():
            return item.text
        case CodeItem():
            return item.code
        case ToolItem():
            parts = [item.title or item.name, *(change.diff for change in item.diffs), item.output.tail]
            return "\n".join(one for one in parts if one)
        case PlanItem():
            return "\n".join(f"- {text}" for text, _ in item.steps)
        case DiffItem():
            return item.change.diff
        case NoticeItem():
            return f"{item.text}\n{item.hint}" if item.hint else item.text


def searched_in(item: Item) -> str:
    """All of an item's text that a search looks at: also what a block of code printed."""
    return f"{item.code}\n{item.output.tail}" if isinstance(item, CodeItem) else source_of(item)


def code_of(item: Item) -> Code | None:
    """The code of a cell, the last block of code in a text, a diff; None where there is none."""
    match item:
        case CodeItem():
            return Code(item.language, item.code) if item.code.strip() else None
        case MessageItem() | UserItem():
            fences = _FENCE.findall(item.text)
            return Code(fences[-1][1], fences[-1][2]) if fences else None
        case ToolItem() if item.diffs:
            return Code("diff", "\n".join(change.diff for change in item.diffs))
        case DiffItem():
            return Code("diff", item.change.diff)
        case _:
            return None


def runnable(item: Item) -> Code | None:
    """The code that can be run again; a change of a file cannot."""
    code = code_of(item)
    return code if code is not None and code.language not in {"", "diff", "text", "markdown"} else None


def saved_as(item: Item) -> tuple[str, str]:
    """(name of a file without a number, ending) under which a block is saved."""
    code = code_of(item)
    if isinstance(item, MessageItem) or code is None:
        return "answer", "md" if isinstance(item, MessageItem) else "txt"
    return ("cell" if isinstance(item, CodeItem) else "change"), code.ending

"""When the window is full: the request for notes on what is taken away, and how the notes enter the conversation.

The older part is sent as one text, not as a conversation, so that it can be cut anywhere without parting a call from
its result, and sent in several pieces where it is larger than the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from harnesses import rendering
from harnesses.base import Harness, prompt
from harnesses.data import Compacting, Env, Options, Wire
from harnesses.rendering import fenced, result_of
from oi_tui.protocol.lmc import Message, message


class _Notes(Harness):
    """Asks for notes on any wire: no tools, one message."""

    wires: ClassVar[tuple[Wire, ...]] = ("chat", "messages", "responses")
    uses_tools: bool = False

    def __init__(self, name: str) -> None:
        self._name = name

    def system(self, env: Env) -> str:
        return prompt(self._name)


def request(text: str, so_far: str, wanted: str, options: Options, how: Compacting) -> dict[str, Any]:
    """The body that asks for notes on `text`, a piece of the conversation as `transcript` writes it.

    so_far: the notes on what came before it. wanted: what the person wants kept.
    """
    parts = [f"<conversation>\n{text}\n</conversation>"]
    if so_far:
        parts.insert(0, f"Your notes on what came before:\n<notes>\n{so_far}\n</notes>")
        parts.append("Write the notes anew, so that they hold what came before and this part.")
    else:
        parts.append("Write the notes.")
    if wanted:
        parts.append(f"The person asks you to keep above all: {wanted}")
    options = replace(
        options,
        max_tokens=options.max_tokens or how.max_tokens,
        temperature=how.temperature if options.temperature is None else options.temperature,
    )
    return rendering.body(_Notes(how.prompt), [message("user", "message", "\n\n".join(parts))], Env(""), options)


def notes_in(answer: str, how: Compacting) -> str:
    """The notes in an answer: what stands in their tag, the last one if there are several, else all of it."""
    start, end = f"<{how.tag}>", f"</{how.tag}>"
    at = answer.rfind(start) if how.tag else -1
    if at < 0:
        return answer.strip()
    return answer[at : at + len(start)] + answer[at + len(start) :].partition(end)[0].rstrip() + f"\n{end}"


def note(summary: str, messages: int, how: Compacting | None = None, path: str = "") -> str:
    """What the model is told in place of the `messages` that were taken away. summary: "" if there are no notes. path:
    the file that holds them word for word, "" where the model cannot reach one."""
    where = f" All of it, word for word, is in {path}: look there for what you lack." if path else ""
    if not summary:
        return (
            f"[The window was full: {messages} earlier messages were taken away, and nothing could be noted of them. "
            f"What the person said last still stands.{where} Look at the files, and ask, rather than guess.]"
        )
    opening = (how or Compacting()).opening
    return opening.replace("{count}", f"{messages}").replace("{where}", where).replace("{notes}", summary)


def transcript(messages: Sequence[Message], longest: int, how: Compacting | None = None) -> str:
    """A piece of the conversation as text, outputs and code cut to `longest` characters each."""
    parts = [(one, part) for one in messages if (part := _told(one, longest))]
    if how is None or not how.numbered:
        return "\n\n".join(part for _, part in parts)
    return "\n\n".join(
        f"## Message {number}\nRole: {_ROLES[one['role']]}\nContent:\n{part}"
        for number, (one, part) in enumerate(parts, 1)
    )


_ROLES = {"user": "user", "assistant": "assistant", "computer": "tool"}


def middle_out(text: str, limit: int, mark: str = "… {} characters left out …") -> str:
    """`text` within about `limit` characters: its beginning and its end, with a mark that says how much is missing."""
    if len(text) <= limit:
        return text
    half = max(1, limit // 2)
    return f"{text[:half]}\n[{mark.format(f'{len(text) - 2 * half:,}')}]\n{text[-half:]}"


def _told(one: Message, longest: int) -> str:
    content = one.get("content")
    text = content if isinstance(content, str) else ""
    if one["type"] == "image":
        return "[a picture]"
    if one["role"] == "user":
        who = "note" if one.get("recipient") == "assistant" else "person"
        return f"{who}: {middle_out(text, 4 * longest)}" if text.strip() else ""
    if one["role"] == "assistant" and one["type"] == "code":
        return "assistant ran:\n" + fenced(middle_out(text, longest), one.get("format") or "")
    if one["role"] == "assistant" and "call" in one:
        return f"assistant called {one['call']['name']}: {middle_out(one['call'].get('arguments', ''), longest)}"
    if one["role"] == "assistant":
        return f"assistant: {middle_out(text, 2 * longest)}" if text.strip() else ""
    result = result_of([one])
    state = "" if result is None else " (failed)" if not result.ok else ""
    return f"result{state}:\n{middle_out(text, longest) if text.strip() else '(nothing)'}"

"""Saved messages as the events that would have led to them, so that resume and export see what was seen live."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast
from xml.sax.saxutils import unescape

from oi_tui.protocol import events as ev
from oi_tui.protocol.lmc import Message
from oi_tui.protocol.plans import without_tags

# What the session tells the model about a line that the person ran with `!`.
_OWN_COMMAND = re.compile(
    r"<user_shell_command>\s*<command>\n(.*?)\n</command>\s*<result>\nExit code: (\S+)\nOutput:\n(.*)\n</result>",
    re.DOTALL,
)

# What the session tells the model about programs that a block left running (`session.background`).
_PRINTED = re.compile(r"<output>\n<of>(.*?)</of>\n(.*?)\n</output>", re.DOTALL)


def replay(messages: Iterable[Message]) -> Iterator[ev.Event]:
    """The events that would have led to `messages` (LMC, whole). Unknown shapes are passed over."""
    open_calls: dict[str, dict[str, Any]] = {}  # calls without an end yet -> result facts seen so far
    latest = ""
    for number, message in enumerate(messages):
        role, content = message.get("role"), message.get("content", "")
        call = cast("dict[str, Any]", message.get("call") or {})
        if role == "computer":
            call_id = str(call.get("id") or latest)
            if call_id in open_calls:
                open_calls[call_id].update(call.get("result") or {})
                open_calls[call_id]["seen"] = True
            yield from _from_computer(message, call_id, content)
            continue
        # A reply of several calls is followed by their results, in order: an end is known when somebody else speaks.
        yield from _ended(open_calls, all_of=role == "user")
        if role == "user" and message.get("recipient") == "assistant":
            yield from _own_command(str(content), f"own-{number}")
            yield from _background(str(content))
        elif role == "user" and "attached" in message:
            continue  # the words before it name it
        elif role == "user":
            yield ev.UserMessage(_words(message))
        elif role == "assistant":
            latest = str(call.get("id") or f"saved-{number}")
            is_call = message.get("type") == "code" or "name" in call
            if is_call:
                open_calls[latest] = {}
            yield from _from_assistant(message, latest, call, content)
        elif role == "server" and message.get("type") == "error":
            yield ev.Notice("error", str(content))
    yield from _ended(open_calls, all_of=True)


def _own_command(told: str, call_id: str) -> Iterator[ev.Event]:
    """A shell line that the person ran, out of what the model was told of it; nothing for any other text."""
    found = _OWN_COMMAND.search(told)
    if found is None:
        return
    line, code, output = unescape(found[1]), found[2], unescape(found[3])
    status = int(code) if code.lstrip("-").isdigit() else None
    yield ev.CodeStarted(call_id, "shell")
    yield ev.CodeEnded(call_id, "shell", line)
    yield ev.ConsoleOutput(call_id, output)
    yield ev.CallEnded(call_id, not status, f"exit {status}" if status else "ok", 0.0, status)


def _background(told: str) -> Iterator[ev.Event]:
    """What programs that were left running printed, out of what the model was told of it."""
    if told.startswith("<background>"):
        for source, text in _PRINTED.findall(told):
            yield ev.JobOutput(unescape(source), unescape(text) + "\n")


def _words(message: Message) -> str:
    """A user message as text; what is not text as its kind and name."""
    kind, content = message.get("type"), str(message.get("content", ""))
    if kind in {"message", "command", "error"}:
        return content
    shown = content if message.get("format") in {"path", "description", None} and len(content) < 500 else ""
    return f"[{kind} {shown}]" if shown else f"[{kind}]"


def _from_assistant(message: Message, call_id: str, call: dict[str, Any], content: Any) -> Iterator[ev.Event]:
    if message.get("reasoning"):
        yield ev.ReasoningDelta(str(message["reasoning"]))
    kind = message.get("type")
    if kind == "code":
        language = str(message.get("format") or "")
        yield ev.CodeStarted(call_id, language)
        yield ev.CodeEnded(call_id, language, str(content))
    elif kind == "error":
        yield ev.Notice("error", str(content))
    elif kind == "message":
        if content:
            yield ev.MessageDelta(without_tags(str(content)))
            yield ev.MessageEnded()
        if "name" in call:
            name, arguments = str(call["name"]), str(call.get("arguments") or "")
            yield ev.ToolCalled(call_id, name, title_of(name, arguments), arguments)


def title_of(name: str, arguments: str) -> str:
    """One line for a person: the tool's name and its first short text argument. `arguments` is JSON, maybe broken."""
    try:
        values: Any = json.loads(arguments or "{}")
    except ValueError:
        return name
    known = cast("dict[str, Any]", values) if isinstance(values, dict) else {}
    texts = [one for one in known.values() if isinstance(one, str)]
    first = " ".join(texts[0].split()) if texts else ""
    return f"{name} {first[:80]}".rstrip()


def _from_computer(message: Message, call_id: str, content: Any) -> Iterator[ev.Event]:
    kind, form = message.get("type"), str(message.get("format") or "")
    if message.get("recipient") == "assistant" or not call_id:
        return
    if kind == "console" and form != "active_line" and content:
        yield ev.ConsoleOutput(call_id, str(content))
    elif kind == "error":
        yield ev.ConsoleOutput(call_id, str(content), error=True)
    elif kind == "image" and form == "path":
        yield ev.ImageOutput(call_id, str(content).rpartition(".")[2].lower(), "", str(content))
    elif kind == "image" and form.startswith("base64"):
        yield ev.ImageOutput(call_id, form.partition(".")[2] or "png", str(content))
    elif kind == "code":
        yield ev.RichOutput(call_id, form, str(content))


def _ended(open_calls: dict[str, dict[str, Any]], all_of: bool) -> Iterator[ev.Event]:
    """Ends of the calls that have their results; with `all_of`, the others were given up."""
    for call_id in list(open_calls):
        facts = open_calls[call_id]
        if not facts and not all_of:
            continue
        del open_calls[call_id]
        yield from _proposed(call_id, facts)
        if not facts:
            yield ev.ApprovalResolved("", call_id, "cancelled")
            continue
        note = str(facts.get("note") or "")
        if facts.get("rejected"):
            yield ev.ApprovalResolved("", call_id, "reject", note)
        code = facts.get("exit_code")
        yield ev.CallEnded(
            call_id,
            bool(facts.get("ok", True)),
            outcome(facts),
            float(facts.get("seconds") or 0.0),
            code if isinstance(code, int) else None,
            note,
        )


def _proposed(call_id: str, facts: dict[str, Any]) -> Iterator[ev.Event]:
    """The plan that a call put before the person, and what they said to it."""
    meta = cast("dict[str, Any]", facts.get("meta") if isinstance(facts.get("meta"), dict) else {})
    plan, said = meta.get("proposed"), meta.get("said")
    if isinstance(plan, str) and plan:
        yield ev.PlanProposed(call_id, plan)
        if isinstance(said, str) and said:
            yield ev.QuestionAnswered("", call_id, (said,))


def outcome(facts: dict[str, Any]) -> str:
    """One short phrase for the facts of a result (`calls.Result.facts`): the summary that its tool gave, if it did."""
    if facts.get("rejected"):
        return "declined"
    if facts.get("interrupted"):
        return "interrupted"
    if facts.get("timed_out"):
        return "timed out"
    if facts.get("exit_code"):
        return f"exit {facts['exit_code']}"
    meta: Any = facts.get("meta")
    told = cast("dict[str, Any]", meta).get("summary") if isinstance(meta, dict) else None
    return str(told) if told else "ok" if facts.get("ok", True) else "failed"

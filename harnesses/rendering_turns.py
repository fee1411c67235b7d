"""The history as turns: what was said to the model and what it answered, each call with its result.

All wires are rendered from these. Here is what they have in common: a result stands with its call, wherever it is in
the history; whatever a person said in between comes after; a call without a result gets one that says so; code that
another harness wrote becomes a call of this harness's own code tool.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, cast
from zlib import crc32

from harnesses.data import Binding, Env, Options, Surface
from oi_tui.protocol.calls import Result
from oi_tui.protocol.dataclass import dataclass
from oi_tui.protocol.lmc import Message

_FOR_MODEL = (None, "assistant")
_FROM_INPUT = {"python": "python3 -", "javascript": "node -", "ruby": "ruby -", "r": "Rscript -", "sql": "sqlite3"}
_LONGEST_ID = 64  # characters; OpenAI refuses longer ones


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that a model can be shown: base64 text and its kind (`png`, `jpeg`, …)."""

    data: str
    kind: str

    @property
    def media_type(self) -> str:
        return f"image/{'jpeg' if self.kind == 'jpg' else self.kind}"


@dataclass(frozen=True, slots=True)
class Spoken:
    """Something said to the model, with pictures; never empty."""

    text: str = ""
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Called:
    """A call in an answer, with its result. arguments: the text of a JSON object. observed: not empty."""

    id: str
    name: str
    arguments: str
    observed: str
    ok: bool
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Thought:
    """A block of reasoning as its provider wants it back: `block`, and the texts that belong into it.

    It came after `text` characters of the answer and `calls` calls.
    """

    texts: tuple[str, ...]
    text: int
    calls: int
    block: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer: its text, then its calls; never empty."""

    text: str = ""
    calls: tuple[Called, ...] = ()
    reasoning: str = ""
    signature: str = ""

    def thoughts(self, wire: str, model: str) -> list[Thought]:
        """The thoughts that can be sent back to `model` over `wire`: those that it sealed itself."""
        return list(_marked(self.signature, self.reasoning, wire, model))


Turn = Spoken | Answered


class Rendered:
    """The turns of the last request, so that the next one makes only those that are new.

    Messages of a history are replaced, never changed, so the same objects mean the same turns, as long as nothing else
    that a turn depends on has changed.
    """

    def __init__(self) -> None:
        self._for: tuple[Env, bool, bool] | None = None
        self._turns: dict[tuple[int, ...], tuple[list[Message], list[Turn]]] = {}

    def turns(self, harness: Surface, runs: Iterator[list[Message]], env: Env, options: Options) -> Iterator[Turn]:
        """The turns of these runs, made or remembered."""
        depends = (env, options.vision, harness.uses_tools)
        known = self._turns if depends == self._for else {}
        self._for, self._turns = depends, {}
        for run in runs:
            key = tuple(map(id, run))
            entry = known.get(key) or (run, list(_made(harness, run, env, options)))
            self._turns[key] = entry  # holds the messages, so that no other object gets their ids
            yield from entry[1]


def turns(harness: Surface, history: Sequence[Message], env: Env, options: Options) -> Iterator[Turn]:
    """The conversation without the system prompt, in order."""
    visible = [one for one in history if one.get("recipient") in _FOR_MODEL]
    return harness.rendered.turns(harness, _runs(visible), env, options)


def _made(harness: Surface, run: list[Message], env: Env, options: Options) -> Iterator[Turn]:
    if run[0]["role"] != "assistant":
        yield from _spoken(run[0], options)
    elif harness.uses_tools:
        yield from _answered(harness, run, env, options)
    else:
        yield from _answered_as_text(harness, run, env, options)


def _runs(history: Sequence[Message]) -> Iterator[list[Message]]:
    """Cut the history into answers, each with the results of its calls, and what others said.

    A result is known by the id of its call, wherever it stands; what stands between a call and its result follows.
    """
    index = 0
    while index < len(history):
        if history[index]["role"] != "assistant":
            yield [history[index]]
            index += 1
            continue
        run: list[Message] = []
        while index < len(history) and history[index]["role"] == "assistant":
            run.append(history[index])
            index += 1
        open_ids = {one["call"]["id"] for one in run if "call" in one}
        late: list[Message] = []
        while index < len(history) and open_ids and history[index]["role"] != "assistant":
            one = history[index]
            (run if one.get("call", {}).get("id") in open_ids else late).append(one)
            index += 1
        yield run
        for one in late:
            yield [one]


def _split(run: Sequence[Message]) -> tuple[list[Message], dict[str, list[Message]]]:
    """What the model said, and the results by the id of their call."""
    results: dict[str, list[Message]] = {}
    for one in run:
        if one["role"] == "computer":
            results.setdefault(one["call"]["id"], []).append(one)
    return [one for one in run if one["role"] == "assistant"], results


def _answered(harness: Surface, run: Sequence[Message], env: Env, options: Options) -> Iterator[Answered]:
    said, results = _split(run)
    text = "".join(_text_of(one) for one in said if not _is_call(one))
    called = (_called(harness, one, results, env, options) for one in said if _is_call(one))
    calls = tuple(one for one in called if one.observed)  # a policy may drop calls without a result
    if text.strip() or calls:
        yield Answered(
            text if text.strip() else "",
            calls,
            "".join(one.get("reasoning", "") for one in said),
            "".join(one.get("signature", "") for one in said),
        )


def _answered_as_text(harness: Surface, run: Sequence[Message], env: Env, options: Options) -> Iterator[Turn]:
    """Text mode: code as fences, results as what the other speaker says."""
    said, results = _split(run)
    parts: list[str] = []
    for one in said:
        if one["type"] == "code":
            parts.append(harness.as_block(one["content"], one.get("format", "")))
        elif _is_call(one):
            parts.append(harness.as_text(one["call"]["name"], one["call"].get("arguments", "")))
        elif _text_of(one).strip():
            parts.append(_text_of(one).strip())
    if parts:
        yield Answered("\n\n".join(parts))
    for one in said:
        if "call" in one and one["call"]["id"] in results:
            found = results[one["call"]["id"]]
            read = arguments_of(one["call"].get("arguments", ""))
            text, _ = _worded(harness, one["call"]["name"], read, found, env, options)
            yield Spoken(text, _pictures(found, options))


def fenced(code: str, language: str) -> str:
    """A code block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code.rstrip(chr(10))}\n{fence}"


def _is_call(one: Message) -> bool:
    return one["type"] == "code" or "call" in one


def _text_of(one: Message) -> str:
    return one["content"] if isinstance(one.get("content"), str) else ""


_written = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def compact(value: Any) -> str:
    """JSON without spaces, not escaped to ASCII: how arguments are written everywhere."""
    return _written(value)


def _called(harness: Surface, one: Message, results: dict[str, list[Message]], env: Env, options: Options) -> Called:
    """A call in this harness's own vocabulary: code becomes its code tool, whatever harness wrote it."""
    call = one.get("call") or {"id": f"code_{crc32(_text_of(one).encode('utf-8', 'replace')):08x}", "name": ""}
    name, arguments = call["name"], call.get("arguments", "")
    binding = harness.binding(name, env)
    if one["type"] == "code" and (binding is None or not binding.code_field):
        own = code_tool(harness.tools(env))
        if own is not None:
            name, arguments = own.name, compact(rewritten(own, one["content"], one.get("format", "")))
    found, read = results.get(call["id"], []), arguments_of(arguments)
    text, ok = _worded(harness, name, read, found, env, options)
    return Called(call["id"], name, _valid(harness, name, arguments, read), text, ok, _pictures(found, options))


def code_tool(tools: Sequence[Binding]) -> Binding | None:
    """The tool that runs code, best in any language; None where there is none."""
    able = [tool for tool in tools if tool.code_field]
    return next((tool for tool in able if tool.language_field), able[0] if able else None)


def rewritten(own: Binding, code: str, language: str) -> dict[str, str]:
    """Arguments of this harness's own code tool for code that another harness's tool ran. A tool for one language only
    gets the others as what its shell would take: a here-document for their program."""
    if own.language_field:
        return {own.language_field: language, own.code_field: code}
    return {own.code_field: code if language in {own.language, ""} else as_shell(code, language)}


def as_shell(code: str, language: str) -> str:
    """Code as a shell takes it: a here-document for the program of its language."""
    if language in {"shell", "bash", "sh", ""}:
        return code
    return f"{_FROM_INPUT.get(language, language)} <<'EOF'\n{code.rstrip(chr(10))}\nEOF"


def arguments_of(arguments: str) -> dict[str, Any] | None:
    """The arguments object of a call, None where there is none to be read."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _valid(harness: Surface, name: str, arguments: str, value: dict[str, Any] | None) -> str:
    """Arguments as the model wrote them if they are an object, which `value` is then, else wrapped so that the provider
    takes them back."""
    if value is None:
        return compact({"unreadable": arguments}) if arguments.strip() not in {"", "null"} else "{}"
    shown = harness.echo(name, value)
    return compact(shown) if shown is not value or harness.policy.compact_arguments else arguments


def result_of(found: Sequence[Message]) -> Result | None:
    """The Result that these computer messages hold, None when there is none."""
    for one in found:
        facts = one.get("call", {}).get("result")
        if facts is not None:
            return Result.from_facts(facts, _text_of(one))
    return None


def _worded(
    harness: Surface, name: str, read: dict[str, Any] | None, found: Sequence[Message], env: Env, options: Options
) -> tuple[str, bool]:
    """The result for the model, and whether all went well."""
    result = result_of(found)
    if result is None:
        return harness.policy.orphan, False
    pictures = [] if options.vision else [f"[{one}]" for one in result.meta.get("pictures", ())]
    text = "\n".join(part for part in (harness.word(name, result, read or {}, env), *pictures) if part)
    return (text if text.strip() else "(no output)"), result.ok


def _pictures(found: Sequence[Message], options: Options) -> tuple[Picture, ...]:
    if not options.vision:
        return ()
    return tuple(part for one in found if one["type"] == "image" for part in [_picture(one)] if part is not None)


def _picture(one: Message) -> Picture | None:
    form = one.get("format") or ""
    return Picture(one["content"], form.partition(".")[2] or "png") if form.startswith("base64") else None


def _spoken(one: Message, options: Options) -> Iterator[Spoken]:
    """What a person said, and outputs that belong to no call."""
    if one["type"] == "image":
        part = _picture(one) if options.vision else None
        if part is not None:
            yield Spoken(pictures=(part,))
        elif one.get("format") == "description" and _text_of(one).strip():
            yield Spoken(_text_of(one))
    elif one["type"] in {"message", "file", "console"} and _text_of(one).strip():
        yield Spoken(_text_of(one))


def _marked(signature: str, reasoning: str, wire: str, model: str) -> Iterator[Thought]:
    """Reads what `oi_tui/models/wires/thought_marks.py` writes; what is not of that kind is skipped."""
    for line in signature.splitlines():
        try:
            mark = json.loads(line)
            if mark["wire"] != wire or mark["model"] != model:
                continue
            spans: list[list[int]] = mark["spans"]
            texts = tuple(reasoning[start:end] for start, end in spans)
            if all(len(text) == end - start for text, (start, end) in zip(texts, spans, strict=True)):
                yield Thought(texts, mark["text"], mark["calls"], mark["block"])
        except (ValueError, KeyError, TypeError):
            continue


@lru_cache(maxsize=8192)  # every request writes all of them again
def plain_id(id: str) -> str:
    """A call's id as every provider takes it: letters, digits, `_` and `-`, not too long, still one of its kind."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", id)
    if plain == id and 0 < len(plain) <= _LONGEST_ID:
        return id
    return f"{plain[: _LONGEST_ID - 9]}_{crc32(id.encode('utf-8', 'replace')):08x}"


class PlainIds:
    """Ids of one request's calls with letters, digits, `_` and `-` only, each once: `Read:0`, `Read.0` become `Read_0`,
    `Read_0_2`. Given in the order of the calls, they are the same in every later request."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, id: str) -> str:
        """The id that is sent for `id`, a call of its own."""
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", id)[:_LONGEST_ID] or "call"
        made, number = plain, 1
        while made in self._taken:
            number += 1
            made = f"{plain[: _LONGEST_ID - len(str(number)) - 1]}_{number}"
        self._taken.add(made)
        return made


@lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """The name of a tool as every provider takes it, also one that a model made up."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_LONGEST_ID] or "unknown"

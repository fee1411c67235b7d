"""The harness of the built-in model: a small model that writes one block of code for one request.

No tools, no loop: a short fixed prompt with a greeting and six examples (the part that stays in the prompt cache), the
newest few exchanges, up to two worked requests that resemble the new one, the request. The first fenced block of the
answer is the call, its slips mended; anything else is text. Once the code has run well, its output is the answer; after
a failure the model gets the error text once, at a higher temperature: at none it repeats itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from harnesses.base import RUN, Harness, with_plan_notes
from harnesses.code_repair import looks_like_python, repaired
from harnesses.data import Env, Limits, Options, Parsed, Piece, PlanNote, Reader
from harnesses.examples import nearest
from harnesses.planning import in_words
from harnesses.written_calls import WrittenCallReader
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import Message

ANSWER = 320  # tokens of an answer: enough for a page of code, and an end for a model that does not find one
EXCHANGES = 4  # earlier requests that are sent along at most
EARLIER = 800  # tokens of them at most: a small model is slow to read and easily led astray
NEWEST = 2100  # tokens of the newest request with its code and errors at most; all together stays below 4096
OUTPUT = 400  # characters of an output that are kept for later requests
ERROR = 900  # characters of an error that are shown, from its end

SIMILAR = 2  # worked requests that are shown if they resemble the new one
SIMILAR_TOKENS = 300  # of them at most
AGAIN = 0.5  # temperature of the second attempt

GREETING = ("good morning", "Good morning! What shall I do?")

EXAMPLES: tuple[tuple[str, str, str], ...] = (
    (
        "how many days until 14 february?",
        "python",
        "from datetime import date\n\ntoday = date.today()\nday = date(today.year, 2, 14)\n"
        "if day < today:\n    day = day.replace(year=today.year + 1)\nprint((day - today).days)",
    ),
    (
        "show the 3 largest files",
        "python",
        "import os\n\nfiles = [f for f in os.listdir() if os.path.isfile(f)]\n"
        "print(sorted(files, key=os.path.getsize)[-3:])",
    ),
    (
        "sum of price in orders.csv",
        "python",
        'import csv\n\nwith open("orders.csv") as f:\n    print(sum(float(row["price"]) for row in csv.DictReader(f)))',
    ),
    (
        "set the delay in timer.json to 30",
        "python",
        'import json\n\nwith open("timer.json") as f:\n    data = json.load(f)\ndata["delay"] = 30\n'
        'with open("timer.json", "w") as f:\n    json.dump(data, f, indent=2)\nprint(data)',
    ),
    ("make a folder named backup", "bash", 'mkdir -p backup && echo "made backup"'),
    (
        "plot the squares of 0 to 10 to squares.png",
        "python",
        "import matplotlib.pyplot as plt\n\nx = range(11)\nplt.plot(x, [n * n for n in x])\n"
        'plt.savefig("squares.png")\nprint("saved squares.png")',
    ),
)

FAILED = "That failed:"
# What refers back to an earlier request, or goes on from it.
_BACK = re.compile(
    r"\b(?:it|its|them|they|that|those|these|this|one|ones|he|she|there)\b|^(?:and|now|but|or|und|et|y|e)\b",
    re.IGNORECASE,
)
_TRACEBACK = "Traceback (most recent call last):"
_OWN_LINE = re.compile(r'^  File "<cell \d+>", line \d+.*\n    (.+)', re.MULTILINE)  # as the Python kernel names blocks
_ONLY_BLOCK = re.compile(r"\s*(`{3,})[^`\n]*\n(.*?)\n?\1\s*", re.DOTALL)
_MISSING = re.compile(r"No module named '([\w.]+)'")


class EmbeddedHarness(Harness):
    """One request, one block of code, no tools. Made for Qwen2.5-Coder 1.5B and 0.5B, good for other small models."""

    id: ClassVar[str] = "embedded"
    title: ClassVar[str] = "small local models: one block of code per request"
    project_files: ClassVar[tuple[tuple[str, ...], ...]] = ()
    uses_tools: bool = False
    limits: ClassVar[Limits] = Limits(steps=2)  # the second attempt is the last: a third rescued nothing
    single_step: ClassVar[bool] = True  # code that ran well ends the turn: its output is the answer
    trims: ClassVar[bool] = True

    def system(self, env: Env) -> str:
        """The prompt, or the person's own system message, what it must not use, then their instructions."""
        parts = (env.system_message or _prompt(), _not_here(env.python), env.custom_instructions)
        return "\n\n".join(part.strip() for part in parts if part.strip())

    def build(self, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
        """A Chat Completions body: system, examples, the newest exchanges as far as they fit."""
        messages = [{"role": "system", "content": self.system(env)}, *_pair(*GREETING)]
        for request, language, code in EXAMPLES:
            messages += _pair(request, _fenced(language, code))
        newest = self._newest(with_plan_notes(self, history, env), env)
        messages += newest
        again = bool(newest) and history[-1]["role"] == "computer" and newest[-1]["content"].startswith(FAILED)
        return {
            "model": options.model,
            "messages": messages,
            "max_tokens": ANSWER if options.max_tokens is None else options.max_tokens,
            "temperature": (AGAIN if again else 0) if options.temperature is None else options.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def left_out(self, history: Sequence[Message]) -> int:
        exchanges = _exchanges(history)
        if not exchanges:
            return 0
        rendered = self._render(exchanges[-1])
        whole = sum(len(one["content"]) for one in rendered)
        return whole - sum(len(one["content"]) for one in _shortened(rendered)) if len(rendered) == 1 else 0

    def plan_note(self, note: PlanNote, env: Env) -> str:
        return in_words(note)

    def plan_of(self, text: str) -> str:
        """Small models know no tags: what they say is the plan."""
        return text.strip()

    def reader(self, env: Env) -> Reader:
        """Takes the first block in a language of `env`; further blocks are shown as text."""
        return _MendingReader(env.languages)

    def observe(self, name: str, result: Result) -> str:
        """The output, shortened; after a failure the heart of the error and what is wanted now."""
        text = result.text.strip()
        if result.rejected:
            return "I did not let that code run." + (f" {result.note}" if result.note else "")
        if result.ok:
            return f"Output:\n{_middle_out(text, OUTPUT) or '(nothing)'}"
        why = "It took too long and was stopped." if result.timed_out else (result.note or "")
        if result.interrupted:
            return "\n".join(part for part in ("I stopped that code.", why) if part)
        error = "\n".join(part for part in (_heart(text), why) if part) or f"exit code {result.exit_code}"
        missing = _MISSING.search(text)
        wanted = f"without {missing[1]}, which is not installed" if missing else "without this error"
        return f"{FAILED}\n{error}\n\nWrite the whole code again {wanted}."

    def _newest(self, history: Sequence[Message], env: Env) -> list[dict[str, str]]:
        exchanges = _exchanges(history)
        if not exchanges:
            return []
        similar = _similar(exchanges[-1], follows=len(exchanges) > 1)
        if env.user_files:
            _append(exchanges[-1], env.user_files)
        rendered = [self._render(exchange) for exchange in exchanges[-1 - EXCHANGES :]]
        kept = similar + _shortened(rendered.pop())
        left = EARLIER
        while rendered and (cost := sum(_tokens(one["content"]) for one in rendered[-1])) <= left:
            left -= cost
            kept = rendered.pop() + kept
        return _alternating(kept)

    def _render(self, exchange: list[Message]) -> list[dict[str, str]]:
        said: list[dict[str, str]] = []
        for message in exchange:
            role, kind, content = message["role"], message["type"], message.get("content")
            text = content if isinstance(content, str) else ""
            if role == "computer" and kind == "console":
                call: dict[str, Any] = message.get("call") or {}
                result = Result.from_facts(call.get("result") or {}, text)
                said.append({"role": "user", "content": self.observe(call.get("name", RUN.name), result)})
            elif role == "assistant" and kind == "code":
                said.append({"role": "assistant", "content": _fenced(message.get("format") or "python", text)})
            elif role in ("user", "assistant") and kind in ("message", "file") and text.strip():
                said.append({"role": role, "content": text.strip()})
        return said


class _MendingReader(WrittenCallReader):
    """Takes the first block or written call, and mends what small models get wrong in it.

    An answer that is one block with the tag of a file's kind, `json` above a program that changes a JSON file, is that
    program.
    """

    may_begin = re.compile(rf"{WrittenCallReader.may_begin.pattern}|^[ \t]*(?=```)", re.MULTILINE | re.IGNORECASE)

    def meant(self, text: str) -> tuple[str, Call | None]:
        whole = _ONLY_BLOCK.fullmatch(text)
        if whole is not None and looks_like_python(whole[2]):
            return "", Call("block_1", RUN.name, {"language": "python", "code": whole[2]}, raw=whole[2])
        return super().meant(text)

    def finish(self) -> tuple[Sequence[Piece], Parsed]:
        pieces, parsed = super().finish()
        if parsed.unclosed or parsed.stop == "length":
            return pieces, parsed  # half of a block is not to be mended
        return pieces, replace(parsed, calls=tuple(_mended(call) for call in parsed.calls))


def _mended(call: Call) -> Call:
    language, code = repaired(str(call.args["language"]), str(call.args["code"]))
    return replace(call, args={"language": language, "code": code}, raw=code)


def _pair(request: str, answer: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": request}, {"role": "assistant", "content": answer}]


def _similar(exchange: Sequence[Message], follows: bool) -> list[dict[str, str]]:
    """Worked requests like the one that `exchange` begins with. They stand right before it: further up they are not
    heeded. None is shown to a request that refers back: "delete them" would be taken for deleting what they delete."""
    content = next((one.get("content") for one in exchange if one["type"] == "message"), "")
    if not isinstance(content, str) or (follows and _BACK.search(content)):
        return []
    shown: list[dict[str, str]] = []
    left = SIMILAR_TOKENS
    for one in reversed(nearest(content[:500], SIMILAR)):
        left -= _tokens(one.request) + _tokens(one.answer)
        if left >= 0:
            shown = _pair(one.request, one.answer) + shown
    return shown


def _heart(error: str) -> str:
    """The message of a Python traceback and the line of the block that it came from; the end of any other error."""
    before, _, trace = error.rpartition(_TRACEBACK)
    _, *said = re.split(r"\n(?=\S)", trace)
    if not (before or error.startswith(_TRACEBACK)) or not said:
        return error[-ERROR:]
    lines = _OWN_LINE.findall(trace)
    return "\n".join(said)[-ERROR:] + (f"\nin this line: {lines[-1]}" if lines else "")


@cache
def _prompt() -> str:
    return (Path(__file__).parent / "prompts" / "embedded.md").read_text(encoding="utf-8").strip()


def _not_here(python: str) -> str:
    """One sentence if pandas is not among the packages, the first of which are named in `python`.

    Small models read a CSV file with it by habit, and one of the two attempts is lost.
    """
    names = re.split(r"[ ,]+", python)
    return "" if not python or "pandas" in names else "pandas is not installed: read CSV files with the module csv."


def _fenced(language: str, code: str) -> str:
    mark = "```"
    while mark in code:
        mark += "`"
    return f"{mark}{'bash' if language == 'shell' else language}\n{code}\n{mark}"


def _tokens(text: str) -> int:
    """Estimate: four characters a token, but a token for each character beyond ASCII."""
    wide = sum(1 for one in text if ord(one) > 127)
    return (len(text) - wide) // 4 + wide + 4


def _exchanges(history: Sequence[Message]) -> list[list[Message]]:
    """The history cut before each request of the person; what came before the first one is left out."""
    exchanges: list[list[Message]] = []
    for message in history:
        # A note that the program wrote in the person's place (`recipient`) is part of what went before.
        begins = message["role"] == "user" and not message.get("recipient")
        # Attachments and the text they belong to are one request.
        if begins and not (exchanges and all(one["role"] == "user" for one in exchanges[-1])):
            exchanges.append([])
        if exchanges:
            exchanges[-1].append(message)
    return exchanges


def _append(exchange: list[Message], text: str) -> None:
    """Put `text` below the words of the request that `exchange` begins with."""
    for index, one in enumerate(exchange):
        if one["role"] == "user" and one["type"] == "message":
            exchange[index] = {**one, "content": f"{one['content']}\n\n{text}"}
            return


def _shortened(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """The newest exchange within NEWEST tokens: its request and its end stay, long texts lose their middle."""
    if len(messages) > 5:
        messages = [messages[0], *messages[-4:]]
    while sum(_tokens(one["content"]) for one in messages) > NEWEST:
        longest = max(messages, key=lambda one: _tokens(one["content"]))
        longest["content"] = _middle_out(longest["content"], len(longest["content"]) * 3 // 4)
    return messages


def _middle_out(text: str, limit: int) -> str:
    """`text` within about `limit` characters: its beginning and its end, with a mark between."""
    if len(text) <= limit:
        return text
    half = max(1, (limit - 5) // 2)
    return f"{text[:half]}\n...\n{text[-half:]}"


def _alternating(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """Neighbours of one role joined: chat templates of small models want them to take turns."""
    joined: list[dict[str, str]] = []
    for one in messages:
        if joined and joined[-1]["role"] == one["role"]:
            joined[-1] = {**one, "content": f"{joined[-1]['content']}\n\n{one['content']}"}
        else:
            joined.append(one)
    return joined

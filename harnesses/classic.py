"""The prompting of classic Open Interpreter: one system message of the caller's, one way to run code, no other tools.

It is in no registry: the Python API makes it from the attributes of an `OpenInterpreter`, so that programs written for
that class send what they always sent. Facts: the attributes `system_message`, `user_message_template`,
`code_output_template`, … and the clean-ups of code as in Open Interpreter 0.4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from harnesses.arguments import read_arguments
from harnesses.data import Binding, Env, Parsed, Piece, Reader, Wire, WirePolicy
from harnesses.native import NativeHarness
from harnesses.native_results import observe_code
from harnesses.rendering_turns import compact, fenced, result_of
from oi_tui.protocol.calls import Call, Result
from oi_tui.protocol.lmc import Message, message
from oi_tui.protocol.stream import Delta

PLACE = "{content}"  # what a template puts the text in the place of
_NOT_CODE = frozenset({"text", "markdown", "plaintext"})  # "languages" that are words for the person


@dataclass(frozen=True, slots=True)
class Wording:
    """What a program chose to tell the model.

    system: the whole system message. how_to_run: added to it for models that write code into their text. user: template
    around the person's last message, or around all (`every`). output, no_output: around what code printed, in text
    mode, said by `sender` (user or assistant).
    """

    system: str
    how_to_run: str = ""
    user: str = PLACE
    every: bool = False
    output: str = PLACE
    no_output: str = ""
    sender: str = "user"


class ClassicHarness(NativeHarness):
    """`execute` alone, or fenced code; no context but the system message."""

    id: ClassVar[str] = "classic"
    title: ClassVar[str] = "programs written for Open Interpreter"
    wires: ClassVar[tuple[Wire, ...]] = ("chat", "messages", "responses")
    policy: WirePolicy = WirePolicy(orphan="This was not run.", plain_text=False)

    def __init__(self, wording: Wording, *, text: bool) -> None:
        super().__init__(text)
        self._wording = wording

    def system(self, env: Env) -> str:
        """What the program wrote, and how to run code where that is not a tool."""
        parts = (self._wording.system, "" if self.uses_tools else self._wording.how_to_run)
        return "\n".join(part for part in parts if part)

    def bindings(self, env: Env) -> Sequence[Binding]:
        return [one for one in super().bindings(env) if one.executor == "code"]

    def preamble(self, env: Env) -> Sequence[Message]:
        return ()

    def decorate(self, history: Sequence[Message], env: Env) -> Sequence[Message]:
        """The person's words in their template; output as the model's own words where the program wants that."""
        said = [index for index, one in enumerate(history) if _is_said(one)]
        shown = list(history)
        for index in said if self._wording.every else said[-1:]:
            text = self._wording.user.replace(PLACE, str(history[index]["content"]))
            if text != history[index]["content"]:
                shown[index] = {**history[index], "content": text}
        if self.uses_tools or self._wording.sender == "user":
            return shown
        return [_as_own_words(one) for one in shown]

    def reader(self, env: Env) -> Reader:
        return _Cleaning(super().reader(env))

    def observe(self, name: str, result: Result) -> str:
        if self.uses_tools or result.rejected or result.meta.get("not_run"):
            return observe_code(result)
        plain = result.ok and not result.note
        text = result.text.strip() if plain else observe_code(result)
        if not text:
            return self._wording.no_output
        return text if self._wording.sender == "assistant" else self._wording.output.replace(PLACE, text)


def _is_said(one: Message) -> bool:
    return one["role"] == "user" and one["type"] == "message" and one.get("recipient") is None


def _as_own_words(one: Message) -> Message:
    """An output as a fence in the model's answer; anything else as it is."""
    if one["role"] != "computer" or one["type"] != "console":
        return one
    result = result_of([one])
    text = observe_code(result) if result is not None and not result.ok else str(one["content"])
    return message("assistant", "message", f"\n{fenced(text.strip() or 'No output', 'output')}\n")


class _Cleaning:
    """A reader whose calls are cleaned of what models wrongly put around code."""

    def __init__(self, inner: Reader) -> None:
        self._inner = inner

    def feed(self, delta: Delta) -> Sequence[Piece]:
        return self._inner.feed(delta)

    def finish(self) -> tuple[Sequence[Piece], Parsed]:
        pieces, parsed = self._inner.finish()
        return pieces, replace(parsed, calls=tuple(map(_cleaned, parsed.calls)))


def _cleaned(call: Call) -> Call:
    code, language = call.args.get("code"), str(call.args.get("language") or "python")
    if not isinstance(code, str):
        return call
    made = clean(language, code)
    if made == (language, code):
        return call
    args = {**call.args, "language": made[0], "code": made[1]}
    return replace(call, args=args, raw=compact(args))


def clean(language: str, code: str) -> tuple[str, str]:
    """(language, code) without what models wrongly put around code: a stray backtick, a call of `functions.execute`,
    `executeexecute` at the end, the arguments as JSON instead of the code."""
    language = language.strip().lower()
    if code.startswith("`\n"):
        code = code[2:].strip()
    if code.startswith("functions.execute("):
        inner = _object(code.removeprefix("functions.execute(").rstrip().removesuffix(")"))
        if inner is not None:
            return inner
    if code.strip().endswith("executeexecute"):
        code = code.replace("executeexecute", "")
    squeezed = re.sub(r"\s", "", code[:200])
    if squeezed.startswith(('{"language":', "{language:")):
        named = re.sub(r"^\s*\{\s*language\s*:", '{"language":', code)
        inner = _object(re.sub(r",\s*code\s*:", ', "code":', named, count=1))
        if inner is not None:
            return inner
    return language, code


def _object(text: str) -> tuple[str, str] | None:
    """(language, code) of a JSON object with just these two, None for anything else."""
    try:
        args = read_arguments(text)
    except ValueError:
        return None
    if set(args) != {"language", "code"} or not all(isinstance(one, str) for one in args.values()):
        return None
    return args["language"].strip().lower(), args["code"]


def is_text(language: str) -> bool:
    """Whether a block of this "language" is words for the person, not something to run."""
    return language.strip().lower() in _NOT_CODE

"""minimal: a prompt of two sentences and the tools of `native` as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from harnesses.base import prompt
from harnesses.data import Binding, Env, Options, Wire, WirePolicy
from harnesses.families import toggles_thinking
from harnesses.native import NativeHarness
from oi_tui.protocol.lmc import Message


class MinimalHarness(NativeHarness):
    """For models that need no advice, and for comparing: what a model does by itself.

    No context messages, so no skills, and no patch grammar: what the model has to know of the machine it asks the tools
    for.
    """

    id: ClassVar[str] = "minimal"
    title: ClassVar[str] = "any model with tool calls, left to itself"
    project_files: ClassVar[tuple[tuple[str, ...], ...]] = ()
    wires: ClassVar[tuple[Wire, ...]] = ("chat",)
    policy: WirePolicy = WirePolicy(empty_assistant="empty", token_key="")

    def system(self, env: Env) -> str:
        parts = (env.system_message or prompt("minimal"), env.custom_instructions)
        return "\n\n".join(part for part in parts if part)

    def bindings(self, env: Env) -> Sequence[Binding]:
        # Without context messages nothing would say which skills there are.
        return [one for one in super().bindings(env) if one.executor not in {"patch", "skill"}]

    def preamble(self, env: Env) -> Sequence[Message]:
        return ()

    def build(self, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
        body = super().build(history, env, options)
        if body.pop("reasoning_effort", None) is not None and toggles_thinking(options.model):
            body["thinking"] = {"type": "disabled" if options.effort == "none" else "enabled"}
        return body

"""Requests put together from the parts of a session, and what the harness says about the calls that come back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import harnesses
from harnesses.data import Binding, Env, Options, Wire
from oi_tui.protocol.calls import Call
from oi_tui.protocol.lmc import Message, message
from oi_tui.session.harness_faults import blamed
from oi_tui.session.parts import Parts

if TYPE_CHECKING:
    from oi_tui.computer.computer import Computer
    from oi_tui.session.connection import Connection
_ROOMY = 16_384  # tokens of a window


class Engine(Parts):
    """The parts of one session, and what they say about a request and a call."""

    async def connect(self) -> Connection:
        """As `Parts.connect`; in OS mode the screen is looked at first."""
        if self.settings.os_mode and self.screen == (0, 0):
            from oi_tui.session.os_mode import screen_of

            self.screen = await screen_of(await self.open_computer(), self.cwd)
        return await super().connect()

    async def request_body(
        self, history: list[Message], request: str, session_id: str, most: int | None = None
    ) -> dict[str, Any]:
        """The body of the next request in the harness's own words. `request`: what the person said last. most: tokens
        of the answer that can be paid for, None for any."""
        return self.plain_body(await self.with_pictures(history), request, session_id, most)

    def plain_body(
        self, history: list[Message], request: str, session_id: str, most: int | None = None
    ) -> dict[str, Any]:
        """The same without reading the pictures that a message names by their path."""
        env = self.request_env()
        if self.harness.single_step:
            from oi_tui.session.named_files import named_files

            env = replace(env, user_files=named_files(request, self.cwd))
        with blamed(self.harness):
            return self.harness.build(history, env, self.options(history, session_id, most))

    def blank_body(self) -> dict[str, Any]:
        """The body of a request before anything was said: what every request holds."""
        with blamed(self.harness):
            return self.harness.build([], self.request_env(), self.options([], ""))

    async def with_pictures(self, history: list[Message]) -> list[Message]:
        """`history` with its pictures as the model can be shown them."""
        if self.connection is None or not any(one["type"] == "image" for one in history):
            return history
        if self._fitting is None:
            from oi_tui.session.pictures import Fitting

            self._fitting = Fitting()
        sees = self.connection.info.vision
        limits = self.connection.pictures
        if self.screen != (0, 0):
            from oi_tui.session.os_mode import budget

            limits = replace(limits, most=min(limits.most, budget(history, self.settings.os_screenshots)))
        return await asyncio.to_thread(self._fitting.shown, list(history), limits, sees)

    def warm_body(self, session_id: str) -> dict[str, Any] | None:
        """A body whose beginning every request will share, where that makes the first answer faster."""
        if not self.harness.single_step:
            return None
        history = [message("user", "message", "hello")]
        return self.harness.build(history, self.request_env(), self.options(history, session_id))

    def request_env(self) -> Env:
        """`env`, its instructions led by what is to be known of where code runs and of the languages there.

        Small models get no notes on languages, and neither do those whose harness has nothing but a shell to run them
        with: they would only be led astray.
        """
        from oi_tui.session.backend import told

        if self._notes is None:
            self._notes = (told(self.settings.backend), self.computer.system_message())
        with blamed(self.harness):
            env = self.env
            notes = self._notes if self._runs_languages(env) else self._notes[:1]
        # Where a window has little room, results alone tell of the sandbox.
        held = self.sandbox.instructions() if self.window >= _ROOMY else ""
        return replace(env, custom_instructions="\n\n".join(filter(None, (held, *notes, env.custom_instructions))))

    def let_go(self, computer: Computer) -> None:
        """Close a computer that is given up, in the background; the end of the session waits for it."""
        closing = asyncio.ensure_future(computer.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def forget_instructions(self) -> None:
        """The person has changed what the model is told: it is put together anew with the next request."""
        self._env, self._collected, self._skills_told = None, frozenset(), False

    def _runs_languages(self, env: Env) -> bool:
        harness = self.harness
        if harness.single_step or not harness.uses_tools:
            return not harness.single_step
        return any(one.executor == "code" for one in harness.tools(env))

    def options(self, history: list[Message], session_id: str, most: int | None = None) -> Options:
        """The knobs of a request that holds `history`. Raises ModelError if the harness cannot ask this model."""
        assert self.connection is not None, "a request is built after the client is there"
        llm = self.settings.llm
        sees = any(one["type"] == "image" for one in history) and self.connection.info.vision
        return Options(
            self.connection.request_model,
            self._longest(most),
            llm.temperature,
            vision=sees,
            session_id=session_id,
            wire=self._wire(),
            effort=self.effort,
            summary=llm.reasoning_summary,
            computer_tool=self._computer_tool(),
        )

    def _computer_tool(self) -> str:
        """The type of the computer tool, where the model's own maker is asked."""
        if self.screen == (0, 0) or self.connection is None or self.connection.provider != "anthropic":
            return ""
        from oi_tui.models.computer_versions import version_for

        return version_for(self.connection.request_model)

    def _longest(self, most: int | None) -> int | None:
        """The limit of an answer: what the person set, less if the money does not last for it."""
        assert self.connection is not None
        wanted = self.settings.llm.max_tokens
        if most is None or most >= (wanted or self.connection.info.output):
            return wanted
        return most

    def _wire(self) -> Wire:
        """The wire of the model, if the harness has it. Raises ModelError."""
        assert self.connection is not None
        wire = self.connection.client.wire
        if wire not in self.harness.wires:
            from oi_tui.models.client import BadRequest

            raise BadRequest(
                harnesses.wrong_wire(self.harness.id, self.harness.wires, self.model, wire),
                hint="/harness shows which ones can ask it, /model which models there are",
            )
        return wire

    def binding_of(self, call: Call) -> Binding | None:
        """How a call is carried out: by the harness's tool of that name; None when it has none."""
        return self.harness.binding(call.name, self.env)

    def code_of(self, call: Call) -> tuple[str, str] | None:
        """(language, code) of a call that runs code and can be read, else None."""
        binding = self.binding_of(call)
        if call.error is not None or binding is None or not binding.code_field:
            return None
        code = call.args.get(binding.code_field)
        language = str(call.args.get(binding.language_field) or binding.language)
        if not isinstance(code, str):
            return None
        return self.computer.canonical(language) or language, code

    def call_for(self, id: str, language: str, code: str) -> Call:
        """The call by which this harness runs a block that it has not written itself."""
        from harnesses.base import RUN
        from harnesses.rendering_turns import code_tool, compact, rewritten

        tool = code_tool(self.harness.tools(self.env)) or RUN
        arguments = rewritten(tool, code, language)
        return Call(id, tool.name, dict(arguments), compact(arguments))

    def title_of(self, call: Call) -> str:
        """One line on a call for a person."""
        binding = self.harness.binding(call.name, self.env)
        if binding is None or binding.title is None:
            return call.name or "call without a name"
        return binding.title(call.args)

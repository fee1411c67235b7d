"""`OpenInterpreter`: a conversation that a program drives. Names, defaults and meaning as in Open Interpreter 0.4."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from oi_tui.faces.api import texts
from oi_tui.faces.api.computer import Computer
from oi_tui.faces.api.llm import Llm
from oi_tui.faces.api.program import InterpreterError

if TYPE_CHECKING:
    from oi_tui.faces.api.engine import Engine
    from oi_tui.protocol.events import TurnEnded
    from oi_tui.settings import Layer, Settings


__all__ = ["InterpreterError", "OpenInterpreter"]


class OpenInterpreter:
    """One conversation, with a computer of its own.

    messages: LMC dicts, to be read, changed and assigned at any time between turns. What concerns services that are
    gone (telemetry, contribution of conversations) is kept as data: nothing is ever sent. Of ours: `harness`
    ("classic" prompts as that program did, any other id, or "auto", as the app does), `trust_placeholders` (run what
    stands in `{{ }}` in a system message), `last_stop` (how the last turn ended). offline: no model beyond this machine
    is looked for; one that is named is asked. skills_path, import_skills: where Python code finds functions that were
    kept, and that they are defined in its kernel. speak_messages: answers are read aloud.
    """

    def __init__(
        self,
        messages: list[dict[str, Any]] | None = None,
        offline: bool = False,
        auto_run: bool = False,
        verbose: bool = False,
        debug: bool = False,
        max_output: int = 2800,
        safe_mode: str = "off",
        shrink_images: bool = True,
        loop: bool = False,
        loop_message: str = texts.LOOP_MESSAGE,
        loop_breakers: list[str] | None = None,
        disable_telemetry: bool = False,
        in_terminal_interface: bool = False,
        conversation_history: bool = True,
        conversation_filename: str | None = None,
        conversation_history_path: str | None = None,
        os: bool = False,
        speak_messages: bool = False,
        llm: Llm | None = None,
        system_message: str | None = None,
        custom_instructions: str = "",
        user_message_template: str = "{content}",
        always_apply_user_message_template: bool = False,
        code_output_template: str = texts.OUTPUT_TEMPLATE,
        empty_code_output_template: str = texts.EMPTY_OUTPUT_TEMPLATE,
        code_output_sender: str = "user",
        computer: Computer | None = None,
        sync_computer: bool = False,
        import_computer_api: bool = False,
        skills_path: str | None = None,
        import_skills: bool = False,
        multi_line: bool = True,
        contribute_conversation: bool = False,
        plain_text_display: bool = False,
    ) -> None:
        self.messages: list[dict[str, Any]] = [] if messages is None else messages
        self.offline, self.auto_run, self.verbose, self.debug = offline, auto_run, verbose, debug
        self.max_output, self.safe_mode, self.shrink_images = max_output, safe_mode, shrink_images
        self.loop, self.loop_message = loop, loop_message
        self.loop_breakers: list[str] = list(texts.LOOP_BREAKERS) if loop_breakers is None else loop_breakers
        self.disable_telemetry, self.in_terminal_interface = disable_telemetry, in_terminal_interface
        self.conversation_history, self.conversation_filename = conversation_history, conversation_filename
        self._history_path = conversation_history_path
        self.os, self.speak_messages = os, speak_messages
        self.system_message = texts.system_message() if system_message is None else system_message
        self.custom_instructions = custom_instructions
        self.user_message_template = user_message_template
        self.always_apply_user_message_template = always_apply_user_message_template
        self.code_output_template = code_output_template
        self.empty_code_output_template = empty_code_output_template
        self.code_output_sender = code_output_sender
        self.sync_computer, self.multi_line = sync_computer, multi_line
        self.contribute_conversation, self.plain_text_display = contribute_conversation, plain_text_display
        self.highlight_active_line = True
        self.max_turns: int | None = None
        self.max_budget: float | None = None
        self.max_retries_per_code_block = 3
        self.harness = "classic"
        self.trust_placeholders = False
        self.last_messages_count = 0
        self.last_stop: TurnEnded | None = None
        self.llm = Llm(self) if llm is None else llm
        self.llm.interpreter = self
        self.computer = Computer(self) if computer is None else computer
        self.computer.interpreter = self
        self.computer.max_output = max_output
        self.computer.import_computer_api = import_computer_api
        self.computer.import_skills = import_skills
        self.skills_path = skills_path
        self._engine_here: Engine | None = None
        self._busy = threading.Lock()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    # ---- talking

    @overload
    def chat(
        self, message: Any = None, display: bool = True, stream: Literal[False] = False, blocking: bool = True
    ) -> list[dict[str, Any]]: ...
    @overload
    def chat(
        self, message: Any = None, display: bool = True, *, stream: Literal[True], blocking: bool = True
    ) -> Generator[dict[str, Any], None, None]: ...
    def chat(self, message: Any = None, display: bool = True, stream: bool = False, blocking: bool = True) -> Any:
        """Say something to the model and have done what it takes.

        message: a text, an LMC dict, or a list of them that takes the place of `messages`; None talks to the person at
        the terminal until they leave. display: show the turn in the terminal, and ask there before code runs.
        stream: give the chunks while they come; taking the next chunk after a confirmation approves it, closing the
        generator declines it or stops what runs. blocking: False works in the background, see `wait`.

        Returns the new messages. Without `auto_run`, and where nobody is asked (neither display nor stream), code that
        the model writes is not run. Raises InterpreterError, and protocol.lmc.InvalidMessage for a malformed message.
        """
        if message is None and not display:
            raise ValueError("say something: interpreter.chat('…'), or let the person talk with display=True")
        if stream:
            return self._streaming_chat(message, display)
        if not blocking:
            self._failure = None
            self._thread = threading.Thread(target=self._in_background, args=(message, display), daemon=True)
            self._thread.start()
            return None
        for _ in self._streaming_chat(message, display, asks=display):
            pass
        return self.messages[self.last_messages_count :]

    def _in_background(self, message: Any, display: bool) -> None:
        try:
            for _ in self._streaming_chat(message, display, asks=display):
                pass
        except BaseException as error:
            self._failure = error

    def wait(self) -> list[dict[str, Any]]:
        """Wait for a turn in the background. Returns its messages; raises what went wrong in it."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        return self.messages[self.last_messages_count :]

    @property
    def responding(self) -> bool:
        """Whether a turn runs."""
        return self._busy.locked()

    def _streaming_chat(
        self, message: Any = None, display: bool = True, asks: bool = True
    ) -> Generator[dict[str, Any], None, None]:
        if message is None:
            from oi_tui.faces.api.terminal import converse

            yield from converse(self)
            return
        from oi_tui.faces.api.messages import read

        given = read(message)
        if isinstance(message, list):
            self.messages = list(given)
        else:
            self.messages.extend(given)
        self.last_messages_count = len(self.messages)
        chunks = self._respond_and_store(asks)
        if display:
            from oi_tui.faces.api.terminal import displayed

            chunks = displayed(self, chunks)
        try:
            yield from chunks
        finally:
            chunks.close()

    def _respond_and_store(self, asks: bool = True) -> Generator[dict[str, Any], None, None]:
        """A turn on the messages as they are: a block that stands last is run, else the model is asked."""
        from oi_tui.faces.api.respond import respond

        yield from respond(self, asks)

    # ---- state

    def reset(self) -> None:
        """Forget the conversation, and what the languages keep."""
        self.computer.terminate()
        self.messages = []
        self.last_messages_count = 0
        self.last_stop = None

    def close(self) -> None:
        """Release all that this instance holds: kernels, connections, temporary files. It can be used again."""
        if self._engine_here is not None:
            self._engine_here.close()
            self._engine_here = None
        self.computer.close()

    @property
    def conversation_history_path(self) -> str:
        """The folder that conversations are saved in."""
        return self._history_path if self._history_path is not None else str(Path(self.get_oi_dir()) / "conversations")

    @conversation_history_path.setter
    def conversation_history_path(self, path: str) -> None:
        self._history_path = path

    @property
    def sync_computer(self) -> bool:
        """Never: what code does with its `computer` is not carried over to the program's."""
        return False

    @sync_computer.setter
    def sync_computer(self, wanted: bool) -> None:
        if wanted:
            warnings.warn(
                "sync_computer is not there: the kernel's `computer` keeps a state of its own; pass values to code by "
                "interpreter.computer.run",
                stacklevel=2,
            )

    @property
    def anonymous_telemetry(self) -> bool:
        """Never: nothing is sent."""
        return False

    @property
    def will_contribute(self) -> bool:
        """Never: nothing is sent."""
        return False

    def get_oi_dir(self) -> str:
        """The folder that this program keeps its files in."""
        from oi_tui import paths

        return str(paths.home())

    def display_message(self, markdown: str) -> None:
        """Show Markdown in the terminal, as plain text with `plain_text_display`."""
        from oi_tui.faces.api.terminal import show_markdown

        show_markdown(markdown, plain=self.plain_text_display)

    def settings(self) -> Settings:
        """What the next turn works with: config file, default profile, environment, then the attributes."""
        from dataclasses import replace

        from oi_tui.settings import load

        loaded = load(profile=_default_profile)
        for problem in loaded.problems:
            warnings.warn(f"{problem.text}{f'; {problem.hint}' if problem.hint else ''}", stacklevel=2)
        settings = replace(loaded.settings, llm=replace(loaded.settings.llm))
        self.llm.settings_into(settings)
        settings.auto_run = False
        settings.approval_policy, settings.safe_mode = "auto" if self.auto_run else "ask", self.safe_mode
        settings.os_mode = settings.os_mode or self.os
        settings.loop = False  # `respond` prompts, in the program's own words
        settings.speak_messages, settings.verbose = self.speak_messages, self.verbose or self.debug
        settings.offline = settings.offline or (self.offline and not self.llm.chosen)  # a model by name is meant
        settings.max_output = max(200, self.max_output)
        settings.conversation_history = False  # a program's conversations are files of their own, see storage.py
        settings.block_timeout = 0 if settings.block_timeout is None else settings.block_timeout
        settings.max_retries_per_code_block = self.max_retries_per_code_block
        settings.harness = "auto" if self.harness in {"", "classic"} else self.harness
        settings.system_message = settings.custom_instructions = ""  # the attributes say what the model is told
        if self.max_turns is not None:
            settings.max_turns = self.max_turns
        if self.max_budget is not None:
            settings.max_budget = float(self.max_budget)
        return settings

    def _engine(self) -> Engine:
        if self._engine_here is None:
            from oi_tui.faces.api.engine import Engine

            self._engine_here = Engine(self)
        return self._engine_here

    def _prewarm(self) -> None:
        self._engine().prewarm()


def _default_profile(name: str) -> Layer:
    """The profile that is configured, else the default one, for what a program has not set itself. One that is a
    program is left alone: it sets attributes of an interpreter of its own."""
    from oi_tui.extensions import profiles
    from oi_tui.settings import Layer, Problem

    try:
        if profiles.is_address(name) or (source := profiles.find(name)).python:
            return Layer(name)
    except profiles.ProfileError as error:
        return Layer(name, (), (Problem(str(error), error.hint),))
    return profiles.layer(source)

"""`interpreter.llm`: which model is asked, and how. Attributes and defaults as in Open Interpreter 0.4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oi_tui.faces.api.completions import Completions
    from oi_tui.faces.api.program import Program
    from oi_tui.models.catalog import ModelInfo
    from oi_tui.session.connection import Connection
    from oi_tui.settings import Settings

DEFAULT = "gpt-4o"
_EXECUTION_INSTRUCTIONS = (
    "To run code on the user's machine, write one fenced code block with the language after the fence, such as "
    "```python, and stop there. You will be given its output."
)


class Llm:
    """How the model is asked.

    model: as litellm writes it; assigning it chooses that model, while the default stands for whatever can be asked.
    temperature: sent whenever it is not None. supports_functions, supports_vision: None leaves it to what is known of
    the model. execution_instructions: for models that are offered no tools. completions: a function to ask instead,
    see completions.py. max_budget: US dollars of a conversation.
    """

    def __init__(self, interpreter: Program | None = None) -> None:
        self.interpreter = interpreter
        self._model, self.chosen = DEFAULT, False
        self._is_loaded = False
        self.temperature: float | None = 0.0
        self.supports_vision: bool | None = None
        self.supports_functions: bool | None = None
        self.vision_renderer: Any = None
        self.execution_instructions: str = _EXECUTION_INSTRUCTIONS
        self.context_window: int | None = None
        self.max_tokens: int | None = None
        self.api_base: str | None = None
        self.api_key: str | None = None
        self.api_version: str | None = None
        self.max_budget: float | None = None
        self.completions: Completions | None = None

    @property
    def model(self) -> str:
        """The model that was chosen, else the default."""
        return self._model

    @model.setter
    def model(self, name: str) -> None:
        self._model, self.chosen, self._is_loaded = name, True, False

    def load(self) -> None:
        """Find the model and have it ready for its first answer: a server loads it, built-in weights are read. Raises
        models.client.ModelError."""
        if self._is_loaded:
            return
        if self.interpreter is not None:
            self.interpreter._prewarm()
        self._is_loaded = True

    def run(self, messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Ask once: LMC messages in, chunks with type, format and content out; nothing is run or stored. The first of
        the messages may be a system message. Raises models.client.ModelError."""
        if self.interpreter is None:
            raise ValueError("this Llm belongs to no interpreter; use interpreter.llm")
        from oi_tui.faces.api.asking import ask

        yield from ask(self.interpreter, messages)

    def settings_into(self, settings: Settings) -> None:
        """Write what the program chose over `settings`."""
        llm = settings.llm
        if self.chosen:
            settings.model = self._model
        for name in ("context_window", "max_tokens", "api_base", "api_key", "api_version"):
            if getattr(self, name):
                setattr(llm, name, getattr(self, name))
        for name in ("supports_vision", "supports_functions", "temperature"):
            if getattr(self, name) is not None:
                setattr(llm, name, getattr(self, name))
        if self.max_budget is not None:
            settings.max_budget = float(self.max_budget)

    def connection(self) -> Connection | None:
        """A connection to the program's own function, None where a provider is asked."""
        if self.completions is None:
            return None
        from oi_tui.faces.api.completions import FunctionClient
        from oi_tui.session.connection import Connection

        extra = {
            name: getattr(self, name)
            for name in ("api_key", "api_base", "api_version")
            if getattr(self, name)
        }  # fmt: skip
        client = FunctionClient(self._model, self.completions, extra)
        return Connection(self._model, self._model, client, self._facts, provider="completions")

    def _facts(self) -> ModelInfo:
        from dataclasses import replace

        from oi_tui.models import catalog

        info = catalog.look_up(self._model.rpartition("/")[2], "", local=False, told={}, overrides={}, written="")
        return replace(
            info,
            context=self.context_window or info.context,
            vision=info.vision if self.supports_vision is None else self.supports_vision,
        )

"""What a session may use up: money, steps of a turn, retries of one block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harnesses.data import Made
from oi_tui.protocol.stream import Usage

_REMEMBERED = 200  # blocks that failed, of a session

if TYPE_CHECKING:
    from oi_tui.models.catalog import ModelInfo

SHORT_ANSWER = 256  # tokens: a request that cannot even buy so much is not sent

_SAVED = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens", "estimated", "spent")


@dataclass(slots=True)
class Budget:
    """Running totals in tokens and US dollars. `spent` and `turn_spent` stay None until a priced response has come.

    context: tokens of the last request and its answer. cached: how many of them the provider had kept from before.
    """

    max_budget: float | None = None
    max_turns: int | None = None
    max_retries: int = 3
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    context: int = 0
    cached: int = 0
    estimated: bool = False
    spent: float | None = None
    turn_spent: float | None = None
    steps: int = 0
    timeouts: int = 0  # in a row
    made: list[Made] = field(default_factory=lambda: list[Made]())  # calls of this turn
    _failures: dict[tuple[str, str], int] = field(default_factory=lambda: dict[tuple[str, str], int]())
    _causes: dict[tuple[str, str], str] = field(default_factory=lambda: dict[tuple[str, str], str]())  # of the session

    def new_turn(self) -> None:
        """Steps and failures count from zero in every turn; the money of the session does not."""
        self.steps = self.timeouts = 0
        self.made = []
        self.turn_spent = None
        self._failures.clear()

    def count(self, usage: Usage, cost: float | None, *, aside: bool = False) -> None:
        """Add one response; `cost` in US dollars, None where no price is known. aside: it is not a part of the
        conversation, and says nothing on how full the window is."""
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.cached_tokens += usage.cached_tokens
        self.reasoning_tokens += usage.reasoning_tokens
        if not aside:
            self.context, self.cached = usage.input_tokens + usage.output_tokens, usage.cached_tokens
        self.estimated = self.estimated or usage.estimated
        if cost is not None:
            self.spent = (self.spent or 0.0) + cost
            self.turn_spent = (self.turn_spent or 0.0) + cost

    def totals(self) -> dict[str, Any]:
        """What is saved with the session."""
        return {name: getattr(self, name) for name in _SAVED}

    def go_on(self, totals: Mapping[str, Any]) -> None:
        """Count on from the totals of a saved session."""
        for name in _SAVED:
            value = totals.get(name)
            if isinstance(value, int | float) and value >= 0:
                setattr(self, name, value)

    def forget(self) -> None:
        """A new session begins: nothing was used yet."""
        self.input_tokens = self.output_tokens = self.cached_tokens = self.reasoning_tokens = 0
        self.context = self.cached = 0
        self.spent, self.turn_spent, self.estimated = None, None, False

    def why_stop(self, harness_cost: float | None = None) -> str:
        """One sentence if no further step may be taken, else "". harness_cost: US dollars, the harness's limit."""
        if self.max_turns is not None and self.steps >= self.max_turns:
            return f"the turn took {self.steps} steps, the most that max_turns allows"
        if harness_cost is not None and self.max_budget is None and (self.spent or 0.0) >= harness_cost:
            return f"this session has cost ${self.spent or 0:.4f}, the limit of its harness is ${harness_cost:g}"
        return ""

    def failed_before(self, language: str, code: str, cause: str) -> str:
        """Note why this block failed. Returns why it did when it failed before in this session, "" if it did not."""
        key = (language, code.strip())
        before = self._causes.pop(key, "")
        self._causes[key] = cause
        if len(self._causes) > _REMEMBERED:
            del self._causes[next(iter(self._causes))]
        return before

    def too_dear(self, info: ModelInfo, tokens: int, cached: int, answer: int) -> str:
        """One sentence if a request of `tokens` (of these `cached`) and an answer of `answer` tokens would exceed the
        budget, with what it would cost; "" if it may be sent."""
        cost = info.cost(tokens, min(answer, SHORT_ANSWER), cached)
        if self.max_budget is None or not cost or (self.spent or 0.0) + cost <= self.max_budget:
            return ""
        return (
            f"the next request would cost about {dollars(cost)} ({tokens:,} tokens and a short answer); this session "
            f"has cost {dollars(self.spent or 0.0)} of the {dollars(self.max_budget)} that max_budget allows"
        )

    def affordable(self, info: ModelInfo, tokens: int, cached: int) -> int | None:
        """The longest answer in tokens that the budget still pays for, None for any."""
        if self.max_budget is None or not info.output_price:
            return None
        left = self.max_budget - (self.spent or 0.0) - (info.cost(tokens, 0, cached) or 0.0)
        return max(1, int(left * 1e6 / info.output_price))

    def failed(self, language: str, code: str) -> bool:
        """Note that this block failed. True when it has now failed as often as is allowed."""
        key = (language, code.strip())
        self._failures[key] = self._failures.get(key, 0) + 1
        return self._failures[key] >= self.max_retries


def dollars(amount: float) -> str:
    """US dollars for a person: cents, or as many places as a small sum needs."""
    if amount >= 1 or amount == 0:
        return f"${amount:.2f}"
    return f"${amount:.4f}" if amount >= 0.0001 else f"${amount:.6f}"

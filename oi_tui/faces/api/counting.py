"""Tokens and their price, as classic programs ask for them. Nothing is fetched: the vocabulary is here as a file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


def count_tokens(text: str = "", model: str = "gpt-4") -> int:
    """Tokens of `text`, by the vocabulary cl100k; exact for some models, close for others."""
    from oi_tui.models import tokens

    tokens.prepare()
    return tokens.count(text)


def token_cost(tokens: int = 0, model: str = "gpt-4") -> float:
    """US dollars of that many tokens of input, 0 where no price is known."""
    from oi_tui.models import catalog

    price = catalog.look_up(model.rpartition("/")[2]).input_price
    return round(tokens * (price or 0.0) / 1e6, 6)


def count_messages_tokens(messages: Iterable[Any] = (), model: str | None = None) -> tuple[int, float]:
    """(tokens, US dollars) of messages: LMC dicts, or texts such as a system message."""
    total = 0
    for one in messages:
        content = one.get("content", "") if isinstance(one, dict) else one
        total += count_tokens(content if isinstance(content, str) else json.dumps(content, default=str))
    return total, token_cost(total, model or "gpt-4")

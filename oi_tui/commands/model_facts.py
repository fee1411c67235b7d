"""What a model is, for the person whose choice hovers over it: window, price, abilities, and who would be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oi_tui.models.catalog import ModelInfo
    from oi_tui.session.session import Session


def about(session: Session, name: str) -> str:
    """A few lines; the first says the most."""
    from oi_tui.models.client import ModelError
    from oi_tui.models.embedded.choice import is_embedded

    if is_embedded(name):
        return _embedded(name)
    from oi_tui.session.connection import asked, facts

    try:
        info = facts(session.settings, name)
    except (ModelError, ValueError) as error:
        return f"{name}: {error}"
    provider, url, wire = asked(session.settings, name)
    where = " · ".join(part for part in (provider, url, f"wire {wire}" if wire else "") if part)
    return "\n".join(line for line in (f"{name}: {_window(info)}", _price(info), _abilities(info), where) if line)


def _embedded(name: str) -> str:
    from oi_tui.models.client import ModelError
    from oi_tui.models.embedded.choice import choose

    try:
        chosen = choose(name)
    except ModelError as error:
        return f"{name}: {error}"
    here = "its weights are here" if chosen.present else "its weights are fetched once, after a question"
    return f"{chosen.name}: runs on this machine, costs nothing, works without a network\n{here}"


def _window(info: ModelInfo) -> str:
    if not info.known:
        return f"its window is not known, {info.context:,} tokens are assumed"
    return f"{info.context:,} tokens, answers up to {info.output:,}"


def _price(info: ModelInfo) -> str:
    if info.input_price is None or info.output_price is None:
        return "price not known"
    if not info.input_price and not info.output_price:
        return "costs nothing"
    cached = f", ${info.cached_price:g} for what it has read before" if info.cached_price is not None else ""
    return f"a million tokens: ${info.input_price:g} in, ${info.output_price:g} out{cached}"


def _abilities(info: ModelInfo) -> str:
    said = ["takes tools" if info.tools else "no tools: code comes in fences"]
    said.append("sees pictures" if info.vision else "sees no pictures")
    if info.reasoning:
        said.append(f"thinks, {', '.join(info.efforts)}" if info.efforts else "thinks")
    return " · ".join(said)

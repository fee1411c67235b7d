"""The first start: which models can be used here, found in the environment and on this machine."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oi_tui import paths

if TYPE_CHECKING:
    from oi_tui.settings import Settings


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a model. found: what was found, in a few words; model: its name, as `/model` takes it, "" for none;
    detail: what choosing it means."""

    found: str
    model: str
    detail: str = ""


def is_first() -> bool:
    """Whether the program has never been used here: no settings, no sessions."""
    return not paths.config_file().exists() and not paths.sessions().exists()


async def ways(settings: Settings) -> list[Way]:
    """Keys that are set, local servers that answer, the built-in model. Never raises; takes as long as the servers."""
    servers, keys = await asyncio.gather(_servers(), asyncio.to_thread(_keys, settings))
    return [*keys, *servers, *_built_in()]


def _keys(settings: Settings) -> list[Way]:
    from oi_tui.models import providers
    from oi_tui.models.client import ModelError

    try:
        usable = providers.with_key(settings.model_providers)
    except ModelError:  # a broken table is told when the model is used
        return []
    made: list[Way] = []
    for one in usable:
        variable = next((name for name in one.key_env if os.environ.get(name, "").strip()), "a stored key")
        made.append(Way(variable, f"{one.id}/{one.default}" if one.default else "", one.name))
    return made


async def _servers() -> list[Way]:
    from oi_tui.models import discovery

    made: list[Way] = []
    for server in await discovery.find():
        count = len(server.models)
        name = f"{server.provider}/{server.models[0].id}" if count else ""
        detail = f"{count} model{'s' * (count != 1)}" if count else server.pull or "no models yet"
        made.append(Way(f"{server.name} at {server.root}", name, detail))
    return made


def _built_in() -> list[Way]:
    from oi_tui.models.embedded.choice import available, choose

    if not available():
        return []
    chosen = choose("embedded")
    size = f"{chosen.weights.size / 1e9:.1f} GB" if chosen.weights else ""
    detail = "here, works offline" if chosen.present else f"{size} to fetch once: it asks first, then works offline"
    return [Way("the built-in model", "embedded", detail)]

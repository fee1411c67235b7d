"""Which failures another model can help with, and how that model is reached."""

from __future__ import annotations

from copy import copy

from oi_tui.models.client import (
    ModelError,
    ModelNotFound,
    QuotaError,
    RateLimited,
    ServerFailed,
    StreamBroken,
    Unreachable,
)
from oi_tui.session.connection import NoModel
from oi_tui.settings import Settings

_PASSING = (Unreachable, ServerFailed, RateLimited, StreamBroken)  # may be over by the next turn
_LASTING = (QuotaError, ModelNotFound, NoModel)


def helps(error: ModelError) -> bool:
    """Whether another model may answer where this one failed, after its own retries."""
    return isinstance(error, (*_PASSING, *_LASTING))


def passes(error: ModelError) -> bool:
    """Whether it is sensible to go back to the first model with the next turn."""
    return isinstance(error, _PASSING)


def settings_for(settings: Settings, name: str) -> Settings:
    """The settings to reach a fallback with. The address, key and window that a person gave belong to the first model;
    a fallback shares them if its name has the same provider in front, or none."""
    prefix, slash, _ = name.partition("/")
    same = not slash or prefix.lower() == settings.model.partition("/")[0].lower()
    from oi_tui.models.embedded.choice import is_embedded

    if same and not is_embedded(name):
        return settings
    own = copy(settings)
    own.model_provider = ""
    own.llm = copy(settings.llm)
    own.llm.api_base = own.llm.api_key = own.llm.wire_api = ""
    own.llm.context_window = own.llm.supports_vision = None
    return own

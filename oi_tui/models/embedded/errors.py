"""What can go wrong with the built-in model."""

from __future__ import annotations

from oi_tui.models.client import ModelError


class EmbeddedError(ModelError):
    """The built-in model cannot be fetched, loaded or run. str() is the cause, `hint` the next step."""

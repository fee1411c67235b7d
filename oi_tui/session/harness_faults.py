"""Faults of harnesses that did not come with the program: told with their place, and the session goes on."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import harnesses
from harnesses.added import where
from harnesses.base import Harness
from oi_tui.models.client import ModelError

_HINT = "oi harness test {id} checks it; /harness chooses another one"


class HarnessFailed(ModelError):
    """An added harness cannot be loaded, or has a fault."""


def loaded(harness_id: str) -> Harness:
    """The harness of that id. Raises HarnessFailed."""
    try:
        return harnesses.load(harness_id)
    except harnesses.UnknownHarness as error:
        raise HarnessFailed(str(error), hint=_HINT.format(id=harness_id)) from error


@contextmanager
def blamed(harness: Harness) -> Generator[None]:
    """Errors out of an added harness become HarnessFailed, which says where to look."""
    try:
        yield
    except ModelError:
        raise
    except Exception as error:  # somebody else's code may raise anything
        if harness.id in harnesses.BUILT_IN:
            raise
        text = f"the harness {harness.id} failed: {type(error).__name__}: {error}{where(error)}"
        raise HarnessFailed(text, hint=_HINT.format(id=harness.id)) from error

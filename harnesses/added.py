"""Harnesses that did not come with the program: from installed packages, and files in the person's own folder."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any

from oi_tui import paths

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from harnesses.base import Harness

GROUP = "oi_tui.harnesses"
_PACKAGE = Path(__file__).parent
_ID = re.compile(r"[a-z0-9][a-z0-9_.-]*")


class BrokenHarness(Exception):
    """A harness that is there but does not load; the text says why."""


def folder() -> Path:
    """Where a person puts harnesses of their own, one file each."""
    return paths.home() / "harnesses"


def found() -> Mapping[str, Path | EntryPoint]:
    """Where each added harness comes from, by id; a file wins over a package. Imports none of them."""
    from importlib.metadata import entry_points

    places: dict[str, Path | EntryPoint] = {one.name: one for one in entry_points(group=GROUP)}
    try:
        files = sorted(folder().glob("*.py"))
    except OSError:
        files = []
    places.update((one.stem, one) for one in files if _ID.fullmatch(one.stem))
    return places


def describe(harness_id: str) -> str:
    """Where an added harness comes from: a list must not run its code."""
    place = found().get(harness_id)
    if isinstance(place, Path):
        return f"your own, {place}"
    return f"from the package {place.dist.name}" if place is not None and place.dist is not None else ""


def load(harness_id: str) -> Harness | None:
    """The added harness of that id, None when there is none. Raises BrokenHarness."""
    from harnesses.base import Harness

    place = found().get(harness_id)
    if place is None:
        return None
    try:
        made = (_class_in(place) if isinstance(place, Path) else place.load())()
    except Exception as error:  # somebody else's code may raise anything
        raise BrokenHarness(
            f"the harness {harness_id} does not load: {type(error).__name__}: {error}{where(error)}"
        ) from error
    if not isinstance(made, Harness):
        raise BrokenHarness(f"the harness {harness_id} is no subclass of harnesses.base.Harness")
    if not made.id:
        type(made).id = harness_id
    return made


def where(error: BaseException) -> str:
    """Where an error came from: ` (line N of FILE)`, the last one in a file that is not of this package."""
    own = [one for one in extract_tb(error.__traceback__) if Path(one.filename).parent != _PACKAGE]
    return f" (line {own[-1].lineno} of {own[-1].filename})" if own else ""


def _class_in(file: Path) -> Any:
    from harnesses.base import Harness

    spec = importlib.util.spec_from_file_location(f"oi_harness_{re.sub(r'[^a-z0-9]', '_', file.stem)}", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    own = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, Harness)]
    own = [one for one in own if one.__module__ == module.__name__]
    if len(own) != 1:
        raise ImportError(f"{file} must define one subclass of harnesses.base.Harness, not {len(own)}")
    return own[0]

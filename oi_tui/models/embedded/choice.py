"""Which weights a model name stands for on this machine, and whether they are there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from oi_tui import paths
from oi_tui.models.embedded import catalog, memory
from oi_tui.models.embedded.errors import EmbeddedError

ENOUGH = 4_000_000_000  # free bytes below which the smaller weights are taken: the larger ones use half of that


@dataclass(frozen=True, slots=True)
class Choice:
    """What will be loaded. name: `embedded/1.5b`, or the path of a person's own file. weights: None for an own file.

    why: one clause for a person, "" where there is nothing to explain.
    """

    name: str
    path: Path
    weights: catalog.Weights | None = None
    why: str = ""

    @property
    def title(self) -> str:
        """A short name for messages."""
        return self.name if self.weights else self.path.name

    @property
    def present(self) -> bool:
        """True when the file is there, whole."""
        return present(self.path, self.weights)


def available() -> bool:
    """True when the runtime (the `embedded` extra) is installed. Imports nothing."""
    return find_spec("xllamacpp") is not None


def is_embedded(model: str) -> bool:
    """True for names this room answers to: `embedded`, `embedded/…`, `embedded:…`, any path that ends in .gguf."""
    name = model.strip()
    return name.lower() == "embedded" or name.lower().startswith(("embedded/", "embedded:")) or _is_path(name)


def present(path: Path, weights: catalog.Weights | None = None) -> bool:
    """True when `path` is a whole GGUF file. Ours get their final name only after the checksum matched."""
    try:
        return path.is_file() and (weights is None or path.stat().st_size == weights.size)
    except OSError:
        return False


def choose(model: str = "embedded", folder: Path | None = None, free: int | None = None) -> Choice:
    """What `model` means here. `folder`: where weights are kept (default paths.models()); `free`: free bytes of memory.

    Raises EmbeddedError for a name that does not exist and for a file that is missing or is no GGUF.
    """
    name = model.strip()
    if name.lower() == "embedded":
        return _by_memory(folder or paths.models(), memory.free() if free is None else free)
    weights = catalog.find(name) if name.lower().startswith("embedded") else None
    if weights is not None:
        return _ours(weights, folder or paths.models())
    for prefix in ("embedded:", "embedded/"):
        if name.lower().startswith(prefix) and _is_path(name[len(prefix) :]):
            name = name[len(prefix) :]
    if not _is_path(name):
        known = ", ".join(f"embedded/{one.name}" for one in catalog.ALL)
        raise EmbeddedError(f"there is no built-in model {model!r}", hint=f"use embedded, {known} or a .gguf file")
    return _own(Path(name).expanduser().absolute())


def _is_path(name: str) -> bool:
    return name.lower().endswith(".gguf")


def _ours(weights: catalog.Weights, folder: Path, why: str = "") -> Choice:
    return Choice(f"embedded/{weights.name}", folder.absolute() / weights.file, weights, why)


def _by_memory(folder: Path, free: int) -> Choice:
    large, small = _ours(catalog.LARGE, folder), _ours(catalog.SMALL, folder)
    if free >= ENOUGH:
        if small.present and not large.present:
            return _ours(catalog.SMALL, folder, "the smaller weights are already here")
        return large
    if large.present and not small.present and free >= catalog.LARGE.memory:
        return _ours(catalog.LARGE, folder, "memory is short, but these weights are already here")
    return _ours(catalog.SMALL, folder, f"only {free / 1e9:.1f} GB of memory are free")


def _own(path: Path) -> Choice:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise EmbeddedError(
            f"cannot open {path}: {(error.strerror or str(error)).lower()}", hint="check the path of the .gguf file"
        ) from error
    if magic != b"GGUF":
        raise EmbeddedError(f"{path} is not a GGUF file", hint="use weights in the GGUF format of llama.cpp")
    return Choice(os.fspath(path), path)

"""What the model has read of a prompt, kept on disk, so that the next start need not read it again.

One file is one state of the runtime after it has read the messages that every request begins with. Its name says whose
state it is and what is in it: `STEM.KEY.SUM.state`, KEY standing for weights, runtime, window and messages, SUM for the
content. So a file appears whole under its name or not at all, a damaged one is known by its sum (the native runtime
would abort on it), and one of other weights or of another version is never looked at.

Kept are the few newest ones, readable by their owner alone: a person's own instructions are part of a prompt.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

from oi_tui import paths

MOST = 4  # files: two weights, each with and without instructions of one's own
LARGEST = 64_000_000  # bytes of one file; the whole prompt of the larger weights takes a sixth of it
_STALE = 3600  # seconds after which a half-written file has lost its writer


class PromptCache:
    """The states of one file of weights in `folder`, which is made when something is saved.

    path: the weights, absolute. runtime: what else a state depends on, in words (version, window).
    """

    def __init__(self, folder: Path, path: Path, runtime: str) -> None:
        self.folder = folder
        self._stem = stem_of(path.name)
        self._parts = 0
        with contextlib.suppress(OSError):
            about = path.stat()
            runtime = f"{runtime} {about.st_size} {about.st_mtime_ns}"
        self._runtime = runtime

    def find(self, messages: list[dict[str, Any]]) -> Path | None:
        """The whole state of the longest beginning of `messages` that was saved, None if there is none.

        A damaged file is deleted. The one that is given is the newest from now on.
        """
        try:
            names = {path.name: path for path in self.folder.iterdir()}
        except OSError:
            return None
        for count in range(len(messages), 0, -1):
            start = f"{self._stem}.{self._key(messages[:count])}."
            for name in [name for name in names if name.startswith(start) and name.endswith(".state")]:
                if _sum(names[name]) == name.removeprefix(start).removesuffix(".state"):
                    with contextlib.suppress(OSError):
                        os.utime(names[name])
                    return names[name]
                with contextlib.suppress(OSError):
                    names[name].unlink()
        return None

    def is_of(self, state: Path, messages: list[dict[str, Any]]) -> bool:
        """True when `state` was saved after exactly these messages."""
        return state.name.startswith(f"{self._stem}.{self._key(messages)}.")

    def part(self) -> Path | None:
        """Where to write the next state before `keep` gives it its name; None when nothing can be written there.

        On a disk that is nearly full nothing is: the runtime does not notice that the end of its file is missing.
        """
        self._parts += 1
        try:
            paths.private_dir(self.folder)
            if shutil.disk_usage(self.folder).free < 2 * LARGEST:
                return None
        except OSError:
            return None
        return self.folder / f"{os.getpid()}-{self._parts}.part"

    def keep(self, part: Path, messages: list[dict[str, Any]]) -> bool:
        """Name the written `part` after `messages` and its content, and make room for it. False if it is not kept."""
        try:
            part.chmod(0o600)
            found = _sum(part)
            if not found or part.stat().st_size > LARGEST:
                part.unlink()
                return False
            part.replace(self.folder / f"{self._stem}.{self._key(messages)}.{found}.state")
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()
            return False
        self._make_room()
        return True

    def _key(self, messages: list[dict[str, Any]]) -> str:
        text = json.dumps([self._runtime, messages], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _make_room(self) -> None:
        with contextlib.suppress(OSError):
            states: list[tuple[float, Path]] = []
            for path in self.folder.iterdir():
                written = path.stat().st_mtime
                if path.suffix == ".state":
                    states.append((written, path))
                elif path.suffix == ".part" and written < time.time() - _STALE:
                    path.unlink()
            for _, path in sorted(states, reverse=True)[MOST:]:
                path.unlink()


def folder_in(models: Path) -> Path:
    """Where the states lie, below the folder of the weights."""
    return models / "prompts"


def stem_of(name: str) -> str:
    """The beginning of the names of all states of the weights file `name`."""
    plain = "".join(one if one.isalnum() or one in "-_" else "-" for one in name.removesuffix(".gguf"))
    return f"{plain[:60]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def remove(folder: Path, name: str) -> int:
    """Delete the states of the weights file `name` in `folder`; the bytes that became free. Raises OSError."""
    freed = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name.startswith(f"{stem_of(name)}."):
            size = path.stat().st_size
            path.unlink(missing_ok=True)
            freed += size
    return freed


def _sum(path: Path) -> str:
    """The checksum of a file, "" when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]
    except OSError:
        return ""

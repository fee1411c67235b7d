"""Weights from the publisher, through huggingface_hub in a child process that can always be ended.

The child (this file, run as a module) says one JSON line when the publisher has answered and one when the file is
there. A machine without a way out costs a few seconds at most: no first line in time, and the caller goes elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from oi_tui.models.embedded import download
from oi_tui.models.embedded.catalog import Weights
from oi_tui.models.framed_child import end

_ANSWER = 15.0  # seconds for the publisher to answer, importing huggingface_hub included
_CONNECT = 5  # seconds for one connection


def possible(weights: Weights) -> bool:
    """True when there is a publisher's copy and a client to get it with, and the person did not say offline."""
    offline = os.environ.get("HF_HUB_OFFLINE", "").strip().lower() in {"1", "true", "yes", "on"}
    return bool(weights.repo) and not offline and find_spec("huggingface_hub") is not None


def folder_of(weights: Weights, folder: Path) -> Path:
    """Where the client keeps the growing file; it resumes from there."""
    return folder.absolute() / f".{weights.file}.hub"


async def fetch(weights: Weights, folder: Path, on_bytes: Callable[[int], None]) -> Path | None:
    """The publisher's file, unverified, below `folder`, or None when it cannot be had there now.

    on_bytes: bytes that lie in the growing file. Cancelling ends the child and keeps what has come.
    """
    place = folder_of(weights, folder)
    place.mkdir(exist_ok=True)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "oi_tui.models.embedded.official", weights.repo, weights.file, weights.sha256, str(place),
        cwd=Path(__file__).parents[3], env=_environment(),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        first = await _line(child, _ANSWER)
        if not first.get("answered"):
            return None
        return await _wait(child, place, on_bytes)
    finally:
        end(child)
        await child.wait()


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_XET": "1",  # plain HTTP ranges: resumes, and keeps no second copy in a cache
        "HF_HUB_ETAG_TIMEOUT": str(_CONNECT),
    }


async def _line(child: asyncio.subprocess.Process, seconds: float | None) -> dict[str, Any]:
    assert child.stdout is not None
    with contextlib.suppress(TimeoutError, ValueError):
        found = json.loads(await asyncio.wait_for(child.stdout.readline(), seconds))
        return found if isinstance(found, dict) else {}
    return {}


async def _wait(child: asyncio.subprocess.Process, place: Path, on_bytes: Callable[[int], None]) -> Path | None:
    last = asyncio.ensure_future(_line(child, None))
    clock = asyncio.get_running_loop().time
    seen, since = -1, clock()
    try:
        while not last.done():
            await asyncio.wait([last], timeout=0.2)
            now = download.bytes_below(place)
            if now != seen:
                seen, since = now, clock()
                on_bytes(now)
            elif clock() - since > download.STALL:
                return None
    finally:
        last.cancel()
    path = last.result().get("path")
    return Path(path) if isinstance(path, str) else None


def _child(repo: str, file: str, sha256: str, place: str) -> int:
    from huggingface_hub import (  # pyright: ignore[reportMissingImports]
        get_hf_file_metadata,
        hf_hub_download,
        hf_hub_url,
    )

    facts = get_hf_file_metadata(hf_hub_url(repo, file), token=False, timeout=_CONNECT)
    if len(facts.etag or "") == 64 and facts.etag != sha256:
        return 1  # the publisher has replaced the file: it would be fetched only to be refused
    _say({"answered": True})
    _say({"path": hf_hub_download(repo, file, local_dir=place, token=False)})
    return 0


def _say(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(_child(*sys.argv[1:5]))
    except Exception:  # whatever the hub's client raises means the same here: not from there
        sys.exit(1)

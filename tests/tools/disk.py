"""Real trouble with a disk: a full one, and one that the person may not write to."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Writing beyond `size` bytes of a file fails with EFBIG, as it fails with ENOSPC on a full disk."""
    import resource
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@contextlib.contextmanager
def as_nobody() -> Iterator[Path]:
    """A folder that belongs to this process without the rights of root, which no permission bits stop."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, 65534, 65534)
        os.setegid(65534)
        os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(0)
            os.setegid(0)


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder with its bytes and permission bits."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o7777)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }

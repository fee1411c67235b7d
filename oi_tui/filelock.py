"""Locks between processes that the system releases when their holder dies, however it dies."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

_HELD = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}  # everything else is a real failure, not to be waited for


class FileLock:
    """An exclusive lock on a file beside what it protects. The file is removed on release."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock if nobody has it. Raises OSError when the file cannot be made."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if try_lock(descriptor) and self._is_still(descriptor):
                self._descriptor = descriptor
                return True
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return False

    def _is_still(self, descriptor: int) -> bool:
        # The last holder may have removed the file between our open and our lock: then we locked a nameless file.
        try:
            return self._path.stat().st_ino == os.fstat(descriptor).st_ino
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let others in. Does nothing when the lock is not held."""
        if self._descriptor is None:
            return
        with contextlib.suppress(OSError):  # Windows keeps files that somebody has open; the name is reused then
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None


def try_lock(descriptor: int) -> bool:
    """Take a lock on an open file for as long as it is open. False when another process has it; raises OSError."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True

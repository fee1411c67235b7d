"""How much memory a new process can use right now."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_UNKNOWN = 1 << 62  # where nothing can be learnt, memory is not the reason to choose


def free() -> int:
    """Bytes that can be used without swapping, as far as the system says; very large where it says nothing.

    Linux: MemAvailable, and what a control group still allows. Windows: available physical memory. Elsewhere half of
    the installed memory, because macOS counts most of its memory as used for caches.
    """
    if sys.platform == "win32":
        return _windows()
    return min(_available(), _control_group())


def _available() -> int:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (OSError, ValueError):
        return _UNKNOWN


def _control_group(root: Path = Path("/sys/fs/cgroup")) -> int:
    try:
        limit = (root / "memory.max").read_text(encoding="ascii").strip()
        used = int((root / "memory.current").read_text(encoding="ascii"))
        return _UNKNOWN if limit == "max" else max(0, int(limit) - used)
    except (OSError, ValueError):
        return _UNKNOWN


def _windows() -> int:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("total", "available", "a", "b", "c", "d", "e")),
        )

    status = Status()
    status.length = ctypes.sizeof(Status)
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - the attribute exists on Windows alone
    return int(status.available) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else _UNKNOWN

"""Gives up rights (landlock(7), seccomp(2)) and becomes another program. Started by landlock.py; standard library only.

Arguments: a descriptor, `--`, the command line. The descriptor gives the rules as JSON, a NUL byte and the filter of
system calls. Ends with 126 and a sentence when it could not give up everything: it never starts the program with more
rights than it was told.
"""

# ruff: noqa: T201 - it says on standard error why it does not start
from __future__ import annotations

import ctypes
import json
import os
import stat
import sys
from typing import Any

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVS, _SECCOMP, _FILTER = 38, 22, 2  # prctl(2)
_EXECUTE, _WRITE, _READ, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FILE = _EXECUTE | _WRITE | _READ | 1 << 14 | 1 << 15  # TRUNCATE, IOCTL_DEV
_HANDLED = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1}  # by version; from 5 on IOCTL_DEV too
_TCP = 1 | 2  # BIND_TCP, CONNECT_TCP, from version 4 on
_SCOPED = 1 | 2  # abstract sockets, signals, from version 6 on


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


_libc = ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: Any) -> int:
    done = _libc.syscall(number, *arguments)
    if done < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return int(done)


def restrict(rules: dict[str, Any], program: bytes) -> None:
    """Give up all that the rules do not name. Raises OSError."""
    version = int(rules["version"])
    handled = _HANDLED[min(version, 3)] | (1 << 15 if version >= 5 else 0)
    fields = [handled]
    if version >= 4:
        fields.append(0 if rules["network"] else _TCP)
    if version >= 6:
        fields.append(_SCOPED)
    attributes = (ctypes.c_uint64 * len(fields))(*fields)
    ruleset = _call(_CREATE, attributes, ctypes.c_size_t(ctypes.sizeof(attributes)), ctypes.c_uint(0))
    reading = _EXECUTE | _READ | _READ_DIR
    for path in rules["read"]:
        _allow(ruleset, path, reading & handled, handled)
    for path in rules["list"]:
        _allow(ruleset, path, _READ_DIR & handled, handled)
    for path in (*rules["write"], *rules["devices"]):
        _allow(ruleset, path, handled, handled)
    if _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    _call(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint(0))
    os.close(ruleset)
    held = _Program(len(program) // 8, program)
    if _libc.prctl(_SECCOMP, _FILTER, ctypes.byref(held), 0, 0):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def _allow(ruleset: int, path: str, rights: int, handled: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return  # it went meanwhile: it is not allowed then
    if not stat.S_ISDIR(os.fstat(place).st_mode):
        rights &= _FILE
    rule = _Beneath(rights & handled, place)
    _call(_ADD, ctypes.c_int(ruleset), ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint(0))
    os.close(place)


def main() -> None:
    """As the module says."""
    descriptor, _, *argv = sys.argv[1:]
    try:
        with os.fdopen(int(descriptor), "rb") as file:
            rules, _, program = file.read().partition(b"\0")
        restrict(json.loads(rules), program)
        os.execvp(argv[0], argv)
    except OSError as error:
        print(f"oi: the sandbox could not be entered: {error}", file=sys.stderr)
        sys.exit(126)


if __name__ == "__main__":
    main()

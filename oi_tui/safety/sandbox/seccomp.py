"""The filter of system calls: a small program for the kernel's own machine (seccomp(2), bpf in networking/filter.rst).

Refused is what reaches out of a sandbox or makes one of one's own: tracing and reading other processes, mounting,
namespaces, keys of the kernel, loading code into it, io_uring (which does what no filter sees), typing into terminals,
and sockets of families that no network namespace holds. A refused call fails with EPERM, as it would for lack of a
right; `clone3` with ENOSYS, so that programs take `clone`, whose flags can be looked at.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Sequence
from dataclasses import dataclass

# name -> number on x86-64, on arm64 (asm/unistd_64.h, asm-generic/unistd.h); -1: there is none.
REFUSED: dict[str, tuple[int, int]] = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "kcmp": (312, 272), "pidfd_getfd": (438, 438), "perf_event_open": (298, 241),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "mount_setattr": (442, 442), "open_tree": (428, 428), "open_tree_attr": (467, 467), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "fanotify_init": (300, 262),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "unshare": (272, 97), "setns": (308, 268), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "syslog": (103, 116), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266), "adjtimex": (159, 171), "sethostname": (170, 161), "setdomainname": (171, 162),
    "vhangup": (153, 58), "iopl": (172, -1), "ioperm": (173, -1), "nfsservctl": (180, 42),
    "lookup_dcookie": (212, 18),
}  # fmt: skip
CLONE, CLONE3, IOCTL, SOCKET = (56, 220), (435, 435), (16, 29), (41, 198)
_AUDIT = (0xC000003E, 0xC00000B7)  # AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64
_MACHINES = {"x86_64": 0, "amd64": 0, "aarch64": 1, "arm64": 1}
_X32 = 0x40000000
# CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET (clone(2)); CLONE_NEWTIME is clone3's alone
NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
TYPING = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX (ioctl_tty(2))
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16

_LOAD, _EQUAL, _ABOVE, _SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction: code, how far to jump if true and if false, the constant."""

    code: int
    yes: int
    no: int
    value: int


def fails(errno: int) -> int:
    """What the program returns for a call that is to fail with this error."""
    return _ERRNO | errno


def supported(machine: str = "") -> bool:
    """Whether the numbers of this machine's system calls are known."""
    return (machine or platform.machine()).lower() in _MACHINES


def program(machine: str = "", families: Sequence[int] = (UNIX, INET, INET6, NETLINK)) -> bytes:
    """The filter for a kind of machine, the one that this is by default. families: of sockets that may be made.

    Raises ValueError for a machine whose numbers are not known."""
    at = _MACHINES.get((machine or platform.machine()).lower())
    if at is None:
        raise ValueError(f"no filter of system calls is known for {machine or platform.machine()}")
    return b"".join(struct.pack("=HBBI", one.code, one.yes, one.no, one.value) for one in steps(at, families))


def steps(at: int, families: Sequence[int]) -> list[Step]:
    """The instructions. at: 0 for x86-64, 1 for arm64."""
    made = [
        Step(_LOAD, 0, 0, 4),  # struct seccomp_data: number, architecture, instruction pointer, six arguments
        Step(_EQUAL, 1, 0, _AUDIT[at]),
        Step(_RETURN, 0, 0, fails(ENOSYS)),
        Step(_LOAD, 0, 0, 0),
    ]
    if at == 0:
        made += [Step(_ABOVE, 0, 1, _X32), Step(_RETURN, 0, 0, fails(ENOSYS))]
    for numbers in REFUSED.values():
        if numbers[at] >= 0:
            made += [Step(_EQUAL, 0, 1, numbers[at]), Step(_RETURN, 0, 0, fails(EPERM))]
    made += [Step(_EQUAL, 0, 1, CLONE3[at]), Step(_RETURN, 0, 0, fails(ENOSYS))]
    # Arguments are 64 bits wide, the low half first on both machines; the kernel reads only that of these.
    made += _within(CLONE[at], _argument(0), [Step(_SET, 0, 1, NAMESPACES), Step(_RETURN, 0, 0, fails(EPERM))])
    typing = [two for one in TYPING for two in (Step(_EQUAL, 0, 1, one), Step(_RETURN, 0, 0, fails(EPERM)))]
    made += _within(IOCTL[at], _argument(1), typing)
    allowed = [two for one in families for two in (Step(_EQUAL, 0, 1, one), Step(_RETURN, 0, 0, ALLOW))]
    made += _within(SOCKET[at], _argument(0), [*allowed, Step(_RETURN, 0, 0, fails(EAFNOSUPPORT))])
    return [*made, Step(_RETURN, 0, 0, ALLOW)]


def _argument(number: int) -> int:
    """Where the low half of an argument lies in struct seccomp_data."""
    return 16 + 8 * number


def _within(call: int, where: int, inner: list[Step]) -> list[Step]:
    """`inner` looks at one argument of one call, and what it lets through is allowed."""
    body = [Step(_LOAD, 0, 0, where), *inner, Step(_RETURN, 0, 0, ALLOW)]
    return [Step(_EQUAL, 0, len(body), call), *body]


def judge(filter_: bytes, number: int, audit: int, arguments: Sequence[int] = ()) -> int:
    """What a filter returns for one call, by running it as the kernel does: for tests, and for `oi doctor`."""
    data = struct.pack("=iIQ6Q", number, audit, 0, *[*arguments, *[0] * 6][:6])
    made = [Step(*struct.unpack_from("=HBBI", filter_, at)) for at in range(0, len(filter_), 8)]
    at = held = 0
    while True:
        one = made[at]
        at += 1
        if one.code == _LOAD:
            held = struct.unpack_from("=I", data, one.value)[0]
        elif one.code == _RETURN:
            return one.value
        else:
            true = {_EQUAL: held == one.value, _ABOVE: held >= one.value, _SET: bool(held & one.value)}[one.code]
            at += one.yes if true else one.no

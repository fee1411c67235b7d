"""The first process of a cell: starts the others there, and tells how they end. See cell.py for the other side.

Standard library only, and little of it, as it is waited for. Argument: the descriptor of a socket that keeps messages
apart (SOCK_SEQPACKET). It gets, with descriptors (SCM_RIGHTS):

    S<name>   start a process: an order as `marshal` (descriptor 1), where to write the number of the error if that
              fails (2), then the descriptors that the process gets, see `_become`
    P         make a pseudo-terminal: answered with T<path> and both ends
    L         listen on a port of this cell's own network: answered with L<port> and the socket

It sends R when it is ready, P<name> from each process before that becomes the program (the kernel adds its number, as
the reader knows it), and X<name> <status of waitpid> when one has ended. When the other side is gone it ends, and with
it everything that it started.
"""

# The modules in C behind socket and signal: with those the start would take half as long again.
from __future__ import annotations

import _signal as signal  # pyright: ignore[reportMissingImports]
import _socket as socket
import array
import contextlib
import fcntl
import marshal
import os
import sys
from typing import Any, NoReturn

_LONGEST = 1 << 16
_MOST = 200  # descriptors of one message

_names: dict[int, bytes] = {}  # of the processes that run, by number
_control: socket.socket


def main() -> None:
    """As the module says."""
    global _control
    _control = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(_control.fileno(), False)
    signal.signal(signal.SIGCHLD, _reap)
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(one, signal.SIG_IGN)
    _control.send(b"R")
    kept = False
    while True:
        message, fds = _next()
        if message[:1] == b"S":
            _start(message[1:], fds)
        elif message == b"P":
            _terminal()
        elif message == b"L":
            _listen()
        elif not message:
            _end()
        if not kept:  # after the first, as it takes its time
            kept = True
            _keep_out()


def _keep_out() -> None:
    """Let nothing else in the cell look into this process or take its socket (PR_SET_DUMPABLE, prctl(2))."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)


def _next() -> tuple[bytes, list[int]]:
    fds = array.array("i")
    message, extra, _, _ = _control.recvmsg(_LONGEST, socket.CMSG_SPACE(_MOST * fds.itemsize))
    for level, kind, data in extra:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
    for fd in fds:
        os.set_inheritable(fd, False)
    return message, list(fds)


def _answer(message: bytes, *fds: int) -> None:
    data = array.array("i", fds)
    _control.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, data)] if fds else [])


def _start(name: bytes, fds: list[int]) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # it may end before it has a name
    pid = os.fork()
    if not pid:
        _become(name, fds)
    _names[pid] = name
    for fd in fds:
        os.close(fd)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def _become(name: bytes, fds: list[int]) -> NoReturn:
    """In the new process: take its place and become the program. The order: argv, env, cwd, fds (the numbers that the
    descriptors get), foreground (it is the one that a person types to, on the terminal that it inherits)."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with os.fdopen(fds[0], "rb") as file:
            order: dict[str, Any] = marshal.loads(file.read())
        if order["foreground"]:
            os.setpgid(0, 0)
        else:
            os.setsid()
        _control.send(b"P" + name)
        numbers = order["fds"]
        free = max([2, *numbers]) + 1
        errors, *given = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, free) for fd in fds[1:])
        try:
            for number, fd in zip(numbers, given, strict=True):
                os.dup2(fd, number, inheritable=True)
            if order["foreground"]:
                _take_terminal()
            os.chdir(order["cwd"])
            for one in (
                signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ,
                signal.SIGTTOU,
            ):  # fmt: skip
                signal.signal(one, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execvpe(order["argv"][0], order["argv"], order["env"])
        except OSError as error:
            os.write(errors, str(error.errno).encode())
    finally:
        os._exit(127)


def _take_terminal() -> None:
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.tcsetpgrp(0, os.getpgrp())


def _terminal() -> None:
    import pty

    try:
        master, slave = pty.openpty()
    except OSError as error:
        _answer(b"E" + str(error.errno).encode())
        return
    _answer(b"T" + os.ttyname(slave).encode(), master, slave)
    os.close(master)
    os.close(slave)


def _listen() -> None:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        _answer(b"L%d" % listening.getsockname()[1], listening.fileno())
    except OSError as error:
        _answer(b"E" + str(error.errno).encode())
    listening.close()


def _reap(*_: object) -> None:
    """Processes have ended: those that were asked for are told of, orphans are only buried."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        name = _names.pop(pid, None)
        if name is not None:
            with contextlib.suppress(OSError):
                _control.send(b"X%s %d" % (name, status))


def _end() -> NoReturn:
    for pid in list(_names):
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
    os._exit(0)


if __name__ == "__main__":
    main()

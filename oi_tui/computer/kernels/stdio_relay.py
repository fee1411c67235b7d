"""Runs the Python kernel where there are only standard streams: inside a container, started from outside.

One file, standard library only, Python 3.8 or newer. The parent (backends/container.py) starts it with a short program
that reads its source from standard input, then speaks frames as python_child.py does, over standard input and output
alone. What the kernel prints comes as frames too: `out` with base64 `data`, in its place among the events, so that no
text is taken for an event or the other way round. More requests than the kernel's own: `interrupt` sends it SIGINT.
When standard input ends, the kernel ends.
"""

# This file runs in Pythons that know little.
# ruff: noqa: SIM105, UP006, UP035
from __future__ import annotations

import base64
import json
import os
import select
import signal
import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List

PIECE = 1 << 16


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class Frames:
    """Takes a stream of frames apart."""

    def __init__(self) -> None:
        self.got = bytearray()

    def add(self, data: bytes) -> List[bytes]:
        self.got += data
        whole = []
        while len(self.got) >= 4:
            size = int.from_bytes(self.got[:4], "big")
            if len(self.got) < 4 + size:
                break
            whole.append(bytes(self.got[4 : 4 + size]))
            del self.got[: 4 + size]
        return whole


class Relay:
    """Between the standard streams and the kernel's pipes."""

    def __init__(self, kernel: List[str]) -> None:
        requests, self.to_kernel = os.pipe()
        self.events, events = os.pipe()
        self.printed, printed = os.pipe()
        self.child = subprocess.Popen(
            [*kernel, str(requests), str(events)], stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT,
            pass_fds=(requests, events), start_new_session=True,
        )  # fmt: skip
        for fd in (requests, events, printed):
            os.close(fd)
        os.set_blocking(self.printed, False)

    def serve(self) -> int:
        """Pass on until one side ends. Returns the kernel's exit status, as shells count it."""
        from_parent, from_kernel = Frames(), Frames()
        while True:
            ready, _, _ = select.select([0, self.events, self.printed], [], [])
            if self.printed in ready:
                self.pass_printed(1)
            if self.events in ready:
                data = os.read(self.events, PIECE)
                if not data:
                    break
                for body in from_kernel.add(data):
                    self.pass_printed(1000)  # what was printed before this event comes before it
                    write(1, framed(body))
            if 0 in ready:
                data = os.read(0, PIECE)
                if not data:
                    os.killpg(self.child.pid, signal.SIGKILL)
                    break
                for body in from_parent.add(data):
                    self.request(body)
        status = self.child.wait()
        self.pass_printed(1000)
        return status if status >= 0 else 128 - status

    def reap(self) -> None:
        """Bury the orphans: they are left to the first process of a container, which this is."""
        while os.getpid() == 1:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended is None or ended.si_pid == self.child.pid:
                    return
                os.waitpid(ended.si_pid, 0)
            except ChildProcessError:
                return

    def request(self, body: bytes) -> None:
        self.reap()
        if json.loads(body.decode()).get("op") == "interrupt":
            self.child.send_signal(signal.SIGINT)
            return
        try:
            write(self.to_kernel, framed(body))
        except OSError:
            pass  # it has ended: its events will say so

    def pass_printed(self, pieces: int) -> None:
        """Pass on what lies in the kernel's output pipe, in at most so many pieces."""
        for _ in range(pieces):
            try:
                data = os.read(self.printed, PIECE)
            except BlockingIOError:
                return
            if not data:
                return
            message: Dict[str, Any] = {"event": "out", "data": base64.b64encode(data).decode()}
            write(1, framed(json.dumps(message).encode()))


def main(kernel: List[str]) -> None:
    """Start `kernel` and relay. Ends the process with the kernel's status."""
    sys.exit(Relay(kernel).serve())

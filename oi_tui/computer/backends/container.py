"""A container of Docker or Podman: Python runs inside it, with nothing of this machine but one folder.

The image needs Python 3.8 or newer and nothing of ours: the kernel's source travels in with the first bytes (see
kernels/stdio_relay.py). The working directory is mounted at /work, where blocks run. A shell block is run by the
container's own shell, which takes over variables, functions, aliases and shell options from the one before (variables
alone where there is no bash), and shares its folder with Python. The container is removed when the computer closes.
"""

from __future__ import annotations

import base64
import contextlib
import inspect
import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from oi_tui import paths
from oi_tui.computer.child import Child
from oi_tui.computer.environment import OUTPUTS
from oi_tui.computer.frames import Frames
from oi_tui.computer.kernels import python, stdio_relay
from oi_tui.computer.kernels.framed import FramedKernel
from oi_tui.computer.languages.base import Language, Setting
from oi_tui.computer.languages.catalog import PYTHON
from oi_tui.computer.limits import Limits
from oi_tui.computer.processes import ProcessTable
from oi_tui.computer.runner import Block
from oi_tui.computer.tap import Tap
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Chunk

IMAGE = "python:3-slim"
PROCESSES = 1 << 15  # of a user in a container of podman: what Linux has numbers for where nobody asked for more
OUTPUTS_INSIDE = "/oi-outputs"
INSIDE = "/work"
# Reads three lines of base64, the relay, the kernel and its `computer`, keeps the last two in files that Python can
# find their lines in, and goes on as the relay. It reads byte by byte, since what follows the lines is the relay's.
BOOT = """
import base64, os, sys, tempfile
def line():
    data = bytearray()
    while not data.endswith(b"\\n"): data += os.read(0, 1) or sys.exit(1)
    return base64.b64decode(bytes(data))
relay = line()
folder = tempfile.mkdtemp()
for name in ("python_child.py", "computer_child.py"):
    path = os.path.join(folder, name)
    with open(path, "wb") as file: file.write(line())
path = os.path.join(folder, "python_child.py")
space = {"__name__": "stdio_relay"}
exec(compile(relay, "stdio_relay", "exec"), space)
space["main"]([sys.executable, "-c", sys.argv[1], path, folder])
"""


def languages(kind: str, image: str, env: Mapping[str, str]) -> list[Language]:
    """Python and the shell. kind: docker or podman. ValueError when its program is not in PATH."""
    program = shutil.which(kind, path=env.get("PATH"))
    if program is None:
        raise ValueError(f"{kind} is not installed (looked in PATH); install it or choose another backend")
    image = image or IMAGE
    shared: dict[int, ContainerKernel] = {}

    def kernel(setting: Setting) -> ContainerKernel:
        # Both languages are one kernel: a container a computer.
        made = shared.get(id(setting.table))
        if made is None:
            made = shared[id(setting.table)] = ContainerKernel(setting.table, setting.env, program, image)
        return made

    return [
        Language("python", PYTHON, "py", kernel),
        Language("shell", ("bash", "sh", "console", "terminal"), "sh", lambda setting: ContainerShell(kernel(setting))),
    ]


class ContainerKernel(FramedKernel):
    """The Python kernel in a container. program: docker or podman."""

    start_limit = 900.0  # seconds: the image may have to be fetched

    def __init__(self, table: ProcessTable, env: Mapping[str, str], program: str, image: str) -> None:
        super().__init__("python", table, env, lambda: [program])
        self._program, self._image = program, image
        self._container = ""
        self._printed = -1

    def start(self, cwd: str) -> None:
        """Start the container and send the kernel in."""
        if self._child is not None:
            return
        self._container = f"oi-{secrets.token_hex(6)}"
        read_in, to_relay = os.pipe()
        from_relay, relay_out = os.pipe()
        capture, self._printed = os.pipe()
        try:
            child = Child(
                self._argv(cwd), env=self.env, cwd=cwd, on_exit=self.exited, stdin=read_in, output=relay_out,
                errors=self._printed,
            )  # fmt: skip
        except OSError as error:
            for fd in (to_relay, from_relay, capture, self._printed):
                os.close(fd)
            raise OSError(f"{self._program}: {error.strerror or error}") from None
        finally:
            os.close(read_in)
            os.close(relay_out)
        self._begin(child, Frames(from_relay, to_relay, self._relayed), Tap(capture))
        for module in (stdio_relay.__file__, python.CHILD, python.COMPUTER):
            assert self._frames is not None
            self._frames.send_raw(base64.b64encode(Path(module).read_bytes()) + b"\n")
        self.cwd = cwd

    def _argv(self, cwd: str) -> list[str]:
        limits = self.table.limits
        bounds = [f"--pids-limit={limits.processes}"] if limits.processes else []
        bounds += [f"--memory={limits.memory}"] if limits.memory else []
        bounds += [f"--ulimit={one}" for one in _ulimits(limits, self._program)]
        where = ["--volume", f"{cwd}:{INSIDE}"]
        if ":" in cwd:  # which parts the fields of the other form
            where = ["--mount", f'type=bind,"source={cwd}",target={INSIDE}']
        return [
            self._program, "run", "--rm", "-i", f"--name={self._container}", *bounds,
            # Where SELinux watches, a mounted folder could not be read otherwise; elsewhere it changes nothing.
            "--security-opt=label=disable", *where, "--workdir", INSIDE, *self._outputs(), self._image,
            "python3", "-c", BOOT, python.BOOT,
        ]  # fmt: skip

    def _outputs(self) -> list[str]:
        """Outputs of earlier blocks can be read inside, and not changed."""
        folder = self.env.get(OUTPUTS)
        if not folder:
            return []
        with contextlib.suppress(OSError):  # else the program would make it, as root
            paths.private_dir(Path(folder))
        return ["--volume", f"{folder}:{OUTPUTS_INSIDE}:ro", "--env", f"{OUTPUTS}={OUTPUTS_INSIDE}"]

    async def ready(self) -> None:
        """As everywhere; what was said while the image was fetched belongs to no block."""
        await super().ready()
        if self._tap is not None and self.alive():
            self._tap.open(lambda _: None)
            self._tap.finish(drop_late=True)

    def interrupt(self) -> None:
        """As everywhere; a container that is still being fetched or started is given up."""
        super().interrupt()
        if self._starting:
            self.kill()

    def submit(self, number: int, code: str, cwd: str) -> None:
        """Hand over one cell; folders of this machine mean nothing inside."""
        super().submit(number, code, self.cwd)

    def _relayed(self, message: dict[str, Any]) -> None:
        if message.get("event") == "out":
            with contextlib.suppress(OSError):
                self._pass(base64.b64decode(str(message.get("data"))))
            return
        message.pop("cwd", None)
        self._heard(message)

    def _pass(self, data: bytes) -> None:
        """Put printed bytes in front of the tap, which is drained whenever the pipe is full."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._printed, view[:4096]) :]
            if self._tap is not None:
                self._tap.drain()

    def ask_to_stop(self, block: Block) -> None:
        """A signal to the program here would end it, so the relay is asked."""
        if self._frames is not None:
            self._frames.send({"op": "interrupt"})

    def release(self) -> None:
        """As everywhere; a container that outlives its program is removed."""
        super().release()
        if self._printed >= 0:
            os.close(self._printed)
            self._printed = -1
        if self._container:
            name, self._container = self._container, ""
            with contextlib.suppress(OSError):
                subprocess.Popen(
                    [self._program, "rm", "-f", name], env=dict(self.env), stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                )  # fmt: skip


def _ulimits(limits: Limits, program: str) -> list[str]:
    """What one process inside may have. Never more than this program may have itself: a container of a person without
    rights, or in another container, would not start."""
    import resource

    def at_most(kind: int, wanted: int) -> int:
        hard = resource.getrlimit(kind)[1]
        return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard) if wanted else hard

    bounds = {
        "nofile": at_most(resource.RLIMIT_NOFILE, limits.open_files and max(limits.open_files, 256)),
        "fsize": at_most(resource.RLIMIT_FSIZE, limits.file_size),
    }
    if Path(program).name == "podman":  # asks for more than may be had, by itself
        bounds["nproc"] = at_most(resource.RLIMIT_NPROC, PROCESSES)
    return [f"{name}={bound}:{bound}" for name, bound in bounds.items() if bound > 0]


# The shell's side: takes over what the last block left in the first file, runs the second, and leaves what there is.
_BASH = """
__oi_state=$1; set -- "$2"; shopt -s expand_aliases
[ -f "$__oi_state" ] && . "$__oi_state" 2>/dev/null
__oi_leave() {
  { declare -p; declare -f; alias -p; shopt -p; } >"$__oi_state.new" 2>/dev/null
  pwd >"$__oi_state.pwd"
}
trap '__oi_status=$?; __oi_leave; exit $__oi_status' EXIT
__oi_block=$1; shift; . "$__oi_block"
"""
_SH = """
__oi_state=$1
[ -f "$__oi_state" ] && . "$__oi_state" 2>/dev/null
trap '__oi_status=$?; { set; export -p; } >"$__oi_state"; pwd >"$__oi_state.pwd"; exit $__oi_status' EXIT
. "$2"
"""


def _shell(code: str, bash: str, sh: str) -> None:
    """Runs inside, in the Python kernel: hands a block to the shell and ends the cell with its status."""
    import contextlib
    import os
    import shutil
    import signal
    import subprocess
    import sys
    import tempfile

    folder = os.path.join(tempfile.gettempdir(), f"oi-shell-{os.getuid()}")  # noqa: PTH118
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
    state, block = os.path.join(folder, "state"), os.path.join(folder, "block")  # noqa: PTH118
    with open(block, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:  # noqa: PTH123
        file.write(code + "\n")
    for name in (state + ".new", state + ".pwd"):
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108
    found = shutil.which("bash")
    argv = [found or "sh", "-c", bash if found else sh, "oi", state, block]
    child = subprocess.Popen(argv, start_new_session=True)
    try:
        status = child.wait()
    except KeyboardInterrupt:
        with contextlib.suppress(ProcessLookupError):  # the interrupt may have reached it as well
            os.killpg(child.pid, signal.SIGKILL)
        status = -signal.SIGINT
    # Unless the block ended in its own way, or the folder is gone. The folder is written last, when the state is whole.
    with contextlib.suppress(OSError), open(state + ".pwd", "rb") as file:  # noqa: PTH123
        if os.path.exists(state + ".new"):  # noqa: PTH110
            os.replace(state + ".new", state)  # noqa: PTH105
        os.chdir(file.read()[:-1])
    sys.exit(128 - status if status < 0 else status)


class ContainerShell:
    """Shell blocks of a container, run by bash, or sh where there is none, through the Python kernel."""

    def __init__(self, kernel: ContainerKernel) -> None:
        self._kernel = kernel
        self.start, self.interrupt, self.kill, self.close = kernel.start, kernel.interrupt, kernel.kill, kernel.close

    @property
    def cwd(self) -> str:
        return self._kernel.cwd

    async def run(self, code: str, cwd: str, emit: Callable[[Chunk], None]) -> Result:
        """Run one block; see `Executor`."""
        source = inspect.getsource(_shell).replace("def _shell(", "def _oi_shell(", 1)
        call = f"try:\n    _oi_shell({code!r}, {_BASH!r}, {_SH!r})\nfinally:\n    del _oi_shell"

        def without_lines(chunk: Chunk) -> None:  # of the code above
            if chunk.get("format") != "active_line":
                emit(chunk)

        result = await self._kernel.run(f"{source}\n{call}", cwd, without_lines)
        return replace(result, meta={})

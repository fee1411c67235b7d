"""The Python kernel's side in this program: how it is started, see python_child.py for what it does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oi_tui.computer.interpreters import Interpreter
from oi_tui.computer.kernels.framed import FramedKernel
from oi_tui.computer.languages.base import Setting
from oi_tui.computer.processes import ProcessTable
from oi_tui.computer.runner import Block, output

if TYPE_CHECKING:
    from oi_tui.computer.devices.process import DeviceProcess

CHILD = Path(__file__).with_name("python_child.py")
COMPUTER = Path(__file__).with_name("computer_child.py")

# Loads the kernel as a module of its own, with its compiled form kept by Python, and leaves `__main__` to the person.
# The working directory is taken out of the search path until the kernel's own imports are done.
BOOT = (
    "import sys;sys.version_info<(3,8)and sys.exit('Python 3.8 or newer is needed, this is '+sys.version.split()[0]);"
    "import _frozen_importlib_external as x;p=sys.path[:1]==[''];p and sys.path.pop(0);n='oi_kernel';"
    "m=type(sys)(n);m.__file__=sys.argv[1];sys.modules[n]=m;"
    "exec(x.SourceFileLoader(n,m.__file__).get_code(n),m.__dict__);m.main(int(sys.argv[3]),int(sys.argv[4]),p,sys.argv[2])"
)


class PythonKernel(FramedKernel):
    """Cells in the person's own interpreter. devices: gives the process that carries out what code asks of a device."""

    def __init__(
        self, table: ProcessTable, env: Mapping[str, str], interpreter: Callable[[], Interpreter],
        devices: Callable[[], DeviceProcess] | None = None,
    ) -> None:  # fmt: skip
        how = ["-X", "frozen_modules=on", "-c", BOOT, str(CHILD)]
        super().__init__("python", table, env, lambda: [interpreter().path, *how, self._folder])
        self._folder = ""
        self._devices = devices
        self._using: asyncio.Task[None] | None = None

    def start(self, cwd: str) -> None:
        """As everywhere, with a folder for the kernel's temporary files; cells run without one as well."""
        with contextlib.suppress(OSError):
            self._folder = str(self.table.scratch())
        super().start(cwd)

    def device(self, message: dict[str, Any]) -> None:
        """Pass a call on to the device process; what it shows and says is output of the running block."""
        block = self._block
        if self._devices is None or block is None or message.get("id") != block.number:
            super().device(message)
        else:
            self._using = asyncio.ensure_future(self._use(message, block, self._devices()))

    async def _use(self, message: dict[str, Any], block: Block, devices: DeviceProcess) -> None:
        from oi_tui.computer.devices.process import CallFailed
        from oi_tui.computer.devices.wire import PICTURE

        def said(kind: str, what: Any) -> None:
            if self._tap is not None:
                self._tap.drain()
            if kind == "show":
                block.emit({"role": "computer", "type": "image", "format": "base64.png", "content": what[PICTURE]})
            else:
                block.emit(output(f"{what}\n"))

        name, method = str(message.get("device")), str(message.get("method"))
        try:
            value = await devices.call(
                self.cwd, name, method, message.get("args") or [], message.get("kwargs") or {}, said
            )
            answer: dict[str, Any] = {"value": value}
        except CallFailed as error:
            answer = {"error": str(error), "kind": error.kind}
        except asyncio.CancelledError:
            answer = {"error": "stopped", "kind": "DeviceError"}
        self.answer_device(message, answer)

    def ask_to_stop(self, block: Block) -> None:
        """As everywhere; a device that works for the block is told as well."""
        super().ask_to_stop(block)
        self._stop_using()

    def exited(self, returncode: int) -> None:
        """As everywhere; nobody waits for a device any more. A Python 2 does not know the options that it is started
        with."""
        self._stop_using()
        super().exited(returncode)
        if "ended before it was ready (exit code 2)" in self._lost:
            self._lost = f"{self._command()[0]} does not start: Python 3.8 or newer is needed"

    def _stop_using(self) -> None:
        if self._using is not None and not self._using.done():
            self._using.cancel()


def make(setting: Setting) -> PythonKernel:
    """The kernel of this computer."""
    devices = setting.computer.devices if setting.computer is not None else None
    return PythonKernel(setting.table, setting.env, setting.interpreter, devices)

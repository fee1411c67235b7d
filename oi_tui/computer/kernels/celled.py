"""A Jupyter kernel in the sandbox: `jupyter_client` starts it through the cell, and reaches it by sockets on the disk,
since its network is another one."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import Any

from oi_tui.computer.cell import Cell, CellProcess
from oi_tui.computer.child import in_cell
from oi_tui.computer.processes import ProcessTable


class _Process:
    """The part of Popen that a provisioner uses."""

    stdin = stdout = stderr = None

    def __init__(self, process: CellProcess) -> None:
        self._process, self.pid = process, process.pid

    def poll(self) -> int | None:
        return self._process.poll()

    def wait(self) -> int | None:
        return self._process.poll()

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def put_in_cell(manager: Any, table: ProcessTable, cell: Cell) -> None:
    """Let a kernel manager (jupyter_client.KernelManager) start its kernel there. Raises OSError."""
    from jupyter_client.provisioning.local_provisioner import LocalProvisioner

    class Provisioner(LocalProvisioner):
        async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
            quiet = (subprocess.DEVNULL, subprocess.DEVNULL, subprocess.DEVNULL)
            started = in_cell(cell, cmd, kwargs.get("env") or os.environ, str(kwargs["cwd"]), quiet, ())
            self.process = _Process(started)
            self.pid = self.pgid = started.pid
            self.cwd = kwargs["cwd"]
            return self.connection_info

    name = os.urandom(5).hex()
    manager.transport, manager.ip = "ipc", str(table.scratch() / f"jupyter-{name}")
    manager.connection_file = str(table.scratch() / f"jupyter-{name}.json")
    manager.kernel_id = name
    manager.provisioner = Provisioner(kernel_id=name, kernel_spec=manager.kernel_spec, parent=manager)

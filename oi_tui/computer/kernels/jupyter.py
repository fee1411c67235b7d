"""Kernels that are installed on this machine for Jupyter, by `jupyter_client` (extra `jupyter`)."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from oi_tui.computer.kernels.messages import JupyterExecutor, KernelGone, offer_computer
from oi_tui.computer.optional import need
from oi_tui.computer.processes import ProcessTable
from oi_tui.protocol.calls import Result

ALIVE_EVERY = 0.5  # seconds between looks at whether the kernel still lives


class LocalKernel(JupyterExecutor):
    """One kernel process. spec: the name of its kernelspec. argv: what to start instead of what the spec says.
    places: folders with kernelspecs, looked in before those that jupyter_client knows."""

    def __init__(
        self,
        name: str,
        spec: str,
        table: ProcessTable,
        env: Mapping[str, str],
        argv: list[str],
        places: Sequence[str] = (),
    ) -> None:
        super().__init__(name)
        self._spec, self._table, self._env, self._argv, self._places = spec, table, env, argv, list(places)
        self._manager: Any = None
        self._client: Any = None
        self._listeners: list[asyncio.Task[None]] = []

    async def connect(self, cwd: str) -> None:
        try:
            client = need("jupyter_client", "a Jupyter kernel")
        except ValueError as error:
            raise OSError(str(error)) from None
        specs = client.kernelspec.KernelSpecManager()
        specs.kernel_dirs = [*self._places, *specs.kernel_dirs]
        self._manager = client.AsyncKernelManager(kernel_name=self._spec, kernel_spec_manager=specs)
        if self._argv:
            self._manager.kernel_spec.argv = self._argv
        try:
            # What a kernel says to its own terminal is not for the screen of this program.
            quiet = subprocess.DEVNULL
            cell = self._table.cell()
            if cell is not None:
                from oi_tui.computer.kernels.celled import put_in_cell

                put_in_cell(self._manager, self._table, cell)
            await self._manager.start_kernel(cwd=cwd, env=dict(self._env), stdout=quiet, stderr=quiet)
        except Exception as error:
            raise OSError(f"{type(error).__name__}: {error}") from None
        self.cwd = cwd
        pid = getattr(self._manager.provisioner, "pid", None)
        if pid:
            self._table.limits.apply(pid)
            self._table.cage.add(pid)
            self._table.kernels.add(pid)
        self._table.tell_guard()  # by far not every kernel watches for its parent
        self._client = self._manager.client()
        self._client.start_channels()
        try:
            await self._client.wait_for_ready(timeout=50)
        except RuntimeError as error:
            await self.disconnect()
            raise KernelGone(str(error)) from None
        channels = (self._client.get_iopub_msg, self._client.get_shell_msg)
        if self.name == "python":
            self._client.execute(offer_computer(), silent=True, store_history=False, allow_stdin=False)
        self._listeners = [asyncio.ensure_future(self._listen(one)) for one in channels]
        self._listeners.append(asyncio.ensure_future(self._watch()))

    async def _listen(self, get: Any) -> None:
        while True:
            self.heard(await get(timeout=None))

    async def _watch(self) -> None:
        """A kernel that dies says nothing: it is looked at."""
        while await self._manager.is_alive():  # noqa: ASYNC110 - nothing tells when it ends
            await asyncio.sleep(ALIVE_EVERY)
        self.gone("ended in this block" if self._request else "ended")

    async def enter(self, cwd: str) -> None:
        if cwd != self.cwd and self.name == "python":
            self._client.execute(
                f"__import__('os').chdir({cwd!r})", silent=True, store_history=False, allow_stdin=False
            )
            self.cwd = cwd

    async def execute(self, code: str) -> str:
        asked = {"folder": "__import__('os').getcwd()"} if self.name == "python" else {}
        return str(self._client.execute(code, user_expressions=asked, allow_stdin=False, store_history=True))

    def _result(self, reply: dict[str, Any]) -> Result:
        """As everywhere; the kernel has said where it is now."""
        told = reply.get("user_expressions", {}).get("folder", {}).get("data", {}).get("text/plain")
        with contextlib.suppress(ValueError, SyntaxError):
            self.cwd = ast.literal_eval(told) if told else self.cwd
        return super()._result(reply)

    async def ask_to_stop(self) -> None:
        await self._manager.interrupt_kernel()

    async def disconnect(self) -> None:
        listeners, self._listeners = self._listeners, []
        for task in listeners:
            if task is not asyncio.current_task():
                task.cancel()
        if listeners:
            await asyncio.wait(listeners, timeout=1.0)
        if self._client is not None:
            self._client.stop_channels()
            self._client = None
        if self._manager is not None:
            manager, self._manager = self._manager, None
            with contextlib.suppress(Exception):  # it may be gone already
                await manager.shutdown_kernel(now=True)

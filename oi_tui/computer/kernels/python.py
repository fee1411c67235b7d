"""The Python kernel's side in this program: how it is started, see python_child.py for what it does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path

from oi_tui.computer.interpreters import Interpreter
from oi_tui.computer.kernels.framed import FramedKernel
from oi_tui.computer.languages.base import Setting
from oi_tui.computer.processes import ProcessTable

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
    """Cells in the person's own interpreter."""

    def __init__(self, table: ProcessTable, env: Mapping[str, str], interpreter: Callable[[], Interpreter]) -> None:
        how = ["-X", "frozen_modules=on", "-c", BOOT, str(CHILD)]
        super().__init__("python", table, env, lambda: [interpreter().path, *how, self._folder])
        self._folder = ""

    def start(self, cwd: str) -> None:
        """As everywhere, with a folder for the kernel's temporary files; cells run without one as well."""
        with contextlib.suppress(OSError):
            self._folder = str(self.table.scratch())
        super().start(cwd)

    def exited(self, returncode: int) -> None:
        """As everywhere. A Python 2 does not know the options that it is started with."""
        super().exited(returncode)
        if "ended before it was ready (exit code 2)" in self._lost:
            self._lost = f"{self._command()[0]} does not start: Python 3.8 or newer is needed"


def make(setting: Setting) -> PythonKernel:
    """The kernel of this computer."""
    return PythonKernel(setting.table, setting.env, setting.interpreter)

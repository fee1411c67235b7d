"""The JavaScript kernel's side in this program: how Node is started, see node_child.mjs for what it does.

TypeScript runs in a kernel of its own, whose cells lose their types first: by Node itself, or by esbuild
where Node is too old (tsx brings one; the compiler `tsc` has no way to be asked since version 7).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from oi_tui.computer.kernels.framed import FramedKernel
from oi_tui.computer.languages import typescript
from oi_tui.computer.languages.base import Setting
from oi_tui.computer.processes import ProcessTable
from oi_tui.computer.runner import Block

CHILD = Path(__file__).with_name("node_child.mjs")


class NodeKernel(FramedKernel):
    """Cells in one Node process that keeps its declarations. compiler: what takes types away, "" for Node itself."""

    def __init__(
        self, table: ProcessTable, env: Mapping[str, str], program: str, name: str = "javascript", compiler: str = ""
    ) -> None:
        mode = ["typescript", compiler] if name == "typescript" else ["javascript", ""]
        super().__init__(name, table, env, lambda: [program, "--no-warnings", str(CHILD), *mode])

    def ask_to_stop(self, block: Block) -> None:
        """Node ends at a signal, so it is asked on its pipe to stop what it runs."""
        if self._frames is not None:
            self._frames.send({"op": "interrupt", "id": block.number})


def make(setting: Setting) -> NodeKernel:
    """The JavaScript kernel of this computer."""
    return NodeKernel(setting.table, setting.env, setting.program)


def make_typescript(setting: Setting) -> NodeKernel:
    """The TypeScript kernel of this computer."""
    found = "" if typescript.strips_types(setting.program) else typescript.compiler(setting.env)
    return NodeKernel(setting.table, setting.env, setting.program, "typescript", found)

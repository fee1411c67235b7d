"""The SQL kernel's side in this program: how it is started, see sql_child.py for what it does."""

from __future__ import annotations

from pathlib import Path

from oi_tui.computer.kernels.framed import FramedKernel
from oi_tui.computer.languages.base import Setting

CHILD = Path(__file__).with_name("sql_child.py")


class SqlKernel(FramedKernel):
    """Statements against databases that stay open from block to block."""

    keeps = "open database, attached files and temporary tables"


def make(setting: Setting) -> SqlKernel:
    """The kernel of this computer, in the interpreter that Python blocks use: it has the packages that matter."""
    return SqlKernel(setting.name, setting.table, setting.env, lambda: [setting.interpreter().path, "-B", str(CHILD)])

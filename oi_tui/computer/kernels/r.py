"""The R kernel's side in this program: how it is started, see r_child.R for what it does."""

from __future__ import annotations

from pathlib import Path

from oi_tui.computer import environment
from oi_tui.computer.kernels.framed import PlainKernel
from oi_tui.computer.languages.base import Setting

CHILD = Path(__file__).with_name("r_child.R")


class RKernel(PlainKernel):
    """Cells in one R process."""

    reads = r"\bstdin\b|\bscan\s*\("


def make(setting: Setting) -> RKernel:
    """The kernel of this computer."""
    scratch = str(setting.table.scratch())
    argv = [setting.program, "--no-save", "--no-restore", "--no-readline", str(CHILD), scratch]
    # R leaves its temporary folder behind when it is killed, so that lies in ours.
    return RKernel("r", setting.table, {**environment.utf8(setting.env), "TMPDIR": scratch}, lambda: argv)

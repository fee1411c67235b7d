"""The Ruby kernel's side in this program: how it is started, see ruby_child.rb for what it does."""

from __future__ import annotations

from pathlib import Path

from oi_tui.computer import environment
from oi_tui.computer.kernels.framed import FramedKernel
from oi_tui.computer.languages.base import Setting

CHILD = Path(__file__).with_name("ruby_child.rb")


class RubyKernel(FramedKernel):
    """Cells in one Ruby process."""

    reads = r"\bgets\b|\bSTDIN\b|\$stdin\b|\bARGF\b"


def make(setting: Setting) -> RubyKernel:
    """The kernel of this computer."""
    argv = [setting.program, "-W1", "-Eutf-8", str(CHILD)]
    return RubyKernel(setting.name, setting.table, environment.utf8(setting.env), lambda: argv)

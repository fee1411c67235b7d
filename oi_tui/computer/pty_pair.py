"""A pseudo-terminal as programs of a block get it: 40 rows, 120 columns, no translation of line ends."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios

from oi_tui.computer.cell import Cell
from oi_tui.computer.tap import Tap

ROWS, COLUMNS = 40, 120


class PtyPair:
    """Both ends of a pty: `slave` for children, `master` to type into, which belongs to `tap` as the end that is read.

    typed: somebody types into it, so it echoes, edits lines and knows keys that interrupt. Raises OSError when there is
    none to be had. cell: the sandbox whose terminals it is one of, where `path` leads to it.
    """

    def __init__(self, *, typed: bool, cell: Cell | None = None) -> None:
        if cell is None:
            self.master, self.slave = pty.openpty()
            self.path = os.ttyname(self.slave)
        else:
            self.master, self.slave, self.path = cell.terminal()
        keys = termios.ECHO | termios.ICANON | termios.ISIG
        try:
            mode = termios.tcgetattr(self.slave)
            mode[1] &= ~termios.OPOST
            mode[3] = mode[3] | keys if typed else mode[3] & ~keys
            termios.tcsetattr(self.slave, termios.TCSANOW, mode)
            fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        except (OSError, termios.error) as error:
            os.close(self.master)
            os.close(self.slave)
            raise OSError(str(error)) from None
        self.typed, self._mode = typed, mode
        self.device = os.fstat(self.slave).st_rdev
        self.tap = Tap(self.master)

    def flags(self) -> int:
        """What the line discipline does now (c_lflag of termios(3))."""
        return termios.tcgetattr(self.slave)[3]

    def hides(self) -> bool:
        """Lines are read, but not echoed. Editors of lines echo by themselves, without lines or echo of the pty."""
        flags = self.flags()
        return not flags & termios.ECHO and bool(flags & termios.ICANON)

    def unread(self) -> bool:
        """Whether something was typed that nobody has read yet."""
        left = fcntl.ioctl(self.slave, termios.FIONREAD, struct.pack("i", 0))
        return struct.unpack("i", left)[0] > 0

    def mute(self, is_so: bool) -> None:
        """Do not show what is typed next, or do so again; the end of a line is echoed all the same."""
        mode = termios.tcgetattr(self.slave)
        shown, ends = termios.ECHO, termios.ECHONL
        mode[3] = (mode[3] & ~shown | ends) if is_so else (mode[3] & ~ends | shown)
        termios.tcsetattr(self.slave, termios.TCSANOW, mode)

    def afresh(self) -> None:
        """Forget what was typed and how programs left it."""
        os.set_blocking(self.slave, True)
        termios.tcsetattr(self.slave, termios.TCSANOW, self._mode)
        termios.tcflush(self.slave, termios.TCIFLUSH)

    def let_go(self) -> None:
        """Close the slave: the pty is its programs' alone, and over with the last of them. `tap` stays."""
        if self.slave >= 0:
            os.close(self.slave)
            self.slave = -1

    def close(self) -> None:
        """Close both ends."""
        self.tap.close()
        self.let_go()

"""Wrong usage of a housekeeping command, in the words of the house: what is wrong, then where to look."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import NoReturn


class UsageParser(ArgumentParser):
    """An argument parser that says what is wrong in two lines and exits with 2."""

    def error(self, message: str) -> NoReturn:
        """Say it on stderr and exit with 2."""
        words = message.replace("unrecognized arguments:", "does not take").removeprefix("argument ")
        sys.stderr.write(f"{self.prog}: {words}\nsee {self.prog} --help\n")
        raise SystemExit(2)

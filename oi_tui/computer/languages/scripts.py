"""AppleScript, PowerShell and cmd: a block is a script file that the system's own program runs."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping

from oi_tui.computer.languages.base import Setting
from oi_tui.computer.program import Program, Step


class AppleScript(Program):
    """`osascript FILE`; the result of the last statement is printed, as osascript does."""

    def plan(self, code: str) -> Iterator[Step]:
        file = self.folder / "block.applescript"
        file.write_text(code, encoding="utf-8")
        yield [self.program, str(file)]


class PowerShell(Program):
    """`pwsh -File FILE`, or Windows' own `powershell.exe` under WSL. Errors end the block, as in a script."""

    def plan(self, code: str) -> Iterator[Step]:
        file = self.folder / "block.ps1"
        # A byte order mark, since Windows' own PowerShell reads files without one in the system's code page.
        file.write_text(
            f"$ErrorActionPreference = 'Stop'; $ProgressPreference = 'SilentlyContinue'\n{code}\n", "utf-8-sig"
        )
        bypass = ["-ExecutionPolicy", "Bypass"] if self.program.endswith(".exe") else []
        yield [self.program, "-NoLogo", "-NoProfile", "-NonInteractive", *bypass, "-File", self.path_for(str(file))]

    def path_for(self, file: str) -> str:
        """The file as the program knows it."""
        return windows_path(file, self.env) if self.program.endswith(".exe") else file


class Cmd(Program):
    """`cmd.exe /c FILE`, under WSL."""

    def plan(self, code: str) -> Iterator[Step]:
        file = self.folder / "block.bat"
        file.write_text(
            "@echo off\r\nchcp 65001 >nul\r\n" + "\r\n".join(code.splitlines()) + "\r\n", "utf-8", newline=""
        )
        yield [self.program, "/d", "/c", windows_path(str(file), self.env)]


def windows_path(file: str, env: Mapping[str, str]) -> str:
    r"""`/mnt/c/x` as `C:\x`, by WSL's `wslpath`. ValueError where that is not there."""
    tool = shutil.which("wslpath", path=env.get("PATH"))
    if tool is None:
        raise ValueError("a Windows program was found, but not wslpath, which tells it where the block lies")
    done = subprocess.run(
        [tool, "-w", file], capture_output=True, text=True, timeout=5, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode or not done.stdout.strip():
        raise ValueError(f"wslpath could not translate {file}: {done.stderr.strip() or 'it said nothing'}")
    return done.stdout.strip()


def applescript(setting: Setting) -> Program:
    """AppleScript of this Mac."""
    return AppleScript(setting.name, setting.table, setting.env, setting.program)


def powershell(setting: Setting) -> Program:
    """PowerShell of this machine."""
    return PowerShell(setting.name, setting.table, setting.env, setting.program)


def cmd(setting: Setting) -> Program:
    """Windows' command interpreter."""
    return Cmd(setting.name, setting.table, setting.env, setting.program)

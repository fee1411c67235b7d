"""HTML: a page is rendered in a headless browser. The person gets the source and the picture, the model the picture;
both what the page says on its console and what goes wrong in it, see page_child.py.

The page is loaded from a file, its folder is the person's working directory (`<base>`), so that pictures and scripts
that lie there are found. The order of what is shown is that of classic Open Interpreter: a note for the model, the
source for the person, the picture.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from oi_tui.computer.languages.base import Setting
from oi_tui.computer.program import Program, Step
from oi_tui.computer.runner import Ending, output

CHILD = Path(__file__).with_name("page_child.py")
WIDTH, HEIGHT = 960, 540  # pixels, as classic clients expect
SETTLE = 3000  # milliseconds of the page's own clock that scripts get before the picture is taken
ROOM_FOR_SOCKET = 60  # characters: the browser adds some 45, and the path of a socket ends at 107 (unix(7))
NOTE = "the page is shown to the person; a picture of it follows\n"


class Page(Program):
    """Renders one page a block with a browser of the Chromium family."""

    _short: Path | None = None  # a folder for the browser's socket where ours has too long a name

    def plan(self, code: str) -> Iterator[Step]:
        self.emit(
            {"role": "computer", "type": "console", "format": "output", "content": NOTE, "recipient": "assistant"}
        )
        yield from self.render(code)

    def render(self, page: str, rendered: str = "", source_map: str = "") -> Iterator[Step]:
        """Show the source, write it to a file, and take a picture of it.

        rendered: the page to take the picture of, where that is another. source_map: the file with that of its bundle.
        """
        self.emit({"role": "computer", "type": "code", "format": "html", "content": page, "recipient": "user"})
        if len(str(self.folder)) > ROOM_FOR_SOCKET:
            self._short = Path(tempfile.mkdtemp(prefix="oi-", dir="/tmp"))
        temporary = self._short or self.folder
        file = self.folder / "page.html"
        file.write_text(based(rendered or page, Path(self.cwd)), encoding="utf-8")
        yield [
            "/usr/bin/env", f"TMPDIR={temporary}", sys.executable, "-I", "-B", str(CHILD), file.as_uri(),
            str(self.picture), f"{WIDTH}x{HEIGHT}", str(SETTLE), str(self.log), source_map,
            self.program, "--headless", "--disable-gpu", "--hide-scrollbars", "--mute-audio", "--no-first-run",
            "--disable-extensions", "--disable-background-networking", "--disable-dev-shm-usage",
            "--disable-crash-reporter", "--log-level=3", "--allow-file-access-from-files",
            # As root the browser's own cage cannot be set up, and it would not start.
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
            f"--user-data-dir={self.folder / 'profile'}", f"--window-size={WIDTH},{HEIGHT}",
            "--remote-debugging-pipe", "about:blank",
        ]  # fmt: skip

    def over(self, ending_: Ending) -> None:
        """As everywhere; what the browser left in its other folder goes as well."""
        if self._short is not None:
            shutil.rmtree(self._short, ignore_errors=True)
            self._short = None
        super().over(ending_)

    @property
    def log(self) -> Path:
        """What the browser says about itself: of interest only when it failed."""
        return self.folder / "browser.log"

    @property
    def picture(self) -> Path:
        return self.folder / "picture.png"

    def finished(self, status: int) -> Ending:
        """Show the picture, or what the browser said where there is none."""
        try:
            data = base64.b64encode(self.picture.read_bytes()).decode()
        except OSError:
            with contextlib.suppress(OSError):
                self.emit(output(self.log.read_text(encoding="utf-8", errors="replace")[-2000:]))
            return Ending(ok=False, status=status or 1, note=f"{Path(self.program).name} took no picture of the page")
        self.emit({"role": "computer", "type": "image", "format": "base64.png", "content": data})
        return Ending(ok=status == 0, status=int(status != 0), note="a script of the page failed" if status else "")


def based(page: str, folder: Path) -> str:
    """The page with `folder` as the place that its relative addresses start from, unless it names one itself."""
    if re.search(r"<base\b", page, re.I):
        return page
    base = f'<base href="{folder.as_uri()}/">'
    head = re.search(r"<head\b[^>]*>", page, re.I) or re.search(r"<html\b[^>]*>", page, re.I)
    if head is None:
        declared = re.match(r"\s*<!doctype[^>]*>", page, re.I)
        at = declared.end() if declared else 0
        charset = "" if re.search(r"<meta\b[^>]*charset", page, re.I) else '<meta charset="utf-8">'
        return page[:at] + charset + base + page[at:]
    charset = "" if re.search(r"<meta\b[^>]*charset", page, re.I) else '<meta charset="utf-8">'
    return page[: head.end()] + charset + base + page[head.end() :]


def make(setting: Setting) -> Page:
    """The browser of this machine."""
    return Page(setting.name, setting.table, setting.env, setting.program)

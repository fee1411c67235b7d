"""The browser of this machine: found, asked for a page, or opened with Playwright to be driven.

browser.find()                  path of Chromium, Chrome, Edge or Brave; "" where there is none
browser.run([...])              the same program, headless, with further flags; returns what it prints
with browser.opened(url) as page: ...   a Playwright page
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge",
    "brave-browser",
)  # fmt: skip
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
MISSING = "no Chromium, Chrome or Edge was found; install one, or name it in the variable BROWSER_PATH"


def find() -> str:
    """Path of a browser that can run without a window, "" where there is none."""
    named = os.environ.get("BROWSER_PATH", "")
    if named:
        return named if os.path.exists(named) else ""
    found = (shutil.which(name) for name in _NAMES)
    return next((one for one in (*found, *_PLACES) if one and os.path.exists(one)), "")


def flags() -> list[str]:
    """Flags that every run needs; its own sandbox does not work for root, as in containers."""
    made = ["--disable-gpu", "--hide-scrollbars", "--mute-audio", "--disable-dev-shm-usage"]
    return [*made, "--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else made


def run(arguments: Sequence[str], timeout: float = 60) -> str:
    """Run the browser without a window and with a profile of its own. Raises OSError with a sentence."""
    program = find()
    if not program:
        raise OSError(MISSING)
    profile = tempfile.mkdtemp(prefix="browser-")
    line = [program, "--headless=new", *flags(), "--no-first-run", f"--user-data-dir={profile}", *arguments]
    try:
        done = subprocess.run(line, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise OSError(f"the browser did not finish within {timeout:g} s") from None
    finally:
        shutil.rmtree(profile, ignore_errors=True)
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise OSError(f"the browser ended with code {done.returncode}: {' '.join(last)}")
    return done.stdout.decode("utf-8", "replace")


@contextlib.contextmanager
def opened(url: str = "", width: int = 1280, height: int = 800) -> Iterator[Any]:
    """A Playwright page on `url` in the browser that is installed, or in Playwright's own."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("driving a browser needs Playwright: pip install playwright")
    with sync_playwright() as playwright:
        program = find()
        chosen = {"executable_path": program} if program else {}  # else: what `playwright install chromium` fetched
        browser = playwright.chromium.launch(args=flags(), **chosen)
        try:
            page = browser.new_page(viewport={"width": width, "height": height})
            if url:
                page.goto(url, wait_until="load")
            yield page
        finally:
            browser.close()

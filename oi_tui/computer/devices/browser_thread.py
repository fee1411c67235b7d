"""The thread that Playwright lives in: starts the system's browser, runs what it is given, keeps downloads."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from oi_tui.computer.devices.base import DeviceError, need

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser")
_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
_WAIT, _OPEN = 10_000, 30_000  # milliseconds for an element, for a page
_FLAGS = ["--disable-dev-shm-usage", "--no-first-run", "--disable-crash-reporter"]
_ENDING = 10.0  # seconds
WIDTH, HEIGHT = 1280, 800


class BrowserThread:
    """A browser with one page in front. Raises DeviceError where it cannot start."""

    def __init__(self, headless: bool | None, downloads: Path) -> None:
        self._playwright = need("playwright.sync_api", "the browser", "browser")
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="oi-browser")
        self._downloads = downloads
        self.saved: list[str] = []
        self.page: Any = None
        self._started: Any = None
        self._browser: Any = None
        if headless is None:
            headless = sys.platform.startswith("linux") and not (
                os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
            )
        try:
            self._worker.submit(self._start, headless).result()
        except Exception as error:
            self.close()
            if isinstance(error, DeviceError):
                raise
            said = str(error).partition("\n")[0]
            raise DeviceError(f"the browser could not be started: {said}") from None

    def _start(self, headless: bool) -> None:
        self._started = self._playwright.sync_playwright().start()
        program = _program(self._started.chromium.executable_path)
        root = hasattr(os, "geteuid") and os.geteuid() == 0  # the browser's own cage cannot be set up for root
        self._browser = self._started.chromium.launch(
            executable_path=program, headless=headless, args=_FLAGS,

            chromium_sandbox=not root, handle_sigint=False, handle_sigterm=False, handle_sighup=False,
        )  # fmt: skip
        context = self._browser.new_context(accept_downloads=True, viewport={"width": WIDTH, "height": HEIGHT})
        context.set_default_timeout(_WAIT)
        context.set_default_navigation_timeout(_OPEN)
        context.on("page", self._opened)
        context.new_page()

    def use(self, page: Any) -> None:
        """Have this page in front."""
        self.page = page

    def _opened(self, page: Any) -> None:
        self.page = page
        page.on("download", self._save)

    def _save(self, download: Any) -> None:
        self._downloads.mkdir(parents=True, exist_ok=True)
        name = Path(download.suggested_filename).name or "download"
        target, number = self._downloads / name, 1
        while target.exists():
            number += 1
            target = self._downloads / f"{Path(name).stem} {number}{Path(name).suffix}"
        download.save_as(target)
        self.saved.append(str(target))

    def alive(self) -> bool:
        """Whether the browser is still there."""
        return self._browser is not None and self.do(lambda _: self._browser.is_connected())

    def do(self, work: Callable[..., Any], *args: Any) -> Any:
        """Run something with the page, in the thread that may do so. Raises what it raises."""
        if threading.current_thread().name.startswith("oi-browser"):
            return work(self.page, *args)
        return self._worker.submit(self._work, work, *args).result()

    def _work(self, work: Callable[..., Any], *args: Any) -> Any:
        page = self._front()
        try:
            return work(page, *args)
        except self._playwright.Error:
            if not page.is_closed() or self._front() is page:
                raise
        return work(self.page, *args)  # it was closed meanwhile, which is heard of only now

    def _front(self) -> Any:
        """The page in front; another one where that was closed."""
        if self._browser is not None and self._browser.is_connected() and self.page.is_closed():
            left = [one for context in self._browser.contexts for one in context.pages]
            self.page = left[-1] if left else self._browser.contexts[0].new_page()
        return self.page

    def download(self, page: Any, begin: Callable[[Any], Any]) -> str:
        """Do what begins a download, and wait until it is saved; its path. For `do`."""
        before = len(self.saved)
        try:
            with page.expect_download(timeout=_OPEN) as coming:
                begin(page)
            coming.value.path()  # it is whole
        except self._playwright.TimeoutError:
            raise DeviceError("no download began") from None
        while len(self.saved) == before:
            page.wait_for_timeout(20)
        return self.saved[before]

    def close(self) -> None:
        """End browser and thread; never raises."""

        def end() -> None:
            for one in (self._browser and self._browser.close, self._started and self._started.stop):
                with contextlib.suppress(Exception):
                    if one:
                        one()

        with contextlib.suppress(Exception):  # it hangs, or has gone: its processes end with this one
            self._worker.submit(end).result(_ENDING)
        self._browser = self._started = None
        self._worker.shutdown(wait=False, cancel_futures=True)


def _program(own: str) -> str:
    """The browser of this system, else the one that Playwright has fetched."""
    for name in _PROGRAMS:
        found = shutil.which(name)
        if found:
            return found
    for path in (*_APPLICATIONS, own):
        if path and Path(path).exists():
            return path
    raise DeviceError("no browser was found: apt install chromium, or run python -m playwright install chromium")


class Proxy:
    """An object of Playwright that may be used from any thread: what is called on it runs in the browser's thread."""

    def __init__(self, thread: BrowserThread, inner: Any) -> None:
        self.__dict__.update(_thread=thread, _inner=inner)

    def __repr__(self) -> str:
        return repr(self._inner)

    def __getattr__(self, name: str) -> Any:
        return self._wrapped(self._thread.do(lambda _: getattr(self._inner, name)))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        plain = [one._inner if isinstance(one, Proxy) else one for one in args]
        return self._wrapped(self._thread.do(lambda _: self._inner(*plain, **kwargs)))

    def _wrapped(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._wrapped(one) for one in value]
        theirs = type(value).__module__.startswith("playwright") or (callable(value) and not isinstance(value, type))
        return Proxy(self._thread, value) if theirs else value

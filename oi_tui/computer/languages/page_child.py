"""Opens one page in a browser of the Chromium family, prints what it says, and takes a picture of it.

Standard library only; html.py starts it with the browser's command line after the arguments of `main`. The browser is
spoken to by the Chrome DevTools Protocol (chromedevtools.github.io) on two pipes. Printed are what the page writes to
its console, exceptions that nobody catches, files that it does not find and its dialogs. Ends with 0 when there is a
picture, with 3 when there is one and something was thrown.
"""

# This file prints for a living.
# ruff: noqa: T201
from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LIBRARY = "<library>"  # a place that is not the person's
PATIENCE = 20.0  # seconds that a page may keep its scripts busy
THREW = 3
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class Gone(Exception):
    """The browser has ended, or does not answer."""


class Browser:
    """A browser at the other end of two pipes. on_event: is called with each event's method and parameters."""

    def __init__(self, argv: list[str], log: Path, on_event: Callable[[str, dict[str, Any]], None]) -> None:
        theirs, self._out = os.pipe()
        self._in, from_them = os.pipe()
        # The browser takes the descriptors 3 and 4, which one of ours may have.
        ours = [os.dup(one) for one in (theirs, from_them)]
        self._out, self._in = (_away(one) for one in (self._out, self._in))
        pair = [_away(one) for one in ours]
        os.dup2(pair[0], 3)
        os.dup2(pair[1], 4)
        with log.open("wb") as said:
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=said, stderr=said, pass_fds=(3, 4))
        for fd in (3, 4, *pair):
            os.close(fd)
        self._got, self._number, self._session = b"", 0, ""
        self._answers: dict[int, dict[str, Any]] = {}
        self._on_event = on_event

    def attach(self) -> None:
        """Speak with a new tab from now on."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def tell(self, method: str, **parameters: Any) -> int:
        """Send one command. Returns its number."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self._out, data) :]
        except OSError:
            raise Gone("the browser has ended") from None
        return self._number

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command and wait for what it returns. Raises Gone when there is no answer."""
        number = self.tell(method, **parameters)
        if not self.wait(lambda: number in self._answers):
            raise Gone(f"its scripts were busy for more than {PATIENCE:.0f} s")
        answer = self._answers.pop(number)
        if "error" in answer:
            raise Gone(f"{method}: {answer['error'].get('message')}")
        return answer.get("result", {})

    def wait(self, holds: Callable[[], bool]) -> bool:
        """Take events until it holds; False when that takes too long. Raises Gone."""
        until = time.monotonic() + PATIENCE
        while not holds():
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                return False
            data = os.read(self._in, 1 << 16)
            if not data:
                raise Gone("the browser has ended")
            *whole, self._got = (self._got + data).split(b"\0")
            for one in whole:
                message = json.loads(one)
                if "id" in message:
                    self._answers[message["id"]] = message
                else:
                    self._on_event(message["method"], message.get("params", {}))
        return True


def _away(fd: int) -> int:
    """The same with a number from 10 on; the old one is closed."""
    import fcntl

    made = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(fd)
    return made


class Page:
    """What a page says, as text. places: gives a place in a file of ours the name that the person knows."""

    def __init__(self, places: Callable[[str], str]) -> None:
        self.places = places
        self.threw = self.loaded = self.settled = False
        self.dialogs: list[bool] = []  # that wait for an answer: whether it is yes

    def heard(self, method: str, told: dict[str, Any]) -> None:
        """Take one event."""
        if method == "Runtime.consoleAPICalled" and told["type"] not in ("endGroup", "clear"):
            print(self.places(f"console.{told['type']}: {written(told['args'])}"))
        elif method == "Runtime.exceptionThrown":
            self.threw = True
            details = told["exceptionDetails"]
            thrown = details.get("exception", {})
            text = thrown.get("description") or shown(thrown) if thrown else details["text"]
            if "\n" not in text:
                text += f"\n    at {details.get('url', '')}:{details['lineNumber'] + 1}:{details['columnNumber'] + 1}"
            print(self.places(f"Uncaught {text}"))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            entry = told["entry"]
            print(self.places(f"{entry['level']}: {entry['text']} {entry.get('url', '')}".rstrip()))
        elif method == "Page.javascriptDialogOpening":
            print(f"{told['type']}: {told['message']}")
            self.dialogs.append(told["type"] in ("alert", "beforeunload"))
        elif method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Emulation.virtualTimeBudgetExpired":
            self.settled = True


def written(arguments: list[dict[str, Any]]) -> str:
    """The arguments of a console call as the console would write them."""
    if arguments and arguments[0].get("type") == "string":
        first, rest = str(arguments[0].get("value", "")), arguments[1:]
        parts = re.split(r"(%[sdifoOc%])", first)
        for i in range(1, len(parts), 2):
            if parts[i] == "%%":
                parts[i] = "%"
            elif rest:
                value = rest.pop(0)
                parts[i] = "" if parts[i] == "%c" else shown(value, bare=True)
        return " ".join(["".join(parts), *(shown(one, bare=True) for one in rest)])
    return " ".join(shown(one, bare=True) for one in arguments)


def shown(value: dict[str, Any], bare: bool = False) -> str:
    """One value of the page. bare: a text without quotes."""
    kind = value.get("type")
    if kind == "string":
        return str(value.get("value", "")) if bare else json.dumps(value.get("value", ""), ensure_ascii=False)
    preview = value.get("preview")
    if preview is None or value.get("subtype") in ("error", "date", "regexp", "node"):
        known = json.dumps(value["value"]) if "value" in value else kind or ""
        return str(value.get("unserializableValue") or value.get("description") or known)
    inner = [
        json.dumps(one.get("value", ""), ensure_ascii=False)
        if one["type"] == "string"
        else str(one.get("value", one["type"]))
        for one in preview.get("properties", [])
    ]
    more = ["…"] if preview.get("overflow") else []
    if value.get("subtype") == "array":
        return f"[{', '.join(inner + more)}]"
    named = [f"{one['name']}: {text}" for one, text in zip(preview.get("properties", []), inner, strict=True)]
    name = "" if value.get("className") == "Object" else f"{value.get('description') or value.get('className')} "
    return f"{name}{{{', '.join(named + more)}}}"


def mapped(source_map: str, line: int, column: int) -> int | None:
    """The line that a place of a bundle was in the block, by a source map (ECMA-426). Lines and columns from 1."""
    told = json.loads(source_map)
    where = next((i for i, one in enumerate(told["sources"]) if one.endswith("block.tsx")), -1)
    found, source, original = None, 0, 0
    for number, segments in enumerate(told["mappings"].split(";"), 1):
        at = 0
        for segment in filter(None, segments.split(",")):
            fields = _numbers(segment)
            at += fields[0]
            if len(fields) < 4:
                continue
            source, original = source + fields[1], original + fields[2]
            if number == line and at <= column - 1:
                found = original + 1 if source == where else None
        if number == line:
            return found
    return None


def _numbers(segment: str) -> list[int]:
    """The numbers of one segment, in base 64 with five bits a digit and the sign last."""
    made, value, shift = [], 0, 0
    for digit in segment:
        bits = _DIGITS.index(digit)
        value |= (bits & 31) << shift
        shift += 5
        if not bits & 32:
            made.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return made


def namer(address: str, source_map: Path | None) -> Callable[[str], str]:
    """What replaces places in our files by `page:LINE:COLUMN`, or by `block:LINE` where a bundle has a source map."""
    if source_map is None:
        return lambda text: text.replace(address, "page")
    read = source_map.read_text(encoding="utf-8")
    folder = address.rpartition("/")[0]

    def place(found: re.Match[str]) -> str:
        line = mapped(read, int(found[1]), int(found[2]))
        return f"block:{line}" if line is not None else _LIBRARY

    def named(text: str) -> str:
        lines = re.sub(re.escape(folder) + r"/bundle\.js:(\d+):(\d+)", place, text).split("\n")
        return "\n".join(one for one in lines if _LIBRARY not in one)

    return named


def until(browser: Browser, page: Page, holds: Callable[[], bool]) -> None:
    """Answer the dialogs of a page until it holds, or until it takes too long: what is there then is looked at."""
    while browser.wait(lambda: bool(page.dialogs) or holds()) and page.dialogs:
        browser.tell("Page.handleJavaScriptDialog", accept=page.dialogs.pop())


def main(address: str, picture: str, size: str, settle: str, log: str, source_map: str, *argv: str) -> int:
    """Show the page at `address`. size: `960x540`, pixels. settle: milliseconds of the page's own clock."""
    width, height = map(int, size.split("x"))
    page = Page(namer(address, Path(source_map) if source_map else None))
    browser = Browser(list(argv), Path(log), page.heard)
    try:
        browser.attach()
        for domain in ("Page", "Runtime", "Log"):
            browser.ask(f"{domain}.enable")
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        browser.tell("Page.navigate", url=address)
        until(browser, page, lambda: page.loaded)
        # From here on the page's clock goes as fast as its timers allow.
        browser.tell(
            "Emulation.setVirtualTimePolicy", policy="pauseIfNetworkFetchesPending", budget=int(settle),
            maxVirtualTimeTaskStarvationCount=9999,
        )  # fmt: skip
        until(browser, page, lambda: page.settled)
        data = browser.ask("Page.captureScreenshot", format="png")["data"]
        Path(picture).write_bytes(base64.b64decode(data))
    except Gone as error:
        print(f"error: {error}")
        return 1
    finally:
        with contextlib.suppress(Gone):
            browser.tell("Browser.close")
        sys.stdout.flush()
        try:
            browser.process.wait(2.0)
        except subprocess.TimeoutExpired:
            browser.process.kill()
    return THREW if page.threw else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace", line_buffering=True)  # type: ignore[union-attr]
    sys.exit(main(*sys.argv[1:]))

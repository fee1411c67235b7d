"""Pictures of a page at several widths, and what a browser says about it.

look.py URL [--out FOLDER] [--widths 1280,768,375]

With Playwright: errors on the console, failed requests, what runs out of the screen, what the keyboard cannot reach.
Without it only the pictures, from the browser that is installed. Exit code 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "web-research/scripts"))
import browser

_TOO_WIDE = """() => [...document.querySelectorAll('body *')]
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && one.getClientRects().length)
  .filter(one => ![...one.children].some(inner => inner.getBoundingClientRect().right > innerWidth + 1))
  .slice(0, 5).map(one => one.outerHTML.slice(0, 80))"""
_UNREACHED = """() => [...document.querySelectorAll('[onclick],[role=button],[role=link]')]
  .filter(one => one.tabIndex < 0 && one.getClientRects().length && !one.closest('a[href],button,[inert]'))
  .slice(0, 10).map(one => one.outerHTML.slice(0, 80))"""


def looked_at(url: str, out: Path, widths: list[int]) -> list[str]:
    """Look with Playwright; returns the faults."""
    faults: list[str] = []
    for width in widths:
        with browser.opened(width=width, height=900) as page:
            here: list[str] = []
            listen(page, here)
            answer = page.goto(url, wait_until="load")
            page.wait_for_timeout(500)  # what scripts do right after
            if answer is not None and answer.status >= 400:
                here.append(f"the page answers {answer.status}")
            here += [f"runs out of the screen: {one}" for one in page.evaluate(_TOO_WIDE)]
            if width == widths[0]:
                here += [f"cannot be reached with the keyboard: {one}" for one in page.evaluate(_UNREACHED)]
            file = out / f"{width}.png"
            page.screenshot(path=str(file), full_page=True)
            print(f"{file}: {page.title()!r} at {width}")
            faults += [f"at {width}: {one}" for one in dict.fromkeys(here)]
    return faults


def listen(page: Any, faults: list[str]) -> None:
    """Write down what goes wrong on a page."""
    page.on("console", lambda said: faults.append(f"console: {said.text}") if _wrong(said) else None)
    page.on("pageerror", lambda error: faults.append(f"error in a script: {error}"))
    page.on("requestfailed", lambda asked: faults.append(f"request failed: {asked.url} ({asked.failure})"))
    page.on("response", lambda came: faults.append(f"{came.status}: {came.url}") if came.status >= 400 else None)
    page.on("dialog", lambda asked: (faults.append(f"a dialog opened by itself: {asked.message}"), asked.dismiss()))


def _wrong(said: Any) -> bool:
    """Whether a line on the console is an error of the page; a browser asks for an icon that nobody has promised."""
    return said.type == "error" and not said.location.get("url", "").endswith("/favicon.ico")


def main() -> None:
    """Read the arguments, look, print the faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--out", type=Path, default=Path("qa"))
    parser.add_argument("--widths", type=lambda text: [int(one) for one in text.split(",")], default=[1280, 768, 375])
    args = parser.parse_args()
    if urlsplit(args.url).scheme not in {"http", "https", "file"}:
        sys.exit(f"{args.url} is no address of a page")
    args.out.mkdir(parents=True, exist_ok=True)
    try:
        if importlib.util.find_spec("playwright") is not None:
            faults = looked_at(args.url, args.out, args.widths)
        else:
            print("Playwright is not installed (pip install playwright): only pictures", file=sys.stderr)
            faults = []
            for width in args.widths:
                file = (args.out / f"{width}.png").resolve()
                browser.run([f"--screenshot={file}", f"--window-size={width},2000", args.url])
                print(f"{file}: {file.stat().st_size:,} bytes")
    except OSError as error:
        sys.exit(str(error))
    except Exception as error:
        if type(error).__module__.startswith("playwright"):
            sys.exit(f"{args.url}: {str(error).splitlines()[0]}")
        raise
    print("\n".join(faults) or "no faults seen")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

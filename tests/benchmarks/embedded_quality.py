"""How often is the built-in model right?

    python -m tests.benchmarks.embedded_quality [MODEL] [--group NAME] [--python PATH] [--only EXPRESSION]

MODEL is `embedded/1.5b` (the default), `embedded/0.5b` or a .gguf file. Each request goes through a session, as a
person's would, in a folder of its own that is filled afresh; everything the model writes is run. A program then judges
the result: the value, the files, the pixels of a chart. GROUPS says which requests have been looked at.

Code of a small model runs unasked here, so the whole benchmark runs in bubblewrap: no network but loopback, nothing
writable but its own folder. It refuses to run without. Weights: $OI_TEST_WEIGHTS, else the usual folder.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import ApprovalRequested, Event, TurnEnded
from oi_tui.session.session import Session
from oi_tui.settings import Settings
from tests.benchmarks import quality_fresh, quality_held_out, quality_open, quality_practice, quality_unseen
from tests.benchmarks.quality_judges import Ran, Request

GROUPS = {
    "open": quality_open,  # looked at, to improve on
    "held-out": quality_held_out,  # held out at first, looked at since
    "fresh": quality_fresh,  # written then; its failures are known
    "practice": quality_practice,  # looked at, to improve on; measured only when it is named
    "unseen": quality_unseen,  # run for the first time when all was done
}
_CAGED = "OI_BENCHMARK_FOLDER"  # set inside the cage: where everything may be written
_SECONDS = 900.0  # for one request, on however busy a machine


def cage(argv: list[str]) -> int:
    """Start this program again in a cage, wait for it and remove its folder."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        sys.exit("this runs unread code of a small model: install bubblewrap first")
    folder = tempfile.mkdtemp(prefix="oi-quality-")
    root = str(Path(__file__).resolve().parents[2])
    command = [
        bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", folder, folder, "--unshare-net",
        "--unshare-pid", "--die-with-parent", "--chdir", root, "--setenv", _CAGED, folder, "--setenv", "HOME", folder,
        "--setenv", "INTERPRETER_HOME", f"{folder}/home", "--setenv", "TMPDIR", folder, "--setenv", "MPLCONFIGDIR",
        f"{folder}/mpl", "--setenv", "MPLBACKEND", "Agg",
        "--setenv", "PIP_RETRIES", "0", sys.executable, "-m", "tests.benchmarks.embedded_quality", *argv,
    ]  # fmt: skip
    try:
        return os.spawnv(os.P_WAIT, bwrap, command)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Pages(BaseHTTPRequestHandler):
    """Two small JSON files over HTTP."""

    def do_GET(self) -> None:
        pages = {"/prices.json": quality_open.PRICES, "/weather.json": quality_held_out.WEATHER}
        page = pages.get(self.path)
        body = json.dumps(page).encode() if page else b"not found"
        self.send_response(200 if page else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the table is what is read."""


@contextmanager
def pages() -> Iterator[int]:
    """A server on loopback; gives its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


async def converse(session: Session, events: AsyncIterable[Event], request: Request, port: int, ran: Ran) -> None:
    """Send the request's messages one after the other; what the last one came to is in `ran`."""
    for text in request.say:
        first = len(session.messages)
        session.submit(text.format(port=port))
        async with asyncio.timeout(_SECONDS):
            async for event in events:
                if isinstance(event, ApprovalRequested):
                    session.answer(event.approval_id, Decision("stop"))
                if isinstance(event, TurnEnded):
                    break
        turn = [((one["role"], one["type"]), one["content"]) for one in session.messages[first + 1 :]]
        ran.said = "\n".join(content for kind, content in turn if kind == ("assistant", "message"))
        ran.blocks = [content for kind, content in turn if kind == ("assistant", "code")]
        ran.printed = next((content for kind, content in reversed(turn) if kind == ("computer", "console")), "")


async def measure(
    name: str, requests: tuple[Request, ...], fill: Callable[[Path], None], options: argparse.Namespace, port: int
) -> list[bool]:
    """Put every request to one session, reset in between; whether each came out right."""
    folder = Path(os.environ[_CAGED]) / "work"
    folder.mkdir()
    settings = Settings(model=options.model, approval_policy="auto", python=options.python, conversation_history=False)
    session = Session(settings, str(folder))
    events = session.bus.subscribe()
    session.start()
    await session.prewarm()
    verdicts: list[bool] = []
    try:
        for request in requests:
            for old in folder.iterdir():
                shutil.rmtree(old) if old.is_dir() else old.unlink()
            fill(folder)
            ran = Ran(folder, frozenset(one.name for one in folder.iterdir()))
            begun = time.monotonic()
            try:
                await converse(session, events, request, port, ran)
                right = bool(request.right(ran))
            except TimeoutError:
                session.interrupt()
                async for event in events:
                    if isinstance(event, TurnEnded):
                        break
                right = False
            except (ValueError, OSError, IndexError):  # what a judge met in the folder
                right = False
            verdicts.append(right)
            print(f"{'ok   ' if right else 'WRONG'} {time.monotonic() - begun:5.1f} s  {request.say[-1]}", flush=True)
            if options.show or not right:
                print("".join(f"        | {line}\n" for line in "\n".join([*ran.blocks, "->", ran.told]).splitlines()))
            session.reset()
    finally:
        await session.close()
    shutil.rmtree(folder)
    print(f"{name}: {sum(verdicts)} of {len(verdicts)} right ({100 * sum(verdicts) / max(1, len(verdicts)):.0f} %)\n")
    return verdicts


def main(argv: list[str]) -> int:
    """Measure what the arguments name and print a line a request and the sums."""
    parser = argparse.ArgumentParser(description="How often is the built-in model right?")
    parser.add_argument("model", nargs="?", default="embedded/1.5b")
    parser.add_argument("--group", choices=tuple(GROUPS), action="append", help="default: all but practice")
    parser.add_argument("--python", default="", help="interpreter that runs the code; default: what oi would take")
    parser.add_argument("--only", default="", help="requests whose kind or words match this expression")
    parser.add_argument("--show", action="store_true", help="print code and output of right answers too")
    options = parser.parse_args(argv)
    if _CAGED not in os.environ:
        return cage(argv)
    home = Path(os.environ["INTERPRETER_HOME"])
    home.mkdir()
    weights = os.environ.get("OI_TEST_WEIGHTS")
    if weights:
        (home / "models").symlink_to(weights)
    verdicts: list[bool] = []
    with pages() as port:
        for name in options.group or [name for name in GROUPS if name != "practice"]:
            group = GROUPS[name]
            chosen = tuple(one for one in group.REQUESTS if re.search(options.only, f"{one.kind}: {one.say[-1]}"))
            verdicts += asyncio.run(measure(name, chosen, group.fill, options, port))
    print(f"{options.model}: {sum(verdicts)} of {len(verdicts)} right")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

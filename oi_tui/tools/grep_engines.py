"""The two ways to search: ripgrep, and a Python worker process. Both give the same rows in the order of paths."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import shutil
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from oi_tui.tools.ignored import HEAVY, in_repository

_CHUNK = 65536
_PACKAGE_ROOT = str(Path(__file__).resolve().parents[2])


@dataclass(frozen=True, slots=True)
class Job:
    """What is searched for. names: patterns that the name of a file must fit one of. first_only: one row a file is
    enough. ignored: also what git ignores, and heavy folders."""

    pattern: str
    ignore_case: bool = False
    before: int = 0
    after: int = 0
    only_matching: bool = False
    multiline: bool = False
    literal: bool = False
    ignored: bool = False
    first_only: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A line. path: relative to the folder searched, "" if a file was searched. line: from 1. column: where the match
    begins, in characters from 0. match: it matches; else it is context, and `lead` says that it leads to a match."""

    path: str
    line: int
    text: str
    column: int = 0
    match: bool = True
    lead: bool = False


class BadPattern(ValueError):
    """The regular expression cannot be read; the text says why."""


class Stopped(RuntimeError):
    """The process that searched ended badly; the text is its last words."""


class _Unknown(Exception):
    """Ripgrep does not know this syntax."""


async def rows(root: str, job: Job) -> AsyncGenerator[Row, None]:
    """Rows of a folder or a file, as they are found. Raises BadPattern, Stopped.

    Wrap it in `contextlib.aclosing`: closing it ends the process that searches.
    """
    repository = not job.ignored and await asyncio.to_thread(in_repository, _folder(root))
    program = shutil.which("rg")
    if program:
        try:
            async with aclosing(_by_ripgrep(program, root, job, repository)) as found:
                async for row in found:
                    yield row
            return
        except _Unknown:
            pass
    async with aclosing(_by_worker(root, job, repository)) as found:
        async for row in found:
            yield row


def _folder(root: str) -> str:
    return root if Path(root).is_dir() else str(Path(root).parent)


def _command(program: str, root: str, job: Job, repository: bool) -> list[str]:
    command = [program, "--json", "--no-config", "--hidden", "--sort=path", "--no-ignore-dot", "--glob=!.git"]
    if not repository:
        command.append("--no-ignore")
        command += [] if job.ignored else [f"--glob=!**/{name}/" for name in sorted(HEAVY)]
    flags = {
        "--ignore-case": job.ignore_case,
        "--fixed-strings": job.literal,
        f"--before-context={job.before}": job.before,
        f"--after-context={job.after}": job.after,
        "--max-count=1": job.first_only,
    }
    command += [flag for flag, wanted in flags.items() if wanted]
    if job.multiline:
        command += ["--multiline", "--multiline-dotall"]
    if job.names and _folder(root) == root:
        command += [*(f"--type-add=wanted:{name}" for name in job.names), "--type=wanted"]
    return [*command, f"--regexp={job.pattern}", "--", root if _folder(root) != root else "./"]


async def _by_ripgrep(program: str, root: str, job: Job, repository: bool) -> AsyncGenerator[Row, None]:
    """Reads `rg --json` (message types begin, match, context, end; see `rg --help`)."""
    file = _folder(root) != root
    held: list[Row] = []
    async with aclosing(_messages(_command(program, root, job, repository), root, b"", (0, 1))) as messages:
        async for message in messages:
            data = message.get("data", {})
            if message.get("type") in {"match", "context"}:
                path = "" if file else _text(data["path"]).removeprefix("./")
                held.extend(_rows(data, path, message["type"] == "match", job.only_matching))
            elif message.get("type") == "end":
                if data.get("binary_offset") is None:
                    for row in _leading(held, job.before):
                        yield row
                held.clear()


def _rows(data: dict[str, Any], path: str, match: bool, only_matching: bool) -> list[Row]:
    """The rows of one message: a match may go over several lines."""
    text, number = _text(data["lines"]), data["line_number"]
    if match and only_matching:
        return [
            Row(path, number + text.encode("utf-8", "surrogateescape")[: one["start"]].count(b"\n"), line)
            for one in data["submatches"]
            for line in [_text(one["match"]).removesuffix("\n").replace("\n", "\\n")]
        ]
    start = data["submatches"][0]["start"] if data.get("submatches") else 0
    column = len(text.encode("utf-8", "surrogateescape")[:start].decode("utf-8", "replace"))
    lines = text.removesuffix("\n").split("\n")
    return [Row(path, number + at, line, 0 if at else column, match) for at, line in enumerate(lines)]


def _leading(held: Sequence[Row], before: int) -> list[Row]:
    """The rows of one file; context within `before` lines of the next match is marked as leading to it."""
    marked: list[Row] = []
    following = -1
    for row in reversed(held):
        if row.match:
            following = row.line
        elif following > 0 and following - row.line <= before:
            row = replace(row, lead=True)
        marked.append(row)
    return marked[::-1]


async def _by_worker(root: str, job: Job, repository: bool) -> AsyncGenerator[Row, None]:
    start = f"import sys; sys.path.insert(0, {_PACKAGE_ROOT!r}); from oi_tui.tools.grep_worker import main; main()"
    asked = {"root": root, "repository": repository, **asdict(job)}
    command = [sys.executable, "-I", "-c", start]
    async with aclosing(_messages(command, root, json.dumps(asked).encode(), (0,))) as messages:
        async for message in messages:
            if "bad_pattern" in message:
                raise BadPattern(message["bad_pattern"])
            yield Row(**message)


async def _messages(
    command: Sequence[str], root: str, given: bytes, good: tuple[int, ...]
) -> AsyncGenerator[dict[str, Any], None]:
    """JSON objects that a process prints, one a line. The process is gone when this ends, however it ends."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=_folder(root),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin and process.stdout and process.stderr  # all three are pipes
    complaint = asyncio.ensure_future(process.stderr.read())
    try:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(given)
            process.stdin.close()
        async for line in _lines(process.stdout):
            try:
                message = json.loads(line)
            except ValueError:  # the last line of a process that was killed
                break
            yield message
        words = (await complaint).decode("utf-8", "replace").strip()
        code = await process.wait()
        if "regex parse error" in words or "look-around" in words:
            raise _Unknown
        # Ripgrep also ends with 2 when it could not open one of many files: what it found still counts.
        if code not in good and not (code == 2 and "Permission denied" in words):
            raise Stopped(words.splitlines()[-1] if words else f"exit {code}")
    finally:
        complaint.cancel()
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _lines(stream: asyncio.StreamReader) -> AsyncGenerator[bytes, None]:
    """Lines of any length, which StreamReader's own iterator does not allow."""
    rest: list[bytes] = []
    while chunk := await stream.read(_CHUNK):
        *whole, last = chunk.split(b"\n")
        for line in whole:
            yield b"".join([*rest, line])
            rest.clear()
        rest.append(last)
    if any(rest):
        yield b"".join(rest)


def _text(value: dict[str, str]) -> str:
    """Ripgrep gives text as it is, other bytes in base64."""
    if "text" in value:
        return value["text"]
    return base64.b64decode(value["bytes"]).decode("utf-8", "surrogateescape")

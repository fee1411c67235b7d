"""Commands on the folder one works in: what was changed, a review of that, instructions for models."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

from oi_tui.commands.base import Argument, Command, CommandError, Host

_LONGEST = 200_000  # characters of a diff that are shown
_MOST_NEW = 100  # new files that are shown whole
_GIT = ("git", "--no-pager", "-c", "core.quotepath=false", "-c", "core.fsmonitor=false")
_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv")
_INIT = """Write a file AGENTS.md for this folder: what somebody who works here for the first time has to know, people
and models alike. Look first: the README, the files of the build and of the tests, how the code is laid out, what the
history says. Then write, on no more than a page: what this is; how it is set up, run, tested and checked, with exact
commands; where things are; the habits of the code that a newcomer would get wrong. Leave out what is plain, and invent
nothing: what you could not find, you do not claim."""
_REVIEW = """Review the changes of this folder that are not committed yet: `git status --short`, `git diff HEAD`, and
the new files. Look for mistakes first: wrong results, what is not handled, what breaks for others, secrets, tests that
are missing or cannot fail. Read the code around a change before judging it. Change nothing. Say of each finding where
it is (file and line), how bad it is, why, and what to do; the worst first. If there is nothing, say so plainly."""


async def _git(cwd: str, *words: str, codes: tuple[int, ...] = (0,)) -> str:
    """What git prints. Raises CommandError with its own words."""
    child = await asyncio.create_subprocess_exec(
        *_GIT,
        *words,
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await child.communicate()
    if child.returncode not in codes:
        raise CommandError(f"git: {err.decode('utf-8', 'replace').strip().removeprefix('fatal: ')}")
    return out.decode("utf-8", "replace")


async def changed(cwd: str) -> str:
    """All changes below `cwd` since the last commit as one patch, new files too. Raises CommandError."""
    if shutil.which("git") is None:
        raise CommandError("git is not installed", "/diff shows what git knows to be changed")
    try:
        await _git(cwd, "rev-parse", "--is-inside-work-tree")
    except CommandError:
        raise CommandError("this folder is in no git repository", "git init begins one") from None
    known = await _git(cwd, "rev-parse", "--verify", "--quiet", "HEAD", codes=(0, 1))
    # Before the first commit all is compared with a tree without files.
    before = "HEAD" if known.strip() else (await _git(cwd, "hash-object", "-t", "tree", "/dev/null")).strip()
    parts = [await _git(cwd, *_DIFF, "--relative", before, "--", ".")]
    new = [one for one in (await _git(cwd, "ls-files", "--others", "--exclude-standard", "-z")).split("\0") if one]
    for name in new[:_MOST_NEW]:
        if sum(map(len, parts)) > _LONGEST:
            break
        parts.append(await _git(cwd, *_DIFF, "--no-index", "--", "/dev/null", name, codes=(0, 1)))
    if len(new) > _MOST_NEW:
        parts.append(f"({len(new) - _MOST_NEW} more new files)\n")
    return "".join(parts)


async def _diff(host: Host, argument: str) -> None:
    patch = await changed(host.session.cwd)
    if not patch.strip():
        host.notify("nothing is changed since the last commit")
        return
    if len(patch) > _LONGEST:
        patch = f"{patch[:_LONGEST]}\n({len(patch) - _LONGEST:,} more characters: git diff HEAD shows them)\n"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", patch)), default=0))
    host.show("changes since the last commit", f"{fence}diff\n{patch.rstrip()}\n{fence}")


async def _init(host: Host, argument: str) -> None:
    file = Path(host.session.cwd) / "AGENTS.md"
    if file.exists():
        raise CommandError("AGENTS.md is there already", "say what is to be changed in it, or remove it first")
    host.session.submit(f"{_INIT}\n\n{argument}".rstrip())


async def _review(host: Host, argument: str) -> None:
    await changed(host.session.cwd)  # where there is no repository that is said here, and not by a model
    host.session.submit(f"{_REVIEW}\n\nAbove all: {argument}" if argument else _REVIEW)


FOLDER = (
    Command("diff", "/", "what is changed here since the last commit, new files too", _diff),
    Command("review", "/", "let the model review what is not committed yet", _review, Argument("WHAT MATTERS")),
    Command("init", "/", "let the model write AGENTS.md, what to know of this folder", _init, Argument("MORE")),
)

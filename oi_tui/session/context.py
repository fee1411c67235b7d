"""What the model is told about this machine: collected once a session, cheaply, and then frozen (prompt caches).

What changes later is told as a note before the person's next message.
"""

from __future__ import annotations

import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from harnesses.base import PROJECT_FILES
from harnesses.data import Env, GitInfo
from oi_tui.session.git_place import git_root
from oi_tui.session.project_docs import project_docs
from oi_tui.settings import Settings

_LISTED = 40  # names of the working directory
_LISTED_BYTES = 320  # of these names in UTF-8: with hashes for names, a token is hardly two bytes
_TOLD = 20  # names that came or went, told at once
_BRANCH = 100  # characters of a branch's name
_UNREADABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")  # controls, line ends, lone surrogates


def collect(
    settings: Settings,
    cwd: str,
    model: str,
    languages: tuple[str, ...],
    python: str = "",
    files: tuple[tuple[str, ...], ...] = PROJECT_FILES,
) -> Env:
    """Everything that does not change during a session. python: its version and packages, where they are known. files:
    names of files with a project's instructions, see `project_docs`."""
    return Env(
        cwd=cwd,
        platform=_system().lower(),
        os_version=_system(release=True),
        shell=Path(os.environ.get("SHELL", "/bin/sh")).name,
        user=os.environ.get("USER") or os.environ.get("LOGNAME") or "",
        now=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        model=model,
        git=git_info(cwd),
        listing=listing(cwd),
        languages=languages,
        python=python,
        project_docs=project_docs(cwd, files),
        guidance=settings.harness_guidance,
        sandbox=sandbox(settings.backend),
        custom_instructions=settings.custom_instructions,
        system_message=settings.system_message,
    )


def _system(release: bool = False) -> str:
    """Name of the operating system, as `platform.system` gives it, which takes 3 ms to import."""
    if sys.platform == "win32":
        version = sys.getwindowsversion()
        return f"Windows {version.major}.{version.minor}" if release else "Windows"
    names = os.uname()
    return f"{names.sysname} {names.release}" if release else names.sysname


def sandbox(backend: str) -> str:
    """What code is shut in, as `Env.sandbox`; "" where it can reach all that the person can."""
    from oi_tui.session.backend import is_local

    named = os.environ.get("SANDBOX", "")  # set by who starts programs in one
    if named == "sandbox-exec":
        return "seatbelt"
    return "container" if named or not is_local(backend) or Path("/.dockerenv").exists() else ""


def git_info(cwd: str) -> GitInfo | None:
    """Repository root and branch, read from .git itself (a process would cost more than the rest of the start)."""
    root = git_root(cwd)
    if root is None:
        return None
    try:
        place = root / ".git"
        if place.is_file():  # a worktree or submodule: the file names the real folder
            place = (root / place.read_text(encoding="utf-8").partition("gitdir:")[2].strip()).resolve()
        head = (place / "HEAD").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):  # not to be read, no text, or a name that no file can have
        return None
    branch = head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:10]
    return GitInfo(str(root), readable(branch[:_BRANCH]))


def readable(name: str) -> str:
    """A name on one line that any request can carry: question marks for bytes that are no UTF-8 and for control
    characters, which could make a name look like words of ours."""
    return _UNREADABLE.sub("?", name)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What of the working directory may change while a session goes on. names: None where there are too many."""

    names: frozenset[str] | None
    branch: str


def snapshot(cwd: str) -> Snapshot:
    """As it is now; a fraction of a millisecond."""
    git = git_info(cwd)
    return Snapshot(_names(cwd), git.branch if git else "")


def changed(before: Snapshot, now: Snapshot) -> str:
    """What a model is to be told that was told of `before`, "" for nothing."""
    parts: list[str] = []
    if before.names is not None and now.names is not None:
        for word, names in (("new", now.names - before.names), ("gone", before.names - now.names)):
            if names:
                shown = sorted(names)[:_TOLD]
                more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
                parts.append(f"{word}: {', '.join(shown)}{more}")
    if now.branch != before.branch:
        parts.append(f"git branch: {now.branch or 'none'}")
    return f"[The working directory has changed. {'; '.join(parts)}]" if parts else ""


def _names(cwd: str) -> frozenset[str] | None:
    names: set[str] = set()
    try:
        with os.scandir(cwd) as entries:
            for entry in entries:
                if len(names) >= 10 * _LISTED:
                    return None
                if not entry.name.startswith("."):
                    names.add(readable(entry.name) + ("/" if entry.is_dir(follow_symlinks=False) else ""))
    except OSError:
        return None
    return frozenset(names)


def listing(cwd: str) -> str:
    """Names in the working directory, folders with a slash, hidden ones left out, at most _LISTED of them in
    _LISTED_BYTES; names that are cut off are counted."""
    names: list[str] = []
    try:
        with os.scandir(cwd) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if len(names) >= 10 * _LISTED:
                    break
                names.append(entry.name + ("/" if entry.is_dir(follow_symlinks=False) else ""))
    except OSError:
        return ""
    shown: list[str] = []
    left = _LISTED_BYTES
    for name in sorted(names)[:_LISTED]:
        name = readable(name)
        left -= len(name.encode()) + 2
        if left < 0:
            break
        shown.append(name)
    more = len(names) - len(shown)
    rest = [f"… and {more}{'+' if len(names) >= 10 * _LISTED else ''} more"] if more else []
    return ", ".join([*shown, *rest])

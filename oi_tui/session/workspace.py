"""What some harnesses tell a model about the working directory beyond its listing: the repository's state, the tree.

Both cost processes or many reads, so they are collected once a session, and only for a harness that wants them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from harnesses.data import Entry, Env, GitInfo
from oi_tui.session.context import readable

_LEVELS = 2
_NAMES = 200  # of one folder
_FOLDERS = 400  # that are looked into at most
_STATUS = 2000  # characters of `git status --short`
_SECONDS = 3.0  # that one git command may take; a cold network disk must not hold up the first request


def add(env: Env, wanted: Collection[str]) -> Env:
    """`env` with the parts that a harness wants: `git`, `tree`."""
    if "git" in wanted and env.git is not None:
        env = replace(env, git=_git(env.cwd, env.git))
    if "tree" in wanted:
        env = replace(env, tree=tree(env.cwd))
    return env


def _git(cwd: str, known: GitInfo) -> GitInfo:
    status = _run(cwd, "status", "--short")
    if len(status) > _STATUS:
        status = status[:_STATUS] + "\n… (cut; run git status for all of it)"
    main = _run(cwd, "symbolic-ref", "--short", "refs/remotes/origin/HEAD").partition("/")[2]
    return replace(
        known,
        status=status,
        recent=_run(cwd, "log", "--oneline", "-5"),
        main=main or "main",
        user=_run(cwd, "config", "user.name"),
    )


def _run(cwd: str, *arguments: str) -> str:
    """What git prints, "" if it fails, is missing or takes too long."""
    environ = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ("git", "--no-pager", *arguments),
            cwd=cwd,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip("\n") if done.returncode == 0 else ""


def tree(cwd: str) -> Entry:
    """The working directory, folders first, each by name, hidden names last of their kind; two levels deep."""
    left = [_FOLDERS]
    return _folder(Path(cwd), Path(cwd).name or "/", _LEVELS, left)


def _folder(path: Path, name: str, levels: int, left: list[int]) -> Entry:
    if levels == 0 or left[0] <= 0:
        return Entry(name, True)
    left[0] -= 1
    try:
        with os.scandir(path) as scanned:
            found = [(one.name, one.is_dir(follow_symlinks=False)) for one in scanned]
    except OSError:
        return Entry(name, True, readable=False)
    found.sort(key=lambda one: (not one[1], one[0].startswith("."), one[0]))
    shown = found[:_NAMES]
    entries = tuple(
        _folder(path / child, readable(child), levels - 1, left) if folder else Entry(readable(child))
        for child, folder in shown
    )
    return Entry(name, True, entries, len(found) - len(shown))

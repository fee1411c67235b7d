"""Which files of a folder are nobody's business: what git ignores in a repository, well-known heavy folders elsewhere.

Git is asked with everything switched off that a repository's own configuration could make it run.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence

HEAVY = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache",
        ".ruff_cache", ".pytest_cache", ".gradle", ".terraform", ".next", ".nuxt", ".cache", "target", "dist", "build",
    }
)  # fmt: skip
_SECONDS = 20
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "--no-optional-locks")


def in_repository(folder: str) -> bool:
    """True if git is installed and has a say on `folder`: it lies in a work tree and is not itself ignored there.

    Whoever asks for an ignored folder by name means what is in it.
    """
    answer = _git(folder, ["rev-parse", "--is-inside-work-tree"])
    return answer is not None and answer.strip() == b"true" and not ignored(folder, ["."])


def ignored(folder: str, paths: Sequence[str]) -> frozenset[str]:
    """Those of `paths` (below `folder`, relative to it) that its repository ignores."""
    if not paths:
        return frozenset()
    asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
    answer = _git(folder, ["check-ignore", "-z", "--stdin"], asked)
    return frozenset(os.fsdecode(one) for one in (answer or b"").split(b"\0") if one)


def files(folder: str, repository: bool) -> Iterable[str]:
    """Files below `folder`, relative to it, sorted: in a repository those that are tracked or not ignored."""
    if repository:
        answer = _git(folder, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        if answer is not None:
            names = {os.fsdecode(one) for one in answer.split(b"\0") if one}
            return sorted(names, key=lambda name: name.split("/"))
    return _walk(folder)


def _walk(folder: str) -> Iterable[str]:
    """Depth first, entries of a folder by name: the order of ripgrep. Links to folders are not followed."""
    levels = [_scan(folder)]
    while levels:
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
        elif not entry.is_dir(follow_symlinks=False):
            yield os.path.relpath(entry.path, folder)
        elif entry.name not in HEAVY:
            levels.append(_scan(entry.path))


def _scan(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scan:
            return iter(sorted(scan, key=lambda entry: entry.name))
    except OSError:
        return iter(())


def _git(folder: str, arguments: Sequence[str], given: bytes = b"") -> bytes | None:
    """Output of a git command, None if git is missing, slow or refuses (check-ignore says 1 for "nothing")."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            [*_GIT, "-C", folder, *arguments],
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode in (0, 1) else None

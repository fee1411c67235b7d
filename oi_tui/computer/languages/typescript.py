"""What takes the types out of TypeScript on this machine: Node itself, or esbuild where Node is too old."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

STRIPS = ((22, 13), (23, 2))  # from these on, in their lines, `module.stripTypeScriptTypes` is there (Node's changelog)
COMPILERS = ("esbuild", "tsx")


def lacks(program: str, env: Mapping[str, str]) -> str:
    """What is missing for TypeScript, "" when Node or a compiler in PATH can take the types away."""
    if strips_types(program) or compiler(env):
        return ""
    version = ".".join(map(str, version_of(program))) or "of an unknown version"
    how = "install Node 22.13 or newer, or run `npm install -g esbuild`"
    return f"this Node ({version}) cannot read TypeScript; {how}"


def strips_types(program: str) -> bool:
    """Whether this Node can take types away by itself."""
    version = version_of(program)
    return version >= STRIPS[1] or (version[:1] == (22,) and version >= STRIPS[0])


@functools.cache
def version_of(program: str) -> tuple[int, ...]:
    """Major and minor version of a Node, () where it does not say. Its header file is asked first: that is quick."""
    header = Path(program).resolve().parent.parent / "include" / "node" / "node_version.h"
    try:
        text = header.read_text(encoding="utf-8", errors="replace")
        found = [re.search(rf"define NODE_{part}_VERSION (\d+)", text) for part in ("MAJOR", "MINOR")]
        if all(found):
            return tuple(int(one.group(1)) for one in found if one)
    except OSError:
        pass
    try:
        said = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=5, check=False, stdin=subprocess.DEVNULL
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    numbers = re.match(r"v(\d+)\.(\d+)", said)
    return tuple(map(int, numbers.groups())) if numbers else ()


def compiler(env: Mapping[str, str]) -> str:
    """The real path of a compiler in PATH, "" where there is none."""
    for name in COMPILERS:
        found = shutil.which(name, path=env.get("PATH"))
        if found:
            return str(Path(found).resolve())
    return ""

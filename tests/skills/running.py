"""Runs what the text of a built-in skill tells a model to run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from oi_tui import paths
from oi_tui.tools.skill import instructions

SECONDS = 100


def text_of(name: str) -> str:
    """The instructions as a model is told them."""
    return instructions(name, str(paths.shipped("skills") / name)).text


def commands(name: str) -> Iterator[str]:
    """The lines of the text's shell blocks, without their comments."""
    for block in re.findall(r"```sh\n(.*?)```", text_of(name), re.DOTALL):
        for line in block.splitlines():
            if line := re.sub(r"\s+#.*", "", line).strip():
                yield line


def python_blocks(name: str) -> list[str]:
    """The Python blocks of the text, without the indentation of their list."""
    blocks = re.findall(r"^( *)```python\n(.*?)^ *```", text_of(name), re.DOTALL | re.MULTILINE)
    return [re.sub(rf"^{space}", "", block, flags=re.MULTILINE) for space, block in blocks]


def run(line: str, folder: Path, *, ok: bool = True) -> str:
    """Run one command in `folder` with this Python; what it printed. ok: whether it is to succeed."""
    words = shlex.split(line)
    assert words[0] == "python"
    before, _, into = line.partition(" > ")
    words = shlex.split(before) if into else words
    done = subprocess.run(
        [sys.executable, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert (done.returncode == 0) == ok, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    if into:
        (folder / into.strip()).write_text(done.stdout, encoding="utf-8")
    return done.stdout + done.stderr


def script(name: str, file: str) -> str:
    """`python SCRIPT`, to be followed by arguments."""
    return f"python {shlex.quote(str(paths.shipped('skills') / name / 'scripts' / file))}"

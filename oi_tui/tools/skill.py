"""Executor `skill`: the instructions of a skill, from the body of its SKILL.md or from its YAML file."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path

from oi_tui.protocol.calls import Result
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.text_files import NotText, decode, printable

ARGUMENTS = "$ARGUMENTS"
MOST = 256 * 1024  # bytes
_FILES = 40  # files beside the instructions that are named
_PASSED = frozenset({"__pycache__", "node_modules"})
_HEAD = re.compile(r"\A---[ \t]*\n.*?\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_HERE = re.compile(r"\$\{(?:CLAUDE_)?SKILL_DIR\}")


@dataclass(frozen=True, slots=True)
class Instructions:
    """What a skill says. text: for a model, with paths as they are here. folder: that its other files lie in."""

    text: str
    folder: str


def preview(ctx: Context, name: str, arguments: str = "") -> Preview:
    """name: of a skill of this session. arguments: stands where its text says `$ARGUMENTS`, or at its end."""
    return Preview("tool", "", f"{name} {arguments}".strip(), f"use the skill {_name(ctx, name)}")


async def run(ctx: Context, name: str, arguments: str = "") -> Result:
    """Read it. meta: name, folder (that its other files lie in)."""
    name = _name(ctx, name)
    read = await asyncio.to_thread(instructions, name, ctx.skills[name], arguments)
    meta = {"name": name, "folder": read.folder, "summary": name}
    return Result(True, read.text, meta=meta)


def instructions(name: str, path: str, arguments: str | None = None) -> Instructions:
    """What the skill `name` says that lies at `path` (its file, or the folder of its SKILL.md). arguments: None leaves
    `$ARGUMENTS` as it stands. Raises BadArgument, and OSError where it cannot be read."""
    file = Path(path)
    file = file / "SKILL.md" if file.is_dir() else file
    size = file.stat().st_size
    if size > MOST:
        raise BadArgument(f"the skill {name} has {size:,} bytes; that is too much", "size")
    try:
        text = decode(file.read_bytes())[0].replace("\r\n", "\n")
    except NotText as error:
        raise BadArgument(f"the skill {name} is not text", "kind") from error
    alone = file.name != "SKILL.md"
    text = _from_yaml(text) if alone else _HEAD.sub("", text, count=1).strip()
    text = _HERE.sub(lambda _: str(file.parent), text)
    if arguments is not None and ARGUMENTS in text:
        text = text.replace(ARGUMENTS, arguments)
    elif arguments:
        text += f"\n\nArguments: {arguments}"
    beside = [] if alone else _beside(file)
    if beside:
        text += f"\n\nFiles of this skill, in {file.parent}: {', '.join(beside)}"
    return Instructions(printable(text), str(file.parent))


def _beside(main: Path) -> list[str]:
    """The other files of its folder, by relative path."""
    found: list[str] = []
    for folder, folders, names in os.walk(main.parent):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in _PASSED)
        for name in sorted(names):
            if name.startswith(".") or (name == main.name and folder == str(main.parent)):
                continue
            if len(found) >= _FILES:
                return [*found, "…"]
            found.append(Path(folder, name).relative_to(main.parent).as_posix())
    return found


def _from_yaml(text: str) -> str:
    """Instructions, and the code if there is some, of a skill that is one YAML file."""
    import yaml

    try:
        value = yaml.safe_load(text)
        parts = [str(value["instructions"]).strip()]
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise BadArgument("the skill is no YAML with the key instructions", "kind") from error
    if value.get("code"):
        code = str(value["code"]).strip()
        fence = "`" * max(3, *(len(run) + 1 for run in ["", *re.findall("`+", code)]))
        parts.append(f"{fence}\n{code}\n{fence}")
    return "\n\n".join(parts)


def _name(ctx: Context, name: str) -> str:
    wanted = name.strip().removeprefix("/").removeprefix("$")
    if wanted not in ctx.skills:
        known = ", ".join(sorted(ctx.skills)) or "none"
        raise BadArgument(f"there is no skill {name!r}; there are: {known}", "missing")
    return wanted

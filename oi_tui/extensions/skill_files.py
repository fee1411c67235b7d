"""The head of one skill's file: its name and what it is for, read and checked; and the text of a new one."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

MAIN = "SKILL.md"
NAME, DESCRIPTION = 64, 1024  # characters
_HEAD_BYTES = 256 * 1024
_NEW_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_COLON = re.compile(r"^([a-z-]+:[ \t]+)([^\s\"'|>\[{&*#].*:[ \t].*)$", re.MULTILINE)
_NEW = """---
name: {name}
description: {description}
---
1. Say here, in order, what is to be done: what a capable reader would not do unasked, with exact commands.
2. Say how a good result is told from a bad one.

`$ARGUMENTS` stands for what the person adds. Longer texts and programs lie in files beside this one; `${{SKILL_DIR}}`
becomes this folder.
"""


def default_name(file: Path) -> str:
    """What a skill is called that does not say its name."""
    return file.parent.name if file.name == MAIN else file.stem


@lru_cache(maxsize=1024)
def described(file: Path, changed: int, size: int) -> tuple[str, str]:
    """Name and description. changed, size: of the file, so that what is remembered stays fresh.

    Raises OSError, and ValueError with the reason why this is no skill.
    """
    if size > _HEAD_BYTES:
        raise ValueError(f"it has {size:,} bytes; at most {_HEAD_BYTES:,} can be read")
    try:
        text = file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not text in UTF-8 (byte {error.start + 1:,})") from error
    if file.name == MAIN:
        lines = text.split("\n")
        ends = [at for at, line in enumerate(lines) if at and line.rstrip() == "---"]
        if lines[0].rstrip() != "---" or not ends:
            raise ValueError("it does not begin with name and description between two lines ---")
        text = "\n".join(lines[1 : ends[0]])
    head = _mapping(text, first_line=2 if file.name == MAIN else 1)
    name = str(head.get("name") or default_name(file)).strip()
    description = " ".join(str(head.get("description") or "").split())
    if not description:
        raise ValueError("it has no description: say in one line what it is for")
    if len(name) > NAME or any(sign.isspace() or not sign.isprintable() for sign in name):
        raise ValueError(f"its name must be one word of at most {NAME} characters")
    if file.name != MAIN:
        _check_yaml(head)
    return name, "".join(sign if sign.isprintable() else " " for sign in description[:DESCRIPTION])


# A key and plain words that YAML takes as they stand: no sign of its own, nothing that is a number, a truth or a null.
_WORDS = re.compile(
    r"([a-z][a-z-]*): (?!(?:y|n|yes|no|true|false|on|off|null)$)([a-z](?:[\w ,.:;()/+-]*[\w.,;()/+-])?)", re.I | re.A
)


def _check_yaml(head: dict[Any, Any]) -> None:
    instructions, code = head.get("instructions"), head.get("code")
    if not isinstance(instructions, str) or not instructions.strip():
        raise ValueError("it has no instructions: a text under the key instructions")
    if code is not None and not isinstance(code, str):
        raise ValueError("its code must be a text: write `code: |` and the lines below it, indented")


def _mapping(text: str, first_line: int) -> dict[Any, Any]:
    lines = [_WORDS.fullmatch(line) for line in text.split("\n")]
    if all(lines):  # keys with words, as most are: YAML says the same, after 20 ms that nobody needs to wait
        return {found[1]: found[2] for found in lines if found is not None}

    import yaml

    try:
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError:
            # A colon in a line of words is the commonest slip: `description: Use it for two things: this and that`.
            value = yaml.safe_load(_COLON.sub(lambda found: found[1] + json.dumps(found[2]), text))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + first_line}" if mark is not None else ""
        raise ValueError(f"its YAML cannot be read{where}: {getattr(error, 'problem', None) or 'not valid'}") from error
    if not isinstance(value, dict):
        raise ValueError("its YAML is no list of keys and values")
    return value


def create(folder: Path, name: str, description: str) -> Path:
    """Make `folder`/NAME/SKILL.md for a person to fill in, and return it.

    Raises ValueError for a name or description that cannot be used, FileExistsError where there is such a skill, and
    OSError.
    """
    name, description = name.strip(), " ".join(description.split())
    if len(name) > NAME or not _NEW_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for a skill: small letters, digits and single hyphens, at most {NAME}")
    if not description or len(description) > DESCRIPTION:
        raise ValueError(f"the description must have 1 to {DESCRIPTION} characters")
    file = folder / name / MAIN
    for taken in (file, folder / f"{name}.yaml", folder / f"{name}.yml"):
        if taken.exists():
            raise FileExistsError(f"there is a skill {name!r} already: {taken}")
    file.parent.mkdir(parents=True, exist_ok=True)
    # A JSON string is a YAML string, too, whatever stands in it.
    file.write_text(_NEW.format(name=name, description=json.dumps(description, ensure_ascii=False)), encoding="utf-8")
    return file

"""Changes the person's `config.toml` where the program was asked to keep a choice; all else in it stays as it was."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from oi_tui import paths

if TYPE_CHECKING:
    from collections.abc import Sequence


Value = str | bool | int | float | list[str]


class ConfigUnwritable(Exception):
    """The file cannot be read as TOML, or not be written; the text says which and why."""


def put(key: Sequence[str], value: Value | None) -> None:
    """Set `key` (names of tables, then the name in the last) to `value`, or remove it (None), with the tables that this
    leaves empty. Comments and the order of lines stay. Raises ConfigUnwritable."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    file = paths.config_file()
    try:
        text = file.read_bytes().decode("utf-8-sig") if file.exists() else ""
        document = tomlkit.parse(text)
        _set(document, key, value)
        changed = tomlkit.dumps(document)
        if value is None and changed != text:
            changed = f"{changed.rstrip()}\n".lstrip("\n")  # the blank line that stood before a table
        if changed != text:
            _write(changed)
    except TOMLKitError as error:
        raise ConfigUnwritable(f"{file} is not valid TOML: {str(error).lower()}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigUnwritable(f"{file} cannot be changed: {error}") from error


def _set(document: Any, key: Sequence[str], value: Value | None) -> None:
    import tomlkit

    *tables, name = key
    path = [document]
    for one in tables:
        inner = path[-1].get(one)
        if inner is None:
            if value is None:
                return
            inner = tomlkit.table()
            path[-1][one] = inner
        if not isinstance(inner, dict):
            raise ConfigUnwritable(f"{paths.config_file()}: {one} is no table")
        path.append(inner)
    if value is not None:
        path[-1][name] = value
        return
    path[-1].pop(name, None)
    for parent, one in reversed(list(zip(path, tables, strict=False))):
        if not parent[one]:
            del parent[one]


def _write(text: str) -> None:
    """At once or not at all; a file that is a link stays one, and its mode stays."""
    file = paths.config_file().resolve()
    paths.private_dir(file.parent)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8", newline="")
        if file.exists():
            fresh.chmod(file.stat().st_mode)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)

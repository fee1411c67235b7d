"""`oi config`: every setting, where its value comes from; changing one in config.toml, whose comments stay."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from oi_tui.faces.usage import UsageParser

if TYPE_CHECKING:
    from oi_tui.commands.setting_rows import Row

_KEY = 30  # columns


def main(argv: Sequence[str]) -> int:
    """Exit code 0; 1 if the file cannot be written; 2 for wrong usage, a setting that is none, or a wrong value."""
    parser = UsageParser(
        "oi config",
        description="Every setting and where its value comes from; changes config.toml.",
        usage="oi config list | get KEY | set KEY VALUE | unset KEY | path",
        allow_abbrev=False,
    )
    actions = ("list", "get", "set", "unset", "path")
    parser.add_argument("action", nargs="?", choices=actions, default="list", help="list if left out")
    parser.add_argument("key", nargs="?", default="", help="name of a setting, such as llm.temperature")
    parser.add_argument("value", nargs="*", help="what it is to be; lists with commas")
    parser.add_argument("--json", action="store_true", help="list, get: as JSON")
    parsed = parser.parse_args(list(argv))
    wanted = {"list": (0, 0), "path": (0, 0), "get": (1, 0), "unset": (1, 0), "set": (1, 1)}[parsed.action]
    if (bool(parsed.key), min(len(parsed.value), 1)) != wanted:
        parser.error(
            f"write oi config {parsed.action}" + (" KEY" if wanted[0] else "") + (" VALUE" if wanted[1] else "")
        )
    if parsed.action == "path":
        from oi_tui import paths

        sys.stdout.write(f"{paths.config_file()}\n")
        return 0
    from oi_tui.commands.setting_rows import WrongSetting
    from oi_tui.config_file import ConfigUnwritable

    try:
        if parsed.action in {"set", "unset"}:
            _change(parsed.key, " ".join(parsed.value) if parsed.action == "set" else None)
        else:
            _show(parsed.key, parsed.json)
    except WrongSetting as error:
        sys.stderr.write(f"oi: {error}\nsee oi config list\n")
        return 2
    except ConfigUnwritable as error:
        sys.stderr.write(f"oi: it is not kept: {error}\n")
        return 1
    return 0


def _change(key: str, value: str | None) -> None:
    from oi_tui.commands.setting_rows import keep

    sys.stderr.write(f"{keep(key, value)}\n")


def _show(key: str, as_json: bool) -> None:
    """One setting, or all: the bare value of one, so that programs can take it."""
    from oi_tui import settings
    from oi_tui.commands.setting_rows import row, rows

    loaded = settings.load()
    for problem in loaded.problems:
        sys.stderr.write(f"oi: {problem.text}" + (f" ({problem.hint})" if problem.hint else "") + "\n")
    found = [row(key, loaded.settings)] if key else rows(loaded.settings)
    if as_json:
        facts = [{"key": one.key, "value": one.shown, "origin": one.origin, "default": one.default} for one in found]
        sys.stdout.write(json.dumps(facts[0] if key else facts, ensure_ascii=False, indent=2) + "\n")
    elif key:
        sys.stdout.write(f"{found[0].shown}\n")
        sys.stderr.write(f"from {found[0].origin}: {found[0].help}\n")
    else:
        sys.stdout.writelines(_line(one) for one in found)


def _line(one: Row) -> str:
    origin = "" if one.origin == "default" else f"   ({one.origin})"
    return f"{one.key:<{_KEY}} {one.shown or '-'}{origin}\n"

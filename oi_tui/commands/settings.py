"""`/settings`: every setting, where its value comes from, and changing one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oi_tui.commands.base import Argument, Command, CommandError, Host
from oi_tui.commands.setting_rows import Row, WrongSetting, change, row, rows

if TYPE_CHECKING:
    from oi_tui.settings import Settings


async def _settings(host: Host, argument: str) -> None:
    key, _, value = argument.partition(" ")
    if not key:
        host.pick("settings")
        return
    from oi_tui.config_file import ConfigUnwritable
    from oi_tui.models.client import ModelError

    try:
        if not value.strip():
            host.show(key, about(row(key, host.session.settings)))
            return
        host.notify(change(host, key, None if value.strip() == "default" else value.strip()))
    except WrongSetting as error:
        raise CommandError(str(error), "/settings shows them all") from error
    except ConfigUnwritable as error:
        raise CommandError(f"it is not kept: {error}") from error
    except ModelError as error:
        raise CommandError(str(error), error.hint) from error


def about(one: Row) -> str:
    """One setting as Markdown."""
    lines = [f"**{one.key}**: {one.help}", "", f"- now `{one.shown or 'nothing'}`, from {one.origin}"]
    if one.default:
        lines.append(f"- at first `{one.default}`")
    if one.options:
        lines.append(f"- one of {', '.join(f'`{option}`' for option in one.options)}")
    if one.editable:
        lines += ["", f"`/settings {one.key} VALUE` changes it, `/settings {one.key} default` takes that back."]
    return "\n".join(lines)


def page(now: Settings) -> str:
    """All settings as Markdown."""
    lines: list[str] = []
    section = ""
    for one in rows(now):
        if one.section != section:
            section = one.section
            lines += ["", f"| {section} | | |", "| --- | --- | --- |"]
        lines.append(f"| {one.key} | {one.shown.replace('|', ' ')} | {one.origin} |")
    return "\n".join(lines).strip()


SETTINGS = (
    Command(
        "settings",
        "/",
        "every setting, where it comes from; change one",
        _settings,
        Argument("KEY VALUE", "settings"),
        aliases=("config",),
    ),
)

"""Commands about the program itself: its keys, leaving it."""

from __future__ import annotations

from oi_tui.commands.base import Command, Host


async def _keys(host: Host, _: str) -> None:
    host.show("keys", host.keys())


async def _quit(host: Host, _: str) -> None:
    host.quit()


PROGRAM = (
    Command("keys", "/", "list all keys", _keys, keys="?"),
    Command("quit", "/", "leave", _quit, aliases=("exit", "q"), keys="ctrl+c twice"),
)

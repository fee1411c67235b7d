"""Commands about the program itself: its keys, leaving it."""

from __future__ import annotations

from oi_tui.commands.base import Command, Host


async def _keys(host: Host, _: str) -> None:
    host.show("keys", host.keys())


async def _vim(host: Host, _: str) -> None:
    host.notify("vim keys: esc for normal mode, i to write" if host.toggle_vim() else "vim keys are off")


async def _quit(host: Host, _: str) -> None:
    host.quit()


PROGRAM = (
    Command("keys", "/", "list all keys", _keys, keys="?"),
    Command("vim", "/", "vim keys in the message box, or not", _vim),
    Command("quit", "/", "leave", _quit, aliases=("exit", "q"), keys="ctrl+c twice"),
)

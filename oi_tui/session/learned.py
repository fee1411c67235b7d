"""What one session learns of a model and the next one should know: that its server refuses tools.

One small JSON file: `{"no tools": {"PROVIDER URL MODEL": unix time}}`. What is in it is forgotten after a month, since
servers learn, too; a file that cannot be read or written is as good as none.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from typing import TYPE_CHECKING, Any, cast

from oi_tui import paths

if TYPE_CHECKING:
    from oi_tui.session.connection import Connection

_KEPT = 30 * 24 * 3600.0  # seconds
_MOST = 200
_NO_TOOLS = "no tools"


def takes_no_tools(connection: Connection) -> bool:
    """Whether its server refused tools within the last month."""
    return _key(connection) in _read()


def learn_no_tools(connection: Connection) -> None:
    """Its server has just refused tools."""
    found = {**_read(), _key(connection): time.time()}
    newest = sorted(found, key=lambda one: found[one])[-_MOST:]
    file = paths.learned_file()
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        paths.private_dir(file.parent)
        fresh.write_text(json.dumps({_NO_TOOLS: {one: found[one] for one in newest}}, indent=1), encoding="utf-8")
        fresh.replace(file)


def _key(connection: Connection) -> str:
    return f"{connection.provider} {connection.url} {connection.request_model}"


def _read() -> dict[str, float]:
    """Models that take no tools, with the time when that was learned."""
    try:
        read: Any = json.loads(paths.learned_file().read_text(encoding="utf-8"))
        kept = cast("dict[str, Any]", read[_NO_TOOLS])
        since = time.time() - _KEPT
        return {str(one): float(at) for one, at in kept.items() if float(at) > since}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}

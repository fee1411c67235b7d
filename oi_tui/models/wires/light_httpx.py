"""The one place where httpx is imported.

httpx's package imports its own command line (click, rich, pygments) if that is installed: half of its import time, for
something a library user never calls. httpx treats it as optional, so it is told that it is not there.
"""

from __future__ import annotations

import sys

_COMMAND_LINE = "httpx._main"
if "httpx" not in sys.modules:
    _hidden = _COMMAND_LINE not in sys.modules
    if _hidden:
        sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]
    import httpx

    if _hidden:
        del sys.modules[_COMMAND_LINE]
else:
    import httpx

__all__ = ["httpx"]

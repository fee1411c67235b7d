"""Faults of our own, kept for a bug report without troubling the person with them."""

from __future__ import annotations

import traceback

from oi_tui import paths


def log() -> None:
    """Append the exception that is being handled to logs/faults.log, keys masked; silent where that cannot be done."""
    from oi_tui.protocol.secrets import mask

    try:
        folder = paths.private_dir(paths.home() / "logs")
        with (folder / "faults.log").open("a", encoding="utf-8") as log:
            log.write(mask(traceback.format_exc()) + "\n")
    except OSError:
        pass

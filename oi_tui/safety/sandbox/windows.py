"""The plan for Windows: an AppContainer (learn.microsoft.com, "AppContainer isolation") with rights to some folders.

Code does not run on Windows yet, so nothing starts a process through this plan; what it would grant is written down and
tested here, so that whoever adds the start decides nothing about safety.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from oi_tui.safety.sandbox.place import Place

INTERNET = "S-1-15-3-1"  # the capability internetClient; without any, no other machine can be reached


@dataclass(frozen=True, slots=True)
class Grant:
    """Rights of the container to a folder and all below: `RX` to read and run, `M` to change, as icacls writes them."""

    path: str
    rights: str


@dataclass(frozen=True, slots=True)
class Container:
    """name: of its profile, the same for the same folder. capabilities: security identifiers. grants: what it gets;
    all else is closed to it. low_integrity: so that it cannot write to what is open to everyone."""

    name: str
    capabilities: tuple[str, ...]
    grants: tuple[Grant, ...]
    low_integrity: bool = True
    private_desktop: bool = True


def container(place: Place, python: str, temp: str) -> Container:
    """python: the folder of the interpreter that runs code. temp: a folder for temporary files, of its own."""
    grants = [Grant(python, "RX"), Grant(place.workspace, "M" if place.writes else "RX"), Grant(temp, "M")]
    grants += [Grant(one, "M") for one in (*place.extra, *place.kept) if place.writes or one in place.kept]
    grants += [Grant(one, "RX") for one in place.shown]
    name = "oi-" + hashlib.sha256(os.path.normcase(place.workspace).encode()).hexdigest()[:16]
    return Container(name, (INTERNET,) if place.network == "on" else (), tuple(grants))

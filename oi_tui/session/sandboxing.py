"""The sandbox of a session: whether its code needs one, what it is made of, and what a person lets out of it.

Whether there is one follows from the settings and from the approval mode, which may change between two blocks; where
one is needed and none starts, code does not run unless the person has agreed to that (see `unheld`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from oi_tui import paths
from oi_tui.safety.sandbox.place import Network, Place, Plan, Unusable
from oi_tui.settings import Settings

if TYPE_CHECKING:
    from oi_tui.computer.cell import Cell
    from oi_tui.safety.sandbox.proxy import Proxy, Refused

NONE = "no sandbox"
_LOCAL = "localhost,127.0.0.1,::1"  # is in the sandbox's own network


class Sandboxing:
    """settings: of the person. cwd: the workspace. outputs: gives the folder with full texts of outputs. mode: gives
    the approval mode. It is what `Computer.confine` takes, made anew by `confinement` for each kind of place."""

    def __init__(self, settings: Settings, cwd: str, outputs: Callable[[], Path], mode: Callable[[], str]) -> None:
        self._settings, self._cwd, self._outputs, self._mode = settings, cwd, outputs, mode
        self.hosts = list(settings.sandbox.hosts)  # that may be reached, with those that a person allowed meanwhile
        self.agreed = False  # the person lets code run without, for this session
        self._made: Confined | None = None

    @property
    def needed(self) -> bool:
        """Whether code of the model is to run in a sandbox: on this machine, unless that is switched off or the
        approval mode lets everything run."""
        local = self._settings.backend.strip() in ("", "local", "jupyter")
        return local and self._settings.sandbox.mode != "off" and self._mode() != "full"

    @property
    def writes(self) -> bool:
        """Whether code may change the workspace."""
        return self._mode() != "read-only" and self._settings.sandbox.mode != "read-only"

    @property
    def network(self) -> Network:
        wanted = self._settings.sandbox
        return "on" if wanted.open else "listed" if wanted.hosts else "off"

    def unheld(self) -> str:
        """Why no sandbox starts here although one is needed, "" if one does. The first call tries it."""
        if not self.needed:
            return ""
        from oi_tui.safety.sandbox.plan import found

        try:
            found(self._settings.sandbox.kind)
        except Unusable as error:
            return str(error)
        return ""

    @property
    def may_run_without(self) -> bool:
        """Whether the person has agreed that code runs here where no sandbox starts."""
        return self._settings.sandbox.mode != "on" and (self.agreed or _remembered().get("without") is True)

    def agree(self) -> None:
        """The person agrees to that: now, and from now on on this machine. Raises OSError if it cannot be kept."""
        self.agreed = True
        file = paths.sandbox_file()
        paths.private_dir(file.parent)
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        fresh.write_text(json.dumps({"without": True}), encoding="utf-8")
        fresh.replace(file)

    def told(self) -> str:
        """What holds code, in words, for the status line and the approval."""
        if not self.needed:
            return NONE
        from oi_tui.safety.sandbox.plan import described, tried

        kind = tried(self._settings.sandbox.kind)
        return NONE if kind == "" else described(kind or "", self.network)

    def instructions(self) -> str:
        """What a model has to know of it, "" where there is none."""
        if not self.needed:
            return ""
        reach = {"off": "no network", "listed": f"network: only {', '.join(self.hosts)}", "on": "network on"}
        where = "this folder and /tmp writable" if self.writes else "only /tmp writable"
        return f"Code runs sandboxed: {where}, {reach[self.network]}."

    def confinement(self) -> Confined | None:
        """What the computer is to be confined in now, None for nothing."""
        if not self.needed or (self.may_run_without and self.unheld()):
            self._made = None
            return None
        key = (self.writes, self.network)
        if self._made is None or self._made.key != key:
            self._made = Confined(self, key)
        return self._made

    def place(self) -> Place:
        """What code may do, as things are."""
        shown = [str(paths.home() / "skills"), str(paths.skill_switches_file()), str(paths.trust_file())]
        with contextlib.suppress(OSError):
            shown.append(str(paths.private_dir(self._outputs())))
        extra = tuple(os.path.abspath(os.path.expanduser(one)) for one in self._settings.sandbox.writable)  # noqa: PTH100, PTH111
        cache = paths.private_dir(paths.sandbox_cache())
        return Place(self._cwd, self.writes, extra, tuple(shown), (str(cache),), self.network)

    def plan(self) -> Plan:
        """How to start a process in it. Raises Unusable."""
        from oi_tui.safety.sandbox.plan import plan_for

        return plan_for(self.place(), kind=self._settings.sandbox.kind)

    def take_refused(self) -> list[Refused]:
        """Hosts that code could not reach since this was last asked."""
        proxy = self._made.proxy if self._made is not None else None
        return proxy.take_refused() if proxy is not None else []


class Confined:
    """One kind of place, as the computer knows it: see `computer.cell.Confinement`."""

    def __init__(self, owner: Sandboxing, key: tuple[bool, Network]) -> None:
        self._owner, self.key = owner, key
        self.proxy: Proxy | None = None
        self.cell: Cell | None = None
        self._plan: Plan | None = None

    def enclosure(self) -> Plan:
        """As the protocol says."""
        try:
            self._plan = self._owner.plan()
        except Unusable as error:
            raise OSError(f"no sandbox can start here: {error}; --sandbox off runs code without one") from None
        return self._plan

    def started(self, cell: Cell) -> Mapping[str, str]:
        """As the protocol says: the proxy listens where the cell's processes find it."""
        from oi_tui.safety.sandbox.proxy import Proxy

        assert self._plan is not None
        self.cell = cell
        made = {"OI_SANDBOX": self._plan.kind, "OI_SANDBOX_NETWORK": self.key[1], **_matplotlib()}
        if self.key[1] == "on" or self._plan.kind != "bubblewrap":
            return made
        listening, port = cell.listen()
        self.proxy = Proxy((), os.environ)
        self.proxy.hosts = self._owner.hosts  # the same list: what is allowed meanwhile is in it
        self.proxy.serve(listening)
        return made | proxied(port)

    def ended(self, cell: Cell) -> None:
        """As the protocol says."""
        proxy, self.proxy, self.cell = self.proxy, None, None
        if proxy is not None:
            proxy.close()


def proxied(port: int) -> dict[str, str]:
    """Variables by which programs find the proxy."""
    address = f"http://127.0.0.1:{port}"
    made = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), address)
    made |= {name.lower(): address for name in made}
    return made | {"NO_PROXY": _LOCAL, "no_proxy": _LOCAL, "NODE_USE_ENV_PROXY": "1"}


def _matplotlib() -> dict[str, str]:
    """Its list of fonts takes seconds to make, and its own places cannot be written: it gets one that is kept."""
    if "MPLCONFIGDIR" in os.environ:
        return {}
    folder = paths.sandbox_cache() / "matplotlib"
    own = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "matplotlib" / "matplotlibrc"
    with contextlib.suppress(OSError):
        folder.mkdir(exist_ok=True)
        if own.is_file() and not (folder / "matplotlibrc").is_symlink():
            shutil.copyfile(own, folder / "matplotlibrc")
    return {"MPLCONFIGDIR": str(folder)}


def _remembered() -> Mapping[str, Any]:
    try:
        read: Any = json.loads(paths.sandbox_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {}


async def tried(sandboxing: Sandboxing) -> str:
    """`unheld` without holding up the loop."""
    return await asyncio.to_thread(sandboxing.unheld)

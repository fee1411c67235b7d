"""Where code runs: on this machine, or in a place that is reached from here.

`Computer(backend=...)` takes one of

- `local` (or nothing): kernels and shells on this machine;
- `jupyter`: the same, but Python runs in an ipykernel, and every kernel that is installed for Jupyter is a language;
- `http://HOST:PORT/?token=TOKEN` (or https): a Jupyter Server, a Kernel Gateway or an Enterprise Gateway;
- `docker` or `docker:IMAGE`, `podman:IMAGE`: a container with Python in it;
- `e2b`: a sandbox of E2B, by its own package.

A backend gives a list of languages; everything else about a block is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from oi_tui.computer.languages import kernelspecs
from oi_tui.computer.languages.base import Language
from oi_tui.computer.languages.catalog import BUILT_IN


def languages_of(backend: str, env: Mapping[str, str]) -> list[Language]:
    """The languages of a backend. ValueError with a sentence when it is not known or what it needs is missing."""
    kind, _, rest = backend.strip().partition(":")
    if kind in ("", "local"):
        return [*BUILT_IN, *kernelspecs.languages(env)]
    if kind == "jupyter" and not rest:
        from oi_tui.computer.backends import jupyter

        return jupyter.languages(env)
    if kind in ("http", "https"):
        from oi_tui.computer.backends import gateway

        return gateway.languages(backend, env)
    if kind in ("docker", "podman"):
        from oi_tui.computer.backends import container

        return container.languages(kind, rest, env)
    if kind == "e2b":
        from oi_tui.computer.backends import e2b

        return e2b.languages(rest)
    known = "local, jupyter, http(s)://..., docker[:IMAGE], podman[:IMAGE], e2b"
    raise ValueError(f"{backend!r} is no backend; choose one of {known}")


def reading(backend: str, path: str) -> str:
    """Words for a model on where a full output lies and how it reads on there. path: of the file on this machine."""
    kind, name = backend.strip().partition(":")[0], PurePath(path).stem
    calls = f'computer.output("{name}", start=1000, length=2000) or computer.output("{name}", grep="WORD")'
    if kind in ("", "local", "jupyter"):
        return f"full text: {path} (read on in Python with {calls}, in the shell with head, tail, sed -n or grep)"
    if kind in ("docker", "podman"):
        from oi_tui.computer.backends.container import OUTPUTS_INSIDE

        inside = f"{OUTPUTS_INSIDE}/{PurePath(path).name}"
        return f"full text: {inside} (read on in Python with {calls}, in the shell with head, tail, sed -n or grep)"
    return f"full text: {path} (on the person's machine, where this code cannot read it: print less at a time)"

"""Where code runs, as far as a session is concerned: opened without holding anything up, and put into words."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from oi_tui.computer.cell import Confinement
from oi_tui.computer.computer import Computer
from oi_tui.computer.environment import Variables, secret
from oi_tui.models.client import ModelError
from oi_tui.protocol.secrets import learn
from oi_tui.settings import Settings

_TELLING = 12  # characters from which on the value of a variable is a secret rather than a switch
SOON = 0.5  # seconds after which a person is told what is waited for
_INSTEAD = "--backend local runs code on this machine"


class BackendUnusable(ModelError):
    """Code cannot run where the person wants it to; told in the same way as a model that cannot be asked."""


def is_local(backend: str) -> bool:
    """Whether blocks run on this machine, as processes of the person's own."""
    return backend.strip() in ("", "local", "jupyter")


async def opened(
    settings: Settings,
    cwd: str,
    outputs: Path,
    takes_input: bool = False,
    progress: Callable[[str, int, int, str], object] | None = None,
    confinement: Confinement | None = None,
) -> Computer:
    """The computer that the settings name. A place that has to be asked first, such as a server, is asked in a thread.
    takes_input: a person answers programs that ask. progress: told, as of a download, what is waited for.

    Raises BackendUnusable with one sentence.
    """
    if settings.backend.strip() in ("", "local"):
        return made(settings, cwd, outputs, takes_input, confinement)

    def tell(text: str) -> None:
        if progress is not None:
            progress("", 0, 0, text)

    loop = asyncio.get_running_loop()
    telling = loop.call_later(
        SOON, lambda: tell(f"looking whether code can run {whereabouts(settings.backend) or 'here'}")
    )
    try:
        return await asyncio.to_thread(made, settings, cwd, outputs, False, confinement)
    except (ValueError, OSError) as error:
        raise BackendUnusable(str(error), hint=_INSTEAD) from None
    except Exception as error:  # each of them has libraries with errors of their own, such as httpx.InvalidURL
        kind = settings.backend.partition(":")[0]
        raise BackendUnusable(f"the backend {kind} cannot be used: {error}", hint=_INSTEAD) from None
    finally:
        telling.cancel()
        if telling.when() <= loop.time():
            tell("")


def made(
    settings: Settings, cwd: str, outputs: Path, takes_input: bool = False, confinement: Confinement | None = None
) -> Computer:
    """The same without waiting elsewhere: blocks while a server is asked. ValueError for what cannot be used.

    outputs: the folder that full outputs of its blocks are kept in. confinement: the sandbox for code
    on this machine."""
    computer = Computer(
        cwd,
        python=settings.python,
        backend=settings.backend,
        outputs=outputs,
        takes_input=takes_input,
        confinement=confinement,
    )
    computer.trusted, computer.drives_screen = settings.trust, settings.os_mode
    computer.active_lines = computer.active_lines and settings.highlight_active_line
    if settings.languages:
        computer.languages = [one for one in settings.languages if computer.canonical(one)]
    for one in settings.start_code:
        name = computer.canonical(str(one.get("language", "python"))) or "python"
        computer.opening[name] = "\n".join(filter(None, (computer.opening.get(name), str(one.get("code", "")))))
    for name, value in os.environ.items():  # code that is allowed one may print it
        if secret(name) and len(value) >= _TELLING and not value.startswith(("/", "~", ".")):
            learn(value)
    computer.variables = variables_of(settings)
    return computer


def variables_of(settings: Settings) -> Variables:
    """Which of the person's variables code and hooks get."""
    wanted = settings.shell_environment_policy
    return Variables(
        wanted.inherit,
        wanted.ignore_default_excludes,
        tuple(wanted.exclude),
        tuple(wanted.include_only),
        tuple(wanted.allow),
        wanted.set,
    )


def told(backend: str, here: str = "") -> str:
    """What a model has to know about the place where code runs. here: the same of this machine, "" for nothing."""
    if is_local(backend):
        return here
    kind, _, rest = backend.strip().partition(":")
    if kind in ("docker", "podman"):
        return (
            "Code runs in a container, not on the person's machine. The working directory is mounted there as /work "
            "and nothing else of the machine can be seen; other tools act on the machine itself."
        )
    place = f"on the Jupyter server {_server(backend)}" if rest.startswith("//") else "in a remote sandbox"
    return (
        f"Code runs {place}, not on the person's machine: files of the working directory are not there. Other tools "
        "act on the person's machine."
    )


def whereabouts(backend: str) -> str:
    """Where code would run, for the person who is asked; "" for this machine. Never shows a token."""
    if is_local(backend):
        return ""
    kind, _, rest = backend.strip().partition(":")
    if kind in ("docker", "podman"):
        return f"in a container of {kind}" + (f" ({rest})" if rest else "")
    return f"on the server {_server(backend)}" if rest.startswith("//") else f"in a sandbox of {kind}"


def _server(backend: str) -> str:
    """Host and port, without user, password and token."""
    return urlsplit(backend.strip()).netloc.rpartition("@")[2]

"""`oi --web`: the same app in a browser, through textual-serve, for the one person who has the address.

The address that is printed holds a token that opens the door once: it is traded for a cookie, and every request, the
socket above all, needs that cookie. Requests that another web page makes, or that come under another name than that of
this server, are refused (cross-site WebSocket hijacking, DNS rebinding). Each page runs an app of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import secrets
import shlex
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server

_COOKIE = "oi_web"
_PAGE = Path(__file__).parent / "web"
_PATIENCE = 3.0  # seconds that open pages get to end at the end


class Refused(Exception):
    """It cannot be served like that; the text says why and what to do."""


class Door:
    """Who may come in. token: opens once."""

    def __init__(self, names: Sequence[str]) -> None:
        """names: `host:port` forms under which the server may be asked for; () for any."""
        self.token = secrets.token_urlsafe(24)
        self._opened = False
        self._pass = secrets.token_urlsafe(32)
        self._names = frozenset(names)

    @web.middleware
    async def guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Let in who has the cookie; trade the token for it, once."""
        if self._names and request.host not in self._names:
            return _no("this server does not go by that name")
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != request.host:
            return _no("another page may not ask here")
        if secrets.compare_digest(request.cookies.get(_COOKIE, "").encode(), self._pass.encode()):
            response = await handler(request)
            if not response.prepared:
                _shut_off(response)
            return response
        given = request.query.get("token", "")
        if request.path == "/" and not self._opened and secrets.compare_digest(given.encode(), self.token.encode()):
            self._opened = True
            found = web.HTTPFound("/")
            found.set_cookie(_COOKIE, self._pass, httponly=True, samesite="Strict", path="/")
            raise found
        return _no("open the address that oi printed; it opens one browser, once. Start oi --web anew for another")


def _no(why: str) -> web.Response:
    return web.Response(status=403, text=f"403: {why}\n")


def _shut_off(response: web.StreamResponse) -> None:
    """The page talks to this server alone, in no frame of another one, and leaves no trace of the address."""
    response.headers["Content-Security-Policy"] = (
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'none'"
    )
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"


class AppServer(Server):
    """textual-serve behind a door. command: argument list of a served app; listening: the open socket."""

    def __init__(self, command: Sequence[str], listening: socket.socket, host: str) -> None:
        port = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        super().__init__(f"exec {shlex.join(command)}", host=shown, port=port, title="oi", templates_path=_PAGE)
        self._listening = listening
        local = is_loopback(host)
        self.door = Door([f"{name}:{port}" for name in {shown, "localhost", "127.0.0.1"}] if local else ())

    @property
    def address(self) -> str:
        """What the person opens."""
        return f"{self.public_url}/?token={self.door.token}"

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self.door.guard)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """textual-serve prints a logo here."""

    async def run(self, told: Callable[[str], object]) -> None:
        """Serve until a signal ends it. told: gets the address once it can be opened."""
        runner = web.AppRunner(await self._make_app(), shutdown_timeout=_PATIENCE, access_log=None)
        await runner.setup()
        await web.SockSite(runner, self._listening).start()
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, over.set)
        told(self.address)
        try:
            await over.wait()
        finally:
            await runner.cleanup()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches that address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int, anywhere: bool) -> socket.socket:
    """An open socket there; port 0 takes a free one. Raises Refused."""
    if not is_loopback(host) and not anywhere:
        raise Refused(
            f"{host} can be reached by other machines, and nothing is encrypted: whoever reads the address on the way "
            "runs code here; use an ssh tunnel to 127.0.0.1, or say --web_anywhere as well"
        )
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        raise Refused(f"cannot listen on {host}:{port}: {error}") from error
    return listening


def serve(arguments: Sequence[str], host: str, port: int, anywhere: bool) -> int:
    """Serve until ctrl+c. arguments: of the app that each page runs. Returns the exit code. Raises Refused."""
    command = [sys.executable, "-m", "oi_tui", "--served", *arguments]
    server = AppServer(command, listen(host, port, anywhere), host)

    def told(address: str) -> None:
        sys.stdout.write(f"oi is at {address}\nthe address opens one browser, once; ctrl+c ends it\n")
        sys.stdout.flush()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.run(told))
    return 0

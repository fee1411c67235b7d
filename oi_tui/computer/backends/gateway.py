"""A Jupyter Server, Kernel Gateway or Enterprise Gateway: kernels over REST and a websocket.

Source: the REST API of jupyter-server (`/api/kernelspecs`, `/api/kernels`, `/api/kernels/{id}/interrupt`, websocket
`/api/kernels/{id}/channels`, messages as JSON with a `channel`). The token goes in a header, never in a message.

A connection that breaks is made again, to the same kernel and under the same session id: the server keeps what the
kernel says meanwhile and sends it then, so a block goes on. Authorities of one's own are named by SSL_CERT_FILE.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

from oi_tui.computer.kernels.messages import JupyterExecutor, KernelGone, offer_computer
from oi_tui.computer.languages.base import Language, Setting
from oi_tui.computer.languages.catalog import BUILT_IN, PYTHON
from oi_tui.computer.optional import need

TIMEOUT = 15.0  # seconds for one REST request
LARGEST = 1 << 28  # bytes of one message
AGAIN = (0.1, 0.5, 1.0, 2.0, 4.0)  # seconds before each attempt to connect again
REPLAY = 3.0  # seconds that a server gets to send what an idle kernel has said meanwhile
PROBE = 10.0  # seconds of silence after which a kernel is asked whether it still has the block; doubled each time
LONGEST_PROBE = 300.0
TOKEN_VARIABLE = "JUPYTER_TOKEN"
_AWAY = "outputs of earlier blocks are kept on the person's machine, out of reach here; print less at a time"


def address(backend: str, env: Mapping[str, str]) -> tuple[str, str]:
    """(base URL without a slash at its end, token) of what a person gives; the token may lie in JUPYTER_TOKEN."""
    parts = urlsplit(backend.strip())
    token = (parse_qs(parts.query).get("token") or [env.get(TOKEN_VARIABLE, "")])[0]
    path = parts.path.rstrip("/")
    for page in ("/lab", "/tree"):
        path = path.removesuffix(page)
    return urlunsplit((parts.scheme, parts.netloc, path, "", "")), token


def languages(backend: str, env: Mapping[str, str]) -> list[Language]:
    """The kernels that the server offers. ValueError when it cannot be reached or refuses."""
    import httpx

    need("websockets", "a remote Jupyter kernel")
    base, token = address(backend, env)
    trusted = _trusted(env) if base.startswith("https") else None
    try:
        answer = httpx.get(
            f"{base}/api/kernelspecs", headers=_headers(token), timeout=TIMEOUT, follow_redirects=False,
            verify=trusted or True,
        )  # fmt: skip
        answer.raise_for_status()
        offered: dict[str, Any] = answer.json()["kernelspecs"]
    except httpx.HTTPStatusError as error:
        refused = error.response.status_code in (302, 401, 403)
        cause = f"the server refused the token; give ?token=... or set {TOKEN_VARIABLE}" if refused else str(error)
        raise ValueError(f"{base}: {cause}") from None
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
        cause = str(error) or type(error).__name__
        if "CERTIFICATE_VERIFY_FAILED" in cause:
            cause = "its certificate is not trusted; set SSL_CERT_FILE to the file of your own authority's certificate"
        elif not isinstance(error, httpx.HTTPError):
            cause = "what it answered is no list of kernels"
        raise ValueError(f"{base} is not a Jupyter server that can be reached: {cause}") from None
    made, names = [], set[str]()
    for spec, details in sorted(offered.items(), key=lambda item: item[0] != "python3"):
        language = str(details.get("spec", {}).get("language", "")).strip().lower()
        name = language if language and language not in names else spec.lower()
        if name in names:
            continue
        names.add(name)
        known = next((one for one in BUILT_IN if one.called(name)), None)
        aliases = PYTHON if name == "python" else (*(known.aliases if known else ()), spec.lower())
        name = known.name if known else name
        made.append(Language(name, aliases, known.file_extension if known else "", _maker(base, token, spec, trusted)))
    return made


def _maker(base: str, token: str, spec: str, trusted: ssl.SSLContext | None) -> Any:
    def make(setting: Setting) -> JupyterExecutor:
        return RemoteKernel(setting.name, base, token, spec, trusted)

    return make


def _execution(code: str, silent: bool = False) -> dict[str, Any]:
    """The content of an execute_request."""
    return {
        "code": code, "silent": silent, "store_history": not silent, "user_expressions": {}, "allow_stdin": False,
    }  # fmt: skip


def _trusted(env: Mapping[str, str]) -> ssl.SSLContext:
    """Certificates of the system and of certifi, and those that SSL_CERT_FILE or SSL_CERT_DIR name. ValueError."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    for name, option in (("SSL_CERT_FILE", "cafile"), ("SSL_CERT_DIR", "capath")):
        if env.get(name):
            try:
                context.load_verify_locations(**{option: env[name]})
            except OSError as error:
                raise ValueError(f"{name}={env[name]} cannot be used: {error.strerror or error}") from None
    return context


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"token {token}"} if token else {}


class RemoteKernel(JupyterExecutor):
    """One kernel of a server. Its files and folders are the server's, so it has no working directory here."""

    def __init__(self, name: str, base: str, token: str, spec: str, trusted: ssl.SSLContext | None = None) -> None:
        super().__init__(name)
        self._base, self._token, self._spec, self._trusted = base, token, spec, trusted
        self._kernel = ""
        self._socket: Any = None
        self._listener: asyncio.Task[None] | None = None
        self._session = secrets.token_hex(16)
        self._origin = ""  # the session id of the kernel itself: another after a restart
        self._answered = False  # whether the kernel has said anything on the running block
        self._prober: asyncio.Task[None] | None = None
        self._probes: set[str] = set()  # ids of questions behind the running block
        self._linked = asyncio.Event()  # cleared while the connection is made again

    async def connect(self, cwd: str) -> None:
        import httpx

        need("websockets.asyncio.client", "a remote Jupyter kernel")
        try:
            made = await self._ask("POST", "/api/kernels", {"name": self._spec})
            self._kernel, self._origin = str(made["id"]), ""
            await self._open()
            self._linked.set()
            if self.name == "python":
                offered = _execution(offer_computer(_AWAY), silent=True)
                await self._send("execute_request", secrets.token_hex(16), offered)
        except (httpx.HTTPError, OSError, KeyError) as error:
            raise OSError(f"{self._base}: {error or type(error).__name__}") from None
        except Exception as error:  # websockets has a family of its own for refused handshakes
            raise OSError(f"{self._base}: {error}") from None
        self._listener = asyncio.ensure_future(self._listen())

    async def _open(self) -> None:
        """Connect to the kernel's channels."""
        websockets = need("websockets.asyncio.client", "a remote Jupyter kernel")
        url = f"ws{self._base.removeprefix('http')}/api/kernels/{quote(self._kernel)}/channels"
        secure = {"ssl": self._trusted} if self._trusted is not None else {}
        self._socket = await websockets.connect(
            f"{url}?session_id={self._session}", additional_headers=_headers(self._token), max_size=LARGEST, proxy=None,
            **secure,
        )  # fmt: skip

    async def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        import httpx

        trusted = self._trusted or True
        async with httpx.AsyncClient(headers=_headers(self._token), timeout=TIMEOUT, verify=trusted) as client:
            answer = await client.request(method, self._base + path, json=body)
            answer.raise_for_status()
            return answer.json() if answer.content else None

    async def _listen(self) -> None:
        """Take messages until the kernel is gone or cannot be reached any more."""
        while True:
            try:
                async for text in self._socket:
                    message = json.loads(text)
                    state = message.get("content", {}).get("execution_state")
                    if message.get("msg_type") == "status" and state in ("dead", "restarting", "autorestarting"):
                        self._linked.set()
                        self.gone("ended on the server")
                        return
                    self._look(message, state)
                    self.heard(message)
                cause = "its server closed the connection"
            except Exception as error:  # a connection breaks in many ways
                cause = type(error).__name__
            self._linked.clear()
            gone = await self._again(cause)
            self._linked.set()
            if gone:
                self.gone(gone)
                return

    def _look(self, message: dict[str, Any], state: str | None) -> None:
        """See whether somebody restarted the kernel by way of the server, which says nothing of it."""
        kind, origin = message.get("msg_type"), str(message.get("header", {}).get("session", ""))
        if kind not in ("execute_input", "execute_reply", "kernel_info_reply") and state != "starting":
            return
        restarted, self._origin = bool(self._origin) and origin != self._origin, origin
        if restarted:
            self._lost = f"{self.name} was restarted on the server: its variables are lost, this block started afresh"
            if state == "starting" and self._request:  # the block may be the old kernel's or the new one's
                self._answered = False
                why = "was restarted on the server and did not run this block to its end"
                self._later(self._expect(self._request, why, answered=True))

    async def _again(self, cause: str) -> str:
        """Connect to the same kernel again. Returns "" or how it was lost."""
        import httpx

        for pause in AGAIN:
            await asyncio.sleep(pause)
            try:
                state = (await self._ask("GET", f"/api/kernels/{quote(self._kernel)}")).get("execution_state")
                await self._open()
            except httpx.HTTPStatusError as error:
                if error.response.status_code == 404:
                    return "ended on the server"
                cause = str(error.response.status_code)
            except Exception as error:  # the server may be starting again
                cause = str(error) or type(error).__name__
            else:
                if state == "idle" and self._request:
                    why = "was out of reach while this block ran: how it ended is not known, its variables are kept"
                    self._later(self._expect(self._request, why))
                return ""
        return f"cannot be reached any more ({cause})"

    async def _expect(self, request: str, why: str, answered: bool = False) -> None:
        """End a block of which nothing is to come any more, when nothing came meanwhile.

        answered: one that has begun to come is waited for.
        """
        await asyncio.sleep(REPLAY)
        if self._request == request and not (answered and self._answered):
            self.missed(why)

    def heard(self, message: dict[str, Any]) -> None:
        """As everywhere; and the answer to a question that was put behind the running block."""
        parent = message.get("parent_header", {}).get("msg_id")
        if parent in self._probes and message.get("msg_type") == "kernel_info_reply":
            self._probes.clear()
            if self._reply is not None and not self._reply.done():
                self.missed("has nothing of this block any more: it was lost on the way, or the kernel was restarted")
            return
        self._answered = self._answered or parent == self._request
        super().heard(message)

    async def execute(self, code: str) -> str:
        number = secrets.token_hex(16)
        self._request, self._answered = number, False  # answers may come before this returns
        for last in (False, True):
            try:
                await self._linked.wait()
                await self._send("execute_request", number, _execution(code))
                self._stop_probing()
                self._prober = asyncio.ensure_future(self._probe(number))
                break
            except Exception as error:
                if last or not self._connected:
                    raise KernelGone(f"cannot be reached any more ({type(error).__name__})") from None
                self._linked.clear()  # the listener is about to notice as well
        return number

    def _stop_probing(self) -> None:
        if self._prober is not None:
            self._prober.cancel()

    async def _probe(self, request: str) -> None:
        """Put questions behind a block of which nothing is heard. A kernel answers its shell channel in order, so an
        answer to one of them before the block's own means that there will be none."""
        self._probes, pause = set(), PROBE
        while True:
            said = self._said
            await asyncio.sleep(pause)
            if self._request != request or self._reply is None or self._reply.done():
                return
            if self._said == said and self._linked.is_set():
                number = secrets.token_hex(16)
                self._probes.add(number)
                with contextlib.suppress(Exception):  # the listener notices a broken connection
                    await self._send("kernel_info_request", number, {})
                pause = min(2 * pause, LONGEST_PROBE)

    async def _send(self, kind: str, number: str, content: dict[str, Any]) -> None:
        """Send one message on the shell channel; number: its id."""
        header = {"msg_id": number, "msg_type": kind, "session": self._session, "username": "", "version": "5.4"}
        message = {"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": content}
        await self._socket.send(json.dumps({**message, "buffers": []}))

    async def ask_to_stop(self) -> None:
        await self._ask("POST", f"/api/kernels/{quote(self._kernel)}/interrupt")

    async def disconnect(self) -> None:
        import httpx

        self._stop_probing()
        listener, self._listener = self._listener, None
        if listener is not None and listener is not asyncio.current_task():
            listener.cancel()
        if self._socket is not None:
            socket, self._socket = self._socket, None
            await socket.close()
        if self._kernel:
            kernel, self._kernel = self._kernel, ""
            try:
                await self._ask("DELETE", f"/api/kernels/{quote(kernel)}")
            except httpx.HTTPError as error:
                raise OSError(str(error)) from None

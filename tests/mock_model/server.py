"""The mock's HTTP server: plain HTTP/1.1 over asyncio in a thread of its own, so that any test can use it.

Only the standard library, on purpose: what it speaks must not depend on what it tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.mock_model import local_servers, strict
from tests.mock_model.local_servers import LocalModel
from tests.mock_model.script import Answer, Cut, Http, Scripted, Step, Wait, say
from tests.mock_model.wires import Stream, Wire, at_path, refusal

_MOST_BODY = 1 << 26  # bytes that may wait to be read; more pauses the client


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float  # time.monotonic()
    query: str = ""


class _Watched(asyncio.StreamReaderProtocol):
    """A connection that tells at once when the client has gone, also while nobody reads from it."""

    def __init__(self, reader: asyncio.StreamReader, connected: Callable[..., Any]) -> None:
        super().__init__(reader, connected)
        self.gone = asyncio.Event()

    def eof_received(self) -> bool | None:
        self.gone.set()
        return super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        super().connection_lost(exc)


class MockModel:
    """A scripted model behind real HTTP, on three wires. Use it as a context manager.

    script: answers in order, or functions from the request body to an answer. after: what is said when the script has
    run out. chunk: characters of one text delta. delay: seconds between two events. write_size: bytes of one write, 0
    for an event a write. strict: refuse invalid histories with HTTP 400. models: names it lists; known_only: it answers
    404 for any other. api_key: it answers 401 without it. tls: server-side SSL context. on_request: called with every
    model request's body, on the server's thread.

    Read `requests` (bodies of model requests), `headers` (theirs, names in lower case), `times`, `received` (every HTTP
    request), `refused` (reasons of the 400s) and `aborted` (responses whose client went away before the end).
    """

    def __init__(
        self,
        script: Sequence[Scripted] = (),
        *,
        after: Answer | None = None,
        chunk: int = 4,
        delay: float = 0.0,
        write_size: int = 0,
        strict: bool = True,
        models: Sequence[str | LocalModel] = ("mock-model",),
        known_only: bool = False,
        api_key: str = "",
        host: str = "127.0.0.1",
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        on_request: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self.script = list(script)
        self._after = after or say("done")
        self._chunk, self._delay, self._write_size = chunk, delay, write_size
        self._strict, self._known_only, self._api_key = strict, known_only, api_key
        self._models = [one if isinstance(one, LocalModel) else LocalModel(one) for one in models]
        self._host, self._port, self._tls, self._on_request = host, port, tls, on_request
        self._loaded: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.received: list[Received] = []
        self.refused: list[str] = []
        self.aborted = 0
        self.connections = 0
        self._changed = threading.Condition()
        self._connected: set[asyncio.Task[None]] = set()

    @property
    def root(self) -> str:
        """The server's address without a path, as OLLAMA_HOST wants it."""
        return f"{'https' if self._tls else 'http'}://{self._host}:{self._port}"

    @property
    def url(self) -> str:
        """The base URL of its API."""
        return self.root + "/v1"

    def __enter__(self) -> MockModel:
        started: list[BaseException | None] = []
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready, started), name="mock-model", daemon=True)
        self._thread.start()
        ready.wait()
        if started[0] is not None:
            raise started[0]
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def wait_until(self, fits: Callable[[MockModel], bool], timeout: float = 10.0) -> None:
        """Block until `fits(self)`, looked at after every change; TimeoutError after `timeout` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: fits(self), timeout):
                raise TimeoutError(f"the mock got {len(self.requests)} requests, {self.aborted} aborted")

    def _run(self, ready: threading.Event, started: list[BaseException | None]) -> None:
        asyncio.run(self._serve(ready, started))

    async def _serve(self, ready: threading.Event, started: list[BaseException | None]) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            server = await self._loop.create_server(
                lambda: _Watched(asyncio.StreamReader(_MOST_BODY), self._connection),
                self._host,
                self._port,
                ssl=self._tls,
            )
        except OSError as error:
            started.append(error)
            ready.set()
            return
        self._port = server.sockets[0].getsockname()[1]
        started.append(None)
        ready.set()
        await self._stop.wait()
        server.close()
        for task in list(self._connected):
            task.cancel()
        await asyncio.gather(*self._connected, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connected.add(task)
        self.connections += 1
        protocol = writer.transport.get_protocol()
        assert isinstance(protocol, _Watched)
        gone = protocol.gone
        try:
            while (received := await _read_request(reader)) is not None:
                self.received.append(received)
                watch = asyncio.ensure_future(gone.wait())
                work = asyncio.ensure_future(self._answer(received, writer))
                try:
                    await asyncio.wait({watch, work}, return_when=asyncio.FIRST_COMPLETED)
                    if not work.done() or isinstance(work.exception(), ConnectionError):
                        with self._changed:
                            self.aborted += 1
                            self._changed.notify_all()
                        return
                    if not work.result():
                        return
                finally:
                    await _finish(watch, work)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connected.discard(task)
            writer.transport.abort() if writer.transport.is_closing() else writer.close()

    async def _answer(self, received: Received, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False when the connection is to be closed."""
        wire = at_path(received.path)
        if received.method == "POST" and wire is not None:
            return await self._model(wire, received, writer)
        status, body = self._plain(received)
        await _send_whole(writer, status, body, {})
        return True

    def _plain(self, received: Received) -> tuple[int, Any]:
        match received.method, received.path:
            case "GET", "/v1/models" | "/models":
                return 200, local_servers.listed(self._models)
            case "GET", "/api/tags":
                return 200, local_servers.tags(self._models)
            case "GET", "/api/v0/models":
                return 200, local_servers.lm_studio(self._models, self._loaded)
            case "POST", "/api/v0/completions":
                name = json.loads(received.body)["model"]
                status, body = local_servers.lm_studio_completion(self._models, name)
                self._loaded += [name] if status == 200 else []
                return status, body
            case "GET", "/api/version":
                return 200, {"version": "0.0.0-mock"}
            case "GET", "/api/ps":
                return 200, local_servers.running(self._models, self._loaded)
            case "POST", "/api/generate":
                self._loaded.append(json.loads(received.body)["model"])
                return 200, {"response": "", "done": True, "done_reason": "load"}
            case "POST", "/api/pull":
                return 200, local_servers.pulled(json.loads(received.body)["model"], 1000).decode()
            case "POST", "/api/show":
                asked = json.loads(received.body or b"{}")
                return local_servers.show(self._models, asked.get("model") or asked.get("name") or "")
        return 404, {"error": {"message": f"no such address: {received.method} {received.path}", "code": "not_found"}}

    def _refusal(self, wire: Wire, received: Received) -> tuple[int, Any] | dict[str, Any]:
        """The request body, or status and body of the answer that refuses it."""
        key = received.headers.get("authorization", "").removeprefix("Bearer ")
        if wire.name == "messages":
            key = received.headers.get("x-api-key", "")
            if "anthropic-version" not in received.headers:
                return 400, refusal(wire, "anthropic-version: header is required", "invalid_request")
        if self._api_key and key != self._api_key:
            return 401, refusal(wire, "Incorrect API key provided", "invalid_api_key", "authentication_error")
        try:
            request = strict.decode(received.body)
            self._record(request, received)
            if self._strict:
                wire.check(request)
        except strict.Refused as error:
            self.refused.append(str(error))
            return 400, refusal(wire, f"invalid history: {error}", "invalid_value")
        name = request.get("model", "")
        if self._known_only and all(name != one.id for one in self._models):
            return 404, refusal(wire, f"The model `{name}` does not exist", "model_not_found", "not_found_error")
        return request

    def _record(self, request: dict[str, Any], received: Received) -> None:
        with self._changed:
            self.requests.append(request)
            self.headers.append(received.headers)
            self.times.append(received.at)
            self._changed.notify_all()
        if self._on_request is not None:
            self._on_request(request)

    async def _model(self, wire: Wire, received: Received, writer: asyncio.StreamWriter) -> bool:
        judged = self._refusal(wire, received)
        if isinstance(judged, tuple):
            await _send_whole(writer, judged[0], judged[1], {})
            return True
        answer = self.script.pop(0) if self.script else self._after
        if callable(answer):
            answer = answer(judged)
        steps = await _pauses_before(answer.steps)
        if steps and isinstance(steps[0], Http):
            await _send_whole(writer, steps[0].status, steps[0].body, steps[0].headers)
            return True
        if steps and isinstance(steps[0], Cut):
            return False
        try:
            stream = wire.stream(Answer(steps), judged, self._chunk, len(self.requests))
            if not judged.get("stream"):
                await _send_whole(writer, 200, stream.whole(), {})
                return True
            return await self._send_stream(writer, stream)
        except LookupError as error:  # the script wants to run code and the request offers no tool for it
            self.refused.append(str(error))
            await _send_whole(writer, 400, {"error": {"message": str(error)}}, {})
            return True

    async def _send_stream(self, writer: asyncio.StreamWriter, stream: Stream) -> bool:
        emissions = iter(stream)
        pending = [next(emissions)]  # a script that cannot be played fails here, before the head is sent
        if isinstance(pending[0], bytes):
            with contextlib.suppress(StopIteration):
                pending.append(next(emissions))
        head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        writer.write(head.encode())
        for emission in _chain(pending, emissions):
            if isinstance(emission, Wait):
                await writer.drain()
                await asyncio.sleep(emission.seconds)
            elif isinstance(emission, Cut):
                await writer.drain()
                return False
            else:
                await self._send_event(writer, emission)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _send_event(self, writer: asyncio.StreamWriter, event: bytes) -> None:
        size = self._write_size or len(event)
        for start in range(0, len(event), size):
            piece = event[start : start + size]
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            if self._delay or self._write_size:
                await writer.drain()
                await asyncio.sleep(self._delay)
        await writer.drain()


def _chain(first: list[Any], rest: Iterator[Any]) -> Iterator[Any]:
    yield from first
    yield from rest


async def _pauses_before(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Wait out the pauses that stand before everything else, so that they delay the head of the response too."""
    while steps and isinstance(steps[0], Wait):
        await asyncio.sleep(steps[0].seconds)
        steps = steps[1:]
    return steps


async def _finish(*tasks: asyncio.Future[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _read_request(reader: asyncio.StreamReader) -> Received | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = b""
        while size := int((await reader.readline()).split(b";")[0], 16):
            body += await reader.readexactly(size)
            await reader.readexactly(2)
        await reader.readline()
    else:
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    path, _, query = target.partition("?")
    return Received(method, path, headers, body, time.monotonic(), query)


async def _send_whole(writer: asyncio.StreamWriter, status: int, body: Any, headers: dict[str, str]) -> None:
    kind = "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
    data = body.encode() if isinstance(body, str) else b"" if body is None else json.dumps(body).encode()
    fields = {"content-type": kind, "content-length": str(len(data)), **headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    writer.write(f"HTTP/1.1 {status} Mock\r\n{lines}\r\n".encode() + data)
    await writer.drain()

"""What the wires over HTTP share: a connection to one server, a request, its stream of events, its refusals.

A wire adds where to send (`path`), how (`headers`), what of a body the server takes (`shape`), and the reader of one
answer (`answer`): objects in, deltas out.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast

from oi_tui.models.client import BadRequest, ModelError, ModelNotFound, ServerFailed
from oi_tui.models.wires.certificates import NotUsable
from oi_tui.models.wires.http import open_client, open_transport
from oi_tui.models.wires.light_httpx import httpx
from oi_tui.models.wires.reading import AnswerReader, ErrorInStream
from oi_tui.models.wires.retry import RetryPolicy
from oi_tui.models.wires.retrying import RetryingClient
from oi_tui.models.wires.sse import Event, EventReader
from oi_tui.protocol.stream import Delta

if TYPE_CHECKING:
    from oi_tui.models.providers import Target
    from oi_tui.models.wires.token_command import TokenCommand

_MOST_ERROR = 64 * 1024  # bytes of a refusal that are read
_PATIENCE = 10.0  # seconds that reading a refusal may take
_DRAIN = 0.05  # seconds that the end of a finished response may take, so that the connection can be kept


class HttpClient(RetryingClient):
    """A connection to one model over HTTP; a ModelClient once `path` and `answer` are given."""

    path = ""  # of the endpoint below the base URL

    def __init__(self, target: Target, *, retry: RetryPolicy | None = None, idle: float = 300.0) -> None:
        super().__init__(target, retry=retry, idle=idle)
        self._http: httpx.AsyncClient | None = None
        self._command: TokenCommand | None = None
        self._connect_ahead: Callable[[httpx.URL, float], Awaitable[None]] | None = None

    def answer(self) -> AnswerReader:
        """A fresh reader for one answer."""
        raise TypeError(f"{type(self).__name__} cannot read answers")

    def headers(self) -> dict[str, str]:
        """Headers that show the key."""
        return {"authorization": f"Bearer {self.target.key}"} if self.target.key else {}

    def shape(self, body: dict[str, Any]) -> dict[str, Any]:
        """A copy of `body` as this server takes it."""
        raise TypeError(f"{type(self).__name__} cannot shape bodies")

    async def prewarm(self, body: dict[str, Any] | None = None) -> None:
        """Open the connection, so that the first request need not wait for it. Failures are left to that request."""
        with contextlib.suppress(ModelError, NotUsable, httpx.HTTPError):
            self._client()
            if self._connect_ahead is not None:
                await self._connect_ahead(httpx.URL(self.target.base_url), 10.0)

    async def close(self) -> None:
        """Release the connections."""
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    def _client(self) -> httpx.AsyncClient:
        http = self._http
        if http is None:
            headers = {"user-agent": "oi-tui", **self.headers(), **self.target.headers}
            transport = open_transport(self.target.base_url, proxy=self.target.proxy, ca_bundle=self.target.ca_bundle)
            self._connect_ahead = getattr(transport, "open", None)  # a proxy's transport cannot
            self._http = http = open_client(transport, headers, idle=self._idle)
        return http

    async def once(self, body: dict[str, Any]) -> AsyncGenerator[list[Delta], None]:
        """One try: batches of deltas, never empty, as the network brings them."""
        response = await self._send(body)
        pieces = _pieces(response)
        try:
            if "text/event-stream" in response.headers.get("content-type", ""):
                batches = self._read_events(pieces)
            else:
                batches = self._read_whole(response)
            async with contextlib.aclosing(batches):
                async for batch in batches:
                    if batch:
                        yield batch
        finally:
            await pieces.aclose()
            await response.aclose()

    def headers_for(self, body: dict[str, Any]) -> dict[str, str]:
        """Headers that only this body needs."""
        return {}

    async def _send(self, body: dict[str, Any]) -> httpx.Response:
        """The response, its head read and its status good. Raises ModelError."""
        try:
            http = self._client()
            content = _encode(self.shape(body))
            headers = {"content-type": "application/json", "accept": "text/event-stream"}
            headers |= await self._fresh_key() | self.headers_for(body)
            url = self.target.url(self.path)
            request = http.build_request("POST", url, content=content, headers=headers)
            response = await http.send(request, stream=True)
        except (httpx.RequestError, NotUsable) as error:
            raise self._failed(error) from error
        except httpx.InvalidURL as error:
            raise BadRequest(f"{self.target.base_url} is not a URL: {error}", hint="correct --api_base") from None
        if response.status_code == 200:
            return response
        try:
            refusal = await _read_some(response)
        finally:
            await response.aclose()
        raise await self._refused(response, refusal)

    async def _fresh_key(self) -> dict[str, str]:
        """The header with a key that a command prints, for a provider that has one. Raises AuthError."""
        auth = self.target.provider.auth
        if auth is None or self.target.key:
            return {}
        if self._command is None:
            from oi_tui.models.wires.token_command import TokenCommand

            self._command = TokenCommand(auth, self.target.provider.name)
        return {"authorization": f"Bearer {await self._command.token()}"}

    async def _read_events(self, pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[list[Delta], None]:
        reader, answer = EventReader(), self.answer()
        data: bytes | None = b""
        ended = False
        while data is not None and not ended:
            try:
                data = await anext(pieces, None)
            except httpx.RequestError as error:
                if not answer.done:
                    raise self._failed(error, begun=True) from error
                break
            batch: list[Delta] = []
            try:
                ended = self._take(answer, reader.close() if data is None else reader.feed(data), batch)
            except ModelError:
                yield batch  # what came before the failure is part of the answer, however the network cut it
                raise
            yield batch
        if not (ended or answer.done):
            raise self.broken("it ended without an end marker")
        yield answer.finish()
        await _drain(pieces)

    def _take(self, answer: AnswerReader, events: list[Event], batch: list[Delta]) -> bool:
        """Put the deltas of some events into `batch`; True if the end marker was among them."""
        for name, data in events:
            if data == "[DONE]":
                return True
            if data.strip() and name != "ping":
                batch += self._chunk(answer, name, data)
                if answer.ended:
                    return True
        return False

    def _chunk(self, answer: AnswerReader, name: str, data: str) -> list[Delta]:
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            if name == "error":
                raise self._reported(data) from None
            raise self.broken(f"an event of it is not JSON: {data[:80]!r}") from None
        if name == "error":
            raise self._reported(chunk.get("error", chunk) if isinstance(chunk, dict) else chunk)
        if not isinstance(chunk, dict):
            return []
        try:
            return answer.feed(chunk)
        except ErrorInStream as error:
            raise self._reported(error.error) from None
        except (AttributeError, TypeError, ValueError, LookupError):
            raise self.broken(f"an event of it has an unknown shape: {data[:80]!r}") from None

    async def _read_whole(self, response: httpx.Response) -> AsyncGenerator[list[Delta], None]:
        """An answer that is no stream, although one was asked for: a whole completion, or something else entirely."""
        try:
            text = (await response.aread()).decode("utf-8", "replace")
        except httpx.RequestError as error:
            raise self._failed(error, begun=True) from error
        if text.lstrip().startswith(("data:", "event:", ":")):  # a stream under the wrong content type
            async with contextlib.aclosing(self._read_events(_alone(text.encode()))) as batches:
                async for batch in batches:
                    yield batch
            return
        if not text.lstrip().startswith("{"):
            said = text.strip()[:80]
            cause = f"{self.target.base_url} answered with something else than a model's answer: {said!r}"
            raise BadRequest(self.names().mask(cause), hint="check the base URL; it often ends in /v1", status=200)
        answer = self.answer()
        yield self._chunk(answer, "", text)
        if not answer.done:
            raise self.broken("there is no answer in it")
        yield answer.finish()

    def _failed(self, error: Exception, *, begun: bool = False) -> ModelError:
        from oi_tui.models.wires.errors import from_transport

        return from_transport(self.names(), error, begun=begun)

    def _reported(self, error: Any) -> ModelError:
        from oi_tui.models.wires.errors import from_stream

        return from_stream(self.names(), error)

    async def _refused(self, response: httpx.Response, refusal: bytes) -> ModelError:
        from oi_tui.models.wires.errors import from_response

        if 300 <= response.status_code < 400:
            where = response.headers.get("location", "nowhere")
            text = f"{self.target.base_url} redirects to {where} (HTTP {response.status_code})"
            return BadRequest(self.names().mask(text), hint="correct the base URL", status=response.status_code)
        if response.status_code < 300:
            text = f"{self.target.base_url} answered HTTP {response.status_code} without an answer"
            return ServerFailed(self.names().mask(text), hint="check the base URL; it often ends in /v1")
        if response.status_code == 401 and self._command is not None:
            self._command.forget()
        error = from_response(self.names(), response.status_code, response.headers, refusal)
        if isinstance(error, ModelNotFound):
            error.hint = await self._better_hint(error.hint)
        return error

    async def _better_hint(self, hint: str) -> str:
        """Add which models the server has, the likeliest first, if it tells within two seconds."""
        from difflib import get_close_matches

        try:
            async with asyncio.timeout(2.0):
                found = (await self._client().get(self.target.url("models"))).json()["data"]
        except (TimeoutError, httpx.HTTPError, ValueError, KeyError, TypeError):
            return hint
        ids = [one["id"] for one in found if isinstance(one, dict) and isinstance(one.get("id"), str)]
        near = get_close_matches(self.target.request_model, ids, n=8, cutoff=0.4) if len(ids) > 8 else ids
        return f"{hint}; the server has {', '.join(near or ids[:8])}" if ids else hint


def _encode(body: dict[str, Any]) -> bytes:
    """JSON in UTF-8. Half characters (lone surrogates, from broken file names) become U+FFFD: no server takes them."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _pieces(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The body as it arrives, decompressed. It is a generator, which httpx's types do not say."""
    return cast("AsyncGenerator[bytes, None]", response.aiter_bytes())


async def _alone(data: bytes) -> AsyncGenerator[bytes, None]:
    yield data


async def _read_some(response: httpx.Response) -> bytes:
    """The beginning of a refusal. One that stalls or breaks off has said what counts: its status, and what came."""
    found = b""
    with contextlib.suppress(httpx.RequestError, TimeoutError):
        async with asyncio.timeout(_PATIENCE), contextlib.aclosing(_pieces(response)) as pieces:
            async for piece in pieces:
                found += piece
                if len(found) >= _MOST_ERROR:
                    break
    return found[:_MOST_ERROR]


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Read the end of a response that is whole, so that its connection can be used again."""
    with contextlib.suppress(TimeoutError, httpx.RequestError):
        async with asyncio.timeout(_DRAIN):
            async for _ in pieces:
                pass

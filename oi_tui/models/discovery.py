"""Finds model servers on this machine, with the models they have: Ollama, LM Studio, llama.cpp, vLLM, Jan, llamafile.

Plain HTTP over asyncio, for the sake of start-up: looking for a server that is not there must cost nothing.
Sources: docs/api.md of ollama/ollama (`/api/tags`, `/api/show`); LM Studio's REST API (`/api/v0/models`); the README of
llama.cpp's server (`/v1/models`, `/props`); vLLM's page on its OpenAI-compatible server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from oi_tui.models.client import ModelNotFound, Unreachable
from oi_tui.models.providers import built_in, ollama_root

PROBE_SECONDS = 0.15
_MOST_SHOWN = 20  # models of an Ollama at an address of its own that are looked at
_MOST_BODY = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that a local server has. size: bytes on disk; context: tokens of the window that the server gives it;
    longest: the most that the model could take; None: it does not say."""

    id: str
    size: int | None = None
    context: int | None = None
    longest: int | None = None
    tools: bool | None = None
    vision: bool | None = None


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered. provider: its id in the provider table; root: its address without a path."""

    provider: str
    name: str
    root: str
    models: tuple[LocalModel, ...]
    pull: str = ""


async def find(
    environ: Mapping[str, str] | None = None,
    *,
    seconds: float = PROBE_SECONDS,
    lm_studio: str = "http://127.0.0.1:1234",
    others: Mapping[str, str] | None = None,
) -> list[LocalServer]:
    """All servers that answer within `seconds`, Ollama first. Never raises.

    others: roots of further servers by the id of their provider; those of the provider table if left out.
    """
    environ = os.environ if environ is None else environ
    asked = (
        _ollama(ollama_root(environ.get("OLLAMA_HOST", ""))),
        _lm_studio(lm_studio),
        *(_any(id, root) for id, root in (_others() if others is None else others).items()),
    )
    found = await asyncio.gather(*(_within(seconds, one) for one in asked))
    return [one for one in found if one is not None]


def _others() -> dict[str, str]:
    """Roots of the local providers that have no listing of their own, each asked once."""
    found: dict[str, str] = {}
    for one in built_in().values():
        root = one.base_url.removesuffix("/v1")
        if one.local and one.id not in {"ollama", "lmstudio"} and root not in found.values():
            found[one.id] = root
    return found


async def detailed(server: LocalServer, *, seconds: float = 1.0) -> LocalServer:
    """A server with the facts about each model that its list leaves out. Never raises."""
    if server.provider != "ollama":
        return server
    shown = [_shown(server.root, one, seconds) for one in server.models[:_MOST_SHOWN]]
    return replace(server, models=(*await asyncio.gather(*shown), *server.models[_MOST_SHOWN:]))


async def ollama(root: str, *, seconds: float = 5.0) -> LocalServer:
    """The Ollama server at `root`. Raises Unreachable."""
    try:
        async with asyncio.timeout(seconds):
            return await _ollama(root)
    except (OSError, TimeoutError, ValueError):
        hint = "start it with: ollama serve, or choose another model"
        raise Unreachable(f"cannot reach {root}: is the server running?", hint=hint, retryable=True) from None


async def describe(root: str, model: str, *, seconds: float = 5.0) -> LocalModel:
    """What Ollama knows about a model, with its window. Raises Unreachable, or ModelNotFound naming what there is."""
    server = await ollama(root, seconds=seconds)
    found = next((one for one in server.models if model in (one.id, one.id.removesuffix(":latest"))), None)
    if found is None:
        raise missing(server, model)
    return await _shown(root, found, seconds)


async def told(provider: str, base_url: str, model: str, *, seconds: float = 0.5) -> dict[str, Any]:
    """What a local server says about a model it has: `context` in tokens, `tools`, `vision`, as far as it says so.

    provider: id in the provider table, or `custom` for a server of which only the address is known; base_url: of its
    API. Empty for other servers, or when it does not answer.
    """
    root = base_url.removesuffix("/v1")
    found: LocalModel | None = None
    if provider == "ollama":
        found = await _shown(root, LocalModel(model), seconds)
    elif provider == "lmstudio":
        found = _named(await _within(seconds, _lm_studio(root)), model)
    elif provider == "custom" or (provider in built_in() and built_in()[provider].local):
        found = _named(await _within(seconds, _any(provider, root)), model)
    if found is None:
        return {}
    facts = {"context": found.context, "tools": found.tools, "vision": found.vision}
    return {name: value for name, value in facts.items() if value is not None}


def _named(server: LocalServer | None, model: str) -> LocalModel | None:
    return next((one for one in server.models if one.id == model), None) if server else None


async def loaded(provider: str, base_url: str, model: str, *, seconds: float = 300.0) -> tuple[int, int]:
    """Have Ollama or LM Studio load a model; (tokens of the window that it has there, the most that it could take), 0
    where the server does not say. Ollama cuts a prompt that is longer without a word. Never raises.

    Source for LM Studio: its REST API (`POST /api/v0/completions` loads the model and tells `model_info`).
    """
    root = base_url.removesuffix("/v1")
    lm_studio = provider == "lmstudio"
    path = "/api/v0/completions" if lm_studio else "/api/generate"
    body = {"model": model, "stream": False, **({"prompt": "hi", "max_tokens": 1} if lm_studio else {})}
    answer: dict[str, Any] = {}
    try:
        async with asyncio.timeout(seconds):
            answer = await _get_json(root, path, body)
    except (OSError, TimeoutError, ValueError):
        if not lm_studio:
            return 0, 0
    if not lm_studio:
        found = await _shown(root, LocalModel(model), 2.0)
        return found.context or 0, found.longest or 0
    info = answer.get("model_info")
    given = _number(info.get("context_length")) if isinstance(info, dict) else None
    found = _named(await _within(2.0, _lm_studio(root)), model) or LocalModel(model)
    return given or found.context or found.longest or 0, found.longest or 0


async def pull(root: str, model: str) -> AsyncGenerator[tuple[str, int, int], None]:
    """Have Ollama fetch a model; yields (what it does, bytes done, bytes in all), 0 where it does not say.

    Source: docs/api.md of ollama/ollama, "Pull a model". Raises Unreachable, or ModelNotFound with Ollama's own words.
    """
    done: dict[str, tuple[int, int]] = {}  # each layer's bytes
    try:
        async with contextlib.aclosing(_lines(root, "/api/pull", {"model": model})) as lines:
            async for line in lines:
                if line.get("error"):
                    hint = "look for its name at https://ollama.com/search"
                    raise ModelNotFound(f"Ollama cannot fetch {model}: {line['error']}", hint=hint)
                if line.get("digest"):
                    done[line["digest"]] = (int(line.get("completed") or 0), int(line.get("total") or 0))
                yield (
                    str(line.get("status", "")),
                    sum(one[0] for one in done.values()),
                    sum(o[1] for o in done.values()),
                )
    except (OSError, ValueError) as error:
        text = (
            f"the connection to Ollama at {root} broke: {error}" if done else f"cannot reach {root}: is Ollama running?"
        )
        raise Unreachable(text, hint="start it with: ollama serve; then run the same command again") from None


def missing(server: LocalServer, model: str) -> ModelNotFound:
    """The error for a model that a server lacks: which ones it has, the likeliest first, and how to fetch it."""
    ids = [one.id for one in server.models]
    near = get_close_matches(model, ids, n=3, cutoff=0.5)
    listed = ", ".join([*near, *(one for one in ids if one not in near)][:12]) or "no models yet"
    hint = f"choose one of: {listed}"
    if server.pull:
        hint += f"; or fetch it with: {server.pull.format(model)}"
    return ModelNotFound(f"{server.name} at {server.root} does not have the model {model!r}", hint=hint, status=404)


async def _ollama(root: str) -> LocalServer:
    answer = await _get_json(root, "/api/tags")
    models = tuple(
        LocalModel(id=str(one.get("model") or one["name"]), size=one.get("size"))
        for one in answer.get("models") or []
        if isinstance(one, dict) and (one.get("model") or one.get("name")) and not _embeds(one.get("details"))
    )
    return LocalServer("ollama", "Ollama", root, models, pull="ollama pull {}")


def _embeds(details: Any) -> bool:
    """Whether a model only makes embeddings; Ollama lists those too, and tells them by their family."""
    return isinstance(details, dict) and str(details.get("family") or "").lower().endswith("bert")


async def _shown(root: str, model: LocalModel, seconds: float) -> LocalModel:
    try:
        async with asyncio.timeout(seconds):
            shown = await _get_json(root, "/api/show", {"model": model.id})
            context = await _given(root, model.id)
    except (OSError, TimeoutError, ValueError):
        return model  # an old server: it is listed, which is enough to use it
    info = shown.get("model_info") or {}
    longest = next((_number(value) for key, value in info.items() if key.endswith(".context_length")), None)
    set_up = re.search(r"^num_ctx\s+(\d+)", str(shown.get("parameters") or ""), re.MULTILINE)
    model = replace(model, context=context or (int(set_up[1]) if set_up else None), longest=longest)
    able = shown.get("capabilities")
    return replace(model, tools="tools" in able, vision="vision" in able) if isinstance(able, list) else model


async def _given(root: str, model: str) -> int | None:
    """The window that Ollama gives a model which is loaded now; None for one that is not, or where it does not say."""
    try:
        running = (await _get_json(root, "/api/ps")).get("models")
    except ValueError:
        return None
    for one in running if isinstance(running, list) else ():
        if isinstance(one, dict) and model in (one.get("model"), str(one.get("model")).removesuffix(":latest")):
            return _number(one.get("context_length"))
    return None


async def _lm_studio(root: str) -> LocalServer:
    try:
        answer = await _get_json(root, "/api/v0/models")
    except ValueError:
        answer = await _get_json(root, "/v1/models")  # older versions have only this
    models = tuple(
        LocalModel(
            id=str(one["id"]),
            context=_number(one.get("loaded_context_length")) or (longest if one.get("state") == "loaded" else None),
            longest=longest,
            vision=one["type"] == "vlm" if "type" in one else None,
        )
        for one in answer.get("data") or []
        if isinstance(one, dict) and one.get("id") and one.get("type") != "embeddings"
        for longest in (_number(one.get("max_context_length")),)
    )
    return LocalServer("lmstudio", "LM Studio", root, models, pull="lms get {}")


async def _any(provider: str, root: str) -> LocalServer:
    """A server that lists its models as OpenAI does; llama.cpp and vLLM say more than that."""
    answer = await _get_json(root, "/v1/models")
    listed = answer.get("data")
    if not isinstance(listed, list):
        raise ValueError("no list of models")
    known = [one for one in listed if isinstance(one, dict) and isinstance(one.get("id"), str) and one["id"]]
    facts: dict[str, Any] = {}
    owners = {one.get("owned_by") for one in known}
    if "llamacpp" in owners:
        facts = await _props(root)
    elif provider == "custom" and "organization_owner" in owners:
        return await _lm_studio(root)
    elif provider == "custom" and "library" in owners:
        shown = [await _shown(root, LocalModel(one["id"]), 1.0) for one in known[:_MOST_SHOWN]]
        return LocalServer(provider, "Ollama", root, tuple(shown))
    models = tuple(
        LocalModel(
            id=one["id"],
            size=_number((one.get("meta") or {}).get("size")),
            context=facts.get("context") or _number(one.get("max_model_len")),
            vision=facts.get("vision"),
        )
        for one in known
    )
    name = built_in()[provider].name if provider in built_in() else root
    return LocalServer(provider, name, root, models)


async def _props(root: str) -> dict[str, Any]:
    """What llama.cpp's server says of the model it has loaded: the window that is set up, whether it sees."""
    try:
        props = await _get_json(root, "/props")
    except (OSError, ValueError):  # older, or switched off
        return {}
    settings, abilities = props.get("default_generation_settings"), props.get("modalities")
    return {
        "context": _number(settings.get("n_ctx")) if isinstance(settings, dict) else None,
        "vision": bool(abilities.get("vision")) if isinstance(abilities, dict) else None,
    }


def _number(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None


async def _within(seconds: float, asked: Any) -> LocalServer | None:
    try:
        async with asyncio.timeout(seconds):
            return await asked
    except (OSError, TimeoutError, ValueError):
        return None


async def _get_json(root: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """GET, or POST with a body. Raises OSError if no server is there, ValueError for anything but 200 and JSON."""
    async with _asked(root, path, body) as reader:
        return await _read_json(reader)


async def _lines(root: str, path: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
    """The objects of an answer that has one a line, as they come. Raises OSError or ValueError."""
    from oi_tui.models.wires.http1 import BadResponse, ResponseDecoder

    decoder, rest = ResponseDecoder(b"POST"), b""
    async with _asked(root, path, body) as reader:
        while not decoder.complete:
            data = await reader.read(65536)
            try:
                rest += decoder.feed(data) if data else b""
            except BadResponse as error:
                raise ValueError(str(error)) from None
            *whole, rest = rest.split(b"\n") if data else (rest, b"")
            for line in whole:
                found = json.loads(line) if line.strip() else {}
                if isinstance(found, dict) and found:
                    yield found
            if not data and not decoder.at_eof():
                raise ValueError("it ended too early")


@contextlib.asynccontextmanager
async def _asked(root: str, path: str, body: dict[str, Any] | None) -> AsyncIterator[asyncio.StreamReader]:
    """A connection on which the request was sent."""
    parts = urlsplit(root)
    secure = parts.scheme == "https"
    tls = None
    if secure:
        from oi_tui.models.wires.certificates import NotUsable, tls_context

        try:
            tls = tls_context()
        except NotUsable as error:  # told by the request to the model
            raise ValueError(str(error)) from None
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or (443 if secure else 80), ssl=tls)
    try:
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{'POST' if data else 'GET'} {parts.path.rstrip('/')}{path} HTTP/1.0\r\nHost: {parts.netloc}\r\n"
        if data:
            head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        writer.write(head.encode() + b"Connection: close\r\n\r\n" + data)
        yield reader
    finally:
        writer.transport.abort()


async def _read_json(reader: asyncio.StreamReader) -> dict[str, Any]:
    from oi_tui.models.wires.http1 import BadResponse, ResponseDecoder

    decoder, found = ResponseDecoder(b"GET"), b""
    try:
        while not decoder.complete and len(found) < _MOST_BODY:
            data = await reader.read(65536)
            if not data:
                if decoder.at_eof():
                    break
                raise ValueError("the answer has no end")
            found += decoder.feed(data)
    except BadResponse as error:
        raise ValueError(str(error)) from None
    if decoder.head is None or decoder.head[0] != 200:
        raise ValueError("not found")
    answer = json.loads(found)
    if not isinstance(answer, dict):
        raise ValueError("not an object")
    return answer

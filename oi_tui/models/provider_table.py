"""One provider as data, and the reading of its table, built in or from a person's config file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields, replace
from typing import Any

from oi_tui.models.client import BadTable
from oi_tui.protocol.dataclass import dataclass

WIRES = ("chat", "messages", "responses", "litellm")


@dataclass(frozen=True, slots=True)
class Quirks:
    """Where a server differs. False: it refuses that field of a body. Texts are patterns of model names."""

    token_key: str = "max_tokens"  # the name of the limit on the answer
    tool_choice: bool = True
    stream_usage: bool = True
    parallel: bool = True
    temperature_not_for: tuple[str, ...] = ()  # refuse a temperature
    responses_for: tuple[str, ...] = ()  # are there on the Responses wire only
    reasoning_for: tuple[str, ...] = ()  # hand out their reasoning, sealed; empty: all
    cache_for: tuple[str, ...] = ()  # have to be told what to keep in their prompt cache (Chat Completions)
    prefill: str = ""  # how an answer is begun for the model: `plain`, a mark `prefix` or `partial`; "": it is not
    effort: str = "reasoning_effort"  # the field of Chat Completions that says how hard to think; "": there is none


@dataclass(frozen=True, slots=True)
class Pictures:
    """What pictures a provider takes. longest: pixels of the longer side; bytes: of one picture's base64; most: in one
    request; kinds: as Pillow names them."""

    longest: int = 2048
    bytes: int = 10_000_000
    most: int = 50
    kinds: tuple[str, ...] = ("png", "jpeg", "gif", "webp")


@dataclass(frozen=True, slots=True)
class Auth:
    """A command that prints the key; see `wires/token_command.py`. timeout, refresh: seconds."""

    command: str
    args: tuple[str, ...] = ()
    cwd: str = ""
    timeout: float = 5.0
    refresh: float = 300.0


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider. See `providers.toml` for what the fields mean."""

    id: str
    name: str
    base_url: str
    wire: str = "chat"
    base_env: tuple[str, ...] = ()
    key_env: tuple[str, ...] = ()
    key_help: str = ""
    token: str = field(default="", repr=False)
    auth: Auth | None = None
    aws: dict[str, str] = field(default_factory=dict)  # profile and region, for providers of AWS
    prefixes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    default: str = ""
    local: bool = False
    pull: str = ""
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    env_headers: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    request_retries: int = 4
    stream_retries: int = 5
    idle: float = 0.0
    quirks: Quirks = field(default_factory=Quirks)
    pictures: Pictures = field(default_factory=Pictures)


# key of a table -> field of Provider. The names are those of Codex's config, so that its tables can be taken over.
_KEYS = {
    "name": "name",
    "base_url": "base_url",
    "base_env": "base_env",
    "wire": "wire",
    "wire_api": "wire",
    "key_env": "key_env",
    "env_key": "key_env",
    "env_key_instructions": "key_help",
    "experimental_bearer_token": "token",
    "prefixes": "prefixes",
    "models": "models",
    "default": "default",
    "local": "local",
    "pull": "pull",
    "http_headers": "headers",
    "env_http_headers": "env_headers",
    "query_params": "query",
    "request_max_retries": "request_retries",
    "stream_max_retries": "stream_retries",
    "stream_idle_timeout_ms": "idle",
    "quirks": "quirks",
    "pictures": "pictures",
    "auth": "auth",
    "aws": "aws",
}
_MOST_RETRIES = 100
_CHOICES = {
    "token_key": ("max_tokens", "max_completion_tokens"),
    "prefill": ("plain", "prefix", "partial", ""),
    "effort": ("reasoning_effort", "reasoning", "thinking", "enable_thinking", ""),
}


def read_table(id: str, table: Any, base: Provider | None = None) -> Provider:
    """A provider out of its table, over `base` if it changes one that is known. Raises BadTable naming the key."""
    where = ("model_providers", id)
    if not isinstance(table, Mapping):
        hint = f'write [{_dotted(where)}] and below it base_url = "…"'
        raise BadTable(where, f"{_dotted(where)} is not a table", hint=hint)
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise _unknown(where, unknown[0], _KEYS)
    made = base or Provider(id=id, name=id, base_url="")
    values = {_KEYS[key]: _read((*where, key), _KEYS[key], value, made) for key, value in table.items()}
    made = replace(made, **values)
    if made.auth and {"env_key", "key_env", "experimental_bearer_token"} & set(table):
        raise BadTable(
            (*where, "auth"), f"{_dotted(where)}: a key comes from auth or from elsewhere, not both", hint="keep one"
        )
    if not made.base_url and made.wire != "litellm":
        raise BadTable(where, f"{_dotted(where)} has no base_url", hint='add base_url = "http://HOST:PORT/v1"')
    return made


def _read(where: tuple[str, ...], name: str, value: Any, base: Provider) -> Any:
    if name == "quirks":
        return _quirks(where, value, base.quirks)
    if name == "auth":
        return _auth(where, value)
    if name == "aws":
        fits = isinstance(value, Mapping) and set(value) <= {"profile", "region"}
        _expect(where, fits and all(isinstance(one, str) for one in value.values()), "a table of profile and region")
        return dict(value)
    if name == "pictures":
        return _pictures(where, value, base.pictures)
    if name in {"base_env", "key_env", "prefixes", "models"}:
        texts = [value] if isinstance(value, str) else value
        _expect(where, isinstance(texts, list) and all(isinstance(one, str) for one in texts), "a list of texts")
        return tuple(texts)
    if name in {"headers", "env_headers", "query"}:
        fits = isinstance(value, Mapping) and all(isinstance(one, str | int) for one in value.values())
        _expect(where, fits, "a table of texts")
        return {key: str(one) for key, one in value.items()}
    if name in {"request_retries", "stream_retries"}:
        _expect(where, type(value) is int and 0 <= value <= _MOST_RETRIES, f"a number from 0 to {_MOST_RETRIES}")
        return value
    if name == "idle":
        _expect(where, type(value) is int and value > 0, "a number of milliseconds")
        return value / 1000
    if name == "local":
        _expect(where, isinstance(value, bool), "true or false")
        return value
    _expect(where, isinstance(value, str), "a text")
    if name == "wire":
        _expect(where, value in WIRES, f"one of {', '.join(WIRES)}")
    return value.rstrip("/") if name == "base_url" else value


def _quirks(where: tuple[str, ...], value: Any, base: Quirks) -> Quirks:
    _expect(where, isinstance(value, Mapping), "a table")
    allowed = {one.name for one in fields(Quirks)}
    unknown = sorted(set(value) - allowed)
    if unknown:
        raise _unknown(where, unknown[0], sorted(allowed))
    values: dict[str, Any] = {}
    for key, one in value.items():
        if key.endswith("_for"):
            _expect((*where, key), isinstance(one, list) and all(isinstance(x, str) for x in one), "a list of texts")
            values[key] = tuple(one)
        elif key in _CHOICES:
            _expect((*where, key), one in _CHOICES[key], f"one of {', '.join(filter(None, _CHOICES[key]))}")
            values[key] = one
        else:
            _expect((*where, key), isinstance(one, bool), "true or false")
            values[key] = one
    return replace(base, **values)


_AUTH_TIMES = {"timeout_ms": "timeout", "refresh_interval_ms": "refresh"}


def _auth(where: tuple[str, ...], value: Any) -> Auth:
    _expect(where, isinstance(value, Mapping) and isinstance(value.get("command"), str), "a table with a command")
    values: dict[str, Any] = {}
    for key, one in value.items():
        if key in _AUTH_TIMES:
            _expect((*where, key), type(one) is int and one > 0, "a number of milliseconds")
            values[_AUTH_TIMES[key]] = one / 1000
        elif key == "args":
            _expect((*where, "args"), isinstance(one, list) and all(isinstance(x, str) for x in one), "a list of texts")
            values[key] = tuple(one)
        else:
            _expect((*where, key), key in {"command", "cwd"} and isinstance(one, str), "left out, or a text")
            values[key] = one
    return Auth(**values)


def _pictures(where: tuple[str, ...], value: Any, base: Pictures) -> Pictures:
    _expect(where, isinstance(value, Mapping), "a table")
    allowed = {one.name for one in fields(Pictures)}
    unknown = sorted(set(value) - allowed)
    if unknown:
        raise _unknown(where, unknown[0], sorted(allowed))
    for key, one in value.items():
        if key == "kinds":
            fits = isinstance(one, list) and bool({"png", "jpeg"} & set(one)) and all(isinstance(x, str) for x in one)
            _expect((*where, key), fits, "a list of kinds, png or jpeg among them")
        else:
            _expect((*where, key), type(one) is int and one > 0, "a number above 0")
    return replace(base, **{key: tuple(one) if key == "kinds" else one for key, one in value.items()})


def _expect(where: tuple[str, ...], fits: bool, wanted: str) -> None:
    if not fits:
        raise BadTable(where, f"{_dotted(where)} is to be {wanted}", hint="correct it in config.toml")


def _unknown(where: tuple[str, ...], key: str, known: Iterable[str]) -> BadTable:
    from difflib import get_close_matches

    near = get_close_matches(key, list(known), 1)
    hint = f"did you mean {near[0]}?" if near else f"known keys are {', '.join(known)}"
    return BadTable((*where, key), f"{_dotted(where)}: unknown key {key!r}", hint=hint)


def _dotted(where: tuple[str, ...]) -> str:
    return ".".join(where)

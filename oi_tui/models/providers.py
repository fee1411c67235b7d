"""From a model's name to the server that is asked: which provider, which address, which key, which habits.

The facts are data, in `providers.toml` and in a person's own `[model_providers.ID]` tables; the rules are `resolve`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from oi_tui.models import keys
from oi_tui.models.client import AuthError, BadRequest, ModelNotFound
from oi_tui.models.provider_table import Provider, Quirks, read_table
from oi_tui.models.wires.retry import RetryPolicy
from oi_tui.protocol import secrets

# Prefixes of classic model names that mean a kind of server without an address of its own.
_BARE_PREFIXES = ("azure", "azure_ai", "huggingface", "local", "custom", "text-completion-openai", "litellm_proxy")
# Short names that classic Open Interpreter gives a meaning.
_RENAMED: dict[str, str] = dict.fromkeys(
    ("claude-3.5", "claude-3-5", "claude-3.5-sonnet", "claude-3-5-sonnet"), "claude-3-5-sonnet-20240620"
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes. model: as the person wrote it; request_model: as the server knows it."""

    provider: Provider
    model: str
    request_model: str
    base_url: str
    key: str = field(default="", repr=False)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    overrides: Mapping[str, Any] = field(default_factory=dict)  # what config says about models, by name
    proxy: str = ""  # instead of the environment's; "none": no proxy
    ca_bundle: str = ""  # file or folder of further certificates
    idle: float = 0.0  # seconds without a byte before a request fails; 0: what the client is told

    @property
    def wire(self) -> str:
        return self.provider.wire

    @property
    def quirks(self) -> Quirks:
        return self.provider.quirks

    @property
    def catalog_model(self) -> str:
        """The model's name in the catalog, beside the provider's id."""
        return self.request_model.partition("/")[2] if self.wire == "litellm" else self.request_model

    def describe(self) -> str:
        """One line for a person: provider, model, address."""
        return f"{self.provider.name}, {self.request_model}, {self.base_url or 'through litellm'}"

    def url(self, path: str) -> str:
        """Address of an endpoint below the base URL; a query of the base URL stays at the end."""
        base, _, asked = self.base_url.partition("?")
        query = "&".join(filter(None, (asked, urlencode(self.provider.query))))
        return f"{base}/{path}{'?' if query else ''}{query}"


@cache
def built_in() -> dict[str, Provider]:
    """The providers that come with the program, by id."""
    tables = tomllib.loads(Path(__file__).with_name("providers.toml").read_text(encoding="utf-8"))
    return {id: read_table(id, table) for id, table in tables.items()}


def known(tables: Mapping[str, Any] | None = None) -> dict[str, Provider]:
    """Built-in providers with those of the config over them. Raises BadRequest for a table that cannot be read."""
    found = dict(built_in())
    for id, table in (tables or {}).items():
        found[id] = read_table(id, table, found.get(id) or _through_litellm(id))
    return found


def _through_litellm(id: str) -> Provider | None:
    from oi_tui.models import litellm_names

    return litellm_names.named(id)


def with_key(tables: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None) -> list[Provider]:
    """Hosted providers whose key is set or stored, in the order of the table: what can be used without asking."""
    environ = os.environ if environ is None else environ
    kept = keys.places()
    return [
        one
        for one in known(tables).values()
        if any(environ.get(name, "").strip() for name in one.key_env) or one.id in kept
    ]


def resolve(
    model: str,
    *,
    api_base: str = "",
    api_key: str | None = None,
    api_version: str = "",
    wire_api: str = "",
    provider: str = "",
    backend: str = "",
    tables: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    headers: Mapping[str, Any] | None = None,
    proxy: str = "",
    ca_bundle: str = "",
    environ: Mapping[str, str] | None = None,
) -> Target:
    """The server for `model`.

    api_base: an own address; then the name is sent as given, with at most one known prefix removed. provider: id of the
    provider; then the name loses only that provider's prefix. api_version: of the server's API, as Azure wants it.
    wire_api: another wire than the provider's. backend:
    "litellm" asks every provider through litellm. tables: config's `model_providers`; models: its `models`; headers,
    proxy, ca_bundle: its `llm.headers` and so on. Raises
    BadRequest for an empty name or a bad table, ModelNotFound if no provider fits, AuthError if the key is missing or
    cannot be sent.
    """
    environ = os.environ if environ is None else environ
    model = model.strip()
    if not model:
        raise BadRequest("no model is named", hint="pass --model, for example --model gpt-4.1 or --model ollama/qwen3")
    providers = known(tables)
    name = _RENAMED.get(model, model)
    if provider:
        chosen, name = _by_id(provider, name, providers)
        chosen = _at(chosen, api_base) if api_base.strip() else chosen
    elif api_base.strip():
        chosen, name = _own(name, api_base, providers)
    else:
        chosen, name = _by_name(name, providers, environ)
    if headers:
        chosen = replace(chosen, headers={**chosen.headers, **{key: str(one) for key, one in headers.items()}})
    chosen = replace(chosen, wire=wire_api or _wire_of(chosen, name))
    if chosen.id == "ollama":
        name = name.removesuffix(":latest")
    base = _base(chosen, environ, given=bool(api_base.strip()))
    if backend == "litellm":
        from oi_tui.models import litellm_names

        chosen, name = litellm_names.renamed(chosen, name, moved=base != built_in_base(chosen.id))
        base = base if chosen.base_url else ""
    if api_version.strip():
        chosen = replace(chosen, query={**chosen.query, "api-version": api_version.strip()})
    key = _key(chosen, api_key, environ, needed=not (api_base.strip() or chosen.local))
    return Target(
        provider=chosen,
        model=model,
        request_model=name,
        base_url=base,
        key=key,
        headers=_headers(chosen, environ),
        retry=RetryPolicy(requests=chosen.request_retries, streams=chosen.stream_retries),
        overrides=models or {},
        proxy=proxy.strip(),
        ca_bundle=ca_bundle.strip(),
        idle=chosen.idle,
    )


def built_in_base(id: str) -> str:
    """The address of a provider that comes with the program, "" for any other."""
    return built_in()[id].base_url if id in built_in() else ""


def _by_id(id: str, name: str, providers: Mapping[str, Provider]) -> tuple[Provider, str]:
    if id in providers:
        return providers[id], _without_prefix(name, providers[id])
    from oi_tui.models import litellm_names

    found = litellm_names.named(id)
    if found is None:
        raise BadRequest(f"provider {id!r} is not known", hint=f"choose one of {', '.join(sorted(providers))}")
    return found, f"{id}/{_without_prefix(name, found)}"


def _wire_of(provider: Provider, name: str) -> str:
    only_responses = any(fnmatchcase(name, one) for one in provider.quirks.responses_for)
    return "responses" if provider.wire == "chat" and only_responses else provider.wire


def _without_prefix(name: str, provider: Provider) -> str:
    prefix, slash, rest = name.partition("/")
    return rest if slash and rest and prefix.lower() in {provider.id, *provider.prefixes} else name


def _by_prefix(name: str, providers: Mapping[str, Provider]) -> tuple[Provider, str] | None:
    prefix, slash, rest = name.partition("/")
    if not slash or not rest:
        return None
    prefix = prefix.lower()
    found = providers.get(prefix) or next((one for one in providers.values() if prefix in one.prefixes), None)
    if found and found.wire == "litellm" and _through_litellm(found.id):
        return found, name  # litellm wants the prefix
    return (found, rest) if found else None


def _own(name: str, api_base: str, providers: Mapping[str, Provider]) -> tuple[Provider, str]:
    """The provider behind an address that the person gave."""
    host = urlsplit(_tidy(api_base)).netloc.lower()
    for one in providers.values():
        if not one.local and urlsplit(one.base_url).netloc.lower() == host:
            return _at(one, api_base), _without_prefix(name, one)  # its model names may hold other providers' names
    named = _by_prefix(name, providers)
    if host.endswith(".azure.com"):
        from oi_tui.models import litellm_names

        if litellm_names.is_azure(name, host, urlsplit(_tidy(api_base)).path):
            return litellm_names.azure(name, _tidy(api_base))
    if named and (named[0].local or named[0].wire != "chat"):
        return _at(named[0], api_base), named[1]
    key_env = named[0].key_env if named else ("OPENAI_API_KEY",)
    own = Provider(id="custom", name=host, base_url=_tidy(api_base), key_env=key_env, local=_is_near(host))
    if named:
        return own, named[1]
    prefix, slash, rest = name.partition("/")
    return own, rest if slash and rest and prefix.lower() in _BARE_PREFIXES else name


def _by_name(name: str, providers: Mapping[str, Provider], environ: Mapping[str, str]) -> tuple[Provider, str]:
    named = _by_prefix(name, providers)
    if named:
        return named
    for one in providers.values():
        if any(fnmatchcase(name.lower(), pattern) for pattern in one.models):
            return one, name
    if ":" in name and "/" not in name:
        return providers["ollama"], name  # name:tag is how Ollama names its models
    from oi_tui.models import litellm_names

    found = litellm_names.find(name, environ)
    if found:
        return found
    if name.partition("/")[0].lower() in _BARE_PREFIXES:
        raise BadRequest(f"{name} needs an address", hint="pass --api_base with the base URL of the server")
    raise ModelNotFound(
        f"no provider is known for the model {name!r}",
        hint=f"write PROVIDER/{name} (ollama/{name}, openrouter/{name}, …) or pass --api_base",
    )


def _at(provider: Provider, api_base: str) -> Provider:
    base = _tidy(api_base)
    if provider.id in {"ollama", "lmstudio"} and not urlsplit(base).path:
        base += "/v1"  # people give the address of the server; both speak Chat Completions below /v1
    if provider.id == "anthropic" and not base.endswith("/v1"):
        base += "/v1"  # the addresses that its own tools take stand above /v1
    return replace(provider, base_url=base, base_env=())


def _base(provider: Provider, environ: Mapping[str, str], *, given: bool) -> str:
    moved = "" if given else next((environ[name] for name in provider.base_env if environ.get(name, "").strip()), "")
    if not moved:
        return provider.base_url
    if provider.id == "ollama":
        return ollama_root(moved) + "/v1"
    return _at(provider, moved).base_url


def ollama_root(host: str) -> str:
    """The address that a value of OLLAMA_HOST means: host, host:port or URL; 0.0.0.0 is this machine.

    Source: the FAQ of ollama/ollama; the port is 11434 unless a scheme is given.
    """
    host = host.strip().strip("\"'").rstrip("/") or "127.0.0.1"
    scheme, _, rest = host.rpartition("://")
    parts = urlsplit(f"{scheme or 'http'}://{rest if not rest.startswith(':') else '127.0.0.1' + rest}")
    name = parts.hostname or "127.0.0.1"
    name = "127.0.0.1" if name in {"0.0.0.0", "::"} else f"[{name}]" if ":" in name else name
    port = parts.port or (None if scheme else 11434)
    return f"{parts.scheme}://{name}{f':{port}' if port else ''}{parts.path}".removesuffix("/v1")


def _tidy(url: str) -> str:
    url = url.strip()
    if "://" not in url:
        url = ("http://" if _is_near(url.partition("/")[0]) else "https://") + url
    url, _, query = url.partition("#")[0].partition("?")
    url = url.rstrip("/")
    for endpoint in ("/chat/completions", "/messages", "/responses"):
        url = url.removesuffix(endpoint)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise BadRequest(f"{url} is not a base URL", hint="write it as http://HOST:PORT/v1")
    return f"{url}?{query}" if query else url


def _is_near(host: str) -> bool:
    """Whether a host (with or without a port) is this machine or one of the local network."""
    from ipaddress import ip_address

    name = urlsplit(f"//{host}").hostname or ""
    if ("." not in name and ":" not in name) or name.endswith((".local", ".lan", ".localhost")):
        return True
    try:
        return ip_address(name).is_private
    except ValueError:
        return False


def _key(provider: Provider, given: str | None, environ: Mapping[str, str], *, needed: bool) -> str:
    if given is not None and given.strip():
        return _sendable(given, "--api_key")
    if provider.token:
        return _sendable(provider.token, f"model_providers.{provider.id}")
    for name in provider.key_env:
        if environ.get(name, "").strip():
            return _sendable(environ[name], name)
    if kept := keys.stored(provider.id):
        return _sendable(kept, "oi login")
    if needed and provider.key_env and not provider.auth:
        hint = provider.key_help or f"oi login {provider.id} stores one; or set {provider.key_env[0]} or pass --api_key"
        raise AuthError(f"{provider.name} needs a key, and {provider.key_env[0]} is not set", hint=hint)
    return ""


def _sendable(value: str, source: str) -> str:
    """A header value without the white space around it. Raises AuthError for what no header can hold."""
    value = value.strip()
    if not all(33 <= ord(one) <= 126 for one in value):
        raise AuthError(f"the key in {source} holds characters that no key has", hint=f"copy it again into {source}")
    secrets.learn(value)
    return value


def _headers(provider: Provider, environ: Mapping[str, str]) -> dict[str, str]:
    headers = dict(provider.headers)
    for name, variable in provider.env_headers.items():
        if environ.get(variable, "").strip():
            headers[name] = environ[variable]
    for name, value in headers.items():
        headers[name] = value = value.strip()
        if not (name.isascii() and value.isascii() and value.isprintable()):
            raise BadRequest(
                f"the header {name} of provider {provider.id} holds characters that no header can",
                hint=f"correct model_providers.{provider.id}.http_headers or llm.headers",
            )
    return headers

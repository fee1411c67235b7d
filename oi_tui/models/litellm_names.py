"""Which models are asked through litellm, and how litellm calls them. All of it without importing litellm."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from oi_tui.models.provider_table import Provider, read_table

# our provider id -> litellm's, where they differ
PREFIXES = {
    "google": "gemini",
    "together": "together_ai",
    "fireworks": "fireworks_ai",
    "lmstudio": "lm_studio",
    "vllm": "hosted_vllm",
}
_OWN_ADDRESS = ("azure", "azure_ai")  # there is one server for each customer
_BASE_ENV = {"azure": "AZURE_API_BASE", "azure_ai": "AZURE_AI_API_BASE"}


@cache
def _described() -> dict[str, Provider]:
    tables = tomllib.loads(Path(__file__).with_name("litellm_providers.toml").read_text(encoding="utf-8"))
    return {id: read_table(id, {**table, "wire": "litellm"}) for id, table in tables.items()}


@cache
def prefixes() -> frozenset[str]:
    """What may stand before the slash in litellm's model names: its provider packages and its table of further ones."""
    spec = find_spec("litellm")  # finds the package without running it
    found: set[str] = set()
    for place in spec.submodule_search_locations or () if spec else ():
        folder = Path(place) / "llms"
        found |= {one.name for one in folder.glob("*") if (one / "chat").is_dir() or (one / "completion").is_dir()}
        table = folder / "openai_like" / "providers.json"
        if table.is_file():
            found |= set(json.loads(table.read_text(encoding="utf-8")))
    return frozenset(found)


def find(name: str, environ: Mapping[str, str]) -> tuple[Provider, str] | None:
    """The provider of a model that none of ours has, and litellm's name for the model; None if litellm has none.

    An Azure model counts only if the environment says where the server is.
    """
    prefix, slash, rest = name.partition("/")
    if not slash:
        return _bare(name)
    prefix = prefix.lower()
    table = _described()
    provider = table.get(prefix) or next((one for one in table.values() if prefix in one.prefixes), None)
    from oi_tui.models import catalog

    if provider is None and rest and (prefix in prefixes() or prefix in catalog.provider_ids()):
        provider = Provider(id=prefix, name=prefix, base_url="", wire="litellm")
    if provider is None or not rest:
        return None
    if provider.id in _OWN_ADDRESS and not environ.get(_BASE_ENV[provider.id], "").strip():
        return None
    return provider, f"{prefix}/{rest}"


def _bare(name: str) -> tuple[Provider, str] | None:
    """A name without a prefix, such as command-r or anthropic.claude-…: by pattern, or as litellm's catalog has it."""
    from oi_tui.models import catalog

    for one in _described().values():
        if any(fnmatchcase(name.lower(), pattern) for pattern in one.models):
            return one, f"{one.id}/{name}"

    prefix = catalog.provider_of(name)
    provider = next((one for id, one in _described().items() if prefix in {id, *one.prefixes}), None)
    return (provider, f"{provider.id}/{name}") if provider else None


def named(id: str) -> Provider | None:
    """The provider of this id that is asked through litellm."""
    return _described().get(id)


def is_azure(name: str, host: str, path: str) -> bool:
    """Whether an address that the person gave is an Azure resource, which signs and names things its own way.

    Below /openai/v1 it speaks as all others do. Source: Azure's page on the v1 API.
    """
    prefixed = name.partition("/")[0].lower() in _OWN_ADDRESS and host.endswith(".azure.com")
    return (prefixed or host.endswith(".openai.azure.com")) and not path.startswith("/openai/v1")


def azure(name: str, base_url: str) -> tuple[Provider, str]:
    """The provider for an Azure deployment at `base_url`; `name` may stand below the prefix of one kind of resource."""
    prefix, slash, rest = name.partition("/")
    kind, rest = (prefix.lower(), rest) if slash and prefix.lower() in _OWN_ADDRESS else ("azure", name)
    return replace(_described()[kind], base_url=base_url), f"{kind}/{rest}"


def renamed(provider: Provider, name: str, *, moved: bool) -> tuple[Provider, str]:
    """Any provider as litellm reaches it. moved: it has another address than litellm would use."""
    if provider.wire == "litellm":
        return provider, name
    prefix = PREFIXES.get(provider.id, provider.id)
    if moved or provider.local or prefix not in prefixes():
        spoken = "anthropic" if provider.wire == "messages" else "openai"
        return replace(provider, wire="litellm"), f"{spoken}/{name}"
    return replace(provider, wire="litellm", base_url="", base_env=()), f"{prefix}/{name}"

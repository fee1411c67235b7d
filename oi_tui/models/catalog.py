"""What is known about a model: window, longest answer, prices, whether it sees pictures and calls tools.

The data is litellm's own file, read without importing litellm (which takes seconds). It has 3 MB, so one model is
looked up by searching the text and reading that one entry; only a list of models reads it all. A person's
`[models."NAME"]` table goes over it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from oi_tui.models import effort
from oi_tui.models.client import BadTable

# What an unknown model is taken for. A local server's own default is often no more than this, and a prompt that is too
# long is cut there without a word; the windows of hosted models have been this large for years.
LOCAL_WINDOW = 8192
HOSTED_WINDOW = 128_000
_ANSWER = 4096  # tokens, the longest answer that every model in use can give

_FILE = "model_prices_and_context_window_backup.json"
# our provider id -> what stands before the slash in litellm's names
_LITELLM = {
    "google": "gemini",
    "together": "together_ai",
    "fireworks": "fireworks_ai",
    "dashscope-cn": "dashscope",
    "moonshot-cn": "moonshot",
    "lmstudio": "lm_studio",
    "vllm": "hosted_vllm",
}


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Facts about one model. Windows in tokens, prices in US dollars a million tokens, None where no price is known.

    sampling: it takes a temperature. efforts: how hard it can be told to think, from least to most. adaptive: on the
    Messages wire it is told so in words, not as a number of tokens. prefill: it goes on with an answer that the request
    ends with. known: found in the catalog or told by a person;
    otherwise all of it is a cautious guess.
    """

    id: str
    context: int
    output: int
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None
    vision: bool = False
    tools: bool = True
    reasoning: bool = False
    sampling: bool = True
    efforts: tuple[str, ...] = ()
    adaptive: bool = False
    prefill: bool = False
    known: bool = False

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float | None:
        """US dollars for one response; cached tokens are part of the input. None if the price is not known."""
        if self.input_price is None or self.output_price is None:
            return None
        cached_price = self.input_price if self.cached_price is None else self.cached_price
        fresh = max(0, input_tokens - cached_tokens)
        return (fresh * self.input_price + cached_tokens * cached_price + output_tokens * self.output_price) / 1e6


def look_up(
    model: str,
    provider: str = "",
    *,
    local: bool = False,
    told: Mapping[str, Any] | None = None,
    overrides: Mapping[str, Any] | None = None,
    written: str = "",
) -> ModelInfo:
    """Facts about `model` (the name the server knows) of `provider` (our id).

    local: it runs on the person's machine, so it costs nothing. told: fields that its own server gives. overrides:
    config's `models` table, whose names may be `model`, `provider/model` or `written`, the name as the person wrote it.
    Raises BadTable for an override that cannot be read.
    """
    prefix = _LITELLM.get(provider, provider)
    names = [f"{prefix}/{model}", *([] if local else [model])] if prefix and prefix != "custom" else [model]
    entry = next((found for found in map(_entry, names) if found), None)
    info = _from_entry(model, entry, local) if entry else _unknown(model, local)
    if local:
        info = replace(info, input_price=0.0, output_price=0.0, cached_price=None)
    if told:
        info = replace(info, known=info.known or "context" in told, **told)
    for name in dict.fromkeys((model, f"{provider}/{model}", written)):
        if name and name in (overrides or {}):
            info = overridden(info, name, (overrides or {})[name])
    return info


def provider_of(name: str) -> str:
    """litellm's id for the provider of the model of exactly this name, "" if the catalog has none."""
    entry = _entry(name)
    return str(entry.get("litellm_provider") or "") if entry else ""


def provider_ids() -> set[str]:
    """litellm's ids of all providers that have a chat model in the catalog."""
    return {str(one.get("litellm_provider")) for one in _all().values() if one.get("mode") in {"chat", "responses"}}


def models_of(provider: str) -> list[ModelInfo]:
    """The chat models of a provider that the catalog knows, by name, with the ids that its server takes."""
    prefix = _LITELLM.get(provider, provider)
    found: dict[str, ModelInfo] = {}
    for name, entry in _all().items():
        if entry.get("litellm_provider") == prefix and entry.get("mode") in {"chat", "responses"}:
            id = name.removeprefix(prefix + "/")
            found[id] = _from_entry(id, entry, local=False)
    return [found[id] for id in sorted(found)]


def _unknown(model: str, local: bool) -> ModelInfo:
    return ModelInfo(
        model, LOCAL_WINDOW if local else HOSTED_WINDOW, min(_ANSWER, LOCAL_WINDOW // 4 if local else _ANSWER)
    )


def _from_entry(id: str, entry: Mapping[str, Any], local: bool) -> ModelInfo:
    unknown = _unknown(id, local)
    output = _count(entry.get("max_output_tokens")) or _count(entry.get("max_tokens")) or unknown.output
    return ModelInfo(
        id=id,
        context=_count(entry.get("max_input_tokens")) or _count(entry.get("max_tokens")) or unknown.context,
        output=output,
        input_price=_price(entry.get("input_cost_per_token")),
        output_price=_price(entry.get("output_cost_per_token")),
        cached_price=_price(entry.get("cache_read_input_token_cost")),
        vision=entry.get("supports_vision") is True,
        tools=entry.get("supports_function_calling", local) is True,  # a local server says so itself when asked
        reasoning=entry.get("supports_reasoning") is True,
        sampling=entry.get("supports_sampling_params") is not False,
        efforts=effort.of_entry(entry),
        adaptive=entry.get("supports_adaptive_thinking") is True,
        prefill=entry.get("supports_assistant_prefill") is True,
        known=True,
    )


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _price(value: Any) -> float | None:
    """A price for a million tokens out of litellm's price for one."""
    return value * 1e6 if isinstance(value, int | float) else None


def overridden(info: ModelInfo, name: str, table: Any) -> ModelInfo:
    """`info` with what a person's table `[models."NAME"]` says. Raises BadTable."""
    where, path = f'models."{name}"', ("models", name)
    if not isinstance(table, Mapping):
        raise BadTable(path, f"{where} is not a table", hint="write, for example, context = 32768 below it")
    wanted = {one.name: str(one.type) for one in fields(ModelInfo) if one.name not in {"id", "known"}}
    values = dict(table)
    for key, value in table.items():
        if key not in wanted:
            from difflib import get_close_matches

            near = get_close_matches(str(key), wanted, 1)
            hint = f"did you mean {near[0]}?" if near else f"known keys are {', '.join(wanted)}"
            raise BadTable((*path, key), f"{where}: unknown key {key!r}", hint=hint)
        problem, hint = _unfit(wanted[key], value)
        if problem:
            raise BadTable((*path, key), f"{where}.{key}: {value!r} is {problem}", hint=hint)
        if wanted[key].startswith("tuple"):
            values[key] = tuple(one for one in effort.LEVELS if one in value)
    return replace(info, known=True, **values)


def _unfit(kind: str, value: Any) -> tuple[str, str]:
    """What is wrong with a value for a field of this type, and the next step; ("", "") if nothing is."""
    if kind.startswith("tuple"):
        fits = isinstance(value, list) and all(one in effort.LEVELS for one in value)
        return ("", "") if fits else ("no list of efforts", f"list some of {', '.join(effort.LEVELS)}")
    if kind == "bool":
        return ("", "") if isinstance(value, bool) else ("neither true nor false", "write true or false")
    if kind == "int":
        fits = type(value) is int and value > 0
        return ("", "") if fits else ("no number of tokens", "write a whole number, such as 32768")
    fits = type(value) in (int, float) and 0 <= value < float("inf")
    return ("", "") if fits else ("no price", "write US dollars a million tokens, such as 0.5")


@cache
def _file() -> Path | None:
    spec = find_spec("litellm")  # finds the package without running it
    places = list(spec.submodule_search_locations or ()) if spec else []
    return next((path for place in places if (path := Path(place) / _FILE).is_file()), None)


def _data() -> bytes:
    path = _file()
    return path.read_bytes() if path else b"{}"


@lru_cache(maxsize=256)
def _entry(name: str) -> dict[str, Any] | None:
    """One entry of the file: found by its indented key, then read alone. A file of another layout is read whole."""
    data = _data()
    start = data.find(b"\n    " + json.dumps(name).encode() + b": {")
    if start < 0:
        return None if b'\n    "' in data else _all().get(name)
    opening, end = data.index(b"{", start), data.find(b"\n    }", start)
    try:
        return json.loads(data[opening : end + 6])
    except ValueError:
        return _all().get(name)


@cache
def _all() -> dict[str, dict[str, Any]]:
    return {name: entry for name, entry in json.loads(_data()).items() if isinstance(entry, dict)}

"""What local model servers tell about their models.

Ollama's `/api/tags`, `/api/show` and `/api/pull`; LM Studio's `/api/v0/models` and `/api/v0/completions`.

Sources: docs/api.md of ollama/ollama; the REST API page of LM Studio's documentation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LocalModel:
    """A model that the mock says it has: size in bytes, context window in tokens. given: how many of these Ollama gives
    it, told once it is loaded; 0: as many as it takes, told at once."""

    id: str
    size: int = 4_661_224_676
    context: int = 8192
    tools: bool = True
    vision: bool = False
    family: str = "llama"
    given: int = 0


def tags(models: Sequence[LocalModel]) -> dict[str, Any]:
    """Body of `GET /api/tags`."""
    details = {"format": "gguf", "parameter_size": "8.0B", "quantization_level": "Q4_0"}
    return {
        "models": [
            {"name": one.id, "model": one.id, "size": one.size, "details": {**details, "family": one.family}}
            for one in models
        ]
    }


def show(models: Sequence[LocalModel], name: str) -> tuple[int, dict[str, Any]]:
    """Status and body of `POST /api/show`; as Ollama does, a name without a tag means `:latest`."""
    found = next((one for one in models if name in (one.id, one.id.removesuffix(":latest"))), None)
    if found is None:
        return 404, {"error": f"model '{name}' not found"}
    able = ["completion", *(["tools"] if found.tools else []), *(["vision"] if found.vision else [])]
    info = {"general.architecture": "llama", "llama.context_length": found.context}
    set_up = {} if found.given else {"parameters": f'stop "<end>"\nnum_ctx    {found.context}'}
    return 200, {"model_info": info, "capabilities": able, "details": {"family": found.family}, **set_up}


def running(models: Sequence[LocalModel], loaded: Sequence[str]) -> dict[str, Any]:
    """Body of `GET /api/ps`."""
    there = [one for one in models if one.id in loaded]
    return {"models": [{"name": one.id, "model": one.id, "context_length": one.given or one.context} for one in there]}


def pulled(name: str, size: int) -> bytes:
    """Body of `POST /api/pull`: one object a line, as the layers arrive; a name that begins with `no` is not known."""
    lines: list[dict[str, Any]] = [{"status": "pulling manifest"}]
    if name.startswith("no"):
        lines.append({"error": "pull model manifest: file does not exist"})
    else:
        for done in (0, size // 2, size):
            lines.append({"status": "pulling 6a0746a1ec1a", "digest": "sha256:6a", "total": size, "completed": done})
        lines += [{"status": "pulling 4fa551d4f938", "digest": "sha256:4f", "total": 10, "completed": 10}]
        lines.append({"status": "success"})
    return b"".join(json.dumps(one).encode() + b"\n" for one in lines)


def lm_studio(models: Sequence[LocalModel], loaded: Sequence[str] = ()) -> dict[str, Any]:
    """Body of LM Studio's `GET /api/v0/models`: a model with `given` is not loaded before it was asked for."""
    data: list[dict[str, Any]] = []
    for one in models:
        there = not one.given or one.id in loaded
        told = {"id": one.id, "object": "model", "type": "vlm" if one.vision else "llm"}
        told |= {"state": "loaded" if there else "not-loaded", "max_context_length": one.context}
        data.append(told | ({"loaded_context_length": one.given} if there and one.given else {}))
    return {"object": "list", "data": data}


def lm_studio_completion(models: Sequence[LocalModel], name: str) -> tuple[int, dict[str, Any]]:
    """Status and body of LM Studio's `POST /api/v0/completions`; a negative `given` is one that it cannot load."""
    found = next((one for one in models if one.id == name and one.given >= 0), None)
    if found is None:
        return 404, {"error": f"Failed to load model {name}"}
    info = {"arch": "llama", "quant": "Q4_K_M", "format": "gguf", "context_length": found.given or found.context}
    return 200, {"object": "text_completion", "choices": [{"index": 0, "text": " there"}], "model_info": info}


def listed(models: Sequence[LocalModel]) -> dict[str, Any]:
    """Body of `GET /v1/models`."""
    return {"object": "list", "data": [{"id": one.id, "object": "model", "owned_by": "mock"} for one in models]}

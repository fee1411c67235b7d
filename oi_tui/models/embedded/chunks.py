"""What one chunk of the runtime means: OpenAI's `chat.completion.chunk` objects, with llama.cpp's extra fields.

Extra fields, from llama.cpp's server documentation: `prompt_progress` (total, cache, processed) while a prompt is
read, `timings` (cache_n, prompt_n, predicted_n) in the last chunk, `reasoning_content` for thoughts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oi_tui.models.client import BadRequest, ContextTooLong, ModelError
from oi_tui.models.embedded.errors import EmbeddedError
from oi_tui.protocol.stream import CallDelta, Delta, Stop, TextDelta, ThoughtDelta, Usage

# What the runtime is given of a body: names it knows and that mean the same to it.
_PASSED = (
    "messages", "max_tokens", "temperature", "top_p", "top_k", "min_p", "stop", "seed", "presence_penalty",
    "frequency_penalty", "response_format", "tools", "tool_choice",
)  # fmt: skip
_MOST = 1024  # tokens of an answer whose body names no limit: small models do not always find an end


def request(body: dict[str, Any]) -> dict[str, Any]:
    """The body as the runtime takes it."""
    passed = {key: body[key] for key in _PASSED if body.get(key) is not None}
    passed.setdefault("max_tokens", body.get("max_completion_tokens") or _MOST)
    return passed


def prefix(body: dict[str, Any]) -> dict[str, Any]:
    """A request that leaves all of `body` but its newest question in the prompt cache and writes next to nothing.

    `keep` tells the worker to put that much on disk too.
    """
    messages = list(body.get("messages") or [])
    if messages and messages[-1].get("role") == "user":
        messages.pop()
    asked = [*messages, {"role": "user", "content": "."}]
    return {**request(body), "messages": asked, "max_tokens": 1, "keep": len(messages)}


def progress(chunk: dict[str, Any]) -> tuple[int, int] | None:
    """(tokens read, tokens to read) of the prompt, leaving out those that were cached; None for other chunks."""
    found = chunk.get("prompt_progress")
    if not isinstance(found, dict):
        return None
    cached = int(found.get("cache", 0))
    return int(found.get("processed", 0)) - cached, int(found.get("total", 0)) - cached


def deltas(chunk: dict[str, Any]) -> Iterator[Delta]:
    """The deltas in one chunk; the last chunk gives Usage, then Stop. Raises ModelError for an error chunk."""
    if "error" in chunk:
        raise _error(chunk["error"])
    choices = chunk.get("choices") or []
    if not choices:
        return
    delta = choices[0].get("delta") or {}
    if thought := delta.get("reasoning_content"):
        yield ThoughtDelta(thought)
    if text := delta.get("content"):
        yield TextDelta(text)
    for call in delta.get("tool_calls") or ():
        function = call.get("function") or {}
        yield CallDelta(
            int(call.get("index") or 0), call.get("id") or "", function.get("name") or "",
            function.get("arguments") or "",
        )  # fmt: skip
    if reason := choices[0].get("finish_reason"):
        yield _usage(chunk)
        yield Stop(str(reason))


def _usage(chunk: dict[str, Any]) -> Usage:
    timings = chunk.get("timings") or {}
    cached = int(timings.get("cache_n") or 0)
    return Usage(
        input_tokens=cached + int(timings.get("prompt_n") or 0),
        output_tokens=int(timings.get("predicted_n") or 0),
        cached_tokens=cached,
    )


def _error(found: Any) -> ModelError:
    error = found if isinstance(found, dict) else {"message": str(found)}
    text = str(error.get("message") or "unknown error")
    if error.get("type") == "exceed_context_size_error":
        return ContextTooLong(
            f"the request is too long for the built-in model: {error.get('n_prompt_tokens')} of {error.get('n_ctx')} "
            "tokens",
            hint="start over with %reset, or choose a larger model with /model",
        )
    if error.get("code") == 400:
        return BadRequest(f"the built-in model refuses the request: {text}", hint="choose another model", status=400)
    return EmbeddedError(f"the built-in model failed: {text}", hint="try again, or choose another model with /model")

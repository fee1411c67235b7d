"""History to the body of the OpenAI Responses wire.

Nothing is stored on the server: every request holds the whole conversation as input items, with the reasoning of
earlier answers sealed by the model that had it. Its rules: every call has one output of the same id; a reasoning item
is followed by the item that it led to. Source: OpenAI's API reference, "Responses", and its guides on reasoning and
function calling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harnesses.data import Env, Options, Surface
from harnesses.rendering_turns import Answered, Picture, Spoken, Thought, plain_id, plain_name, turns
from oi_tui.protocol.lmc import Message


def responses(harness: Surface, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
    """The whole body: instructions, input, tools and the sampling fields that are set."""
    policy = harness.policy
    body: dict[str, Any] = {"model": options.model}
    instructions = harness.system(env)
    if instructions:
        body["instructions"] = instructions
    body["input"] = input_items(harness, history, env, options)
    tools = harness.tools(env) if harness.uses_tools else ()
    if tools:
        body["tools"] = [
            {"type": "function", "name": t.name, "description": t.description, "parameters": t.schema, "strict": False}
            for t in tools
        ]
        body["tool_choice"] = policy.tool_choice or "auto"
        body["parallel_tool_calls"] = True if policy.parallel is None else policy.parallel
    body |= {"store": False, "stream": True, "include": ["reasoning.encrypted_content"]}
    if options.session_id:
        body["prompt_cache_key"] = options.session_id
    thinking = {"effort": options.effort, "summary": options.summary}
    if any(thinking.values()):
        body["reasoning"] = {key: one for key, one in thinking.items() if one}
    if options.temperature is not None:
        body["temperature"] = options.temperature
    if options.max_tokens is not None:
        body["max_output_tokens"] = options.max_tokens
    return body | harness.extra(env, options)


def input_items(harness: Surface, history: Sequence[Message], env: Env, options: Options) -> list[dict[str, Any]]:
    """The conversation without the instructions."""
    made: list[dict[str, Any]] = []
    for turn in turns(harness, history, env, options):
        if isinstance(turn, Spoken):
            made.append({"type": "message", "role": "user", "content": _parts(turn.text, turn.pictures)})
        else:
            made.extend(_answer(turn, options))
    return made


def _parts(text: str, pictures: Sequence[Picture]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "input_text", "text": text}] if text else []
    for one in pictures:
        url = f"data:{one.media_type};base64,{one.data}"
        parts.append({"type": "input_image", "image_url": url, "detail": "auto"})
    return parts


def _answer(turn: Answered, options: Options) -> Iterator[dict[str, Any]]:
    """Text, then calls, each after the reasoning that led to it; then the outputs in the order of the calls."""
    waiting = turn.thoughts("responses", options.model)
    if turn.text:
        while waiting and waiting[0].calls == 0 and waiting[0].text < len(turn.text):
            yield _reasoning(waiting.pop(0))
        yield {"type": "message", "role": "assistant", "content": turn.text}
    for number, one in enumerate(turn.calls):
        while waiting and waiting[0].calls <= number:
            yield _reasoning(waiting.pop(0))
        called = {"call_id": plain_id(one.id), "name": plain_name(one.name), "arguments": one.arguments}
        yield {"type": "function_call", **called}
    for one in turn.calls:
        output: Any = _parts(one.observed, one.pictures) if one.pictures else one.observed
        yield {"type": "function_call_output", "call_id": plain_id(one.id), "output": output}


def _reasoning(thought: Thought) -> dict[str, Any]:
    return {**thought.block, "summary": [{"type": "summary_text", "text": text} for text in thought.texts if text]}

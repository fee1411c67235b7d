"""History to the body of the Anthropic Messages wire.

Its rules: user and assistant take turns, beginning with the user; all results of an answer stand in the next user
message, in the order of the calls, before anything else; no text is empty or blank; thoughts go back only with the
seal of the model that had them. Source: Anthropic's API reference, "Messages", "Tool use", "Extended thinking" and
"Prompt caching".
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from harnesses.data import Binding, Env, Options, Surface
from harnesses.rendering_turns import Answered, Called, Picture, Spoken, Thought, plain_id, plain_name, turns
from oi_tui.protocol.lmc import Message

LONGEST_ANSWER = 32_000  # tokens, where nothing else is asked for; the client lowers it to what the model can give
_CACHED = {"type": "ephemeral"}
_MOST_MARKS = 4  # in one request
_BEGIN = "(the conversation goes on)"  # where the history begins with an answer


def messages(
    harness: Surface,
    history: Sequence[Message],
    env: Env,
    options: Options,
) -> dict[str, Any]:
    """The whole body: system, messages, tools, the limit on the answer that this wire demands.

    The harness's policy says which blocks end a part that the provider keeps in its cache.
    """
    policy = harness.policy
    blocks = [one for one in harness.system_blocks(env) if one.strip()]
    body: dict[str, Any] = {
        "model": options.model,
        "max_tokens": options.max_tokens or policy.max_tokens or LONGEST_ANSWER,
        "messages": message_list(harness, history, env, options),
        "stream": True,
    }
    if blocks:
        free = _MOST_MARKS - sum(one != "system" for one in policy.cache) if "system" in policy.cache else 0
        body["system"] = [
            {"type": "text", "text": one} | ({"cache_control": _CACHED} if number >= len(blocks) - free else {})
            for number, one in enumerate(blocks)
        ]
    tools = harness.tools(env) if harness.uses_tools else ()
    if tools:
        body["tools"] = [_tool(one, env, options) for one in tools]
        if "tools" in policy.cache:
            body["tools"][-1]["cache_control"] = _CACHED
        choice: dict[str, Any] = {}
        if policy.tool_choice:
            choice = {"type": {"required": "any"}.get(policy.tool_choice, policy.tool_choice)}
        if policy.parallel is not None:
            choice = {"type": "auto", **choice, "disable_parallel_tool_use": not policy.parallel}
        if choice:
            body["tool_choice"] = choice
    if options.effort == "none":
        body["thinking"] = {"type": "disabled"}
    elif options.effort:
        body |= {"thinking": {"type": "adaptive"}, "output_config": {"effort": options.effort}}
    if options.temperature is not None:
        body["temperature"] = options.temperature
    return body | harness.extra(env, options)


def _tool(one: Binding, env: Env, options: Options) -> dict[str, Any]:
    if options.computer_tool and one.executor == "computer_use":
        from harnesses.computer_tool import typed

        return typed(options.computer_tool, env.screen)
    return {"name": one.name, "description": one.description, "input_schema": one.schema}


def message_list(harness: Surface, history: Sequence[Message], env: Env, options: Options) -> list[dict[str, Any]]:
    """The conversation without the system prompt, marked for the cache."""
    made: list[dict[str, Any]] = []
    for turn in turns(harness, history, env, options):
        if isinstance(turn, Spoken):
            _add(made, "user", _said(turn.text, turn.pictures))
        else:
            _add(made, "assistant", _answer(turn, options))
            _add(made, "user", [_result(one, harness.policy.explicit_ok) for one in turn.calls])
    if made and made[0]["role"] == "assistant":
        made.insert(0, {"role": "user", "content": _said(_BEGIN)})
    heard = [one for one in made if one["role"] == "user"]
    for name, one in zip(("last", "previous"), reversed(heard), strict=False):
        if name in harness.policy.cache:
            one["content"][-1]["cache_control"] = _CACHED
    return [_plain(one) if harness.policy.plain_text or one["role"] == "assistant" else one for one in made]


def _add(made: list[dict[str, Any]], role: str, blocks: list[dict[str, Any]]) -> None:
    """Append to the last message if it is of the same speaker, else begin one."""
    if not blocks:
        return
    if made and made[-1]["role"] == role:
        made[-1]["content"].extend(blocks)
    else:
        made.append({"role": role, "content": blocks})


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """One text without a mark is written as a plain string."""
    only = message["content"][0]
    plain = len(message["content"]) == 1 and only.keys() == {"type", "text"}
    return {"role": message["role"], "content": only["text"]} if plain else message


def _said(text: str, pictures: Sequence[Picture] = ()) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []
    for one in pictures:
        source = {"type": "base64", "media_type": one.media_type, "data": one.data}
        blocks.append({"type": "image", "source": source})
    return blocks


def _answer(turn: Answered, options: Options) -> list[dict[str, Any]]:
    """Text, then calls, each after the thoughts that came before it."""
    blocks: list[dict[str, Any]] = []
    waiting = turn.thoughts("messages", options.model)
    at = 0
    while waiting and waiting[0].calls == 0 and waiting[0].text < len(turn.text):
        thought = waiting.pop(0)
        blocks += _said(turn.text[at : thought.text])
        at = max(at, thought.text)
        blocks.append(_thought(thought))
    blocks += _said(turn.text[at:])
    for number, one in enumerate(turn.calls):
        while waiting and waiting[0].calls <= number:
            blocks.append(_thought(waiting.pop(0)))
        arguments = json.loads(one.arguments)
        blocks.append({"type": "tool_use", "id": plain_id(one.id), "name": plain_name(one.name), "input": arguments})
    return blocks


def _thought(thought: Thought) -> dict[str, Any]:
    if thought.block["type"] == "thinking":
        return {"type": "thinking", "thinking": "".join(thought.texts), "signature": thought.block["signature"]}
    return dict(thought.block)


def _result(call: Called, explicit_ok: frozenset[str]) -> dict[str, Any]:
    content: Any = _said(call.observed, call.pictures) if call.pictures else call.observed
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": plain_id(call.id), "content": content}
    if not call.ok or call.name in explicit_ok:
        result["is_error"] = not call.ok
    return result

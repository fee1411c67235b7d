"""History to the body of a request: picks the wire's renderer, and is that of Chat Completions itself.

Driven by a harness's WirePolicy. One rule per provider refusal: every call is followed at once by exactly one result;
whatever a person said in between waits until the results are there; no message is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harnesses.data import Env, Options, Surface, WirePolicy
from harnesses.rendering_turns import (
    Answered,
    Called,
    Picture,
    PlainIds,
    Spoken,
    compact,
    fenced,
    plain_name,
    result_of,
    turns,
)
from oi_tui.protocol.lmc import Message

__all__ = ["body", "chat", "chat_messages", "compact", "fenced", "result_of"]


def body(harness: Surface, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
    """The whole body on the wire that `options` names."""
    if options.wire == "messages":
        from harnesses.rendering_messages import messages

        return messages(harness, history, env, options)
    if options.wire == "responses":
        from harnesses.rendering_responses import responses

        return responses(harness, history, env, options)
    return chat(harness, history, env, options)


def chat(harness: Surface, history: Sequence[Message], env: Env, options: Options) -> dict[str, Any]:
    """The whole body of Chat Completions: model, messages, tools and the sampling fields that are set."""
    policy = harness.policy
    messages: list[dict[str, Any]] = []
    system = harness.system(env)
    if system:
        messages.append({"role": "system", "content": system})
    messages.extend(chat_messages(harness, history, env, options))
    body: dict[str, Any] = {"model": options.model, "messages": messages}
    body["stream"] = policy.stream
    if policy.stream and policy.include_usage:
        body["stream_options"] = {"include_usage": True}
    tools = harness.tools(env) if harness.uses_tools else ()
    if tools:
        body["tools"] = [
            {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.schema}}
            for t in tools
        ]
        if policy.tool_choice:
            body["tool_choice"] = policy.tool_choice
        if policy.parallel is not None:
            body["parallel_tool_calls"] = policy.parallel
    body |= policy.sampling
    if options.temperature is not None:
        body["temperature"] = options.temperature
    if options.effort:
        body["reasoning_effort"] = options.effort
    most = policy.max_tokens if options.max_tokens is None else options.max_tokens
    if most is not None and policy.token_key:
        body[policy.token_key] = most
    return body | harness.extra(env, options)


def chat_messages(harness: Surface, history: Sequence[Message], env: Env, options: Options) -> list[dict[str, Any]]:
    """The conversation without the system message."""
    made: list[dict[str, Any]] = []
    ids = PlainIds() if harness.policy.plain_ids else None
    for turn in turns(harness, history, env, options):
        if isinstance(turn, Spoken):
            made.append(_spoken(turn))
            continue
        if ids is not None:
            taken = (
                Called(ids.take(one.id), one.name, one.arguments, one.observed, one.ok, one.pictures)
                for one in turn.calls
            )
            turn = Answered(turn.text, tuple(taken), turn.reasoning, turn.signature)
        made.extend(_answer(harness, turn, options.model))
    return made


def _spoken(turn: Spoken) -> dict[str, Any]:
    if not turn.pictures:
        return {"role": "user", "content": turn.text}
    text = [{"type": "text", "text": turn.text}] if turn.text else []
    return {"role": "user", "content": [*text, *map(_picture, turn.pictures)]}


def _picture(picture: Picture) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:{picture.media_type};base64,{picture.data}"}}


def _answer(harness: Surface, turn: Answered, model: str) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {"role": "assistant"}
    if turn.text:
        message["content"] = turn.text
    elif turn.calls and harness.policy.empty_assistant == "empty":
        message["content"] = ""
    thought = _thought(harness.policy, turn)
    if thought is not None:
        message["reasoning_content"] = thought
    if turn.calls:
        message["tool_calls"] = [
            {"id": one.id, "type": "function", "function": {"name": plain_name(one.name), "arguments": one.arguments}}
            for one in turn.calls
        ]
    for sealed in turn.thoughts("chat", model):  # see oi_tui/models/wires/chat_extras.py
        message |= sealed.block.get("message", {})
        for number, kept in sealed.block.get("calls", {}).items():
            if int(number) < len(turn.calls):
                message["tool_calls"][int(number)] |= kept
    yield message
    for one in turn.calls:
        yield {"role": "tool", "tool_call_id": one.id, "content": _content(harness.policy, one.observed)}
    pictures = tuple(picture for one in turn.calls for picture in one.pictures)
    if pictures:
        yield _spoken(Spoken("What the code displayed:", pictures))


def _content(policy: WirePolicy, observed: str) -> Any:
    """What a result was, in the shape that the policy wants."""
    if policy.tool_content == "text":
        return observed
    texts = [observed]
    if policy.tool_content == "system_parts" and observed.startswith("<system>"):
        note, end, rest = observed.partition("</system>")
        texts = [note + end, rest.removeprefix("\n")]
    return [{"type": "text", "text": one} for one in texts if one.strip()]


def _thought(policy: WirePolicy, turn: Answered) -> str | None:
    """The `reasoning_content` of an answer, None for no such key."""
    if policy.reasoning == "drop" or (policy.reasoning == "calls" and not turn.calls):
        return None
    if turn.reasoning.rstrip("\n"):
        return turn.reasoning.rstrip("\n")
    return policy.placeholder if policy.reasoning in {"always", "calls"} else None

"""The Chat Completions wire of the mock: steps of an answer as events of a stream, or as one JSON body.

Source of the format: the public OpenAI API reference, "Chat" and "Streaming".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.mock_model.code_tool import code_call
from tests.mock_model.script import Answer, Call, Code, Cut, Emission, Finish, Raw, Say, Think, Tokens, Wait


class ChatStream:
    """Renders one answer to one request. `number` makes ids that differ between responses."""

    def __init__(self, answer: Answer, request: dict[str, Any], chunk: int, number: int) -> None:
        self._steps, self._request, self._chunk, self._number = answer.steps, request, max(1, chunk), number
        self._calls = 0
        self._chars = 0
        self._finish: str | None = None
        self._usage: dict[str, Any] | None = None
        self._end = True

    def __iter__(self) -> Iterator[Emission]:
        if not any(isinstance(step, Raw) for step in self._steps):
            yield self._delta({"role": "assistant", "content": ""})
        for step in self._steps:
            match step:
                case Wait() | Cut():
                    yield step
                    if isinstance(step, Cut):
                        return
                case Raw():
                    yield from self._raw(step)
                case Finish():
                    self._finish = step.reason
                case Tokens():
                    self._usage = step.usage
                case _:
                    for delta in self._deltas(step):
                        yield self._delta(delta)
        if self._end:
            yield from self._ending()

    def _deltas(self, step: Any) -> Iterator[dict[str, Any]]:
        match step:
            case Say():
                for piece in self._pieces(step.text):
                    yield {"content": piece}
            case Think():
                for piece in self._pieces(step.text):
                    yield {step.key: piece}
            case Code():
                tools = self._request.get("tools")
                if tools:
                    name, arguments = code_call(tools, step.language, step.code)
                    yield from self._call(Call(name, arguments, step.id))
                else:
                    for piece in self._pieces(f"```{step.language}\n{step.code}\n```\n"):
                        yield {"content": piece}
            case Call():
                yield from self._call(step)

    def _call(self, call: Call) -> Iterator[dict[str, Any]]:
        index, self._calls = self._calls, self._calls + 1
        name = call.id or f"call_{self._number}_{index}"
        text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
        head = {"index": index, "id": name, "type": "function", "function": {"name": call.name, "arguments": ""}}
        yield {"tool_calls": [head]}
        for piece in self._pieces(text):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}

    def _raw(self, step: Raw) -> Iterator[Emission]:
        self._end = self._end and step.end
        for item in step.items:
            if isinstance(item, bytes):
                if b"[DONE]" in item:
                    self._end = False
                yield item
            elif item.keys() & {"choices", "error", "usage"}:
                yield self._event(item)
            else:
                delta = {key: one for key, one in item.items() if key != "finish_reason"}
                reason = item.get("finish_reason")
                self._calls += len(delta.get("tool_calls") or ())
                self._finish = reason or self._finish
                yield self._delta(delta, reason)

    def _ending(self) -> Iterator[bytes]:
        reason = self._finish or ("tool_calls" if self._calls else "stop")
        yield self._delta({}, reason)
        wanted = (self._request.get("stream_options") or {}).get("include_usage")
        if wanted or self._usage:
            yield self._event({"choices": [], "usage": self._usage or self._counted()})
        yield b"data: [DONE]\n\n"

    def _pieces(self, text: str) -> Iterator[str]:
        self._chars += len(text)
        for start in range(0, len(text), self._chunk):
            yield text[start : start + self._chunk]

    def _counted(self) -> dict[str, int]:
        given = len(json.dumps(self._request.get("messages", ""))) // 4
        made = max(1, self._chars // 4)
        return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}

    def _delta(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        return self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def _event(self, fields: dict[str, Any]) -> bytes:
        head = {
            "id": f"chatcmpl-{self._number}",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": self._request.get("model", ""),
        }
        return b"data: " + json.dumps({**head, **fields}, ensure_ascii=False).encode() + b"\n\n"

    def whole(self) -> dict[str, Any]:
        """The answer as one `chat.completion` object. Pauses are left out; Raw deltas are joined like the others."""
        message: dict[str, Any] = {"role": "assistant", "content": None}
        for step in self._steps:
            match step:
                case Finish():
                    self._finish = step.reason
                case Tokens():
                    self._usage = step.usage
                case Raw():
                    for item in step.items:
                        if isinstance(item, dict):
                            _join(message, item)
                case _:
                    for delta in self._deltas(step):
                        _join(message, delta)
        reason = self._finish or ("tool_calls" if message.get("tool_calls") else "stop")
        return {
            "id": f"chatcmpl-{self._number}",
            "object": "chat.completion",
            "created": 0,
            "model": self._request.get("model", ""),
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": self._usage or self._counted(),
        }


def _join(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for key in ("content", "reasoning_content", "reasoning"):
        if delta.get(key):
            message[key] = (message.get(key) or "") + delta[key]
    for piece in delta.get("tool_calls") or ():
        calls = message.setdefault("tool_calls", [])
        if piece.get("id"):
            function = {"arguments": "", **piece.get("function", {})}
            calls.append({"id": piece["id"], "type": "function", "function": function})
        else:
            calls[-1]["function"]["arguments"] += piece["function"].get("arguments", "")

"""The Anthropic Messages wire of the mock: steps of an answer as events of a stream, or as one JSON body.

Source of the format: Anthropic's API reference, "Messages" and "Streaming messages".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.mock_model.code_tool import code_call
from tests.mock_model.script import Answer, Call, Code, Cut, Emission, Finish, Raw, Say, Think, Tokens, Wait
from tests.mock_model.seals import seal

_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}


def _delta(key: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": kind, key: text}


class MessagesStream:
    """Renders one answer to one request. `number` makes ids that differ between responses."""

    def __init__(self, answer: Answer, request: dict[str, Any], chunk: int, number: int) -> None:
        self._steps, self._request, self._chunk, self._number = answer.steps, request, max(1, chunk), number
        self._blocks: list[dict[str, Any]] = []  # as they will stand in the whole message
        self._calls = self._chars = 0
        self._finish = ""
        self._usage: dict[str, Any] | None = None
        self._end = True

    def __iter__(self) -> Iterator[Emission]:
        if not any(isinstance(step, Raw) for step in self._steps):
            head = {**self._message(), "content": [], "stop_reason": None, "usage": self._first_usage()}
            yield self._event({"type": "message_start", "message": head})
            yield self._event({"type": "ping"})
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
                    for block in self._content(step):
                        yield from self._pieces_of(block)
        if self._end:
            delta = {"stop_reason": self._reason(), "stop_sequence": None}
            yield self._event({"type": "message_delta", "delta": delta, "usage": self._last_usage()})
            yield self._event({"type": "message_stop"})

    def _content(self, step: Any) -> list[dict[str, Any]]:
        """The whole content blocks of a step."""
        match step:
            case Say():
                return [{"type": "text", "text": step.text}]
            case Think():
                return [{"type": "thinking", "thinking": step.text, "signature": seal(step.text)}]
            case Code() if self._request.get("tools"):
                known = self._request["tools"]
                tools = [{"function": {**one, "parameters": one.get("input_schema", {})}} for one in known]
                name, arguments = code_call(tools, step.language, step.code)
                return self._content(Call(name, arguments, step.id))
            case Code():
                return [{"type": "text", "text": f"```{step.language}\n{step.code}\n```\n"}]
            case Call():
                id = step.id or f"toolu_{self._number}_{self._calls}"
                self._calls += 1
                return [{"type": "tool_use", "id": id, "name": step.name, "input": step.arguments}]
        return []

    def _pieces_of(self, block: dict[str, Any]) -> Iterator[bytes]:
        index = len(self._blocks)
        self._blocks.append(block)
        match block["type"]:
            case "text":
                head, key, kind, text = {"text": ""}, "text", "text_delta", block["text"]
            case "thinking":
                head = {"thinking": "", "signature": ""}
                key, kind, text = "thinking", "thinking_delta", block["thinking"]
            case _:
                given = block["input"]
                text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False) if given else ""
                head = {"id": block["id"], "name": block["name"], "input": {}}
                key, kind = "partial_json", "input_json_delta"
        yield self._event({"type": "content_block_start", "index": index, "content_block": {**block, **head}})
        self._chars += len(text)
        for start in range(0, len(text), self._chunk):
            delta = _delta(key, kind, text[start : start + self._chunk])
            yield self._event({"type": "content_block_delta", "index": index, "delta": delta})
        if block["type"] == "thinking":
            delta = _delta("signature", "signature_delta", block["signature"])
            yield self._event({"type": "content_block_delta", "index": index, "delta": delta})
        yield self._event({"type": "content_block_stop", "index": index})

    def _raw(self, step: Raw) -> Iterator[Emission]:
        self._end = self._end and step.end
        for item in step.items:
            if isinstance(item, bytes):
                self._end = self._end and b"message_stop" not in item
                yield item
            else:
                self._end = self._end and item.get("type") not in {"message_stop", "error"}
                yield self._event(item)

    def _reason(self) -> str:
        reason = self._finish or ("tool_calls" if self._calls else "stop")
        return _REASONS.get(reason, reason)

    def _message(self) -> dict[str, Any]:
        model = self._request.get("model", "")
        return {"id": f"msg_{self._number}", "type": "message", "role": "assistant", "model": model}

    def _first_usage(self) -> dict[str, Any]:
        given = len(json.dumps(self._request.get("messages", ""))) // 4
        return {"input_tokens": given, "output_tokens": 1, **(self._usage or {})}

    def _last_usage(self) -> dict[str, Any]:
        return self._usage or {"output_tokens": max(1, self._chars // 4)}

    def _event(self, event: dict[str, Any]) -> bytes:
        data = json.dumps(event, ensure_ascii=False)
        return f"event: {event.get('type', 'message')}\ndata: {data}\n\n".encode()

    def whole(self) -> dict[str, Any]:
        """The answer as one `message` object."""
        content: list[dict[str, Any]] = []
        for step in self._steps:
            match step:
                case Finish():
                    self._finish = step.reason
                case Tokens():
                    self._usage = step.usage
                case _:
                    content += self._content(step)
        usage = {**self._first_usage(), **self._last_usage()}
        return {**self._message(), "content": content, "stop_reason": self._reason(), "usage": usage}

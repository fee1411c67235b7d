"""The OpenAI Responses wire of the mock: steps of an answer as events of a stream, or as one JSON body.

Source of the format: OpenAI's API reference, "Responses" and "Streaming events".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.mock_model.code_tool import code_call
from tests.mock_model.script import Answer, Call, Code, Cut, Emission, Finish, Raw, Say, Think, Tokens, Wait
from tests.mock_model.seals import seal

_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
_ENDS = {"response.completed", "response.failed", "response.incomplete", "error"}


class ResponsesStream:
    """Renders one answer to one request. `number` makes ids that differ between responses."""

    def __init__(self, answer: Answer, request: dict[str, Any], chunk: int, number: int) -> None:
        self._steps, self._request, self._chunk, self._number = answer.steps, request, max(1, chunk), number
        self._output: list[dict[str, Any]] = []
        self._sent = self._chars = 0
        self._finish = ""
        self._usage: dict[str, Any] | None = None
        self._end = True

    def __iter__(self) -> Iterator[Emission]:
        if not any(isinstance(step, Raw) for step in self._steps):
            for name in ("created", "in_progress"):
                yield self._event({"type": f"response.{name}", "response": self._response("in_progress")})
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
                    yield from self._pieces_of(self._item(step))
        if self._end:
            yield self._event(
                {"type": f"response.{self._status()}", "response": self._response(self._status(), ended=True)}
            )

    def _item(self, step: Any) -> dict[str, Any]:
        """The whole output item of a step."""
        number = f"{self._number}_{len(self._output)}"
        match step:
            case Think():
                id = f"rs_{number}"
                summary = [{"type": "summary_text", "text": one} for one in step.text.split("\n\n")]
                sealed = seal(id, *step.text.split("\n\n"))
                return {"type": "reasoning", "id": id, "summary": summary, "encrypted_content": sealed}
            case Code() if self._request.get("tools"):
                tools = [{"function": one} for one in self._request["tools"] if one["type"] == "function"]
                name, arguments = code_call(tools, step.language, step.code)
                return self._item(Call(name, arguments, step.id))
            case Code():
                return self._item(Say(f"```{step.language}\n{step.code}\n```\n"))
            case Call():
                given = step.arguments
                text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
                call = {"call_id": step.id or f"call_{number}", "name": step.name}
                custom = any(one["type"] == "custom" and one["name"] == step.name for one in self._tools())
                if custom:
                    return {"type": "custom_tool_call", "id": f"ctc_{number}", **call, "input": text}
                return {"type": "function_call", "id": f"fc_{number}", **call, "arguments": text}
            case _:
                part = {"type": "output_text", "text": step.text, "annotations": []}
                return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [part]}

    def _tools(self) -> list[dict[str, Any]]:
        return self._request.get("tools") or []

    def _pieces_of(self, item: dict[str, Any]) -> Iterator[bytes]:
        index, at = len(self._output), {"item_id": item["id"], "output_index": len(self._output)}
        self._output.append({**item, "status": "completed"})
        empty = {"content": [], "summary": [], "arguments": "", "input": "", "encrypted_content": None}
        head = {key: empty.get(key, value) for key, value in item.items()}
        yield self._event({"type": "response.output_item.added", "output_index": index, "item": head})
        match item["type"]:
            case "message":
                yield from self._deltas("response.output_text", {**at, "content_index": 0}, item["content"][0]["text"])
            case "reasoning":
                for number, part in enumerate(item["summary"]):
                    where = {**at, "summary_index": number}
                    added = {"part": {"type": "summary_text", "text": ""}}
                    yield self._event({"type": "response.reasoning_summary_part.added", **where, **added})
                    yield from self._deltas("response.reasoning_summary_text", where, part["text"])
            case "custom_tool_call":
                yield from self._deltas("response.custom_tool_call_input", at, item["input"], "input")
            case _:
                yield from self._deltas("response.function_call_arguments", at, item["arguments"], "arguments")
        yield self._event({"type": "response.output_item.done", "output_index": index, "item": self._output[-1]})

    def _deltas(self, name: str, where: dict[str, Any], text: str, key: str = "text") -> Iterator[bytes]:
        self._chars += len(text)
        for start in range(0, len(text), self._chunk):
            yield self._event({"type": f"{name}.delta", **where, "delta": text[start : start + self._chunk]})
        yield self._event({"type": f"{name}.done", **where, key: text})

    def _raw(self, step: Raw) -> Iterator[Emission]:
        self._end = self._end and step.end
        for item in step.items:
            if isinstance(item, bytes):
                self._end = self._end and b"response.completed" not in item
                yield item
            else:
                self._end = self._end and item.get("type") not in _ENDS
                yield self._event(item)

    def _status(self) -> str:
        return "incomplete" if self._finish in _INCOMPLETE else "completed"

    def _response(self, status: str, *, ended: bool = False) -> dict[str, Any]:
        head = {"id": f"resp_{self._number}", "object": "response", "created_at": 0}
        made = {**head, "model": self._request.get("model", ""), "status": status, "error": None, "output": []}
        if ended:
            details = {"reason": _INCOMPLETE[self._finish]} if status == "incomplete" else None
            made |= {"output": self._output, "usage": self._counted(), "incomplete_details": details}
        return made

    def _counted(self) -> dict[str, Any]:
        if self._usage is not None:
            return self._usage
        given, made = len(json.dumps(self._request.get("input", ""))) // 4, max(1, self._chars // 4)
        return {"input_tokens": given, "output_tokens": made, "total_tokens": given + made}

    def _event(self, event: dict[str, Any]) -> bytes:
        self._sent += 1
        data = json.dumps({**event, "sequence_number": self._sent}, ensure_ascii=False)
        return f"event: {event.get('type', 'message')}\ndata: {data}\n\n".encode()

    def whole(self) -> dict[str, Any]:
        """The answer as one `response` object."""
        for step in self._steps:
            match step:
                case Finish():
                    self._finish = step.reason
                case Tokens():
                    self._usage = step.usage
                case Say() | Think() | Code() | Call():
                    self._output.append({**self._item(step), "status": "completed"})
        return self._response(self._status(), ended=True)

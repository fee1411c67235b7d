"""One long conversation with everything in it, held over any wire: what the person sees must not depend on it."""

from __future__ import annotations

from typing import Any

from oi_tui.protocol.items import CodeItem, MessageItem, NoticeItem, ThoughtItem, ToolItem, UserItem
from oi_tui.protocol.transcript import Transcript
from tests.mock_model import MockModel, answer, call, code, cut, finish, http, raw, say, think
from tests.mock_model.script import Answer
from tests.user_reports.in_process import Live

WIRES = ("chat", "messages", "responses")
_TEXT = "It is h\u00e9llo \u4f60\u597d \U0001f600\u2028and `code`.\n\n- a\n- b"
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_PICTURE = f"""
import base64
class Picture:
    def _repr_png_(self):
        return base64.b64decode("{_PIXEL}")
Picture()
"""


def failed_inside(wire: str, text: str) -> Answer:
    """An error object in a stream that began well, as the wire's provider sends it."""
    if wire == "chat":
        return raw([{"error": {"message": text, "code": 502}}], end=False)
    if wire == "messages":
        return raw([{"type": "error", "error": {"type": "api_error", "message": text}}], end=False)
    error = {"code": "server_error", "message": text}
    response = {"object": "response", "status": "failed", "error": error, "output": []}
    return raw([{"type": "response.failed", "response": response}], end=False)


def turns(wire: str) -> list[tuple[str, list[Answer]]]:
    """What the person says, and the answers of the model to it."""
    three = answer(say("Three."), code("python", "print('one')"), code("shell", "echo two"), call("list_files"))
    return [
        ("text", [say(_TEXT)]),
        ("one call", [answer(say("Look."), code("python", "print(6 * 7)")), say("42")]),
        ("three calls", [three, say("all three")]),
        ("reasoning", [answer(think("Let me\n\nsee."), code("python", "1 + 1"), code("python", "2")), say("two")]),
        ("thought and text", [answer(think("Again."), say("Yes."))]),
        ("a picture", [code("python", _PICTURE), say("a dot")]),
        ("a call that fails", [code("python", "1 / 0"), say("it failed")]),
        ("arguments that are none", [call("execute", "{'x': "), say("sorry")]),
        ("a tool that is not there", [call("no.such tool", {"a": 1}), say("sorry")]),
        ("no arguments", [call("list_files", ""), say("listed")]),
        ("busy", [http(503, {"error": {"message": "busy"}}), say("now")]),
        ("fails at once", [failed_inside(wire, "boom"), say("after all")]),
        ("breaks off", [answer(say("first half"), cut()), say(", second half")]),
        ("cut for length in a call", [answer(code("python", "print(9)"), finish("length")), say("short")]),
        ("refused", [http(400, {"error": {"message": "not that", "type": "invalid_request_error"}})]),
        ("fails in the middle", [answer(say("begun"), failed_inside(wire, "boom"))]),
        ("last", [say("good bye")]),
    ]


async def hold(mock: MockModel, wire: str, **llm: Any) -> list[tuple[Any, ...]]:
    """Hold the conversation over `wire`; what was seen, without what differs by nature (ids, times, ports)."""
    live = Live(mock)
    live.settings.llm.wire_api = wire
    live.settings.llm.supports_vision = True
    live.settings.harness = "native"  # the same on all wires
    live.settings.llm.reasoning_effort, live.settings.llm.reasoning_summary = "medium", "auto"
    for name, value in llm.items():
        setattr(live.settings.llm, name, value)
    async with live:
        live.session.retry_base = 0.001
        for said, answers in turns(wire):
            mock.script[:] = answers
            await live.turn(said, seconds=60.0)
            assert mock.script == [], (said, live.seen[-3:])
        transcript = Transcript()
        for event in live.seen:
            transcript.apply(event)
    return [seen for item in transcript.items for seen in _seen(item, mock.url)]


def _seen(item: Any, url: str) -> list[tuple[Any, ...]]:
    match item:
        case UserItem():
            return [("person", item.text)]
        case MessageItem():
            return [("model", item.text)]
        case ThoughtItem():
            return [("thought", item.text)]
        case CodeItem():
            pictures = [one.data for one in item.pictures]
            return [("code", item.language, item.code, item.state, item.output.tail, item.summary, pictures)]
        case ToolItem():
            return [("tool", item.name, item.state, item.summary)]
        case NoticeItem():
            return [("notice", item.level, _without_details(item.text))]
    return []


def _without_details(text: str) -> str:
    """Providers word the same failure in different ways; that it is told is what counts."""
    return "failed" if "127.0.0.1" in text else text

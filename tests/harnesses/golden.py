"""One fixed machine and one fixed conversation, which every harness turns into a request on every wire it has.

The bodies lie in `golden/ID.WIRE.json`. After a change that is meant, write them anew and read the difference:
`OI_TEST_GOLDEN=1 pytest tests/harnesses/test_golden.py`.
"""

from __future__ import annotations

from typing import Any

from harnesses.data import Entry, Env, GitInfo, Options, SkillInfo, Wire
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Message, message

ENV = Env(
    cwd="/w/project",
    platform="linux",
    os_version="Linux 6.1.0",
    shell="bash",
    user="ada",
    now="2026-03-04T05:06:07+0000",
    model="a-model",
    git=GitInfo("/w/project", "work", " M a.py", "1a2b3c4 First", "main", "Ada"),
    listing="a.py, b/",
    languages=("python", "shell"),
    project_docs=(("/w/project/AGENTS.md", "Use tabs."),),
    tree=Entry(
        "project",
        True,
        (Entry("b", True, (Entry("c.txt"),)), Entry(".git", True), Entry("a.py"), Entry(".hidden")),
    ),
    skills=(SkillInfo("charts", "Draw charts.", "built-in", "/s/charts/SKILL.md"),),
)

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def _called(id: str, name: str, arguments: str) -> Message:
    return message("assistant", "message", "", call={"id": id, "name": name, "arguments": arguments})


def _result(id: str, name: str, result: Result) -> Message:
    key = {"id": id, "name": name, "result": result.facts()}
    return message("computer", "console", result.text, "output", call=key)


HISTORY: list[Message] = [
    message("user", "message", "What is in a.py?"),
    message("assistant", "message", "I look at both.", reasoning="Two files are named."),
    message("assistant", "code", "cat a.py", "shell", call={"id": "x:1", "name": "run", "arguments": ""}),
    _called("x:2", "look", '{"path": "b/c.txt"}'),
    _result("x:2", "look", Result(False, "there is no file b/c.txt", meta={"error": "missing"})),
    _result("x:1", "run", Result(True, "print(1)\n", exit_code=0, seconds=0.25, meta={"language": "shell"})),
    message("assistant", "message", "It prints 1."),
    message("user", "message", "And this picture?"),
    message("user", "image", PIXEL, "base64.png"),
]


def body(harness: Any, wire: Wire, **options: Any) -> dict[str, Any]:
    """The request for the fixed conversation."""
    made = Options("a-model", session_id="s1", vision=True, wire=wire, **options)
    return harness.build(HISTORY, ENV, made)

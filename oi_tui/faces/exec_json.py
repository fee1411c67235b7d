"""`oi exec --json`: the events of a run as JSON lines, in the shape that Codex clients read.

Types: thread.started, turn.started, item.started, item.updated, item.completed, turn.completed, turn.failed, error.
A block of code is an item of type command_execution whose `command` is the code and whose `language` names it. A
program in it that asks for input is an item of type input_request; its status says what came of it.
A call of an agent is updated as that advances: `progress` has `agent`, `calls`, `tokens`, `doing`.
What safe mode found in code that was not run is an item of type safety_scan with `status`, `findings` and `text`.
The plan that plan mode has led to is an item of type plan with `text`.
What programs printed that a block left running are items of type background_output with `source` and `text`.
"""

from __future__ import annotations

import json
from typing import Any, TextIO

from oi_tui.protocol.events import (
    AgentAdvanced,
    ApprovalRequested,
    CallEnded,
    CodeEnded,
    ConsoleOutput,
    ContextCompacted,
    Event,
    FileChanged,
    InputGiven,
    InputRequested,
    JobOutput,
    MessageDelta,
    MessageEnded,
    Notice,
    PlanChanged,
    PlanProposed,
    ReasoningDelta,
    SessionStarted,
    ToolCalled,
    TurnEnded,
    TurnStarted,
    UsageChanged,
)
from oi_tui.settings import Problem

# Ends of lines for many readers of lines, though JSON allows them inside a text.
_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}


class JsonPrinter:
    """Translates events; text arrives as whole items, never as deltas."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._items = 0
        self._text: list[str] = []
        self._thought: list[str] = []
        self._open: dict[str, dict[str, Any]] = {}  # call id -> its item
        self._output: dict[str, list[str]] = {}
        self._plan: dict[str, Any] | None = None
        self._usage: dict[str, Any] = {}

    def problem(self, problem: Problem) -> None:
        self._completed({"type": "error", "message": problem.text})

    def show(self, event: Event) -> None:
        if not isinstance(event, ReasoningDelta) and self._thought:
            self._completed({"type": "reasoning", "text": "".join(self._thought)})
            self._thought.clear()
        match event:
            case SessionStarted(session_id=session_id):
                self._emit({"type": "thread.started", "thread_id": session_id})
            case TurnStarted():
                self._emit({"type": "turn.started"})
            case MessageDelta(text):
                self._text.append(text)
            case MessageEnded():
                self._message()
            case ReasoningDelta(text):
                self._thought.append(text)
            case CodeEnded(call_id, language, code):
                self._begin(call_id, {"type": "command_execution", "command": code, "language": language})
            case ToolCalled(call_id, name, title, arguments):
                self._begin(
                    call_id, {"type": "command_execution", "command": title, "tool": name, "arguments": arguments}
                )
            case ConsoleOutput(call_id, text, _):
                self._output.setdefault(call_id, []).append(text)
            case ApprovalRequested(scan=scan) if scan.state:
                found = [{"line": one.line, "level": one.level, "text": one.text} for one in scan.findings]
                facts = {"status": scan.state, "findings": found, "text": scan.text}
                self._completed({"type": "safety_scan", **facts})
            case InputRequested(input_id, _, prompt, secret, program):
                self._begin(input_id, {"type": "input_request", "prompt": prompt, "secret": secret, "program": program})
            case InputGiven(input_id, _, how, _, text):
                self._completed({**self._open.pop(input_id, {"type": "input_request"}), "status": how, "text": text})
            case JobOutput(source, text, _):
                self._completed({"type": "background_output", "source": source, "text": text})
            case FileChanged(_, path, kind, _):
                self._completed(
                    {"type": "file_change", "changes": [{"path": path, "kind": kind}], "status": "completed"}
                )
            case AgentAdvanced(call_id, agent, calls, tokens, doing) if call_id in self._open:
                facts = {"agent": agent, "calls": calls, "tokens": tokens, "doing": doing}
                self._emit({"type": "item.updated", "item": {**self._open[call_id], "progress": facts}})
            case CallEnded():
                self._call_ended(event)
            case PlanChanged(steps):
                self._plan_changed(steps)
            case PlanProposed(_, text):
                self._completed({"type": "plan", "text": text})
            case UsageChanged():
                self._usage = {
                    "input_tokens": event.input_tokens,
                    "cached_input_tokens": event.cached_tokens,
                    "output_tokens": event.output_tokens,
                    "reasoning_output_tokens": event.reasoning_tokens,
                    "estimated": event.estimated,
                    "cost_usd": event.cost,
                    "turn_cost_usd": event.turn_cost,
                }
            case ContextCompacted(how=how, text=text):
                self._completed({"type": "context_compaction", "how": how, "text": text})
            case Notice(level, text, _) if level != "info":
                self._completed({"type": "error", "message": text})
            case _:
                pass

    def end(self, ended: TurnEnded, answer: str) -> None:
        self._message()
        if self._plan is not None:
            self._emit({"type": "item.completed", "item": self._plan})
        if ended.reason == "done":
            self._emit({"type": "turn.completed", "usage": self._usage, "answer": answer})
        else:
            message = ended.text or ended.reason
            error = {"message": message, "reason": ended.reason, **({"hint": ended.hint} if ended.hint else {})}
            self._emit({"type": "turn.failed", "error": error})

    def _message(self) -> None:
        if self._text:
            self._completed({"type": "agent_message", "text": "".join(self._text)})
            self._text.clear()

    def _begin(self, call_id: str, item: dict[str, Any]) -> None:
        if item["type"] == "command_execution":
            item = {**item, "aggregated_output": "", "exit_code": None}
        item = {"id": self._next(), **item, "status": "in_progress"}
        self._open[call_id] = item
        self._emit({"type": "item.started", "item": item})

    def _call_ended(self, event: CallEnded) -> None:
        item = self._open.pop(event.call_id, None)
        if item is None:
            return
        output = "".join(self._output.pop(event.call_id, []))
        status = "completed" if event.ok else "declined" if event.summary == "declined" else "failed"
        item |= {"aggregated_output": output, "exit_code": event.exit_code, "status": status}
        if event.note:
            item["note"] = event.note
        self._emit({"type": "item.completed", "item": item})

    def _plan_changed(self, steps: tuple[tuple[str, str], ...]) -> None:
        items = [{"text": text, "completed": status == "completed"} for text, status in steps]
        kind = "item.updated" if self._plan else "item.started"
        self._plan = {"id": self._plan["id"] if self._plan else self._next(), "type": "todo_list", "items": items}
        self._emit({"type": kind, "item": self._plan})

    def _completed(self, item: dict[str, Any]) -> None:
        self._emit({"type": "item.completed", "item": {"id": self._next(), **item}})

    def _next(self) -> str:
        self._items += 1
        return f"item_{self._items - 1}"

    def _emit(self, event: dict[str, Any]) -> None:
        self._out.write(json.dumps(event, ensure_ascii=False).translate(_LINE_ENDS) + "\n")
        self._out.flush()

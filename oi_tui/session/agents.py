"""Sub-agents: conversations inside a conversation. They have a context of their own and share everything else.

The model, the computer, the person's approvals and the policy are those of the session, so an agent can do nothing that
the session could not; an explorer gets a policy that changes nothing. Its tokens and money count for the session. What
it does is shown as the output of the call that started it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from textwrap import indent
from typing import TYPE_CHECKING

from oi_tui.protocol.calls import Option, Question, Result
from oi_tui.protocol.events import (
    AgentAdvanced,
    ApprovalRequested,
    CallEnded,
    CallStarted,
    CodeEnded,
    ConsoleOutput,
    Event,
    FileChanged,
    InputGiven,
    InputRequested,
    MessageDelta,
    MessageEnded,
    Notice,
    TurnEnded,
)
from oi_tui.protocol.stream import Usage
from oi_tui.session import plan_mode, turn
from oi_tui.session.approvals import Approvals
from oi_tui.session.conversation import Conversation
from oi_tui.session.hooked import agent_turn
from oi_tui.session.hooks import Hooks
from oi_tui.session.questions import Questions
from oi_tui.tools.undo_stack import stack_of

if TYPE_CHECKING:
    from oi_tui.protocol.calls import Decision
    from oi_tui.safety.provenance import Heard
    from oi_tui.session.check import Check
    from oi_tui.tools.base import AgentTask, PlanAnswer

STEPS = 50  # of one task, where the person set no limit
MOST = 32  # agents that are kept to go on with
SHOWN = 12  # lines that one call of an agent prints below the call that started it; the model has them all


class Desk:
    """What a session does for its tools; `tools.base.Host`."""

    def __init__(self, owner: Conversation, questions: Questions | None = None, depth: int = 0) -> None:
        self._owner, self._questions, self._depth = owner, questions, depth
        self._agents: dict[str, Agent] = {}
        self._count = 0

    async def ask(self, call_id: str, questions: Sequence[Question]) -> Sequence[Sequence[str]] | None:
        """The person's answers; None where nobody is there."""
        if self._questions is None or not self._owner.attended:
            return None
        return await self._questions.ask(call_id, questions)

    async def agent(self, call_id: str, task: AgentTask) -> Result:
        """Let an agent work on a task; see tools/README.md for the result."""
        if task.resume and task.resume not in self._agents:
            known = ", ".join(self._agents) or "none"
            text = f"there is no agent {task.resume!r} to go on with; there are: {known}"
            return Result(False, text, meta={"error": "missing", "summary": text[:60]})
        if task.resume:
            agent = self._agents[task.resume]
            if agent.task is not None and not agent.task.done():
                text = f"agent {agent.name} still works; wait for its end"
                return Result(False, text, meta={"error": "unavailable", "summary": text})
        else:
            self._count += 1
            agent = Agent(self._owner, f"a{self._count}", task)
            self._agents[agent.name] = agent
            over = [name for name, one in self._agents.items() if one.task is None or one.task.done()]
            for name in over[: max(0, len(self._agents) - MOST)]:
                del self._agents[name]
        agent.apart = task.background
        if task.background:
            agent.task = asyncio.ensure_future(self._apart(agent, call_id, task))
            return Result(
                True, f"agent {agent.name} works", meta=agent.facts() | {"summary": f"agent {agent.name} works"}
            )
        return await self._within(agent, call_id, task)

    async def _within(self, agent: Agent, call_id: str, task: AgentTask) -> Result:
        try:
            async with asyncio.timeout(task.timeout_s or None):
                return await agent.work(call_id, task.prompt)
        except TimeoutError:
            text = f"the agent was stopped after {task.timeout_s:g} s"
            meta = {"agent": agent.name, "error": "timeout", "reason": "limit", "summary": text}
            return Result(False, text, timed_out=True, timeout_s=task.timeout_s, meta=meta)

    async def _apart(self, agent: Agent, call_id: str, task: AgentTask) -> Result:
        result = await self._within(agent, call_id, task)
        self._owner.background.agent_ended(agent.name, agent.title)
        return result

    def enter_plan(self) -> bool:
        """Begin plan mode. False if it was on."""
        return self._owner.plan(True)

    async def put_plan(self, call_id: str, plan: str, options: Sequence[Option]) -> PlanAnswer | None:
        """Put a plan before the person; see tools.base.Host."""
        if self._questions is None:
            return None
        return await plan_mode.put(self._owner, self._questions, call_id, plan, options)

    def has_agent(self, id: str) -> bool:
        """Whether there is an agent of that id."""
        return id in self._agents

    def agents(self) -> Sequence[Mapping[str, str | float]]:
        """Agents in the background, oldest first."""
        return [one.facts() for one in self._agents.values() if one.task is not None]

    async def agent_output(self, id: str, wait_s: float) -> Result:
        """What an agent in the background said last; its end is waited for at most so long."""
        agent = self._agents[id]
        if agent.task is None:
            return Result(False, f"agent {id} is not in the background", meta={"error": "unavailable"})
        if wait_s:
            await asyncio.wait({agent.task}, timeout=wait_s)
        if not agent.task.done():
            return Result(True, "", meta=agent.facts() | {"summary": f"agent {id} works"})
        if agent.task.cancelled():
            return Result(True, "", exit_code=1, meta=agent.facts() | {"summary": "stopped"})
        result = agent.task.result()
        return replace(result, exit_code=0 if result.ok else 1, meta=agent.facts() | result.meta)

    async def agent_stop(self, id: str) -> bool:
        """End an agent in the background. False if it did not work."""
        task = self._agents[id].task
        if task is None or task.done():
            return False
        task.cancel()
        await asyncio.wait({task}, timeout=5)
        return True

    async def close(self) -> None:
        """Stop every agent in the background."""
        for name in list(self._agents):
            await self.agent_stop(name)

    async def complete(self, request: str) -> str:
        """The model's answer to one request, without tools. Raises OSError when there is none."""
        from oi_tui.tools import NAMES
        from oi_tui.tools.base import AgentTask

        agent = Agent(self._owner, "one-answer", AgentTask(request, kind="explorer"), frozenset(NAMES))
        result = await agent.work("", request)
        if not result.ok:
            raise OSError(f"the model gave no answer: {result.text}")
        return result.text


class _Relayed(Approvals):
    """Approvals of an agent: asked of the person as those of the session, under the call that started it."""

    def __init__(self, agent: Agent, owner: Approvals) -> None:
        self._agent, self._owner = agent, owner

    def next_id(self) -> str:
        return self._owner.next_id()

    async def ask(self, request: ApprovalRequested, check: Check | None = None) -> Decision:
        agent = self._agent
        what = f"agent {agent.title}: {request.what}"
        decision = await self._owner.ask(replace(request, call_id=agent.call_id, what=what), check)
        if not agent.apart:  # the call of one in the background is over
            agent.owner.bus.publish(CallStarted(agent.call_id))
        return decision


class Agent(Conversation):
    """One sub-agent. missing: executors that it does not get, besides those that no agent has."""

    def __init__(self, owner: Conversation, name: str, task: AgentTask, missing: frozenset[str] = frozenset()) -> None:
        settings = replace(owner.settings, conversation_history=False)
        super().__init__(settings, owner.cwd)
        self.owner, self.name, self.title, self.call_id = owner, name, task.title, ""
        self.kind = task.kind
        self.task: asyncio.Task[Result] | None = None  # of one in the background
        self.apart = False
        self._began = self._over = 0.0
        self._calls_made = self._tokens = 0  # in this task
        self._printing, self._lines, self._fresh = "", 0, True  # the call that prints, its whole lines, at their start
        self.root, self.attended = False, owner.attended
        self.engine = owner.engine.for_agent(
            task.model, read_only=task.kind == "explorer", missing=missing | {"ask", "agent", "plan_mode"}
        )
        self.planning = owner.planning
        self.background = owner.background  # its outputs lie where the owner's computer looks for them
        self.approvals = _Relayed(self, owner.approvals)
        self.audit = owner.audit
        self.memory = {"undo": stack_of(owner.memory)}
        self.hooks = Hooks(self, (name, task.kind))

    def facts(self) -> dict[str, str | float]:
        """What is known of one in the background, as of a job."""
        status = "running" if self.task is not None and not self.task.done() else "ended"
        if self.task is not None and self.task.cancelled():
            status = "stopped"
        seconds = round((self._over or time.monotonic()) - self._began, 1)
        return {"agent": self.name, "job": self.name, "status": status, "command": self.title, "seconds": seconds}

    def heard(self) -> Heard:
        """What the person said to the session: an agent's own task is the model's word. Tools printed for both."""
        from oi_tui.safety.provenance import Heard

        above = self.owner.heard()
        return Heard(above.said, [*above.printed, *super().heard().printed])

    def next_call_id(self) -> str:
        return f"{self.name}.{super().next_call_id()}"

    def take_news(self) -> None:
        """What runs in the background is the owner's to hear of."""

    def count(self, usage: Usage, *, aside: bool = False) -> None:
        """Tokens and money of an agent are the session's."""
        before = self.owner.budget.spent or 0.0
        self.owner.count(usage, aside=True)
        self.budget.spent = (self.budget.spent or 0.0) + (self.owner.budget.spent or 0.0) - before
        self._tokens += usage.input_tokens + usage.output_tokens

    async def work(self, call_id: str, prompt: str) -> Result:
        """Do one task to its end; its last words are the text. Cancelling it stops the agent."""
        self.call_id = call_id
        self.memory["exchange"] = self.owner.memory.get("exchange", 0)
        self.memory["outside_ok"] = self.owner.memory.get("outside_ok", False)
        limits, spent = self.owner.budget, self.owner.budget.spent or 0.0
        left = None if limits.max_budget is None else max(0.0, limits.max_budget - spent)
        self.budget.max_budget, self.budget.spent = left, 0.0
        self.budget.max_turns = STEPS if limits.max_turns is None else max(1, limits.max_turns)
        self.budget.new_turn()
        self._began, self._over = time.monotonic(), 0.0
        self._calls_made = self._tokens = 0
        first = len(self.messages)
        reader = asyncio.ensure_future(self._relay())
        await asyncio.sleep(0)  # until it listens
        self.said(prompt)
        try:
            ended = await agent_turn(self, self.kind, turn.run)
        finally:
            reader.cancel()
            with suppress(asyncio.CancelledError):
                await reader
            await self.engine.close()
            self._over = time.monotonic()
        return self._result(ended, first, self._over - self._began)

    def _result(self, ended: TurnEnded, first: int, seconds: float) -> Result:
        said = (
            one for one in reversed(self.messages[first:]) if one["role"] == "assistant" and one["type"] == "message"
        )
        text = next((str(one["content"]) for one in said if str(one["content"]).strip()), "")
        steps = f"{self.budget.steps} step{'s' * (self.budget.steps != 1)}"
        meta = {"agent": self.name, "steps": self.budget.steps, "seconds": round(seconds, 1), "reason": ended.reason}
        if ended.reason == "done":
            summary = f"{steps}, {self._tokens:,} tokens"
            return Result(True, text, seconds=seconds, meta={**meta, "summary": summary})
        why = f"the agent stopped: {ended.text or ended.reason}"
        meta |= {"error": "failed", "summary": why[:60]}
        return Result(
            False, f"{why}\n{text}".strip(), interrupted=ended.reason == "interrupted", seconds=seconds, meta=meta
        )

    async def _relay(self) -> None:
        """Show what it does as output of the call that started it."""
        if not self.call_id:
            return
        async for event in self.bus.subscribe():
            self._show(event)

    def _show(self, event: Event) -> None:
        publish, call_id = self.owner.bus.publish, self.call_id
        match event:
            case MessageDelta(text):
                publish(ConsoleOutput(call_id, text))
            case MessageEnded():
                publish(ConsoleOutput(call_id, "\n"))
            case CodeEnded(_, language, code):
                whole = code.strip("\n")
                said = f"> {language}: {whole}\n" if "\n" not in whole else f"> {language}\n{indent(whole, '  ')}\n"
                publish(ConsoleOutput(call_id, said))
                self._advance(f"{language}: {_line(code)}")
            case ConsoleOutput(inner, text, error):
                if nested := self._nested(inner, text):
                    publish(ConsoleOutput(call_id, nested, error))
            case CallEnded(inner, ok, summary):
                broken = "\n" * (inner == self._printing and not self._fresh and self._lines <= SHOWN)
                publish(ConsoleOutput(call_id, f"{broken}  {summary}\n", error=not ok))
                self._calls_made += 1
                self._advance("")
            case FileChanged() | InputRequested() | InputGiven():
                publish(replace(event, call_id=call_id))
            case Notice(level, text) if level != "info":
                publish(ConsoleOutput(call_id, f"{text}\n", error=True))
            case _:
                title = getattr(event, "title", "")
                if title:
                    publish(ConsoleOutput(call_id, f"> {title}\n"))
                    self._advance(title)

    def _advance(self, doing: str) -> None:
        if not self.apart:  # the call of one in the background is over
            self.owner.bus.publish(AgentAdvanced(self.call_id, self.name, self._calls_made, self._tokens, doing))

    def _nested(self, inner: str, text: str) -> str:
        """What a call of it printed, as lines below that call; after SHOWN of them, that there are more."""
        if inner != self._printing:
            self._printing, self._lines, self._fresh = inner, 0, True
        shown: list[str] = []
        for line in text.splitlines(keepends=True):
            if self._lines < SHOWN:
                shown.append(f"  │ {line}" if self._fresh else line)
            elif self._lines == SHOWN and self._fresh:
                shown.append("  │ …\n")
            self._fresh = line.endswith("\n")
            self._lines += self._fresh
        return "".join(shown)


def _line(code: str) -> str:
    words = " ".join(code.split())
    return words if len(words) <= 100 else words[:99] + "…"

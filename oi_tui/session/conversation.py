"""What a turn works on: the history, the parts that do the work, what the person sent meanwhile, and the bus."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oi_tui import paths
from oi_tui.models.client import ModelError
from oi_tui.protocol.bus import EventBus
from oi_tui.protocol.events import Notice, Progress, QueueChanged, SessionChanged, UsageChanged, UserMessage
from oi_tui.protocol.lmc import Message, message
from oi_tui.protocol.stream import Usage
from oi_tui.safety.planning import Planning
from oi_tui.session.approvals import Approvals
from oi_tui.session.attached import MARK
from oi_tui.session.audit import Audit
from oi_tui.session.background import Background
from oi_tui.session.budget import Budget
from oi_tui.session.engine import Engine
from oi_tui.session.heard import Heard, heard_in
from oi_tui.session.history import History, spoken
from oi_tui.session.hooks import Hooks
from oi_tui.session.plan_note import plan_note
from oi_tui.session.store import Saved
from oi_tui.session.view import passages
from oi_tui.session.window import Filling, Meter, scaled
from oi_tui.settings import Settings

if TYPE_CHECKING:
    from harnesses.data import Env
    from oi_tui.extensions.skills import Skill
    from oi_tui.session.connection import Connection
    from oi_tui.session.skills import Skills
    from oi_tui.tools import Context, Preview
    from oi_tui.tools.base import Host

_UNATTENDED_SECONDS = 600.0


class OverBudget(ModelError):
    """The request was not sent: it would cost more than is left of the budget."""


class Conversation:
    """The state of one session. Make it inside a running event loop.

    settings: all that a person set. cwd: absolute path of the workspace. saved: an earlier session to go on with.
    """

    def __init__(self, settings: Settings, cwd: str | None = None, saved: Saved | None = None) -> None:
        self.settings = settings
        self.cwd = cwd or str(Path.cwd())
        self.bus = EventBus()
        self.history = History(self.bus, saved, saving=settings.conversation_history)
        model = settings.model or (saved.model if saved else "")
        self.background = Background(self.bus, lambda: paths.outputs(self.id))
        self.engine = Engine(settings, self.cwd, model, self.progress, self.background)
        wanted = settings.plan_mode
        self.planning = Planning(wanted if wanted is not None else saved is not None and saved.planning)
        self.engine.planning, self.engine.may_plan = self.planning, self._may_plan
        self.approvals = Approvals(self.bus)
        self.budget = Budget(settings.max_budget, settings.max_turns, settings.max_retries_per_code_block)
        self.meter = Meter()
        if saved is not None:
            self.budget.go_on(saved.usage)
        self._priceless = ""  # the model of which it was told that no price is known
        self.memory: dict[str, Any] = {}  # of the tools; see tools.Context
        self.renew_memory()
        self.root, self.attended = True, True  # a person's own, no agent's; somebody is there to answer approvals
        self.interrupting = False
        self.interruptible: asyncio.Future[Any] | None = None  # what an interrupt cancels, besides running code
        self.retry_base = 0.5  # seconds before a broken stream is asked for again, doubled each time
        self.steering: list[str] = []  # goes in at the next step of the turn
        self.queued: list[str] = []  # is sent when the turn has ended
        self.host: Host | None = None  # what tools ask of the session; `Session` sets it
        self._left_out: tuple[str, ...] = ()  # skills that the person knows the model is not told of
        self.assumed: set[str] = set()  # models of which the person was told what is assumed of them
        self.audit = Audit(settings.audit, self.id)
        self._attached, self._calls = False, 0  # whether there is a picture that no request has carried yet
        self.hooks = Hooks(self)
        self.mark_cut()

    @property
    def id(self) -> str:
        return self.history.id

    @property
    def harness_id(self) -> str:
        return self.engine.harness_id

    @property
    def harness_auto(self) -> bool:
        return self.engine.harness_auto

    @property
    def recommended(self) -> str:
        """The harness that `auto` takes for the model."""
        return self.engine.recommended

    @property
    def wire(self) -> str:
        """The wire that the model is asked over, "" while that is not known."""
        return self.engine.wire

    @property
    def request_env(self) -> Env:
        """What a request may depend on beside the history."""
        return self.engine.request_env()

    @property
    def skills(self) -> Skills:
        """The skills of this session."""
        return self.engine.skills

    @property
    def messages(self) -> list[Message]:
        return self.history.messages

    @property
    def model(self) -> str:
        """The model's name as a person knows it, "" while none is chosen."""
        return self.engine.model

    @property
    def approval(self) -> str:
        return self.engine.policy.mode

    def _may_plan(self) -> bool:
        """Whether plan mode is of use: a plan needs somebody who agrees to it, or who asked for nothing else."""
        return self.attended or self.planning.on

    def plan(self, on: bool) -> bool:
        """Begin or end plan mode, for the next call on. False if it was so already."""
        if self.planning.on == on:
            return False
        self.planning.on = on
        self.history.planned(on)
        self.changed()
        return True

    def renew_memory(self) -> None:
        """Let the tools know nothing but what belongs to the history as it is."""
        self.memory.clear()
        self.memory["exchange"] = sum(spoken(one) for one in self.messages)
        if self.settings.conversation_history:
            self.memory["undo_folder"] = str(paths.undo(self.id))

    def heard(self) -> Heard:
        return heard_in(self.messages)

    def said(self, text: str, steered: bool = False) -> None:
        """A message of the person enters the history; files that change from now on belong to it."""
        self.memory["exchange"] = int(self.memory.get("exchange", 0)) + 1
        self.history.append(message("user", "message", text))
        self.bus.publish(UserMessage(text, steered))
        if MARK in text:
            self._attach(text)
        for one in self.skills.mentioned(text):
            self._load(one, text)

    def _load(self, skill: Skill, said: str) -> None:
        """The instructions of a skill that a message names follow it, unless the model has them already."""
        from oi_tui.session.skills import loaded

        try:
            made = loaded(skill, said, self.engine.window)
        except (OSError, ValueError) as error:
            self.bus.publish(Notice("warning", f"the skill {skill.name} cannot be used: {error}", "/skills lists them"))
            return
        if made not in self.history.view():
            self.history.append(made)
        self.bus.publish(Notice("info", f"skill {skill.name}: {skill.description}"))

    def _attach(self, text: str) -> None:
        """The pictures that a message marks follow it in the history, as copies that nobody changes."""
        from oi_tui.session import attached

        for path in attached.marked(text, self.cwd):
            try:
                copy = attached.kept(attached.look(path, self.cwd), self.id)
            except (attached.NotAPicture, OSError) as error:
                self.bus.publish(Notice("warning", f"{error}", "the message went without it"))
            else:
                self.history.append(message("user", "image", str(copy), "path", attached=path))
                self._attached = True

    def tell_unseen(self) -> None:
        """Tell the person, once for each picture that they attached, that the model is only told of it."""
        connection = self.engine.connection
        if self._attached and connection is not None:
            self._attached = False
            if not connection.info.vision:
                told = f"{self.model} cannot see pictures: it is told where they lie and their size"
                self.bus.publish(Notice("warning", told, "if it can, set llm.supports_vision = true"))

    def tell_untrusted(self) -> None:
        """Tell the person what their folder brings that is not used before they trust it."""
        names = self.skills.brought() if self.skills.trust == "unknown" else []
        if names:
            named = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            what = f"this folder brings skills that are not used before you trust it: {named}"
            hint = "/trust yes uses them from now on, /trust no stays without" if self.attended else "--trust uses them"
            self.bus.publish(Notice("info", what, hint))

    def tell_left_out(self) -> None:
        """Tell the person, once, that the model's window has no room for all skills."""
        names = self.engine.skills_left_out
        if names and names != self._left_out:
            what = f"the model is not told of {len(names)} skills: its window has no room ({', '.join(names[:5])}"
            hint = "$NAME in a message loads one all the same; /skills off NAME makes room"
            self.bus.publish(Notice("warning", f"{what}{', …' if len(names) > 5 else ''})", hint))
        self._left_out = names

    def take_steering(self) -> None:
        """Move what the person sent meanwhile into the history."""
        taken, self.steering = self.steering, []
        for text in taken:
            self.said(text, steered=True)
        if taken:
            self.queue_changed()

    def take_news(self) -> None:
        """Move what programs in the background printed meanwhile into the history, so that the model learns of it."""
        news = self.background.news()
        if news is not None:
            self.history.append(news)

    def take_mode(self) -> None:
        """Tell the model of plan mode, where it has to be told."""
        note = plan_note(self.history, self.planning, self.root)
        if note is not None:
            self.history.append(note)

    def queue_changed(self) -> None:
        """Tell the screen what waits."""
        self.bus.publish(QueueChanged(tuple(self.steering), tuple(self.queued)))

    async def request_body(self, view: list[Message], most: int | None = None) -> dict[str, Any]:
        """The body of the next request. view: what is sent of the history. most: tokens of an answer, at most."""
        self.tell_unseen()
        made = await self.engine.request_body(view, self.history.last_request(), self.id, most)
        self.tell_left_out()
        return made

    # ---- the window

    def filling(self) -> Filling:
        """How full the model's window would be with the next request. Only once there is a connection."""
        engine = self.engine
        assert engine.connection is not None
        info, view = engine.connection.info, self.history.view()
        if engine.harness.trims:
            body = engine.plain_body(view, self.history.last_request(), self.id)
            parts = self.meter.trimmed(engine.blank_body(), body)
            return Filling(sum(parts.values()), self._limit(info.context), info.context, info.known, False, parts)
        fixed = self.meter.fixed((engine.harness, engine.env, info.vision), engine.blank_body)
        least = sum(fixed.values())
        # Who works with a large prompt has a model for it: an assumed window that hardly holds that is assumed wrong.
        window = info.context if info.known or least < info.context / 2 else 4 * least
        parts = self.meter.parts(view) | fixed
        used, upto = self.meter.known_part(self.model, view)
        total = used + sum(self.meter.tokens_of(one) for one in view[upto:]) if used else sum(parts.values())
        estimate = sum(parts.values())
        return Filling(total, self._limit(window), window, info.known, bool(used), scaled(parts, total), estimate)

    def _limit(self, window: int) -> int:
        """Tokens of a request at which room is made: the window less a margin, less what its answer may take."""
        assert self.engine.connection is not None
        how = self.engine.harness.compacting
        reserve = max(self._reserve(self.engine.connection), min(how.reserve, window // 4))
        free = max(min(int(window * how.share), window - reserve), window // 2)
        return self.meter.ceiling(self.model, min(free, how.most or free))

    def _reserve(self, connection: Connection) -> int:
        """Tokens of the window that a request sets aside for its answer."""
        if self.settings.llm.max_tokens or connection.client.wire != "messages":
            return self.settings.llm.max_tokens or 0
        from harnesses.rendering_messages import LONGEST_ANSWER

        return min(LONGEST_ANSWER, connection.info.output)

    def mark_cut(self) -> None:
        """Let the model search what it is not sent, if there is such a thing."""
        self.engine.recall = self.history.compaction is not None

        def cut() -> list[tuple[str, str]]:
            return passages(self.messages, self.history.compaction)

        self.memory["cut"] = cut

    # ---- money

    def check_money(self, used: int, cached: int) -> int | None:
        """Tokens of an answer that the budget pays for after a request of `used` tokens (of these `cached`), None for
        any. Raises OverBudget if it does not even pay for the request."""
        info = self.engine.connection.info if self.engine.connection else None
        if info is None or self.budget.max_budget is None:
            return None
        if info.input_price is None or info.output_price is None:
            if self._priceless != self.model:
                self._priceless = self.model
                hint = f'set input_price and output_price (dollars a million tokens) in [models."{self.model}"]'
                self.bus.publish(
                    Notice("warning", f"no price of {self.model} is known: max_budget cannot stop it", hint)
                )
            return None
        why = self.budget.too_dear(info, used, cached, self.settings.llm.max_tokens or info.output)
        if why:
            raise OverBudget(why, hint="raise max_budget, /compact the conversation, or choose a cheaper model")
        return self.budget.affordable(info, used, cached)

    # ---- calls

    def tool_context(self, call_id: str) -> Context:
        from oi_tui.tools import Context

        self.memory["planning"] = self.planning.on and self.root
        self.memory["plan_file"] = self.planning.file if self.memory["planning"] else ""
        return Context(
            self.cwd,
            call_id,
            self.bus.publish,
            self.engine.computer,
            self.background.outputs(),
            self.memory,
            self.settings.max_output,
            self.block_timeout,
            self.host,
            self.settings.web,
            self.skills.paths(),
        )

    @property
    def block_timeout(self) -> float | None:
        """Seconds that one block may run, None for any: nobody can interrupt a block where no person is."""
        wanted = self.settings.block_timeout
        if wanted is None:
            return None if self.attended else _UNATTENDED_SECONDS
        return wanted or None

    def place(self, preview: Preview) -> str:
        """Where a call would act, for the approval: the folder, and for code that nothing cages it."""
        away = self._whereabouts() if self.settings.backend else ""
        if preview.subject == "code" and away:
            return away
        folder = self.cwd
        if preview.subject == "code" or preview.language == "shell":
            folder = preview.reads[0] if preview.reads else self.engine.computer.cwd
        home = str(Path.home())
        shown = "~" + folder[len(home) :] if folder == home or folder.startswith(home + os.sep) else folder
        return f"in {shown}, {self.engine.sandbox.told()}" if preview.subject == "code" else f"in {shown}"

    def _whereabouts(self) -> str:
        from oi_tui.session.backend import whereabouts

        return whereabouts(self.settings.backend)

    def next_call_id(self) -> str:
        self._calls += 1
        return f"c{self._calls}"

    def count(self, usage: Usage, *, aside: bool = False) -> None:
        """Add a response's usage to the totals and tell the screen. aside: it is not a part of the conversation."""
        info = self.engine.connection.info if self.engine.connection else None
        cost = info.cost(usage.input_tokens, usage.output_tokens, usage.cached_tokens) if info else None
        self.budget.count(usage, cost, aside=aside)
        self.history.used(self.budget.totals())
        self.tell_usage()

    def tell_usage(self) -> None:
        """Publish the totals."""
        budget = self.budget
        info = self.engine.connection.info if self.engine.connection else None
        self.bus.publish(
            UsageChanged(
                budget.input_tokens,
                budget.output_tokens,
                budget.cached_tokens,
                budget.reasoning_tokens,
                budget.spent,
                budget.context,
                info.context if info else 0,
                budget.estimated,
                budget.turn_spent,
                info.known if info else True,
            )
        )

    def changed(self) -> None:
        """Tell the screen the model, harness, approval mode and plan mode."""
        engine = self.engine
        self.bus.publish(
            SessionChanged(self.model, engine.harness_id, engine.harness_auto, self.approval, self.planning.on)
        )

    def progress(self, name: str, done: int, total: int, text: str = "") -> None:
        self.bus.publish(Progress(name, done, total, text))

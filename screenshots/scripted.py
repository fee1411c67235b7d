"""A session that plays a script: it publishes the events a real one would, and writes down what it is told.

Used by the pictures and by the tests of the app; no model and no program is involved.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

from harnesses.data import Env
from oi_tui.protocol import events as ev
from oi_tui.protocol.bus import EventBus
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.lmc import Message
from oi_tui.safety.planning import Planning
from oi_tui.safety.policy import Policy
from oi_tui.session.budget import Budget
from oi_tui.session.revisiting import Stop, Undone
from oi_tui.session.skills import Skills
from oi_tui.session.store import Saved
from oi_tui.settings import Settings


@dataclass
class ScriptedSession:
    """Has the surface of a session. `told` holds what the app called, as (method, arguments)."""

    id: str = "s_1"
    cwd: str = "/home/sam/sales-report"
    model: str = "gpt-4.1"
    harness_id: str = "native"
    harness_auto: bool = True
    recommended: str = "native"
    wire: str = "chat"
    attended: bool = True
    planning: Planning = field(default_factory=Planning)
    approval: str = "ask"
    effort: str = ""
    efforts: tuple[str, ...] | None = ("low", "medium", "high")
    sandbox: str = "no sandbox"
    git_branch: str = "main"
    busy: bool = False
    bus: EventBus = field(default_factory=EventBus)
    settings: Settings = field(default_factory=Settings)
    messages: list[Message] = field(default_factory=list)
    told: list[tuple[str, Any]] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    closed: bool = False
    budget: Budget = field(default_factory=Budget)
    skills: Skills = field(default_factory=lambda: Skills(Settings(), "/home/sam/sales-report"))

    @property
    def engine(self) -> SimpleNamespace:
        """What commands ask of it: a policy without rules of the person."""
        return SimpleNamespace(policy=Policy("ask"), connection=None)

    @property
    def request_env(self) -> Env:
        return Env(cwd=self.cwd, model=self.model)

    def start(self) -> None:
        self.play(ev.SessionStarted(self.id, self.cwd, self.model, self.harness_id, self.harness_auto))

    def play(self, *script: ev.Event) -> None:
        """Publish events; TurnStarted and TurnEnded also say whether the session is busy."""
        for event in script:
            if isinstance(event, ev.TurnStarted):
                self.busy = True
            elif isinstance(event, ev.TurnEnded):
                self.busy = False
            self.bus.publish(event)

    def submit(self, text: str) -> None:
        self.told.append(("submit", text))
        self.play(ev.UserMessage(text, steered=self.busy))

    def queue(self, text: str) -> None:
        self.told.append(("queue", text))
        self.waiting.append(text)
        self.play(ev.QueueChanged(queued=tuple(self.waiting)))

    def resume(self, saved: Saved) -> None:
        self.told.append(("resume", saved))

    def stops(self) -> list[Stop]:
        return [Stop(2, "and by region?"), Stop(1, ASKED, ("report/build.py",))]

    def rewind(self, number: int, files: str = "ask") -> Undone:
        self.told.append(("rewind", (number, files)))
        return Undone("and by region?", ())

    def jobs(self) -> tuple[()]:
        return ()

    def unqueue(self) -> str | None:
        self.told.append(("unqueue", None))
        text = self.waiting.pop() if self.waiting else None
        self.play(ev.QueueChanged(queued=tuple(self.waiting)))
        return text

    def answer(self, approval_id: str, decision: Decision) -> None:
        self.told.append(("answer", (approval_id, decision)))
        if decision.kind == "scan":
            return
        self.play(ev.ApprovalResolved(approval_id, approval_id.replace("a", "c", 1), decision.kind, decision.reason))
        if decision.kind == "stop":
            self.play(ev.TurnEnded("interrupted"))

    def type_in(self, input_id: str, text: str | None) -> None:
        self.told.append(("type_in", (input_id, text)))
        self.play(ev.InputGiven(input_id, input_id.replace("i", "c", 1), "end" if text is None else "typed", False))

    def interrupt(self) -> None:
        self.told.append(("interrupt", None))
        self.play(ev.TurnEnded("interrupted"))

    def use_model(self, name: str) -> None:
        self.model = name
        self._changed("use_model", name)

    def use_harness(self, harness_id: str) -> None:
        self.harness_auto = harness_id == "auto"
        self.harness_id = "native" if self.harness_auto else harness_id
        self._changed("use_harness", harness_id)

    def use_approval(self, mode: str) -> None:
        if mode not in {"ask", "auto", "read-only"}:
            raise ValueError(f"{mode} is no approval mode; use ask, auto or read-only")
        self.approval = mode
        self._changed("use_approval", mode)

    def use_effort(self, level: str) -> str:
        self.effort = level
        self._changed("use_effort", level)
        return ""

    def _changed(self, method: str, value: str) -> None:
        self.told.append((method, value))
        self.play(ev.SessionChanged(self.model, self.harness_id, self.harness_auto, self.approval))

    def undo(self, files: str = "ask") -> Undone:
        self.told.append(("undo", files))
        self.play(ev.HistoryChanged())
        return Undone("the last message")

    def reset(self) -> None:
        self.told.append(("reset", None))
        self.messages.clear()
        self.play(ev.HistoryChanged())

    async def run_shell(self, line: str, language: str = "shell") -> None:
        self.told.append(("run_shell" if language == "shell" else f"run_{language}", line))

    async def prewarm(self) -> None:
        self.told.append(("prewarm", None))
        await asyncio.sleep(0)

    async def close(self) -> None:
        self.closed = True
        self.bus.close()


ASKED = "plot sales per month from data/sales.csv"
CODE = """import pandas as pd

df = pd.read_csv("data/sales.csv", parse_dates=["date"])
monthly = df.groupby(df["date"].dt.to_period("M"))["revenue"].sum()

ax = monthly.plot(kind="bar", color="#7aa2f7", figsize=(9, 4))
ax.set_ylabel("revenue")
ax.figure.savefig("monthly.png", dpi=150)
monthly.tail()
"""
TYPES = """date         datetime64[ns]
region               object
product              object
units                 int64
price               float64
revenue             float64
dtype: object
"""
TAIL = """date
2026-08    371,940
2026-09    388,115
2026-10    402,067
2026-11    418,200
Freq: M, Name: revenue
"""
DIFF = """--- a/report/build.py
+++ b/report/build.py
@@ -11,3 +11,4 @@ def load(path):
     frame = pd.read_csv(path)
-    frame = frame.dropna()
+    frame["date"] = pd.to_datetime(frame["date"])
+    frame = frame.dropna(subset=["revenue"])
     return frame
"""


def usage(context: int = 68_000) -> ev.Event:
    """Numbers that give 34 % and $0.12."""
    return ev.UsageChanged(68_000, 1_900, 0, 0, 0.12, context, 200_000, False)


def looked() -> list[ev.Event]:
    """The person asked; the model looked at the file."""
    return [
        ev.UserMessage(ASKED),
        ev.TurnStarted(1),
        ev.MessageDelta(
            "I'll load the file, group revenue by month and draw a bar chart. First a look at the columns."
        ),
        ev.MessageEnded(),
        ev.ToolCalled("c1", "read", "read data/sales.csv", '{"path": "data/sales.csv"}'),
        ev.CallStarted("c1"),
        ev.CallEnded("c1", True, "12,450 rows, 6 columns", 0.1),
        ev.CodeStarted("c2", "python"),
        ev.CodeEnded("c2", "python", "df.dtypes"),
        ev.CallStarted("c2"),
        ev.ConsoleOutput("c2", TYPES),
        ev.CallEnded("c2", True, "ok", 0.3),
        ev.MessageDelta("Dates parse cleanly and there are no gaps. Here is the chart:"),
        ev.MessageEnded(),
        usage(),
    ]


def request(number: int = 3, code: str = CODE) -> ev.ApprovalRequested:
    """What is asked about the cell `number`."""
    return ev.ApprovalRequested(
        f"a{number}",
        f"c{number}",
        "code",
        "python",
        code,
        "run this python",
        "code can do whatever you can do",
        "in ~/sales-report, no sandbox",
        ("allow python code, in ~/sales-report",),
    )


def asking(code: str = CODE) -> list[ev.Event]:
    """The chart's code is on the screen and waits for an answer."""
    return [*looked(), ev.CodeStarted("c3", "python"), ev.CodeEnded("c3", "python", code), request(3, code)]


def done() -> list[ev.Event]:
    """The chart was made."""
    return [
        *asking(),
        ev.ApprovalResolved("a3", "c3", "approve"),
        ev.CallStarted("c3"),
        ev.ConsoleOutput("c3", TAIL),
        ev.CallEnded("c3", True, "ok", 0.9),
        ev.MessageDelta(
            "Saved `monthly.png`. Revenue peaked in **November** (418,200) and has grown **7.4 %** a month on average"
            " since June."
        ),
        ev.MessageEnded(),
        ev.TurnEnded("done"),
    ]


def typing(secret: bool = False) -> list[ev.Event]:
    """A program waits for a line."""
    code = 'name = input("Name? ")' if not secret else 'password = getpass("Password: ")'
    return [
        *looked(),
        ev.CodeStarted("c3", "python"),
        ev.CodeEnded("c3", "python", code),
        ev.CallStarted("c3"),
        ev.ConsoleOutput("c3", "Password: " if secret else "Name? "),
        ev.InputRequested("i3", "c3", "Password: " if secret else "Name? ", secret, "python"),
    ]


def changing() -> list[ev.Event]:
    """A change to a file waits for an answer."""
    return [
        ev.UserMessage("keep rows that only lack a region"),
        ev.TurnStarted(1),
        ev.MessageDelta("`load` drops every row with any gap. I'll drop only those without revenue."),
        ev.MessageEnded(),
        ev.ToolCalled("c1", "edit", "edit report/build.py", '{"path": "report/build.py"}'),
        ev.ApprovalRequested(
            "a1",
            "c1",
            "file",
            "diff",
            DIFF,
            "change report/build.py (+2 -1)",
            "changes a file",
            "in ~/sales-report",
            ("allow changing ~/sales-report, in ~/sales-report",),
        ),
        usage(21_000),
    ]


MANY = (
    DIFF
    + """--- a/report/load.py
+++ b/report/load.py
@@ -1,4 +1,3 @@
 import pandas as pd
-import numpy as np

-PATH = "sales.csv"
+PATH = "data/sales.csv"
--- /dev/null
+++ b/tests/test_load.py
@@ -0,0 +1,2 @@
+def test_load():
+    assert len(load("data/sales.csv"))
"""
)


def changing_many() -> list[ev.Event]:
    """A change to three files waits for an answer."""
    *before, asked, used = changing()
    assert isinstance(asked, ev.ApprovalRequested)
    return [*before, replace(asked, code=MANY, what="change 3 files (+6 -3)"), used]


def failed() -> list[ev.Event]:
    """The provider refused the key."""
    return [
        ev.UserMessage(ASKED),
        ev.TurnStarted(1),
        ev.RequestStarted("gpt-4.1"),
        ev.TurnEnded(
            "failed", "the provider refused the key (401)", "check ANTHROPIC_API_KEY, or pick another: /model"
        ),
    ]

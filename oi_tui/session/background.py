"""What goes on beside the blocks: programs that they left running, what these print meanwhile, and that they ended.

The person sees it as it happens; the model is told before its next request, as a message of the program in the
person's place, since it can be asked at no other time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from oi_tui.protocol.bus import EventBus
from oi_tui.protocol.events import JobEnded, JobOutput
from oi_tui.protocol.lmc import Message, message

if TYPE_CHECKING:
    from oi_tui.computer.computer import Computer
    from oi_tui.computer.devices.process import Ask
    from oi_tui.computer.jobs import Job
    from oi_tui.computer.left_running import Left
    from oi_tui.computer.output import Capture

TOLD = 1000  # characters of one program's output that the model is shown at once


class Background:
    """The programs of one session that run beside its blocks. outputs: gives the folder that full texts are kept in."""

    def __init__(self, bus: EventBus, outputs: Callable[[], Path]) -> None:
        self.outputs = outputs
        self._bus = bus
        self._computer: Computer | None = None
        self._printed: dict[str, Capture] = {}  # by source, what the model has not been told
        self._ended: list[str] = []
        self.ask: Ask | None = None  # the means of devices to ask the session's model
        self.on_stopped: Callable[[str], None] | None = None  # told why, when the person stops the devices

    def attach(self, computer: Computer) -> None:
        """Listen to this computer from now on; what an earlier one left to tell is forgotten."""
        self.forget()
        self._computer = computer
        computer.on_late = self._late
        computer.on_left_end = self._left_ended
        computer.on_job_end = self._command_ended
        computer.ask, computer.on_stopped = self.ask, self.on_stopped

    def forget(self) -> None:
        """There is no computer any more, or another one."""
        if self._computer is not None:
            self._computer.on_late = self._computer.on_left_end = self._computer.on_job_end = None
            self._computer.ask = self._computer.on_stopped = None
        for capture in self._printed.values():
            capture.close()
        self._computer, self._printed, self._ended = None, {}, []

    def jobs(self) -> Sequence[Left]:
        """What runs now, oldest first."""
        return self._computer.in_background() if self._computer is not None else ()

    async def stop(self, id: str) -> Left | None:
        """End a program with all that it started; None when none of that id runs."""
        return await self._computer.stop_background(id) if self._computer is not None else None

    def news(self) -> Message | None:
        """What the model has to be told: what was printed between blocks and what ended since it was last asked."""
        if not self._printed and not self._ended:
            return None
        parts = [self._told(source, capture) for source, capture in self._printed.items()]
        parts += [f"<ended>{escape(one, quote=False)}</ended>" for one in self._ended]
        self._printed, self._ended = {}, []
        return message("user", "message", "\n".join(["<background>", *parts, "</background>"]), recipient="assistant")

    def _told(self, source: str, capture: Capture) -> str:
        capture.close()
        where = self._computer.reading(capture.path) if self._computer is not None and capture.path else None
        text, _ = capture.for_model(TOLD, where)
        return f"<output>\n<of>{escape(source, quote=False)}</of>\n{escape(text.rstrip(), quote=False)}\n</output>"

    def _late(self, language: str, block: int, text: str) -> None:
        source = self._source(language, block)
        if source not in self._printed:
            from oi_tui.computer.output import Capture

            self._printed[source] = Capture(_free(self.outputs()), TOLD)
        capture = self._printed[source]
        capture.add(text)
        self._bus.publish(JobOutput(source, text, capture.path or ""))

    def _source(self, language: str, block: int) -> str:
        """Whose output it is: all programs of one block, or of one language, print to the same place, so it is certain
        only for one. block: 0 for any."""
        assert self._computer is not None
        known = [one for one in self._computer.left_running.known() if one.language == language]
        known = [one for one in known if block in (0, one.block)]
        return f"{known[0].command} ({known[0].id})" if len(known) == 1 else f"what {language} blocks left running"

    def _left_ended(self, left: Left) -> None:
        self._ended.append(f"{left.command} ({left.id})")
        self._bus.publish(JobEnded(left.id, left.command))

    def _command_ended(self, job: Job) -> None:
        self._ended.append(f"{job.order.command} (job {job.id}), exit code {job.exit_code}, output: {job.output_path}")
        self._bus.publish(JobEnded(job.id, job.order.command))

    # ---- agents

    def agent_ended(self, name: str, title: str) -> None:
        """An agent in the background has ended; the model can fetch what it said."""
        self._ended.append(f"{title} (agent {name})")
        self._bus.publish(JobEnded(name, f"agent: {title}"))


def _free(folder: Path) -> Path:
    """A file for one more text; its name is what `computer.output` takes."""
    number = 1
    while (path := folder / f"background-{number}.txt").exists():
        number += 1
    return path

"""Progress of `oi exec` for a person: plain text on stderr, coloured only on a terminal; the answer on stdout."""

from __future__ import annotations

import os
from typing import TextIO

from oi_tui.faces.countdown import Countdown
from oi_tui.protocol.call_events import Scanned
from oi_tui.protocol.events import (
    ApprovalRequested,
    CallEnded,
    CodeEnded,
    ConsoleOutput,
    ContextCompacted,
    Event,
    FileChanged,
    ImageOutput,
    InputRequested,
    JobEnded,
    JobOutput,
    MessageDelta,
    MessageEnded,
    Notice,
    PlanProposed,
    Progress,
    RetryScheduled,
    ToolCalled,
    TurnEnded,
)
from oi_tui.settings import Problem


class TextPrinter:
    """Writes what happens as it happens. Bytes that steer a terminal never get through."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out, self._err = out, err
        self._colour = err.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._at_line_start = True
        self._background = ""  # whose output between blocks was shown last
        self._said = ""  # the message that is being written to stderr
        self._told: tuple[str, int | str] = ("", "")  # what was last said of something long
        self._waiting = Countdown(err)

    def problem(self, problem: Problem) -> None:
        self._line(f"oi: {problem.text}" + (f" ({problem.hint})" if problem.hint else ""))

    def show(self, event: Event) -> None:
        self._waiting.stop()
        if not isinstance(event, JobOutput) and self._background:
            self._fresh_line()
        self._show(event)
        self._background = event.source if isinstance(event, JobOutput) else ""

    def _show(self, event: Event) -> None:
        match event:
            case MessageDelta(text):
                self._write(text)
            case MessageEnded():
                self._fresh_line()
            case CodeEnded(_, language, code):
                self._line(f"> {language}", dim=True)
                self._line(_safe(code.rstrip("\n")))
            case ToolCalled(_, _, title, _):
                self._line(f"> {title}", dim=True)
            case ConsoleOutput(_, text, _):
                self._write(text)
            case InputRequested(_, _, _, secret, program):
                hidden = ", hidden" if secret else ""
                self._line(f"  {program or 'a program'} waits for you to type{hidden}; ctrl+d ends its input", dim=True)
            case JobOutput(source, text, _):
                if self._background != source:
                    self._line(f"> background: {source}", dim=True)
                self._write(text)
            case JobEnded(job_id, command):
                self._line(f"oi: {command} ({job_id}) has ended")
            case ImageOutput(_, _, _, path):
                self._line(f"[picture saved: {path}]")
            case FileChanged(_, path, kind, _):
                self._line(f"  {kind} {path}", dim=True)
            case PlanProposed(call_id, text):
                if call_id:
                    self.block(text)
            case CallEnded(_, ok, summary, seconds, _, note):
                self._fresh_line()
                if not ok or note:
                    self._line(f"  {summary} ({seconds:.1f} s)" + (f": {note}" if note else ""), dim=True)
            case ApprovalRequested(_, _, _, _, _, what, why, _, _, urls, scan):
                self._line(f"! {what}: {why}")
                self.scanned(scan)
                for url in urls:
                    self._line(f"! it sends data to {_safe(url)}")
            case RetryScheduled(seconds, attempt, limit, cause):
                when = f"in {seconds:.0f} s" if seconds >= 0.5 else "now"
                self._line(f"oi: {cause}; trying again {when} ({attempt} of {limit})")
                self._waiting.start(seconds)
            case ContextCompacted(text=text, hint=hint):
                self._line(f"oi: {text}" + (f" ({hint})" if hint else ""))
            case Notice(_, text, hint):
                self._line(f"oi: {text}" + (f" ({hint})" if hint else ""))
            case Progress():
                self._progress(event)
            case _:
                pass

    def end(self, ended: TurnEnded, answer: str) -> None:
        self._waiting.stop()
        self._fresh_line()
        if ended.reason != "done":
            text = ended.text or ended.reason
            self._line(f"oi: {text}" + (f"\n    {ended.hint}" if ended.hint else ""))
        if answer:
            # On one terminal the answer has been shown already; print it again only where stdout goes elsewhere.
            if not (self._out.isatty() and self._err.isatty()):
                self._out.write(_safe(answer) + "\n")
            self._out.flush()

    def scanned(self, scan: Scanned) -> None:
        """What safe mode knows of what is asked about."""
        for sentence in scan.sentences():
            self._line(f"! {_safe(sentence)}")

    def block(self, text: str) -> None:
        """Several lines on their own."""
        self._line(_safe(text.rstrip("\n")))

    def _progress(self, event: Progress) -> None:
        """On a terminal one line that is drawn over, elsewhere a line for every tenth."""
        tenth = 10 * event.done // event.total if event.total else 0
        if self._err.isatty():
            bar = f"[{'#' * tenth:<10}] {10 * event.done * 10 // event.total:3d} %  " if event.total else ""
            over = not event.text or (event.total and event.done >= event.total)
            text = "  ".join(part for part in (event.name, bar + event.text) if part)
            self._err.write("\r\x1b[K" if over else f"\r\x1b[K{text}")
            self._err.flush()
        elif event.text and (event.name, tenth if event.total else event.text) != self._told:
            self._told = (event.name, tenth if event.total else event.text)
            self._line((event.name or event.text) + (f"  {tenth * 10} %" if event.total else ""))

    def _write(self, text: str) -> None:
        text = _safe(text)
        if text:
            self._err.write(text)
            self._err.flush()
            self._at_line_start = text.endswith("\n")

    def _fresh_line(self) -> None:
        if not self._at_line_start:
            self._write("\n")

    def _line(self, text: str, dim: bool = False) -> None:
        self._fresh_line()
        self._err.write(f"\x1b[2m{text}\x1b[0m\n" if dim and self._colour else f"{text}\n")
        self._err.flush()


_CONTROLS = {code: None for code in (*range(32), 127, *range(128, 160)) if code not in (9, 10, 13)}


def _safe(text: str) -> str:
    """Without escape sequences and control characters."""
    if "\x1b" in text:
        import re

        text = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])", "", text)
    return text.translate(_CONTROLS)

"""Executor `code`: runs a block in a language of this computer and collects what it printed and showed.

What is published is whole and in order; what the model is shown is cut to head and tail. The full text of every output
lies in a file of the session's outputs folder, named for the call, so that code can read on in it. A block in a
language that cannot be run here, plain text among them, is not run: the model is told which languages can be.

A chunk with `recipient` "user" is shown and not told to the model, one with "assistant" the other way round.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import time
from dataclasses import replace
from pathlib import Path

from oi_tui import paths
from oi_tui.computer.output import FILE_LIMIT, Capture
from oi_tui.protocol.calls import Image, Result
from oi_tui.protocol.events import ActiveLine, ConsoleOutput, ImageOutput, InputGiven, InputRequested, RichOutput
from oi_tui.protocol.lmc import Chunk
from oi_tui.tools import pictures
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument

MOST_IMAGES = 20  # of one block that the model is shown
MOST_SHOWN = 5_000_000  # characters of what a block showed the person that are kept in the history
_FOR_MODELS = frozenset({"png", "jpeg", "gif", "webp"})


def preview(ctx: Context, language: str, code: str, timeout_s: float = 0.0, max_output: int = 0) -> Preview:
    """language: in any spelling. code: the block. timeout_s: seconds that it may run, 0 for what the session allows.
    max_output: characters that the model is shown, 0 for what the person set. `reads` of the preview is the folder that
    it would run in."""
    if timeout_s < 0 or max_output < 0:
        raise BadArgument("timeout_s and max_output must be 0 or more")
    name = ctx.computer.canonical(language)
    error = _cannot(ctx, language, code)
    shown = name or language.strip() or "code"
    where = os.path.realpath(ctx.computer.cwd)
    return Preview("code", name or "", code, f"run this {shown}", reads=(where,), error=error)


async def run(ctx: Context, language: str, code: str, timeout_s: float = 0.0, max_output: int = 0) -> Result:
    """Run it. text: what was printed, cut to `max_output`. meta: language, printed (characters in all), and
    `shown` (kinds of rich output, such as html) if there was any. images: pictures that the block showed."""
    error = _cannot(ctx, language, code)
    if error:
        return Result(ok=False, text=error)
    name = ctx.computer.canonical(language) or language
    ctx = replace(ctx, max_output=max_output or ctx.max_output, timeout_s=timeout_s or ctx.timeout_s)
    collector = _Collector(ctx)
    started = time.monotonic()
    try:
        outside = {"outside": True} if ctx.outside else {}  # not every computer has a sandbox
        result = await ctx.computer.run(name, code, collector.take, timeout_s=ctx.timeout_s, **outside)
    finally:
        collector.capture.close()
    text, cut = collector.text()
    meta = {**result.meta, "language": name, "printed": collector.capture.length}
    if collector.rich:
        meta["shown"] = sorted(collector.rich)
    return replace(
        result,
        text=text,
        cut=cut,
        path=collector.capture.path if cut else None,
        seconds=result.seconds or time.monotonic() - started,
        images=tuple(collector.images),
        shown=tuple(collector.shown),
        note=_joined(result.note, collector.typed(), *collector.notes),
        meta=meta,
    )


def _cannot(ctx: Context, language: str, code: str) -> str:
    """Why the block is not run, "" if it is."""
    reason = ctx.computer.why_not(language)
    if reason:
        return reason
    return "" if code.strip() else "there is no code to run"


def _joined(*notes: str | None) -> str | None:
    return "; ".join(note for note in notes if note) or None


def _room(ctx: Context) -> int:
    """Bytes that one more output may take on disk: the session as a whole is bounded."""
    most = ctx.computer.limits.outputs or FILE_LIMIT
    try:
        with os.scandir(ctx.outputs) as entries:
            return max(most - sum(one.stat().st_size for one in entries), 0)
    except OSError:  # there is no such folder yet
        return most


class _Collector:
    """Takes a block's chunks: publishes each as an event and keeps what the result needs."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._stem = re.sub(r"[^\w\-]", "_", ctx.call_id)[:80] or "call"
        self.capture = Capture(self._free(".txt"), ctx.max_output, most=_room(ctx))
        self.images: list[Image] = []
        self.rich: set[str] = set()
        self.shown: list[tuple[str, str]] = []
        self.notes: list[str] = []
        self._pictures = 0
        self._typed = self._hidden = 0

    def take(self, chunk: Chunk) -> None:
        """One LMC chunk of role computer; flags and kinds that are not known change nothing."""
        kind, form, content = chunk.get("type"), str(chunk.get("format") or ""), chunk.get("content")
        call_id, recipient = self._ctx.call_id, chunk.get("recipient")
        shown, told = recipient != "assistant", recipient != "user"
        if kind == "console" and form == "active_line":
            self._ctx.publish(ActiveLine(call_id, content if isinstance(content, int) else None))
        elif kind in ("console", "error") and content:
            if told:
                self.capture.add(str(content))
            if shown:
                self._ctx.publish(ConsoleOutput(call_id, str(content), error=kind == "error"))
        elif kind == "input" and form == "asked":
            self._ctx.publish(InputRequested(call_id=call_id, **dict(content or {})))
        elif kind == "input" and form == "given":
            self._given(InputGiven(call_id=call_id, **dict(content or {})))
        elif kind == "image" and form.startswith("base64"):
            self._image(form.partition(".")[2] or "png", str(content), shown, told)
        elif kind == "code" and content and shown:
            self._keep(form, str(content))
            self._ctx.publish(RichOutput(call_id, form, str(content)))
        elif kind == "code" and content:
            self.capture.add(str(content))

    def _keep(self, form: str, content: str) -> None:
        """Keep what the person was shown for the history, unless it is far too much for that."""
        self.rich.add(form)
        if sum(len(text) for _, text in self.shown) + len(content) <= MOST_SHOWN:
            self.shown.append((form, content))

    def _given(self, given: InputGiven) -> None:
        self._typed += given.how == "typed"
        self._hidden += given.how == "typed" and given.secret
        self._ctx.publish(given)

    def typed(self) -> str:
        """What the model is told of what the person typed, "" for nothing; secrets are only counted."""
        if not self._typed:
            return ""
        lines = "a line" if self._typed == 1 else f"{self._typed} lines"
        return f"the person typed {lines} into it" + (f" ({self._hidden} hidden)" if self._hidden else "")

    def text(self) -> tuple[str, int]:
        """What the model is shown, and how many characters were left out of it."""
        path = self.capture.path
        how = self._ctx.computer.reading(path) if path else None
        text, cut = self.capture.for_model(self._ctx.max_output, how)
        if cut and self.capture.path is None:
            self.notes.append("the full text could not be kept: the outputs folder cannot be written")
        elif cut and not self.capture.complete:
            self.notes.append("the file with the full text is incomplete: no more space may be used for outputs")
        return text, cut

    def _image(self, form: str, data: str, shown: bool, told: bool) -> None:
        try:
            raw = base64.b64decode(data, validate=False)
        except (binascii.Error, ValueError):
            self.notes.append("a picture could not be decoded")
            return
        self._pictures += 1
        path = self._save(raw, form)
        if shown:
            self._ctx.publish(ImageOutput(self._ctx.call_id, form, data, path))
        if form == "svg" and shown:
            self._keep("html", raw.decode("utf-8", "replace"))
        if form not in _FOR_MODELS or not told:
            self.rich.add(form)
        elif len(self.images) < MOST_IMAGES:
            known = pictures.kind_and_size(raw)
            width, height = known[1] if known and known[1] else (None, None)
            self.images.append(Image(data, form, path or None, width, height))
        elif len(self.images) == MOST_IMAGES:
            note = f"only the first {MOST_IMAGES} pictures are given; all are in {self._ctx.outputs}"
            if note not in self.notes:
                self.notes.append(note)

    def _save(self, raw: bytes, form: str) -> str:
        """Where the picture now lies, "" if it could not be saved (it is still shown)."""
        ending = re.sub(r"\W", "", form) or "bin"
        try:
            paths.private_dir(self._ctx.outputs)
            target = self._free(f"-{self._pictures}.{ending}")
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(raw)
        except OSError as error:
            self.notes.append(f"a picture could not be saved: {(error.strerror or str(error)).lower()}")
            return ""
        return str(target)

    def _free(self, ending: str) -> Path:
        """A file name that is not taken: some servers give every call the same id."""
        number, target = 1, self._ctx.outputs / f"{self._stem}{ending}"
        while target.exists():
            number += 1
            target = self._ctx.outputs / f"{self._stem}_{number}{ending}"
        return target

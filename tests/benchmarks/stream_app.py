"""The app under measurement: a transcript and an input line, fed from an inherited pipe. Started by streaming.py.

What comes through the pipe is joined for 50 ms, then appended, as the bridge of the real app does. The app measures its
own loop and processor time and writes them as JSON to another pipe when the first ends.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable

from textual.app import App, ComposeResult
from textual.widgets import Input

from oi_tui.app.widgets.blocks import Block, entry, model, person, styled
from oi_tui.app.widgets.markdown import warm
from oi_tui.app.widgets.transcript import Transcript
from tests.benchmarks.content import prose

REST = 0.05
STEP = 0.005


class StreamApp(App[None]):
    """Transcript above, input below."""

    CSS = "Screen { background: #14161b; } Input { height: 1; border: none; }"

    def __init__(self, pipe: int, report: int, blocks: int) -> None:
        super().__init__()
        self._pipe = pipe
        self._report = report
        self._before = blocks
        self._waiting: list[bytes] = []
        self._ended = False
        self._gaps: list[float] = []
        self._marks: list[tuple[int, float]] = []
        self._figures: dict[str, float] = {}

    def compose(self) -> ComposeResult:
        yield Transcript()
        yield Input()

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self._load()
        self.call_after_refresh(self._start)

    def _load(self) -> None:
        view = self.query_one(Transcript)
        text = prose(600)
        begin = time.perf_counter()
        view.add_all(_session(self._before, text))
        self._figures["load_ms"] = (time.perf_counter() - begin) * 1000
        self._loaded = begin

    def _start(self) -> None:
        self._figures["first_paint_ms"] = (time.perf_counter() - self._loaded) * 1000
        warm()
        gc.collect()
        gc.freeze()
        os.set_blocking(self._pipe, False)
        asyncio.get_running_loop().add_reader(self._pipe, self._read)
        self.run_worker(self._watch_loop())
        self.run_worker(self._drain())
        # The parent begins to write when it reads this.
        os.write(self._report, b"ready\n")

    def _read(self) -> None:
        data = os.read(self._pipe, 65536)
        if data:
            self._waiting.append(data)
        else:
            self._ended = True
            asyncio.get_running_loop().remove_reader(self._pipe)

    async def _watch_loop(self) -> None:
        while not self._ended:
            begin = time.perf_counter()
            await asyncio.sleep(STEP)
            self._gaps.append(time.perf_counter() - begin - STEP)

    async def _drain(self) -> None:
        view = self.query_one(Transcript)
        block = view.add(model())
        count = batches = 0
        spent = 0.0
        begin, cpu = time.monotonic(), time.process_time()
        while True:
            if self._waiting:
                data = b"".join(self._waiting)
                self._waiting.clear()
                started = time.perf_counter()
                block.append(data.decode("ascii"))
                spent += time.perf_counter() - started
                batches += 1
                count += len(data) // 4
            self._marks.append((count, time.process_time()))
            if self._ended and not self._waiting:
                break
            await asyncio.sleep(REST)
        block.finish()
        used, wall = time.process_time() - cpu, time.monotonic() - begin
        self._figures |= {"tokens": count, "batches": batches, "append_ms": spent / max(1, batches) * 1000}
        self._figures |= {"cpu_percent": used / wall * 100, "cpu_s": used}
        self.call_after_refresh(self._shown)

    def _shown(self) -> None:
        self._figures["shown_at"] = time.monotonic()
        self.run_worker(self._act())

    async def _act(self) -> None:
        """What a person does in a session of this length: jump, come back, change the theme."""
        view = self.query_one(Transcript)

        async def timed(name: str, act: Callable[[], object]) -> None:
            begin = time.perf_counter()
            act()
            painted = asyncio.Event()
            self.call_after_refresh(painted.set)
            await painted.wait()
            self._figures[name] = (time.perf_counter() - begin) * 1000

        await timed("jump_ms", lambda: view.scroll_to(y=view.virtual_size.height // 2, animate=False))
        await timed("end_ms", view.follow)
        await timed("theme_ms", lambda: setattr(self, "theme", "textual-light"))
        self._end()

    def _end(self) -> None:
        gaps = sorted(self._gaps)
        self._figures |= {
            "gap_p95_ms": gaps[int(len(gaps) * 0.95)] * 1000,
            "gap_max_ms": gaps[-1] * 1000,
            "scaling": _scaling(self._marks),
            "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        os.write(self._report, json.dumps(self._figures).encode())
        self.exit()


def _session(count: int, text: str) -> list[Block]:
    """`count` blocks as a long session has them."""
    blocks: list[Block] = []
    for number in range(count):
        kind = number % 4
        if kind == 0:
            blocks.append(person(f"question {number}"))
        elif kind == 1:
            blocks.append(model(text))
        else:
            blocks.append(entry(styled(("read ", "muted"), (f"file_{number}.csv", "text")), text))
    return blocks


def _scaling(marks: list[tuple[int, float]]) -> float:
    """Processor time per token near the end over that when the screen had just become full."""
    total = marks[-1][0]

    def per_token(low: float, high: float) -> float:
        inside = [mark for mark in marks if low * total <= mark[0] <= high * total]
        if len(inside) < 2:
            return 0.0
        tokens, seconds = inside[-1][0] - inside[0][0], inside[-1][1] - inside[0][1]
        return seconds / max(1, tokens)

    # Until the screen is full a frame has fewer rows, which says nothing of growth; a tenth alone is mostly noise.
    return per_token(0.75, 1.0) / (per_token(0.25, 0.5) or 1.0)


if __name__ == "__main__":
    StreamApp(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])).run()

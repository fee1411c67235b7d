"""The model process: loads one GGUF file and answers chat requests that come as frames on stdin.

Run as `python -m oi_tui.models.embedded.worker`; see `models/frames.py` for the framing. The first frame in is
`{"path", "threads", "context", "parent"}`; the first one out is `{"event": "ready"}` or `{"event": "failed", "text"}`.
Then `{"op": "chat", "id", "body"}` is answered with `{"event": "chunk", "id", "chunk"}`, chunk being one of OpenAI's
`chat.completion.chunk` objects or an `{"error"}`, and closed with `{"event": "end", "id"}`. `{"op": "cancel", "id"}`
stops a request. Requests are answered one after the other. The end of stdin is the end of the process, as is the end of
its parent.

The first request finds what an earlier process kept of its prompt (prompt_cache.py). A body with `"keep": N` keeps the
state after its first N messages for the next process; a process that has them already answers nothing.
"""

from __future__ import annotations

import contextlib
import os
import platform
import queue
import secrets
import signal
import sys
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from oi_tui import paths
from oi_tui.models import frames
from oi_tui.models.embedded import prompt_cache
from oi_tui.models.embedded.slot import Slot

_BATCH = 64  # tokens read at once: a request can be cancelled between two batches


def main() -> None:
    """Serve until stdin ends. Never returns."""
    source, sink = _private_pipes()
    setup = frames.read(source)
    if setup is None:
        os._exit(0)
    _die_with_parent(int(setup["parent"]))
    outbox = _Outbox(sink)
    path, context = str(setup["path"]), int(setup["context"])
    cache = prompt_cache.PromptCache(prompt_cache.folder_in(paths.models()), Path(path), runtime_of(context))
    key = secrets.token_urlsafe(32)
    try:
        server = _load(path, int(setup["threads"]), context, key, cache.folder)
    except Exception as error:  # the native library raises what it likes; the app shows one sentence
        outbox.put({"event": "failed", "text": str(error) or type(error).__name__})
        os._exit(1)
    outbox.put({"event": "ready"})
    desk = _Desk(server, outbox, Slot(server.listening_address, key, cache))
    threading.Thread(target=desk.work, daemon=True).start()
    while (frame := frames.read(source)) is not None:
        desk.take(frame)
    os._exit(0)  # a generation may be running in the native library: nothing to wait for


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """stdin and stdout for frames alone; whatever native code prints goes to stderr, which the app keeps to itself."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


def _die_with_parent(parent: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        pr_set_pdeathsig = 1  # linux/prctl.h
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def runtime_of(context: int) -> str:
    """What a saved state depends on beside the weights: the runtime's version and the window in tokens."""
    return f"{version('xllamacpp')} {context} {platform.machine()}"


def _load(path: str, threads: int, context: int, key: str, states: Path) -> Any:
    import xllamacpp  # pyright: ignore[reportMissingImports]

    params = xllamacpp.CommonParams()  # pyright: ignore[reportAttributeAccessIssue]
    params.model.path = path
    params.n_ctx = context
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = 128  # holds the warmed prefix while something else is asked; the default is 8 GiB
    params.hostnames = ["127.0.0.1"]
    params.api_keys = [key]  # the library opens a port whether wanted or not
    params.endpoint_slots = False  # only shows them; saving needs the path below
    params.slot_save_path = f"{states}{os.sep}"
    params.ui = False
    params.verbosity = 0
    return xllamacpp.Server(params)  # pyright: ignore[reportAttributeAccessIssue]


class _Outbox:
    """Frames out, from any thread."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink, self._lock = sink, threading.Lock()

    def put(self, frame: frames.Frame) -> None:
        try:
            with self._lock:
                self._sink.write(frames.pack(frame))
                self._sink.flush()
        except OSError:
            os._exit(0)  # nobody listens any more


class _Desk:
    """Takes requests in, answers them in order, drops those that were cancelled."""

    def __init__(self, server: Any, outbox: _Outbox, slot: Slot) -> None:
        self._server, self._outbox, self._slot = server, outbox, slot
        self._waiting: queue.SimpleQueue[frames.Frame] = queue.SimpleQueue()
        self._cancelled: set[int] = set()

    def take(self, frame: frames.Frame) -> None:
        if frame.get("op") == "cancel":
            self._cancelled.add(int(frame["id"]))
        else:
            self._waiting.put(frame)

    def work(self) -> None:
        while True:
            frame = self._waiting.get()
            number = int(frame["id"])
            if number not in self._cancelled:
                self._answer(number, frame["body"])
            self._cancelled.discard(number)
            self._outbox.put({"event": "end", "id": number})

    def _answer(self, number: int, body: dict[str, Any]) -> None:
        keep = int(body.pop("keep", 0))
        failed = False

        def on_chunk(chunk: Any) -> bool:
            nonlocal failed
            if number in self._cancelled:
                return True
            failed = failed or "error" in chunk
            self._outbox.put({"event": "chunk", "id": number, "chunk": chunk})
            return False

        try:
            if self._slot.recall(body, keep):
                return
            self._server.handle_chat_completions({**body, "stream": True, "return_progress": True}, on_chunk)
            if keep and not failed and number not in self._cancelled:
                self._slot.keep(body, keep)
        except Exception as error:  # whatever the library raises is an answer to this request, not the end
            self._outbox.put({"event": "chunk", "id": number, "chunk": {"error": {"message": str(error)}}})


if __name__ == "__main__":
    main()

"""The device process: carries out calls of devices one after another and tells what comes of them.

`python -m oi_tui.computer.devices REQUESTS EVENTS`: descriptors on which frames come in and go out (4 bytes of length,
big-endian, then JSON). Requests: `call` (id, device, method, args, kwargs), `stop` (the running call), `answers` (to
`ask`), `watch` (on: end what runs when the person puts the mouse into the corner or presses the key for it). Events:
`done` (id, value | error, kind), `show` (picture), `tell` (text), `ask` (questions), `stopped` (by the person, why).
It leaves when the requests end.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

from oi_tui.computer.devices.base import NAMES, DeviceError, Question, Stopped
from oi_tui.computer.devices.rack import Devices
from oi_tui.computer.devices.wire import pack, unpack

_KINDS = {one.__name__: one for one in (ValueError, TypeError, LookupError, FileNotFoundError, OSError)}


class Served(Devices):
    """The devices of this process; what they ask for goes to whoever called."""

    def __init__(self, events: int) -> None:
        self._events, self._lock = events, threading.Lock()
        self.answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.why_stopped = ""

    def send(self, **message: Any) -> None:
        """Send one event, whole: an interruption waits for its end."""
        body = json.dumps(message).encode()
        data = memoryview(len(body).to_bytes(4, "big") + body)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with self._lock:
                while data:
                    data = data[os.write(self._events, data) :]
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def ask(self, questions: Sequence[Question]) -> list[str]:
        """The model's answers, by way of the program."""
        self.send(
            event="ask",
            questions=[{"text": one.text, "picture": one.picture, "system": one.system} for one in questions],
        )
        said = self.answers.get()
        if said.get("error"):
            raise DeviceError(str(said["error"]))
        return [str(one) for one in said["answers"]]

    def show(self, picture: Any) -> None:
        """A picture for whoever called."""
        self.send(event="show", picture=pack(picture))

    def tell(self, text: str) -> None:
        """A word for whoever called."""
        self.send(event="tell", text=text)

    def carry_out(self, request: dict[str, Any]) -> None:
        """One call, and what came of it. Interrupted: it ends with kind `KeyboardInterrupt`."""
        done: dict[str, Any] = {"event": "done", "id": request["id"]}
        self.why_stopped = ""
        try:
            done["value"] = pack(self._called(request))
        except KeyboardInterrupt:
            kind = "Stopped" if self.why_stopped else "KeyboardInterrupt"
            done |= {"error": self.why_stopped or "stopped", "kind": kind}
        except Exception as error:
            kind = next((name for name, one in _KINDS.items() if type(error) is one), "DeviceError")
            kind = "Stopped" if isinstance(error, Stopped) else kind
            text = str(error) or type(error).__name__
            known = isinstance(error, DeviceError | ValueError | TypeError | LookupError | OSError)
            done |= {"error": text if known else f"{type(error).__name__}: {text}", "kind": kind}
        self.send(**done)

    def _called(self, request: dict[str, Any]) -> Any:
        name, method = str(request["device"]), str(request["method"])
        if name == "hands":
            from oi_tui.computer.devices.hands import Hands

            device: Any = self.__dict__.setdefault("_hands", Hands(self))
        elif name == "computer" and method == "system_message":
            return self.system_message
        elif name == "computer" and method == "methods_of":
            return methods_of(*request["args"])
        elif name in NAMES:
            device = getattr(self, name)
        else:
            raise DeviceError(f"there is no device {name}")
        if method.startswith("_") or not hasattr(type(device), method):
            raise DeviceError(f"computer.{name} has no {method}; it has {', '.join(methods_of(name))}")
        found = getattr(device, method)
        if not callable(found):
            return found
        return found(*unpack(request.get("args", [])), **unpack(request.get("kwargs", {})))

    def close(self) -> None:
        """End what devices keep."""
        if "browser" in self.__dict__:
            with contextlib.suppress(Exception):
                self.browser.quit()


def methods_of(name: str) -> list[str]:
    """What a device can do."""
    from oi_tui.computer.devices.describing import methods, properties

    return sorted([*(one for one, _, _ in methods(name)), *properties(name)]) if name in NAMES else []


def _frames(requests: int) -> Any:
    with open(requests, "rb", buffering=0) as stream:

        def exactly(count: int) -> bytes:
            data = b""
            while len(data) < count:
                piece = stream.read(count - len(data))
                if not piece:
                    return b""
                data += piece
            return data

        while head := exactly(4):
            yield json.loads(exactly(int.from_bytes(head, "big")))


def main(requests: int, events: int) -> None:
    """Serve until the requests end."""
    served = Served(events)
    calls: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
    busy = threading.Event()

    def interrupt(why: str = "") -> None:
        served.why_stopped = why
        if busy.is_set():
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    def listen() -> None:
        watched: Any = None
        with contextlib.suppress(ValueError, OSError):
            for one in _frames(requests):
                op = one.get("op")
                if op == "call":
                    calls.put(one)
                elif op == "stop":
                    interrupt()
                elif op == "answers":
                    served.answers.put(one)
                elif op == "watch" and watched is None and one.get("on"):
                    from oi_tui.computer.devices.stopping import Watch

                    watched = Watch(lambda why: (interrupt(why), served.send(event="stopped", why=why)))
                elif op == "watch" and watched is not None and not one.get("on"):
                    watched.end()
                    watched = None
        calls.put(None)
        interrupt()

    def heard(number: int, frame: Any) -> None:
        if busy.is_set():  # between calls nothing is to be stopped
            busy.clear()
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, heard)
    threading.Thread(target=listen, daemon=True).start()
    while (request := calls.get()) is not None:
        busy.set()
        try:
            served.carry_out(request)
        except KeyboardInterrupt:  # it came when the call was over
            pass
        except BrokenPipeError:
            break
        busy.clear()
    served.close()
    os._exit(0)  # threads of libraries hold nothing up


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

"""How long until a session of 10,000 messages is on the screen? `python -m tests.benchmarks.app_resume [RUNS]`

A real app in a real pty of 120 x 40, beside a minimal Textual app that is measured in the same rounds:

- `oi resume ID`: launch to the last answer on the screen
- `/resume ID` in the app that stands: enter to the last answer on the screen
- the memory it has then, and from a key to its echo
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.benchmarks.start import MINIMAL, OI, Screen, environment, painted

MESSAGES = 10_000
END = "the last answer"
BAR = 0.4


def write(home: str) -> str:
    """A session of MESSAGES messages with code, output and Markdown; returns its id."""
    os.environ["INTERPRETER_HOME"] = home
    from oi_tui.session.store import Store, new_id

    store = Store(new_id())
    store.begin(cwd=home, model="x", harness="auto")
    for number in range(MESSAGES // 4):
        code = f"for n in range({number}):\n    print(n)\n" * 3
        call = {"id": f"k{number}", "name": "run", "arguments": json.dumps({"language": "python", "code": code})}
        result = {"id": f"k{number}", "name": "run", "result": {"ok": True, "summary": "ok", "seconds": 0.1}}
        answer = f"## Answer {number}\n\nIt is **{number}**. {'words ' * 60}\n\n```python\nx = {number}\n```\n"
        store.message({"role": "user", "type": "message", "content": f"question {number}, what is it?"})
        store.message({"role": "assistant", "type": "code", "format": "python", "content": code, "call": call})
        store.message(
            {"role": "computer", "type": "console", "format": "output", "content": f"{number}\n" * 20, "call": result}
        )
        last = number == MESSAGES // 4 - 1
        store.message({"role": "assistant", "type": "message", "content": END if last else answer})
    store.close()
    return store.id


def in_the_app(env: dict[str, str], session_id: str) -> tuple[float, float, float]:
    """Seconds from enter to the last answer; megabytes then; median milliseconds from a key to its echo."""
    screen = Screen([*OI, "-m", "x", "-ab", "http://127.0.0.1:9/v1"], env)
    try:
        screen.read_until(lambda seen: b"plain words" in seen)
        screen.drain(3)
        os.write(screen.fd, f"/resume {session_id}".encode())
        screen.drain(1.5)
        began = time.perf_counter()
        os.write(screen.fd, b"\r")
        screen.read_until(lambda seen: END.encode() in seen)
        took = time.perf_counter() - began
        screen.drain(2)
        echoes = []
        for number in range(30):
            key = b"qwzjkvx"[number % 7 : number % 7 + 1]
            os.write(screen.fd, key)
            echoes.append(screen.read_until(lambda seen, key=key: key in seen) * 1000)
            screen.drain(0.03)
        return took, screen.memory(), statistics.median(echoes)
    finally:
        screen.close()


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    rows: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as home:
        env = environment(home)
        session_id = write(home)
        command = [*OI, "resume", session_id, "-m", "x", "-ab", "http://127.0.0.1:9/v1"]
        for _ in range(runs):
            took, memory, echo = in_the_app(env, session_id)
            for name, value in (
                ("minimal Textual app", painted([sys.executable, "-c", MINIMAL], env, b"hello") * 1000),
                ("oi resume, launch to the last answer", painted(command, env, END.encode()) * 1000),
                ("/resume, enter to the last answer", took * 1000),
                ("key to its echo then", echo),
                ("memory then, MB", memory),
            ):
                rows.setdefault(name, []).append(value)
    for name, values in rows.items():
        print(f"{name:<38} {statistics.median(values):8.1f}  (least {min(values):.1f})")
    within = statistics.median(rows["/resume, enter to the last answer"]) / 1000
    print(f"{'/resume':<38} {within:8.2f} s  (bar {BAR})")


if __name__ == "__main__":
    main()

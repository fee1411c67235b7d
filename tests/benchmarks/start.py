"""How fast does it start? `python -m tests.benchmarks.start [RUNS]`

Each figure is the median of RUNS (default 10) runs, each ratio is against a bare Python that is measured in the same
rounds, so that a busy machine slows both:

- `oi --version` against `python -c pass`
- `oi exec`: launch to the first request at the model server, and a whole turn with one Python block, against
  `python -c "import asyncio, httpx"`
- the app's first paint against a minimal Textual app (one Static, one Input), in a real pty of 120 x 40
- the app at rest: memory, CPU over ten seconds, and from a key to its echo on the screen
"""

from __future__ import annotations

import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.mock_model import MockModel, code, say

OI = [sys.executable, "-m", "oi_tui"]
MINIMAL = """
from textual.app import App
from textual.widgets import Input, Static
class Minimal(App):
    def compose(self):
        yield Static("hello"); yield Input()
Minimal().run()
"""


def environment(home: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)  # installed programs have their compiled files
    return {**kept, "INTERPRETER_HOME": home, "TERM": "xterm-256color", "COLORTERM": "truecolor"}


def process(command: list[str], env: dict[str, str]) -> float:
    """Seconds that a command takes from start to end."""
    began = time.perf_counter()
    quiet = subprocess.DEVNULL
    subprocess.run(command, stdin=quiet, stdout=quiet, stderr=quiet, env=env, cwd=env["INTERPRETER_HOME"], check=False)
    return time.perf_counter() - began


def headless(env: dict[str, str]) -> tuple[float, float]:
    """(launch to first request, launch to exit of a turn with one Python block) in seconds."""
    arrived: list[float] = []
    answers = [code("python", "print(2380*3875)"), say("9222500")]
    with MockModel(answers, on_request=lambda _: arrived.append(time.perf_counter())) as mock:
        began = time.perf_counter()
        process([*OI, "exec", "-y", "-m", "x", "-ab", mock.url, "what is 2380*3875?"], env)
        return arrived[0] - began, time.perf_counter() - began


class Screen:
    """A program in a pty of 120 x 40."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.began = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(env["INTERPRETER_HOME"])
            os.execvpe(command[0], command, env)
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def read_until(self, wanted: Callable[[bytes], bool], seconds: float = 20) -> float:
        """Seconds until what has been written fulfils `wanted`."""
        began, seen = time.perf_counter(), b""
        while time.perf_counter() - began < seconds:
            if select.select([self.fd], [], [], 0.05)[0]:
                seen += os.read(self.fd, 1 << 16)
                if wanted(seen):
                    return time.perf_counter() - began
        raise TimeoutError(f"the screen never showed it; it wrote {seen[-300:]!r}")

    def drain(self, seconds: float) -> int:
        """Bytes written within `seconds`."""
        until, written = time.perf_counter() + seconds, 0
        while (left := until - time.perf_counter()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                written += len(os.read(self.fd, 1 << 16))
        return written

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Resident megabytes."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def painted(command: list[str], env: dict[str, str], text: bytes) -> float:
    """Seconds from launch until `text` is on the screen."""
    screen = Screen(command, env)
    try:
        screen.read_until(lambda seen: text in seen)
        return time.perf_counter() - screen.began
    finally:
        screen.close()


def at_rest(env: dict[str, str], url: str, keys: int = 60) -> dict[str, float]:
    """Memory, CPU and key echo of the app when nothing happens."""
    screen = Screen([*OI, "-m", "x", "-ab", url], env)
    try:
        screen.read_until(lambda seen: b"plain words" in seen)
        screen.drain(3)
        cpu = screen.cpu()
        written = screen.drain(10)
        rest = {"idle_cpu_percent": (screen.cpu() - cpu) * 10, "idle_bytes_per_s": written / 10}
        rest["memory_mb"] = screen.memory()
        echoes = []
        for number in range(keys):
            key = b"qwzjkvx"[number % 7 : number % 7 + 1]
            os.write(screen.fd, key)
            echoes.append(screen.read_until(lambda seen, key=key: key in seen) * 1000)
            screen.drain(0.03)
        rest["key_echo_ms_median"] = statistics.median(echoes)
        rest["key_echo_ms_p95"] = sorted(echoes)[int(len(echoes) * 0.95)]
        return rest
    finally:
        screen.close()


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    rows: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as home:
        env = environment(home)
        for _ in range(runs):
            first, turn = headless(env)
            for name, seconds in (
                ("python -c pass", process([sys.executable, "-c", "pass"], env)),
                ("import asyncio, httpx", process([sys.executable, "-c", "import asyncio, httpx"], env)),
                ("oi --version", process([*OI, "--version"], env)),
                ("exec, first request", first),
                ("exec, one Python block", turn),
                ("minimal Textual app", painted([sys.executable, "-c", MINIMAL], env, b"hello")),
                ("app, first paint", painted([*OI, "-m", "x", "-ab", "http://127.0.0.1:9/v1"], env, b"plain words")),
            ):
                rows.setdefault(name, []).append(seconds)
        median = {name: statistics.median(values) for name, values in rows.items()}
        for name, value in median.items():
            print(f"{name:<28} {value * 1000:8.1f} ms")
        for name, base, bar in (
            ("oi --version", "python -c pass", 3.0),
            ("exec, first request", "import asyncio, httpx", 1.3),
            ("exec, one Python block", "import asyncio, httpx", 1.7),
            ("app, first paint", "minimal Textual app", 1.5),
        ):
            print(f"{name + ' / ' + base:<52} {median[name] / median[base]:5.2f}  (bar {bar})")
        with MockModel([]) as mock:
            for name, value in at_rest(env, mock.url).items():
                print(f"{name:<28} {value:8.1f}")


if __name__ == "__main__":
    main()

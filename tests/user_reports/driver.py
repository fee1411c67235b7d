"""Starts `oi exec` as a process against the mock model, and checks what has to hold after every run.

Standing conditions, whatever a test is about: no traceback of the program itself, no fault in its log, no process left
behind, every saved file parses, the terminal on standard input is as it was and nothing was read from it, and the mock
refused no history.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import threading
import time
import tomllib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from tests.mock_model import MockModel

MARK = "OI_TEST_RUN"  # the environment variable that all processes of one run have
_OWN_FRAMES = re.compile(
    r'File "[^"]*/(?:oi_tui|harnesses)/|Exception ignored|Task (?:was destroyed|exception)|never awaited'
)
_TYPED = b"typed ahead"


@dataclass(frozen=True)
class Done:
    """A run that has ended. requests: what the model was sent by this run."""

    code: int
    out: str
    err: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    cwd: Path = Path()

    @property
    def results(self) -> list[str]:
        """The results of calls that the last request holds, in order."""
        return results(self.requests[-1])

    @property
    def outputs(self) -> list[str]:
        """The same, without what the program says about each."""
        return [output(one) for one in self.results]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The lines of --json."""
        return [json.loads(line) for line in self.out.split("\n") if line]


def results(request: dict[str, Any]) -> list[str]:
    """Texts of the tool messages of a request."""
    return [one["content"] for one in request["messages"] if one["role"] == "tool"]


def output(result: str) -> str:
    """What a block printed, out of the result that the model is given; "" if it printed nothing."""
    return result.partition("Output:\n")[2]


def home() -> Path:
    """The program's own folder in this test."""
    return Path(os.environ["INTERPRETER_HOME"])


def work_folder() -> Path:
    """Where runs start if a test says nothing else."""
    folder = Path(os.environ["HOME"]) / "work"
    folder.mkdir(exist_ok=True)
    return folder


class Running:
    """One `oi` process. `stdin=None` gives it a terminal with something typed ahead, which it must not read."""

    def __init__(
        self,
        mock: MockModel | None,
        *arguments: str,
        stdin: bytes | int | None = None,
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        program: tuple[str, ...] = (sys.executable, "-m", "oi_tui"),
        before: Callable[[], None] | None = None,
    ) -> None:
        self.mock, self.cwd = mock, cwd or work_folder()
        self._first = len(mock.requests) if mock else 0
        self._mark = uuid.uuid4().hex
        changed = {**os.environ, MARK: self._mark, **(env or {})}
        self._master, self._slave = pty.openpty()
        self._tty = termios.tcgetattr(self._slave)
        os.write(self._master, _TYPED + b"\n")
        given = self._slave if stdin is None else subprocess.PIPE if isinstance(stdin, bytes) else stdin
        self.process = subprocess.Popen(
            [*program, *arguments],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={name: value for name, value in changed.items() if value is not None},
            cwd=self.cwd,
            start_new_session=True,
            preexec_fn=before,
        )
        self._read: dict[str, bytearray] = {"out": bytearray(), "err": bytearray()}
        self._readers = [self._reader("out", self.process.stdout), self._reader("err", self.process.stderr)]
        if isinstance(stdin, bytes):
            assert self.process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.write(stdin)
                self.process.stdin.close()

    def _reader(self, name: str, pipe: Any) -> threading.Thread:
        def read() -> None:
            for piece in iter(lambda: os.read(pipe.fileno(), 65536), b""):
                self._read[name] += piece

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    @property
    def err(self) -> str:
        """What it has written to standard error so far."""
        return self._read["err"].decode("utf-8", "replace")

    @property
    def out(self) -> str:
        """What it has written to standard output so far."""
        return self._read["out"].decode("utf-8", "replace")

    def wait_for(self, what: str, text: Callable[[], str], timeout: float = 20.0) -> None:
        """Until `what` stands in `text()`."""
        until(lambda: what in text(), timeout, lambda: f"{what!r} did not come; there is:\n{self.out}\n{self.err}")

    def processes(self) -> list[str]:
        """Command lines of the processes that carry this run's mark."""
        return command_lines(marked(self._mark))

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program alone, as `kill` does."""
        self.process.send_signal(number)

    def end(self, timeout: float = 30.0, *, orderly: bool = True, strict: bool = True) -> Done:
        """Wait for the end and check the standing conditions. orderly=False: it was killed, files may be torn."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._give_up(f"still running after {timeout:g} s")
        left = self._left()
        for reader in self._readers:
            reader.join(10)
        self._check_terminal()
        requests = self.mock.requests[self._first :] if self.mock else []
        done = Done(code, self.out, self.err, list(requests), self.cwd)
        assert not left, f"processes were left: {left}"
        assert not _OWN_FRAMES.search(done.err), done.err
        assert not _OWN_FRAMES.search(done.out), done.out
        check_home(torn=not orderly)
        if strict and self.mock:
            assert self.mock.refused == []
        return done

    def _give_up(self, why: str) -> NoReturn:
        self.process.kill()
        self._left(0.0)
        raise AssertionError(f"{why}\nstdout: {self.out}\nstderr: {self.err}")

    def _left(self, patience: float = 3.0) -> list[str]:
        """Processes of this run that are still there after `patience` seconds. They are killed then."""
        deadline = time.monotonic() + patience
        while (found := marked(self._mark)) and time.monotonic() < deadline:
            time.sleep(0.02)
        names = command_lines(found)
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return names

    def _check_terminal(self) -> None:
        try:
            assert termios.tcgetattr(self._slave) == self._tty, "the terminal's modes were changed"
            assert select.select([self._slave], [], [], 0)[0], "what was typed ahead was read"
            assert os.read(self._slave, 100).startswith(_TYPED)
        finally:
            os.close(self._master)
            os.close(self._slave)


def marked(mark: str) -> list[int]:
    """Processes, zombies left out, whose environment carries the mark."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
    return found


def command_lines(pids: list[int]) -> list[str]:
    """The command line of each process that is still there."""
    lines: list[str] = []
    for pid in pids:
        with contextlib.suppress(OSError):
            lines.append(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return lines


def until(fits: Callable[[], bool], timeout: float, why: Callable[[], str] = lambda: "it did not happen") -> None:
    """Poll until `fits()`; AssertionError with `why()` after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while not fits():
        assert time.monotonic() < deadline, why()
        time.sleep(0.02)


def check_home(torn: bool = False) -> None:
    """Every file below the program's folder parses, and its log holds no fault. torn: last lines may be incomplete."""
    for file in (one for one in home().rglob("*") if one.is_file()):
        if file.suffix not in {".jsonl", ".json", ".toml", ".log"} or file.name in _BROKEN_ON_PURPOSE:
            continue
        text = file.read_text(encoding="utf-8", errors="strict" if not torn else "replace")
        if file.name == "faults.log":
            raise AssertionError(f"the program had an internal error:\n{text}")
        if file.suffix == ".jsonl":
            lines = text.split("\n")
            assert torn or lines[-1] == "", f"{file} does not end with a whole line"
            for line in lines[:-1]:
                json.loads(line)
        elif file.suffix == ".json":
            json.loads(text)
        elif file.suffix == ".toml":
            tomllib.loads(text)


_BROKEN_ON_PURPOSE: set[str] = set()


@contextlib.contextmanager
def broken_config(data: bytes) -> Any:
    """Write bytes that are no TOML as config.toml; afterwards they must be the same bytes."""
    home().mkdir(parents=True, exist_ok=True)
    file = home() / "config.toml"
    file.write_bytes(data)
    _BROKEN_ON_PURPOSE.add(file.name)
    try:
        yield file
        assert file.read_bytes() == data
    finally:
        _BROKEN_ON_PURPOSE.discard(file.name)
        file.unlink()


def start_exec(
    mock: MockModel | None,
    prompt: str,
    *flags: str,
    model: str = "x",
    auto: bool = True,
    before: Callable[[], None] | None = None,
    stdin: bytes | int | None = None,
    env: Mapping[str, str | None] | None = None,
    cwd: Path | None = None,
) -> Running:
    """Start `oi exec`, with -y unless `auto` is off, asking `model` at the mock unless `model` is "" ."""
    where = ("-m", model, "-ab", mock.url) if mock and model else ("-m", model) if model else ()
    arguments = ("exec", *(("-y",) if auto else ()), *where, *flags, *((prompt,) if prompt else ()))
    return Running(mock, *arguments, stdin=stdin, env=env, cwd=cwd, before=before)


def run_exec(
    mock: MockModel | None,
    prompt: str = "do it",
    *flags: str,
    timeout: float = 30.0,
    strict: bool = True,
    **options: Any,
) -> Done:
    """Run `oi exec` to its end; see start_exec for the options."""
    return start_exec(mock, prompt, *flags, **options).end(timeout, strict=strict)


def run_steps(*answers: Any, **options: Any) -> Done:
    """Run against a mock that gives these answers and then says "finished"; the run must succeed."""
    from tests.mock_model import say

    with MockModel([*answers, say("finished")]) as mock:
        done = run_exec(mock, **options)
    assert done.code == 0, done.err
    assert done.out == "finished\n"
    assert len(done.requests) == len(answers) + 1
    return done


def sessions() -> list[Path]:
    """Files of the saved sessions, oldest first."""
    return sorted(home().glob("sessions/*/*/*/*.jsonl"), key=lambda one: one.name)


def saved_messages(file: Path) -> list[dict[str, Any]]:
    """The messages of a session file, in order of writing."""
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [one["message"] for one in records if one["type"] == "message"]

"""Languages of one's own: the contract, the classic forms, and what happens when they misbehave."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.computer.conftest import Bench, eventually

Chunks = Iterator[dict[str, Any]]


def said(text: str) -> dict[str, Any]:
    return {"type": "console", "format": "output", "content": text}


class Shout:
    name = "Shout"
    aliases = ("Loud",)
    system_message = "Shout repeats."

    def run(self, code: str) -> Chunks:
        yield said(code.upper())


class Counting:
    """The classic constructor, and state."""

    name = "Counting"

    def __init__(self, computer: Any) -> None:
        self.computer, self.count, self.thread = computer, 0, threading.get_ident()

    def run(self, code: str) -> Chunks:
        self.count += 1
        yield {"type": "console", "format": "active_line", "content": 1}
        yield said(f"{self.count} {self.computer.cwd} {threading.get_ident() != self.thread}")

    def stop(self) -> None:
        """Nothing runs for long."""

    def terminate(self) -> None:
        self.count = 0


class Slow:
    name = "slow"
    terminated = 0

    def __init__(self, computer: Any = None) -> None:
        self.halt = threading.Event()

    def run(self, code: str) -> Chunks:
        self.halt.clear()
        yield said("go")
        if code == "deaf":
            time.sleep(3)
        else:
            self.halt.wait(30)
        yield said("leftover")

    def stop(self) -> None:
        self.halt.set()

    def terminate(self) -> None:
        type(self).terminated += 1


class Failing:
    name = "failing"

    def run(self, code: str) -> Chunks:
        yield said("before ")
        if code == "chunk":
            yield {"type": "nonsense"}
        raise RuntimeError("boom")


async def test_a_class_of_a_few_lines_works(bench: Bench) -> None:
    """Facts §17.2, 32: without a constructor of its own."""
    bench.computer.languages.append(Shout)
    ran = await bench.run("LOUD", "hey")
    assert ran.text == "HEY" and ran.result.ok
    assert "shout" in bench.computer.languages() and "python" in bench.computer.languages()
    assert "Shout repeats." in bench.computer.system_message()


async def test_an_object_with_state_gets_the_computer_and_a_thread(bench: Bench) -> None:
    bench.computer.languages = [Counting, "python"]
    assert (await bench.run("counting", "")).text == f"1 {bench.computer.cwd} True"
    ran = await bench.run("Counting", "")
    assert ran.text.startswith("2 ") and ran.lines == [1, None]
    assert bench.computer.languages() == ("counting", "python")
    assert "not among the languages" in bench.computer.why_not("ruby")
    bench.computer.terminate()
    assert (await bench.run("counting", "")).text.startswith("1 ")


async def test_python_can_be_replaced(bench: Bench) -> None:
    """The documented example of classic Open Interpreter."""

    class Mine(Shout):
        name = "Python"
        aliases = ()

    await bench.run("python", "x = 1")
    bench.computer.terminate()
    bench.computer.languages = [Mine]
    assert (await bench.run("python", "print(x)")).text == "PRINT(X)"
    bench.computer.languages = ["python"]
    assert not (await bench.run("python", "x")).result.ok


async def test_an_interrupt_calls_stop_and_drops_what_comes_later(bench: Bench) -> None:
    bench.computer.languages.append(Slow)
    task = await bench.start("slow", "", until="go")
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and ran.text == "go" and ran.result.note is None
    bench.computer.languages.append(Shout)
    assert (await bench.run("shout", "next")).text == "NEXT"


async def test_one_that_does_not_stop_is_given_up(bench: Bench) -> None:
    bench.computer.languages.append(Slow)
    before = Slow.terminated
    task = await bench.start("slow", "deaf", until="go")
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and ran.result.note and "given up" in ran.result.note and ran.text == "go"
    await eventually(lambda: Slow.terminated == before + 1)
    timed = await bench.run("slow", "deaf", timeout_s=0.2)
    assert timed.result.timed_out and timed.text == "go"


@pytest.mark.parametrize(("code", "words"), [("", "RuntimeError: boom"), ("chunk", "no chunk")])
async def test_what_it_raises_is_the_result(bench: Bench, code: str, words: str) -> None:
    bench.computer.languages.append(Failing)
    ran = await bench.run("failing", code)
    assert not ran.result.ok and ran.text.startswith("before ") and words in ran.text and "Traceback" not in ran.text


async def test_what_is_no_language_is_refused(bench: Bench) -> None:
    with pytest.raises(TypeError, match=r"name and run\(code\)"):
        bench.computer.languages = [object]
    with pytest.raises(TypeError, match="built-in"):
        bench.computer.languages = ["fortran"]


async def test_a_constructor_that_fails_is_a_result(bench: Bench) -> None:
    class Broken(Shout):
        name = "broken"

        def __init__(self) -> None:
            raise ValueError("no key")

    bench.computer.languages.append(Broken)
    ran = await bench.run("broken", "x")
    assert not ran.result.ok and ran.result.note and "no key" in ran.result.note

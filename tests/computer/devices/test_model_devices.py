"""Devices that ask the model, and those that only read: ai, vision, docs, files, os."""

from __future__ import annotations

import base64
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oi_tui.computer.computer import Computer as Engine
from oi_tui.computer.devices import ai, files, icons
from oi_tui.computer.devices.base import DeviceError, Question
from oi_tui.computer.devices.rack import Devices
from tests.computer.conftest import Bench


class Asked(Devices):
    """Answers by the numbers of the questions, or with what it is given."""

    def __init__(self, *answers: str) -> None:
        self.given, self.rounds = list(answers), list[list[Question]]()
        self.told: list[str] = []

    def ask(self, questions: Sequence[Question]) -> list[str]:
        self.rounds.append(list(questions))
        return [self.given.pop(0) if self.given else f"answer {number}" for number in range(len(questions))]

    def tell(self, text: str) -> None:
        self.told.append(text)


def png(size: tuple[int, int] = (40, 30)) -> str:
    target = io.BytesIO()
    Image.new("RGB", size, "red").save(target, "PNG")
    return base64.b64encode(target.getvalue()).decode()


def test_chat_is_one_question() -> None:
    computer = Asked("hi")
    assert computer.ai.chat("hello", base64="data:image/png;base64,QUJD") == "hi"
    assert computer.rounds == [[Question("hello", "QUJD", "You are a helpful AI assistant.")]]


def test_a_short_text_is_asked_about_once() -> None:
    computer = Asked("42")
    assert computer.ai.query("The answer is 42.", "What is it?") == "42" and len(computer.rounds) == 1
    assert computer.ai.summarize("") == "answer 0"


def test_a_long_text_is_asked_about_in_parts_that_are_put_together() -> None:
    text = "".join(f"line {number}\n" for number in range(4000))
    computer = Asked()
    assert computer.ai.query(text, "What?", "All?") == "answer 0"
    parts, together = computer.rounds
    assert len(parts) == len(ai.chunks(text)) == 5 and len(together) == 1
    assert all(one.text.startswith("What?") for one in parts) and together[0].text.startswith("All?")
    joined = ai.chunks(text)
    assert joined[0][-200:] == joined[1][:200] and joined[0] + "".join(one[200:] for one in joined[1:]) == text


def test_answers_as_long_as_their_parts_come_to_an_end() -> None:
    computer = Asked(*["x" * 9000] * 3, "done")
    assert computer.ai.query("y" * 20_000, "q") == "done" and len(computer.rounds) == 2


def test_a_picture_is_looked_at_by_the_model(tmp_path: Path) -> None:
    computer = Asked("red", "a path", "lmc")
    assert computer.vision.query("colour?", base_64=png()) == "red"
    assert Image.open(io.BytesIO(base64.b64decode(computer.rounds[0][0].picture))).size == (40, 30)
    (tmp_path / "a.png").write_bytes(base64.b64decode(png()))
    assert computer.vision.query(path=str(tmp_path / "a.png")) == "a path"
    assert computer.vision.query(lmc={"type": "image", "format": "base64.png", "content": png()}) == "lmc"
    assert "Describe" in computer.rounds[1][0].text and computer.vision.load() is True
    with pytest.raises(ValueError, match="give a picture"):
        computer.vision.query("what?")
    with pytest.raises(ValueError, match="no picture that can be read"):
        computer.vision.query(base_64="QUJD")
    with pytest.raises(FileNotFoundError, match="there is no picture /nowhere"):
        computer.vision.query(path="/nowhere")


def test_words_for_an_icon_are_asked_about() -> None:
    computer, screen = (
        Asked('Here:\n[{"x": 100, "y": 50}, {"x": 900, "y": 50}]', "I cannot see it"),
        Image.new("RGB", (200, 100)),
    )
    found = computer.display.find("the red button", screen)
    assert [one["coordinates"] for one in found] == [[0.5, 0.5]] and computer.rounds[0][0].picture
    with pytest.raises(DeviceError, match="did not say where"):
        icons.by_words("the red button", screen, computer)


def test_docstrings_are_searched(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text('"""About whales."""\n\ndef sing(song):\n    """Sings a song of the sea."""\n')
    found = Asked().docs.search("sea songs", paths=[str(tmp_path)])
    assert found[0] == f"{tmp_path}/m.py:3 sing\nSings a song of the sea."
    assert any("json" in one for one in Asked().docs.search("serialize object to JSON string", module="json"))
    assert "click" in Asked().docs.search("click the mouse button")[0].lower()
    with pytest.raises(ValueError, match="the source of the module 'nothing_such' is not known"):
        Asked().docs.search("x", module="nothing_such")


def test_files_are_searched_by_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "aifs", None)
    (tmp_path / "a.txt").write_text("The invoice of March is unpaid.\n")
    (tmp_path / "b.txt").write_text("Nothing here.\n")
    (tmp_path / "c.bin").write_bytes(b"invoice\0")
    assert Asked().files.search("unpaid invoices", path=str(tmp_path)) == [
        f"{tmp_path}/a.txt:1\nThe invoice of March is unpaid."
    ]
    with pytest.raises(FileNotFoundError, match="there is no /nowhere to search in"):
        Asked().files.search("x", path="/nowhere")


async def test_code_in_the_kernel_asks_by_way_of_the_program(tmp_path: Path) -> None:
    engine, seen = Engine(str(tmp_path), python=sys.executable), list[Question]()

    async def ask(questions: Sequence[Question]) -> list[str]:
        seen.extend(questions)
        if "fail" in questions[0].text:
            raise DeviceError("the model is away")
        return ["pong"] * len(questions)

    engine.ask, bench = ask, Bench(engine)
    try:
        ran = await bench.run(
            "python", f"print(computer.ai.chat('ping'), computer.vision.query('?', base_64={png()!r}))"
        )
        assert ran.text == "pong pong\n" and seen[0].text == "ping" and seen[1].picture
        ran = await bench.run("python", "computer.ai.chat('fail')")
        assert ran.text.endswith("DeviceError: the model is away\n")
        engine.ask = None
        assert "there is no model to ask here" in (await bench.run("python", "computer.ai.chat('x')")).text
    finally:
        await engine.close()


def test_programs_ask_their_own_model() -> None:
    from oi_tui.faces.api.instance import OpenInterpreter

    seen: list[dict[str, Any]] = []

    def model(**params: Any) -> Any:
        seen.append(params)
        yield {"choices": [{"delta": {"content": "four"}}]}

    one = OpenInterpreter(conversation_history=False)
    one.llm.completions, one.llm.supports_vision = model, True
    try:
        assert one.computer.ai.chat("2 + 2?") == "four" and one.messages == []
        assert seen[0]["messages"][-1]["content"] == "2 + 2?" and "tools" not in seen[0]
        assert one.computer.vision.query("what?", base_64=png()) == "four"
        assert seen[1]["messages"][-1]["content"][-1]["type"] == "image_url"
    finally:
        one.close()

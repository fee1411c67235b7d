"""Reports on running code, interrupts and output, on the screen of the running app."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, answer, code, http, say, wait
from tests.mock_model.local_servers import LocalModel
from tests.user_reports.driver import output, results

WIDE = (130, 36)
PASSWORD = "correct-horse-77"


def test_ur_001_input_is_answered_in_a_marked_line() -> None:
    asks = 'name = input("Name? ")\nimport getpass\nprint("hi", name, len(getpass.getpass("Secret: ")))'
    script = [code("python", asks), code("shell", "read -p 'Sure? ' a; echo [$a]"), say("all went well")]
    with MockModel(script) as mock, Terminal(mock, "-y", size=WIDE) as term:
        term.say("go")
        term.wait_for("esc end the input", what="the keyboard in the line")
        assert term.cell_of("python waits for you to type") is not None
        term.send("Ada")
        term.wait_for("Name? Ada")
        term.press("enter")
        term.wait_for("not shown, not kept")
        term.wait_for("esc end the input")
        term.send(PASSWORD)
        term.wait_for("•" * len(PASSWORD))
        term.press("enter")
        term.wait_for("bash waits for you to type")
        term.wait_for("esc end the input")
        term.press("esc")
        term.wait_for("all went well")
        term.idle()
        first, second = results(mock.requests[-1])
        assert output(first) == f"Name? Ada\nSecret: \nhi Ada {len(PASSWORD)}\n"
        assert "the person typed 2 lines into it (1 hidden)" in first
        assert "[]" in second
        assert PASSWORD not in str(mock.requests) and PASSWORD.encode() not in bytes(term.raw)
        kept = [one for one in Path(os.environ["INTERPRETER_HOME"]).rglob("*") if one.is_file()]
        assert any(b"Ada" in one.read_bytes() for one in kept), "the session is saved"
        assert not [one for one in kept if PASSWORD.encode() in one.read_bytes()]


def test_ur_001_a_draft_keeps_the_keyboard_until_f5() -> None:
    script = [code("shell", "sleep 0.5; read -p 'Sure? ' a; echo [$a]"), say("all went well")]
    with MockModel(script) as mock, Terminal(mock, "-y", size=WIDE) as term:
        term.say("go")
        term.wait_for(lambda: len(mock.requests) == 1, what="the request")
        term.send("my next message")
        term.wait_for("f5 answer the program")
        assert term.draft == "my next message"
        term.press("f5")
        term.wait_for("esc end the input")
        term.send("yes")
        term.press("enter")
        term.wait_for("[yes]")
        term.wait_for("all went well")
        assert term.draft == "my next message"


@pytest.mark.parametrize("key", ["ctrl+c", "esc"])
def test_ur_008_an_endless_loop_stops_and_the_variables_stay(key: str) -> None:
    script = [
        code("python", "n = 0\nprint('looping', flush=True)\nwhile True: n += 1"),
        code("python", "print(n > 0)"),
        say("finished"),
    ]
    with MockModel(script) as mock, Terminal(mock, "-y", size=WIDE) as term:
        term.say("go")
        term.wait_for(lambda: any("looping" in line for line in term.lines()[12:]), what="the loop's output")
        pressed = time.monotonic()
        term.press(key)
        term.idle()
        assert time.monotonic() - pressed < 10
        term.say("is it there?")
        term.wait_for("finished")
        assert output(results(mock.requests[-1])[-1]) == "True\n"
        assert "interrupt" in results(mock.requests[-1])[0].lower()


@pytest.mark.parametrize(
    ("language", "slow", "new"),
    [
        ("python", "import time\nfor i in range(200): print('old', i, flush=True); time.sleep(0.05)", "print('new')"),
        ("shell", "for i in $(seq 200); do echo old $i; sleep 0.05; done", "echo new"),
    ],
)
def test_ur_010_output_of_an_interrupted_block_stays_with_it(language: str, slow: str, new: str) -> None:
    with (
        MockModel([code(language, slow), code(language, new), say("finished")]) as mock,
        Terminal(mock, "-y", size=WIDE) as term,
    ):
        term.say("go")
        term.wait_for("old 9")
        term.press("ctrl+c")
        term.idle()
        term.say("again")
        term.wait_for("finished")
        assert output(results(mock.requests[-1])[-1]) == "new\n"


def test_ur_012_grandchildren_end_with_the_cancel() -> None:
    with (
        MockModel([code("shell", "bash -c 'bash -c \"exec sleep 987\" & wait'")]) as mock,
        Terminal(mock, "-y") as term,
    ):
        term.say("go")
        term.wait_for(lambda: any("sleep 987" in one for one in term.processes()), what="the sleep")
        term.press("ctrl+c")
        term.wait_for(lambda: not any("sleep 987" in one for one in term.processes()), 8, "the end of the sleep")
        term.idle()


def test_ur_029_colours_of_tools_are_shown_and_not_told_to_the_model() -> None:
    with (
        MockModel([code("shell", r"printf '\033[31mred\033[0m plain\n'"), say("finished")]) as mock,
        Terminal(mock, "-y", size=WIDE) as term,
    ):
        term.say("go")
        term.wait_for("finished")
        term.wait_for("red plain", what="the console")
        red, plain = term.cell_of("red plain"), term.cell_of("plain", last=True)
        assert red.fg != plain.fg
        assert int(red.fg[:2], 16) > int(red.fg[2:4], 16), "it is red"
        assert "\x1b" not in str(mock.requests[-1]["messages"])
        assert "\\x1b" not in str(mock.requests[-1]["messages"][-1])


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("shell", "for i in 1 2 3 4 5; do echo tick$i; sleep 1; done"),
        ("python", "import time\nfor i in range(1, 6): print(f'tick{i}', flush=True); time.sleep(1)"),
    ],
)
def test_ur_031_output_is_shown_as_it_is_printed(language: str, text: str) -> None:
    with MockModel([code(language, text), say("finished")]) as mock, Terminal(mock, "-y", size=WIDE) as term:
        term.say("go")
        seen: list[float] = []
        for number in range(1, 6):
            term.wait_for(f"tick{number}")
            seen.append(time.monotonic())
        assert 3 <= seen[-1] - seen[0] <= 6
        term.wait_for("finished")


_CALL = '{"name": "execute", "arguments": {"language": "shell", "code": "touch x; echo ran-35"}}'


@pytest.mark.parametrize(
    "text",
    [
        _CALL,
        f"```json\n{_CALL}\n```",
        f"I will run this:\n{_CALL}",
        _CALL.replace('"arguments"', '"parameters"'),
        f'{{"function": {_CALL}}}',
    ],
)
def test_ur_035_a_call_written_as_text_is_asked_about(text: str) -> None:
    with MockModel([say(text), say("finished")]) as mock, Terminal(mock) as term:
        term.say("go")
        term.asked()
        assert "touch x; echo ran-35" in term.text()
        term.answer("y")
        term.wait_for("finished")
        assert "ran-35" in str(mock.requests[1]["messages"][-1])


def test_ur_035_json_as_an_answer_is_no_call() -> None:
    with MockModel([say('Here is sample JSON: {"name":"Bob"}')]) as mock, Terminal(mock) as term:
        term.say("show me json")
        term.wait_for('{"name":"Bob"}')
        term.idle()
        assert "y run" not in term.text()
        assert len(mock.requests) == 1


def test_ur_051_a_rate_limit_counts_down_and_is_tried_again() -> None:
    script = [http(429, {"error": {"message": "slow down"}}, {"retry-after": "2"}), http(503), http(529), say("all ok")]
    with MockModel(script) as mock, Terminal(mock) as term:
        term.say("hello")
        counts: set[str] = set()
        term.wait_for(lambda: counts.update(re.findall(r"(\d+) s\b", term.text())) or "all ok" in term.text(), 30)
        assert counts, "the seconds of the wait are on the screen"
        assert mock.times[1] - mock.times[0] >= 2
        assert len(mock.requests) == 4


def test_ur_051_esc_stops_the_wait() -> None:
    with (
        MockModel([http(429, {"error": {"message": "slow down"}}, {"retry-after": "50"}), say("later")]) as mock,
        Terminal(mock) as term,
    ):
        term.say("hello")
        term.wait_for(lambda: re.search(r"\b(4\d|50) s\b", term.text()), what="a countdown from 50 s")
        term.press("esc")
        term.idle()
        assert len(mock.requests) == 1
        term.say("again")
        term.wait_for("later")
        assert "hello" in str(mock.requests[1]["messages"])


def test_ur_051_a_server_that_fails_for_ever_gives_the_prompt_back() -> None:
    with MockModel([http(500)] * 6, after=http(500)) as mock, Terminal(mock) as term:
        term.say("hello")
        term.wait_for("500", 60)
        term.wait_for(lambda: "esc stop" not in term.text(), 60, "the prompt")
        asked = len(mock.requests)
        assert 1 < asked < 12
        mock.script[:] = [say("it works again")]
        term.say("and now?")
        term.wait_for("it works again")
        assert "hello" in str(mock.requests[-1]["messages"])


def test_ur_061_no_tools_is_found_out_and_the_window_is_shown() -> None:
    script = [http(400, {"error": "model does not support tools"}), code("python", "print(6 * 7)"), say("finished")]
    with MockModel(script, models=[LocalModel("tiny:1b", context=8192)]) as mock:
        env = {"OLLAMA_HOST": mock.root}
        with Terminal(mock, "-m", "ollama/tiny:1b", model="", size=WIDE, env=env) as term:
            term.say("go")
            term.asked()
            assert "print(6 * 7)" in term.text()
            term.answer("y")
            term.wait_for("finished")
            assert "tools" not in mock.requests[1]
            term.idle()
            term.say("/status")
            term.wait_for(lambda: re.search(r"8[,.]?192", term.text()), what="the window in the status")


def test_ur_119_a_plot_is_saved_and_drawn_in_a_narrow_terminal() -> None:
    plot = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint('after')"
    pytest.importorskip("matplotlib")
    with (
        MockModel([code("python", plot), say("finished")]) as mock,
        Terminal(mock, "-y", size=(40, 20), env={"DISPLAY": None}) as term,
    ):
        term.say("plot")
        term.wait_for("finished", 40)
        told = results(mock.requests[-1])[0]
        assert "after" in told
        assert not re.search(r"[A-Za-z0-9+/]{200}", told)
        saved = re.search(r"(/\S+\.png)", told)
        assert saved is not None
        with open(saved[1], "rb") as file:  # noqa: PTH123
            assert file.read(4) == b"\x89PNG"
        term.press("f4")
        term.wait_for("after")


def test_two_hundred_thousand_lines_end_in_sight_and_keys_work() -> None:
    script = [code("python", "for i in range(200_000): print('line', i)"), answer(wait(0.2), say("finished"))]
    with MockModel(script) as mock, Terminal(mock, "-y", size=WIDE) as term:
        term.say("go")
        term.wait_for(lambda: re.search(r"line \d+", term.text()))
        term.type("still alive")
        term.wait_for("line 199999", 60)
        term.wait_for("finished", 60)
        assert "still alive" in term.draft

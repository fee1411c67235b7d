"""What is around a chat: the computer, files on disk, the terminal, imports."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from oi_tui.faces.api import storage
from oi_tui.faces.api.instance import OpenInterpreter
from tests.faces.api.conftest import run

Make = Callable[..., OpenInterpreter]


def test_the_computer_by_itself(make: Make) -> None:
    computer = make().computer
    assert computer.run("python", "print('a'); 2") == [{"type": "console", "format": "output", "content": "a\n2\n"}]
    assert computer.run("py", "x = 1") == [] and computer.run("Python", "x")[0]["content"] == "1\n"
    streamed = list(computer.run("shell", "echo one; echo two", stream=True))
    assert "".join(part["content"] for part in streamed if part["format"] == "output") == "one\ntwo\n"
    assert all("role" not in part for part in streamed)
    assert computer.exec("echo hi")[0]["content"] == "hi\n"
    assert "klingon" in computer.run("klingon", "x")[0]["content"]
    pictures = "import matplotlib.pyplot as p\np.plot([1, 2])\np.show()"
    if not subprocess.run([sys.executable, "-c", "import matplotlib"], capture_output=True, check=False).returncode:
        assert any(part["type"] == "image" for part in computer.run("python", pictures))


def test_breaking_a_stream_stops_the_block(make: Make, tmp_path: Path) -> None:
    computer = make().computer
    code = f"import time, pathlib\nfor n in range(1, 7):\n    pathlib.Path({str(tmp_path)!r}, str(n)).touch()\n"
    for part in computer.run("python", code + "    print(n, flush=True)\n    time.sleep(0.5)", stream=True):
        if part["format"] == "output":
            break
    assert (tmp_path / "1").exists() and not (tmp_path / "6").exists()
    assert computer.run("python", "n < 6")[0]["content"] == "True\n"


def test_a_language_of_the_programs_own(make: Make) -> None:
    class Loud:
        name = "loud"

        def run(self, code: str) -> Iterator[dict[str, Any]]:
            yield {"type": "console", "format": "output", "content": code.upper()}

    one = make(run("hello", "loud"), "done")
    one.computer.languages = [Loud]
    one.chat("x", display=False)
    assert one.messages[-2] == {"role": "computer", "type": "console", "format": "output", "content": "HELLO"}


def test_conversations_are_saved_as_they_go(make: Make, tmp_path: Path) -> None:
    one = make(run("1 / 0"), "oh", "more", conversation_history=True, conversation_history_path=str(tmp_path))
    one.chat("Hello there my dear friend of mine", display=False)
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("Hello_there_my_dear__") and json.loads(file.read_text()) == one.messages
    assert file.stat().st_mode & 0o777 == 0o600
    one.chat("on", display=False)
    assert [one.name for one in tmp_path.iterdir()] == [file.name] == storage.get_conversations(str(tmp_path))
    assert len(json.loads(file.read_text())) == len(one.messages)


@pytest.mark.parametrize(
    ("said", "name"),
    [("Hello there my dear friend", "Hello_there_my_dear"), ("a b", "a"), ("x/../y", "x..y"), ("", "")],
)
def test_names_of_conversations(said: str, name: str) -> None:
    when = time.strptime("2026-11-29 15:47:25", "%Y-%m-%d %H:%M:%S")
    messages = [{"role": "user", "type": "image", "content": "…"}, {"type": "message", "content": said}]
    assert storage.file_name(messages, when) == f"{name}__November_29_2026_15-47-25.json"


_TURN = """
import sys
from interpreter import OpenInterpreter
def model(**params):
    ran = "ran" in str(params["messages"][-1])
    text = "All done." if ran else "Like so:\\n```python\\nprint('r' + 'an')\\n```"
    yield {"choices": [{"delta": {"content": text}}]}
one = OpenInterpreter(conversation_history=False)
one.llm.completions, one.llm.supports_functions = model, False
"""


@pytest.mark.parametrize(("typed", "runs"), [("y\n", True), ("n\n", False), ("", False)])
def test_the_terminal_is_asked(typed: str, runs: bool) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", f"{_TURN}one.chat('go')"], input=typed, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "Like so:" in ran.stdout and "run this python?" in ran.stdout
    assert ("All done." in ran.stdout) is runs and (" ran\n" in ran.stdout) is runs


def test_a_conversation_in_the_terminal() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", f"{_TURN}one.auto_run = True\none.chat()"], input="go\n\nexit\n", capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0 and "All done." in ran.stdout, ran.stderr


def test_importing_makes_nothing_and_asks_nobody(isolated: Path) -> None:
    program = (
        "import sys\nfrom interpreter import interpreter, computer, OpenInterpreter, BaseLanguage\n"
        "assert computer is interpreter.computer and isinstance(interpreter, OpenInterpreter)\n"
        "heavy = {'asyncio', 'textual', 'httpx', 'litellm', 'rich'} & set(sys.modules)\nprint(sorted(heavy))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.stdout == "[]\n", ran.stderr
    assert not list(isolated.rglob("*"))


def test_nothing_is_left_behind(isolated: Path, tmp_path: Path) -> None:
    pid = "print(one.computer.run('python', 'import os; os.getpid()')[0]['content'])"
    program = f"{_TURN}one.auto_run = True\none.chat('go', display=False)\n{pid}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0 and not ran.stderr, ran.stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.stdout.strip()), 0)
    assert {one.name for one in isolated.rglob("*") if one.is_file()} == {"audit.jsonl"}


def test_deep_imports_lead_to_the_same_things() -> None:
    import interpreter

    assert interpreter.__version__
    deep = importlib.import_module
    counting = deep("interpreter.terminal_interface.utils.count_tokens")
    assert deep("interpreter.core.core").OpenInterpreter is OpenInterpreter
    assert counting.count_tokens("hello") == 1
    assert counting.count_messages_tokens(["hello", {"content": "hello"}])[0] == 2
    with pytest.raises(ImportError):
        deep("interpreter.core.nothing")
    files = deep("interpreter.core.computer.files.files").Files(mock.Mock())
    with mock.patch("interpreter.core.computer.files.files.aifs") as aifs:
        files.search("foo", bar=1)
    aifs.search.assert_called_once_with("foo", bar=1)


def test_files_are_edited_or_left_alone(tmp_path: Path) -> None:
    from oi_tui.computer.devices.files import Files

    file = tmp_path / "a.txt"
    file.write_text("one two three one")
    Files().edit(str(file), "one", "1")
    assert file.read_text() == "1 two three 1"
    with pytest.raises(ValueError, match=r"^Original text not found. Did you mean one of these\? three$"):
        Files().edit(str(file), "tree", "x")
    with pytest.raises(ValueError, match=r"^Original text not found.$"):
        Files().edit(str(file), "zzzzzz", "x")
    assert file.read_text() == "1 two three 1"


def test_llm_run_asks_aside(make: Make) -> None:
    one = make("pong")
    asked = [
        {"role": "system", "type": "message", "content": "Be brief."},
        {"role": "user", "type": "message", "content": "ping"},
    ]
    assert "".join(part["content"] for part in one.llm.run(asked)) == "pong" and one.messages == []
    assert one.llm.completions.seen[0]["messages"][0]["content"].startswith("Be brief.")  # type: ignore[union-attr]


def test_kept_functions_are_there_where_the_program_says_so(make: Make, tmp_path: Path) -> None:
    (tmp_path / "double.py").write_text("def double(n):\n    return 2 * n\n")
    one = make(run("print(double(21))"), "done", skills_path=str(tmp_path), import_skills=True)
    one.chat("go", display=False)
    assert one.messages[-2]["content"] == "42\n"
    assert str(tmp_path) in one.computer.run("python", "print(computer.skills.path)")[0]["content"]
    other = make(skills_path=str(tmp_path))
    assert "NameError" in other.computer.run("python", "double(2)")[0]["content"]


def test_answers_are_read_aloud(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.user_reports.driver import until

    program, heard = tmp_path / "spd-say", tmp_path / "heard"
    program.write_text(f"#!/bin/sh\ncat >> {heard}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    one = make("It is six.", speak_messages=True)
    one.chat("go", display=False)
    until(lambda: heard.exists() and heard.read_text() == "It is six.", 20)


def test_what_is_not_there_is_said_and_what_sends_nothing_is_accepted(make: Make) -> None:
    with pytest.warns(UserWarning, match="sync_computer is not there"):
        one = make(sync_computer=True, contribute_conversation=True, disable_telemetry=True)
    assert (one.sync_computer, one.will_contribute, one.anonymous_telemetry) == (False, False, False)
    assert one.contribute_conversation and one.disable_telemetry


def test_verbose_keeps_requests(make: Make, isolated: Path) -> None:
    one = make("hello", verbose=True)
    one.chat("hi", display=False)
    (file,) = (isolated / ".openinterpreter" / "logs").glob("requests-*.jsonl")
    assert "hi" in file.read_text() and one.verbose


def test_a_message_of_several_lines_in_the_terminal() -> None:
    told = "print('GOT', repr(params['messages'][-1]['content']))"
    program = _TURN.replace('ran = "ran" in str(params["messages"][-1])', f"ran = True; {told}")
    typed = '"""first\nsecond"""\n"""alone"""\nexit\n'
    ran = subprocess.run(
        [sys.executable, "-c", f"{program}one.chat()"], input=typed, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert "GOT 'first\\nsecond'" in ran.stdout and "GOT 'alone'" in ran.stdout, ran.stdout + ran.stderr

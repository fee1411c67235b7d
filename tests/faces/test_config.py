"""`oi config`: as a process, on a config.toml of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.user_reports.driver import home


def config(*words: str, **environ: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "oi_tui", "config", *words],
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_setting_is_set_read_and_taken_back_and_comments_stay() -> None:
    file = home() / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# mine\nmax_output = 300  # few\n")
    assert config("path") == (0, f"{file}\n", "")
    assert config("set", "llm.temperature", "0.3") == (0, "", "llm.temperature is 0.3 from the next start on\n")
    code, value, origin = config("get", "llm.temperature")
    assert (code, value) == (0, "0.3\n")
    assert origin.startswith("from config.toml:")
    assert config("get", "max_output")[1] == "300\n"
    assert config("unset", "max_output")[0] == 0
    assert config("get", "max_output")[1] == "2800\n"
    assert file.read_text().startswith("# mine\n")
    assert "temperature = 0.3" in file.read_text()


def test_all_are_listed_with_where_they_come_from() -> None:
    code, listed, _ = config("list", OI_MAX_OUTPUT="777")
    assert code == 0
    (line,) = (one for one in listed.splitlines() if one.startswith("max_output "))
    assert line.split() == ["max_output", "777", "(OI_MAX_OUTPUT)"]
    found = json.loads(config("--json")[1])
    assert {"key": "harness", "value": "auto", "origin": "default", "default": "auto"} in found
    assert "wins over it" in config("set", "max_output", "500", OI_MAX_OUTPUT="777")[2]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("get", "llm.temprature"), "did you mean llm.temperature?"),
        (("set", "max_output", "many"), "max_output: "),
        (("set", "harness", "nope"), "there is no harness 'nope'; there are auto, native"),
        (("set", "models", "x"), "models is a table: edit it in"),
        (("set", "max_output"), "write oi config set KEY VALUE"),
        (("list", "max_output"), "write oi config list"),
        (("show",), "invalid choice: 'show'"),
    ],
)
def test_what_is_wrong_is_said(words: tuple[str, ...], says: str) -> None:
    code, out, told = config(*words)
    assert (code, out) == (2, "")
    assert says in told
    assert "Traceback" not in told

"""Reports on secrets: a key is nowhere on disk, in no child's arguments and not in the environment of code."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from oi_tui.export.files import export
from oi_tui.session import store
from tests.mock_model import MockModel, code, http, say
from tests.user_reports.driver import home, run_exec

KEY = "sk-SECRET-1-abcdef0123456789"
TOKEN = "odd.SECRET/4+value"


def _files_with(text: str) -> list[str]:
    every = [one for one in Path(os.environ["HOME"]).rglob("*") if one.is_file()]
    return [str(one) for one in every if text.encode() in one.read_bytes()]


def test_ur_103_no_secret_is_kept_and_code_gets_none() -> None:
    look = "import os; print(dict(os.environ))"
    with MockModel([code("python", look), say(f"your key is {KEY}"), say("ok")]) as mock:
        environment = {"OPENAI_API_KEY": KEY, "MY_TOKEN": TOKEN, "EDITOR": "vi"}
        done = run_exec(mock, f"use {KEY}", env=environment)
        assert KEY in str(mock.requests[0]), "the model is told what the person said"
    assert done.code == 0
    (printed,) = done.outputs
    assert "'EDITOR': 'vi'" in printed and "SECRET" not in printed
    assert _files_with("SECRET") == []
    saved = next(store.listed())
    assert "[hidden]" in str(saved.messages)
    for ending in (".md", ".html", ".json", ".ipynb"):
        saved.messages[0]["content"] = f"use {KEY}"
        target = Path(os.environ["HOME"]) / f"out{ending}"
        export(saved.messages, target)
        assert "SECRET-1" not in target.read_text()
    open_to_others = [one for one in home().rglob("*") if one.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)]
    assert open_to_others == []


def test_ur_103_what_a_person_allows_by_name_is_given() -> None:
    with MockModel(
        [code("python", "import os; print([os.getenv('MY_TOKEN'), os.getenv('OTHER_TOKEN')])"), say("ok")]
    ) as mock:
        allowing = ("-c", 'shell_environment_policy.allow=["MY_TOKEN"]')
        done = run_exec(mock, "go", "--approval", "full", *allowing, env={"MY_TOKEN": TOKEN, "OTHER_TOKEN": TOKEN})
    assert done.outputs == [f"['{TOKEN}', None]\n"]
    (saved,) = store.listed()
    assert "SECRET" not in saved.path.read_text(), "what it printed is masked in the session"


def test_ur_052_a_refused_key_is_masked_everywhere() -> None:
    refusal = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    with MockModel([http(401, refusal)]) as mock:
        done = run_exec(mock, "go", env={"OPENAI_API_KEY": KEY})
    assert done.code == 1 and len(done.requests) == 1
    assert "SECRET" not in done.out + done.err and _files_with("SECRET") == []

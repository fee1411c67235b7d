"""A harness of one's own, as harnesses/README.md teaches it: the very text, as a file and from a package."""

from __future__ import annotations

import io
import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import harnesses
from harnesses import added
from oi_tui import cli
from tests.conftest import ROOT
from tests.mock_model import MockModel, answer, call, say
from tests.session.harness_matrix import got
from tests.user_reports.driver import work_folder
from tests.user_reports.in_process import Live


def taught(language: str) -> str:
    """The one block of that language in the section."""
    section = (ROOT / "harnesses/README.md").read_text(encoding="utf-8").partition("## One of your own")[2]
    (block,) = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    return block


def own(source: str, name: str = "terse") -> None:
    added.folder().mkdir(parents=True, exist_ok=True)
    (added.folder() / f"{name}.py").write_text(source, encoding="utf-8")


@dataclass
class Done:
    code: int
    out: str
    err: str


Oi = Callable[..., Done]


@pytest.fixture
def oi(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Oi:
    """Runs `oi harness` with these arguments and standard input in the work folder."""
    monkeypatch.chdir(work_folder())

    def run(*arguments: str, stdin: str = "") -> Done:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        capsys.readouterr()
        try:
            code = cli.main(["harness", *arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
        return Done(code, *capsys.readouterr())

    return run


def test_the_example_holds_together_and_shows_what_it_sends(oi: Oi) -> None:
    own(taught("python"))
    done = oi("test", "terse", "--model", "ollama/my-model")
    assert (done.code, done.err) == (0, "terse holds together on chat\n")
    body: dict[str, Any] = json.loads(done.out)
    assert [one["function"]["name"] for one in body["tools"]] == ["run", "put"]
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("ollama/my-model", 2000, 0.2)
    told = [one["content"] for one in body["messages"] if one["role"] == "tool"]
    assert told == ["buy milk", "not written: there is no file other.txt"]
    shown = oi("show", "terse").out
    for part in ("for my small model", "Do what you are asked", "## tool put -> write", "- path* (string): The file."):
        assert part in shown
    assert json.loads(oi("show", "terse", "--json").out)["policy"]["max_tokens"] == "2000"
    assert "your own, " in next(line for line in oi().out.splitlines() if " terse " in line)


async def test_the_example_works_in_a_session() -> None:
    own(taught("python"))
    script = [
        answer(call("put", {"path": "a.txt", "text": "one\n"}), call("run", {"command": "cat a.txt; exit 3"})),
        call("run", {"command": "true"}),
        say("done"),
    ]
    with MockModel(script) as mock:
        async with Live(mock, harness="terse") as live:
            assert (await live.turn()).reason == "done"
            assert live.results == ["a.txt is written", "failed, exit code 3:\none", "(nothing printed)"]
    assert got("a.txt") == "one\n"


def test_the_example_comes_from_a_package(oi: Oi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (group, points), *_ = tomllib.loads(taught("toml"))["project"]["entry-points"].items()
    ((name, place),) = points.items()
    (tmp_path / f"{place.partition(':')[0]}.py").write_text(taught("python"), encoding="utf-8")
    info = tmp_path / "terse_harness-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: terse-harness\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {place}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert "from the package terse-harness" in oi().out
    done = oi("test", name)
    assert (done.code, done.err) == (0, "terse holds together on chat\n")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('executor="write"', 'executor="wrote"', "tool put: there is no executor 'wrote'; there are agent, ask, "),
        ('"content": given["text"]', '"text": given["text"]', "map_args gives text, which the executor write does not"),
        ('given["path"], "content"', 'given["file"], "content"', "tool put: map_args: KeyError: 'file' (line 21 of "),
        ('name="put"', 'name="a put"', "tool a put: the name may hold letters, digits, _ and -"),
        ('name="put"', 'name="run"', "tool run: there are two of that name"),
        ('code_field="command"', 'code_field="code"', "code_field names code, which is no property"),
        ('["path", "text"]', '["path", "body"]', "body is required but no property"),
        ("env.now[:10]", "env.today", "system: AttributeError: 'Env' object has no attribute 'today' (line 33 of "),
        ("result.text.strip()", "result.lines", "tool run: words for a result: AttributeError: 'Result' object"),
        ("return said if", "return 3 if", "tool run: words for a result: int instead of text"),
        ("return [RUN, PUT]", "return RUN", "tools: TypeError: "),
        ('wires = ("chat",)', 'wires = ("smoke",)', "smoke"),
        (
            "class TerseHarness(Harness)",
            "class TerseHarness(Harnes)",
            "does not load: NameError: name 'Harnes' is not defined (line 27 of ",
        ),
    ],
)
def test_a_fault_is_told_with_its_place(oi: Oi, old: str, new: str, told: str) -> None:
    source = taught("python")
    assert old in source
    own(source.replace(old, new))
    done = oi("test", "terse")
    assert done.code == 1
    assert told in done.err
    assert "Traceback" not in done.err


def test_an_answer_is_read_and_the_model_asked_without_running_anything(oi: Oi) -> None:
    own(taught("python"))
    done = oi("test", "swe-agent", "--answer", "-", stdin="I look.\n\n```bash\ntouch made\n```\n")
    assert done.code == 0
    assert done.out.index("I look.") < done.out.index("## call run") < done.out.index('"touch made"')
    wrong = oi("test", "swe-agent", "--answer", "-", "--json", stdin="No command here.")
    assert (wrong.code, bool(json.loads(wrong.out)["error"])) == (1, True)
    with MockModel([answer(say("So. "), call("put", {"path": "made", "text": "x"}))]) as mock:
        live = oi("test", "terse", "--live", "write it", "-m", "x", "-ab", mock.url)
    assert live.code == 0, live.err
    assert mock.requests[0]["messages"][-1]["content"] == "write it"
    assert "## said\n\nSo." in live.out
    assert "## call put" in live.out
    assert not (work_folder() / "made").exists()
    assert oi("test", "terse", "--live", "x", "-m", "x", "-ab", mock.url).code == 1  # nobody answers there now


@pytest.mark.parametrize("arguments", [("show",), ("list", "native"), ("show", "native", "--live", "x"), ("frob",)])
def test_wrong_usage(oi: Oi, arguments: tuple[str, ...]) -> None:
    done = oi(*arguments)
    assert (done.code, "oi harness --help" in done.err) == (2, True)


def test_list_marks_what_auto_takes_and_what_was_chosen(oi: Oi) -> None:
    lines = oi("-m", "claude-opus-4-5", "-c", 'model_harnesses."claude-opus-4-5"="native"').out.splitlines()
    assert lines[0] == "for claude-opus-4-5, asked over messages"
    assert [line[:20].rstrip() for line in lines if line[0] in "*+"] == ["+ native", "* claude-code"]
    assert next(line for line in lines if " swe-agent " in line).endswith("(not over messages)")
    assert lines[-1] == "kept for claude-opus-4-5: native"
    assert {one["id"] for one in json.loads(oi("--json").out)} >= set(harnesses.BUILT_IN)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("env.now[:10]", "env.today", "terse failed: AttributeError: 'Env' object has no attribute 'today' (line 33"),
        ("return [RUN, PUT]", "return RUN", "terse failed: TypeError"),
        ("import Harness", "import Harnes", "terse does not load: ImportError"),
    ],
)
async def test_a_fault_ends_the_turn_and_the_session_goes_on(old: str, new: str, told: str) -> None:
    own(taught("python").replace(old, new))
    with MockModel([say("hi")]) as mock:
        async with Live(mock, harness="terse") as live:
            await live.session.prewarm()
            ended = await live.turn()
            assert ended.reason == "failed"
            assert told in ended.text
            assert "oi harness test terse" in ended.hint
            live.session.use_harness("native")
            assert (await live.turn()).reason == "done"

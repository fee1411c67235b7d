"""What the commands do, on a real session."""

# ruff: noqa: ASYNC240 - tests may wait for the disk
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from oi_tui.commands.conversation import last_code
from oi_tui.commands.registry import Invocation, Prompt, Shell, parse, run
from oi_tui.protocol import lmc
from oi_tui.session.connection import connect
from oi_tui.settings import LlmSettings, Settings
from tests.commands.hosting import Face


async def typed(host: Face, line: str) -> None:
    parsed = parse(line)
    assert isinstance(parsed, Invocation), parsed
    await run(parsed, host)


def spoken(host: Face) -> None:
    host.session.messages.extend(
        [
            lmc.message("user", "message", "add one and one"),
            lmc.message("assistant", "message", "Like this:"),
            lmc.message("assistant", "code", "1+1", "python", call={"id": "c", "name": "run"}),
            lmc.message(
                "computer", "console", "2\n", "output", call={"id": "c", "name": "run", "result": {"ok": True}}
            ),
            lmc.message("assistant", "message", "It is 2."),
        ]
    )


@pytest.mark.parametrize("kind", ["model", "harness", "permissions", "theme"])
async def test_without_an_argument_it_lets_choose(host: Face, kind: str) -> None:
    await typed(host, f"/{kind}")
    assert host.picked == [kind]


async def test_model_switches_at_once_and_says_what_is_wrong(host: Face) -> None:
    await typed(host, "/model ollama/qwen3")
    assert host.session.model == "ollama/qwen3"
    assert host.told[-1][0] == "info"
    await typed(host, "/model no-such-thing-at-all")
    level, text, hint = host.told[-1]
    assert level == "error"
    assert "no-such-thing-at-all" in text
    assert hint
    assert host.session.model == "ollama/qwen3"


async def test_harness_switches_and_goes_back_to_auto(host: Face) -> None:
    await typed(host, "/harness native")
    assert (host.session.harness_id, host.session.harness_auto) == ("native", False)
    await typed(host, "/harness auto")
    assert host.session.harness_auto
    await typed(host, "/harness nothing")
    assert host.told[-1][0] == "error"
    assert "native" in host.told[-1][1]


async def test_approval_switches_and_warns_of_auto(host: Face) -> None:
    await typed(host, "/approval read-only")
    assert host.session.approval == "read-only"
    await typed(host, "/permissions auto")
    assert host.session.approval == "auto"
    assert [level for level, _, _ in host.told] == ["info", "warning"]
    await typed(host, "/approval perhaps")
    assert host.told[-1][0] == "error"


async def test_effort(host: Face) -> None:
    await typed(host, "/effort")
    assert host.picked == ["effort"]
    assert [one.value for one in host.choices("effort")][:3] == ["auto", "none", "minimal"]
    await typed(host, "/effort high")
    assert host.told[-1] == ("info", "effort is high from the next request on", "")
    assert [one.value for one in host.choices("effort") if one.current] == ["high"]
    host.session.engine.connection = await connect(Settings(llm=LlmSettings(api_key="k")), "gpt-5", lambda *_: None)
    assert [one.value for one in host.choices("effort")] == ["auto", "minimal", "low", "medium", "high"]
    await typed(host, "/effort max")
    assert host.told[-1][::2] == ("warning", "gpt-5 takes minimal, low, medium, high, so high is asked for")
    await typed(host, "/effort auto")
    assert host.session.effort == ""
    await typed(host, "/effort enormous")
    assert host.told[-1][0] == "error"


async def test_effort_of_a_model_that_cannot_be_told(host: Face) -> None:
    host.session.engine.connection = await connect(Settings(llm=LlmSettings(api_key="k")), "gpt-4.1", lambda *_: None)
    assert [one.value for one in host.choices("effort")] == ["auto"]
    await typed(host, "/effort high")
    assert host.told[-1][::2] == ("warning", "gpt-4.1 cannot be told how hard to think, so it is left out")


async def test_theme(host: Face) -> None:
    await typed(host, "/theme oi-light")
    assert host.theme == "oi-light"
    await typed(host, "/theme mud")
    assert host.told[-1] == ("error", "there is no theme 'mud'", "/theme shows them")


@pytest.mark.parametrize("line", ["%undo", "/undo"])
async def test_undo_takes_the_last_message_back(host: Face, line: str) -> None:
    await typed(host, line)
    assert host.told == [("warning", f"{line} has nothing to work on yet", f"{line} [FILES]")]
    spoken(host)
    await typed(host, line)
    assert host.session.messages == []
    assert "add one and one" in host.told[-1][1]


@pytest.mark.parametrize("line", ["%reset", "/new", "/clear"])
async def test_reset_begins_anew(host: Face, line: str) -> None:
    spoken(host)
    before = host.session.id
    await typed(host, line)
    assert host.session.messages == []
    assert host.session.id != before


@pytest.mark.parametrize(
    ("line", "text"),
    [("/copy", "It is 2."), ("/copy answer", "It is 2."), ("/copy code", "1+1"), ("/copy output", "2\n")],
)
async def test_copy(host: Face, line: str, text: str) -> None:
    spoken(host)
    await typed(host, line)
    assert host.copied == text
    assert host.told[-1][1].endswith("to the clipboard")


async def test_copy_of_something_else(host: Face) -> None:
    spoken(host)
    await typed(host, "/copy everything")
    assert host.told[-1] == ("error", "cannot copy 'everything'", "copy answer, code, output")


def test_code_in_a_fence_counts_as_code() -> None:
    text = "Try\n```python\na = 1\n```\nor\n```sh\nls\n```\n"
    assert last_code([lmc.message("assistant", "message", text)]) == "ls\n"


async def test_status_shows_where_things_stand(host: Face) -> None:
    await typed(host, "/status")
    ((title, text),) = host.shown
    assert title == "status"
    for part in ("embedded", "chosen by the model", "ask", host.session.cwd, host.session.id, "code may take"):
        assert part in text


async def test_undo_asks_where_files_changed_since(host: Face, tmp_path: Path) -> None:
    from oi_tui.tools.changes import Change, apply
    from oi_tui.tools.undo_stack import stack_of

    file = str(tmp_path / "f")

    def change() -> None:
        spoken(host)
        host.session.memory["exchange"] = 1
        stack_of(host.session.memory).push(replace(apply([Change(file, None, b"x")]), exchange=1))
        Path(file).write_text("mine")

    change()
    await typed(host, "/undo")
    level, text, hint = host.told[-1]
    assert (level, "changed since that message, nothing was taken back" in text) == ("error", True)
    assert hint == "/undo force puts files back all the same, /undo keep leaves them as they are"
    assert host.session.messages
    await typed(host, "/undo keep")
    assert host.told[-1][1].endswith("files stay as they are")
    assert (host.session.messages, Path(file).read_text()) == ([], "mine")
    Path(file).unlink()
    change()
    await typed(host, "/undo force")
    assert not Path(file).exists()
    await typed(host, "/undo everything")
    assert host.told[-1][0] in {"error", "warning"}


async def test_export_and_import(host: Face, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert isinstance(parsed := parse("/export"), Invocation) and parsed.command.unavailable(host)
    spoken(host)
    for line in (
        "/export",
        "/export a b.ipynb",
        "/export .md",
        "%save_message",
        "%jupyter",
        "%markdown",
        "%markdown x",
    ):
        await typed(host, line)
        assert host.told[-1][0] == "info" and host.told[-1][1].startswith("wrote"), (line, host.told[-1])
    assert {one.name for one in tmp_path.iterdir()} >= {
        "add-one-and-one.html", "a b.ipynb", "add-one-and-one.md", "messages.json", "x.md",
    }  # fmt: skip
    assert len(list((tmp_path / "me" / "Downloads").iterdir())) == 2
    await typed(host, "/export a b.ipynb")
    assert host.told[-1][0] == "error" and "/export -f" in host.told[-1][2]
    await typed(host, "/export -f a b.ipynb")
    assert host.told[-1][0] == "info"
    before = [one["content"] for one in host.session.messages]
    for line in ("/import a b.ipynb", "%load_message"):
        old = host.session.id
        await typed(host, line)
        assert [one["content"] for one in host.session.messages] == before and host.session.id != old
    for line, why in {"none.ipynb": "no such file", "x.md": "cannot be read as", "": "needs FILE"}.items():
        await typed(host, f"/import {line}")
        assert host.told[-1][0] != "info" and why in host.told[-1][1], host.told[-1]
    assert [one["content"] for one in host.session.messages] == before


async def test_what_people_know_from_classic(host: Face) -> None:
    spoken(host)
    await typed(host, "%verbose")
    await typed(host, "%debug")
    assert host.shown[-1] == host.shown[-2] and "add one and one" in host.shown[-1][1]
    host.session.settings.llm.api_key = "sk-secret-key"
    await typed(host, "%info")
    assert "Python" in host.shown[-1][1] and "sk-secret" not in host.shown[-1][1]
    for line, mode in (
        ("%auto_run", "auto"),
        ("%auto_run", "ask"),
        ("%auto_run true", "auto"),
        ("%auto_run x", "auto"),
    ):
        await typed(host, line)
        assert host.session.approval == mode
    assert host.told[-1][0] == "error"
    host.session.use_approval("read-only")
    await typed(host, "%auto_run")
    assert host.session.approval == "read-only" and host.told[-1][0] == "error"


def test_two_signs_run_a_line() -> None:
    assert parse("%% ls -l") == parse("!ls -l") == Shell("ls -l")
    assert parse("%%") == Prompt("%%")

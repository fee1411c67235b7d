"""Executors `shell` and `job_...` with real processes."""

# ruff: noqa: ASYNC240 - tests may wait for the disk
from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from oi_tui.protocol.calls import Result
from oi_tui.protocol.events import ConsoleOutput, Event
from oi_tui.tools import Context, get


async def shell(ctx: Context, command: str, **arguments: Any) -> Result:
    preview = get("shell").preview(ctx, command=command, **arguments)
    assert preview.error == "", preview.error
    return await get("shell").run(ctx, command=command, **arguments)


async def job(ctx: Context, name: str, **arguments: Any) -> Result:
    result = await get(f"job_{name}").run(ctx, **arguments)
    assert result.ok or "exit_code" in result.facts(), result.text
    return result


async def until(ctx: Context, id: str, text: str) -> str:
    """All that the job has printed, once `text` is in it."""
    async with asyncio.timeout(30):
        while True:
            result = await job(ctx, "output", id=id, whole=True)
            if text in result.text:
                return result.text
            assert result.meta["status"] == "running", result.text
            await job(ctx, "output", id=id, wait_s=5.0)


async def gone(pid: int) -> None:
    async with asyncio.timeout(30):
        while Path(f"/proc/{pid}/stat").exists() and b") Z" not in Path(f"/proc/{pid}/stat").read_bytes():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_command_and_its_output(ctx: Context, work: Path, events: list[Event]) -> None:
    (work / "my ü dir").mkdir()
    result = await shell(ctx, "echo out; echo err >&2; pwd; exit 3", workdir="my ü dir")
    assert (result.ok, result.exit_code, result.timed_out) == (False, 3, False)
    assert sorted(result.text.splitlines()) == sorted(["out", "err", str(work / "my ü dir")])
    assert result.meta["lines"] == 3
    assert result.meta["pgid"] == result.meta["pid"]
    assert "job" not in result.meta
    assert "".join(one.text for one in events if isinstance(one, ConsoleOutput)) == result.text
    apart = await shell(ctx, "echo out; echo err >&2; cat", split=True, stdin="given\n")
    assert (apart.text, apart.meta["stderr"]) == ("out\ngiven\n", "err\n")
    assert (await shell(ctx, "true")).text == ""
    assert (await shell(ctx, "read x || echo nothing to read")).text == "nothing to read\n"
    assert (await shell(ctx, "kill -9 $$")).meta["signal"] == 9
    assert (await job(ctx, "list")).meta["jobs"] == []


async def test_a_fresh_shell_each_time_but_the_folder_if_wanted(ctx: Context, work: Path) -> None:
    (work / "sub").mkdir()
    assert (await shell(ctx, "cd sub; X=1; export Y=2; exit 0", keep_folder=True)).ok
    assert (await shell(ctx, 'pwd; echo "[$X$Y]"', keep_folder=True)).text == f"{work / 'sub'}\n[]\n"
    assert (await shell(ctx, "pwd")).text == f"{work}\n"
    assert (await shell(ctx, "echo $A-$PAGER", env={"A": "b c", "PAGER": "mine"})).text == "b c-mine\n"
    assert (await shell(ctx, "shopt -q login_shell && echo yes", shell="bash", login=True)).text.endswith("yes\n")
    (work / "sub").rmdir()
    assert (await shell(ctx, "pwd", keep_folder=True)).text == f"{work}\n"


async def test_a_time_limit_ends_all_of_it(ctx: Context, work: Path) -> None:
    result = await shell(ctx, "echo began; sleep 600 & echo $! >pid; wait", timeout_s=0.5)
    assert (result.ok, result.timed_out, result.timeout_s, result.text) == (False, True, 0.5, "began\n")
    await gone(int((work / "pid").read_text()))


async def test_a_time_limit_may_send_it_to_the_background(ctx: Context) -> None:
    result = await shell(ctx, "echo one; read x; echo got $x; exit 4", timeout_s=0.2, on_timeout="background")
    assert (result.ok, result.exit_code, result.meta["status"]) == (True, None, "running")
    id = result.meta["job"]
    assert await until(ctx, id, "one") == "one\n"
    await job(ctx, "input", id=id, input="hello\n")
    ended = await job(ctx, "output", id=id, wait_s=30.0, until="end", whole=True)
    assert (ended.exit_code, ended.meta["status"], ended.text) == (4, "ended", "one\ngot hello\n")
    assert Path(ended.meta["output_path"]).read_text() == "one\ngot hello\n"
    assert Path(ended.meta["output_path"]).stat().st_mode & 0o777 == 0o600
    preview = get("job_input").preview(ctx, id=id, input="x\n")
    assert (preview.facts["error"], "has ended" in preview.error) == ("unavailable", True)


async def test_background_list_and_stop(ctx: Context) -> None:
    told: list[str] = []
    assert ctx.computer.jobs is not None
    ctx.computer.jobs.on_end = lambda one: told.append(f"{one.id} {one.status}")
    first = await shell(ctx, "sleep 600 & echo $!; wait", background=True, description="nap")
    second = await shell(ctx, "echo done", background=True)
    child = int(await until(ctx, first.meta["job"], "\n"))
    await job(ctx, "output", id=second.meta["job"], wait_s=30.0, until="end")
    rows = (await job(ctx, "list")).meta["jobs"]
    assert [(one["job"], one["status"], one["description"]) for one in rows] == [
        ("1", "running", "nap"),
        ("2", "ended", ""),
    ]
    assert [one["job"] for one in (await job(ctx, "list", active=True)).meta["jobs"]] == ["1"]
    stopped = await job(ctx, "stop", every=True)
    assert stopped.meta["stopped"] == ["1"]
    await gone(child)
    assert told == ["2 ended"]
    missing = get("job_output").preview(ctx, id="9")
    assert (missing.facts["error"], "there are 1, 2" in missing.error) == ("missing", True)


async def test_a_terminal_and_ctrl_c(ctx: Context) -> None:
    started = await shell(ctx, "test -t 0 && test -t 1 && echo tty; read -p 'name? ' x; echo hi $x; cat", tty=True,
                          background=True)  # fmt: skip
    id = started.meta["job"]
    assert "tty" in await until(ctx, id, "name?")
    await job(ctx, "input", id=id, input="ü\n")
    await until(ctx, id, "hi ü")
    await job(ctx, "input", id=id, input="\x03")
    ended = await job(ctx, "output", id=id, wait_s=30.0, until="end", whole=True)
    assert ended.exit_code == 130


async def test_what_a_command_leaves_running_becomes_a_job(ctx: Context) -> None:
    result = await shell(ctx, "sleep 600 & echo $!")
    assert result.exit_code == 0
    assert result.meta["status"] == "running"
    await job(ctx, "stop", id=result.meta["job"])
    await gone(int(result.text))


async def test_stopping_it_keeps_what_it_printed(ctx: Context) -> None:
    began = asyncio.Event()
    ctx.publish = lambda event: began.set() if isinstance(event, ConsoleOutput) else None
    task = asyncio.ensure_future(shell(ctx, "echo partial; exec sleep 600"))
    await asyncio.wait_for(began.wait(), 30)
    task.cancel()
    result = await task
    assert (result.ok, result.interrupted, result.text) == (False, True, "partial\n")


async def test_long_output_is_cut_and_kept(ctx: Context) -> None:
    result = await shell(ctx, "seq 1 100000", max_output=1000)
    assert len(result.text) <= 1100
    assert result.text.startswith("1\n2\n")
    assert result.text.endswith("100000\n")
    assert result.path is not None
    assert Path(result.path).read_text().splitlines()[77_000] == "77001"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"command": " "}, "argument", "empty"),
        ({"command": "a\0b"}, "argument", "NUL"),
        ({"command": "ls", "workdir": "no"}, "missing", "no folder"),
        ({"command": "ls", "timeout_s": -1}, "argument", "between"),
        ({"command": "ls", "timeout_s": "nan"}, "argument", "number"),
        ({"command": "ls", "on_timeout": "x"}, "argument", "kill or background"),
        ({"command": "ls", "env": {"A=": "1"}}, "argument", "variable"),
        ({"command": "ls", "env": {"A": 1}}, "argument", "texts"),
    ],
)
async def test_what_cannot_be(ctx: Context, arguments: dict[str, Any], error: str, words: str) -> None:
    preview = get("shell").preview(ctx, **arguments)
    assert words in preview.error
    assert preview.facts["error"] == error
    result = await get("shell").run(ctx, **arguments)
    assert (result.ok, result.meta["error"], result.text) == (False, error, preview.error)


async def test_only_the_shells_of_the_system_read_commands(ctx: Context, work: Path) -> None:
    (work / "bash").write_text("#!/bin/sh\ntouch ran\n")
    (work / "bash").chmod(0o755)
    for name in ("/no/such/shell", "python3", str(work / "bash")):
        result = await get("shell").run(ctx, command="ls", shell=name)
        assert (result.ok, "is no shell of this machine" in result.text) == (False, True)
    assert not (work / "ran").exists()
    assert (await shell(ctx, "echo $0", shell="/bin/sh")).text == "/bin/sh\n"


async def test_nothing_is_left_when_the_computer_closes(ctx: Context, computer: Any) -> None:
    started = await shell(ctx, "trap '' TERM; sleep 600 & echo $!; wait", background=True)
    child = int(await until(ctx, started.meta["job"], "\n"))
    await computer.close()
    await gone(child)
    await gone(started.meta["pid"])

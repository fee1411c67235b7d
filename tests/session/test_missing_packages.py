"""A block that lacks a module: who is asked, what is installed, and that the block then runs exactly once more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from oi_tui.protocol.calls import Decision, Result
from oi_tui.protocol.events import ApprovalRequested, CallEnded, ConsoleOutput, TurnEnded
from oi_tui.safety.rules import Rule
from oi_tui.session.approvals import StaleDecision
from oi_tui.session.missing_packages import missing_module, suggestion_for
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import output, run_exec, work_folder
from tests.user_reports.in_process import Live

BLOCK = "print('once', file=open('ran', 'a'))\nimport {}\nprint({}.X)"


def _wheel(folder: Path, package: str, module: str) -> None:
    stem = package.replace("-", "_")
    info = f"{stem}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{stem}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{module}.py", "X = 41\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"{module}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An active virtual environment without packages, and an index that is a folder: PyYAML, and one nobody knows."""
    uv = Path(sys.prefix) / "bin" / "uv"
    made = subprocess.run(
        [sys.executable, "-m", "venv", *(["--without-pip"] if uv.exists() else []), tmp_path / "env"], check=False
    )
    if made.returncode:
        pytest.skip("this Python makes no environment with pip")
    (tmp_path / "bin").mkdir()
    if uv.exists():
        (tmp_path / "bin" / "uv").symlink_to(uv)
    (tmp_path / "wheels").mkdir()
    _wheel(tmp_path / "wheels", "PyYAML", "yaml")
    _wheel(tmp_path / "wheels", "nobody-knows", "nobody_knows")
    for name, value in {
        "VIRTUAL_ENV": str(tmp_path / "env"),
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path / "wheels"),
        "UV_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "UV_NO_CONFIG": "1",
        "UV_FIND_LINKS": str(tmp_path / "wheels"),
        "UV_CACHE_DIR": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    return tmp_path / "env"


def _installed(environment: Path, module: str) -> list[str]:
    return [one.name for one in environment.glob(f"lib/*/site-packages/{module}*")]


def _block(module: str = "yaml") -> str:
    return BLOCK.format(module, module)


def _runs() -> int:
    return (work_folder() / "ran").read_text().count("once")


async def _run_code(live: Live, request: ApprovalRequested) -> ApprovalRequested:
    """Let the block run; the next thing that is asked."""
    live.approve(request)
    return await live.asked()


async def test_the_person_is_asked_about_the_exact_command(environment: Path) -> None:
    with MockModel([code("python", _block()), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("read it")
            request = await _run_code(live, await live.asked())
            assert request.subject == "tool"
            assert request.what == "install the package PyYAML for yaml"
            assert request.code.endswith("-- PyYAML")
            assert str(environment / "bin" / "python") in request.code or shutil.which("uv") is None
            assert str(environment) in request.where
            with pytest.raises(StaleDecision):
                live.session.answer(request.approval_id, Decision("approve", request.code + " evil"))
            with pytest.raises(StaleDecision):
                live.session.answer(request.approval_id, Decision("edit", "pip install evil"))
            live.approve(request)
            assert (await live.until(TurnEnded)).reason == "done"
            (result,) = live.results
            assert output(result) == "41\n"
            assert f"installed PyYAML into {environment}; the block was run again" in result
            (ended,) = live.all_of(CallEnded)
            assert ended.ok
            (only,) = {one.call_id for one in live.all_of(ConsoleOutput)}
            assert only == ended.call_id
            assert any(one.text == f"$ {request.code}\n" for one in live.all_of(ConsoleOutput))
    assert _runs() == 2


async def test_another_installer_than_the_one_that_was_shown_does_not_run(environment: Path) -> None:
    with MockModel([code("python", _block()), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("read it")
            request = await _run_code(live, await live.asked())
            # The environment's own bin folder comes first in PATH.
            (environment / "bin" / "uv").write_text("#!/bin/sh\ntouch evil\n")
            (environment / "bin" / "uv").chmod(0o755)
            live.approve(request)
            assert (await live.until(TurnEnded)).reason == "done"
            assert "PyYAML was not installed: the command is another one now" in live.results[0]
    assert not (work_folder() / "evil").exists()
    assert _runs() == 1


async def test_declined_is_told_to_the_model_and_not_asked_again(environment: Path) -> None:
    with MockModel([code("python", _block()), code("python", _block()), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("read it")
            request = await _run_code(live, await live.asked())
            live.session.answer(request.approval_id, Decision("reject", reason="use json"))
            live.approve(await live.asked())  # the second block; its package is not asked about any more
            assert (await live.until(TurnEnded)).reason == "done"
            first, second = live.results
            assert "The person declined to install PyYAML: use json" in first
            assert "which the person declined to install" in second
            assert [one.summary for one in live.all_of(CallEnded)] == ["failed", "failed"]
    assert _runs() == 2


async def test_stop_ends_the_turn(environment: Path) -> None:
    with MockModel([code("python", _block())]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("read it")
            request = await _run_code(live, await live.asked())
            live.session.answer(request.approval_id, Decision("stop"))
            assert (await live.until(TurnEnded)).reason == "refused"
            assert len(mock.requests) == 1
    assert _runs() == 1


async def test_an_interrupt_while_it_is_asked(environment: Path) -> None:
    with MockModel([code("python", _block())]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("read it")
            await _run_code(live, await live.asked())
            live.session.interrupt()
            assert (await live.until(TurnEnded)).reason == "interrupted"


async def test_an_interrupt_ends_the_installer(environment: Path) -> None:
    slow = environment.parent / "bin" / "uv"
    slow.unlink(missing_ok=True)
    slow.write_text("#!/bin/sh\necho fetching\nexec sleep 60\n")
    slow.chmod(0o755)
    with MockModel([code("python", _block()), say("on")]) as mock:
        async with Live(mock) as live:
            live.session.submit("read it")
            await live.printed("fetching")
            live.session.interrupt()
            assert (await live.until(TurnEnded)).reason == "interrupted"
            assert (await live.turn("go on")).reason == "done"
            assert "installing PyYAML was interrupted" in live.results[0]
    assert _runs() == 1


async def test_auto_installs_what_is_known_unasked(environment: Path) -> None:
    with MockModel([code("python", _block()), say("ok")]) as mock:
        async with Live(mock) as live:
            assert (await live.turn()).reason == "done"
            assert live.all_of(ApprovalRequested) == []
            assert output(live.results[0]) == "41\n"
    assert _runs() == 2


async def test_auto_asks_about_a_name_that_is_only_guessed(environment: Path) -> None:
    with MockModel([code("python", _block("nobody_knows")), say("ok")]) as mock:
        async with Live(mock) as live:
            live.session.submit("read it")
            request = await live.asked()
            assert request.code.endswith("-- nobody-knows")
            assert "only guessed" in request.why
            live.approve(request, "approve_session")
            assert (await live.until(TurnEnded)).reason == "done"
            assert output(live.results[0]) == "41\n"


async def test_allowed_for_the_session_means_known_packages(environment: Path) -> None:
    both = [code("python", _block()), code("python", "import nobody_knows"), say("ok")]
    with MockModel(both) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.engine.policy.allow_session((Rule("allow", tool="install"),))
            live.session.submit("read it")
            live.approve(await live.asked())
            live.approve(await live.asked())
            request = await live.asked()
            assert request.what == "install the package nobody-knows for nobody_knows"
            live.session.answer(request.approval_id, Decision("reject"))
            assert (await live.until(TurnEnded)).reason == "done"
            assert output(live.results[0]) == "41\n"


async def test_what_no_package_can_be_called_is_not_asked_about(environment: Path) -> None:
    with MockModel([code("python", "import odd_"), say("ok")]) as mock:
        async with Live(mock) as live:
            assert (await live.turn()).reason == "done"
            assert live.all_of(ApprovalRequested) == []
            assert "No module named 'odd_'" in live.results[0]


async def test_a_failed_installation_says_why_and_does_not_go_round(environment: Path) -> None:
    with MockModel([code("python", "print('x')\nimport cv2"), say("ok")]) as mock:
        async with Live(mock) as live:
            assert (await live.turn()).reason == "done"
            (result,) = live.results
            assert "no package opencv-python fits" in result
            assert output(result).count("x\n") == 1
            assert "ModuleNotFoundError" in result


async def test_a_second_missing_module_is_not_installed_for_the_same_block(environment: Path) -> None:
    block = "import yaml\nimport cv2"
    with MockModel([code("python", block), say("ok")]) as mock:
        async with Live(mock) as live:
            assert (await live.turn()).reason == "done"
            (result,) = live.results
            assert "the block was run again" in result
            assert "No module named 'cv2'" in result
            assert sum("opencv-python" in one.text for one in live.all_of(ConsoleOutput)) == 0


def test_without_a_screen_a_guessed_name_is_refused_and_told(environment: Path) -> None:
    with MockModel([code("python", _block("nobody_knows")), code("python", _block()), say("ok")]) as mock:
        done = run_exec(mock)
    assert done.code == 0
    first, second = done.results
    assert "was not installed: its name is only guessed from the import, and nobody is here to approve it" in first
    assert output(second) == "41\n"


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({"error": "ModuleNotFoundError: No module named 'cv2'", "missing": "cv2"}, "cv2"),
        ({"error": "ImportError: cannot import name 'x' from 'yaml'", "missing": "yaml"}, ""),
        ({"error": "ZeroDivisionError: division by zero"}, ""),
        ({}, ""),
    ],
)
def test_which_failures_lack_a_module(meta: dict[str, str], expected: str) -> None:
    assert missing_module(Result(ok=False, meta=meta)) == expected
    assert missing_module(Result(ok=True, meta=meta)) == ""


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("cv2", "opencv-python"),
        ("google.protobuf", "protobuf"),
        ("pandas.nonsense", None),
        ("my_own.part", None),
        ("json.nonsense", None),
        ("", None),
    ],
)
def test_a_part_of_a_package_that_is_there_is_not_installed(module: str, package: str | None) -> None:
    found = suggestion_for(module)
    assert (found.name if found else None) == package


def _program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package manager that puts a command in PATH, and notes what it was asked for."""
    programs = tmp_path / "programs"
    made = f"printf '#!/bin/sh\\necho it runs\\n' > {programs}/frobnicate; chmod +x {programs}/frobnicate"
    _program(programs, "apt-get", f'echo "$@" >> {tmp_path}/asked; echo unpacking; {made}')
    _program(programs, "apt-cache", '[ "$3" = frobnicate ]')
    _program(programs, "sudo", 'exec "$@"')
    _program(
        programs, "npm", "mkdir -p node_modules/tinylib; echo 'module.exports = 41' > node_modules/tinylib/index.js"
    )
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return tmp_path


async def test_a_missing_command_is_installed_after_a_question_even_in_auto(system: Path) -> None:
    with MockModel([code("shell", "frobnicate"), say("ok")]) as mock:
        async with Live(mock, approval_policy="auto") as live:
            live.session.submit("run it")
            request = await live.asked()
            assert request.code.endswith("apt-get install -y frobnicate")
            assert request.what == "install the system package frobnicate"
            assert "only its name fits" in request.why
            live.approve(request)
            assert (await live.until(TurnEnded)).reason == "done"
            assert output(live.results[0]) == "it runs\n"
            assert "installed frobnicate; the block was run again" in live.results[0]
            assert any("unpacking" in one.text for one in live.all_of(ConsoleOutput))
    assert (system / "asked").read_text() == "install -y frobnicate\n"


async def test_a_missing_command_is_never_installed_where_nobody_answers(system: Path) -> None:
    with MockModel([code("shell", "frobnicate"), code("shell", "no-such-thing-here"), say("ok")]) as mock:
        async with Live(mock, approval_policy="auto") as live:
            live.session.attended = False
            live.session.submit("run it")
            assert (await live.until(TurnEnded)).reason == "done"
            first, second = live.results
            assert "frobnicate was not installed: its name is only guessed" in first
            assert "no package of apt-get is known that brings it" in second
    assert not (system / "asked").exists()


async def test_duckdb_is_installed_for_a_file_that_needs_it(environment: Path) -> None:
    wheels = environment.parent / "wheels"
    _wheel(wheels, "duckdb", "duckdb")
    with MockModel([code("sql", "-- duckdb\nselect 1"), say("ok")]) as mock:
        async with Live(mock, approval_policy="auto") as live:
            assert (await live.turn()).reason == "done"
            assert f"installed duckdb into {environment}; the block was run again" in live.results[0]


async def test_in_read_only_nothing_is_installed_and_nobody_is_asked(
    environment: Path, system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read may run there, and its program may be missing."""
    bash = shutil.which("bash")
    assert bash
    (system / "programs" / "bash").symlink_to(bash)
    monkeypatch.setenv("PATH", str(system / "programs"))
    with MockModel([code("shell", "tree ."), code("python", _block()), say("ok")]) as mock:
        async with Live(mock, approval_policy="read-only") as live:
            assert (await live.turn()).reason == "done"
            assert live.all_of(ApprovalRequested) == []
            read, code_ = live.results
            assert "not found" in read and "tree was not installed: approval mode is read-only" in read
            assert "read-only" in code_
    assert not (system / "asked").exists() and _installed(environment, "yaml") == []


async def test_a_name_that_looks_like_a_known_one_is_said_to_the_person_and_the_model(environment: Path) -> None:
    _wheel(environment.parent / "wheels", "yamll", "yamll")
    with MockModel([code("python", _block("yamll")), say("ok")]) as mock:
        async with Live(mock, approval_policy="auto") as live:
            live.session.submit("read it")
            request = await live.asked()
            assert request.what == "install the package yamll" and request.why.startswith("it looks like yaml,")
            live.session.answer(request.approval_id, Decision("reject"))
            await live.until(TurnEnded)
    with MockModel([code("python", _block("yamll")), say("ok")]) as mock:
        done = run_exec(mock)
    assert "did you mean yaml?" in done.results[0]
    assert _installed(environment, "yamll") == []


async def test_a_missing_package_of_javascript_is_installed_in_the_folder(system: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    with MockModel([code("javascript", "console.log(require('tinylib'))"), say("ok")]) as mock:
        async with Live(mock, approval_policy="auto") as live:
            live.session.submit("run it")
            request = await live.asked()
            assert request.code == "npm install --no-fund --no-audit -- tinylib" and "guessed" in request.why
            live.approve(request)
            assert (await live.until(TurnEnded)).reason == "done"
            assert output(live.results[0]) == "41\n"

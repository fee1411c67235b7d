"""The app is killed (`kill -9`): all that it had started is gone soon, whatever that was doing."""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from oi_tui.computer.languages.catalog import BUILT_IN
from oi_tui.computer.languages.registry import lacks
from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, answer, code, say, wait
from tests.mock_model.script import Answer
from tests.user_reports.driver import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")

PATIENCE = 30.0  # seconds; it takes five at most where nothing else runs
WINDOW = ("-c", "llm.context_window=200000")
# Starts a program of its own that leaves its group and its session, and then the block works for ever.
LEAVES = {
    "python": "import subprocess\n_ = subprocess.Popen(['setsid', 'sleep', '977'])",
    "shell": "setsid sleep 977 & (trap '' TERM HUP INT; sleep 977; true) &",
    "javascript": "require('child_process').spawn('sleep', ['977'], { stdio: 'ignore', detached: true }).unref()",
    "ruby": "Process.detach(spawn('sleep 977', pgroup: true)); nil",
    "r": "system('setsid sleep 977', wait = FALSE)",
    "sql": "create temp table t(a)",
}
ENDLESS = {
    "python": "print('begun', flush=True)\nimport itertools\nsum(itertools.repeat(1))",  # hears no signal
    "shell": "trap '' TERM HUP INT; echo begun; while :; do :; done",
    "javascript": "console.log('begun'); while (true) {}",
    "html": "<script>console.log('begun'); setTimeout(() => { while (true) {} }, 50)</script>",
    "react": "console.log('begun'); setTimeout(() => { while (true) {} }, 50); export default () => <p>x</p>",
    "jupyter": "import time; print('begun'); time.sleep(3600)",
}
PROGRAM = {"html": "--remote-debugging-pipe", "react": "--remote-debugging-pipe", "jupyter": "-m ipykernel_launcher"}


WHY_NOT = {one.name: lacks(one, os.environ) for one in BUILT_IN}


def killed(term: Terminal) -> None:
    """Kill the program, and nothing else; every process that carries its mark must go by itself."""
    assert len(term.processes()) > 1, "it has started nothing"
    term.signal(signal.SIGKILL)
    term.process.wait()
    until(lambda: not term.processes(), PATIENCE, lambda: f"processes were left: {term.processes()}")


def scratch() -> Path:
    """Where the program puts its temporary files in these tests."""
    folder = Path(os.environ["HOME"]) / "tmp"
    folder.mkdir(exist_ok=True)
    return folder


def kernelspec() -> str:
    """A kernel whose own watch for its parent is of no use, since that is a shell of its own. Returns JUPYTER_PATH."""
    if find_spec("ipykernel") is None:
        pytest.skip("ipykernel is not installed")
    share = Path(os.environ["HOME"]) / "share"
    (share / "kernels" / "clingy").mkdir(parents=True)
    argv = ["sh", "-c", f'"{sys.executable}" -m ipykernel_launcher -f "$0"; true', "{connection_file}"]
    spec = {"argv": argv, "display_name": "clingy", "language": "clingy"}
    (share / "kernels" / "clingy" / "kernel.json").write_text(json.dumps(spec))
    return str(share)


def lives_through(
    script: list[Answer], *flags: str, seen: str, env: dict[str, str] | None = None, program: str = ""
) -> None:
    """Run the script in the app until `seen` is on the screen and `program` runs, then kill the app."""
    with MockModel(script) as mock:
        term = Terminal(mock, "-y", *WINDOW, *flags, size=(150, 40), env={"TMPDIR": str(scratch()), **(env or {})})
        try:
            term.say("go")
            term.wait_for(seen, 150)
            term.wait_for(lambda: any(program in one for one in term.processes()), what=program)
            killed(term)
        finally:
            term._close()
    until(lambda: not list(scratch().glob("oi-*")), PATIENCE, lambda: f"files were left: {list(scratch().iterdir())}")


@pytest.mark.parametrize("language", ENDLESS)
def test_a_block_that_runs_for_ever_goes_with_the_app(language: str) -> None:
    spoken = "clingy" if language == "jupyter" else language
    env = {"JUPYTER_PATH": kernelspec()} if language == "jupyter" else {}
    if why := WHY_NOT.get(language):
        pytest.skip(why)
    lives_through([code(spoken, ENDLESS[language])], seen="begun", env=env, program=PROGRAM.get(language, ""))


def test_kernels_and_what_they_left_running_go_with_the_app() -> None:
    here = [language for language in LEAVES if not WHY_NOT[language]]
    assert len(here) >= 3
    script = [*(code(language, LEAVES[language]) for language in here), say("all is up")]
    lives_through(script, seen="all is up", program="sleep 977")


@pytest.mark.timeout(300)
def test_litellm_goes_with_the_app_in_the_middle_of_an_answer() -> None:
    script = [answer(say("half an answer "), wait(600))]
    lives_through(script, "-c", "llm.backend=litellm", seen="half an answer", program="litellm_worker")


def test_litellm_goes_with_the_app_while_it_is_loaded(tmp_path: Path) -> None:
    """Nobody reads the end of its input then. One that is never loaded stands for one that takes its time."""
    begun = tmp_path / "begun"
    (tmp_path / "sitecustomize.py").write_text(
        "import pathlib, sys, time\n"
        "class Slow:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'litellm' and 'litellm_worker' in ' '.join(sys.orig_argv):\n"
        f"            pathlib.Path({str(begun)!r}).touch()\n"
        "            time.sleep(3600)\n"
        "sys.meta_path.insert(0, Slow())\n"
    )
    with MockModel([say("never")]) as mock:
        flags = ("-y", *WINDOW, "-c", "llm.backend=litellm")
        term = Terminal(mock, *flags, env={"PYTHONPATH": str(tmp_path)})
        try:
            term.say("go")
            term.wait_for(begun.exists, 60, "its import")
            killed(term)
        finally:
            term._close()

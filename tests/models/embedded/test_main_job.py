"""The README's first command, on the real built-in model: ask, code, run, answer, in a home of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from oi_tui import paths
from tests.e2e.terminal import Terminal
from tests.user_reports.driver import until


@pytest.mark.embedded
@pytest.mark.timeout(300)
def test_the_built_in_model_answers_by_running_code(small_model: Path, tmp_path: Path) -> None:
    paths.private_dir(paths.models())
    (paths.models() / small_model.name).symlink_to(small_model)
    done = subprocess.run(
        [sys.executable, "-m", "oi_tui", "exec", "-y", "-m", "embedded/0.5b", "what is 2380*3875?"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "9222500\n"
    assert "> python" in done.stderr
    assert "2380" in done.stderr


@pytest.mark.embedded
@pytest.mark.timeout(300)
def test_without_leave_to_run_it_refuses_and_says_how(small_model: Path, tmp_path: Path) -> None:
    paths.private_dir(paths.models())
    (paths.models() / small_model.name).symlink_to(small_model)
    done = subprocess.run(
        [sys.executable, "-m", "oi_tui", "exec", "-m", "embedded/0.5b", "print the numbers from 1 to 3"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ,
        check=False,
    )
    assert done.returncode == 3
    assert "run with -y" in done.stderr


@pytest.mark.embedded
@pytest.mark.timeout(300)
def test_the_built_in_model_goes_with_the_app(small_model: Path) -> None:
    paths.private_dir(paths.models())
    (paths.models() / small_model.name).symlink_to(small_model)
    term = Terminal(None, "-m", "embedded/0.5b", size=(150, 40))
    try:
        term.say("count from 1 to 500, in words, and run nothing")
        term.wait_for(lambda: any("embedded.worker" in one for one in term.processes()), 60, "its process")
        term.signal(signal.SIGKILL)
        term.process.wait()
        until(lambda: not term.processes(), 30, lambda: f"processes were left: {term.processes()}")
    finally:
        term._close()

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oi_tui.tools import diffs

LINES = st.lists(st.sampled_from(["a", "b", "", "  c", "-- d", "++ e", "@@ f", "\u2028", "\x0c"]), max_size=40)
TEXTS = st.tuples(LINES, st.booleans()).map(lambda pair: "\n".join(pair[0]) + ("\n" if pair[1] and pair[0] else ""))


def test_equal_texts_have_no_diff_and_a_new_file_comes_from_nowhere() -> None:
    assert diffs.unified("a\n", "a\n", "x", "x") == ""
    assert diffs.unified(None, "a\n", "x", "x") == "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"
    assert (
        diffs.unified("a", None, "x", "x")
        == "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n"
    )


def test_close_changes_share_a_hunk_and_far_ones_do_not() -> None:
    old = [str(n) for n in range(40)]
    near, far = list(old), list(old)
    near[10], near[16] = "x", "y"
    far[10], far[20] = "x", "y"
    text = "\n".join(old)
    assert diffs.unified(text, "\n".join(near), "f", "f").count("@@ -") == 1
    assert diffs.unified(text, "\n".join(far), "f", "f").count("@@ -") == 2


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=TEXTS, new=TEXTS)
def test_git_applies_every_diff(tmp_path: Path, old: str, new: str) -> None:
    diff = diffs.unified(old, new, "f", "f")
    if not diff:
        assert old == new
        return
    target = tmp_path / "f"
    target.write_text(old, newline="")
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "--unidiff-zero", "-"],
        input=diff.encode(),
        cwd=tmp_path,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert target.read_bytes() == new.encode()


@settings(deadline=None)
@given(old=TEXTS, new=TEXTS)
def test_counts_balance(old: str, new: str) -> None:
    added, removed = diffs.count(diffs.unified(old, new, "f", "f"))
    lines = lambda text: len(text.split("\n")) - text.endswith("\n") if text else 0  # noqa: E731
    assert lines(new) - lines(old) == added - removed


def test_a_huge_rewrite_is_shown_as_replaced() -> None:
    old = "".join(f"{n}\n" for n in range(5000))
    new = "".join(f"{n}!\n" for n in range(5000))
    assert diffs.count(diffs.unified(old, new, "f", "f")) == (5000, 5000)

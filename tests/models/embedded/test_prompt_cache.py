"""Saved prompt states as files: found by what they begin with, never damaged ones or of other weights, few, private."""

from __future__ import annotations

import json
import os
import shutil
import stat
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from oi_tui import paths
from oi_tui.faces import models
from oi_tui.models.embedded import catalog, prompt_cache
from oi_tui.models.embedded.prompt_cache import MOST, PromptCache
from oi_tui.models.embedded.slot import Slot

START: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
ASKED = [*START, {"role": "user", "content": "what is 2 + 2?"}]


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "some model.gguf"
    path.write_bytes(b"GGUF")
    return path


def cache_of(weights: Path, runtime: str = "1 4096") -> PromptCache:
    return PromptCache(weights.parent / "prompts", weights, runtime)


def save(cache: PromptCache, messages: list[dict[str, Any]], content: bytes = b"state") -> Path:
    part = cache.part()
    assert part is not None
    part.write_bytes(content)
    assert cache.keep(part, messages)
    found = cache.find(messages)
    assert found is not None
    return found


def test_the_longest_beginning_is_found(weights: Path) -> None:
    cache = cache_of(weights)
    assert cache.find(ASKED) is None
    short, long = save(cache, START[:1]), save(cache, START, b"longer")
    assert cache.find(ASKED) == long
    assert cache.find([START[0], {"role": "user", "content": "other"}]) == short
    assert cache.find([{"role": "system", "content": "Be long."}]) is None
    assert cache.is_of(long, START)
    assert not cache.is_of(short, START)


def test_a_state_of_other_weights_or_another_runtime_is_not_taken(weights: Path) -> None:
    save(cache_of(weights), START)
    assert cache_of(weights, "2 4096").find(ASKED) is None
    weights.write_bytes(b"GGUF of another size")
    assert cache_of(weights).find(ASKED) is None


@pytest.mark.parametrize("content", [b"", b"stat", b"State", b"state and more"])
def test_a_damaged_state_is_deleted(weights: Path, content: bytes) -> None:
    cache = cache_of(weights)
    found = save(cache, START)
    found.write_bytes(content)
    assert cache.find(ASKED) is None
    assert not found.exists()
    assert save(cache, START) == found


def test_only_the_owner_can_read_it_and_a_half_written_one_is_never_found(weights: Path) -> None:
    cache = cache_of(weights)
    found = save(cache, START)
    assert stat.S_IMODE(found.stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700
    part = cache.part()
    assert part is not None
    part.write_bytes(b"half")
    assert cache.find(ASKED) == found


def test_the_oldest_go(weights: Path) -> None:
    cache = cache_of(weights)
    made: list[Path] = []
    for number in range(MOST):
        made.append(save(cache, [{"role": "system", "content": str(number)}], b"%d" % number))
        os.utime(made[-1], (number, number))
    lost = cache.folder / "1-1.part"
    lost.write_bytes(b"")
    os.utime(lost, (0, 0))
    assert cache.find([{"role": "system", "content": "0"}]) == made[0]  # used: the newest now
    newest = save(cache, START)
    assert set(cache.folder.iterdir()) == {made[0], *made[2:], newest}


def test_too_large_a_state_is_not_kept(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_cache, "LARGEST", 3)
    cache = cache_of(weights)
    part = cache.part()
    assert part is not None
    part.write_bytes(b"four")
    assert not cache.keep(part, START)
    assert not list(cache.folder.iterdir())


def test_a_folder_that_cannot_be_made_is_no_error(weights: Path) -> None:
    (weights.parent / "prompts").write_text("a file is in the way")
    cache = cache_of(weights)
    assert cache.part() is None
    assert cache.find(ASKED) is None


def test_oi_models_rm_takes_the_states_along(isolated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = paths.private_dir(paths.models())
    for one in catalog.ALL:
        save(PromptCache(prompt_cache.folder_in(folder), folder / one.file, "1"), START, b"x" * 2_000_000)
    assert models.main(["rm", "embedded/0.5b"]) == 0
    assert "2 MB" in capsys.readouterr().err
    left = [path.name for path in prompt_cache.folder_in(folder).iterdir()]
    assert len(left) == 1
    assert left[0].startswith("qwen2-5-coder-1-5b")


def test_a_nearly_full_disk_is_left_alone(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = cache_of(weights)
    usage = shutil.disk_usage(weights.parent)
    monkeypatch.setattr("shutil.disk_usage", lambda _path: usage._replace(free=prompt_cache.LARGEST))
    assert cache.part() is None
    monkeypatch.undo()
    assert cache.part() is not None


def test_half_of_a_state_that_could_not_be_saved_is_not_left(weights: Path) -> None:
    cache = cache_of(weights)

    class Failing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            (cache.folder / body["filename"]).write_bytes(b"half")
            self.send_error(500)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Failing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        Slot(f"http://127.0.0.1:{server.server_address[1]}", "key", cache).keep({"messages": ASKED}, 2)
        server.shutdown()
    assert list(cache.folder.iterdir()) == []

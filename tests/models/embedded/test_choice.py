"""Which weights a name means, by memory and by what is here."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from oi_tui.models.embedded import catalog, choice, memory
from oi_tui.models.embedded.choice import choose, is_embedded
from oi_tui.models.embedded.errors import EmbeddedError

GB = 10**9


def put(folder: Path, weights: catalog.Weights) -> None:
    """A file of the right size that takes no room."""
    with (folder / weights.file).open("wb") as file:
        file.truncate(weights.size)


@pytest.mark.parametrize(
    ("here", "free", "expected"),
    [
        ("", 8 * GB, "embedded/1.5b"),
        ("", 3 * GB, "embedded/0.5b"),
        ("", GB // 2, "embedded/0.5b"),
        ("0.5b", 8 * GB, "embedded/0.5b"),
        ("1.5b", 3 * GB, "embedded/1.5b"),
        ("1.5b", 2 * GB, "embedded/0.5b"),
        ("0.5b 1.5b", 8 * GB, "embedded/1.5b"),
        ("0.5b 1.5b", 3 * GB, "embedded/0.5b"),
    ],
)
def test_embedded_means_what_fits(tmp_path: Path, here: str, free: int, expected: str) -> None:
    for weights in catalog.ALL:
        if weights.name in here:
            put(tmp_path, weights)
    chosen = choose("embedded", tmp_path, free)
    assert chosen.name == expected
    assert chosen.present == (expected.removeprefix("embedded/") in here)


@pytest.mark.parametrize("name", ["embedded/0.5b", "embedded:0.5b", "EMBEDDED/0.5B", " embedded/0.5b "])
def test_a_size_can_be_named(tmp_path: Path, name: str) -> None:
    assert choose(name, tmp_path, 64 * GB).weights is catalog.SMALL


@pytest.mark.parametrize("form", ["{}", "embedded:{}", "embedded/{}"])
def test_an_own_file(tmp_path: Path, form: str) -> None:
    path = tmp_path / "Own Model.GGUF"
    path.write_bytes(b"GGUF\x03\0\0\0")
    chosen = choose(form.format(path))
    assert (chosen.path, chosen.weights, chosen.present, chosen.title) == (path, None, True, "Own Model.GGUF")


def test_a_relative_own_file_is_kept_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.gguf").write_bytes(b"GGUF")
    assert choose("own.gguf").path == tmp_path / "own.gguf"


def test_own_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match=r"cannot open .*no such file"):
        choose(str(tmp_path / "missing.gguf"))
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(EmbeddedError, match="is not a GGUF file"):
        choose(str(tmp_path / "text.gguf"))


@pytest.mark.parametrize("name", ["embedded/7b", "embedded:", "gpt-4o", ""])
def test_unknown_names_say_what_there_is(name: str) -> None:
    with pytest.raises(EmbeddedError, match="no built-in model") as caught:
        choose(name)
    assert "embedded/0.5b" in caught.value.hint


def test_which_names_are_ours() -> None:
    assert all(map(is_embedded, ("embedded", "Embedded", "embedded/7b", "embedded:x", "/a/b.gguf", "x.GGUF")))
    assert not any(map(is_embedded, ("gpt-4o", "embedded-model", "ollama/x", "openai/embedded")))


def test_half_a_file_is_not_present(tmp_path: Path) -> None:
    (tmp_path / catalog.SMALL.file).write_bytes(b"GGUF")
    assert not choose("embedded/0.5b", tmp_path).present


def test_looking_for_the_runtime_does_not_import_it() -> None:
    choice.available()
    assert "xllamacpp" not in sys.modules


def test_the_catalog_is_consistent() -> None:
    for weights in catalog.ALL:
        assert catalog.find(f"embedded/{weights.name}") is weights
        assert len(weights.sha256) == 64
        assert len(set(weights.packages)) == len(weights.packages) > 0
        assert "Apache" in weights.licence
    assert catalog.find(replace(catalog.SMALL, name="x").name) is None


def test_memory_of_this_machine() -> None:
    assert 1_000_000 < memory.free() <= 1 << 62


def test_a_control_group_limits_memory(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("3000000000\n")
    (tmp_path / "memory.current").write_text("1000000000\n")
    assert memory._control_group(tmp_path) == 2 * GB
    (tmp_path / "memory.max").write_text("max\n")
    assert memory._control_group(tmp_path) > 1 << 60
    assert memory._control_group(tmp_path / "none") > 1 << 60

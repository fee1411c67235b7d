"""Output for the model: cleaning, cutting, and captures of any length in bounded memory."""

from __future__ import annotations

import stat
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oi_tui.computer.output import Capture, clean, for_model, for_screen


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("\x1b[31mred\x1b[0m plain\n", "red plain\n"),
        ("10%\r50%\r100%\n", "100%\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("bar\r", "bar"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP1$r\x1b\\x", "x"),
        ("a\x08b|/\x08-\x08done", "b|done"),
        ("\x08x", "x"),
        ("bell\x07 nul\x00 tab\t", "bell nul tab\t"),
        ("\x1b[2J\x1b[Hhome", "home"),
    ],
)
def test_clean(raw: str, plain: str) -> None:
    assert clean(raw) == plain


def test_the_screen_keeps_colours_only() -> None:
    assert for_screen("\x1b[1;31mred\x1b[0m\x1b[2J\x1b]0;t\x07\x07!") == "\x1b[1;31mred\x1b[0m!"


def test_short_text_stays() -> None:
    assert for_model("x" * 2800) == ("x" * 2800, 0)


def test_long_text_keeps_head_and_tail() -> None:
    """UR-026."""
    text = "".join(f"{n} {'x' * 80}\n" for n in range(100000))
    shown, cut = for_model(text, where="full text: /somewhere/full.txt")
    assert len(shown) <= 2800
    assert shown.startswith("0 xxx") and shown.rstrip("\n").endswith("99999 " + "x" * 80)
    head, _, rest = shown.partition("[... ")
    marker, _, tail = rest.partition(" ...]\n")
    assert str(cut) in marker and "/somewhere/full.txt" in marker
    assert cut + len(head) + len(tail) == len(text)


@given(st.text(max_size=300), st.integers(min_value=1, max_value=5000))
def test_the_cut_is_counted_exactly(piece: str, times: int) -> None:
    text = clean(piece * times)
    shown, cut = for_model(text, limit=400)
    if cut == 0:
        assert shown == text
        return
    head, _, rest = shown.partition(f"[... {cut} characters left out ...]\n")
    assert text.endswith(rest)
    assert len(text) - cut - len(rest) in (len(head), len(head) - 1)


def test_a_capture_that_is_short_gets_its_file_in_the_end(tmp_path: Path) -> None:
    capture = Capture(tmp_path / "outputs" / "1.txt")
    capture.add("hello ")
    capture.add("world")
    assert capture.for_model() == ("hello world", 0)
    assert capture.path is None and list(tmp_path.iterdir()) == []
    capture.close()
    assert (tmp_path / "outputs" / "1.txt").read_text() == "hello world"


@pytest.mark.parametrize("piece", [1, 7, 2799, 2801, 5000, 40000])
def test_a_long_capture_is_whole_on_disk(tmp_path: Path, piece: int) -> None:
    text = "".join(f"line {n}\n" for n in range(6000))
    capture = Capture(tmp_path / "outputs" / "1.txt", keep=10000)
    for start in range(0, len(text), piece):
        capture.add(text[start : start + piece])
    shown, cut = capture.for_model()
    capture.close()
    assert capture.path is not None and Path(capture.path).read_text() == text
    assert stat.S_IMODE(Path(capture.path).stat().st_mode) == 0o600
    assert shown.startswith("line 0\n") and shown.endswith("line 5999\n") and len(shown) <= 2800
    assert cut > 40000 and capture.complete and capture.length == len(text)


def test_memory_stays_flat(tmp_path: Path) -> None:
    capture = Capture(tmp_path / "big.txt")
    piece = "0123456789abcdef" * 4096
    tracemalloc.start()
    for _ in range(1600):  # 100 MB
        capture.add(piece)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    capture.close()
    assert peak < 4_000_000
    assert (tmp_path / "big.txt").stat().st_size == 1600 * len(piece)


def test_a_file_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    capture = Capture(tmp_path / "file" / "1.txt")
    capture.add("x" * 5000)
    shown, cut = capture.for_model()
    assert capture.path is None and not capture.complete and cut > 2000 and "full text" not in shown

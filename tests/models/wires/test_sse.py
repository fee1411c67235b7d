"""The reader of server-sent events: any cut, any line end, nothing lost."""

import pytest

from oi_tui.models.wires.sse import Event, EventReader

_STREAM = (
    b'\xef\xbb\xbf: keep-alive\r\n\r\nevent: ping\r\n\r\ndata: {"a": "\xe4\xbd\xa0\xe2\x80\xa8\xc2\x85"}\r\n\r\n'
    b"data: one\ndata:two\n\nid: 7\nretry: 3\ndata\n\nevent: x\ndata: y\n\n"
    b'data: cr\r\rerror: {"code": 5}\n\n{"bare": 1}\n\ndata:[DONE]\n\n'
)
_EVENTS: list[Event] = [
    ("", '{"a": "\u4f60\u2028\u0085"}'),
    ("", "one\ntwo"),
    ("", ""),
    ("x", "y"),
    ("", "cr"),
    ("error", '{"code": 5}'),
    ("", '{"bare": 1}'),
    ("", "[DONE]"),
]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 64, len(_STREAM)])
def test_pieces_of_any_size(size: int) -> None:
    reader, found = EventReader(), []
    for start in range(0, len(_STREAM), size):
        found += reader.feed(_STREAM[start : start + size])
    assert found + reader.close() == _EVENTS


@pytest.mark.parametrize("cut", range(len(_STREAM) + 1))
def test_one_cut_anywhere(cut: int) -> None:
    reader = EventReader()
    assert reader.feed(_STREAM[:cut]) + reader.feed(_STREAM[cut:]) + reader.close() == _EVENTS


def test_end_without_blank_line() -> None:
    reader = EventReader()
    assert reader.feed(b"data: half") == []
    assert reader.close() == [("", "half")]
    assert reader.close() == []


def test_large_event_in_tiny_pieces() -> None:
    text = "\u4f60" * 100_000
    reader, found = EventReader(), []
    data = f"data: {text}\n\n".encode()
    for start in range(0, len(data), 10):
        found += reader.feed(data[start : start + 10])
    assert found == [("", text)]


def test_invalid_bytes_do_not_raise() -> None:
    assert EventReader().feed(b"data: a\xffb\n\n") == [("", "a\ufffdb")]

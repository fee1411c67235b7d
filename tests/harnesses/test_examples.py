"""The worked requests for small models: every one is what the reader takes, and the right ones are found."""

from __future__ import annotations

import pytest

from harnesses.data import Env
from harnesses.embedded import EmbeddedHarness
from harnesses.examples import Example, bank, nearest
from oi_tui.protocol.stream import TextDelta


@pytest.mark.parametrize("example", bank(), ids=lambda one: one.request)
def test_an_example_is_one_block_that_needs_no_mending_or_plain_words(example: Example) -> None:
    reader = EmbeddedHarness().reader(Env(cwd="/"))
    reader.feed(TextDelta(example.answer + "\n"))
    parsed = reader.finish()[1]
    assert not parsed.unclosed
    if "```" not in example.answer:
        assert (parsed.text, parsed.calls) == (example.answer, ())
        return
    (call,) = parsed.calls
    assert not parsed.text
    assert f"\n{call.args['code']}\n" in example.answer, "it is mended, so it is not a good example"
    if call.args["language"] == "python":
        compile(call.args["code"], "example", "exec")


def test_requests_are_there_once() -> None:
    requests = [one.request for one in bank()]
    assert len(requests) == len(set(requests)) > 60


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("median of cost in shop.csv", "what is the median price in orders.csv?"),
        ("factorial of 7", "factorial of 25"),
        ("Erase all my emails!", "erase all my files and emails"),
        ("你好", "你好"),
        ("Guten Morgen", "guten Morgen"),
        ("写一首关于春天的诗", "写一首短诗"),
    ],
)
def test_the_most_like_comes_last(request_: str, found: str) -> None:
    assert nearest(request_, 2)[-1].request == found


@pytest.mark.parametrize("request_", ["what does recursion.txt mean?", "explain what list.py is", "how are you.md"])
def test_a_request_that_names_a_file_is_shown_no_answer_in_words(request_: str) -> None:
    assert all("```" in one.answer for one in nearest(request_, 5))


@pytest.mark.parametrize("request_", ["what is 5 squared?", "what is 31 in words?", "how many 7s does it have?"])
def test_words_of_asking_make_no_likeness(request_: str) -> None:
    assert "what is 77 in binary?" not in [one.request for one in nearest(request_, 5)]


@pytest.mark.parametrize("request_", ["", "   ", "xyzzy plugh", "?!", "\ud83d", "。。。", "a" * 10_000])
def test_nothing_is_found_for_what_resembles_nothing(request_: str) -> None:
    assert nearest(request_, 2) == []


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("erase line three of a.txt", "delete the third line of recipe.txt"),
        ("entferne die doppelten Zeilen aus liste.txt", "remove repeated lines from list.txt"),
        ("supprime les lignes de a.log qui contiennent DEBUG", "delete the lines of app.log that contain DEBUG"),
        ("¿cuántas líneas tiene notas.txt?", "how many lines does notes.txt have?"),
        ("notes.txt 有多少行?", "how many lines does notes.txt have?"),
    ],
)
def test_words_of_one_meaning_are_one_word_in_whatever_language(request_: str, found: str) -> None:
    assert nearest(request_, 1)[-1].request == found

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oi_tui.tools.patch_fit import fit
from oi_tui.tools.patch_grammar import PatchError, Update, parse


def applied(text: str, chunks: str) -> tuple[str, int]:
    (update,) = parse(f"*** Begin Patch\n*** Update File: f\n{chunks}\n*** End Patch")
    assert isinstance(update, Update)
    fitted = fit(text, update.chunks, "f")
    return fitted.text, fitted.fuzz


@pytest.mark.parametrize(
    ("text", "chunks", "expected", "fuzz"),
    [
        ("a\nb\nc\n", " a\n-b\n+B\n c", "a\nB\nc\n", 0),
        ("a\nb\n", "-b", "a\n", 0),
        ("a\n", "-a", "", 0),
        ("", "+x", "x\n", 0),
        ("a\nb", "-b\n+c", "a\nc\n", 0),  # a final line end is added where the end is touched
        ("a\nb\nc", "-a\n+A", "A\nb\nc", 0),  # and left alone where it is not
        ("a  \nb\n", "-a\n+x", "x\nb\n", 1),
        ("    a\nb\n", "-a\n+x", "x\nb\n", 2),
        ("say “hi” – ok\n", '-say "hi" - ok\n+x', "x\n", 3),
        ("a\u00a0b\n", " a b\n+x", "a\u00a0b\nx\n", 3),  # context stays as the file has it
        ("x\nx\nx\n", "-x\n+y\n*** End of File", "x\nx\ny\n", 0),
        ("f1\n x\nf2\n x\n", "@@ f2\n- x\n+ y", "f1\n x\nf2\n y\n", 0),
        ("A\nm\nB\nm\nm\n", "@@ B\n@@ m\n-m\n+z", "A\nm\nB\nm\nz\n", 0),
        ("def f():\n  1\n", "@@ def f():\n def f():\n-  1\n+  2", "def f():\n  2\n", 0),
        ("a\nb\n", "@@ a\n+new", "a\nnew\nb\n", 0),
        ("a\nb\n", "@@\n+new", "a\nb\nnew\n", 0),
        ("a\nb\n", "@@ a\n+new\n*** End of File", "a\nb\nnew\n", 0),
        ("a\nb\n", "-a\n+x\n\n", "x\nb\n", 0),  # the gap before a next header is no line of the file
        ("a\n\nb\n", " a\n\n-b\n+c", "a\n\nc\n", 0),
        ("a\nb\nc\nd\n", "@@\n-a\n+1\n@@\n-c\n+3", "1\nb\n3\nd\n", 0),
        ("a\r\nb\nc\r\n", "-a\n+x\n b\n-c\n+z", "x\r\nb\nz\r\n", 0),  # mixed line ends follow the neighbour
    ],
)
def test_fitting(text: str, chunks: str, expected: str, fuzz: int) -> None:
    got, level = applied(text, chunks)
    assert got == expected
    assert level == fuzz


@pytest.mark.parametrize(
    ("text", "chunks", "says"),
    [
        ("a\n", "@@ nowhere\n-a", "failed to find context 'nowhere' in f"),
        ("a\nb\nc\n", "-a\n-X", "(?s)failed to find expected lines in f:\na\nX\n.*line 2 of the file is 'b', not 'X'"),
        ("a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A", "at line 1, before the previous chunk"),
        ("a\n", "-a\n-b", "the file ends after line 1"),
        ("", "-a", "failed to find expected lines"),
    ],
)
def test_what_does_not_fit_says_what_is_there(text: str, chunks: str, says: str) -> None:
    with pytest.raises(PatchError, match=says):
        applied(text, chunks)


LINE = st.text(alphabet="ab {}()“-", min_size=1, max_size=6).filter(lambda line: line.strip() != "")


def as_chunks(old: list[str], new: list[str], context: int) -> str:
    """A patch from `old` to `new`, one chunk for each changed stretch, as a model would write it."""
    rows: list[str] = []
    groups = SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context)
    for group in groups:
        rows.append("@@")
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                rows += [" " + line for line in old[a1:a2]]
            else:
                rows += ["-" + line for line in old[a1:a2]] + ["+" + line for line in new[b1:b2]]
    return "\n".join(rows)


@settings(deadline=None)
@given(st.lists(LINE, max_size=25), st.lists(LINE, max_size=25), st.integers(0, 3))
def test_a_patch_with_the_whole_file_as_context_always_gives_the_new_file(
    old: list[str], new: list[str], trailing: int
) -> None:
    if old == new or not old:
        return
    chunks = as_chunks(old, new, context=100)
    text, fuzz = applied("\n".join(old) + "\n", chunks + "\n" * trailing)
    assert text == ("\n".join(new) + "\n" if new else "")
    assert fuzz == 0


@settings(deadline=None)
@given(st.lists(LINE, min_size=1, max_size=20, unique=True), st.data())
def test_lenient_levels_find_what_was_bent(lines: list[str], data: st.DataObject) -> None:
    lines = [f"{number} {line.strip()}" for number, line in enumerate(lines)]
    at = data.draw(st.integers(0, len(lines) - 1))
    bend = data.draw(st.sampled_from([lambda s: s + "  ", lambda s: "\t" + s, lambda s: s.replace("-", "—")]))
    bent = [bend(line) for line in lines]
    text, _ = applied("\n".join(bent) + "\n", f" {lines[at]}\n+added")
    expected = list(bent)
    expected.insert(at + 1, "added")
    assert text == "\n".join(expected) + "\n"


@settings(deadline=None)
@given(st.text(alphabet="ab\n \r", max_size=60), st.text(alphabet="ab\n+- @", max_size=60))
def test_nothing_else_than_patch_error_is_raised(text: str, chunks: str) -> None:
    try:
        applied(text, chunks)
    except PatchError as error:
        assert str(error)

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oi_tui.tools.patch_grammar import Add, Chunk, Delete, PatchError, Update, parse


def patch(body: str) -> str:
    return f"*** Begin Patch\n{body}\n*** End Patch"


def test_all_operations() -> None:
    text = patch(
        "*** Environment ID: box\n*** Add File: new.txt\n+one\n++two\n+\n*** Delete File: old.txt\n\n"
        "*** Update File: a.py\n*** Move to: b.py\n@@ class A\n@@ def f\n ctx\n-old\n+new\n\n*** End of File\n"
        "@@\n+tail"
    )
    assert parse(text) == (
        Add("new.txt", "one\n+two\n\n"),
        Delete("old.txt"),
        Update(
            "a.py",
            "b.py",
            (
                Chunk(("class A", "def f"), ((" ", "ctx"), ("-", "old"), ("+", "new"), (" ", "")), True, 11),
                Chunk((), (("+", "tail"),), False, 18),
            ),
        ),
    )


@pytest.mark.parametrize("opening", ["<<EOF", "<<'EOF'", '<<"EOF"', "apply_patch <<'EOF'", "applypatch <<-EOF"])
def test_a_heredoc_is_taken_off(opening: str) -> None:
    inner = patch("*** Delete File: x")
    assert parse(f"{opening}\n{inner}\nEOF\n") == (Delete("x"),)


@pytest.mark.parametrize("around", ["\n\n%s\n\n", "  %s  ", "%s\r\n"])
def test_space_around_the_envelope_and_crlf_are_tolerated(around: str) -> None:
    assert parse(around % patch("*** Delete File: x").replace("\n", "\r\n")) == (Delete("x"),)


def test_first_chunk_may_leave_out_its_mark_and_line_numbers_are_ignored() -> None:
    (update,) = parse(patch("*** Update File: a\n ctx\n+new\n@@ -3,2 +4,5 @@ def f\n-x"))
    assert isinstance(update, Update)
    assert [chunk.contexts for chunk in update.chunks] == [(), ()]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "first line must be"),
        ("*** Begin Patch", "last line must be"),
        ("*** Begin Patch\n*** Delete File: x", "last line must be"),
        ("*** Delete File: x\n*** End Patch", "first line must be"),
        (patch(""), "changes no file"),
        (patch("hello"), "line 2: 'hello' is no file header"),
        (patch("*** Add File: x"), "line 3: adding x needs"),
        (patch("*** Add File: x\nno plus"), "line 3: adding x needs"),
        (patch("*** Update File: x"), "line 3: the update of x has no chunk"),
        (patch("*** Update File: x\n@@"), "line 4: the chunk has no lines"),
        (patch("*** Update File: x\n@@\n-a\n*** End of File\n+b"), "line 6: a chunk begins with '@@'"),
        (patch("*** Update File: x\n@@\nnope"), "line 4: a line of a chunk starts with"),
        (patch("*** Add File:  \n+x"), "path is missing|no file header"),
    ],
)
def test_what_cannot_be_read_names_the_line(text: str, says: str) -> None:
    with pytest.raises(PatchError, match=says):
        parse(text)


@settings(deadline=None)
@given(st.text(alphabet="*+- @abPEBeginUpdate File:\n", max_size=200))
def test_no_text_makes_it_fail_otherwise(text: str) -> None:
    for candidate in (text, patch(text), patch(f"*** Update File: a\n{text}")):
        try:
            assert parse(candidate)
        except PatchError as error:
            assert str(error)

"""Markdown as lines: what it looks like, and that it does not matter how the source was cut."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from oi_tui.app.widgets.inks import GROUND_NAMES, is_style
from oi_tui.app.widgets.markdown import MarkdownLines
from oi_tui.app.widgets.tables import TableLine

SAMPLE = """# Sales *per* month

I'll load the **file** and group by `month`.
Second line; see [the docs](https://example.org/z) or https://example.org/a?b=1.

- one
- two **bold**
  - nested
    goes on
- [x] done
- [ ] open

1. first
   ```python
   def f(x):
       \"\"\"doc

       more\"\"\"
       return "a"  # why
   ```
2. second
  - by two columns

> quoted *text*
> more
>
> - item
lazy end

Text before
| a | b | 数字 |
|---|----:|:--:|
| 1 | 22 | 中文字 |
| long cell | `x|y` | 3 |

Setext
------

***

    indented code

    goes on

~~~js
const a = `x
y`
~~~
after [red]not markup[/red] \x1b[31mred\x1b[0m \u202e end\\
hard break
"""

ALPHABET = ["a", "word ", "**", "`", "```", "~~~", "\n", "\n\n", "- ", "1. ", "> ", "# ", "|", "---", "    ", "[x](y)"]


def flat(markdown: MarkdownLines) -> list[tuple[object, ...]]:
    """Everything that can be seen or copied of the lines."""
    return [
        (type(line).__name__, line.text, line.runs, line.lead, line.hang, line.ground, line.mark, line.joined)
        + ((tuple(line.layout.columns(9999)), line.layout.settled, line.cells) if isinstance(line, TableLine) else ())
        for line in markdown.lines
    ]


def whole(source: str) -> MarkdownLines:
    markdown = MarkdownLines()
    markdown.append(source)
    markdown.finish()
    return markdown


def in_pieces(source: str, cuts: list[int]) -> MarkdownLines:
    """Append piece by piece; check each time that lines said to be unchanged are."""
    markdown = MarkdownLines()
    before: list[tuple[object, ...]] = []
    for start, end in zip([0, *cuts], [*cuts, len(source)], strict=True):
        changed = markdown.append(source[start:end])
        now = flat(markdown)
        assert now[:changed] == before[:changed]
        before = now
    changed = markdown.finish()
    assert flat(markdown)[:changed] == before[:changed]
    return markdown


def test_character_by_character_gives_the_same_lines() -> None:
    assert flat(in_pieces(SAMPLE, list(range(1, len(SAMPLE))))) == flat(whole(SAMPLE))


@pytest.mark.parametrize("seed", range(20))
def test_random_cuts_give_the_same_lines(seed: int) -> None:
    chance = random.Random(seed)
    cuts = sorted(chance.sample(range(1, len(SAMPLE)), chance.randint(1, 60)))
    assert flat(in_pieces(SAMPLE, cuts)) == flat(whole(SAMPLE))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(ALPHABET), max_size=30), st.randoms(use_true_random=False))
def test_any_source_any_cuts(parts: list[str], chance: random.Random) -> None:
    source = "".join(parts)
    cuts = sorted(chance.randrange(len(source) + 1) for _ in range(chance.randrange(6)))
    assert flat(in_pieces(source, cuts)) == flat(whole(source))


def test_a_very_long_line_is_cut_at_the_same_places() -> None:
    source = "- " + "word and " * 3000 + "\n\n```\n" + "x" * 10_000 + "\n```\nend"
    lines = whole(source)
    assert flat(in_pieces(source, list(range(700, len(source), 700)))) == flat(lines)
    assert all(len(line.text) <= 4100 for line in lines.lines)
    code = "".join(line.text for line in lines.lines if line.ground == "panel")
    assert code == "x" * 10_000


def test_blocks_look_as_meant() -> None:
    text = ["".join(piece.text for piece in row).rstrip() for line in whole(SAMPLE).lines for row in line.rows(60)]
    assert text[:12] == [
        "Sales per month",
        "",
        "I'll load the file and group by month. Second line; see the",
        "docs or https://example.org/a?b=1.",
        "",
        "• one",
        "• two bold",
        "  ◦ nested goes on",
        "☑ done",
        "☐ open",
        "",
        "1. first",
    ]
    assert "▎ quoted text more" in text
    assert "▎ • item lazy end" in text


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("1. a\n2. b\n3. c", ["1. a", "2. b", "3. c"]),
        ("Steps:\n1. a\n2. b", ["Steps:", "1. a", "2. b"]),
        ("- a\n  1. x\n  2. y\n- b", ["• a", "  1. x", "  2. y", "• b"]),
        ("1. a\n   - n\n2. b", ["1. a", "   ◦ n", "2. b"]),
        ("- a\n-\n- c", ["• a", "•", "• c"]),
        ("it was\n2024. it ended", ["it was 2024. it ended"]),
    ],
)
def test_each_item_of_a_tight_list_is_a_line(source: str, shown: list[str]) -> None:
    rows = [row for line in whole(source).lines for row in line.rows(60)]
    assert ["".join(piece.text for piece in row).rstrip() for row in rows] == shown


def test_every_style_is_known() -> None:
    for line in whole(SAMPLE).lines:
        assert line.ground in GROUND_NAMES
        for row in line.rows(40):
            assert all(is_style(piece.style) for piece in row)


def test_nothing_is_obeyed() -> None:
    text = "\n".join(line.text for line in whole(SAMPLE).lines)
    assert "[red]not markup[/red]" in text
    assert "␛[31mred␛[0m <u+202e> end" in text
    assert not any(ord(sign) < 32 and sign != "\n" for sign in text)


def test_table_columns_align_with_wide_characters() -> None:
    source = "| a | 数字 |\n|---|---:|\n| 中文 | 1 |\n| b | 22 |\n"
    rows = [row for line in whole(source).lines for row in line.rows(40)]
    assert {sum(cell_len(piece.text) for piece in row) for row in rows} == {4 + 3 + 4}


def test_a_table_that_does_not_fit_wraps_when_it_is_whole() -> None:
    source = "| a | b |\n|---|---|\n| " + "word " * 20 + "| x |\n"
    growing = MarkdownLines(source)
    assert [line.height(40) for line in growing.lines] == [1, 1, 1]
    assert growing.finish() == 0
    assert growing.lines[2].height(40) > 1
    assert all(sum(cell_len(piece.text) for piece in row) <= 40 for line in growing.lines for row in line.rows(40))


def test_code_keeps_its_state_over_lines() -> None:
    markdown = whole('```python\na = """one\ntwo"""\nb = 1\n```\n')
    assert markdown.lines[2].runs == ((6, "code.string"),)
    assert markdown.lines[3].runs[-1] == (1, "code.number")


def test_an_unfinished_mark_does_not_show() -> None:
    markdown = MarkdownLines("a **bold wor")
    assert markdown.lines[0].text == "a bold wor"
    markdown.append("d** b\n`")
    assert markdown.lines[0].text == "a bold word b"


def test_breaks_of_html_are_breaks() -> None:
    assert [line.text for line in whole("one<br>two<BR/>three").lines] == ["one", "two", "three"]
    assert whole("| a |\n|---|\n| *b*<br>c |\n").lines[2].text == "| b c |"


def test_nesting_has_an_end() -> None:
    deep = whole("> " * 2000 + "end\n" + "- " * 1000 + "end")
    assert all(len(line.lead) <= 12 for line in deep.lines)
    assert len(deep.lines) < 20

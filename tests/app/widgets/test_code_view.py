"""Code with line numbers, and highlighting line by line."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.selection import SELECT_ALL

from oi_tui.app.widgets.code_view import CodeView
from oi_tui.app.widgets.highlight import Highlighter, token_style

SAMPLES = {
    "python": 'import os\n\n\n@cache\ndef f(x: int) -> str:\n    """doc\n    more"""\n    return f"{x!r}"  # why\n',
    "javascript": "const a = `x ${b}\n y`;\n/* one\n two */ function f(a) { return 1.5; }\n",
    "bash": 'for f in *.csv; do\n  echo "$f" | wc -l # count\ndone\ncat <<EOF\nhello\nEOF\n',
    "rust": 'fn main() {\n    /* a\n b */ println!("{}", 1u8);\n}\n',
    "json": '{"a": [1, true, null]}\n',
    "yaml": "a: 1\nb:\n  - x\n  - 'y'\n",
    "html": "<!-- a\nb --><p class='x'>text</p>\n<script>let a = 1;</script>\n",
    "sql": "select a, 'b' from c -- d\nwhere e > 1;\n",
}


def spread(runs: tuple[tuple[int, str], ...]) -> list[str]:
    return [style for length, style in runs for _ in range(length)]


@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_every_character_has_one_style(language: str) -> None:
    highlighter = Highlighter(language)
    for line in SAMPLES[language].split("\n"):
        assert len(spread(highlighter.peek(line))) == len(line)
        assert len(spread(highlighter.feed(line))) == len(line)


@pytest.mark.parametrize("language", ["javascript", "rust", "python", "sql"])
def test_line_by_line_is_as_the_whole(language: str) -> None:
    """Against Pygments on the whole text, for text without expressions that match over lines."""
    from pygments.lexers import get_lexer_by_name

    source = SAMPLES[language].replace('"""doc\n    more"""', "pass")
    highlighter = Highlighter(language)
    ours = [style for line in source.split("\n") for style in [*spread(highlighter.feed(line)), ""]][:-1]
    whole = [
        token_style(kind) for kind, text in get_lexer_by_name(language, stripnl=False).get_tokens(source) for _ in text
    ]
    assert [one for sign, one in zip(source, ours, strict=False) if not sign.isspace()] == [
        other for sign, other in zip(source, whole, strict=False) if not sign.isspace()
    ]


def test_state_goes_over_lines_and_peek_does_not_move_it() -> None:
    highlighter = Highlighter("python")
    highlighter.feed('a = """open')
    assert highlighter.peek('closed"""')[0][1] == "code.string"
    assert highlighter.feed("still")[0][1] == "code.string"
    assert highlighter.feed('closed"""')[0][1] == "code.string"
    assert highlighter.feed("b = 1")[0][1] == "code.text"


def test_an_unknown_language_is_plain() -> None:
    assert Highlighter("no such language").feed("def x") == ((5, "code.text"),)


class CodeApp(App[None]):
    """A code view and nothing else."""

    def compose(self) -> ComposeResult:
        yield CodeView()


def screen_text(view: CodeView) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.scrollable_content_region.height)]


async def test_code_is_numbered_and_copies_as_it_is() -> None:
    code = "a = 1\n\nif a:\n\tprint('" + "x" * 60 + "')\n"
    app = CodeApp()
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(CodeView)
        view.show(code, "python")
        await pilot.pause()
        rows = screen_text(view)
        assert rows[0] == "   1  a = 1"
        assert rows[1] == "   2"
        assert rows[3].startswith("   4      print('xxx")
        assert rows[4].startswith("      xxx")
        assert view.code == code
        found = view.get_selection(SELECT_ALL)
        assert found is not None
        assert found[0].rstrip("\n") == code.expandtabs(4).rstrip("\n")


async def test_code_can_be_streamed() -> None:
    app = CodeApp()
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(CodeView)
        view.show("", "python")
        for part in ("im", "port o", "s\nx", " = 1\n"):
            view.append(part)
            await pilot.pause()
        assert [row for row in screen_text(view) if row] == ["   1  import os", "   2  x = 1"]
        assert view.code == "import os\nx = 1\n"


async def test_the_line_that_runs_is_lit_and_in_sight() -> None:
    app = CodeApp()
    async with app.run_test(size=(40, 6)) as pilot:
        view = app.query_one(CodeView)
        view.show("".join(f"x{number} = {number}\n" for number in range(40)), "python")
        await pilot.pause()
        assert screen_text(view)[0] == "   1  x0 = 0"
        view.active_line = 30
        await pilot.pause()
        lit = next(y for y, row in enumerate(screen_text(view)) if row.startswith("  30"))
        assert screen_text(view)[lit] == "  30 ▌x29 = 29"
        plain = view.render_line(lit - 1 if lit else lit + 1)
        grounds = {segment.style.bgcolor for segment in plain if segment.style}
        assert {segment.style.bgcolor for segment in view.render_line(lit) if segment.style} - grounds
        view.active_line = 0
        await pilot.pause()
        assert "▌" not in "".join(screen_text(view))

"""The transcript: blocks that grow, fold, are pressed and removed."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.selection import SELECT_ALL

from oi_tui.app.widgets.blocks import Block, entry, model, notice, person, styled
from oi_tui.app.widgets.transcript import Transcript
from oi_tui.app.widgets.wrapping import Line


class TranscriptApp(App[None]):
    """A transcript and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.pressed: list[Block] = []
        self.addresses: list[str] = []

    def compose(self) -> ComposeResult:
        yield Transcript()

    def on_transcript_block_pressed(self, message: Transcript.BlockPressed) -> None:
        self.pressed.append(message.block)

    def on_transcript_link_pressed(self, message: Transcript.LinkPressed) -> None:
        self.addresses.append(message.address)


def screen_text(view: Transcript) -> list[str]:
    rows = [view.render_line(y).text.rstrip() for y in range(view.scrollable_content_region.height)]
    while rows and not rows[-1]:
        rows.pop()
    return rows


def call(name: str, text: str = "") -> Block:
    return entry(styled(("read ", "muted"), (name, "text")), text)


async def test_blocks_have_bars_and_gaps() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 20)) as pilot:
        view = app.query_one(Transcript)
        view.add_all([person("hello\n  there"), model("Hi."), call("a"), call("b"), notice("error", "no: try again")])
        await pilot.pause()
        assert screen_text(view) == [
            " ▌ hello",
            " ▌   there",
            "",
            " ▌ Hi.",
            "",
            "   ▸ read a",
            "   ▸ read b",
            "",
            " ▌ no: try again",
        ]


async def test_a_person_is_not_read_as_markdown() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 20)) as pilot:
        view = app.query_one(Transcript)
        view.add(person("# not *a* heading"))
        await pilot.pause()
        assert screen_text(view) == [" ▌ # not *a* heading"]


async def test_streaming_shows_what_was_appended_whole() -> None:
    source = (
        "# Title\n\nSome **bold** text.\n\n- one\n- two\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    app = TranscriptApp()
    async with app.run_test(size=(60, 30)) as pilot:
        view = app.query_one(Transcript)
        block = view.add(model())
        for place in range(0, len(source), 7):
            block.append(source[place : place + 7])
            await pilot.pause()
        block.finish()
        await pilot.pause()
        streamed = screen_text(view)
        view.remove_from(block)
        view.add(model(source)).finish()
        await pilot.pause()
        assert screen_text(view) == streamed
        assert " ▌ • two" in streamed


async def test_appending_to_a_block_off_the_screen_costs_no_lines_until_it_is_seen() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(Transcript)
        view.add(person("word " * 400))
        await pilot.pause()
        view.scroll_to(y=0, animate=False)
        await pilot.pause()
        block = view.add(model())
        for number in range(50):
            block.append(f"paragraph {number}\n\n")
        await pilot.pause()
        assert block.width == 0
        assert view.unseen > 50
        view.follow()
        await pilot.pause()
        assert screen_text(view)[-1] == " ▌ paragraph 49"


async def test_click_opens_and_closes() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 20)) as pilot:
        view = app.query_one(Transcript)
        block = view.add(call("a", "what was read"))
        await pilot.pause()
        await pilot.click(view, offset=(6, 0))
        await pilot.pause()
        assert app.pressed == [block]
        assert screen_text(view) == [" ▌ ▾ read a", " ▌ what was read"]
        block.set_lines([Line("other"), Line("lines")])
        await pilot.pause()
        assert screen_text(view) == [" ▌ ▾ read a", " ▌ other", " ▌ lines"]
        block.append("\nmore")
        await pilot.pause()
        assert screen_text(view)[-1] == " ▌ more"
        block.set_head(styled(("read ", "muted"), ("b", "text"), ("  ok", "ok")))
        block.set_open(False)
        await pilot.pause()
        assert screen_text(view) == [" ▌ ▸ read b  ok"]


async def test_text_that_comes_while_closed_is_there_when_opened() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 20)) as pilot:
        view = app.query_one(Transcript)
        block = view.add(call("a", "one "))
        await pilot.pause()
        block.append("two ")
        block.set_open(True)
        block.append("three")
        block.finish()
        await pilot.pause()
        assert screen_text(view) == ["   ▾ read a", " ▌ one two three"]
        block.set_open(False)
        block.set_open(True)
        await pilot.pause()
        assert screen_text(view)[-1] == " ▌ one two three"


async def test_cursor_moves_over_blocks_and_enter_presses() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 20)) as pilot:
        view = app.query_one(Transcript)
        first, second = view.add(call("a", "x")), view.add(call("b"))
        await pilot.pause()
        view.focus()
        await pilot.press("up")
        assert view.cursor is second
        assert screen_text(view)[1] == " ▌ ▸ read b"
        await pilot.press("up", "enter")
        assert app.pressed == [first]
        assert first.open
        await pilot.press("down", "down")
        assert view.cursor is None


async def test_cursor_scrolls_through_a_tall_block() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(Transcript)
        tall = view.add(person("\n".join(f"row {number}" for number in range(30))))
        view.add(person("end"))
        await pilot.pause()
        view.focus()
        await pilot.press("up", "up")
        assert view.cursor is tall
        seen = set(screen_text(view))
        for _ in range(10):
            await pilot.press("up")
            seen |= set(screen_text(view))
        assert {f" ▌ row {number}" for number in range(30)} <= seen


async def test_remove_from_takes_the_rest_away() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(Transcript)
        view.add(person("one"))
        second = view.add(person("two"))
        view.add(person("three"))
        await pilot.pause()
        view.remove_from(second)
        view.add(person("four"))
        await pilot.pause()
        assert screen_text(view) == [" ▌ one", "", " ▌ four"]
        second.append("gone")
        await pilot.pause()
        assert screen_text(view) == [" ▌ one", "", " ▌ four"]


async def test_selected_text_is_the_source() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(30, 20)) as pilot:
        view = app.query_one(Transcript)
        view.add(person("a question that is wrapped over some rows"))
        view.add(model("- one\n- two\n  - three\n\n1. x\n\n> quote\n\n```py\na = 1\n\nb\n```\n")).finish()
        await pilot.pause()
        found = view.get_selection(SELECT_ALL)
        assert found is not None
        assert found[0] == (
            "a question that is wrapped over some rows\n\n- one\n- two\n  - three\n\n1. x\n\n> quote\n\na = 1\n\nb"
        )


async def test_a_link_that_is_clicked_is_told() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.query_one(Transcript)
        view.add(model("see [the picture](out/plot%201.png) here"))
        await pilot.pause()
        await pilot.click(view, offset=(10, 0))
        await pilot.pause()
        assert app.addresses == ["out/plot%201.png"]


async def test_ten_thousand_blocks_are_one_widget_with_few_lines() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(80, 30)) as pilot:
        view = app.query_one(Transcript)
        view.add_all(model(f"answer {number} " * 20) for number in range(10_000))
        await pilot.pause()
        assert "answer 9999" in " ".join(screen_text(view))
        assert sum(block.width > 0 for block in view.blocks) < 50
        view.scroll_to(y=view.virtual_size.height // 2, animate=False)
        await pilot.pause()
        assert "answer" in " ".join(screen_text(view))
        assert not view.following

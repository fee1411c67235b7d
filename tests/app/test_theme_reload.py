"""A theme of the person's own is painted as soon as its file is saved."""

from __future__ import annotations

from oi_tui import paths
from oi_tui.app.widgets.inks import theme_palette
from tests.app.running import running


async def test_a_saved_theme_shows_at_once_and_a_broken_one_is_told() -> None:
    text = (paths.shipped("themes") / "oi-dark.toml").read_text()
    file = paths.private_dir(paths.themes()) / "mine.toml"
    file.write_text(text)
    async with running(theme="mine") as one:
        assert theme_palette(one.app.theme_variables)["ground"] == "#14161b"
        file.write_text(text.replace("#14161b", "#010203").replace("#7aa2f7", "#7aa2f8"))
        await one.until(lambda: theme_palette(one.app.theme_variables)["ground"] == "#010203")
        await one.until(lambda: one.main.chat.view.painter.inks.palette["accent"].lower() == "#7aa2f8")
        file.write_text("palette = 3")
        await one.until(lambda: "has no [palette]" in one.screen_text())
        assert one.app.theme == "mine"
        (paths.themes() / "another.toml").write_text(text)
        await one.until(lambda: "another" in one.app.looks)


async def test_the_terminals_own_colours_reach_it_as_they_are() -> None:
    async with running(theme="ansi") as one:
        assert one.app.native_ansi_color
        strips = one.app.screen._compositor.render_strips(one.app.size)  # type: ignore[call-arg]
        colours = {
            str(colour.name)
            for strip in strips
            for segment in strip
            if segment.style is not None
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour is not None
        }
        assert colours and not any(name.startswith("#") for name in colours)

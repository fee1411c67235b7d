"""Themes: readable, complete, one loader for built-in and own ones, and clear words about broken files."""

from pathlib import Path

import pytest

from oi_tui import paths
from oi_tui.app import theming

LOOKS, PROBLEMS = theming.load((paths.shipped("themes"),))


def test_the_built_in_themes_load_without_a_problem() -> None:
    assert PROBLEMS == []
    assert len(LOOKS) >= 8
    assert list(LOOKS)[:2] == ["oi-dark", "oi-light"]
    assert any(look.dark for look in LOOKS.values())
    assert sum(not look.dark for look in LOOKS.values()) >= 3


@pytest.mark.parametrize("look", LOOKS.values(), ids=lambda look: look.name)
def test_a_theme_is_readable(look: theming.Look) -> None:
    assert theming.hard_to_read(look) == []
    assert look.label


def test_the_terminals_own_colours_are_one_of_the_themes() -> None:
    look = LOOKS["ansi"]
    assert look.ansi and set(look.palette) == set(theming.NAMES)
    assert not any("#" in colour for colour in theming.variables(look).values())
    assert theming.textual_theme(look).ansi
    assert sum(not one.ansi for one in LOOKS.values()) >= 12
    assert {"contrast-dark", "contrast-light"} <= set(LOOKS)


def test_a_colour_that_no_terminal_has_is_told(tmp_path: Path) -> None:
    text = (paths.shipped("themes") / "ansi.toml").read_text().replace('"magenta"', '"mauve"')
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(theming.InvalidTheme, match="code is 'mauve'; write it as default, red"):
        theming.read(tmp_path / "mine.toml")


@pytest.mark.parametrize("look", [one for one in LOOKS.values() if not one.ansi], ids=lambda look: look.name)
def test_a_label_says_dark_or_light_truly(look: theming.Look) -> None:
    lighter_text = theming.contrast(look.palette["text"], "#000000") > theming.contrast(
        look.palette["ground"], "#000000"
    )
    assert lighter_text is look.dark


def test_a_hard_to_read_palette_is_found() -> None:
    grey = theming.Look("grey", "", True, dict.fromkeys(theming.NAMES, "#777777"))
    sentences = theming.hard_to_read(grey)
    assert "grey: text on ground has contrast 1.0, wanted 7.0" in sentences


def test_contrast_follows_the_published_formula() -> None:
    assert theming.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert theming.contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


def test_the_defaults_have_the_colours_of_the_design() -> None:
    assert LOOKS["oi-dark"].palette["ground"] == "#14161b"
    assert LOOKS["oi-dark"].palette["accent"] == "#7aa2f7"
    assert LOOKS["oi-light"].palette["ground"] == "#fbfaf7"
    assert LOOKS["oi-light"].palette["code"] == "#7c4dbd"


def test_an_own_theme_replaces_a_built_in_one(tmp_path: Path) -> None:
    text = (paths.shipped("themes") / "oi-dark.toml").read_text().replace("#14161b", "#010203")
    (tmp_path / "oi-dark.toml").write_text(text)
    looks, problems = theming.load((paths.shipped("themes"), tmp_path))
    assert looks["oi-dark"].palette["ground"] == "#010203"
    assert problems == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("label = 'x'\n", "has no [palette]"),
        ("[palette]\nground = 'red'\n", "ground is 'red'; write it as '#rrggbb'"),
        ("[palette\n", "line 1"),
    ],
)
def test_a_broken_theme_is_left_out_and_named(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    looks, problems = theming.load((paths.shipped("themes"), tmp_path))
    assert "mine" not in looks
    assert "mine.toml" in problems[0]
    assert says in problems[0]


@pytest.mark.parametrize("look", LOOKS.values(), ids=lambda look: look.name)
def test_textual_takes_every_theme(look: theming.Look) -> None:
    theme = theming.textual_theme(look)
    colours = theme.to_color_system().generate()
    assert look.ansi or colours["background"].lower() == look.palette["ground"]
    assert theme.variables["muted"] == look.palette["muted"].removesuffix(" dim")
    assert theme.variables["ink"] == look.palette["text"]

"""Pictures as a model is sent them: from a path or base64, sized to what its provider takes, or in words."""

from __future__ import annotations

import base64
import io
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oi_tui.models.client import BadRequest
from oi_tui.models.provider_table import Pictures
from oi_tui.models.providers import built_in, known
from oi_tui.protocol.lmc import Message, message
from oi_tui.session.pictures import Fitting
from tests.mock_model import MockModel, say
from tests.user_reports.in_process import Live

_SMALL = Pictures(longest=64, bytes=20_000, most=2, kinds=("png", "jpeg"))


def _data(size: tuple[int, int], kind: str = "png", mode: str = "RGB", *, noise: bool = False) -> bytes:
    picture = Image.frombytes(mode, size, os.urandom(size[0] * size[1] * 3)) if noise else Image.new(mode, size, 120)
    target = io.BytesIO()
    picture.save(target, kind)
    return target.getvalue()


def _message(data: bytes, form: str = "base64.png", **more: Any) -> Message:
    return message("user", "image", base64.b64encode(data).decode(), form, **more)


def _shown(one: Message, limits: Pictures = _SMALL, sees: bool = True) -> Message:
    return Fitting().shown([one], limits, sees)[0]


def _opened(one: Message) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(one["content"])))


def test_what_fits_stays_as_it_is() -> None:
    one = _message(_data((64, 10)))
    assert _shown(one) == one


def test_too_large_a_picture_is_made_smaller_and_keeps_its_shape() -> None:
    shown = _shown(_message(_data((400, 100))))
    assert (shown["format"], _opened(shown).size) == ("base64.png", (64, 16))


def test_too_many_bytes_become_jpeg_and_then_less() -> None:
    data = _data((64, 64), noise=True)
    shown = _shown(_message(data), Pictures(longest=64, bytes=5000))
    assert shown["format"] == "base64.jpeg"
    assert len(shown["content"]) <= 5000
    tiny = _shown(_message(data), Pictures(longest=64, bytes=1600))
    assert len(tiny["content"]) <= 1600
    assert _opened(tiny).width < 64
    assert _shown(_message(data), Pictures(longest=64, bytes=10))["content"] == "[an image that is too large to send]"


@pytest.mark.parametrize(("kind", "mode"), [("gif", "P"), ("bmp", "RGB"), ("webp", "RGBA"), ("tiff", "CMYK")])
def test_a_kind_that_the_provider_does_not_take(kind: str, mode: str) -> None:
    shown = _shown(_message(_data((30, 30), kind, mode), f"base64.{kind}"))
    assert (shown["format"], _opened(shown).format) == ("base64.png", "PNG")


def test_what_it_is_called_does_not_count() -> None:
    shown = _shown(_message(_data((30, 30), "jpeg"), "base64.png"))
    assert shown["format"] == "base64.jpeg"


def test_a_picture_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "a b.png"
    file.write_bytes(_data((300, 300)))
    assert _opened(_shown(message("user", "image", str(file), "path"))).size == (64, 64)
    words = _shown(message("user", "image", str(file), "path"), sees=False)
    assert words["format"] == "description"
    assert words["content"] == f"[an image, 300x300, saved at {file}, which this model cannot see]"


@pytest.mark.parametrize(
    "one",
    [
        message("user", "image", "/nowhere/x.png", "path"),
        message("user", "image", "no base64!", "base64.png"),
        message("user", "image", "", "base64.png"),
        _message(b"no picture"),
        _message(_data((64, 64))[:40]),
    ],
)
@pytest.mark.parametrize("sees", [True, False])
def test_broken_pictures_are_told_in_words(one: Message, sees: bool) -> None:
    shown = _shown(one, sees=sees)
    assert shown["format"] == "description"
    assert shown["content"].startswith("[an image")


def test_only_the_newest_are_shown() -> None:
    made = Fitting().shown([_message(_data((8, size))) for size in (8, 9, 10)], _SMALL, True)
    assert [one["format"] for one in made] == ["description", "base64.png", "base64.png"]
    assert made[0]["content"] == "[an image, 8x8, no longer shown]"


def test_the_same_picture_is_always_fitted_the_same_way() -> None:
    one = _message(_data((300, 300), noise=True))
    fitting = Fitting()
    first = fitting.shown([one], _SMALL, True)
    assert fitting.shown([one, one], _SMALL, True) == first * 2
    assert _shown(one) == first[0]


def test_limits_are_data() -> None:
    assert built_in()["anthropic"].pictures.longest == 1568
    assert known({"groq": {"pictures": {"most": 3}}})["groq"].pictures == Pictures(2048, 4_000_000, 3)
    for wrong in ({"longest": 0}, {"kinds": ["svg"]}, {"heavy": 1}, 5):
        with pytest.raises(BadRequest, match="pictures"):
            known({"groq": {"pictures": wrong}})


async def test_in_a_request(tmp_path: Path) -> None:
    file = tmp_path / "big.png"
    file.write_bytes(_data((5000, 50)))
    with MockModel([say("seen"), say("not seen")]) as mock:
        for sees in (True, False):
            live = Live(mock)
            live.settings.llm.supports_vision = sees
            async with live:
                live.session.history.append(message("user", "image", str(file), "path"))
                await live.turn("what is it?")
    pictures = [
        part["image_url"]["url"]
        for body in mock.requests
        for one in body["messages"]
        if isinstance(one["content"], list)
        for part in one["content"]
        if part["type"] == "image_url"
    ]
    assert len(pictures) == 1
    assert Image.open(io.BytesIO(base64.b64decode(pictures[0].partition(",")[2]))).size == (2048, 20)
    assert "which this model cannot see" in str(mock.requests[1]["messages"])

"""Text in a picture, read by tesseract on this machine."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from oi_tui.computer.devices.base import DeviceError, need

if TYPE_CHECKING:
    from PIL.Image import Image

_INSTALL = "apt install tesseract-ocr (macOS: brew install tesseract)"
_ALIKE = 0.75  # from which on a text counts as found, unless it is there letter for letter
_SURE = 30.0  # per cent; a word of which tesseract is less sure is left out


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its place in pixels of the picture. line: words of one line have the same."""

    text: str
    left: int
    top: int
    width: int
    height: int
    line: tuple[int, int, int]


def words(picture: Image, layout: int = 11) -> list[Word]:
    """All words, as they stand. layout: tesseract's page segmentation mode; 11 is text anywhere. Raises DeviceError."""
    made: list[Word] = []
    for found in sorted(_passes(picture, layout), key=len, reverse=True):
        made += [one for one in found if not any(_overlap(one, other) for other in made)]
    return [one for line in lines(made) for one in line]


def _passes(picture: Image, layout: int) -> list[list[Word]]:
    """What is read in the picture as it is, in its edges alone (light text on dark, text on coloured buttons), and in
    twice its size (small letters): each finds words that the others do not."""
    library = need("pytesseract", "reading text on the screen", "os")
    if not shutil.which(library.pytesseract.tesseract_cmd):
        raise DeviceError(f"reading text on the screen needs the program tesseract: {_INSTALL}")
    os.environ.setdefault("OMP_THREAD_LIMIT", "1")  # three at once, each with a thread, are quicker than with many
    gray = picture.convert("L")
    large = gray.resize((gray.width * 2, gray.height * 2))
    with ThreadPoolExecutor(3) as pool:
        ways = ((gray, 1), (_edges(gray), 1), (large, 2))
        return list(pool.map(lambda one: _read(library, layout, *one), ways))


def _edges(gray: Image) -> Image:
    """What differs from its surroundings, dark on white."""
    from PIL import ImageChops, ImageFilter, ImageOps

    ground = gray.filter(ImageFilter.GaussianBlur(12))
    return ImageOps.invert(ImageOps.autocontrast(ImageChops.difference(gray, ground)))


def _read(library: Any, layout: int, picture: Image, scale: int) -> list[Word]:
    try:
        data = library.image_to_data(picture, config=f"--psm {layout}", output_type=library.Output.DICT)
    except library.TesseractError as error:
        raise DeviceError(f"tesseract failed: {error.message}; {_INSTALL}") from None
    made: list[Word] = []
    for at, text in enumerate(data["text"]):
        if not text.strip() or float(data["conf"][at]) < _SURE:
            continue
        left, top, width, height = (int(data[key][at] / scale) for key in ("left", "top", "width", "height"))
        line = (data["block_num"][at], data["par_num"][at], data["line_num"][at])
        made.append(Word(text.strip(), left, top, width, height, line))
    return made


def _overlap(one: Word, other: Word) -> bool:
    """Whether the middle of one lies in the other."""
    x, y = one.left + one.width / 2, one.top + one.height / 2
    return other.left <= x <= other.left + other.width and other.top <= y <= other.top + other.height


def lines(found: list[Word]) -> list[list[Word]]:
    """The words line by line, from the top down: words beside each other at one height are a line."""
    made: list[list[Word]] = []
    for one in sorted(found, key=lambda one: (one.top + one.height / 2, one.left)):
        last = made[-1][-1] if made else None
        if last is not None and abs(one.top + one.height / 2 - last.top - last.height / 2) < max(4, last.height / 2):
            made[-1].append(one)
        else:
            made.append([one])
    return [sorted(line, key=lambda one: one.left) for line in made]


def find(text: str, picture: Image) -> list[dict[str, Any]]:
    """Where a text stands, best first: `coordinates` of its middle relative to the picture, `text` as it was read,
    `similarity` up to 1."""
    wanted = " ".join(text.split())
    if not wanted:
        return []
    hits: list[tuple[float, Word]] = []
    for found in _passes(picture, 11):
        hits += [one for line in _as_read(found) for one in _all(wanted, line)]
    hits.sort(key=lambda one: -one[0])
    kept: list[tuple[float, Word]] = []
    for score, place in hits:
        if (score == 1 or hits[0][0] < 1) and not any(_overlap(place, one) for _, one in kept):
            kept.append((score, place))
    return [_told(score, place, picture) for score, place in kept]


def _as_read(found: list[Word]) -> list[list[Word]]:
    """The words of one pass in the lines that tesseract saw."""
    made: dict[tuple[int, int, int], list[Word]] = {}
    for one in found:
        made.setdefault(one.line, []).append(one)
    return list(made.values())


def _all(wanted: str, line: list[Word]) -> list[tuple[float, Word]]:
    """Parts of a line that are like the text, each as one word with its likeness."""
    made: list[tuple[float, Word]] = []
    count = len(wanted.split())
    for size in sorted({count - 1, count, count + 1} - {0}):
        for at in range(len(line) - size + 1):
            part = line[at : at + size]
            whole = _joined(part)
            score = _alike(wanted, whole.text)
            if score >= _ALIKE:
                made.append((score, whole))
    return made


def _joined(part: list[Word]) -> Word:
    left, top = min(one.left for one in part), min(one.top for one in part)
    right, bottom = max(one.left + one.width for one in part), max(one.top + one.height for one in part)
    return Word(" ".join(one.text for one in part), left, top, right - left, bottom - top, part[0].line)


def _alike(wanted: str, read: str) -> float:
    ours, theirs = wanted.casefold(), read.casefold()
    if ours == theirs or ours == theirs.strip(".,:;!?\"'()[]|<>"):
        return 1.0
    return SequenceMatcher(None, ours, theirs).ratio()


def _told(score: float, place: Word, picture: Image) -> dict[str, Any]:
    middle = [(place.left + place.width / 2) / picture.width, (place.top + place.height / 2) / picture.height]
    return {"coordinates": middle, "text": place.text, "similarity": round(score, 3)}

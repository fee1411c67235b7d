"""Icons on the screen: a picture of one is found by comparing, words for one by asking a model that sees."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oi_tui.computer.devices.base import DeviceError, Question, need

if TYPE_CHECKING:
    from PIL.Image import Image

_FITS = 0.85  # correlation from which on a place counts as found
_SCALES = (1.0, 0.5, 0.67, 0.75, 0.9, 1.1, 1.25, 1.5, 2.0)
_MOST = 20  # places
_ASKED = """This is a screenshot of {width} x {height} pixels. Find: {what}

Answer with JSON alone: a list with the centre of each place where it is, in pixels of this picture, such as
[{{"x": 10, "y": 20}}], or [] if it is not there."""


def load(icon: Any) -> Image | None:
    """A picture that was given as such or as the path of a file, None for words. DeviceError for a broken file."""
    from PIL import Image

    if hasattr(icon, "convert"):
        return icon
    path = Path(str(icon)).expanduser()
    if path.suffix.lower() not in {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp"} or not path.is_file():
        return None
    try:
        with Image.open(path) as opened:
            return opened.convert("RGB")
    except (OSError, ValueError, SyntaxError) as error:
        raise DeviceError(f"{path} is no picture that can be read: {error}") from None


def match(icon: Image, picture: Image) -> list[dict[str, Any]]:
    """Where a picture is in another one, best first, as `ocr.find` tells it. Its size may differ."""
    cv2, numpy = need("cv2", "finding an icon", "os"), need("numpy", "finding an icon", "os")
    field = cv2.cvtColor(numpy.asarray(picture.convert("RGB")), cv2.COLOR_RGB2GRAY)
    best: list[dict[str, Any]] = []
    for scale in _SCALES:
        size = round(icon.width * scale), round(icon.height * scale)
        if min(size) < 6 or size[0] > picture.width or size[1] > picture.height:
            continue
        part = cv2.cvtColor(numpy.asarray(icon.convert("RGB").resize(size)), cv2.COLOR_RGB2GRAY)
        if part.std() < 1:
            raise DeviceError("the picture of the icon has one colour only; cut it out with what is around it")
        found = _peaks(cv2.matchTemplate(field, part, cv2.TM_CCOEFF_NORMED), size, picture)
        if found and (not best or found[0]["similarity"] > best[0]["similarity"]):
            best = found
        if best and scale == 1.0:
            break
    return best


def _peaks(scores: Any, size: tuple[int, int], picture: Image) -> list[dict[str, Any]]:
    """The places with the highest scores, one where several overlap."""
    made: list[dict[str, Any]] = []
    while len(made) < _MOST:
        at = int(scores.argmax())
        y, x = divmod(at, scores.shape[1])
        score = float(scores[y, x])
        if score < _FITS:
            break
        centre = [(x + size[0] / 2) / picture.width, (y + size[1] / 2) / picture.height]
        made.append({"coordinates": centre, "text": "icon", "similarity": round(score, 3)})
        top, left = max(0, y - size[1] // 2), max(0, x - size[0] // 2)
        scores[top : y + size[1] // 2 + 1, left : x + size[0] // 2 + 1] = -1
    return made


def by_words(what: str, picture: Image, computer: Any) -> list[dict[str, Any]]:
    """Ask the model where something is. Raises DeviceError where there is no model that can say it."""
    text = _ASKED.format(width=picture.width, height=picture.height, what=what)
    said = computer.ask([Question(text, png(picture))])[0]
    listed = re.search(r"\[.*\]", said, re.S)
    try:
        places: list[dict[str, Any]] = json.loads(listed[0] if listed else said)
        found = [
            {"coordinates": [float(one["x"]) / picture.width, float(one["y"]) / picture.height], "text": what,
             "similarity": 0.5}
            for one in places
        ]  # fmt: skip
    except (ValueError, TypeError, KeyError):
        raise DeviceError(f"the model did not say where {what!r} is; give its text, or a picture of it") from None
    return [one for one in found if all(0 <= part <= 1 for part in one["coordinates"])]


def png(picture: Image) -> str:
    """A picture as PNG in base64."""
    target = io.BytesIO()
    picture.save(target, "PNG")
    return base64.b64encode(target.getvalue()).decode()

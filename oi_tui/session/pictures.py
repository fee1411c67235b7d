"""Pictures of the history as a model is sent them: files read, sized to what its provider takes, or put into words.

The history keeps what there was; only the request is fitted. The same picture is always fitted the same way, so that
a provider's prompt cache stays good, and only once.
"""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oi_tui.protocol.lmc import Message

if TYPE_CHECKING:
    from PIL.Image import Image as Opened

    from oi_tui.models.provider_table import Pictures

_MOST_FILE = 100_000_000  # bytes of a file that are read
_KEPT = 128  # fitted pictures in memory
_QUALITIES = (90, 75, 60)  # of JPEG, tried in this order before the picture is made smaller


class Fitting:
    """Fits the pictures of one session."""

    def __init__(self) -> None:
        self._fitted: dict[tuple[str, Any], tuple[str, str] | str] = {}

    def shown(self, history: Sequence[Message], limits: Pictures, sees: bool) -> list[Message]:
        """`history` with every picture as base64 that the provider takes, else in words. Blocks: reads and computes.

        sees: whether the model can be shown pictures. Only the newest `limits.most` are.
        """
        places = [number for number, one in enumerate(history) if one["type"] == "image"]
        newest = set(places[-limits.most :])
        made = list(history)
        for number in places:
            one = history[number]
            if one.get("format") == "description":
                continue
            if sees and number in newest:
                made[number] = self._fit(one, limits)
            elif "call" in one:  # its result says in words what was displayed
                made[number] = {**one, "format": "description", "content": ""}
            else:
                made[number] = _worded(one, sees)
        return made

    def _fit(self, one: Message, limits: Pictures) -> Message:
        read = _read(one)
        if isinstance(read, str):
            return _in_words(one, read)
        key = sha256(read).hexdigest(), limits
        if key not in self._fitted:
            while len(self._fitted) >= _KEPT:
                del self._fitted[next(iter(self._fitted))]
            self._fitted[key] = _fitted(read, limits)
        found = self._fitted[key]
        if isinstance(found, str):
            return _in_words(one, found)
        return {**one, "content": found[0], "format": f"base64.{found[1]}"}


def _read(one: Message) -> bytes | str:
    """The bytes of a picture, or why there are none."""
    content = str(one.get("content") or "")
    if one.get("format") != "path":
        try:
            return base64.b64decode(content.partition("base64,")[2] or content, validate=True)
        except (binascii.Error, ValueError):
            return "an image that cannot be read"
    try:
        file = Path(content).expanduser()
        if file.stat().st_size > _MOST_FILE:
            return f"an image at {content}, too large to read"
        return file.read_bytes()
    except OSError as error:
        return f"an image at {content}, which cannot be read ({(error.strerror or str(error)).lower()})"


def _fitted(data: bytes, limits: Pictures) -> tuple[str, str] | str:
    """(base64, kind) of a picture within the limits, or why there is none."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
            kind = str(opened.format or "").lower()
            encoded = base64.b64encode(data).decode()
            if kind in limits.kinds and max(opened.size) <= limits.longest and len(encoded) <= limits.bytes:
                return encoded, kind
            opened.seek(0)  # of an animation the first picture
            opened.thumbnail((limits.longest, limits.longest))
            return _encoded(opened, limits)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # what Pillow raises for broken files
        return "an image that cannot be read"


def _encoded(picture: Opened, limits: Pictures) -> tuple[str, str] | str:
    """PNG where that is small enough, since text stays sharp; else JPEG, first coarser, then smaller."""
    picture = picture.convert("RGBA" if "A" in picture.getbands() or "transparency" in picture.info else "RGB")
    found = _saved(picture, "png")
    if "png" in limits.kinds and len(found) <= limits.bytes:
        return found, "png"
    while min(picture.size) >= 16 and "jpeg" in limits.kinds:
        for quality in _QUALITIES:
            found = _saved(_on_white(picture), "jpeg", quality=quality)
            if len(found) <= limits.bytes:
                return found, "jpeg"
        picture = picture.resize((picture.width * 3 // 4, picture.height * 3 // 4))
    return "an image that is too large to send"


def _on_white(picture: Opened) -> Opened:
    from PIL import Image

    if picture.mode != "RGBA":
        return picture
    ground = Image.new("RGB", picture.size, "white")
    ground.paste(picture, mask=picture.getchannel("A"))
    return ground


def _saved(picture: Opened, kind: str, **options: Any) -> str:
    target = io.BytesIO()
    picture.save(target, kind, **options)
    return base64.b64encode(target.getvalue()).decode()


def _worded(one: Message, sees: bool) -> Message:
    """A picture that is not shown: the model was shown too many since, or cannot see."""
    read = _read(one)
    if isinstance(read, str):
        return _in_words(one, read)
    where = f", saved at {one['content']}" if one.get("format") == "path" else ""
    why = "no longer shown" if sees else "which this model cannot see"
    return _in_words(one, f"an image{_size(read)}{where}, {why}")


def _size(data: bytes) -> str:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
            return f", {opened.width}x{opened.height}"
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return ""


def _in_words(one: Message, text: str) -> Message:
    """The picture as text."""
    return {**one, "format": "description", "content": f"[{text}]"}

"""Values as they travel between the device process and the code that calls a device: JSON, and pictures in it."""

from __future__ import annotations

import base64
import io
from typing import Any

PICTURE, TUPLE = "$picture", "$tuple"  # the one key of an object that stands for such a value


def pack(value: Any) -> Any:
    """A result as JSON. What is neither plain data nor a picture becomes its text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "save") and hasattr(value, "convert"):
        from oi_tui.computer.devices.icons import png

        return {PICTURE: png(value)}
    if isinstance(value, tuple):
        return {TUPLE: [pack(one) for one in value]}
    if isinstance(value, list):
        return [pack(one) for one in value]
    if isinstance(value, dict):
        return {str(key): pack(one) for key, one in value.items()}
    return str(value)


def unpack(value: Any) -> Any:
    """An argument out of JSON. Raises ValueError for a picture that is none."""
    if isinstance(value, list):
        return [unpack(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {PICTURE}:
        from PIL import Image

        try:
            with Image.open(io.BytesIO(base64.b64decode(value[PICTURE]))) as opened:
                return opened.convert("RGB")
        except (OSError, SyntaxError) as error:
            raise ValueError(f"this is no picture that can be read: {error}") from None
    if value.keys() == {TUPLE}:
        return tuple(unpack(one) for one in value[TUPLE])
    return {key: unpack(one) for key, one in value.items()}

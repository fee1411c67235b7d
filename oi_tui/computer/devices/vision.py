"""`computer.vision`: what a picture says and shows: its text by tesseract here, all else by the session's model."""

from __future__ import annotations

import base64
import binascii
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oi_tui.computer.devices import ocr
from oi_tui.computer.devices.base import Device, Question
from oi_tui.computer.devices.icons import png

if TYPE_CHECKING:
    from PIL.Image import Image

_QUERY = "Describe this image. Also tell me what text is in the image, if any."


class Vision(Device):
    """Pictures are given as base64, the path of a file, an LMC message, or a PIL picture."""

    def load(self, load_moondream: bool = True, load_easyocr: bool = True) -> bool:
        """There is nothing to load: text is read by tesseract, pictures are looked at by the session's model."""
        return True

    def ocr(
        self, base_64: str | None = None, path: str | None = None, lmc: dict[str, Any] | None = None,
        pil_image: Any = None,
    ) -> str:  # fmt: skip
        """The text in a picture."""
        return " ".join(one.text for one in ocr.words(_picture(base_64, path, lmc, pil_image), 3))

    def query(
        self, query: str = _QUERY, base_64: str | None = None, path: str | None = None,
        lmc: dict[str, Any] | None = None, pil_image: Any = None,
    ) -> str:  # fmt: skip
        """Ask the session's model about a picture."""
        return self.computer.ask([Question(query, png(_picture(base_64, path, lmc, pil_image)))])[0]


def _picture(base_64: str | None, path: str | None, lmc: dict[str, Any] | None, given: Any) -> Image:
    """The one picture that was given. Raises ValueError when it is none, FileNotFoundError."""
    from PIL import Image

    if lmc is not None:
        if "base64" in str(lmc.get("format")):
            base_64 = str(lmc.get("content"))
        else:
            path = str(lmc.get("content"))
    if given is not None:
        return given.convert("RGB")
    if base_64 is None and path is None:
        raise ValueError("give a picture: base_64=…, path=…, lmc=… or pil_image=…")
    try:
        if base_64 is not None:
            data = base64.b64decode(base_64.partition("base64,")[2] or base_64, validate=True)
        else:
            data = Path(str(path)).expanduser().read_bytes()
        with Image.open(io.BytesIO(data)) as opened:
            return opened.convert("RGB")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no picture {path}") from None
    except (OSError, SyntaxError, binascii.Error, ValueError) as error:
        raise ValueError(f"this is no picture that can be read: {error}") from None

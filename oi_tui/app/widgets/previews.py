"""A small picture of an image file out of half blocks, two pixels a cell."""

from __future__ import annotations

from pathlib import Path

from .wrapping import Line, Run

_MOST_PIXELS = 50_000_000


def half_blocks(path: Path, columns: int, rows: int) -> list[Line]:
    """Draw an image in at most `columns` × `rows` cells, keeping its proportions.

    Returns:
        Lines of `▀` with both colours of each cell; empty when Pillow is not installed or the file is no image it can
        read. Blocks for as long as decoding takes: call it in a thread.
    """
    try:
        from PIL import Image
    except ImportError:
        return []
    try:
        with Image.open(path) as image:
            if image.width * image.height > _MOST_PIXELS:
                return []
            image.draft("RGB", (columns * 2, rows * 4))
            picture = image.convert("RGBA")
            picture.thumbnail((columns, rows * 2))
            ground = Image.new("RGBA", picture.size, (255, 255, 255, 255))
            ground.alpha_composite(picture)
            pixels = ground.convert("RGB")
            width, height = pixels.size
            data = pixels.tobytes()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return []
    return [_row(data, width, height, y) for y in range(0, height, 2)]


def _row(data: bytes, width: int, height: int, y: int) -> Line:
    runs: list[Run] = []
    for x in range(width):
        upper = _pixel(data, width, x, y)
        style = f"sgr:38;2;{upper}"
        if y + 1 < height:
            style += f";48;2;{_pixel(data, width, x, y + 1)}"
        if runs and runs[-1][1] == style:
            runs[-1] = (runs[-1][0] + 1, style)
        else:
            runs.append((1, style))
    return Line("▀" * width, tuple(runs), chars=True)


def _pixel(data: bytes, width: int, x: int, y: int) -> str:
    place = (y * width + x) * 3
    return f"{data[place]};{data[place + 1]};{data[place + 2]}"

"""Executor `view`: a picture, or a part of one, made small enough for a model. Pillow does the work."""

from __future__ import annotations

import asyncio
import base64
import io
from pathlib import Path

from oi_tui.protocol.calls import Image, Result
from oi_tui.tools import pictures
from oi_tui.tools.base import Context, Preview
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.places import locate, odd_kind, read_regular, shown

MOST_BYTES = 64 * 1024 * 1024  # of a file
MOST_PIXELS = 120_000_000  # that are unpacked: a small file can claim more than memory holds
LONGEST_SIDE = 1568  # pixels; more is scaled down by the providers anyway
MOST_SENT = 5 * 1024 * 1024  # bytes


def preview(ctx: Context, path: str, region: list[int] = [], full: bool = False) -> Preview:  # noqa: B006 - read only
    """path: of a picture. region: [left, top, width, height] in pixels. full: in its own size."""
    resolved = _check(ctx, path, region)
    return Preview("tool", "", shown(ctx, resolved), f"look at {shown(ctx, resolved)}", reads=(resolved,))


async def run(ctx: Context, path: str, region: list[int] = [], full: bool = False) -> Result:  # noqa: B006 - read only
    """Look at it. meta: path, format, width, height (of what is sent), original ([width, height])."""
    resolved = _check(ctx, path, region)
    return await asyncio.to_thread(_view, shown(ctx, resolved), resolved, region, full)


def _check(ctx: Context, path: str, region: list[int]) -> str:
    if region and (len(region) != 4 or min(region) < 0 or 0 in region[2:]):
        raise BadArgument("region must be [left, top, width, height] in pixels")
    resolved = locate(ctx, path)
    if not Path(resolved).exists():
        raise BadArgument(f"{path} does not exist", "missing")
    if odd_kind(resolved):
        raise BadArgument(f"{path} is {odd_kind(resolved)}, not a picture", "kind")
    return resolved


def _view(name: str, resolved: str, region: list[int], full: bool) -> Result:
    from PIL import Image as Pillow

    data = read_regular(resolved, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadArgument(f"{name} has more than {MOST_BYTES:,} bytes; make it smaller with code", "size")
    try:
        with Pillow.open(io.BytesIO(data)) as picture:
            width, height = picture.size
            if width * height > MOST_PIXELS:
                raise BadArgument(f"{name} has {width} x {height} pixels; make it smaller with code", "size")
            known = pictures.kind_and_size(data[: 1024 * 1024])
            fits = max(width, height) <= LONGEST_SIDE or full
            if known is not None and fits and not region and len(data) <= MOST_SENT:
                return _result(name, resolved, data, known[0], (width, height), (width, height))
            sent, size = _smaller(picture, name, region, full)
    except BadArgument:
        raise
    except (OSError, ValueError, SyntaxError, Pillow.DecompressionBombError) as error:
        raise BadArgument(f"{name} is no picture that can be read: {error}", "kind") from error
    return _result(name, resolved, sent, "png", size, (width, height))


def _smaller(picture: object, name: str, region: list[int], full: bool) -> tuple[bytes, tuple[int, int]]:
    """The picture, or its region, as PNG bytes that a provider takes, and its size."""
    from PIL import Image as Pillow

    assert isinstance(picture, Pillow.Image)
    whole = picture
    if region:
        left, top = region[:2]
        if left >= picture.width or top >= picture.height:
            raise BadArgument(f"the region lies outside of {name}, {picture.width} x {picture.height} pixels", "end")
        whole = picture.crop((left, top, min(left + region[2], picture.width), min(top + region[3], picture.height)))
    if whole.mode not in {"1", "L", "P", "RGB", "RGBA"}:
        whole = whole.convert("RGB")
    side = max(whole.size) if full else min(LONGEST_SIDE, max(whole.size))
    while True:
        made = whole.copy()
        if max(made.size) > side:
            made = made.convert("RGBA" if "A" in made.getbands() or made.mode == "P" else "RGB")
            made.thumbnail((side, side))
        out = io.BytesIO()
        made.save(out, "PNG")
        if out.tell() <= MOST_SENT or side < 200:
            return out.getvalue(), made.size
        side = side * 3 // 4


def _result(
    name: str, resolved: str, data: bytes, kind: str, size: tuple[int, int], original: tuple[int, int]
) -> Result:
    image = Image(base64.b64encode(data).decode("ascii"), kind, resolved, *size)
    whole = "" if size == original else f" (of {original[0]} x {original[1]})"
    text = f"{name}: {kind} picture, {size[0]} x {size[1]} pixels{whole}"
    meta = {"path": name, "format": kind, "width": size[0], "height": size[1], "original": list(original)}
    return Result(ok=True, text=text, images=(image,), meta={**meta, "summary": f"{size[0]} x {size[1]} pixels"})

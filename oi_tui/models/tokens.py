"""How many tokens a text has, estimated: no provider tells before it is asked.

Four bytes of UTF-8 a token is close enough while there is room. Where it matters, `prepare` loads the vocabulary
cl100k, which litellm brings as a file, so no network is needed; it takes a tenth of a second and 40 MB. It is exact
for some models only; for the others it is still the better guess, above all for code and digits.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

PICTURE = 1200  # tokens of a picture: providers count 85 to 1,600 for one, by its size
_BYTES = 4  # of UTF-8 in a token

_FILE = "litellm_core_utils/tokenizers/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"  # cl100k, under tiktoken's own name
# What a text is cut into before pairs are joined: words with the sign before them, up to three digits, signs, spaces.
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+"
_PIECE = 4096  # characters that are counted at once: the time for one long word grows faster than its length

_encoding: Encoding | None = None


def count(text: str) -> int:
    """Tokens of `text`: by the vocabulary once it is prepared, else by its bytes."""
    if _encoding is None:
        return roughly(text)
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return sum(len(_encoding.encode_ordinary(piece)) for piece in pieces)


def roughly(text: str) -> int:
    """Tokens of `text` by its bytes."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // _BYTES)


def exact() -> bool:
    """Whether `count` uses the vocabulary. What was counted before it did is worth counting again."""
    return _encoding is not None


def prepare() -> None:
    """Load the vocabulary, once, if it is here. Blocks: call it in a thread."""
    global _encoding
    if _encoding is None:
        _encoding = _load()


@cache
def _load() -> Encoding | None:
    spec = find_spec("litellm")  # finds the package without running it
    places = [Path(place) / _FILE for place in (spec.submodule_search_locations or ())] if spec else []
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        return None
    try:
        from base64 import b64decode

        from tiktoken import Encoding

        pairs = (line.split() for line in file.read_bytes().splitlines() if line)
        ranks = {b64decode(token): int(rank) for token, rank in pairs}
        return Encoding("cl100k", pat_str=_WORDS, mergeable_ranks=ranks, special_tokens={})
    except (ImportError, OSError, ValueError):
        return None  # another layout than this program knows: the bytes have to do

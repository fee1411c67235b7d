"""Seals of thoughts, as providers put them on reasoning: the mock can check that a thought comes back unchanged."""

from __future__ import annotations

from zlib import crc32


def seal(*texts: str) -> str:
    """A seal that fits these texts only."""
    return f"seal-{crc32(chr(0).join(texts).encode('utf-8', 'replace')):08x}"

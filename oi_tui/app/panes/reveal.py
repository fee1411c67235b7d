"""Makes signs visible that could hide what code does: direction marks, zero-width signs, controls, odd spaces.

A person approves what they see. Text that reads one way and runs another ("Trojan Source", CVE-2021-42574) must not
get through because a terminal draws nothing for a sign.
"""

from __future__ import annotations

import unicodedata

_KEPT = frozenset("\n\t")
_HIDING = frozenset({"Cf", "Cc", "Cs", "Co", "Zl", "Zp"})
# Letters and marks that are drawn as nothing: Hangul fillers, the Braille blank, the grapheme joiner, variation
# selectors but for the one that asks for an emoji.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f") | {
    chr(number) for number in (*range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0))
}


def hides(sign: str) -> bool:
    """True for a sign that a terminal draws as nothing, as a plain space, or that changes what is drawn around it."""
    if sign in _KEPT or sign == " ":
        return False
    category = unicodedata.category(sign)
    return category in _HIDING or category == "Zs" or sign in _BLANK


def revealed(code: str) -> str:
    """The code with every hiding sign as `‹U+202E›`. Line ends are kept; a lone carriage return is made visible."""
    code = code.replace("\r\n", "\n")
    if code.isascii() and code.isprintable():
        return code
    return "".join(f"‹U+{ord(sign):04X}›" if hides(sign) else sign for sign in code)


def hidden_signs(code: str) -> int:
    """How many hiding signs the code has."""
    return sum(map(hides, code.replace("\r\n", "\n")))

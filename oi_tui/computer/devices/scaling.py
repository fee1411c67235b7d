"""The size in which a model is shown the screen, and its coordinates as those of the mouse and back.

Models see pictures only up to a size; a larger one is made smaller by the provider, and coordinates then miss. The
first three sizes are those that Anthropic's computer tool was trained with.
"""

from __future__ import annotations

from dataclasses import dataclass

_TRAINED = ((1024, 768), (1280, 800), (1366, 768))
_ALIKE = 0.02  # how far the shape of a screen may be from one of them
_LONGEST, _PIXELS = 1568, 1_150_000  # of any picture. Source: Anthropic's guide to vision


@dataclass(frozen=True, slots=True)
class Scale:
    """shown: size of the pictures. screen: size in which the mouse moves."""

    shown: tuple[int, int]
    screen: tuple[int, int]

    @classmethod
    def of(cls, width: int, height: int) -> Scale:
        """The one for a screen of that size."""
        for size in _TRAINED:
            if abs(size[0] / size[1] - width / height) < _ALIKE and size[0] < width:
                return cls(size, (width, height))
        part = min(1.0, _LONGEST / max(width, height), (_PIXELS / (width * height)) ** 0.5)
        return cls((round(width * part), round(height * part)), (width, height))

    def to_screen(self, x: float, y: float) -> tuple[int, int]:
        """A place in the picture as one on the screen. Raises ValueError when it is outside."""
        if not (0 <= x < self.shown[0] and 0 <= y < self.shown[1]):
            raise ValueError(
                f"({x:g}, {y:g}) is outside of the screen, whose picture is {self.shown[0]} x {self.shown[1]}"
            )
        return round(x * self.screen[0] / self.shown[0]), round(y * self.screen[1] / self.shown[1])

    def to_shown(self, x: float, y: float) -> tuple[int, int]:
        """A place on the screen as one in the picture."""
        return round(x * self.shown[0] / self.screen[0]), round(y * self.shown[1] / self.screen[1])

"""`computer.display`: pictures of the screen, and what is on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oi_tui.computer.devices import icons, ocr, screen, windows
from oi_tui.computer.devices.base import Device

if TYPE_CHECKING:
    from PIL.Image import Image


class Display(Device):
    """The screens of this machine."""

    @property
    def width(self) -> int:
        """Of the main screen."""
        return screen.size()[0]

    @property
    def height(self) -> int:
        """Of the main screen."""
        return screen.size()[1]

    def size(self) -> tuple[int, int]:
        """Width and height of the main screen."""
        return screen.size()

    def center(self) -> tuple[int, int]:
        """The middle of the main screen, as (x, y)."""
        width, height = screen.size()
        return width // 2, height // 2

    def info(self) -> list[dict[str, Any]]:
        """Number, place and size of each screen, and the title of the window in front."""
        from oi_tui.computer.devices.base import need

        screen.require()
        with need("mss", "looking at the screens", "os").mss() as grabber:
            found = [
                {"screen": number, "x": one["left"], "y": one["top"], "width": one["width"], "height": one["height"]}
                for number, one in enumerate(grabber.monitors[1:])
            ]
        window = windows.active()
        if found and window is not None:
            found[0]["active_window"] = window.title
        return found

    def screenshot(
        self, screen: int = 0, show: bool = True, quadrant: int | None = None, active_app_only: bool = True,
        combine_screens: bool = True,
    ) -> Any:  # fmt: skip
        """A picture of the window in front, or of a whole screen (active_app_only=False; screen=-1: of all). quadrant:
        1 to 4 for a quarter of it. show: show it as well. Returns a PIL picture, or a list of them for all screens
        with combine_screens=False."""
        taken = _taken(screen, active_app_only, combine_screens)
        made = [_quarter(one, quadrant) if quadrant is not None else one for one in taken]
        if show:
            for one in made:
                self.computer.show(one)
            self.computer.tell("A screenshot was taken and shown.")
        return made[0] if len(made) == 1 and (combine_screens or screen != -1) else made

    def view(
        self, show: bool = True, quadrant: int | None = None, screen: int = 0, combine_screens: bool = True,
        active_app_only: bool = True,
    ) -> Any:  # fmt: skip
        """The same as screenshot."""
        return self.screenshot(screen, show, quadrant, active_app_only, combine_screens)

    def find(self, description: str, screenshot: Any = None) -> list[dict[str, Any]]:
        """Where something is on the screen: a text in quotes, an icon by its picture's file, or anything in words.
        Gives `coordinates` relative to the screen, best first."""
        text = str(description).strip()
        if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'":
            return self.find_text(text[1:-1], screenshot)
        return self.find_icon(description, screenshot)

    def find_text(self, text: str, screenshot: Any = None) -> list[dict[str, Any]]:
        """Where a text stands on the screen: `coordinates` relative to it (0 to 1), `text` as read, `similarity`."""
        return ocr.find(text, _whole(screenshot))

    def find_icon(self, icon: Any, screenshot: Any = None) -> list[dict[str, Any]]:
        """Where an icon is: given as a picture, as its file, or in words, which asks the model. As find_text."""
        picture = _whole(screenshot)
        looked_for = icons.load(icon)
        if looked_for is not None:
            return icons.match(looked_for, picture)
        return icons.by_words(str(icon), picture, self.computer)

    def get_text_as_list_of_lists(self, screenshot: Any = None) -> list[list[str]]:
        """All text on the screen, a list of words for each line."""
        return [[one.text for one in line] for line in ocr.lines(ocr.words(_whole(screenshot)))]


def _whole(picture: Any) -> Image:
    return picture if picture is not None else screen.capture()


def _taken(number: int, active: bool, combine: bool) -> list[Image]:
    if number == -1:
        all_of_them = [screen.capture(one) for one in range(screen.count())]
        return [_collage(all_of_them)] if combine and len(all_of_them) > 1 else all_of_them
    window = windows.active() if active and number == 0 else None
    if window is None:
        return [screen.capture(number)]
    whole = screen.capture(-1)
    scale = whole.width / max(1, screen.size()[0]) if screen.count() == 1 else 1.0
    left, top = max(0, window.left * scale), max(0, window.top * scale)
    right = min(whole.width, (window.left + window.width) * scale)
    bottom = min(whole.height, (window.top + window.height) * scale)
    if right - left < 2 or bottom - top < 2:
        return [screen.capture(number)]
    return [whole.crop((int(left), int(top), int(right), int(bottom)))]


def _quarter(picture: Image, quadrant: int) -> Image:
    """1 is top left, 2 top right, 3 bottom left, 4 bottom right."""
    if quadrant not in (1, 2, 3, 4):
        raise ValueError("quadrant is 1 (top left), 2 (top right), 3 (bottom left) or 4 (bottom right)")
    x, y = picture.width // 2, picture.height // 2
    left, top = (0, x)[(quadrant - 1) % 2], (0, y)[(quadrant - 1) // 2]
    return picture.crop((left, top, left + x, top + y))


def _collage(pictures: list[Image]) -> Image:
    """All screens beside each other, each with its number above it."""
    from PIL import Image, ImageDraw

    label, gap = 24, 10
    width = sum(one.width for one in pictures) + gap * (len(pictures) - 1)
    made = Image.new("RGB", (width, max(one.height for one in pictures) + label), "white")
    draw, left = ImageDraw.Draw(made), 0
    for number, one in enumerate(pictures):
        draw.text((left + 4, 6), f"Screen {number}", fill="black")
        made.paste(one, (left, label))
        left += one.width + gap
    return made

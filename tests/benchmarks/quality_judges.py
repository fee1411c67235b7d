"""What the judges of `embedded_quality.py` share: what a request came to, and how to look at files and pictures."""

from __future__ import annotations

import re
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Ran:
    """What a conversation came to. printed: what the last turn's code printed. said: the last turn's words.

    blocks: code that ran in the last turn. folder: where it ran, an absolute path. before: the names in it at first.
    """

    folder: Path
    before: frozenset[str]
    printed: str = ""
    said: str = ""
    blocks: list[str] = field(default_factory=lambda: list[str]())

    @property
    def told(self) -> str:
        """All that a person reads of the last turn."""
        return f"{self.said}\n{self.printed}"

    def names(self) -> set[str]:
        """The names in the folder now."""
        return {one.name for one in self.folder.iterdir()}

    def new(self) -> set[str]:
        return self.names() - self.before

    def unchanged(self) -> bool:
        """True when no name came or went."""
        return self.names() == self.before

    def text(self, name: str) -> str:
        """A file's text, "" when it is not there."""
        file = self.folder / name
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


Judge = Callable[[Ran], bool]


@dataclass(frozen=True, slots=True)
class Request:
    """One test. say: the messages of the person, one a turn. right: judges the end. {port}: of a server on loopback."""

    say: tuple[str, ...]
    right: Judge
    kind: str


def numbers(text: str) -> list[float]:
    """The numbers in `text`, with thousands separators or without."""
    found = re.findall(r"-?\d+(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?", text)
    return [float(one.replace(",", "")) for one in found]


def number(wanted: float, tolerance: float = 0.0051) -> Judge:
    """The last line with numbers has `wanted` and the answer no more than a handful of numbers."""

    def right(ran: Ran) -> bool:
        given = numbers(ran.told)
        return 0 < len(given) <= 12 and any(abs(one - wanted) <= tolerance for one in given[-4:])

    return right


def words(*wanted: str, absent: tuple[str, ...] = ()) -> Judge:
    """All of `wanted` are told and none of `absent`, whatever the case."""

    def right(ran: Ran) -> bool:
        told = ran.told.lower()
        return all(one.lower() in told for one in wanted) and not any(one.lower() in told for one in absent)

    return right


def rows(text: str) -> list[list[str]]:
    """The cells of comma separated lines that are not blank."""
    return [[cell.strip().strip('"') for cell in line.split(",")] for line in text.splitlines() if line.strip()]


def zipped(path: Path) -> set[str]:
    """Base names of the files in an archive, none when it is no archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [one for one in archive.infolist() if not one.is_dir()]
            return {Path(_name(one)).name for one in names}
    except (OSError, zipfile.BadZipFile):
        return set()


def _name(entry: zipfile.ZipInfo) -> str:
    """A member's name; the program zip writes UTF-8 and says so in a field that zipfile does not read."""
    try:
        return entry.filename if entry.flag_bits & 0x800 else entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def chat(ran: Ran) -> bool:
    """Words were said, nothing ran and nothing changed."""
    return bool(ran.said.strip()) and not ran.blocks and ran.unchanged()


def commits(folder: Path, *made: tuple[str, str]) -> None:
    """Make a git repository of `folder` with a commit for each (author, message); the first one holds all files."""
    settings = ("-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main")
    _git(folder, *settings, "init", "-q")
    for author, text in made:
        _git(folder, "add", "-A")
        who = ("-c", f"user.name={author}", "-c", f"user.email={author.lower()}@example.org")
        _git(folder, *settings, *who, "commit", "-q", "--allow-empty", "-m", text)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(("git", "-C", str(folder), *arguments), check=True, stdin=subprocess.DEVNULL)


def picture(path: Path, width: int, height: int, colour: str = "navy") -> None:
    """Write a picture of one colour; width and height are pixels."""
    from PIL import Image

    Image.new("RGB", (width, height), colour).save(path)


def size(path: Path) -> tuple[int, int]:
    """(width, height) of a picture in pixels, (0, 0) when it is none."""
    try:
        from PIL import Image

        with Image.open(path) as opened:
            return opened.size
    except (OSError, ValueError):
        return 0, 0


def _pixels(path: Path) -> list[list[bool]]:
    """Which pixels of a picture have a colour that is neither white, grey nor black, by rows; [] for no picture."""
    try:
        from PIL import Image

        with Image.open(path) as picture:
            small = picture.convert("RGB").resize((320, 240))
    except (OSError, ValueError):
        return []
    data = small.tobytes()
    spread = [max(data[at : at + 3]) - min(data[at : at + 3]) > 60 for at in range(0, len(data), 3)]
    return [spread[row * 320 : row * 320 + 320] for row in range(240)]


def heights(path: Path) -> list[int]:
    """Heights of the coloured columns in a picture: one figure for each run of neighbouring columns."""
    pixels = _pixels(path)
    columns = [sum(row[column] for row in pixels) for column in range(320)] if pixels else []
    found: list[int] = []
    inside = False
    for height in columns:
        if height < 3:
            inside = False
        elif inside:
            found[-1] = max(found[-1], height)
        else:
            found.append(height)
            inside = True
    return found


def turns(path: Path) -> int:
    """How often a coloured curve in a picture changes between rising and falling, going from left to right."""
    pixels = _pixels(path)
    line: list[float] = []
    for column in range(320) if pixels else ():
        lit = [row for row in range(240) if pixels[row][column]]
        if lit:
            line.append(sum(lit) / len(lit))
    changes, direction, last = 0, 0, line[0] if line else 0.0
    for height in line:
        if abs(height - last) < 4:
            continue
        now = 1 if height > last else -1
        changes += direction not in {0, now}
        direction, last = now, height
    return changes


def colours(path: Path) -> int:
    """How many clearly different colours, white and greys aside, cover more than a hundredth of a picture."""
    try:
        from PIL import Image

        with Image.open(path) as picture:
            small = picture.convert("RGB").resize((160, 120))
    except (OSError, ValueError):
        return 0
    data, counts = small.tobytes(), dict[tuple[int, int, int], int]()
    for at in range(0, len(data), 3):
        red, green, blue = data[at : at + 3]
        if max(red, green, blue) - min(red, green, blue) > 60:
            key = (red // 48, green // 48, blue // 48)
            counts[key] = counts.get(key, 0) + 1
    return sum(1 for count in counts.values() if count > 192)

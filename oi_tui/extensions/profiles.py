"""Profiles: named sets of settings, one file each, laid over config.toml. YAML, JSON, TOML, or a Python program.

A name is looked for in the person's own folder, then among those that come with the program; a path or an address names
a file anywhere. This module finds and reads them; a Python profile is run by a face (`faces/profile_program.py`), and
one from elsewhere only after the person has seen it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from oi_tui import paths
from oi_tui.extensions import profile_files, profile_keys
from oi_tui.settings import Layer, Problem

ENDINGS = (".yaml", ".yml", ".json", ".toml", ".py")
DEFAULT = "default"
_LARGEST = 1_000_000  # bytes of a profile from the web
_ADDRESS = re.compile(r"(?:https?://)?(?:www\.)?i\.com/(?P<short>\S+)|https?://\S+", re.IGNORECASE)
_SHORT = "https://openinterpreter.com/profiles/"  # what i.com/NAME stood for


class ProfileError(Exception):
    """It cannot be used; str() is one sentence, `hint` the next step."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Source:
    """A profile as it was found. place: its file or address. ending: how it is written, such as `.yaml`.

    own: it lies in the person's folder of profiles, or came with the program, so it is trusted as it is.
    """

    name: str
    place: str
    text: str
    ending: str
    own: bool

    @property
    def python(self) -> bool:
        """It is a program."""
        return self.ending == ".py"


def folder() -> Path:
    """The person's own profiles."""
    return paths.home() / "profiles"


def is_address(name: str) -> bool:
    """Whether it names a page of the web and no file."""
    return _ADDRESS.fullmatch(name.strip()) is not None


def address(name: str) -> str:
    """The address in full: `i.com/x` stood for a page of the classic project."""
    match = _ADDRESS.fullmatch(name.strip())
    short = match["short"] if match is not None else None
    return f"{_SHORT}{short}" if short else name.strip()


def find(name: str) -> Source:
    """The profile of that name or path; "" is the default one. Raises ProfileError.

    Reads files only; an address is for `fetched`.
    """
    name = name.strip()
    path = _path(name or DEFAULT)
    if path is None:
        near = get_close_matches(Path(name).stem, [one.name for one in listed()], 1, 0.5)
        raise ProfileError(
            f"there is no profile {name}", f"did you mean {near[0]}?" if near else "oi profiles lists them all"
        )
    if path.suffix.lower() not in ENDINGS:
        raise ProfileError(f"{path} is no profile", f"a profile ends in {', '.join(ENDINGS)}")
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    own = path.parent in {folder(), _shipped()}
    return Source(path.stem, str(path), text, path.suffix.lower(), own)


def _path(name: str) -> Path | None:
    stem, ending = Path(name).stem, Path(name).suffix.lower()
    if "/" not in name and "\\" not in name:
        wanted = [stem] if ending in ENDINGS else [name]
        for place in (folder(), _shipped()):
            for one in (f"{stem}{end}" for stem in wanted for end in ((ending,) if ending in ENDINGS else ENDINGS)):
                if (place / one).is_file():
                    return place / one
    path = Path(name).expanduser()
    if ending in ENDINGS or "/" in name:
        return path.absolute() if path.is_file() else None
    return None


def _shipped() -> Path:
    return paths.shipped("profiles")


def shipped() -> list[Path]:
    """The files of those that come with the program."""
    return sorted(one for one in _shipped().glob("*") if one.suffix in ENDINGS)


def fetched(name: str, seconds: float = 20.0) -> Source:
    """The profile at an address, as text: nothing of it is used yet. Raises ProfileError."""
    import httpx

    url = address(name)
    ending = Path(url.partition("?")[0]).suffix.lower()
    found = [url] if ending in ENDINGS else [f"{url}{one}" for one in (".yaml", ".json", ".py", ".toml")]
    for one in found:
        try:
            page = httpx.get(one, timeout=seconds, follow_redirects=True)
        except httpx.HTTPError as error:
            raise ProfileError(f"{one} cannot be fetched: {error}", "save the file and name its path") from error
        if len(page.content) > _LARGEST:
            raise ProfileError(f"{one} is {len(page.content):,} bytes, too much for a profile")
        if page.status_code == 200:
            return Source(Path(one.partition("?")[0]).stem, one, page.text, Path(one.partition("?")[0]).suffix, False)
    raise ProfileError(f"there is no profile at {url}", "the address has to lead to the file itself")


def layer(source: Source) -> Layer:
    """What a profile of data sets. A file that is wrong sets nothing, and the problem says where; raises nothing."""
    try:
        rows = profile_files.rows(source.text, source.ending)
    except profile_files.Malformed as error:
        return Layer(source.place, (), (Problem(f"{source.place}: {error}", "nothing of the profile is used"),))
    kept, problems = profile_keys.translated(source.place, rows)
    return Layer(source.place, kept, problems)


@dataclass(frozen=True, slots=True)
class Listed:
    """A profile as a list shows it: its name, what it is for, and whether the person made it."""

    name: str
    about: str
    path: Path
    own: bool


def listed() -> Sequence[Listed]:
    """All that there are, the person's own first; one of theirs hides a built-in of its name."""
    made: dict[str, Listed] = {}
    for place in (folder(), _shipped()):
        for path in sorted(place.glob("*")) if place.is_dir() else ():
            if path.suffix.lower() in ENDINGS and path.stem not in made:
                made[path.stem] = Listed(path.stem, _about(path), path, place == folder())
    return list(made.values())


def _about(path: Path) -> str:
    """The first line of its opening comment or docstring."""
    try:
        head = path.read_text("utf-8", errors="replace")[:400]
    except OSError:
        return ""
    match = re.match(r"""\s*(?:#+\s*|\"\"\"\s*)(.+)""", head)
    return match[1].strip().removesuffix('"""').strip() if match else ""

"""Pictures that a person puts into a message, as marks in its text: `[image: ~/plot.png]`.

A mark is text like any other, so a message that waits, is taken back or comes out of the history keeps its pictures.
When the message enters the conversation each marked picture is copied to the session's own files and shown to the
model: what happens to the file later changes nothing of what was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from oi_tui import paths

MOST_BYTES = 100_000_000  # of one picture

# Endings that make the path of a file look like a picture: what Pillow reads without more programs.
ENDINGS = ("png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "ico", "avif")

_ENDING = re.compile(rf"\.(?:{'|'.join(ENDINGS)})$", re.IGNORECASE)
MARK = "[image: "  # how a mark begins
_AT_END = re.compile(
    r"""(?:^|(?<=[\s(]))("[^"\n]+"|'[^'\n]+'|(?:\\.|[^\s"'\\(\[])(?:\\.|[^\s"'\\])*?)(?=[?!.,;:)]?\s*$)"""
)


class NotAPicture(ValueError):
    """A path that cannot be attached; str() says why."""


def look(path: str, cwd: str) -> Path:
    """The picture at `path` (absolute, below `~` or below `cwd`), its beginning read. Raises NotAPicture."""
    try:
        file = _resolved(path, cwd)
        if file.is_dir():
            raise NotAPicture(f"{path} is a folder, not a picture")
        if not file.is_file():
            raise NotAPicture(f"there is no picture {path}")
        if file.stat().st_size > MOST_BYTES:
            raise NotAPicture(f"{path} has more than {MOST_BYTES // 1_000_000} MB, too much for a picture")
        with file.open("rb") as opened:
            known = _known(opened.read(65_536), file)
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, NotAPicture):
            raise
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NotAPicture(f"{path} cannot be read: {why.lower()}") from error
    if not known:
        raise NotAPicture(f"{path} is not a picture that can be shown")
    return file


def mark(file: Path) -> str:
    """The mark that attaches `file`, an absolute path; below the home folder it is written with `~`."""
    home = Path.home()
    return f"{MARK}{'~' / file.relative_to(home) if file.is_relative_to(home) else file}]"


def marked(text: str, cwd: str) -> Iterator[str]:
    """The path of every mark in `text`, each once. A name may hold brackets itself: the file that is there counts."""
    seen: set[str] = set()
    for after in text.split(MARK)[1:]:
        line = after.partition("\n")[0]
        ends = [index for index, sign in enumerate(line) if sign == "]"][:20]
        end = next((end for end in ends if _is_file(line[:end], cwd)), ends[0] if ends else 0)
        if end and line[:end] not in seen:
            seen.add(line[:end])
            yield line[:end]


def dropped(pasted: str, cwd: str) -> str:
    """Marks for a paste that is nothing but paths of pictures, as terminals write files that are dropped on them; ""
    for any other text."""
    import shlex

    if "\0" in pasted or len(pasted) > 20_000 or not pasted.strip():
        return ""
    whole = pasted.strip()
    if "\n" not in whole and _ENDING.search(whole) and _is_file(whole, cwd):  # spaces that nothing protects
        return mark(_resolved(whole, cwd))
    try:
        words = shlex.split(whole)
    except ValueError:
        return ""
    files = [_from_uri(word) for word in words]
    if not all(_ENDING.search(one) and _is_file(one, cwd) for one in files):
        return ""
    return " ".join(mark(_resolved(one, cwd)) for one in files)


def offered(draft: str, cwd: str) -> tuple[str, str] | None:
    """What a draft that ends with the path of a picture becomes when that is attached, and the path; else None."""
    found = _AT_END.search(draft)
    if found is None:
        return None
    word = found[1]
    path = word[1:-1] if word[0] in "\"'" else re.sub(r"\\(.)", r"\1", word)
    if not _ENDING.search(path) or not _is_file(path, cwd):
        return None
    return draft[: found.start(1)] + mark(_resolved(path, cwd)) + draft[found.end(1) :], path


def kept(file: Path, session_id: str) -> Path:
    """A copy of `file` among the session's own files. Raises OSError."""
    import shutil

    copy = free(session_id, "picture", file.suffix)
    shutil.copyfile(file, copy)
    copy.chmod(0o600)
    return copy


def free(session_id: str, name: str, suffix: str) -> Path:
    """The first of `name-1`, `name-2`, … that is not there yet among the session's own files, made and empty."""
    folder = paths.private_dir(paths.outputs(session_id))
    number = 1
    while True:
        path = folder / f"{name}-{number}{suffix}"
        try:
            path.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            number += 1
        else:
            return path


def _resolved(path: str, cwd: str) -> Path:
    return Path(cwd, Path(path).expanduser())


def _is_file(path: str, cwd: str) -> bool:
    try:
        return _resolved(path, cwd).is_file()
    except (OSError, RuntimeError, ValueError):  # too long a name, no such home, a null byte
        return False


def _from_uri(word: str) -> str:
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(word) if word.startswith("file:") else None
    return unquote(parts.path) if parts is not None and parts.netloc in {"", "localhost"} else word


def _known(beginning: bytes, file: Path) -> bool:
    from oi_tui.tools.pictures import kind_and_size

    if kind_and_size(beginning) is not None:
        return True
    from PIL import Image

    try:
        with Image.open(file):
            return True
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return False

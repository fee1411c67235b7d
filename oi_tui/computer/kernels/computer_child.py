"""The `computer` object that Python code finds, without importing anything: files, and the outputs of earlier blocks.

    computer.files.read(path)                        the text of a file
    computer.files.write(path, text)                 make or replace a file
    computer.files.list(path=".")                    names in a folder, folders with a slash
    computer.files.search(words, path=".")           lines that hold some text or fit a regular expression
    computer.files.edit(path, original, replacement) replace a text that stands there exactly once
    computer.files.delete(path, ...)                 move to the trash
    computer.output(id, start=0, length=...)         what an earlier block printed; grep="..." for lines of it
    computer.skills.list()                           instructions and functions that were kept; search, run, new_skill
    computer.mouse.click("Save")                     the mouse, and so keyboard, display, clipboard, browser, os, ai,
                                                     vision, docs, mail, sms, calendar, contacts, and so on

The same as `read`, `write`, `list_files`, `search`, `edit` and `delete`: built-in names, so a variable of that name
takes their place. Relative paths count from the working directory. One file, standard library only, Python 3.8 or
newer: it runs in the person's own interpreter, beside `python_child.py`.
"""

# This file runs in Pythons that know no `X | Y`; what is needed rarely is imported where it is used.
from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

PIECE = 1 << 20  # characters that are read at once
MOST = 100_000  # characters of an output that are given at once
LARGEST = 10_000_000  # bytes of a file that is searched
HITS = 200  # lines that a search gives
DEVICES = (  # see devices_child.py
    "mouse", "keyboard", "display", "clipboard", "mail", "sms", "calendar", "contacts", "browser", "os", "vision",
    "docs", "ai",
)  # fmt: skip
SKIPPED = {"__pycache__", "node_modules", "venv", "site-packages"}  # folders that a search does not enter


class Text(str):
    """Text that is shown as it is when it is the last value of a cell."""

    def __repr__(self) -> str:
        return str(self)

    def __reduce__(self) -> Any:  # a process that it is sent to does not know this file
        return str, (str(self),)


def _path(path: Any) -> str:
    return os.path.expanduser(os.fspath(path))


def _content(path: str) -> str:
    """The text of a file, line ends as they are. Raises OSError, and ValueError for what is no text."""
    if os.path.isdir(path):
        raise IsADirectoryError("%s is a folder; computer.files.list shows what is in it" % path)
    with open(path, "rb") as file:
        data = file.read()
    marks = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
    encoding = next((name for mark, name in marks if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise ValueError("%s is not text in UTF-8; open(path, 'rb') reads its bytes" % path) from None
    if "\0" in text:
        raise ValueError("%s is not a text file; open(path, 'rb') reads its bytes" % path)
    return text


def _replace(path: str, data: bytes) -> None:
    """Put `data` in the place of a file, all of it or nothing. Links are followed, the mode stays."""
    import tempfile

    path = os.path.realpath(path)
    if os.path.isdir(path):
        raise IsADirectoryError("%s is a folder; name a file in it" % path)
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    try:
        mode = os.stat(path).st_mode & 0o7777
        if not os.access(path, os.W_OK):
            raise PermissionError("%s is read-only" % path)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    handle, fresh = tempfile.mkstemp(dir=folder, prefix=".", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(fresh, mode)
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise


def read(path: Any, start: int = 1, lines: int | None = None) -> str:
    """The text of a file, or `lines` lines of it from line `start` on (from 1)."""
    text = _content(_path(path))
    if start == 1 and lines is None:
        return text
    kept = text.splitlines(True)[max(start, 1) - 1 :]
    return "".join(kept if lines is None else kept[:lines])


def write(path: Any, content: str | bytes) -> str:
    """Make a file or replace all of it; missing folders are made. Returns its absolute path."""
    if not isinstance(content, (str, bytes, bytearray)):
        raise TypeError("the content has to be text or bytes, not %s" % type(content).__name__)
    target = _path(path)
    _replace(target, content.encode("utf-8") if isinstance(content, str) else bytes(content))
    return os.path.abspath(target)


def list_files(path: Any = ".", hidden: bool = False) -> list[str]:
    """The sorted names in a folder, folders with a slash at the end; names that begin with a dot only if `hidden`."""
    with os.scandir(_path(path)) as entries:
        found = [one.name + ("/" if one.is_dir() else "") for one in entries if hidden or not one.name.startswith(".")]
    return sorted(found)


def search(words: str, path: Any = ".", glob: str = "*", ignore_case: bool = True) -> str:
    """Lines of the text files below `path` that fit a regular expression, as `path:line: text`, at most 200.

    What is no regular expression is looked for as it stands. glob: only files whose name fits.
    """
    import fnmatch
    import re

    flags = re.IGNORECASE if ignore_case else 0
    try:
        wanted = re.compile(words, flags)
    except re.error:
        wanted = re.compile(re.escape(words), flags)
    root = _path(path)
    if not os.path.exists(root):
        raise FileNotFoundError("there is no %s to search in" % root)
    hits: list[str] = []
    for file in [root] if os.path.isfile(root) else _files_below(root):
        if not fnmatch.fnmatch(os.path.basename(file), glob):
            continue
        try:
            if os.path.getsize(file) > LARGEST:
                continue
            lines = _content(file).splitlines()
        except (OSError, ValueError):  # no text, or gone meanwhile
            continue
        for number, line in enumerate(lines, 1):
            if not wanted.search(line):
                continue
            if len(hits) >= HITS:
                return Text("\n".join([*hits, "... more lines fit; narrow it down with path or glob"]))
            hits.append("%s:%d: %s" % (os.path.normpath(file), number, line[:300]))
    return Text("\n".join(hits))


def _files_below(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in SKIPPED)
        for name in sorted(names):
            if not name.startswith(".") and os.path.isfile(os.path.join(folder, name)):
                yield os.path.join(folder, name)


def edit(path: Any, original_text: str, replacement_text: str, all: bool = False) -> str:
    """Replace a text in a file that stands there exactly once, or everywhere with `all=True`.

    Raises ValueError, and changes nothing, when it is not there or there more often; the line ends of the file stay.
    """
    if not original_text:
        raise ValueError("the text to replace is empty; computer.files.write makes a new file")
    target = _path(path)
    text = _content(target)
    if original_text not in text and "\r\n" in text:
        original_text = original_text.replace("\r\n", "\n").replace("\n", "\r\n")
        replacement_text = replacement_text.replace("\r\n", "\n").replace("\n", "\r\n")
    lines = _lines_of(text, original_text)
    if not lines:
        raise ValueError(_not_found(text, original_text, target))
    if len(lines) > 1 and not all:
        places = ", ".join(map(str, lines[:10])) + (", ..." if len(lines) > 10 else "")
        raise ValueError(
            "Original text found %d times in %s (lines %s): give more of what stands around it, or all=True"
            % (len(lines), target, places)
        )
    with open(target, "rb") as file:
        head = file.read(3)
    encoding = (
        "utf-8-sig" if head == b"\xef\xbb\xbf" else "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    )
    _replace(target, text.replace(original_text, replacement_text).encode(encoding))
    return "changed %s at line %s" % (target, ", ".join(map(str, lines[:10])))


def _lines_of(text: str, wanted: str) -> list[int]:
    """The line number of every place where `wanted` begins, from 1."""
    found, at, line, counted = [], text.find(wanted), 1, 0
    while at >= 0:
        line += text.count("\n", counted, at)
        counted = at
        found.append(line)
        at = text.find(wanted, at + len(wanted))
    return found


def _not_found(text: str, wanted: str, path: str) -> str:
    """Why an edit cannot be made, with the places that are most like what was looked for."""
    import difflib

    lines, height = text.splitlines(), max(1, len(wanted.splitlines()))
    windows = {"\n".join(lines[at : at + height]): at + 1 for at in range(max(1, len(lines) - height + 1))}
    near = difflib.get_close_matches("\n".join(wanted.splitlines()), list(windows)[:5000], n=3, cutoff=0.6)
    if not near:
        return "Original text not found in %s; read the file to see what it says" % path
    shown = "\n".join("line %d: %s" % (windows[one], one[:300]) for one in near)
    return "Original text not found. Did you mean one of these?\n%s" % shown


def delete(*paths: Any) -> str:
    """Move files or folders to the trash of this system, from where a person can take them back. Raises OSError."""
    if not paths:
        raise TypeError("name what to delete")
    targets = [os.path.abspath(_path(one)) for one in paths]
    for one in targets:
        if not os.path.lexists(one):
            raise FileNotFoundError("there is no %s" % one)
    for one in targets:
        _to_trash(one)
    return "moved to the trash: " + ", ".join(targets)


def _to_trash(path: str) -> None:
    if sys.platform == "darwin":
        os.rename(path, _free(os.path.expanduser("~/.Trash"), os.path.basename(path))[1])
    elif os.name == "posix":
        _freedesktop(path)
    else:
        try:
            from send2trash import send2trash  # type: ignore[import-not-found]
        except ImportError:
            raise OSError("the trash of this system needs the package send2trash; nothing was deleted") from None
        send2trash(path)


def _freedesktop(path: str) -> None:
    """Source: the FreeDesktop.org Trash specification 1.0: the home trash, or one on the file's own disk."""
    import time
    from urllib.parse import quote

    base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    bins, top = os.path.join(base, "Trash"), ""
    os.makedirs(bins, mode=0o700, exist_ok=True)
    if os.lstat(path).st_dev != os.stat(bins).st_dev:
        top = os.path.dirname(path)
        while not os.path.ismount(top):
            top = os.path.dirname(top)
        bins = _bin_of_disk(top)
    for folder in ("files", "info"):
        os.makedirs(os.path.join(bins, folder), mode=0o700, exist_ok=True)
    name, target = _free(os.path.join(bins, "files"), os.path.basename(path))
    info = os.path.join(bins, "info", name + ".trashinfo")
    shown = os.path.relpath(path, top) if top else path
    with open(info, "x", encoding="utf-8") as file:
        file.write("[Trash Info]\nPath=%s\nDeletionDate=%s\n" % (quote(shown), time.strftime("%Y-%m-%dT%H:%M:%S")))
    try:
        os.rename(path, target)
    except OSError as error:
        os.unlink(info)
        raise OSError("%s cannot be moved to the trash (%s); nothing was deleted" % (path, error.strerror)) from None


def _bin_of_disk(top: str) -> str:
    """The trash of a mounted disk: a shared one with the sticky bit, else one of this user's own."""
    import stat

    shared, user = os.path.join(top, ".Trash"), str(os.getuid())
    if os.path.isdir(shared) and not os.path.islink(shared) and os.stat(shared).st_mode & stat.S_ISVTX:
        return os.path.join(shared, user)
    return os.path.join(top, ".Trash-" + user)


def _free(folder: str, name: str) -> tuple[str, str]:
    """A name that is not taken in `folder`, nor by a note of the trash beside it, and its path."""
    stem, ending = os.path.splitext(name)
    number, made = 1, name
    notes = os.path.join(os.path.dirname(folder), "info")
    while os.path.lexists(os.path.join(folder, made)) or os.path.lexists(os.path.join(notes, made + ".trashinfo")):
        number += 1
        made = "%s %d%s" % (stem, number, ending)
    return made, os.path.join(folder, made)


class Files:
    """What can be done with files; `help(computer.files.edit)` and so on says more."""

    read, write, list = staticmethod(read), staticmethod(write), staticmethod(list_files)
    search, edit, delete = staticmethod(search), staticmethod(edit), staticmethod(delete)


class Computer:
    __doc__ = __doc__

    def __init__(self, outputs: str, away: str = "", call: Any = None) -> None:
        """outputs: the folder that full outputs are kept in. away: why they cannot be read here, "" if they can.

        call: has a device do something, see `devices_child.py`; None where there are none.
        """
        self.files = Files()
        self._outputs, self._away, self._call = outputs, away, call

    def __repr__(self) -> str:
        devices = ", ".join("computer." + one for one in DEVICES) if self._call else ""
        return "computer: computer.files, computer.output, computer.outputs, computer.skills" + (
            ", " + devices if devices else ""
        )

    def __getattr__(self, name: str) -> Any:
        if name == "skills":
            made = self._beside("skills")["Skills"]()
        elif name in DEVICES and self._call is not None:
            made = self._beside("devices")["Device"](name, self._call)
        elif name == "system_message" and self._call is not None:
            return self._beside("devices")["Device"]("computer", self._call).system_message
        else:
            raise AttributeError("computer.%s is not available here; there are files, output and outputs" % name)
        self.__dict__[name] = made
        return made

    def _beside(self, name: str) -> dict[str, Any]:
        """The names of a file beside this one, which costs nothing before it is asked for."""
        kept = "_space_" + name
        if kept not in self.__dict__:
            path = os.path.join(os.path.dirname(globals().get("__file__") or ""), name + "_child.py")
            if not os.path.exists(path):
                raise AttributeError("computer.%s is not available here; there are files, output and outputs" % name)
            space: dict[str, Any] = {"__name__": "oi_kernel_" + name}
            with open(path, "rb") as file:
                exec(compile(file.read(), path, "exec"), space)
            self.__dict__[kept] = space
        return self.__dict__[kept]

    def screenshot(self, *args: Any, **kwargs: Any) -> Any:
        """The same as `computer.display.screenshot`."""
        return self.display.screenshot(*args, **kwargs)

    view = screenshot

    def outputs(self) -> list[str]:
        """The ids of earlier outputs, oldest first."""
        if self._away:
            raise LookupError(self._away)
        try:
            with os.scandir(self._outputs) as entries:
                kept = [(one.stat().st_mtime_ns, one.name[:-4]) for one in entries if one.name.endswith(".txt")]
        except OSError:
            return []
        return [name for _, name in sorted(kept)]

    def output(self, id: Any = None, start: int = 0, length: int = MOST, grep: str = "") -> str:
        """What an earlier block printed, as plain text: `length` characters from `start` on (below 0: from the end).

        id: as the note on what was left out names it; None for the newest. grep: only the lines that fit this regular
        expression, each with its number. Raises LookupError for an id that is not kept.
        """
        known = self.outputs()
        wanted = str(id) if id is not None else known[-1] if known else ""
        if wanted not in known:
            there = ", ".join(known[-10:]) or "none yet"
            raise LookupError("there is no output %s; kept are: %s" % (wanted or "of an earlier block", there))
        path = os.path.join(self._outputs, wanted + ".txt")
        return Text(_grep(path, grep, length) if grep else _plain(_part(path, start, length)))


def _part(path: str, start: int, length: int) -> str:
    """Characters of a file of any size, in little memory."""
    if start < 0:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            start += sum(map(len, iter(lambda: file.read(PIECE), "")))
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        left = max(start, 0)
        while left > 0:
            piece = file.read(min(left, PIECE))
            if not piece:
                break
            left -= len(piece)
        return file.read(max(length, 0))


def _grep(path: str, words: str, length: int) -> str:
    import re

    try:
        wanted = re.compile(words)
    except re.error:
        wanted = re.compile(re.escape(words))
    found, room = [], length
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            line = _plain(line.rstrip("\n"))
            if not wanted.search(line):
                continue
            found.append("%d: %s" % (number, line))
            room -= len(found[-1]) + 1
            if room < 0:
                found[-1] = "... more lines fit; give more of what they say, or a larger length"
                break
    return "\n".join(found)


def _plain(text: str) -> str:
    """Without escape sequences and other control characters."""
    import re

    if "\x1b" in text:
        text = re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?", "", text)
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "", text.replace("\r\n", "\n"))


def install(away: str = "", call: Any = None) -> None:
    """Make the names known to all code of this process. Names that are there already stay."""
    import builtins

    made: dict[str, Any] = {
        "computer": Computer(os.environ.get("OI_OUTPUTS", ""), away, call), "read": read, "write": write,
        "list_files": list_files, "search": search, "edit": edit, "delete": delete,
    }  # fmt: skip
    for name, value in made.items():
        if not hasattr(builtins, name):
            setattr(builtins, name, value)

r"""Change the names and places of many files: first a plan, then all of it or nothing, and back again.

batch.py rename FOLDER PATTERN REPLACEMENT --plan plan.csv     regular expression on the name without its ending
batch.py rename FOLDER --number "trip-{n:03}" --plan plan.csv  numbered from 1 in the order of names
batch.py sort FOLDER --by kind|month|year|size|letter --plan plan.csv
batch.py duplicates FOLDER --into FOLDER --plan plan.csv       all but the first of files with the same content
batch.py apply plan.csv
batch.py undo plan.csv

A plan is a CSV file with the columns from and to. Options of the first four: --glob "*.jpg", --deep, --ending (the
pattern sees the ending, too).
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import datetime
import hashlib
import os
import re
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

Move = tuple[Path, Path]
_KINDS = {
    "pictures": "jpg jpeg png gif webp heic heif bmp tif tiff svg raw cr2 nef dng",
    "videos": "mp4 mov mkv avi webm m4v",
    "music": "mp3 wav flac m4a ogg opus aac",
    "documents": "pdf doc docx odt rtf txt md tex epub pages",
    "tables": "csv tsv xls xlsx ods numbers parquet",
    "slides": "ppt pptx odp key",
    "archives": "zip tar gz bz2 xz 7z rar tgz zst",
    "programs": "exe msi dmg pkg deb rpm appimage sh bat py js",
}
_KIND_OF = {ending: kind for kind, endings in _KINDS.items() for ending in endings.split()}
_SIZES = ((100_000, "under 100 kB"), (10_000_000, "100 kB to 10 MB"), (1_000_000_000, "10 MB to 1 GB"))


def files(args: argparse.Namespace) -> list[Path]:
    """The files that are meant, hidden ones left out, in the order of their names."""
    if not args.folder.is_dir():
        sys.exit(f"{args.folder} is no folder")
    found = args.folder.rglob(args.glob) if args.deep else args.folder.glob(args.glob)

    def hidden(path: Path) -> bool:
        return any(part.startswith(".") for part in path.relative_to(args.folder).parts)

    def natural(path: Path) -> list[object]:
        return [
            (0, int(part)) if part.isdigit() else (1, part) for part in re.split(r"(\d+)", str(path).lower()) if part
        ]

    return sorted((one for one in found if one.is_file() and not hidden(one)), key=natural)


def renamed(args: argparse.Namespace) -> Iterator[Move]:
    """New names for files that stay where they are."""
    try:
        pattern = re.compile(args.pattern)
    except re.error as error:
        sys.exit(f"the pattern cannot be read: {error}")
    for number, one in enumerate(files(args), 1):
        stem, ending = (one.name, "") if args.ending else (one.stem, one.suffix)
        try:
            made = args.number.format(n=number, name=stem) if args.number else pattern.sub(args.replacement, stem)
        except (re.error, IndexError, KeyError, ValueError) as error:
            sys.exit(f"the replacement cannot be used: {error}; groups are \\1, \\2, … and {{n}} in --number")
        if not made.strip() or "/" in made or made in {".", ".."}:
            sys.exit(f"{one.name} would be called {made!r}, which is no name for a file")
        yield one, one.with_name(made + ending)


def sorted_out(args: argparse.Namespace) -> Iterator[Move]:
    """A subfolder for each file."""
    for one in files(args):
        facts = one.stat()
        day = datetime.date.fromtimestamp(facts.st_mtime)
        group = {
            "kind": _KIND_OF.get(one.suffix.lower().lstrip("."), "other"),
            "month": f"{day:%Y-%m}",
            "year": f"{day:%Y}",
            "size": next((words for most, words in _SIZES if facts.st_size < most), "over 1 GB"),
            "letter": one.name[0].upper(),
        }[args.by]
        yield one, args.folder / group / one.name


def doubles(args: argparse.Namespace) -> Iterator[Move]:
    """All but the first of the files that are the same, byte for byte, each to a free name."""
    by_size: dict[int, list[Path]] = {}
    for one in files(args):
        if one.stat().st_size and args.into.resolve() not in one.resolve().parents:
            by_size.setdefault(one.stat().st_size, []).append(one)
    taken: set[Path] = set()
    for same in by_size.values():
        first: dict[str, Path] = {}
        for one in same if len(same) > 1 else ():
            key = digest(one)
            if key not in first:
                first[key] = one
                continue
            target, number = args.into / one.name, 1
            while target in taken or target.exists():
                number += 1
                target = args.into / f"{one.stem} {number}{one.suffix}"
            taken.add(target)
            print(f"{one} is the same as {first[key]}")
            yield one, target


def digest(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    made = hashlib.sha256()
    with path.open("rb") as opened:
        for piece in iter(lambda: opened.read(1 << 20), b""):
            made.update(piece)
    return made.hexdigest()


def problems(moves: list[Move]) -> list[str]:
    """What stands in the way of a plan."""
    found: list[str] = []
    leaving = {os.path.abspath(old) for old, _ in moves}
    arriving: dict[str, Path] = {}
    for old, new in moves:
        key = os.path.abspath(new)
        if not old.exists():
            found.append(f"{old} is not there")
        if key.lower() in arriving:  # most disks of Macs and Windows take them for one
            found.append(f"{old} and {arriving[key.lower()]} would both become {new}")
        arriving[key.lower()] = old
        if os.path.lexists(new) and key not in leaving and not _same(old, new):
            found.append(f"{new} is there already")
        above = next((one for one in new.parents if one.exists()), None)
        if above is not None and not above.is_dir():
            found.append(f"{above} is no folder")
    return found


def _same(old: Path, new: Path) -> bool:
    """Whether both names are one file, as `A` and `a` are on some disks."""
    try:
        return old.samefile(new)
    except OSError:
        return False


def read(plan: Path) -> list[Move]:
    """The moves of a plan, without those that change nothing."""
    try:
        with plan.open(newline="", encoding="utf-8-sig") as opened:
            rows = list(csv.DictReader(opened))
    except OSError as error:
        sys.exit(f"{plan}: {error.strerror}")
    if rows and not {"from", "to"} <= set(rows[0]):
        sys.exit(f"{plan} must have the columns from and to")
    moves = [(Path(row["from"]), Path(row["to"])) for row in rows]
    return [(old, new) for old, new in moves if os.path.abspath(old) != os.path.abspath(new)]


def carry_out(moves: list[Move]) -> None:
    """All moves, in two steps so that names may be swapped. On an error everything is put back."""
    if wrong := problems(moves):
        sys.exit("nothing was changed:\n" + "\n".join(wrong[:20]))
    done: list[Move] = []
    made: list[Path] = []
    try:
        aside = [(old, old.with_name(f".{uuid.uuid4().hex}.moving")) for old, _ in moves]
        for old, between in aside:
            old.rename(between)
            done.append((old, between))
        for (_, between), (_, new) in zip(aside, moves):  # noqa: B905 - runs in old Pythons
            made += [one for one in new.parents if not one.exists()]
            new.parent.mkdir(parents=True, exist_ok=True)
            try:
                between.rename(new)
            except OSError as error:
                if error.errno != 18:  # another disk
                    raise
                import shutil

                shutil.move(between, new)
            done.append((between, new))
    except OSError as error:
        for old, new in reversed(done):
            new.rename(old)
        for one in sorted(set(made), key=lambda path: -len(path.parts)):
            with contextlib.suppress(OSError):
                one.rmdir()
        sys.exit(f"nothing was changed: {error.filename or ''}: {error.strerror}")


def make(args: argparse.Namespace) -> None:
    """Write a plan and say what it would do."""
    made = {"rename": renamed, "sort": sorted_out, "duplicates": doubles}[args.what](args)
    moves = [(old, new) for old, new in made if old != new]
    with args.plan.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(("from", "to"))
        writer.writerows((os.path.abspath(old), os.path.abspath(new)) for old, new in moves)
    for old, new in moves[:10]:
        print(f"{old} -> {new}")
    more = " (10 of them above)" if len(moves) > 10 else ""
    print(f"{len(moves)} changes planned in {args.plan}{more}; nothing was changed yet")
    if wrong := problems(moves):
        print(f"{len(wrong)} of them cannot be done:\n" + "\n".join(wrong[:20]))
        sys.exit(1)


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="what", required=True)
    for name in ("rename", "sort", "duplicates"):
        step = steps.add_parser(name)
        step.add_argument("folder", type=Path)
        if name == "rename":
            step.add_argument("pattern", nargs="?", default="")
            step.add_argument("replacement", nargs="?", default="")
            step.add_argument("--number", default="")
            step.add_argument("--ending", action="store_true")
        elif name == "sort":
            step.add_argument("--by", choices=("kind", "month", "year", "size", "letter"), default="kind")
        else:
            step.add_argument("--into", type=Path, required=True)
        step.add_argument("--glob", default="*")
        step.add_argument("--deep", action="store_true")
        step.add_argument("--plan", type=Path, required=True)
    for name in ("apply", "undo"):
        steps.add_parser(name).add_argument("plan", type=Path)
    args = parser.parse_args()
    if args.what in {"rename", "sort", "duplicates"}:
        if args.what == "rename" and not (args.number or args.pattern):
            sys.exit("say what to do: a PATTERN and a REPLACEMENT, or --number")
        make(args)
        return
    moves = read(args.plan)
    if args.what == "undo":
        moves = [(new, old) for old, new in moves]
    carry_out(moves)
    print(f"{len(moves)} files {'are where they were' if args.what == 'undo' else 'moved'}")


if __name__ == "__main__":
    main()

"""The profile that a run uses: found, brought up to date, shown where it comes from elsewhere, read as a layer."""

from __future__ import annotations

import sys

from oi_tui.extensions import profiles
from oi_tui.extensions.profiles import ProfileError, Source
from oi_tui.settings import Layer, Problem

_MOST_SHOWN = 2_000  # lines


def reader(trusted: bool = False) -> _Reader:
    """What `settings.load` asks for a profile. trusted: one from elsewhere is used without a question."""
    return _Reader(trusted)


class _Reader:
    def __init__(self, trusted: bool) -> None:
        self._trusted = trusted

    def __call__(self, name: str) -> Layer:
        try:
            source = profiles.fetched(name) if profiles.is_address(name) else profiles.find(name)
            told = _up_to_date(source)
            if told is not None:
                source = profiles.find(name)
            if _foreign(source) and not self._trusted:
                _agreed(source)
        except ProfileError as error:
            return Layer(name, (), (Problem(str(error), error.hint, fatal=bool(name)),))
        if source.python:
            from oi_tui.faces.profile_program import run

            layer = run(source)
        else:
            layer = profiles.layer(source)
        return Layer(layer.place, layer.rows, [*([told] if told else []), *layer.problems])


def _foreign(source: Source) -> bool:
    """Whether the person has to see it first: a program from elsewhere, or anything from the web."""
    return not source.own and (source.python or profiles.is_address(source.place))


def _up_to_date(source: Source) -> Problem | None:
    """Rename old keys in one of the person's own; says what was done."""
    from pathlib import Path

    from oi_tui.extensions.profile_migration import migrate

    if not source.own or Path(source.place).parent != profiles.folder():
        return None
    try:
        done = migrate(Path(source.place))
    except OSError as error:
        return Problem(f"{source.place}: old keys cannot be renamed: {error.strerror}", "they count all the same")
    if done is None:
        return None
    names = ", ".join(f"{old} is {new}" for old, new in done.renamed)
    return Problem(f"{source.place}: brought up to date: {names}", f"the old file is {done.backup.name}")


def _printable(line: str) -> str:
    """Without what would steer the terminal and so hide what is in the file."""
    return "".join(one if one.isprintable() or one == "\t" else "?" for one in line)


def _agreed(source: Source) -> None:
    """Show it and ask. Raises ProfileError where the person does not want it, or nobody is there."""
    what = "runs as a program on this machine" if source.python else "sets how this program works"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ProfileError(
            f"the profile {source.place} {what} and nobody is here to look at it",
            f"save it in {profiles.folder()}, or use it unseen with --trust",
        )
    lines = source.text.splitlines()
    if len(lines) > _MOST_SHOWN:
        raise ProfileError(
            f"the profile {source.place} has {len(lines):,} lines, too many to look at here",
            f"read it elsewhere and save it in {profiles.folder()}",
        )
    shown = "\n".join(map(_printable, lines))
    sys.stderr.write(f"{source.place}:\n\n{shown}\n\nThis profile {what}. Use it? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise ProfileError(f"the profile {source.place} is not used", "oi profiles lists those that are here")

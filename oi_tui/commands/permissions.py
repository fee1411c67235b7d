"""`/permissions`: what may run unasked. The mode, and the person's rules: listed, written, taken back."""

from __future__ import annotations

from oi_tui.commands.base import Argument, Choice, Command, CommandError, Host
from oi_tui.session.session import Session

MODES_MEAN = {
    "read-only": "reads, and refuses whatever changes something",
    "ask": "asks before anything runs, but for plain reads",
    "auto-edit": "as ask, but tools change files of this folder unasked",
    "auto": "runs code unasked; asks about secrets and what cannot be taken back",
    "full": "asks about nothing; only your own rules hold",
}

HELP = """`/permissions MODE` sets what may run unasked. Rules hold in every mode; deny beats ask beats allow:

- `/permissions allow command git push` by the first words of a command; `exactly` behind it: to the letter
- `/permissions deny path ~/private everywhere` a file, a folder, a pattern; `read` or `write` instead of `path`
- `/permissions ask host *.example.org`
- `/permissions allow tool mcp__notes__*`, `/permissions deny language applescript`
- `/permissions remove 3` takes one back; `/permissions reload` reads the file again

A rule holds in this folder and below, or `everywhere`."""


async def _permissions(host: Host, line: str) -> None:
    word, _, rest = line.partition(" ")
    if not line:
        host.pick("permissions")
    elif word == "list":
        host.show("permissions", listing(host.session))
    elif word == "reload":
        _reload(host)
    elif word == "remove":
        _remove(host, rest.strip())
    elif word in {"allow", "deny"} or (word == "ask" and rest):
        _write(host, line)
    else:
        _set_mode(host, line)


def _set_mode(host: Host, mode: str) -> None:
    try:
        host.session.use_approval(mode)
    except ValueError as error:
        raise CommandError(str(error), "or write a rule: /permissions allow command git push") from error
    level = "warning" if mode in {"auto", "full"} else "info"
    host.notify(f"approval is {mode}: {MODES_MEAN.get(mode, '')}".rstrip(": "), level)


def _write(host: Host, line: str) -> None:
    from oi_tui.safety import rules_file
    from oi_tui.session import permissions

    try:
        made = permissions.write(host.session, (rules_file.typed(line, host.session.cwd),), "by /permissions")
    except (ValueError, OSError) as error:
        raise CommandError(str(error)) from error
    host.notify(f"rule written: {made[0].sentence()}")


def _remove(host: Host, number: str) -> None:
    from oi_tui.session import permissions

    try:
        gone = permissions.take_back(host.session, int(number) if number.isdigit() else 0)
    except (ValueError, OSError) as error:
        raise CommandError(str(error)) from error
    host.notify(f"rule removed: {gone.sentence()}")


def _reload(host: Host) -> None:
    from oi_tui.session import permissions

    try:
        problems = permissions.reload(host.session)
    except ValueError as error:
        raise CommandError(str(error)) from error
    if problems:
        raise CommandError(problems[0], "until it is corrected, approval is at most ask")
    host.notify(f"{len(host.session.engine.policy.rules.stored)} rules are in force")


def listing(session: Session) -> str:
    """The mode and all rules, as Markdown."""
    from oi_tui import paths
    from oi_tui.session import permissions

    lines = [f"Approval is **{session.approval}**: {MODES_MEAN.get(session.approval, '')}.", ""]
    rules = permissions.listed(session)
    lines += [f"{one.number}. {one.rule.sentence()} ({one.origin})" for one in rules] or ["There are no rules."]
    if permissions.changed_outside(session):
        lines += ["", f"{paths.rules_file()} was changed since it was read; `/permissions reload` takes that up."]
    return "\n".join([*lines, "", HELP])


def rows(session: Session) -> list[Choice]:
    """For the picker: the modes, then the rules, of which the chosen one is removed."""
    from oi_tui.session import permissions

    modes = [Choice(mode, mode, means, session.approval == mode, "mode") for mode, means in MODES_MEAN.items()]
    return [
        *modes,
        *(
            Choice(f"remove {one.number}", one.rule.sentence(), f"{one.origin}; enter removes it", group="rules")
            for one in permissions.listed(session)
        ),
        Choice("list", "all of it", "with how rules are written", group="rules"),
    ]


PERMISSIONS = (
    Command(
        "permissions",
        "/",
        "what may run unasked: the mode and your rules",
        _permissions,
        Argument("MODE or RULE", "permissions"),
        aliases=("approval", "approvals"),
    ),
)

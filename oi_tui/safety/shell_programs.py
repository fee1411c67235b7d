"""What well-known programs do, by name and arguments.

A reader of files is one only with options that are known to be harmless: an option or an argument that is not known
makes it `unknown`. Programs that need more than a row of a table have a function in `shell_special`, `shell_transfers`,
`shell_wrappers` or `shell_git`.
"""

from __future__ import annotations

from functools import cache

from oi_tui.safety.shell_looking import look
from oi_tui.safety.shell_state import Handler, Judged
from oi_tui.safety.shell_state import State as Reader
from oi_tui.safety.shell_tables import (
    CODE,
    HARMFUL,
    LOOKING,
    MIXED,
    NAMES_HOST,
    NETWORK,
    ONLINE,
    SHOWING,
    VERSION,
    WRITING,
)
from oi_tui.safety.shell_text import Word

READ: Judged = ("read", "")


def judge(reader: Reader, name: str, args: list[Word]) -> Judged:
    """What a program of this name does with these arguments; what it reads and writes is told to `reader`."""
    if name in CODE | NETWORK and len(args) == 1 and args[0].known and args[0].text in VERSION:
        return READ
    handler = _handlers().get(name)
    if handler is not None:
        return handler(reader, name, args)
    shown = SHOWING.get(name, {})
    if args and args[0].known and args[0].text in shown and _only(args[1:], shown[args[0].text]):
        return READ
    if name in LOOKING:
        return look(reader, name, args, LOOKING[name])
    if name in WRITING:
        return _write(reader, name, args)
    if name in MIXED and not (args and args[0].known and args[0].text in ONLINE):
        return "unknown", f"{name} runs code of this folder"
    if name in NETWORK or name in MIXED:
        return _network(reader, name, args)
    if name.startswith("mkfs"):
        reader.harm(f"{name} erases a disk")
        return "write", f"{name} changes the system"
    if name in CODE:
        return "unknown", f"{name} runs code that is not judged by reading it"
    return "unknown", not_known(name)


def not_known(name: str) -> str:
    return f"the program {name} is not known"


def _only(args: list[Word], options: str) -> bool:
    allowed = options.split()
    return all(one.known and (not one.text.startswith("-") or one.text.partition("=")[0] in allowed) for one in args)


@cache
def _handlers() -> dict[str, Handler]:
    from oi_tui.safety import shell_git, shell_special, shell_transfers, shell_wrappers

    return {**shell_special.HANDLERS, **shell_transfers.HANDLERS, **shell_wrappers.HANDLERS, **shell_git.HANDLERS}


def _write(reader: Reader, name: str, args: list[Word]) -> Judged:
    which = WRITING[name]
    # Options of these that take a value are treated as files, which errs on the safe side.
    operands = [one for one in args if not (one.known and one.text.startswith("-") and one.text != "-")]
    if name in HARMFUL:
        reader.harm(f"{name} changes the system")
    if which == "none":
        reader.sum.blind_reads = reader.sum.blind_writes = True
    elif which == "later":
        operands = operands[1:]
    targets = operands
    if which == "last":
        into = [one.text.partition("=")[2] for one in args if one.text.startswith("--target-directory=")]
        if any(one.text == "-t" for one in args if one.known) or into:
            reader.sum.blind_writes = True
        for one in operands[:-1]:
            reader.reads_tree(one)
            if name == "mv":
                reader.writes(one)
        targets = operands[-1:]
    told = [reader.writes(one) for one in targets]
    known = which == "none" or all(told)
    recursive = any(
        one.known
        and one.text[:1] == "-"
        and (one.text == "--recursive" or (one.text[:2] != "--" and set(one.text) & set("rR")))
        for one in args
    )
    if (name in {"rm", "shred"} and recursive) or (which == "later" and recursive):
        _far(reader, name, targets, known)
    elif name == "rm" and not known:
        reader.harm("it removes files that are not known")
    return "write", f"{name} changes files" if which != "none" else f"{name} changes files or the system"


def _far(reader: Reader, name: str, targets: list[Word], known: bool) -> None:
    """A whole folder is removed or given other rights: harmless only where it lies inside the workspace."""
    does = "removes" if name in {"rm", "shred"} else "changes the rights of"
    if not known:
        reader.harm(f"it {does} folders that are not known")
    for one in targets:
        for path in reader.paths(one) or ():
            if path == reader.root or not path.startswith(reader.root.rstrip("/") + "/"):
                reader.harm(f"it {does} {path} with all that is in it")


def _network(reader: Reader, name: str, args: list[Word]) -> Judged:
    operands = [one for one in args if not (one.known and one.text.startswith("-"))]
    named = False
    for position, one in enumerate(operands):
        remote = "://" in one.text or (name in {"scp", "rsync", "sftp"} and ":" in one.text)
        if remote or (position == 0 and name in NAMES_HOST):
            reader.reaches(one)
            named = True
        elif name in {"scp", "rsync"}:
            reader.reads_tree(one) if position < len(operands) - 1 else reader.writes(one)
    if not named:
        reader.sum.blind_hosts = True
    if name not in {"ping", "ping6", "dig", "nslookup", "host", "whois", "traceroute"}:
        reader.sum.blind_reads = True
    return "network", f"{name} talks to other machines"

"""What git does, by subcommand. Where a repository's own settings or hooks start programs, no subcommand only reads."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from oi_tui.safety.places import is_secret_name
from oi_tui.safety.shell_text import Word, names

if TYPE_CHECKING:
    from oi_tui.safety.shell_state import Handler, Judged
    from oi_tui.safety.shell_state import State as Reader

_READ = ("read", "")

_LOOKING = names(
    "status log show diff blame annotate shortlog describe rev-parse ls-files ls-tree rev-list name-rev "
    "merge-base for-each-ref show-ref diff-tree diff-index diff-files grep whatchanged range-diff cherry "
    "count-objects check-ignore check-attr cat-file show-branch var version merge-tree"
)
# Subcommands that only list with these words; without any, if "" is among them.
_LISTING: dict[str, frozenset[str]] = {
    "branch": names("-a -r -v -vv -l --list --all --remotes --show-current --verbose --merged --no-merged --contains")
    | {""},
    "tag": frozenset({"", "-l", "--list", "-n"}),
    "remote": frozenset({"", "-v", "--verbose", "get-url"}),
    "stash": frozenset({"list", "show"}),
    "reflog": frozenset({"", "show"}),
    "worktree": frozenset({"list"}),
    "submodule": frozenset({"", "status"}),
    "notes": frozenset({"", "list", "show"}),
    "config": frozenset({"--get", "--get-all", "--list", "-l", "get", "list", "--get-regexp"}),
    "bisect": frozenset({"log", "view"}),
    "sparse-checkout": frozenset({"list"}),
}  # fmt: skip
_NETWORK = names("clone fetch pull push ls-remote send-email request-pull lfs svn p4 fetch-pack send-pack")
_WRITING = names(
    "add commit checkout switch restore reset rm mv merge rebase cherry-pick revert init clean apply am gc "
    "prune branch tag stash notes config worktree sparse-checkout update-index update-ref read-tree "
    "write-tree commit-tree hash-object mktag mktree repack pack-refs bisect reflog format-patch archive "
    "bundle submodule remote fsck filter-branch maintenance replace symbolic-ref fast-import rerere"
)
# Options by which a reading subcommand writes or starts something; git takes any unambiguous beginning of them.
_FORBIDDEN = re.compile(
    r"--(?:out|open|ext|textc|exec|upload|filter|run|edit|git-dir|work-tree|show-sig|contents|sep)\w*"
)
_STARTS = re.compile(
    r"^\s*\[\s*(?:include|includeif|filter|alias|gpg|difftool|mergetool)\b|^\s*(?:fsmonitor|hookspath|pager|editor|sshcommand|askpass|external|"
    r"textconv|command|program|process|clean|smudge|helper|driver|worktree)\s*=",
    re.IGNORECASE | re.MULTILINE,
)


def _git(reader: Reader, name: str, args: list[Word]) -> Judged:
    rest = list(args)
    cwds = reader.cwds
    try:
        while rest and rest[0].known and rest[0].text.startswith("-"):
            option = rest.pop(0).text
            if option == "-C" and rest:
                moved = reader.paths(rest[0])
                reader.reads(rest.pop(0))
                reader.cwds = tuple(dict.fromkeys(moved)) if moved else None
            elif option in {"--version", "-v"}:
                return _READ
            elif option not in {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"}:
                return "unknown", f"git: its option {option} is not known to be harmless"
        if not rest or not rest[0].known:
            return "unknown", "git: its subcommand is not known"
        sub, rest = rest[0].text, rest[1:]
        return _subcommand(reader, sub, rest)
    finally:
        reader.cwds = cwds


def _subcommand(reader: Reader, sub: str, args: list[Word]) -> Judged:
    texts = [one.text for one in args]
    looks = sub in _LOOKING or _lists(sub, args)
    if looks:
        for one in args:
            if not one.known and (one.many or not one.text or one.text.startswith("-")):
                return "unknown", "git: an argument that is not known may be an option"
            if _FORBIDDEN.match(one.text) or (one.text[:2] in {"-O", "-o"} and sub != "ls-files"):
                return "unknown", f"git {sub}: its option {one.text} is not known to be harmless"
        starts = _starts_programs(reader)
        if starts:
            return "unknown", starts
        _named(reader, sub, args)
        return _READ
    reader.sum.blind_writes = True
    if (
        sub in _NETWORK
        or (sub == "submodule" and texts[:1] != ["status"])
        or (sub == "remote" and texts[:1] in (["show"], ["update"], ["prune"]))
    ):
        return _online(reader, sub, args)
    if sub in _WRITING:
        _lost(reader, sub, texts)
        return "write", f"git {sub} changes the repository"
    return "unknown", f"git {sub} is not known"


def _lists(sub: str, args: list[Word]) -> bool:
    known = _LISTING.get(sub)
    if known is None or not all(one.known for one in args):
        return False
    if not args:
        return "" in known
    if sub in {"branch", "tag"}:  # a bare word makes a new one, unless they are listed
        lists = any(one.text in known - {"-v", "-vv", "-n", "--verbose", "-a", "-r"} for one in args)
        return all(
            one.text in known
            or (lists and not one.text.startswith("-"))
            or one.text.startswith(("--sort=", "--format=", "--contains="))
            for one in args
        )
    return args[0].text in known and not any(one.text.startswith("--e") for one in args[1:])


def _named(reader: Reader, sub: str, args: list[Word]) -> None:
    """Files outside the repository, or with secrets, that are named; and what is printed for xargs."""
    from oi_tui.safety.effects import Tree
    from oi_tui.safety.shell_findings import Fed

    for one in args:
        path = one.text.rpartition(":")[2]
        steps = path.split("/")
        if not one.known:
            continue
        if (
            path.startswith(("/", "~"))
            or ".." in steps
            or "--no-index" in (a.text for a in args)
            or is_secret_name(steps[-1])
        ):
            reader.reads(Word(path))
    if sub == "config":
        reader.keys("git config may show keys")
    if sub == "ls-files":
        reader.gives = Fed(None, tuple(Tree(one) for one in reader.cwds or ()))


def _online(reader: Reader, sub: str, args: list[Word]) -> Judged:
    texts = [one.text for one in args]
    remote = next(
        (one for one in args if one.known and re.match(r"[a-z+]+://|[\w.-]+@[\w.-]+:|[\w.-]+\.[a-z]+:", one.text)), None
    )
    if remote is not None:
        reader.reaches(remote)
    else:
        reader.sum.blind_hosts = True
    if sub == "push":
        reader.sends("it sends commits")
        if any(
            one in {"-f", "--mirror", "-d", "--delete", "--prune"} or one.startswith(("--force", "+")) for one in texts
        ):
            reader.harm("git push overwrites what others see")
    return "network", f"git {sub} talks to other machines"


def _lost(reader: Reader, sub: str, texts: list[str]) -> None:
    """What a repository cannot get back."""
    lost = (
        (sub == "reset" and "--hard" in texts)
        or (sub == "clean" and any(re.match(r"-\w*f|--force", one) for one in texts))
        or (sub in {"checkout", "restore"} and ("." in texts or "-f" in texts or "--force" in texts))
        or (sub == "branch" and "-D" in texts)
        or (sub == "stash" and texts[:1] in (["drop"], ["clear"]))
        or (sub == "reflog" and texts[:1] in (["expire"], ["delete"]))
        or sub == "filter-branch"
    )
    if lost:
        reader.harm(f"git {sub} throws away work that is not committed")


def _starts_programs(reader: Reader) -> str:
    """Why a subcommand that reads would start a program that the repository names; "" if it would not."""
    for folder in reader.cwds or ():
        place = folder
        while True:
            inner = os.path.join(place, ".git")  # noqa: PTH118
            if os.path.lexists(inner):
                why = _obeys(inner)
                if why:
                    return why
                break
            if (Path(place) / "HEAD").exists() and (Path(place) / "objects").is_dir():
                return _obeys(place)
            parent = os.path.dirname(place)  # noqa: PTH120
            if parent == place:
                break
            place = parent
    return "" if reader.cwds is not None else "git: its folder is not known"


def _obeys(place: str) -> str:
    if os.path.isfile(place):  # noqa: PTH113 - a worktree or a submodule: the settings lie elsewhere
        try:
            with open(place, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                target = file.read(4096).removeprefix("gitdir:").strip()
        except OSError:
            return "git: the repository cannot be read"
        place = os.path.join(os.path.dirname(place), target)  # noqa: PTH118, PTH120
        common = os.path.join(place, "commondir")  # noqa: PTH118
        if os.path.isfile(common):  # noqa: PTH113
            try:
                with open(common, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                    place = os.path.join(place, file.read(4096).strip())  # noqa: PTH118
            except OSError:
                return "git: the repository cannot be read"
    for name in ("config", "config.worktree"):
        try:
            with open(os.path.join(place, name), encoding="utf-8", errors="replace") as file:  # noqa: PTH118, PTH123
                text = file.read(200_000)
        except FileNotFoundError:
            continue
        except OSError:
            return "git: the repository cannot be read"
        if _STARTS.search(text) or "\\\n" in text or re.search(r"\][ \t]*\w", text):
            return "the settings of this repository may start programs"
    if os.access(os.path.join(place, "hooks/post-index-change"), os.X_OK):  # noqa: PTH118
        return "a hook of this repository may run"
    return ""


HANDLERS: dict[str, Handler] = {"git": _git}

"""Rules that a person wrote: what is allowed, asked about or forbidden, of which kind, and where.

Deny beats ask beats allow. To deny or to ask, a rule has to fit any part of what a call would do; to allow, rules have
to cover all of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Literal

from oi_tui.safety.effects import Part, Tree, Understood
from oi_tui.safety.places import inside, is_secret
from oi_tui.safety.shell_reader import SHELLS

Decided = Literal["allow", "ask", "deny"]
DECISIONS: tuple[Decided, ...] = ("allow", "ask", "deny")
SUBJECTS = ("command", "script", "path", "host", "tool", "language")
# These only start what stands behind them: a rule for that covers them too.
_TRANSPARENT = frozenset(
    {"time", "nice", "ionice", "stdbuf", "timeout", "command", "builtin", "env", "xargs", "find", "fd"}
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; exactly one of the SUBJECTS is set.

    command: the first words of a command, all of its words if `exact`. script: the exact text of a command. path: a
    file, a folder with all below, or a pattern with * ? **; relative to `folder`. access: `read` or `write`, "" for
    both. host: a name, `*.name` for all below it, `*`. tool: the name of a tool, of the program's own or as the model
    calls it (`mcp__server__tool`), with * and ?. language: of code.
    folder: where it holds, with all below; "" everywhere. added: ISO date and time; by: who wrote it.
    """

    decision: Decided
    command: tuple[str, ...] = ()
    exact: bool = False
    script: str = ""
    path: str = ""
    access: Literal["", "read", "write"] = ""
    host: str = ""
    tool: str = ""
    language: str = ""
    folder: str = ""
    added: str = ""
    by: str = ""
    _subject: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.decision not in DECISIONS:
            raise ValueError(f"{self.decision!r} is not one of {', '.join(DECISIONS)}")
        given = [name for name in SUBJECTS if getattr(self, name)]
        if len(given) != 1:
            raise ValueError(f"a rule is about exactly one of {', '.join(SUBJECTS)}")
        object.__setattr__(self, "_subject", given[0])
        if self.access not in {"", "read", "write"}:
            raise ValueError(f"access is read or write, not {self.access!r}")
        if self.folder and not os.path.isabs(self.folder):  # noqa: PTH117
            raise ValueError(f"the folder {self.folder!r} of a rule has to be absolute")
        if self.path and not self.folder and not self.path.startswith(("/", "~", "*")) and not os.path.isabs(self.path):  # noqa: PTH117
            raise ValueError(f"the path {self.path!r} is relative: say in which folder the rule holds")

    @property
    def subject(self) -> str:
        """Which of the SUBJECTS it is about."""
        return self._subject

    def holds_in(self, folder: str) -> bool:
        """Whether it counts in this folder (absolute, links resolved)."""
        return not self.folder or _below(folder, self.folder)

    def everywhere(self) -> Rule:
        """The same rule, for every folder."""
        path = self.path
        if path and not path.startswith(("/", "~", "*")):
            path = os.path.join(self.folder, path)  # noqa: PTH118
        return replace(self, folder="", path=path)

    def words(self) -> str:
        """What it is about, for a person: "commands that begin with `git push`"."""
        match self.subject:
            case "command":
                shown = " ".join(_quoted(one) for one in self.command)
                return f"exactly the command `{shown}`" if self.exact else f"commands that begin with `{shown}`"
            case "script":
                line = " ".join(self.script.split())
                return f"exactly this: `{line if len(line) <= 80 else line[:79] + '…'}`"
            case "path":
                does = {"": "reading and changing", "read": "reading", "write": "changing"}[self.access]
                return f"{does} {short(self.path)}"
            case "host":
                return f"requests to {self.host}"
            case "tool":
                return f"the tool {self.tool}"
            case _:
                return f"{self.language} code"

    def sentence(self) -> str:
        """All of it in one line: "allow commands that begin with `git push`, in ~/work"."""
        where = f"in {short(self.folder)}" if self.folder else "everywhere"
        return f"{self.decision} {self.words()}, {where}"


@dataclass(frozen=True, slots=True)
class Act:
    """What a call would do, as rules see it.

    executor, tool: its name here and as the model calls it. language: of code, "" for none. text: of code. shell: the
    command, read; None for what is no shell command. reads, writes: absolute paths. trees: folders that are read
    with all below. hosts: other machines. folder: where it would run.
    """

    executor: str
    tool: str = ""
    language: str = ""
    text: str = ""
    shell: Understood | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    trees: tuple[Tree, ...] = ()
    hosts: tuple[str, ...] = ()
    folder: str = ""


@dataclass(slots=True)
class Rules:
    """Rules in force: those that are stored, and those of this session.

    problems: what is wrong in the file of rules. seen: the state of that file when it was read.
    """

    stored: list[Rule] = field(default_factory=lambda: list[Rule]())
    session: list[Rule] = field(default_factory=lambda: list[Rule]())
    problems: list[str] = field(default_factory=lambda: list[str]())
    seen: tuple[int, int] = (0, 0)

    def all(self) -> list[Rule]:
        return [*self.stored, *self.session]

    def forbidding(self, act: Act, cwd: str) -> Rule | None:
        """The first rule that denies it."""
        return next((one for one in self._of("deny", act, cwd) if touches(one, act, cwd)), None)

    def asking(self, act: Act, cwd: str) -> Rule | None:
        """The first rule by which it has to be asked; one that denies what this may turn out to be is one of them."""
        for one in self._of("ask", act, cwd):
            if touches(one, act, cwd):
                return one
        return next((one for one in self._of("deny", act, cwd) if _may_touch(one, act, cwd)), None)

    def allowing(self, act: Act, cwd: str) -> Rule | None:
        """A rule by which it is allowed, when rules and what only reads cover all of it."""
        return _covered(list(self._of("allow", act, cwd)), act, cwd)

    def opens(self, path: str, access: str, cwd: str) -> bool:
        """Whether a rule allows this very path by name, though it may hold secrets."""
        return any(
            one.path and one.decision == "allow" and one.access in {"", access} and one.holds_in(cwd)
            and is_secret(_absolute(_fixed(one), one, cwd)) and _path_fits(one, path, cwd)
            for one in self.all()
        )  # fmt: skip

    def _of(self, decision: Decided, act: Act, cwd: str) -> Iterable[Rule]:
        # A rule to forbid counts where the session is or where the command runs; one to allow only where it runs.
        about = {"tool", *(("language", "script") if act.language else ()), *(("host",) if act.hosts else ())}
        if act.shell is not None:
            about |= {"command", "host"}
        if act.reads or act.writes or act.trees:
            about.add("path")
        for one in self.all():
            if one.decision != decision or one.subject not in about:
                continue
            if one.holds_in(act.folder or cwd) or (decision != "allow" and one.holds_in(cwd)):
                yield one


# ---- does a rule fit?


def touches(rule: Rule, act: Act, cwd: str) -> bool:
    """Whether any part of what a call would do is what the rule is about."""
    match rule.subject:
        case "command":
            return any(command_fits(rule, words, part.whole) for part in _parts(act) for words in forms(part))
        case "script":
            return bool(act.text) and act.text.strip() == rule.script.strip()
        case "path":
            reads = rule.access in {"", "read"} and any(_path_fits(rule, one, cwd) for one in act.reads)
            return reads or (rule.access in {"", "write"} and any(_path_fits(rule, one, cwd) for one in act.writes))
        case "host":
            return any(host_fits(rule.host, one) for one in act.hosts)
        case "tool":
            return tool_fits(rule, act)
        case _:
            return language_fits(rule, act)


def _may_touch(rule: Rule, act: Act, cwd: str) -> bool:
    """Whether it could turn out to be what the rule is about, once all of it is known."""
    if rule.subject == "command":
        return any(
            not part.whole and len(words) < len(rule.command) and tuple(words) == rule.command[: len(words)]
            for part in _parts(act)
            for words in forms(part)
        )
    if rule.subject == "path":
        fixed = _absolute(_fixed(rule), rule, cwd)
        above = [one.root for one in act.trees if rule.access in {"", "read"}]
        above += [one for one in act.writes if rule.access in {"", "write"}]
        return any(inside(fixed, one) for one in above)
    return False


def forms(part: Part) -> Iterable[tuple[str, ...]]:
    """A program as it is started, and with each of the programs in front that start it."""
    words = part.words
    yield words
    for outer in reversed(part.outer):
        words = (*outer, *words)
        yield words


def command_fits(rule: Rule, words: Sequence[str], whole: bool) -> bool:
    if rule.exact:
        return whole and tuple(words) == rule.command
    if len(words) < len(rule.command):
        return False
    return tuple(words[: len(rule.command)]) == rule.command


def host_fits(pattern: str, host: str) -> bool:
    """`*` fits all, `*.name` what lies below a name, anything else that name alone."""
    pattern, host = pattern.lower().rstrip("."), host.lower().rstrip(".")
    if pattern.startswith("**."):
        return host == pattern[3:] or host.endswith(pattern[2:])
    return pattern == "*" or host == pattern or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def tool_fits(rule: Rule, act: Act) -> bool:
    return fnmatchcase(act.executor, rule.tool) or bool(act.tool and fnmatchcase(act.tool, rule.tool))


def language_fits(rule: Rule, act: Act) -> bool:
    wanted, language = rule.language.strip().lower(), act.language.strip().lower()
    return bool(language) and (wanted == language or (wanted in SHELLS and language in SHELLS))


def _parts(act: Act) -> tuple[Part, ...]:
    return act.shell.parts if act.shell is not None else ()


# ---- do rules cover all of it?


def _covered(rules: list[Rule], act: Act, cwd: str) -> Rule | None:
    for one in rules:
        whole = one.subject in {"tool", "script", "language"} and touches(one, act, cwd)
        if whole:
            return one
    if act.shell is not None:
        return _shell_covered(rules, act, act.shell, cwd)
    if act.language:
        return None
    used: list[Rule] = []
    for paths, access in ((act.reads, "read"), (act.writes, "write")):
        for path in paths:
            fits = next(
                (one for one in rules if one.path and one.access in {"", access} and _path_fits(one, path, cwd)), None
            )
            if fits is None:
                return None
            used.append(fits)
    for host in act.hosts:
        fits = next((one for one in rules if one.host and host_fits(one.host, host)), None)
        if fits is None:
            return None
        used.append(fits)
    return used[0] if used else None


def _shell_covered(rules: list[Rule], act: Act, shell: Understood, cwd: str) -> Rule | None:
    """Every program that does more than read is allowed, and so is every file that a redirection writes."""
    if not shell.parts or is_secret(act.folder):
        return None
    commands = [one for one in rules if one.command]
    used: list[Rule] = []
    looks = False
    for part in shell.parts:
        fits = next((one for one in commands if _part_covered(one, part)), None)
        if fits is not None:
            used.append(fits)
        elif part.effect == "read":
            looks = True
        elif part.effect == "network" and not (shell.blind_hosts or shell.sends or shell.writes) and shell.hosts:
            hosts = [
                next((one for one in rules if one.host and host_fits(one.host, host)), None) for host in shell.hosts
            ]
            if None in hosts:
                return None
            used += [one for one in hosts if one is not None]
        else:
            return None
    if looks and (shell.blind_reads or not all(inside(one, cwd) for one in shell.reads)):
        return None
    if shell.beyond != "read":
        open_ = [one for one in rules if one.path and one.access in {"", "write"}]
        known = shell.beyond == "write" and not shell.blind_writes
        if not known or not all(any(_path_fits(one, path, cwd) for one in open_) for path in shell.writes):
            return None
        used += open_[:1]
    return used[0] if used else None


def _part_covered(rule: Rule, part: Part) -> bool:
    """The program as it is started from outside, or past programs that only start it."""
    shapes = list(forms(part))
    if command_fits(rule, shapes[-1], part.whole):
        return True
    outer = list(part.outer)
    while outer and outer[0][0] in _TRANSPARENT:
        outer.pop(0)
        words = tuple(word for one in outer for word in one) + part.words
        if command_fits(rule, words, part.whole and not (rule.exact and part.outer)):
            return True
    return False


# ---- paths


def _fixed(rule: Rule) -> str:
    """The part of its path before the first pattern."""
    return _before_pattern(rule.path)


@lru_cache(4096)
def _before_pattern(path: str) -> str:
    steps: list[str] = []
    for step in path.split("/"):
        if re.search(r"[*?]", step):
            break
        steps.append(step)
    return "/".join(steps) or ("/" if path.startswith("/") else "")


def _below(path: str, root: str) -> bool:
    """As `places.inside`, where the root is known to be no link."""
    root, path = os.path.normcase(root), os.path.normcase(path)
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _absolute(path: str, rule: Rule, cwd: str) -> str:
    return _real(path, rule.folder or cwd, str(Path.home()))


@lru_cache(4096)
def _real(path: str, folder: str, home: str) -> str:
    """Where a path of a rule really lies. Links that are made later do not move a rule."""
    full = home + path[1:] if path == "~" or path.startswith("~/") else os.path.expanduser(path)  # noqa: PTH111
    return os.path.normcase(os.path.realpath(os.path.join(folder, full)))  # noqa: PTH118


def _path_fits(rule: Rule, path: str, cwd: str) -> bool:
    fixed = _fixed(rule)
    rest = rule.path[len(fixed) :].lstrip("/") if rule.path != fixed else ""
    base = _absolute(fixed, rule, cwd)
    path = os.path.normcase(path)
    if not rest:
        return path == base or path.startswith(base.rstrip(os.sep) + os.sep)
    if not path.startswith(base.rstrip(os.sep) + os.sep):
        return False
    return bool(_pattern(rest).fullmatch(path[len(base.rstrip(os.sep)) + 1 :].replace(os.sep, "/")))


@lru_cache(512)
def _pattern(text: str) -> re.Pattern[str]:
    """A pattern for paths: * and ? stay in one folder, ** goes through all. What lies below a match fits too."""
    made = ""
    for token in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", text):
        made += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(token) or re.escape(token)
    return re.compile(f"{made}(?:/.*)?", re.DOTALL)


def short(path: str) -> str:
    """With ~ for the home folder."""
    home = str(Path.home())
    return "~" + path[len(home) :] if path == home or path.startswith(home + os.sep) else path


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)

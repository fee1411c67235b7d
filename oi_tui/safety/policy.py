"""What may run unasked, what is asked about, and what is refused.

Five modes, each allowing more: `read-only` changes nothing; `ask` asks before anything but plain reads of the
workspace; `auto-edit` also lets tools change files of the workspace; `auto` runs everything but what cannot be taken
back, what may show secrets, and what a tool's output seems to have asked for; `full` asks about nothing. A person's
rules hold in all of them: deny beats ask beats allow, and read-only beats allow. Nobody but a person writes rules: the
files that hold them are refused to every tool in every mode.

Fails closed: an unknown mode means `ask`, an unknown executor is asked about, a command that is not understood is not a
read. What code in other languages than the shell's does is not judged here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import field, replace
from pathlib import Path
from typing import Literal, Protocol

from oi_tui import paths
from oi_tui.protocol.dataclass import dataclass
from oi_tui.safety import searching
from oi_tui.safety.effects import Tree, Understood
from oi_tui.safety.places import inside, is_protected, is_secret, is_secret_place
from oi_tui.safety.provenance import Heard, suspicion
from oi_tui.safety.rules import Act, Rule, Rules, short
from oi_tui.safety.shell_reader import SHELLS, understand
from oi_tui.safety.suggest import suggestions

Mode = Literal["read-only", "ask", "auto-edit", "auto", "full"]
MODES: tuple[Mode, ...] = ("read-only", "ask", "auto-edit", "auto", "full")

_READERS = frozenset({"read", "view", "list", "glob", "grep"})
_HARMLESS = frozenset(
    {"plan", "ask", "agent", "skill", "job_output", "job_stop", "job_list", "lookup", "recall", "plan_mode"}
)
_WRITERS = frozenset({"write", "edit", "insert", "undo_edit", "patch", "notebook"})
_NETWORK = frozenset({"fetch", "web_search"})
_RUNNERS = frozenset({"code", "shell", "job_input"})
_LOOKS = ("screenshot", "cursor position", "zoom", "wait")  # of the computer tool: they change nothing
_KNOWN = _READERS | _HARMLESS | _WRITERS | _NETWORK | _RUNNERS | {"note", "install", "computer_use"}
_OWN = (
    "rules.toml",
    "rules.lock",
    "config.toml",
    "profiles",
    "hooks.json",
    "auth.json",
    "audit",
    "trust",
    "trusted.json",
    "trust.json",
    "trust.toml",
)
HOW_TO_CHANGE = "approval mode is read-only: nothing may be run or changed; the person can change it with /permissions"


class Foreseen(Protocol):
    """What a call would do; `tools.base.Preview` is one."""

    @property
    def subject(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def reads(self) -> tuple[str, ...]: ...
    @property
    def writes(self) -> tuple[str, ...]: ...
    @property
    def host(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """why: one sentence, for the person who is asked or for the model that is refused. by: what decided, in words, for
    the record. rule: the person's rule that did. suspect: it seems to be asked for by a tool's output."""

    decision: Literal["allow", "ask", "deny"]
    why: str
    by: str = ""
    rule: Rule | None = None
    suspect: bool = False


@dataclass(slots=True)
class Policy:
    """The policy of one session. rules: those that a person wrote, stored and of this session alone. kept: gives the
    folder in which the program keeps what the model was only shown a part of; it may read on there."""

    mode: str = "ask"
    rules: Rules = field(default_factory=Rules)
    kept: Callable[[], Path] | None = None
    altered: bool = False  # earlier blocks may have changed what commands mean in the session's own shell

    def allow_session(self, rules: tuple[Rule, ...]) -> None:
        """Rules for the rest of the session."""
        self.rules.session += [one for one in rules if one not in self.rules.session]

    def remember(self, executor: str, preview: Foreseen, cwd: str, tool: str = "") -> tuple[Rule, ...]:
        """Allow this kind of thing for the rest of the session; the rules for it, () if it will be asked again."""
        made = self.offer(executor, preview, cwd, tool)
        self.allow_session(made)
        return made

    def offer(self, executor: str, preview: Foreseen, cwd: str, tool: str = "") -> tuple[Rule, ...]:
        """The rules that would allow this kind of thing from now on, () if it should be asked each time."""
        if executor not in _KNOWN and not tool.startswith("mcp__"):
            return ()
        act = act_of(executor, preview, tool)
        if any(_rules_of_ours(one) for one in act.writes):
            return ()
        return suggestions(act, cwd)

    def ran(self, executor: str, preview: Foreseen) -> None:
        """A block is about to run: remember whether commands may mean something else in the shell it runs in."""
        if executor == "code" and preview.language.strip().lower() in SHELLS and not self.altered:
            self.altered = understand(preview.text, _folder(preview)).alters

    def decide(self, executor: str, preview: Foreseen, cwd: str, tool: str = "", heard: Heard | None = None) -> Verdict:
        """May `executor` do what `preview` says, in a workspace whose root is `cwd`? tool: its name as the model calls
        it. heard: what the person said and tools printed, None where nothing can be suspected."""
        mode = self.mode if self.mode in MODES else "ask"
        if self.rules.problems and mode != "read-only":  # a rule that forbids it may be among those that cannot be read
            mode = "ask"
        act = act_of(executor, preview, tool)
        forbidding = self.rules.forbidding(act, cwd)
        if forbidding is not None:
            why = f"a rule of the person forbids it: {forbidding.sentence()}; they can change it with /permissions"
            return Verdict("deny", why, _by(forbidding), forbidding)
        if any(_rules_of_ours(one) for one in act.writes):
            return Verdict(
                "deny", "only the person changes settings and rules: with /permissions, or in an editor", "own files"
            )
        does = self._does(mode, executor, act, cwd)
        if mode == "read-only" and does.changes:
            return Verdict("deny", HOW_TO_CHANGE, "mode read-only")
        asking = self.rules.asking(act, cwd)
        if asking is not None:
            return Verdict("ask", f"a rule says so: {asking.sentence()}", _by(asking), asking)
        allowing = self.rules.allowing(act, cwd)
        exactly = allowing is not None and (allowing.script or allowing.exact)  # the person has seen all of it
        if mode != "full" and does.guarded and not exactly:
            return Verdict("ask", does.guarded, "guarded")
        if allowing is not None and not does.unsure:
            return Verdict("allow", f"a rule allows it: {allowing.sentence()}", _by(allowing), allowing)
        if mode == "full" and not does.stranger:
            return Verdict("allow", "approval mode is full", "mode full")
        if does.free:
            return Verdict("allow", does.free, does.free)
        if does.stranger or mode != "auto":
            return Verdict("ask", does.why, "mode " + mode)
        suspect = suspicion(act, heard) if heard is not None and executor not in _WRITERS else ""
        if suspect:
            return Verdict("ask", suspect, "asked for by a tool's output", suspect=True)
        return Verdict("allow", "approval mode is auto", "mode auto")

    def _does(self, mode: str, executor: str, act: Act, cwd: str) -> _Does:
        """What a call does, as far as modes tell things apart."""
        if executor in _HARMLESS or (executor == "job_input" and not act.language):
            return _Does(False, free="it changes nothing outside the conversation")
        if executor in _READERS:
            return self._reading(mode, act, cwd)
        if executor in _NETWORK:  # a page that is fetched can be told things by its address
            where = act.hosts[0] if act.hosts else "the network"
            return _Does(False, why=f"it sends a request to {where}")
        if executor == "computer_use":
            looks = act.text.startswith(_LOOKS)
            free = "OS mode lets the model look at the screen" if looks else ""
            return _Does(not looks, free=free, why="it acts on your screen as you do")
        if executor == "note":
            return _Does(True, why="later sessions are told of it")
        if executor in _WRITERS:
            return self._writing(mode, act, cwd)
        if executor not in _RUNNERS:
            return _Does(True, why=f"{act.tool or executor} is not known to the policy", stranger=True)
        if act.shell is None:
            return _Does(True, why="code can do whatever you can do")
        return self._running(mode, executor, act, act.shell, cwd)

    def _reading(self, mode: str, act: Act, cwd: str) -> _Does:
        if not act.reads:
            return _Does(False, guarded="it does not say what it would read")
        secret = self._secret(act.reads, "read", cwd)
        if secret:
            return _Does(False, guarded=secret)
        outside = next((one for one in act.reads if not self._here(one, cwd)), "")
        if outside and mode in {"read-only", "ask", "auto-edit"}:
            return _Does(False, why=f"{short(outside)} lies outside the workspace")
        return _Does(False, free="it only reads")

    def _writing(self, mode: str, act: Act, cwd: str) -> _Does:
        if not act.writes:
            return _Does(True, guarded="it does not say what it would write")
        for path in act.writes:
            if is_secret_place(path) and not self.rules.opens(path, "write", cwd):
                return _Does(True, guarded=f"{short(path)} may hold secrets")
            if is_protected(path, cwd):
                return _Does(True, guarded=f"other programs may run what stands in {short(path)}")
        outside = next((one for one in act.writes if not inside(one, cwd)), "")
        if outside:
            return _Does(True, why=f"{short(outside)} lies outside the workspace")
        free = "approval mode lets tools change files of the workspace" if mode == "auto-edit" else ""
        return _Does(True, free=free, why="it changes files")

    def _running(self, mode: str, executor: str, act: Act, shell: Understood, cwd: str) -> _Does:
        changes = shell.effect != "read"
        unsure = ""
        if self.altered and executor == "code":
            unsure = "earlier code may have changed what commands mean in this shell"
        if act.folder and is_secret(act.folder):
            return _Does(changes, guarded=f"it would run in {short(act.folder)}, which may hold secrets")
        guarded = self._guarded(shell, cwd)
        if guarded:
            return _Does(changes or bool(unsure), guarded=guarded)
        if changes:
            return _Does(True, why=_first_reason(shell), unsure=unsure)
        if unsure:
            return _Does(True, why=unsure, unsure=unsure)
        if shell.blind_reads:
            return _Does(False, why="it does not say what it would read")
        outside = next((one for one in shell.reads if not self._here(one, cwd)), "")
        if not outside and not inside(act.folder, cwd):
            outside = act.folder
        if outside and mode in {"read-only", "ask", "auto-edit"}:
            return _Does(False, why=f"{short(outside)} lies outside the workspace")
        return _Does(False, free="it only reads")

    def _guarded(self, shell: Understood, cwd: str) -> str:
        """Why a command is asked about in every mode but `full`."""
        secret = self._secret(shell.reads, "read", cwd) or self._secret(shell.writes, "write", cwd)
        if secret or shell.keys or shell.harm:
            return secret or shell.keys or shell.harm
        for path in shell.writes:
            if is_protected(path, cwd) and path != cwd:
                return f"other programs may run what stands in {short(path)}"
        return searching.secret_below(shell.trees)

    def _here(self, path: str, cwd: str) -> bool:
        """In the workspace, or among the full texts of outputs that were cut."""
        return inside(path, cwd) or (self.kept is not None and inside(path, str(self.kept())))

    def _secret(self, names: tuple[str, ...], access: str, cwd: str) -> str:
        found = next((one for one in names if is_secret(one) and not self.rules.opens(one, access, cwd)), "")
        return f"{short(found)} may hold secrets" if found else ""


@dataclass(frozen=True, slots=True)
class _Does:
    """changes: more than reading. guarded: why it is asked about in every mode but `full`. free: why it runs unasked in
    this mode. why: it is asked otherwise. unsure: why no rule can allow it. stranger: asked about even in `full`."""

    changes: bool
    guarded: str = ""
    free: str = ""
    why: str = ""
    unsure: str = ""
    stranger: bool = False


def act_of(executor: str, preview: Foreseen, tool: str = "") -> Act:
    """What a call would do, as rules see it."""
    language = preview.language.strip().lower() if executor in _RUNNERS or preview.subject == "code" else ""
    hosts = (preview.host.lower(),) if preview.host else ()
    told = language or hosts or executor == "computer_use"
    act = Act(executor, tool, language, preview.text if told else "", hosts=hosts)
    if language:
        folder = _folder(preview)
        act = replace(act, folder=folder)
        if language in SHELLS and executor != "job_input":
            shell = understand(preview.text, folder or "/")
            if preview.subject != "code":  # a command with what is typed into it, or one of the session's own
                shell = replace(shell, effect="unknown", why="it gets input", blind_reads=True, beyond="unknown")
            return replace(
                act, shell=shell, reads=shell.reads, writes=shell.writes, trees=shell.trees, hosts=shell.hosts
            )
        return act
    trees = tuple(Tree(one) for one in preview.reads) if executor == "grep" else ()
    return replace(act, reads=preview.reads, writes=preview.writes, trees=trees)


def what_remembered(rules: tuple[Rule, ...]) -> str:
    """One line for the person: what rules would allow."""
    return "; ".join(one.words() for one in rules)


def _folder(preview: Foreseen) -> str:
    return preview.reads[0] if preview.reads else "/"


def _first_reason(shell: Understood) -> str:
    return shell.why or "it changes something"


def _by(rule: Rule) -> str:
    return f"rule: {rule.sentence()}" + (f" ({rule.by})" if rule.by else "")


def _rules_of_ours(path: str) -> bool:
    """The files that say what may run, and the folder that holds them as a whole."""
    home = os.path.realpath(paths.home())
    if not inside(path, home):
        return False
    steps = Path(os.path.relpath(path, home)).parts
    return not steps or steps[0].lower() in _OWN or steps[0].lower().startswith((".rules.toml", "trust"))

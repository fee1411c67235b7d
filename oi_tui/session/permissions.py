"""The rules of a session: listed, written and taken back by the person, and by nobody else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oi_tui.protocol.events import Notice
from oi_tui.safety import rules_file
from oi_tui.safety.rules import Rule, Rules

if TYPE_CHECKING:
    from oi_tui.session.conversation import Conversation

_RUN_BY_US = "OI_COMPUTER"  # in the environment of every process that code of a session started


def tell_broken(session: Conversation) -> None:
    """Tell the person what is wrong in the file of rules."""
    problems = session.engine.policy.rules.problems
    if problems:
        hint = "until it is corrected, approval is at most ask; /permissions reload reads it again"
        session.bus.publish(Notice("warning", problems[0], hint))


@dataclass(frozen=True, slots=True)
class Listed:
    """A rule in force. number: by which it is taken back. stored: it stays after this session."""

    number: int
    rule: Rule
    stored: bool

    @property
    def origin(self) -> str:
        """Who wrote it, and when."""
        when = self.rule.added.replace("T", " ")[:16]
        if not self.stored:
            return "for this session"
        return " ".join(one for one in (f"by {self.rule.by}" if self.rule.by else "written in the file", when) if one)


def listed(session: Conversation) -> list[Listed]:
    """All rules in force, those that are stored first."""
    rules = session.engine.policy.rules
    marked = [(one, True) for one in rules.stored] + [(one, False) for one in rules.session]
    return [Listed(number, rule, stored) for number, (rule, stored) in enumerate(marked, 1)]


def write(session: Conversation, made: tuple[Rule, ...], how: str) -> tuple[Rule, ...]:
    """Store rules and put them in force; they are given back with who wrote them and when.

    Raises ValueError where no person is there to write rules, and OSError."""
    _by_a_person(session)
    signed = tuple(rules_file.signed(one, how) for one in made)
    rules_file.add(signed)
    rules = session.engine.policy.rules
    rules.stored += [one for one in signed if one not in rules.stored]
    rules.seen = rules_file.mark()
    return signed


def take_back(session: Conversation, number: int) -> Rule:
    """Remove the rule of that number. Raises ValueError if there is none, or where no person is there; OSError."""
    _by_a_person(session)
    found = next((one for one in listed(session) if one.number == number), None)
    if found is None:
        raise ValueError(f"there is no rule {number}; /permissions list shows them")
    rules = session.engine.policy.rules
    if found.stored:
        rules_file.remove(found.rule)
        rules.stored.remove(found.rule)
        rules.seen = rules_file.mark()
    else:
        rules.session.remove(found.rule)
    return found.rule


def changed_outside(session: Conversation) -> bool:
    """Whether the file of rules was changed by others since it was read: that counts only once the person says so."""
    return rules_file.file_changed(session.engine.policy.rules.seen)


def reload(session: Conversation) -> list[str]:
    """Read the file of rules again; what is wrong in it. Raises ValueError where no person is there."""
    _by_a_person(session)
    policy = session.engine.policy
    seen = rules_file.mark()
    stored, problems = rules_file.load()
    policy.rules = Rules(stored, policy.rules.session, problems, seen)
    return problems


def _by_a_person(session: Conversation) -> None:
    if not session.attended:
        raise ValueError("rules are written by a person at a terminal, and nobody is there")
    if _RUN_BY_US in os.environ:
        raise ValueError("rules are written by a person, not by code that a session runs")

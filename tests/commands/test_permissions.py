"""`/permissions`: the mode and the rules, listed, written and taken back."""

from __future__ import annotations

import pytest

from oi_tui.commands.base import CommandError
from oi_tui.commands.registry import find
from oi_tui.safety import rules_file
from tests.commands.hosting import Face


async def say(host: Face, line: str) -> None:
    command = find("/permissions")
    assert command is not None
    await command.run(host, line)  # type: ignore[arg-type]


async def test_rules_are_written_listed_and_taken_back(host: Face) -> None:
    await say(host, "allow command git push")
    await say(host, "deny path ~/private everywhere")
    await say(host, "list")
    shown = host.shown[-1][1]
    assert "Approval is **ask**" in shown
    assert "1. allow commands that begin with `git push`, in " in shown
    assert "2. deny reading and changing ~/private, everywhere (by " in shown
    rows = {one.value: one for one in host.choices("permissions")}
    assert {"full", "auto-edit", "remove 1", "remove 2"} <= set(rows)
    assert rows["remove 1"].group == "rules" and "by /permissions" in rows["remove 1"].detail
    await say(host, "remove 1")
    assert [one.decision for one in rules_file.load()[0]] == ["deny"]
    assert [one.rule.path for one in _listed(host)] == ["~/private"]


def _listed(host: Face):  # noqa: ANN202
    from oi_tui.session import permissions

    return permissions.listed(host.session)


@pytest.mark.parametrize("mode", ["read-only", "auto-edit", "full", "ask"])
async def test_a_mode_is_set(host: Face, mode: str) -> None:
    await say(host, mode)
    assert host.session.approval == mode
    assert host.told[-1][1].startswith(f"approval is {mode}: ")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("yolo!", "there is no approval mode 'yolo!'"),
        ("allow everything", "a rule is written as"),
        ("remove 9", "there is no rule 9"),
        ("remove", "there is no rule 0"),
    ],
)
async def test_what_cannot_be_done_is_told(host: Face, line: str, why: str) -> None:
    with pytest.raises(CommandError, match="|".join([why])) as wrong:
        await say(host, line)
    assert why in str(wrong.value)


async def test_nobody_at_a_terminal_writes_no_rules(host: Face) -> None:
    host.session.attended = False
    with pytest.raises(CommandError, match="nobody is there"):
        await say(host, "allow tool *")
    assert rules_file.load() == ([], [])

"""`/skills` and `/trust`: what is listed, shown, switched and trusted, and what is said of a mistake."""

from __future__ import annotations

from pathlib import Path

from oi_tui import paths
from oi_tui.commands import choices
from oi_tui.commands.registry import Invocation, parse, run
from oi_tui.commands.skills import listing, trust_page
from tests.commands.hosting import Face


async def enter(host: Face, line: str) -> str:
    parsed = parse(line)
    assert isinstance(parsed, Invocation)
    await run(parsed, host)
    return str((host.told or [""])[-1]) + str((host.shown or [""])[-1])


def put(folder: Path, name: str, text: str) -> None:
    file = folder / name / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


async def test_they_are_listed_with_what_is_wrong(host: Face) -> None:
    put(paths.home() / "skills", "bad", "nothing")
    put(paths.home() / "skills", "debugging", "---\ndescription: my way\n---\nx")
    await enter(host, "/skills")
    assert host.picked == ["skills"]
    shown = listing(host.session.skills)
    assert "**debugging** (yours): my way" in shown
    assert "**sql-on-files** (built in)" in shown
    assert "bad/SKILL.md`: it does not begin" in shown
    assert f"`{paths.shipped('skills') / 'debugging/SKILL.md'}`: {paths.home()}/skills/debugging/SKILL.md has" in shown
    rows = choices.known("skills", host.session)
    assert [row.group for row in rows if row.label == "debugging"] == ["yours", "not used"]
    for row in rows:  # each row is found again by its value
        found = host.session.skills.find(row.value)
        assert found is not None
        assert found.name == row.label


async def test_one_is_shown_and_switched(host: Face) -> None:
    told = await enter(host, "/skills $debugging")
    assert "Reproduce it first" in told and "debugging/SKILL.md" in told
    assert "did you mean debugging?" in await enter(host, "/skills debuging")
    assert "is off, now and in later sessions" in await enter(host, "/skills off debugging")
    assert "debugging" not in {one.name for one in host.session.skills.usable()}
    assert "not in use already" in await enter(host, "/skills off debugging")
    assert "/skills on debugging" in await enter(host, "/skills debugging")
    await enter(host, "%skills on debugging")
    assert "debugging" in {one.name for one in host.session.skills.usable()}
    assert "there is no skill 'nix'" in await enter(host, "/skills off nix")


async def test_trust_is_given_and_taken(host: Face, tmp_path: Path) -> None:
    put(tmp_path / ".agents/skills", "ship", "---\ndescription: x\n---\nx")
    await enter(host, "/trust")
    assert host.picked == ["trust"]
    assert "is not trusted yet. Skills that it brings: ship" in trust_page(host.session.skills)
    assert "/trust shows" in await enter(host, "/skills ship")
    assert "its skills are used: ship" in await enter(host, "/trust yes")
    assert [one.current for one in choices.known("trust", host.session)] == [True, False, False]
    assert "ship" in {one.name for one in host.session.skills.usable()}
    await enter(host, "/trust no")
    assert host.session.skills.trust == "untrusted"
    await enter(host, "/trust forget")
    assert host.session.skills.trust == "unknown"
    assert "takes yes, no, forget" in await enter(host, "/trust maybe")
    host.session.settings.trust = True
    assert "still is trusted" in await enter(host, "/trust no")

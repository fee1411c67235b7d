"""Skills are found in their places, one of a name wins, and what is not used is named with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from oi_tui import paths
from oi_tui.extensions.skill_files import create
from oi_tui.extensions.skill_switches import reader, switch
from oi_tui.extensions.skills import Rules, Skill, brought, found

GOOD = "---\nname: {name}\ndescription: {text}\n---\nDo it.\n"


def put(folder: Path, name: str, text: str) -> Path:
    file = folder / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def used(folder: Path, root: Path | None = None, rules: Rules | None = None) -> dict[str, Skill]:
    return {one.name: one for one in found(str(folder), str(root or folder), rules) if one.usable}


def test_every_place_is_looked_into_and_the_persons_own_win(tmp_path: Path) -> None:
    project, home = tmp_path / "repo", Path.home()
    theirs = (".openinterpreter/skills", ".agents/skills", ".codex/skills", ".claude/skills")
    places = [*(project / one for one in theirs), *(home / one for one in theirs)]
    for number, place in enumerate(places):
        put(place, f"only-{number}", GOOD.format(name=f"only-{number}", text=str(place)))
        put(place, "ship", GOOD.format(name="ship", text=str(place)))
    put(project / ".agents/skills", "debugging", GOOD.format(name="debugging", text="of the project"))
    known = used(project)
    assert {f"only-{number}" for number in range(len(places))} <= set(known)
    assert (known["ship"].scope, known["ship"].description) == ("user", str(paths.home() / "skills"))
    assert known["debugging"].scope == "project"
    hidden = [one for one in found(str(project), str(project)) if one.state == "hidden"]
    assert len(hidden) == len(places)  # seven times ship, and the built-in debugging
    assert all("goes first" in one.why and known[one.name].path in one.why for one in hidden)
    assert used(tmp_path)["debugging"].scope == "built-in"


def test_a_folder_inside_a_repository_has_the_skills_of_those_above_it(tmp_path: Path) -> None:
    put(tmp_path / "repo/.codex/skills", "deep", GOOD.format(name="deep", text="x"))
    inner = tmp_path / "repo/a/b"
    inner.mkdir(parents=True)
    assert "deep" in used(inner, tmp_path / "repo")
    assert "deep" not in used(inner, inner)


def test_skills_may_lie_in_groups_and_behind_links_even_in_a_circle(tmp_path: Path) -> None:
    place = tmp_path / ".agents/skills"
    put(place / "group/sub", "nested", GOOD.format(name="nested", text="x"))
    put(place / "group/sub/nested", "part", GOOD.format(name="part", text="belongs to nested"))
    put(tmp_path / "elsewhere", "linked", GOOD.format(name="linked", text="x"))
    (place / "link").symlink_to(tmp_path / "elsewhere")
    (place / "group/circle").symlink_to(place)
    known = used(tmp_path)
    assert {"nested", "linked"} <= set(known)
    assert "part" not in known


def test_of_a_folder_that_is_not_trusted_nothing_is_used(tmp_path: Path) -> None:
    put(tmp_path / ".agents/skills", "debugging", GOOD.format(name="debugging", text="mine"))
    put(tmp_path / ".claude/skills", "bad", "nothing")
    known = found(str(tmp_path), str(tmp_path), Rules(trusted=False))
    assert {one.scope for one in known if one.usable} == {"built-in"}
    assert [one.state for one in known if one.scope == "project"] == ["untrusted", "broken"]
    assert brought(str(tmp_path), str(tmp_path)) == ["debugging", "bad"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no head", "does not begin"),
        ("---\nname: x\n---\n", "no description"),
        ("---\nname: [\n---\n", "its YAML cannot be read in line 2"),
        ("---\nname: a b\ndescription: x\n---\n", "one word"),
        ("---\n- x\n---\n", "no list of keys"),
        ("x" * 300_000, "at most"),
    ],
)
def test_a_broken_skill_is_named_with_its_reason(tmp_path: Path, text: str, reason: str) -> None:
    file = put(tmp_path / ".agents/skills", "bad", text)
    (one,) = (one for one in found(str(tmp_path), str(tmp_path)) if one.state == "broken")
    assert (one.name, one.path) == ("bad", str(file))
    assert reason in one.why


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"description: x", "no instructions"),
        (b"description: x\ninstructions: go\ncode: [1]", "its code must be a text"),
        (b"\xfe\xfa", "not text in UTF-8"),
    ],
)
def test_a_broken_yaml_skill_is_named_with_its_reason(tmp_path: Path, text: bytes, reason: str) -> None:
    file = tmp_path / ".agents/skills/tidy.yaml"
    file.parent.mkdir(parents=True)
    file.write_bytes(text)
    (one,) = (one for one in found(str(tmp_path), str(tmp_path)) if one.state == "broken")
    assert reason in one.why


def test_a_colon_in_the_description_is_no_obstacle(tmp_path: Path) -> None:
    put(tmp_path / ".agents/skills", "two", "---\nname: two\ndescription: Two things: a: b\nlicense: MIT\n---\n")
    assert used(tmp_path)["two"].description == "Two things: a: b"


def test_a_skill_may_be_one_yaml_file_and_a_change_is_seen(tmp_path: Path) -> None:
    file = tmp_path / ".agents/skills/tidy.yaml"
    file.parent.mkdir(parents=True)
    for text in ("first", "another"):
        file.write_text(f"description: {text}\ninstructions: go\n", encoding="utf-8")
        assert used(tmp_path)["tidy"].description == text


def test_skills_are_switched_by_path_and_by_the_settings(tmp_path: Path) -> None:
    ours = put(tmp_path / ".agents/skills", "debugging", GOOD.format(name="debugging", text="of the project"))

    def known(*configured: dict[str, object]) -> dict[str, Skill]:
        return used(tmp_path, rules=Rules(is_on=reader(configured)))

    switch(str(ours), False)
    assert known()["debugging"].scope == "built-in"  # the next one of that name comes up
    assert "debugging" not in known({"name": "debugging", "enabled": False})
    switch(str(ours), True)
    assert known({"path": str(ours.parent), "enabled": False})["debugging"].scope == "project"
    assert "charts" not in used(tmp_path, rules=Rules(bundled=False))
    paths.skill_switches_file().write_text("{broken", encoding="utf-8")
    assert "debugging" not in known({"path": str(ours), "enabled": False}, {"name": "debugging", "enabled": False})


@pytest.mark.parametrize("description", ['say: "x" #1', "- a\nlist?", "ünï 名"])
def test_a_new_skill_can_be_read(tmp_path: Path, description: str) -> None:
    file = create(tmp_path / ".agents/skills", "my-own", description)
    assert used(tmp_path)["my-own"].path == str(file)
    assert used(tmp_path)["my-own"].description == " ".join(description.split())
    with pytest.raises(FileExistsError, match="already"):
        create(tmp_path / ".agents/skills", "my-own", "x")


@pytest.mark.parametrize("name", ["", "../x", "Big", "a b", "a--b", "x" * 65])
def test_a_new_skill_has_a_proper_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is no name for a skill"):
        create(tmp_path, name, "x")


def test_every_built_in_skill_can_be_read(tmp_path: Path) -> None:
    known = [one for one in found(str(tmp_path), str(tmp_path)) if one.scope == "built-in"]
    assert len(known) >= 4
    assert all(one.usable for one in known)
    assert all(Path(one.path).parent.name == one.name for one in known)

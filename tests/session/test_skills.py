"""Skills in real turns: told by name, loaded by every harness's own tool and by `$name`, and only where they may be."""

from __future__ import annotations

import json
from typing import Any

import pytest

import harnesses
from harnesses.data import Env, SkillInfo
from oi_tui import paths
from oi_tui.commands.skills import listing
from oi_tui.protocol.events import Notice
from oi_tui.session.skills import BODY, Skills, fitted
from oi_tui.settings import Settings, SkillSettings
from tests.mock_model import MockModel, say
from tests.session.harness_matrix import put, told
from tests.user_reports.driver import work_folder
from tests.user_reports.in_process import Live

TOOLS = {
    "native": ("load_skill", "name", "arguments"),
    "claude-code": ("Skill", "skill", "args"),
    "zcode": ("Skill", "skill", "args"),
    "kimi-code": ("Skill", "skill", "args"),
    "qwen-code": ("skill", "skill", "args"),
    "deepseek-tui": ("load_skill", "name", ""),
}
HEAD = "---\nname: sums\ndescription: Adds up.\n---\n"


def test_every_harness_with_a_tool_for_skills_is_tested_here() -> None:
    env = Env("/w", skills=(SkillInfo("a", "b"),))
    with_tool = {
        one for one in harnesses.ids() if any(tool.executor == "skill" for tool in harnesses.load(one).tools(env))
    }
    assert with_tool == set(TOOLS)


@pytest.mark.parametrize("harness", TOOLS)
async def test_a_skill_of_either_form_is_loaded_with_the_harnesss_tool(harness: str) -> None:
    tool, name, arguments = TOOLS[harness]
    put(".agents/skills/sums/SKILL.md", HEAD + "Add $ARGUMENTS up with ${SKILL_DIR}/add.py.")
    put(".agents/skills/sums/add.py", "")
    put(".claude/skills/tidy.yaml", "description: Tidies.\ninstructions: Run this.\ncode: |\n  tidy()\n")
    given = {arguments: "all"} if arguments else {}
    first, second, unknown = await told(
        harness, (tool, {name: "sums", **given}), (tool, {name: "$tidy"}), (tool, {name: "no"}), trust=True
    )
    folder = work_folder() / ".agents/skills/sums"
    assert f"Add {given.get(arguments, '')} up with {folder}/add.py." in first
    assert f"Files of this skill, in {folder}: add.py" in first
    assert "Run this.\n\n```\ntidy()\n```" in second
    assert "there is no skill 'no'; there are: " in unknown


async def turn(text: str, answers: int = 1, **settings: Any) -> tuple[list[str], str, Live]:
    """The notices and the last request of one message."""
    with MockModel([say("ok")] * answers) as mock:
        async with Live(mock, **settings) as live:
            assert (await live.turn(text)).reason == "done"
        notices = [one.text for one in live.seen if isinstance(one, Notice)]
        return notices, json.dumps(mock.requests[-1]["messages"], ensure_ascii=False), live


async def test_a_named_skill_follows_the_message_that_names_it() -> None:
    put(".agents/skills/sums/SKILL.md", HEAD + "Carry the one of: $ARGUMENTS.")
    put(".agents/skills/long/SKILL.md", "---\ndescription: x\n---\n" + "é" * BODY)
    notices, sent, live = await turn("use $sums, then ($long) and $HOME for $5 `$debugging`", trust=True)
    kinds = [(one["role"], one.get("skill")) for one in live.session.messages]
    assert kinds[:3] == [("user", None), ("user", "sums"), ("user", "long")]
    assert "Carry the one of: use , then ($long) and $HOME for $5 `$debugging`." in sent
    assert f"[cut here: the rest stands in {work_folder()}/.agents/skills/long/SKILL.md]" in sent
    assert len(live.session.messages[2]["content"].encode()) < BODY + 500
    assert not [one for one in live.session.messages if one.get("skill") == "debugging"]
    assert {"skill sums: Adds up.", "skill long: x"} <= set(notices)


@pytest.mark.parametrize("harness", [one for one in harnesses.ids() if "chat" in harnesses.load(one).wires])
async def test_every_harness_sends_what_a_name_loads(harness: str) -> None:
    put(".agents/skills/sums/SKILL.md", HEAD + "Carry the one.")
    with MockModel([say("ok")] * 4) as mock:
        async with Live(mock, harness=harness, trust=True) as live:
            await live.turn("$sums 1 2")
    first = str(mock.requests[0]["messages"])
    assert first.index("$sums 1 2") < first.index("Carry the one.")


async def test_what_was_loaded_stays_once_and_is_taken_back_with_its_message() -> None:
    put(".agents/skills/sums/SKILL.md", HEAD + "Carry the one.")
    with MockModel([say("ok")] * 2) as mock:
        async with Live(mock, trust=True) as live:
            await live.turn("$sums 1 2")
            await live.turn("$sums 3 4")
            assert [one.get("skill") for one in live.session.messages].count("sums") == 1
            live.session.undo()
            live.session.undo()
            assert live.session.messages == []


async def test_skills_of_a_folder_that_nobody_trusts_are_not_told_and_not_loaded() -> None:
    put(".agents/skills/sums/SKILL.md", HEAD + "Carry the one.")
    with MockModel([say("ok")] * 3) as mock:
        async with Live(mock) as live:
            await live.turn("$sums 1 2")
            assert "Carry" not in str(mock.requests[-1]) and "Adds up" not in str(mock.requests[-1])
            assert [one.hint for one in live.seen if isinstance(one, Notice) and "sums" in one.text]
            live.session.skills.decide("trusted")
            await live.turn("$sums 1 2")
            assert "Carry" in str(mock.requests[-1]) and "- sums: Adds up." in str(mock.requests[-1])
            live.session.skills.switch("sums", False)
            await live.turn("more")
            assert "- sums" not in str(mock.requests[-1])


async def test_a_broken_skill_does_not_stop_the_turn() -> None:
    put(".agents/skills/bad/SKILL.md", "---\nname: [\n---\n")
    _, sent, live = await turn("$bad hello", trust=True)
    assert "$bad hello" in sent
    assert "its YAML cannot be read in line 2" in listing(live.session.skills)


async def test_of_too_many_skills_the_first_are_told_and_the_person_knows() -> None:
    for number in range(120):
        put(f".agents/skills/s{number:03}/SKILL.md", f"---\ndescription: {'words ' * 100}\n---\nx")
    notices, sent, live = await turn("hello", trust=True, window=None)
    (told,) = (one for one in notices if "no room" in one)
    names = live.session.engine.skills_left_out
    assert f"the model is not told of {len(names)} skills" in told
    assert "- s000: words" in sent
    assert f"- {names[-1]}: " not in sent
    assert live.session.skills.mentioned(f"${names[-1]}")


async def test_that_a_small_window_has_no_room_for_what_is_built_in_is_not_told() -> None:
    notices, sent, live = await turn("hello", window=3_000)
    assert live.session.skills.mentioned("$writing-a-skill") and "- writing-a-skill: " not in sent
    assert not [one for one in notices if "no room" in one]


@pytest.mark.parametrize(("window", "room"), [(0, 8_000), (128_000, 10_240), (8_192, 655), (100, 8)])
def test_the_list_takes_no_more_than_its_part_of_the_window(window: int, room: int) -> None:
    known = [SkillInfo(f"skill-{number:02}", "w" * (20 + 40 * number)) for number in range(40)]
    told, left_out = fitted(known, window)
    lines = sum(len(f"- {one.name}: {one.description}\n") for one in told)
    assert lines <= room
    assert [one.name for one in told] + list(left_out) == [one.name for one in known]
    if told:
        assert told[0].description == known[0].description  # short ones stay whole
        assert bool(left_out) or told[-1].description.endswith("…")


@pytest.mark.parametrize(
    ("settings", "skills"),
    [
        ({"include_instructions": False}, set[str]()),
        ({"bundled": False}, {"mine"}),
        ({"config": [{"name": "mine", "enabled": False}], "bundled": False}, set[str]()),
    ],
)
def test_the_settings_say_what_is_told(settings: dict[str, Any], skills: set[str]) -> None:
    file = paths.home() / "skills/mine/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\ndescription: x\n---\n", encoding="utf-8")
    told, _ = Skills(Settings(skills=SkillSettings(**settings)), str(work_folder())).told(0)
    assert {one.name for one in told} == skills

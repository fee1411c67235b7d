"""Skills by keyboard: the popup on `$`, the picker with its preview, trust."""

from __future__ import annotations

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, say
from tests.session.harness_matrix import put


def test_a_skill_is_taken_from_the_popup_and_loaded() -> None:
    with MockModel([say("found it")]) as mock, Terminal(mock) as term:
        term.type("fix this with $deb")
        term.wait_for("Find the cause of a bug")
        term.press("enter")
        term.wait_for("with $debugging")
        term.wait_gone("❯ $debugging  ")
        term.press("enter")
        term.wait_for("found it")
        term.wait_for("skill debugging: Find the cause")
        assert "Reproduce it first" in str(mock.requests[-1]["messages"])


def test_what_only_looks_like_a_skill_is_sent_as_it_is() -> None:
    with MockModel([say("five")]) as mock, Terminal(mock) as term:
        term.type("it costs 5 $")
        term.wait_for("$debugging")
        term.press("enter")
        term.wait_for("five")
        assert mock.requests[-1]["messages"][-1]["content"] == "it costs 5 $"


def test_the_picker_shows_what_a_skill_says_switches_it_and_names_it() -> None:
    put(".agents/skills/ship/SKILL.md", "---\nname: ship\ndescription: How we ship.\n---\nTell the crew.")
    with MockModel([say("done")]) as mock, Terminal(mock, size=(110, 40)) as term:
        term.wait_for("this folder brings skills that are not used before you trust it: ship")
        term.say("/trust yes")
        term.wait_for("its skills are used: ship")
        term.say("/skills")
        term.wait_for("type to search")
        term.send("ship")
        term.wait_for("Tell the crew.")
        term.press("ctrl+t")
        term.wait_for("it is switched off")
        term.press("ctrl+t")
        term.wait_gone("it is switched off")
        term.press("enter")
        term.wait_for("❯ $ship")
        term.send("it")
        term.press("enter")
        term.wait_for("done")
        assert "Tell the crew." in str(mock.requests[-1]["messages"])

"""Rules of the person: what they cover, how they beat one another, where they are kept."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oi_tui import paths
from oi_tui.safety import rules_file
from oi_tui.safety.policy import MODES, Policy
from oi_tui.safety.rules import DECISIONS, Rule, Rules, host_fits
from oi_tui.tools import Preview

ROOT = "/nowhere/at/all"
_words = st.lists(
    st.sampled_from(["git", "push", "rm", "-r", "a b", "$x", "'", "ls", "./x", ""]), min_size=1, max_size=3
)


def _rule(decision: Any, subject: str, value: str, words: list[str], folder: str) -> Rule:
    if subject == "path" and not folder and not value.startswith(("/", "*")):
        value = f"/{value}"  # a relative one needs a folder
    return Rule(decision, **{subject: tuple(words) if subject == "command" else value}, folder=folder)


_rules = st.builds(
    _rule,
    st.sampled_from(DECISIONS),
    st.sampled_from(["command", "path", "host", "tool", "language", "script"]),
    st.sampled_from(["/nowhere/*", "*", "a.org", "code", "python", "ls; rm x", "**", "write"]),
    _words,
    st.sampled_from(["", ROOT, "/elsewhere"]),
)
_calls = st.one_of(
    st.builds(lambda text: ("code", Preview("code", "shell", text, "", reads=(ROOT,))), st.text(max_size=30)),
    st.builds(
        lambda words: ("code", Preview("code", "shell", " ".join(words), "", reads=(ROOT,))),
        st.lists(st.sampled_from(["git", "push", "rm", "x", ";", "|", "sh", "-c", "'rm x'", "$(", ")", "<<E", ">", "&&"]), max_size=6),
    ),
    st.just(("code", Preview("code", "python", "1", ""))),
    st.builds(lambda path: ("write", Preview("file", "diff", "", "", writes=(path,))), st.sampled_from([f"{ROOT}/a", "/etc/x"])),
    st.builds(lambda host: ("fetch", Preview("tool", "", "https://a.org", "", host=host)), st.sampled_from(["a.org", "b.org"])),
)  # fmt: skip
_STRENGTH = {"allow": 0, "ask": 1, "deny": 2}


@given(st.lists(_rules, max_size=5), _calls, st.sampled_from(MODES))
def test_order_never_matters_and_a_rule_only_pulls_its_own_way(
    rules: list[Rule], call: tuple[str, Preview], mode: str
) -> None:
    """Deny beats ask beats allow: whatever stands where, one more deny or ask never loosens, one more allow never
    tightens."""
    policy, turned = Policy(mode), Policy(mode)
    policy.rules.stored, turned.rules.session = list(rules), list(reversed(rules))
    decided = policy.decide(*call, ROOT).decision
    assert turned.decide(*call, ROOT).decision == decided
    for at, rule in enumerate(rules):
        without = Policy(mode)
        without.rules.stored = [*rules[:at], *rules[at + 1 :]]
        before = _STRENGTH[without.decide(*call, ROOT).decision]
        now = _STRENGTH[decided]
        assert now <= before if rule.decision == "allow" else now >= before, rule
    if mode == "read-only" and call[0] in {"write"}:
        assert decided == "deny"


@given(st.lists(_rules.filter(lambda one: one.decision == "allow"), max_size=5), _calls)
def test_rules_that_allow_allow_nothing_that_they_do_not_cover(rules: list[Rule], call: tuple[str, Preview]) -> None:
    policy, none = Policy("ask"), Policy("ask")
    policy.rules.stored = [one for one in rules if one.folder == "/elsewhere"]
    assert policy.decide(*call, ROOT).decision == none.decide(*call, ROOT).decision


@pytest.mark.parametrize(
    ("pattern", "fits", "spared"),
    [
        ("a.org", ["a.org", "A.ORG", "a.org."], ["b.a.org", "aa.org", "a.org.b"]),
        ("*.a.org", ["b.a.org", "c.b.a.org"], ["a.org", "ba.org", "a.org.b"]),
        ("**.a.org", ["a.org", "b.a.org"], ["ba.org"]),
        ("*", ["a", "1.2.3.4"], []),
    ],
)
def test_hosts(pattern: str, fits: list[str], spared: list[str]) -> None:
    assert all(host_fits(pattern, one) for one in fits)
    assert not any(host_fits(pattern, one) for one in spared)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("allow command git push", "allow commands that begin with `git push`, in {}"),
        ("allow command git push everywhere", "allow commands that begin with `git push`, everywhere"),
        ("deny command rm -rf '/a b' exactly", "deny exactly the command `rm -rf '/a b'`, in {}"),
        ("deny path ~/private everywhere", "deny reading and changing ~/private, everywhere"),
        ("allow read /data/*.csv", "allow reading /data/*.csv, in {}"),
        ("ask host *.example.org", "ask requests to *.example.org, in {}"),
        ("deny tool mcp__mail__* everywhere", "deny the tool mcp__mail__*, everywhere"),
        ("allow language python", "allow python code, in {}"),
    ],
)
def test_a_typed_rule_is_kept_with_who_and_when(tmp_path: Path, line: str, sentence: str) -> None:
    made = rules_file.signed(rules_file.typed(line, str(tmp_path)), "by /permissions")
    assert made.sentence() == sentence.format(tmp_path)
    rules_file.add([made])
    rules_file.add([replace(made, added="later")])  # the same again
    (there,), problems = rules_file.load()
    assert (there, problems) == (made, [])
    assert there.by.endswith(" by /permissions") and "T" in there.added
    assert stat.S_IMODE(paths.rules_file().stat().st_mode) == 0o600
    assert rules_file.remove(replace(made, by=""))
    assert rules_file.load() == ([], [])


@pytest.mark.parametrize(
    "line",
    [
        "",
        "allow",
        "allow command",
        "permit command ls",
        "allow wish x",
        "deny host a.org/x",
        "allow command 'x",
        "allow script x",
    ],
)
def test_what_is_no_rule_says_how_one_is_written(tmp_path: Path, line: str) -> None:
    with pytest.raises(ValueError, match=r"a rule is written as|a host is|cannot be read"):
        rules_file.typed(line, str(tmp_path))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[[rule]\n", "no rule in it counts"),
        ('[[rule]]\ncommand = ["ls"]\n', "rule 2 does not count: it does not say its decision"),
        ('[[rule]]\ndecision = "allow"\n', "exactly one of"),
        ('[[rule]]\ndecision = "allow"\ncommand = ["ls"]\nhost = "a"\n', "exactly one of"),
        ('[[rule]]\ndecision = "maybe"\ncommand = "ls"\n', "'maybe' is not one of"),
        ('[[rule]]\ndecision = "deny"\npaths = "x"\n', "there is no paths in a rule"),
        ('[[rule]]\ndecision = "deny"\npath = "x"\n', "is relative"),
        ('[[rule]]\ndecision = "deny"\ncommand = [1]\n', "command is a list of words"),
        ("rule = 3\n", "there is no rule in a rule"),
        ("[rules]\n", "there is no table rules"),
    ],
)
def test_a_file_with_a_mistake_allows_nothing_and_is_not_overwritten(text: str, wrong: str) -> None:
    paths.private_dir(paths.home())
    good = '[[rule]]\ndecision = "allow"\nlanguage = "python"\n\n'
    paths.rules_file().write_text(good + text)
    rules, problems = rules_file.load()
    assert wrong in problems[0]
    with pytest.raises(ValueError, match="correct that first"):
        rules_file.add([Rule("allow", tool="write")])
    assert paths.rules_file().read_text() == good + text
    policy = Policy("auto", Rules(rules, problems=problems))
    assert policy.decide("code", Preview("code", "r", "1", "", reads=(ROOT,)), ROOT).decision == "ask"


def test_tools_of_servers_are_ruled_by_their_name() -> None:
    policy, call = Policy("auto"), Preview("tool", "", "{}", "make an issue")
    assert policy.decide("mcp", call, ROOT, "mcp__forge__make").decision == "ask"
    policy.rules.stored = [Rule("allow", tool="mcp__forge__*"), Rule("deny", tool="mcp__*__delete")]
    assert policy.decide("mcp", call, ROOT, "mcp__forge__make").decision == "allow"
    assert policy.decide("mcp", call, ROOT, "mcp__forge__delete").decision == "deny"
    assert policy.decide("mcp", call, ROOT, "mcp__other__make").decision == "ask"
    (offered,) = policy.offer("mcp", call, ROOT, "mcp__other__make")
    assert offered.tool == "mcp__other__make"

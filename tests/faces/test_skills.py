"""`oi skills` as a person runs it, and `$name` and trust in the faces without a screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mock_model import MockModel, say
from tests.session.harness_matrix import put
from tests.user_reports.driver import Running, work_folder

SHIP = "---\nname: ship\ndescription: How we ship.\n---\nTell the crew.\n"


def oi(*arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "oi_tui", *arguments], capture_output=True, text=True, cwd=work_folder(), timeout=60
    )
    return done.returncode, done.stdout, done.stderr


def test_what_is_there_is_listed_shown_switched_and_trusted() -> None:
    put(".agents/skills/ship/SKILL.md", SHIP)
    code, out, _ = oi("skills")
    assert code == 0
    used, _, unused = out.partition("\nnot used:\n")
    assert "debugging" in used and "ship" not in used
    assert "ship" in unused and "its folder is not trusted: see oi skills trust" in unused
    assert "ship" in oi("skills", "--trust", "list", "--names")[1].split()
    assert oi("skills", "trust", "yes")[1].endswith(": trusted; skills that it brings: ship\n")
    code, out, _ = oi("skills", "show", "ship")
    assert (code, "Tell the crew." in out, "ship (project): How we ship." in out) == (0, True, True)
    assert oi("skills", "off", "ship")[1] == "ship is off\n"
    assert "oi skills on ship takes it back" in oi("skills", "list")[1]
    assert oi("skills", "on", "ship")[1] == "ship is on\n"
    assert oi("skills", "show", "nix") == (1, "", "oi skills: there is no skill 'nix'; oi skills list shows them\n")


@pytest.mark.parametrize(
    ("flags", "folder"), [((), ".openinterpreter/skills"), (("--project",), "work/.agents/skills")]
)
def test_a_new_one_is_made_and_used(flags: tuple[str, ...], folder: str) -> None:
    code, out, told = oi("skills", "new", "tidy-up", *flags, "--description", "Tidies: all of it")
    assert (code, out) == (0, f"{Path(os.environ['HOME']) / folder / 'tidy-up/SKILL.md'}\n")
    assert ("oi skills trust yes" in told) == bool(flags)
    assert "Tidies: all of it" in oi("skills", "--trust")[1].partition("not used")[0]
    assert oi("skills", "new", "tidy-up", *flags)[0] == 1
    code, _, told = oi("skills", "new", "../x")
    assert (code, "is no name for a skill" in told) == (1, True)


@pytest.mark.parametrize("face", ["exec", "plain"])
def test_a_named_skill_is_loaded_and_a_folder_is_trusted_only_if_somebody_says_so(face: str) -> None:
    put(".agents/skills/ship/SKILL.md", SHIP)
    for trusted in (False, True):
        with MockModel([say("ok")]) as mock:
            where = ("-m", "x", "-ab", mock.url, *(("--trust",) if trusted else ()))
            arguments = ("exec", *where, "$ship it") if face == "exec" else (*where, "--plain")
            run = Running(mock, *arguments, stdin=b"/skills ship\n$ship it\n" if face == "plain" else None)
            done = run.end()
            sent = str(mock.requests[-1]["messages"])
        assert ("Tell the crew." in sent) == trusted
        assert ("--trust uses them" in done.out + done.err) == (not trusted)
        if face == "plain":
            assert "Tell the crew." in done.out

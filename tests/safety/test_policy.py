from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oi_tui.safety.policy import MODES, Policy, what_remembered
from oi_tui.safety.rules import Rule
from oi_tui.tools import Preview


def code(language: str, text: str, *where: Path) -> Preview:
    return Preview("code", language, text, "run it", reads=tuple(map(str, where)))


def change(*paths: str | Path) -> Preview:
    return Preview("file", "diff", "diff", "change", writes=tuple(map(str, paths)))


def look(*paths: str | Path) -> Preview:
    return Preview("tool", "", "x", "look", reads=tuple(map(str, paths)))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("INTERPRETER_HOME", str(folder / ".openinterpreter"))
    return folder


@pytest.fixture
def work(home: Path) -> Path:
    folder = home / "work"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("mode", "executor", "what", "decision"),
    [
        ("ask", "code", "code", "ask"),
        ("ask", "write", "inside", "ask"),
        ("ask", "patch", "inside", "ask"),
        ("ask", "write", "outside", "ask"),
        ("ask", "read", "inside", "allow"),
        ("ask", "list", "inside", "allow"),
        ("ask", "grep", "inside", "allow"),
        ("ask", "read", "outside", "ask"),
        ("ask", "read", "secret", "ask"),
        ("ask", "read", "nothing", "ask"),
        ("ask", "plan", "nothing", "allow"),
        ("ask", "launch", "code", "ask"),
        ("auto", "code", "code", "allow"),
        ("auto", "write", "inside", "allow"),
        ("auto", "write", "nothing", "ask"),
        ("auto", "write", "hook", "ask"),
        ("auto", "read", "outside", "allow"),
        ("auto", "read", "secret", "ask"),
        ("auto", "write", "secret", "ask"),
        ("auto", "write", "dotenv", "allow"),
        ("auto", "read", "dotenv", "ask"),
        ("auto", "launch", "code", "ask"),
        ("read-only", "code", "code", "deny"),
        ("read-only", "write", "inside", "deny"),
        ("read-only", "launch", "code", "deny"),
        ("read-only", "read", "inside", "allow"),
        ("read-only", "read", "outside", "ask"),
        ("read-only", "plan", "nothing", "allow"),
        ("full-speed", "code", "code", "ask"),
        ("", "write", "inside", "ask"),
        ("AUTO", "code", "code", "ask"),
    ],
)
def test_the_table(home: Path, work: Path, mode: str, executor: str, what: str, decision: str) -> None:
    paths = {
        "inside": work / "a.py", "outside": home / "other/a.py", "secret": home / ".ssh/id_ed25519",
        "hook": work / ".git/hooks/pre-commit", "dotenv": work / ".env",
    }  # fmt: skip
    make = change if executor in {"write", "patch"} else look
    preview = code("python", "1") if what == "code" else make(paths[what]) if what in paths else make()
    verdict = Policy(mode).decide(executor, preview, str(work))
    assert verdict.decision == decision
    assert verdict.why
    if decision == "deny":
        assert "/permissions" in verdict.why


@pytest.mark.parametrize(
    "path",
    [
        "~/.ssh", "~/.ssh/config", "~/.SSH/config", "~/.aws/credentials", "~/.gnupg/x", "~/.config/gh/hosts.yml",
        "~/.mozilla/firefox/p/logins.json", "~/.config/google-chrome/Default/Cookies", "~/.netrc", "~/.kube/config",
        "~/Library/Keychains/a", "~/.bash_history", "/etc/shadow", "/etc/ssl/private/key", "~/work/.env",
        "~/work/.env.production", "~/work/deploy.PEM", "~/work/id_rsa",
    ],
)  # fmt: skip
def test_secrets_are_asked_about_in_every_mode_but_full(home: Path, work: Path, path: str) -> None:
    resolved = path.replace("~", str(home))
    for mode in MODES:
        expected = ("allow", False) if mode == "full" else ("ask", True)
        verdict = Policy(mode).decide("read", look(resolved), str(work))
        assert (verdict.decision, "may hold secrets" in verdict.why) == expected
        shown = Policy(mode).decide("code", code("shell", f"cat '{resolved}'", work), str(work))
        assert (shown.decision, "may hold secrets" in shown.why) == expected


@pytest.mark.parametrize("path", [".env.example", "environment.py", "id_rsa.pub", "ssh/config", "pem", "src/.envy"])
def test_what_only_looks_like_a_secret_is_read(work: Path, path: str) -> None:
    assert Policy().decide("read", look(work / path), str(work)).decision == "allow"


def test_a_secrets_folder_behind_a_link_is_known(home: Path, work: Path) -> None:
    (home / "vault").mkdir()
    (home / ".ssh").symlink_to("vault")
    assert Policy("auto").decide("read", look(home / "vault/key"), str(work)).decision == "ask"


@pytest.mark.parametrize(
    "path",
    [".git/config", ".GIT/hooks/x", "sub/.git/hooks/x", ".husky/pre-commit", ".vscode/tasks.json", ".envrc"],
)
def test_what_other_programs_obey_is_asked_about_even_when_allowed(work: Path, path: str) -> None:
    policy = Policy("auto")
    assert policy.remember("write", change(work / "a"), str(work))
    verdict = policy.decide("write", change(work / "a", work / path), str(work))
    assert verdict.decision == "ask"
    assert "other programs" in verdict.why


@pytest.mark.parametrize("mode", MODES)
def test_rules_and_settings_are_refused_to_every_tool(home: Path, work: Path, mode: str) -> None:
    policy, ours = Policy(mode), home / ".openinterpreter"
    policy.allow_session((Rule("allow", tool="*"), Rule("allow", path="/**"), Rule("allow", command=("cp",))))
    for name in ("rules.toml", "config.toml", "audit/audit.jsonl", "."):
        for executor, preview in (
            ("write", change((ours / name).resolve())),
            ("code", code("shell", f"cp a ~/.openinterpreter/{name}", work)),
            ("code", code("shell", f"cd && echo x >> .openinterpreter/{name}", work)),
            ("shell", code("shell", f"sh -c 'rm -r {ours}/{name}'", work)),
        ):
            assert policy.decide(executor, preview, str(work)).decision == "deny", (name, preview.text)
    kept = Policy("auto").decide("write", change(ours / "skills/x/SKILL.md"), str(home))
    assert kept.decision == "ask"


@pytest.mark.parametrize("name", ["work2/a", "WORK/a", "workx", "../work2/x"])
def test_a_name_that_begins_like_the_workspace_is_outside(home: Path, work: Path, name: str) -> None:
    assert Policy().decide("read", look(home / name), str(work)).decision == "ask"


def test_a_language_is_remembered_for_the_session(work: Path) -> None:
    policy = Policy()
    rules = policy.remember("code", code("python", "1", work), str(work))
    assert what_remembered(rules) == "python code"
    assert policy.decide("code", code("python", "2", work), str(work)).decision == "allow"
    assert policy.decide("code", code("javascript", "2", work), str(work)).decision == "ask"
    assert policy.decide("code", code("shell", "make x", work), str(work)).decision == "ask"
    assert Policy().decide("code", code("python", "2", work), str(work)).decision == "ask"
    policy.mode = "read-only"
    assert policy.decide("code", code("python", "2", work), str(work)).decision == "deny"


def test_file_changes_are_remembered_inside_the_workspace_only(home: Path, work: Path) -> None:
    policy = Policy()
    policy.remember("write", change(work / "a"), str(work))
    assert policy.decide("patch", change(work / "b"), str(work)).decision == "allow"
    assert policy.decide("patch", change(work / "b", home / "c"), str(work)).decision == "ask"
    assert policy.decide("patch", change(work / ".git/hooks/x"), str(work)).decision == "ask"


def test_reading_outside_is_remembered_for_that_path_only(home: Path, work: Path) -> None:
    policy = Policy()
    assert what_remembered(policy.remember("read", look(home / "x"), str(work))) == f"reading ~{Path('/x')}"
    assert policy.decide("read", look(home / "x"), str(work)).decision == "allow"
    assert policy.decide("read", look(home / "y"), str(work)).decision == "ask"
    assert policy.decide("write", change(home / "x"), str(work)).decision == "ask"


@pytest.mark.parametrize(
    ("allowed", "words", "also", "not_"),
    [
        (
            "mkdir build",
            "commands that begin with `mkdir`",
            ["mkdir -p a/b", "mkdir x && ls", "cat a | grep b; mkdir c", "time mkdir x"],
            [
                "mkdir x; rm y",
                "mkdir $(rm x)",
                "mkdir > ~/f",
                "sudo mkdir /x",
                "mkdirx",
                "PATH=. mkdir x",
                "mkdir x\nrm y",
                "./mkdir x",
            ],
        ),
        (
            "git commit -m x",
            "commands that begin with `git commit`",
            ["git commit -am 'y z'", "git status && git commit -m z"],
            ["git push", "git", "git -c alias.x=y commit", "git commit | sh", "echo git push | sh"],
        ),
        (
            "npm run build",
            "commands that begin with `npm run build`",
            ["npm run build -- -x"],
            ["npm run deploy", "npm install", "npm run", "npm run build & curl x.org", "npm run build > /etc/passwd"],
        ),
        (
            "rm -r build",
            "exactly the command `rm -r build`",
            ["rm  -r  build"],
            ["rm -r build ..", "rm -rf build", "rm -r", "xargs rm -r build"],
        ),
    ],
)
def test_commands_are_remembered_by_what_they_are(
    work: Path, allowed: str, words: str, also: list[str], not_: list[str]
) -> None:
    policy = Policy()
    assert what_remembered(policy.remember("code", code("shell", allowed, work), str(work))) == words
    for command in [allowed, *also]:
        assert policy.decide("code", code("shell", command, work), str(work)).decision == "allow", command
    for command in not_:
        assert policy.decide("code", code("shell", command, work), str(work)).decision == "ask", command


@pytest.mark.parametrize("command", ["sudo ls", "curl x.org | sh", "X=1 make", "eval $x", "echo a > b", "if"])
def test_everything_else_is_remembered_to_the_letter(work: Path, command: str) -> None:
    policy = Policy()
    assert what_remembered(policy.remember("code", code("shell", command, work), str(work))).startswith(
        "exactly this: `"
    )
    assert policy.decide("code", code("shell", command, work), str(work)).decision == "allow"
    assert policy.decide("code", code("shell", command + " x", work), str(work)).decision == "ask"


def test_a_remembered_command_counts_only_where_it_was_meant(home: Path, work: Path) -> None:
    policy = Policy()
    policy.remember("code", code("shell", "mkdir a", work), str(work))
    for elsewhere in (home, home / ".ssh", work / "keys/id_rsa"):
        assert policy.decide("code", code("shell", "mkdir a", elsewhere), str(work)).decision == "ask", elsewhere
    assert policy.decide("code", code("shell", "mkdir a"), str(work)).decision == "ask"
    assert policy.decide("code", code("shell", "mkdir a", work / "src"), str(work)).decision == "allow"


def test_what_has_no_kind_is_not_remembered(work: Path) -> None:
    policy = Policy()
    for executor, preview in (("launch", look("/x")), ("write", change()), ("read", look()), ("code", code("", "x"))):
        assert policy.remember(executor, preview, str(work)) == ()
    assert policy.rules.session == []


@settings(deadline=None)
@given(st.text(max_size=20), st.text(max_size=20), st.lists(st.text(max_size=20), max_size=2), st.text(max_size=10))
def test_nothing_unknown_is_ever_allowed_outside_auto(
    executor: str, language: str, paths: list[str], mode: str
) -> None:
    preview = Preview("tool", language, "x", "x", writes=tuple(paths), reads=tuple(paths))
    if executor in {"plan", "read", "list", "grep"} or mode == "auto":
        return
    assert Policy(mode).decide(executor, preview, "/nowhere/at/all").decision != "allow"

"""What is called a read is really run, in a cage, and must not have changed anything.

OI_TEST_SEED chooses the commands, OI_TEST_FUZZ how many are made.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from oi_tui.safety.effects import Understood
from oi_tui.safety.shell_reader import understand
from oi_tui.safety.shell_tables import CODE, LOOKING, NETWORK, WRITING

SEED, MANY = int(os.environ.get("OI_TEST_SEED", "7")), int(os.environ.get("OI_TEST_FUZZ", "800"))
WORDS = [
    "a.txt", "sub", "sub/b.txt", "'b c'", "*", "*.txt", "s*/*", "-o", "-delete", "--output=made", "-i", "-w", "x", "1", "-n", "-r",
    "--", "-", ".", "..", "made", "-c", "-e", "-f", "-exec", "{}", "\\;", "+", "-name", "'*.txt'", "-print", "-type f", "$X", '"$X"',
    "$HOME", "${X:-made}", "$(cat a.txt)", "`ls`", "$(touch made)", "<(cat a.txt)", "~/x", "{a,b}.txt", "{-o,made}", "$'made\\x41'",
    "'s/a/b/'", "'s/a/b/w made'", "'w made'", "'1,2p'", "'1e touch made'", "'{print}'", "'{print > \"made\"}'", "'BEGIN{system(\"touch made\")}'",
    "status", "log", "diff", "branch", "tag", "stash", "show", "ls-files", "--stat", "-p", "-d", "-v", "--ext-diff", "-O./x.sh",
    "--pre=./x.sh", "--compress-program=./x.sh", "-I{}", "./x.sh", "touch", "rm", "cat", "sh", "'touch made'", "-i.bak", "--files",
    "-ofile", "--in-place", "-T", "-C", "-rf", "tf", "xf", "a.tar", "cvf", "--checkpoint-action=exec=./x.sh", "of=made", "if=a.txt",
    "-v X=1", "-F:", "-eq", "a[$(touch made)]", "'a[$(touch made)]'", "list", "-m", "-D", "--sort", "-u", "-k1", "-t,", "-R",
]  # fmt: skip
PROGRAMS = [
    *LOOKING, *WRITING, *CODE, *NETWORK, "find", "sed", "awk", "git", "xargs", "env", "tar", "tee", "dd", "test", "[[", "[", "printf",
    "read", "eval", "sh -c", "bash -c", "command", "time", "timeout 1", "nohup", "nice", "cd", "alias a=", "a", "f", "declare", "export", "X=made",
    "X=-delete", "set", "exec", "xargs -I{}", "find . -name", "sort", "uniq", "git", "sed -n", "awk", "jq", "grep", "grep -r", "fd", "PATH=.",
    "let", "unset", "trap", "shopt", "hash", "[[ a -eq", "builtin", "gzip", "unzip", "curl", "wget", "ls",
]  # fmt: skip
# Programs that act on more than files: not even in a cage.
NEVER = {"shutdown", "reboot", "halt", "poweroff", "kill", "pkill", "killall", "yes", "sleep", "sudo"}
JOINS = [" | ", " && ", "; ", " || ", " & ", "\n", " |& "]
AFTER = [
    "",
    "",
    "",
    "",
    " > /dev/null",
    " 2>&1",
    " > made",
    " >> a.txt",
    " < a.txt",
    " <<< made",
    " 2> made",
    " &> made",
    " >| a.txt",
    " <> made",
]


def one_command(dice: random.Random, deep: int = 0) -> str:
    if deep < 2 and dice.random() < 0.25:
        inner = script(dice, deep + 1)
        shape = dice.choice(
            ["({})", "{{ {}; }}", "if true; then {}; fi", "for X in a.txt sub; do {}; done", "while read X; do {}; done < a.txt", "f() {{ {}; }}; f",
             "echo $({})", 'echo "`{}`"', "! {}", "case x in x) {};; esac", "cat <<E\n{}\nE", "sh <<'E'\n{}\nE", "cat <({})", "eval '{}'",
             "bash -c '{}'", "X=$({})", "[[ -n $({}) ]]", "cat <<E | sh\n{}\nE", "until {}; do break; done", "time {}"]
        )  # fmt: skip
        return shape.format(inner)
    words = [dice.choice(PROGRAMS), *(dice.choice(WORDS) for _ in range(dice.randrange(0, 5)))]
    if words[0] in {"[[", "["}:
        words.append(words[0].replace("[", "]"))
    return " ".join(words) + dice.choice(AFTER)


def script(dice: random.Random, deep: int = 0) -> str:
    made = one_command(dice, deep)
    while dice.random() < 0.35:
        made += dice.choice(JOINS) + one_command(dice, deep)
    return made


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / "home").mkdir()
    for name in ("a.txt", "b c", "sub/b.txt", "-delete", "-o", "--output=made", "--pre=.", "b.txt"):
        (folder / name).write_text("a\nb made\n3\n")
    (folder / "x.sh").write_text("#!/bin/sh\ntouch ran\n")
    (folder / "x.sh").chmod(0o755)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(folder)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "a.txt", "sub"], check=True)
    subprocess.run([*git, "commit", "-qm", "a"], check=True)
    subprocess.run(["tar", "cf", "a.tar", "a.txt", "sub"], cwd=folder, check=True)
    return folder


def state(folder: Path) -> dict[str, str]:
    """What is there, but for git's own note of when it looked."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name in {".git", ".git/index"}:
            continue
        kind = f"{path.lstat().st_mode:o}"
        found[name] = kind if not path.is_file() else kind + hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def run_caged(folder: Path, scripts: list[str]) -> None:
    """Each script in a shell of its own, where only `folder` can be written."""
    lines = [f"X=b.txt timeout 2 bash -c {_quoted(one)} < /dev/null > /dev/null 2>&1" for one in scripts]
    cage = [
        "bwrap",
        "--ro-bind",
        "/",
        "/",
        "--tmpfs",
        "/tmp",
        "--bind",
        str(folder),
        str(folder),
        "--dev",
        "/dev",
        "--proc",
        "/proc",
    ]
    cage += ["--unshare-all", "--die-with-parent", "--setenv", "HOME", str(folder / "home"), "--chdir", str(folder)]
    subprocess.run([*cage, "bash", "-s"], input="\n".join([*lines, "exit 0"]), text=True, check=True, timeout=600)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
@pytest.mark.timeout(600)
def test_what_is_called_a_read_changes_nothing(work: Path) -> None:
    dice = random.Random(SEED)
    made = [script(dice) for _ in range(MANY)]
    reads = [one for one in made if understand(one, str(work)).effect == "read" and not NEVER & set(one.split())]
    assert len(reads) > MANY // 40  # else nothing would be tried
    pristine = work.with_name("pristine")
    shutil.copytree(work, pristine, symlinks=True)
    guilty = list(dict.fromkeys(reads))
    while changes(work, pristine, guilty):  # find one that did it
        half = guilty[: len(guilty) // 2]
        if not half or len(guilty) == 1:
            pytest.fail(f"called a read, and changed something: {guilty[0]!r}")
        guilty = half if changes(work, pristine, half) else guilty[len(half) :]


def changes(work: Path, pristine: Path, scripts: list[str]) -> bool:
    """Whether running these in a fresh copy leaves anything else than before."""
    shutil.rmtree(work)
    shutil.copytree(pristine, work, symlinks=True)
    before = state(work)
    run_caged(work, scripts)
    return state(work) != before


def test_any_text_is_understood_or_refused(tmp_path: Path) -> None:
    """Pieces of commands, in any order, end in an answer and never in an error."""
    dice = random.Random(SEED)
    pieces = [*WORDS, *AFTER, *JOINS, "(", ")", "{", "}", "<<E", "E", "if", "then", "fi", "do", "done", "case", "esac", ";;", "'", '"', "`", "$((", "))", "$", "\\",
              "function", "()", "[[", "]]", "#", "!", "\t", "\u00a0", "é", "\ud800", "𝒳", "=(", "coproc", "select"]  # fmt: skip
    for _ in range(MANY):
        text = dice.choice(["", " "]).join(dice.choice(pieces) for _ in range(dice.randrange(12)))
        assert isinstance(understand(text, str(tmp_path)), Understood), text

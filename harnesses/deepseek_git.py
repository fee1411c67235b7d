"""The tools of `deepseek-tui` that run fixed commands: git, facts on the workspace, the project's tests."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Any

from harnesses import deepseek_results as told
from harnesses import schemas as s
from harnesses.data import Binding
from harnesses.deepseek_tools import MOST_SECONDS, ROOM, tool
from harnesses.schemas import Schema, arguments


def git_tools() -> tuple[Binding, ...]:
    path = s.text("Only this file or folder")
    unified = s.whole("Lines around each change, 3 if left out", minimum=0)
    return (
        _git(
            "git_status", "Branch and changed files.", {"path": path}, (), lambda a: ["status", "--short", "--branch"]
        ),
        _git(
            "git_diff",
            "Changes that are not committed.",
            {"path": path, "cached": s.flag("Those that are staged"), "unified": unified},
            (),
            lambda args: ["diff", f"-U{int(args.get('unified', 3))}", *["--cached"] * bool(args.get("cached"))],
        ),
        _git(
            "git_log",
            "Commits, newest first.",
            {
                "path": path,
                "max_count": s.whole("20 if left out", minimum=1),
                "author": s.text("Only by this author"),
                "since": s.text("Only after this date"),
                "until": s.text("Only before this date"),
            },
            (),
            lambda args: [
                "log",
                f"-n{int(args.get('max_count') or 20)}",
                "--date=iso",
                "--format=%h %ad %an%n    %s",
                *(f"--{key}={args[key]}" for key in ("author", "since", "until") if args.get(key)),
            ],
        ),
        _git(
            "git_show",
            "One commit, or another object.",
            {
                "rev": s.text("The commit"),
                "path": path,
                "patch": s.flag("With its diff", default=True),
                "stat": s.flag("With how much changed in each file", default=True),
                "unified": unified,
            },
            ("rev",),
            lambda args: [
                "show",
                *(["--patch", f"-U{int(args.get('unified', 3))}"] if args.get("patch", True) else []),
                *["--stat"] * bool(args.get("stat", True)),
                *["--no-patch"] * (not args.get("patch", True) and not args.get("stat", True)),
                _revision(args["rev"]),
            ],
        ),
        _git(
            "git_blame",
            "Who last changed each line of a file.",
            {
                "path": s.text("The file"),
                "rev": s.text("As of this commit"),
                "start_line": s.whole("First line, from 1", minimum=1),
                "max_lines": s.whole("200 if left out", minimum=1),
                "porcelain": s.flag("In the form for programs"),
            },
            ("path",),
            lambda args: [
                "blame",
                f"-L{int(args.get('start_line') or 1)},+{int(args.get('max_lines') or 200)}",
                *["--porcelain"] * bool(args.get("porcelain")),
                *([_revision(args["rev"])] if args.get("rev") else []),
            ],
        ),
        tool(
            "diagnostics",
            "Facts on this workspace: folder, system, repository, languages.",
            arguments(),
            "shell",
            lambda _: {"command": _DIAGNOSTICS, "timeout_s": 30},
            told.shell,
        ),
        tool(
            "run_tests",
            "Run the project's tests: cargo, npm, go, make test or pytest, whichever it has.",
            arguments(
                (),
                args=s.text("Further arguments for the test program"),
                all_features=s.flag("With all features (cargo)", default=False),
            ),
            "shell",
            lambda args: {"command": _tests(args), "timeout_s": MOST_SECONDS, "max_output": ROOM},
            told.shell,
        ),
    )


def _git(
    name: str,
    description: str,
    properties: dict[str, Schema],
    required: Sequence[str],
    words: Callable[[dict[str, Any]], list[str]],
) -> Binding:
    def run(args: dict[str, Any]) -> dict[str, Any]:
        only = ["--", str(args["path"])] if args.get("path") else []
        command = shlex.join(["git", "--no-pager", *words(args), *only])
        return {"command": command, "timeout_s": 60, "max_output": ROOM}

    return tool(name, description, s.fields(properties, required), "shell", run, told.shell)


def _revision(given: Any) -> str:
    if str(given).startswith("-"):
        raise ValueError(f"rev must name a commit, not an option: {given}")
    return str(given)


_DIAGNOSTICS = """echo "workspace: $(pwd)"
echo "system: $(uname -srm)"
echo "git root: $(git rev-parse --show-toplevel 2>/dev/null || echo none)"
echo "git branch: $(git rev-parse --abbrev-ref HEAD 2>/dev/null || echo none)"
for one in python3 node go rustc java git; do
  command -v "$one" >/dev/null 2>&1 || continue
  case "$one" in
    go) shown=$(go version 2>&1) ;;
    java) shown=$(java -version 2>&1) ;;
    *) shown=$("$one" --version 2>&1) ;;
  esac
  echo "$one: $(printf '%s\\n' "$shown" | head -n 1)"
done"""


def _tests(args: dict[str, Any]) -> str:
    """A command that runs whichever tests a project has."""
    more = shlex.join(shlex.split(str(args.get("args") or "")))
    every = " --all-features" if args.get("all_features") else ""
    return (
        f"if [ -f Cargo.toml ]; then cargo test{every} {more}\n"
        f"elif [ -f package.json ]; then npm test -- {more}\n"
        f"elif [ -f go.mod ]; then go test ./... {more}\n"
        f"elif grep -qs '^test:' Makefile; then make test {more}\n"
        f"else python3 -m pytest {more}\nfi"
    )

"""The tools of `deepseek-tui` on this machine: commands, tasks in the background, files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from harnesses import deepseek_results as told
from harnesses import schemas as s
from harnesses.data import Binding
from harnesses.schemas import Schema, arguments
from harnesses.wording import MARGIN

SECONDS, MOST_SECONDS = 120, 600
Map = Callable[[dict[str, Any]], dict[str, Any]]
ROOM = 2 * told.HEAD + 2 * MARGIN
_TIME = s.number(f"Milliseconds it may take, {SECONDS * 1000} if left out, at most {MOST_SECONDS * 1000}")
_FOLDER = s.text("Folder to run it in; the workspace if left out")
_TASK = s.text("Id of the task")
_WAIT = s.number("Milliseconds to wait at most, 30000 if left out")


def tool(
    name: str,
    description: str,
    schema: Schema,
    executor: str,
    map_args: Map,
    render: told.Render = told.text,
    **more: Any,
) -> Binding:
    """A binding whose title is its name with what it is about."""

    def title(args: dict[str, Any]) -> str:
        about = next((args[key] for key in ("path", "query", "pattern", "task_id", "url", "name") if args.get(key)), "")
        return f"{name} {about}".rstrip()

    return Binding(name, description, schema, executor, map_args, title=title, render=told.checked(render), **more)


def seconds(args: dict[str, Any], default: float = SECONDS, most: float = MOST_SECONDS) -> float:
    """The argument timeout_ms, within bounds."""
    given = args.get("timeout_ms")
    return min(max(float(default * 1000 if given is None else given), 1), most * 1000) / 1000


def command_tools() -> tuple[Binding, ...]:
    def run(args: dict[str, Any]) -> dict[str, Any]:
        apart = bool(args.get("background"))
        return {
            "command": args["command"],
            "workdir": args.get("cwd") or "",
            "timeout_s": 0 if apart else seconds(args),
            "background": apart,
            "stdin": args.get("stdin") or "",
            "tty": bool(args.get("tty")),
            "split": not (apart or args.get("combined_output") or args.get("tty")),
            "max_output": ROOM,
        }

    run_properties = {
        "command": s.text("The command"),
        "timeout_ms": _TIME,
        "background": s.flag("Return at once with a task_id; then exec_shell_wait, exec_shell_cancel", default=False),
        "stdin": s.text("What it reads as its input"),
        "cwd": _FOLDER,
        "tty": s.flag("Give it a terminal", default=False),
        "combined_output": s.flag("Errors stand among the output, in the order they came", default=False),
    }
    started = {key: run_properties[key] for key in ("command", "cwd", "stdin", "tty")}
    return (
        tool(
            "exec_shell",
            "Run a command in a shell of its own. State is not kept from one to the next.",
            s.fields(run_properties, ("command",)),
            "shell",
            run,
            told.shell,
            code_field="command",
            language="shell",
        ),
        tool(
            "task_shell_start",
            "Start a command in the background: servers, long builds. Returns a task_id.",
            s.fields(started, ("command",)),
            "shell",
            lambda args: {**run({**args, "background": True})},
            lambda result, args: told.shell(result, {**args, "background": True}),
            code_field="command",
            language="shell",
        ),
        *(_wait(name) for name in ("exec_shell_wait", "exec_wait", "task_shell_wait")),
        *(_interact(name) for name in ("exec_shell_interact", "exec_interact")),
        tool(
            "exec_shell_cancel",
            "Stop a task in the background, or all of them.",
            arguments((), task_id=_TASK, id=s.text("The same as task_id"), all=s.flag("Stop every task")),
            "job_stop",
            lambda args: {"id": args.get("task_id") or args.get("id") or "", "every": bool(args.get("all"))},
            told.stopped,
        ),
        tool(
            "task_gate_run",
            "Run a check of the work, such as its tests, and tell whether it passed.",
            arguments(
                ("gate", "command"),
                gate=s.one_of("fmt", "check", "clippy", "test", "custom", description="What kind of check it is"),
                command=s.text("The command that checks"),
                cwd=_FOLDER,
                timeout_ms=_TIME,
            ),
            "shell",
            lambda args: (
                run({key: args[key] for key in ("command", "cwd", "timeout_ms") if key in args}) | {"split": False}
            ),
            told.gate,
            code_field="command",
            language="shell",
        ),
    )


def _wait(name: str) -> Binding:
    return tool(
        name,
        "What a task in the background has printed since you last looked; waits for its end unless wait is false.",
        arguments(("task_id",), task_id=_TASK, timeout_ms=_WAIT, wait=s.flag("Wait for its end", default=True)),
        "job_output",
        lambda args: {
            "id": str(args["task_id"]),
            "wait_s": seconds(args, 30) if args.get("wait", True) else 0,
            "until": "end",
            "max_output": ROOM,
        },
        told.job,
    )


def _interact(name: str) -> Binding:
    return tool(
        name,
        "Type into a task in the background, and see what it answers.",
        arguments(
            ("task_id",),
            task_id=_TASK,
            input=s.text("What to type, with its line ends"),
            stdin=s.text("The same as input"),
            data=s.text("The same as input"),
            timeout_ms=s.number("Milliseconds to wait for an answer, 1000 if left out"),
            close_stdin=s.flag("End its input after that", default=False),
        ),
        "job_input",
        lambda args: {
            "id": str(args["task_id"]),
            "input": args.get("input") or args.get("stdin") or args.get("data") or "",
            "close": bool(args.get("close_stdin")),
            "wait_s": seconds(args, 1, 300),
            "max_output": ROOM,
        },
        told.job,
    )


_PATH = s.text("Path, absolute or relative to the workspace")


def file_tools() -> tuple[Binding, ...]:
    return (
        tool(
            "read_file",
            f"Read a file: text, pictures, PDF pages, notebooks. Short texts come as they are, of longer ones "
            f"{told.READ_LINES} numbered lines at a time.",
            arguments(
                ("path",),
                path=_PATH,
                start_line=s.whole("First line, from 1", minimum=1),
                max_lines=s.whole(f"{told.READ_LINES} if left out, at most {told.READ_MOST}", minimum=1),
                pages=s.text("Pages of a PDF, such as 1-5"),
            ),
            "read",
            lambda args: {
                "path": args["path"],
                "offset": args.get("start_line") or 1,
                "limit": min(int(args.get("max_lines") or told.READ_LINES), told.READ_MOST),
                "pages": args.get("pages") or "",
            },
            told.read,
        ),
        tool(
            "write_file",
            "Write a file, replacing what was there; missing folders are made. Shows the diff.",
            arguments(("path", "content"), path=_PATH, content=s.text("Its whole text")),
            "write",
            lambda args: {"path": args["path"], "content": args["content"]},
            told.changed(told.wrote),
        ),
        tool(
            "edit_file",
            "Replace a text that stands in a file exactly once. Shows the diff.",
            arguments(
                ("path", "search", "replace"),
                path=_PATH,
                search=s.text("The exact text, with enough around it to be the only one"),
                replace=s.text("What to put there"),
            ),
            "edit",
            lambda args: {"path": args["path"], "old": args["search"], "new": args["replace"]},
            told.changed(told.replaced),
        ),
        tool(
            "apply_patch",
            "Apply a unified diff to one or several files, all of it or nothing.",
            arguments(
                ("patch",),
                path=s.text("The file, for hunks without headers"),
                patch=s.text("The diff"),
                fuzz=s.whole("Lines of context that may differ, 3 if left out", minimum=0, maximum=50),
                create_if_missing=s.flag("New files may be made", default=True),
            ),
            "patch",
            lambda args: {
                "patch": args["patch"],
                "path": args.get("path") or "",
                "fuzz": int(args.get("fuzz", 3)),
                "create": bool(args.get("create_if_missing", True)),
            },
            told.changed(told.patched),
        ),
        tool(
            "list_dir",
            "The names in a folder, as JSON.",
            arguments((), path=s.text("The folder; the workspace if left out")),
            "list",
            lambda args: {"path": args.get("path") or ".", "depth": 1},
            told.listed,
        ),
        tool(
            "project_map",
            "The folders and files of the workspace as a tree.",
            arguments((), max_depth=s.whole("Levels, 3 if left out", minimum=1, maximum=20)),
            "list",
            lambda args: {"depth": int(args.get("max_depth") or 3)},
        ),
        _grep(),
        _file_search(),
    )


def _grep() -> Binding:
    return tool(
        "grep_files",
        "Search file contents for a regular expression; JSON with the lines around each match.",
        arguments(
            ("pattern",),
            pattern=s.text("Regular expression"),
            path=s.text("File or folder; the workspace if left out"),
            include=s.several(s.text(), "Only files that fit one of these, such as *.py"),
            exclude=s.several(s.text(), "No files that fit one of these"),
            context_lines=s.whole("Lines around each match, 2 if left out", minimum=0, maximum=100),
            case_insensitive=s.flag("Upper and lower case are the same", default=False),
            max_results=s.whole("Most matches, 100 if left out", minimum=1, maximum=1000),
        ),
        "grep",
        lambda args: {
            "pattern": args["pattern"],
            "path": args.get("path") or ".",
            "glob": " ".join(args.get("include") or []),
            "exclude": args.get("exclude") or [],
            "before": int(args.get("context_lines", 2)),
            "after": int(args.get("context_lines", 2)),
            "ignore_case": bool(args.get("case_insensitive")),
            "limit": int(args.get("max_results") or 100),
        },
        told.found_text,
    )


def _file_search() -> Binding:
    def run(args: dict[str, Any]) -> dict[str, Any]:
        query = str(args["query"]).strip()
        if not query:
            raise ValueError("the query is empty")
        words = "*".join(_any_case(word) for word in re.split(r"[\s*]+", query) if word)
        extensions: list[str] = args.get("extensions") or []
        ends = [one.lstrip(".") for one in extensions]
        name = (
            f"*{words}*" if not ends else f"*{words}*.{{{','.join(ends)}}}" if len(ends) > 1 else f"*{words}*.{ends[0]}"
        )
        return {
            "pattern": f"**/{name}",
            "path": args.get("path") or ".",
            "limit": 1000,
            "order": "name",
        }

    return tool(
        "file_search",
        "Find files by a part of their name; JSON.",
        arguments(
            ("query",),
            query=s.text("A part of the name; words in their order, in any case"),
            path=s.text("Folder to look in; the workspace if left out"),
            limit=s.whole("20 if left out, at most 200", minimum=1),
            extensions=s.several(s.text(), "Only these, such as py"),
            exclude=s.several(s.text(), "Patterns of paths, or names of folders, to leave out"),
        ),
        "glob",
        run,
        told.found_files,
    )


def _any_case(word: str) -> str:
    """A pattern for a word in upper or lower case."""
    return "".join(
        f"[{one.lower()}{one.upper()}]" if one.isalpha() else f"[{one}]" if one in "?{" else one for one in word
    )

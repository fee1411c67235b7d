"""The tools of `qwen-code`: names, arguments and results as Qwen models know them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harnesses import claude_services as services
from harnesses import schemas as s
from harnesses.data import Binding
from harnesses.qwen_results import (
    GREP_ROWS,
    HEAD,
    READ_LINES,
    TAIL,
    asked,
    edited,
    found_files,
    found_text,
    listed,
    plain,
    read,
    remembered,
    shell,
    stopped,
    todos,
    written,
)
from harnesses.schemas import arguments
from harnesses.wording import MARGIN

SECONDS, MOST_SECONDS = 120, 600
_SLEEP = re.compile(r"^\s*sleep\s+(\d+(?:\.\d+)?)([smhd]?)\s*(?:$|[;&|\n])")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


def bindings(cwd: str) -> tuple[Binding, ...]:
    """All of them, in the order of their names. cwd: where relative results lie."""
    return (
        _agent(),
        replace(services.ask(), name="ask_user_question", render=asked),
        _edit(),
        _exit_plan_mode(),
        _glob(cwd),
        _grep(),
        _list(),
        _read(),
        _shell(),
        _save_memory(),
        _named(services.skill(), "skill"),
        _task_stop(),
        _todo_write(),
        _named(services.web_fetch(), "web_fetch"),
        _web_search(),
        _write(),
    )


def _named(binding: Binding, name: str) -> Binding:
    """A tool that other models know by another name."""
    return replace(binding, name=name, render=plain(name))


def absolute(path: Any) -> str:
    """An absolute path. Raises ValueError with the sentence for another one."""
    if not os.path.isabs(str(path)):  # noqa: PTH117 - a text, no file
        raise ValueError(f"File path must be absolute: {path}")
    return str(path)


def _path(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda args: {"path": absolute(args["file_path"]), **change(args)}


def shell_arguments(args: dict[str, Any]) -> dict[str, Any]:
    """Raises ValueError for an empty command, a time that is too long, a foreground command that only waits."""
    command, apart = str(args["command"]), bool(args.get("is_background"))
    if not command.strip():
        raise ValueError("Command cannot be empty.")
    milliseconds = args.get("timeout", SECONDS * 1000)
    if not 0 < milliseconds <= MOST_SECONDS * 1000:
        raise ValueError(
            f"Timeout must be more than 0 and at most {MOST_SECONDS * 1000} ms; use is_background for more"
        )
    waits = _SLEEP.match(command)
    if waits and not apart and float(waits[1]) * _UNITS[waits[2]] >= 2:
        raise ValueError(
            f"A command in the foreground must not begin with a wait such as sleep {waits[1]}{waits[2]}: check for "
            "what you wait for in a loop, or set is_background"
        )
    directory = args.get("directory") or ""
    return {
        "command": command,
        "workdir": absolute(directory) if directory else "",
        "timeout_s": 0 if apart else milliseconds / 1000,
        "background": apart,
        "max_output": 2 * max(HEAD, TAIL) + 2 * MARGIN,
        "description": args.get("description") or "",
    }


def _shell() -> Binding:
    return Binding(
        "run_shell_command",
        "Run a command with bash -c, in a shell of its own; the result tells its output, exit code and process group. "
        "Set is_background for servers and all that does not end by itself: you are told when it ends, and task_stop "
        "ends it. Do not add & to a command.",
        arguments(
            ("command",),
            command=s.text("The exact command"),
            is_background=s.flag("Return at once and let it go on; false if left out", default=False),
            timeout=s.number(f"Milliseconds it may take: {SECONDS * 1000} if left out, at most {MOST_SECONDS * 1000}"),
            description=s.text("What it does, in one short sentence for the person"),
            directory=s.text("Absolute path of the folder to run it in; the working directory if left out"),
        ),
        "shell",
        map_args=shell_arguments,
        code_field="command",
        language="shell",
        render=shell,
    )


def _read() -> Binding:
    return Binding(
        "read_file",
        f"Read a file: text, pictures, PDF pages, notebooks. Of a long text only {READ_LINES} lines come at once; the "
        "result then says which, and offset and limit read on.",
        arguments(
            ("file_path",),
            file_path=s.text("Absolute path of the file"),
            offset=s.whole("How many lines of a text to leave out first, 0 if left out", minimum=0),
            limit=s.whole(f"How many lines to read, {READ_LINES} if left out", minimum=1),
            pages=s.text("Pages of a PDF, such as 1-5"),
        ),
        "read",
        map_args=_path(
            lambda args: {
                "offset": int(args.get("offset") or 0) + 1,
                "limit": int(args.get("limit") or READ_LINES),
                "pages": args.get("pages") or "",
            }
        ),
        title=lambda args: f"read {args.get('file_path', '')}",
        render=read,
    )


def _write() -> Binding:
    return Binding(
        "write_file",
        "Write a file, replacing what was there; missing folders are made.",
        arguments(
            ("file_path", "content"),
            file_path=s.text("Absolute path of the file"),
            content=s.text("Its whole text"),
        ),
        "write",
        map_args=_path(lambda args: {"content": args["content"]}),
        title=lambda args: f"write {args.get('file_path', '')}",
        render=written,
    )


def _edit() -> Binding:
    return Binding(
        "edit",
        "Replace a text in a file. old_string is exact, with its white space and indentation and at least three lines "
        "around the change, so that it stands there once; set replace_all to change every place. Read the file first. "
        "An empty old_string makes a new file.",
        arguments(
            ("file_path", "old_string", "new_string"),
            file_path=s.text("Absolute path of the file"),
            old_string=s.text("The exact text to replace"),
            new_string=s.text("The exact text to put there"),
            replace_all=s.flag("Replace every place where it stands", default=False),
        ),
        "edit",
        map_args=_path(
            lambda args: {
                "old": args["old_string"],
                "new": args["new_string"],
                "replace_all": bool(args.get("replace_all")),
                "create": True,
            }
        ),
        title=lambda args: f"edit {args.get('file_path', '')}",
        render=edited,
    )


def _grep() -> Binding:
    return Binding(
        "grep_search",
        "Search file contents for a regular expression (ripgrep syntax, upper and lower case alike). Use this, never "
        "grep or rg in run_shell_command.",
        arguments(
            ("pattern",),
            pattern=s.text("Regular expression"),
            path=s.text("File or folder; the working directory if left out"),
            glob=s.text("Only files that fit, such as *.js or *.{ts,tsx}"),
            limit=s.whole("Only so many lines; all that have room if left out", minimum=1),
        ),
        "grep",
        map_args=lambda args: {
            "pattern": args["pattern"],
            "path": args.get("path") or ".",
            "glob": args.get("glob") or "",
            "ignore_case": True,
            "limit": GREP_ROWS,
        },
        title=lambda args: f"search {args.get('pattern', '')}",
        render=found_text,
    )


def _glob(cwd: str) -> Binding:
    return Binding(
        "glob",
        "Find files by pattern, such as src/**/*.ts: absolute paths, at most 100, those changed last day first.",
        arguments(
            ("pattern",),
            pattern=s.text("The pattern"),
            path=s.text("Folder to look in; the working directory if left out"),
        ),
        "glob",
        map_args=lambda args: {
            "pattern": args["pattern"],
            "path": args.get("path") or ".",
            "limit": 100,
            "order": "recent",
        },
        title=lambda args: f"find {args.get('pattern', '')}",
        render=lambda result, args: found_files(result, args, cwd),
    )


def _list() -> Binding:
    filters = {
        "respect_git_ignore": s.flag("Leave out what git ignores", default=True),
    }

    def run(args: dict[str, Any]) -> dict[str, Any]:
        options: dict[str, Any] = args.get("file_filtering_options") or {}
        return {
            "path": absolute(args["path"]),
            "depth": 1,
            "ignore": args.get("ignore") or [],
            "ignored": options.get("respect_git_ignore") is False,
        }

    return Binding(
        "list_directory",
        "The names of files and folders directly in a folder.",
        arguments(
            ("path",),
            path=s.text("Absolute path of the folder"),
            ignore=s.several(s.text(), "Patterns of names to leave out"),
            file_filtering_options={**s.fields(filters), "description": "What else is left out"},
        ),
        "list",
        map_args=run,
        title=lambda args: f"list {args.get('path', '')}",
        render=listed,
    )


def _todo_write() -> Binding:
    one = s.fields(
        {
            "content": s.text("What is to be done", minLength=1),
            "status": s.one_of("pending", "in_progress", "completed"),
            "id": s.text("A name for it that stays the same"),
        },
        ("content", "status", "id"),
    )
    return Binding(
        "todo_write",
        "Write the whole list of todos anew, for work of three steps or more. Exactly one is in_progress while you "
        "work; mark each completed as soon as it is done.",
        arguments(("todos",), todos=s.several(one, "All todos")),
        "plan",
        map_args=lambda args: {
            "action": "set",
            "steps": [
                {"step": one["content"], "status": one["status"], "id": str(one.get("id") or "")}
                for one in args["todos"]
            ],
        },
        title=lambda _: "todos",
        render=todos,
    )


def _save_memory() -> Binding:
    return Binding(
        "save_memory",
        "Remember a fact for later sessions: only what the person asks you to remember, or what clearly matters beyond "
        "this task.",
        arguments(("fact",), fact=s.text("The fact, as one sentence that stands by itself")),
        "note",
        map_args=lambda args: {"text": args["fact"], "scope": "user"},
        title=lambda args: f"remember: {args.get('fact', '')}",
        render=remembered,
    )


def _agent() -> Binding:
    kinds = {"general-purpose": "worker", "Explore": "explorer"}
    return Binding(
        "agent",
        "Give a task of several steps to an agent with a context of its own; its last message is the result. Several "
        "calls in one message work at the same task from several sides.",
        arguments(
            ("description", "prompt", "subagent_type"),
            description=s.text("The task in three to five words"),
            prompt=s.text("The whole task: the agent knows nothing of this conversation"),
            subagent_type=s.one_of(*kinds, description="Explore only looks; general-purpose may do everything"),
        ),
        "agent",
        map_args=lambda args: {
            "prompt": args["prompt"],
            "title": args["description"],
            "kind": kinds.get(args["subagent_type"], "worker"),
        },
        title=lambda args: f"agent: {args.get('description', '')}",
        render=plain("agent"),
    )


def _exit_plan_mode() -> Binding:
    return Binding(
        "exit_plan_mode",
        "Put the plan before the person, who agrees to it or says what is to be different. Only in plan mode, when you "
        "know enough to carry it out.",
        arguments(("plan",), plan=s.text("The plan, in Markdown", minLength=1)),
        "plan_mode",
        map_args=lambda args: {"action": "exit", "plan": args["plan"]},
        title=lambda _: "plan",
        render=plain("exit_plan_mode"),
    )


def _task_stop() -> Binding:
    return Binding(
        "task_stop",
        "Stop a command that runs in the background.",
        arguments(("task_id",), task_id=s.text("The id that run_shell_command returned")),
        "job_stop",
        map_args=lambda args: {"id": args["task_id"]},
        title=lambda args: f"stop {args.get('task_id', '')}",
        render=stopped,
    )


def _web_search() -> Binding:
    return Binding(
        "web_search",
        "Search the web; gives titles, addresses and excerpts.",
        arguments(("query",), query=s.text("What to look for", minLength=2)),
        "web_search",
        title=lambda args: f"search the web for {args.get('query', '')}",
        render=plain("web_search"),
    )

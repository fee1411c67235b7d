"""The tools of `native`: commands with sessions, code in any language with its state kept, files, plan, agents."""

from __future__ import annotations

from typing import Any

from harnesses import schemas as s
from harnesses.data import Binding
from harnesses.native_results import MOST_TOKENS, TOKEN, answers, command, patched, spawned, waited
from harnesses.schemas import arguments
from harnesses.wording import MARGIN

_WAIT, _SHORTEST, _LONGEST = 10_000, 250, 30_000  # milliseconds that a command is waited for
_POLL = (5_000, 300_000)  # milliseconds of a look at a session that types nothing


def bindings(languages: tuple[str, ...]) -> tuple[Binding, ...]:
    """All of them, for a computer that runs these languages."""
    return (
        Binding(
            "execute",
            "Run code on the person's computer and get what it prints. State stays between calls of one language, and "
            "for shell too: variables, functions, the folder. In Python the value of the last expression is shown and "
            "plots are displayed; when a module is missing, its package is installed if the person agrees, and the "
            "block runs again.",
            arguments(
                ("language", "code"),
                language=s.text(f"one of {', '.join(languages)}"),
                code=s.text("The code to run."),
            ),
            "code",
            code_field="code",
            language_field="language",
            language="python",
            map_args=_code_args,
        ),
        _EXEC,
        _STDIN,
        *_FILES,
        _PLAN,
        _VIEW,
        _ASK,
        _WEB,
        _SKILL,
        *_AGENTS,
    )


def _code_args(args: dict[str, Any]) -> dict[str, Any]:
    if not str(args["code"]).strip():
        raise ValueError("the argument code is empty")
    return {"language": args["language"], "code": args["code"]}


def _between(value: Any, low: int, high: int, default: int) -> float:
    """Milliseconds within bounds, as seconds."""
    return min(max(float(value if value is not None else default), low), high) / 1000


def _room(args: dict[str, Any]) -> int:
    return TOKEN * int(args.get("max_output_tokens") or MOST_TOKENS) + MARGIN


def _exec_args(args: dict[str, Any]) -> dict[str, Any]:
    if not str(args["cmd"]).strip():
        raise ValueError("the argument cmd is empty")
    return {
        "command": args["cmd"],
        "workdir": args.get("workdir") or "",
        "timeout_s": _between(args.get("yield_time_ms"), _SHORTEST, _LONGEST, _WAIT),
        "on_timeout": "background",
        "tty": bool(args.get("tty")),
        "shell": args.get("shell") or "",
        "login": bool(args.get("login")),
        "max_output": _room(args),
    }


def _stdin_args(args: dict[str, Any]) -> dict[str, Any]:
    chars = args.get("chars") or ""
    wait = args.get("yield_time_ms")
    seconds = _between(wait, _SHORTEST, _LONGEST, _SHORTEST) if chars else _between(wait, *_POLL, _POLL[0])
    return {"id": f"{args['session_id']:g}", "input": chars, "wait_s": seconds, "max_output": _room(args)}


_OUTPUT = {
    "yield_time_ms": s.number(f"Milliseconds to wait for its end, {_WAIT} if left out, {_SHORTEST} to {_LONGEST}."),
    "max_output_tokens": s.number(f"Most tokens of output, {MOST_TOKENS} if left out."),
}

_EXEC = Binding(
    "exec_command",
    "Run a command in a shell of its own. If it has not ended when the waiting time is over it goes on, and a session "
    "id is returned for write_stdin: for servers, long builds, programs to type into.",
    s.fields(
        {
            "cmd": s.text("The command."),
            "workdir": s.text("Folder to run it in; the working directory if left out."),
            "tty": s.flag("Give it a terminal, for programs that want to be typed into; plain pipes if left out."),
            "shell": s.text("Shell to use instead of the person's."),
            "login": s.flag("Run it in a login shell."),
            **_OUTPUT,
        },
        ("cmd",),
    ),
    "shell",
    map_args=_exec_args,
    code_field="cmd",
    language="shell",
    render=command,
)

_STDIN = Binding(
    "write_stdin",
    "Type into a session of exec_command, or look at what it has printed since.",
    s.fields(
        {
            "session_id": s.number("Id of the session."),
            "chars": s.text("What to type, with its line ends; empty to look only. \\u0003 is ctrl+c."),
            "yield_time_ms": s.number(
                f"Milliseconds to wait for output: {_SHORTEST} if left out, at least {_POLL[0]} when nothing is typed."
            ),
            "max_output_tokens": _OUTPUT["max_output_tokens"],
        },
        ("session_id",),
    ),
    "job_input",
    map_args=_stdin_args,
    title=lambda args: f"type into session {args.get('session_id', '')}",
    render=command,
)

_FILES: tuple[Binding, ...] = (
    Binding(
        "read_file",
        "Read a text file, or look at an image. Lines come numbered.",
        arguments(
            ("path",),
            path=s.text("Path, absolute or relative to the working directory."),
            offset=s.whole("First line to read, from 1."),
            limit=s.whole("Most lines to read; 2000 if left out."),
        ),
        "read",
        title=lambda args: f"read {args.get('path', '')}",
    ),
    Binding(
        "write_file",
        "Create a file, or replace all of its text. Missing folders are made.",
        arguments(("path", "content"), path=s.text("Path of the file."), content=s.text("The whole text.")),
        "write",
        title=lambda args: f"write {args.get('path', '')}",
    ),
    Binding(
        "apply_patch",
        "Change files. The patch begins with the line `*** Begin Patch` and ends with `*** End Patch`. Between "
        "them, per file: `*** Add File: PATH` and its lines, each after a `+`; or `*** Delete File: PATH`; or "
        "`*** Update File: PATH` (then, if it moves, `*** Move to: PATH`) and hunks: a line `@@` or "
        "`@@ nearby line such as a def`, then lines that begin with a space (kept), `-` (removed) or `+` (added). "
        "Give about three kept lines around each change.",
        arguments(("input",), input=s.text("The whole patch.")),
        "patch",
        map_args=lambda args: {"patch": args["input"]},
        title=lambda _: "patch",
        render=patched,
    ),
    Binding(
        "list_files",
        "List a folder, leaving out what .gitignore names.",
        arguments(path=s.text("Folder; the working directory if left out."), depth=s.whole("Levels, 2 if left out.")),
        "list",
        title=lambda args: f"list {args.get('path', '.')}",
    ),
    Binding(
        "search_files",
        "Search the text of files for a regular expression; gives path:line:text.",
        arguments(
            ("pattern",),
            pattern=s.text("Regular expression."),
            path=s.text("File or folder; the working directory if left out."),
            glob=s.text("Only files whose name fits, such as *.py."),
            ignore_case=s.flag("Upper and lower case are the same."),
        ),
        "grep",
        title=lambda args: f"search {args.get('pattern', '')}",
    ),
)

_STEP = s.fields(
    {
        "step": s.text("What is done, in a few words."),
        "status": s.one_of("pending", "in_progress", "completed"),
    },
    ("step", "status"),
)

_PLAN = Binding(
    "update_plan",
    "Show the person your plan, or its progress.",
    arguments(
        ("plan",),
        explanation=s.text("Why it changed, in a sentence."),
        plan=s.several(_STEP, "All steps, one in progress at most."),
    ),
    "plan",
    map_args=lambda args: {"steps": args["plan"]},
    title=lambda args: str(args.get("explanation") or "plan"),
    render=lambda result, _: "Plan updated" if result.ok else result.text,
)

_VIEW = Binding(
    "view_image",
    "Look at a picture file.",
    arguments(
        ("path",),
        path=s.text("Path of the picture."),
        detail=s.one_of("high", "original", description="original keeps its full size; high if left out."),
    ),
    "view",
    map_args=lambda args: {"path": args["path"], "full": args.get("detail") == "original"},
    title=lambda args: f"look at {args.get('path', '')}",
)

_OPTION = s.fields(
    {"label": s.text("One to five words."), "description": s.text("What it means.")}, ("label", "description")
)
_QUESTION = s.fields(
    {
        "id": s.text("A name for the answer, in snake_case."),
        "header": s.text("A label of at most 12 characters."),
        "question": s.text("The whole question, in one sentence."),
        "options": s.several(_OPTION, "Two or three choices; the person can always say something else.", minItems=2),
    },
    ("id", "header", "question", "options"),
)

_ASK = Binding(
    "request_user_input",
    "Ask the person one to three short questions, only where you cannot find out or decide yourself.",
    arguments(("questions",), questions=s.several(_QUESTION, "The questions.", minItems=1, maxItems=3)),
    "ask",
    title=lambda _: "question",
    render=answers,
)

_WEB = Binding(
    "web_search",
    "Search the web; gives titles, addresses and excerpts.",
    arguments(("query",), query=s.text("What to look for.")),
    "web_search",
    title=lambda args: f"search the web for {args.get('query', '')}",
)

_TARGET = s.text("Id of the agent.")
_AGENTS: tuple[Binding, ...] = (
    Binding(
        "spawn_agent",
        "Start an agent with a context of its own on a task of its own; it works beside you. Only when the person asks "
        "for it, or the work falls into parts. Get its answer with wait_agent.",
        arguments(
            ("message",),
            message=s.text("The whole task: the agent knows nothing of this conversation."),
            agent_type=s.one_of("worker", "explorer", description="An explorer changes nothing; worker if left out."),
        ),
        "agent",
        map_args=lambda args: {
            "prompt": args["message"],
            "kind": args.get("agent_type") or "worker",
            "background": True,
        },
        title=lambda args: f"agent: {str(args.get('message', ''))[:40]}",
        render=spawned,
    ),
    Binding(
        "send_input",
        "Give an agent that has ended a further message.",
        arguments(("target", "message"), target=_TARGET, message=s.text("The message.")),
        "agent",
        map_args=lambda args: {"prompt": args["message"], "resume": args["target"], "background": True},
        title=lambda args: f"agent {args.get('target', '')}",
        render=spawned,
    ),
    Binding(
        "wait_agent",
        "Wait for an agent and get its answer.",
        arguments(
            ("target",),
            target=_TARGET,
            timeout_ms=s.number("Milliseconds to wait, 30000 if left out, 10000 to 3600000."),
        ),
        "job_output",
        map_args=lambda args: {
            "id": args["target"],
            "wait_s": _between(args.get("timeout_ms"), 10_000, 3_600_000, 30_000),
            "until": "end",
            "whole": True,
        },
        title=lambda args: f"wait for agent {args.get('target', '')}",
        render=waited,
    ),
    Binding(
        "close_agent",
        "Stop an agent.",
        arguments(("target",), target=_TARGET),
        "job_stop",
        map_args=lambda args: {"id": args["target"]},
        title=lambda args: f"stop agent {args.get('target', '')}",
    ),
)

# Offered once a part of the conversation is not sent any more.
_SKILL = Binding(
    "load_skill",
    "Load a skill: instructions for a kind of task. Call it before anything else when one fits the request.",
    arguments(("name",), name=s.text("Its name."), arguments=s.text("What it is to be done with, if that is needed.")),
    "skill",
    map_args=lambda args: {"name": args["name"], "arguments": args.get("arguments") or ""},
    title=lambda args: f"skill {args.get('name', '')}",
)
RECALL = Binding(
    "recall",
    "Search the part of this conversation that you are not shown any more: what was said, run and printed, word for "
    "word. Use it when your notes lack a detail. Gives the passages that fit best, each with its place.",
    arguments(
        ("query",),
        query=s.text("Words that stand in what you look for: a name, a path, a part of an error message."),
        limit=s.whole("Most passages to give; 5 if left out."),
    ),
    "recall",
    title=lambda args: f"recall {args.get('query', '')}",
)

"""Shell and file tools of the Kimi harnesses: names, arguments and results as those models know them.

Each function takes what differs between the two: the names of `kimi-code`, of `kimi-cli`, and their wording.
"""

from __future__ import annotations

from typing import Any

from harnesses import kimi_results as results
from harnesses import schemas as s
from harnesses.data import Binding
from harnesses.kimi_results import Render, Told, as_code
from harnesses.kimi_services import started
from harnesses.schemas import arguments

SECONDS, MOST_SECONDS = 60, 300  # of a command that is waited for
APART_SECONDS, MOST_APART_SECONDS = 600, 86_400  # of one in the background


def coded(told: Any) -> Render:
    """Words a result as kimi-code does."""
    return lambda result, args: as_code(told(result, args))


def seconds(args: dict[str, Any]) -> float:
    """How long a command may take. Raises ValueError."""
    apart = bool(args.get("run_in_background"))
    most = MOST_APART_SECONDS if apart else MOST_SECONDS
    wanted = args.get("timeout") or (APART_SECONDS if apart else SECONDS)
    if not 1 <= wanted <= most:
        hint = "" if apart else "; use run_in_background for what takes longer"
        raise ValueError(f"timeout must be between 1 and {most} seconds{hint}")
    return float(wanted)


def shell_arguments(args: dict[str, Any]) -> dict[str, Any]:
    """The executor's arguments for a command."""
    apart = bool(args.get("run_in_background"))
    limit = 0.0 if apart and args.get("disable_timeout") else seconds(args)
    return {
        "command": args["command"],
        "workdir": args.get("cwd") or "",
        "timeout_s": 0 if apart else limit,
        "background": apart,
        "background_s": limit if apart else 0,
        "max_output": results.ASKED,
        "description": args.get("description") or "",
    }


def _bash(result: Any, args: dict[str, Any]) -> Told:
    return started(result, args) if args.get("run_in_background") and result.ok else results.bash(result, args)


def bash() -> Binding:
    return Binding(
        "Bash",
        "Run a command in a fresh shell: neither variables nor the folder stay for the next one. Chain what belongs "
        "together with && or ;. Never start what waits for typing. Give what runs long, such as a server or a long "
        "build, run_in_background; you are told when it ends. Do not read, write or search files with it where there "
        "is a tool for that.",
        arguments(
            ("command",),
            command=s.text("The command"),
            cwd=s.text("Folder to run it in; the working directory if left out"),
            timeout=s.whole(
                f"Seconds it may take: {SECONDS} if left out, at most {MOST_SECONDS}; in the background "
                f"{APART_SECONDS} and {MOST_APART_SECONDS}",
                default=SECONDS,
                minimum=1,
            ),
            description=s.text("What it does, in a few words; always give it for the background"),
            run_in_background=s.flag("Return at once with a task_id", default=False),
            disable_timeout=s.flag("No time limit; only in the background", default=False),
        ),
        "shell",
        map_args=shell_arguments,
        code_field="command",
        language="shell",
        render=coded(_bash),
    )


def read_arguments(args: dict[str, Any]) -> dict[str, Any]:
    """The executor's arguments for reading a file. Raises ValueError."""
    offset = args.get("line_offset")
    offset = 1 if offset is None else int(offset)
    count = args.get("n_lines")
    count = results.LINES if count is None else int(count)
    if offset == 0 or offset < -results.LINES:
        raise ValueError(f"line_offset counts from 1, or from -1 back to -{results.LINES}; it cannot be {offset}")
    if count < 1:
        raise ValueError("n_lines must be 1 or more")
    return {"path": args["path"], "offset": offset, "limit": min(count, results.LINES), "columns": results.COLUMNS}


def read_schema() -> dict[str, Any]:
    return arguments(
        ("path",),
        path=s.text("The file; relative to the working directory, or absolute"),
        line_offset=s.whole(f"First line, from 1; or how many lines before the end, -1 to -{results.LINES}", default=1),
        n_lines=s.whole(f"How many lines, at most {results.LINES}", default=results.LINES, minimum=1),
    )


def read_tool() -> Binding:
    return Binding(
        "Read",
        f"Read a text file: lines with their numbers, at most {results.LINES} lines and {results.READ_BYTES // 1024} "
        f"KiB at once, lines of more than {results.COLUMNS} characters cut. Also gives the text of PDFs and notebooks. "
        "Read several files by several calls in one answer. For pictures use ReadMediaFile, to find things Grep.",
        read_schema(),
        "read",
        map_args=read_arguments,
        title=lambda args: f"read {args.get('path', '')}",
        render=coded(results.read),
    )


def write_schema() -> dict[str, Any]:
    return arguments(
        ("path", "content"),
        path=s.text("The file"),
        content=s.text("What is to be in it"),
        mode=s.one_of("overwrite", "append", description="Write it anew, or add at its end", default="overwrite"),
    )


def write() -> Binding:
    return Binding(
        "Write",
        "Write a file, or add to its end. Folders that are missing are made. A long text is best written in parts, the "
        "later ones with append. For changes inside a file use Edit.",
        write_schema(),
        "write",
        map_args=lambda args: {
            "path": args["path"],
            "content": args["content"],
            "mode": args.get("mode") or "overwrite",
        },
        title=lambda args: f"write {args.get('path', '')}",
        render=coded(results.written),
    )


def edit() -> Binding:
    return Binding(
        "Edit",
        "Replace a text in a file. Read the file first. old_string must be exactly what stands there, white space "
        "included, without the line numbers that Read shows, and it must stand there once, unless replace_all is set.",
        arguments(
            ("path", "old_string", "new_string"),
            path=s.text("The file"),
            old_string=s.text("The text to replace", minLength=1),
            new_string=s.text("What to put there"),
            replace_all=s.flag("Replace every place where it stands", default=False),
        ),
        "edit",
        map_args=lambda args: {
            "path": args["path"],
            "old": _given(args["old_string"]),
            "new": args["new_string"],
            "replace_all": bool(args.get("replace_all")),
        },
        title=lambda args: f"edit {args.get('path', '')}",
        render=coded(results.edited),
    )


def _given(old: str) -> str:
    if not old:
        raise ValueError("old_string is empty; use Write to make a file")
    return old


def glob() -> Binding:
    return Binding(
        "Glob",
        "Find files by pattern, such as src/**/*.py: those changed last come first, at most 100. What git ignores is "
        "left out.",
        arguments(
            ("pattern",),
            pattern=s.text("The pattern"),
            path=s.text("Folder to look in; the working directory if left out"),
            include_ignored=s.flag("Also files that git ignores", default=False),
            include_dirs=s.flag("Also folders", default=False),
        ),
        "glob",
        map_args=lambda args: {
            "pattern": args["pattern"],
            "path": args.get("path") or ".",
            "limit": 100,
            "ignored": bool(args.get("include_ignored")),
            "folders": bool(args.get("include_dirs")),
        },
        title=lambda args: f"find {args.get('pattern', '')}",
        render=coded(results.found_files),
    )


def grep_arguments(args: dict[str, Any]) -> dict[str, Any]:
    """The executor's arguments for a search. Raises ValueError."""
    modes = {"content": "lines", "files_with_matches": "files", "count_matches": "counts"}
    mode = args.get("output_mode") or "files_with_matches"
    if mode not in modes:
        raise ValueError(f"output_mode must be one of {', '.join(modes)}, not {mode!r}")
    around = args.get("-C") or 0
    limit = args.get("head_limit")
    return {
        "pattern": args["pattern"],
        "path": args.get("path") or ".",
        "glob": args.get("glob") or "",
        "type": args.get("type") or "",
        "mode": modes[mode],
        "before": int(args.get("-B") or around),
        "after": int(args.get("-A") or around),
        "ignore_case": bool(args.get("-i")),
        "multiline": bool(args.get("multiline")),
        "limit": 250 if limit is None else int(limit),
        "offset": int(args.get("offset") or 0),
        "ignored": bool(args.get("include_ignored")),
        "columns": 500,
        "timeout_s": 20,
    }


def grep(render: Render) -> Binding:
    return Binding(
        "Grep",
        "Search the contents of files for a regular expression (ripgrep syntax). Use it rather than grep or rg in the "
        "shell. Files that may hold secrets, and what git ignores, are left out.",
        s.fields(
            {
                "pattern": s.text("The regular expression"),
                "path": s.text("File or folder", default="."),
                "glob": s.text("Only files that fit, such as *.py or *.{ts,tsx}"),
                "type": s.text("Only files of this type: py, js, rust, go, java, …"),
                "output_mode": s.one_of(
                    "content",
                    "files_with_matches",
                    "count_matches",
                    description="Matching lines, the files, or numbers per file",
                    default="files_with_matches",
                ),
                "-i": s.flag("Upper and lower case are the same", default=False),
                "-n": s.flag("Line numbers; only with content", default=True),
                "-A": s.whole("Lines after each match; only with content", minimum=0),
                "-B": s.whole("Lines before each match; only with content", minimum=0),
                "-C": s.whole("Lines around each match; only with content", minimum=0),
                "head_limit": s.whole("Most lines or files, 0 for all", default=250, minimum=0),
                "offset": s.whole("How many of them to leave out first", default=0, minimum=0),
                "multiline": s.flag("Patterns may span lines, and . matches line ends", default=False),
                "include_ignored": s.flag("Also files that git ignores", default=False),
            },
            ("pattern",),
        ),
        "grep",
        map_args=grep_arguments,
        title=lambda args: f"search {args.get('pattern', '')}",
        render=render,
    )


def media(render: Render, *, parts: bool) -> Binding:
    """ReadMediaFile. parts: a region, and the full size, can be asked for."""
    side = s.whole(minimum=0)
    more = {
        "region": s.fields(
            {"x": side, "y": side, "width": s.whole(minimum=1), "height": s.whole(minimum=1)},
            ("x", "y", "width", "height"),
        )
        | {"description": "Only this part, in pixels of the picture itself"},
        "full_resolution": s.flag("Do not make it smaller", default=False),
    }
    return Binding(
        "ReadMediaFile",
        "Look at a picture (PNG, JPEG, GIF, WebP, …). It is made smaller where it is large"
        + ("; look at a region, or ask for its full resolution, to see details." if parts else "."),
        s.fields({"path": s.text("The picture"), **(more if parts else {})}, ("path",)),
        "view",
        map_args=lambda args: {
            "path": args["path"],
            "region": _region(args.get("region")),
            "full": bool(args.get("full_resolution")),
        },
        title=lambda args: f"look at {args.get('path', '')}",
        render=render,
    )


def _region(given: Any) -> list[int]:
    return [int(given[name]) for name in ("x", "y", "width", "height")] if given else []

"""Shell and file tools of the Claude Code family: names, arguments and results as those models know them.

`claude-code`, `claude-code-bare` and `zcode` pick from these and from `claude_services`.
"""

from __future__ import annotations

from typing import Any

from harnesses import schemas as s
from harnesses.claude_results import background, created, edited, found_files, found_text, plain, read, shell
from harnesses.data import Binding
from harnesses.schemas import arguments

SHELL_SECONDS, SHELL_MOST = 120, 600
SHELL_OUTPUT = 30_000  # characters


def bash(description: str, brief: bool = False) -> Binding:
    """`Bash`: a fresh shell each time that starts where the last command ended."""

    def run(args: dict[str, Any]) -> dict[str, Any]:
        milliseconds = args.get("timeout") or SHELL_SECONDS * 1000
        if milliseconds > SHELL_MOST * 1000:
            raise ValueError(f"timeout is at most {SHELL_MOST * 1000} ms; use run_in_background for what takes longer")
        apart = bool(args.get("run_in_background"))
        return {
            "command": args["command"],
            "timeout_s": 0 if apart else max(milliseconds, 1) / 1000,
            "background": apart,
            "keep_folder": True,
            "max_output": SHELL_OUTPUT,
            "description": args.get("description", ""),
        }

    return Binding(
        "Bash",
        description,
        arguments(
            ("command",),
            command=s.text("The command" if brief else "The command to run"),
            timeout=s.number(
                "Milliseconds"
                if brief
                else f"Milliseconds it may take, {SHELL_SECONDS * 1000} if left out, at most {SHELL_MOST * 1000}"
            ),
            description=s.text("What it does" if brief else "What the command does, in five to ten words"),
            run_in_background=s.flag(
                "Run in the background" if brief else "Return at once with an id; read the output later with TaskOutput"
            ),
        ),
        "shell",
        map_args=run,
        code_field="command",
        language="shell",
        render=lambda result, args: background(result) if args.get("run_in_background") else shell(result),
    )


def read_tool(description: str) -> Binding:
    """`Read`: numbered lines; also pictures, PDF pages and notebooks."""
    return Binding(
        "Read",
        description,
        arguments(
            ("file_path",),
            file_path=s.text("Absolute path of the file"),
            offset=s.whole("First line to read, from 1", minimum=0),
            limit=s.whole("How many lines; 2000 if left out", exclusiveMinimum=0),
            pages=s.text("Pages of a PDF, such as 1-5; at most 20 at once"),
        ),
        "read",
        map_args=lambda args: {
            "path": args["file_path"],
            "offset": args.get("offset") or 1,
            "limit": args.get("limit") or 2000,
            "pages": args.get("pages") or "",
        },
        title=lambda args: f"read {args.get('file_path', '')}",
        render=read,
    )


def edit(description: str, success: str) -> Binding:
    """`Edit`: exact replacement. success: the sentence that follows the path's."""
    return Binding(
        "Edit",
        description,
        arguments(
            ("file_path", "old_string", "new_string"),
            file_path=s.text("Absolute path of the file"),
            old_string=s.text("The text to replace, exactly as it stands in the file"),
            new_string=s.text("What to put there; must differ from old_string"),
            replace_all=s.flag("Replace every place where it stands", default=False),
        ),
        "edit",
        map_args=lambda args: {
            "path": args["file_path"],
            "old": args["old_string"],
            "new": args["new_string"],
            "replace_all": bool(args.get("replace_all")),
            "create": True,
            "read_first": True,
        },
        title=lambda args: f"edit {args.get('file_path', '')}",
        render=lambda result, args: edited(result, args, success),
    )


def write() -> Binding:
    return Binding(
        "Write",
        "Write a file, replacing what was there. A file that exists must have been read with Read before. Prefer Edit "
        "for changes; make no documentation files unless asked.",
        arguments(
            ("file_path", "content"),
            file_path=s.text("Absolute path of the file"),
            content=s.text("Its whole text"),
        ),
        "write",
        map_args=lambda args: {"path": args["file_path"], "content": args["content"], "read_first": True},
        title=lambda args: f"write {args.get('file_path', '')}",
        render=created,
    )


def glob() -> Binding:
    return Binding(
        "Glob",
        "Find files by pattern, such as **/*.py; newest first, at most 100.",
        arguments(
            ("pattern",),
            pattern=s.text("The pattern"),
            path=s.text("Folder to look in; the working directory if left out"),
        ),
        "glob",
        map_args=lambda args: {"pattern": args["pattern"], "path": args.get("path") or ".", "limit": 100},
        title=lambda args: f"find {args.get('pattern', '')}",
        render=found_files,
    )


def grep() -> Binding:
    def run(args: dict[str, Any]) -> dict[str, Any]:
        modes = {"content": "lines", "files_with_matches": "files", "count": "counts"}
        around = args.get("-C", args.get("context", 0)) or 0
        return {
            "pattern": args["pattern"],
            "path": args.get("path") or ".",
            "glob": args.get("glob") or "",
            "type": args.get("type") or "",
            "mode": modes[args.get("output_mode") or "files_with_matches"],
            "before": int(args.get("-B", around) or 0),
            "after": int(args.get("-A", around) or 0),
            "ignore_case": bool(args.get("-i")),
            "only_matching": bool(args.get("-o")),
            "multiline": bool(args.get("multiline")),
            "limit": int(args.get("head_limit", 250)),
            "offset": int(args.get("offset", 0)),
        }

    return Binding(
        "Grep",
        "Search file contents for a regular expression (ripgrep syntax). Use this, never grep or rg in Bash.",
        s.fields(
            {
                "pattern": s.text("Regular expression"),
                "path": s.text("File or folder; the working directory if left out"),
                "glob": s.text("Only files that fit, such as *.js or **/*.{ts,tsx}"),
                "output_mode": s.one_of(
                    "content",
                    "files_with_matches",
                    "count",
                    description="Matching lines, paths (the default), or counts per file",
                ),
                "-A": s.number("Lines after each match; only with content"),
                "-B": s.number("Lines before each match; only with content"),
                "-C": s.number("Lines around each match; only with content"),
                "context": s.number("The same as -C"),
                "-n": s.flag("Line numbers; only with content", default=True),
                "-i": s.flag("Upper and lower case are the same"),
                "-o": s.flag("Only the part that matches; only with content"),
                "type": s.text("Only files of this type: js, py, rust, go, java, …"),
                "head_limit": s.number("Most lines or entries, 250 if left out, 0 for all", default=250),
                "offset": s.number("Lines or entries to skip first", default=0),
                "multiline": s.flag("Patterns may span lines, and . matches line ends"),
            },
            ("pattern",),
        ),
        "grep",
        map_args=run,
        title=lambda args: f"search {args.get('pattern', '')}",
        render=found_text,
    )


def notebook() -> Binding:
    return Binding(
        "NotebookEdit",
        "Replace, insert or delete one cell of a Jupyter notebook.",
        arguments(
            ("notebook_path", "new_source"),
            notebook_path=s.text("Absolute path of the notebook"),
            cell_id=s.text("Id of the cell; with insert, the new cell comes after it, or first if left out"),
            new_source=s.text("The cell's new text"),
            cell_type=s.one_of("code", "markdown", description="Needed for insert"),
            edit_mode=s.one_of("replace", "insert", "delete", description="replace if left out"),
        ),
        "notebook",
        map_args=lambda args: {
            "path": args["notebook_path"],
            "source": args["new_source"],
            "cell": args.get("cell_id") or "",
            "kind": args.get("cell_type") or "",
            "mode": args.get("edit_mode") or "replace",
        },
        title=lambda args: f"edit {args.get('notebook_path', '')}",
        render=plain,
    )

"""`str_replace_editor` as a command line: view, create, str_replace, insert, undo_edit, each a tool of its own here."""

from __future__ import annotations

import json
import shlex
from typing import Any, cast

from harnesses import schemas as s
from harnesses.data import Binding
from harnesses.wording import error_kind, numbered
from oi_tui.protocol.calls import Call, Result

LONGEST = 16_000  # characters of a view
_CLIPPED = (
    "<response clipped><NOTE>Only a part of this file is shown. Find the line numbers with `grep -n` and view a range."
    "</NOTE>"
)
_VALUES = {"--file_text": "file_text", "--old_str": "old_str", "--new_str": "new_str", "--insert_line": "insert_line"}
_NEEDED = {
    "view": (),
    "create": ("file_text",),
    "str_replace": ("old_str",),
    "insert": ("insert_line", "new_str"),
    "undo_edit": (),
}


def read(command: str) -> Call | str:
    """The call that a `str_replace_editor` command line means, or what is wrong with it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"The command line cannot be read: {error}. Put texts with spaces or line ends into quotes."
    if len(words) < 3 or words[1] not in _NEEDED:
        return f"Usage: str_replace_editor COMMAND PATH …, where COMMAND is one of {', '.join(_NEEDED)}."
    args: dict[str, Any] = {"path": words[2]}
    rest = words[3:]
    while rest:
        option = rest.pop(0)
        option, joined, value = option.partition("=")
        if option == "--view_range":
            given = [value] if joined else []
            while rest and not rest[0].startswith("--"):
                given.append(rest.pop(0))
            try:
                args["view_range"] = [int(one) for one in " ".join(given).strip("[]").replace(",", " ").split()]
            except ValueError:
                return "Parameter --view_range must be two line numbers, such as 1 20."
        elif option in _VALUES:
            if not joined:
                if not rest:
                    return f"Parameter {option} needs a value."
                value = rest.pop(0)
            args[_VALUES[option]] = value
        else:
            return f"Unexpected argument: {option}. There are {', '.join((*_VALUES, '--view_range'))}."
    missing = [name for name in _NEEDED[words[1]] if name not in args]
    if missing:
        return f"Parameter --{missing[0]} is required for the command {words[1]}."
    if "insert_line" in args:
        if not str(args["insert_line"]).lstrip("-").isdigit():
            return "Parameter --insert_line must be a number."
        args["insert_line"] = int(args["insert_line"])
    return Call("edit_1", words[1], args, json.dumps(args, ensure_ascii=False))


def command_line(name: str, arguments: str) -> str:
    """The command line of an earlier call, "" for other tools."""
    if name not in _NEEDED:
        return ""
    try:
        args = json.loads(arguments)
    except ValueError:
        return ""
    words = ["str_replace_editor", name, str(args.get("path", ""))]
    for option, key in _VALUES.items():
        if key in args:
            words += [option, str(args[key])]
    if args.get("view_range"):
        words += ["--view_range", *map(str, args["view_range"])]
    return shlex.join(words)


def _range(args: dict[str, Any]) -> dict[str, Any]:
    wanted = cast("list[int]", args.get("view_range") or [])
    kwargs: dict[str, Any] = {"path": args["path"], "folders": True, "columns": LONGEST}
    if wanted:
        if len(wanted) != 2 or wanted[0] < 1:
            raise ValueError("view_range must be two line numbers, the first from 1; -1 as the second is the end")
        kwargs["offset"] = wanted[0]
        if wanted[1] != -1:
            if wanted[1] < wanted[0]:
                raise ValueError("the second number of view_range must not be smaller than the first")
            kwargs["limit"] = wanted[1] - wanted[0] + 1
    kwargs.setdefault("limit", 100_000)
    return kwargs


def _said(text: str) -> str:
    return f"OBSERVATION:\n{text}"


def _viewed(result: Result, args: dict[str, Any]) -> str:
    if not result.ok:
        return _said(result.text)
    path = args.get("path", "")
    if result.meta.get("kind", "text") != "text":
        return _said(f"Here's what is in {path}, up to two levels deep:\n{result.text}")
    lines = numbered(result, lambda number, line: f"{number:6d}\t{line.expandtabs()}")
    if len(lines) > LONGEST:
        lines = f"{lines[:LONGEST]}\n{_CLIPPED}"
    return _said(f"Here's the result of running `cat -n` on {path}:\n{lines}")


def _changed(result: Result, args: dict[str, Any]) -> str:
    path, old = args.get("path", ""), args.get("old_str", "")
    if not result.ok:
        match error_kind(result):
            case "no_match":
                return _said(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
            case "ambiguous":
                lines = ", ".join(map(str, result.meta.get("lines", [])))
                where = f" in lines {lines}" if lines else ""
                why = f"Multiple occurrences of old_str `{old}`{where}. Please make it unique."
                return _said(f"No replacement was performed. {why}")
            case _:
                return _said(result.text)
    snippet = str(result.meta.get("snippet", ""))
    first = int(result.meta.get("snippet_first", 1))
    shown = "\n".join(f"{number:6d}\t{line.expandtabs()}" for number, line in enumerate(snippet.splitlines(), first))
    text = (
        f"The file {path} has been edited. Here's a snippet of it:\n{shown}\n"
        if shown
        else f"The file {path} has been edited."
    )
    return _said(f"{text}Look whether the change is as it should be, and edit the file again if not.")


def _made(result: Result, args: dict[str, Any]) -> str:
    if result.ok:
        return _said(f"File created successfully at: {args.get('path', '')}")
    if error_kind(result) == "exists":
        return _said(f"File already exists at: {args.get('path', '')}. The command create cannot overwrite files.")
    return _said(result.text)


def _undone(result: Result, args: dict[str, Any]) -> str:
    return _said(f"Last edit to {args.get('path', '')} undone successfully." if result.ok else result.text)


_PATH = {"path": s.text("The file")}
_ANY = {
    **_PATH,
    "file_text": s.text("Its text"),
    "old_str": s.text("What to replace"),
    "new_str": s.text("What to put there"),
    "insert_line": s.whole("After which line"),
    "view_range": s.several(s.whole(), "First and last line", minItems=2, maxItems=2),
}


def _schema(name: str) -> s.Schema:
    return s.fields(_ANY, ("path", *_NEEDED[name]))


BINDINGS: tuple[Binding, ...] = (
    Binding(
        "view",
        "Show a file or folder.",
        _schema("view"),
        "read",
        _range,
        title=lambda a: f"view {a.get('path', '')}",
        render=_viewed,
    ),
    Binding(
        "create",
        "Make a file that is not there yet.",
        _schema("create"),
        "write",
        lambda args: {"path": args["path"], "content": args["file_text"], "mode": "create"},
        title=lambda a: f"create {a.get('path', '')}",
        render=_made,
    ),
    Binding(
        "str_replace",
        "Replace a text that stands in the file once.",
        _schema("str_replace"),
        "edit",
        lambda args: {"path": args["path"], "old": args["old_str"], "new": args.get("new_str", "")},
        title=lambda a: f"edit {a.get('path', '')}",
        render=_changed,
    ),
    Binding(
        "insert",
        "Insert a text after a line.",
        _schema("insert"),
        "insert",
        lambda args: {"path": args["path"], "line": args["insert_line"], "text": args["new_str"]},
        title=lambda a: f"insert into {a.get('path', '')}",
        render=_changed,
    ),
    Binding(
        "undo_edit",
        "Take the last change of a file back.",
        _schema("undo_edit"),
        "undo_edit",
        lambda args: {"path": args["path"]},
        title=lambda a: f"undo in {a.get('path', '')}",
        render=_undone,
    ),
)

"""Results in the words that Qwen models know. An error is its plain sentence."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, cast

from harnesses.wording import ends, error_kind, middle_out, plural, rows, with_note
from oi_tui.protocol.calls import Result

CHARACTERS, LINES = 25_000, 1_000  # of one result
HEAD, TAIL = CHARACTERS // 5, CHARACTERS - CHARACTERS // 5
READ_LINES = LINES
GREP_ROWS, _GREP_CHARACTERS = 2_000, 20_000
_LISTED = 100  # entries of a folder
_CUT = "\n\n---\n... [CONTENT TRUNCATED] ...\n---\n\n"


def empty(name: str) -> str:
    return f"({name} completed with no output)"


def plain(name: str) -> Callable[[Result, dict[str, Any]], str]:
    """The wording of a tool that has no form of its own: the result's text, within bounds."""

    def render(result: Result, _args: dict[str, Any]) -> str:
        text = with_note(result, result.text).strip("\n")
        return middle_out(text, CHARACTERS, lambda _: _CUT, 0.2) or (empty(name) if result.ok else "It failed.")

    return render


def shell(result: Result, args: dict[str, Any]) -> str:
    """Seven lines on a command that has ended; a sentence on one that ran out of time or goes on."""
    if result.rejected or error_kind(result) or result.meta.get("not_run"):
        return result.text or "The command was not run."
    output = _bounded(result)
    if result.timed_out:
        began = f"Command timed out after {(result.timeout_s or 0) * 1000:g}ms before it could complete."
        below = f" Below is the output before it timed out:\n{output}"
        return began + (below if output.strip() else " There was no output before it timed out.")
    if result.interrupted:
        below = f" Below is the output before it was cancelled:\n{output}"
        return "Command was cancelled by the person." + (below if output.strip() else "")
    meta = result.meta
    if args.get("is_background"):
        where = f" Its output is being written to {meta['output_path']}." if meta.get("output_path") else ""
        return (
            f"Background command started with id {meta.get('job', '')} (PID: {meta.get('pid', '')}, process group "
            f"{meta.get('pgid', '')}).{where} You will be told when it ends; stop it with task_stop."
        )
    facts = {
        "Command": args.get("command", ""),
        "Directory": args.get("directory") or "(root)",
        "Output": output.rstrip("\n") or "(empty)",
        "Error": result.note or "(none)",
        "Exit Code": "(none)" if result.exit_code is None or meta.get("signal") else result.exit_code,
        "Signal": meta.get("signal") or "(none)",
        "Process Group PGID": meta.get("pgid") or "(none)",
    }
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def _bounded(result: Result) -> str:
    """An output, or its first fifth and its end around a mark, below where the rest can be read."""
    long = ends(result, HEAD, TAIL)
    if long is None:
        lines = result.text.split("\n")
        if len(lines) <= LINES + 1:
            return result.text
        head, tail = "\n".join(lines[: LINES // 5]), "\n".join(lines[-(LINES - LINES // 5) :])
    else:
        head, tail, _ = long
    path = result.meta.get("output_path") or result.path
    saved = f"The full output is saved in {path}: read parts of it with read_file, or search it." if path else ""
    told = f"The output is too large to be shown whole. {saved}".rstrip()
    return f"{told}\nTruncated part of the output:\n{head}{_CUT}{tail}"


def read(result: Result, args: dict[str, Any]) -> str:
    """The raw text, headed by where it lies in the file if it is not all of it."""
    path = args.get("file_path", "")
    if not result.ok:
        return f"File not found: {path}" if error_kind(result) == "missing" else result.text
    kind = result.meta.get("kind", "text")
    if kind != "text":
        return result.text or f"The picture {path}."
    total, first = int(result.meta.get("total", 0)), int(result.meta.get("first", 1))
    lines = result.text.removesuffix("\n").split("\n")
    shown = _within(lines, CHARACTERS)
    last = first + len(shown) - 1
    if not result.text:
        return "(the file is empty)" if not total else f"(no such lines: the file has {total})"
    if first == 1 and last >= total and not result.meta.get("more"):
        return result.text
    return f"Showing lines {first}-{last} of {total} total lines.\n\n---\n\n" + "\n".join(shown)


def _within(lines: list[str], room: int) -> list[str]:
    """The first lines that have room, one at least."""
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0 and number:
            return lines[:number]
    return lines


def written(result: Result, args: dict[str, Any]) -> str:
    path = args.get("file_path", "")
    if not result.ok:
        return result.text
    made = result.meta.get("created")
    return f"Successfully created and wrote to new file: {path}." if made else f"Successfully overwrote file: {path}."


def edited(result: Result, args: dict[str, Any]) -> str:
    path, meta = args.get("file_path", ""), result.meta
    if result.ok and (meta.get("created") or not args.get("old_string")):
        return f"Created new file: {path} with provided content."
    if result.ok:
        snippet = str(meta.get("snippet", ""))
        first, total = int(meta.get("snippet_first", 1)), int(meta.get("total", 0))
        last = first + snippet.count("\n")
        where = f" Showing lines {first}-{last} of {total} from the edited file:\n\n---\n\n{snippet}" if snippet else ""
        return f"The file: {path} has been updated.{where}"
    match error_kind(result):
        case "missing":
            return f"File not found: {path}"
        case "no_match":
            return (
                f"Failed to edit, 0 occurrences of old_string were found in {path}. No edits were made. Check white "
                f"space and indentation: read the file again with read_file. ({result.text})"
            )
        case "ambiguous":
            count = meta.get("count", "several")
            return (
                f"Failed to edit, found {count} occurrences of old_string in {path}, but replace_all is false. Give "
                "more of the text around the one that is meant, or set replace_all."
            )
        case "unchanged":
            return f"No changes to apply to {path}: old_string and new_string are identical."
        case "exists":
            return f"Failed to edit, the file already exists: {path}. Give the old_string that is to be replaced."
        case _:
            return result.text


def found_text(result: Result, args: dict[str, Any]) -> str:
    """Matching lines below a line that counts them; what has no room is counted at the end."""
    if not result.ok:
        return result.text
    where = f'in path "{args["path"]}"' if args.get("path") else "in the workspace directory"
    kept = f' (filter: "{args["glob"]}")' if args.get("glob") else ""
    found = rows(result)
    if not found:
        note = f" ({result.note})" if result.note not in {None, "no match"} else ""
        return f'No matches found for pattern "{args.get("pattern", "")}" {where}{kept}.{note}'
    lines = [f"{path}:{line}:{text}" for path, line, text, _ in found]
    shown = _within(lines[: int(args.get("limit") or len(lines))], _GREP_CHARACTERS)
    left, more = len(lines) - len(shown), "+" if result.meta.get("more") else ""
    head = f"Found {len(lines)}{more} match{'' if len(lines) == 1 else 'es'}"
    text = "\n".join([f'{head} for pattern "{args.get("pattern", "")}" {where}{kept}:', "---", *shown])
    return f"{text}\n---\n[{left}{more} lines truncated] ..." if left or more else text


def found_files(result: Result, args: dict[str, Any], cwd: str) -> str:
    """Absolute paths below a line that counts them."""
    if not result.ok:
        return result.text
    where = f"within {args['path']}" if args.get("path") else "in the workspace directory"
    pattern = args.get("pattern", "")
    paths = [os.path.join(cwd, one) for one in cast("list[str]", result.meta.get("paths", []))]  # noqa: PTH118
    if not paths:
        return f'No files found matching pattern "{pattern}" {where}'
    total = int(result.meta.get("total", len(paths)))
    head = f'Found {plural(total, "file")} matching "{pattern}" {where}, sorted by modification time (newest first):'
    text = "\n".join([head, "---", *paths])
    left = total - len(paths)
    return f"{text}\n---\n[{plural(left, 'file')} truncated] ..." if left > 0 else text


def listed(result: Result, args: dict[str, Any]) -> str:
    """Folders first, then files, each by name."""
    path = args.get("path", "")
    if not result.ok:
        return f"Error: Directory not found: {path}" if error_kind(result) == "missing" else result.text
    items = cast("list[dict[str, Any]]", result.meta.get("items", []))
    if not items:
        return f"Directory {path} is empty."
    items = sorted(items, key=lambda one: (one.get("kind") != "folder", str(one.get("path", ""))))
    names = [f"{'[DIR] ' if one.get('kind') == 'folder' else ''}{one.get('path', '')}" for one in items]
    total = len(names) + int(result.meta.get("left_out", 0))
    head = f"Listed {total} item(s) in {path}:"
    text = "\n".join([head, "---", *names[:_LISTED]])
    left = total - min(len(names), _LISTED)
    return f"{text}\n---\n[{left} items truncated] ..." if left else text


def todos(result: Result, _args: dict[str, Any]) -> str:
    """A reminder with the list as it is now."""
    if not result.ok:
        return result.text
    items = [
        {"content": one.get("step", ""), "status": one.get("status", ""), "id": one.get("id", "")}
        for one in cast("list[dict[str, Any]]", result.meta.get("items", []))
    ]
    if not items:
        told = "The list of todos is empty now. Do not mention this to the person."
    else:
        listed = json.dumps(items, ensure_ascii=False, separators=(",", ":"))
        told = (
            f"The list of todos has changed. Do not mention this to the person. It is now:\n\n{listed}. Go on with it."
        )
    return f"Todos have been modified successfully.\n\n<system-reminder>\n{told}\n</system-reminder>"


def remembered(result: Result, args: dict[str, Any]) -> str:
    return f'Okay, I\'ve remembered that: "{args.get("fact", "")}"' if result.ok else result.text


def stopped(result: Result, args: dict[str, Any]) -> str:
    return f"Stopped background command {args.get('task_id', '')}." if result.ok else result.text


def asked(result: Result, args: dict[str, Any]) -> str:
    answers = cast("dict[str, list[str]]", result.meta.get("answers", {}))
    if not result.ok or not answers:
        return plain("ask_user_question")(result, args)
    lines = (f"**{question}**: {', '.join(said)}" for question, said in answers.items())
    return "The person has answered:\n\n" + "\n".join(lines)

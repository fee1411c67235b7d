"""Results in the words that the Claude Code family knows. A failure is wrapped in `<tool_use_error>`, once."""

from __future__ import annotations

import json
from typing import Any, cast

from harnesses.wording import error_kind, grep_lines, numbered, plural, with_note
from oi_tui.protocol.calls import Result

NOTHING = "(Bash completed with no output)"
_EMPTY_FILE = "<system-reminder>The file is there, but it is empty.</system-reminder>"


def failed(text: str) -> str:
    """`text` as a failure."""
    return text if text.startswith("<tool_use_error>") else f"<tool_use_error>{text}</tool_use_error>"


def declined(result: Result) -> str:
    """What a person who said no leaves the model with."""
    return failed(result.text or "The person declined this call.")


def plain(result: Result, _args: dict[str, Any]) -> str:
    """The result's own text."""
    text = with_note(result, result.text).strip("\n") or ("Done." if result.ok else "Failed.")
    return text if result.ok else failed(text)


def shell(result: Result) -> str:
    """A command that has ended: its output trimmed; a failure begins with the exit code."""
    if result.rejected or result.meta.get("not_run"):
        return declined(result)
    output = with_note(result, result.text).strip()
    if result.interrupted:
        return failed("\n".join(part for part in ("The person interrupted this command.", output) if part))
    if result.timed_out:
        return failed(
            "\n".join(part for part in (f"Command timed out after {result.timeout_s or 0:g}s", output) if part)
        )
    if result.meta.get("status") == "running":
        return background(result)
    if not result.ok:
        code = f"Exit code {result.exit_code}" if result.exit_code is not None else "The command failed"
        return failed("\n".join(part for part in (code, output) if part))
    return output or NOTHING


def background(result: Result) -> str:
    """A command or agent that goes on by itself."""
    if not result.ok:
        return failed(result.text or "It could not be started.")
    job = result.meta.get("job") or result.meta.get("agent", "")
    path = result.meta.get("output_path") or result.path
    where = f" Output is being written to: {path}." if path else ""
    return f"Running in the background with ID: {job}.{where} You will be told when it ends."


def read(result: Result, args: dict[str, Any]) -> str:
    if not result.ok:
        return failed(result.text)
    kind = result.meta.get("kind", "text")
    if kind == "image":
        return result.text or f"The picture {args.get('file_path', '')}."
    if kind != "text":
        return result.text
    if not result.text:
        total = result.meta.get("total", 0)
        return _EMPTY_FILE if not total else f"<system-reminder>The file has only {total} lines.</system-reminder>"
    return numbered(result, lambda number, line: f"{number}\t{line}")


def edited(result: Result, args: dict[str, Any], success: str) -> str:
    path, old = args.get("file_path", ""), args.get("old_string", "")
    if result.ok:
        if result.meta.get("created") or not old:
            return f"File created successfully at: {path}"
        if args.get("replace_all"):
            return f"The file {path} has been updated. {_replaced(result)}{success}"
        return f"The file {path} has been updated successfully.{success}"
    match error_kind(result):
        case "not_read":
            return failed("File has not been read yet. Read it first before writing to it.")
        case "changed":
            return failed("File has been modified since it was read. Read it again before writing to it.")
        case "no_match":
            return failed(f"String to replace not found in file.\nString: {old}")
        case "ambiguous":
            count = result.meta.get("count", "several")
            return failed(
                f"Found {count} matches of the string to replace, but replace_all is false. Set replace_all to replace "
                f"them all, or give more of the text around the one that is meant.\nString: {old}"
            )
        case "unchanged":
            return failed("No changes to make: old_string and new_string are exactly the same.")
        case _:
            return failed(result.text)


def _replaced(result: Result) -> str:
    count = int(result.meta.get("replaced", 1))
    return f"All {plural(count, 'occurrence')} were replaced." if count != 1 else "One occurrence was replaced."


def created(result: Result, args: dict[str, Any]) -> str:
    path = args.get("file_path", "")
    if result.ok:
        made = result.meta.get("created", True)
        return f"File created successfully at: {path}" if made else f"The file {path} has been updated successfully."
    return edited(result, args, "")


def found_files(result: Result, _args: dict[str, Any]) -> str:
    if not result.ok:
        return failed(result.text)
    paths = cast("list[str]", result.meta.get("paths", []))
    if not paths:
        return "No files found"
    cut = ["(Results are truncated: give a more specific path or pattern.)"] if result.meta.get("more") else []
    return "\n".join([*paths, *cut])


def found_text(result: Result, args: dict[str, Any]) -> str:
    if not result.ok:
        return failed(result.text)
    mode = result.meta.get("mode", "files")
    if mode == "files":
        paths = cast("list[str]", result.meta.get("paths", []))
        text = "\n".join([f"Found {plural(len(paths), 'file')}", *paths]) if paths else "No files found"
    elif mode == "counts":
        counts = cast("list[tuple[str, int]]", result.meta.get("counts", []))
        total = sum(count for _, count in counts)
        lines = [f"{path}:{count}" for path, count in counts]
        end = f"\nFound {plural(total, 'total occurrence')} across {plural(len(counts), 'file')}."
        text = "\n".join([*lines, end]) if lines else "No matches found"
    else:
        text = grep_lines(result, bool(args.get("-n", True))) or "No matches found"
    if result.meta.get("more"):
        text += f"\n\n[Showing results with pagination = limit: {args.get('head_limit', 250):g}"
        text += f", offset: {args['offset']:g}]" if args.get("offset") else "]"
    return text


def fetched(result: Result, args: dict[str, Any]) -> str:
    redirect = result.meta.get("redirect")
    if redirect:
        return (
            f"REDIRECT: {args.get('url', '')} leads to another host, {redirect}. Call WebFetch again with that address."
        )
    return plain(result, args)


def asked(result: Result, args: dict[str, Any]) -> str:
    answers = cast("dict[str, list[str]]", result.meta.get("answers", {}))
    if not result.ok or not answers:
        return plain(result, args)
    return "The person answered: " + "; ".join(
        f'"{question}" = "{", ".join(said)}"' for question, said in answers.items()
    )


def planned(result: Result, args: dict[str, Any]) -> str:
    """What became of a plan: with the plan itself, where the person agreed to it and it stood in a file."""
    if not result.ok or not result.meta.get("agreed"):
        return plain(result, args)
    plan = "" if args.get("plan") else str(result.meta.get("proposed", ""))
    return f"{result.text}\n\n## Approved plan\n\n{plan}" if plan else result.text


def _items(result: Result) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", result.meta.get("items", []))


def task_made(result: Result, args: dict[str, Any]) -> str:
    if not result.ok:
        return failed(result.text)
    made = cast("dict[str, Any]", result.meta.get("item") or (_items(result) or [{}])[-1])
    return f"Task #{made.get('id', '')} created successfully: {args.get('subject', '')}"


def updated_task(result: Result, args: dict[str, Any]) -> str:
    if not result.ok:
        return failed(result.text)
    changed = ", ".join(key for key in args if key != "taskId") or "nothing"
    return f"Updated task #{args.get('taskId', '')}: {changed}"


def one_task(result: Result, args: dict[str, Any]) -> str:
    wanted = str(args.get("taskId", ""))
    found = next((one for one in _items(result) if str(one.get("id")) == wanted), None)
    if found is None:
        return failed(f"Task #{wanted} not found")
    lines = [f"Task #{wanted}: {found.get('step', '')}", f"Status: {found.get('status', '')}"]
    named = {"Description": "detail", "Owner": "owner", "Blocks": "blocks", "Blocked by": "blocked_by"}
    for title, key in named.items():
        value = found.get(key)
        if value:
            lines.append(
                f"{title}: {', '.join(map(str, cast('list[Any]', value))) if isinstance(value, list) else value}"
            )
    return "\n".join(lines)


def listed_tasks(result: Result, _args: dict[str, Any]) -> str:
    if not result.ok:
        return failed(result.text)
    lines: list[str] = []
    for one in _items(result):
        blocked = cast("list[Any]", one.get("blocked_by") or [])
        wait = f" [blocked by {', '.join(f'#{other}' for other in blocked)}]" if blocked else ""
        owner = f" ({one['owner']})" if one.get("owner") else ""
        lines.append(f"#{one.get('id', '')} [{one.get('status', '')}] {one.get('step', '')}{owner}{wait}")
    return "\n".join(lines) or "No tasks found"


def task_output(result: Result, args: dict[str, Any]) -> str:
    """Five tags, apart by blank lines."""
    if "status" not in result.meta:
        return failed(result.text)
    status = str(result.meta.get("status", "running"))
    running = status == "running"
    parts = {
        "retrieval_status": "not_ready" if running else "complete",
        "task_id": args.get("task_id", ""),
        "task_type": "local_agent" if result.meta.get("agent") else "local_bash",
        "status": "running" if running else "completed",
    }
    tags = [f"<{name}>{value}</{name}>" for name, value in parts.items()]
    if result.exit_code is not None:
        tags.append(f"<exit_code>{result.exit_code}</exit_code>")
    return "\n\n".join([*tags, f"<output>\n{result.text.strip()}\n</output>"])


def stopped(result: Result, args: dict[str, Any]) -> str:
    if not result.ok:
        return failed(result.text)
    told = {
        "message": f"Successfully stopped task: {args.get('task_id', '')}",
        "task_id": args.get("task_id", ""),
        "task_type": "local_agent" if result.meta.get("agent") else "local_bash",
        "command": result.meta.get("command", ""),
    }
    return json.dumps(told, ensure_ascii=False)

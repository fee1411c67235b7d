"""Results in the words that DeepSeek models know from their terminal agent: JSON for lists, a diff for changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any, cast

from harnesses.wording import ends, error_kind, middle_out, numbered, rows, with_note
from oi_tui.protocol.calls import Result

Render = Callable[[Result, dict[str, Any]], str]

HEAD, TAIL = 22_000, 8_000  # characters of an output
READ_LINES, READ_MOST, READ_CHARACTERS = 200, 500, 16 * 1024
NOTHING = "(no output)"


def pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def failed(result: Result, args: dict[str, Any]) -> str:
    """What keeps a call from being carried out."""
    if result.rejected:
        return f"BLOCKED: {result.text or 'the person declined this call.'}"
    if error_kind(result) == "outside":
        path = args.get("path") or args.get("cwd") or ""
        return f"Error: Path escapes workspace: {path} ({result.text})"
    return f"Error: {result.text or 'the call failed'}"


def undone(result: Result) -> bool:
    """Whether nothing came of a call. Code and jobs that failed are another matter: what went wrong is their own."""
    refused = bool(error_kind(result)) and not {"language", "job"} & result.meta.keys()
    return result.rejected or refused or bool(result.meta.get("not_run"))


def checked(render: Render) -> Render:
    """`render` for calls that were carried out; the others are told as errors."""
    return lambda result, args: failed(result, args) if undone(result) else render(result, args)


def text(result: Result, args: dict[str, Any]) -> str:
    """The result's own text."""
    if not result.ok:
        return failed(result, args)
    return with_note(result, result.text).strip("\n") or NOTHING


def shell(result: Result, args: dict[str, Any]) -> str:
    """Output, errors below it; what failed begins with its exit code."""
    if undone(result):
        return failed(result, args)
    if result.meta.get("status") == "running":
        return f"Background task started: {result.meta.get('job', '')}" if args.get("background") else _still(result)
    out, err = _bounded(result), _errors(result)
    if result.timed_out:
        began = f"Command timed out after {(result.timeout_s or 0) * 1000:g}ms; process killed."
        hint = "Give it more timeout_ms, or run it with background and wait for it with exec_shell_wait."
        return f"{began}\n{hint}\n\nSTDOUT:\n{out}\n\nSTDERR:\n{err}"
    if result.interrupted:
        return f"Command was stopped by the person.\n\nSTDOUT:\n{out}\n\nSTDERR:\n{err}"
    if not result.ok:
        code = "None" if result.exit_code is None else f"Some({result.exit_code})"
        return f"Command failed (exit code: {code})\n\nSTDOUT:\n{out}\n\nSTDERR:\n{err}"
    shown = "\n\nSTDERR:\n".join((out, err)) if err else out
    return with_note(result, shown).strip("\n") or NOTHING


def _errors(result: Result) -> str:
    return middle_out(str(result.meta.get("stderr") or "").rstrip("\n"), HEAD + TAIL, _gap, HEAD / (HEAD + TAIL))


def _gap(cut: int) -> str:
    return f"\n[Output truncated: {cut} characters left out]\n[Output tail]\n"


def _bounded(result: Result) -> str:
    long = ends(result, HEAD, TAIL)
    if long is None:
        return result.text.rstrip("\n")
    head, tail, cut = long
    path = result.meta.get("output_path") or result.path
    where = f"; all of it is in {path}" if path else ""
    return f"{head}\n[Output truncated: {cut} characters left out{where}]\n[Output tail]\n{tail}".rstrip("\n")


def _still(result: Result) -> str:
    return f"{_bounded(result) or NOTHING}\n\n[task {result.meta.get('job', '')} is running]"


def job(result: Result, args: dict[str, Any]) -> str:
    """What a task in the background has printed, and whether it runs."""
    if undone(result):
        return failed(result, args)
    if result.meta.get("status") == "running":
        return _still(result)
    code = "" if result.exit_code is None else f", exit code {result.exit_code}"
    return f"{_bounded(result) or NOTHING}\n\n[task {result.meta.get('job', '')} {result.meta.get('status')}{code}]"


def stopped(result: Result, args: dict[str, Any]) -> str:
    ids = cast("list[str]", result.meta.get("stopped", []))
    if undone(result):
        return failed(result, args)
    return f"Cancelled: {', '.join(ids)}" if ids else "Nothing was running."


def gate(result: Result, args: dict[str, Any]) -> str:
    """A check that was run: whether it passed, and what it printed."""
    if undone(result):
        return failed(result, args)
    facts = {"gate": args.get("gate"), "command": args.get("command"), "passed": result.ok}
    facts |= {"exit_code": result.exit_code, "timed_out": result.timed_out, "output": _bounded(result)}
    return pretty(facts)


def read(result: Result, args: dict[str, Any]) -> str:
    """A short file as it is; of a longer one a numbered part that says where to go on."""
    if not result.ok:
        return failed(result, args)
    if result.meta.get("kind", "text") != "text":
        return result.text or f"The picture {args.get('path', '')}."
    first, total = int(result.meta.get("first", 1)), int(result.meta.get("total", 0))
    lines = result.text.removesuffix("\n").split("\n") if result.text else []
    if first == 1 and len(lines) >= total and len(result.text) <= READ_CHARACTERS:
        return result.text or "[NO CONTENT]"
    room, shown = READ_CHARACTERS, 0
    while shown < len(lines) and (shown == 0 or room >= len(lines[shown]) + 1):
        room -= len(lines[shown]) + 1
        shown += 1
    last = first + shown - 1
    more = last < total
    head = f'<file path="{args.get("path", "")}" total_lines="{total}" shown_lines="{first}-{last}"'
    head += f' truncated="{str(more).lower()}"' + (f' next_start_line="{last + 1}"' if more else "") + ">"
    if not lines:
        return f'<file path="{args.get("path", "")}" total_lines="{total}">\n[NO CONTENT]\n</file>'
    part = Result(True, "\n".join(lines[:shown]) + "\n", meta={"first": first})
    rest = [f"[TRUNCATED] {total - last} more lines; read on with start_line={last + 1}"] if more else []
    return "\n".join([head, numbered(part, lambda number, line: f"{number:6d}│ {line}"), *rest, "</file>"])


def changed(said: Callable[[Result, dict[str, Any]], str]) -> Render:
    """A diff and a sentence."""

    def render(result: Result, args: dict[str, Any]) -> str:
        if not result.ok:
            return failed(result, args)
        diff = str(result.meta.get("diff", "")).rstrip("\n")
        return "\n\n".join(part for part in (diff, said(result, args)) if part)

    return render


def wrote(result: Result, args: dict[str, Any]) -> str:
    path, size = args.get("path", ""), result.meta.get("bytes", 0)
    return f"Created {path} ({size} bytes)" if result.meta.get("created") else f"Wrote {size} bytes to {path}"


def replaced(result: Result, args: dict[str, Any]) -> str:
    return f"Replaced {result.meta.get('replaced', 1)} occurrence in {args.get('path', '')}"


def patched(result: Result, _args: dict[str, Any]) -> str:
    return f"Applied:\n{result.text.strip()}"


def listed(result: Result, _args: dict[str, Any]) -> str:
    items = cast("list[dict[str, Any]]", result.meta.get("items", []))
    return pretty([{"name": one.get("path", ""), "is_dir": one.get("kind") == "folder"} for one in items])


def found_text(result: Result, args: dict[str, Any]) -> str:
    """Matches with the lines around them."""
    most = int(args.get("max_results") or 100)
    matches: list[dict[str, Any]] = []
    before: list[tuple[str, int, str]] = []
    for path, line, content, match in rows(result):
        if match:
            near = [kept for file, number, kept in before if file == path and number >= line - _around(args)]
            matches.append({"file": path, "line_number": line, "line": content, "context_before": near})
            matches[-1]["context_after"] = []
            before = []
            continue
        last = matches[-1] if matches else None
        if last and last["file"] == path and line <= last["line_number"] + _around(args):
            last["context_after"].append(content)
        before.append((path, line, content))
    shown = matches[:most]
    more = bool(result.meta.get("more")) or len(matches) > most
    return pretty({"matches": shown, "total_matches": len(matches), "truncated": more})


def _around(args: dict[str, Any]) -> int:
    return int(args.get("context_lines", 2))


def found_files(result: Result, args: dict[str, Any]) -> str:
    unwanted = cast("list[str]", args.get("exclude") or [])
    paths = cast("list[str]", result.meta.get("paths", []))
    kept = [one for one in paths if not any(fnmatchcase(one, glob) or glob in one.split("/") for glob in unwanted)]
    most = min(int(args.get("limit") or 20), 200)
    more = len(kept) > most or bool(result.meta.get("more"))
    return pretty({"query": args.get("query", ""), "matches": kept[:most], "truncated": more})


def checklist(result: Result, args: dict[str, Any]) -> str:
    """The list with how much of it is done."""
    steps = cast("list[dict[str, Any]]", result.meta.get("items", []))
    items = [
        {"id": _number(one.get("id")), "content": one.get("step", ""), "status": one.get("status", "")} for one in steps
    ]
    done = _percent(steps)
    running = next((one["id"] for one in items if one["status"] == "in_progress"), None)
    told = pretty({"items": items, "completion_pct": done, "in_progress_id": running})
    if "id" in args:
        return f"Updated todo #{args['id']} to {args.get('status', '')}\n{told}"
    return f"Todo list updated ({len(items)} items, {done}% complete)\n{told}"


def plan(result: Result, args: dict[str, Any]) -> str:
    steps = cast("list[dict[str, Any]]", result.meta.get("items", []))
    count = cast("dict[str, int]", result.meta.get("plan", {}))
    told = ", ".join(f"{count.get(key, 0)} {key.replace('_', ' ')}" for key in ("pending", "in_progress", "completed"))
    items = [{"step": one.get("step", ""), "status": one.get("status", "")} for one in steps]
    shown = pretty({"explanation": args.get("explanation"), "items": items})
    return f"Plan updated: {told} ({_percent(steps)}% done)\n{shown}"


def _percent(steps: list[dict[str, Any]]) -> int:
    done = sum(one.get("status") == "completed" for one in steps)
    return round(100 * done / len(steps)) if steps else 0


def _number(id: Any) -> Any:
    return int(str(id)) if str(id).isdecimal() else id


def agent(result: Result, _args: dict[str, Any]) -> str:
    """An agent that was started."""
    return pretty({"agent_id": result.meta.get("agent", ""), "status": result.meta.get("status", "running")})


def jobs(result: Result, _args: dict[str, Any]) -> str:
    kept = ("job", "status", "command", "exit_code")
    found = cast("list[dict[str, Any]]", result.meta.get("jobs", []))
    return pretty([{("task_id" if key == "job" else key): one.get(key) for key in kept} for one in found])


def searched(result: Result, args: dict[str, Any]) -> str:
    found = cast("list[dict[str, Any]]", result.meta.get("results", []))
    return pretty({"query": args.get("query") or args.get("search_query"), "count": len(found), "results": found})


def asked(result: Result, _args: dict[str, Any]) -> str:
    return pretty({"answers": result.meta.get("answers", {})})


def looked_up(result: Result, _args: dict[str, Any]) -> str:
    names = cast("list[str]", result.meta.get("found", []))
    return pretty({"tool_references": [{"type": "tool_reference", "tool_name": one} for one in names]})

"""Results for Kimi models: what came out, a sentence on it, and whether it went well, in the words of both harnesses.

`kimi-code` shows the output and a `<system>` line only where there is something to say; `kimi-cli` always puts the
sentence in front, as a part of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from harnesses.arguments import MISFIT
from harnesses.wording import MARGIN, ends, error_kind, grep_lines, plural
from oi_tui.protocol.calls import Result

OUTPUT = 50_000  # characters of a command's output, and of any other result
ASKED = OUTPUT + MARGIN  # characters of a command's output that the executor is asked for
COLUMNS = 2000  # characters of a line
LINES, READ_BYTES = 1000, 100 * 1024  # of a file, at once
_CUT = "[...truncated]"
_FAILED = "Tool execution failed."
_EMPTY = "Tool output is empty."
_TRUNCATED = "Output is truncated to fit in the message."

Render = Callable[[Result, dict[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Told:
    """A result. note: the sentence on it. foot: it says what the output does not show."""

    output: str = ""
    note: str = ""
    ok: bool = True
    foot: bool = False


def as_code(told: Told) -> str:
    """In the words of kimi-code."""
    output, note = told.output, told.note
    if not told.ok:
        if not output.strip() and not note:
            return f"<system>ERROR: {_FAILED} {_EMPTY}</system>"
        return "\n".join(part for part in (f"<system>ERROR: {_FAILED}</system>", output.rstrip("\n"), note) if part)
    if told.foot and note:
        return f"{output.rstrip(chr(10))}\n<system>{note}</system>" if output else f"<system>{note}</system>"
    return output if output.strip() else note or f"<system>{_EMPTY}</system>"


def as_cli(told: Told) -> str:
    """In the words of kimi-cli: the note, then the output; `WirePolicy.tool_content` makes parts of them."""
    note = told.note or ("Done." if told.output.strip() else _EMPTY)
    head = f"<system>{note}</system>" if told.ok else f"<system>ERROR: {note}</system>"
    return f"{head}\n{told.output}" if told.output.strip() else head


def failed(result: Result) -> Told:
    """A call that was not done, in the executor's own words."""
    return Told("", result.text or result.note or _FAILED, ok=False)


def corrected(result: Result, begin: str) -> Result:
    """A result about arguments that do not fit, which then begins with `begin`."""
    fits = not (result.meta.get("not_run") and result.text.startswith(MISFIT))
    return result if fits else replace(result, text=begin + result.text.removeprefix(MISFIT))


def plain(result: Result, _args: dict[str, Any]) -> Told:
    """The result's own text."""
    if not result.ok:
        return failed(result)
    return Told(result.text.strip("\n"), result.note or "", foot=bool(result.note))


def command(result: Result, _args: dict[str, Any]) -> Told:
    """A command that has ended, or was stopped."""
    if result.rejected or result.meta.get("not_run") or (error_kind(result) and result.exit_code is None):
        return failed(result)
    output, truncated = shortened(result)
    more = [_TRUNCATED] if truncated else []
    if result.note:
        more.append(result.note[0].upper() + result.note[1:] + ".")
    if result.timed_out:
        return Told(output, " ".join([f"Command killed by timeout ({result.timeout_s or 0:g}s)", *more]), ok=False)
    if result.interrupted:
        return Told(output, " ".join(["The person interrupted this command.", *more]), ok=False)
    if not result.ok:
        return Told(output, " ".join([f"Command failed with exit code: {result.exit_code}.", *more]), ok=False)
    return Told(output, " ".join(["Command executed successfully.", *more]), foot=bool(more))


def bash(result: Result, args: dict[str, Any]) -> Told:
    """A command of kimi-code, which says otherwise that one failed without a word."""
    told = command(result, args)
    if not told.ok and not told.output and told.note.startswith("Command failed"):
        return Told("", f"Process exited with code {result.exit_code}", ok=False)
    return told


def shortened(result: Result) -> tuple[str, bool]:
    """The output with both ends of what is too long, its lines too, and where all of it lies."""
    found = ends(result, OUTPUT // 2, OUTPUT // 2)
    text = result.text if found is None else f"{found[0]}\n{_CUT}\n{found[1]}"
    lines = [line if len(line) <= COLUMNS else line[:COLUMNS] + _CUT for line in text.split("\n")]
    shown = "\n".join(lines).rstrip("\n")
    truncated = shown != result.text.rstrip("\n")
    if result.path and truncated:
        size = int(result.meta.get("printed") or len(result.text) + result.cut)
        shown += "\n\n" + labels(
            "[Full output saved]",
            output_path=result.path,
            output_size_chars=size,
            next_step="Read the file at output_path for the rest.",
        )
    return shown, truncated


def labels(title: str = "", /, **values: Any) -> str:
    """`name: value` lines; a list gives a line each; empty ones are left out."""
    lines = [title] if title else []
    for name, value in values.items():
        for one in cast("list[Any]", value) if isinstance(value, list) else [value]:
            if one not in (None, ""):
                lines.append(f"{name}: {str(one).lower() if isinstance(one, bool) else one}")
    return "\n".join(lines)


def read(result: Result, args: dict[str, Any], form: str = "{}\t{}") -> Told:
    """Lines of a file, each as `form` with number and text, and where they stand in it."""
    if not result.ok:
        if error_kind(result) == "end":
            total = result.meta.get("total", 0)
            return Told("", f"No lines read from file. Total lines in file: {total}. End of file reached.", foot=True)
        return failed(result)
    if result.meta.get("kind", "text") != "text":
        return plain(result, {})
    first, total = int(result.meta.get("first", 1)), int(result.meta.get("total", 0))
    wanted = min(int(args.get("n_lines") or LINES), LINES)
    lines, cut = _lines(result, first, form)
    full = first - 1 + len(lines) < total and len(lines) < wanted
    told = [f"{plural(len(lines), 'line')} read from file starting from line {first}."]
    if not lines:
        told = ["No lines read from file."]
    told.append(f"Total lines in file: {total}.")
    if full:
        told.append(f"Max {READ_BYTES} bytes reached.")
    elif first - 1 + len(lines) >= total:
        told.append("End of file reached.")
    elif len(lines) >= LINES:
        told.append(f"Max {LINES} lines reached.")
    if cut:
        told.append(f"Lines {cut} were truncated.")
    return Told("\n".join(lines), " ".join(told), foot=True)


def _lines(result: Result, first: int, form: str) -> tuple[list[str], list[int]]:
    """The lines as they are shown, as many as there is room for, and the numbers of those that were cut."""
    texts = result.text.split("\n")
    if texts and not texts[-1]:
        texts.pop()
    made: list[str] = []
    cut: list[int] = []
    size = 0
    for number, text in enumerate(texts, first):
        long = len(text) > COLUMNS
        text = text[:COLUMNS] + "..." if long else text
        size += len(text.encode("utf-8", "replace")) + 1
        if made and size > READ_BYTES:
            break
        if long:
            cut.append(number)
        made.append(form.format(number, text))
    return made, cut


def written(result: Result, args: dict[str, Any]) -> Told:
    if error_kind(result) == "unchanged":  # what was wanted is there
        return Told("", f"{args.get('path', '')} already has exactly this content.")
    if not result.ok:
        return failed(result)
    verb = "Appended" if args.get("mode") == "append" else "Wrote"
    return Told("", f"{verb} {result.meta.get('bytes', 0)} bytes to {args.get('path', '')}")


def edited(result: Result, args: dict[str, Any]) -> Told:
    """A replacement, or why there was none."""
    path = args.get("path", "")
    match error_kind(result):
        case "no_match":
            return Told("", f"old_string was not found in {path}. Read the file to see its exact text.", ok=False)
        case "ambiguous":
            count = result.meta.get("count", "several")
            more = "Give more of the text around it, or set replace_all."
            return Told("", f"old_string is not unique in {path}: it was found {count} times. {more}", ok=False)
        case "unchanged":
            return Told("", "old_string and new_string are identical: there is nothing to change.", ok=False)
        case _:
            pass
    if not result.ok:
        return failed(result)
    return Told("", f"Replaced {plural(int(result.meta.get('replaced', 1)), 'occurrence')} in {path}")


def found_files(result: Result, _args: dict[str, Any]) -> Told:
    if not result.ok:
        return failed(result)
    paths = cast("list[str]", result.meta.get("paths", []))
    if not paths:
        return Told("", "No matches found")
    note = f"Found {plural(len(paths), 'match', 'matches')}."
    if result.meta.get("more"):
        note = f"Only the first {len(paths)} matches are shown. Use a more specific pattern."
    return Told("\n".join(paths), note, foot=bool(result.meta.get("more")))


def found_text(result: Result, args: dict[str, Any]) -> Told:
    if not result.ok:
        return failed(result)
    mode = result.meta.get("mode", "files")
    known = ("only the first", "no match")  # are said in other words
    notes = [one for one in (result.note or "").split("; ") if one and not one.startswith(known)]
    count = int(result.meta.get("hits", 0))
    files = int(result.meta.get("files", 0))
    if mode == "counts":
        counts = cast("list[tuple[str, int]]", result.meta.get("counts", []))
        text = "\n".join(f"{path}:{number}" for path, number in counts)
        notes.insert(0, f"Found {plural(count, 'total occurrence')} across {plural(files, 'file')}.")
    elif mode == "lines":
        text = grep_lines(result, bool(args.get("-n", True)))
    else:
        text = "\n".join(cast("list[str]", result.meta.get("paths", [])))
    if not text:
        return Told("", ". ".join(["No matches found", *notes]))
    if result.meta.get("more"):
        limit = int(args.get("head_limit", 250))
        after = int(args.get("offset") or 0) + limit
        notes.append(f"Results truncated to {limit} lines. Use offset={after} to see more.")
    return Told(text, " ".join(notes), foot=bool(notes))


def saved(name: str, stored: dict[str, Any], text: str) -> str:
    """A result that was too long, of which a file has the whole: where it lies, and its beginning."""
    facts = labels(
        tool_name=name,
        tool_call_id=stored.get("call_id", ""),
        output_size_chars=stored.get("characters"),
        output_size_bytes=stored.get("bytes"),
        output_path=stored.get("path"),
        next_step="Read the file at output_path, a part at a time, for what you need of the rest.",
    )
    return f"{facts}\n\n[preview]\n{text[:2000]}"


def answered(result: Result, _args: dict[str, Any]) -> Told:
    if not result.ok:
        return failed(result)
    answers = cast("dict[str, list[str]]", result.meta.get("answers", {}))
    told = {question: ", ".join(said) for question, said in answers.items()}
    return Told(json.dumps({"answers": told}, ensure_ascii=False), "The person has answered.")

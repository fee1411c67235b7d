"""Results in the words of `native`: the status first, so that a silent failure cannot look like success."""

from __future__ import annotations

import json
from typing import Any, cast

from harnesses.wording import ends, error_kind, middle_out
from oi_tui.protocol.calls import Result

TOKEN = 4  # characters, about
MOST_TOKENS = 10_000  # of one output, where the model asks for no other number


def observe_code(result: Result) -> str:
    """Status first, so that a silent failure cannot look like success (exit code, time-out, interrupt), then output."""
    lines: list[str] = []
    if result.rejected:
        return result.text or "The person declined this call."
    if result.meta.get("not_run"):
        return result.text
    if result.note:
        lines.append(result.note)
    if result.timed_out:
        lines.append(f"The code was stopped after {result.timeout_s:g} s.")
    if result.interrupted:
        lines.append("The person interrupted this code.")
    if result.exit_code is not None:
        lines.append(f"Exit code: {result.exit_code}")
    elif not result.ok and not result.interrupted and not result.timed_out:
        lines.append("The code failed.")
    lines.append(f"Output:\n{result.text}" if result.text.strip() else "No output.")
    return "\n".join(lines)


def observe_tool(result: Result) -> str:
    """The text of a tool, with its note; failures and refusals say so themselves."""
    return "\n".join(part for part in (result.note, result.text) if part) or ("Done." if result.ok else "Failed.")


def observe_file(result: Result) -> str:
    """A note in brackets if there is one, then the lines, each as `NUMBER<TAB>text`, as `search_files` counts them."""
    first = result.meta.get("first")
    lines = result.text.split("\n")
    if first is None:
        return observe_tool(result)
    if lines and not lines[-1]:
        lines.pop()
    note = [f"[{result.note}]"] if result.note else []
    return "\n".join([*note, *(f"{number}\t{line}" for number, line in enumerate(lines, first))])


def command(result: Result, args: dict[str, Any]) -> str:
    """A command or what it printed since: time, end or session, size of the output, the output."""
    if result.rejected:
        return "exec command rejected by user" + (f": {result.note}" if result.note else "")
    if result.meta.get("not_run") or (error_kind(result) and result.exit_code is None):
        return result.text
    if result.interrupted:
        return f"Wall time: {result.seconds:.1f} seconds\naborted by user" + (f"\n{result.text}" if result.text else "")
    job = result.meta.get("job")
    lines = [f"Wall time: {result.seconds:.4f} seconds"]
    if job is not None and result.meta.get("status") == "running":
        lines.append(f"Process running with session ID {job}")
    elif result.timed_out:
        lines.append(f"command timed out after {1000 * (result.timeout_s or 0):.0f} milliseconds")
    elif result.exit_code is not None:
        lines.append(f"Process exited with code {result.exit_code}")
    printed = int(result.meta.get("printed") or len(result.text) + result.cut)
    if printed:
        lines.append(f"Original token count: {-(-printed // TOKEN)}")
    if result.note:
        lines.append(result.note)
    return "\n".join([*lines, "Output:", shortened(result, TOKEN * int(args.get("max_output_tokens") or MOST_TOKENS))])


def shortened(result: Result, limit: int) -> str:
    """The output within `limit` characters: both ends, and how many tokens are missing between."""
    found = ends(result, limit // 2, limit - limit // 2)
    if found is None:
        return middle_out(result.text, limit, _missing)
    head, tail, missing = found
    where = f" (all of it: {result.path})" if result.path else ""
    return f"{head}{_missing(missing)}{where}{tail}"


def _missing(characters: int) -> str:
    return f"\u2026{-(-characters // TOKEN)} tokens truncated\u2026"


def patched(result: Result, _args: dict[str, Any]) -> str:
    if result.rejected:
        return "patch rejected by user" + (f": {result.note}" if result.note else "")
    if not result.ok:
        return f"apply_patch verification failed: {result.text}"
    note = f"\n{result.note}" if result.note else ""
    return f"Success. Updated the following files:\n{result.text}{note}"


def answers(result: Result, args: dict[str, Any]) -> str:
    """The person's answers by the id of their question."""
    if not result.ok:
        return result.text
    said = cast("dict[str, list[str]]", result.meta.get("answers", {}))
    told = {
        str(one.get("id", one["question"])): {"answers": said.get(one["question"], [])} for one in args["questions"]
    }
    return json.dumps({"answers": told}, ensure_ascii=False)


def spawned(result: Result, _args: dict[str, Any]) -> str:
    if not result.ok:
        return result.text
    return json.dumps({"agent_id": result.meta.get("agent", "")})


def waited(result: Result, args: dict[str, Any]) -> str:
    """How an agent stands, and its last words once it ended."""
    if error_kind(result) == "missing":
        return json.dumps({"status": {args.get("target", ""): "not_found"}, "timed_out": False})
    running = result.meta.get("status") == "running"
    state: Any = "running" if running else {"completed" if result.ok else "errored": result.text}
    return json.dumps({"status": {args.get("target", ""): state}, "timed_out": running}, ensure_ascii=False)

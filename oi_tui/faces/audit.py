"""`oi audit`: what ran on this machine, who allowed it, under what policy."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from oi_tui.faces.usage import UsageParser


def main(argv: Sequence[str]) -> int:
    """Print the record, oldest first. Exit code 0, also when there is nothing; 2 for wrong usage."""
    parser = UsageParser(
        "oi audit", description="What ran, who allowed it, under what policy; oldest first.", allow_abbrev=False
    )
    parser.add_argument("--last", type=int, default=50, metavar="N", help="the newest N, 50 if left out; 0 for all")
    parser.add_argument("--all", action="store_true", help="of every folder, not only this one")
    parser.add_argument("--session", metavar="ID", default="", help="of one session: an id or its beginning")
    parser.add_argument("--refused", action="store_true", help="only what was declined or denied")
    parser.add_argument("--json", action="store_true", help="the whole record, one JSON object a line")
    parsed = parser.parse_args(list(argv))
    from oi_tui.session import audit

    here = str(Path.cwd())
    found = [
        one
        for one in audit.read()
        if (parsed.session or parsed.all or one.get("folder") == here)
        and str(one["session"]).startswith(parsed.session)
        and (not parsed.refused or one.get("decided") in {"declined", "denied"})
    ]
    for one in found[-parsed.last :] if parsed.last > 0 else found:
        sys.stdout.write((json.dumps(one, ensure_ascii=False) if parsed.json else told(one)) + "\n")
    if not found:
        more = "" if parsed.all or parsed.session else " in this folder; --all shows every folder"
        sys.stderr.write(f"nothing is recorded{more}\n")
    return 0


def told(one: dict[str, Any]) -> str:
    """One record for a person: when and what, then who decided under which mode, then what came of it."""
    when = str(one.get("time", ""))[:19].replace("T", " ")
    text = " ".join(str(one.get("text", "")).split())
    text = text if len(text) <= 100 else text[:99] + "…"
    what = str(one.get("language") or one.get("tool") or one.get("executor", ""))
    by = f"{one.get('decided', '')}: {one.get('by', '')}; mode {one.get('mode', '')}, {one.get('where', '')}".rstrip(
        ", "
    )
    lines = [f"{when}  {what}  {text or one.get('what', '')}", f"    {by}"]
    lines += [f"    wrote the rule: {rule}" for rule in one.get("rules", ())]
    if one.get("scan"):
        lines.append(f"    safe mode: {one['scan']}")
    if "ok" in one:
        lines.append(f"    {one.get('summary') or ('ok' if one['ok'] else 'failed')} after {one.get('seconds', 0):g} s")
    elif one.get("decided") in {"allowed", "approved"}:
        lines.append("    its end is not recorded")
    return "\n".join(_plain(line) for line in lines)


def _plain(text: str) -> str:
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)

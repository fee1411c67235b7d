"""`oi hooks`: programs that run at points of a session: list them, trust them, switch them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from oi_tui.faces.usage import UsageParser


def main(argv: Sequence[str]) -> int:
    """Run one action. Exit code 0; 1 if it cannot be done; 2 for wrong usage."""
    parser = UsageParser(
        "oi hooks",
        description="Programs that run at points of a session. None runs before you trust it as it stands.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "action", nargs="?", choices=("list", "trust", "on", "off"), default="list", help="list if left out"
    )
    parser.add_argument("which", nargs="?", default="", help="its number in the list, or all")
    parser.add_argument("--json", action="store_true", help="print the bare data")
    parsed = parser.parse_args(list(argv))
    from oi_tui.commands.hooks import decide, listing
    from oi_tui.extensions.hooks import found
    from oi_tui.session.hooks import by_a_person
    from oi_tui.session.skills import Skills
    from oi_tui.settings import load

    settings, cwd = load().settings, str(Path.cwd())
    skills = Skills(settings, cwd)
    every = found(cwd, skills.root, skills.trust == "trusted", settings.hooks)
    if parsed.action == "list":
        print(json.dumps([asdict(one) for one in every], indent=1) if parsed.json else listing(every).replace("**", ""))
        return 0
    try:
        by_a_person(True)
        print(decide(every, f"{parsed.action} {parsed.which}"))
    except (ValueError, OSError) as error:
        sys.stderr.write(f"oi hooks: {error}\n")
        return 1
    return 0

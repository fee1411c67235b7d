"""`oi skills`: the skills that are here, one of them in full, a new one, on and off."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from oi_tui import paths
from oi_tui.faces.usage import UsageParser
from oi_tui.session.skills import Skills


def main(argv: Sequence[str]) -> int:
    """Run `oi skills ARGV`. Exit code 0 done, 1 failed, 2 wrong usage."""
    parsed = _parser().parse_args(list(argv))
    skills = _skills(parsed.trust, parsed.folder)
    try:
        match parsed.action:
            case "list":
                return _as_json(skills) if parsed.json else _list(skills, brief=parsed.names)
            case "show":
                return _show(skills, parsed.name)
            case "new":
                return _new(skills, parsed.name, parsed.description, parsed.project)
            case "trust":
                return _trust(skills, parsed.decision)
            case action:
                switched = skills.switch(parsed.name, action == "on")
                why = f", but {switched.why}" if action == "on" and not switched.usable else ""
                sys.stdout.write(f"{switched.name} is {action}{why}\n")
                return 0
    except (ValueError, OSError) as error:
        sys.stderr.write(f"oi skills: {error}\n".replace("/skills lists them", "oi skills list shows them"))
        return 1


def _parser() -> UsageParser:
    parser = UsageParser(
        "oi skills",
        description="The skills of this folder: instructions for kinds of tasks that a model reads when they fit.",
        allow_abbrev=False,
    )
    parser.add_argument("--trust", action="store_true", help="count this folder as trusted, for this command")
    parser.add_argument("--folder", default="", metavar="PATH", help="of that folder instead of this one")
    actions = parser.add_subparsers(dest="action", metavar="list | show NAME | new NAME | on NAME | off NAME | trust")
    listed = actions.add_parser("list", help="what there is, and why some is not used (the default)")
    listed.add_argument("--names", action="store_true", help="only the names of those that are used, one a line")
    listed.add_argument("--json", action="store_true", help="those that are used, with what they say, as JSON")
    actions.add_parser("show", help="one skill in full").add_argument("name", metavar="NAME")
    new = actions.add_parser("new", help="make NAME/SKILL.md to fill in, in ~/.openinterpreter/skills")
    new.add_argument("name", metavar="NAME", help="small letters, digits and hyphens")
    new.add_argument("--description", default="", metavar="TEXT", help="what it is for, and when to use it, in a line")
    new.add_argument("--project", action="store_true", help="in .agents/skills of this project instead")
    for word, text in (("on", "use one again"), ("off", "use one no longer")):
        actions.add_parser(word, help=text).add_argument("name", metavar="NAME")
    trust = actions.add_parser("trust", help="whether what this folder brings is used: yes, no, forget")
    trust.add_argument("decision", nargs="?", choices=("yes", "no", "forget"))
    parser.set_defaults(action="list", names=False, json=False)
    return parser


def _skills(trusted: bool, folder: str) -> Skills:
    from oi_tui import settings

    loaded = settings.load({"trust": True} if trusted else {})
    for problem in loaded.problems:
        sys.stderr.write(f"oi skills: {problem.text}\n")
    return Skills(loaded.settings, str(Path(folder).resolve() if folder else Path.cwd()))


def _list(skills: Skills, *, brief: bool) -> int:
    known = skills.all()
    wide = min(24, max((len(one.name) for one in known), default=0))
    for one in known:
        if one.usable:
            sys.stdout.write(f"{one.name}\n" if brief else f"{one.name:{wide}}  {one.scope:8}  {one.description}\n")
    others = [] if brief else [one for one in known if not one.usable]
    if others:
        sys.stdout.write("\nnot used:\n")
    for one in others:
        sys.stdout.write(f"{one.name:{wide}}  {one.path}\n{'':{wide}}  {_hinted(one.why)}\n")
    return 0


def _as_json(skills: Skills) -> int:
    """For programs, such as the Python kernel: objects with name, description, scope, path, text."""
    import json

    from oi_tui.commands.skills import body

    told = [
        {"name": one.name, "description": one.description, "scope": one.scope, "path": one.path, "text": body(one)}
        for one in skills.usable()
    ]
    sys.stdout.write(json.dumps(told, ensure_ascii=True) + "\n")
    return 0


def _hinted(why: str) -> str:
    """The reason with the commands of this face in it."""
    return why.replace("/skills on", "oi skills on").replace("/trust shows what that means", "see oi skills trust")


def _show(skills: Skills, name: str) -> int:
    from oi_tui.commands.skills import body

    one = skills.find(name)
    if one is None:
        raise ValueError(f"there is no skill {name!r}; /skills lists them")
    sys.stdout.write(f"{one.name} ({one.scope}): {one.description}\n{one.path}\n")
    if not one.usable:
        sys.stdout.write(f"not used: {_hinted(one.why)}\n")
    sys.stdout.write(f"\n{body(one)}\n")
    return 0


def _new(skills: Skills, name: str, description: str, project: bool) -> int:
    from oi_tui.extensions.skill_files import create

    folder = Path(skills.root) / ".agents/skills" if project else paths.home() / "skills"
    known = skills.find(name)
    description = description or f"Say here in one line what {name.strip()} is for and when to use it."
    file = create(folder, name, description)
    sys.stdout.write(f"{file}\n")
    if project and skills.trust != "trusted":
        sys.stderr.write("this folder is not trusted: oi skills trust yes makes its skills used\n")
    elif known is not None:
        made = skills.find(str(file))
        taken = made is None or not made.usable
        sys.stderr.write(f"{known.path} has this name, too, and goes {'first' if taken else 'after it'}\n")
    return 0


def _trust(skills: Skills, decision: str | None) -> int:
    from oi_tui.commands.skills import STATES

    if decision is not None:
        skills.decide(STATES[decision])
    named = ", ".join(skills.brought()) or "none"
    sys.stdout.write(f"{skills.root}: {skills.trust}; skills that it brings: {named}\n")
    return 0

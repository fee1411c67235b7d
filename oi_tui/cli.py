"""argv -> settings -> one face. Imports nothing heavy before it knows which face."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from oi_tui import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from oi_tui.settings import Loaded

_COMMANDS: dict[str, str] = {
    "exec": "run one task without a screen: the answer on stdout, progress on stderr",
    "resume": "go on with an earlier session",
    "fork": "go on in a copy of an earlier session",
    "sessions": "earlier sessions: list, rename, export, rm",
    "audit": "what ran, who allowed it, under what policy",
    "models": "the built-in model: list, pull, rm",
    "harness": "how models are prompted: list, show ID, test ID",
    "skills": "instructions for kinds of tasks: list, show, new, on, off, trust",
}

# Flags with a value that only one command has.
_OWN_VALUED = {"--output-last-message", "-o", "--image", "-i", "--resume", "--timeout", "--answer", "--live"}

# (flags, dotted setting, what its value is called, help); without a value it is a switch that sets True
_SETTING_FLAGS: tuple[tuple[tuple[str, ...], str, str, str], ...] = (
    (("--model", "-m"), "model", "NAME", "model to use: gpt-4o, ollama/qwen3, embedded, a .gguf file"),
    (("--fallbacks",), "llm.fallbacks", "NAMES", "models to go on with while it cannot answer: groq/x,embedded"),
    (("--api_base", "-ab"), "llm.api_base", "URL", "base URL of the model server"),
    (("--api_key", "-ak"), "llm.api_key", "KEY", "key for the model server; better: its environment variable"),
    (("--api_version", "-av"), "llm.api_version", "DATE", "version of the server's API, as Azure wants it"),
    (("--wire",), "llm.wire_api", "WIRE", "wire format of --api_base: chat, messages or responses"),
    (("--harness",), "harness", "ID", "prompting strategy: auto, native, claude-code, …; /harness lists all"),
    (("--approval",), "approval_policy", "MODE", "what runs unasked: read-only, ask, auto-edit, auto, full"),
    (("--auto_run", "-y"), "auto_run", "", "run code without asking; the same as --approval auto"),
    (("--safe_mode", "-safe"), "safe_mode", "MODE", "off, ask or auto: no code runs unasked, not even with -y"),
    (("--plan",), "plan_mode", "", "begin in plan mode: nothing is changed before you agree to the plan"),
    (("--no-plan",), "plan_mode", "", "leave the plan mode of the session that is resumed"),
    (("--temperature", "-t"), "llm.temperature", "N", "sampling temperature"),
    (("--effort",), "llm.reasoning_effort", "LEVEL", "how hard the model is to think: none, low, medium, high, max"),
    (("--max_tokens", "-x"), "llm.max_tokens", "N", "most tokens of one answer"),
    (("--context_window", "-cw"), "llm.context_window", "N", "window of the model in tokens"),
    (("--max_budget", "-b"), "max_budget", "USD", "most US dollars of this session"),
    (("--max_output", "-xo"), "max_output", "N", "characters of output that the model sees"),
    (("--block_timeout",), "block_timeout", "S", "seconds that one block of code may run, 0 for any"),
    (("--max_turns",), "max_turns", "N", "most steps of one turn"),
    (("--custom_instructions", "-ci"), "custom_instructions", "TEXT", "text added to the system prompt"),
    (("--system_message", "-sm"), "system_message", "TEXT", "text that replaces the system prompt"),
    (("--backend",), "backend", "PLACE", "where code runs: local, jupyter, docker:IMAGE, podman, e2b, https://SERVER"),
    (("--python",), "python", "FILE", "Python interpreter that runs code"),
    (("--trust",), "trust", "", "use what this folder brings along (skills), for this run"),
    (("--theme",), "theme.name", "NAME", "colour theme of the app"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `oi` with these arguments and return its exit code: 0 done, 1 failed, 2 usage, 3 refused, 130 interrupted."""
    args = list(sys.argv[1:] if argv is None else argv)
    if args and args[0] in {"--version", "-V"}:
        print(f"oi {__version__}")
        return 0
    try:
        return _face(args)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 1


def _face(args: list[str]) -> int:
    args = command_first(args)
    command = args[0] if args else ""
    if command == "audit":
        from oi_tui.faces.audit import main as audit

        _cwd()
        return audit(args[1:])
    if command == "models":
        from oi_tui.faces.models import main as models

        return models(args[1:])
    if command == "sessions":
        from oi_tui.faces.sessions import main as sessions

        return sessions(args[1:])
    _cwd()
    if command == "skills":
        from oi_tui.faces.skills import main as skills

        return skills(args[1:])
    if command == "exec":
        return _exec(args[1:])
    if command == "harness":
        return _harness(args[1:])
    return _app(args)


def command_first(args: list[str]) -> list[str]:
    """`args` with a command that stands behind settings (`-m NAME exec …`) put before them."""
    valued = {flag for flags, _, value, _ in _SETTING_FLAGS if value for flag in flags} | {"-c"} | _OWN_VALUED
    at = 0
    while at < len(args) and args[at].startswith("-") and args[at] not in {"-", "--"}:
        at += 2 if args[at] in valued else 1
    named = at < len(args) and args[at] in _COMMANDS
    return [args[at], *args[:at], *args[at + 1 :]] if named else args


def _exec(args: list[str]) -> int:
    parser = _parser("oi exec", "Run one task without a screen. The answer goes to stdout, progress to stderr.")
    parser.add_argument("prompt", nargs="*", help="what to do; - reads it, or what belongs to it, from stdin")
    parser.add_argument("--json", action="store_true", help="print events on stdout, one JSON object a line")
    parser.add_argument("--output-last-message", "-o", metavar="FILE", help="write the answer to FILE as well")
    parser.add_argument("--image", "-i", action="append", metavar="FILE", help="picture for the task; may be repeated")
    parser.add_argument("--resume", metavar="ID", help="go on with an earlier session")
    parser.add_argument("--timeout", type=_seconds, metavar="S", help="stop after S seconds")
    parsed = parser.parse_args(args)
    loaded = _load(parser, parsed)
    from oi_tui.faces import exec as face

    return face.main(
        loaded,
        parsed.prompt,
        as_json=parsed.json,
        last_message=parsed.output_last_message or "",
        images=parsed.image or (),
        resume=parsed.resume or "",
        timeout=parsed.timeout,
    )


def _harness(args: list[str]) -> int:
    from oi_tui.faces import harness as face

    about = "How models are prompted: what there is, what one is, and whether one of your own holds together."
    parser = _parser("oi harness", about)
    parser.usage, parser.epilog = "oi harness list | show ID | test ID [settings]", face.EPILOG
    parser.add_argument("action", nargs="?", choices=("list", "show", "test"), default="list", help="list if left out")
    parser.add_argument("id", nargs="?", default="", help="a harness")
    parser.add_argument("--json", action="store_true", help="print the bare data")
    parser.add_argument("--answer", default="", metavar="FILE", help="test: read the text of an answer, - for stdin")
    parser.add_argument("--live", default="", metavar="TEXT", help="test: ask the model this, run nothing")
    parsed = parser.parse_args(args)
    loaded = _load(parser, parsed)
    return face.main(loaded, parsed.action, parsed.id, as_json=parsed.json, answer=parsed.answer, live=parsed.live)


def _app(args: list[str]) -> int:
    parser = _parser("oi", "Say it in plain words, see the code, press y, it runs here.", _COMMANDS)
    revisiting = args[0] if args and args[0] in {"resume", "fork"} else ""
    if revisiting:
        args = args[1:]
        parser.add_argument("--last", action="store_true", help="the newest session of this folder")
    said = f"session to {revisiting}: id, its beginning or title; none: choose" if revisiting else "first message"
    parser.add_argument("message", nargs="*", help=said)
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument("--plain", "-pl", action="store_true", help="lines of text instead of the full screen")
    parsed = parser.parse_args(args)
    if parsed.version:
        print(f"oi {__version__}")
        return 0
    loaded = _load(parser, parsed)
    plain = parsed.plain or not _full_screen_fits()
    saved, message = None, " ".join(parsed.message)
    if revisiting and not (message or parsed.last or plain or revisiting == "fork"):
        message = "/sessions"
    elif revisiting:
        from oi_tui.session import shelf, store

        try:
            saved = store.find("" if parsed.last else message, _cwd())
            saved = shelf.fork(saved.id, saved) if revisiting == "fork" else saved
        except (store.SessionNotFound, OSError) as error:
            return complain(f"{error}: see oi sessions", 1)
        message = ""
    if plain:
        from oi_tui.faces.plain import main as plain_face

        return plain_face(loaded, message, saved)
    from oi_tui.app.launch import main as full_screen

    return full_screen(loaded, message, saved)


def _parser(prog: str, description: str, commands: dict[str, str] | None = None) -> ArgumentParser:
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    class Parser(ArgumentParser):
        """Says the nearest flag when one is unknown."""

        def error(self, message: str) -> None:  # type: ignore[override]
            unknown = [
                word for word in message.partition("unrecognized arguments: ")[2].split() if word.startswith("-")
            ]
            if unknown:
                from difflib import get_close_matches

                flag = unknown[0].partition("=")[0]
                near = get_close_matches(flag, list(self._option_string_actions), 1, 0.5)
                message = f"unknown flag {flag}" + (f"; did you mean {near[0]}?" if near else "")
            self.exit(complain(f"{message}\nsee {self.prog} --help", 2))

    listed = "\n".join(f"  {name:<10} {text}" for name, text in (commands or {}).items())
    parser = Parser(
        prog=prog,
        usage=f"{prog} [settings] [{'prompt' if prog.endswith('exec') else 'message'} ...]",
        description=description,
        allow_abbrev=False,
        formatter_class=RawDescriptionHelpFormatter,
        epilog=f"commands (each has --help):\n{listed}" if listed else None,
    )
    group = parser.add_argument_group("settings")
    for flags, key, value, text in _SETTING_FLAGS:
        if not value:
            group.add_argument(*flags, dest=key, action="store_const", const=flags[0][:5] != "--no-", help=text)
        else:
            group.add_argument(*flags, dest=key, metavar=value, help=text)
    group.add_argument(
        "-c", dest="assignments", action="append", metavar="KEY=VALUE", help="any setting of config.toml"
    )
    return parser


def _load(parser: ArgumentParser, parsed: Namespace) -> Loaded:
    from oi_tui import settings

    flags = {key: value for _, key, _, _ in _SETTING_FLAGS if (value := getattr(parsed, key)) is not None}
    if flags.get("model") == "":
        parser.error("--model is empty; give a name, such as gpt-4o or embedded")
    for text in parsed.assignments or ():
        try:
            key, value = settings.parse_assignment(text)
        except ValueError as error:
            parser.error(str(error))
        flags[key] = value
    loaded = settings.load(flags)
    _check_harness(loaded)
    _check_tables(loaded)
    _check_trust(loaded)
    fatal = next((problem for problem in loaded.problems if problem.fatal), None)
    if fatal is not None:
        parser.error(f"{fatal.text}" + (f"; {fatal.hint}" if fatal.hint else ""))
    return loaded


def _seconds(text: str) -> float:
    from argparse import ArgumentTypeError

    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def _check_harness(loaded: Loaded) -> None:
    """A name that no harness has is a problem like any other wrong value."""
    import harnesses
    from oi_tui.settings import Problem

    known = {"", "auto", *harnesses.ids()}
    there_are = f"there are auto, {', '.join(harnesses.ids())}"
    wanted, origin = loaded.settings.harness, loaded.origins.get("harness", "")
    if wanted not in known:
        text = f"{origin}: there is no harness {wanted!r}; {there_are}"
        loaded.problems.append(Problem(text, fatal=origin == "command line"))
        loaded.settings.harness = "auto"
    by_model = loaded.settings.model_harnesses
    for model in [one for one, wanted in by_model.items() if str(wanted) not in known]:
        origin = loaded.origins.get("model_harnesses", "")
        text = f"{origin}: model_harnesses: {model}: there is no harness {by_model.pop(model)!r}; {there_are}"
        loaded.problems.append(Problem(text, "/harness chooses another one"))


def _check_tables(loaded: Loaded) -> None:
    """The person's own tables about models and providers: what cannot be used is told, and the rest of them holds."""
    given = loaded.settings
    if not (given.models or given.model_providers):
        return
    from oi_tui.models.own_tables import faults
    from oi_tui.settings import COMMAND_LINE, Problem, place_of

    for fault in faults(given.models, given.model_providers):
        place = place_of(loaded, fault.path)
        loaded.problems.append(Problem(f"{place}: {fault}", fault.hint, fatal=place == COMMAND_LINE))


def _check_trust(loaded: Loaded) -> None:
    """A folder of the table `projects` whose level is none is not trusted, and that is told."""
    if loaded.settings.projects:
        from oi_tui.safety.trust import problems
        from oi_tui.settings import Problem

        told = "until then the folder is not trusted"
        loaded.problems += [Problem(text, told) for text in problems(loaded.settings.projects)]


def _full_screen_fits() -> bool:
    """Whether both ends are a terminal that can move its cursor."""
    import os

    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in {"", "dumb"}


def _cwd() -> str:
    from pathlib import Path

    try:
        return str(Path.cwd())
    except FileNotFoundError:
        raise SystemExit(complain("the current folder no longer exists; cd to another one", 2)) from None


def complain(text: str, code: int) -> int:
    """Print one problem on stderr and return the exit code."""
    sys.stderr.write(f"oi: {text}\n")
    return code

"""argv -> settings -> one face. Imports nothing heavy before it knows which face."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from oi_tui import __version__, flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from oi_tui.session.store import Saved
    from oi_tui.settings import Loaded

_COMMANDS: dict[str, str] = {
    "exec": "run one task without a screen: the answer on stdout, progress on stderr",
    "resume": "go on with an earlier session",
    "fork": "go on in a copy of an earlier session",
    "sessions": "earlier sessions: list, search, rename, export, rm",
    "sandbox": "run a command in the sandbox that code gets: oi sandbox -- CMD",
    "doctor": "what works here, found out by trying: model, languages, sandbox, terminal",
    "config": "settings and where they come from: list, get, set, unset, path",
    "audit": "what ran, who allowed it, under what policy",
    "login": "store the key of a model provider; --status: which have one",
    "logout": "delete a stored key",
    "models": "the built-in model: list, pull, rm",
    "harness": "how models are prompted: list, show ID, test ID",
    "hooks": "programs that run at points of a session: list, trust, on, off",
    "skills": "instructions for kinds of tasks: list, show, new, on, off, trust",
    "profiles": "sets of settings for --profile: list, show, reset, import those of classic versions",
    "wtf": "explain the last command of the shell that failed, and mend it",
}

# Flags with a value that only one command has.
_OWN_VALUED = {"--output-last-message", "-o", "--image", "-i", "--resume", "--timeout", "--answer", "--live"}


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
    args = command_first(flags.renamed(args))
    command = args[0] if args else ""
    if command == "audit":
        from oi_tui.faces.audit import main as audit

        _cwd()
        return audit(args[1:])
    if command in {"login", "logout"}:
        from oi_tui.faces import login as keys

        return (keys.login if command == "login" else keys.logout)(args[1:])
    if command == "models":
        from oi_tui.faces.models import main as models

        return models(args[1:])
    if args[:2] == ["sessions", "resume"]:
        args = args[1:]
    if command == "sessions" and args[0] == command:
        from oi_tui.faces.sessions import main as sessions

        return sessions(args[1:])
    _cwd()
    if command == "profiles":
        from oi_tui.faces.profiles import main as profiles

        return profiles(args[1:])
    if command == "config":
        from oi_tui.faces.config import main as config

        return config(args[1:])
    if command == "wtf":
        return _wtf(args[1:])
    if command == "hooks":
        from oi_tui.faces.hooks import main as hooks

        return hooks(args[1:])
    if command == "skills":
        from oi_tui.faces.skills import main as skills

        return skills(args[1:])
    if command == "exec":
        return _exec(args[1:])
    if command == "harness":
        return _harness(args[1:])
    if command in {"sandbox", "doctor"}:
        from oi_tui.faces import doctor, sandbox

        return (sandbox if command == "sandbox" else doctor).from_words(args[1:], flags.parser, _load)
    return _app(args)


def command_first(args: list[str]) -> list[str]:
    """`args` with a command that stands behind settings (`-m NAME exec …`) put before them."""
    valued = flags.valued() | {"-c"} | _OWN_VALUED
    at = 0
    while at < len(args) and args[at].startswith("-") and args[at] not in {"-", "--"}:
        at += 2 if args[at] in valued else 1
    named = at < len(args) and args[at] in _COMMANDS
    return [args[at], *args[:at], *args[at + 1 :]] if named else args


def _exec(args: list[str]) -> int:
    parser = flags.parser("oi exec", "Run one task without a screen. The answer goes to stdout, progress to stderr.")
    parser.add_argument("prompt", nargs="*", help="what to do; - reads it, or what belongs to it, from stdin")
    parser.add_argument("--json", action="store_true", help="print events on stdout, one JSON object a line")
    parser.add_argument("--output-last-message", "-o", metavar="FILE", help="write the answer to FILE as well")
    parser.add_argument("--image", "-i", action="append", metavar="FILE", help="picture for the task; may be repeated")
    parser.add_argument("--resume", metavar="ID", help="go on with an earlier session")
    parser.add_argument("--timeout", type=_seconds, metavar="S", help="stop after S seconds")
    parsed = parser.parse_intermixed_args(args)
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
    parser = flags.parser("oi harness", about)
    parser.usage, parser.epilog = "oi harness list | show ID | test ID [settings]", face.EPILOG
    parser.add_argument("action", nargs="?", choices=("list", "show", "test"), default="list", help="list if left out")
    parser.add_argument("id", nargs="?", default="", help="a harness")
    parser.add_argument("--json", action="store_true", help="print the bare data")
    parser.add_argument("--answer", default="", metavar="FILE", help="test: read the text of an answer, - for stdin")
    parser.add_argument("--live", default="", metavar="TEXT", help="test: ask the model this, run nothing")
    parsed = parser.parse_args(args)
    loaded = _load(parser, parsed)
    return face.main(loaded, parsed.action, parsed.id, as_json=parsed.json, answer=parsed.answer, live=parsed.live)


def _wtf(args: list[str]) -> int:
    from oi_tui.faces import wtf as face

    parser = flags.parser("oi wtf", "Explains the last command of the shell that failed, and offers what mends it.")
    parser.usage = "oi wtf [settings] [question ...]"
    parser.add_argument("question", nargs="*", help="what you want to know instead")
    parser.add_argument("--clipboard", action="store_true", help="explain what was copied")
    parsed = parser.parse_intermixed_args(args)
    return face.main(_load(parser, parsed), " ".join(parsed.question), clipboard=parsed.clipboard)


def main_wtf() -> int:
    """The command `wtf`."""
    return main(["wtf", *sys.argv[1:]])


def _app(args: list[str]) -> int:
    parser = flags.parser("oi", "Say it in plain words, see the code, press y, it runs here.", _COMMANDS)
    revisiting = args[0] if args and args[0] in {"resume", "fork"} else ""
    if revisiting:
        args = args[1:]
        parser.add_argument("--last", action="store_true", help="the newest session of this folder")
    said = f"session to {revisiting}: id, its beginning or title; none: choose" if revisiting else "first message"
    parser.add_argument("message", nargs="*", help=said)
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument("--stdin", "-s", action="store_true", help="the message is what standard input holds; --plain")
    parser.add_argument("--web", action="store_true", help="show the app in a browser on this machine (extra web)")
    parser.add_argument("--web_port", type=int, default=0, metavar="N", help="--web: port; a free one if left out")
    parser.add_argument("--web_host", default="127.0.0.1", metavar="ADDRESS", help="--web: address to listen on")
    parser.add_argument("--web_anywhere", action="store_true", help="--web: other machines may come in, unencrypted")
    parser.add_argument("--served", action="store_true", help=_argparse_hidden())
    parser.add_argument("--conversations", action="store_true", help="choose an earlier conversation to go on with")
    parser.add_argument("--profiles", action="store_true", help="open the folder of profiles")
    parser.add_argument("--local_models", action="store_true", help="open the folder of the built-in model")
    parser.add_argument(
        "--reset_profile", nargs="?", const="default", metavar="NAME", help="put a built-in profile back as it came"
    )
    parsed = parser.parse_intermixed_args(args)
    done = _errand(parsed)
    if done is not None:
        return done
    loaded = _load(parser, parsed)
    if parsed.web:
        return _web([revisiting, *args] if revisiting else args, parsed)
    plain = not parsed.served and (loaded.settings.plain_text_display or parsed.stdin or not _full_screen_fits())
    saved, message = None, " ".join(parsed.message)
    if revisiting and not (message or parsed.last or plain or revisiting == "fork"):
        message = "/sessions"
    elif revisiting:
        from oi_tui.session import shelf

        try:
            saved = _earlier("" if parsed.last else message)
            saved = shelf.fork(saved.id, saved) if revisiting == "fork" else saved
        except (LookupError, ValueError, OSError) as error:
            return complain(f"{error}: see oi sessions", 1)
        message = ""
    elif parsed.conversations:
        from oi_tui.faces.conversations import choose

        saved = choose()
        if saved is None:
            return 0
    if loaded.settings.profile in {"local", "local-os", "local-assistant"} and not _local(loaded):
        return 130
    if plain:
        from oi_tui.faces.plain import main as plain_face

        return plain_face(loaded, message, saved)
    from oi_tui.app.launch import main as full_screen

    return full_screen(loaded, message, saved, served=parsed.served)


def _argparse_hidden() -> str:
    from argparse import SUPPRESS

    return SUPPRESS


def _web(args: list[str], parsed: Namespace) -> int:
    """Serve the app to a browser; each page runs one with the other arguments."""
    own: list[str] = []
    words = iter(args)
    for word in words:
        name, given, _ = word.partition("=")
        if name in {"--web_port", "--web_host"} and not given:
            next(words, None)
        elif name not in {"--web", "--web_anywhere", "--web_port", "--web_host"}:
            own.append(word)
    try:
        from oi_tui.app.web_server import Refused, serve
    except ImportError:
        return complain("--web needs textual-serve: pip install 'oi-tui[web]'", 1)
    try:
        return serve(own, parsed.web_host, parsed.web_port, parsed.web_anywhere)
    except Refused as error:
        return complain(str(error), 2)


def _earlier(reference: str) -> Saved:
    """The session that is meant, or the JSON file of a program or a classic version, as a session. Raises
    SessionNotFound, ValueError."""
    from oi_tui.session.store import SessionNotFound, find

    try:
        return find(reference, _cwd())
    except SessionNotFound:
        from oi_tui.faces.conversations import classic, opened

        file = classic(reference)
        if file is None:
            raise
        return opened(file)


def _errand(parsed: Namespace) -> int | None:
    """What is done without a conversation; None if nothing of the kind is wanted."""
    if parsed.version:
        print(f"oi {__version__}")
        return 0
    if parsed.profiles or parsed.reset_profile or parsed.local_models:
        from oi_tui.faces import profiles

        if parsed.reset_profile:
            return profiles.reset(parsed.reset_profile)
        return profiles.open_folder("models" if parsed.local_models else "profiles")
    return None


def _local(loaded: Loaded) -> bool:
    """Let the person choose among the models of this machine, unless one is named. False if they leave."""
    if loaded.settings.model or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    from oi_tui.faces.local import choose

    return choose(loaded.settings)


def _load(parser: ArgumentParser, parsed: Namespace) -> Loaded:
    from oi_tui import settings

    given = flags.given(parsed)
    if given.get("model") == "":
        parser.error("--model is empty; give a name, such as gpt-4o or embedded")
    for text in parsed.assignments or ():
        try:
            key, value = settings.parse_assignment(text)
        except ValueError as error:
            parser.error(str(error))
        given[key] = value
    from oi_tui.faces.profile_loading import reader

    loaded = settings.load(given, profile=reader(bool(given.get("trust"))))
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

    wanted, origin = loaded.settings.harness, loaded.origins.get("harness", "")
    known = {"", "auto", *harnesses.BUILT_IN}
    if {wanted, *map(str, loaded.settings.model_harnesses.values())} <= known:
        return  # those of packages are looked for only where one is meant
    known = {*known, *harnesses.ids()}
    there_are = f"there are auto, {', '.join(harnesses.ids())}"
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

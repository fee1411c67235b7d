"""The flags that set something, long and short, those of classic Open Interpreter among them, and their parser."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any, NoReturn

# (flags, dotted setting, what its value is called, help); without a value it is a switch: one that begins with --no
# sets False
SETTINGS: tuple[tuple[tuple[str, ...], str, str, str], ...] = (
    (("--model", "-m"), "model", "NAME", "model to use: gpt-4o, ollama/qwen3, embedded, a .gguf file"),
    (
        ("--profile", "-p"),
        "profile",
        "NAME",
        "settings of a profile: a name (oi profiles lists them), a file, an address",
    ),
    (("--fallbacks",), "llm.fallbacks", "NAMES", "models to go on with while it cannot answer: groq/x,embedded"),
    (("--api_base", "-ab"), "llm.api_base", "URL", "base URL of the model server"),
    (("--api_key", "-ak"), "llm.api_key", "KEY", "key for the model server; better: its environment variable"),
    (("--api_version", "-av"), "llm.api_version", "DATE", "version of the server's API, as Azure wants it"),
    (("--wire",), "llm.wire_api", "WIRE", "wire format of --api_base: chat, messages or responses"),
    (("--harness",), "harness", "ID", "prompting strategy: auto, native, claude-code, …; /harness lists all"),
    (("--approval",), "approval_policy", "MODE", "what runs unasked: read-only, ask, auto-edit, auto, full"),
    (("--auto_run", "-y"), "auto_run", "", "run code without asking; the same as --approval auto"),
    (("--sandbox",), "sandbox.mode", "MODE", "auto, on, read-only, workspace-write; off: code has all your rights"),
    (("--safe_mode", "-safe"), "safe_mode", "MODE", "off, ask or auto: no code runs unasked, not even with -y"),
    (("--plan",), "plan_mode", "", "begin in plan mode: nothing is changed before you agree to the plan"),
    (("--no-plan",), "plan_mode", "", "leave the plan mode of the session that is resumed"),
    (("--temperature", "-t"), "llm.temperature", "N", "sampling temperature"),
    (("--effort",), "llm.reasoning_effort", "LEVEL", "how hard the model is to think: none, low, medium, high, max"),
    (("--max_tokens", "-x"), "llm.max_tokens", "N", "most tokens of one answer"),
    (("--context_window", "-cw"), "llm.context_window", "N", "window of the model in tokens"),
    (("--llm_supports_vision", "-lsv"), "llm.supports_vision", "", "the model sees pictures, whatever is known of it"),
    (("--no-llm_supports_vision",), "llm.supports_vision", "", "it does not"),
    (("--llm_supports_functions", "-lsf"), "llm.supports_functions", "", "the model is offered tools"),
    (("--no-llm_supports_functions",), "llm.supports_functions", "", "it writes code in fences instead"),
    (("--max_budget", "-b"), "max_budget", "USD", "most US dollars of this session"),
    (("--max_output", "-xo"), "max_output", "N", "characters of output that the model sees"),
    (("--block_timeout",), "block_timeout", "S", "seconds that one block of code may run, 0 for any"),
    (("--max_turns",), "max_turns", "N", "most steps of one turn"),
    (("--loop",), "loop", "", "prompt the model to go on until it says that the task is done"),
    (("--custom_instructions", "-ci"), "custom_instructions", "TEXT", "text added to the system prompt"),
    (("--system_message", "-sm"), "system_message", "TEXT", "text that replaces the system prompt"),
    (("--offline", "-o"), "offline", "", "ask only models of this machine, fetch no pages; code may still do so"),
    (("--os", "-os"), "os_mode", "", "the model works screen, mouse and keyboard"),
    (("--backend",), "backend", "PLACE", "where code runs: local, jupyter, docker:IMAGE, podman, e2b, https://SERVER"),
    (("--python",), "python", "FILE", "Python interpreter that runs code"),
    (("--trust",), "trust", "", "use what this folder brings along (skills), for this run"),
    (("--theme",), "theme.name", "NAME", "colour theme of the app"),
    (("--no_highlight_active_line", "-nhl"), "highlight_active_line", "", "do not light the line that runs"),
    (("--speak_messages", "-sp"), "speak_messages", "", "read answers aloud"),
    (("--multi_line", "-ml"), "multi_line", "", 'in plain mode, """ begins and ends a message of several lines'),
    (("--plain", "-pl"), "plain_text_display", "", "lines of text instead of the full screen"),
    (("--verbose", "-v", "--debug", "-debug"), "verbose", "", "keep what is sent to the model in a file of logs/"),
    (("--disable_telemetry", "-dt"), "disable_telemetry", "", "accepted: there is no telemetry"),
    (("--contribute_conversation",), "contribute_conversation", "", "accepted: nothing is sent anywhere"),
)
# Profiles with a flag of their own; of several the last of this list wins.
SHORTCUTS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("--fast", "-f"), "fast", "a small quick model that does not talk"),
    (("--vision", "-vi"), "vision", "a model that sees, told to look at pictures"),
    (("--local", "-l"), "local", "a model of this machine: of a server that runs, or the built-in one"),
    (("--codestral",), "codestral", "Codestral on Ollama"),
    (("--assistant",), "assistant", "an assistant for everything, that runs code unasked and goes on by itself"),
    (("--llama3",), "llama3", "Llama 3 on Ollama"),
    (("--groq",), "groq", "a fast model of Groq"),
)
# Of a shortcut together with --vision or --os.
_JOINED = {"vision": ("codestral", "llama3"), "os": ("local", "codestral", "llama3")}
# What earlier versions had, in today's words.
_RENAMED = {"--debug_mode": "--verbose"}
# Of --os alone, and of a server that is another program's.
_GONE = {
    "--server": "there is no HTTP server yet; programs use AsyncInterpreter of the package interpreter",
    "--voice": "there is no voice input; --speak_messages reads answers aloud",
}


def valued() -> set[str]:
    """The flags that are followed by a value."""
    return {flag for flags, _, value, _ in SETTINGS if value for flag in flags}


def renamed(args: list[str]) -> list[str]:
    """`args` with flags of earlier versions by their names of today."""
    return [_RENAMED.get(one, one) for one in args]


def parser(prog: str, description: str, commands: dict[str, str] | None = None) -> ArgumentParser:
    """A parser with all flags that set something. It ends the program with 2 and two lines for wrong usage."""
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    class Parser(ArgumentParser):
        """Says the nearest flag when one is unknown."""

        def error(self, message: str) -> NoReturn:
            sys.stderr.write(f"oi: {self._said(message)}\nsee {self.prog} --help\n")
            raise SystemExit(2)

        def _said(self, message: str) -> str:
            rest = message.partition("unrecognized arguments: ")[2].split()
            unknown = next((word for word in rest if word.startswith("-")), "")
            if not unknown:
                return message
            from difflib import get_close_matches

            flag = unknown.partition("=")[0]
            if flag in _GONE:
                return _GONE[flag]
            near = get_close_matches(flag, list(self._option_string_actions), 1, 0.5)
            return f"unknown flag {flag}" + (f"; did you mean {near[0]}?" if near else "; put a message in quotes")

    listed = "\n".join(f"  {name:<10} {text}" for name, text in (commands or {}).items())
    made = Parser(
        prog=prog,
        usage=f"{prog} [settings] [{'prompt' if prog.endswith('exec') else 'message'} ...]",
        description=description,
        allow_abbrev=False,
        formatter_class=RawDescriptionHelpFormatter,
        epilog=f"commands (each has --help):\n{listed}" if listed else None,
    )
    group = made.add_argument_group("settings")
    for flags, key, value, text in SETTINGS:
        if prog == "oi exec":  # its own -o came first
            flags = tuple(one for one in flags if one != "-o")
        if not value:
            const = not flags[0].startswith(("--no-", "--no_"))
            group.add_argument(*flags, dest=key, action="store_const", const=const, help=text)
        else:
            group.add_argument(*flags, dest=key, metavar=value, help=text)
    group.add_argument(
        "-c", dest="assignments", action="append", metavar="KEY=VALUE", help="any setting of config.toml"
    )
    group = made.add_argument_group("profiles by a flag")
    for flags, profile, text in SHORTCUTS:
        group.add_argument(*flags, dest=f"profile {profile}", action="store_true", help=text)
    return made


def given(parsed: Namespace) -> dict[str, Any]:
    """dotted setting -> value, of the flags that were given; strings as they were typed."""
    found = {key: value for _, key, _, _ in SETTINGS if (value := getattr(parsed, key)) is not None}
    wanted = [name for _, name, _ in SHORTCUTS if getattr(parsed, f"profile {name}")]
    if wanted and "profile" not in found:
        found["profile"] = _joined(wanted, bool(found.get("os_mode")))
    return found


def _joined(wanted: list[str], os_mode: bool) -> str:
    also = [one for one in ("vision", "os") if (one in wanted or (one == "os" and os_mode))]
    last = next((one for one in reversed(wanted) if one != "vision"), "vision")
    return next((f"{last}-{one}" for one in reversed(also) if last in _JOINED[one]), last)

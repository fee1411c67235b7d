"""One typed `Settings`, built in layers: defaults < config.toml < profile < environment < flags.

Every value remembers where it came from. A wrong value is reported with file, line and reason and the layer below it
stays in force; the program always starts.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from operator import attrgetter
from pathlib import Path
from typing import Any

from oi_tui import paths
from oi_tui.config_lines import line_of
from oi_tui.loop_words import LOOP_BREAKERS, LOOP_MESSAGE
from oi_tui.setting_sections import (
    EnvironmentSettings,
    LlmSettings,
    SandboxSettings,
    SkillSettings,
    ThemeSettings,
    TuiSettings,
    WebSettings,
    WtfSettings,
)
from oi_tui.setting_sections import (
    setting as _field,
)
from oi_tui.setting_values import convert

APPROVALS = ("read-only", "ask", "auto-edit", "auto", "full")
_ALIASES = {
    "llm.model": "model",
    "approval": "approval_policy",
    "env": "shell_environment_policy.inherit",
    "env.allow": "shell_environment_policy.allow",
    "llm.max_budget": "max_budget",
    "model_reasoning_effort": "llm.reasoning_effort",
    "model_reasoning_summary": "llm.reasoning_summary",
    "skills.bundled.enabled": "skills.bundled",
    "sandbox": "sandbox.mode",
    "sandbox_mode": "sandbox.mode",
    "sandbox_workspace_write.network_access": "sandbox.network",
    "sandbox_workspace_write.writable_roots": "sandbox.writable",
    "os": "os_mode",
    "debug": "verbose",
}


@dataclass(slots=True)
class Settings:
    """Everything a person can set. Dotted keys name nested values: `llm.temperature`."""

    model: str = _field("", "model to use, such as gpt-4o, ollama/qwen3, embedded; empty: what is found")
    model_provider: str = _field("", "id of a provider, built in or from model_providers")
    model_providers: dict[str, Any] = field(default_factory=dict, metadata={"help": "further providers by id"})
    models: dict[str, Any] = field(default_factory=dict, metadata={"help": "facts about models by name"})
    harness: str = _field("auto", "prompting strategy; auto: the model decides")
    model_harnesses: dict[str, Any] = field(
        default_factory=dict,
        metadata={"help": "harness by model, as /harness saves it; wins over harness in this file"},
    )
    harness_guidance: bool = _field(True, "extra advice on how to work, where the harness has some (kimi-cli)")
    approval_policy: str = _field("ask", "what runs unasked", choices=APPROVALS)
    plan_mode: bool | None = _field(
        None, "begin in plan mode: the model looks and plans, and changes nothing before you agree; empty: as it was"
    )
    auto_run: bool = _field(False, "run code unasked; the same as approval_policy = auto")
    safe_mode: str = _field(
        "off",
        "ask or auto: whatever approval_policy and auto_run say, no code runs unasked but plain reads; semgrep looks "
        "at all of it first (auto), or where you want it (ask)",
        choices=("off", "ask", "auto"),
    )
    safe_rules: str = _field(
        "",
        "more rules for semgrep besides the built-in ones: a file, a folder, or auto and p/NAME, which it fetches from "
        "its makers (auto tells them about your code)",
    )
    audit: bool = _field(True, "keep a record of what ran and who allowed it, for oi audit")
    max_output: int = _field(2800, "characters of a block's output that the model sees", least=200)
    block_timeout: float | None = _field(
        None, "seconds that one block may run, 0 for any; empty: any in the app, 600 without a screen", least=0
    )
    max_turns: int | None = _field(None, "most steps of one turn", least=1)
    max_budget: float | None = _field(None, "most US dollars of one session", least=0)
    max_retries_per_code_block: int = _field(3, "how often the same block may fail before the person is asked", least=1)
    custom_instructions: str = _field("", "text added to the system prompt")
    system_message: str = _field("", "text that replaces the system prompt")
    backend: str = _field(
        "", "where code runs: local, jupyter, http(s)://HOST:PORT/?token=..., docker[:IMAGE], podman[:IMAGE], e2b"
    )
    languages: list[str] = field(
        default_factory=lambda: list[str](),
        metadata={"help": "languages that code may be written in; empty: all that are here"},
    )
    python: str = _field("", "Python interpreter that runs code; empty: the active or the folder's environment")
    shell_environment_policy: EnvironmentSettings = field(default_factory=EnvironmentSettings)
    conversation_history: bool = _field(True, "save sessions")
    profile: str = _field("", "profile that is laid over config.toml: a name, a file or an address")
    offline: bool = _field(False, "ask no model beyond this machine and fetch no pages; code may still do so")
    loop: bool = _field(False, "prompt the model to go on until it says one of loop_breakers")
    loop_message: str = _field(LOOP_MESSAGE, "what the model is told to go on")
    loop_breakers: list[str] = field(
        default_factory=lambda: list(LOOP_BREAKERS), metadata={"help": "phrases that end the loop"}
    )
    verbose: bool = _field(False, "keep what is sent to the model in a file of logs/, and tell of each request")
    highlight_active_line: bool = _field(True, "light the line of code that runs")
    speak_messages: bool = _field(False, "read answers aloud, with the system's own voice")
    multi_line: bool = _field(True, 'in plain mode, three quotes (""") begin and end a message of several lines')
    plain_text_display: bool = _field(False, "lines of text instead of the full screen")
    os_mode: bool = _field(False, "the model works the screen, mouse and keyboard of this machine")
    os_screenshots: int = _field(10, "in OS mode: how many of the newest screenshots the model is sent", least=1)
    disable_telemetry: bool = _field(False, "accepted for old profiles: nothing is ever sent")
    contribute_conversation: bool = _field(False, "accepted for old profiles: nothing is ever sent")
    start_code: list[dict[str, Any]] = field(
        default_factory=lambda: list[dict[str, Any]](),
        metadata={"help": "code that runs before the first block of its language: tables with language and code"},
    )
    wtf: WtfSettings = field(default_factory=WtfSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    theme: ThemeSettings = field(default_factory=ThemeSettings)
    tui: TuiSettings = field(default_factory=TuiSettings)
    web: WebSettings = field(default_factory=WebSettings)
    skills: SkillSettings = field(default_factory=SkillSettings)
    hooks: dict[str, Any] = field(
        default_factory=dict, metadata={"help": "programs that run at points of a session: [[hooks.EVENT]]; /hooks"}
    )
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    trust: bool = _field(False, "trust what the folder brings along (skills), without being asked")
    projects: dict[str, Any] = field(
        default_factory=dict, metadata={"help": "trust_level of folders by path: trusted or untrusted"}
    )

    @property
    def approval(self) -> str:
        """The mode in force: auto_run makes it auto unless it is read-only or full; safe_mode wins over both."""
        mode = "auto" if self.auto_run and self.approval_policy in {"ask", "auto-edit"} else self.approval_policy
        return "ask" if self.safe_mode != "off" and mode in {"auto", "full"} else mode


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a layer: what, where, and what to do."""

    text: str
    hint: str = ""
    fatal: bool = False


@dataclass(slots=True)
class Loaded:
    """Settings with their story. origins: dotted key -> layer, for keys that are not at their default."""

    settings: Settings
    problems: list[Problem]
    origins: dict[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """One value of a profile: dotted key, value, and the line that it stands in, 0 where there is none."""

    key: str
    value: Any
    line: int = 0


@dataclass(frozen=True, slots=True)
class Layer:
    """What a profile sets. place: its file or address."""

    place: str
    rows: Sequence[Row] = ()
    problems: Sequence[Problem] = ()


_SECTIONS: dict[str, type[Any]] = {
    "llm": LlmSettings,
    "theme": ThemeSettings,
    "tui": TuiSettings,
    "web": WebSettings,
    "skills": SkillSettings,
    "sandbox": SandboxSettings,
    "wtf": WtfSettings,
    "shell_environment_policy": EnvironmentSettings,
}
_OPEN_TABLES = (
    "model_providers",
    "models",
    "model_harnesses",
    "llm.headers",
    "projects",
    "shell_environment_policy.set",
    "hooks",
)
_NO_VARIABLE = {*_OPEN_TABLES, "skills.config", "start_code"}
COMMAND_LINE = "command line"  # an origin


def keys() -> dict[str, Any]:
    """dotted key -> dataclass field, of every key there is."""
    found: dict[str, Any] = {}
    for one in fields(Settings):
        if one.name in _SECTIONS:
            section = _SECTIONS[one.name]
            found.update((f"{one.name}.{inner.name}", inner) for inner in fields(section))
        else:
            found[one.name] = one
    return found


def load(
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    profile: Callable[[str], Layer] | None = None,
) -> Loaded:
    """Read all layers. `flags`: dotted key -> value, strings are converted; `environ` defaults to os.environ.

    profile: reads the profile of a name, "" for the one that is used where none is named. Never raises: what is wrong
    is in `problems`, fatal where a flag is wrong.
    """
    loaded = Loaded(Settings(), [], {})
    _read_config(loaded, paths.config_file())
    flags = flags or {}
    environ = os.environ if environ is None else environ
    table = keys()
    if profile is not None:
        name = flags.get("profile") or environ.get("OI_PROFILE", "").strip() or loaded.settings.profile
        lay(loaded, profile(str(name)), fatal="profile" in flags)
    for key in table:
        name = "OI_" + key.replace(".", "_").upper()
        if key not in _NO_VARIABLE and environ.get(name, "").strip():
            _set(loaded, table, key, environ[name].strip(), name)
    for key, value in flags.items():
        opened = _opened(key, value)
        if opened is None:
            _set(loaded, table, key, value, COMMAND_LINE, fatal=True)
        else:
            _put(loaded, opened, value)
    if loaded.origins.get("harness") in {COMMAND_LINE, "OI_HARNESS"}:
        loaded.settings.model_harnesses = {}  # it is meant for this run, whatever was saved for a model
    return loaded


def lay(loaded: Loaded, layer: Layer, *, fatal: bool = False) -> None:
    """Set what a profile sets; what is wrong in it goes to `loaded.problems`, and the rest of it holds. fatal: it is
    wrong usage that a profile cannot be used at all."""
    loaded.problems += [replace(one, fatal=one.fatal and fatal) for one in layer.problems]
    table, name = keys(), Path(layer.place).name
    for row in layer.rows:
        value = row.value
        if row.key in _OPEN_TABLES and isinstance(value, dict):
            owner, _, last = f"settings.{row.key}".rpartition(".")
            value = {**getattr(attrgetter(owner)(loaded), last), **value}
        _set(loaded, table, row.key, value, f"{name}:{row.line}" if row.line else name, place=layer.place)


def _opened(key: str, value: Any) -> tuple[str, ...] | None:
    """The names that a dotted key below a table of a person's own stands for, None if it is no such key.

    The name of a model may hold dots and slashes; what is about it is one key, so the last dot parts them.
    """
    key = _ALIASES.get(key, key)
    opened = next((one for one in _OPEN_TABLES if key.startswith(f"{one}.")), "")
    if not key.removeprefix(f"{opened}.") or not opened:
        return None
    rest = key[len(opened) + 1 :]
    if opened == "model_providers":
        names = [quoted or bare for quoted, bare in re.findall(r"""[\"']([^\"']+)[\"']|([^.\"']+)""", rest)]
    elif opened == "models" and not isinstance(value, dict):
        names = list(filter(None, rest.rpartition(".")[::2]))
    else:
        names = [rest]
    return (*opened.split("."), *(name.strip().strip("\"'") for name in names))


def _put(loaded: Loaded, names: tuple[str, ...], value: Any) -> None:
    """Set one value in a table of a person's own; the rest of the table stays."""
    owner: Any = loaded.settings
    for name in names[:-1]:
        if not isinstance(owner, dict):
            owner = getattr(owner, name)
            continue
        if not isinstance(owner.get(name), dict):
            owner[name] = {}
        owner = owner[name]
    before = owner.get(names[-1])
    owner[names[-1]] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
    loaded.origins[".".join(names)] = COMMAND_LINE


def place_of(loaded: Loaded, names: tuple[str, ...]) -> str:
    """Where a value in a table of a person's own was given: the command line, or the file and, if found, the line."""
    given = {tuple(names[:count]) for count in range(1, len(names) + 1)}
    if any(".".join(one) in loaded.origins and loaded.origins[".".join(one)] == COMMAND_LINE for one in given):
        return COMMAND_LINE
    file = paths.config_file()
    line = line_of(file.read_bytes().decode("utf-8-sig", "replace"), names)
    return f"{file}:{line}" if line else str(file)


def _read_config(loaded: Loaded, file: Path) -> None:
    try:
        text = file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        loaded.problems.append(Problem(f"{file}: cannot be read: {error}", "the defaults are used"))
        return
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        loaded.problems.append(
            Problem(f"{file}: {_toml_reason(error, text)}", "correct that line; until then the defaults are used")
        )
        return
    table = keys()
    for key, value in flatten(data):
        line = line_of(text, tuple(key.split(".")))
        _set(loaded, table, key, value, f"{file.name}:{line}" if line else file.name, place=str(file))


def _toml_reason(error: tomllib.TOMLDecodeError, text: str) -> str:
    match = re.search(r"^(.*) \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
    if match is None:
        return str(error).lower()
    return f"line {match[2] or len(text.rstrip().splitlines())}: {match[1].lower()}"


def flatten(data: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Nested tables as dotted keys; a table of a person's own stays one value."""
    flat: list[tuple[str, Any]] = []
    for key, value in data.items():
        dotted = f"{prefix}{key}"
        if isinstance(value, dict) and dotted not in _OPEN_TABLES:
            flat.extend(flatten(value, f"{dotted}."))
        else:
            flat.append((dotted, value))
    return flat


def _set(
    loaded: Loaded, table: Mapping[str, Any], key: str, value: Any, layer: str, *, place: str = "", fatal: bool = False
) -> None:
    key = _ALIASES.get(key, key)
    where = f"{place}{layer.removeprefix(Path(place).name)}" if place else layer
    if key not in table:
        near = get_close_matches(key, table, 1, 0.6) or get_close_matches(key.rsplit(".", 1)[-1], table, 1, 0.6)
        hint = f"did you mean {near[0]}?" if near else "see oi --help for what can be set"
        loaded.problems.append(Problem(f"{where}: unknown setting {key}", hint, fatal))
        return
    try:
        converted = convert(table[key], value)
    except ValueError as error:
        loaded.problems.append(
            Problem(f"{where}: {key}: {error}", "" if fatal else "it stays as it was without this line", fatal)
        )
        return
    owner: Any = loaded.settings
    *sections, name = key.split(".")
    for section in sections:
        owner = getattr(owner, section)
    setattr(owner, name, converted)
    loaded.origins[key] = layer


def parse_assignment(text: str) -> tuple[str, Any]:
    """`key=value` of a -c flag: the value is TOML, else plain text. Raises ValueError without a `=`."""
    key, found, value = text.partition("=")
    if not found or not key.strip():
        raise ValueError(f"-c takes key=value, not {text!r}")
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value

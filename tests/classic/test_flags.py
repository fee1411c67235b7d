"""Every flag of classic Open Interpreter, long and short, with its default, and which layer wins."""

from __future__ import annotations

import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from oi_tui import flags, paths
from oi_tui.cli import main
from oi_tui.extensions import profiles
from oi_tui.faces.profile_loading import reader
from oi_tui.settings import Settings, load

# long, short, its value on the command line ("" for a switch), setting, what it becomes, default
FLAGS: list[tuple[str, str, str, str, Any, Any]] = [
    ("--profile", "-p", "fast", "profile", "fast", ""),
    ("--custom_instructions", "-ci", "be kind", "custom_instructions", "be kind", ""),
    ("--system_message", "-sm", "You are X.", "system_message", "You are X.", ""),
    ("--auto_run", "-y", "", "auto_run", True, False),
    ("--no_highlight_active_line", "-nhl", "", "highlight_active_line", False, True),
    ("--verbose", "-v", "", "verbose", True, False),
    ("--model", "-m", "gpt-4o", "model", "gpt-4o", ""),
    ("--temperature", "-t", "0.5", "llm.temperature", 0.5, None),
    ("--llm_supports_vision", "-lsv", "", "llm.supports_vision", True, None),
    ("--no-llm_supports_vision", "", "", "llm.supports_vision", False, None),
    ("--llm_supports_functions", "-lsf", "", "llm.supports_functions", True, None),
    ("--no-llm_supports_functions", "", "", "llm.supports_functions", False, None),
    ("--context_window", "-cw", "9000", "llm.context_window", 9000, None),
    ("--max_tokens", "-x", "100", "llm.max_tokens", 100, None),
    ("--max_budget", "-b", "1.5", "max_budget", 1.5, None),
    ("--api_base", "-ab", "http://127.0.0.1:1/v1", "llm.api_base", "http://127.0.0.1:1/v1", ""),
    ("--api_key", "-ak", "k", "llm.api_key", "k", ""),
    ("--api_version", "-av", "2024-10-21", "llm.api_version", "2024-10-21", ""),
    ("--max_output", "-xo", "900", "max_output", 900, 2800),
    ("--loop", "", "", "loop", True, False),
    ("--disable_telemetry", "-dt", "", "disable_telemetry", True, False),
    ("--offline", "-o", "", "offline", True, False),
    ("--speak_messages", "-sp", "", "speak_messages", True, False),
    ("--safe_mode", "-safe", "ask", "safe_mode", "ask", "off"),
    ("--debug", "-debug", "", "verbose", True, False),
    ("--fast", "-f", "", "profile", "fast", ""),
    ("--multi_line", "-ml", "", "multi_line", True, True),
    ("--local", "-l", "", "profile", "local", ""),
    ("--codestral", "", "", "profile", "codestral", ""),
    ("--assistant", "", "", "profile", "assistant", ""),
    ("--llama3", "", "", "profile", "llama3", ""),
    ("--groq", "", "", "profile", "groq", ""),
    ("--vision", "-vi", "", "profile", "vision", ""),
    ("--os", "-os", "", "os_mode", True, False),
    ("--contribute_conversation", "", "", "contribute_conversation", True, False),
    ("--plain", "-pl", "", "plain_text_display", True, False),
    ("--debug_mode", "", "", "verbose", True, False),
]


def given(*argv: str) -> dict[str, Any]:
    """The settings that a command line gives, as they were typed."""
    parser = flags.parser("oi", "")
    parser.add_argument("message", nargs="*")
    return flags.given(parser.parse_intermixed_args(flags.renamed(list(argv))))


@pytest.mark.parametrize("row", FLAGS, ids=lambda row: row[0])
def test_every_flag_sets_what_it_set(row: tuple[str, str, str, str, Any, Any]) -> None:
    long, short, value, key, wanted, default = row
    assert attrgetter(key)(Settings()) == default
    for flag in filter(None, (long, short)):
        typed = given(flag, *([value] if value else []))
        loaded = load(typed, {})
        assert not loaded.problems
        assert attrgetter(key)(loaded.settings) == wanted
        assert loaded.origins[key] == "command line"


def test_flags_that_do_an_errand_are_known(capsys: pytest.CaptureFixture[str], isolated: Path) -> None:
    assert main(["--version"]) == 0 and capsys.readouterr().out.startswith("oi ")
    assert main(["--profiles"]) == 0 and capsys.readouterr().out.strip() == str(profiles.folder())
    assert profiles.folder().is_dir()
    assert main(["--local_models"]) == 0 and capsys.readouterr().out.strip() == str(paths.models())
    assert main(["--conversations"]) == 0 and "no earlier conversations" in capsys.readouterr().err
    assert main(["--reset_profile"]) == 0 and (profiles.folder() / "default.yaml").is_file()
    assert main(["--reset_profile", "fast.yaml"]) == 0 and (profiles.folder() / "fast.yaml").is_file()
    (profiles.folder() / "fast.yaml").write_text("model: mine\n")
    assert main(["--reset_profile", "fast"]) == 0
    assert (profiles.folder() / "fast.yaml.bak").read_text() == "model: mine\n"
    assert main(["--reset_profile", "nothing"]) == 2


@pytest.mark.parametrize(
    ("argv", "profile"),
    [
        (["--fast", "--groq"], "groq"),
        (["--groq", "--fast"], "groq"),
        (["-f", "-l"], "local"),
        (["--codestral", "-vi"], "codestral-vision"),
        (["--codestral", "-os"], "codestral-os"),
        (["--llama3", "--vision"], "llama3-vision"),
        (["--llama3", "--os"], "llama3-os"),
        (["-l", "-os"], "local-os"),
        (["-f", "-p", "mine"], "mine"),
    ],
)
def test_shortcuts_together(argv: list[str], profile: str) -> None:
    assert given(*argv)["profile"] == profile


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("--modle", "did you mean --model?"),
        ("--autorun", "did you mean --auto_run?"),
        ("--zzzzzzzz", "put a message in quotes"),
        ("--server", "there is no HTTP server yet"),
        ("--voice", "there is no voice input"),
    ],
)
def test_an_unknown_flag_is_an_error_with_a_near_one(flag: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([flag])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 2


def test_a_flag_may_stand_after_the_message() -> None:
    parser = flags.parser("oi", "")
    parser.add_argument("message", nargs="*")
    parsed = parser.parse_intermixed_args(["plot", "sales.csv", "-y", "as", "bars", "-m", "x"])
    assert parsed.message == ["plot", "sales.csv", "as", "bars"]
    assert flags.given(parsed) == {"auto_run": True, "model": "x"}


def test_default_then_config_then_profile_then_environment_then_flag() -> None:
    paths.private_dir(profiles.folder())
    paths.config_file().write_text("max_output = 1000\nmax_turns = 1\nmax_budget = 1\n[llm]\nmax_tokens = 1\n")
    (profiles.folder() / "mine.yaml").write_text("max_turns: 2\nmax_budget: 2\nllm:\n  max_tokens: 2\nsafe_mode: ask\n")
    loaded = load(
        {"profile": "mine", "llm.max_tokens": "4"}, {"OI_MAX_BUDGET": "3", "OI_LLM_MAX_TOKENS": "3"}, reader()
    )
    one = loaded.settings
    assert (one.max_output, one.max_turns, one.max_budget, one.llm.max_tokens) == (1000, 2, 3, 4)
    assert one.safe_mode == "ask"
    assert loaded.origins["max_turns"] == "mine.yaml:1"
    assert not loaded.problems
    # The name of the profile may come from each of the layers as well.
    assert load({}, {"OI_PROFILE": "mine"}, reader()).settings.max_turns == 2
    paths.config_file().write_text('profile = "mine"\n')
    assert load({}, {}, reader()).settings.max_turns == 2


def test_exec_keeps_its_own_o(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "oi_tui", "exec", "--help"], capture_output=True, text=True, check=True
    )
    assert "--output-last-message FILE, -o FILE" in done.stdout and "--offline" in done.stdout

"""Settings: layers, where a value came from, and what is said about wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from oi_tui import paths
from oi_tui.cli import command_first, main
from oi_tui.settings import load, parse_assignment


def config(text: str) -> Path:
    file = paths.config_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


def test_layers_win_in_order_and_are_remembered() -> None:
    config('model = "from-file"\nmax_output = 5000\n[llm]\ntemperature = 0.5\n')
    loaded = load({"model": "from-flag"}, {"OI_MODEL": "from-env", "OI_LLM_TEMPERATURE": "0.7"})
    assert loaded.settings.model == "from-flag"
    assert loaded.settings.llm.temperature == 0.7
    assert loaded.settings.max_output == 5000
    assert loaded.origins == {
        "model": "command line",
        "llm.temperature": "OI_LLM_TEMPERATURE",
        "max_output": "config.toml:2",
    }
    assert not loaded.problems


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('model = "x', "line 1"),
        ('model = "ok"\nmodle = "x"\n', "config.toml:2: unknown setting modle"),
        ('max_output = "lots"', "config.toml:1: max_output: 'lots' is not a number"),
        ("max_output = 3", "3 is below 200"),
        ("max_output = inf", "inf is not a number that can be used here"),
        ("max_budget = nan", "nan is not a number that can be used here"),
        (f"max_output = {'9' * 400}", "is not a number"),
        ("auto_run = 7", "7 is neither true nor false"),
        ('approval_policy = "sometimes"', "'sometimes' is not one of read-only, ask, auto-edit, auto, full"),
        ("model = [1]", "[1] is not text"),
        ("\tmodel = ", "line 1"),
        ("[llm]\ntemprature = 1", "config.toml:2: unknown setting llm.temprature"),
    ],
)
def test_a_wrong_config_is_named_with_its_line_and_the_defaults_stay(text: str, words: str) -> None:
    file = config(text)
    loaded = load({}, {})
    assert len(loaded.problems) == 1
    assert words in loaded.problems[0].text
    assert not loaded.problems[0].fatal
    assert loaded.settings.max_output == 2800
    assert file.read_bytes() == text.encode()


def test_unknown_names_get_the_nearest_known_one() -> None:
    config('modle = "x"\n')
    assert load({}, {}).problems[0].hint == "did you mean model?"


def test_bom_crlf_and_an_empty_file_are_fine() -> None:
    config('\ufeffmodel = "x"\r\nmax_output = 300\r\n')
    assert (load({}, {}).settings.model, load({}, {}).problems) == ("x", [])
    config("")
    assert load({}, {}).problems == []


def test_an_unreadable_file_is_a_problem_not_an_end() -> None:
    paths.config_file().mkdir(parents=True)
    assert "cannot be read" in load({}, {}).problems[0].text


def test_other_programs_names_for_approval_modes() -> None:
    for given, meant in (("on-request", "ask"), ("untrusted", "ask"), ("never", "auto")):
        assert load({"approval_policy": given}, {}).settings.approval == meant
    assert load({"auto_run": True}, {}).settings.approval == "auto"
    assert load({"auto_run": True, "approval_policy": "read-only"}, {}).settings.approval == "read-only"


def test_a_wrong_flag_is_fatal() -> None:
    assert load({"max_output": "x"}, {}).problems[0].fatal


def test_assignments_are_toml_else_text() -> None:
    assert parse_assignment("llm.temperature=0.3") == ("llm.temperature", 0.3)
    assert parse_assignment("model=gpt-4o") == ("model", "gpt-4o")
    assert parse_assignment('models={"x"={vision=true}}') == ("models", {"x": {"vision": True}})
    with pytest.raises(ValueError, match="key=value"):
        parse_assignment("model")


def test_headers_are_a_table_of_their_own() -> None:
    config('[llm]\nproxy = "none"\n[llm.headers]\nX-Team = "blue"\n')
    loaded = load({"model_reasoning_effort": "high"}, {})
    assert loaded.problems == []
    assert (loaded.settings.llm.headers, loaded.settings.llm.proxy) == ({"X-Team": "blue"}, "none")
    assert loaded.settings.llm.reasoning_effort == "high", "the name that other programs have for it"
    assert load({"llm.headers": "blue"}, {}).problems[0].fatal


@pytest.mark.parametrize(
    ("given", "path", "value"),
    [
        ("models.gpt-4.1.context=5000", ("models", "gpt-4.1", "context"), 5000),
        ('models."o/x:7b".vision=true', ("models", "o/x:7b", "vision"), True),
        ("models.q={output = 7}", ("models", "q", "output"), 7),
        ("model_providers.mine.http_headers.X-A=b", ("model_providers", "mine", "http_headers", "X-A"), "b"),
        ("llm.headers.X-Team=a", ("llm", "headers", "X-Team"), "a"),
    ],
)
def test_one_key_of_an_open_table_can_be_set_beside_those_of_the_file(
    given: str, path: tuple[str, ...], value: object
) -> None:
    config('[models.q]\ncontext = 9\n[model_providers.mine]\nbase_url = "http://h/v1"\n[llm.headers]\nX-B = "c"\n')
    loaded = load(dict([parse_assignment(given)]), {})
    assert loaded.problems == []
    owner: object = loaded.settings
    for name in path:
        owner = owner[name] if isinstance(owner, dict) else getattr(owner, name)
    assert owner == value
    assert loaded.settings.models["q"]["context"] == 9
    assert loaded.settings.model_providers["mine"]["base_url"] == "http://h/v1"
    assert loaded.settings.llm.headers["X-B"] == "c"


BAD_TABLES = """[models."gpt-4.1"]
context = "lots"
visoin = true  # a slip
output = 50
[model_providers.mine]
base_url = "http://127.0.0.1:9/v1"
wire_api = "respones"
quirks.effort = "much"
[model_providers.bare]
name = "x"
"""


def test_bad_tables_are_told_at_the_start_with_line_and_fix_and_the_rest_of_them_holds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = config(BAD_TABLES)
    code = main(["-m", "mine/x", "-c", "model_providers.mine.request_max_retries=0", "exec", "go"])
    told = capsys.readouterr().err.splitlines()
    assert code != 0
    for line, words in {
        2: "context: 'lots' is no number of tokens (write a whole number, such as 32768)",
        3: "unknown key 'visoin' (did you mean vision?)",
        7: "wire_api is to be one of chat, messages, responses, litellm",
        8: "quirks.effort is to be one of",
        9: 'model_providers.bare has no base_url (add base_url = "http://HOST:PORT/v1")',
    }.items():
        assert any(one.startswith(f"oi: {file}:{line}: ") and words in one for one in told), (line, told)
    assert any("cannot reach http://127.0.0.1:9/v1" in one for one in told)


def test_a_bad_table_on_the_command_line_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["exec", "-c", "models.x.kontext=5", "go"])
    assert left.value.code == 2
    assert "command line: models.\"x\": unknown key 'kontext'; did you mean context?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["-m", "x", "exec", "go"], ["exec", "-m", "x", "go"]),
        (["--model=x", "-y", "-c", "a=b", "exec", "-m", "go"], ["exec", "--model=x", "-y", "-c", "a=b", "-m", "go"]),
        (["--timeout", "5", "--json", "exec", "go"], ["exec", "--timeout", "5", "--json", "go"]),
        (["-m", "exec", "go"], ["-m", "exec", "go"]),
        (["-m", "x", "--", "exec", "go"], ["-m", "x", "--", "exec", "go"]),
        (["-m", "x", "say", "exec"], ["-m", "x", "say", "exec"]),
        (["-m"], ["-m"]),
    ],
)
def test_settings_may_stand_before_a_command(given: list[str], meant: list[str]) -> None:
    assert command_first(given) == meant

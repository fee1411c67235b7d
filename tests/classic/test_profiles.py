"""Profiles in all their forms: what they set, what is said of wrong ones, and those that come with the program."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from oi_tui import paths
from oi_tui.extensions import profile_migration, profiles
from oi_tui.faces.profile_loading import reader
from oi_tui.settings import Loaded, load
from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, say


def profile(name: str, text: str) -> Path:
    """One of the person's own."""
    file = paths.private_dir(profiles.folder()) / name
    file.write_text(text)
    return file


def used(name: str, **flags: Any) -> Loaded:
    return load({"profile": name, **flags}, {}, reader())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "model: m\nllm:\n  temperature: 0.3\nauto_run: true\nllm.max_tokens: 7\n"),
        ("a.yml", "model: m\nllm: {temperature: 0.3}\nauto_run: yes\nllm.max_tokens: 7"),
        ("a.json", '{"llm.model": "m", "llm": {"temperature": 0.3, "max_tokens": 7}, "auto_run": true}'),
        ("a.toml", 'model = "m"\nauto_run = true\n[llm]\ntemperature = 0.3\nmax_tokens = 7\n'),
        ("a.py", "from interpreter import interpreter\ninterpreter.llm.model = 'm'\ninterpreter.llm.temperature = 0.3\n"
                 "interpreter.auto_run = True\ninterpreter.llm.max_tokens = 3 + 4\n"),
    ],
)  # fmt: skip
def test_every_form_sets_the_same(name: str, text: str) -> None:
    profile(name, text)
    for called in ("a", name, str(profiles.folder() / name)):
        loaded = used(called)
        assert not loaded.problems
        one = loaded.settings
        assert (one.model, one.llm.temperature, one.llm.max_tokens, one.auto_run) == ("m", 0.3, 7, True)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.yaml", "model: [x\nauto_run: true\n", "a.yaml: line 2"),
        ("a.yaml", "model: x\n\tauto_run: true\n", "a.yaml: line 2"),
        ("a.yaml", "just words\n", "a profile is a table of settings"),
        ("a.yaml", "auto_run: perhaps\n", "a.yaml:1: auto_run: 'perhaps' is neither true nor false"),
        ("a.yaml", "model: x\nllm:\n  temprature: 1\n", "a.yaml:3: unknown setting llm.temprature"),
        ("a.yaml", "user_message_template: x\n", "a.yaml:1: user_message_template has no effect"),
        ("a.json", '{"model": "x",\n "auto_run": }', "a.json: line 2"),
        ("a.json", '{"model": "x",\n "max_output": "lots"}', "a.json:2: max_output: 'lots' is not a number"),
        ("a.toml", "model = \n", "a.toml: invalid value"),
        ("a.toml", "[llm]\nmax_tokens = 0\n", "a.toml:2: llm.max_tokens: 0 is below 1"),
        ("a.py", "x = 1\ninterpreter.nothing.there = 2\n", "a.py: line 2: AttributeError"),
        ("a.py", "interpreter.llm.model = \n", "a.py: line 1: invalid syntax"),
        ("a.py", "interpreter.auto_rum = True\n", "a.py: unknown setting auto_rum"),
        ("a.py", "interpreter.chat('hello')\n", "a.py: line 1: a profile cannot chat"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(name: str, text: str, words: str) -> None:
    profile(name, text)
    loaded = used("a")
    assert len(loaded.problems) == 1, loaded.problems
    assert words in loaded.problems[0].text and not loaded.problems[0].fatal
    assert "\n" not in loaded.problems[0].text


def test_a_near_key_is_offered_and_the_rest_of_the_profile_holds() -> None:
    profile("a.yaml", "modle: x\nmax_output: 500\n")
    loaded = used("a")
    assert loaded.problems[0].hint == "did you mean model?" and loaded.settings.max_output == 500


def test_a_missing_profile_is_wrong_usage_when_it_is_asked_for_and_told_when_configured() -> None:
    (problem,) = used("fats").problems
    assert problem.fatal and problem.text == "there is no profile fats" and problem.hint == "did you mean fast?"
    paths.private_dir(paths.home())
    paths.config_file().write_text('profile = "fats"\n')
    (problem,) = load({}, {}, reader()).problems
    assert not problem.fatal


def test_default_is_used_where_none_is_named_and_need_not_be_there() -> None:
    assert not load({}, {}, reader()).origins
    profile("default.yaml", "max_output: 777\n")
    assert load({}, {}, reader()).settings.max_output == 777
    profile("other.yaml", "max_turns: 3\n")
    assert used("other").settings.max_output == 2800


def test_ones_own_hides_a_built_in() -> None:
    profile("fast.toml", 'model = "mine"\n')
    assert used("fast").settings.model == "mine"
    assert next(one for one in profiles.listed() if one.name == "fast").own


def test_what_is_added_to_the_system_message_is_added_to_that_of_the_harness() -> None:
    profile("a.py", "interpreter.system_message += '\\nBe kind.'\ninterpreter.custom_instructions = 'Be brief.'\n")
    one = used("a").settings
    assert (one.system_message, one.custom_instructions) == ("", "Be kind.\n\nBe brief.")
    profile("b.py", "interpreter.system_message = 'You are X.'\n")
    assert used("b").settings.system_message == "You are X."


def test_placeholders_in_a_profile_are_not_run_and_that_is_said() -> None:
    profile("a.yaml", "custom_instructions: It is {{1 + 1}}.\n")
    loaded = used("a")
    assert "a.yaml:1: custom_instructions: what stands in {{ }} is not run" in loaded.problems[0].text
    assert loaded.settings.custom_instructions == "It is {{1 + 1}}."


def test_code_of_a_python_profile_waits_for_the_session() -> None:
    profile(
        "a.py",
        "interpreter.computer.run('python', 'def f(): return 7')\ninterpreter.computer.run('python', 'g = f')\n"
        "interpreter.computer.languages = ['python', 'shell']\n",
    )
    one = used("a").settings
    assert [row["code"] for row in one.start_code] == ["def f(): return 7", "g = f"]
    assert one.languages == ["python", "shell"]


def test_old_keys_count_and_the_file_is_brought_up_to_date_beside_a_copy() -> None:
    text = "# mine\nmodel: gpt-4o  # good\ntemperature: 0.2\nllm_supports_vision: true\nlocal: true\nversion: 0.1.9\n"
    file = profile("old.yaml", text)
    loaded = used("old")
    one = loaded.settings
    assert (one.model, one.llm.temperature, one.llm.supports_vision, one.offline) == ("gpt-4o", 0.2, True, True)
    (told,) = loaded.problems
    assert "brought up to date" in told.text and told.hint == "the old file is old.yaml.bak"
    assert (file.parent / "old.yaml.bak").read_text() == text
    assert file.read_text() == text.replace("temperature:", "llm.temperature:").replace(
        "llm_supports_vision:", "llm.supports_vision:"
    ).replace("local:", "offline:")
    assert not used("old").problems


def test_profiles_of_classic_versions_are_copied(isolated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(isolated / "config"))
    old = isolated / "config" / "open-interpreter" / "profiles"
    older = isolated / "config" / "Open Interpreter"
    old.mkdir(parents=True)
    older.mkdir()
    (old / "mine.yaml").write_text("llm:\n  model: x\nversion: 0.2.5\n")
    (older / "config.yaml").write_text("temperature: 0.1\n")
    made, kept = profile_migration.copy_classic()
    assert sorted(one.name for one in made) == ["default.yaml", "mine.yaml"] and not kept
    assert used("mine").settings.model == "x"
    assert (profiles.folder() / "default.yaml").read_text() == "llm.temperature: 0.1\n"
    assert (older / "config.yaml").read_text() == "temperature: 0.1\n"
    assert profile_migration.copy_classic() == ([], ["mine.yaml", "default.yaml"])


@contextmanager
def served(path: str, text: str) -> Iterator[str]:
    """A page on loopback; gives its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here = self.path == path
            self.send_response(200 if here else 404)
            self.end_headers()
            self.wfile.write(text.encode() if here else b"no")

        def log_message(self, *args: Any) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_profile_from_the_web_is_not_used_unseen(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    with served("/p.py", f"open({str(mark)!r}, 'w')\ninterpreter.max_turns = 9\n") as root:
        (problem,) = used(f"{root}/p.py").problems
        assert problem.fatal and "nobody is here to look at it" in problem.text and not mark.exists()
        loaded = load({"profile": f"{root}/p"}, {}, reader(trusted=True))
        assert loaded.settings.max_turns == 9 and mark.exists()
        (problem,) = used(f"{root}/nothing").problems
        assert problem.fatal and "there is no profile at" in problem.text
    assert profiles.address("i.com/x") == "https://openinterpreter.com/profiles/x"


@pytest.mark.parametrize("agrees", [True, False])
def test_a_profile_from_the_web_is_shown_and_asked_about(agrees: bool) -> None:
    text = "# hidden \u202e\nmax_turns: 9\ncustom_instructions: Be a pirate.\n"
    with (
        served("/p.yaml", text) as root,
        MockModel([say("Arr.")]) as mock,
        Terminal(mock, "--plain", "-p", f"{root}/p.yaml") as term,
    ):
        term.wait_for("Use it? [y/N]")
        assert "# hidden ?" in term.text() and "Be a pirate." in term.text()
        term.send("y\n" if agrees else "\n")
        if agrees:
            term.wait_for("ctrl+d leaves")
            term.send("hello\n")
            term.wait_for("Arr.")
            assert "Be a pirate." in str(mock.requests[0]["messages"])
        else:
            term.wait_for("is not used")
            assert term.process.wait(20) == 2


def test_a_program_from_elsewhere_is_not_run_unseen(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("interpreter.max_turns = 9\n")
    assert used(str(tmp_path / "p.py")).problems[0].fatal
    (tmp_path / "p.yaml").write_text("max_turns: 9\n")
    assert used(str(tmp_path / "p.yaml")).settings.max_turns == 9


BUILT_IN = {
    "default", "fast", "vision", "os", "local", "local-os", "local-assistant", "llama3", "llama3-vision", "llama3-os",
    "llama31-database", "codestral", "codestral-vision", "codestral-os", "codestral-few-shot", "gemma2", "qwen", "groq",
    "cerebras", "bedrock-anthropic", "aws-docs", "screenpipe", "obsidian", "snowpark", "assistant", "the01", "e2b",
    "template_profile",
}  # fmt: skip


def test_the_classic_profiles_are_all_there() -> None:
    assert {one.name for one in profiles.listed()} == BUILT_IN
    assert all(one.about for one in profiles.listed())


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_a_built_in_profile_can_be_used(name: str) -> None:
    loaded = used(name)
    assert not loaded.problems
    assert loaded.origins or name == "default"


def test_models_of_built_in_profiles_are_todays() -> None:
    from oi_tui.models import catalog

    known = {
        provider: {one.id for one in catalog.models_of(provider)}
        for provider in ("openai", "anthropic", "groq", "cerebras")
    }
    for name in sorted(BUILT_IN):
        model = used(name).settings.model
        provider, _, rest = model.partition("/")
        if model.startswith("gpt-"):
            assert model in known["openai"], name
        elif model.startswith("claude-"):
            assert model in known["anthropic"], name
        elif provider in known:
            assert rest in known[provider], name
        else:
            assert provider in {"ollama", "bedrock", ""}, name

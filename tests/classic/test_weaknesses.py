"""The 88 weaknesses that were found in Open Interpreter 0.4: where each is tested not to be one here.

Those that no other test was about are tested below. What belongs to a face that is not there yet says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from oi_tui import paths
from oi_tui.extensions import profiles
from oi_tui.faces.api.instance import InterpreterError, OpenInterpreter
from tests.conftest import ROOT
from tests.e2e.terminal import Terminal
from tests.faces.api.conftest import Scripted, run
from tests.mock_model import MockModel, http, say
from tests.mock_model.local_servers import LocalModel

Make = Callable[..., OpenInterpreter]

SERVER = "the HTTP server is a face of its own, which is not there yet"
OS = "of the OS mode, tested with it"
HERE = "classic/test_weaknesses.py"
API = "faces/api/test_chat.py"

WHERE: dict[int, str] = {
    # safety
    1: f"{API}::test_safe_mode_wins_over_auto_run",
    2: "classic/test_flags.py::test_default_then_config_then_profile_then_environment_then_flag",
    3: SERVER,
    4: SERVER,
    5: f"{HERE}::test_html_that_stands_last_is_not_run",
    6: f"{API}::test_placeholders_run_only_where_they_are_trusted",
    7: "classic/test_profiles.py::test_a_profile_from_the_web_is_not_used_unseen",
    8: OS,
    9: SERVER,
    10: SERVER,
    11: "session/test_safe_mode.py::test_without_semgrep_it_is_said_and_nothing_runs_unasked",
    12: "user_reports/test_config.py::test_ur_087_nothing_but_the_model_is_connected_to",
    13: "classic/test_wtf.py::test_what_mends_it_is_asked_about_and_then_done",
    14: f"{HERE}::test_apt_install_is_a_line_like_any_other",
    15: "computer/test_limits.py::test_the_limits_that_are_in_force_are_told",
    16: "user_reports/test_config.py::test_ur_087_nothing_but_the_model_is_connected_to",
    17: "faces/api/test_around.py::test_the_terminal_is_asked",
    # execution
    18: "computer/test_shell_blocks.py::test_heredocs_arrive_byte_for_byte",
    19: "computer/test_shell_blocks.py::test_unfinished_commands_are_errors",
    20: "computer/test_interrupt_and_death.py::test_a_shell_block_stops_and_the_shell_lives_on",
    21: "computer/test_interrupt_and_death.py::test_nothing_of_an_interrupted_block_is_in_the_next",
    22: "faces/api/test_around.py::test_the_computer_by_itself",
    23: "user_reports/test_languages.py::test_ur_017_spellings_of_javascript",
    24: "computer/test_javascript_blocks.py::test_declarations_stay_and_may_be_made_again",
    25: "user_reports/test_languages.py::test_ur_019_an_absent_program_is_named",
    26: "computer/test_python_blocks.py::test_state_stays_after_an_exception_and_lines_are_the_persons",
    27: "user_reports/test_execution.py::test_ur_001_shell_read_fails_at_once",
    28: f"{HERE}::test_every_line_of_ruby_and_javascript_is_told",
    29: f"{HERE}::test_java_leaves_no_file_in_the_folder",
    30: "computer/test_python_blocks.py::test_a_cell_runs_as_it_stands",
    31: "of time; tests/benchmarks/computer_languages.py measures it",
    32: "computer/test_plug_ins.py::test_a_class_of_a_few_lines_works",
    # models
    33: "harnesses/test_fences.py::test_any_chunking_gives_the_same",
    34: "harnesses/test_fences.py::test_code_is_given_out_while_it_arrives",
    35: f"{API}::test_the_chunks_of_a_turn_in_text",
    36: "session/test_going_on.py::test_a_broken_answer_becomes_one_text",
    37: "user_reports/test_parsing.py::test_ur_040_two_calls_in_one_answer",
    38: "session/test_compaction.py::test_a_long_conversation_goes_on_within_its_window",
    39: "session/test_compaction.py::test_a_long_conversation_goes_on_within_its_window",
    40: f"{HERE}::test_a_picture_stays_a_picture_in_the_messages",
    41: f"{HERE}::test_a_picture_stays_a_picture_in_the_messages",
    42: f"{HERE}::test_an_author_is_no_trouble_with_a_key",
    43: "classic/test_programs.py::test_a_session_manager_with_checkpoints_and_a_budget",
    44: f"{API}::test_failures_are_told_and_the_next_turn_works",
    45: "the hosted model i is gone",
    46: "session/test_model_window.py::test_what_is_assumed_of_an_unknown_model_is_told_when_it_may_matter",
    47: f"{HERE}::test_a_picture_is_sent_in_full",
    # the interpreter
    48: "faces/api/test_around.py::test_verbose_keeps_requests",
    49: f"{API}::test_from_a_running_loop_a_thread_and_the_background",
    50: "classic/test_chunks_as_before.py::test_a_chunk_does_not_grow_after_it_was_given",
    51: f"{HERE}::test_a_declined_turn_is_saved",
    52: "faces/api/test_around.py::test_names_of_conversations",
    53: "computer/devices/test_model_devices.py::test_a_short_text_is_asked_about_once",
    54: "computer/devices/test_screen.py::test_the_text_of_a_picture_is_read",
    55: "computer/test_computer_in_python.py::test_outputs_of_earlier_blocks_can_be_read_in_parts",
    56: f"{API}::test_closing_stops_what_runs",
    57: "harnesses/test_fences.py::test_which_blocks_run",
    58: f"{HERE}::test_what_a_program_prints_has_no_marks",
    59: "faces/api/test_around.py::test_files_are_edited_or_left_alone",
    60: "user_reports/test_config.py::test_ur_087_nothing_but_the_model_is_connected_to",
    # the server
    **dict.fromkeys(range(61, 71), SERVER),
    # command line, profiles, packaging
    71: "test_imports.py::test_version_loads_the_standard_library_only",
    72: "classic/test_flags.py::test_flags_that_do_an_errand_are_known",
    73: f"{HERE}::test_a_profile_may_name_its_languages",
    74: "classic/test_flags.py::test_shortcuts_together",
    75: "classic/test_flags.py::test_a_flag_may_stand_after_the_message",
    76: "classic/test_percent_commands.py::test_plain_mode_has_them_and_messages_of_several_lines",
    77: "classic/test_percent_commands.py::test_stdin_is_the_message",
    78: f"{HERE}::test_every_local_model_can_be_chosen",
    79: "classic/test_percent_commands.py::test_what_each_does",
    80: f"{HERE}::test_plain_mode_asks_in_words",
    81: "the image has no server in it",
    82: "user_reports/test_providers.py::test_ur_052_no_key_at_all",
    83: "faces/api/test_around.py::test_importing_makes_nothing_and_asks_nobody",
    84: "classic/test_profiles.py::test_old_keys_count_and_the_file_is_brought_up_to_date_beside_a_copy",
    85: SERVER,
    86: f"{HERE}::test_programs_take_the_default_profile_along",
    87: f"{HERE}::test_nothing_is_left_in_the_temporary_folder",
    88: "every test but those marked network is fenced in, see conftest.fenced_network",
}


def test_every_one_has_its_place_and_every_test_is_there() -> None:
    assert sorted(WHERE) == list(range(1, 89))
    for where in WHERE.values():
        if "::" in where:
            file, _, name = where.partition("::")
            text = (ROOT / "tests" / file).read_text("utf-8")
            assert re.search(rf"def {name}\(", text), where


def test_html_that_stands_last_is_not_run(make: Make) -> None:
    one = make("I see.")
    shown = {"role": "computer", "type": "code", "format": "html", "content": "<b>x</b>", "recipient": "user"}
    one.messages = [{"role": "user", "type": "message", "content": "go"}, shown]
    kinds = [(part["role"], part["type"]) for part in one._respond_and_store()]
    assert set(kinds) == {("assistant", "message")}


def test_apt_install_is_a_line_like_any_other(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "apt").write_text('#!/bin/sh\necho "apt $*"\n')
    (tmp_path / "apt").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    out = make().computer.run("shell", "apt install one two\necho and the rest")
    assert out[0]["content"] == "apt install one two\nand the rest\n"


def test_every_line_of_ruby_and_javascript_is_told(make: Make) -> None:
    computer = make().computer
    printed = computer.run("javascript", "console.log('ends with dots...');console.log('undefined');console.log('> x')")
    assert printed[0]["content"] == "ends with dots...\nundefined\n> x\n"
    ruby = "".join(str(one["content"]) for one in computer.run("ruby", "puts 'nil is here'\nputs 'manila'"))
    assert ruby.startswith("nil is here\nmanila\n") or "not" in ruby  # where there is no Ruby it is said


def test_java_leaves_no_file_in_the_folder(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make().computer.run("java", 'class Main { public static void main(String[] a) { System.out.println("x"); } }')
    assert not list(tmp_path.iterdir())


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PICTURE = {"role": "user", "type": "image", "format": "base64.png", "content": PNG}


def test_a_picture_stays_a_picture_in_the_messages(make: Make) -> None:
    with MockModel([say("I cannot see it.")]) as mock:
        one = make()
        one.llm.model, one.llm.api_base, one.llm.supports_vision = "mock", mock.url, False
        shown = {"role": "computer", "type": "image", "format": "base64.png", "content": PNG}
        one.chat([{"role": "user", "type": "message", "content": "look"}, PICTURE, shown], display=False)
        assert one.messages[1] == PICTURE and one.messages[2] == shown
        assert {part["role"] for part in mock.requests[0]["messages"]} <= {"system", "user", "assistant", "tool"}
        assert PNG not in json.dumps(mock.requests[0]) and not mock.refused


def test_a_picture_is_sent_in_full(make: Make) -> None:
    with MockModel([say("A dot.")]) as mock:
        one = make()
        one.llm.model, one.llm.api_base, one.llm.supports_vision = "mock", mock.url, True
        one.chat([{"role": "user", "type": "message", "content": "look"}, PICTURE], display=False)
        sent = json.dumps(mock.requests[0]["messages"])
    assert "data:image/png;base64," in sent and '"detail": "low"' not in sent


def test_an_author_is_no_trouble_with_a_key(make: Make) -> None:
    with MockModel([http(400, {"error": {"message": "unknown author of the template"}})]) as mock:
        one = make()
        one.llm.model, one.llm.api_base, one.llm.api_key = "mock", mock.url, "k"
        with pytest.raises(InterpreterError) as failed:
            one.chat("x", display=False)
    assert "unknown author" in str(failed.value) and "key" not in str(failed.value).lower()


def test_a_declined_turn_is_saved(make: Make, tmp_path: Path) -> None:
    one = make(run("print(1)"), auto_run=False, conversation_history=True, conversation_history_path=str(tmp_path))
    for chunk in one.chat("go", display=False, stream=True):
        if chunk["type"] == "confirmation":
            break
    (file,) = tmp_path.glob("*.json")
    assert [part["type"] for part in json.loads(file.read_text())] == ["message", "message", "code"]


def test_what_a_program_prints_has_no_marks(make: Make) -> None:
    marked = "@@@RECIPIENT:user@@@CONTENT:a:b@@@END\n@@@HIDE_TRACEBACK@@@ c ##active_line3##"
    one = make(run(f"print({marked!r})"), "done")
    one.chat("go", display=False)
    assert one.messages[-2] == {"role": "computer", "type": "console", "format": "output", "content": f"{marked}\n"}


def test_a_profile_may_name_its_languages() -> None:
    from oi_tui.faces.profile_loading import reader
    from oi_tui.settings import load

    (paths.private_dir(profiles.folder()) / "two.yaml").write_text("computer:\n  languages: [python, shell]\n")
    loaded = load({"profile": "two"}, {}, reader())
    assert loaded.settings.languages == ["python", "shell"] and not loaded.problems


def test_every_local_model_can_be_chosen() -> None:
    local = [LocalModel("one:1b", context=8192), LocalModel("two:4.40", context=8192)]
    with (
        MockModel([say("from two")], models=local) as mock,
        Terminal(mock, "--local", "--plain", model="", env={"OLLAMA_HOST": mock.root}) as term,
    ):
        term.wait_for("number (1 to ")
        row = next(line for line in term.lines() if "ollama/two:4.40" in line)
        term.send(f"{row.split()[0]}\n")
        term.wait_for("using ollama/two:4.40")
        term.wait_for("ctrl+d leaves")
        term.send("hello\n")
        term.wait_for("from two")
        assert mock.requests[0]["model"] == "two:4.40"


def test_plain_mode_asks_in_words() -> None:
    from tests.mock_model import code

    with MockModel([code("python", "print('r' + 'an')"), say("It ran.")]) as mock, Terminal(mock, "--plain") as term:
        term.wait_for("ctrl+d leaves")
        term.send("go\n")
        term.wait_for("[y] once")
        assert "confirmation" not in term.text() and "'type':" not in term.text() and "{" not in term.text()
        term.send("y\n")
        term.wait_for("It ran.")


def test_programs_take_the_default_profile_along(make: Make) -> None:
    (paths.private_dir(profiles.folder()) / "default.yaml").write_text("llm:\n  temperature: 0.7\nmax_turns: 2\n")
    one = make("hi")
    assert one.settings().max_turns == 2
    one.max_turns = 9
    assert one.settings().max_turns == 9 and one.settings().llm.temperature == 0.0


def test_nothing_is_left_in_the_temporary_folder(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    shown = f"class P:\n    def _repr_png_(self):\n        import base64\n        return base64.b64decode({PNG!r})\nP()"
    one = make(run(shown), "done")
    one.chat("go", display=False)
    assert isinstance(one.llm.completions, Scripted) and any(part["type"] == "image" for part in one.messages)
    one.close()
    assert not list(tmp_path.iterdir())

"""Commands and pickers by keyboard: choose, preview, leave; what is mistyped is answered with the nearest name."""

from __future__ import annotations

import pytest

from tests.e2e.terminal import Terminal
from tests.mock_model import MockModel, code, say
from tests.mock_model.local_servers import LocalModel


def test_the_theme_picker_previews_and_esc_takes_back() -> None:
    with MockModel() as mock, Terminal(mock) as term:
        term.ready()
        ground = term.cell_of("oi").bg
        term.say("/theme")
        term.wait_for("type to search")
        term.press("down", "down")
        term.wait_for(lambda: term.cell_of("oi").bg != ground, what="another ground behind the picker")
        term.press("esc")
        term.wait_gone("type to search")
        term.wait_for(lambda: term.cell_of("oi").bg == ground, what="the ground of before")
        term.say("/theme")
        term.wait_for("type to search")
        term.send("oi-light")
        term.wait_for(lambda: term.cell_of("oi").bg != ground, what="the light ground")
        term.press("enter")
        term.wait_for("theme is oi-light")


def test_the_harness_picker_chooses_and_esc_changes_nothing() -> None:
    with MockModel() as mock, Terminal(mock) as term:
        term.say("/harness")
        term.wait_for("the model decides")
        term.wait_for("native: for any capable model")
        term.press("down", "down")
        term.wait_for("instead of native:")
        term.wait_for("system prompt: ")
        term.press("esc")
        term.wait_gone("type to search")
        assert "auto: native" in term.lines()[0]
        term.say("/harness")
        term.wait_for("type to search")
        term.send("embedded")
        term.press("enter")
        term.wait_for("harness is embedded")
        term.wait_for(lambda: "embedded" in term.lines()[0] and "auto" not in term.lines()[0])
    with MockModel() as mock, Terminal(mock) as term:
        term.ready()
        assert "embedded" in term.lines()[0]


def test_the_model_picker_lists_local_models_and_the_next_request_goes_there() -> None:
    with (
        MockModel([say("hello there")], models=[LocalModel("tiny:1b", context=8192)]) as mock,
        Terminal(mock, model="", env={"OLLAMA_HOST": mock.root}) as term,
    ):
        term.say("/model")
        term.wait_for("type to search")
        term.wait_for("ollama/tiny:1b")
        term.press("esc")
        term.wait_gone("type to search")
        term.say("/model ollama/tiny:1b")
        term.wait_for("model is ollama/tiny:1b")
        term.say("hi")
        term.wait_for("hello there")
        assert mock.requests[-1]["model"] == "tiny:1b"


@pytest.mark.parametrize(("typed", "near"), [("/modle", "/model"), ("%resett", "%reset"), ("/temhe", "/theme")])
def test_an_unknown_command_names_the_nearest(typed: str, near: str) -> None:
    with MockModel() as mock, Terminal(mock) as term:
        term.say(typed)
        term.wait_for(f"there is no command {typed}")
        term.wait_for(f"did you mean {near}?")
        assert term.draft == typed, "the line is there to be mended"
        assert mock.requests == []


def test_help_lists_the_commands_and_esc_leaves_it() -> None:
    with MockModel() as mock, Terminal(mock) as term:
        term.say("%help")
        term.wait_for("/model")
        term.wait_for("take back your last message")
        term.press("esc")
        term.wait_gone("take back your last message")
        term.press("?")
        term.wait_for("queue for after it")
        term.press("esc")
        term.wait_gone("queue for after it")


def test_undo_takes_back_what_was_said_last() -> None:
    with MockModel([say("answer one"), say("answer two"), say("answer three")]) as mock, Terminal(mock) as term:
        term.say("question one")
        term.wait_for("answer one")
        term.idle()
        term.say("question two")
        term.wait_for("answer two")
        term.idle()
        term.say("%undo")
        term.wait_gone("answer two")
        assert "answer one" in term.text()
        term.say("question three")
        term.wait_for("answer three")
        assert "question two" not in str(mock.requests[-1]["messages"])


def test_ur_093_reset_keeps_model_and_base_and_forgets_the_rest() -> None:
    with MockModel([say("answer A"), say("answer B")]) as mock, Terminal(mock) as term:
        term.say("message A")
        term.wait_for("answer A")
        term.idle()
        term.say("%reset")
        term.wait_gone("answer A")
        term.say("message B")
        term.wait_for("answer B")
        first, second = mock.requests
        assert first["model"] == second["model"]
        assert "message A" not in str(second["messages"])


def test_a_shell_line_of_the_person_runs_and_shows_its_output() -> None:
    with MockModel() as mock, Terminal(mock) as term:
        term.say("!echo mine-$((6*7))")
        term.wait_for("mine-42")
        assert mock.requests == []


def test_the_palette_finds_a_command_and_runs_it() -> None:
    with MockModel() as mock, Terminal(mock) as term:
        term.ready()
        term.press("ctrl+p")
        term.wait_for("type to search")
        term.send("status")
        term.wait_for("/status")
        term.press("enter")
        term.wait_for("approval: ask")
        term.press("ctrl+c")
        term.wait_gone("approval: ask")


def test_ur_066_the_ladder_of_ctrl_c() -> None:
    slow = " ".join(f"word{number}" for number in range(400))
    with MockModel([say(slow), say("the next answer")], delay=0.02) as mock, Terminal(mock) as term:
        term.say("talk")
        term.wait_for("word9 ")
        term.press("ctrl+c")
        term.idle()
        assert term.alive
        term.wait_for("stopped")
        term.say("next")
        term.wait_for("the next answer", 30)
        term.idle()
        spoken = [one["content"] for one in mock.requests[1]["messages"] if one["role"] == "assistant"]
        assert any("word9" in str(one) for one in spoken), "the part that was said is kept"
        term.type("half a draft")
        term.press("ctrl+c")
        term.wait_for(lambda: term.draft == "" or "half" not in term.draft)
        term.press("ctrl+c")
        term.wait_for("ctrl+c again quits")
        assert term.alive
        term.press("ctrl+c")
        assert term.ended() == 0


def test_ur_082_the_last_code_is_copied_through_the_terminal() -> None:
    import base64

    text = "def f():\n\treturn 'é' * 3  # " + "long " * 30 + "\nprint(f())"
    env = {"DISPLAY": None, "WAYLAND_DISPLAY": None, "TMUX": None}
    with MockModel([code("python", text), say("it ran")]) as mock, Terminal(mock, env=env) as term:
        term.say("go")
        term.answer("y")
        term.wait_for("it ran")
        term.idle()
        term.say("/copy code")
        term.wait_for("copied the last code")
        assert [base64.b64decode(one).decode() for one in term.screen.copied] == [text]

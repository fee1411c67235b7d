"""Reports on local model servers: one address for listing and asking, models that are missing or cannot call tools."""

from __future__ import annotations

from oi_tui.protocol.events import Notice, TurnEnded, UsageChanged
from tests.mock_model import MockModel, code, http, say
from tests.mock_model.local_servers import LocalModel
from tests.user_reports.driver import output, run_exec
from tests.user_reports.in_process import Live


def test_ur_060_the_server_that_lists_is_the_server_that_is_asked() -> None:
    with MockModel([say("ok")], host="127.0.0.2", models=["tiny:1b"]) as mock:
        done = run_exec(mock, model="", env={"OLLAMA_HOST": mock.root})
        paths = [one.path for one in mock.received]
    assert (done.code, done.out) == (0, "ok\n"), done.err
    assert done.requests[0]["model"] == "tiny:1b"
    assert "/api/tags" in paths
    assert "/v1/chat/completions" in paths


def test_ur_060_a_missing_model_gives_the_list_and_the_command() -> None:
    with MockModel(host="127.0.0.2", models=["tiny:1b", "other:7b"], known_only=True) as mock:
        done = run_exec(
            mock, "hello", "-m", "ollama/not-there:1b", model="", env={"OLLAMA_HOST": mock.root}, timeout=10
        )
        assert not any(one.path == "/api/pull" for one in mock.received)
    assert done.code != 0
    assert "tiny:1b" in done.err
    assert "other:7b" in done.err
    assert "ollama pull not-there:1b" in done.err


_NO_TOOLS = http(400, {"error": "model does not support tools"})


def test_ur_061_a_model_without_tools_writes_code_as_text() -> None:
    with MockModel([_NO_TOOLS, code("python", "print(6 * 7)"), say("finished")]) as mock:
        done = run_exec(mock)
    assert (done.code, done.out) == (0, "finished\n"), done.err
    assert "tools" in done.requests[0]
    assert "tools" not in done.requests[1]
    assert output(done.requests[2]["messages"][-1]["content"]) == "42\n"


async def test_ur_061_the_code_is_asked_about_and_the_mode_is_remembered() -> None:
    with MockModel([_NO_TOOLS, code("python", "print(6 * 7)"), say("a"), say("b")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("go")
            request = await live.asked()
            assert request.code == "print(6 * 7)"
            live.approve(request)
            await live.until(TurnEnded)
            await live.turn("again")
            assert ["tools" in one for one in mock.requests] == [True, False, False, False]


def test_ur_061_the_window_that_the_server_reports_is_used() -> None:
    models = [LocalModel("tiny:1b", context=8192)]
    with MockModel([say("ok")], models=models) as mock:
        done = run_exec(mock, "hello", "--json", "-m", "ollama/tiny:1b", model="", env={"OLLAMA_HOST": mock.root})
    assert done.code == 0


async def test_ur_061_the_window_is_shown(monkeypatch) -> None:  # noqa: ANN001
    with MockModel([say("ok")], models=[LocalModel("tiny:1b", context=8192)]) as mock:
        monkeypatch.setenv("OLLAMA_HOST", mock.root)
        async with Live(mock, model="ollama/tiny:1b", window=None) as live:
            live.session.settings.llm.api_base = ""
            await live.turn()
            assert live.all_of(UsageChanged)[-1].context_window == 8192


async def test_ur_035_a_model_without_tools_that_writes_its_call_as_json() -> None:
    call = '{"name": "execute", "arguments": {"language": "shell", "code": "touch x; echo ran-35"}}'
    with MockModel([_NO_TOOLS, say(f"I will look.\n```json\n{call}\n```"), say("done")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("go")
            request = await live.asked()
            assert (request.language, request.code) == ("shell", "touch x; echo ran-35")
            live.approve(request)
            assert (await live.until(TurnEnded)).reason == "done"


async def test_a_message_that_a_small_model_cannot_take_whole_is_said_and_answered() -> None:
    with MockModel([say("a report")]) as mock:
        async with Live(mock, harness="embedded") as live:
            assert (await live.turn("sum this up: " + "word " * 5000)).reason == "done"
            notices = [one.text for one in live.all_of(Notice)]
    assert any("characters of its middle are left out" in one for one in notices), notices

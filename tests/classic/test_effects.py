"""What the classic settings do in a session: loop, offline, languages, opening code, verbose, voice, the lit line."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from oi_tui import paths
from oi_tui.loop_words import LOOP_MESSAGE
from oi_tui.protocol.events import ActiveLine, Notice
from oi_tui.session.speaking import spoken, voice
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import output, until
from tests.user_reports.in_process import Live


async def test_loop_prompts_until_the_model_says_that_it_is_done() -> None:
    with MockModel([say("Half of it."), code("python", "1 + 1"), say("The task is done.")]) as mock:
        async with Live(mock, loop=True) as live:
            assert (await live.turn()).reason == "done"
    assert len(mock.requests) == 3
    assert mock.requests[1]["messages"][-1]["content"] == LOOP_MESSAGE


async def test_loop_ends_with_words_of_ones_own_and_with_the_most_steps() -> None:
    with MockModel([say("more"), say("basta"), *[say(f"more {n}") for n in range(9)]]) as mock:
        async with Live(mock, loop=True, loop_message="weiter", loop_breakers=["basta"], max_turns=3) as live:
            assert (await live.turn()).reason == "done"
            assert len(mock.requests) == 2 and mock.requests[1]["messages"][-1]["content"] == "weiter"
            ended = await live.turn()
            assert ended.reason == "limit"
    assert len(mock.requests) == 5


async def test_loop_ends_when_nothing_comes_of_it() -> None:
    with MockModel([say("I see.")] * 9) as mock:
        async with Live(mock, loop=True) as live:
            assert (await live.turn()).reason == "done"
            assert any("the same again and again" in one.text for one in live.all_of(Notice))
    assert len(mock.requests) == 3


async def test_without_loop_nobody_prompts() -> None:
    with MockModel([say("Half of it.")]) as mock:
        async with Live(mock) as live:
            await live.turn()
    assert len(mock.requests) == 1


async def test_offline_asks_no_model_elsewhere_and_fetches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with MockModel([say("here")]) as mock:
        async with Live(mock, offline=True) as live:
            assert (await live.turn()).reason == "done"  # a server of this machine
            names = {tool["function"]["name"] for tool in mock.requests[0]["tools"]}
            assert names and not any("fetch" in name or "search_web" in name for name in names)
        async with Live(mock, offline=True, model="gpt-4o") as live:
            live.settings.llm.api_base = ""
            ended = await live.turn()
            assert ended.reason == "failed" and "is beyond this machine" in ended.text
    assert len(mock.requests) == 1


async def test_code_of_a_profile_runs_before_the_first_block_and_its_languages_are_the_only_ones() -> None:
    steps = [code("python", "print(twice(21))"), code("ruby", "puts 1"), say("done")]
    opening = [{"language": "python", "code": "print('opening')\ndef twice(n): return 2 * n"}]
    with MockModel(steps) as mock:
        async with Live(mock, start_code=opening, languages=["python"]) as live:
            await live.turn()
            assert output(live.results[0]) == "42\n"
            assert "ruby" in live.results[1].lower() and "1\n" not in output(live.results[1])


@pytest.mark.parametrize("lit", [True, False])
async def test_the_running_line_is_told_or_not(lit: bool) -> None:
    with MockModel(
        [code("python", "import time\nfor n in range(3):\n    time.sleep(0.2)\nprint(n)"), say("done")]
    ) as mock:
        async with Live(mock, highlight_active_line=lit) as live:
            await live.turn()
            lines = [one.line for one in live.all_of(ActiveLine)]
    assert lines[-1] is None
    assert any(line is not None for line in lines) is lit


async def test_verbose_keeps_requests_whole_and_keys_masked() -> None:
    with MockModel([code("python", "print('sk-abcdefghijklmnopqrst' + 'uvwxyz012345')"), say("done")]) as mock:
        async with Live(mock, verbose=True) as live:
            await live.turn("what is said")
            told = [one for one in live.all_of(Notice) if one.text.startswith("request to x: ")]
            file = paths.home() / "logs" / f"requests-{live.session.id}.jsonl"
    assert len(told) == 2 and str(file) in told[0].hint
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert [one["body"]["messages"][-1]["role"] for one in records] == ["user", "tool"]
    assert "what is said" in json.dumps(records[0]["body"])
    assert "abcdefghijklmnopqrstuvwxyz012345" not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


async def test_answers_are_read_aloud_without_their_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard = tmp_path / "heard"
    program = tmp_path / "bin" / "spd-say"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat >> {heard}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with MockModel([say("It is **six**.\n```python\nx = 6\n```\n[More](http://x/y).")]) as mock:
        async with Live(mock, speak_messages=True) as live:
            await live.turn()
            await asyncio.to_thread(until, lambda: heard.exists() and heard.read_text() == "It is six . More.", 20)


async def test_a_missing_voice_is_told_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("oi_tui.session.speaking.voice", lambda: None)
    with MockModel([say("a"), say("b")]) as mock:
        async with Live(mock, speak_messages=True) as live:
            await live.turn()
            await live.turn()
            assert len([one for one in live.all_of(Notice) if "there is no voice" in one.text]) == 1


def test_the_voice_of_each_system() -> None:
    assert voice("darwin") == ("say",)
    win = voice("win32")
    assert win is not None and win[0] == "powershell" and "SpeechSynthesizer" in win[-1]
    assert spoken("# Title\n\n* one `x`\n```\ncode\n```\nhttp://a/b end") == "Title one x end"

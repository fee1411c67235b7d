"""What is known of a model's window: asked of its server, or assumed and told."""

from __future__ import annotations

from oi_tui.protocol.events import Notice, UsageChanged
from tests.mock_model import MockModel, say
from tests.mock_model.local_servers import LocalModel
from tests.user_reports.in_process import Live


async def test_an_ollama_is_asked_what_it_gives_the_model_before_the_first_request() -> None:
    models = (LocalModel("qwen3:8b", context=40960, given=4096),)
    with MockModel([say("hi"), say("ho")], models=models) as mock:
        live = Live(mock, model="ollama/qwen3:8b", harness="native", window=None)
        async with live:
            await live.turn("hello")
            told = [one.text for one in live.all_of(Notice)]
            assert told[:1] == [
                "the server gives ollama/qwen3:8b a window of 4,096 tokens, of 40,960 that it could take"
            ]
            assert live.session.filling().window == 4096
            await live.turn("again")
            assert [one.path for one in mock.received].count("/api/generate") == 1


async def test_lm_studio_is_asked_what_it_gives_a_model_that_is_not_loaded() -> None:
    models = (LocalModel("qwen3-8b", context=40960, given=16384), LocalModel("small", context=8192, given=8192))
    with MockModel([say("hi"), say("ho")], models=models) as mock:
        async with Live(mock, model="lm_studio/qwen3-8b", harness="native", window=None) as live:
            await live.turn("hello")
            (told,) = (one for one in live.all_of(Notice) if "a window of" in one.text)
            assert told.text.endswith("a window of 16,384 tokens, of 40,960 that it could take")
            assert told.hint == "load it with more: lms load qwen3-8b --context-length 32768"
            assert live.session.filling().window == 16384 and live.session.filling().known
        async with Live(mock, model="lm_studio/small", harness="native", window=None) as live:
            await live.turn("hello")
            assert live.session.filling().window == 8192 and not live.all_of(Notice)
        assert [one.path for one in mock.received].count("/api/v0/completions") == 2
        assert len(mock.requests) == 2


async def test_what_is_assumed_of_an_unknown_model_is_told_when_it_may_matter() -> None:
    with MockModel([say("hi"), say("ho"), say("hm")]) as mock:
        async with Live(mock, harness="native", window=None) as live:
            await live.turn("hello")
            assert not [one for one in live.all_of(Notice) if "is assumed" in one.text]
            await live.turn("long " * 4000)
            await live.turn("again")
            told = [one for one in live.all_of(Notice) if "is assumed" in one.text]
            assert len(told) == 1
            assert "x is not in the catalog: a window of" in told[0].text
            assert "pictures are told in words" in told[0].text and '[models."x"]' in told[0].hint
            assert not live.all_of(UsageChanged)[-1].window_known

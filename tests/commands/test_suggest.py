"""Suggestions while a command is typed, and the choices behind them."""

from __future__ import annotations

import pytest

from oi_tui import paths
from oi_tui.commands import choices
from oi_tui.commands.base import Choice
from oi_tui.commands.registry import ALL
from oi_tui.commands.suggest import ranked, score, suggest, suggest_skill
from oi_tui.models.embedded import catalog
from tests.commands.hosting import Face


def labels(host: Face, draft: str) -> list[str]:
    return [one.label for one in suggest(draft, host, ALL)]


async def test_a_sign_alone_lists_its_commands(host: Face) -> None:
    assert labels(host, "/") == [one.title for one in ALL if one.kind == "/"]
    assert set(labels(host, "%")) == {one.title for one in ALL if one.kind == "%"} >= {"%reset", "%info", "%jupyter"}


async def test_the_best_fit_comes_first(host: Face) -> None:
    assert labels(host, "/h")[0] in {"/help", "/harness"}
    assert labels(host, "/help")[0] == "/help"
    assert labels(host, "/perm")[0] == "/permissions"
    assert labels(host, "/zzz") == []


async def test_what_cannot_be_used_says_why(host: Face) -> None:
    undo = next(one for one in suggest("/undo", host, ALL) if one.label == "/undo")
    assert undo.unavailable == "has nothing to work on yet"


async def test_arguments_are_suggested_until_one_is_whole(host: Face) -> None:
    assert [one.text for one in suggest("/theme ", host, ALL)] == ["/theme oi-dark", "/theme oi-light"]
    assert [one.by_tab for one in suggest("/undo ", host, ALL)] == [True, True]  # enter alone chooses none of them
    assert not any(one.by_tab for one in suggest("/undo f", host, ALL))
    assert labels(host, "/theme li") == ["oi-light"]
    assert labels(host, "/theme oi-light") == []
    assert labels(host, "/copy ") == ["answer", "code", "output"]
    assert labels(host, "/permissions a")[0] in {"ask", "auto"}
    assert labels(host, "/quit ") == []
    assert labels(host, "/nothing x") == []


@pytest.mark.parametrize(
    ("better", "worse"), [("model", "my-model"), ("my-model", "remodelled"), ("remodelled", "m-o-d-e-l")]
)
def test_score_prefers_whole_then_word_then_inside_then_spread(better: str, worse: str) -> None:
    assert score("model", better) > score("model", worse) > 0


def test_score_is_nothing_if_a_letter_is_missing() -> None:
    assert score("modex", "model") == 0


def test_ranked_looks_at_what_is_said_last() -> None:
    rows = [Choice("a", detail="has tools"), Choice("tools")]
    assert [one.value for one in ranked("tools", rows)] == ["tools", "a"]
    assert ranked("", rows) == rows


async def test_known_choices_mark_what_is_in_use(host: Face) -> None:
    harness = choices.known("harness", host.session)
    assert [one.value for one in harness if one.current] == ["auto"]
    assert {"native", "embedded"} <= {one.value for one in harness}
    approval = choices.known("permissions", host.session)
    assert [one.value for one in approval if one.current] == ["ask"]
    models = choices.known("model", host.session)
    assert models[0] == Choice("embedded", "embedded", "in use", current=True)
    assert choices.known("weather", host.session) == []


@pytest.mark.parametrize(
    ("draft", "first", "text", "enter"),
    [
        ("$deb", "$debugging", "$debugging ", True),
        ("look at this ($wri", "$writing-a-skill", "look at this ($writing-a-skill ", True),
        ("use $analysis", "$data-analysis", "use $data-analysis ", True),
        ("costs 5 $", "$", "", False),  # all of them, and enter sends what stands there
    ],
)
async def test_skills_are_suggested_by_name(host: Face, draft: str, first: str, text: str, enter: bool) -> None:
    found = suggest_skill(draft, host.session.skills)
    assert found[0].label.startswith(first)
    assert found[0].help
    assert found[0].text == text or not text
    assert (not found[0].by_tab, found[0].complete) == (enter, False)


@pytest.mark.parametrize("draft", ["$HOME", "a$deb", "$5", "$zzz", "$deb ", "dbg", "\\$deb"])
async def test_what_is_no_beginning_of_a_skill_is_text(host: Face, draft: str) -> None:
    assert suggest_skill(draft, host.session.skills) == []


async def test_models_of_a_local_server_are_found(host: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.mock_model import MockModel, say

    with MockModel([say("x")]) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url.removesuffix("/v1"))
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        found = await choices.found_models(host.session.settings)
    assert found
    assert all(one.value.startswith("ollama/") for one in found)


async def test_models_of_a_provider_with_a_key_are_found(host: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    found = [one for one in await choices.found_models(host.session.settings) if one.group == "OpenAI"]
    assert found
    assert all(one.value.startswith("openai/") and "tokens" in one.detail for one in found)


async def test_the_built_in_models_say_whether_they_are_here_and_fit(
    host: Face, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = catalog.SMALL
    monkeypatch.setattr("oi_tui.models.embedded.choice.available", lambda: True)
    monkeypatch.setattr("oi_tui.models.embedded.memory.free", lambda: weights.memory)
    paths.models().mkdir(parents=True)
    with (paths.models() / weights.file).open("wb") as file:
        file.truncate(weights.size)
    notes = {one.value: one.detail for one in choices.known("model", host.session)}
    assert notes["embedded/0.5b"] == f"{weights.title}, here"
    assert notes["embedded/1.5b"].endswith(", 1.1 GB to fetch, more memory than is free")

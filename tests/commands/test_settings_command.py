"""`/settings` where there are no screens: shown, changed, taken back, refused in words."""

from __future__ import annotations

from pathlib import Path

from oi_tui import paths
from oi_tui.commands import listing, registry
from tests.commands.hosting import face


async def run(one: object, line: str) -> None:
    parsed = registry.parse(line)
    assert isinstance(parsed, registry.Invocation)
    await registry.run(parsed, one)  # type: ignore[arg-type]


async def test_it_is_shown_changed_and_taken_back(tmp_path: Path) -> None:
    one = face(tmp_path)
    await run(one, "/settings max_output")
    assert "now `2800`, from default" in one.shown[-1][1]
    await run(one, "/settings max_output 5000")
    assert one.told[-1][1] == "max_output is 5000, now and later"
    assert paths.config_file().read_text() == "max_output = 5000\n"
    assert one.session.settings.max_output == 5000
    await run(one, "/settings max_output default")
    assert paths.config_file().read_text().strip() == ""
    await run(one, "/settings python /usr/bin/python3")
    assert one.told[-1][1] == "python is /usr/bin/python3 from the next start on"
    await run(one, "/settings llm.fallbacks a, b")
    assert 'fallbacks = ["a", "b"]' in paths.config_file().read_text()
    await run(one, "/settings max_budget 2.5")
    assert one.session.budget.max_budget == 2.5
    await one.session.close()


async def test_what_cannot_be_is_one_clear_line(tmp_path: Path) -> None:
    one = face(tmp_path)
    for line, said in (
        ("/settings max_outptu 3", "there is no setting max_outptu; did you mean max_output?"),
        ("/settings max_output few", "max_output: 'few' is not a number"),
        ("/settings llm.wire_api smoke", "llm.wire_api: 'smoke' is not one of chat, messages, responses"),
        ("/settings harness nonesuch", "harness: there is no harness 'nonesuch'"),
        ("/settings models x", "models is a table: edit it in"),
    ):
        await run(one, line)
        assert one.told[-1][0] == "error" and said in one.told[-1][1]
    assert not paths.config_file().exists()
    page = listing.page("settings", one.session.settings and one.session)
    assert "| max_output | 2800 | default |" in page and "| llm.temperature |" in page
    await one.session.close()

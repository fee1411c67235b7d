"""What pickers tell of the row that is highlighted: models and profiles."""

from __future__ import annotations

from pathlib import Path

from oi_tui import paths
from oi_tui.commands import model_facts, profile
from oi_tui.settings import Settings
from tests.commands.hosting import face


async def test_a_model_is_told_with_window_price_and_abilities(tmp_path: Path) -> None:
    settings = Settings(model="embedded")
    settings.models = {"openai/mine": {"context": 12345, "input_price": 2.0, "output_price": 8.5, "vision": True}}
    one = face(tmp_path, settings)
    mine = model_facts.about(one.session, "openai/mine")
    assert "12,345 tokens" in mine and "$2 in, $8.5 out" in mine and "sees pictures" in mine
    known = model_facts.about(one.session, "gpt-4o")
    assert "tokens" in known and "takes tools" in known and "openai" in known
    assert "is not known" in model_facts.about(one.session, "openai/no-such-model-at-all")
    assert "works without a network" in model_facts.about(one.session, "embedded")
    assert "ollama" in model_facts.about(one.session, "ollama/x") and "costs nothing" in model_facts.about(
        one.session, "ollama/x"
    )
    await one.session.close()


def test_a_profile_is_told_by_what_it_sets() -> None:
    folder = paths.private_dir(paths.home() / "profiles")
    (folder / "calm.toml").write_text("# quiet\napproval_policy = 'read-only'\n[llm]\ntemperature = 0.1\n")
    told = profile.about("calm")
    assert "approval_policy = read-only" in told and "llm.temperature = 0.1" in told
    assert "no profile" in profile.about("nonesuch")

"""Facts about models: from the data file, from a person, or guessed and said so."""

import json
import subprocess
import sys
from typing import Any

import pytest

from oi_tui.models import catalog
from oi_tui.models.client import BadRequest


def test_known_model() -> None:
    info = catalog.look_up("gpt-4o", "openai")
    assert (info.context, info.output, info.vision, info.tools, info.known) == (128_000, 16_384, True, True, True)
    assert info.cost(1_000_000, 0) == info.input_price == 2.5


def test_cached_input_is_priced_as_cached() -> None:
    info = catalog.ModelInfo("x", 1, 1, input_price=2.0, output_price=8.0, cached_price=0.5)
    assert info.cost(1_000_000, 500_000, 400_000) == pytest.approx(0.6 * 2.0 + 0.4 * 0.5 + 4.0)
    assert catalog.ModelInfo("x", 1, 1).cost(1, 1) is None


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("deepseek-chat", "deepseek"),
        ("openai/gpt-oss-120b", "groq"),
        ("gemini-2.5-pro", "google"),
        ("kimi-k2.6", "moonshot"),
    ],
)
def test_names_of_other_providers(model: str, provider: str) -> None:
    info = catalog.look_up(model, provider)
    assert info.known
    assert info.context >= 64_000
    assert info.input_price


def test_every_entry_read_alone_is_the_entry_read_with_the_rest() -> None:
    whole = json.loads(catalog._data())
    assert len(whole) > 1000
    for name in list(whole)[::97]:
        assert catalog._entry(name) == whole[name]


def test_file_of_another_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    compact = b'{"m-x":{"max_input_tokens":5000,"litellm_provider":"y","mode":"chat"}}'
    monkeypatch.setattr(catalog, "_data", lambda: compact)
    monkeypatch.setattr(catalog, "_all", lambda: json.loads(compact))
    assert catalog.look_up("m-x").context == 5000


def test_unknown_models_are_guessed_and_say_so() -> None:
    hosted, local = catalog.look_up("nobody/knows"), catalog.look_up("nobody-knows", "ollama", local=True)
    assert (hosted.context, hosted.cost(5, 5), hosted.known) == (catalog.HOSTED_WINDOW, None, False)
    assert (local.context, local.cost(5, 5), local.known) == (catalog.LOCAL_WINDOW, 0.0, False)


def test_a_local_model_does_not_take_a_hosted_ones_price() -> None:
    assert catalog.look_up("gpt-4o", "lmstudio", local=True).cost(1000, 1000) == 0.0


def test_a_person_knows_better() -> None:
    told = {"qwen3": {"context": 40_960, "vision": True, "input_price": 1}}
    info = catalog.look_up("qwen3", "ollama", local=True, overrides=told)
    assert (info.context, info.vision, info.input_price, info.known) == (40_960, True, 1, True)
    assert catalog.look_up("gpt-4o", "openai", overrides={"openai/gpt-4o": {"context": 9}}).context == 9
    assert catalog.look_up("b", "custom", overrides={"openai/b": {"context": 9}}, written="openai/b").context == 9


@pytest.mark.parametrize(
    "table", [5, {"contxt": 5}, {"context": "many"}, {"context": 0}, {"vision": 1}, {"input_price": -1}]
)
def test_overrides_that_cannot_be_read(table: Any) -> None:
    with pytest.raises(BadRequest, match=r'models\."m"'):
        catalog.look_up("m", overrides={"m": table})


def test_models_of_a_provider() -> None:
    names = [one.id for one in catalog.models_of("google")]
    assert "gemini-2.5-pro" in names
    assert names == sorted(names)
    assert not any(one.startswith("gemini/") for one in names)


def test_litellm_is_not_imported() -> None:
    program = """
import sys
from oi_tui.models import catalog
assert catalog.look_up("gpt-4o", "openai").known
print("litellm" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

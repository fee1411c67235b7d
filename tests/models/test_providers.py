"""From names to servers: prefixes, patterns, own addresses, keys, a person's own tables."""

from typing import Any

import pytest

from oi_tui.models import shaping
from oi_tui.models.client import AuthError, BadRequest, ModelError, ModelNotFound
from oi_tui.models.connect import connect
from oi_tui.models.litellm_client import LitellmClient
from oi_tui.models.providers import Target, built_in, known, ollama_root, resolve, with_key
from tests.mock_model import MockModel

_KEYS = {name: f"key-{name}" for one in built_in().values() for name in one.key_env}


def _target(model: str, **more: Any) -> Target:
    return resolve(model, environ=more.pop("environ", _KEYS), **more)


@pytest.mark.parametrize(
    ("model", "provider", "sent"),
    [
        ("gpt-4o", "openai", "gpt-4o"),
        ("openai/gpt-4o", "openai", "gpt-4o"),
        ("o3-mini", "openai", "o3-mini"),
        ("claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"),
        ("claude-3.5", "anthropic", "claude-3-5-sonnet-20240620"),
        ("gemini/gemini-2.5-pro", "google", "gemini-2.5-pro"),
        ("gemini-2.5-pro", "google", "gemini-2.5-pro"),
        ("deepseek/deepseek-chat", "deepseek", "deepseek-chat"),
        ("kimi-k2.6", "moonshot", "kimi-k2.6"),
        ("glm-4.6", "zai", "glm-4.6"),
        ("grok-4.5", "xai", "grok-4.5"),
        ("codestral-latest", "mistral", "codestral-latest"),
        ("qwen-max", "dashscope", "qwen-max"),
        ("groq/openai/gpt-oss-120b", "groq", "openai/gpt-oss-120b"),
        ("openrouter/a/b:free", "openrouter", "a/b:free"),
        ("together_ai/Qwen/Qwen3", "together", "Qwen/Qwen3"),
        ("fireworks_ai/accounts/x", "fireworks", "accounts/x"),
        ("github/openai/gpt-4.1", "github", "openai/gpt-4.1"),
        ("ollama/qwen3", "ollama", "qwen3"),
        ("ollama/llama3:latest", "ollama", "llama3"),
        ("ollama_chat/llama3:8b", "ollama", "llama3:8b"),
        ("llama3:8b", "ollama", "llama3:8b"),
        ("lm_studio/openai/gpt-oss-20b", "lmstudio", "openai/gpt-oss-20b"),
        ("jan/x", "jan", "x"),
        ("  gpt-4o ", "openai", "gpt-4o"),
    ],
)
def test_by_name(model: str, provider: str, sent: str) -> None:
    target = _target(model)
    assert (target.provider.id, target.request_model) == (provider, sent)
    assert target.key == ("" if target.provider.local else f"key-{target.provider.key_env[0]}")


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("x", "x"),
        ("openai/x", "x"),
        ("azure/dep-1", "dep-1"),
        ("huggingface/org/name", "org/name"),
        ("openrouter/a/b:free", "a/b:free"),
        ("local/qwen2.5-coder:7b", "qwen2.5-coder:7b"),
        ("openai/azure/x", "azure/x"),
        ("meta-llama/Llama-3", "meta-llama/Llama-3"),
        ("ollama/llama3", "llama3"),
    ],
)
def test_own_base_sends_the_name_as_given(model: str, sent: str) -> None:
    target = _target(model, api_base="http://127.0.0.1:9/v1/", environ={})
    assert (target.request_model, target.base_url, target.key) == (sent, "http://127.0.0.1:9/v1", "")
    assert "127.0.0.1:9" in target.describe()


def test_own_base_that_is_a_known_provider() -> None:
    target = _target("openai/gpt-4o", api_base="https://openrouter.ai/api/v1")
    assert (target.provider.id, target.request_model) == ("openrouter", "openai/gpt-4o")
    assert target.key == "key-OPENROUTER_API_KEY"


@pytest.mark.parametrize(
    ("api_base", "base"),
    [
        ("http://h:1/v1/chat/completions", "http://h:1/v1"),
        ("localhost:8000/v1", "http://localhost:8000/v1"),
        ("192.168.1.7:8000/v1", "http://192.168.1.7:8000/v1"),
        ("llm.example.com/v1", "https://llm.example.com/v1"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1"),
    ],
)
def test_tidy_bases(api_base: str, base: str) -> None:
    assert _target("x", api_base=api_base).base_url == base


@pytest.mark.parametrize("api_base", ["ftp://h/v1", "http://", "http://h:notaport/v1", "http://[x/v1"])
def test_bases_that_are_none(api_base: str) -> None:
    with pytest.raises(BadRequest, match="base URL"):
        _target("x", api_base=api_base)


def test_ollama_with_its_bare_address() -> None:
    target = _target("ollama/llama3", api_base="http://10.0.0.5:11434", environ={})
    assert (target.provider.id, target.base_url) == ("ollama", "http://10.0.0.5:11434/v1")


@pytest.mark.parametrize(
    ("host", "root"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("10.1.2.3", "http://10.1.2.3:11434"),
        ("10.1.2.3:99", "http://10.1.2.3:99"),
        (":99", "http://127.0.0.1:99"),
        ("http://box:99/", "http://box:99"),
        ("http://box:99/v1", "http://box:99"),
        ("https://box", "https://box"),
        ("[::1]:99", "http://[::1]:99"),
    ],
)
def test_ollama_host(host: str, root: str) -> None:
    assert ollama_root(host) == root
    assert _target("ollama/x", environ={"OLLAMA_HOST": host}).base_url == root + "/v1"


def test_base_from_the_environment() -> None:
    environ = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://gateway.test/v1/"}
    assert _target("gpt-4o", environ=environ).base_url == "http://gateway.test/v1"


def test_missing_key_names_the_variable() -> None:
    with pytest.raises(AuthError) as caught:
        _target("deepseek-chat", environ={"DEEPSEEK_API_KEY": "  "})
    assert "DEEPSEEK_API_KEY" in str(caught.value)
    assert "--api_key" in caught.value.hint


@pytest.mark.parametrize("key", ["sk-abc\n", " sk-abc ", "sk-abc\r\n"])
async def test_keys_are_trimmed(key: str) -> None:
    with MockModel(api_key="sk-abc") as mock:
        client = connect(resolve("m", api_base=mock.url, environ={"OPENAI_API_KEY": key}))
        _ = [delta async for delta in client.stream({"messages": [{"role": "user", "content": "x"}]})]
        await client.close()
        assert mock.headers[0]["authorization"] == "Bearer sk-abc"


@pytest.mark.parametrize("key", ["sk-\u00fcber", "sk a b", "sk\nab", "sk-\u200babc"])
def test_keys_that_no_header_can_hold(key: str) -> None:
    with pytest.raises(AuthError) as caught:
        _target("gpt-4o", environ={"OPENAI_API_KEY": key})
    assert "OPENAI_API_KEY" in str(caught.value)
    assert key not in str(caught.value)
    with pytest.raises(AuthError, match="--api_key"):
        _target("gpt-4o", api_key=key)


def test_given_key_wins_and_is_not_in_the_repr() -> None:
    target = _target("gpt-4o", api_key="mine-1234")
    assert target.key == "mine-1234"
    assert "mine-1234" not in repr(target)


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("", BadRequest),
        ("  ", BadRequest),
        ("nobody-knows", ModelNotFound),
        ("nobody/x", ModelNotFound),
        ("azure/x", BadRequest),
    ],
)
def test_names_that_lead_nowhere(model: str, kind: type[ModelError]) -> None:
    with pytest.raises(kind) as caught:
        _target(model)
    assert caught.value.hint


def test_named_provider() -> None:
    target = _target("openai/gpt-oss-20b", provider="lmstudio")
    assert (target.provider.id, target.request_model) == ("lmstudio", "openai/gpt-oss-20b")
    assert _target("deepseek-x", provider="deepseek").request_model == "deepseek-x"
    with pytest.raises(BadRequest, match="nosuch"):
        _target("x", provider="nosuch")


_TABLES = {
    "corp": {
        "name": "Corp",
        "base_url": "http://corp.test/v1/",
        "wire_api": "chat",
        "env_key": "CORP_KEY",
        "http_headers": {"X-Team": " a "},
        "env_http_headers": {"X-User": "CORP_USER"},
        "query_params": {"api-version": "2"},
        "request_max_retries": 1,
        "stream_idle_timeout_ms": 5000,
        "quirks": {"token_key": "max_completion_tokens", "tool_choice": False},
    },
    "openai": {"base_url": "http://proxy.test/v1"},
}


def test_tables_of_the_config() -> None:
    target = _target("corp/big/one", tables=_TABLES, environ={"CORP_KEY": "k1", "CORP_USER": "me"})
    assert target.request_model == "big/one"
    assert target.url("chat/completions") == "http://corp.test/v1/chat/completions?api-version=2"
    assert target.headers == {"X-Team": "a", "X-User": "me"}
    assert (target.key, target.retry.requests, target.idle) == ("k1", 1, 5.0)
    changed = _target("gpt-4o", tables=_TABLES)
    assert (changed.base_url, changed.provider.name) == ("http://proxy.test/v1", "OpenAI")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"name": "x"}, "base_url"),
        ({"base_url": "http://x", "nonsense": 1}, "nonsense"),
        ({"base_url": 5}, "base_url"),
        ({"base_url": "http://x", "wire_api": "morse"}, "wire_api"),
        ({"base_url": "http://x", "request_max_retries": 1000}, "request_max_retries"),
        ({"base_url": "http://x", "http_headers": ["a"]}, "http_headers"),
        ({"base_url": "http://x", "quirks": {"odd": True}}, "odd"),
        ({"base_url": "http://x", "quirks": {"token_key": "tokens"}}, "token_key"),
        ("text", "table"),
    ],
)
def test_tables_that_cannot_be_read(table: Any, says: str) -> None:
    with pytest.raises(BadRequest) as caught:
        known({"mine": table})
    assert "model_providers.mine" in str(caught.value)
    assert says in str(caught.value)


def test_header_that_no_server_takes() -> None:
    table = {"base_url": "http://x/v1", "http_headers": {"X-Device": "J\u00fcrgens Mac"}}
    with pytest.raises(BadRequest, match="X-Device"):
        _target("mine/x", tables={"mine": table})


def test_shape() -> None:
    body = {"messages": [], "max_tokens": 5, "tool_choice": "auto", "tools": [], "temperature": 0.5}
    assert shaping.chat(_target("o3-mini"), body) == {
        "messages": [], "model": "o3-mini", "stream": True, "max_completion_tokens": 5
    }  # fmt: skip
    tools = {"tools": [{"type": "function"}], "tool_choice": "auto", "parallel_tool_calls": True}
    shaped = shaping.chat(_target("corp/x", tables=_TABLES, environ={"CORP_KEY": "k"}), tools)
    assert "tool_choice" not in shaped
    assert shaped["parallel_tool_calls"] is True
    assert "stream_options" not in shaping.chat(_target("mistral/x"), {"stream_options": {"include_usage": True}})
    assert body["max_tokens"] == 5


@pytest.mark.parametrize(
    ("model", "wire_api", "wire"),
    [
        ("gpt-4o", "", "chat"),
        ("gpt-4o", "responses", "responses"),
        ("gpt-5-codex", "", "responses"),
        ("o3-pro", "", "responses"),
        ("claude-sonnet-4-5", "", "messages"),
        ("minimax/MiniMax-M2", "", "messages"),
    ],
)
async def test_wires(model: str, wire_api: str, wire: str) -> None:
    client = connect(_target(model, wire_api=wire_api))
    assert client.wire == wire
    await client.close()


def test_a_wire_that_there_is_not() -> None:
    with pytest.raises(BadRequest, match="morse"):
        connect(_target("gpt-4o", wire_api="morse"))


@pytest.mark.parametrize(
    "given", ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/messages", "http://h:1/gateway"]
)
def test_addresses_of_anthropic_servers(given: str) -> None:
    base = "http://h:1/gateway/v1" if "gateway" in given else "http://h:1/v1"
    environ = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": given}
    assert _target("claude-sonnet-4-5", environ=environ).base_url == base
    target = _target("anthropic/claude-sonnet-4-5", api_base=given)
    assert (target.base_url, target.wire, target.request_model) == (base, "messages", "claude-sonnet-4-5")


@pytest.mark.parametrize(
    ("model", "id", "sent", "catalog"),
    [
        ("bedrock/anthropic.claude-x", "bedrock", "bedrock/anthropic.claude-x", "anthropic.claude-x"),
        ("bedrock_converse/amazon.nova", "bedrock", "bedrock_converse/amazon.nova", "amazon.nova"),
        ("vertex_ai/gemini-x", "vertex_ai", "vertex_ai/gemini-x", "gemini-x"),
        ("sambanova/some-model", "sambanova", "sambanova/some-model", "some-model"),
        ("snowflake/some-model", "snowflake", "snowflake/some-model", "some-model"),
        ("azure/dep-1", "azure", "azure/dep-1", "dep-1"),
    ],
)
def test_models_that_only_litellm_knows(model: str, id: str, sent: str, catalog: str) -> None:
    target = _target(model, environ={"AZURE_API_BASE": "https://me.openai.azure.com"})
    assert (target.wire, target.provider.id, target.request_model) == ("litellm", id, sent)
    assert (target.catalog_model, target.base_url) == (catalog, "")


def test_azure_address_is_asked_through_litellm() -> None:
    target = _target("azure/dep-1", api_base="https://me.openai.azure.com")
    assert (target.wire, target.base_url) == ("litellm", "https://me.openai.azure.com")


def test_bare_name_of_the_catalog() -> None:
    target = _target("command-r-plus-08-2024", environ={"COHERE_API_KEY": "k"})
    assert (target.wire, target.request_model, target.key) == ("litellm", "cohere/command-r-plus-08-2024", "k")
    with pytest.raises(AuthError, match="COHERE_API_KEY"):
        _target("cohere/command-r-plus-08-2024", environ={})


@pytest.mark.parametrize(
    ("model", "more", "sent", "base"),
    [
        ("gpt-4o", {}, "openai/gpt-4o", ""),
        ("gemini-2.5-flash", {}, "gemini/gemini-2.5-flash", ""),
        ("claude-sonnet-4-5", {}, "anthropic/claude-sonnet-4-5", ""),
        ("anthropic/claude-sonnet-4-5", {"api_base": "http://h:1"}, "anthropic/claude-sonnet-4-5", "http://h:1/v1"),
        ("x", {"api_base": "http://h:1/v1"}, "openai/x", "http://h:1/v1"),
        ("ollama/llama3", {}, "openai/llama3", "http://127.0.0.1:11434/v1"),
        ("moonshot-cn/kimi-x", {}, "openai/kimi-x", "https://api.moonshot.cn/v1"),
    ],
)
def test_everything_through_litellm(model: str, more: dict[str, str], sent: str, base: str) -> None:
    target = _target(model, backend="litellm", **more)
    assert (target.wire, target.request_model, target.base_url) == ("litellm", sent, base)
    assert target.key or not base.startswith("https")


def test_with_key() -> None:
    assert [one.id for one in with_key(environ={"GROQ_API_KEY": "x", "MISTRAL_API_KEY": " "})] == ["groq"]
    assert with_key(environ={}) == []


@pytest.mark.parametrize(
    ("model", "api_base", "wire", "sent"),
    [
        ("azure/dep", "https://r.openai.azure.com", "litellm", "azure/dep"),
        ("dep", "https://r.openai.azure.com/", "litellm", "azure/dep"),
        ("azure_ai/dep", "https://r.services.ai.azure.com", "litellm", "azure_ai/dep"),
        ("azure/dep", "https://r.openai.azure.com/openai/v1/", "chat", "dep"),
        ("dep", "https://r.openai.azure.com/openai/v1", "chat", "dep"),
    ],
)
def test_addresses_of_azure(model: str, api_base: str, wire: str, sent: str) -> None:
    target = _target(model, api_base=api_base, environ={})
    assert (target.wire, target.request_model) == (wire, sent)


@pytest.mark.parametrize(
    ("name", "provider"),
    [("command-r", "cohere"), ("j2-light", "ai21"), ("dolphin", "nlp_cloud"), ("chat-bison", "vertex_ai")],
)
def test_bare_names_of_classic_models(name: str, provider: str) -> None:
    keys = {"COHERE_API_KEY": "k", "AI21_API_KEY": "k", "NLP_CLOUD_API_KEY": "k"}
    target = _target(name, environ=keys)
    assert (target.provider.id, target.request_model) == (provider, f"{provider}/{name}")


def test_an_api_version_goes_into_the_address() -> None:
    target = _target("x", api_base="http://h:1/v1", api_version="2025-01-01", environ={})
    assert target.url("chat/completions") == "http://h:1/v1/chat/completions?api-version=2025-01-01"


def test_openrouter_is_told_who_asks_where_the_person_says_so() -> None:
    environ = {"OPENROUTER_API_KEY": "k", "OR_SITE_URL": "https://a.test", "OR_APP_NAME": "mine"}
    assert _target("openrouter/a/b", environ=environ).headers == {"HTTP-Referer": "https://a.test", "X-Title": "mine"}
    assert _target("openrouter/a/b", environ={"OPENROUTER_API_KEY": "k"}).headers == {}


def test_a_provider_of_litellm_can_be_changed_by_config() -> None:
    tables = {"bedrock": {"aws": {"profile": "work", "region": "eu-west-1"}}}
    target = _target("bedrock/anthropic.claude-v9", tables=tables, environ={})
    assert (target.wire, target.request_model) == ("litellm", "bedrock/anthropic.claude-v9")
    client = connect(target)
    assert isinstance(client, LitellmClient)
    params = client._params({"messages": []})
    assert (params["aws_profile_name"], params["aws_region_name"]) == ("work", "eu-west-1")
    with pytest.raises(BadRequest, match="aws"):
        known({"bedrock": {"aws": {"account": "x"}}})


def test_a_query_of_the_base_url_stays_at_the_end() -> None:
    for base in ("http://h:1/v1?key=1&v=2", "http://h:1/v1/?key=1&v=2", "http://h:1/v1/chat/completions?key=1&v=2#top"):
        assert _target("x", api_base=base, environ={}).url("chat/completions") == (
            "http://h:1/v1/chat/completions?key=1&v=2"
        )

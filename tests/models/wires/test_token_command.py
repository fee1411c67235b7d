"""Keys that a command prints: asked once, again after a refusal, and what goes wrong is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oi_tui.models.client import AuthError, BadRequest
from oi_tui.models.connect import connect
from oi_tui.models.providers import known, resolve
from oi_tui.models.wires.retry import RetryPolicy
from tests.mock_model import MockModel, say

_BODY: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}]}


def _tables(url: str, **auth: Any) -> dict[str, Any]:
    return {"corp": {"base_url": url, "wire": "chat", "auth": {"command": "sh", **auth}}}


async def _ask(url: str, times: int = 1, **auth: Any) -> None:
    """Ask that often over one client; an AuthError of the server in between is passed over."""
    client = connect(resolve("corp/x", tables=_tables(url, **auth), environ={}), retry=RetryPolicy(requests=0))
    try:
        for left in reversed(range(times)):
            try:
                _ = [delta async for delta in client.stream(_BODY)]
            except AuthError as error:
                if not left or error.status is None:
                    raise
    finally:
        await client.close()


async def test_the_command_is_asked_once_and_again_after_a_refusal(tmp_path: Path) -> None:
    counting = ["-c", "echo x >> runs; printf 'key-%d\\n' $(wc -l < runs)"]
    with MockModel([say("a"), say("b")]) as mock:
        await _ask(mock.url, times=2, args=counting, cwd=str(tmp_path))
        assert [one["authorization"] for one in mock.headers] == ["Bearer key-1"] * 2
    with MockModel([say("a")], api_key="key-3") as mock:
        await _ask(mock.url, times=2, args=counting, cwd=str(tmp_path))
        sent = [one.headers["authorization"] for one in mock.received if one.method == "POST"]
        assert sent == ["Bearer key-2", "Bearer key-3"]


@pytest.mark.parametrize(
    ("auth", "why"),
    [
        ({"args": ["-c", "exit 3"]}, "exit code 3"),
        ({"args": ["-c", "true"]}, "does not print one key"),
        ({"args": ["-c", "echo two words"]}, "does not print one key"),
        ({"args": ["-c", "sleep 60"], "timeout_ms": 50}, "longer than 0.05 s"),
        ({"command": "no-such-program-at-all"}, "no such file"),
        ({"cwd": "/nowhere"}, "no such file"),
    ],
)
async def test_what_goes_wrong_is_told(auth: dict[str, Any], why: str) -> None:
    with MockModel() as mock:
        with pytest.raises(AuthError, match=why) as caught:
            await _ask(mock.url, **auth)
        assert mock.received == []
    assert "auth table" in caught.value.hint


@pytest.mark.parametrize(
    "table",
    [{"auth": 5}, {"auth": {}}, {"auth": {"command": "a", "timeout_ms": 0}}, {"auth": {"command": "a", "b": 1}}],
)
def test_tables_that_cannot_be_read(table: dict[str, Any]) -> None:
    with pytest.raises(BadRequest, match="auth"):
        known({"corp": {"base_url": "http://h/v1", **table}})


def test_a_key_comes_from_one_place() -> None:
    with pytest.raises(BadRequest, match="not both"):
        known({"corp": {"base_url": "http://h/v1", "auth": {"command": "a"}, "env_key": "K"}})

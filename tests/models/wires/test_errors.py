"""Reading refusals: waits, sentences, masked keys."""

import json
import time
from email.utils import formatdate
from typing import Any

import pytest

from oi_tui.models import client as kinds
from oi_tui.models.wires.errors import Names, from_response, from_stream, retry_after

_NAMES = Names("Prov", "mod", "https://x.test/v1", key_from="PROV_API_KEY", key="topsecret1")


@pytest.mark.parametrize(
    ("headers", "sentence", "seconds"),
    [
        ({"retry-after": "3"}, "", 3.0),
        ({"retry-after": "1.5"}, "", 1.5),
        ({"retry-after": "-4"}, "", 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, "", 0.25),
        ({"retry-after": "soon"}, "", None),
        ({}, "Rate limit reached. Please try again in 20s.", 20.0),
        ({}, "Please retry after 6m0.5s", 360.5),
        ({}, "try again in 350ms", 0.35),
        ({}, "Please wait 12 seconds", 12.0),
        ({}, "slow down", None),
    ],
)
def test_retry_after(headers: dict[str, str], sentence: str, seconds: float | None) -> None:
    assert retry_after(headers, sentence) == (None if seconds is None else pytest.approx(seconds))


def test_retry_after_as_a_date() -> None:
    seconds = retry_after({"retry-after": formatdate(time.time() + 100, usegmt=True)})
    assert seconds is not None
    assert 60 < seconds <= 100


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "say so"}}',
        b'{"error": "say so"}',
        b'{"message": "say so"}',
        b'{"detail": "say so"}',
        b'{"detail": [{"msg": "say so"}]}',
        b'[{"error": {"message": "say so"}}]',
        b'{"error": {"message": "Provider returned error", "metadata": {"raw": "say so"}}}',
        b"say so",
        b"<!doctype html><html><title>say so</title></html>",
    ],
)
def test_the_providers_sentence(body: bytes) -> None:
    error = from_response(_NAMES, 400, {}, body)
    assert "say so" in str(error)
    assert "Prov, model mod" in str(error)
    assert "HTTP 400" in str(error)


@pytest.mark.parametrize("body", [b"", b"{}", b"null", b"\xff\xfe", b"[]", b'{"error": null}', b'{"error": 5}'])
def test_bodies_without_one(body: bytes) -> None:
    assert "HTTP 500" in str(from_response(_NAMES, 500, {}, body))


def test_long_bodies_are_cut() -> None:
    assert len(str(from_response(_NAMES, 400, {}, b"x" * 100_000))) < 1000


@pytest.mark.parametrize(
    "key", ["topsecret1", "sk-TEST123", "sk-proj-abc_DEF-1234567890", "gsk_abcdefgh12", "AIzaSyA1234567"]
)
def test_keys_are_masked(key: str) -> None:
    error = from_response(_NAMES, 401, {}, f'{{"error": "bad key {key}, header Bearer {key}"}}'.encode())
    assert key not in str(error) + error.hint
    assert "PROV_API_KEY" in error.hint


def test_ordinary_words_are_not_masked() -> None:
    assert "the key-value store and sk-learn" in str(
        from_response(_NAMES, 400, {}, b"the key-value store and sk-learn")
    )


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("overloaded", kinds.Overloaded),
        ({"message": "x", "type": "overloaded_error"}, kinds.Overloaded),
        ({"message": "x", "code": 502}, kinds.ServerFailed),
        ({"message": "x", "code": 429}, kinds.RateLimited),
        ({"message": "x", "type": "rate_limit_error"}, kinds.RateLimited),
        ({"message": "x", "code": "context_length_exceeded"}, kinds.ContextTooLong),
        ({"message": "x", "code": "insufficient_quota"}, kinds.QuotaError),
    ],
)
def test_errors_in_the_stream(error: Any, kind: type[Exception]) -> None:
    assert type(from_stream(_NAMES, error)) is kind


def test_no_secret_is_told() -> None:
    names = Names("P", "m", "https://me:hunter2@x.test/v1", key="topsecret1", secrets=("another-secret", "v1"))
    body = b'{"error": {"message": "topsecret1, another-secret, v1, https://me:hunter2@x.test, sk-abcdefghijkl"}}'
    error = from_response(names, 404, {}, body)
    shown = str(error) + error.hint
    assert not any(one in shown for one in ("topsecret1", "another-secret", "hunter2", "abcdefghijkl"))
    assert "v1" in shown
    assert "x.test" in error.hint


@pytest.mark.parametrize("inner", ['{"error": {"message": "say so"}}', '[{"message": "say so"}]'])
def test_an_error_that_was_passed_on_as_text(inner: str) -> None:
    error = from_response(_NAMES, 400, {}, json.dumps({"error": {"message": inner, "code": 400}}).encode())
    assert str(error).endswith(": say so")

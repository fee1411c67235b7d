"""Reports on providers: limits, wrong keys, quota, proxies, certificates, headers and names of models."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

import pytest

from tests.mock_model import MockModel, answer, code, http, say
from tests.user_reports.driver import Done, home, run_exec, sessions, work_folder

_SECRET = "sk-TEST123"


def test_ur_051_a_rate_limit_is_waited_for() -> None:
    script = [http(429, {"error": {"message": "slow down"}}, {"retry-after": "2"}), http(503), http(529), say("ok")]
    with MockModel(script) as mock:
        done = run_exec(mock)
        assert mock.times[1] - mock.times[0] >= 2.0
    assert (done.code, done.out) == (0, "ok\n")
    assert "trying again in 2 s" in done.err


def test_ur_051_a_server_that_fails_for_ever_ends_the_turn_and_keeps_the_conversation() -> None:
    with MockModel([http(500, {"error": {"message": "out of order"}})] * 50) as mock:
        done = run_exec(mock, "first thing")
        assert done.code == 1
        assert 1 < len(done.requests) <= 10
        assert "out of order" in done.err
        mock.script.clear()
        again = run_exec(mock, "second thing", "--resume", sessions()[0].stem)
    assert (again.code, again.out) == (0, "done\n")
    said = [one["content"] for one in again.requests[0]["messages"] if one["role"] == "user"]
    assert "first thing" in said
    assert said[-1] == "second thing"


def _nowhere(secret: str, done: Done) -> None:
    """The secret is on no screen and in no file below the program's folder."""
    assert secret not in done.out + done.err
    for file in (one for one in home().rglob("*") if one.is_file()):
        assert secret.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_ur_052_a_wrong_key_is_named_and_masked(flags: tuple[str, ...]) -> None:
    refusal = http(401, {"error": {"message": f"Incorrect API key provided: {_SECRET}"}})
    with MockModel([refusal]) as mock:
        done = run_exec(mock, "hello", *flags, env={"OPENAI_API_KEY": _SECRET})
    assert done.code == 1
    assert len(done.requests) == 1
    assert "OPENAI_API_KEY" in done.err + done.out
    assert "Incorrect API key" in done.err + done.out
    _nowhere(_SECRET, done)


def test_ur_052_no_key_at_all() -> None:
    done = run_exec(None, model="openai/gpt-4o")
    assert done.code == 2
    cause, hint = done.err.strip().splitlines()
    assert "OpenAI needs a key, and OPENAI_API_KEY is not set" in cause
    assert "set OPENAI_API_KEY" in hint


def test_ur_053_quota_and_refusal_are_told_apart() -> None:
    quota = http(429, {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}})
    with MockModel([quota]) as mock:
        first = run_exec(mock)
    with MockModel([http(403, {"error": {"message": "model not allowed"}})]) as mock:
        second = run_exec(mock)
    assert (first.code, second.code) == (1, 1)
    assert (len(first.requests), len(second.requests)) == (1, 1)
    assert "billing" in first.err
    assert "model not allowed" in second.err
    assert "billing" not in second.err
    assert "quota" not in second.err


_PROXIES = {"HTTPS_PROXY": None, "HTTP_PROXY": None, "ALL_PROXY": None, "http_proxy": None, "https_proxy": None}


def test_ur_055_no_proxy_is_honoured() -> None:
    with MockModel([say("ok")]) as mock:
        done = run_exec(
            mock, env={**_PROXIES, "HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1", "no_proxy": None}
        )
    assert (done.code, done.out) == (0, "ok\n"), done.err


def test_ur_055_an_empty_proxy_is_none() -> None:
    with MockModel([say("ok")]) as mock:
        done = run_exec(mock, env={**_PROXIES, "ALL_PROXY": "", "HTTP_PROXY": "", "NO_PROXY": None, "no_proxy": None})
    assert (done.code, done.out) == (0, "ok\n"), done.err


def test_ur_055_an_unusable_proxy_is_one_message() -> None:
    env = {
        **_PROXIES,
        "HTTPS_PROXY": "socks5://127.0.0.1:9",
        "OPENAI_API_KEY": "sk-x",
        "NO_PROXY": None,
        "no_proxy": None,
    }
    done = run_exec(None, model="openai/gpt-4o", env=env, timeout=60)
    assert done.code == 1
    assert "socks5" in done.err or "proxy" in done.err.lower()


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate of our own for 127.0.0.1, and a server context with it."""
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    line = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    made = subprocess.run([*line.split(), "-keyout", key, "-out", cert], capture_output=True)
    assert made.returncode == 0, made.stderr
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return cert, context


def test_ur_055_a_private_certificate_authority(certificate: tuple[Path, ssl.SSLContext]) -> None:
    file, context = certificate
    with MockModel([say("ok")], tls=context) as mock:
        done = run_exec(mock, env={"SSL_CERT_FILE": str(file)})
        refused = run_exec(mock, env={"SSL_CERT_FILE": None})
    assert (done.code, done.out) == (0, "ok\n"), done.err
    assert refused.code == 1
    assert "SSL_CERT_FILE" in refused.err


@pytest.mark.parametrize("key", ["sk-abc\n", "sk-abc\r\n", "  sk-abc "])
def test_ur_056_white_space_around_a_key_is_dropped(key: str) -> None:
    with MockModel([say("ok")]) as mock:
        done = run_exec(mock, env={"OPENAI_API_KEY": key, "USER": "J\u00fcrgen", "HOSTNAME": "b\u00fcro"})
        assert done.code == 0, done.err
        assert mock.headers[0]["authorization"] == "Bearer sk-abc"
    assert all(value.isascii() for value in mock.headers[0].values())


def test_ur_056_a_key_that_no_header_can_hold_is_refused() -> None:
    with MockModel() as mock:
        done = run_exec(mock, env={"OPENAI_API_KEY": "sk-\u00e4bc"})
        assert mock.received == []
    assert done.code == 2
    assert "OPENAI_API_KEY" in done.err


@pytest.mark.parametrize("name", ["", "   "])
def test_ur_056_an_empty_model_is_refused_before_any_request(name: str) -> None:
    with MockModel() as mock:
        done = run_exec(mock, "hello", "--model", name, "-ab", mock.url, model="")
        assert mock.received == []
    assert done.code == 2
    assert "model" in done.err


_NAMES = {
    "x": "x",
    "openai/x": "x",
    "azure/dep-1": "dep-1",
    "huggingface/org/name": "org/name",
    "openrouter/a/b:free": "a/b:free",
    "local/qwen2.5-coder:7b": "qwen2.5-coder:7b",
    "org/name": "org/name",
}


@pytest.mark.parametrize(("given", "sent"), _NAMES.items())
def test_ur_057_names_of_models_at_an_own_address(given: str, sent: str) -> None:
    with MockModel([say("ok")]) as mock:
        done = run_exec(mock, model=given)
    assert done.code == 0, done.err
    assert done.requests[0]["model"] == sent


def test_ur_103_keys_are_in_no_file_and_not_given_to_code() -> None:
    secret = "sk-SECRET-1"
    with MockModel(
        [code("shell", "python3 -c 'import os; print(os.environ)' | grep SECRET; echo end"), say("ok")]
    ) as mock:
        done = run_exec(mock, env={"OPENAI_API_KEY": secret})
        assert mock.headers[0]["authorization"] == f"Bearer {secret}"
    assert done.code == 0
    assert "sk-SECRET" not in str(done.requests)
    _nowhere(secret, done)
    for file in (one for one in home().rglob("*") if one.is_file()):
        assert file.stat().st_mode & 0o077 == 0, file


def test_ur_103_a_key_in_the_config_file_stays_there() -> None:
    secret = "sk-SECRET-2"
    home().mkdir(mode=0o700)
    (home() / "config.toml").write_text(f'[llm]\napi_key = "{secret}"\n')
    script = [
        answer(
            say("I look. "),
            code("shell", "ps -eo args | grep [S]ECRET-2; python3 -c 'import os; print(os.environ)' | grep [S]ECRET"),
        )
    ]
    with MockModel([*script, http(401, {"error": {"message": f"wrong key {secret}"}})]) as mock:
        done = run_exec(mock, cwd=work_folder())
        assert mock.headers[0]["authorization"] == f"Bearer {secret}"
    assert done.code == 1
    assert "No output" in done.results[0]
    assert secret not in done.out + done.err
    held = [one for one in home().rglob("*") if one.is_file() and secret in one.read_text(errors="replace")]
    assert held == [home() / "config.toml"]

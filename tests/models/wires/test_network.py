"""Proxies and certificates: what the environment says is done, or refused in one clear sentence."""

import asyncio
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oi_tui.models.client import Unreachable
from oi_tui.models.connect import connect
from oi_tui.models.providers import resolve
from oi_tui.models.wires.certificates import in_one_file
from oi_tui.models.wires.http import find_proxy
from oi_tui.models.wires.retry import RetryPolicy
from oi_tui.protocol.stream import TextDelta
from tests.mock_model import MockModel, say

_BODY = {"messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.parametrize(
    ("url", "environ", "expected"),
    [
        ("https://api.test/v1", {}, ""),
        ("https://api.test/v1", {"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ("https://api.test/v1", {"https_proxy": "p:1"}, "http://p:1"),
        ("https://api.test/v1", {"HTTP_PROXY": "http://p:1"}, ""),
        ("http://api.test/v1", {"ALL_PROXY": "socks5://p:1"}, "socks5://p:1"),
        ("http://api.test/v1", {"ALL_PROXY": ""}, ""),
        ("https://api.test/v1", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "other.test, .test"}, ""),
        ("https://api.test/v1", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "api.test:443"}, "http://p:1"),
        ("https://api.test:443/v1", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "api.test:443"}, ""),
        ("https://myapi.test/v1", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "api.test"}, "http://p:1"),
        ("http://10.1.2.3/v1", {"HTTP_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8"}, ""),
        ("http://api.test/v1", {"HTTP_PROXY": "http://p:1", "NO_PROXY": "*"}, ""),
        ("http://127.0.0.1:11434/v1", {"HTTP_PROXY": "http://p:1"}, ""),
        ("http://localhost:1234/v1", {"ALL_PROXY": "http://p:1"}, ""),
    ],
)
def test_which_proxy(url: str, environ: dict[str, str], expected: str) -> None:
    assert find_proxy(url, environ) == expected


async def _ask(url: str, **more: Any) -> str:
    client = connect(resolve("m", api_base=url, environ={}, **more), retry=RetryPolicy(requests=0))
    try:
        return "".join([one.text async for one in client.stream(_BODY) if isinstance(one, TextDelta)])
    finally:
        await client.close()


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "ftp://127.0.0.1:9", "http://[bad"])
async def test_proxy_that_cannot_be_used(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(Unreachable) as caught:
        await _ask("https://api.test/v1")
    assert "proxy" in str(caught.value)
    assert "HTTPS_PROXY" in caught.value.hint
    assert not caught.value.retryable


async def test_password_of_a_proxy_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "ftp://me:hunter22@127.0.0.1:9")
    with pytest.raises(Unreachable) as caught:
        await _ask("http://api.test/v1")
    assert "hunter22" not in str(caught.value)


async def test_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with MockModel([say("by proxy")]) as mock:  # a plain request through a proxy is a request with the whole address
        monkeypatch.setenv("HTTP_PROXY", mock.root)
        with pytest.raises(Exception, match=r"no such address: POST http://api\.test/v1/chat/completions"):
            await _ask("http://api.test/v1")
        assert mock.received[0].headers["host"] == "api.test"


async def test_loopback_is_reached_although_a_proxy_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY")
    monkeypatch.delenv("no_proxy")
    with MockModel([say("direct")]) as mock:
        assert await _ask(mock.url) == "direct"


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, ssl.SSLContext]:
    """A self-signed certificate for 127.0.0.1, and a server's context with it."""
    made, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-out", str(made), "-keyout", str(key)]
    try:
        subprocess.run([*command, *names], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed, so no certificate can be made")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return made, context


async def test_own_authority(certificate: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch) -> None:
    path, context = certificate
    with MockModel([say("secure")], tls=context) as mock:
        with pytest.raises(Unreachable) as caught:
            await _ask(mock.url)
        assert "not trusted" in str(caught.value)
        assert "SSL_CERT_FILE" in caught.value.hint
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        assert await _ask(mock.url) == "secure"


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", ""])
async def test_own_authority_by_other_ways(
    name: str, certificate: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, context = certificate
    if name:
        monkeypatch.setenv(name, str(path))
    with MockModel([say("secure")], tls=context) as mock:
        assert await _ask(mock.url, ca_bundle="" if name else str(path)) == "secure"


async def test_a_bundle_that_is_not_there() -> None:
    with pytest.raises(Unreachable) as caught:
        await _ask("https://127.0.0.1:9/v1", ca_bundle="/nowhere/ca.pem")
    assert "llm.ca_bundle" in caught.value.hint


async def test_the_proxy_of_the_settings_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with MockModel() as mock:
        with pytest.raises(Exception, match="no such address: POST http://api"):
            await _ask("http://api.test/v1", proxy=mock.root)
        with pytest.raises(Unreachable):
            await _ask("http://api.test/v1")
        assert len([one for one in mock.received if one.method == "POST"]) == 1


async def test_no_proxy_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    with MockModel() as mock:
        monkeypatch.setenv("HTTP_PROXY", mock.root)
        with pytest.raises(Exception, match="no-such-host"):
            await _ask("http://no-such-host.invalid/v1", proxy="none")
        assert mock.received == []


async def test_headers_of_the_settings_go_with_every_request() -> None:
    with MockModel([say("ok")]) as mock:
        assert await _ask(mock.url, headers={"X-Team": "blue", "x-number": 5}) == "ok"
    assert (mock.headers[0]["x-team"], mock.headers[0]["x-number"]) == ("blue", "5")


async def test_certificate_file_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/cert.pem")
    with pytest.raises(Unreachable) as caught:
        await _ask("https://127.0.0.1:9/v1")
    assert "/nowhere/cert.pem" in str(caught.value)
    assert "SSL_CERT_FILE" in caught.value.hint


async def test_tls_to_a_plain_server_is_one_sentence() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    async with server:
        with pytest.raises(Unreachable) as caught:
            await _ask(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    assert "cannot reach https://127.0.0.1" in str(caught.value)


def test_a_request_imports_neither_a_command_line_nor_other_event_loops() -> None:
    program = """
import asyncio, sys
from oi_tui.models.connect import connect
from oi_tui.models.providers import resolve
async def main():
    client = connect(resolve("m", api_base=sys.argv[1]))
    async for _ in client.stream({"messages": [{"role": "user", "content": "hi"}]}):
        pass
    await client.close()
asyncio.run(main())
found = {"anyio", "httpcore", "h11", "h2", "rich", "click", "pygments", "trio", "litellm", "certifi"} & set(sys.modules)
import httpx
assert httpx.main
print(sorted(found))
"""
    with MockModel() as mock:
        done = subprocess.run([sys.executable, "-c", program, mock.url], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("as_folder", [False, True])
def test_own_certificates_stand_beside_all_others_in_one_file(
    as_folder: bool, certificate: tuple[Path, ssl.SSLContext], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = certificate[0]
    monkeypatch.setenv("SSL_CERT_DIR" if as_folder else "SSL_CERT_FILE", str(own.parent if as_folder else own))
    file = in_one_file("", tmp_path / "cache")
    text = file.read_text()
    assert own.read_text().split("-----")[2].strip() in text
    assert text.count("BEGIN CERTIFICATE") > 50
    assert "PRIVATE KEY" not in text
    assert in_one_file("", tmp_path / "cache") == file

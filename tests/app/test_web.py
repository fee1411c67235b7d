"""`oi --web`: who gets in, what the server refuses, and the real app in a real browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from oi_tui.app import web_server
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import until

CHROMIUM = Path("/usr/bin/chromium")


@contextmanager
def served(mock: MockModel, *more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address that `oi --web` prints, and its process."""
    command = [sys.executable, "-m", "oi_tui", "--web", "-m", "x", "-ab", mock.url, *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stderr is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + process.stderr.read()
        yield found[0], process
    finally:
        process.terminate()
        process.wait(30)


def children(pid: int) -> list[str]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.split()


def test_only_who_has_the_token_gets_in_and_only_once() -> None:
    with MockModel() as mock, served(mock) as (address, _):
        root = address.partition("?")[0]
        for bare in (root, root + "?token=wrong", root + "ws", root + "static/js/textual.js", root + "download/x"):
            assert httpx.get(bare).status_code == 403
        with httpx.Client() as browser:
            first = browser.get(address, follow_redirects=True)
            assert first.status_code == 200 and "textual-terminal" in first.text
            assert "googleapis" not in first.text
            assert str(first.url) == root, "the token does not stay in the address"
            assert "default-src 'self'" in first.headers["Content-Security-Policy"]
            assert browser.get(root + "static/js/textual.js").status_code == 200
            assert browser.get(root, headers={"Origin": "http://evil.example"}).status_code == 403
            assert browser.get(root, headers={"Host": "evil.example"}).status_code == 403
        assert httpx.get(address, follow_redirects=True).status_code == 403, "the token opens once"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "example.org"])
def test_an_address_that_others_reach_is_refused_unless_told(host: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "oi_tui", "--web", "--web_host", host], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "can be reached by other machines" in done.stderr and "--web_anywhere" in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_is_told_is_done() -> None:
    listening = web_server.listen("0.0.0.0", 0, anywhere=True)
    listening.close()
    with pytest.raises(web_server.Refused, match="cannot listen on"):
        web_server.listen("127.0.0.1", 1 << 20, anywhere=False)
    assert [web_server.is_loopback(one) for one in ("127.0.0.1", "::1", "localhost", "10.0.0.1")] == [
        True,
        True,
        True,
        False,
    ]


@pytest.mark.skipif(not CHROMIUM.exists(), reason="needs /usr/bin/chromium")
@pytest.mark.timeout(240)
def test_the_app_works_in_a_browser_and_ends_with_the_server() -> None:
    from playwright.sync_api import sync_playwright

    script = [code("python", "print(6 * 7)"), say("the answer is forty-two")]
    with MockModel(script) as mock, served(mock, "-y", "-c", "tui.animations=false") as (address, process):
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
            page = browser.new_page()
            received: list[bytes] = []
            page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(_raw(frame))))
            page.goto(address)
            page.wait_for_selector("body.-first-byte", timeout=90_000)

            def wait_for(text: bytes) -> None:
                def there() -> bool:
                    page.wait_for_timeout(100)
                    return text in b"".join(received)

                until(there, 90, lambda: f"{text!r} never came")

            wait_for(b"plain words")
            page.click("#terminal")
            page.keyboard.type("what is 6 * 7?", delay=80)
            page.wait_for_timeout(600)  # an enter right behind other keys would belong to a paste
            page.keyboard.press("Enter")
            wait_for(b"forty-two")
            assert len(mock.requests) == 2
            (child,) = children(process.pid)
            process.send_signal(signal.SIGTERM)
            until(lambda: not Path(f"/proc/{child}").exists(), 30, lambda: "the app is still there")
            browser.close()
        assert process.wait(30) == 0


def _raw(frame: bytes | str) -> bytes:
    return frame if isinstance(frame, bytes) else frame.encode()


@pytest.mark.timeout(120)
def test_an_app_whose_server_was_killed_leaves() -> None:
    code_text = (
        "import os, subprocess, sys\n"
        "env = {**os.environ, 'TEXTUAL_DRIVER': 'textual.drivers.web_driver:WebDriver'}\n"
        "child = subprocess.Popen([sys.executable, '-m', 'oi_tui', '--served', '-m', 'x'], env=env,"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "assert child.stdout.readline() == b'__GANGLION__\\n'\n"
        "print(child.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code_text], stdout=subprocess.PIPE, env=os.environ, check=False)
    child = done.stdout.decode().strip()
    until(lambda: not Path(f"/proc/{child}").exists(), 60, lambda: "the app is still there")

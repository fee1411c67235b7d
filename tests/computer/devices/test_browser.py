"""`computer.browser` in a real headless Chromium, on pages of this machine."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from oi_tui.computer.computer import Computer as Engine
from oi_tui.computer.devices.base import DeviceError
from tests.computer.conftest import Bench, eventually, running
from tests.computer.devices.test_model_devices import Asked

pytest.importorskip("playwright")
pytestmark = pytest.mark.skipif(
    not any(shutil.which(one) for one in ("chromium", "chromium-browser", "google-chrome")), reason="no browser"
)
PAGES = {
    "/": """<title>Shop</title><h1>Welcome</h1><script>var hidden = 'code'</script><p>See
        <a href="/prices">our prices</a>.</p>
        <form action="/hello"><label>Your name <input name="who"></label><select name="size" aria-label="Size">
        <option value="s">Small</option><option value="l">Large</option></select>
        <button>Send</button></form><a href="/file">Get the report</a><button>Twice</button><button>Twice</button>""",
    "/prices": """<title>Prices</title><table><tr><th>Fruit</th><th>Price</th></tr><tr><td>Apple</td><td>1.20</td></tr>
        </table><table><tr><td>x</td></tr></table><a href="/" target="_blank">New window</a>""",
}  # fmt: skip


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path, asked = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        text = PAGES.get(path)
        if path == "/hello":
            text = f"<title>Hello</title><p>Hello {asked.get('who', [''])[0]}, size {asked.get('size', [''])[0]}</p>"
        elif path == "/search":
            text = f"<title>Found</title><a href='/prices'>Result for {asked['q'][0]}</a>"
        self.send_response(200 if text or path == "/file" else 404)
        if path == "/file":
            self.send_header("Content-Disposition", "attachment; filename=report.csv")
        self.send_header("Content-Type", "text/csv" if path == "/file" else "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write((text or ("a,b\n" if path == "/file" else "<title>Nothing</title>none")).encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def shared(folder: Path) -> Iterator[Asked]:
    computer = Asked()
    computer.browser.setup(headless=True, downloads=str(folder))
    yield computer
    computer.browser.quit()


@pytest.fixture
def computer(shared: Asked, site: str) -> Asked:
    """A computer whose browser shows the first page."""
    shared.browser.open(site)
    return shared


def test_a_page_is_opened_and_read(computer: Asked, site: str) -> None:
    browser = computer.browser
    assert browser.go_to_url(site.removeprefix("http://")) == f"Shop ({site}/)"
    text = browser.read()
    assert "# Welcome" in text and f"[our prices]({site}/prices)" in text and "hidden" not in text
    assert browser.read("h1") == "# Welcome" and (browser.title, browser.url) == ("Shop", f"{site}/")
    assert browser.open(f"{site}/nowhere") == f"Nothing ({site}/nowhere), status 404"
    with pytest.raises(ValueError, match="nothing on the page fits h5"):
        browser.read("h5")


def test_links_fields_lists_and_buttons(computer: Asked, site: str) -> None:
    browser = computer.browser
    assert browser.click("our prices") == f"Prices ({site}/prices)"
    assert browser.tables() == [[["Fruit", "Price"], ["Apple", "1.20"]], [["x"]]]
    assert browser.back() == f"Shop ({site}/)"
    browser.type("Your name", "Jörg")
    browser.type("Size", "Large")
    assert browser.click("Send").startswith("Hello (") and browser.read() == "Hello Jörg, size l"
    browser.open(site)
    browser.type("who", "Ada", submit=True)
    assert browser.read() == "Hello Ada, size s"


def test_what_is_not_there_or_twice_is_said(computer: Asked) -> None:
    with pytest.raises(ValueError, match="there is no 'Buy' on the page; there are: our prices"):
        computer.browser.click("Buy")
    with pytest.raises(ValueError, match="'Twice' is there 2 times"):
        computer.browser.click("Twice")
    with pytest.raises(DeviceError, match=r"127\.0\.0\.1:9 cannot be opened: ERR_"):
        computer.browser.open("127.0.0.1:9")


def test_files_are_downloaded(computer: Asked, folder: Path) -> None:
    first, second = computer.browser.download("Get the report"), computer.browser.download("Get the report")
    assert (first, second) == (str(folder / "report.csv"), str(folder / "report 2.csv"))
    assert Path(first).read_text() == "a,b\n" and computer.browser.downloads() == [first, second]


def test_a_new_window_comes_to_the_front_and_goes(computer: Asked, site: str) -> None:
    computer.browser.open(f"{site}/prices")
    computer.browser.click("New window")
    assert computer.browser.title == "Shop"
    computer.browser.run_script("window.close()")
    computer.browser.open(f"{site}/prices")
    assert computer.browser.title == "Prices"


def test_pictures_scripts_and_playwrights_own_page(computer: Asked) -> None:
    assert computer.browser.screenshot(show=False).size == (1280, 800)
    assert computer.browser.run_script("1 + 1") == 2
    page = computer.browser.driver
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(page.locator("h1").inner_text()))
    thread.start()
    thread.join()
    assert seen == ["Welcome"]


def test_searching_gives_the_page_of_results(computer: Asked, site: str) -> None:
    computer.browser.search_url = site + "/search?q={query}"
    assert computer.browser.search("red & blue") == f"[Result for red & blue]({site}/prices)"
    assert computer.browser.fast_search("x") == f"[Result for x]({site}/prices)"


def test_the_model_is_asked_about_a_page(computer: Asked) -> None:
    computer.given.append("Use the form.")
    assert computer.browser.analyze_page("order something") == "Use the form." and computer.told == ["Use the form."]
    prompt = computer.rounds[-1][0].text
    assert "order something" in prompt and '<input name="who">' in prompt and "# Welcome" in prompt


async def test_code_in_the_kernel_keeps_its_browser_between_blocks(site: str, tmp_path: Path) -> None:
    engine = Engine(str(tmp_path), python=sys.executable, env={**os.environ, "DISPLAY": ""})
    bench = Bench(engine)
    ran = await bench.run("python", f"computer.browser.open({site!r})")
    assert ran.result.ok and "Shop" in ran.text, ran.text
    ran = await bench.run("python", "computer.browser.screenshot(); print(computer.browser.click('our prices'))")
    assert len(ran.of_type("image")) == 1 and "Prices (" in ran.text
    assert engine.in_background() == []
    ran = await bench.run("python", "computer.browser.click('Nowhere')")
    assert "ValueError: there is no 'Nowhere' on the page" in ran.text and "browser_elements" not in ran.text
    child = engine.devices()._child  # pyright: ignore[reportPrivateUsage]
    assert child is not None
    await engine.close()
    await eventually(lambda: not running(f"devices {child.pid}") and child.returncode is not None)


def test_without_a_browser_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from oi_tui.computer.devices import browser_thread

    monkeypatch.setattr(browser_thread.shutil, "which", lambda _: None)
    monkeypatch.setattr(browser_thread, "_APPLICATIONS", ())
    with pytest.raises(DeviceError, match="no browser was found: apt install chromium"):
        browser_thread._program("/nowhere")  # pyright: ignore[reportPrivateUsage]

"""The programs that people start with, each run as it stands, against a model on this machine."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.mock_model import MockModel, answer, code, say

HERE = Path(__file__).parent


def ran(mock: MockModel, program: str, *arguments: str, cwd: Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run one of the programs; the model is the mock, whatever the program names."""
    env = {**os.environ, "OI_LLM_API_BASE": mock.url, "OI_MODEL": "x", "OI_LLM_CONTEXT_WINDOW": "200000"}
    done = subprocess.run(
        [sys.executable, str(HERE / program), *arguments], input=typed, capture_output=True, text=True, timeout=100,
        check=False, cwd=cwd, env=env,
    )  # fmt: skip
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return done


def test_the_data_analyst(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,units\nnorth,3\nsouth,9\n")
    count = "import csv\nrows = list(csv.DictReader(open('sales.csv')))\nmax(rows, key=lambda r: int(r['units']))"
    steps = [
        answer(say("I look. "), code("python", count)),
        say("The south, with 9 units."),
        code("python", "len(rows)"),
        say("Two regions."),
    ]
    with MockModel(steps) as mock:
        done = ran(mock, "data_analyst.py", "sales.csv", "which sold most?", "how many?", "--yes", cwd=tmp_path)
        assert "→ The south, with 9 units." in done.stdout and "→ Two regions." in done.stdout
        assert "south" in str(mock.requests[1]["messages"][-1]) and "2" in str(mock.requests[3]["messages"][-1])
        assert "never change the file" in str(mock.requests[0]["messages"][0])
    with MockModel([code("python", "open('made', 'w').close()"), say("x")]) as mock:
        asked = ran(mock, "data_analyst.py", "sales.csv", "make a file", cwd=tmp_path, typed="n\n")
        assert "run this python?" in asked.stdout and not (tmp_path / "made").exists()


def test_the_report_generator(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    steps = [
        code("shell", "ls; touch seen"),
        say("One file."),
        code("python", "figures = {'files': 1}\nprint(figures)"),
        say("There is one."),
        code("python", "report = '# Files\\n\\nOne < two.'\nprint(report)"),
        say("Written."),
    ]
    with MockModel(steps) as mock:
        done = ran(mock, "report_generator.py", ".", "report.html", "the files", cwd=tmp_path)
    assert (tmp_path / "seen").exists() and "--- python" in done.stdout and "wrote report.html" in done.stdout
    assert "# Files\n\nOne &lt; two." in (tmp_path / "report.html").read_text()
    with MockModel([code("shell", "rm -rf a.txt"), say("x"), say("y"), say("z")]) as mock:
        done = ran(mock, "report_generator.py", ".", "r.html", "the files", cwd=tmp_path)
        assert "--- declined" in done.stdout and (tmp_path / "a.txt").exists()


@pytest.mark.skipif(
    not any(shutil.which(one) for one in ("chromium", "chromium-browser", "google-chrome")), reason="no browser"
)
def test_the_browser_agent(tmp_path: Path) -> None:
    pytest.importorskip("playwright")
    (tmp_path / "index.html").write_text(
        "<title>Shop</title><h1>Fruit</h1><table><tr><th>Fruit</th><th>Price</th></tr><tr><td>Apple</td><td>1.20</td>"
        "</tr><tr><td>Plum</td><td>0.80</td></tr></table>"
    )
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/index.html"
    steps = [
        code("python", f"print(computer.browser.open({url!r}))"),
        code("python", "print(computer.browser.tables())"),
        say("The plum, at 0.80."),
    ]
    try:
        with MockModel(steps) as mock:
            done = ran(mock, "browser_agent.py", url, "which is cheapest?", "--yes", cwd=tmp_path)
            assert "→ The plum, at 0.80." in done.stdout and "'Plum', '0.80'" in done.stdout
            assert url in str(mock.requests[0]["messages"][0]) and "Shop" in str(mock.requests[1]["messages"][-1])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

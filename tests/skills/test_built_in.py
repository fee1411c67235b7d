"""The commands that the built-in skills tell a model to run do what the skills say."""

from __future__ import annotations

import csv
import http.server
import json
import shutil
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from tests.skills.running import commands, python_blocks, run, script, text_of

BROWSER = any(shutil.which(one) for one in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))
needs_browser = pytest.mark.skipif(not BROWSER, reason="needs Chromium or Chrome")

PAGE = """<!doctype html><html lang=en><head><title>The Shop</title><meta name=viewport content="width=device-width">
<script src=/go.js></script></head><body><h1>Shop</h1><p id=late></p><a href="/next.html">On <b>we</b> go</a>
<img src=/a.png alt=logo><table><tr><th>Kind</th><th>Price</th></tr><tr><td>Tea</td><td>3</td></tr></table>
<label>Name <input type=search name=q></label></body></html>"""
NEXT = """<html><body><a href=/gone>x</a><a href=#no>y</a><img src=/a.png><input name=age>
<div id=d></div><div id=d></div>
<div style="width:4000px">wide</div><span onclick="1">press</span><script>nothing()</script></body></html>"""
JS = "addEventListener('load', () => { document.getElementById('late').textContent = 'made by JavaScript' })"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """A small site on loopback."""
    root = tmp_path / "site"
    root.mkdir()
    for name, text in (("index.html", PAGE), ("next.html", NEXT), ("go.js", JS)):
        (root / name).write_text(text, encoding="utf-8")
    Image.new("RGB", (4, 4)).save(root / "a.png")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_chart_is_drawn_and_told_in_words(tmp_path: Path) -> None:
    rows = "month;sales;shop\n2026-01;1.234,5;A\n2026-02;2.469,0;A\n2026-02;31,0;B\n2026-03;;A\n"
    (tmp_path / "data.csv").write_text(rows, encoding="utf-8")
    (line,) = commands("charts")
    told = run(line, tmp_path)
    assert "4 rows, 1 values left out" in told
    assert "sales: 3 points, least 31 at 2026-02, most 2469 at 2026-02, sum 3734.5" in told
    assert Image.open(tmp_path / "chart.png").size == (1350, 750)


@pytest.mark.parametrize("kind", ["bar", "barh", "scatter", "hist", "box"])
def test_every_kind_of_chart_is_drawn(tmp_path: Path, kind: str) -> None:
    (tmp_path / "data.csv").write_text("m,s,shop\n1,2,A\n1,3,A\n2,4,A\n1,5,B\n", encoding="utf-8")
    told = run(f"{script('charts', 'chart.py')} data.csv --x m --y s --group shop --how sum --kind {kind}", tmp_path)
    assert f"A: {2 if kind in {'bar', 'barh'} else 3} points" in told
    assert (tmp_path / "chart.png").stat().st_size > 5_000


def test_rows_are_counted_and_a_wrong_column_is_named(tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text(json.dumps([{"a": "x", "b": 1}, {"a": "x"}]), encoding="utf-8")
    chart = script("charts", "chart.py")
    assert "most 2 at x" in run(f"{chart} data.json --x a --y b --how count --kind bar", tmp_path)
    assert "there is no column c; there are: a, b" in run(f"{chart} data.json --x a --y c", tmp_path, ok=False)


def test_files_are_renamed_sorted_and_brought_back(tmp_path: Path) -> None:
    photos, downloads = tmp_path / "photos", tmp_path / "downloads"
    for name in ("photos/IMG_2.jpg", "photos/IMG_10.jpg", "photos/copy.jpg", "downloads/a.pdf", "downloads/b.XLSX"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("same" if name in {"photos/IMG_10.jpg", "photos/copy.jpg"} else name, encoding="utf-8")

    def there() -> dict[str, str]:
        files = (one for one in tmp_path.rglob("*") if one.is_file() and one.suffix != ".csv")
        return {str(one.relative_to(tmp_path)): one.read_text() for one in files}

    before = there()
    *plans, apply, undo = commands("file-batch")
    expected = [
        {"photos/trip-2.jpg", "photos/trip-10.jpg", "photos/copy.jpg"},
        {"photos/trip-001.jpg", "photos/trip-002.jpg", "photos/trip-003.jpg"},
        {"downloads/documents/a.pdf", "downloads/tables/b.XLSX"},
        {"photos-doubles/IMG_10.jpg", "photos/IMG_2.jpg", "photos/copy.jpg"},
    ]
    assert len(plans) == len(expected)
    for plan, names in zip(plans, expected, strict=True):
        assert "nothing was changed yet" in run(plan, tmp_path)
        assert there() == before
        run(apply, tmp_path)
        assert names <= set(there()), plan
        assert sorted(there().values()) == sorted(before.values())
        run(undo, tmp_path)
        assert there() == before
    assert photos.is_dir() and downloads.is_dir()


def test_a_swap_is_made_and_a_collision_refused(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(name, encoding="utf-8")

    def apply(*moves: tuple[str, str], ok: bool) -> str:
        with (tmp_path / "plan.csv").open("w", newline="") as opened:
            csv.writer(opened).writerows([("from", "to"), *moves])
        return run(script("file-batch", "batch.py") + " apply plan.csv", tmp_path, ok=ok)

    apply(("a", "b"), ("b", "a"), ok=True)
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("b", "a")
    assert "is there already" in apply(("a", "c"), ok=False)
    assert "would both become" in apply(("a", "d"), ("b", "d"), ok=False)
    assert "is not there" in apply(("a", "d"), ("x", "e"), ok=False)
    assert "nothing was changed" in apply(("a", "new/a"), ("b", "c/b"), ok=False)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "b", "c", "plan.csv"]


def word(file: Path) -> None:
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    body = (
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Dear </w:t></w:r><w:r><w:t>Zoë</w:t></w:r></w:p>'
        f"<w:tbl><w:tr>{cell.format('A')}{cell.format('B')}</w:tr><w:tr>{cell.format('1')}</w:tr></w:tbl>"
    )
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("word/document.xml", f"<w:document {w}><w:body>{body}</w:body></w:document>")


def test_documents_are_converted(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    convert = script("documents", "convert.py")
    letter, *_, check = commands("documents")
    word(tmp_path / "letter.docx")
    run(letter, tmp_path)
    assert (
        (tmp_path / "letter.md").read_text(encoding="utf-8").replace(" ", "").startswith("#DearZoë\n\n|A|B|\n|---|---|")
    )
    book = openpyxl.Workbook()
    book.create_sheet("second").append(["n", "ü"])
    book["second"].append([1, "007"])
    book.save(tmp_path / "data.xlsx")
    (sheet,) = (one for one in commands("documents") if "data.xlsx" in one)
    assert "1 rows, 2 columns; sheet second of 2" in run(sheet, tmp_path)
    for old, new in (("csv", "json"), ("json", "tsv"), ("tsv", "xlsx"), ("xlsx", "csv")):
        run(f"{convert} data.{old} data.{new} --sheet 1", tmp_path)
    assert (tmp_path / "data.csv").read_text(encoding="utf-8") == "n,ü\n1,007\n"
    told = run(check, tmp_path)
    assert all(name in told for name in ("pandoc: ", "tesseract: ", "pdftotext: ", "PIL: here"))
    Image.new("RGBA", (9, 9), "red").save(tmp_path / "p.png")
    run(f"{convert} p.png p.jpg", tmp_path)
    assert Image.open(tmp_path / "p.jpg").format == "JPEG"
    assert "never written over" in run(f"{convert} p.png p.png", tmp_path, ok=False)
    assert "there is no way from png to docx" in run(f"{convert} p.png p.docx", tmp_path, ok=False)
    (tmp_path / "bad.docx").write_text("no", encoding="utf-8")
    assert "no proper .docx file" in run(f"{convert} bad.docx bad.md", tmp_path, ok=False)


def test_what_a_scan_needs_is_named_or_it_is_read(tmp_path: Path) -> None:
    Image.new("RGB", (300, 100), "white").save(tmp_path / "scan.pdf")
    convert = script("documents", "convert.py")
    able = bool(shutil.which("tesseract") and shutil.which("pdftoppm"))
    told = run(f"{convert} scan.pdf scan.txt", tmp_path, ok=able)
    assert ("tesseract" in told) if able else ("this needs one of: " in told and "apt install" in told)


@needs_browser
def test_a_pdf_is_made_and_read_again(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Größe\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", encoding="utf-8")
    (notes,) = (one for one in commands("documents") if "notes.pdf" in one)
    run(notes, tmp_path)
    run(f"{script('documents', 'convert.py')} notes.pdf back.txt --pages 1", tmp_path)
    assert "Größe" in (tmp_path / "back.txt").read_text(encoding="utf-8")
    word(tmp_path / "letter.docx")
    run(f"{script('documents', 'convert.py')} letter.docx letter.pdf", tmp_path)
    assert (tmp_path / "letter.pdf").read_bytes().startswith(b"%PDF")


@needs_browser
def test_a_page_is_read_as_a_person_sees_it(tmp_path: Path, site: str) -> None:
    text, find, links, tables, picture = commands("web-research")
    told = run(text.replace("URL", site), tmp_path)
    assert told.startswith("# The Shop\n\n# Shop\n\nmade by JavaScript")
    assert "[On **we** go](/next.html)" in told and "| Kind | Price |\n| --- | --- |\n| Tea | 3 |" in told
    assert "made by JavaScript" in run(find.replace("URL", site).replace('"words"', "javascript"), tmp_path)
    assert run(links.replace("URL", site), tmp_path) == f"{site}next.html  On **we** go\n"
    assert "2 rows, 2 columns" in run(tables.replace("URL", site), tmp_path)
    assert (tmp_path / "out-1.csv").read_text().splitlines() == ["Kind,Price", "Tea,3"]
    run(picture.replace("URL", site), tmp_path)
    assert Image.open(tmp_path / "page.png").width == 1280
    assert "cannot be opened" in run(text.replace("URL", "http://127.0.0.1:9/"), tmp_path, ok=False)


def test_a_page_is_read_without_a_browser_too(tmp_path: Path, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_PATH", "/nowhere")
    told = run(f"{script('web-research', 'page.py')} {site}", tmp_path)
    assert "read without JavaScript" in told and "| Tea | 3 |" in told


@needs_browser
@pytest.mark.parametrize("skill", ["web-research", "web-app-qa"])
def test_a_page_is_driven_with_the_code_of_the_skill(tmp_path: Path, site: str, skill: str) -> None:
    pytest.importorskip("playwright")
    (block,) = python_blocks(skill)
    block = block.replace("URL", site).replace("http://localhost:8000/", site)
    block = block.replace('get_by_role("button", name="Save")', 'get_by_role("link")').replace("words", "O'Neill")
    (tmp_path / "drive.py").write_text(block, encoding="utf-8")
    told = run("python drive.py", tmp_path)
    assert "Shop" in told if skill == "web-research" else "press" in told


def test_a_site_is_gone_through(tmp_path: Path, site: str) -> None:
    crawl, _ = commands("web-app-qa")
    told = run(crawl.replace("http://localhost:8000", site), tmp_path, ok=False)
    for fault in (
        f"{site}gone: 404", "not on the page: #no", "picture without description: /a.png",
        "field without label: input age", "the id 'd' is there 2 times", "page without title", "page without language",
    ):  # fmt: skip
        assert fault in told
    assert f"{site}: " not in told  # the first page is right
    gone = script("web-app-qa", "crawl.py") + " http://127.0.0.1:9/ --wait 0.1"
    assert "nothing answers at" in run(gone, tmp_path, ok=False)


@needs_browser
def test_pages_are_looked_at_on_several_widths(tmp_path: Path, site: str) -> None:
    pytest.importorskip("playwright")
    _, look = commands("web-app-qa")
    told = run(look.replace("http://localhost:8000/", site), tmp_path)
    assert "no faults seen" in told
    told = run(look.replace("http://localhost:8000/", f"{site}next.html"), tmp_path, ok=False)
    assert "nothing is not defined" in told
    assert "runs out of the screen: <div style" in told and "cannot be reached with the keyboard: <span" in told
    assert [Image.open(tmp_path / f"qa/{width}.png").width for width in (1280, 768, 375)][1:] >= [768, 375]


REPORT = (
    "# Sales rose by 12.3 %\n\nWe sold 1,234,567 (1.2 million) in 2026, in 3 shops.\n\n![Sales by month](chart.png)\n"
)


@needs_browser
def test_a_report_is_checked_and_built(tmp_path: Path) -> None:
    figures, check, page, pdf = commands("report-writing")
    (tmp_path / "figures.py").write_text("print('rise = 0.1234\\nsold = 1234567')", encoding="utf-8")
    (tmp_path / "report.md").write_text(REPORT, encoding="utf-8")
    Image.new("RGB", (4, 4)).save(tmp_path / "chart.png")
    run(figures, tmp_path)
    assert "all of it holds" in run(check, tmp_path)
    assert "1 pictures inside" in run(page, tmp_path)
    made = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'src="data:image/png;base64,' in made and "<title>Sales rose by 12.3 %</title>" in made
    run(pdf, tmp_path)
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    worse = REPORT.replace("1,234,567", "1,234,576") + "\n### TODO\n\n![](gone.png)\n"
    (tmp_path / "report.md").write_text(worse, encoding="utf-8")
    told = run(check, tmp_path, ok=False)
    for fault in ("1,234,576 is not among", "skips a level", "not finished", "there is no file gone.png", "no caption"):
        assert fault in told


@pytest.mark.parametrize("name", ["charts", "documents", "file-batch", "report-writing", "web-app-qa", "web-research"])
def test_the_text_fits_into_what_a_name_in_a_message_loads(name: str) -> None:
    from oi_tui.session.skills import BODY

    assert len(text_of(name).encode()) < BODY
    assert "SKILL_DIR" not in text_of(name)

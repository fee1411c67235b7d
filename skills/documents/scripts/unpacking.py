"""The text of packed documents (Word, OpenDocument, PowerPoint, EPUB) and of HTML, and Markdown as a page."""

from __future__ import annotations

import html
import posixpath
import re
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_T = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_STYLE = (
    "body{font:11pt/1.5 Georgia,serif;max-width:46em;margin:2em auto;padding:0 1em;color:#111}"
    "h1,h2,h3{font-family:system-ui,sans-serif;line-height:1.2}table{border-collapse:collapse;margin:1em 0}"
    "th,td{border:1px solid #999;padding:.25em .6em;text-align:left;vertical-align:top}img{max-width:100%}"
    "pre{background:#f4f4f4;padding:.8em;overflow-x:auto;white-space:pre-wrap}code{font-size:.9em}"
    "@media print{body{margin:0;max-width:none}h1,h2,h3{break-after:avoid}tr,img,pre{break-inside:avoid}}"
)


def text(path: Path) -> str:
    """Markdown for a document. Raises ValueError for what is none."""
    kind = path.suffix.lower()
    if kind in {".html", ".htm"}:
        return _of_html(path.read_bytes().decode("utf-8", "replace"))
    try:
        with zipfile.ZipFile(path) as packed:
            reader = {".docx": _word, ".odt": _open, ".odp": _open, ".pptx": _slides, ".epub": _book}[kind]
            made = "\n\n".join(part for part in reader(packed) if part.strip())
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError) as error:
        raise ValueError(f"it is no proper {kind} file ({error})") from error
    return re.sub(r"\n{3,}", "\n\n", made).strip() + "\n"


def page(path: Path) -> str:
    """A whole HTML page for Markdown or plain text; pictures stay where they are."""
    source = path.read_bytes().decode("utf-8-sig", "replace")
    if path.suffix.lower() == ".md":
        try:
            from markdown_it import MarkdownIt

            body = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(source)
        except ImportError:
            try:
                import markdown
            except ImportError:
                raise ValueError("Markdown needs pip install markdown-it-py, or pandoc") from None
            body = markdown.markdown(source, extensions=["tables", "fenced_code", "sane_lists"])
    else:
        body = f"<pre>{html.escape(source)}</pre>"
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.DOTALL)
    title = re.sub("<[^>]+>", "", heading[1]) if heading else html.escape(path.stem)
    base = f'<base href="{html.escape(path.resolve().parent.as_uri())}/">'
    head = f'<meta charset="utf-8">{base}<title>{title}</title><style>{_STYLE}</style>'
    return f"<!doctype html>\n<html><head>{head}</head>\n<body>\n{body}\n</body></html>\n"


def _of_html(source: str) -> str:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "web-research/scripts"))
    from reading import Reader

    return Reader(source).markdown + "\n"


def _word(packed: zipfile.ZipFile) -> list[str]:
    body = ElementTree.fromstring(packed.read("word/document.xml"))[0]
    return [_word_table(one) if one.tag == f"{_W}tbl" else _word_line(one) for one in body]


def _word_line(one: Any) -> str:
    words = "".join(
        "\t" if part.tag == f"{_W}tab" else "\n" if part.tag == f"{_W}br" else part.text or ""
        for part in one.iter()
        if part.tag in {f"{_W}t", f"{_W}tab", f"{_W}br"}
    ).strip()
    if not words:
        return ""
    named = one.find(f"{_W}pPr/{_W}pStyle")
    style = named.get(f"{_W}val", "") if named is not None else ""
    level = re.search(r"(?:[Hh]eading|berschrift|Titre|T.tulo)\s*(\d)", style)
    if level or style == "Title":
        return f"{'#' * int(level[1] if level else 1)} {words}"
    listed = one.find(f"{_W}pPr/{_W}numPr") is not None or style.startswith("List")
    return f"- {words}" if listed else words


def _word_table(one: Any) -> str:
    rows = [
        [" ".join(filter(None, (_word_line(line) for line in cell.iter(f"{_W}p")))) for cell in row.iter(f"{_W}tc")]
        for row in one.iter(f"{_W}tr")
    ]
    return _table(rows)


def _table(rows: list[list[str]]) -> str:
    wide = max(map(len, rows), default=0)
    lines = [
        "| "
        + " | ".join(cell.replace("\n", " ").replace("|", "\\|") for cell in [*row, *[""] * (wide - len(row))])
        + " |"
        for row in rows
    ]
    return "\n".join([*lines[:1], "|" + " --- |" * wide, *lines[1:]]) if lines else ""


def _open(packed: zipfile.ZipFile) -> list[str]:
    made: list[str] = []
    root = ElementTree.fromstring(packed.read("content.xml"))
    inside = {id(line) for table in root.iter(f"{_TABLE}table") for line in table.iter()}
    for one in root.iter():
        if one.tag == f"{_TABLE}table":
            rows = [
                ["".join(cell.itertext()).strip() for cell in row.iter(f"{_TABLE}table-cell")]
                for row in one.iter(f"{_TABLE}table-row")
            ]
            made.append(_table(rows))
        elif id(one) not in inside and one.tag in {f"{_T}h", f"{_T}p"}:
            words = "".join(one.itertext()).strip()
            level = int(one.get(f"{_T}outline-level", "1")) if one.tag == f"{_T}h" else 0
            made.append(f"{'#' * level} {words}".strip() if words else "")
    return made


def _slides(packed: zipfile.ZipFile) -> list[str]:
    found = [(re.fullmatch(r"ppt/slides/slide(\d+)\.xml", name), name) for name in packed.namelist()]
    made: list[str] = []
    for number, name in sorted((int(match[1]), name) for match, name in found if match):
        lines = ElementTree.fromstring(packed.read(name)).iter(f"{_A}p")
        words = ["".join(part.text or "" for part in line.iter(f"{_A}t")).strip() for line in lines]
        made.append("\n".join([f"## Slide {number}", "", *filter(None, words)]))
    return made


def _book(packed: zipfile.ZipFile) -> list[str]:
    container = ElementTree.fromstring(packed.read("META-INF/container.xml"))
    main = next(one.get("full-path", "") for one in container.iter() if one.tag.endswith("}rootfile"))
    root = ElementTree.fromstring(packed.read(main))
    files = {one.get("id"): one.get("href", "") for one in root.iter() if one.tag.endswith("}item")}
    order = [files.get(one.get("idref"), "") for one in root.iter() if one.tag.endswith("}itemref")]
    folder = posixpath.dirname(main)
    names = [posixpath.normpath(posixpath.join(folder, one)) for one in order if one]
    return [_of_html(packed.read(name).decode("utf-8", "replace")) for name in names if name in packed.namelist()]

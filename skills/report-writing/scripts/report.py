"""Check a report in Markdown, and build one file from it.

report.py check REPORT.md [--figures FILE]    what does not hold; exit code 1 if anything
report.py build REPORT.md OUT.html|OUT.pdf    one page with its pictures inside
"""

from __future__ import annotations

import argparse
import base64
import mimetypes
import re
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

_NEIGHBOURS = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
_NUMBER = re.compile(r"(?<![\w./-])[-−]?\d[\d.,\u202f\u00a0]*\d|(?<![\w./-])\d(?![\w/])")
_UNDONE = re.compile(r"\b(TODO|TBD|FIXME|XXX|lorem ipsum)\b", re.IGNORECASE)
_SCALES = (1, 100, 1e-3, 1e-6, 1e-9)  # 38 % may stand for 0.38, 1.2 million for 1,234,567
_SMALL = 10  # whole numbers up to this are words rather than figures
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)


def problems(source: str, folder: Path, figures: str | None) -> list[str]:
    """What does not hold, each with its line."""
    bare = _FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    found: list[str] = []
    level = 0
    for number, line in enumerate(bare.splitlines(), 1):
        heading = re.match(r"(#+)\s+(.*)", line)
        if heading:
            if level and len(heading[1]) > level + 1:
                found.append(f"line {number}: the heading {heading[2]!r} skips a level")
            level = len(heading[1])
        if _UNDONE.search(line):
            found.append(f"line {number}: not finished: {line.strip()}")
        for picture, words, to in _LINK.findall(line):
            if picture and not words.strip():
                found.append(f"line {number}: the picture {to} has no caption")
            if not re.match(r"[a-z][a-z0-9+.-]*:|#", to) and not (folder / unquote(to.partition("#")[0])).exists():
                found.append(f"line {number}: there is no file {to}")
    if not level:
        found.append("there is no heading")
    if figures is not None:
        found += unknown(bare, figures)
    return found


def unknown(source: str, figures: str) -> list[str]:
    """Numbers of the text that are not among the figures, rounded as they may be. Years and small numbers pass."""
    printed = [value for one in _NUMBER.findall(figures) if (value := value_of(one)) is not None]
    known = [value * scale for value in printed for scale in _SCALES]
    found: list[str] = []
    for number, line in enumerate(source.splitlines(), 1):
        line = _LINK.sub(r"\2", line)
        line = re.sub(r"\d{4}-\d\d(-\d\d)?|\d{1,2}:\d\d|`[^`]*`|^\s*(#+\s*)?\d+[.)]\s|https?://\S+", " ", line)
        for one in _NUMBER.findall(line):
            value = value_of(one)
            if value is None or (value == int(value) and (abs(value) <= _SMALL or 1900 <= value <= 2100)):
                continue
            digits = len(re.sub(r"\D", "", one.partition(".")[2])) if "." in one else 0
            step = 10.0**-digits
            if not any(abs(value - one_of) <= step / 2 * 1.0001 for one_of in known):
                found.append(f"line {number}: {one} is not among the figures")
    return found


def value_of(text: str) -> float | None:
    """A number with or without marks between thousands."""
    text = re.sub(r"[\u202f\u00a0]", "", text).replace("−", "-").rstrip(".,")
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", text):
        text = text.replace(",", "")
    elif re.fullmatch(r"-?\d{1,3}(\.\d{3})+,\d+|-?\d{1,3}(\.\d{3}){2,}|-?\d+,\d+", text):
        text = text.replace(".", "").replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return None


def build(report: Path, out: Path) -> str:
    """Make the file. Returns words on it. Raises OSError and ValueError with a sentence."""
    sys.path.insert(0, str(_NEIGHBOURS / "documents/scripts"))
    sys.path.insert(0, str(_NEIGHBOURS / "web-research/scripts"))
    import browser
    import unpacking

    page = unpacking.page(report)
    inside = 0

    def embed(found: re.Match[str]) -> str:
        nonlocal inside
        file = report.parent / unquote(found[2])
        if re.match(r"[a-z][a-z0-9+.-]*:", found[2]) or not file.is_file():
            return found[0]
        inside += 1
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return f"{found[1]}data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}{found[3]}"

    page = re.sub(r'(<img[^>]*?src=")([^"]+)(")', embed, page)
    page = re.sub(r"<base [^>]*>", "", page)  # the page is to work anywhere
    if out.suffix.lower() == ".html":
        out.write_text(page, encoding="utf-8")
    elif out.suffix.lower() == ".pdf":
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "page.html")
            file.write_text(page, encoding="utf-8")
            browser.run([f"--print-to-pdf={out.resolve()}", "--no-pdf-header-footer", file.as_uri()])
    else:
        raise ValueError(f"{out.suffix or 'this'} cannot be made here: html or pdf")
    return f"{out}: {out.stat().st_size:,} bytes, {inside} pictures inside"


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="what", required=True)
    checking = steps.add_parser("check")
    checking.add_argument("report", type=Path)
    checking.add_argument("--figures", type=Path)
    building = steps.add_parser("build")
    building.add_argument("report", type=Path)
    building.add_argument("out", type=Path)
    args = parser.parse_args()
    try:
        if args.what == "build":
            print(build(args.report, args.out))
            return
        figures = args.figures.read_text(encoding="utf-8") if args.figures else None
        found = problems(args.report.read_text(encoding="utf-8"), args.report.parent, figures)
    except (OSError, ValueError) as error:
        sys.exit(f"{error}")
    print("\n".join(found) or "all of it holds")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

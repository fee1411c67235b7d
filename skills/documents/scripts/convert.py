"""Convert a document with the best program that is here, else in Python.

convert.py FROM TO [--pages 1-5] [--sheet NAME_OR_NUMBER] [--language eng]
convert.py --check
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import sheets
import unpacking

Step = Callable[[Path, Path, argparse.Namespace], str]
_TEXTS = {"txt", "md"}
_PICTURES = {"png", "jpg", "jpeg", "tif", "tiff", "webp", "gif", "bmp"}
_SHEETS = {"xlsx", "csv", "tsv", "json"}
_PACKED = {"docx", "odt", "pptx", "odp", "epub", "html", "htm"}
_OFFICE = {"docx", "doc", "odt", "rtf", "pptx", "ppt", "odp", "xlsx", "xls", "ods", "html", "txt", "csv"}
_PANDOC = {"md": "gfm", "html": "html", "docx": "docx", "odt": "odt", "epub": "epub", "txt": "plain", "rtf": "rtf"}
_INSTALL = {
    "pandoc": "pandoc (apt install pandoc, brew install pandoc)",
    "soffice": "LibreOffice (apt install libreoffice, brew install --cask libreoffice)",
    "tesseract": "tesseract (apt install tesseract-ocr, brew install tesseract)",
    "pdftotext": "poppler (apt install poppler-utils, brew install poppler)",
    "pdftoppm": "poppler (apt install poppler-utils, brew install poppler)",
}


class Missing(Exception):
    """A way cannot be gone here. The text says what it needs."""


def program(name: str) -> str:
    """The path of a program. Raises Missing."""
    found = shutil.which(name) or (shutil.which("libreoffice") if name == "soffice" else None)
    if not found:
        raise Missing(_INSTALL[name])
    return found


def run(*line: str, folder: str | None = None) -> str:
    """What a program prints. Raises Missing with its last words when it fails."""
    done = subprocess.run(line, capture_output=True, cwd=folder, timeout=600)
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise Missing(f"{Path(line[0]).name} that works on this file ({' '.join(words) or done.returncode})")
    return done.stdout.decode("utf-8", "replace")


# ---- ways; each returns how it was done


def by_pandoc(old: Path, new: Path, args: argparse.Namespace) -> str:
    """Most text formats into each other."""
    run(program("pandoc"), "--standalone", "-f", _PANDOC[kind(old)].replace("plain", "gfm"),
        "-t", _PANDOC[kind(new)], str(old.resolve()), "-o", str(new.resolve()))  # fmt: skip
    return "pandoc"


def by_office(old: Path, new: Path, args: argparse.Namespace) -> str:
    """Office documents into PDF and into each other."""
    office = program("soffice")
    with tempfile.TemporaryDirectory() as folder:
        profile = f"-env:UserInstallation=file://{folder}/profile"
        run(office, profile, "--headless", "--convert-to", kind(new), "--outdir", folder, str(old.resolve()))
        made = Path(folder, old.stem + f".{kind(new)}")
        if not made.exists():
            raise Missing("LibreOffice with a filter for this pair of formats")
        shutil.move(str(made), new)
    return "LibreOffice"


def by_unpacking(old: Path, new: Path, args: argparse.Namespace) -> str:
    """The text of packed XML documents and HTML."""
    new.write_text(unpacking.text(old), encoding="utf-8")
    return "Python: text, headings, lists and tables, no pictures"


def to_html(old: Path, new: Path, args: argparse.Namespace) -> str:
    """Markdown or text as a page."""
    new.write_text(unpacking.page(old), encoding="utf-8")
    return "Python"


def by_browser(old: Path, new: Path, args: argparse.Namespace) -> str:
    """A page printed as PDF."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "web-research/scripts"))
    try:
        import browser
    except ImportError:
        raise Missing("the skill web-research beside this one") from None
    with tempfile.TemporaryDirectory() as folder:
        page = old
        if kind(old) not in {"html", "htm"}:
            page = Path(folder, "page.html")
            page.write_text(unpacking.page(old), encoding="utf-8")
        if not browser.find():
            raise Missing("Chromium or Chrome")
        address = page.resolve().as_uri()
        try:
            browser.run([f"--print-to-pdf={new.resolve()}", "--no-pdf-header-footer", address])
        except OSError as error:
            raise Missing(f"a browser that works ({error})") from error
    return "the browser"


def by_text_and_browser(old: Path, new: Path, args: argparse.Namespace) -> str:
    """A packed document as PDF: its text, laid out anew."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        try:
            by_pandoc(old, page, args)
            how = "pandoc and the browser"
        except Missing:
            page = Path(folder, "page.md")
            page.write_text(unpacking.text(old), encoding="utf-8")
            how = "Python and the browser"
        by_browser(page, new, args)
    return f"{how}: the text laid out anew; LibreOffice would keep the layout"


def by_pdftotext(old: Path, new: Path, args: argparse.Namespace) -> str:
    """The text of a PDF, laid out as on the page."""
    first, last = pages(args)
    limits = [*(["-f", str(first)] if first else []), *(["-l", str(last)] if last else [])]
    text = run(program("pdftotext"), "-layout", *limits, str(old), "-")
    return _kept(text, new, "pdftotext")


def by_pypdf(old: Path, new: Path, args: argparse.Namespace) -> str:
    """The text of a PDF."""
    try:
        from pypdf import PdfReader
    except ImportError:
        raise Missing("pypdf (pip install pypdf)") from None
    first, last = pages(args)
    found = PdfReader(old).pages
    text = "\n\n".join(one.extract_text() for one in found[max(first, 1) - 1 : last or None])
    return _kept(text, new, "pypdf")


def _kept(text: str, new: Path, how: str) -> str:
    if not re.search(r"\w{2}", text):
        raise Missing("OCR, since this PDF holds pictures and no text")
    new.write_text(text, encoding="utf-8")
    return how


def by_ocr(old: Path, new: Path, args: argparse.Namespace) -> str:
    """The text of a scan."""
    tesseract = program("tesseract")
    with tempfile.TemporaryDirectory() as folder:
        pictures = [old]
        if kind(old) == "pdf":
            first, last = pages(args)
            limits = [*(["-f", str(first)] if first else []), *(["-l", str(last)] if last else [])]
            run(program("pdftoppm"), "-r", "300", "-png", *limits, str(old), f"{folder}/page")
            pictures = sorted(Path(folder).glob("page*.png"))
        texts = [run(tesseract, str(one), "-", "-l", args.language) for one in pictures]
    new.write_text("\n\f\n".join(texts), encoding="utf-8")
    return f"tesseract, {len(texts)} pages: it makes mistakes, check figures and names"


def by_pillow(old: Path, new: Path, args: argparse.Namespace) -> str:
    """A picture in another format, or as a page."""
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise Missing("Pillow (pip install pillow)") from None
    with Image.open(old) as opened:
        picture = ImageOps.exif_transpose(opened)
        flat = kind(new) in {"jpg", "jpeg", "pdf"} and picture.mode not in {"RGB", "L"}
        (picture.convert("RGB") if flat else picture).save(new)
    return "Pillow"


def by_sheets(old: Path, new: Path, args: argparse.Namespace) -> str:
    """Tables into each other."""
    try:
        return sheets.convert(old, new, args.sheet)
    except ImportError:
        raise Missing("openpyxl (pip install openpyxl)") from None


def ways(old: str, new: str) -> list[Step]:
    """What may do it, the best first."""
    found: list[Step] = []
    if old in _SHEETS and new in _SHEETS:
        found.append(by_sheets)
    if old == "pdf" and new in _TEXTS:
        found += [by_pdftotext, by_pypdf, by_ocr]
    if old in _PICTURES and new in _TEXTS:
        found.append(by_ocr)
    if old in _PICTURES and new in {*_PICTURES, "pdf"}:
        found.append(by_pillow)
    if old in {*_PANDOC, "txt"} and new in _PANDOC and (old, new) != ("txt", "md"):
        found.append(by_pandoc)
    if old in {"md", "txt"} and new in {"html", "htm"}:
        found.append(to_html)
    if old in _PACKED and new in _TEXTS:
        found.append(by_unpacking)
    if old in {"md", "txt", "html", "htm"} and new == "pdf":
        found.append(by_browser)
    if old in _OFFICE and new in {*_OFFICE, "pdf"} and new not in _TEXTS:
        found.append(by_office)
    if old in {"docx", "odt", "epub"} and new == "pdf":
        found.append(by_text_and_browser)
    return found


def kind(path: Path) -> str:
    """The format of a file by its ending."""
    return path.suffix.lower().lstrip(".")


def pages(args: argparse.Namespace) -> tuple[int, int]:
    """First and last page that are wanted, 0 where that was not said."""
    found = re.fullmatch(r"(\d+)(?:-(\d*))?", args.pages) if args.pages else None
    if args.pages and not found:
        sys.exit(f"--pages takes 3, 3-5 or 3-, not {args.pages!r}")
    if not found:
        return 0, 0
    return int(found[1]), int(found[2] or 0) if "-" in args.pages else int(found[1])


def check() -> None:
    """Say what is installed."""
    for name, package in _INSTALL.items():
        try:
            print(f"{name}: {program(name)}")
        except Missing:
            print(f"{name}: missing; {package}")
    for module, package in (
        ("pypdf", "pypdf"),
        ("openpyxl", "openpyxl"),
        ("PIL", "pillow"),
        ("markdown_it", "markdown-it-py"),
    ):
        try:
            __import__(module)
            print(f"{module}: here")
        except ImportError:
            print(f"{module}: missing; pip install {package}")


def main() -> None:
    """Read the arguments and try one way after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", nargs="?", type=Path, metavar="FROM")
    parser.add_argument("new", nargs="?", type=Path, metavar="TO")
    parser.add_argument("--pages", default="")
    parser.add_argument("--sheet", default="1")
    parser.add_argument("--language", default="eng")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.check:
        check()
        return
    if args.old is None or args.new is None:
        parser.error("say what to convert and into which file")
    if not args.old.is_file():
        sys.exit(f"there is no file {args.old}")
    if args.new.exists() and os.path.samefile(args.old, args.new):
        sys.exit("the source file is never written over: name another file")
    found = ways(kind(args.old), kind(args.new))
    if not found:
        sys.exit(f"there is no way from {kind(args.old) or 'this'} to {kind(args.new) or 'that'}")
    needed: list[str] = []
    for way in found:
        try:
            how = way(args.old, args.new, args)
        except Missing as error:
            needed.append(str(error))
        except (OSError, ValueError, KeyError) as error:
            sys.exit(f"{args.old} cannot be converted: {error}")
        else:
            print(f"{args.new}: {args.new.stat().st_size:,} bytes, by {how}")
            return
    sys.exit("this needs one of: " + "; or ".join(dict.fromkeys(needed)))


if __name__ == "__main__":
    main()

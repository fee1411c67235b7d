"""Read a web page as a person sees it: JavaScript has run, then it becomes Markdown.

page.py URL [--links | --tables NAME | --html | --find WORDS] [--screenshot FILE] [--max 20000] [--start 0] [--wait 8]
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urljoin, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser
from reading import Reader


def source(url: str, wait: float) -> tuple[str, str]:
    """The page's HTML and a note on how it was read, "" for nothing special. Raises OSError with a sentence."""
    if not browser.find():
        return plain(url), f"({browser.MISSING}; read without JavaScript)"
    try:
        html = browser.run(["--dump-dom", f"--virtual-time-budget={int(wait * 1000)}", url], timeout=wait + 60)
    except OSError as error:
        return plain(url), f"({error}; read without JavaScript)"
    if 'id="main-frame-error"' in html:  # the browser's own page
        code = re.search(r"ERR_[A-Z_]+", html)
        raise OSError(f"{url} cannot be opened: {code[0] if code else 'the browser shows an error'}")
    if not Reader(html).markdown and urlsplit(url).scheme != "file":
        plain(url)  # an empty page, or none: this says which
    return html, ""


def plain(url: str) -> str:
    """What a server sends. Raises OSError with a sentence."""
    asked = urllib.request.Request(url, headers={"User-Agent": "Mozilla/5.0 (compatible)", "Accept": "text/html,*/*"})
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            charset = answer.headers.get_content_charset() or "utf-8"
            return answer.read(20_000_000).decode(charset, "replace")
    except (urllib.error.URLError, ValueError, LookupError) as error:
        raise OSError(f"{url} cannot be opened: {getattr(error, 'reason', error)}") from error


def main() -> None:
    """Read the arguments and print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--links", action="store_true")
    parser.add_argument("--tables", metavar="NAME", default="")
    parser.add_argument("--html", action="store_true")
    parser.add_argument("--find", metavar="WORDS", default="")
    parser.add_argument("--screenshot", metavar="FILE", default="")
    parser.add_argument("--size", default="1280,2000")
    parser.add_argument("--max", type=int, default=20_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--wait", type=float, default=8)
    args = parser.parse_args()
    url = args.url if urlsplit(args.url).scheme else f"https://{args.url}"
    if urlsplit(url).scheme not in {"http", "https", "file"}:
        sys.exit(f"{url} is no web address")
    try:
        if args.screenshot:
            target = Path(args.screenshot).resolve()
            browser.run([f"--screenshot={target}", f"--window-size={args.size}", url], timeout=args.wait + 60)
            print(f"{target}: {target.stat().st_size:,} bytes")
            return
        html, note = source(url, args.wait)
    except OSError as error:
        sys.exit(str(error))
    if note:
        print(note, file=sys.stderr)
    reader = Reader(html)
    if args.links:
        for words, to in dict.fromkeys(reader.links):
            print(f"{urljoin(url, to)}  {words}")
    elif args.tables:
        for number, rows in enumerate(reader.tables, 1):
            file = Path(f"{args.tables}-{number}.csv")
            with file.open("w", newline="", encoding="utf-8") as opened:
                csv.writer(opened).writerows(rows)
            print(f"{file}: {len(rows)} rows, {max(map(len, rows))} columns")
        if not reader.tables:
            sys.exit("there is no table on this page")
    else:
        text = html if args.html else f"# {reader.title}\n\n{reader.markdown}" if reader.title else reader.markdown
        show(text, args)


def show(text: str, args: argparse.Namespace) -> None:
    """Print a part of a text, or the lines around some words."""
    if args.find:
        lines = text.splitlines()
        hits = [at for at, line in enumerate(lines) if args.find.lower() in line.lower()]
        if not hits:
            sys.exit(f"{args.find!r} does not stand on this page ({len(text):,} characters)")
        near = sorted({at for hit in hits for at in range(max(0, hit - 2), min(len(lines), hit + 3))})
        text = "\n".join(lines[at] for at in near)
    print(text[args.start : args.start + args.max])
    left = len(text) - args.start - args.max
    if left > 0:
        print(f"\n({left:,} more characters: --start {args.start + args.max})")


if __name__ == "__main__":
    main()

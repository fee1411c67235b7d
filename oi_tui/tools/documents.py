"""The text of PDF documents, page by page. pypdf does the work, loaded with the first document."""

from __future__ import annotations

import io
import re

from oi_tui.protocol.calls import Result
from oi_tui.tools.checked import BadArgument
from oi_tui.tools.text_files import printable

MOST_PAGES = 10_000
_UNASKED = 20  # pages that are read when none are named

_PART = re.compile(r"(\d+)\s*(-)?\s*(\d+)?")


def page_numbers(pages: str, total: int) -> list[int]:
    """The pages that `1-5,8` or `3-` names, from 1. Raises BadArgument."""
    found: list[int] = []
    for part in pages.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise BadArgument(f"pages are named as 1-5,8 and not {pages!r}")
        first = int(match[1])
        last = int(match[3]) if match[3] else (total if match[2] else first)
        if not 1 <= first <= last:
            raise BadArgument(f"pages go from 1 up, not {part.strip()!r}")
        if first > total:
            raise BadArgument(f"the document has {total} pages; there is no page {first}", "end", total=total)
        found.extend(range(first, min(last, total) + 1))
    return found


def pdf(name: str, data: bytes, pages: str, most: int) -> Result:
    """The text of a PDF's pages, as many as fit in `most` characters. meta: path, kind, pages (in all), shown, more.

    Raises BadArgument for one that is damaged or locked.
    """
    import logging

    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it complains of every small fault of a document
    try:
        document = PdfReader(io.BytesIO(data))
        if document.is_encrypted and not document.decrypt(""):
            raise BadArgument(f"{name} is a PDF that only a password opens", "protected")
        total = len(document.pages)
        wanted = page_numbers(pages, total) if pages else list(range(1, min(total, _UNASKED) + 1))
        parts: list[str] = []
        length = 0
        for number in wanted:
            text = document.pages[number - 1].extract_text().strip()
            if parts and length + len(text) > most:
                break
            parts.append(f"--- page {number} ---\n{text}")
            length += len(text)
    except BadArgument:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError) as error:
        raise BadArgument(f"{name} is a PDF that cannot be read: {type(error).__name__}: {error}", "kind") from error
    shown = wanted[: len(parts)]
    more = len(shown) < len(wanted) or (not pages and total > len(shown))
    notes = [f"pages {shown[0]}-{shown[-1]} of {total}; name others with pages"] if more and shown else []
    if length == 0:
        notes.append("there is no text in it; its pages may be pictures")
    meta = {"path": name, "kind": "pdf", "pages": total, "shown": shown, "more": more}
    meta["summary"] = f"{len(shown)} of {total} pages" if more else f"{total} page{'s' * (total != 1)}"
    return Result(ok=True, text=printable("\n".join(parts)), note="; ".join(notes) or None, meta=meta)

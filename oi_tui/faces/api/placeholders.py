"""`{{ code }}` in a system message: replaced by what the code prints, where the program says that it may."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oi_tui.faces.api.program import Program

_PLACE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_SKIP = "IGNORE_ALL_ABOVE_THIS_LINE"


def filled(text: str, interpreter: Program) -> str:
    """`text` with each placeholder run as Python in the interpreter's kernel.

    They are left as they are, with a warning, unless `interpreter.trust_placeholders` is set: a system message may come
    from elsewhere.
    """
    if not _PLACE.search(text):
        return text
    if not interpreter.trust_placeholders:
        warnings.warn(
            "the system message has {{ }} placeholders that were not run; set interpreter.trust_placeholders = True to "
            "run them as Python",
            stacklevel=2,
        )
        return text

    def run(found: re.Match[str]) -> str:
        shown = interpreter.computer.run("python", found[1].strip())
        texts = [str(one["content"]) for one in shown if one["type"] == "console" and _SKIP not in str(one["content"])]
        return "\n".join(texts).strip()

    return _PLACE.sub(run, text)

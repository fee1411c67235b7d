"""Jupyter notebooks, both ways. Format: nbformat 4.5, nbformat.readthedocs.io/en/latest/format_description.html.

A notebook that was written here opens and runs again in any Jupyter: Python as it is, other languages by the cell magic
of their program. What was said is kept as Markdown, the person's words as a quotation, and read back by the mark in the
cell's metadata.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from oi_tui.export.story import Did, Part, Planned, Ran, Said, Story, plain, told
from oi_tui.protocol.foreign import history_of
from oi_tui.protocol.lmc import Message, message

_MARK = "oi"  # key of our metadata
_MAGIC = {
    "shell": "%%bash",
    "zsh": "%%script zsh",
    "javascript": "%%script node",
    "typescript": "%%script node",
    "ruby": "%%script ruby",
    "r": "%%script Rscript -",
    "html": "%%html",
    "sql": "%%script sqlite3",
    "powershell": "%%script pwsh -Command -",
}
_LANGUAGES = {
    **{magic: language for language, magic in reversed(_MAGIC.items())},
    **dict.fromkeys(("%%sh", "%%shell"), "shell"), "%%javascript": "javascript", "%%js": "javascript", "%%R": "r",
    "%%ruby": "ruby", "%%sql": "sql",
}  # fmt: skip
_MIMES = {"png": "image/png", "jpeg": "image/jpeg", "jpg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml"}
_RICH = {
    "html": "text/html",
    "markdown": "text/markdown",
    "latex": "text/latex",
    "javascript": "application/javascript",
}
_ERROR = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning)?)(?:: (.*))?$", re.DOTALL)
_QUOTED = re.compile(r"^(?:> ?.*\n?)+$")


class NotANotebook(ValueError):
    """A file that cannot be read as one; str() says why."""


def write(messages: Sequence[Message]) -> str:
    """The conversation as the text of a notebook."""
    return json.dumps(_notebook(told(messages)), indent=1, ensure_ascii=False) + "\n"


def _notebook(story: Story) -> dict[str, Any]:
    cells = [cell for part in story.parts for cell in _cells(part)]
    count = 0
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            for output in cell["outputs"]:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = count
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"},
            "title": story.title,
        },
        "cells": cells,
    }


def _cells(part: Part) -> list[dict[str, Any]]:
    match part:
        case Said(person, text):
            quoted = "\n".join(f"> {line}" for line in text.split("\n")) if person else text
            return [_markdown(quoted, {"role": "user" if person else "assistant"})]
        case Ran():
            return [_code(part)]
        case Did(title, ok, diffs):
            shown = "".join(f"\n\n```diff\n{diff.rstrip()}\n```" for diff in diffs)
            return [_markdown(f"*{_inline(title)}{'' if ok else ' (failed)'}*{shown}", {"role": "tool"})]
        case Planned(steps):
            lines = "\n".join(f"- [{'x' if status == 'completed' else ' '}] {step}" for step, status in steps)
            return [_markdown(lines, {"role": "plan"})]


def _inline(text: str) -> str:
    return re.sub(r"([*_`\\])", r"\\\1", text)


def _markdown(text: str, mark: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": "", "metadata": {_MARK: mark}, "source": _lines(text)}


def _code(part: Ran) -> dict[str, Any]:
    """A cell with its outputs; a block that nobody let run, or that no Jupyter could run, is text."""
    magic = _MAGIC.get(part.language)
    mark = {"language": part.language, "ok": part.ok}
    if not part.ran or (part.language != "python" and magic is None):
        why = "" if part.ran else f"\n\n*not run{f': {part.note}' if part.note else ''}*"
        output = f"\n\n```text\n{part.output.rstrip()}\n```" if part.ran and part.output else ""
        return _markdown(f"```{part.language}\n{part.code}\n```{output}{why}", {**mark, "role": "block"})
    source = part.code if magic is None else f"{magic}\n{part.code}"
    return {
        "cell_type": "code",
        "id": "",
        "metadata": {"language": part.language, _MARK: mark},
        "execution_count": None,
        "source": _lines(source),
        "outputs": _outputs(part),
    }


def _outputs(part: Ran) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    text, error = (part.output, None) if part.ok or part.language != "python" else _split_error(part.output)
    if text:
        made.append({"output_type": "stream", "name": "stdout", "text": _lines(text)})
    for picture in part.pictures:
        mime = _MIMES.get(picture.format.rpartition(".")[2].lower(), "image/png")
        made.append(_display({mime: picture.data, "text/plain": "<picture>"}))
    made += [_display({_RICH[one.format]: one.content}) for one in part.rich if one.format in _RICH]
    if error is not None:
        made.append(error)
    if part.note and not part.ok:
        made.append({"output_type": "stream", "name": "stderr", "text": _lines(f"{part.note}\n")})
    return made


def _display(data: dict[str, str]) -> dict[str, Any]:
    shown = {mime: value if mime.startswith("image/") else _lines(value) for mime, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": shown}


def _split_error(output: str) -> tuple[str, dict[str, Any] | None]:
    """What was printed before a traceback, and the traceback as the error that Jupyter shows."""
    at = output.rfind("Traceback (most recent call last):")
    if at < 0 or (at and output[at - 1] != "\n"):
        return output, None
    trace = output[at:].rstrip("\n").split("\n")
    found = _ERROR.match(trace[-1].strip())
    name, value = (found[1], found[2] or "") if found else ("Error", trace[-1].strip())
    return output[:at], {"output_type": "error", "ename": name, "evalue": value, "traceback": trace}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


# ---- reading


def read(path: Path) -> list[Message]:
    """A notebook as the history of a conversation in which its cells were run. Raises OSError and NotANotebook.

    Text is what the person said, except where our mark tells otherwise."""
    try:
        notebook: Any = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError) as error:
        raise NotANotebook(f"{path.name} is not a notebook: {error}") from None
    version = notebook.get("nbformat") if isinstance(notebook, dict) else None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(version, int) or version < 4 or not isinstance(cells, list):
        form = f"its format is version {version}" if isinstance(version, int) else "it has no cells"
        raise NotANotebook(f"{path.name} cannot be read: {form}; open and save it in Jupyter first")
    language = _main_language(notebook)
    made: list[Message] = []
    for cell in cast("list[Any]", cells):
        if isinstance(cell, dict):
            made += _from_cell(cast("dict[str, Any]", cell), language)
    return history_of(made)


def _main_language(notebook: dict[str, Any]) -> str:
    metadata: Any = notebook.get("metadata") or {}
    named = metadata.get("kernelspec", {}).get("language") or metadata.get("language_info", {}).get("name")
    return str(named or "python").lower()


def _from_cell(cell: dict[str, Any], language: str) -> list[Message]:
    source = _text(cell.get("source"))
    metadata: Any = cell.get("metadata") or {}
    mark: Any = metadata.get(_MARK) or {}
    if not source.strip():
        return []
    if cell.get("cell_type") == "code":
        return _from_code(cell, source, str(mark.get("language") or language))
    if mark.get("role") == "assistant":
        return [message("assistant", "message", source)]
    if mark.get("role") in {"tool", "plan", "block"}:
        return [message("user", "message", source, recipient="assistant")]
    if _QUOTED.match(source):
        source = re.sub(r"^> ?", "", source, flags=re.MULTILINE)
    return [message("user", "message", source)]


def _from_code(cell: dict[str, Any], source: str, language: str) -> list[Message]:
    first, _, rest = source.partition("\n")
    known = next((name for magic, name in _LANGUAGES.items() if first.split("#")[0].strip() == magic), None)
    if known is not None:
        language, source = known, rest
    made = [message("assistant", "code", source, language)]
    outputs: Any = cell.get("outputs")
    for output in cast("list[Any]", outputs) if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            made += _from_output(cast("dict[str, Any]", output))
    return made if len(made) > 1 else [*made, message("computer", "console", "", "output")]


def _from_output(output: dict[str, Any]) -> list[Message]:
    kind = output.get("output_type")
    if kind == "stream":
        return [message("computer", "console", plain(_text(output.get("text"))), "output")]
    if kind == "error":
        lines: Any = output.get("traceback") or [f"{output.get('ename')}: {output.get('evalue')}"]
        return [message("computer", "console", plain("\n".join(map(str, lines))) + "\n", "output")]
    data: Any = output.get("data") or {}
    for mime, form in (("image/png", "png"), ("image/jpeg", "jpeg"), ("image/gif", "gif")):
        if mime in data:
            return [message("computer", "image", "".join(_text(data[mime]).split()), f"base64.{form}")]
    for mime in ("text/markdown", "text/latex", "text/plain"):
        if mime in data:
            return [message("computer", "console", _text(data[mime]).rstrip("\n") + "\n", "output")]
    if "text/html" in data:
        return [message("computer", "code", _text(data["text/html"]), "html", recipient="user")]
    return []


def _text(value: Any) -> str:
    return "".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else str(value or "")

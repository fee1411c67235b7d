"""Conversations as files, from real turns, opened by the programs that such files are for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from oi_tui.export import files, html, notebook
from oi_tui.export.story import Ran, plain, told
from oi_tui.faces.api.instance import OpenInterpreter
from oi_tui.protocol.lmc import Message, message

PLOT = "import matplotlib.pyplot as p\np.plot([1, 2, 4])\np.show()"
TABLE = "class T:\n    def _repr_html_(self): return '<table><tr><td>cell</td></tr></table>'\nT()"
NBCONVERT = (sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--allow-errors")
BLOCKS = (
    ("python", "n = 6\nprint('n is', n)\nn * 7"),
    ("shell", "echo from bash; printf '\\033[31mred\\033[0m\\n'"),
    ("python", PLOT),
    ("python", TABLE),
    ("python", "print('before')\n1 / 0"),
    ("python", "for i in range(2000): print('line', i)"),
)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Message]]:
    """The history of a turn that ran all of BLOCKS, and of one whose block was declined."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERPRETER_HOME", str(home))
        answers = iter([*(f"Next:\n```{language}\n{code}\n```" for language, code in BLOCKS), "**Done** <b>x</b>"])
        one = OpenInterpreter(auto_run=True, conversation_history=False)

        def model(**_: Any) -> Iterator[dict[str, Any]]:
            yield {"choices": [{"delta": {"content": next(answers)}}]}

        one.llm.completions, one.llm.supports_functions = model, False
        one.chat("Show me & <i>everything</i>\nplease", display=False)
        session = one._engine()._session
        assert session is not None
        made = list(session.messages)
        call = {"id": "no", "name": "run", "arguments": "{}"}
        made.append(message("assistant", "code", "rm -rf x", "shell", call=call))
        refused = {"ok": False, "rejected": True, "note": "too dangerous"}
        made.append(message("computer", "console", "", "output", call={"id": "no", "name": "run", "result": refused}))
        yield made
        one.close()


def test_the_story_has_all_of_it(history: list[Message]) -> None:
    blocks = [part for part in told(history).parts if isinstance(part, Ran)]
    assert [(part.language, part.ran, part.ok) for part in blocks] == [
        ("python", True, True), ("shell", True, True), ("python", True, True), ("python", True, True),
        ("python", True, False), ("python", True, True), ("shell", False, False),
    ]  # fmt: skip
    assert blocks[0].output == "n is 6\n42\n" and "\x1b" not in blocks[1].output and "red" in blocks[1].output
    assert blocks[2].pictures and blocks[2].pictures[0].data
    assert blocks[5].output.count("\n") == 2000  # the model was shown less


def test_a_notebook_opens_and_runs_again(history: list[Message], tmp_path: Path) -> None:
    path = tmp_path / "all.ipynb"
    assert files.export(history, path) == path.stat().st_size
    made = nbformat.read(path, as_version=4)
    nbformat.validate(made)
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [1, 2, 3, 4, 5, 6]
    assert code[1].source.startswith("%%bash\n") and made.cells[0].source.startswith("> Show me")
    assert [output.output_type for output in code[4].outputs] == ["stream", "error"]
    assert (code[4].outputs[1].ename, code[4].outputs[1].evalue) == ("ZeroDivisionError", "division by zero")
    assert "image/png" in code[2].outputs[0].data
    ran = subprocess.run(
        [*NBCONVERT, "--output", "again", path],
        cwd=tmp_path, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    again = [cell for cell in nbformat.read(tmp_path / "again.ipynb", as_version=4).cells if cell.cell_type == "code"]
    assert [_printed(cell) for cell in again[:2]] == ["n is 6\n42", "from bash\nred"]
    assert again[4].outputs[-1].ename == "ZeroDivisionError"


def _printed(cell: Any) -> str:
    texts = (one.get("text") or one.get("data", {}).get("text/plain", "") for one in cell.outputs)
    return plain("".join(texts)).strip()


def test_a_notebook_comes_back(history: list[Message], tmp_path: Path) -> None:
    path = tmp_path / "all.ipynb"
    files.export(history, path)
    back = files.read(path)
    before = [part for part in told(history).parts if not (isinstance(part, Ran) and not part.ran)]
    after = told(back).parts
    assert [type(part) for part in after] == [type(part) for part in before]
    for was, now in zip(before, after, strict=True):
        assert getattr(was, "text", "") == getattr(now, "text", "")
        assert (getattr(was, "language", ""), getattr(was, "code", "")) == (
            getattr(now, "language", ""), getattr(now, "code", ""),
        )  # fmt: skip


def test_a_notebook_of_others_is_read(tmp_path: Path) -> None:
    made = nbformat.v4.new_notebook(metadata={"kernelspec": {"language": "R", "name": "ir", "display_name": "R"}})
    made.cells = [
        nbformat.v4.new_markdown_cell("# Sales"),
        nbformat.v4.new_code_cell("x <- 1", outputs=[nbformat.v4.new_output("stream", text="hi\n")]),
        nbformat.v4.new_code_cell("%%bash\nls", outputs=[]),
        nbformat.v4.new_code_cell(""),
        nbformat.v4.new_raw_cell("raw"),
    ]
    path = tmp_path / "r.ipynb"
    nbformat.write(made, path)
    back = files.read(path)
    assert [(one["role"], one["type"], one.get("format"), one["content"]) for one in back] == [
        ("user", "message", None, "# Sales"),
        ("assistant", "code", "r", "x <- 1"),
        ("computer", "console", "output", "hi\n"),
        ("assistant", "code", "shell", "ls"),
        ("computer", "console", "output", ""),
        ("user", "message", None, "raw"),
    ]
    assert back[1]["call"]["id"] == back[2]["call"]["id"] != back[3]["call"]["id"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "not a notebook"),
        ("[]", "has no cells"),
        ('{"nbformat": 3, "worksheets": []}', "version 3"),
        ("\xff", "not"),
    ],
)
def test_what_is_no_notebook_is_refused(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "x.ipynb"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(files.ExportError, match=why):
        files.read(path)


def test_a_report_holds_its_charts_and_nothing_can_break_out(history: list[Message], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    files.export(history, path)
    text = path.read_text()
    assert "<i>everything</i>" not in text and "<b>x</b>" not in text and "<strong>Done</strong>" in text
    assert "data:image/png;base64," in text and 'sandbox="allow-scripts"' in text and "not run: too dangerous" in text
    assert not re.search(r"(?:src|href)=\"https?:", text)
    hostile = [message("assistant", "message", "[x](javascript:alert(1)) <script>alert(1)</script>")]
    assert "<script>" not in html.write(hostile) and 'href="javascript' not in html.write(hostile)


def test_markdown_scripts_and_messages(history: list[Message], tmp_path: Path) -> None:
    for name in ("a.md", "a.py", "a.sh", "a.json"):
        files.export(history, tmp_path / name)
    markdown = (tmp_path / "a.md").read_text()
    assert markdown.startswith("## user\n\nShow me") and "```output\nn is 6\n42\n```" in markdown
    ran = subprocess.run([sys.executable, tmp_path / "a.py"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and ran.stdout.startswith("n is 6\n") and "line 1999" in ran.stdout, ran.stderr
    assert subprocess.run(["bash", tmp_path / "a.sh"], capture_output=True, text=True, check=False).stdout == (
        "from bash\n\x1b[31mred\x1b[0m\n"
    )
    given = json.loads((tmp_path / "a.json").read_text())
    assert all(set(one) <= {"role", "type", "format", "content", "recipient"} for one in given)
    back = files.read(tmp_path / "a.json")
    assert [one["content"] for one in back] == [one["content"] for one in given]


def test_files_are_not_replaced_unasked(tmp_path: Path) -> None:
    said = [message("user", "message", "hello")]
    path = tmp_path / "deep" / "a.md"
    files.export(said, path)
    with pytest.raises(files.ExportError, match="exists already") as refused:
        files.export(said, path)
    assert "-f" in refused.value.hint
    files.export(said, path, replace=True)
    for wrong, why in ((tmp_path / "a.docx", r"\.docx is not known"), (tmp_path / "deep", "nothing is not known")):
        with pytest.raises(files.ExportError, match=why):
            files.export(said, wrong)
    assert [one.name for one in path.parent.iterdir()] == ["a.md"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\rb\n", "b\n"), ("10%\r100%\r\ndone", "100%\ndone"), ("\x1b[1mx\x1b[0m\x07", "x"), ("working…\r", "working…")],
)
def test_controls_are_not_written(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_an_empty_notebook_is_one(tmp_path: Path) -> None:
    nbformat.validate(nbformat.reads(notebook.write([]), as_version=4))

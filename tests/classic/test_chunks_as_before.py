"""Sixty scripted conversations whose chunks are those of Open Interpreter 0.4: roles, types, formats, order, flags.

What was expected of it is written down here anew, from its protocol: an answer's text is one block, code another with
its language, a confirmation has no flags, everything that a block gives is one console block without a format that ends
with the running line `None`, pictures and HTML are blocks of their own.

What is otherwise, on purpose:

- output keeps the newline that the program printed, and values that Python shows have one;
- rich output says whom it is for (`recipient: user`), as the language HTML always did;
- the first chunk of a block is not the message that is kept, so it does not grow;
- a value with HTML is told as text too, for the model, and that text stands before the HTML in the messages;
- a language has one name however it was written, `py` is python and `bash` is shell, and one state;
- commands that only read are not asked about;
- text before, between and after blocks is told whole, backticks and the names of languages in it too.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from oi_tui.faces.api.instance import OpenInterpreter
from tests.faces.api.conftest import Scripted, flat

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
Part = tuple[Any, ...]  # role, type, format, start | end | content


@dataclass(frozen=True)
class Block:
    """One answer that runs code. gives: what the block prints, or (type, format, content); a text that ends in … is
    only the beginning of what is printed, one that begins with it the end. said: text before the block."""

    code: str
    gives: tuple[Any, ...] = ()
    language: str = "python"
    said: str = "Let me see."


@dataclass(frozen=True)
class Case:
    """A conversation: blocks, then the last words. asks: every block is confirmed."""

    name: str
    blocks: tuple[Block, ...] = ()
    end: str = "Done."
    asks: bool = False


def py(code: str, *gives: Any, said: str = "Let me see.") -> Block:
    return Block(code, gives, "python", said)


def sh(code: str, *gives: Any, language: str = "shell") -> Block:
    return Block(code, gives, language)


SHOWN = f"class P:\n    def _repr_png_(self):\n        import base64\n        return base64.b64decode({PNG!r})\n"
PAGE = "class H:\n    def _repr_html_(self): return '<b>six</b>'\n"
IMAGE = ("image", "base64.png", PNG)
H_TEXT = "<__main__.H object…"
HTML = ("code", "html", "<b>six</b>")

TEXTS = {
    "plain": "It is six.",
    "markdown": "# Six\n\n* one\n* **two**\n\n[more](http://x)",
    "other letters": "Это шесть, 六です. 🎉",
    "paragraphs": "One.\n\nTwo.\n\n\nThree.",
    "backticks in a line": "Use `six` and `python` for python.",
    "a colon and quotes": "It said: \"six\" — 'six'.",
    "json": 'The answer: {"answer": 6}',
    "html": "<p>six</p>",
    "the word of a language": "python python shell javascript",
}
PYTHON: list[tuple[str, tuple[Any, ...], str]] = [
    ("a value", ("6\n",), "a = 3\na * 2"),
    ("a print", ("six\n",), "print('six')"),
    ("prints", ("1\n2\n3\n",), "for n in (1, 2, 3): print(n)"),
    ("print and value", ("a\n2\n",), "print('a')\n2"),
    ("nothing", (), "x = 1"),
    ("no newline", ("six",), "print('six', end='')"),
    ("standard error", ("oops\n",), "import sys\nprint('oops', file=sys.stderr)"),
    ("an error", ("…ZeroDivisionError: division by zero\n",), "1 / 0"),
    ("a print and an error", ("begun\n…",), "print('begun')\n1 / 0"),
    ("an error of syntax", ("…SyntaxError: invalid syntax\n",), "x = = 1"),
    ("other letters", ("六 é 🎉\n",), "print('六 é 🎉')"),
    ("a string of lines", ("'a\\n\\nb'\n",), "'''a\n\nb'''"),
    ("tabs and spaces", ("  a\tb  \n",), "print('  a\\tb  ')"),
    ("a comment and blank lines", ("1\n",), "# first\n\n\nprint(1)  # last"),
    ("a function", ("25\n",), "def f(n):\n    return n * n\n\nf(5)"),
    ("the marks of output", ("##end_of_execution##\n",), "print('##' + 'end_of_execution##')"),
    ("the word python", ("python\n",), "print('python')"),
    ("a picture", (IMAGE,), SHOWN + "P()"),
    ("a print, then a picture", ("look\n", IMAGE), SHOWN + "print('look')\nP()"),
    ("html", (HTML, H_TEXT), PAGE + "H()"),
    ("a print, then html", ("look\n", HTML, H_TEXT), PAGE + "print('look')\nH()"),
]
SHELL: list[tuple[str, tuple[Any, ...], str]] = [
    ("echo", ("six\n",), "echo six"),
    ("lines", ("one\ntwo\n",), "echo one\necho two"),
    ("nothing", (), "true"),
    ("a pipe", ("3\n",), "printf 'a\\nb\\nc\\n' | grep -c ."),
    ("a loop", ("1\n2\n",), "for n in 1 2; do\n  echo $n\ndone"),
    ("a here-document", ("a\nb\n",), "cat <<X\na\nb\nX"),
    ("a missing file", ("…No such file or directory\n",), "cat /nowhere/at/all"),
    ("standard input", ("over\n",), "cat; echo over"),
]
NAME_ERROR = "…NameError: name 'nothere' is not defined\n"


def cases() -> Iterator[Case]:
    for name, text in TEXTS.items():
        yield Case(f"text: {name}", (), text)
    for name, gives, code in PYTHON:
        yield Case(f"python: {name}", (py(code, *gives),))
    for name, gives, code in SHELL:
        yield Case(f"shell: {name}", (sh(code, *gives),))
    yield Case("python: asked", (py("print(1)", "1\n"),), asks=True)
    yield Case("python: asked, an error", (py("1 / 0", "…ZeroDivisionError: division by zero\n"),), asks=True)
    yield Case("python: asked, nothing", (py("y = 1"),), asks=True)
    yield Case("python: asked, a picture", (py(SHOWN + "P()", IMAGE),), asks=True)
    yield Case("shell: asked", (sh("touch six; echo 6", "6\n"),), asks=True)
    yield Case("python: no words before it", (py("print(1)", "1\n", said=""),))
    yield Case("python: no words before it, asked", (py("print(1)", "1\n", said=""),), asks=True)
    yield Case("two blocks", (py("v = 40"), py("v + 2", "42\n")))
    yield Case("two blocks, asked", (py("v = 40"), py("v + 2", "42\n")), asks=True)
    yield Case("three blocks", (py("print(1)", "1\n"), py("print(2)", "2\n"), py("print(3)", "3\n")))
    yield Case("python, then shell", (py("print('p')", "p\n"), sh("echo s", "s\n")))
    yield Case("shell, then python, asked", (sh("touch s; echo s", "s\n"), py("print('p')", "p\n")), asks=True)
    yield Case("an error, then better", (py("nothere", NAME_ERROR), py("print(1)", "1\n")))
    yield Case("a picture, then words", (py(SHOWN + "P()", IMAGE), py("print(1)", "1\n")))
    yield Case("html, then a value", (py(PAGE + "H()", HTML, H_TEXT), py("6", "6\n")))
    yield Case("silence twice", (py("x = 1"), py("x = 2")))
    yield Case("python by another name", (Block("print(7)", ("7\n",), "py"),))
    yield Case("shell by another name", (sh("echo b", "b\n", language="bash"),))
    yield Case("a long output", (py("print('x' * 5000)", "x" * 5000 + "\n"),))
    yield Case("markdown before it", (py("print(1)", "1\n", said="## First\n\nSome `code`."),))
    yield Case("a short end", (py("print(1)", "1\n"),), "ok")
    yield Case("a fence inside a string", (py("print('`' * 2)", "``\n"),))


CASES = list(cases())


def expected(case: Case) -> list[Part]:
    """The chunks, texts of one block joined, as the protocol has them."""
    made: list[Part] = []

    def whole(role: str, kind: str, form: str | None, content: Any) -> None:
        made.extend([(role, kind, form, "start"), (role, kind, form, content), (role, kind, form, "end")])

    for one in case.blocks:
        if one.said:
            whole("assistant", "message", None, one.said)
        language = {"py": "python", "bash": "shell"}.get(one.language, one.language)
        whole("assistant", "code", language, one.code)
        if case.asks:
            asked = {"type": "code", "format": language, "content": one.code}
            made.append(("computer", "confirmation", "execution", asked))
        made.append(("computer", "console", None, "start"))
        for given in one.gives:
            if isinstance(given, str):
                made.append(("computer", "console", "output", given))
                continue
            if made[-1][3] == "start":
                made.pop()  # nothing was printed before it
            else:
                made.append(("computer", "console", None, "end"))
            whole("computer", *given)
            made.append(("computer", "console", None, "start"))
        made += [("computer", "console", "active_line", None), ("computer", "console", None, "end")]
    whole("assistant", "message", None, case.end)
    return made


def alike(seen: Any, wanted: Any) -> bool:
    if isinstance(seen, str) and isinstance(wanted, str) and "…" in wanted:
        return seen.endswith(wanted[1:]) if wanted.startswith("…") else seen.startswith(wanted[:-1])
    return seen == wanted


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenInterpreter]:
    """One interpreter for all: kernels are not what is compared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("work"))
        one = OpenInterpreter(conversation_history=False)
        one.llm.supports_functions = False
        yield one
        one.close()


def without_lines(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the lines that ran: how many are told depends on how fast they were. A console block in which nothing
    but such lines were told goes as well."""
    kept = [one for one in chunks if one.get("format") != "active_line" or one["content"] is None]
    made: list[dict[str, Any]] = []
    for one in kept:
        empty = one.get("end") and one["type"] == "console" and made and made[-1].get("start")
        if empty:
            made.pop()
        else:
            made.append(one)
    return made


def test_there_are_sixty() -> None:
    assert len(CASES) == 60 and len({case.name for case in CASES}) == 60


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_chunks_of_a_conversation(case: Case, shared: OpenInterpreter) -> None:
    fence = "```"
    answers = [f"{one.said}\n{fence}{one.language}\n{one.code}\n{fence}".lstrip("\n") for one in case.blocks]
    shared.messages = []
    shared.auto_run = not case.asks
    shared.llm.completions = Scripted(*answers, case.end)
    chunks = list(shared.chat("go", display=False, stream=True))
    seen, wanted = flat(without_lines(chunks)), expected(case)
    assert [(*one[:3], one[3] if one[3] in ("start", "end") else "…") for one in seen] == [
        (*one[:3], one[3] if one[3] in ("start", "end") else "…") for one in wanted
    ]
    for got, want in zip(seen, wanted, strict=True):
        assert alike(got[3], want[3]), (got, want)
    _check_flags(chunks)
    _check_kept(chunks, shared.messages)


def _check_flags(chunks: list[dict[str, Any]]) -> None:
    """Flags enclose blocks, carry no content, and never overlap; a console's carry no format."""
    opened: dict[str, Any] | None = None
    for one in chunks:
        head = {key: one.get(key) for key in ("role", "type")}
        if one.get("start"):
            assert opened is None and "content" not in one and (one["type"] != "console" or "format" not in one)
            opened = head
        elif one.get("end"):
            assert opened == head and "content" not in one
            opened = None
        elif one["type"] == "confirmation":
            assert opened is None
        else:
            assert opened == head and one["content"] != ""
    assert opened is None


def _check_kept(chunks: list[dict[str, Any]], messages: list[dict[str, Any]]) -> None:
    """What is kept is what was told, less the running line and confirmations, long output cut; a block that gave
    nothing leaves an empty output, so that the model learns of it."""
    told = [
        one for one in flat(chunks) if one[3] not in ("start", "end") and one[2] not in ("active_line", "execution")
    ]
    kept = [(one["role"], one["type"], one.get("format"), one["content"]) for one in messages[1:]]
    whole = [one for one in kept if one[3] != ""]
    if any(one[2] == "html" for one in told):
        told, whole = _together(told), _together(whole)
    assert [one[:3] for one in whole] == [one[:3] for one in told]
    for got, want in zip(whole, told, strict=True):
        assert got[3] == want[3] or (len(want[3]) > 2800 > len(got[3]) - 600)
    assert {one[:3] for one in kept if one[3] == ""} <= {("computer", "console", "output")}
    for at, one in enumerate(kept):
        if one[:2] == ("assistant", "code"):
            assert kept[at + 1][0] == "computer", "a block without a result"


def _together(parts: list[Part]) -> list[Part]:
    """All that was printed as one, and that last."""
    printed = "".join(one[3] for one in parts if one[1] == "console")
    return [*(one for one in parts if one[1] != "console"), ("computer", "console", "output", printed)]


def test_a_chunk_does_not_grow_after_it_was_given(shared: OpenInterpreter) -> None:
    shared.messages, shared.auto_run = [], True
    shared.llm.completions = Scripted("One two three four five six.")
    kept = [(one, dict(one)) for one in shared.chat("go", display=False, stream=True)]
    assert len(kept) > 4 and all(one == copy for one, copy in kept)


def test_pictures_are_what_they_say() -> None:
    assert base64.b64decode(PNG).startswith(b"\x89PNG")

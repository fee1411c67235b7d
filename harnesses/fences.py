"""Code out of fenced Markdown blocks, while the answer is still arriving.

The rules, which hold for any way of cutting an answer into chunks:

- A fence is a line of its own that begins with three or more backticks or tildes, indented by spaces or tabs at most; a
  quoted (`> `) fence is none. It ends with a line of at least as many of the same character and nothing else. So
  backticks inside a longer fence are content.
- A block runs only if its tag names a language that can be run; case, spaces, `{python}` and CRLF do not matter.
  Untagged blocks and tags such as `text`, `json`, `markdown` or `output` are text: shown, fences and all, never run.
- Leading blank lines and trailing whitespace are no part of the code, nor is one pair of backticks around all of it.
- HTML entities are left alone: `&lt;` may be what the code is about.
- A block without an end is given with `Parsed.unclosed`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from harnesses.data import CodeOpen, CodeText, Parsed, Piece, Say, Think
from oi_tui.protocol.calls import Call
from oi_tui.protocol.stream import Delta, Stop, TextDelta, ThoughtDelta

# What models write after a fence -> the language it means.
TAGS = {
    "py": "python", "python3": "python", "python2": "python", "ipython": "python",
    "sh": "shell", "bash": "shell", "zsh": "shell", "shellscript": "shell", "shell-script": "shell",
    "js": "javascript", "node": "javascript", "nodejs": "javascript", "mjs": "javascript",
    "ts": "typescript", "rb": "ruby", "pwsh": "powershell", "ps1": "powershell", "osascript": "applescript",
}  # fmt: skip

_OPENING = re.compile(r"([ \t]*)(`{3,}|~{3,})(.*)")
_PERHAPS_OPENING = re.compile(r"[ \t]*(?:`{0,2}|~{0,2}|`{3,}[^`]*|~{3,}.*)")
_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)+")
_TAG = re.compile(r"[A-Za-z][\w+#-]*")


def language_of(info: str, languages: Collection[str]) -> str | None:
    """The language among `languages` that a fence's info string names, None for text."""
    found = _TAG.match(info.strip().lstrip("{.").strip())
    if found is None:
        return None
    tag = found.group().lower()
    return next((name for name in (tag, TAGS.get(tag, tag)) if name in languages), None)


@dataclass(slots=True)
class _Block:
    """An open fence. `language` is None for a block that is text.

    held: whitespace and backticks that are code only if more code follows. stray: the code began with a backtick, so
    all of it is kept back until it is clear whether one belongs to it at the end.
    """

    mark: str
    indent: int
    language: str | None
    index: int
    opened: bool = False
    held: str = ""
    stray: bool = False
    code: list[str] = field(default_factory=list[str])

    def ends_at(self, line: str) -> bool:
        """True if `line` closes the block."""
        bare = line.strip()
        indent = len(line) - len(line.lstrip(" \t"))
        return len(bare) >= len(self.mark) and not bare.strip(self.mark[0]) and indent <= self.indent + 3

    def may_end_at(self, start: str) -> bool:
        """True if a line that begins with `start` could still close the block, or is all indentation so far."""
        return not start.strip(self.mark[0] + " \t\r")

    def outdent(self, line: str) -> str:
        """`line` without the indentation that the fence itself has."""
        spaces = len(line) - len(line.lstrip(" \t"))
        return line[min(spaces, self.indent) :]


class FenceReader:
    """A Reader that makes a call of each block in one of `languages`, or with `all_blocks` off of the first one only.

    Calls are named `name`, have ids `block_1`, `block_2`, … and the arguments `language` and `code`.
    """

    def __init__(self, languages: Collection[str], *, all_blocks: bool = True, name: str = "run") -> None:
        self._languages, self._all, self._name = frozenset(languages), all_blocks, name
        self._line = ""  # what has come of the current line and was not given out
        self._fresh = True  # nothing of the current line was given out
        self._block: _Block | None = None
        self._gap = ""  # whitespace after text: text only if more text follows
        self._pieces: list[Piece] = []
        self._paragraphs: list[list[str]] = [[]]  # text between calls
        self._calls: list[Call] = []
        self._thoughts: list[str] = []
        self._signature, self._stop = "", "stop"

    def feed(self, delta: Delta) -> Sequence[Piece]:
        """Take one delta; the pieces that became certain by it."""
        if isinstance(delta, TextDelta):
            self._take(delta.text)
        elif isinstance(delta, ThoughtDelta):
            self._thoughts.append(delta.text)
            self._signature = delta.signature or self._signature
            if delta.text:
                self._pieces.append(Think(delta.text))
        elif isinstance(delta, Stop):
            self._stop = delta.reason
        return self._given()

    def finish(self) -> tuple[Sequence[Piece], Parsed]:
        """The pieces that were held back, and the whole answer."""
        if self._line:
            self._end_line("")
        unclosed = False
        if self._block is not None and self._block.language is not None:
            unclosed = not self._ends_in_line(self._block)
            self._close(self._block)
        paragraphs = ("".join(one) for one in self._paragraphs)
        return self._given(), Parsed(
            text="\n\n".join(one for one in paragraphs if one), reasoning="".join(self._thoughts),
            signature=self._signature, calls=tuple(self._calls), stop=self._stop, unclosed=unclosed,
        )  # fmt: skip

    def _given(self) -> list[Piece]:
        given, self._pieces = self._pieces, []
        return given

    def _take(self, text: str) -> None:
        *whole, rest = text.split("\n")
        for line in whole:
            self._line += line
            self._end_line("\n")
        self._line += rest
        if self._line and not self._undecided():
            self._give(self._line)
            self._line, self._fresh = "", False

    def _undecided(self) -> bool:
        if not self._fresh:
            return False
        if self._block is not None:
            return self._block.may_end_at(self._line)
        return _PERHAPS_OPENING.fullmatch(self._line) is not None

    def _give(self, text: str) -> None:
        block = self._block
        if block is None or block.language is None:
            self._say(text)
        else:
            self._code(block, block.outdent(text) if self._fresh else text)

    def _end_line(self, newline: str) -> None:
        line, block = self._line, self._block
        opening = _OPENING.fullmatch(line.rstrip("\r")) if self._fresh and block is None else None
        if opening is not None and ("~" in opening[2] or "`" not in opening[3]):
            self._open(opening[1], opening[2], opening[3])
            block = self._block
            if block is not None and block.language is None:
                self._say(line + newline)
        elif block is not None and self._fresh and block.ends_at(line):
            if block.language is None:
                self._say(line + newline)
            else:
                self._close(block)
            self._block = None
        else:
            self._give(line + newline)
        self._line, self._fresh = "", True

    def _open(self, indent: str, mark: str, info: str) -> None:
        language = language_of(info, self._languages)
        if self._calls and not self._all:
            language = None
        self._block = _Block(mark, len(indent), language, len(self._calls))

    def _say(self, text: str) -> None:
        text = self._gap + text
        body = text.rstrip()
        self._gap = text[len(body) :]
        if not body:
            return
        paragraph = self._paragraphs[-1]
        if not paragraph and (blank := _BLANK_LINES.match(body)):
            body = body[blank.end() :]
        body = body.replace("\r\n", "\n")
        paragraph.append(body)
        self._pieces.append(Say(body))

    def _code(self, block: _Block, text: str) -> None:
        text = block.held + text
        body = text.rstrip(block.mark[0] + " \t\r\n")
        if not block.opened and not body.strip():  # also of rarer white space no code is made
            body = ""
        block.held = text[len(body) :]
        if body:
            self._release(block, body)

    def _release(self, block: _Block, code: str) -> None:
        if not block.opened:
            if blank := _BLANK_LINES.match(code):
                code = code[blank.end() :]
            block.opened, block.stray = True, code.lstrip().startswith("`")
            self._paragraphs.append([])
            self._gap = ""
            self._pieces.append(CodeOpen(block.index, block.language or ""))
        code = code.replace("\r\n", "\n")
        block.code.append(code)
        if not block.stray:
            self._pieces.append(CodeText(block.index, code))

    def _ends_in_line(self, block: _Block) -> bool:
        """True if the answer's last line is code with the closing fence right after it: it is no part of the code then.

        Neither is a fence of its own line that was cut off in the middle, but that one closes nothing.
        """
        line, marks = "\n" in block.held, block.held.strip()
        if not block.opened or not marks or marks.strip(block.mark[0]) or not (line or len(marks) >= len(block.mark)):
            return False
        block.held = ""
        return len(marks) >= len(block.mark)

    def _close(self, block: _Block) -> None:
        if not block.opened:
            self._gap = "\n\n" if self._paragraphs[-1] else ""
            return
        if rest := block.held.rstrip():
            self._release(block, rest)
        code = "".join(block.code)
        if block.stray:
            bare = code.strip()
            if len(bare) > 2 and bare.endswith("`") and bare.count("`") == 2:
                code = bare[1:-1].strip()
            self._pieces.append(CodeText(block.index, code))
        arguments = {"language": block.language, "code": code}
        self._calls.append(Call(f"block_{block.index + 1}", self._name, arguments, raw=code))

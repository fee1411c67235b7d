"""Source code to styled lines, one line at a time, so that a growing block costs only its new lines.

Pygments lexers built from regular expressions are state machines: the stack of states at the end of a line is all that
is needed to go on (pygments.lexer.RegexLexer, "lexers with state" in its documentation). Comments that a lexer matches
with one expression over several lines are followed here; the few other such constructs are coloured line by line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .wrapping import Run

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST = 2000
"""Characters of a line beyond which it stays uncoloured: such lines are data, and slow."""

_IDLE_STEPS = 50  # changes of state without a character taken; more is a lexer that runs in a circle

_COMMENTS = (("/*", "*/"), ("<!--", "-->"))
_OPERATORS = ("code.punct", "code.error", "code.text")

_STYLES: tuple[tuple[str, str], ...] = (
    ("Token.Comment.Preproc", "code.meta"),
    ("Token.Comment.Hashbang", "code.meta"),
    ("Token.Comment", "code.comment"),
    ("Token.Keyword.Type", "code.type"),
    ("Token.Keyword.Constant", "code.number"),
    ("Token.Keyword", "code.keyword"),
    ("Token.Operator.Word", "code.keyword"),
    ("Token.Operator", "code.punct"),
    ("Token.Punctuation", "code.punct"),
    ("Token.Name.Function", "code.call"),
    ("Token.Name.Class", "code.type"),
    ("Token.Name.Exception", "code.type"),
    ("Token.Name.Decorator", "code.meta"),
    ("Token.Name.Tag", "code.keyword"),
    ("Token.Name.Attribute", "code.call"),
    ("Token.Name.Builtin.Pseudo", "code.keyword"),
    ("Token.Name.Builtin", "code.call"),
    ("Token.Literal.String", "code.string"),
    ("Token.Literal.Number", "code.number"),
    ("Token.Literal.Date", "code.number"),
    ("Token.Generic.Inserted", "ok"),
    ("Token.Generic.Deleted", "bad"),
    ("Token.Generic.Heading", "heading"),
    ("Token.Generic.Subheading", "accent"),
    ("Token.Generic.Error", "bad"),
    ("Token.Generic.Traceback", "bad"),
    ("Token.Generic.Prompt", "faint"),
    ("Token.Generic.Output", "muted"),
)

_ALIASES = {"shell": "bash", "sh": "bash", "zsh": "bash", "console": "console", "node": "javascript", "text": ""}


@lru_cache(1024)
def token_style(kind: Any) -> str:
    """The style of a Pygments token type (`Token.Keyword.Namespace`), by its dotted name."""
    name = str(kind)
    for prefix, style in _STYLES:
        if name.startswith(prefix):
            return style
    return "code.text"


@lru_cache(64)
def find_lexer(language: str) -> Lexer | None:
    """The lexer for a language as it is named after a fence; None when Pygments has none, or for plain text."""
    name = language.strip().lower()
    name = _ALIASES.get(name, name)
    if not name or name in {"plain", "plaintext", "txt", "output"}:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@dataclass(frozen=True, slots=True)
class _State:
    """Where a highlighter stands between two lines: the lexer's states, and the end mark of an open comment."""

    stack: tuple[str, ...] = ("root",)
    comment: str = ""


class Highlighter:
    """Styles of the lines of one text, fed in order.

    Args:
        language: as after a fence (`python`, `js`); an unknown one gives plain text.
    """

    def __init__(self, language: str) -> None:
        self._lexer = find_lexer(language)
        self._rules: dict[str, list[Any]] | None = None
        self._state = _State()
        from pygments.lexer import ExtendedRegexLexer, RegexLexer

        if isinstance(self._lexer, RegexLexer) and not isinstance(self._lexer, ExtendedRegexLexer):
            self._rules = getattr(self._lexer, "_tokens", None)

    def feed(self, line: str) -> tuple[Run, ...]:
        """Runs of a whole line (without its newline); the state moves on past it."""
        runs, self._state = self._lex(line, self._state)
        return tuple(runs)

    def peek(self, line: str) -> tuple[Run, ...]:
        """Runs of a line that is still being written; the state stays before it."""
        return tuple(self._lex(line, self._state)[0])

    def _lex(self, line: str, state: _State) -> tuple[list[Run], _State]:
        lexer = self._lexer
        if lexer is None or len(line) > LONGEST:
            return [(len(line), "code.text")], state
        if self._rules is None:
            return _runs(lexer.get_tokens(line), len(line)), state
        if state.comment:
            closed = line.find(state.comment)
            if closed < 0:
                return [(len(line), "code.comment")], state
            place = closed + len(state.comment)
            runs, after = self._lex(line[place:], _State(state.stack))
            return [(place, "code.comment"), *runs], after
        stack = list(state.stack)
        runs = _runs(_step(lexer, self._rules, line + "\n", stack), len(line))
        place, mark = _opened(line, runs)
        if not mark:
            return runs, _State(tuple(stack))
        stack = list(state.stack)
        runs = _runs(_step(lexer, self._rules, line[:place], stack), place)
        return [*runs, (len(line) - place, "code.comment")], _State(tuple(stack), mark)


def _opened(line: str, runs: list[Run]) -> tuple[int, str]:
    """Where a comment begins that goes on after the line, and what will end it.

    Many lexers match such a comment with one expression, which a line of its own cannot satisfy: its first mark then
    looks like operators.
    """
    for opener, closer in _COMMENTS:
        place = line.find(opener)
        while place >= 0:
            if line.find(closer, place + len(opener)) < 0 and _style_at(runs, place) in _OPERATORS:
                return place, closer
            place = line.find(opener, place + 1)
    return 0, ""


def _style_at(runs: list[Run], place: int) -> str:
    for length, style in runs:
        if place < length:
            return style
        place -= length
    return ""


def _step(lexer: Any, states: dict[str, list[Any]], text: str, stack: list[str]) -> Iterator[tuple[Any, str]]:
    """Run the state machine over `text`; changes `stack` to what it is at the end."""
    place = idle = 0
    while place < len(text):
        for match_at, action, target in states[stack[-1]]:
            match = match_at(text, place) if idle < _IDLE_STEPS else None
            if match is None:
                continue
            if action is not None:
                if not isinstance(action, tuple):
                    for _, kind, value in action(lexer, match):
                        yield kind, value
                else:
                    yield action, match.group()
            idle = idle + 1 if match.end() == place else 0
            place = match.end()
            if target is not None:
                _move(stack, target)
            if target is not None or match.end() > match.start():
                break
        else:
            # Pygments starts over at the end of a line that nothing matched.
            if text[place] == "\n":
                stack[:] = ["root"]
            idle = 0
            yield ("Token.Text" if text[place].isspace() else "Token.Error"), text[place]
            place += 1


def _move(stack: list[str], target: Any) -> None:
    """Enter and leave states as a rule says: a name, several, a count to leave, or `#push`."""
    if isinstance(target, int):
        del stack[max(1, len(stack) + target) if target < 0 else len(stack) :]
    elif target == "#push":
        stack.append(stack[-1])
    else:
        for state in target if isinstance(target, tuple) else (target,):
            if state == "#pop":
                if len(stack) > 1:
                    stack.pop()
            elif state == "#push":
                stack.append(stack[-1])
            else:
                stack.append(state)


def _runs(tokens: Iterable[tuple[Any, str]], length: int) -> list[Run]:
    """Join tokens of one style; never past `length` characters."""
    runs: list[Run] = []
    left = length
    for kind, text in tokens:
        size = min(left, len(text))
        if size <= 0:
            continue
        left -= size
        style = token_style(kind)
        # Spaces look the same in every style; each change of style costs bytes on the wire.
        if runs and (runs[-1][1] == style or text.isspace()):
            runs[-1] = (runs[-1][0] + size, runs[-1][1])
        else:
            runs.append((size, style))
    return runs

"""Words of a shell script: what is known of each before it runs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_GLOB = re.compile(r"[*?\[]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_IN_STRING = re.compile(r'\\([$`"\\])')
_KEYS = re.compile(r"(?:KEY|TOKEN|SECRET|PASSW|CREDENTIAL|COOKIE|AUTH)", re.IGNORECASE)
_EXPANSION = re.compile(
    r"\$\{#?(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?])(?:\[(?:\d+|[@*])\])?"
    r"(?::?[-+?][^$`({]*|:\d+(?::\d+)?|[#%/^,][^$`({]*)?\}"
)
_DIGITS = frozenset("?#$!")
MOST_MATCHES = 2000  # files of a pattern that are looked at


class Unreadable(ValueError):
    """The script, or a part of it, is beyond what is understood. str() says what."""


@dataclass(frozen=True, slots=True)
class Word:
    """text: the word, or what it begins with if it is not known to its end. known: `text` is all of it. glob: it holds
    a pattern that the shell turns into names of files. many: it may become any number of words."""

    text: str
    known: bool = True
    glob: bool = False
    many: bool = False


_parser: Parser | None = None


def parse(script: str) -> Node:
    """The tree of a script. Raises Unreadable when it is not one, or could be read in two ways."""
    global _parser
    if re.search(
        r"[\0-\x08\x0b-\x1f\x7f\x85\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000\ufeff]", script
    ):
        raise Unreadable("it holds control characters or odd blanks")
    if len(script) > 100_000:
        raise Unreadable("it is too long to be read")
    if _parser is None:
        import tree_sitter
        import tree_sitter_bash

        _parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    try:
        root = _parser.parse(script.encode()).root_node
    except UnicodeEncodeError:
        raise Unreadable("it holds characters that are none") from None
    if root.has_error:
        raise Unreadable("it is not plain shell syntax")
    return root


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


class Words:
    """Turns nodes into words. variables: name -> the words it can stand for, where that is known. run: takes the
    nodes of commands inside a word. keys: is told of variables that may hold keys."""

    def __init__(
        self, variables: Mapping[str, Sequence[Word]], run: Callable[[Node], None], keys: Callable[[str], None]
    ) -> None:
        self._variables, self._run, self._keys = variables, run, keys

    def of(self, node: Node) -> list[Word]:
        """What a node of the tree becomes: a word, or several for a variable with several values. Raises Unreadable."""
        match node.type:
            case "command_name":
                return self.of(node.children[0]) if node.child_count == 1 else [Word("", known=False, many=True)]
            case "word":
                return [self._plain(text_of(node))]
            case "number":
                return [Word(text_of(node))] if not node.child_count else [Word("", known=False)]
            case "raw_string":
                return [Word(text_of(node)[1:-1])]
            case "ansi_c_string":
                return [Word(_ansi(text_of(node)[2:-1]))]
            case "string" | "translated_string":
                return self._string(node)
            case "simple_expansion" | "expansion":
                return self._variable(node)
            case "command_substitution":
                self._run(node)
                return [Word("", known=False, many=True)]
            case "arithmetic_expansion":
                # The value of a variable is computed too, and an index in it can run something.
                if re.search(r"[A-Za-z_`]|\$", text_of(node).lstrip("$")):
                    raise Unreadable("it computes, and what is computed can run something")
                return [Word("", known=False)]
            case "process_substitution":
                self._run(node)
                return [Word("/dev/fd/63")]
            case "concatenation":
                return self._joined(node)
            case "$":
                return [Word("$")]
            case "brace_expression":
                return [_braced(text_of(node))]
            case "extglob_pattern" | "regex":
                if "(" in text_of(node):
                    raise Unreadable("it uses patterns that can run code in some shells")
                return [self._plain(text_of(node))]
            case _:
                raise Unreadable(f"it uses {node.type.replace('_', ' ')}")

    def inside(self, node: Node) -> None:
        """Run through what stands inside an expression: commands that it starts, variables that it shows."""
        for child in node.children:
            if child.type in {"command_substitution", "process_substitution"}:
                self._run(child)
            elif child.type in {"simple_expansion", "expansion"}:
                self._variable(child)
            elif child.type == "extglob_pattern" and "(" in text_of(child):
                raise Unreadable("it uses patterns that can run code in some shells")
            else:
                self.inside(child)

    def _plain(self, text: str) -> Word:
        if text.startswith("="):  # zsh: the place of a program, or a substitution
            raise Unreadable("a word begins with =")
        bare = _ESCAPE.sub("", text)
        if "{" in bare and ("," in bare or ".." in bare):
            return _braced(text)
        glob = bool(_GLOB.search(bare))
        text = _ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], text)
        if text.startswith("~") and not bare.startswith("~"):
            return Word(text, glob=glob)
        return _home(Word(text, glob=glob))

    def _string(self, node: Node) -> list[Word]:
        """A text in double quotes: one word, whatever stands in it."""
        if (
            node.child_count == 3
            and node.type == "string"
            and node.end_byte - node.start_byte == 2 + len(node.children[1].text or b"")
        ):
            only = self.of(node.children[1]) if node.children[1].type != "string_content" else []
            if len(only) > 1 and all(one.known and not one.glob for one in only):
                return only
        text, known, position = "", True, node.start_byte + (2 if node.type == "translated_string" else 1)
        source, base = node.text or b"", node.start_byte
        for child in node.children:
            if child.type in {'"', "string"} and child.type == '"':
                continue
            between = source[position - base : child.start_byte - base].decode("utf-8", "replace")
            if known:
                text += between  # the parser leaves out blanks between two expansions
            if child.type == "string_content":
                if known:
                    text += _IN_STRING.sub(r"\1", text_of(child).replace("\\\n", ""))
            elif child.type == "string":
                return self._string(child)
            else:
                found = self.of(child)
                if known and len(found) == 1 and found[0].known and not found[0].glob:
                    text += found[0].text
                else:
                    known = False
            position = child.end_byte
        return [Word(text, known)]

    def _joined(self, node: Node) -> list[Word]:
        raw = text_of(node)
        if any(child.type == "word" and text_of(child) in {"{", "}"} for child in node.children) or any(
            child.type == "brace_expression" for child in node.children
        ):
            for child in node.children:
                if child.type not in {"word", "number", "brace_expression"}:
                    self.of(child)
                    return [Word("", known=False, many=True)]
            return [_braced(raw)]
        if raw.startswith("="):
            raise Unreadable("a word begins with =")
        whole = Word("")
        for child in node.children:
            found = self.of(child)
            one = found[0] if len(found) == 1 else Word("", known=False, many=True)
            if one.many or not whole.known:
                whole = Word(whole.text, False, whole.glob or one.glob, whole.many or one.many)
            else:
                whole = Word(whole.text + one.text, one.known, whole.glob or one.glob)
        return [whole]

    def _variable(self, node: Node) -> list[Word]:
        names = [child for child in node.children if child.type in {"variable_name", "special_variable_name"}]
        signs = [child.type for child in node.children if not child.is_named]
        quoted = node.parent is not None and node.parent.type in {"string", "heredoc_body"}
        if node.type == "expansion":
            plain = len(names) == 1 and node.child_count == 3 and signs == ["${", "}"]
            # Only what gives, cuts or replaces a text; flags in brackets and `!` can run what a variable holds.
            if not plain and not _EXPANSION.fullmatch(text_of(node)):
                raise Unreadable("it uses an expansion that is not known")
        if not names:
            return [Word("", known=False, many=not quoted)]
        name = text_of(names[0])
        if _KEYS.search(name):
            self._keys(name)
        if node.type == "expansion" and node.child_count != 3:
            return [Word("", known=False, many=not quoted)]
        if name in self._variables:
            found = list(self._variables[name])
            if quoted:
                return found
            return [part for one in found for part in _split(one)]
        return [Word("", known=False, many=not quoted and name not in _DIGITS)]


def _split(word: Word) -> list[Word]:
    """What an unquoted variable with this value becomes."""
    if not word.known:
        return [Word("", known=False, many=True)]
    parts = word.text.split()
    return [Word(one, glob=word.glob or bool(_GLOB.search(one))) for one in parts] or []


def _braced(text: str) -> Word:
    """A word with braces becomes several; as long as none of them can be an option or leave its folder they stand
    together as a pattern."""
    if re.search(r"\.\.|/[^{}]*[,}]|[{,]\s*[-~/=]|[\"'`$\\]", text) or text.startswith(("-", "=", "~")):
        return Word("", known=False, many=True)
    pattern = re.sub(r"\{[^{}]*\}", "*", text)
    if "{" in pattern or "}" in pattern:
        return Word("", known=False, many=True)
    return Word(pattern, glob=True)


def _home(word: Word) -> Word:
    if not word.text.startswith("~"):
        return word
    name, _, rest = word.text.partition("/")
    if not re.fullmatch(r"~[a-z_][a-z0-9_-]*|~", name):
        return Word("", known=False)
    home = str(Path.home()) if name == "~" else os.path.expanduser(name)  # noqa: PTH111 - of another person
    if home.startswith("~"):
        return Word("", known=False)
    return Word(home + (f"/{rest}" if rest or word.text.endswith("/") else ""), word.known, word.glob)


_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}


def _ansi(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        code: Any = found[1]
        if code[0] in "xuU" and len(code) > 1:
            return chr(min(int(code[1:], 16), 0x10FFFF))
        if code[0] in "01234567":
            return chr(int(code, 8) & 0xFF)
        if code[0] == "c":
            return chr(ord(code[1]) & 0x1F)
        return _ANSI.get(code) or code

    pattern = r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)"
    text = re.sub(pattern, one, text, flags=re.DOTALL)
    if "\0" in text:
        raise Unreadable("it holds control characters or odd blanks")
    return text


def matches(pattern: str, folder: str) -> list[str] | None:
    """The paths that a pattern stands for in `folder`, or more; the pattern itself where nothing fits. None when there
    are too many to look at."""
    wide = re.sub(r"\[[^\]/]*\]?[^*?/]*", "*", pattern)  # classes of characters are written in too many ways
    from fnmatch import fnmatchcase

    steps = wide.split("/")
    found, seen = ["/"] if wide.startswith("/") else [""], 0
    for position, step in enumerate(steps):
        if step in {"", "."}:
            continue
        if not _GLOB.search(step):
            found = [os.path.join(one, step) for one in found]  # noqa: PTH118
            continue
        next_found: list[str] = []
        for one in found:
            try:
                with os.scandir(os.path.join(folder, one)) as entries:  # noqa: PTH118
                    for entry in entries:
                        seen += 1
                        if seen > MOST_MATCHES:
                            return None
                        hidden = entry.name.startswith(".") and not step.startswith(".")
                        folders_only = position < len(steps) - 1
                        if not hidden and fnmatchcase(entry.name, step) and (not folders_only or entry.is_dir()):
                            next_found.append(os.path.join(one, entry.name))  # noqa: PTH118
            except OSError:
                continue
        found = next_found
    return found or [pattern]


def names(text: str) -> frozenset[str]:
    """The words of a text, for tables."""
    return frozenset(text.split())

"""What a script sets and where it leads its output: variables and redirections."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oi_tui.safety.effects import Effect
from oi_tui.safety.shell_findings import DEVICES, Fed, Findings
from oi_tui.safety.shell_text import Unreadable, Word, Words, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
# Variables that change what programs do or which ones run.
_POWERFUL = re.compile(
    r".*PATH$|LD_.*|DYLD_.*|BASH.*|ENV|IFS|GLOB\w*|EXECIGNORE|FIGNORE|SHELL\w*|PS\d|PROMPT\w*|\w*CMD|GIT_.*|\w*PAGER|\w*EDITOR|"
    r"VISUAL|BROWSER|LESS\w*|MAN\w*|GREP_\w*|RIPGREP_\w*|PYTHON\w*|PERL\w*|RUBY\w*|NODE_\w*|JAVA_\w*|HOME|\w*_PROXY|TMPDIR|HIST\w*|"
    r"OPT\w*|COMP\w*|READLINE\w*|TMOUT|INPUTRC|FUNCNEST|POSIXLY_CORRECT|TIMEFORMAT|FCEDIT|ZDOTDIR|\w*OPTIONS|\w*FLAGS|PATH|"
    r"path|cdpath|fpath|mailpath|manpath|module_path|fignore|prompt|psvar|status|argv|aliases|functions|options|commands|"
    r"\w*_proxy|TAR_\w*|ZIP\w*|UNZIP\w*|GZIP|XZ_\w*|RSYNC_\w*|CURL_\w*|WGETRC|SSH_\w*|DOCKER_\w*|JQ_\w*|AWK\w*|POSIX\w*"
)
_HARMLESS_EXPORT = re.compile(r"LANG|LC_\w+|LANGUAGE|TZ|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CI|DEBUG|VERBOSE")
# These set variables from what is not in the script.
_SETTERS = frozenset(
    {"read", "mapfile", "readarray", "getopts", "let", "eval", "unset", "source", ".", "printf", "vared"}
)


class State(Findings):
    """Variables whose values are known, and what programs get on their input."""

    def __init__(self, cwd: str) -> None:
        super().__init__(cwd)
        self.variables: dict[str, list[Word]] = {}
        self.settable: set[str] = set()
        self.words = Words(self.variables, self.substituted, self._shows_key)

    def substituted(self, node: Node) -> None:
        """A command inside a word."""
        raise NotImplementedError

    def nested(self, text: str, what: str) -> Judged:
        """A script inside the script. what: the program that runs it."""
        raise NotImplementedError

    def through(self, outer: Sequence[Word], inner: Sequence[Word]) -> Judged:
        """A program that starts another one."""
        raise NotImplementedError

    def alias(self, name: str, value: str) -> None:
        """From now on a name means this text."""
        raise NotImplementedError

    def _shows_key(self, name: str) -> None:
        self.keys(f"the variable {name} may hold a key")

    @staticmethod
    def harmless_export(name: str) -> bool:
        """A variable that changes nothing of what programs do."""
        return bool(_HARMLESS_EXPORT.fullmatch(name))

    def collect(self, root: Node) -> None:
        """Variables that can only have what the script gives them: set once, on the top floor, before any use."""
        sets: dict[str, int] = {}
        values: dict[str, Node] = {}
        unsure = False
        for node in all_below(root):
            if node.type == "variable_assignment":
                name = text_of(node.children[0])
                sets[name] = sets.get(name, 0) + 1
                if node.parent is not None and node.parent.type == "program" and node.children[1].type == "=":
                    values[name] = node
            elif node.type == "for_statement":
                name = text_of(node.children[1])
                sets[name] = sets.get(name, 0) + 1
                values[name] = node
            elif node.type in {"command", "declaration_command", "unset_command"}:
                first = text_of(node.children[0])
                unsure = unsure or first in _SETTERS or node.type != "command"
            elif node.type in {"c_style_for_statement", "compound_statement", "arithmetic_expansion"}:
                unsure = unsure or "((" in text_of(node)
            elif node.type == "expansion" and "=" in text_of(node):
                unsure = True
        self.settable = set() if unsure else {name for name in values if sets[name] == 1}

    def assign(self, node: Node, *, exported: bool) -> None:
        name = text_of(node.children[0])
        value = node.children[-1] if node.children[-1].type not in {"=", "+="} else None
        if node.children[0].type == "subscript":
            raise Unreadable("it sets a part of an array")
        words: list[Word] = []
        if value is not None and value.type == "array":
            for child in value.children:
                if child.is_named:
                    self.words.of(child)
            words = [Word("", known=False, many=True)]
        elif value is not None:
            words = self.words.of(value)
        harmless = _HARMLESS_EXPORT.fullmatch(name) if exported else not _POWERFUL.fullmatch(name)
        if not harmless or (not exported and name in os.environ and not _HARMLESS_EXPORT.fullmatch(name)):
            self.sum.alters = True
            self.effect("unknown", f"{name} changes what programs do")
        if name in self.settable and len(words) == 1 and words[0].known and not words[0].glob:
            self.variables[name] = words

    def declare(self, node: Node) -> None:
        kind = text_of(node.children[0])
        flags = "".join(text_of(child) for child in node.children[1:] if child.type == "word")
        if not node.named_child_count or "p" in flags:
            self.keys("it lists variables, which may hold keys")
        if re.search(r"[^-xrigaAlup]", flags):
            raise Unreadable(f"it uses {kind} {flags}")
        for child in node.children[1:]:
            if child.type == "variable_assignment":
                self.assign(child, exported=kind == "export" or "x" in flags)
            elif child.type == "variable_name":
                if kind == "export" and not _HARMLESS_EXPORT.fullmatch(text_of(child)):
                    self.sum.alters = True
                    self.effect("unknown", f"{text_of(child)} changes what programs do")
            elif child.is_named and child.type != "word":
                raise Unreadable(f"it uses {kind} with a name that is not known")
        self.sum.alters = self.sum.alters or kind != "local"

    # ---- redirections

    def redirect(self, node: Node) -> list[Node]:
        """One redirection; gives back commands that stand on the same line behind a here-document."""
        if node.type == "herestring_redirect":
            words = self.words.of(node.children[-1])
            self.fed = Fed(words[0].text + "\n" if len(words) == 1 and words[0].known and not words[0].glob else None)
            return []
        if node.type == "heredoc_redirect":
            return self._heredoc(node)
        sign = next((child.type for child in node.children if not child.is_named), "")
        target = node.children[-1]
        if not target.is_named:  # >&- and the like
            return []
        words = self.words.of(target)
        word = words[0] if len(words) == 1 else Word("", known=False)
        if sign in {">&", "<&"} and re.fullmatch(r"\d+-?|-", word.text) and word.known:
            return []
        if word.text.startswith(("/dev/tcp/", "/dev/udp/")) or (not word.known and "/dev/".startswith(word.text[:5])):
            self.sum.blind_hosts = True
            if word.known:
                self.reaches(word.text.split("/")[3])
            self.effect("network", "it talks to another machine")
        elif sign in {"<", "<&"}:
            self.reads(word)
            self.fed = Fed()
        elif sign in {">", ">>", ">|", "&>", "&>>", "<>", ">&"}:
            if not (word.known and word.text in DEVICES):
                self.writes(word)
                self.effect("write", f"it writes {word.text or 'a file'}")
                if word.text.startswith("/dev/") and word.text not in DEVICES:
                    self.harm(f"it writes to the device {word.text}")
        else:
            raise Unreadable(f"it uses the redirection {sign}")
        return []

    def _heredoc(self, node: Node) -> list[Node]:
        later: list[Node] = []
        text: str | None = None
        for child in node.children:
            if child.type == "heredoc_body":
                started = sum(one.type == "command_substitution" for one in all_below(child))
                start = text_of(node.children[1]) if node.child_count > 1 else ""
                if not re.search(r"['\"\\]", start) and (
                    re.search(r"`|\$\(\(|\$\[", text_of(child)) or started != text_of(child).count("$(")
                ):
                    raise Unreadable("it has a here-document that runs commands")
                if child.named_child_count and any(one.type != "heredoc_content" for one in child.named_children):
                    self.words.inside(child)
                else:
                    text = text_of(child)
            elif child.type in REDIRECTS:
                later += self.redirect(child)
            elif child.is_named and child.type not in {"heredoc_start", "heredoc_end", "file_descriptor"}:
                if child.type in {
                    "command",
                    "pipeline",
                    "list",
                    "redirected_statement",
                    "subshell",
                    "compound_statement",
                }:
                    later.append(child)
                else:
                    self.words.of(child)
        start = next((text_of(child) for child in node.children if child.type == "heredoc_start"), "")
        if text is not None and not re.search(r"['\"\\]", start) and re.search(r"[`$\\]", text):
            text = None
        self.fed = Fed(text)
        return later


def all_below(node: Node, but: frozenset[str] | set[str] = frozenset()) -> Iterator[Node]:
    """A node and all below, but for what stands in nodes of these types."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += [child for child in one.children if child.type not in but]


def home() -> str:
    """Where `cd` goes."""
    return str(Path.home())


Judged = tuple[Effect, str]
"""What a program does, and why it is more than reading."""
Handler = Callable[[State, str, list[Word]], Judged]
"""Judges a program by its name and arguments."""

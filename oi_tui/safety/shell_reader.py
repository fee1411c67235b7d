"""Reads a shell command: which programs it would start, what they would read, write and reach.

Everything that can hold another command is looked through: lists, pipelines, subshells, loops, functions and aliases of
the same script, substitutions, here-documents, `sh -c`, `eval`, `xargs`, `find -exec`, `env`, `sudo` and their like.
What cannot be understood is `unknown`, never `read`. What each program does stands in `shell_programs`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from oi_tui.safety.effects import Effect, Part, Understood, not_understood
from oi_tui.safety.shell_findings import Fed
from oi_tui.safety.shell_state import REDIRECTS, State, all_below
from oi_tui.safety.shell_text import Unreadable, Word, parse, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

SHELLS = frozenset({"shell", "bash", "sh", "zsh"})
_SYSTEM = ("/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin")
_VENVS = (".venv/bin", "venv/bin", "env/bin", ".env/bin", "node_modules/.bin")
_DEEP = 8  # commands inside commands
_MOST_PARTS = 200
_NUMBERS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "<", ">"})


def understand(script: str, cwd: str) -> Understood:
    """What a script for bash, sh or zsh would do when it is run in `cwd` (absolute). Never raises."""
    reader = Reader(cwd)
    try:
        reader.script(script)
    except Unreadable as error:
        return not_understood(str(error), tuple(reader.sum.parts))
    except RecursionError:
        return not_understood("it is nested too deep")
    done = reader.sum
    return Understood(
        done.effect,
        done.why,
        tuple(done.parts),
        tuple(done.reads),
        tuple(done.writes),
        tuple(dict.fromkeys(done.trees)),
        tuple(done.hosts),
        tuple(done.urls),
        done.blind_reads,
        done.blind_writes,
        done.blind_hosts,
        done.keys,
        done.alters,
        done.harm,
        done.sends,
        done.beyond,
    )


class Reader(State):
    """Walks over a script."""

    def __init__(self, cwd: str) -> None:
        super().__init__(cwd)
        self.outer: tuple[tuple[str, ...], ...] = ()  # the programs that start the one that is being read
        self._functions: dict[str, Node] = {}
        self._aliases: dict[str, str] = {}
        self._inside: list[str] = []

    # ---- scripts

    def script(self, text: str) -> None:
        """Read a script. Raises Unreadable."""
        root = parse(text)
        self.collect(root)
        self._visit(root)

    def nested(self, text: str, what: str) -> tuple[Effect, str]:
        """Read a script inside the script, in a shell of its own; its effect counts where it stands."""
        if len(self._inside) >= _DEEP:
            raise Unreadable("it is nested too deep")
        kept = (self.cwds, self.fed, dict(self._functions), dict(self._aliases), dict(self.variables))
        self._inside.append(what)
        self.variables.clear()
        try:
            self.script(text)
        finally:
            self._inside.pop()
            self.cwds, self.fed, self._functions, self._aliases = kept[:4]
            self.variables.clear()
            self.variables.update(kept[4])
        return "read", ""

    def substituted(self, node: Node) -> None:
        """A command inside a word: it runs in a shell of its own."""
        kept = self.cwds, self.fed, self.gives
        self._statements(node)
        self.cwds, self.fed, self.gives = kept

    def _visit(self, node: Node) -> None:
        if len(self.sum.parts) > _MOST_PARTS:
            raise Unreadable("it is too long to be read")
        match node.type:
            case "c_style_for_statement":
                raise Unreadable("it computes, and what is computed can run something")
            case "compound_statement" if text_of(node).startswith("(("):
                raise Unreadable("it computes, and what is computed can run something")
            case "program" | "do_group" | "compound_statement" | "else_clause" | "elif_clause" | "case_item":
                self._statements(node)
            case "if_statement":
                self._statements(node)
            case "while_statement" | "for_statement":
                self._loop(node)
            case "case_statement":
                self._case(node)
            case "subshell":
                kept = self.cwds
                self._statements(node)
                self.cwds = kept
            case "list":
                self._list(node)
            case "pipeline":
                self._pipeline(node)
            case "negated_command":
                self._statements(node)
            case "redirected_statement":
                self._redirected(node)
            case "command":
                self._command(node)
            case "variable_assignment":
                self.assign(node, exported=False)
            case "variable_assignments":
                for child in node.children:
                    self._visit(child)
            case "declaration_command":
                self.declare(node)
            case "unset_command":
                self.words.inside(node)
                self.sum.alters = True
                self.effect("unknown", "unset changes what programs do")
            case "test_command":
                self._test(node)
            case "function_definition":
                self._functions[text_of(node.children[1 if node.children[0].type == "function" else 0])] = node
                self.sum.alters = True
            case "comment" | "heredoc_body" | "heredoc_end":
                return
            case _ if not node.is_named:
                return
            case _:
                raise Unreadable(f"it uses {node.type.replace('_', ' ')}")

    def _statements(self, node: Node) -> None:
        for child in node.children:
            if child.is_named and child.type not in {"comment", "variable_name", "word"}:
                before = self.cwds
                self._visit(child)
                self.cwds = _either(before, self.cwds)

    def _list(self, node: Node) -> None:
        left, sign, right = node.children[0], node.children[1].type, node.children[-1]
        before = self.cwds
        self._visit(left)
        if sign == "||":
            self.cwds = _either(before, self.cwds)
        between = self.cwds
        self._visit(right)
        if sign == "||":
            self.cwds = _either(between, self.cwds)

    def _loop(self, node: Node) -> None:
        if any(
            text_of(one.children[0]) in {"cd", "pushd", "popd"}
            for one in all_below(node, {"subshell"})
            if one.type == "command"
        ):
            self.cwds = None
        if node.type == "for_statement":
            name, words = text_of(node.children[1]), list[Word]()
            for child in node.children[2:]:
                if child.is_named and child.type != "do_group":
                    words += self.words.of(child)
            if name in self.settable and words and len(words) <= 16 and not any(one.many for one in words):
                self.variables[name] = words
        for child in node.children:
            if child.type not in {"do_group", "compound_statement"} and node.type != "while_statement":
                continue
            if child.is_named:
                self._visit(child)

    def _case(self, node: Node) -> None:
        for child in node.children:
            if child.type == "case_item":
                for one in child.children:
                    if one.is_named and one.type in {
                        "word",
                        "string",
                        "raw_string",
                        "extglob_pattern",
                        "concatenation",
                    }:
                        if one.type == "extglob_pattern" and "(" in text_of(one):
                            raise Unreadable("it uses patterns that can run code in some shells")
                        self.words.inside(one)
                    elif one.is_named and one.type not in {"simple_expansion", "number", "expansion"}:
                        before = self.cwds
                        self._visit(one)
                        self.cwds = _either(before, self.cwds)
            elif child.is_named:
                self.words.of(child)

    def _pipeline(self, node: Node) -> None:
        kept, fed = self.cwds, self.fed
        for child in node.children:
            if not child.is_named:
                continue
            self.gives = None
            self._visit(child)
            self.cwds, self.fed = kept, self.gives or Fed()
        self.fed, self.gives = fed, None

    def _test(self, node: Node) -> None:
        """Conditions only look; but a name in brackets, and what is compared as a number, is computed: that can run
        something, as `[[ -v a[$(x)] ]]` does."""
        computes = False
        for one in all_below(node):
            text = text_of(one)
            computes = computes or (one.type == "test_operator" and text in {"-v", "-R"}) or text.startswith("((")
            if one.type == "binary_expression" and any(text_of(child) in _NUMBERS for child in one.children):
                sides = (child for child in one.children if text_of(child) not in _NUMBERS)
                computes = computes or not all(
                    re.fullmatch(r"-?\d+|\$[#?]", text_of(child).strip('"')) for child in sides
                )
        if computes:
            raise Unreadable("it computes, and what is computed can run something")
        self.words.inside(node)

    def _redirected(self, node: Node) -> None:
        body = next((child for child in node.children if child.type not in REDIRECTS), None)
        kept = self.fed
        later: list[Node] = []
        for child in node.children:
            if child.type in REDIRECTS:
                later += self.redirect(child)
        if body is not None:
            before = self.cwds
            self._visit(body)
            if self.cwds != before:  # behind a list it is the last command's, and that may run elsewhere by now
                self.cwds = _either(before, self.cwds)
                for child in node.children:
                    if child.type == "file_redirect":
                        self.redirect(child)
        self.fed = kept
        for one in later:  # a pipeline goes on behind the mark of a here-document
            self.fed = self.gives or Fed()
            self.gives = None
            self._visit(one)
        self.fed = kept

    # ---- commands

    def _command(self, node: Node) -> None:
        words: list[Word] = []
        kept = self.fed
        later: list[Node] = []
        for child in node.children:
            if child.type == "variable_assignment":
                self._prefix(child)
            elif child.type in REDIRECTS:
                later += self.redirect(child)
            elif child.is_named or child.type not in {";", "&"}:
                words += self.words.of(child)
        if words:
            self.start(words)
        self.fed = kept
        for one in later:
            self._visit(one)

    def _prefix(self, node: Node) -> None:
        """`X=1 program`: the variable holds for that program alone."""
        alters = self.sum.alters
        self.assign(node, exported=True)
        self.sum.alters = alters

    def start(self, words: Sequence[Word]) -> None:
        """A program with its arguments."""
        from oi_tui.safety.shell_programs import judge, not_known

        first, args = words[0], list(words[1:])
        known: list[str] = []
        for word in words:
            if not word.known or word.glob:
                break
            known.append(word.text)
        self.gives = None
        if not first.known or first.glob or first.many or not first.text:
            self._part((), "unknown", "the name of its program is not known", False)
            return
        name = first.text
        if "/" in name:
            folder, _, base = name.rpartition("/")
            if folder not in _SYSTEM:
                self._part(known, "unknown", f"it runs the program {name}", len(known) == len(words))
                return
            name, known[0] = base, base
        local = self._local(name, args)
        planted = self._planted(name)
        effect, why = ("unknown", f"{planted} lies in the workspace") if planted else judge(self, name, args)
        if local and effect == "unknown" and why == not_known(name):
            effect, why = "read", ""  # the function or alias was read instead
        elif effect == "unknown":
            self.sum.blind_reads = self.sum.blind_writes = self.sum.blind_hosts = True
        self._part(known, effect, why, len(known) == len(words))

    def _local(self, name: str, args: list[Word]) -> bool:
        """Read a function or an alias of this script. False if there is none of that name."""
        function, alias = self._functions.get(name), self._aliases.get(name)
        if (function is None and alias is None) or name in self._inside:
            return False
        if len(self._inside) >= _DEEP:
            raise Unreadable("it is nested too deep")
        self._inside.append(name)
        try:
            if function is not None:
                if any(text_of(one).strip() == name for one in all_below(function) if one.type == "command_name"):
                    self.harm("it is a function that calls itself")
                    self.effect("unknown", f"the function {name} calls itself")
                self._visit(function.children[-1])
            if alias is not None:
                import shlex

                rest = "".join(" " + shlex.quote(one.text) for one in args if one.known)
                if not all(one.known and not one.glob for one in args):
                    raise Unreadable(f"the alias {name} gets arguments that are not known")
                self._visit(parse(alias + rest))
        finally:
            self._inside.pop()
        return True

    def alias(self, name: str, value: str) -> None:
        self._aliases[name] = value
        self.sum.alters = True

    def _part(self, words: Sequence[str], effect: Effect, why: str, whole: bool) -> None:
        self.sum.parts.append(Part(tuple(words), effect, why, self.outer, whole))
        self.strengthen(effect, why)

    def through(self, outer: Sequence[Word], inner: Sequence[Word]) -> tuple[Effect, str]:
        """A program that starts another one: the inner one is read. outer: its own words."""
        if len(self.outer) >= _DEEP:
            raise Unreadable("it is nested too deep")
        kept = self.outer
        self.outer = (*kept, tuple(one.text for one in outer))
        try:
            self.start(inner)
        finally:
            self.outer = kept
        return "read", ""

    def _planted(self, name: str) -> str:
        """Where a program of this name lies in the workspace and may run instead of the system's; "" if it does not."""
        for folder in _places(self.root, os.environ.get("PATH", "")):
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.exists(path):  # noqa: PTH110
                return path
        return ""


def _places(root: str, path: str) -> Iterator[str]:
    """Folders of programs that lie in the workspace, or are named by a relative path."""
    for one in (*path.split(os.pathsep), *(f"{root}/{venv}" for venv in _VENVS)):
        full = os.path.join(root, one)  # noqa: PTH118
        if not one.startswith("/") or full == root or full.startswith(root.rstrip("/") + "/"):
            if root == "/" and one in _SYSTEM:
                continue
            yield full


def _either(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if one is None or other is None:
        return None
    both = tuple(dict.fromkeys((*one, *other)))
    return both if len(both) <= _DEEP else None

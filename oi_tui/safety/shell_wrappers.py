"""Programs and builtins that start other programs, and what becomes of those."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from oi_tui.safety.effects import Tree
from oi_tui.safety.shell_text import Unreadable, Word

if TYPE_CHECKING:
    from oi_tui.safety.shell_state import Handler, Judged
    from oi_tui.safety.shell_state import State as Reader

_READ = ("read", "")
# Wrappers whose first operands are their own: how many, and which of their options take a value.
_PLAIN: dict[str, tuple[int, str]] = {
    "time": (0, ""), "nice": (0, "n"), "ionice": (0, "cnp"), "stdbuf": (0, "ioe"), "timeout": (1, "ks"),
    "setsid": (0, ""), "chronic": (0, ""), "caffeinate": (0, "tw"), "taskset": (1, ""), "unbuffer": (0, ""),
}  # fmt: skip
_AS_ANOTHER = frozenset({"sudo", "doas", "su", "pkexec", "runuser", "chroot", "nsenter", "unshare"})


def _skip(args: list[Word], valued: str, harmless: str = "") -> list[Word] | None:
    """The arguments from the first operand on; None if an option is not known. harmless: letters, "" for all."""
    rest = list(args)
    while rest and rest[0].known and rest[0].text.startswith("-") and len(rest[0].text) > 1:
        option = rest.pop(0).text
        if option == "--":
            break
        if option.startswith("--"):
            if harmless:
                return None
            continue
        if harmless and any(letter not in harmless + valued for letter in option[1:] if not letter.isdigit()):
            return None
        if option[-1] in valued and rest and (len(option) == 2 or option[-2].isalpha()):
            rest.pop(0)
    return rest


def _wrapper(reader: Reader, name: str, args: list[Word]) -> Judged:
    own, valued = _PLAIN[name]
    rest = _skip(args, valued)
    if rest is None or len(rest) <= own:
        return ("unknown", f"{name} has nothing to run") if name != "time" else _READ
    if name == "time" and any(
        one.text.startswith(("-o", "--output", "-a")) for one in args if one.known and one not in rest
    ):
        reader.sum.blind_writes = True
        reader.effect("write", "time writes a file")
    inner = rest[own:]
    return reader.through([Word(name), *args[: len(args) - len(inner)]], inner)


def _nohup(reader: Reader, name: str, args: list[Word]) -> Judged:
    """It writes what the program prints into a file, where that would go to a terminal."""
    reader.writes(Word("nohup.out"))
    if args:
        reader.through([Word(name)], args)
    return "write", "nohup writes nohup.out"


def _env(reader: Reader, name: str, args: list[Word]) -> Judged:
    rest = list(args)
    while rest and rest[0].known:
        text = rest[0].text
        if text in {"-i", "-", "-0", "--ignore-environment", "--null"}:
            rest.pop(0)
        elif text in {"-u", "--unset"} and len(rest) > 1:
            del rest[:2]
        elif re.match(r"[A-Za-z_][A-Za-z0-9_]*=", text):
            variable = text.partition("=")[0]
            if not reader.harmless_export(variable):
                reader.effect("unknown", f"{variable} changes what programs do")
            rest.pop(0)
        elif text.startswith("-"):
            return "unknown", f"env: its option {text} is not known to be harmless"
        else:
            break
    if not rest:
        reader.keys("env shows all variables, which may hold keys")
        return _READ
    return reader.through([Word(name), *args[: len(args) - len(rest)]], rest)


def _printenv(reader: Reader, name: str, args: list[Word]) -> Judged:
    if not args or any(
        not one.known or re.search(r"KEY|TOKEN|SECRET|PASS|CRED|AUTH", one.text, re.IGNORECASE) for one in args
    ):
        reader.keys(f"{name} shows variables, which may hold keys")
    return _READ


def _another(reader: Reader, name: str, args: list[Word]) -> Judged:
    """sudo and its kin: the inner program is read for rules that forbid it, and runs with all rights."""
    reader.harm(f"{name} acts with the rights of another user")
    reader.sum.blind_reads = reader.sum.blind_writes = True
    rest = _skip(args, "ugpCTrthRDU")
    while rest and rest[0].known and "=" in rest[0].text:
        rest = rest[1:]
    if name == "su":
        script = next((args[at + 1] for at, one in enumerate(args[:-1]) if one.text == "-c"), None)
        if script is not None and script.known:
            reader.nested(script.text, name)
    elif rest:
        reader.through([Word(name), *args[: len(args) - len(rest)]], rest)
    return "unknown", f"{name} acts with the rights of another user"


def _shell(reader: Reader, name: str, args: list[Word]) -> Judged:
    """`sh -c SCRIPT`, or a script on its input: the script is read."""
    rest, command = list(args), False
    while rest and rest[0].known and re.match(r"[-+]", rest[0].text) and rest[0].text != "-":
        option = rest.pop(0).text
        if option in {"-o", "+o"} and rest:
            if rest.pop(0).text not in {"pipefail", "errexit", "nounset", "xtrace", "noglob"}:
                return "unknown", f"{name} has options that are not known"
        elif option in {"--norc", "--noprofile", "--posix", "--login"}:
            continue
        elif option == "--":
            break
        elif re.fullmatch(r"-[ceuxlifs]+", option):
            command = command or "c" in option
            if option.endswith("s") and "c" not in option:
                break
        else:
            return "unknown", f"{name}: its option {option} is not known to be harmless"
    if command:
        if not rest or not rest[0].known or rest[0].glob:
            reader.sum.blind_reads = reader.sum.blind_writes = reader.sum.blind_hosts = True
            return "unknown", f"{name} runs a text that is not known"
        return reader.nested(rest[0].text, name)
    fed = reader.fed
    if not rest or rest[0].text == "-":
        if fed is not None and fed.text is not None:
            return reader.nested(fed.text, name)
        if reader.sum.effect == "network":
            reader.harm(f"{name} runs what another machine sends")
        return "unknown", f"{name} runs what it is given on its input"
    if rest[0].text.startswith("/dev/fd/") and reader.sum.effect == "network":
        reader.harm(f"{name} runs what another machine sends")
    reader.reads(rest[0])
    return "unknown", f"{name} runs the script {rest[0].text}"


def _eval(reader: Reader, name: str, args: list[Word]) -> Judged:
    if not all(one.known and not one.glob for one in args):
        reader.sum.blind_reads = reader.sum.blind_writes = reader.sum.blind_hosts = True
        return "unknown", "eval runs a text that is not known"
    reader.sum.alters = True
    cwds = reader.cwds
    judged = reader.nested(" ".join(one.text for one in args), name)
    reader.cwds = cwds if not any("cd" in one.text for one in args) else None
    return judged


def _source(reader: Reader, name: str, args: list[Word]) -> Judged:
    reader.sum.alters = True
    if args:
        reader.reads(args[0])
    return "unknown", f"{name} runs a script in this shell"


def _command(reader: Reader, name: str, args: list[Word]) -> Judged:
    rest = list(args)
    if rest and rest[0].known and rest[0].text in {"-v", "-V"}:
        return _READ
    if rest and rest[0].known and rest[0].text in {"-p", "--"}:
        rest.pop(0)
    if not rest:
        return _READ
    if rest[0].known and rest[0].text.startswith("-"):
        return "unknown", f"{name}: its option {rest[0].text} is not known to be harmless"
    return reader.through([Word(name)], rest)


def _exec(reader: Reader, name: str, args: list[Word]) -> Judged:
    reader.sum.alters = True
    if args:
        reader.through([Word(name)], args)
    return "unknown", "exec replaces the shell"


def _alias(reader: Reader, name: str, args: list[Word]) -> Judged:
    for one in args:
        key, found, value = one.text.partition("=")
        if not one.known or not found or not re.fullmatch(r"[\w.:+-]+", key) or key.startswith("-"):
            if one.known and not one.text.startswith("-") and not found:
                continue
            raise Unreadable("it sets an alias that is not known")
        reader.alias(key, value)
    return _READ


def _set(reader: Reader, name: str, args: list[Word]) -> Judged:
    if not args:
        reader.keys("set shows all variables, which may hold keys")
        return _READ
    texts = [one.text for one in args]
    if all(
        re.fullmatch(r"[-+][eux]+o?", one) or one in {"-o", "+o", "pipefail", "errexit", "nounset", "xtrace"}
        for one in texts
    ):
        return _READ
    reader.sum.alters = True
    return "unknown", "set changes how the shell reads commands"


def _alters(reader: Reader, name: str, args: list[Word]) -> Judged:
    reader.sum.alters = True
    return "unknown", f"{name} changes what later commands mean"


def _cd(reader: Reader, name: str, args: list[Word]) -> Judged:
    rest = [one for one in args if not (one.known and one.text in {"-P", "-L", "--"})]
    if not rest:
        from oi_tui.safety.shell_state import home

        rest = [Word(home())]
    if reader.cwds is None and len(rest) == 1 and not rest[0].text.startswith("/"):
        return _READ
    folders: list[str] = []
    for one in rest:
        found = reader.paths(one) if one.text != "-" and not one.many else None
        if found is None or "CDPATH" in os.environ:
            reader.cwds = None
            return _READ
        folders += found
    reader.cwds = tuple(dict.fromkeys(folders)) if len(folders) <= 8 else None
    return _READ


def _pushd(reader: Reader, name: str, args: list[Word]) -> Judged:
    reader.cwds = None
    return _READ


def _read_builtin(reader: Reader, name: str, args: list[Word]) -> Judged:
    for one in args:
        if not one.known or "[" in one.text:  # an index is computed, and that can run something
            return "unknown", f"{name} sets a name that is not known"
        if re.fullmatch(r"[A-Z_]*(?:PATH|IFS|ENV|PS\d|CMD|COMMAND)", one.text):
            return _alters(reader, name, args)
    reader.gives = None
    return _READ


def _printf(reader: Reader, name: str, args: list[Word]) -> Judged:
    if args and (not args[0].known or args[0].text.startswith("-")):
        return (
            _read_builtin(reader, name, args[1:])
            if args[0].known and args[0].text == "-v"
            else ("unknown", "printf with an option that is not known")
        )
    return _READ


def _xargs(reader: Reader, name: str, args: list[Word]) -> Judged:
    """The program gets names from the input; where these are files below known folders, that is what it reads."""
    rest, mark = list(args), ""
    while rest and rest[0].known and rest[0].text.startswith("-"):
        option = rest.pop(0).text
        if (
            option in {"-I", "-n", "-L", "-P", "-d", "-s", "-E", "-a", "--max-args", "--max-procs", "--delimiter"}
            and rest
        ):
            value = rest.pop(0)
            if option == "-I":
                mark = value.text
            elif option == "-a":
                reader.reads(value)
        elif re.fullmatch(
            r"-(?:[0rtx]+|[nLPsdE].+|I.+|i)|--(?:null|no-run-if-empty|verbose|exit|max-\w+=.*|delimiter=.*)", option
        ):
            mark = option[2:] if option.startswith("-I") else "{}" if option == "-i" else mark
        else:
            return "unknown", f"xargs: its option {option} is not known to be harmless"
    inner = rest or [Word("echo")]
    trees = reader.fed.trees if reader.fed is not None else ()
    return _for_each(reader, [Word(name), *args[: len(args) - len(rest)]], inner, mark, trees)


def _for_each(reader: Reader, outer: list[Word], inner: list[Word], mark: str, trees: tuple[Tree, ...]) -> Judged:
    """A program is run for files below `trees`; () when they are not known."""
    found = [Word(tree.root) for tree in trees] or [Word("", known=False, many=True)]
    made: list[Word] = []
    for one in inner:
        if mark and mark in one.text:
            made += found if one.text == mark else [Word(one.text.partition(mark)[0], known=False)]
        else:
            made.append(one)
    if not mark:
        made += found
    kept, reader.fed = reader.fed, None
    judged = reader.through(outer, made)
    reader.fed = kept
    reader.sum.trees += trees
    reader.gives = None
    return judged


def for_each_found(reader: Reader, inner: list[Word], trees: tuple[Tree, ...]) -> Judged:
    """`find -exec`: `{}` stands for files below `trees`."""
    return _for_each(reader, [Word("find")], inner, "{}", trees)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_PLAIN, _wrapper),
    **dict.fromkeys(_AS_ANOTHER, _another),
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh", "ash"), _shell),
    **dict.fromkeys(("source", "."), _source),
    **dict.fromkeys(("shopt", "enable", "hash", "trap", "bind", "complete", "compgen", "setopt", "unsetopt", "emulate",
                     "autoload", "zmodload", "unalias", "typeset", "local", "declare", "export", "readonly", "unset",
                     "getopts", "let", "coproc", "repeat", "noglob", "nocorrect", "disown", "fc"), _alters),
    **dict.fromkeys(("read", "mapfile", "readarray"), _read_builtin),
    **dict.fromkeys(("pushd", "popd", "dirs"), _pushd),
    **dict.fromkeys(("command", "builtin"), _command),
    "nohup": _nohup, "env": _env, "printenv": _printenv, "eval": _eval, "exec": _exec, "alias": _alias, "set": _set,
    "cd": _cd, "chdir": _cd, "printf": _printf, "xargs": _xargs, "history": lambda reader, name, args: _history(reader),
}  # fmt: skip


def _history(reader: Reader) -> Judged:
    reader.keys("the history of the shell may hold keys")
    return _READ

"""Programs whose arguments are a small language: find, fd, sed, awk, test."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from oi_tui.safety.effects import Tree
from oi_tui.safety.shell_text import Word, names

if TYPE_CHECKING:
    from oi_tui.safety.shell_state import Handler, Judged
    from oi_tui.safety.shell_state import State as Reader

_READ = ("read", "")

_FIND_ALONE = names(
    "-empty -print -print0 -ls -prune -quit -depth -d -xdev -mount -follow -daystart -noleaf -true -false "
    "-not -and -or -a -o ! ( ) , -readable -writable -executable -nouser -nogroup -warn -nowarn "
    "-ignore_readdir_race -sparse"
)
_FIND_VALUE = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime "
    "-mmin -ctime -cmin -atime -amin -maxdepth -mindepth -user -group -uid -gid -perm -links -inum -lname "
    "-ilname -fstype -used -printf -context"
)
_FIND_FILE = re.compile(r"-(?:newer\w*|anewer|cnewer|samefile|files0-from)")


def _find(reader: Reader, name: str, args: list[Word]) -> Judged:
    from oi_tui.safety.shell_findings import Fed

    rest, roots = list(args), list[Word]()
    while rest and (rest[0].text in {"-H", "-L", "-P", "-E", "-X", "-s", "-x", "-O1", "-O2", "-O3"} and rest[0].known):
        rest.pop(0)
    while rest and not (rest[0].known and (rest[0].text[:1] == "-" or rest[0].text in {"(", "!", ","})):
        one = rest.pop(0)
        if one.many or not one.text or one.text.startswith("-"):
            return "unknown", "find: an argument that is not known may be an option"
        roots.append(one)
    roots = roots or [Word(".")]
    for one in roots:
        reader.reads(one)
    texts = [one.text for one in rest if one.known]
    plain = not {"-o", "-or", "!", "-not", ","} & set(texts)
    named = [after.text for one, after in pairwise(rest) if one.text == "-name" and after.known]
    blind = any(reader.paths(one) is None for one in roots)
    only = tuple(named) if plain else ()
    trees = () if blind else tuple(Tree(path, only) for one in roots for path in reader.paths(one) or ())
    judged: Judged = _READ
    prints = True
    while rest:
        one = rest.pop(0)
        if not one.known:
            return "unknown", "find: an argument that is not known may be an option"
        if one.text in _FIND_ALONE:
            continue
        if one.text in _FIND_VALUE:
            prints = prints and one.text != "-printf"
            rest = rest[1:]
        elif _FIND_FILE.fullmatch(one.text):
            if rest:
                reader.reads(rest.pop(0))
        elif one.text == "-delete":
            for root in roots:
                reader.writes(root)
            if not plain or not named:
                _removes(reader, roots)
            judged = ("write", "find -delete removes files")
        elif one.text in {"-fprint", "-fprint0", "-fls", "-fprintf"} and rest:
            reader.writes(rest.pop(0))
            judged = ("write", f"find {one.text} writes a file")
        elif one.text in {"-exec", "-execdir", "-ok", "-okdir"}:
            prints = False
            end = next((at for at, word in enumerate(rest) if word.known and word.text in {";", "+"}), None)
            if not end:
                return "unknown", f"find {one.text} has no end"
            from oi_tui.safety.shell_wrappers import for_each_found

            for_each_found(reader, rest[:end], trees)
            rest = rest[end + 1 :]
        else:
            return "unknown", f"find: {one.text} is not known to be harmless"
    reader.gives = Fed(None, trees) if prints else Fed()
    return judged


def _removes(reader: Reader, roots: list[Word]) -> None:
    for one in roots:
        for path in reader.paths(one) or ("",):
            if path == reader.root or not path.startswith(reader.root.rstrip("/") + "/"):
                reader.harm(f"it removes all that is in {path or 'a folder that is not known'}")


_FD_VALUE = names(
    "-e -E -t -d -g --extension --exclude --type --max-depth --min-depth --max-results --changed-within "
    "--changed-before --size -S --color -c -j"
)
_FD_ALONE = names(
    "-H -I -u -s -i -a -l -L -p -0 -F -1 -q -g --hidden --no-ignore --glob --absolute-path --full-path --print0 "
    "--follow --ignore-case --case-sensitive --fixed-strings --no-ignore-vcs --unrestricted"
)


def _fd(reader: Reader, name: str, args: list[Word]) -> Judged:
    from oi_tui.safety.shell_findings import Fed

    rest, operands = list(args), list[Word]()
    while rest:
        one = rest.pop(0)
        if not one.known:
            return "unknown", "fd: an argument that is not known may be an option"
        if one.text.startswith("-"):
            option = one.text.partition("=")[0]
            if option in {"-x", "-X", "--exec", "--exec-batch"}:
                trees = tuple(Tree(path) for root in operands[1:] or [Word(".")] for path in reader.paths(root) or ())
                from oi_tui.safety.shell_wrappers import for_each_found

                marked = rest if any("{" in word.text for word in rest) else [*rest, Word("{}")]
                if not rest:
                    return "unknown", "fd -x has nothing to run"
                return for_each_found(reader, marked, trees)
            if option in _FD_VALUE and "=" not in one.text:
                if option != "-g":
                    rest = rest[1:]
            elif option not in _FD_ALONE | _FD_VALUE and not re.fullmatch(r"-[HIusialLp0F1]+|-[etdE].+", one.text):
                return "unknown", f"fd: its option {option} is not known to be harmless"
        else:
            operands.append(one)
    roots = operands[1:] or [Word(".")]
    for root in roots:
        reader.reads(root)
    blind = any(reader.paths(root) is None for root in roots)
    reader.gives = Fed(None, () if blind else tuple(Tree(path) for root in roots for path in reader.paths(root) or ()))
    return _READ


# ---- sed

_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]*|\+\d+|~\d+)"
_SED = re.compile(
    rf"\s*(?:{_ADDRESS}(?:\s*,\s*{_ADDRESS})?)?\s*!*\s*"
    r"(?:[pdDnNgGhHxPz=]|[qQlL]\s*\d*"
    r"|s/(?:[^/\\\n]|\\[^\n])*/(?:[^/\\\n]|\\.)*/[gpIi0-9]*|s([|,#@:!])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIi0-9]*"
    r"|y/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/|\{|\}|[bt]\s*\w*|:\s*\w+|#[^\n]*\n?)?\s*(?:[;\n]|(?=\})|(?<=\{)|$)"
)


def harmless_sed(script: str) -> bool:
    """True for a script of known commands that neither write nor read files nor run anything."""
    position = 0
    while position < len(script):
        found = _SED.match(script, position)
        if found is None or found.end() == position:
            return False
        position = found.end()
    return True


def _sed(reader: Reader, name: str, args: list[Word]) -> Judged:
    scripts, files, in_place, rest = list[Word](), list[Word](), False, list(args)
    while rest:
        one = rest.pop(0)
        text = one.text
        if not one.known and (one.many or not text or text.startswith("-")):
            return "unknown", "sed: an argument that is not known may be an option"
        if one.known and text in {"-e", "--expression"} and rest:
            scripts.append(rest.pop(0))
        elif one.known and text.startswith("--expression="):
            scripts.append(Word(text.partition("=")[2]))
        elif one.known and re.fullmatch(r"-i.*|--in-place(?:=.*)?|-[nErsuz]+i.*", text):
            in_place = True
            if "e" in text.partition("i")[0]:
                return "unknown", "sed: its options are not known to be harmless"
        elif one.known and re.fullmatch(r"-[nErsuz]*e", text) and rest:
            scripts.append(rest.pop(0))
        elif one.known and re.fullmatch(
            r"-[nErsuz]+|--quiet|--silent|--regexp-extended|--separate|--null-data|--posix|--unbuffered|--sandbox", text
        ):
            continue
        elif one.known and text.startswith("-") and len(text) > 1:
            return "unknown", f"sed: its option {text} is not known to be harmless"
        else:
            files.append(one)
    if not scripts and files:
        scripts.append(files.pop(0))
    if not all(one.known for one in scripts):
        return "unknown", "sed: its script is not known"
    if not in_place and any(one.glob for one in files) and not _no_dashes(reader, files):
        return "unknown", "sed: an argument that is not known may be an option"
    harmless = all(harmless_sed(one.text) for one in scripts)
    for one in files:
        reader.writes(one) if in_place else reader.reads(one)
    if not harmless:
        reader.sum.blind_reads = reader.sum.blind_writes = True
        return "unknown", "sed: its script may write files or run programs"
    return ("write", "sed -i changes files") if in_place else _READ


def _no_dashes(reader: Reader, words: list[Word]) -> bool:
    """No file that these patterns stand for has a name like an option."""
    from oi_tui.safety.shell_text import matches

    for one in words:
        for folder in reader.cwds or ():
            found = matches(one.text, folder) if one.glob else [one.text]
            if found is None or any(name.startswith("-") for name in found):
                return False
    return reader.cwds is not None


def harmless_awk(program: str) -> bool:
    """True for a program that only prints: no pipes, no files, no other programs."""
    bare = program.replace("||", "")
    if re.search(r"[|@`]|system|getline|close|ENVIRON|fflush|include|load|extension", bare):
        return False
    return ">" not in program[program.find("{") :] if "{" in program else True


def _awk(reader: Reader, name: str, args: list[Word]) -> Judged:
    rest, program = list(args), Word("", known=False)
    while rest and rest[0].known and rest[0].text.startswith("-") and rest[0].text != "-":
        option = rest.pop(0).text
        if option in {"-F", "-v"} and rest:
            if not rest[0].known and rest[0].many:
                return "unknown", f"{name}: an argument is not known"
            rest.pop(0)
        elif option == "--":
            break
        elif not option.startswith(("-F", "-v")) and option not in {"--posix", "--traditional", "--re-interval"}:
            return "unknown", f"{name}: its option {option} is not known to be harmless"
    if rest:
        program = rest.pop(0)
    if not program.known or not harmless_awk(program.text):
        if program.known and "ENVIRON" in program.text:
            reader.keys(f"{name} shows variables, which may hold keys")
        reader.sum.blind_reads = reader.sum.blind_writes = True
        return "unknown", f"{name}: its program may write files or run programs"
    for one in rest:
        if not (one.known and re.match(r"[A-Za-z_]\w*=", one.text)):
            reader.reads(one)
    return _READ


def _condition(reader: Reader, name: str, args: list[Word]) -> Judged:
    """`test`: a name in brackets is computed, and that can run something."""
    if any(one.text in {"-v", "-R"} or "[" in one.text or one.many for one in args[: len(args) - (name == "[")]):
        return "unknown", f"{name} computes a condition"
    if any(one.text in {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"} for one in args) and any(
        not one.known or not re.fullmatch(r"-?\w+|]", one.text) for one in args
    ):
        return "unknown", f"{name} computes a condition"
    return _READ


def _ps(reader: Reader, name: str, args: list[Word]) -> Judged:
    """Without a dash, `e` adds the variables of each program."""
    from oi_tui.safety.shell_looking import look
    from oi_tui.safety.shell_tables import LOOKING

    bare = [one.text for one in args if one.known and re.fullmatch(r"[a-zA-Z]+", one.text)]
    if any("e" in one for one in bare[:1] if args[0].text == one):
        reader.keys("ps shows the variables of programs, which may hold keys")
    return look(reader, name, args, LOOKING["ps"])


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(("test", "["), _condition),
    "find": _find, "fd": _fd, "fdfind": _fd, "sed": _sed, "ps": _ps,
}  # fmt: skip

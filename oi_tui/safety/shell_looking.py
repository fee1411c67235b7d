"""Programs of the table that only read: their options, and what their operands are."""

from __future__ import annotations

from collections.abc import Iterator

from oi_tui.safety.effects import Tree
from oi_tui.safety.shell_findings import Fed
from oi_tui.safety.shell_state import Judged
from oi_tui.safety.shell_state import State as Reader
from oi_tui.safety.shell_tables import Looks
from oi_tui.safety.shell_text import Word, names

READ: Judged = ("read", "")


def options(args: list[Word], looks: Looks) -> Iterator[tuple[str, Word | None]]:
    """(option, its value) and ("", operand) in order. Raises LookupError for an option that is not in `looks`."""
    long = {one.rstrip("=") for one in looks.long.split()}
    own_word = {one[:-1] for one in looks.long.split() if one.endswith("=")}
    waiting, ended = list(args), False
    while waiting:
        word = waiting.pop(0)
        text = word.text
        may_be_option = not ended and (text.startswith("-") if word.known or text else True)
        if word.glob and not ended and text[:1] in "*?[":
            may_be_option = True
        if ended or not may_be_option or text == "-":
            yield "", word
        elif not word.known or word.glob:
            if looks.flags != "*" or looks.long != "*":
                raise LookupError("an argument that is not known may be an option")
            yield "", word
        elif text == "--":
            ended = True
        elif text.startswith("--"):
            name, found, value = text[2:].partition("=")
            if looks.long != "*" and name not in long:
                raise LookupError(f"its option --{name} is not known to be harmless")
            if found:
                yield f"--{name}", Word(value)
            elif name in own_word and waiting:
                yield f"--{name}", waiting.pop(0)
            else:
                yield f"--{name}", None
        else:
            yield from _letters(text, looks, waiting)


def _letters(text: str, looks: Looks, waiting: list[Word]) -> Iterator[tuple[str, Word | None]]:
    for position, letter in enumerate(text[1:], 2):
        if looks.flags != "*" and letter not in looks.flags + looks.valued and not letter.isdigit():
            raise LookupError(f"its option -{letter} is not known to be harmless")
        if letter in looks.valued:
            value = Word(text[position:]) if text[position:] else waiting.pop(0) if waiting else None
            yield f"-{letter}", value
            return
        yield f"-{letter}", Word(text[position:]) if looks.flags == "*" and "/" in text[position:] else None


def look(reader: Reader, name: str, args: list[Word], looks: Looks) -> Judged:
    """A program of the table that reads."""
    operands: list[Word] = []
    seen: dict[str, list[Word]] = {}
    try:
        for option, value in options(args, looks):
            if option:
                seen.setdefault(option, []).extend([value] if value else [])
                if value is not None and ("/" in value.text or value.text == "..") and option not in _NO_PATHS:
                    reader.reads(value)
            else:
                operands.append(value or Word(""))
    except LookupError as error:
        return "unknown", f"{name}: {error}"
    if len(operands) > looks.most or (looks.most < 1000 and any(not one.known or one.glob for one in operands)):
        return "unknown", f"{name} takes fewer arguments where it only reads"
    if name == "date" and any(not one.text.startswith("+") for one in operands):
        return "write", "date sets the clock"
    return _reads(reader, name, operands, seen, looks)


# Options whose value may look like a path and is none.
_NO_PATHS = names(
    "-e --regexp -d -t --delimiter --field-separator --glob --iglob -g --include --exclude --exclude-dir --replace -r "
    "--output-delimiter -I -P --arg --date -n -w"
)


def _reads(reader: Reader, name: str, operands: list[Word], seen: dict[str, list[Word]], looks: Looks) -> Judged:
    if name in _SEARCH:
        return _search(reader, name, operands, seen)
    if name == "jq" and operands and ("env" in operands[0].text or "$ENV" in operands[0].text or not operands[0].known):
        reader.keys("jq shows variables, which may hold keys")
    if looks.operands == "none":
        if name in {"echo", "printf"}:
            whole = all(one.known and not one.glob for one in operands) and not set(seen) - {"-n"}
            reader.gives = Fed(" ".join(one.text for one in operands) + "\n" if whole and name == "echo" else None)
        return READ
    files = operands[1:] if looks.operands == "later" else operands
    for one in files:
        if name == "diff" and set(seen) & {"-r", "--recursive"}:
            reader.reads_tree(one)
        elif one.text != "-" or not one.known:
            reader.reads(one)
    if name in {"ls", "dir", "vdir", "du", "tree"} and not files:
        reader.reads(Word("."))
    fed = reader.fed
    if not files and fed is not None:
        reader.gives = fed if name in _KEEPING else Fed()
        if name == "cat":
            reader.gives = fed
    return READ


_KEEPING = frozenset({"sort", "uniq", "head", "tail", "shuf", "tac"})  # what they print are lines that they read
_SEARCH = frozenset({"grep", "egrep", "fgrep", "zgrep", "zegrep", "bzgrep", "xzgrep", "rg"})


def _search(reader: Reader, name: str, operands: list[Word], seen: dict[str, list[Word]]) -> Judged:
    """grep and its kin: the first operand is what is looked for, unless an option says that."""
    listing = name == "rg" and "--files" in seen
    files = operands if listing or "-e" in seen or "--regexp" in seen else operands[1:]
    recursive = name == "rg" or bool(set(seen) & {"-r", "-R", "--recursive", "--dereference-recursive"})
    fed = reader.fed
    if not files and not (recursive and (name != "rg" or fed is None or listing)):
        reader.gives = fed if fed is not None and not set(seen) & {"-o", "-c", "-n", "--only-matching"} else Fed()
        if reader.gives is not None and reader.gives.text is not None:
            reader.gives = Fed()
        return READ
    if recursive:
        files = files or [Word(".")]
    globs = [
        one.text for key in ("--include", "-g", "--glob") for one in seen.get(key, ()) if not one.text.startswith("!")
    ]
    only = (
        tuple(globs)
        if globs and all(seen_one.known for key in ("--include", "-g", "--glob") for seen_one in seen.get(key, ()))
        else ()
    )
    hidden = name != "rg" or bool(set(seen) & {"-u", "--hidden", "--no-ignore"})
    for one in files:
        if listing or not recursive:
            reader.reads(one)
        else:
            reader.reads_tree(one, only, hidden)
    if listing or set(seen) & {"-l", "-L", "--files-with-matches", "--files-without-match"}:
        roots = [path for one in files for path in reader.paths(one) or ()]
        blind = any(reader.paths(one) is None for one in files)
        reader.gives = Fed(None, () if blind else tuple(Tree(root, only, hidden) for root in roots))
    return READ

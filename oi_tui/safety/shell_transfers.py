"""Programs that move data: archives, copies, and the web."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oi_tui.safety.shell_text import Word, names

if TYPE_CHECKING:
    from oi_tui.safety.shell_state import Handler, Judged
    from oi_tui.safety.shell_state import State as Reader

_READ = ("read", "")


def _tar(reader: Reader, name: str, args: list[Word]) -> Judged:
    first = args[0].text if args and args[0].known else ""
    letters = first.lstrip("-") if not first.startswith("--") else ""
    listing = ("t" in letters and not set(letters) & set("xcruAIFP")) or first == "--list"
    rest = args[1:]
    for one in rest:
        if not one.known or (
            one.text.startswith("-") and one.text not in {"-f", "-v", "-z", "-j", "-J", "--verbose", "--gzip", "--list"}
        ):
            listing = listing and one.known and bool(re.fullmatch(r"-[tvzjJf]+", one.text))
    operands = [one for one in rest if not one.text.startswith("-")]
    if listing:
        if operands and ":" in operands[0].text:
            return "network", "tar talks to another machine"
        for one in operands[:1]:
            reader.reads(one)
        return _READ
    if letters and "c" in letters and "f" in letters and operands:
        reader.writes(operands[0])
        for one in operands[1:]:
            reader.reads_tree(one)
        if not any(one.text.startswith("-") for one in rest):
            return "write", "tar writes an archive"
    reader.sum.blind_reads = reader.sum.blind_writes = True
    return "write", "tar writes files"


def _tee(reader: Reader, name: str, args: list[Word]) -> Judged:
    files = [one for one in args if not (one.known and one.text in {"-a", "-i", "--append", "-ai"})]
    for one in files:
        reader.writes(one)
    if all(one.known and one.text in {"/dev/null", "/dev/stderr", "/dev/stdout"} for one in files):
        return _READ
    return "write", "tee writes files"


def _dd(reader: Reader, name: str, args: list[Word]) -> Judged:
    into = False
    for one in args:
        key, _, value = one.text.partition("=")
        if not one.known and key not in {"bs", "count", "skip", "seek"}:
            reader.sum.blind_reads = reader.sum.blind_writes = into = True
        elif key == "if":
            reader.reads(Word(value, one.known))
        elif key == "of" and value not in {"/dev/null", "/dev/stdout"}:
            into = True
            reader.writes(Word(value, one.known))
            if value.startswith("/dev/"):
                reader.harm(f"dd writes to the device {value}")
    return ("write", "dd writes a file") if into else _READ


def _listing(flags: str) -> Handler:
    """Programs that only look with these letters, and write files without them."""

    def judged(reader: Reader, name: str, args: list[Word]) -> Judged:
        given = [one for one in args if one.known and one.text.startswith("-")]
        if (
            args
            and all(one.known for one in args)
            and any(set(one.text[1:]) & set(flags) for one in given)
            and all(set(one.text[1:]) <= set(flags + "vqk1") for one in given)
        ):
            for one in args:
                if one not in given:
                    reader.reads(one)
            return _READ
        reader.sum.blind_reads = reader.sum.blind_writes = True
        for one in args:
            if one not in given:
                reader.reads(one)
                reader.writes(one)
        return "write", f"{name} writes files"

    return judged


# ---- the web

_CURL_DATA = re.compile(r"(?:-d|-F|-T|--data.*|--form.*|--upload-file|--json)$")
_CURL_VALUE = names(
        "-H -A -e -u -X -b -c -m -x -w -y -Y -z -r -C -Q -E --header --user-agent --referer --user --request "
        "--cookie --cookie-jar --max-time --connect-timeout --proxy --write-out --retry --range --resolve "
        "--cacert --cert --key --retry-delay --limit-rate"
    )  # fmt: skip


def _curl(reader: Reader, name: str, args: list[Word]) -> Judged:
    rest, targets = list(args), 0
    while rest:
        one = rest.pop(0)
        text = one.text
        if one.known and _CURL_DATA.fullmatch(text.partition("=")[0]) and rest:
            value = rest.pop(0)
            reader.sends("it sends data")
            found = re.search(r"(?:^|=)[@<](.+)", value.text)
            if found and found[1] != "-":
                reader.reads(Word(found[1], value.known))
            elif text in {"-T", "--upload-file"} or not value.known:
                reader.reads(value)
        elif one.known and (text in {"-o", "--output", "-D", "--dump-header", "--trace", "--trace-ascii"}) and rest:
            reader.writes(rest.pop(0))
        elif one.known and text in {"-K", "--config", "-:", "--next"}:
            reader.sum.blind_hosts = reader.sum.blind_writes = True
        elif one.known and text in _CURL_VALUE and rest:
            if text in {"-X", "--request"} and rest[0].text.upper() not in {"GET", "HEAD"}:
                reader.sends("it sends data")
            if text in {"-c", "--cookie-jar"}:
                reader.writes(rest[0])
            rest.pop(0)
        elif one.known and re.fullmatch(r"-[a-zA-Z0-9#]*[oO]|--remote-name.*|-J", text):
            if text.endswith("o") and rest:
                reader.writes(rest.pop(0))
            else:
                reader.writes(Word("."))
        elif one.known and text.startswith("-") and len(text) > 1:
            if re.match(r"-[a-z]*[dFT]", text):
                reader.sends("it sends data")
        else:
            targets += 1
            reader.reaches(one)
    if not targets:
        reader.sum.blind_hosts = True
    return "network", f"{name} talks to other machines"


def _wget(reader: Reader, name: str, args: list[Word]) -> Judged:
    rest = list(args)
    kept = Word(".")
    while rest:
        one = rest.pop(0)
        if one.known and one.text in {"-O", "-P", "-o", "-a"} and rest:
            kept = rest.pop(0)
            if kept.text != "-":
                reader.writes(kept)
        elif one.known and re.match(r"-[a-zA-Z]*O-?$|-O.", one.text):
            if one.text[-1] == "O" and rest:
                kept = rest.pop(0)
        elif one.known and re.match(
            r"--post|--body|--method|-i|--input-file|-e|--execute|--use-askpass|--config", one.text
        ):
            reader.sends("it sends data")
            reader.sum.blind_reads = True
        elif one.known and one.text.startswith("-"):
            continue
        else:
            reader.reaches(one)
    if kept.text not in {"-", "/dev/null"}:
        reader.writes(kept)
    return "network", f"{name} talks to other machines"


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("gzip", "xz", "zstd", "bzip2", "gunzip"), _listing("lt")),
    "unzip": _listing("ltZ"), "tar": _tar, "tee": _tee, "dd": _dd, "curl": _curl, "wget": _wget,
}  # fmt: skip

"""Who asked for an action first: the person, or a text that a tool brought in?

A page, a file or the output of a program can hold orders. That an answer of the model follows one cannot be known, but
it can be suspected: the action stands word for word in what a tool printed, or reaches a machine that only a tool
named, and the person said nothing of the kind. Such an action is asked about even where everything else runs unasked.

The rule, in full. An action that only reads or only changes files of the workspace is never suspected. Else it is if
  - it sends data to, or runs what comes from, a machine whose name stands in the output of a tool and in nothing that
    the person wrote (for an address: also when it carries a query, a user, or text that is only known when it runs); or
  - one of its commands, of two words or more, or its whole code stands in the output of a tool, and the person wrote
    neither its name nor its first word of meaning (`push` of `git push`, `install` of `pip install x`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from oi_tui.safety.rules import Act

_BLANKS = re.compile(r"\s+")
_MOST = 400_000  # characters of outputs that are looked through, the newest
_URL = re.compile(r"https?://[^\s'\"`<>)\]}]+", re.IGNORECASE)


@dataclass(slots=True)
class Heard:
    """What was said and shown so far. said: by the person; printed: by tools, oldest first."""

    said: Sequence[str] = field(default_factory=tuple[str, ...])
    printed: Sequence[str] = field(default_factory=tuple[str, ...])


def suspicion(act: Act, heard: Heard) -> str:
    """Why an action seems to be asked for by the output of a tool; "" if it does not."""
    if not heard.printed or (act.shell is not None and act.shell.effect == "read"):
        return ""
    said = " ".join(heard.said).lower()
    printed = " ".join(reversed(list(_newest(heard.printed))))
    lower = printed.lower()
    for host in _hosts(act):
        if host in said or not re.search(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", lower):
            continue
        if _sends(act, host):
            return f"only the output of a tool named {host}, and data would go there"
    flat = _BLANKS.sub(" ", printed)
    if act.shell is not None:
        for part in act.shell.parts:
            line = " ".join(part.words)
            if part.effect == "read" or len(part.words) < 2 or len(line) < 6 or _named(part.words, said):
                continue
            if _stands(line, flat):
                return "this command stands in the output of a tool, and you did not ask for it"
    if act.text and len(act.text.strip()) >= 20:
        code = _BLANKS.sub(" ", act.text.strip())
        if _stands(code, flat) and not _stands(code.lower(), _BLANKS.sub(" ", said)) and not _named(_first(act), said):
            return "this code stands in the output of a tool, and you did not ask for it"
    return ""


def carriers(text: str, urls: Iterable[str] = ()) -> tuple[str, ...]:
    """The addresses in a text that carry data: a query, a user, a fragment, or a long path."""
    found = dict.fromkeys([*urls, *_URL.findall(text)])
    return tuple(one for one in found if carries(one))


def carries(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return True
    return bool(
        parts.query or parts.username or parts.fragment or "$" in url or url.endswith("…")
        or re.search(r"[A-Za-z0-9+/_=%-]{40,}", parts.path) or re.search(r"[A-Za-z0-9-]{32,}\.", parts.netloc)
    )  # fmt: skip


def _newest(texts: Sequence[str]) -> Iterable[str]:
    left = _MOST
    for one in reversed(texts):
        if left <= 0:
            return
        yield one[-left:]
        left -= len(one)


def _hosts(act: Act) -> list[str]:
    found = list(act.hosts) + (list(act.shell.hosts) if act.shell is not None else [])
    for url in _URL.findall(act.text):
        try:
            found.append((urlsplit(url).hostname or "").lower())
        except ValueError:
            continue
    return [one for one in dict.fromkeys(found) if one and one not in {"localhost", "127.0.0.1", "::1"}]


def _sends(act: Act, host: str) -> bool:
    urls = [one for one in (*_URL.findall(act.text), *(act.shell.urls if act.shell else ())) if host in one.lower()]
    if any(carries(one) for one in urls):
        return True
    if act.shell is not None:
        return bool(act.shell.sends or act.shell.harm or (len(act.shell.parts) > 1 and act.shell.effect == "unknown"))
    return bool(
        re.search(r"\b(?:post|put|patch|send|sendall|upload)\w*\s*\(|method\s*[:=]|data\s*=", act.text, re.IGNORECASE)
    )


def _named(words: Sequence[str], said: str) -> bool:
    """The person used the word that says what a command does."""
    meant = [one for one in words[1:] if re.fullmatch(r"[a-z][a-z-]{2,}", one)][:1] if len(words) > 1 else []
    wanted = meant or list(words[:1])
    return (
        any(re.search(rf"(?<!\w){re.escape(one.lower())}", said) for one in wanted if len(one) > 1)
        or " ".join(words).lower() in said
    )


def _first(act: Act) -> Sequence[str]:
    return act.shell.parts[0].words if act.shell is not None and act.shell.parts else ()


def _stands(text: str, flat: str) -> bool:
    """Whole words of a text, as they stand."""
    return bool(text) and re.search(rf"(?<![\w./-]){re.escape(text)}(?![\w/-])", flat) is not None

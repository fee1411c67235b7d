"""What must not be shown or kept: keys that the program has used, and whatever looks like one.

Everything that is written down (sessions, logs, the record of what ran, exports, errors) goes through `mask` or
`kept`. A key that was used is known by its value, so that it is found whatever it looks like; others are known by the
form that the makers of keys gave them.
"""

from __future__ import annotations

import re

_LEAST = 8  # characters from which on a value is looked for
_KEYS = re.compile(
    r"\b((?:sk|pk|gsk|xai|csk|fw|hf|ghp|gho|github_pat)[-_]|AIza)[A-Za-z0-9_\-*]{6,}|\b(bearer) +[^\s\"',]{4,}",
    re.IGNORECASE,
)
_PLAIN = re.compile(  # in texts of a person's own, where less may be taken for a key
    r"\b((?:sk|gsk|xai|csk|hf|ghp|gho|ghs|github_pat|xox[abp])[-_])(?=[A-Za-z_\-]*[0-9])[A-Za-z0-9_\-]{16,}"
    r"|\b(AIza|AKIA)[A-Za-z0-9_\-]{16,}"
)
_PASSWORD = re.compile(r"://[^/@\s\"']+@")
_known: set[str] = set()


def learn(value: str) -> None:
    """Remember a secret, for as long as the program runs."""
    value = value.strip()
    if len(value) >= _LEAST:
        _known.add(value)


def mask(text: str) -> str:
    """`text` without anything that is a key or looks like one, and without the password in an address: for messages."""
    text = _PASSWORD.sub("://[hidden]@", _without_known(text))
    return _KEYS.sub(lambda found: f"{found[1]}[hidden]" if found[1] else f"{found[2]} [hidden]", text)


def kept(text: str) -> str:
    """`text` as it may be written down: without keys that are known or have the whole form of one. JSON stays JSON."""
    return _PLAIN.sub(lambda found: f"{found[1] or found[2]}[hidden]", _without_known(text))


def _without_known(text: str) -> str:
    for secret in _known:
        if secret in text:
            text = text.replace(secret, "[hidden]")
    return text

"""Keys of model providers that a person gave to `oi login`: in the keyring of the system, or in a file of their own.

`auth.json` says which providers have one, so that the keyring is asked only where there is something to ask for. Where
no keyring can be used the key itself lies there, readable by the owner alone.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any, Literal, cast

from oi_tui import paths

Place = Literal["keyring", "file"]
SERVICE = "oi"  # under which name the keyring keeps them


class KeyNotKept(Exception):
    """It could not be stored or deleted; the text says why, in one sentence."""


def stored(provider: str) -> str:
    """The key of a provider, "" if there is none."""
    entry = _entries().get(provider, {})
    if entry.get("place") == "keyring":
        with contextlib.suppress(Exception):  # each keyring has errors of its own; without it there is no key
            return _keyring().get_password(SERVICE, provider) or ""
        return ""
    return str(entry.get("key", ""))


def places() -> dict[str, Place]:
    """Provider -> where its key lies."""
    return {name: "keyring" if one.get("place") == "keyring" else "file" for name, one in _entries().items()}


def store(provider: str, key: str, place: Literal["auto", "keyring", "file"] = "auto") -> tuple[Place, str]:
    """Keep a key; where it went, and why not into the keyring ("" if it did, or was not to). Raises KeyNotKept."""
    why = "" if place == "file" else _into_keyring(provider, key)
    if why and place == "keyring":
        raise KeyNotKept(f"the keyring cannot be used: {why}")
    kept: Place = "file" if why or place == "file" else "keyring"
    _write(_entries() | {provider: {"place": "keyring"} if kept == "keyring" else {"place": "file", "key": key}})
    return kept, why


def forget(provider: str) -> bool:
    """Delete a key. False if there was none. Raises KeyNotKept."""
    entries = _entries()
    entry = entries.pop(provider, None)
    if entry is None:
        return False
    if entry.get("place") == "keyring":
        try:
            _keyring().delete_password(SERVICE, provider)
        except Exception as error:
            if type(error).__name__ != "PasswordDeleteError":  # it was deleted elsewhere already
                raise KeyNotKept(f"the keyring cannot be used: {_said(error)}") from None
    _write(entries)
    return True


def _into_keyring(provider: str, key: str) -> str:
    """Why it is not there now; "" if it is."""
    try:
        ring = _keyring()
        if ring.get_keyring().priority <= 0:
            return "this system has none that is safe"
        ring.set_password(SERVICE, provider, key)
        return "" if ring.get_password(SERVICE, provider) == key else "it did not keep the key"
    except ImportError:
        return "the package keyring is not installed"
    except Exception as error:
        return _said(error)


def _keyring() -> Any:
    import keyring

    return keyring


def _said(error: Exception) -> str:
    first = (str(error).splitlines() or [""])[0]
    return first or type(error).__name__


def _entries() -> dict[str, dict[str, Any]]:
    try:
        read: Any = json.loads(paths.keys_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(read, dict):
        return {}
    return {str(name): one for name, one in cast("dict[str, Any]", read).items() if isinstance(one, dict)}


def _write(entries: dict[str, dict[str, Any]]) -> None:
    file = paths.keys_file()
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        paths.private_dir(file.parent)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as writing:
            writing.write(json.dumps(entries, indent=1))
        fresh.replace(file)
    except OSError as error:
        raise KeyNotKept(f"{file} cannot be written: {error.strerror or error}") from None

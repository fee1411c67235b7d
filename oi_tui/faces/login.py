"""`oi login PROVIDER`, `oi login --status` and `oi logout`: keys of model providers, in the keyring of the system."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from oi_tui.faces.usage import UsageParser


def login(argv: Sequence[str]) -> int:
    """Store a key, or say which there are. Exit code 0; 1 if it could not be stored; 2 for wrong usage."""
    parser = UsageParser(
        "oi login",
        description="Store the key of a model provider. It is read from a hidden line, or from stdin where that is "
        "piped, and kept in the keyring of the system; where there is none, in a file that only you can read.",
        allow_abbrev=False,
    )
    parser.add_argument("provider", nargs="?", default="", help="id of a provider: openai, anthropic, groq, …")
    parser.add_argument("--status", action="store_true", help="which providers have a key, and where it comes from")
    parser.add_argument("--store", choices=("auto", "keyring", "file"), default="auto", help="where to keep it")
    parsed = parser.parse_args(list(argv))
    if parsed.status or parsed.provider == "status":
        return _status()
    if not parsed.provider:
        parser.error("say which provider: oi login openai; oi login --status lists keys")
    from oi_tui.models import keys

    name = _provider(parsed.provider)
    if not name:
        return 2
    key = _read(name)
    if not key or not all(33 <= ord(one) <= 126 for one in key):
        why = "it holds characters that no key has" if key else "no key was given"
        return _complain(f"{why}; nothing is stored", 1)
    try:
        place, why = keys.store(parsed.provider, key, parsed.store)
    except keys.KeyNotKept as error:
        return _complain(f"{error}; --store file keeps it in a file", 1)
    from oi_tui import paths

    if place == "keyring":
        print(f"the key of {name} is in the keyring of this system")
    else:
        print(f"the key of {name} is in {paths.keys_file()}, unencrypted, readable by you alone")
        if why:
            print(f"  not in a keyring: {why}")
    return 0


def logout(argv: Sequence[str]) -> int:
    """Delete stored keys. Exit code 0, also when there was none; 1 if that failed; 2 for wrong usage."""
    parser = UsageParser("oi logout", description="Delete the stored key of a provider.", allow_abbrev=False)
    parser.add_argument("provider", nargs="?", default="", help="id of the provider")
    parser.add_argument("--all", action="store_true", help="of all providers")
    parsed = parser.parse_args(list(argv))
    from oi_tui.models import keys

    known = keys.places()
    if not parsed.provider and not parsed.all:
        if len(known) != 1:
            there = f"keys are stored for {', '.join(known)}" if known else "no key is stored"
            parser.error(f"say which provider, or --all; {there}")
        parsed.provider = next(iter(known))
    wanted = list(known) if parsed.all else [parsed.provider]
    for provider in wanted:
        try:
            gone = keys.forget(provider)
        except keys.KeyNotKept as error:
            return _complain(str(error), 1)
        print(f"the key of {provider} is deleted" if gone else f"no key of {provider} is stored")
    if not wanted:
        print("no key is stored")
    return 0


def _status() -> int:
    import os

    from oi_tui.models import keys
    from oi_tui.models.providers import known
    from oi_tui.settings import load

    loaded = load()
    rows: list[str] = []
    stored = keys.places()
    for one in known(loaded.settings.model_providers).values():
        variable = next((name for name in one.key_env if os.environ.get(name, "").strip()), "")
        if variable:
            rows.append(f"{one.id:<14} {variable}" + (" (before the stored one)" if one.id in stored else ""))
        elif one.id in stored:
            rows.append(f"{one.id:<14} {stored.pop(one.id)}")
        stored.pop(one.id, None)
    rows += [f"{name:<14} {place}" for name, place in stored.items()]
    print("\n".join(rows) if rows else "no provider has a key; oi login PROVIDER stores one")
    return 0


def _provider(id: str) -> str:
    """What a provider is called, "" after telling that there is none of that id."""
    from oi_tui.models import litellm_names
    from oi_tui.models.providers import known
    from oi_tui.settings import load

    providers = known(load().settings.model_providers)
    if id in providers:
        if providers[id].key_env:
            return providers[id].name
        _complain(f"{providers[id].name} needs no key", 2)
        return ""
    if litellm_names.named(id) is not None:
        return id
    from difflib import get_close_matches

    near = get_close_matches(id, providers, 1)
    with_keys = ", ".join(sorted(name for name, one in providers.items() if one.key_env))
    _complain(f"provider {id!r} is not known; " + (f"did you mean {near[0]}?" if near else f"there are {with_keys}"), 2)
    return ""


def _read(name: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    import getpass

    try:
        return getpass.getpass(f"key of {name} (not shown): ").strip()
    except (EOFError, KeyboardInterrupt):
        return ""


def _complain(text: str, code: int) -> int:
    sys.stderr.write(f"oi: {text}\n")
    return code

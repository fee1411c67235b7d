"""Which paths are inside the workspace, which may hold secrets, and which other programs act on."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from oi_tui import paths

# Below the home folder. Names end where the folder or file ends: everything below is meant too.
_SECRET_PLACES = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker/config.json", ".config/gcloud", ".config/gh", ".config/hub",
    ".config/op", ".netrc", ".pgpass", ".my.cnf", ".git-credentials", ".config/git/credentials", ".npmrc", ".pypirc",
    ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".password-store", ".vault-token",
    ".terraform.d/credentials.tfrc.json", ".local/share/keyrings", ".mozilla", ".thunderbird", ".config/google-chrome",
    ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/opera",
    "snap/firefox", "snap/chromium", "Library/Keychains", "Library/Cookies", "Library/Application Support/Firefox",
    "Library/Application Support/Google/Chrome", "Library/Application Support/BraveSoftware",
    "Library/Application Support/Microsoft Edge", "Library/Safari", "AppData/Local/Google/Chrome/User Data",
    "AppData/Local/Microsoft/Edge/User Data", "AppData/Roaming/Mozilla", "AppData/Roaming/gnupg",
    ".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history",
)  # fmt: skip
_SECRET_ANYWHERE = (
    ".env", ".env.*", "*.pem", "*.p12", "*.pfx", "*.kdbx", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc",
    ".git-credentials", ".pgpass",
)  # fmt: skip
_NO_SECRETS = (".env.example", ".env.sample", ".env.template", ".env.dist")
_SECRET_SYSTEM = ("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private", "/root/.ssh")
_ACTED_ON = frozenset({".git", ".hg", ".svn", ".openinterpreter", ".ssh", ".husky", ".vscode", ".idea", ".envrc"})


def inside(path: str, root: str) -> bool:
    """True when `path` (absolute, links resolved) is `root` or lies below it."""
    root = os.path.normcase(os.path.realpath(root))
    path = os.path.normcase(path)
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def is_secret(path: str) -> bool:
    """True for files and folders where people keep keys, tokens and browser profiles, and for all that lies below.

    `path` is absolute with links resolved. A folder that merely contains such a place is not one.
    """
    return is_secret_place(path) or is_secret_name(os.path.basename(path))  # noqa: PTH119


def is_secret_place(path: str) -> bool:
    """As `is_secret`, by where the path lies alone and not by its name."""
    if path.startswith("/proc/") and path.endswith(("/environ", "/mem")):
        return True
    path = os.path.normcase(path).lower() + os.sep
    return path.startswith(_secret_places(str(Path.home()), str(paths.keys_file())))


def secret_places() -> tuple[str, ...]:
    """Files and folders where people keep keys, tokens and browser profiles, absolute, there or not."""
    home = os.path.realpath(Path.home())
    return (*(os.path.join(home, place) for place in _SECRET_PLACES), *_SECRET_SYSTEM)  # noqa: PTH118


def is_secret_name(name: str) -> bool:
    """True for the name of a file that holds secrets wherever it lies, such as `.env` or `id_rsa`."""
    name = name.lower()
    return name not in _NO_SECRETS and any(fnmatch(name, pattern) for pattern in _SECRET_ANYWHERE)


@cache
def _secret_places(home: str, keys: str) -> tuple[str, ...]:
    """The places, with the file of our own keys, as named and as they really are, when some of them are links; in lower
    case, as beginnings of paths.

    Systems whose file names ignore case must not let `.SSH` through; elsewhere asking once too often does no harm."""
    named = [os.path.join(os.path.realpath(home), place) for place in _SECRET_PLACES]  # noqa: PTH118
    named += [*_SECRET_SYSTEM, keys]
    found = dict.fromkeys([*named, *map(os.path.realpath, named)])
    return tuple(os.path.normcase(one).lower() + os.sep for one in found)


def is_protected(path: str, root: str) -> bool:
    """True for places that other programs run or obey: hooks of a repository, an editor's tasks, our own home."""
    if _below(path, os.path.realpath(paths.home())):
        return True
    relative = os.path.relpath(path, os.path.realpath(root))
    return has_protected_part(relative)


def has_protected_part(path: str) -> bool:
    """True if a part of a relative path is a folder or file that other programs obey, such as `.git`."""
    return any(part.lower() in _ACTED_ON for part in re.split(r"[/\\]", path))


def _below(path: str, root: str) -> bool:
    # Systems whose file names ignore case must not let `.SSH` through; elsewhere asking once too often does no harm.
    path, root = os.path.normcase(path).lower(), os.path.normcase(root).lower()
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)

"""What no sandboxed code may read, change or connect to, as it lies on this machine now."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from oi_tui import paths
from oi_tui.safety.places import secret_places

# Beside what the policy calls secret: clients of machines and clouds keep sockets and tokens here.
_MORE_SECRETS = (".docker", ".config/containers", ".local/share/containers/auth.json", ".config/rclone", ".config/age")
# In a workspace: what other programs run or obey, and what says how this program works in it.
_OBEYED = (
    ".openinterpreter", ".agents", ".claude", ".codex", ".husky", ".vscode", ".idea", ".envrc", ".hg/hgrc",
    ".pre-commit-config.yaml",
)  # fmt: skip
_OF_GIT = ("hooks", "config", "config.worktree", "info/attributes")
# Of the home folder, where that is the workspace: shells, desktops and languages start programs from these.
_STARTED_FROM = frozenset({"bin", "go", "snap", "Library", "AppData"})
_SOCKET_FOLDERS = ("/run", "/var/run")  # that the sandbox does not have, see bubblewrap.py
_VARIABLES = (
    "SSH_AUTH_SOCK", "SSH_AGENT_PID", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "DISPLAY", "XAUTHORITY",
    "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DOCKER_HOST", "CONTAINER_HOST", "TMUX", "STY", "GPG_AGENT_INFO",
    "GNOME_KEYRING_CONTROL", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "SESSION_MANAGER", "PULSE_SERVER",
    "KUBECONFIG", "AWS_SHARED_CREDENTIALS_FILE", "GOOGLE_APPLICATION_CREDENTIALS",
)  # fmt: skip


def secrets() -> list[str]:
    """Files and folders that nothing in a sandbox may read, which are there; links resolved, outermost only."""
    home = os.path.realpath(Path.home())
    named = [*secret_places(), *(os.path.join(home, one) for one in _MORE_SECRETS)]  # noqa: PTH118
    found = sorted({os.path.realpath(one) for one in named if os.path.lexists(one) and os.path.exists(one)})  # noqa: PTH110
    kept: list[str] = []
    for one in found:
        if not any(below(one, other) for other in kept):
            kept.append(one)
    return kept


def unset() -> tuple[str, ...]:
    """Variables that lead to programs outside."""
    return _VARIABLES


def below(path: str, root: str) -> bool:
    """Whether a path is `root` or lies below it, both absolute with links resolved."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def obeyed(workspace: str) -> list[str]:
    """What may not be changed in a workspace that may: only what is there, in the order of mounting."""
    found = [os.path.join(workspace, one) for one in _OBEYED]  # noqa: PTH118
    return [one for one in found if os.path.exists(one) and not os.path.islink(one)]  # noqa: PTH110, PTH114


class Repository:
    """The git folder of a workspace. place: where it lies, "" for none; outside: it is not in the workspace, but the
    workspace is one of its worktrees. A folder that merely claims to be one is none: code could have written that."""

    def __init__(self, workspace: str) -> None:
        self.place, self.outside, self.file = "", False, ""
        git = Path(workspace, ".git")
        if git.is_symlink():
            return
        if git.is_dir():
            self.place = str(git)
        elif git.is_file():
            self.file = str(git)
            self.place, self.outside = _common(git), True

    def fixed(self) -> Iterator[str]:
        """What may not be changed in it. The folder of hooks is made where it is missing, so that it can be held."""
        if not self.place:
            return
        for name in _OF_GIT:
            one = Path(self.place, name)
            if name == "hooks" and not one.is_symlink():
                one.mkdir(exist_ok=True)
            if one.exists():
                yield str(one)
        for inner in (*Path(self.place).glob("modules/*"), *Path(self.place).glob("worktrees/*")):
            for name in _OF_GIT:
                if (inner / name).exists():
                    yield str(inner / name)


def _common(file: Path) -> str:
    """The git folder that a worktree belongs to, "" unless that folder names the worktree itself."""
    try:
        own = Path(file.read_text(encoding="utf-8").partition("gitdir:")[2].strip())
        own = Path(os.path.realpath(file.parent / own))
        named = Path((own / "gitdir").read_text(encoding="utf-8").strip())
        if named != file or own.parent.name != "worktrees":
            return ""
    except (OSError, ValueError):
        return ""
    common = own.parent.parent
    return str(common) if (common / "objects").is_dir() and (common / "HEAD").is_file() else ""


def roots(workspace: str) -> list[str]:
    """What of a workspace may be changed: all of it, unless it is the home folder, whose visible folders are, or a
    folder above that, of which nothing is."""
    workspace, home = os.path.realpath(workspace), os.path.realpath(Path.home())
    if not below(home, workspace):
        return [workspace]
    if workspace != home:
        return []
    found: list[str] = []
    for one in sorted(os.scandir(home), key=lambda one: one.name):
        if not one.name.startswith(".") and one.name not in _STARTED_FROM and not one.is_symlink():
            found.append(one.path)
    return found


def own_home() -> str:
    """Our home folder, made if it is missing so that it can be held. Raises OSError."""
    return os.path.realpath(paths.private_dir(paths.home()))


def sockets(environ: Mapping[str, str]) -> list[str]:
    """Sockets and folders of sockets that programs outside listen at, but for those in /run.

    environ: what leads to them. unix(7): /proc/net/unix names every socket that is bound in this network namespace."""
    found: set[str] = set()
    try:
        lines = Path("/proc/net/unix").read_text(encoding="utf-8", errors="surrogateescape").splitlines()[1:]
    except OSError:
        lines = []
    named = [line.split(None, 7)[7] for line in lines if len(line.split(None, 7)) == 8]
    for name in ("SSH_AUTH_SOCK", "DOCKER_HOST", "CONTAINER_HOST", "TMUX", "DBUS_SESSION_BUS_ADDRESS"):
        value = environ.get(name, "").split(",")[0]
        named.append(value[value.index("/") :].split(";")[0] if "/" in value else "")
    named += [environ.get("XDG_RUNTIME_DIR", ""), "/tmp/.X11-unix", "/tmp/.ICE-unix"]
    named += [f"/tmp/tmux-{os.getuid()}", f"/tmp/screens/S-{environ.get('USER', '')}"]
    for one in named:
        if one.startswith("/"):
            real = os.path.realpath(one)
            if not any(below(real, folder) for folder in _SOCKET_FOLDERS) and _connects(real):
                found.add(real)
    return sorted(one for one in found if not any(one != other and below(one, other) for other in found))


def _connects(path: str) -> bool:
    try:
        kind = os.stat(path).st_mode  # noqa: PTH116
    except OSError:
        return False
    return stat.S_ISSOCK(kind) or (stat.S_ISDIR(kind) and path not in ("/", "/tmp"))

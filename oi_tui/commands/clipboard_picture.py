"""The picture that is on the clipboard, as the clipboard program of the place gives it.

Wayland: `wl-paste`; X11: `xclip`; macOS: `pngpaste`, else `osascript`; Windows and WSL: PowerShell.
"""

from __future__ import annotations

import base64
import binascii
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from sys import platform

from oi_tui.commands.base import CommandError

_SECONDS = 10.0
_KINDS = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp", "image/tiff")  # asked for in this order
_POWERSHELL = (
    "Add-Type -AssemblyName System.Windows.Forms,System.Drawing;"
    "$i=[System.Windows.Forms.Clipboard]::GetImage();"
    "if($i){$m=New-Object IO.MemoryStream;$i.Save($m,[Drawing.Imaging.ImageFormat]::Png);"
    "[Convert]::ToBase64String($m.ToArray())}"
)
_NONE = "there is no picture on the clipboard"


def read(environ: Mapping[str, str] | None = None) -> bytes:
    """The picture's bytes. Waits for a clipboard program: call it outside the event loop.

    Raises CommandError when there is no picture, or nothing here that could tell.
    """
    env = os.environ if environ is None else environ
    path = env.get("PATH")
    if env.get("WAYLAND_DISPLAY") and shutil.which("wl-paste", path=path):
        return _offered(env, ["wl-paste", "--list-types"], lambda kind: ["wl-paste", "--type", kind])
    if env.get("DISPLAY") and shutil.which("xclip", path=path):
        base = ["xclip", "-selection", "clipboard", "-o", "-t"]
        return _offered(env, [*base, "TARGETS"], lambda kind: [*base, kind])
    if platform == "darwin":
        return _mac(env)
    if shutil.which("powershell.exe", path=path):
        found = _run(env, ["powershell.exe", "-NoProfile", "-STA", "-Command", _POWERSHELL])
        try:
            return _some(base64.b64decode(found, validate=False))
        except binascii.Error:
            raise CommandError(_NONE) from None
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        raise CommandError(
            "the clipboard of your own machine cannot be read over SSH", "copy the file, then /image PATH"
        )
    raise CommandError(
        "no program that reads pictures from the clipboard is here", "install wl-clipboard or xclip, or say /image PATH"
    )


def _offered(env: Mapping[str, str], kinds: list[str], one: Callable[[str], list[str]]) -> bytes:
    """The first kind of picture that the clipboard offers."""
    has = _run(env, kinds).decode("utf-8", "replace").split()
    kind = next((wanted for wanted in _KINDS if wanted in has), None)
    if kind is None:
        raise CommandError(_NONE)
    return _some(_run(env, one(kind)))


def _mac(env: Mapping[str, str]) -> bytes:
    if shutil.which("pngpaste", path=env.get("PATH")):
        return _some(_run(env, ["pngpaste", "-"]))
    found = _run(env, ["osascript", "-e", "the clipboard as «class PNGf»"])  # «data PNGf89504E47…»
    digits = found.decode("utf-8", "replace").strip().removeprefix("«data PNGf").removesuffix("»")
    try:
        return _some(bytes.fromhex(digits))
    except ValueError:
        raise CommandError(_NONE) from None


def _run(env: Mapping[str, str], command: list[str]) -> bytes:
    """What a clipboard program prints, nothing when it fails: they all fail when the clipboard is empty."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, env=dict(env), check=False
        )
    except subprocess.TimeoutExpired:
        raise CommandError(f"{command[0]} did not answer within {_SECONDS:g} s", "say /image PATH") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise CommandError(f"{command[0]} cannot be run: {why}", "say /image PATH") from error
    return done.stdout if done.returncode == 0 else b""


def _some(data: bytes) -> bytes:
    if not data:
        raise CommandError(_NONE)
    return data

"""A look at code before it is approved: semgrep, as a program of its own, with the rules that lie in `scan_rules/`.

Works offline: semgrep is told to send nothing and to ask for no newer version of itself, reads our rules from disk, and
keeps its own files in a folder that is deleted afterwards. It gets none of the environment but where to find programs.
Marks in the code that tell semgrep to look away (`nosemgrep`) do not count: the code's author is who is looked at.

A text was either looked at as a whole, or it was not: what semgrep could not read in part is never `clean`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from oi_tui.protocol.call_events import Finding, FindingLevel, Scanned

RULES = Path(__file__).parent / "scan_rules"
HOW_TO_INSTALL = "install it with: uv tool install semgrep, or pipx install semgrep"
_PATIENCE = 20.0  # seconds for our own rules, which take half of one
_ONLINE = 120.0  # seconds where rules are fetched first
_MOST = 30  # findings that are kept
_KINDS = {  # language -> (rules, ending of the file)
    "python": ("python", "py"), "shell": ("shell", "sh"), "bash": ("shell", "sh"), "sh": ("shell", "sh"),
    "zsh": ("shell", "sh"), "javascript": ("javascript", "js"), "typescript": ("javascript", "ts"),
    "react": ("javascript", "jsx"),
}  # fmt: skip
_LEVELS: dict[str, FindingLevel] = {
    "ERROR": "error", "CRITICAL": "error", "HIGH": "error", "WARNING": "warning", "MEDIUM": "warning", "LOW": "info",
}  # fmt: skip


class ScanFailed(Exception):
    """semgrep could not look at it; the text says why, in one sentence."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to look at. more: further rules, as semgrep's `--config` takes them (a file, a folder, `auto`, `p/NAME`)."""

    language: str
    code: str
    more: str = ""


def program() -> str:
    """Where semgrep lies: beside this Python, or on the PATH; "" if it is not installed."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which("semgrep", path=os.pathsep.join(filter(None, (beside, os.environ.get("PATH", "")))))
    return found or ""


def knows(language: str) -> bool:
    """Whether there are rules for a language."""
    return language.strip().lower() in _KINDS


async def scan(order: Order) -> Scanned:
    """Look at code; never raises but for cancelling. state: `clean`, `found`, or `not` with the reason."""
    if not knows(order.language):
        return Scanned("not", text=f"there are no rules for {order.language or 'this'}")
    semgrep = program()
    if not semgrep:
        return Scanned("not", text=f"semgrep is not installed; {HOW_TO_INSTALL}")
    try:
        with tempfile.TemporaryDirectory(prefix="oi-scan-") as folder:
            return await _looked_at(semgrep, order, Path(folder))
    except ScanFailed as failed:
        return Scanned("not", text=str(failed))
    except OSError as error:
        return Scanned("not", text=f"semgrep cannot be run: {error.strerror or error}")


async def _looked_at(semgrep: str, order: Order, folder: Path) -> Scanned:
    rules, ending = _KINDS[order.language.strip().lower()]
    file = folder / f"code.{ending}"
    file.write_text(order.code, encoding="utf-8", errors="replace")
    configs, online = _configs(rules, order.more)
    # Its newer half is a program without Python and twenty times as fast; not every version has it.
    for way in (() if online else ("--experimental",), ()):
        printed, why = await _run([semgrep, "scan", *way, *_options(configs, online), str(file)], folder, online)
        report = _report(printed)
        if report is not None:
            return _told(report, order.code)
    raise ScanFailed(f"semgrep failed: {why}" if why else "semgrep said nothing")


def _configs(rules: str, more: str) -> tuple[list[str], bool]:
    """What semgrep is to go by, and whether it has to fetch a part of that."""
    own = str(RULES / f"{rules}.yaml")
    if not more:
        return [own], False
    wanted = Path(more).expanduser()
    return ([own, str(wanted.absolute())], False) if wanted.exists() else ([own, more], True)


def _options(configs: Sequence[str], online: bool) -> list[str]:
    metrics = "on" if "auto" in configs else "off"  # the registry picks rules by what it is told, or not at all
    named = [word for one in configs for word in ("--config", one)]
    fixed = ["--json", "--quiet", "--disable-version-check", "--disable-nosem", "--no-git-ignore", "--metrics", metrics]
    return [*named, *fixed, "--max-target-bytes", "0", "--timeout", "30" if online else "10", "--jobs", "1"]


async def _run(command: list[str], folder: Path, online: bool) -> tuple[str, str]:
    """What it printed, and the last line of what it complained of. Raises ScanFailed, OSError."""
    seconds = _ONLINE if online else _PATIENCE
    child = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        env=_environment(folder, online),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            out, complaints = await child.communicate()
    except TimeoutError:
        raise ScanFailed(f"semgrep took longer than {seconds:g} s") from None
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            await child.wait()
    lines = [line.strip() for line in complaints.decode("utf-8", "replace").splitlines() if line.strip()]
    return out.decode("utf-8", "replace"), lines[-1][:200] if lines else ""


def _environment(folder: Path, online: bool) -> dict[str, str]:
    kept = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "HOME": str(folder), "TMPDIR": str(folder)}
    if online:
        proxies = {"https_proxy", "http_proxy", "no_proxy", "all_proxy", "ssl_cert_file", "requests_ca_bundle"}
        kept |= {name: value for name, value in os.environ.items() if name.lower() in proxies}
    return kept | {
        "SEMGREP_SEND_METRICS": "off",
        "SEMGREP_ENABLE_VERSION_CHECK": "0",
        "SEMGREP_SETTINGS_FILE": str(folder / "settings.yml"),
        "SEMGREP_LOG_FILE": str(folder / "semgrep.log"),
        "SEMGREP_VERSION_CACHE_PATH": str(folder / "version"),
    }


def _report(printed: str) -> dict[str, Any] | None:
    try:
        read = json.loads(printed)
    except ValueError:
        return None
    fits = isinstance(read, dict) and isinstance(read.get("results"), list)
    return cast("dict[str, Any]", read) if fits else None


def _told(report: dict[str, Any], code: str) -> Scanned:
    """semgrep's JSON as what a person is told. Raises ScanFailed where it did not look."""
    if not report.get("paths", {}).get("scanned"):
        raise ScanFailed("semgrep left it out")
    found: set[Finding] = set()
    for one in report["results"]:
        extra = one.get("extra", {})
        level = _LEVELS.get(str(extra.get("severity", "")).upper(), "info")
        rule = str(one.get("check_id", "")).rpartition(".")[2]
        found.add(Finding(int(one["start"]["line"]), level, " ".join(str(extra.get("message", "")).split()), rule))
    worst = {one.line for one in found if one.level == "error"}
    kept = sorted((one for one in found if one.level == "error" or one.line not in worst), key=_place)
    unread = [one for one in report.get("errors", []) if _matters(one)]
    findings = tuple(kept[:_MOST])
    if unread:
        where = _where(unread[0])
        return Scanned("found" if findings else "not", findings, f"semgrep could not read all of it{where}")
    return Scanned("found" if findings else "clean", findings)


def _matters(error: dict[str, Any]) -> bool:
    return str(error.get("level", "error")).lower() in {"error", "warn", "warning"}


def _where(error: dict[str, Any]) -> str:
    spans = error.get("spans") or [error.get("location") or {}]
    line = spans[0].get("start", {}).get("line") if spans and isinstance(spans[0], dict) else None
    return f" (line {line})" if line else ""


def _place(one: Finding) -> tuple[bool, int, str]:
    return one.level != "error", one.line, one.rule

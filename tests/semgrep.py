"""The real semgrep, for tests of safe mode: the one that is installed, or one that is fetched once for all tests.

It does not fit beside the other packages (it wants an older wcmatch than E2B's does), so it is installed in an
environment of its own, as a person does with `uv tool install semgrep`. Its newer half needs none of its dependencies.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

VERSION = "1.185.0"


def folder_of_semgrep() -> Path | None:
    """The folder with the program; None if it is not here and may not be fetched (OI_TEST_FETCH=1)."""
    found = shutil.which("semgrep")
    if found:
        return Path(found).parent
    kept = Path(tempfile.gettempdir()) / f"oi-test-semgrep-{VERSION}-{os.getuid()}"
    if not kept.is_dir():
        if os.environ.get("OI_TEST_FETCH") != "1":
            return None
        _fetch(kept)
    return kept / "bin"


def _fetch(kept: Path) -> None:
    """Install it where `kept` says, at once for tests that run side by side."""
    fresh = Path(tempfile.mkdtemp(prefix=kept.name, dir=kept.parent))
    try:
        venv.create(fresh, with_pip=False)
        pip = [sys.executable, "-m", "pip", "--python", str(fresh / "bin" / "python"), "install", "--quiet"]
        subprocess.run([*pip, "--no-deps", f"semgrep=={VERSION}"], check=True, timeout=600)
        program = fresh / "bin" / "semgrep"
        text = program.read_text(encoding="utf-8")
        program.write_text(text.replace(str(fresh), str(kept)), encoding="utf-8")
        fresh.rename(kept)
    except OSError:  # another one was faster
        if not kept.is_dir():
            raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)

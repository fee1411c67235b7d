from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from oi_tui import tools
from oi_tui.tools import NAMES, Context, get


def told() -> dict[str, list[str]]:
    """The arguments of every executor as README.md tells them to those who write harnesses."""
    readme = Path(tools.__file__).with_name("README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `([^`]*)` ?(?:\|.*)$", readme, re.MULTILINE)
    without_values = [(name, re.sub(r"\{[^}]*\}|\[[^]]*\]|\"[^\"]*\"|\\\| ?", "", cell)) for name, cell in rows]
    return {name: [one.partition("=")[0].strip() for one in cell.split(",")] for name, cell in without_values}


def test_every_executor_takes_what_the_readme_says(ctx: Context) -> None:
    assert sorted(name for name in told() if name in NAMES) == sorted(NAMES)
    for name in NAMES:
        error = get(name).preview(ctx, nonsense=1).error
        assert error == f"{name} has no argument 'nonsense'; it takes {', '.join(told()[name])}"


def test_an_unknown_executor_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="no executor 'nonesuch'"):
        get("nonesuch")


def test_executors_are_imported_on_use_and_none_of_them_brings_third_parties() -> None:
    script = (
        "import sys; from oi_tui import tools; before = set(sys.modules);"
        "assert not any(f'oi_tui.tools.{n}' in before for n in tools.NAMES);"
        "[tools.get(n) for n in tools.NAMES];"
        "import oi_tui.safety.policy;"
        "top = {n.partition('.')[0] for n in sys.modules};"
        "print(sorted(n for n in top - sys.stdlib_module_names if not n.startswith(('_', 'sitecustom'))))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['oi_tui']"


async def test_none_is_left_out_and_numbers_as_text_are_numbers(ctx: Context, work: Path) -> None:
    (work / "f").write_text("1\n2\n3\n")
    result = await get("read").run(ctx, path="f", offset="2", limit=None)
    assert result.text == "2\n3\n"
    found = await get("grep").run(ctx, pattern="[12]", ignore_case="True", limit="1")
    assert found.text == "f:1:1"


async def test_failures_have_a_short_summary(ctx: Context) -> None:
    result = await get("patch").run(ctx, patch="*** Begin Patch\n*** Update File: f\n-x\n*** End Patch")
    assert result.meta["summary"] == "cannot update f: there is no such file"
    result = await get("read").run(ctx, path="x" * 200)
    assert len(result.meta["summary"]) == 60

"""Reports on what blocks print: too much, in colour, and pictures."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import output, results, run_exec, run_steps


def test_ur_026_huge_output_is_cut_and_kept() -> None:
    text = 'for i in range(100000): print(i, "x"*80)'
    done = run_steps(code("python", text), timeout=60)
    told = output(done.results[0])
    whole = "".join(f"{i} {'x' * 80}\n" for i in range(100000))
    assert len(told) <= 2800
    found = re.search(r"\[\.\.\. (\d+) characters left out; full text: (\S+) ", told)
    assert found is not None, told
    kept = Path(found[2]).read_text(encoding="utf-8")
    assert kept.startswith(whole)
    shown = told.replace(found.group(), "")
    assert "99999 " + "x" * 80 in shown
    assert int(found[1]) >= len(kept) - 2800
    assert "99999 " + "x" * 80 in done.err  # the person sees all of it
    assert "50000 " + "x" * 80 in done.err


def test_ur_029_no_escape_codes_for_the_model() -> None:
    done = run_steps(code("shell", "touch f; printf '\\x1b[31mred\\x1b[0m plain\\n'; ls --color=always"))
    assert output(done.results[0]).splitlines()[0] == "red plain"
    assert "\x1b" not in str(done.requests) + done.out
    assert "red plain" in done.err
    assert "\x1b" not in done.err  # standard error is no terminal here


_PLOT = 'import matplotlib.pyplot as plt; plt.plot([1,2]); plt.show(); print("after")'
_BASE64 = re.compile(r"[A-Za-z0-9+/=]{200,}")


def _without_picture(request: dict[str, Any]) -> str:
    return str([one for one in request["messages"] if not isinstance(one.get("content"), list)])


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not installed here")
@pytest.mark.parametrize("vision", [True, False])
def test_ur_119_a_plot_is_saved_and_given_as_the_model_can_take_it(vision: bool) -> None:
    with MockModel([code("python", _PLOT), say("seen")]) as mock:
        done = run_exec(
            mock,
            "plot",
            "-c",
            f"llm.supports_vision={str(vision).lower()}",
            env={"DISPLAY": None, "WAYLAND_DISPLAY": None, "COLUMNS": "40"},
        )
    assert "after" in results(done.requests[1])[0]
    _check_picture(done.requests[1], done.err, vision)


_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5E"
    "rkJggg=="
)
_SHOW = f"""import base64
class Picture:
    def _repr_png_(self): return base64.b64decode({_PNG!r}) + bytes(600)
print("after")
Picture()
"""


@pytest.mark.parametrize("vision", [True, False])
def test_ur_119_a_picture_is_saved_and_given_as_the_model_can_take_it(vision: bool) -> None:
    with MockModel([code("python", _SHOW), say("seen")]) as mock:
        done = run_exec(mock, "show", "-c", f"llm.supports_vision={str(vision).lower()}")
    assert "after" in results(done.requests[1])[0]
    _check_picture(done.requests[1], done.err, vision)


def _check_picture(request: dict[str, Any], err: str, vision: bool) -> None:
    parts = [
        part
        for one in request["messages"]
        if isinstance(one.get("content"), list)
        for part in one["content"]
        if part["type"] == "image_url"
    ]
    assert len(parts) == int(vision)
    saved = re.search(r"\[picture saved: (\S+)\]", err)
    assert saved is not None
    assert Path(saved[1]).stat().st_size > 0
    assert not _BASE64.search(_without_picture(request))
    if not vision:
        assert saved[1] in results(request)[0]

# ruff: noqa: ASYNC240 - tests may wait for the disk
from __future__ import annotations

import base64
import re
import stat
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from oi_tui.computer.limits import Limits
from oi_tui.protocol.events import ActiveLine, ConsoleOutput, Event, ImageOutput, RichOutput
from oi_tui.tools import Context, get

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAEUlEQVR42mNkYPhfz8DAwAAACgABAV1hI5wAAAAASUVORK5CYII="
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="code is not run on Windows yet")


def printed(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, ConsoleOutput))


@pytest.mark.parametrize("language", ["python", "Python ", "py", " PYTHON3"])
async def test_a_block_runs_in_any_spelling(ctx: Context, events: list[Event], language: str) -> None:
    preview = get("code").preview(ctx, language=language, code="print(6*7)")
    assert (preview.subject, preview.language, preview.text, preview.error) == ("code", "python", "print(6*7)", "")
    assert preview.what == "run this python"
    assert preview.reads == (ctx.cwd,)
    result = await get("code").run(ctx, language=language, code="print(6*7)")
    assert result.ok
    assert result.text.strip() == "42"
    assert result.meta["language"] == "python"
    assert printed(events).strip() == "42"
    assert any(isinstance(event, ActiveLine) and event.line is None for event in events)


async def test_shell_status_is_told(ctx: Context) -> None:
    result = await get("code").run(ctx, language="sh", code="echo out; exit 3")
    assert (result.exit_code, result.text.strip()) == (3, "out")


@pytest.mark.parametrize("language", ["fortran", "text", "markdown", "", "php"])
async def test_what_cannot_run_is_not_run_and_says_what_can(ctx: Context, language: str) -> None:
    preview = get("code").preview(ctx, language=language, code="x")
    assert "python" in preview.error
    result = await get("code").run(ctx, language=language, code="x")
    assert not result.ok
    assert result.text == preview.error


@pytest.mark.parametrize("code", ["", "  \n "])
def test_no_code_is_an_error(ctx: Context, code: str) -> None:
    assert get("code").preview(ctx, language="python", code=code).error == "there is no code to run"


async def test_long_output_is_cut_and_kept_whole_in_a_private_file(ctx: Context, events: list[Event]) -> None:
    ctx = replace(ctx, call_id="../../call 1")
    result = await get("code").run(ctx, language="python", code="for i in range(5000): print('line', i)")
    whole = "".join(f"line {i}\n" for i in range(5000))
    assert len(result.text) <= ctx.max_output
    assert result.text.startswith("line 0\n")
    assert result.text.rstrip().endswith("line 4999")
    assert result.cut > 0
    assert result.path is not None
    kept = Path(result.path)
    assert kept.parent == ctx.outputs
    assert kept.read_text() == whole
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(ctx.outputs.stat().st_mode) == 0o700
    assert printed(events) == whole
    again = await get("code").run(ctx, language="python", code="print('y' * 9000)")
    assert again.path != result.path
    assert kept.read_text() == whole


async def test_pictures_are_saved_and_given(ctx: Context, events: list[Event]) -> None:
    code = f"class P:\n    def _repr_png_(self): return {PNG!r}\nP()"
    result = await get("code").run(ctx, language="python", code=code)
    (image,) = result.images
    assert (image.format, image.width, image.height) == ("png", 2, 3)
    assert image.path is not None
    assert Path(image.path).read_bytes() == PNG
    (event,) = [one for one in events if isinstance(one, ImageOutput)]
    assert (event.data, event.path) == (image.data, image.path)
    assert stat.S_IMODE(Path(image.path).stat().st_mode) == 0o600


async def test_rich_output_is_published(ctx: Context, events: list[Event]) -> None:
    code = "class H:\n    def _repr_html_(self): return '<b>hi</b>'\nH()"
    result = await get("code").run(ctx, language="python", code=code)
    assert [event.content for event in events if isinstance(event, RichOutput)] == ["<b>hi</b>"]
    assert result.meta["shown"] == ["html"]


async def test_code_can_read_on_where_the_marker_says(work: Path, tmp_path: Path, events: list[Event]) -> None:
    computer = Computer(str(work), outputs=tmp_path / "outputs")
    ctx = Context(str(work), "c1", events.append, computer, tmp_path / "outputs")
    try:
        cut = await get("code").run(ctx, language="shell", code="seq 100000")
        words = r"\[\.\.\. (\d+) characters left out; full text: (\S+) \(.*(computer\.output.*?\)) or"
        marker = re.search(words, cut.text)
        assert marker is not None and int(marker[1]) == cut.cut and marker[2] == cut.path
        whole = "".join(f"{n}\n" for n in range(1, 100001))
        asked = await get("code").run(ctx, language="python", code=f"print({marker[3]})")
        assert asked.text == whole[1000:3000] + "\n"
        short = await get("code").run(ctx, language="python", code="print(computer.outputs(), computer.output()[:5])")
        assert short.text == "['c1', 'c1_2'] 278\n2\n"
        tail = await get("code").run(ctx, language="shell", code=f"tail -n 1 {marker[2]}; ls $OI_OUTPUTS")
        assert tail.text.split() == ["100000", "c1.txt", "c1_2.txt", "c1_3.txt"]
    finally:
        await computer.close()


async def test_outputs_of_a_session_are_bounded_together(ctx: Context) -> None:
    ctx = replace(ctx, computer=Computer(ctx.cwd, limits=Limits(outputs=50_000)))
    for number in range(3):
        result = await get("code").run(replace(ctx, call_id=f"c{number}"), language="shell", code="yes | head -c 20000")
    await ctx.computer.close()  # type: ignore[attr-defined]
    assert "incomplete" in (result.note or "") and result.text.startswith("y\n")
    assert sum(one.stat().st_size for one in ctx.outputs.iterdir()) <= 50_000


async def test_an_outputs_folder_that_cannot_be_made_loses_no_result(ctx: Context, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    ctx = replace(ctx, outputs=blocked / "outputs")
    result = await get("code").run(ctx, language="python", code="print('x' * 9000)")
    assert result.ok
    assert result.cut > 0
    assert result.path is None
    assert "could not be kept" in (result.note or "")


async def test_an_error_is_a_result(ctx: Context) -> None:
    result = await get("code").run(ctx, language="python", code="1/0")
    assert not result.ok
    assert "ZeroDivisionError" in result.text


async def test_a_block_that_takes_too_long_is_stopped_and_says_so(ctx: Context) -> None:
    result = await get("code").run(replace(ctx, timeout_s=0.2), language="python", code="import time; time.sleep(60)")
    assert (result.ok, result.timed_out, result.interrupted, result.timeout_s) == (False, True, False, 0.2)
    assert (await get("code").run(ctx, language="python", code="print(1)")).text.strip() == "1"


class Whisper:
    """A language that says some things to one side only."""

    name = "whisper"

    def run(self, code: str) -> Iterator[dict[str, object]]:
        for recipient in (None, "user", "assistant"):
            aside = {"recipient": recipient} if recipient else {}
            picture = base64.b64encode(PNG).decode()
            yield {"type": "console", "format": "output", "content": f"to {recipient}\n", **aside}
            yield {"type": "image", "format": "base64.png", "content": picture, **aside}
            yield {"type": "code", "format": "html", "content": f"<b>{recipient}</b>", **aside}


async def test_what_is_for_one_side_only_reaches_only_that_side(
    ctx: Context, events: list[Event], computer: Computer
) -> None:
    computer.languages.append(Whisper)
    result = await get("code").run(ctx, language="whisper", code="x")
    assert result.text == "to None\nto assistant\n<b>assistant</b>"
    assert len(result.images) == 2
    assert printed(events) == "to None\nto user\n"
    assert len([one for one in events if isinstance(one, ImageOutput)]) == 2
    assert [one.content for one in events if isinstance(one, RichOutput)] == ["<b>None</b>", "<b>user</b>"]

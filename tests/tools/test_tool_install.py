from __future__ import annotations

import pytest

from oi_tui.protocol.events import ConsoleOutput, Event
from oi_tui.tools import Context, get


def test_the_preview_is_the_command_line(ctx: Context) -> None:
    preview = get("install").preview(ctx, package="opencv-python", module="cv2")
    assert (preview.subject, preview.error) == ("tool", "")
    assert preview.what == "install the package opencv-python for cv2"
    assert " install " in preview.text
    assert preview.text.endswith(" -- opencv-python")


@pytest.mark.parametrize("package", ["--index-url=http://x", "a; rm -rf /", "git+https://x/y", "../here"])
async def test_what_is_no_name_is_never_run(ctx: Context, events: list[Event], package: str) -> None:
    assert "is not the name of a package" in get("install").preview(ctx, package=package).error
    result = await get("install").run(ctx, package=package)
    assert not result.ok
    assert "is not the name of a package" in (result.note or "")
    assert [one for one in events if isinstance(one, ConsoleOutput)] == []

"""A session whose code runs in the sandbox, and one for which none starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import ApprovalRequested
from oi_tui.settings import SandboxSettings
from tests.mock_model import MockModel, code, say
from tests.safety.caged import needs_bubblewrap
from tests.user_reports.driver import run_exec, work_folder
from tests.user_reports.in_process import Live

PROBE = """
import os
print(os.getcwd(), os.path.exists('/run/user'))
try:
    open('/usr/oi-test-outside', 'w')
except OSError as error:
    print(error)
"""


def on() -> SandboxSettings:
    return SandboxSettings(mode="auto")


@needs_bubblewrap
async def test_code_of_all_kinds_is_held() -> None:
    outside = "/usr/oi-test-outside"
    blocks = [
        code("shell", f"touch {outside} || echo held; touch inside; cd /tmp"),
        code("python", PROBE),
        code("shell", "pwd; echo $OI_SANDBOX"),
    ]
    with MockModel([*blocks, say("ok")]) as mock:
        async with Live(mock, approval_policy="auto", sandbox=on()) as live:
            ended = await live.turn("go")
            assert ended.reason == "done"
            assert live.session.sandbox == "sandbox, no network"
    told = str(mock.requests[-1]["messages"])
    assert "held" in told and "/tmp False" in told and "Read-only file system" in told and "bubblewrap" in told
    assert (work_folder() / "inside").exists() and not Path(outside).exists()  # noqa: ASYNC240


async def test_where_none_starts_the_person_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oi_tui.safety.sandbox import plan
    from oi_tui.safety.sandbox.place import Unusable

    def none(*_: object) -> tuple[str, str]:
        raise Unusable("there is none here")

    monkeypatch.setattr(plan, "found", none)
    monkeypatch.setattr(plan, "tried", lambda *_: "")
    steps = [(code("shell", f"touch {name}"), say("ok")) for name in ("one", "two", "three")]
    blocks = [one for pair in steps for one in pair]
    with MockModel(blocks) as mock:
        async with Live(mock, approval_policy="auto", sandbox=on()) as live:
            live.session.submit("go")
            asked = await live.until(ApprovalRequested)
            assert "there is none here" in asked.code and asked.rules == ()
            live.session.answer(asked.approval_id, Decision("reject", reason="not so"))
            await live.turn()
            assert not (work_folder() / "one").exists()
            live.session.submit("again")
            asked = await live.until(ApprovalRequested)
            live.session.answer(asked.approval_id, Decision("approve", code=asked.code))
            await live.turn()
            assert (work_folder() / "two").exists() and live.session.sandbox == "no sandbox"
            await live.turn("once more")
            assert (work_folder() / "three").exists()


def test_where_none_starts_nothing_runs_unattended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with MockModel([code("shell", "touch made"), say("ok")]) as mock:
        ran = run_exec(mock, "go", "-y", "--sandbox", "auto", "-c", "sandbox.kind=bubblewrap")
        assert ran.code == 3 and "setting up uid map" in ran.err and "--sandbox off" in ran.err
        assert not (work_folder() / "made").exists()

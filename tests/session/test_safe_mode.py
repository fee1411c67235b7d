"""Safe mode in a session: what is found is shown before the decision, and never runs unasked."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from oi_tui.faces.audit import told
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import ApprovalRequested, Notice, ScanChanged, TurnEnded
from oi_tui.safety import scan as scanning
from oi_tui.safety.rules import Rule
from oi_tui.session import audit
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import run_exec, work_folder
from tests.user_reports.in_process import Live

BAD = "import os\nname = 'sales'\nopen(os.path.expanduser('~/.ssh/authorized_keys'), 'a')\nopen('made', 'w')"


async def test_auto_looks_while_the_person_reads(semgrep: Path) -> None:
    with MockModel([code("python", BAD), say("ok")]) as mock:
        async with Live(mock, approval_policy="full", safe_mode="auto") as live:
            live.session.submit("go")
            request = await live.asked()
            assert request.scan.state == "running"
            scan = (await live.until(ScanChanged, lambda one: one.scan.state != "running")).scan
            assert [(one.line, one.level) for one in scan.findings] == [(3, "error")]
            assert scan.sentences() == ["line 3: changes what starts by itself or who may log in (error)"]
            live.session.answer(request.approval_id, Decision("reject"))
            await live.until(TurnEnded)
            assert "line 3: changes what starts by itself" in live.results[0]
    (record,) = list(audit.read())
    assert record["decided"] == "declined" and "safe mode: line 3: changes what starts" in told(record)


async def test_a_yes_before_the_look_ended_is_asked_again_where_it_matters(semgrep: Path) -> None:
    with MockModel([code("python", BAD), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask", safe_mode="auto") as live:
            live.session.submit("go")
            live.approve(await live.asked(), "approve_session")
            again = await live.asked()
            assert again.scan.worst and "after you answered" in again.why and again.rules == ()
            assert not (work_folder() / "made").exists()
            live.session.answer(again.approval_id, Decision("stop"))
            await live.until(TurnEnded)
            assert live.session.engine.policy.rules.session == []


async def test_an_edited_text_is_looked_at_too(semgrep: Path) -> None:
    with MockModel([code("python", "print(1)"), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask", safe_mode="auto") as live:
            live.session.submit("go")
            live.session.answer((await live.asked()).approval_id, Decision("edit", BAD))
            again = await live.asked()
            assert again.code == BAD and again.scan.worst
            live.session.answer(again.approval_id, Decision("edit", "print(2)"))
            assert (await live.until(TurnEnded)).reason == "done"
            assert "2" in live.results[0]
    assert not (work_folder() / "made").exists()


async def test_ask_looks_only_where_the_person_wants_it(semgrep: Path) -> None:
    with MockModel([code("python", "print(1)"), code("python", "print(2)"), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask", safe_mode="ask") as live:
            live.session.submit("go")
            request = await live.asked()
            assert request.scan.state == "offered"
            live.approve(request)
            request = await live.asked()
            assert live.all_of(ScanChanged) == []
            live.session.answer(request.approval_id, Decision("scan", request.code))
            await live.until(ScanChanged, lambda one: one.scan.state == "clean")
            live.approve(request)
            assert (await live.until(TurnEnded)).reason == "done"
    assert [one.get("scan", "") for one in audit.read()] == ["", "semgrep found nothing"]


@pytest.mark.parametrize("mode", ["ask", "auto"])
async def test_what_a_rule_would_let_run_is_looked_at_first(semgrep: Path, mode: str) -> None:
    with MockModel([code("python", "print(1)"), code("python", BAD), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask", safe_mode=mode) as live:
            live.session.engine.policy.allow_session((Rule("allow", language="python"),))
            live.session.submit("go")
            request = await live.asked()
            assert request.code == BAD and request.why == "safe mode found something in it"
            live.session.answer(request.approval_id, Decision("stop"))
            await live.until(TurnEnded)
    assert not (work_folder() / "made").exists()


async def test_without_semgrep_it_is_said_and_nothing_runs_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "program", lambda: "")
    with MockModel([code("python", "open('made', 'w')"), say("ok")]) as mock:
        async with Live(mock, approval_policy="auto", safe_mode="auto") as live:
            assert "semgrep is not installed" in (await live.until(Notice)).text
            live.session.engine.policy.allow_session((Rule("allow", language="python"),))
            live.session.submit("go")
            request = await live.asked()
            assert "could not check it" in request.why and "uv tool install semgrep" in request.why
            assert "found nothing" not in str(live.seen)
            live.session.answer(request.approval_id, Decision("stop"))
            await live.until(TurnEnded)
    assert not (work_folder() / "made").exists()


async def test_an_interrupt_while_it_looks_ends_the_turn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    slow = tmp_path / "semgrep"
    slow.write_text("#!/bin/sh\nsleep 600\n")
    slow.chmod(slow.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with MockModel([code("python", "open('made', 'w')"), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask", safe_mode="auto") as live:
            live.session.submit("go")
            live.approve(await live.asked())
            live.session.interrupt()
            assert (await live.until(TurnEnded)).reason in {"interrupted", "refused"}
            assert len(live.all_of(ApprovalRequested)) == 1
    assert not (work_folder() / "made").exists()


def test_without_a_screen_the_findings_are_told_and_nothing_runs(semgrep: Path) -> None:
    with MockModel([code("python", BAD)]) as mock:
        done = run_exec(mock, "go", "--safe_mode", "auto")
    assert done.code == 3
    assert "line 3: changes what starts by itself or who may log in (error)" in done.err
    assert not (done.cwd / "made").exists()
    with MockModel([code("python", BAD)]) as mock:
        done = run_exec(mock, "go", "--safe_mode", "auto", "--json")
    (item,) = [one["item"] for one in done.events if one.get("item", {}).get("type") == "safety_scan"]
    assert item["status"] == "found" and item["findings"][0]["line"] == 3

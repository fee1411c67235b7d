"""Hooks in a session: each event with its payload, and what their answers do."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from oi_tui import paths
from oi_tui.extensions import hooks
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import ApprovalRequested, Notice, TurnEnded
from oi_tui.session import audit
from tests.extensions.test_hooks import command, put
from tests.mock_model import MockModel, code, say
from tests.user_reports.driver import results, run_exec, until, work_folder
from tests.user_reports.in_process import Live

OTHER = {"command": "mkdir other && echo other"}


def trusted(**events: Any) -> None:
    """Hooks of the person, trusted. The payloads of each event are appended to a file of its name."""
    put(paths.home(), **events)
    for one in hooks.found(str(work_folder()), str(work_folder()), False, {}):
        hooks.trust(one)


def spy(event: str, then: str = "") -> tuple[str, dict[str, Any]]:
    return "", command(f"cat >> {work_folder()}/{event}.seen; echo >> {work_folder()}/{event}.seen; {then}")


def seen(event: str) -> list[dict[str, Any]]:
    file = work_folder() / f"{event}.seen"
    return [json.loads(line) for line in file.read_text().splitlines() if line] if file.exists() else []


def said(event: str, **specific: Any) -> str:
    return f"echo '{json.dumps({'hookSpecificOutput': {'hookEventName': event, **specific}})}'"


async def test_every_event_of_a_turn_comes_with_its_payload() -> None:
    names = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SessionEnd")
    trusted(**{name: [spy(name)] for name in names})
    with MockModel([code("shell", "mkdir one"), say("all done")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("make it")
            live.approve(await live.asked())
            assert (await live.until(TurnEnded)).reason == "done"
            id = live.session.id
    first = {name: seen(name)[0] for name in names}
    assert {one["session_id"] for one in first.values()} == {id}
    assert {one["hook_event_name"] for one in first.values()} == set(names)
    assert {one["cwd"] for one in first.values()} == {str(work_folder())}
    assert {one["permission_mode"] for one in first.values()} == {"default"}
    assert first["SessionStart"]["source"] == "startup" and first["UserPromptSubmit"]["prompt"] == "make it"
    assert (first["PreToolUse"]["tool_name"], first["PreToolUse"]["tool_input"]) == ("Bash", {"command": "mkdir one"})
    assert first["PermissionRequest"]["tool_input"] == {"command": "mkdir one"}
    assert first["PostToolUse"]["tool_response"]["success"] is True
    assert first["Stop"]["last_assistant_message"] == "all done" and first["Stop"]["stop_hook_active"] is False
    assert first["SessionEnd"]["reason"] == "exit"
    assert first["Stop"]["transcript_path"].endswith(".jsonl")
    recorded = [one["what"] for one in audit.read() if one["tool"] == "hook"]
    assert recorded == [f"hook of {name}" for name in names]


async def test_pre_tool_use_denies_changes_and_adds() -> None:
    deny = command("grep -q rm && { echo 'never delete' >&2; exit 2; }; exit 0")
    trusted(PreToolUse=[("Bash", deny)])
    with MockModel([code("shell", "rm made"), say("ok")]) as mock:
        async with Live(mock) as live:
            (work_folder() / "made").touch()
            assert (await live.turn()).reason == "done"
            assert "never delete" in live.results[0]
            assert (work_folder() / "made").exists()
    changed = said("PreToolUse", permissionDecision="allow", updatedInput=OTHER, additionalContext="mind")
    trusted(PreToolUse=[("Bash", command(changed))])
    with MockModel([code("shell", "echo mine"), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            live.session.submit("go")
            request = await live.asked()
            assert request.code == OTHER["command"], "an allowing hook changes what is asked about; it allows nothing"
            live.approve(request)
            await live.until(TurnEnded)
            assert "other\n" in live.results[0] and "mind" in live.results[0] and "mine" not in live.results[0]


@pytest.mark.parametrize(("behavior", "ran"), [("allow", True), ("deny", False)])
async def test_permission_request_answers_for_the_person(behavior: str, ran: bool) -> None:
    decision = {"behavior": behavior, "message": "not here"}
    trusted(PermissionRequest=[("Bash", command(said("PermissionRequest", decision=decision)))])
    with MockModel([code("shell", "mkdir one"), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask") as live:
            assert (await live.turn()).reason == "done"
            assert live.all_of(ApprovalRequested) == []
            assert ran or "not here" in live.results[0]
    assert (work_folder() / "one").exists() == ran
    (record,) = [one for one in audit.read() if one["tool"] != "hook"]
    assert (record["decided"], record["by"]) == ("allowed" if ran else "denied", "a hook")


async def test_a_hook_cannot_allow_what_safe_mode_found(semgrep: Path) -> None:
    trusted(PermissionRequest=[("", command(said("PermissionRequest", decision={"behavior": "allow"})))])
    bad = "echo k >> ~/.ssh/authorized_keys"
    with MockModel([code("shell", bad), say("ok")]) as mock:
        async with Live(mock, approval_policy="ask", safe_mode="auto") as live:
            live.session.submit("go")
            request = await live.asked()
            live.session.answer(request.approval_id, Decision("stop"))
            await live.until(TurnEnded)


async def test_a_prompt_is_blocked_or_gets_context() -> None:
    trusted(
        UserPromptSubmit=[("", command("grep -q forbidden && { echo 'not that' >&2; exit 2; }; echo today is monday"))]
    )
    with MockModel([say("ok")]) as mock:
        async with Live(mock) as live:
            ended = await live.turn("do the forbidden")
            assert ended.reason == "refused" and "not that" in ended.text
            assert mock.requests == [] and live.session.messages == []
            assert (await live.turn("do this")).reason == "done"
            assert "today is monday" in str(mock.requests[0])


async def test_what_a_tool_did_is_objected_to_and_the_model_is_sent_back() -> None:
    post = command("echo 'tests are missing' >&2; exit 2")
    stop = command(
        f"test -e {work_folder()}/once && exit 0; touch {work_folder()}/once; echo 'go on with b' >&2; exit 2"
    )
    trusted(PostToolUse=[("Bash", post)], Stop=[("", stop)])
    with MockModel([code("shell", "echo a"), say("finished"), say("really finished")]) as mock:
        async with Live(mock) as live:
            assert (await live.turn()).reason == "done"
        assert "tests are missing" in results(mock.requests[1])[0]
        assert "go on with b" in str(mock.requests[2]["messages"][-1])


async def test_stop_hooks_do_not_keep_the_model_working_for_ever() -> None:
    trusted(Stop=[("", command("echo more >&2; exit 2"))])
    with MockModel([say("done")] * 30) as mock:
        async with Live(mock) as live:
            ended = await live.turn()
            assert ended.reason == "limit" and len(mock.requests) < 12


async def test_the_beginning_can_add_context_or_end_it() -> None:
    trusted(SessionStart=[("startup", command("echo use tabs"))])
    with MockModel([say("ok")]) as mock:
        async with Live(mock) as live:
            await live.turn()
            assert "use tabs" in str(mock.requests[0])
    trusted(SessionStart=[("startup", command('echo \'{"continue": false, "stopReason": "not on fridays"}\''))])
    with MockModel([say("ok")]) as mock:
        async with Live(mock) as live:
            ended = await live.turn()
            assert ended.reason == "refused" and "not on fridays" in ended.text and mock.requests == []


async def test_compaction_is_told_and_can_be_stopped() -> None:
    trusted(PreCompact=[("manual", spy("PreCompact")[1])], PostCompact=[spy("PostCompact")])
    with MockModel([say("one " * 200), say("a summary"), say("two")]) as mock:
        async with Live(mock) as live:
            await live.turn("say much")
            await live.session.compact()
    assert [one["trigger"] for one in (*seen("PreCompact"), *seen("PostCompact"))] == ["manual", "manual"]
    trusted(PreCompact=[("", command('echo \'{"continue": false, "stopReason": "keep it"}\''))])
    with MockModel([say("one " * 200), say("a summary")]) as mock:
        async with Live(mock) as live:
            await live.turn("say much")
            await live.session.compact()
            ended = await live.until(TurnEnded)
            assert ended.reason == "failed" and "keep it" in ended.text and len(mock.requests) == 1


async def test_a_failing_hook_is_told_and_blocks_only_where_it_is_to_fail_closed() -> None:
    for how, ran in (("open", True), ("closed", False)):
        trusted(PreToolUse=[("", command("exit 7", onFailure=how))])
        with MockModel([code("shell", f"mkdir {how}"), say("ok")]) as mock:
            async with Live(mock) as live:
                await live.turn()
                assert any("exit code 7" in one.text for one in live.all_of(Notice))
        assert (work_folder() / how).exists() == ran


async def test_an_interrupt_ends_a_hook_that_hangs() -> None:
    trusted(PreToolUse=[("", command(f"touch {work_folder()}/begun; sleep 600"))])
    with MockModel([code("shell", "mkdir one"), say("ok")]) as mock:
        async with Live(mock) as live:
            live.session.submit("go")
            await asyncio.to_thread(until, (work_folder() / "begun").exists, 20, lambda: "it did not begin")
            live.session.interrupt()
            assert (await live.until(TurnEnded)).reason == "interrupted"
    assert not (work_folder() / "one").exists()


def test_ur_112_hooks_of_a_project_do_nothing_before_it_is_trusted() -> None:
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd")
    put(
        work_folder() / ".openinterpreter",
        **{one: [("", command(f"touch {work_folder()}/PWNED-{one}"))] for one in events},
    )
    below = work_folder() / "sub"
    below.mkdir()
    for flags, cwd in (((), work_folder()), (("--trust",), work_folder()), ((), below)):
        with MockModel([code("shell", "echo 1"), say("ok")]) as mock:
            done = run_exec(mock, "go", *flags, cwd=cwd)
        assert done.code == 0
        assert "/hooks" in done.err or cwd == below, "it is told that there are some"
        assert list(work_folder().rglob("PWNED*")) == [], "trust of the folder alone does not trust its hooks"
    for one in hooks.found(str(work_folder()), str(work_folder()), True, {}):
        hooks.trust(one)
    with MockModel([code("shell", "echo 1"), say("ok")]) as mock:
        run_exec(mock, "go")
    assert list(work_folder().rglob("PWNED*")) == [], "nor does trust of a hook alone"
    with MockModel([code("shell", "echo 1"), say("ok")]) as mock:
        run_exec(mock, "go", "--trust")
    assert len(list(work_folder().rglob("PWNED*"))) == len(events)

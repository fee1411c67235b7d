"""The approval pane in the app: what its keys answer, and that nothing typed by chance ever approves."""

import asyncio
from dataclasses import replace

import pytest

from oi_tui.app.panes import arming
from oi_tui.protocol.call_events import Finding, ScanChanged, Scanned
from oi_tui.protocol.calls import Decision
from oi_tui.protocol.events import ApprovalRequested, ApprovalResolved, CallStarted
from screenshots import scripted
from tests.app.running import running


async def test_y_runs_exactly_what_is_shown() -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        assert "Run this Python?" in app.screen_text()
        assert "in ~/sales-report, no sandbox" in app.screen_text()
        await app.pilot.press("y")
        await app.settle()
        assert app.decisions == [("a3", Decision("approve", scripted.CODE))]
        assert app.main.approval.asked is None
        assert app.main.composer.area.has_focus


async def test_a_allows_the_kind_for_the_session() -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        await app.pilot.press("a")
        assert app.decisions == [("a3", Decision("approve_session", scripted.CODE))]


@pytest.mark.parametrize(("key", "everywhere"), [("y", False), ("w", True)])
async def test_p_shows_the_rule_and_writes_it_only_when_told_to(key: str, everywhere: bool) -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        await app.pilot.press("p")
        await app.settle()
        assert "Write this rule?" in app.screen_text()
        assert "allow python code, in ~/sales-report" in app.screen_text()
        await app.pilot.press("escape")
        await app.settle()
        assert "Write this rule?" not in app.screen_text()
        assert app.decisions == []
        await app.pilot.press("p", key)
        decision = Decision("approve_always", scripted.CODE, everywhere=everywhere)
        assert app.decisions == [("a3", decision)]


async def test_n_takes_a_reason_in_one_line() -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        await app.pilot.press("n", *"use y axis", "enter")
        assert app.decisions == [("a3", Decision("reject", scripted.CODE, "use y axis"))]


async def test_esc_in_the_reason_goes_back_to_the_question() -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        await app.pilot.press("n", "x", "escape")
        assert app.decisions == []
        assert app.main.approval.has_focus
        await app.pilot.press("y")
        assert [decision.kind for _, decision in app.decisions] == ["approve"]


async def test_esc_declines_and_stops() -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        await app.pilot.press("escape")
        await app.settle()
        assert app.decisions == [("a3", Decision("stop", scripted.CODE))]
        assert not app.main.busy
        assert "stopped by you" in app.screen_text()


async def test_what_is_typed_before_and_while_it_rises_goes_to_the_message_box() -> None:
    async with running(scripted.looked()) as app:
        await app.pilot.press(*"yyy")
        app.session.play(*scripted.asking()[len(scripted.looked()) :])
        await app.settle()
        assert app.main.approval.pending
        assert app.main.approval.asked is None, "it is held back while a person types"
        await app.pilot.press(*"yes")
        await app.until(lambda: app.main.approval.asked is not None)
        await app.pilot.press("y")
        assert app.decisions == []
        assert app.main.composer.draft == "yyyyesy"
        await app.armed()
        await app.pilot.press("y")
        assert [decision.kind for _, decision in app.decisions] == ["approve"]
        assert app.main.composer.draft == "yyyyesy", "the draft is kept"


async def test_a_key_that_is_no_answer_begins_a_message_and_takes_the_keys_away() -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        await app.pilot.press(*"why")
        assert app.decisions == []
        assert app.main.composer.draft == "why"
        assert app.main.composer.area.has_focus
        assert "f5" in app.screen_text()
        await asyncio.sleep(arming.GRACE)
        await app.pilot.press("y")
        assert app.main.composer.draft == "whyy"
        await app.pilot.press("f5", "y")
        assert [decision.kind for _, decision in app.decisions] == ["approve"]


async def test_a_paste_into_the_approval_is_no_answer() -> None:
    from textual.events import Paste

    async with running(scripted.asking()) as app:
        await app.armed()
        app.app.post_message(Paste("y\ny\ny"))
        await app.until(lambda: app.main.composer.draft)
        assert app.decisions == []
        assert app.main.composer.draft == "y\ny\ny"


async def test_requests_queue_with_a_counter_and_each_is_armed_anew() -> None:
    async with running([*scripted.asking(), scripted.request(4, "print(4)")]) as app:
        await app.armed()
        assert "1 of 2" in app.screen_text()
        await app.pilot.press("y", "y")
        assert [answer[0] for answer in app.decisions] == ["a3"], "the second y came too early for the second request"
        await app.armed()
        assert "print(4)" in app.screen_text()
        await app.pilot.press("y")
        assert [answer[0] for answer in app.decisions] == ["a3", "a4"]
        assert app.decisions[1][1].code == "print(4)"


async def test_a_request_that_is_withdrawn_goes_away() -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        await app.play(ApprovalResolved("a3", "c3", "cancelled"))
        assert app.main.approval.asked is None
        assert "Run this Python?" not in app.screen_text()


async def test_what_a_block_is_to_have_installed_is_shown_and_the_block_is_on_top_again() -> None:
    line = "python -m pip install -- opencv-python"
    wanted = ApprovalRequested("a4", "c3", "tool", "", line, "install the package opencv-python for cv2", "", "")
    async with running(scripted.asking()) as app:
        await app.armed()
        await app.pilot.press("y")
        await app.play(ApprovalResolved("a3", "c3", "approve"), CallStarted("c3"), wanted)
        await app.armed()
        assert line in app.screen_text()
        await app.pilot.press("y")
        assert app.decisions[-1] == ("a4", Decision("approve", line))
        await app.play(ApprovalResolved("a4", "c3", "approve"), CallStarted("c3"))
        page = app.main.code.sheets.current
        assert page is not None and (page.text, page.language) == (scripted.CODE, "python")
        await app.until(lambda: line not in app.screen_text() and scripted.CODE.splitlines()[0] in app.screen_text())


async def test_edited_code_is_asked_about_again_and_run_as_it_stands() -> None:
    async with running([*scripted.looked(), scripted.request(3, "print(1)")]) as app:
        await app.armed()
        await app.pilot.press("e")
        await app.until(lambda: app.main.code.editing)
        await app.pilot.press("end", *"+1", "ctrl+s")
        await app.armed()
        assert app.decisions == []
        assert "edited by you" in app.screen_text()
        await app.until(lambda: "print(1)+1" in app.screen_text())
        await app.pilot.press("a")
        assert app.decisions == [], "edited code is allowed once only"
        assert "what you edited runs once" in app.screen_text()
        await app.pilot.press("y")
        assert app.decisions == [("a3", Decision("edit", "print(1)+1"))]


async def test_leaving_the_editor_changes_nothing() -> None:
    async with running([*scripted.looked(), scripted.request(3, "print(1)")]) as app:
        await app.armed()
        await app.pilot.press("e")
        await app.until(lambda: app.main.code.editing)
        await app.pilot.press(*"xyz", "escape")
        await app.armed()
        await app.pilot.press("y")
        assert app.decisions == [("a3", Decision("approve", "print(1)"))]


async def test_the_end_of_long_code_can_be_reached() -> None:
    code = "\n".join(f"step({number})" for number in range(200)) + "\nopen('tail.txt', 'w')"
    async with running([*scripted.looked(), scripted.request(3, code)], size=(80, 24)) as app:
        await app.armed()
        await app.until(lambda: "more lines below" in app.screen_text())
        assert "tail.txt" not in app.screen_text()
        await app.pilot.press("end")
        await app.until(lambda: "tail.txt" in app.screen_text())
        await app.until(lambda: "more lines below" not in app.screen_text())
        await app.pilot.press("y")
        assert app.decisions[0][1].code == code


async def test_what_is_pushed_far_right_is_on_the_screen() -> None:
    code = "echo ok" + " " * 400 + "; touch far.txt"
    async with running([*scripted.looked(), scripted.request(3, code)], size=(80, 24)) as app:
        await app.armed()
        assert "touch far.txt" in app.screen_text()


async def test_hidden_signs_are_visible() -> None:
    code = "if admin:\u202e\u2066 # check\u2069\n    ok\u200b = 1"
    async with running([*scripted.looked(), scripted.request(3, code)]) as app:
        await app.armed()
        text = app.screen_text()
        assert "‹U+202E›" in text
        assert "‹U+200B›" in text
        assert "4 hidden signs made visible" in text
        await app.pilot.press("y")
        assert app.decisions[0][1].code == code, "what is decided on is the code itself"


async def test_markup_in_a_request_stays_text() -> None:
    async with running([*scripted.looked(), scripted.request(3, "print('[bold red]x[/]')")]) as app:
        await app.armed()
        assert "[bold red]x[/]" in app.screen_text()


async def test_a_changed_file_is_shown_as_a_diff() -> None:
    async with running(scripted.changing()) as app:
        await app.armed()
        text = app.screen_text()
        assert "Change this file?" in text
        assert "report/build.py" in text
        assert "12 - " in text or "frame.dropna()" in text
        await app.pilot.press("y")
        assert app.decisions == [("a1", Decision("approve", scripted.DIFF))]


async def test_ctrl_c_in_an_approval_never_approves() -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        await app.pilot.press("ctrl+c")
        assert all(decision.kind == "stop" for _, decision in app.decisions)
        assert app.told("interrupt") == [None]


async def test_an_answer_that_is_not_on_offer_is_refused_in_words() -> None:
    async with running(scripted.asking(), size=(80, 30)) as app:
        await app.armed()
        await app.pilot.press("v")
        assert "the code has all the room there is" in app.screen_text()
        assert app.main.composer.draft == ""
        await app.pilot.press("y")
        assert [decision.kind for _, decision in app.decisions] == ["approve"]


async def test_a_change_of_a_file_cannot_be_edited() -> None:
    async with running(scripted.changing()) as app:
        await app.armed()
        await app.pilot.press("e")
        assert "only code can be edited" in app.screen_text()
        assert app.main.composer.draft == ""


async def test_the_hints_name_what_works_in_the_reason_and_scrolling_only_where_there_is_more() -> None:
    async with running(scripted.asking()) as app:
        await app.armed()
        assert "scroll the code" not in app.screen_text()
        await app.pilot.press("n")
        await app.until(lambda: "esc back to the question" in app.screen_text())
        await app.pilot.press("escape")
        await app.until(lambda: "esc back to the question" not in app.screen_text())
    async with running(scripted.asking("x = 1\n" * 80)) as app:
        await app.armed()
        await app.until(lambda: "pgup pgdn scroll the code" in app.screen_text())


async def test_what_safe_mode_finds_comes_into_the_question_and_takes_the_rules_away() -> None:
    *before, asked = scripted.asking()
    async with running([*before, replace(asked, scan=Scanned("running"))]) as app:
        await app.armed()
        assert "semgrep looks at it" in app.screen_text()
        found = (Finding(2, "error", "sends keys away"), Finding(5, "warning", "runs text as code"))
        await app.play(ScanChanged(asked.approval_id, asked.call_id, Scanned("found", found)))
        assert "line 2: sends keys away (error)" in app.screen_text()
        assert "line 5: runs text as code (warning)" in app.screen_text()
        await app.pilot.press("a", "p")
        assert app.decisions == [] and "Write this rule?" not in app.screen_text()
        await app.pilot.press("y")
        assert [one.kind for _, one in app.decisions] == ["approve"]


async def test_c_lets_safe_mode_look_where_it_asks_first() -> None:
    *before, asked = scripted.asking()
    async with running([*before, replace(asked, scan=Scanned("offered"))]) as app:
        await app.armed()
        assert "check it first" in app.screen_text().replace("\N{NO-BREAK SPACE}", " ")
        await app.pilot.press("c")
        assert app.decisions == [("a3", Decision("scan", scripted.CODE))]
        await app.play(ScanChanged(asked.approval_id, asked.call_id, Scanned("clean")))
        assert "semgrep found nothing" in app.screen_text()
        assert app.main.approval.has_focus

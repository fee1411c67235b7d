"""The parts of the app that need no screen: shortening rows, arming an approval, revealing signs, notices."""

import pytest

from oi_tui.app import notify
from oi_tui.app.panes.arming import Arming
from oi_tui.app.panes.fitting import Part, fit, part, row
from oi_tui.app.panes.reveal import hidden_signs, revealed
from oi_tui.app.panes.status import Facts, foot_parts, head_parts

FULL = Facts(
    "/home/sam/sales-report", "main", "claude-sonnet", "claude-code", approval="ask", context=68_000, window=200_000,
    cost=0.12,
)  # fmt: skip


def text_of(parts: tuple[list[Part], list[Part]], width: int) -> str:
    return "".join(text for text, _ in row(*parts, width))


def test_the_head_line_shows_everything_where_there_is_room() -> None:
    line = text_of(head_parts(FULL), 100)
    assert line.startswith("oi   sales-report · main   ")
    assert line.endswith("claude-sonnet · auto: claude-code · 34% full · $0.12")
    assert len(line) == 100


@pytest.mark.parametrize("width", range(1, 110))
def test_a_row_never_cuts_a_word_and_never_overflows(width: int) -> None:
    words = {"oi", "sales-report", "main", "claude-sonnet", "claude-code", "auto:", "34%", "full", "$0.12", "·"}
    line = text_of(head_parts(FULL), width)
    assert len(line) <= width
    assert set(line.split()) <= words


def test_the_head_line_drops_from_the_left_the_branch_before_its_folder() -> None:
    assert "main" not in text_of(head_parts(FULL), 73)
    assert "sales-report" in text_of(head_parts(FULL), 73)
    assert text_of(head_parts(FULL), 52).split() == [
        "claude-sonnet",
        "·",
        "auto:",
        "claude-code",
        "·",
        "34%",
        "full",
        "·",
        "$0.12",
    ]
    assert text_of(head_parts(FULL), 17).split() == ["34%", "full", "·", "$0.12"]


def test_the_foot_line_drops_the_leftmost_hint_first() -> None:
    hints = (("enter", "send"), ("/", "commands"), ("?", "keys"))
    assert "enter send · / commands · ? keys" in text_of(foot_parts(hints, FULL), 60)
    assert text_of(foot_parts(hints, FULL), 26).strip().startswith("/ commands")
    assert text_of(foot_parts(hints, FULL), 26).endswith("ask")


def test_fit_measures_wide_signs_in_columns() -> None:
    left, right = fit([part(1, ("日本語", ""))], [part(2, ("ok", ""))], 10)
    assert (len(left), len(right)) == (0, 1)
    left, right = fit([part(1, ("日本語", ""))], [part(2, ("ok", ""))], 11)
    assert (len(left), len(right)) == (1, 1)


def test_an_approval_rises_at_once_when_nobody_types_and_takes_keys_after_its_grace() -> None:
    arming = Arming()
    assert arming.stage(100.0) == "shown"
    assert arming.wait(100.0) == 0.5
    assert arming.stage(100.49) == "shown"
    assert arming.stage(100.5) == "armed"
    assert arming.wait(100.5) is None


def test_an_approval_waits_for_a_pause_while_somebody_types() -> None:
    arming = Arming()
    arming.typed(100.0)
    assert arming.stage(100.2) == "held"
    arming.typed(100.8)
    assert arming.stage(101.5) == "held"
    assert arming.wait(101.5) == pytest.approx(0.3)
    assert arming.stage(101.8) == "shown"
    assert arming.stage(102.3) == "armed"


def test_typing_in_the_grace_holds_the_keys_back_until_the_next_pause() -> None:
    arming = Arming()
    assert arming.stage(100.0) == "shown"
    arming.typed(100.3)
    assert arming.stage(100.6) == "shown"
    assert arming.stage(101.3) == "armed"


def test_whoever_turned_to_the_message_box_must_turn_back() -> None:
    arming = Arming()
    arming.stage(100.0)
    assert arming.stage(101.0) == "armed"
    arming.disarm()
    assert arming.stage(200.0) == "shown"
    assert arming.wait(200.0) is None
    arming.arm()
    assert arming.stage(200.0) == "armed"
    arming.reset()
    assert arming.stage(200.0) == "shown"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("print('a')\n", "print('a')\n"),
        ("a = 'é日本'", "a = 'é日本'"),
        ("if x:\u202e evil", "if x:‹U+202E› evil"),
        ("a\u200bb\ufeff", "a‹U+200B›b‹U+FEFF›"),
        ("rm\u00a0-rf", "rm‹U+00A0›-rf"),
        ("a\x1b[2Jb\x00", "a‹U+001B›[2Jb‹U+0000›"),
        ("one\rtwo\r\nthree", "one‹U+000D›two\nthree"),
        ("\u3164 = 1", "‹U+3164› = 1"),
    ],
)
def test_hiding_signs_are_revealed(code: str, shown: str) -> None:
    assert revealed(code) == shown
    assert hidden_signs(code) == shown.count("‹U+")


def test_a_notice_is_sent_only_while_nobody_looks_and_carries_no_control_sign() -> None:
    written: list[str] = []
    looking = True
    attention = notify.Attention(written.append, lambda: looking)
    attention.call("waits for you")
    assert written == []
    looking = False
    attention.call("run \x1b]0;evil\x07 this\nnow")
    assert written[0].startswith("\x07")
    assert written[0].count("\x1b") == 1
    assert "run ]0;evil this now" in written[0]


def test_the_title_is_written_once_for_each_change() -> None:
    written: list[str] = []
    attention = notify.Attention(written.append, lambda: True)
    attention.show("oi · here")
    attention.show("oi · here")
    assert written == ["\x1b]2;oi · here\x07"]


def test_tmux_passes_a_desktop_notice_through() -> None:
    assert notify.desktop_notice("x", {"TMUX": "1"}) == "\x1bPtmux;\x1b\x1b]9;x\x07\x1b\\"
    assert notify.desktop_notice("x", {}) == "\x1b]9;x\x07"

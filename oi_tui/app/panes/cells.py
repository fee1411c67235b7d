"""Calls as the chat shows them: one line that says what and how it went, and under it, when opened, the rest."""

from __future__ import annotations

from oi_tui.app.panes.diff_lines import diff_rows
from oi_tui.app.panes.reveal import revealed
from oi_tui.app.widgets.blocks import plain, styled
from oi_tui.app.widgets.highlight import Highlighter
from oi_tui.app.widgets.printable import printable
from oi_tui.app.widgets.terminal_text import TerminalText
from oi_tui.app.widgets.wrapping import Line
from oi_tui.protocol.items import BACKGROUND
from oi_tui.protocol.transcript import CallItem, CodeItem, Diff, PlanItem, ToolItem

SHORT = 48  # characters of a one-line cell that is shown in place of its number
LONGEST_WHY = 120  # characters of what failed that the line of a call takes from the output
BACKGROUND_LINES = 8  # of what was printed in the background, which is shown open
OUTPUT_LINES = 40  # of the end of an output that are shown under a call

_STATES = {
    "writing": ("writing", "muted"),
    "written": ("", "muted"),
    "waiting": ("waiting for you", "warn"),
    "running": ("running", "accent"),
    "declined": ("declined", "warn"),
    "cancelled": ("stopped", "warn"),
}


def head(item: CodeItem | ToolItem) -> Line:
    """The line of a call: what, then how it went, then how long it took. What failed says why."""
    if isinstance(item, CodeItem):
        parts = [(item.language or "code", "muted"), (" ", "text"), (_cell_name(item), "text")]
        quiet = False
    else:
        verb, _, rest = (item.title or item.name or "call").partition(" ")
        parts = [(verb, "muted"), (f" {rest}" if rest else "", "text")]
        quiet = True
    state = _outcome(item, quiet)
    if state[0]:
        parts += [("  " if quiet and item.state == "ok" else "   ", "text"), state]
    said = [(revealed(text), style) for text, style in parts if text]
    if item.settled and item.state in {"ok", "failed"} and not is_background(item):
        said.append((f"   {seconds(item.seconds)}", "faint"))
    return styled(*said)


def is_background(item: CallItem) -> bool:
    """Whether it is what a program printed that a block left running; shown open, and it takes no time of its own."""
    return isinstance(item, ToolItem) and item.name == BACKGROUND


def _cell_name(item: CodeItem) -> str:
    code = item.code.strip()
    if item.state != "writing" and code and "\n" not in code and len(code) <= SHORT:
        return code
    return f"cell {item.number}"


def _outcome(item: CallItem, quiet: bool) -> tuple[str, str]:
    if item.state == "ok":
        return item.summary, "muted" if quiet else "ok"
    if item.state == "failed":
        why = item.note or ("" if item.summary == "interrupted" else _last_line(item))
        return (f"{item.summary}: {why}" if why and why != item.summary else item.summary or "failed"), "bad"
    word, tone = _STATES[item.state]
    if isinstance(item, ToolItem) and item.progress and item.state in {"running", "cancelled"}:
        return f"{word}, {item.progress}", tone
    return (f"{word}: {item.reason}" if item.reason else word), tone


def _last_line(item: CallItem) -> str:
    """The last line that was printed: where most programs say what went wrong."""
    for line in reversed(item.output.tail[-2_000:].splitlines()):
        if line.strip():
            return _shortened(line.strip())
    return ""


def _shortened(text: str) -> str:
    """At most LONGEST_WHY characters, cut at a word and marked as cut."""
    if len(text) <= LONGEST_WHY:
        return text
    kept = text[: LONGEST_WHY - 1]
    return (kept.rpartition(" ")[0] or kept).rstrip(",;: ") + "…"


def seconds(value: float) -> str:
    """A duration: `0.3 s`, `42 s`, `3 min 5 s`, with no-break spaces: a line never ends before its unit."""
    if value < 10:
        return f"{value:.1f}\u00a0s"
    if value < 60:
        return f"{value:.0f}\u00a0s"
    return f"{int(value) // 60}\u00a0min {int(value) % 60}\u00a0s"


def body(item: CodeItem | ToolItem) -> list[Line]:
    """What is under the line of a call when it is open."""
    lines: list[Line] = []
    if isinstance(item, CodeItem):
        lines += code_lines(item.code, item.language)
    elif item.arguments and not item.diffs and not item.output.tail:
        lines += plain(item.arguments, "muted", chars=True)
    for change in item.diffs:
        lines += change_lines(change)
    if item.output.tail.strip():
        lines += _output_lines(item)
    lines += [styled((f"saved {picture.path}", "muted")) for picture in item.pictures if picture.path]
    if item.note:
        lines += plain(item.note, "warn")
    return lines or [styled(("nothing more to show", "faint"))]


def code_lines(code: str, language: str) -> list[Line]:
    """Code in the colours of its language, on the tone of a panel."""
    highlighter = Highlighter(language)
    shown = [printable(line) for line in revealed(code.rstrip("\n")).split("\n")]
    return [Line(line, highlighter.feed(line), ground="panel", chars=True) for line in shown]


def _output_lines(item: CallItem) -> list[Line]:
    text = TerminalText()
    lines = [
        one if isinstance(one, Line) else Line(one, ((len(one), "text"),), chars=True)
        for one in text.feed(item.output.tail.rstrip("\n") + "\n")
    ]
    most, where = OUTPUT_LINES, ": f4 shows the console"
    if isinstance(item, ToolItem) and is_background(item):
        most, where = BACKGROUND_LINES, f" in {item.arguments}" if item.arguments else ""
    hidden = max(0, item.output.lines - most) if item.output.cut or len(lines) > most else 0
    mark = [styled((f"… {hidden:,} earlier lines{where}", "faint"))] if hidden else []
    return [styled(("", "text")), *mark, *lines[-most:]]


def change_lines(change: Diff) -> list[Line]:
    """A changed file: its name and what changed in it."""
    verb = {"add": "new file", "delete": "deleted"}.get(change.kind, "changed")
    return [styled((f"{verb} ", "muted"), (change.path, "text")), *(row.line for row in diff_rows(change.diff)[1:])]


def plan_head(item: PlanItem) -> Line:
    """The line of a plan: how far it is, and the step it is at."""
    done = sum(status == "completed" for _, status in item.steps)
    now = next((text for text, status in item.steps if status == "in_progress"), "")
    return styled(("plan", "muted"), (f"  {done} of {len(item.steps)}", "muted"), (f"   {now}" if now else "", "text"))


def plan_lines(item: PlanItem) -> list[Line]:
    """The steps of a plan."""
    signs = {"completed": ("✓ ", "ok", "muted"), "in_progress": ("▸ ", "accent", "text")}
    rows = ((*signs.get(status, ("· ", "faint", "text")), text) for text, status in item.steps)
    return [styled((sign, tone), (text, style)) for sign, tone, style, text in rows]

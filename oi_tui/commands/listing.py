"""What a face without pickers shows in place of one: what there is, and how to name it after the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oi_tui.commands import permissions, settings, skills
from oi_tui.commands.choices import known

if TYPE_CHECKING:
    from oi_tui.session.session import Session

_DOES = {
    "jobs": "`/jobs ID` stops one, `/jobs all` all of them",
    "sessions": "`/resume ID` goes on with one",
    "rewind": "`/rewind NUMBER` goes back to before one",
}


def page(kind: str, session: Session) -> str:
    """Markdown on what can be chosen for `kind`, "" for kinds whose names alone say enough."""
    if kind == "permissions":
        return permissions.listing(session)
    if kind == "skills":
        return skills.listing(session.skills)
    if kind == "trust":
        return skills.trust_page(session.skills)
    if kind == "settings":
        return settings.page(session.settings)
    if kind not in _DOES:
        return ""
    rows = [
        f"- `{one.value}` {_row(one.value, one.label)}{f' ({one.detail})' * bool(one.detail)}"
        for one in known(kind, session)
    ]
    return "\n".join([*rows, "", _DOES[kind]]) if rows else "there are none yet"


def _row(value: str, label: str) -> str:
    return label.strip().removeprefix(value).strip()

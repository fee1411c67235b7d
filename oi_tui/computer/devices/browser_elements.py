"""Elements of a page by what a person calls them: their text, label or placeholder; or by a CSS selector."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from oi_tui.computer.devices import browser_page as pages

_SELECTOR = re.compile(r"^(css=|xpath=|text=|//|[#.\[])|^[a-z]+[0-9]?([#.\[:][^ ]|\s*>)")
_LISTED = 15
_REACTS = 150  # milliseconds in which a click opens a window or leaves the page


def click(page: Any, target: str) -> None:
    """Click it, and give the page a moment to react."""
    _one(page, target, _clickable).click()
    page.wait_for_timeout(_REACTS)
    pages.settle(page)


def fill(page: Any, target: str, text: str, submit: bool) -> None:
    """Fill it, or choose in it."""
    field = _one(page, target, _fillable)
    kind = field.evaluate("one => one.tagName === 'SELECT' ? 'select' : one.type || ''")
    if kind == "select":
        field.select_option(label=text) if _has_option(field, text) else field.select_option(text)
    elif kind in {"checkbox", "radio"}:
        field.set_checked(str(text).strip().lower() not in {"", "0", "false", "no", "off"})
    elif kind == "file":
        field.set_input_files(text)
    else:
        field.fill(str(text))
    if submit:
        field.press("Enter")
        page.wait_for_timeout(_REACTS)
        pages.settle(page)


def _has_option(field: Any, text: str) -> bool:
    return field.evaluate("(one, text) => [...one.options].some(option => option.label === text)", text)


def _one(page: Any, target: str, ways: Any) -> Any:
    """The one element that is meant. Raises ValueError when there is none, or more than one."""
    target = str(target).strip()
    if not target:
        raise ValueError("say which element: its text or label, or a CSS selector")
    most = 0
    for found in [page.locator(target)] if _SELECTOR.match(target) else ways(page, target):
        shown = [one for one in found.all() if one.is_visible()]
        if len(shown) == 1:
            return shown[0]
        most = max(most, len(shown))
    if most:
        raise ValueError(f"{target!r} is there {most} times: give more of its text, or a CSS selector")
    known = page.evaluate(
        "() => [...document.querySelectorAll('a, button, input, select, textarea')].map(one => "
        "(one.innerText || one.labels?.[0]?.innerText || one.placeholder || one.name || '').trim()).filter(Boolean)"
    )
    listed = ", ".join(dict.fromkeys(one[:40] for one in known[:_LISTED]))
    raise ValueError(f"there is no {target!r} on the page{f'; there are: {listed}' if listed else ''}")


def _clickable(page: Any, target: str) -> Iterator[Any]:
    for exact in (True, False):
        for role in ("button", "link", "tab", "menuitem", "checkbox", "radio", "option"):
            yield page.get_by_role(role, name=target, exact=exact)
        yield page.get_by_label(target, exact=exact)
        yield page.get_by_title(target, exact=exact)
        yield page.get_by_text(target, exact=exact)


def _fillable(page: Any, target: str) -> Iterator[Any]:
    for exact in (True, False):
        yield page.get_by_label(target, exact=exact)
        yield page.get_by_placeholder(target, exact=exact)
        for role in ("textbox", "searchbox", "combobox", "spinbutton"):
            yield page.get_by_role(role, name=target, exact=exact)
    quoted = target.replace("\\", "\\\\").replace('"', '\\"')
    yield page.locator(f'[name="{quoted}"], [id="{quoted}"]')

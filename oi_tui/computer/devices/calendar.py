"""`computer.calendar`: the Calendar program of macOS."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from oi_tui.computer.devices import applescript
from oi_tui.computer.devices.applescript import quoted, run
from oi_tui.computer.devices.base import Device, is_mac

MAC_ONLY = "Calendar is a program of macOS; this system has none that could be asked."


class Calendar(Device):
    """Events. Dates are datetime or date objects, or texts such as 2030-01-31 14:00. On other systems each method
    answers that there is no Calendar."""

    def get_events(self, start_date: Any = None, end_date: Any = None) -> str:
        """The events between two dates as text; of today if none is given, of one day without an end."""
        start = _begin(start_date if start_date is not None else date.today())
        end = _end(end_date) if end_date is not None else datetime.combine(start.date(), time.max)
        if not is_mac():
            return MAC_ONLY
        return run(events_script(start, end)) or "There are no events then."

    def create_event(
        self, title: str, start_date: Any, end_date: Any, location: str = "", notes: str = "",
        calendar: str | None = None,
    ) -> str:  # fmt: skip
        """Make an event, in the first calendar if none is named."""
        start, end = _begin(start_date), _begin(end_date)
        if end < start:
            raise ValueError(f"the event would end before it begins: {start} to {end}")
        if not is_mac():
            return MAC_ONLY
        name = calendar or self.get_first_calendar()
        run(create_script(title, start, end, location, notes, name))
        return f"The event {title} was put into the calendar {name}."

    def delete_event(self, event_title: str, start_date: Any, calendar: str | None = None) -> str:
        """Remove the event of exactly that title and beginning."""
        start = _begin(start_date)
        if not is_mac():
            return MAC_ONLY
        name = calendar or self.get_first_calendar()
        gone = run(delete_script(event_title, start, name))
        if gone != "1":
            return f"There is no event {event_title} at {start:%Y-%m-%d %H:%M} in the calendar {name}."
        return f"The event {event_title} was removed."

    def get_first_calendar(self) -> str:
        """The name of the first calendar."""
        if not is_mac():
            return MAC_ONLY
        return run('tell application "Calendar" to return name of first calendar')


def _begin(when: Any) -> datetime:
    if isinstance(when, str):
        try:
            when = datetime.fromisoformat(when.strip())
        except ValueError:
            raise ValueError(f"{when!r} is no date; write it as 2030-01-31 or 2030-01-31 14:00") from None
    if isinstance(when, datetime):
        return when.astimezone().replace(tzinfo=None) if when.tzinfo else when
    if isinstance(when, date):
        return datetime.combine(when, time.min)
    raise TypeError(f"a date is a datetime, a date or a text, not {type(when).__name__}")


def _end(when: Any) -> datetime:
    """The last moment that is meant: all of a day that is given without a time."""
    found = _begin(when)
    whole = (isinstance(when, date) and not isinstance(when, datetime)) or (
        isinstance(when, str) and len(when.strip()) <= 10
    )
    return found + timedelta(days=1, seconds=-1) if whole else found


def events_script(start: datetime, end: datetime) -> str:
    """AppleScript that lists events."""
    return (
        applescript.date("first_moment", start)
        + applescript.date("last_moment", end)
        + """set told to ""
tell application "Calendar"
repeat with one_calendar in calendars
repeat with one in (every event of one_calendar whose start date >= first_moment and start date <= last_moment)
set told to told & "Event: " & (summary of one) & linefeed
set told to told & "Start Date: " & ((start date of one) as text) & linefeed
set told to told & "End Date: " & ((end date of one) as text) & linefeed
try
set people to display name of attendees of one
if people is not {} then
set AppleScript's text item delimiters to ", "
set told to told & "Attendees: " & (people as text) & linefeed
set AppleScript's text item delimiters to ""
end if
end try
if description of one is not missing value then set told to told & "Notes: " & (description of one) & linefeed
if location of one is not missing value then set told to told & "Location: " & (location of one) & linefeed
set told to told & linefeed
end repeat
end repeat
end tell
return told"""
    )


def create_script(title: str, start: datetime, end: datetime, location: str, notes: str, calendar: str) -> str:
    """AppleScript that makes an event."""
    return (
        applescript.date("first_moment", start)
        + applescript.date("last_moment", end)
        + f'tell application "Calendar" to tell calendar {quoted(calendar)}\n'
        f"make new event with properties {{summary:{quoted(title)}, start date:first_moment, end date:last_moment, "
        f"location:{quoted(location)}, description:{quoted(notes)}}}\nend tell"
    )


def delete_script(title: str, start: datetime, calendar: str) -> str:
    """AppleScript that removes an event and returns how many it was."""
    return (
        applescript.date("first_moment", start) + f'tell application "Calendar" to tell calendar {quoted(calendar)}\n'
        f"set found to (every event whose summary is {quoted(title)} and start date is first_moment)\n"
        'if (count of found) is 0 then return "0"\ndelete item 1 of found\nreturn "1"\nend tell'
    )

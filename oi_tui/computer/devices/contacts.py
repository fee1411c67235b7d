"""`computer.contacts`: the Contacts program of macOS."""

from __future__ import annotations

from oi_tui.computer.devices.applescript import quoted, run
from oi_tui.computer.devices.base import Device, is_mac

MAC_ONLY = "Contacts is a program of macOS; this system has none that could be asked."
_NONE = "<none>"


class Contacts(Device):
    """The address book. On other systems each method answers that there is none."""

    def get_phone_number(self, contact_name: str) -> str:
        """The phone number of a person, by the whole name. Raises LookupError, with who has a name like it."""
        return self._one(contact_name, "phone", "phone number")

    def get_email_address(self, contact_name: str) -> str:
        """The mail address of a person, by the whole name. Raises LookupError, with who has a name like it."""
        return self._one(contact_name, "email", "mail address")

    def get_full_names_from_first_name(self, first_name: str) -> list[str] | str:
        """The whole names of all whose name has this in it."""
        if not is_mac():
            return MAC_ONLY
        return [one for one in run(names_script(first_name)).splitlines() if one.strip()]

    def _one(self, name: str, what: str, called: str) -> str:
        if not is_mac():
            return MAC_ONLY
        found = run(value_script(name, what))
        if found and found != _NONE:
            return found
        if found == _NONE:
            raise LookupError(f"{name} has no {called}")
        first = name.split()[0] if name.split() else name
        near = self.get_full_names_from_first_name(first)
        hint = f"; there are {', '.join(near)}" if near and isinstance(near, list) else ""
        raise LookupError(f"there is nobody called {name}{hint}")


def value_script(name: str, what: str) -> str:
    """AppleScript that returns the first phone or email of a person, "" where there is no such person."""
    return (
        'tell application "Contacts"\n'
        f"set found to (every person whose name is {quoted(name)})\n"
        'if (count of found) is 0 then return ""\n'
        f'if (count of {what}s of item 1 of found) is 0 then return "{_NONE}"\n'
        f"return value of item 1 of {what}s of item 1 of found\nend tell"
    )


def names_script(part: str) -> str:
    """AppleScript that returns whole names, one a line."""
    return (
        f'tell application "Contacts"\nset told to ""\n'
        f"repeat with one in (every person whose name contains {quoted(part)})\n"
        "set told to told & (name of one) & linefeed\nend repeat\nreturn told\nend tell"
    )

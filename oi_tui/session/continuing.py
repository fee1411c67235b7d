"""An answer that broke off and is gone on with: the two parts become one text, shown and kept once.

Where the provider has a way for it, the request ends with what was said, and the model goes on from there. Elsewhere a
last message of the assistant is refused, or another answer begun, so the model is shown what it said and asked to go
on. What it repeats all the same is cut away here.
"""

from __future__ import annotations

from oi_tui.protocol.lmc import Message, message

GO_ON = "[The connection broke here. Go on exactly where the answer above stops; repeat nothing of it.]"

_LOOKED_AT = 600  # characters at the end of what was said that may come again
_LEAST = 12  # characters that have to agree: fewer may be chance
_WHOLE = 4  # the same where all that was said comes again, from its first character


def asked_to_go_on(said: str) -> list[Message]:
    """What follows the history in the request that goes on; nothing where nothing had been said."""
    if not said.strip():
        return []
    return [message("assistant", "message", said), message("user", "message", GO_ON, recipient="assistant")]


def begun(said: str) -> list[Message]:
    """The beginning of an answer that the request ends with. No provider takes white space at its end."""
    return [message("assistant", "message", said.rstrip())]


class Joint:
    """Takes the text of the second part as it streams, gives what of it is new. said: the first part.

    prefilled: the model goes on right behind it, where the white space at its end comes again.
    """

    def __init__(self, said: str) -> None:
        self.prefilled = False
        self._said = said.rstrip()
        self._space = said[len(self._said) :]
        self._held = ""
        self._open = bool(self._said)

    def feed(self, text: str) -> str:
        """What can be shown now: nothing, as long as it may be a repetition."""
        if not self._open:
            return text
        self._held += text
        begun = self._held.lstrip()
        from_start = self._said.startswith(begun)
        tail = self._said[-_LOOKED_AT:]
        in_tail = len(begun) < len(tail) and begun in tail
        return "" if not begun or from_start or in_tail else self.flush()

    def flush(self) -> str:
        """What was held back, without what was said before."""
        if not self._open:
            return ""
        self._open = False
        begun = self._held.lstrip()
        if self._said.startswith(begun) and len(begun) >= _LEAST:
            return ""
        if begun.startswith(self._said) and len(self._said) >= _WHOLE:  # it began anew
            overlap = len(self._said)
        else:
            most = min(len(begun), _LOOKED_AT, len(self._said))
            overlap = next((size for size in range(most, _LEAST - 1, -1) if self._said.endswith(begun[:size])), 0)
        if not overlap:
            return self._held.removeprefix(self._space) if self.prefilled else self._held
        return begun[overlap:].lstrip() if self._space else begun[overlap:]

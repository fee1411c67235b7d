"""Notices a model that says the same thing again and again within one answer."""

from __future__ import annotations

from collections import deque

CHUNK, TIMES = 50, 10  # characters of a piece of text, and how often it may come
REACH = 250  # characters from one time to the next, on average: a loop is that close, a refrain is not
_VARIED = 5  # different characters that a piece of a sentence has; a drawn line has fewer
_BEYOND_SENTENCES = frozenset("|-*+#>`~") | frozenset("0123456789")  # begin a line of a table, a list, a fence


class Repetition:
    """Watches the sentences of one answer; code, tables and lists repeat themselves by nature and are passed over."""

    def __init__(self) -> None:
        self._line = ""  # what it begins with
        self._fenced = False
        self._newest = ""  # the last CHUNK characters of sentences
        self._at = 0
        self._seen: dict[str, deque[int]] = {}

    def feed(self, text: str) -> bool:
        """Whether a piece has come for the TIMES-th time with what is new."""
        found = [self._take(sign) for sign in text]  # all of them: what comes later counts on
        return any(found)

    def _take(self, sign: str) -> bool:
        if sign == "\n":
            if self._line in {"```", "~~~"}:
                self._fenced = not self._fenced
            self._line = ""
        elif len(self._line) < 3:
            self._line = (self._line + sign).lstrip()
        if self._fenced or self._line[:1] in _BEYOND_SENTENCES:
            self._forget()
            return False
        self._at += 1
        self._newest = (self._newest + sign)[-CHUNK:]
        if len(self._newest) < CHUNK or len(set(self._newest)) < _VARIED:
            return False
        return self._came(self._newest)

    def _came(self, chunk: str) -> bool:
        times = self._seen.setdefault(chunk, deque(maxlen=TIMES))
        if times and self._at - times[-1] < CHUNK:  # what overlaps is the same time
            return False
        times.append(self._at)
        if self._at % (TIMES * REACH) == 0:
            self._seen = {one: at for one, at in self._seen.items() if self._at - at[-1] < TIMES * REACH}
        return len(times) == TIMES and times[-1] - times[0] <= (TIMES - 1) * REACH

    def _forget(self) -> None:
        if self._seen or self._newest:
            self._newest = ""
            self._seen = {}

"""`computer.ai`: the session's own model, asked by code: about a text that is too long for it, too."""

from __future__ import annotations

from oi_tui.computer.devices.base import Device, Question

_SYSTEM = "You are a helpful AI assistant."
_CHUNK = 2000  # tokens of a part
_OVERLAP = 50  # tokens that two parts have in common
_PER_TOKEN = 4  # characters
_MAP = (
    "{query}\n\nAnswer from this part of a longer text alone. If it says nothing about that, say so in three words.\n\n"
)
_REDUCE = "{query}\n\nThese are answers from the parts of one text, in order. Make one answer of them.\n\n"
_SUMMARY = "Summarize this text. Keep names, numbers and decisions."
_SUMMARIES = "Make one summary of these summaries of the parts of one text."


class Ai(Device):
    """A model without history or tools. What it is asked counts for the budget of the session."""

    def chat(self, text: str, base64: str | None = None) -> str:
        """Ask the model something. base64: a picture (PNG or JPEG) to go with it."""
        picture = (base64 or "").partition("base64,")
        return self.computer.ask([Question(str(text), picture[2] or picture[0], _SYSTEM)])[0]

    def query(self, text: str, query: str, custom_reduce_query: str | None = None) -> str:
        """Answer a question from a text of any length: each part of it is asked, the answers are put together.
        custom_reduce_query: what to ask about these, instead of the question."""
        parts = chunks(str(text))
        answers = self._all(_MAP.format(query=query) if len(parts) > 1 else f"{query}\n\n", parts)
        reduce = custom_reduce_query or query
        while len(answers) > 1:
            joined = chunks("\n\n".join(f"Part {number}: {one}" for number, one in enumerate(answers, 1)))
            if len(joined) >= len(answers):  # answers as long as their parts would never come to an end
                joined = ["\n\n".join(joined)]
            answers = self._all(_REDUCE.format(query=reduce), joined)
        return answers[0]

    def summarize(self, text: str) -> str:
        """Summarize a text of any length."""
        return self.query(text, _SUMMARY, _SUMMARIES)

    def _all(self, prompt: str, parts: list[str]) -> list[str]:
        return self.computer.ask([Question(prompt + one, system=_SYSTEM) for one in parts])


def chunks(text: str) -> list[str]:
    """Parts of about 2000 tokens that overlap a little; one part for a short text, also for an empty one."""
    size, step = _CHUNK * _PER_TOKEN, (_CHUNK - _OVERLAP) * _PER_TOKEN
    if len(text) <= size:
        return [text]
    return [text[at : at + size] for at in range(0, len(text) - _OVERLAP * _PER_TOKEN, step)]

"""The worked requests that resemble a new one most, out of harnesses/prompts/embedded_examples.md.

Likeness is the overlap of words, each weighted by how rare it is among the examples (inverse document frequency), with
the overlap of letter trigrams where words say nothing, as in Chinese. Numbers are one word and so are file names of one
ending: `sum of a in x.csv` resembles `sum of b in y.csv`. Words of one meaning are one word, in whatever language
(harnesses/prompts/embedded_words.txt): `lösche alle Logdateien` resembles `remove the log files`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ENOUGH = 0.45  # likeness from 0 to 1 below which an example leads a small model astray rather than helps it
ENOUGH_UNSPACED = 0.4  # the same where pairs of characters stand for words
_BESIDE = 0.8  # of the likeness of the best: what is much less like only takes time to read
_WORD = re.compile(r"[\w.-]+\.[a-z]\w{0,4}\b|\d+(?:[.,]\d+)*|[^\W\d_]+|\d", re.IGNORECASE)
_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_GAP = re.compile(r"\W+")
_COMMON = frozenset((
    "the", "a", "an", "of", "in", "to", "and", "is", "are", "was", "it", "this", "that", "my", "me", "please", "all",
    "with", "for", "from", "on",
))  # fmt: skip
# Most questions have these, whatever they are about: two that share nothing else do not resemble each other.
_ASKING = frozenset((
    "what", "which", "who", "how", "many", "much", "do", "does", "did", "can", "be", "there", "have", "has", "you",
    "i", "#",
))  # fmt: skip
_ASKING_COUNTS = 0.3  # of the weight that they would have
_UNSEEN_COUNTS = 0.5  # of the greatest weight: a word that no example has is most likely a name of the person's own


@dataclass(frozen=True, slots=True)
class Example:
    """A request and the whole answer to it, with what it is found by. coded: the answer is code, not words."""

    request: str
    answer: str
    coded: bool
    words: frozenset[str]
    grams: frozenset[str]


def nearest(request: str, count: int) -> list[Example]:
    """Up to `count` examples that resemble `request` enough, the most like it last: next to the request itself.

    A request that names a file wants it looked at: an answer in words would lead away from that.
    """
    known, weights = _bank()
    words, grams = _words(request), _grams(request)
    coded = any(word.startswith(".") for word in words)
    scored = [(_likeness(words, grams, one, weights), one.request, one) for one in known if one.coded or not coded]
    enough = ENOUGH_UNSPACED if _WITHOUT_SPACES.search(request) else ENOUGH
    best = sorted((one for one in scored if one[0] >= enough), reverse=True)[:count]
    best = [one for one in best if one[0] >= _BESIDE * best[0][0]]
    return [one for _, _, one in reversed(best)]


def own_words(request: str) -> frozenset[str]:
    """Words of `request` in lower case that no worked request has and that mean nothing to all: names of the person's
    own things. Without the `s` of a plural."""
    weights, (meanings, _) = _bank()[1], _meanings()
    words = (word for word in _WORD.findall(request.lower()) if word.isalpha() and len(word) > 3)
    plain = {_plain(word) for word in words if word not in meanings and word not in _COMMON | _ASKING}
    return frozenset(word for word in plain if word not in weights and word not in meanings)


def _likeness(words: frozenset[str], grams: frozenset[str], one: Example, weights: dict[str, float]) -> float:
    unseen = _UNSEEN_COUNTS * max(weights.values())

    def weight(found: frozenset[str]) -> float:
        return sum(weights.get(word, _ASKING_COUNTS if word in _ASKING else unseen) for word in found)

    by_words = weight(words & one.words) / math.sqrt(max(1e-9, weight(words) * weight(one.words)))
    by_grams = len(grams & one.grams) / math.sqrt(max(1, len(grams) * len(one.grams)))
    return 0.7 * by_words + 0.3 * by_grams


def bank() -> tuple[Example, ...]:
    """All examples, in the order of the file."""
    return _bank()[0]


@cache
def _bank() -> tuple[tuple[Example, ...], dict[str, float]]:
    text = Path(__file__).with_name("prompts").joinpath("embedded_examples.md").read_text(encoding="utf-8")
    made: list[Example] = []
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        request, _, answer = part.partition("\n")
        made.append(Example(request.strip(), answer.strip(), "```" in answer, _words(request), _grams(request)))
    counts = Counter(word for one in made for word in one.words)
    weights = {word: math.log(1 + len(made) / times) for word, times in counts.items()}
    return tuple(made), {word: one * (_ASKING_COUNTS if word in _ASKING else 1) for word, one in weights.items()}


def _words(text: str) -> frozenset[str]:
    meanings, inside = _meanings()
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if not _WITHOUT_SPACES.search(word):
            found.add(_meant(word, meanings))
            continue
        for known, meant in inside:  # a whole clause is one word there
            if known in word:
                found.add(meant)
                word = word.replace(known, " ")
        for run in word.split():
            found.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
    return frozenset(found - _COMMON - {""})


def _meant(word: str, meanings: dict[str, str]) -> str:
    """The word that stands for all of its meaning."""
    if word in _COMMON or word in _ASKING:
        return word
    plain = _plain(word)
    return meanings.get(word, meanings.get(plain, plain))


@cache
def _meanings() -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """What each word stands for, "" for one that says nothing; and the same for those that are found inside a text,
    the longest first."""
    text = Path(__file__).with_name("prompts").joinpath("embedded_words.txt").read_text(encoding="utf-8")
    spaced: dict[str, str] = {}
    inside: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        words = line.split()
        meant = "" if words[0] == "-" else _plain(words[0])
        for word in words[1:] if words[0] == "-" else words:
            (inside if _WITHOUT_SPACES.search(word) else spaced).setdefault(word, meant)
    return spaced, tuple(sorted(inside.items(), key=lambda one: -len(one[0])))


def _plain(word: str) -> str:
    """A word as it is compared: numbers are `#`, file names their ending, plurals their singular."""
    if word[0].isdigit() and not re.search(r"[a-z]", word):
        return "#"
    if "." in word:
        return "." + word.rpartition(".")[2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _grams(text: str) -> frozenset[str]:
    plain = f" {_GAP.sub(' ', text.lower()).strip()} "
    size = 2 if _WITHOUT_SPACES.search(plain) else 3
    return frozenset(plain[at : at + size] for at in range(len(plain) - size + 1))

"""A message as code looks at it: folded words with their places, what stands in quotes, and fragments of sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from graphwright.runtime.reading.words import Stretch, Word, fold, fold_keeping_places

MOST_READ = 4_000
"""Characters of a message that are read; what comes after them is not looked at."""

_QUOTED = re.compile(
    # Quotes within quotes begin behind a blank and right before a word.
    r"""["“”„«»]((?:[^"“”„«»]|(?<=\s)["“„«](?=\S)[^"“”„«»\n]{1,100}["”»“]){1,300})(?<!\s)["“”«»]"""
    r"""|["“”„«»](?P<plain>[^"“”„«»]{1,300})["“”«»]|"""
    r"""(?<![\w])['‘`](?P<single>[^'‘’`\n]{1,300})['’`](?![\w])""",
)
_DESCRIBED = re.compile(
    r"\b(?:set|change|update|edit|rewrite|replace|make|give|setze?|[äa]ndere?|[äa]ndern)\b[^.\n\"“„«]{0,200}?"
    r"\b(?:description|beschreibung)\b(?:\s+(?:of|for|von|f[üu]r)\s+[^\n]{1,160}?)?\s*"
    r"(?P<mark>:|=|\b(?:to|as|be|is|read|say|auf|mit)\b\s*:?)\s+(?P<text>[^\s\"'“‘„«`].*)",
    re.IGNORECASE,
)
_DESCRIPTION = re.compile(
    r"\b(?:(?:description|beschreibung)\b(?:\s+(?:of|for|von|f[üu]r)\s+[^\n.;:?!]{1,80}?)?\s*"
    r"(?P<mark>:|=|\b(?:(?:should|shall|must|is to|can|soll)\s+)?(?:is|be|read|say|put|sein|lauten)\s*:"
    r"|\b(?:should|shall|must|is to|can|soll)\s+(?:be|read|say|sein|lauten)\b)"
    r"|described\s+as\b:?)\s+(?P<text>[^\s\"'“‘„«`:].*)",
    re.IGNORECASE,
)
_ENDS_DESCRIPTION = re.compile(
    r"[.!?;](?:\s|$)|,?\s(?:and\s+)?then\s|\s(?:and|und)\s+(?:start|stop|pause|resume|cancel|delete|rename|simulate)\b",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"""
      (?P<end>[.!?]+["'”’)]*(?=\s|$)|[;\n]+)
    | (?P<comma>,(?=\s|$))
    | (?<!\w)(?P<word>and\ then|and\ also|and|then|but|or|nor|after\ that
        |und\ dann|und|dann|danach|aber|sondern|oder)(?!\w)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LOOSE_END = re.compile(r"(?:[\s,;]+(?:and|then|but|or|und|dann|aber|oder))+[\s,;]*\Z", re.IGNORECASE)
_RAW = re.compile(r"[^\s,;!?()\[\]{}<>\"“”„«»]+")


@dataclass(frozen=True, slots=True)
class Quote:
    """A text in quotes; `start` and `end` hold the marks, too."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """The stretch of a sentence between two joints. `joint` is what joins it to the one before: `end` of a sentence,
    `comma`, or the folded word; `sentence_start` is where its sentence begins."""

    start: int
    end: int
    joint: str
    sentence_start: int


class Saying:
    """A message, at most `MOST_READ` characters of it."""

    def __init__(self, text: str) -> None:
        self.text = text[:MOST_READ]

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Its folded words, in order."""
        return tuple(fold_keeping_places(self.text).words())

    @cached_property
    def quotes(self) -> tuple[Quote, ...]:
        """What stands in quotes, and a description that is given without them."""
        found = [
            Quote(" ".join((m[1] or m["plain"] or m["single"]).split()), m.start(), m.end())
            for m in _QUOTED.finditer(self.text)
        ]
        described = self._described()
        if described is not None:
            found = [each for each in found if each.end <= described.start] + [described]
        return tuple(quote for quote in found if quote.text)

    def _described(self) -> Quote | None:
        """A description that an order gives without quotes: nothing in it is an order, a user or a weight."""
        match = _DESCRIBED.search(self.text) or _DESCRIPTION.search(self.text)
        if match is None:
            return None
        start, text = match.start("text"), match["text"]
        if ":" not in (match["mark"] or ""):
            text = text[: end.start()] if (end := _ENDS_DESCRIPTION.search(text)) is not None else text
        # The marks of a quote are part of it: here the blank before it, and the end of the line.
        return Quote(text.strip(), start - 1, start + len(text) + 1)

    @cached_property
    def raw(self) -> tuple[Quote, ...]:
        """Its words as they are written, such as `stu-1` or `show-problem/fractions`."""
        found = []
        for match in _RAW.finditer(self.text):
            word = match[0].lstrip("'’‘`(").rstrip("'’‘`.:)")
            if word:
                start = match.start() + match[0].index(word)
                found.append(Quote(word, start, start + len(word)))
        return tuple(found)

    def between(self, start: int, end: int, but: Iterable[Stretch] = ()) -> list[Word]:
        """The words of a stretch, without those that lie in others."""
        return [word for word in self.words if start <= word.start and word.end <= end and not covered(word, but)]

    def fragments(self, kept: Sequence[Stretch]) -> list[Fragment]:
        """Its fragments in order; nothing is cut inside a stretch that is kept whole."""
        found: list[Fragment] = []
        start, joint, sentence = 0, "end", 0
        for cut in _CUT.finditer(self.text):
            if any(one.start < cut.end() and cut.start() < one.end for one in kept):
                continue
            if cut["word"] and len(cut["word"]) == 4 and len(self.text[start : cut.start()].split()) == 1:
                # "Stoppe dann Bar" is one fragment.
                continue
            if self.text[start : cut.start()].strip():
                found.append(Fragment(start, cut.start(), joint, sentence))
            if cut["end"]:
                sentence = cut.end()
                joint = "end"
            elif cut["word"] or joint != "end" or self.text[start : cut.start()].strip():
                joint = fold(cut["word"]) if cut["word"] else "comma"
            start = cut.end()
        if self.text[start:].strip():
            found.append(Fragment(start, len(self.text), joint, sentence))
        return found

    def sentence_end(self, fragment: Fragment) -> str:
        """The mark behind a fragment: `?`, `.`, or nothing."""
        return self.text[fragment.end : fragment.end + 3].strip()[:1]


def trimmed(text: str) -> str:
    """A clause without the marks and joints at its ends."""
    return _LOOSE_END.sub("", text).strip(" ,;\n")


def covered(word: Word | Quote | Stretch, stretches: Iterable[Stretch]) -> bool:
    """Whether a word lies, even in part, in one of the stretches."""
    return any(word.start < one.end and one.start < word.end for one in stretches)


def phrase_at(words: Sequence[Word], at: int, known: Collection[tuple[str, ...]], longest: int) -> tuple[str, ...]:
    """The longest known phrase that begins at a word; empty where none does."""
    for length in range(min(longest, len(words) - at), 0, -1):
        phrase = tuple(word.text for word in words[at : at + length])
        if phrase in known:
            return phrase
    return ()


def has_phrase(words: Sequence[Word], known: Collection[tuple[str, ...]]) -> bool:
    """Whether one of the known phrases stands among the words."""
    longest = max(map(len, known))
    return any(phrase_at(words, at, known, longest) for at in range(len(words)))

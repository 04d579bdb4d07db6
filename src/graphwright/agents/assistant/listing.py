"""Questions for a list: other words to search for, the log entries that fit, and those that an answer leaves out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from graphwright.agents.assistant import citing
from graphwright.agents.assistant.passages import sentences
from graphwright.agents.assistant.question import Question
from graphwright.agents.assistant.relevance import COVERED, Relevance
from graphwright.agents.assistant.words import shares, stem, stems, words
from graphwright.tools.sources import Source

MOST_NAMED = 20
"""Entries that code names."""

MOST_OTHERS = 3
"""Searches for other words beside that for the question's own."""

_FIRST = r"^[^.!?\n]{0,300}?"
_NONE = re.compile(
    rf"{_FIRST}(?:"
    r"\bthere (?:was|were|is|are|has been|have been|had been) (?:no|none|not any|nothing|never|neither)\b|"
    r"\bthere (?:wasn't|weren't|isn't|aren't)\b|"
    r"\b(?:no|none|neither)\b[^.!?\n]{0,60}?\b(?:happened|occurred|found|reported|recorded|logged|took place)\b|"
    r"\b(?:shows?|contains?|lists?|mentions?|reports?|records?|holds?|found|saw|see|speaks? of|zeigt|enthält|enthalten|"
    r"nennt|nennen) (?:no|none|nothing|keine?\w*|nichts)\b|"
    r"(?:\bnot|n't) (?:show|contain|list|mention|report|record|speak of) any\b|"
    r"\bnothing (?:was|were|has|had|is|happened|occurred|tripped|failed|found)\b|"
    r"\b(?:did not|didn't|could not|couldn't|cannot|can't|do not|don't) (?:find|see|identify)\b|"
    r"\b(?:was|were|been|are|is) not (?:found|recorded|logged|reported)\b|\bnot found\b|"
    r"\b(?:gab|gibt|waren|war|lagen?|fand(?:en)?|kam(?:en)?) (?:es )?(?:[^\s.!?]+ ){0,6}?(?:kein\w*|nichts|nie)\b|"
    r"\bkein\w*\b[^.!?\n]{0,60}?\b(?:gab|gibt|gefunden|verzeichnet|eingetragen|bekannt|statt|vorgekommen|aufgetreten|"
    r"passiert|gemeldet|vorhanden)\b|"
    r"\bnichts (?:\w+ ){0,3}?(?:gefunden|passiert|geschehen|verzeichnet|eingetragen|bekannt)\b|"
    r"\bist (?:\w+ ){0,4}?nichts\b|\bpassierte nichts\b|\bnicht (?:gefunden|verzeichnet|vorgekommen)\b)",
    re.IGNORECASE,
)
"""How the first sentence of an answer says that there was none."""

_BARE_NO = re.compile(r"\W*(?:no|none|nothing|never|nein|keine?[rs]?|nichts|nie)\b\W", re.IGNORECASE)
_SILENT = re.compile(
    rf"{_FIRST}\b(?:"
    r"(?:do|does|did)(?: not|n't) (?:\w+ )?(?:show|contain|list|mention|report|record|speak|provide|include|have|say|"
    r"indicate)|keine (?:informationen|angaben|hinweise|einträge)|nicht (?:erwähnt|enthalten|genannt|aufgeführt))\b",
    re.IGNORECASE,
)
"""How it says that the sources tell of none."""

_NOT_ALL = re.compile(
    r"\b(?:but|except|apart from|other than|besides|however|only|other|more|further|else|aber|außer|ausser|jedoch|doch|"
    r"nur|sonst|weitere[nrs]?|andere[nrs]?|mehr)\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:no|not|none|nothing|never|without|quiet|kein\w*|nicht|nichts|nie|ohne|ruhig\w*)\b|n't\b", re.IGNORECASE
)
"""What in a source says itself that there was none."""


def other_words(terms: Sequence[str], vocabulary: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The terms with another name in the place of one that the vocabulary knows: at most three ways.

    A name that has the words of another one in it finds nothing more, and is left out.
    """
    own = [stem(term) for term in terms]
    found: list[tuple[str, ...]] = []
    for group in vocabulary:
        names = {name: [stem(word) for word in words(name)] for name in group}
        best = max(
            (
                (len(parts), -start)
                for parts in names.values()
                for start in range(len(own) - len(parts) + 1)
                if parts and own[start : start + len(parts)] == parts
            ),
            default=None,
        )
        if best is None:
            continue
        length, start = best[0], -best[1]
        said = set(own[start : start + length])
        others = {name: set(parts) for name, parts in names.items() if parts and not said <= set(parts)}
        for name, parts in others.items():
            if not any(other < parts for other in others.values()):
                found.append((*terms[:start], *words(name), *terms[start + length :]))
    return list(dict.fromkeys(found))[:MOST_OTHERS]


def fitting(
    question: Question,
    sources: Sequence[Source],
    synonyms: Mapping[str, Sequence[str]],
    vocabulary: Sequence[Sequence[str]],
) -> list[int]:
    """The places of the entries that a question for a list asks for: of its time, with its words or others for them."""
    if not question.lists:
        return []
    period = question.period
    places = [
        place
        for place, source in enumerate(sources)
        if source.kind == "elog"
        and source.title
        and (period is None or period.since <= source.metadata.get("date", "") <= (period.until or "9999"))
    ]
    if not question.terms:
        return places
    entries = [sources[place] for place in places]
    others = other_words(question.terms, vocabulary)
    covered = [Relevance(question, entries, synonyms).covered]
    covered += [Relevance(replace(question, terms=way), entries).covered for way in others]
    return [place for number, place in enumerate(places) if max(each[number] for each in covered) >= COVERED]


def left(answer: str, listed: Sequence[int], sources: Sequence[Source], marked: int) -> list[int]:
    """Those of the listed entries that an answer names neither by a mark or a link nor by their number.

    Marks name the first `marked` of the sources.
    """
    cited = citing.cited(answer, sources, marked=marked).used
    said = stems(citing.without_marks(answer))
    return [place for place in listed if place not in cited and sources[place].metadata.get("id", "") not in said]


def denies(answer: str, asked: Sequence[Question], sources: Sequence[Source], listed: Sequence[int]) -> bool:
    """Whether an answer begins with saying that there was none, where an entry or a page says that there was.

    `listed` are the entries that a question for a list asks for. What speaks of it only to say that there was none,
    such as "no event", agrees with the answer.
    """
    plain = citing.without_marks(answer).strip()
    first = (sentences(plain) or [plain])[0]
    if _NOT_ALL.search(first):
        return False
    if any(part.lists for part in asked):
        none = _NONE.match(first) or _BARE_NO.match(f"{first} ") or _SILENT.match(first)
        return none is not None and any(_affirms(sources[place], ()) for place in listed)
    if not _NONE.match(first):
        return False
    return any(
        _affirms(source, part.terms)
        for part in asked
        if len(part.terms) > 1 or (part.terms and part.several)
        for source in sources
        if not part.wants or source.kind == part.wants
    )


def _affirms(source: Source, terms: Sequence[str]) -> bool:
    """Whether the title or a sentence of a source has all of the terms, and says of nothing that it was not."""
    own = [source.title] if source.kind == "elog" else []
    return any(
        not _NEGATIVE.search(text) and all(shares(term, there) for term in terms)
        for text in (*own, *(sentences(source.text) if terms else ()))
        if (there := stems(text))
    )

"""What code reads in a question: dates, entry numbers, where to look, and the words to search for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from graphwright.agents.assistant.dates import Period, period_in
from graphwright.agents.assistant.words import content_words, stem, words

_ENTRY = re.compile(
    r"(?:#\s?|\b(?:e-?log|entry|entries|eintrag|eintrags|einträge|einträgen|logeintrag|log\s+entry|message|thread|id)\b"
    r"(?:\s+(?:entry|id))?\s*(?:no\.?|nr\.?|number|numbers|nummer|nummern|id)?\s*[#:]?\s?)"
    r"(\d{1,7})\b(?![.,:-]\d)((?:\s*(?:,|and|und|&|or|oder)\s*#?\s?\d{1,7}\b(?![.,:-]\d))*)",
    re.IGNORECASE,
)
_LOG = re.compile(
    r"\b(?:e-?log\w*|log\s?books?|logbuch\w*|log(?:ged|s)?\s+(?:entry|entries)|logged|logeintr\w*|eingetragen|"
    r"shifts?|\w*schicht(?:en|s|leiter\w*|leitung)?|handovers?|\w*übergaben?|operators?|operateure?\w*|"
    r"recent(?:ly)?|lately|kürzlich|neulich|zuletzt|letztes mal|last time)\b",
    re.IGNORECASE,
)
_HAPPENED = re.compile(
    r"\b(?:happen(?:ed|s)?|passiert\w*|geschehen|geschah|ereign\w*|events?|incidents?|vorf[aä]ll\w*|occurred|"
    r"trip(?:s|ped)?|faults?|fail(?:ed|ures?)|problems?|probleme?\w*|störung\w*|ausf[aä]ll\w*|ausgefallen|"
    r"repair(?:ed|s)?|repariert\w*|fixed|behoben|replaced|ausgetauscht|bypass\w*|überbrück\w*|issues?|"
    r"measured|gemessen)\b",
    re.IGNORECASE,
)
_DOCUMENTS = re.compile(
    r"\b(?:documentation|documented|dokumentation\w*|dokumentiert\w*|docs?|manuals?|handb[uü]ch\w*|wiki|"
    r"knowledge\s+base|"
    r"wissensbasis|procedures?|prozedur\w*|anleitung\w*|instructions?|specifications?|spezifikation\w*|guidelines?|"
    r"according to the (?:documents|pages?))\b",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"^\W*(?:(?:please|bitte|can you|could you|kannst du|und|and|so|also)\W+)*"
    r"(?:what(?:'s| is| are| does| do)|how (?:do|does|is|are|can|to|many|much|high|large|long|fast|often|"
    r"big)|why (?:do|does|is|are)|"
    r"which|explain|define|describe|was (?:ist|sind|bedeutet|macht)|wie (?:funktioniert\w*|wird|werden|ist|sind|kann|"
    r"hoch|gro(?:ß|ss)|lang|viele?|oft|schnell|stark|misst|berechnet|groß)|warum (?:ist|sind|wird|werden)|"
    r"wozu|wof[uü]r|erklär\w*|"
    r"welche[rsnm]?)\b",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"\b(?:thread|repl(?:y|ies|ied)|respon(?:se|ses|ded)|follow(?:ed|-?\s?ups?)?|antworten|geantwortet|"
    r"verlauf|wie ging es weiter|"
    r"solution|solved|resolved|lösung|gelöst|behoben|fixed|what was done|was wurde (?:dagegen )?(?:getan|"
    r"gemacht|unternommen)|"
    r"root cause|outcome|ausgang)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\b(?:last|latest|newest|first|top|letzten|neuesten|ersten)\s+(\d{1,3})\s+(?:\w+\s+)?(?:entries|eintr\w*|results?|"
    r"logs|pages|seiten|ergebnisse|reports|messages)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as code reads it.

    `terms` are the words to search for, in order. `entries` are numbers of log entries. `log` and `documents` say that
    the question itself names where to look; `happened` and `explains` only that it sounds like it. `follows` asks for
    what came after an entry, `count` for so many results (0: it does not say).
    """

    text: str
    period: Period | None
    entries: tuple[int, ...]
    terms: tuple[str, ...]
    log: bool
    documents: bool
    happened: bool
    explains: bool
    follows: bool
    count: int

    @property
    def surely_tools(self) -> bool:
        """Whether it names the logbook, an entry, a time, or the documentation: no model has to be asked."""
        return bool(self.entries) or self.log or self.documents or self.period is not None

    @property
    def only_entries(self) -> bool:
        """Whether it asks for log entries by their numbers, and for nothing else."""
        return bool(self.entries) and not self.documents and self.period is None


def read(text: str, now: datetime) -> Question:
    """What a question asks for; `now` is local time."""
    return _read(text, now.date())


@lru_cache(maxsize=32)
def _read(text: str, today: date) -> Question:
    period = period_in(text, today)
    entries, spans = _entries(text)
    rest = text
    for said in (*(period.words if period else ()), *spans):
        rest = rest.replace(said, " ", 1)
    count = _COUNT.search(text)
    if count:
        rest = rest.replace(count.group(), " ", 1)
    return Question(
        text=text,
        period=period,
        entries=entries,
        terms=tuple(content_words(rest)[:12]),
        log=bool(_LOG.search(text)),
        documents=bool(_DOCUMENTS.search(text)),
        happened=bool(_HAPPENED.search(text)),
        explains=bool(_EXPLAINS.search(text)),
        follows=bool(_FOLLOWS.search(text)),
        count=int(count[1]) if count else 0,
    )


def _entries(text: str) -> tuple[tuple[int, ...], list[str]]:
    numbers: list[int] = []
    spans = []
    for found in _ENTRY.finditer(text):
        numbers += [int(found[1]), *map(int, re.findall(r"\d+", found[2]))]
        spans.append(found.group())
    return tuple(dict.fromkeys(numbers)), spans


def continued(question: Question, before: Question | None) -> Question:
    """A question that leans on the one before it ("and yesterday?") with what it takes over from that."""
    if before is None or not _LEANS.search(question.text) or len(words(question.text)) > 8:
        return question
    terms = question.terms or before.terms
    if question.terms and _PRONOUN.search(question.text):
        terms = (*question.terms, *(t for t in before.terms if stem(t) not in {stem(own) for own in question.terms}))
    return Question(
        text=question.text,
        period=question.period or before.period,
        entries=question.entries or (before.entries if not question.terms else ()),
        terms=terms[:12],
        log=question.log or (before.log and not question.documents),
        documents=question.documents or (before.documents and not question.log),
        happened=question.happened or before.happened,
        explains=question.explains or before.explains,
        follows=question.follows,
        count=question.count or before.count,
    )


_LEANS = re.compile(
    r"^\W*(?:and|und|also|what about|how about|was ist mit|wie (?:ist|war) es mit|then|dann|but|aber|why|"
    r"warum|when|wann|who|wer)\b"
    r"|\b(?:it|that|this|they|them|those|he|she|es|das|dies\w*|davon|dazu|damit|er|sie)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|that|this|they|them|those|es|das|dies\w*|davon|dazu|damit)\b", re.IGNORECASE)


def names_of(value: str, synonyms: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What a value of an enum may be called: its own name, and the words for it."""
    return (value, *synonyms.get(value.casefold(), ()))


def grounds(value: str, text: str, synonyms: Mapping[str, Sequence[str]]) -> bool:
    """Whether a text names a value of an enum, by its name or a word for it, in any inflection."""
    low = text.casefold()
    own = _stemmed(text)
    for name in names_of(value, synonyms):
        parts = _stemmed(name)
        if not parts:
            if name.casefold() and name.casefold() in low:
                return True
            continue
        if any(own[i : i + len(parts)] == parts for i in range(len(own) - len(parts) + 1)):
            return True
    return False


@lru_cache(maxsize=1024)
def _stemmed(text: str) -> tuple[str, ...]:
    # One text is held against every name of every value, and the names hardly ever change.
    return tuple(stem(word) for word in words(text))

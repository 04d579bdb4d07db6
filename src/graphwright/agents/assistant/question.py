"""What code reads in a question: dates, entry numbers, where to look, and the words to search for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    r"on duty|im dienst|diensthabende\w*|"
    r"recent(?:ly)?|lately|kürzlich|neulich|zuletzt|letztes mal|last time|"
    r"(?:was|were|did|has|have|had)\s(?:[^\s?.]+\s){0,12}last(?=\s+\w+ed\b|\s*[?.!]|\s*$))(?!\w)",
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
    r"which|whose?|who(?:'s| is| are)|wer (?:ist|sind|hat)|explain|define|describe|"
    r"was (?:ist|sind|bedeutet|macht)|wie (?:funktioniert\w*|wird|werden|ist|sind|kann|"
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
_PAST = re.compile(
    r"\b(?:did|was|were|had|been|went|came|got|found|lost|stood|wurden?|hatten?|gab|ging(?:en)?|waren|brach|kam(?:en)?|"
    r"fiel(?:en)?|haben|hat|worden|ago|damals|last night)\b",
    re.IGNORECASE,
)
_RULES = re.compile(
    r"\b(?:may|must|should|shall|allowed|permitted|limits?|at (?:most|least)|maximum|minimum|normal(?:ly)?|nominal|"
    r"darf|dürfen|muss|müssen|soll(?:en)?|erlaubt|zulässig\w*|höchstens|mindestens|maximal\w*|grenzwert\w*|\w*schwelle|"
    r"normalerweise|gilt|gelten|do i|can i|how to|mache ich|kann ich)\b",
    re.IGNORECASE,
)
_LISTS = re.compile(
    r"\b(?:all|every|list|entries|alle[rsn]?|sämtliche\w*|liste|einträge|any|were there|gab es|welche|"
    r"(?:which|what)\s+(?:\w+\s+)?[a-z]{3,}[^s\W]s)\b",
    re.IGNORECASE,
)
_RECOUNTS = re.compile(
    r"\bwhat (?:else )?(?:has |had )?happened\b|\bwas ist (?:\w+ ){0,4}(?:passiert|geschehen)\b|"
    r"\bwas (?:passierte|geschah)\b",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"(?:\s*[,;]\s*|\s+)(?:and|und|but|aber)\s+(?=(?:also\s+)?(?:at |in |by |to |for |on |from |seit |ab |bei |in )?"
    r"(?:what|which|who|whom|how|why|when|where|was|wie|welche[rsnm]?|wer|wen|warum|wieso|wann|wo|woher)\b)"
    r"|(?<=[.?!])\s+(?=\w)",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\b(?:last|latest|newest|first|top|letzten|neuesten|ersten)\s+(\d{1,3})\s+(?:\w+\s+)?(?:entries|eintr\w*|results?|"
    r"logs|pages|seiten|ergebnisse|reports|messages)\b",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    r"\b(?:how (?:high|large|big|long|far|often|many|much|tight)|"
    r"wie (?:hoch|gro(?:ß|ss)|lange?|weit|oft|stark|eng|viele?))\b",
    re.IGNORECASE,
)
"""What asks for a figure is nothing to search for: "wie hoch" finds what is "zu hoch"."""

_ON_DUTY = re.compile(r"\b(?:on duty|(?:im )?dienst(?=\s*(?:[?.!]|hat|$))|diensthabende\w*)(?!\w)", re.IGNORECASE)
"""Who was on duty is told by who wrote: entries do not say it."""


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
    def wants(self) -> str:
        """The kind of source that it asks for, as far as can be told: `elog`, `knowledge`; empty for either or both."""
        happened = self.happened or _PAST.search(self.text) is not None
        if self.documents or (_RULES.search(self.text) is not None and not (self.log or self.period)):
            return "" if self.log or self.period else "knowledge"
        if self.log or self.period is not None:
            return "elog"
        if happened == self.explains:
            return "elog" if happened and _PAST.search(self.text) is not None else ""
        return "elog" if happened else "knowledge"

    @property
    def defines(self) -> bool:
        """Whether it asks what something is in general, which may need no look anywhere."""
        return _DEFINES.match(self.text) is not None

    @property
    def asks(self) -> bool:
        """Whether it is a question at all, or a wish to see something."""
        return self.text.rstrip().endswith("?") or _ASKS.match(self.text) is not None

    @property
    def lists(self) -> bool:
        """Whether it asks for entries of a time or a kind rather than for a fact."""
        of_log = self.period is not None or self.log
        return not self.entries and of_log and (self.several or self.recounts)

    @property
    def several(self) -> bool:
        """Whether it asks for several things of a kind, or whether there are any."""
        return _LISTS.search(self.text) is not None

    @property
    def recounts(self) -> bool:
        """Whether it asks what happened, and an account is the answer."""
        return _RECOUNTS.search(self.text) is not None

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
    rest = _ON_DUTY.sub(" ", _HOW_MUCH.sub(" ", rest))
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


def continued(question: Question, before: Question | None, told: tuple[int, ...] = ()) -> Question:
    """A question that leans on the one before it ("and yesterday?") with what it takes over from that.

    `told` are the log entries that the last answer named: what goes on about them is read where they stand.
    """
    most = _MOST_GOING_ON if _GOES_ON.search(question.text) else _MOST_LEANING
    if before is None or not _LEANS.search(question.text) or len(words(question.text)) > most:
        return question
    terms = question.terms or before.terms
    short = len(words(question.text)) <= _MOST_ELLIPTIC
    if question.terms and (_PRONOUN.search(question.text) or (short and _GOES_ON.search(question.text))):
        head = _before_same(question.text, before.text)
        terms = (
            *question.terms,
            *(t for t in before.terms if t in head and stem(t) not in {stem(own) for own in question.terms}),
        )
    return Question(
        text=question.text,
        period=question.period or before.period,
        entries=question.entries or (before.entries if not question.terms else _of_answer(question, told)),
        terms=terms[:12],
        log=question.log or (before.log and not question.documents),
        documents=question.documents or (before.documents and not question.log),
        happened=question.happened or before.happened,
        explains=question.explains or before.explains,
        follows=question.follows,
        count=question.count or before.count,
    )


def _before_same(text: str, before: str) -> str:
    """What of the question before goes on: "and of the booster?" takes the place of what stood behind its `of`."""
    found = _INSTEAD.match(text)
    places = [each.start() for each in re.finditer(rf"\b{found[1]}\b", before, re.IGNORECASE)] if found else []
    return before[: places[-1]] if places else before


_INSTEAD = re.compile(
    r"^\W*(?:and|und)\s+(of|for|in|at|on|from|with|by|von|vom|bei|beim|für|im|am|des)\b", re.IGNORECASE
)


def _of_answer(question: Question, told: tuple[int, ...]) -> tuple[int, ...]:
    """The one entry that an answer named, where a question goes on about it."""
    return told if len(told) == 1 and _PRONOUN.search(question.text) and question.period is None else ()


_MOST_LEANING, _MOST_GOING_ON, _MOST_ELLIPTIC = 8, 12, 4
"""Words of a question that leans on the one before, of one that says so, and of one that is half of a sentence."""

_GOES_ON = re.compile(r"^\W*(?:and|und)\b", re.IGNORECASE)

_LEANS = re.compile(
    r"^\W*(?:and|und|also|what about|how about|was ist mit|wie (?:ist|war) es mit|then|dann|but|aber|why|"
    r"warum|when|wann|who|wer)\b"
    r"|\b(?:it|that|this|they|them|those|he|she|es|das|dies\w*|davon|dazu|damit|er|sie)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|that|this|they|them|those|es|das|dies\w*|davon|dazu|damit)\b", re.IGNORECASE)


_DEFINES = re.compile(
    r"^\W*(?:(?:what|who)(?:'s| is| are| does| was)|define|explain|was (?:ist|sind|bedeutet)|wer (?:ist|war)|erkläre?)"
    r"(?:\s+(?:an?|eine?n?))?(?:\s+\w+){1,2}\W*$",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:please\s+|bitte\s+)?(?:what|which|who|whose|how|why|when|where|is|are|was|were|does|do|did|has|have|can|list|"
    r"show|find|give|look|search|tell|explain|describe|wie|welche[rsnm]?|wer|wo|wann|warum|wieso|ist|sind|war|waren|gibt|"
    r"gab|hat|haben|zeig\w*|such\w*|finde|nenn\w*|erklär\w*|beschreib\w*|ab|bei|in|at|from)\b",
    re.IGNORECASE,
)
_FEWEST_OWN = 2
_MOST_PARTS = 6


def parts_of(question: Question, now: datetime) -> list[Question]:
    """The parts of a question that ask different places, each with its own words and time; else the question alone."""
    pieces = [piece.strip() for piece in _PARTS.split(question.text) if piece and piece.strip()]
    if len(pieces) < 2 or question.entries:
        return [question]
    parts: list[Question] = []
    before: tuple[str, ...] = ()
    for piece in pieces:
        own = read(piece, now)
        if not own.asks:
            # What is said before a question is what it is about.
            before = (*before, *own.terms)
            continue
        terms = own.terms
        if len(terms) < _FEWEST_OWN or _PRONOUN.search(piece) or _THEY.search(piece) or not parts:
            terms = (*terms, *before)
        terms = tuple({stem(term): term for term in reversed(terms)}.values())[::-1][:12]
        parts.append(replace(own, terms=terms))
        before = (*before, *own.terms)
    apart = list({(part.terms, part.period, part.wants): part for part in parts}.values())
    # So many are no question but a text. What asks for no place in particular is not left to the logbook alone.
    if len(apart) <= _MOST_PARTS and {part.wants for part in apart} > {"elog"}:
        return apart
    return [question]


_THEY = re.compile(r"\b(?:sie|he|she|er|one|ones)\b", re.IGNORECASE)


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

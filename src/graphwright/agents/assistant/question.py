"""What code reads in a question: dates, entry numbers, where to look, and the words to search for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache

from graphwright.agents.assistant.dates import Period, period_in
from graphwright.agents.assistant.words import EVERYDAY, RELATIONS, content_words, folded, listed, stem, words
from graphwright.text.places import shortened

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
    r"\b(?:happen(?:ed|s)?|passiert\w*|geschehen|geschah|ereign\w*|events?|incidents?|vorf[aä]ll\w*|vorgefallen|occurred|"
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
_THREAD = (
    r"thread|repl(?:y|ies|ied)|respon(?:se|ses|ded)|follow(?:ed|-?\s?ups?)?|antworten|geantwortet|verlauf|"
    r"wie ging es weiter"
)
_WANTS_THREAD = re.compile(rf"\b(?:{_THREAD})\b", re.IGNORECASE)
_FOLLOWS = re.compile(
    rf"\b(?:{_THREAD}|solution|solved|resolved|lösung|gelöst|behoben|fixed|what was done|"
    r"was wurde (?:dagegen )?(?:getan|gemacht|unternommen)|root cause|outcome|ausgang)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:why|how come|caus(?:e|es|ed|ing)|reasons?|trigger(?:s|ed)?|culprit|explanation|blame|explains?|"
    r"warum|wieso|weshalb|ursachen?|verursacht\w*|gr(?:u|ü)nde?|auslöser\w*|schuld|woran (?:lag|liegt)|erklärung)\b",
    re.IGNORECASE,
)
_REMEDY = re.compile(
    r"\b(?:repair(?:s|ed|ing)?|fix(?:es|ing)?|mend(?:s|ed|ing)?|cur(?:e|es|ed)|remed(?:y|ies|ied)|cleared|rectified|"
    r"what (?:was|has been|did \w+) do(?:ne)? (?:about|against|for|with)|how (?:was|were|did) \S+ solve|"
    r"repar(?:iert\w*|ieren|atur\w*)|beheben|behebung|abhilfe|beseitigt\w*|beseitigung|lösen|abgestellt)\b",
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
    r"\bwas (?:passierte|geschah)\b|\bwas war (?:\w+ ){0,6}los\b|"
    r"^\W*(?:any|some)thing (?=(?:since|from|over|during|in|last|today|yesterday)\b)",
    re.IGNORECASE,
)
_NEWS = re.compile(
    r"\b(?:(?:any|some)thing (?:else )?(?:new|unusual|special|interesting|noteworthy|to report|worth knowing)|"
    r"what(?:'?s| is| are| was| has been)? (?:else )?new(?!\s+\w+\s+(?:is|are|was|were)\b)|"
    r"(?:any|the|latest) (?:news|updates?)|news (?:on|of|from|about)|"
    r"(?:did|have|had) (?:i|we) miss(?:ed)?|(?:i|we) (?:have )?missed|(?:catch|fill|bring) (?:me|us) (?:up|in)|"
    r"what(?: has| have|'?s)? changed|(?:anything|something) changed|(?:go|goes|going|went|gone) wrong|"
    r"was (?:gibt'?s|gibt es|gab es|ist|war) (?:\w+ ){0,3}?neu(?:es)?|(?:et|irgend|irgendet)?was neues|"
    r"(?-i:Neues)(?=\W*$|\s+(?:vom|zum|zur|von|beim|bei|am|an|aus|seit|über|in|im|heute|gestern)\b)|neuigkeiten|"
    r"sich (?:\S+ ){0,6}?(?:getan|geändert|verändert)|(?:ich|wir) (?:\S+ ){0,6}?verpasst|"
    r"(?:mich|uns) auf (?:den )?(?:neue?sten |aktuellen |letzten )?stand|"
    r"schief\s?(?:gegangen|gelaufen|ging|gingen|lief)|"
    r"(?:et|irgend|irgendet)?was (?:auffälliges|besonderes|ungewöhnliches|interessantes|wichtiges)|"
    r"(?:auffälliges|besondere[ns]? vorkommnisse))(?!\w)",
    re.IGNORECASE,
)
"""How is asked for what happened, without a word of what it is."""

_NEWS_WORDS = listed("""
    new news updates update unusual special interesting noteworthy worth knowing miss missed catch fill bring changed
    wrong went gone go going goes neu neues neuigkeiten getan geändert verändert verpasst bring bringe stand schief
    schiefgegangen schiefgelaufen gegangen gelaufen auffälliges besonderes ungewöhnliches interessantes wichtiges
    besondere besonderen besonderes vorkommnisse date speed
    """)
_UNTIL_NOW = re.compile(r"\b(?:so far|(?:up )?(?:un)?till? now|bisher|bislang|bis jetzt)\b", re.IGNORECASE)

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
    what came after an entry, `count` for so many results (0: it does not say). `goes_on` says that the entries are
    those of the answer before: what is asked for may stand in others as well. `like` is the question before, where
    this one wants the same of another time.
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
    goes_on: bool = False
    like: str = ""

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
        if self.log or self.period is not None or self.news:
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
    def wants_thread(self) -> bool:
        """Whether it asks for what was answered to an entry, in so many words."""
        return _WANTS_THREAD.search(self.text) is not None

    @property
    def wants_reason(self) -> bool:
        """Whether it asks why something is or was."""
        return _REASON.search(self.text) is not None

    @property
    def explained(self) -> bool:
        """Whether it asks for a reason, a remedy, or what came after: an answer to what has its words may say it."""
        return self.follows or self.wants_reason or _REMEDY.search(self.text) is not None

    @property
    def several(self) -> bool:
        """Whether it asks for several things of a kind, or whether there are any."""
        return _LISTS.search(self.text) is not None or _LISTS.search(self.like) is not None

    @property
    def recounts(self) -> bool:
        """Whether it asks what happened, and an account is the answer."""
        return _RECOUNTS.search(self.text) is not None or _RECOUNTS.search(self.like) is not None or self.news

    @property
    def news(self) -> bool:
        """Whether it asks what is new, and no word of it says what that would be."""
        return _NEWS.search(self.text) is not None

    @property
    def only_entries(self) -> bool:
        """Whether it asks for log entries by their numbers, and for nothing else."""
        return bool(self.entries) and not self.documents and self.period is None


def read(text: str, now: datetime) -> Question:
    """What a question asks for; `now` is local time."""
    return _read(text, now.date(), now.hour)


@lru_cache(maxsize=32)
def _read(text: str, today: date, hour: int) -> Question:
    period = period_in(text, today, hour)
    entries, spans = _entries(text)
    rest = text
    for said in (*(period.words if period else ()), *spans):
        rest = rest.replace(said, " ", 1)
    count = _COUNT.search(text)
    if count:
        rest = rest.replace(count.group(), " ", 1)
    rest = shortened(_UNTIL_NOW.sub(" ", _ON_DUTY.sub(" ", _HOW_MUCH.sub(" ", rest))))
    news = _NEWS.search(text) is not None
    terms = tuple(content_words(rest, without=_NEWS_WORDS if news else ())[:12])
    documents = bool(_DOCUMENTS.search(text))
    return Question(
        text=text,
        period=period,
        entries=entries,
        terms=terms,
        # What is new, and nothing else said, is what was logged last.
        log=bool(_LOG.search(text)) or (news and not terms and not documents),
        documents=documents,
        happened=bool(_HAPPENED.search(text)) or news,
        explains=bool(_EXPLAINS.search(text)),
        follows=bool(_FOLLOWS.search(text)),
        count=int(count[1]) if count else 0,
    )


def entries_in(text: str) -> tuple[int, ...]:
    """The numbers of the log entries that a text names."""
    return _entries(text)[0]


def _entries(text: str) -> tuple[tuple[int, ...], list[str]]:
    numbers: list[int] = []
    spans = []
    for found in _ENTRY.finditer(text):
        numbers += [int(found[1]), *map(int, re.findall(r"\d+", found[2]))]
        spans.append(found.group())
    return tuple(dict.fromkeys(numbers)), spans


PRONOUN = re.compile(r"\b(?:it|that|this|they|them|those|es|das|dies\w*|davon|dazu|damit)\b", re.IGNORECASE)
"""What stands for something that was spoken of."""


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
_OWN_PART = EVERYDAY | RELATIONS
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
        if parts and not (terms or own.period or own.documents or own.log):
            # "And why?" asks more of the same.
            continue
        if len(terms) < _FEWEST_OWN or PRONOUN.search(piece) or _THEY.search(piece) or not parts:
            terms = (*terms, *before)
        terms = tuple({stem(term): term for term in reversed(terms)}.values())[::-1][:12]
        parts.append(replace(own, terms=terms))
        # Where one part is to be looked up, or what it asks of a thing, is not for the next one.
        before = (*before, *(term for term in own.terms if not (_DOCUMENTS.search(term) or folded(term) in _OWN_PART)))
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

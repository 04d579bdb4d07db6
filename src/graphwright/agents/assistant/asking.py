"""What a question asks for, part by part: the kind of its answer, and the words that the place of it has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graphwright.agents.assistant.words import shares, stems

Kind = Literal[
    "value", "number", "person", "author", "time", "place", "reason", "remedy", "first", "list", "yes or no", "thing"
]

_ASKING = (
    r"(?:what|which|who|whom|whose|how|why|when|where|was|wie|welche[rsnm]?|wer|wen|wem|warum|wieso|weshalb|wann|wo|"
    r"woher|wohin|wofür|wozu|womit)"
)
_APART = re.compile(
    rf"(?:\s*[,;–-]\s+(?:(?:and|und|but|aber)\s+)?|\s+(?:and|und|but|aber)\s+)"
    rf"(?=(?:(?:at|in|by|to|for|on|from|since|seit|ab|bei|mit|an|über|unter)\s+)?{_ASKING}\b)"
    r"|(?<=[?!])\s+|(?<=[^\W\d_]{2}\.)\s+",
    re.IGNORECASE,
)
_HOW_MUCH = (
    r"\bhow (?:much|many|high|low|large|small|long|short|far|fast|slow|often|big|tight|close|wide|deep|thick|old|hot|"
    r"warm|strong|heavy|late|early|soon)\b|\bwie (?:hoch|niedrig|viele?[rsnm]?|groß|gross|klein|lange?|kurz|weit|"
    r"schnell|langsam|oft|eng|nah|breit|tief|dick|alt|heiß|warm|stark|schwer|spät|früh)\b"
)
_QUANTITY = (
    r"(?:temperature|pressure|current|energy|power|voltage|frequency|length|width|height|size|diameter|circumference|"
    r"limit|threshold|rate|dose|level|value|gap|duration|distance|time constant|lifetime|efficiency|emittance|"
    r"bandwidth|resolution|flow|field|charge|angle|speed|amount|percentage|strain|jitter|loss|conductivity|tolerance|"
    r"maximum|minimum|range|factor|number(?! of)|zahl|offset|delay|ratio|temperatur|druck|strom|energie|leistung|"
    r"spannung|frequenz|länge|breite|höhe|größe|durchmesser|umfang|grenz\w+|\w*schwelle|\w*rate|dosis\w*|\w*wert|abstand|dauer|lebensdauer|"
    r"effizienz|wirkungsgrad|auflösung|durchfluss|feld|ladung|winkel|geschwindigkeit|menge|anteil|leitfähigkeit|toleranz)s?\b"
)
_MENDS = (
    r"(?:fix(?:ed|es)?|repair(?:ed)?|solved?|resolved?|cured?|remedied|mended|sorted(?: out)?|put right|"
    r"done (?:about|against)|"
    r"repariert\w*|behoben\w*|beseitigt\w*|gelöst|behebt|in ordnung|dagegen|instand)"
)
"""How a question asks what was done against a fault."""

_PATTERNS: tuple[tuple[Kind, str], ...] = (
    (
        "number",
        r"\b(?:(?:what|which) (?:phone |telephone )?number\b.{0,20}\b(?:dial|call|reach|phone|ring)"
        r"|(?:phone|telephone|extension) (?:number|no)|dial|telefon\w*|durchwahl|rufnummer|"
        r"welche nummer\b.{0,20}\b(?:wähl\w*|anruf\w*|erreich\w*))",
    ),
    (
        "author",
        r"\b(?:who|wer)\b.{0,40}\b(?:wrote|written|entered|reported|logged|recorded|noted|schrieb|geschrieben|"
        r"eingetragen|gemeldet|berichtet|notiert)\b",
    ),
    (
        "reason",
        r"\b(?:why|how come|root cause|cause of|reason for|warum|wieso|weshalb|woran|woher|wodurch|"
        r"ursache|grund für|schuld)\b|\bwhere\b.{0,30}\bcome from\b"
        r"|\b(?:what|who|which \w+)\b.{0,30}?\b(?:caused|triggered|trigger|set (?:it |\w+ )?off|sparked|led to|"
        r"behind|to blame|at fault)\b|\b(?:was|wer|welche[rsnm]? \w+)\b.{0,40}?\b(?:ausgelöst|auslöste|verursacht\w*|"
        r"steckt\w*)\b",
    ),
    (
        "remedy",
        rf"\b(?:how|what|wie|womit|was (?:hat|haben|wurde|tat|taten|kann|soll))\b.{{0,80}}?\b{_MENDS}\b"
        r"|\bwhat (?:helped|helps|did the trick)\b"
        r"|\bwas (?:hat |hilft|half)(?:da\w* )?(?:geholfen|dagegen|gegen)?\b(?=.{0,30}(?:geholfen|hilft|half|gegen))",
    ),
    (
        "first",
        r"\b(?:what|which|was|welche\w*)\b.{0,60}\b(?:first|zuerst|als erste[rsn]?)\b(?! (?:time|mal|seen|reported))",
    ),
    ("person", r"\b(?:who|whom|whose|wer|wen|wem|wessen)\b"),
    ("value", _HOW_MUCH),
    ("value", rf"\b(?:what(?:'?s)?|which|welche[rsnm]?|was ist)\b(?:\s+\S+){{0,5}}?\s+\w*{_QUANTITY}"),
    ("value", rf"^\W*(?:\w+\s+){{0,2}}{_QUANTITY}"),
    ("time", r"\b(?:when|what time|since when|wann|um wie viel uhr)\b"),
    ("place", r"\b(?:where|wo|wohin|in (?:which|what|welche[rm])|in which)\b"),
    (
        "list",
        r"\b(?:conditions|steps|remedies|rules|requirements|reasons|options|checks|bedingungen|schritte|gegenmittel|"
        r"regeln|maßnahmen|voraussetzungen|gründe|möglichkeiten)\b",
    ),
    # English "was" begins such a question, German "was" another one.
    (
        "yes or no",
        r"^\W*(?:(?:is|are|were|does|do|did|has|have|had|can|could|may|must|should|ist|sind|war|waren|hat|haben|kann|darf|"
        r"muss|soll|gibt|gab|wird|wurde|wurden)\b|was (?:the|an?|there|it|this|that|he|she|any|our)\b)",
    ),
)
_KINDS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
_OPENS = re.compile(
    rf"\b(?!was\b)(?:{_ASKING}|what'?s|list|give|show|tell|name|nenn\w*|zeig\w*|any)\b|\?"
    r"|^\W*(?:was|is|are|were|does|do|did|has|have|can|could|may|ist|sind|war|waren|hat|haben|kann|darf|gibt|gab)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(rf"\b{_ASKING}\b", re.IGNORECASE)
_BOUNDS = tuple(
    (re.compile(rf"\b(?:{asks})\b", re.IGNORECASE), re.compile(rf"\b(?:{says})\b", re.IGNORECASE))
    for asks, says in (
        (
            r"maximum|at (?:the )?most|may|limit|highest|largest|longest|höchst\w*|maximal\w*|darf|dürfen|grenz\w+",
            r"at most|maximum|no more than|not exceed|up to|limit(?:ed)?|below|never|höchst\w*|maximal\w*|bis zu|unter|"
            r"nicht mehr als|grenz\w+",
        ),
        (
            r"minimum|at least|lowest|smallest|least|mindest\w*|minimal\w*|wenigstens",
            r"at least|minimum|not less than|above|from|mindest\w*|minimal\w*|über|ab|nicht weniger als",
        ),
    )
)
"""How a question asks for a bound, and how a source says one."""


_PREFIX = r"(?:[fpnuµμmckMGT]|k|da)?"
_UNITS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(rf"\b\w*(?:{quantity})", re.IGNORECASE), re.compile(rf"(?:{unit})(?![A-Za-z])"))
    for quantity, unit in (
        (r"temperatur|hot\b|warm\b|heiß\b", r"°C|°|K|degrees|Grad"),
        (r"pressure|druck\b", rf"{_PREFIX}(?:bar|Pa)"),
        (r"dose|dosis\w*", rf"{_PREFIX}Sv(?:/h)?"),
        (r"conductivity|leitfähigkeit", rf"{_PREFIX}S/c?m"),
        (r"voltage|spannung", rf"{_PREFIX}V"),
        (r"power|leistung", rf"{_PREFIX}W|dBm?|%"),
        (r"energy|energie", rf"{_PREFIX}(?:eV|J)"),
        (r"frequency|frequenz|repetition rate|frame rate", rf"{_PREFIX}Hz|frames"),
        (r"flow|durchfluss", r"l/(?:min|h|s)|m³/h"),
        (r"how much beam|(?<!con)current|\w*strom", rf"{_PREFIX}A"),
        (r"charge\b|ladung", rf"{_PREFIX}C"),
        (
            r"length|länge|width|breite|height|höhe|size|größe|diameter|durchmesser|circumference|umfang|gap\b|distance|"
            r"abstand|how (?:far|tight|close|wide|deep|thick)|wie (?:weit|eng|breit|tief|dick)",
            rf"{_PREFIX}(?:m|s|rad)|metres?|meters?|degrees",
        ),
        (
            r"how (?:long|old|late|early|soon)|wie (?:lange?|alt|spät|früh)|duration|dauer|lifetime|delay|jitter|"
            r"downtime|ausfallzeit",
            rf"{_PREFIX}s|min|h|d|(?:second|minute|hour|day|week|month|year)s?|Sekunden?|Minuten?|Stunden?|Tagen?|Tage|"
            rf"Wochen?|Monaten?|Monate|Jahren?|Jahre|turns|{_PREFIX}m",
        ),
        (r"weight|heavy|mass\b|gewicht|schwer\b|masse\b", rf"{_PREFIX}g|t|tons?|tonnes?|Tonnen"),
        (r"efficiency|effizienz|wirkungsgrad|percentage|anteil|coupling|kopplung", r"%|percent|Prozent"),
    )
)
"""The units in which a quantity is told."""

_SAYS_SO: frozenset[Kind] = frozenset(("number", "author", "reason", "person", "time", "place"))
_LONGEST_SIGN = 5
"""Words that tell a kind; more of them have the topic between them."""

_COUNTED = re.compile(r"\b(?:how (?:many|often)|wie (?:viele?[rsnm]?|oft))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """One part of a question: the kind of its answer, its own words, and those of the rest of the question.

    Of a value `unit` matches the units it may have, None where that cannot be told; `counted` says that it is a number
    of things; `bound` matches the words by which a source says that it is a limit, None where none is asked for.
    """

    kind: Kind
    own: tuple[str, ...]
    rest: tuple[str, ...]
    unit: re.Pattern[str] | None = None
    counted: bool = False
    bound: re.Pattern[str] | None = None


def asked_in(text: str, terms: Sequence[str]) -> list[Asked]:
    """The parts of a question, which has these words to search for; words that stand in no part bear on each."""
    pieces = [piece.strip() for piece in _APART.split(text) if piece and piece.strip()]
    parts = []
    for piece in pieces:
        there = stems(piece)
        own = tuple(term for term in terms if shares(term, there))
        parts.append((piece, own))
    asking = [(piece, own) for piece, own in parts if _OPENS.search(piece)] or [(text, tuple(terms))]
    found = []
    for piece, own in asking:
        kind, said = _kind_of(piece)
        topic = " ".join(term for term in terms if term not in own)
        if kind == "thing" and topic and not _ASKS.search(piece) and _kind_of(topic)[0] == "value":
            # "And of the booster?" asks for the quantity of the question before.
            kind, piece = "value", topic
        if kind != "value":
            # "What number do I dial": the words that tell the kind stand in no answer.
            own = tuple(term for term in own if not shares(term, stems(said)))
        rest = tuple(term for term in terms if term not in own and not (said and shares(term, stems(said))))
        unit = _unit_of(piece) if kind == "value" else None
        bound = next((says for asks, says in _BOUNDS if asks.search(piece)), None) if kind == "value" else None
        found.append(Asked(kind, own, rest, unit, _COUNTED.search(piece) is not None, bound))
    return found


def _unit_of(piece: str) -> re.Pattern[str] | None:
    """The unit of the quantity that is named first: "how long before the voltage" asks for a time."""
    named = [(found.start(), unit) for quantity, unit in _UNITS if (found := quantity.search(piece))]
    return min(named, key=lambda each: each[0])[1] if named else None


def _kind_of(text: str) -> tuple[Kind, str]:
    """The kind of answer that a part of a question asks for, and the words that tell it where they are no topic."""
    for kind, pattern in _KINDS:
        if found := pattern.search(text):
            said = found.group()
            return kind, said if kind in _SAYS_SO and len(said.split()) <= _LONGEST_SIGN else ""
    return "thing", ""

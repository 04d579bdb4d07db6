"""The places of a question in which a column must be named: what is measured, grouped by, compared and filtered by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from graphwright.agents.data_scientist.prose import without_turns

Kind = Literal["measured", "grouped", "which", "which two", "done"]


@dataclass(frozen=True, slots=True)
class Slot:
    """From where to where in the question a column must be named, and after what: `begins` is where that stands."""

    kind: Kind
    start: int
    end: int
    begins: int


_ENDS = (
    "of for by per in on at among across between within over is are was were do does did and or vs versus against with "
    "without when where who that which whose from using than to as have has had if it they be depend depends differ "
    "differs change changes vary varies above below under only compare compared each should go goes went grow grows "
    "grew rise rises rose fall falls fell develop developed per during until since after before while because given put"
)
_STOP = rf"(?=\s*(?:[,.;:?!()\"“”]|-\s|–|—|$)|\s+(?:{'|'.join(_ENDS.split())})\b)"
_PHRASE = r"(?P<slot>[^,.;:?!()\n]{1,60}?)" + _STOP

_MEASURES = (
    r"average|avg|mean|median|modal|mode|total|sum|maximum|max|minimum|min|highest|lowest|largest|smallest|biggest|"
    r"standard deviation|std|variance|range|quartiles?|percentiles?|skewness|kurtosis|outliers?|share|proportion|"
    r"distribution|histogram|box ?plot|violin plot|density|trend|missing values|unique values|number of unique|"
    r"cumulative sum"
)


def _compiled(*patterns: tuple[Kind, str]) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in patterns)


_ENGLISH = _compiled(
    # the average [of] X, the distribution of X
    ("measured", rf"\b(?:{_MEASURES})\s+(?:(?:of|in|for)\s+)?(?:the\s+|each\s+|all\s+|its\s+|their\s+)*{_PHRASE}"),
    # by X, per X, grouped by X, for each X
    (
        "grouped",
        r"\b(?:(?:group(?:ed)?|broken down|split) by|by|per|for each|for every|across)\s+(?:the\s+|each\s+)*" + _PHRASE,
    ),
    # between X and Y: each of the two
    ("grouped", rf"\bbetween\s+(?:the\s+)?{_PHRASE}"),
    ("grouped", rf"\bbetween\s+[^,.;:?!()\n]{{1,60}}?\s+and\s+(?:the\s+)?{_PHRASE}"),
    # X vs Y
    ("grouped", rf"\b(?:vs\.?|versus|against)\s+(?:the\s+)?{_PHRASE}"),
    (
        "measured",
        r"(?:plot|scatter|chart|graph|of|compare|draw)\s+(?:the\s+)?(?P<slot>[\w '-]{1,40}?)\s+"
        r"(?:vs\.?|versus|against)\b",
    ),
    # predict X, correlate X with Y, does X depend on Y
    (
        "measured",
        r"\b(?:predict|forecast|estimate|model|regress|correlate|plot|correlates? with|depends? on|related to|"
        rf"affected by|influenced by|sorted by|ranked by|explained by|driven by)\s+(?:the\s+)?{_PHRASE}",
    ),
    (
        "measured",
        r"\b(?:is|are|was|were)\s+(?:the\s+|their\s+|its\s+|an?\s+)?(?P<slot>[\w '’-]{3,40}?)\s+"
        r"(?:related|linked|connected|correlated|associated)\s+(?:to|with)\b",
    ),
    # in each X; I need the X; the most X one
    ("grouped", rf"\b(?:in|at|on|of|with|within)\s+(?:each|every)\s+{_PHRASE}"),
    ("measured", rf"\b(?:need|want)\s+(?:the|its|their)\s+{_PHRASE}"),
    ("measured", r"\b(?:most|least)\s+(?P<slot>[a-z]+(?:ive|ous|ful|able|ible|ular|ing))\b"),
    # spend on X; Bo's X; the X of Bo
    ("measured", rf"\b(?:spen[dt]s?|spending|paid|pays?)\s+(?:on|for)\s+(?:the\s+|their\s+)?{_PHRASE}"),
    ("measured", rf"\bwhat(?:'s|’s|\s+is|\s+was|\s+are|\s+were)\s+(?:\w+['’]s|his|her|their|its)\s+{_PHRASE}"),
    # the X distribution
    (
        "measured",
        r"\b(?P<slot>[\w-]{2,40})\s+(?:distribution|histogram|box ?plot|trend|column|variable|field|feature)s?\b",
    ),
    # the column X
    ("measured", rf"\b(?:columns?|variables?|fields?|features?)\s+(?:called|named)\s+{_PHRASE}"),
    # how many Y were X: who is counted by what
    (
        "done",
        r"\bhow many\s+(?:of\s+)?(?:the\s+|our\s+|these\s+)?[\w-]{2,30}\s+(?:(?:were|was|are|is|got|have been|had|have|"
        r"has|actually|ever|do|did)\s+){0,2}(?P<slot>[a-z]{3,20})\s*(?=$|[?.!,;]|\b(?:in|on|by|per|at|from|during)\b)",
    ),
    (
        "done",
        r"(?:\b(?:share|percentage|percent|fraction|proportion|part)|%)\s+of\s+(?:the\s+|our\s+|all\s+|these\s+)*[\w-]{2,30}"
        r"\s+(?:are|is|were|was)\s+(?P<slot>[a-z]{3,20})\s*(?=$|[?.!,;])",
    ),
    ("which two", r"\b(?:which|what)\s+(?P<slot>[a-z-]{3,30}\s+[a-z-]{3,30})\s+\w+"),
    ("which", r"\b(?:which|what)\s+(?P<slot>[\w-]{3,30})\s+(?!of\b)[\w]+"),
)

_NOUN = r"(?P<slot>[\wäöüßéèêàâîôûç'’-]{3,40}(?:\s+(?:postal|postale|affaires|d['’]affaires)\b)?)"
_FOREIGN = _compiled(
    # das durchschnittliche X, X je Y, nach Y
    (
        "measured",
        r"\b(?:durchschnittlich|mittler|gesamt|höchst|niedrigst|größt|kleinst|maximal|minimal|median)e?[nrsm]?\s+"
        r"(?:der\s+|die\s+|das\s+|von\s+)?" + _NOUN,
    ),
    ("measured", r"\b(?P<slot>(?:durchschnitts|mittel|gesamt|höchst)[\wäöüß]{4,30})"),
    (
        "measured",
        rf"\b(?:wie hoch|was) (?:ist|sind|war|waren) (?:der|die|das|unsere?|ihre?)\s+(?!\w+e[nrsm]?\s+[A-ZÄÖÜ]){_NOUN}",
    ),
    (
        "measured",
        r"\bwie\s+(?P<slot>alt|schwer|groß)\s+(?:sind|ist|waren|war)\s+(?:unsere?|die|der|das|eine?)\s+"
        r"(?:kunde\w*|mitarbeiter\w*|patient\w*|person\w*|menschen|frauen|männer|kinder|gäste)\b",
    ),
    ("measured", rf"\bwelche[nrsm]?\s+{_NOUN}\s+(?:hat|haben|hatte|hatten)\b"),
    (
        "measured",
        rf"\b(?:mittelwert|median|summe|verteilung|durchschnitt|maximum|minimum|anteil)\s+(?:der|des|von)\s+{_NOUN}",
    ),
    ("grouped", rf"\b(?:je|pro|nach|für jede[ns]?|in jede[mr])\s+(?:der\s+|dem\s+|den\s+|die\s+|das\s+)?{_NOUN}"),
    # le X moyen, la moyenne de X, par Y
    ("measured", rf"\b{_NOUN}\s+(?:moyenn?e?s?|médiann?e?s?|maximale?s?|minimale?s?|totale?s?)\b"),
    (
        "measured",
        rf"\b(?:moyenne|médiane|somme|total|distribution|maximum|minimum|répartition)\s+(?:de\s+la\s+|des\s+|du\s+|de\s+"
        rf"l['’]|de\s+|d['’]){_NOUN}",
    ),
    ("grouped", rf"\b(?:par|selon|pour chaque|dans chaque)\s+(?:la\s+|le\s+|les\s+)?{_NOUN}"),
)


def slots_of(question: str, *, foreign: bool) -> Iterator[Slot]:
    """The places of an English question, or of a German or French one."""
    text = without_turns(question)
    for kind, pattern in _FOREIGN if foreign else _ENGLISH:
        for found in pattern.finditer(text):
            start, end = found.span("slot")
            yield Slot(kind, start, end, found.start())

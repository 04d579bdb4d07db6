"""Judging what became of a question: the calls, the sources, the facts, the language, and what was made up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from eval.answers import names
from eval.assistant.cases import DAYS, Case, Key, Wanted
from eval.assistant.citations import addresses, cited, entries, even, prose, unknown
from eval.assistant.numbers import foreign, readings
from eval.assistant.outcome import Outcome
from eval.assistant.workspace import NOW

if TYPE_CHECKING:
    from lingua import LanguageDetector

_FEWEST_WORDS = 4
"""Words from which on the language of an answer is told. Names and numbers alone are in any."""

_SURE = 0.2
"""How much likelier one language must be than the other."""

_THINGS = (
    r"(?:entr(?:y|ies)|information|results?|records?|mentions?|data|sources?|evidence|indications?|problems?|alarms?"
    r"|answers?|documentation|details?|reports?|hits?|match\w*|passages?|documents?|menu|events?|issues?|faults?)"
)
_TOLD = (
    r"(?:f[io]u?nd|mention\w*|contain\w*|state\w*|say|said|list\w*|includ\w*|specif\w*|provid\w*|available|know\w*"
    r"|document\w*|record\w*|given?|have|has|there|exist\w*|appear\w*|describ\w*|answer\w*|cover\w*|written|wrote)"
)
_ADMITS = re.compile(
    rf"\bnothing\b|\bnone\b|\bno such\b|\bno\b(?: [\w'-]+){{0,4}}? {_THINGS}\b"
    rf"|(?:\bnot|n['’]t)\b(?: [\w'-]+){{0,4}}? {_TOLD}\b"
    r"|\b(?:cannot|can ?not|can['’]t|could ?n['’]t|unable|unknown)\b|\b(?:has|have|had|is|are|was|were) no\b"
    r"|\bnichts\b|\bkein(?:e|en|er|em|es)?\b|\bkonnte\w* nicht\b|\bunbekannt\b"
    r"|\bnicht\b(?: [\wäöüß-]+){0,4}? (?:gefunden|finden|enthalten|erwähnt|genannt|angegeben|dokumentiert|bekannt"
    r"|verfügbar|vorhanden|beantworte\w*|hervor|verzeichnet|geschrieben|beschrieben|aufgeführt)\b",
    re.IGNORECASE,
)
"""Words by which an answer says that there is nothing."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reasons` say why it is not right.

    What a case says nothing about is None: `chosen`, the right tools were called; `asked`, with the right arguments;
    `cited`, all sources that must be; `first`, a right one first; `reached`, the tools gave one of the right ones;
    `named`, all facts and nothing forbidden; `admitted`, that there is nothing; `spoken`, in the right language.
    `links` are addresses and `entries` log entries that nothing gave, `figures` numbers told where there is no answer.
    """

    reasons: tuple[str, ...] = ()
    chosen: bool | None = None
    asked: bool | None = None
    cited: bool | None = None
    first: bool | None = None
    reached: bool | None = None
    named: bool | None = None
    admitted: bool | None = None
    spoken: bool | None = None
    links: tuple[str, ...] = ()
    entries: tuple[int, ...] = ()
    figures: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        return not self.reasons


def judged(case: Case, outcome: Outcome) -> Verdict:
    """What to say of an outcome."""
    unchosen, unasked = list(_choice(case, outcome.calls)), list(_arguments(case, outcome.calls))
    points = cited(outcome.text, case.files)
    uncited = list(_uncited(case, points))
    unnamed = list(_unnamed(case, outcome.text))
    links = tuple(unknown(addresses(outcome.text), outcome.addresses))
    made_up = tuple(dict.fromkeys(n for n, _ in entries(outcome.text) if n not in outcome.entries))
    says = prose(outcome.text)
    admitted = bool(_ADMITS.search(says)) if case.nothing else None
    figures = _figures(case, outcome) if case.nothing else ()
    spoken = _in_language(says, case.language)
    reasons = [
        *_unfinished(outcome),
        *unchosen,
        *unasked,
        *uncited,
        *unnamed,
        *(["it does not say that nothing was found"] if admitted is False else []),
        *([f"it is not in the language of the question ({case.language})"] if spoken is False else []),
        *(f"invented link: {each}" for each in links),
        *(f"invented log entry: {each}" for each in made_up),
        *([f"no source gave these numbers: {', '.join(figures)}"] if figures else []),
    ]
    sources = case.sources
    facts = bool(case.names or case.never)
    return Verdict(
        reasons=tuple(reasons),
        chosen=None if case.calls is None else not unchosen,
        asked=None if case.calls is None else not unchosen and not unasked,
        cited=None if sources is None else not uncited,
        first=None if sources is None else bool(points) and points[0] in sources.leading,
        reached=_reached(case, outcome),
        named=not unnamed and bool(outcome.text) if facts else None,
        admitted=admitted,
        spoken=spoken,
        links=links,
        entries=made_up,
        figures=figures,
    )


def _unfinished(outcome: Outcome) -> Iterator[str]:
    if outcome.error:
        yield f"failed: {outcome.error}"
    elif outcome.failure:
        yield outcome.failure
    elif not outcome.over:
        yield "it did not come to an end"
    elif not outcome.text:
        yield "it did not answer"


def _choice(case: Case, calls: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if case.calls is None:
        return
    made = list(dict.fromkeys(call["tool"] for call in calls))
    if not case.calls and made:
        yield f"{', '.join(made)} was called, and no tool is needed"
    for wanted in case.calls:
        if not set(wanted.tool) & set(made):
            yield f"{' or '.join(wanted.tool)} was not called"


def _arguments(case: Case, calls: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What is wrong with the arguments of the calls that come closest to those wanted."""
    for wanted in case.calls or ():
        tried = [_wrong(wanted, call["arguments"]) for call in calls if call["tool"] in wanted.tool]
        if tried and (wrong := min(tried, key=len)):
            yield f"{' or '.join(wanted.tool)}: {'; '.join(wrong)}"


def _wrong(wanted: Wanted, arguments: Mapping[str, Any]) -> list[str]:
    return [
        f"{name} is {arguments.get(name, '')!r} instead of {' or '.join(map(repr, _values(name, values)))}"
        for name, values in wanted.args.items()
        if _plain(arguments.get(name)) not in map(_plain, _values(name, values))
    ]


def _values(name: str, values: Sequence[str | int | None]) -> list[str | int | None]:
    if name not in DAYS:
        return list(values)
    return [f"{NOW - timedelta(days=each):%Y-%m-%d}" if isinstance(each, int) else each for each in values]


def _plain(value: Any) -> str:
    """A value as it is compared. Empty and not given are the same: both restrict nothing."""
    return " ".join(str("" if value is None else value).casefold().strip().removeprefix("#").split())


def _uncited(case: Case, points: Sequence[Key]) -> Iterator[str]:
    if case.sources is None:
        return
    if missing := [each for each in case.sources.all if each not in points]:
        yield f"it does not cite {', '.join(map(str, missing))}"
    if case.sources.any and not set(case.sources.any) & set(points):
        yield f"it cites none of {', '.join(map(str, case.sources.any))}"


def _reached(case: Case, outcome: Outcome) -> bool | None:
    wanted = [key for key in (case.sources.named if case.sources else ()) if key not in case.files]
    return any(key in outcome.found for key in wanted) if wanted else None


def _unnamed(case: Case, text: str) -> Iterator[str]:
    says = prose(text)
    missing = [spellings[0] for spellings in case.names if not any(names(says, even(each)) for each in spellings)]
    if missing:
        yield f"the answer does not name {', '.join(missing)}"
    if wrong := [each for each in case.never if names(even(text), even(each))]:
        yield f"the answer says {', '.join(wrong)}"


def _figures(case: Case, outcome: Outcome) -> tuple[str, ...]:
    """The numbers of an answer to what has none that stand in no result and not in the question."""
    known = {reading for number in outcome.numbers for reading in readings(number)}
    says = prose(outcome.text)
    for number, _ in entries(says):
        known |= readings(str(number))
    return tuple(foreign(says, known))


def _in_language(says: str, language: str) -> bool | None:
    """Whether an answer is in a language; None where it is too short to tell."""
    words = re.findall(r"[^\W\d_]{2,}", re.sub(r"[\"“”„«»][^\"“”„«»]*[\"“”„«»]", " ", says))
    if len(words) < _FEWEST_WORDS:
        return None
    found = _detector().detect_language_of(" ".join(words))
    return None if found is None else bool(found.iso_code_639_1.name.lower() == language)


@cache
def _detector() -> LanguageDetector:
    from lingua import Language, LanguageDetectorBuilder

    both = LanguageDetectorBuilder.from_languages(Language.ENGLISH, Language.GERMAN)
    return both.with_minimum_relative_distance(_SURE).build()

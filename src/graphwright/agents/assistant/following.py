"""Questions that go on from the turn before: what they take over from its question, and from its answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from graphwright.agents.assistant import telling
from graphwright.agents.assistant.dates import Period, beside
from graphwright.agents.assistant.language import only_wishes
from graphwright.agents.assistant.question import PRONOUN, Question, entries_in, read
from graphwright.agents.assistant.words import META_WORDS, RELATIONS, STOP_WORDS, folded, stem, words

MOST_TURNS = 3
"""Questions before the present one that it may lean on, one after the other."""

MOST_ENTRIES = 3
MOST_NAMES = 3
"""Log entries and names of things that are taken over from an answer."""

_FURTHER = tuple(telling.say(language, "entries") for language in ("en", "de"))
_SOURCES = re.compile(r"^\s*\**(?:Sources|Quellen)\**:?\s*$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]*)\)|https?://\S+")
_ADDRESS = re.compile(r"\]\(([^)\s]*)\)")
_PLACES = {
    **{
        "firs": 1,
        "1st": 1,
        "form": 1,
        "seco": 2,
        "2nd": 2,
        "thir": 3,
        "3rd": 3,
        "four": 4,
        "4th": 4,
        "fift": 5,
        "5th": 5,
    },
    **{"erst": 1, "zwei": 2, "drit": 3, "vier": 4, "fünf": 5},
}
_LAST = ("last", "latter", "latest", "newest", "most", "letzt", "neues", "jüngs")
_ONE_OF = re.compile(
    r"\b(?:the|that)\s+(first|1st|second|2nd|third|3rd|fourth|4th|fifth|5th|last|latest|newest|most\s+recent)"
    r"(?:\s+(?:one|entry|of\s+(?:them|these|those))\b|(?=\s*[?.!]*\s*$))"
    r"|\bthe\s+(former|latter)(?:\s+(?:one|entry))?(?=\s*[?.!]*\s*$|\s+(?:was|is|got|one|entry)\b)"
    r"|\b(?:de[rnms]|die|das|vom|zum|beim|im)\s+((?:erst|zweit|dritt|viert|fünft|letzt|neuest|jüngst)e[nrsm]?)"
    r"(?:\s+(?:eintrag\w*|davon|von\s+(?:ihnen|denen|diesen)|(?=(?-i:[a-zäöü])\w+\s*[?.!]*\s*$))|(?=\s*[?.!]*\s*$))",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b(?:[A-Z]{1,6}-)*[A-Z]{1,6}-?\d{1,3}(?:[-.][A-Z0-9]+)*(?![\w.:-])"
    r"|\b[^\W\d_]{3,}\s\d{1,2}\b(?!\s?[%°]|[.,:]\d|\.\s?[A-Z]|\s?(?:[kMGTmunpµ]?(?:A|V|W|Hz|eV|Pa|bar|s|m|J|T|Sv)|dB|K|h|min)\b"
    r"|\s+(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|times|percent|am|pm|uhr|Sekunden?|Minuten?|Stunden?|Tage\w*|"
    r"Wochen?|Monate?n?|Jahre?n?|mal|Prozent)\b)"
)
"""What a thing is called by a number: `S07-BPM4`, `BY-33`, "cavity 1"."""


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer told of: log entries by their numbers, and things by their names."""

    entries: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


def told_in(answer: str) -> Told:
    """What an answer tells of; entries that it only lists as further ones are left out."""
    own = _without_further(answer)
    body = _LINK.sub(r"\1 ", _SOURCES.split(own)[0])
    named = (found for found in _NAME.findall(body) if not _is_entry(found))
    return Told(entries_in(own), tuple(dict.fromkeys(named))[:MOST_NAMES])


def _without_further(answer: str) -> str:
    for heading in _FURTHER:
        before, found, behind = answer.partition(heading)
        if found:
            rest = behind.lstrip().splitlines()
            listed = next((at for at, line in enumerate(rest) if not line.lstrip().startswith("-")), len(rest))
            answer = "\n".join([before, *rest[listed:]])
    return answer


def _is_entry(name: str) -> bool:
    first = name.split()[0].casefold() if " " in name else ""
    return bool(entries_in(name)) or first in STOP_WORDS or first in META_WORDS


def followed(messages: Sequence[Mapping[str, Any]], text: str, now: datetime) -> Question:
    """What a question asks for (`now` is local time), with what it takes over from the messages before it.

    Messages are `{role, content}`, the oldest first.
    """
    asked = [place for place, each in enumerate(messages) if _asks(each)][-MOST_TURNS:]
    before: Question | None = None
    told = ""
    for each in messages[asked[0] :] if asked else ():
        if _asks(each):
            before, told = continued(_at_its_time(read(each["content"], now), before, now), before, told), ""
        elif each["role"] != "user":
            told = each["content"]
    return continued(_at_its_time(read(text, now), before, now), before, told)


def asked_again(messages: Sequence[Mapping[str, Any]], text: str) -> tuple[list[Any], str]:
    """The question that a text asks for, and the messages before it.

    It is the text itself, but where that names nothing but another language: then the last question is asked again.
    """
    if only_wishes(text):
        for place in range(len(messages) - 1, -1, -1):
            if _asks(messages[place]):
                return list(messages[:place]), messages[place]["content"]
    return list(messages), text


def _asks(message: Mapping[str, Any]) -> bool:
    """Whether it is a question of the user's, which a wish for another language is not."""
    return message["role"] == "user" and not only_wishes(message["content"])


def _at_its_time(question: Question, before: Question | None, now: datetime) -> Question:
    """A question for the time before that of the last one, or after it, with that time: "and the week before?"."""
    if before is None or before.period is None:
        return question
    period = beside(question.text, before.period, now.date())
    if period is None:
        return question
    said = {word.casefold() for text in period.words for word in words(text)}
    terms = tuple(term for term in question.terms if term.casefold() not in said)
    return replace(question, period=period, terms=terms) if not terms or _LEANS.search(question.text) else question


def continued(question: Question, before: Question | None, answer: str = "") -> Question:
    """A question that leans on the one before it ("and yesterday?"), with what it takes over from it and its answer."""
    if before is None or (question.news and not (_GOES_ON.search(question.text) or _ITS.search(question.text))):
        return question
    length = len(words(question.text))
    if length <= _MOST_GOING_ON and (meant := _one_of(question, answer)):
        return meant
    if length <= _MOST_GOING_ON and _has_no_topic(question):
        return _about_the_same(question, before, told_in(answer))
    most = _MOST_GOING_ON if _GOES_ON.search(question.text) else _MOST_LEANING
    said = _without(question.text, question.period.words if question.period else ())
    if not (_LEANS.search(question.text) or not words(said)) or length > most:
        return question
    terms = question.terms or before.terms
    if question.terms and (PRONOUN.search(said) or (length <= _MOST_ELLIPTIC and _GOES_ON.search(question.text))):
        head = _before_same(question.text, before.text)
        terms = _joined(question.terms, (term for term in before.terms if term in head))
    return Question(
        text=question.text,
        period=question.period or before.period,
        entries=question.entries or (before.entries if not question.terms else _of_answer(question, answer)),
        terms=terms[:_MOST_TERMS],
        log=question.log or (before.log and not question.documents),
        documents=question.documents or (before.documents and not question.log),
        happened=question.happened or before.happened,
        explains=question.explains or before.explains,
        follows=question.follows,
        count=question.count or before.count,
        like="" if question.terms else before.like or before.text,
    )


def _without(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        text = text.replace(part, " ", 1)
    return text


def _one_of(question: Question, answer: str) -> Question | None:
    """A question on one of the entries of an answer, "the second one" in its order; None where it is on none."""
    found = _ONE_OF.search(question.text)
    listed = _entries_in_order(answer) if found else ()
    if found is None or question.entries or not listed:
        return None
    said = next(filter(None, found.groups())).casefold()
    if said.startswith(_LAST):
        # Entries are numbered as they are written.
        number = max(listed)
    else:
        place = _PLACES[said[:4]]
        if place > len(listed):
            return None
        number = listed[place - 1]
    terms = tuple(term for term in question.terms if term not in words(found.group()))
    return replace(question, entries=(number,), terms=terms, log=True, documents=False)


def _entries_in_order(answer: str) -> tuple[int, ...]:
    """The log entries of an answer in the order in which it names or links them, with those that it only lists."""
    body, *rest = _SOURCES.split(answer)
    linked = {
        url: numbers[0]
        for line in "\n".join(rest).splitlines()
        for url in _ADDRESS.findall(line)[:1]
        if (numbers := entries_in(_LINK.sub(" ", line)))
    }
    named = _LINK.sub(lambda link: f" #{linked[link[2]]} ; " if link[2] in linked else f"{link[1] or ''} ", body)
    return entries_in(named) or tuple(linked.values())


def _has_no_topic(question: Question) -> bool:
    """Whether a question asks for the cause, the end or the like of something, and not of what: "and the cause?"."""
    elsewhere = question.entries or question.period or question.log or question.documents or question.news
    return (
        not elsewhere
        and (question.asks or _LEANS.search(question.text) is not None)
        and all(folded(term) in RELATIONS for term in question.terms)
    )


def _about_the_same(question: Question, before: Question, told: Told) -> Question:
    """A question without a topic, about that of the turn before: its words, and the things and entries of the answer.

    What is asked for often came days later: the time of the question before is open at its end.
    """
    own = (term for term in before.terms if folded(term) not in RELATIONS)
    entries = told.entries[:MOST_ENTRIES] or before.entries
    names = [name for name in told.names if stem(name) not in {stem(word) for word in before.terms}]
    since = before.period.since if before.period else ""
    return Question(
        text=question.text,
        period=Period(since, "", ()) if since else None,
        entries=entries,
        terms=_joined(question.terms, (*own, *(word for name in names for word in words(name))))[:_MOST_TERMS],
        log=before.log or bool(entries),
        documents=before.documents and not entries,
        happened=question.happened or before.happened,
        explains=question.explains or before.explains,
        follows=question.follows,
        count=0,
        goes_on=bool(entries),
    )


def _joined(terms: Sequence[str], more: Iterable[str]) -> tuple[str, ...]:
    """The terms, and those of others that are not among them yet."""
    return tuple({stem(term): term for term in reversed((*terms, *more))}.values())[::-1]


def _before_same(text: str, before: str) -> str:
    """What of the question before goes on: "and of the booster?" takes the place of what stood behind its `of`."""
    found = _INSTEAD.match(text)
    places = [each.start() for each in re.finditer(rf"\b{found[1]}\b", before, re.IGNORECASE)] if found else []
    return before[: places[-1]] if places else before


_INSTEAD = re.compile(
    r"^\W*(?:and|und)\s+(of|for|in|at|on|from|with|by|von|vom|bei|beim|für|im|am|des)\b", re.IGNORECASE
)


def _of_answer(question: Question, answer: str) -> tuple[int, ...]:
    """The one entry that an answer named, where a question goes on about it."""
    told = told_in(answer).entries
    return told if len(told) == 1 and PRONOUN.search(question.text) and question.period is None else ()


_MOST_TERMS = 12
_MOST_LEANING, _MOST_GOING_ON, _MOST_ELLIPTIC = 8, 12, 4
"""Words of a question that leans on the one before, of one that says so, and of one that is half of a sentence."""

_GOES_ON = re.compile(r"^\W*(?:and|und)\b", re.IGNORECASE)

_ITS = re.compile(r"\b(?:it|that|this|they|them|those|davon|dazu|damit|daran)\b", re.IGNORECASE)
"""What always stands for something: "gibt es" is no such thing."""

_LEANS = re.compile(
    r"^\W*(?:and|und|also|what about|how about|was ist mit|wie (?:ist|war) es mit|then|dann|but|"
    r"aber)\b"
    r"|\b(?:it|that|this|they|them|those|he|she|es|das|dies\w*|davon|dazu|damit|er|sie)\b",
    re.IGNORECASE,
)

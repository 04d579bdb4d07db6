"""Condition codes that a message names: known ones, those listed behind "conditions", and what stands beside one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphwright.agents.upgrade.words.places import Value, in_quotes, is_common, known_values
from graphwright.agents.upgrade.words.saying import Saying, covered
from graphwright.agents.upgrade.words.vocabulary import COMMON, DONE, STOP_WORDS, USER
from graphwright.runtime.reading.words import Stretch, fold, fold_keeping_places, vocabulary, words_of

_LIST = re.compile(
    r"\b(?:conditions?|condition codes?|codes?|variants?|arms?|bedingung(?:en)?)\s*(?:called|named|are|is|:|="
    r"|codes?|sind|namens)?\s*"
)
_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_ARTICLE = re.compile(r"(?:the|an?|both|die|der|das|den|eine?r?)\s+(?=\S)", re.IGNORECASE)
_NUMBER = r"\d{1,3}(?:[.,]\d{1,4})?\s*(?:%|per\s?cent|pct|prozent)?"
_WEIGHT_FIRST = re.compile(rf"{_NUMBER}\s*(?:for|of|to|auf|f[üu]r)?\s+(?:the\s+)?(?=[^\W\d])", re.IGNORECASE)
_CODE = re.compile(r"[^\W_][\w.-]*")
_WEIGHT = re.compile(
    rf"\s*(?:\([^)\n]{{0,40}}\)|[:=]?\s*(?:(?:with|at|gets|mit|je|bei)\s+)?{_NUMBER}(?![\w/:]))", re.IGNORECASE
)
_AND = re.compile(
    r"\s*(?:,\s*(?:and|und|&)(?!\w)|[,&+/]|(?<!\w)(?:and|und|vs\.?|versus)(?!\w)|\n(?=\s*(?:[-*•–]|\d{1,2}[.)]))"
    r"|\n(?=\s*[^\W\d][\w.-]*\s*(?:[:=]?\s*\d|$)))\s*",
    re.IGNORECASE,
)
# What may follow a word that stands beside a code and is to be one itself.
_ENDS = re.compile(
    r"\s*(?:$|[,;.!?)/&\n]|\d|\((?=\s*\d)|(?:and|und|vs|versus|at|in|on|with|for|as|mit|im|bei|an)\b)", re.I
)
_JOINS = re.compile(r"(?:\s*(?:/|&|\+)\s*|\s*,?\s+(?:and|und|vs\.?|versus)\s+)", re.IGNORECASE)
_COMMA = re.compile(r"\s*,\s*(?:(?:and|und)\s+)?")
_ONE = re.compile(
    r"(?:\b(?:condition|code|bedingung)\s+(?:called\s+|named\s+|code\s+|namens\s+)?(?P<behind>[\"'“‘]?[\w][\w.-]*)|"
    r"\b(?:the|a|die|new)\s+(?P<before>[\"'“‘]?[\w][\w.-]*)[\"'”’]?\s+(?:condition|bedingung)\b)"
)
_NEW = re.compile(r"\b(?:add|new|fuge)\b[^.;!?\n]{0,20}$")
_NO_CODE = vocabulary("""
    for in to with of is are does do did has have and or the a an at on weights weight which what that s from new
    code codes assignment assignments available user users student it if get gets called named evenly equal equally
    split each every first second third last other same right wrong one two three bekommt erhalt bekommen kriegt
    receives receive will mit und fur please 50 list name more another default_ applied not no metadata default my
    assigned your between after before there exist be should would can ist sind site sites target targets point points
    he she they we you i who was were has had this that these those her his their whatever er sie es wurde
    decision context tags tag description group school class too also auch as well half instead then now bei an auf
    out off away weg raus again bitte dazu call it but aber
""")
_NOTHING = COMMON | _NO_CODE | USER | {word for phrase in DONE for word in phrase}
DEFAULT = "default"
"""What users get without any condition. Listed as a condition it is none, which the check says."""


def codes_named(saying: Saying, known: Sequence[str], kept: Sequence[Stretch]) -> list[Value]:
    """The condition codes that a message names, each once, in order.

    Known ones, those behind the word "condition", and what a list joins to one of them. In `kept` stands something
    else: experiments, contexts, decision points.
    """
    by_words = {tuple(words_of(code)): code for code in known}
    places = [each for each in known_values(saying, known) if not covered(Stretch(each.start, each.end), kept)]
    found: list[Value] = []

    def add(value: Value) -> None:
        code = by_words.get(tuple(words_of(value.text)), value.text)
        if code not in (each.text for each in found):
            found.append(Value(code, value.start, value.end))

    folded = fold_keeping_places(saying.text)
    for match in _LIST.finditer(folded.text):
        listed = list(_listed(saying, folded.end(match.end()), places, kept))
        if len(listed) > 1:
            for each in listed:
                add(each)
    for match in _ONE.finditer(folded.text):
        which = "behind" if match["behind"] else "before"
        value = _at(saying, folded.places[match.start(which)], places)
        if value is None or (fold(value.text) == DEFAULT and not _NEW.search(folded.text[: match.start()])):
            # "The default condition" is that of everybody without one.
            continue
        # "The control condition" is one, also where an experiment has that name.
        if not covered(Stretch(value.start, value.end), kept) or tuple(words_of(value.text)) in by_words:
            add(value)
    for each in places:
        short = len(each.text) < 3 or (is_common(each.text) and each.text not in ("control", "variant"))
        if not short or in_quotes(saying, each) or re.search(r"%|\d", saying.text[each.end : each.end + 5]):
            add(each)
    for each in list(found):
        for beside in _joined(saying, each, kept):
            add(beside)
    return sorted(found, key=lambda value: value.start)


def _listed(saying: Saying, at: int, places: Sequence[Value], kept: Sequence[Stretch]) -> Iterator[Value]:
    """The codes of the list that begins at a place, with or without weights and bullets, until something else stands
    there."""
    text = saying.text
    while True:
        for lead in (_BULLET, _WEIGHT_FIRST, _ARTICLE):
            if (match := lead.match(text, at)) is not None:
                at = match.end()
        value = _at(saying, at, places)
        if value is None or covered(Stretch(value.start, value.end), kept):
            return
        yield value
        at = value.end
        if (weight := _WEIGHT.match(text, at)) is not None:
            at = weight.end()
        joint = _AND.match(text, at)
        if joint is None:
            return
        at = joint.end()


def _at(saying: Saying, start: int, places: Sequence[Value]) -> Value | None:
    """The code that stands at a place: in quotes, a known one, else a word that may be one."""
    quote = next((each for each in saying.quotes if each.start == start), None)
    if quote is not None:
        return Value(quote.text, quote.start, quote.end)
    known = next((each for each in places if each.start == start), None)
    if known is not None:
        return known
    match = _CODE.match(saying.text, start)
    if match is None:
        return None
    said = match[0].rstrip(".-")
    words = words_of(said)
    plain = fold(said) != DEFAULT and (words[0] in _NO_CODE or words[0] in USER or fold(said) in STOP_WORDS)
    return None if plain or said[0].isdigit() else Value(said, start, start + len(said))


def _joined(saying: Saying, code: Value, kept: Sequence[Stretch]) -> Iterator[Value]:
    """What a list joins to a code behind it: "control and banana", also where nobody said that these are conditions."""
    at = code.end
    while at < len(saying.text):
        if (weight := _WEIGHT.match(saying.text, at)) is not None:
            at = weight.end()
        comma = _COMMA.match(saying.text, at)
        joint = _JOINS.match(saying.text, at) or comma
        if joint is None:
            return
        lead = _WEIGHT_FIRST.match(saying.text, joint.end())
        match = _CODE.match(saying.text, lead.end() if lead is not None else joint.end())
        if match is None or covered(Stretch(match.start(), match.end()), kept):
            return
        if joint is comma and lead is None and _WEIGHT.match(saying.text, match.end()) is None:
            # A comma alone joins only what has a weight, too: "control 50, badges 50".
            return
        said = match[0].rstrip(".-")
        end = match.start() + len(said)
        words = words_of(said)
        common = fold(said) != DEFAULT and any(word in _NOTHING for word in words)
        if common or said[0].isdigit() or _ENDS.match(saying.text, end) is None:
            return
        yield Value(said, match.start(), end)
        at = end

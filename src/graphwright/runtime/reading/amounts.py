"""Grounding numbers: the amount is read from the user's words, the proposal only chooses among several."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from graphwright.runtime.reading.clauses import is_multiple, is_negated, is_relative
from graphwright.runtime.reading.numbers import Mention, convert, numbers_in
from graphwright.runtime.reading.verdicts import Grounded, Refused, grounded, shown
from graphwright.runtime.reading.words import Stretch, fold

_MARGIN = 80
_RANGE = re.compile(r"\s*(?:-|to|bis|till|until|or|oder|or\s+maybe|oder\s+vielleicht|/)\s*(?:the\s|about\s|ca\.?\s)?")
_HEDGE = (
    r"(?:maybe|perhaps|possibly|even|(?:could|might|may)(?: also)? be|vielleicht|eventuell|evtl|moglicherweise"
    r"|konnten?(?: auch)?)"
)
_HEDGED = re.compile(
    rf"[\s,;.]*(?:(?:or|oder|and|und|then|but|aber|auch)\s+)?{_HEDGE}(?:\s+(?:even|also|auch|the|about|ca))*\s+"
)
_NO_THING = re.compile(r"\s*(?:$|[.,;:!?)]|(?:or|oder|and|und|hard|not|depends)\b)")
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra)\s+(?:about\s|etwa\s|ca\.?\s)?$")
_PAIR = re.compile(r"\s*(?:and|und|et|e)\s*")


def ground_number(
    message: str, place: Stretch, value: Any, schema: Mapping[str, Any], *, one_of_many: bool
) -> Grounded | Refused:
    """The number that the words at `place` say, in the schema's `x-unit`, or why none follows from them.

    `one_of_many` is for the parts of arrays and objects: there a range is no ambiguity, and a proposal that differs
    from every number at `place` is refused instead of corrected.
    """
    near = _mentions_near(message, place)
    here = [mention for mention in near if mention.start < place.end and mention.end > place.start]
    quote = message[place.start : place.end]
    if not here:
        if is_multiple(quote):
            return Refused(f"{shown(quote)} compares with another amount; please give the amount itself.", "relative")
        return Refused(f"There is no number in {shown(quote)}.", "not_said")
    wanted = str(schema.get("x-unit") or "")
    fitting = [mention for mention in here if not wanted or convert(mention, wanted) is not None]
    if not fitting:
        return Refused(f"{shown(here[0].text)} is not an amount in {wanted}.", "unit")
    # `2 lamps of 200 W`: where one number carries the unit, a bare one beside it counts something else.
    if wanted and any(mention.unit for mention in fitting):
        fitting = [mention for mention in fitting if mention.unit]
    refused = _spoken_against(message, quote, fitting, near, one_of_many)
    if refused is not None:
        return refused
    chosen = _chosen(fitting, proposed_number(value), wanted, one_of_many)
    if chosen is None:
        if len(fitting) > 1 and not one_of_many:
            return Refused(f"{shown(quote)} holds several numbers, and {_text(value)} is none of them.", "ambiguous")
        return Refused(f"{_text(value)} is not what {shown(quote)} says.", "not_said")
    if is_integer(schema):
        if not float(chosen).is_integer():
            return Refused(f"{_text(chosen)} is not a whole number{_in(wanted)}.", "fraction")
        chosen = int(chosen)
    return grounded(message, place, chosen)


def is_integer(schema: Mapping[str, Any]) -> bool:
    """Whether the schema takes whole numbers only."""
    kind = schema.get("type")
    return kind == "integer" or (isinstance(kind, list) and "integer" in kind and "number" not in kind)


def proposed_number(value: Any) -> int | float | None:
    """A proposed value as a number: itself, or the only number in a text such as `200 W`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < 10**15 else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        mentions = numbers_in(value[:200])
        return mentions[0].value if len(mentions) == 1 else None
    return None


def _mentions_near(message: str, place: Stretch) -> list[Mention]:
    begin = max(0, place.start - _MARGIN)
    # A window that began inside a number would read its tail as a number of its own.
    while 0 < begin < place.start and not message[begin - 1].isspace():
        begin += 1
    window = message[begin : place.end + _MARGIN]
    return [replace(m, start=m.start + begin, end=m.end + begin) for m in numbers_in(window)]


def _spoken_against(
    message: str, quote: str, fitting: list[Mention], near: list[Mention], one_of_many: bool
) -> Refused | None:
    meant = [mention for mention in fitting if not is_negated(message, mention.start, mention.end)]
    if not meant:
        return Refused(f"You wrote that it is not {shown(fitting[0].text)}.", "negated")
    fitting[:] = meant
    for mention in fitting:
        multiplied = is_multiple(quote) and len(fitting) == 1 and _follows(message, mention)
        if multiplied or is_relative(message, mention.start, mention.end):
            text = shown(mention.text)
            return Refused(f"{text} changes an earlier amount; please give the amount itself.", "relative")
    if not one_of_many and (both := _range_with(message, fitting, near)):
        return Refused(f"{shown(both)} is more than one amount. Which one shall it be?", "ambiguous")
    return None


def _follows(message: str, mention: Mention) -> bool:
    return re.match(r"\s*(?:times|x|mal|fach)\b", fold(message[mention.end : mention.end + 12])) is not None


def _range_with(message: str, fitting: Iterable[Mention], near: list[Mention]) -> str:
    """The text of the range or choice of amounts that a mention belongs to, '' when it stands for itself."""
    chosen = {mention.start for mention in fitting}
    for left, right in itertools.pairwise(near):
        if not chosen & {left.start, right.start} or right.start < left.end:
            continue
        gap = fold(message[left.end : right.start])
        ahead = fold(message[max(0, left.start - 24) : left.start])
        if _RANGE.fullmatch(gap) or (_PAIR.fullmatch(gap) and _BETWEEN.search(ahead)):
            return message[left.start : right.end]
        # `200 W, maybe 300` names two amounts, `200 W, maybe 3 lamps` one.
        amounts = right.unit or _NO_THING.match(fold(message[right.end : right.end + 24]))
        if _HEDGED.fullmatch(gap) and amounts and left.value != right.value:
            return message[left.start : right.end]
    return ""


def _chosen(fitting: list[Mention], proposed: int | float | None, wanted: str, one_of_many: bool) -> int | float | None:
    readings = [
        (mention, reading, convert(replace(mention, value=reading), wanted) if wanted else reading)
        for mention in fitting
        for reading in (mention.value, *mention.alternatives)
    ]
    if proposed is not None:
        for _, _, amount in readings:
            if amount is not None and _same(amount, proposed):
                return amount
    amounts = {amount for mention, reading, amount in readings if reading == mention.value}
    if len(amounts) == 1 and not one_of_many:
        return amounts.pop()
    unconverted = {amount for _, reading, amount in readings if proposed is not None and _same(reading, proposed)}
    return unconverted.pop() if len(unconverted) == 1 else None


def _same(left: int | float, right: int | float) -> bool:
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)


def _text(value: Any) -> str:
    if isinstance(value, float) and abs(value) < 1e6:
        return f"{value:g}"
    return shown(value) if isinstance(value, str) else str(value)[:60]


def _in(wanted: str) -> str:
    return f" of {wanted}" if wanted else ""

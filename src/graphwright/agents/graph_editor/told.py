"""The numbers that a request gives to properties of nodes, read by code: "3 beds", "the price is 7", "it costs 7"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphwright.agents.graph_editor.evidence import DIGITS, NUMBERS, Evidence, numbers_in
from graphwright.agents.graph_editor.places import Place, quotes
from graphwright.agents.graph_editor.words import forms, plain, tokens

_SAYING = {"costs": ("price", "cost"), "cost": ("price", "cost"), "weighs": ("weight",), "kostet": ("price", "cost")}
"""Verbs that give a number to a property without its name."""

_SO = (
    r"(?:,?\s*(?:with\s+)?(?:the\s+)?(?:number|no\.?|nr\.?)(?=\s|:))?(?:\s*[:=]\s*|\s+)(?:(?:of|to|is|are|be|being|has|have|must|should|shall|will|becomes?|at|exactly|just|only|now"
    r"|ist|sind|auf|von|soll|sein)\s+){0,4}"
)
_NUMBER = rf"(?P<number>{DIGITS.pattern}|(?:{'|'.join(NUMBERS)})(?!\w))"


@dataclass(frozen=True, slots=True)
class Told:
    """A number that the request gives to a property, and where."""

    name: str
    value: float
    place: Place


def told_numbers(evidence: Evidence) -> list[Told]:
    """What the request says of the number properties of nodes, in its order; what stands in quotes says nothing."""
    text, inside = evidence.text, quotes(evidence.text)
    found: dict[int, Told] = {}
    for name in _number_names(evidence):
        for match in _given(name, text):
            amount = numbers_in(plain(match["number"]))
            place = Place(*match.span("number"))
            if amount and place.start not in found and not any(q.meets(place) for q in inside):
                found[place.start] = Told(name, amount[0], place)
    return [found[start] for start in sorted(found)]


def _number_names(evidence: Evidence) -> list[str]:
    names = {name for one in evidence.schema.labels for name, kinds in one.properties.items() if "number" in kinds}
    return sorted(names)


def _given(name: str, text: str) -> Iterator[re.Match[str]]:
    words = re.escape(name).replace("_", "[ _]")
    yield from re.finditer(rf"(?<![\w-]){words}{_SO}{_NUMBER}", text, re.IGNORECASE)
    # "5 price" says nothing, but "3 beds" does, and "one bed": what is counted is named in the plural.
    if name.endswith("s"):
        behind = "|".join(sorted((re.escape(form) for form in forms(name)), key=len, reverse=True))
        yield from re.finditer(rf"(?<![\w.-])(?<!than ){_NUMBER}\s+(?:{behind})(?!\w)", text, re.IGNORECASE)
    parts = set(tokens(name.replace("_", " ")))
    for verb, about in _SAYING.items():
        if parts & set(about):
            yield from re.finditer(rf"(?<!\w){verb}\s+(?:(?:exactly|only|now|just)\s+)?{_NUMBER}", text, re.IGNORECASE)

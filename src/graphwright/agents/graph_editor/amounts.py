"""The values of a new edge that stand beside its verb, read by code: "400 mg 3x a day", "two of them (count)"."""

from __future__ import annotations

import re
from typing import Any

from graphwright.agents.graph_editor.days import day_at
from graphwright.agents.graph_editor.evidence import DIGITS, NUMBERS, Evidence, numbers_in
from graphwright.agents.graph_editor.places import Place, node_at, quotes, words_at
from graphwright.agents.graph_editor.words import plain, tokens
from graphwright.graphstore.elements import TypeSchema

_NUMBER = re.compile(rf"{DIGITS.pattern}|(?<!\w)(?:{'|'.join(NUMBERS)})(?!\w)", re.IGNORECASE)
_TIMES = re.compile(r"\s*(?:x|times|mal)?\s*(?:(?:a|per|every|each|am|pro)\s+(?P<unit>\w+)|(?P<daily>daily|täglich))")


def amounts(kind: TypeSchema, part: Place, verb: Place, evidence: Evidence) -> dict[str, Any] | None:
    """What a part of the request gives to an edge of this type; None where it holds a value that is not surely its own.

    A number belongs to the property that is named beside it, or whose unit stands behind it.
    """
    text = evidence.text
    if any(place.meets(part) for place in quotes(text)):
        return None
    found: dict[str, Any] = {}
    nodes = (*evidence.mentions.nodes, *evidence.mentions.partly)
    taken = [place for node in nodes for place in node_at(node, evidence)]
    numbers = {name for name, kinds in kind.properties.items() if "number" in kinds}
    day = day_at(text, part)
    if day is not None:
        # Of one date and one property for dates nothing else can be meant.
        dated = [name for name, kinds in kind.properties.items() if "text" in kinds and words_at(name, text)]
        if len(dated) != 1:
            return None
        found[dated[0]] = day.iso
        taken.append(day.place)
    for number in _NUMBER.finditer(text, part.start, part.end):
        place = Place(*number.span())
        if any(place.meets(other) for other in taken):
            continue
        if number.group().casefold() == "one" and _counts(text[place.end : part.end], evidence):
            # "one ticket" is a ticket.
            continue
        name = _property(place, part, numbers, text)
        amount = numbers_in(plain(number.group()))
        if name is None or name in found or not amount:
            return None
        found[name] = int(amount[0]) if amount[0].is_integer() else amount[0]
    return found


def _counts(behind: str, evidence: Evidence) -> bool:
    """Whether a label follows."""
    word = next(iter(tokens(behind)), "")
    return any(plain(one.label) == word for one in evidence.schema.labels)


def _property(place: Place, part: Place, names: set[str], text: str) -> str | None:
    behind = plain(text[place.end : part.end])
    unit = re.match(r"\s*([^\W\d_]+)", behind)
    times = _TIMES.match(behind)
    fitting = set()
    for name in names:
        words = tokens(name.replace("_", " "))
        if times is not None and words[:1] == ["per"]:
            if (times["unit"] or "day") in words:
                fitting.add(name)
        elif words[:1] != ["per"] and unit is not None and unit[1] in (words[-1], f"{words[-1]}s"):
            fitting.add(name)
        if any(found.meets(part) for found in words_at(name, text)):
            near = [found for found in words_at(name, text) if found.meets(part)]
            # Beside it: directly before, or behind in brackets or after "of them".
            if any(
                re.fullmatch(r"[\s(:=]*(?:(?:of|is)\s+(?:them|it)?\s*)?\(?\s*", _between(place, at, text))
                for at in near
            ):
                fitting.add(name)
    return fitting.pop() if len(fitting) == 1 else None


def _between(one: Place, other: Place, text: str) -> str:
    return plain(text[min(one.end, other.end) : max(one.start, other.start)]) + " "

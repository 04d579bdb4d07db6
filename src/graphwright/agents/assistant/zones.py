"""Time zones as arguments of tools: those of the places that a question names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from graphwright.text.folding import without_accents

_ARGUMENT = re.compile(r"(?:^|_)(?:tz|zone|timezone)(?:_?(?:name|id))?$|^time_?zone", re.IGNORECASE)
_REGIONS = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
_NO_PLACES = frozenset(("center", "east", "easter", "knox", "north", "south", "troll", "west"))
"""Names of zones that are rather other words."""

_ALSO = {
    **{"athen": "Europe/Athens", "bruessel": "Europe/Brussels", "brussel": "Europe/Brussels", "japan": "Asia/Tokyo"},
    **{"china": "Asia/Shanghai", "peking": "Asia/Shanghai", "beijing": "Asia/Shanghai", "india": "Asia/Kolkata"},
    **{"indien": "Asia/Kolkata", "kopenhagen": "Europe/Copenhagen", "lissabon": "Europe/Lisbon"},
    **{"moskau": "Europe/Moscow", "prag": "Europe/Prague", "rom": "Europe/Rome", "tokio": "Asia/Tokyo"},
    **{"warschau": "Europe/Warsaw", "wien": "Europe/Vienna", "korea": "Asia/Seoul", "schweiz": "Europe/Zurich"},
    **{"switzerland": "Europe/Zurich", "germany": "Europe/Berlin", "deutschland": "Europe/Berlin"},
    **{"france": "Europe/Paris", "frankreich": "Europe/Paris", "italy": "Europe/Rome", "italien": "Europe/Rome"},
    **{"sweden": "Europe/Stockholm", "schweden": "Europe/Stockholm", "england": "Europe/London", "utc": "UTC"},
    **{"gmt": "GMT", "genf": "Europe/Zurich", "geneva": "Europe/Zurich", "villigen": "Europe/Zurich"},
    **{"grenoble": "Europe/Paris", "hamburg": "Europe/Berlin", "munich": "Europe/Berlin", "muenchen": "Europe/Berlin"},
    **{"munchen": "Europe/Berlin", "trieste": "Europe/Rome", "triest": "Europe/Rome"},
}
"""Places without a zone of their name, and German names."""

_NAME = re.compile(r"(?<!\w)[A-ZÄÖÜ][\w.'’]*(?:[ -][A-ZÄÖÜ][\w.'’]*){0,3}")


@cache
def _zones() -> dict[str, str]:
    """The time zones by the names of their places, as `_plain` gives them."""
    found: dict[str, str] = {}
    # Of several zones of one name the one with the shortest way to it.
    for zone in sorted(available_timezones(), key=lambda each: (each.count("/"), each)):
        region, _, place = zone.partition("/")
        name = _plain(place.rpartition("/")[2])
        if region in _REGIONS and name and name not in _NO_PLACES:
            found.setdefault(name, zone)
    return {**found, **_ALSO}


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", " ", without_accents(name)).strip()


def named_zones(text: str) -> list[str]:
    """The time zones of the places that a text names with a capital, each once, in its order."""
    zones = _zones()
    found = []
    for run in _NAME.findall(text):
        parts = _plain(run).split()
        # "New York", not "York"; of a run of names every one is looked at.
        place = 0
        while place < len(parts):
            names = (" ".join(parts[place:end]) for end in range(len(parts), place, -1))
            name = next((each for each in names if each in zones), "")
            if name:
                found.append(zones[name])
            place += len(name.split()) or 1
    return list(dict.fromkeys(found))


def zone_of(argument: str, properties: Mapping[str, Any], text: str) -> str:
    """The time zone that a call needs, where the question names one place; empty where code cannot tell.

    `properties` are the arguments of the tool: of several time zones code does not know which is which.
    """
    if [each for each in properties if _ARGUMENT.search(each)] != [argument]:
        return ""
    facts = properties[argument]
    options = facts.get("enum") if isinstance(facts, Mapping) else None
    named = [zone for zone in named_zones(text) if not isinstance(options, list) or zone in options]
    return named[0] if len(named) == 1 else ""

"""The tools that this agent knows by name, and what their values are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from graphwright.agents.assistant.settings import accelerators_of

KNOWLEDGE = "search_accelerator_knowledge"
LOG = "search_elog"
THREAD = "get_elog_thread"
OWN = frozenset((KNOWLEDGE, LOG, THREAD))
"""The tools whose use code knows."""

SINCE = frozenset(("since", "from_date", "date_from", "start_date", "after", "start"))
UNTIL = frozenset(("until", "to_date", "date_to", "end_date", "before", "end"))
QUERY = frozenset(("query", "q", "search", "search_query", "text", "keywords", "search_term"))
COUNT = frozenset(("limit", "max_results", "count", "n", "top_k", "num_results", "max_count"))
"""Names of arguments, by what they hold."""

ANY = frozenset(("", "all", "any", "alle", "*"))
"""Values of an argument that restrict nothing."""

VOCABULARY = [
    ["beam dump", "dump", "Abwurf", "Strahlabwurf"],
    ["beam loss", "Strahlverlust"],
    ["lifetime", "Lebensdauer"],
    ["fill pattern", "filling pattern", "Füllmuster"],
    ["leak", "Leck"],
    ["ion pump", "Ionenpumpe"],
    ["operating point", "tune", "Arbeitspunkt"],
    ["cooling water", "Kühlwasser"],
    ["beam position monitor", "BPM"],
    ["injection efficiency", "Injektionswirkungsgrad"],
    ["post mortem", "Post-mortem-Daten"],
    ["machine day", "Maschinentag"],
    ["overtemperature", "Übertemperatur"],
    ["circumference", "Umfang"],
    ["cause", "Ursache"],
]
"""Words of accelerators that mean the same, English and German: those of the sample, until `synonyms` is set."""


def vocabulary_of(settings: Mapping[str, Any]) -> Sequence[Sequence[str]]:
    """Names of the same things, a list each: the setting `synonyms`, else some common words."""
    found: Sequence[Sequence[str]] = settings.get("synonyms", VOCABULARY)
    return found


@cache
def _groups() -> tuple[tuple[str, ...], ...]:
    from graphwright.logbook.words import groups

    return groups()


def synonyms_of(settings: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """What values are called, by the value in lower case: accelerators as set, categories and systems of logbooks.

    Other words that mean the same stand there as well, by the first of them.
    """
    found: dict[str, Sequence[str]] = {name.casefold(): others for name, others in accelerators_of(settings).items()}
    for name, *others in _groups():
        found[name.casefold()] = others
    for name, *others in vocabulary_of(settings):
        # A value that has the same name keeps its own words.
        found.setdefault(name.casefold(), others)
    return found

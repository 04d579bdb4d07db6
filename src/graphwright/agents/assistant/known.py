"""The tools that this agent knows by name, and what their values are called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from graphwright.agents.assistant.settings import accelerators_of
from graphwright.agents.assistant.words import listed

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

_CHANGING = listed("""
    abort acknowledge activate add allow append apply approve archive arm assign ban block book buy cancel checkout
    clear close commit configure connect create deactivate delete deny deploy destroy disable disarm disconnect
    drop dump edit email enable erase exec execute fire grant inject insert install invite invoke kill launch lock mail
    merge modify move notify open overwrite patch pay post power press publish purge push put ramp reboot register
    release remove rename replace reply reserve reset restart restore resume revoke run save schedule send set shell
    shutdown sign start stop store submit subscribe switch terminate toggle transfer trigger trip turn unblock uninstall
    unlock unregister update upload wipe write
    """)
_READING = listed("""
    check count describe diff download explain fetch find get has inspect is list lookup look preview query read
    retrieve search show status summarize view
    """)
_TOLD = listed("count history info list log logs search state statistics status summary")
"""What comes after a noun that could be a verb, as in `power_status`."""

_NOUNS = listed("dump email fire mail power ramp release reply run schedule shell store trip")
_ALSO = {
    "add": "füge|ergänze",
    "close": "schließ|schliess",
    "create": "make|erstell|leg|anleg",
    "delete": "remove|erase|lösch|entfern",
    "dump": "verwirf|abwerf",
    "edit": "änder|bearbeit",
    "email": "mail|send|schick|sende",
    "execute": "run|führ|ausführ",
    "mail": "email|send|schick|sende",
    "modify": "change|änder",
    "move": "verschieb",
    "notify": "tell|inform|benachrichtig",
    "open": "öffne",
    "post": "publish|veröffentlich|schreib",
    "reboot": "restart|starte",
    "remove": "delete|lösch|entfern",
    "rename": "umbenenn|benenn",
    "reset": "setz",
    "restart": "reboot|starte",
    "run": "execute|führ|ausführ|starte",
    "send": "mail|email|schick|sende",
    "set": "stell|setz",
    "start": "starte",
    "stop": "stopp|halt",
    "turn": "switch|schalt",
    "switch": "turn|schalt",
    "update": "change|änder|aktualisier",
    "upload": "lade|hochlad",
    "write": "save|add|schreib|speicher|trag|eintrag",
}
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")
_ASKS = re.compile(
    r"^\W*(?:who|what|which|when|where|why|how|whose|did|do|does|has|have|had|is|are|was|were|wer|was|welche\w*|wann|"
    r"wo|warum|wieso|weshalb|wie|wurden?|hat|haben|hatte|ist|sind|war|waren)\b",
    re.IGNORECASE,
)
_REQUESTED = re.compile(
    r"\b(?:please|bitte|(?:can|could|would|will) you|(?:kannst|könntest|würdest) du|(?:können|könnten|würden) sie)\b",
    re.IGNORECASE,
)


def changes_something(tool: str) -> str:
    """The verb by which a tool's name says that it changes the world; empty where it only reads."""
    parts: list[str] = [
        part.casefold() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", tool.rpartition("__")[2] or tool)
    ]
    if parts and parts[0] in _READING and "and" not in parts:
        return ""
    for part, following in zip(parts[:2], [*parts[1:], ""], strict=False):
        if part in _CHANGING and not (part in _NOUNS and following in _TOLD):
            return part
    return next((part for part in parts[2:] if "and" in parts and part in _CHANGING), "")


def asks_for(question: str, verb: str) -> bool:
    """Whether a question asks to do what a verb says, in English or German: "delete it", not "who deleted it?"."""
    # German has the stem of an imperative or an infinitive.
    wanted = re.compile(rf"\b(?:{verb}|(?:{_ALSO.get(verb, verb)})(?:e|en|n)?)\b", re.IGNORECASE)
    return any(
        wanted.search(sentence) is not None
        for sentence in _SENTENCES.split(question)
        if _ASKS.match(sentence) is None or _REQUESTED.search(sentence) is not None
    )


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

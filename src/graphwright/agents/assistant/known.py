"""The tools that this agent knows by name, and what their values are called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from graphwright.agents.assistant.settings import accelerators_of

KNOWLEDGE = "search_accelerator_knowledge"
LOG = "search_elog"
THREAD = "get_elog_thread"

SINCE = frozenset(("since", "from_date", "date_from", "start_date", "after", "start"))
UNTIL = frozenset(("until", "to_date", "date_to", "end_date", "before", "end"))
QUERY = frozenset(("query", "q", "search", "search_query", "text", "keywords", "search_term"))
COUNT = frozenset(("limit", "max_results", "count", "n", "top_k", "num_results", "max_count"))
"""Names of arguments, by what they hold."""

ANY = frozenset(("", "all", "any", "alle", "*"))
"""Values of an argument that restrict nothing."""

_CHANGING = (
    *(
        "add",
        "append",
        "close",
        "commit",
        "create",
        "delete",
        "deploy",
        "drop",
        "edit",
        "execute",
        "insert",
        "merge",
        "modify",
    ),
    *(
        "move",
        "post",
        "publish",
        "push",
        "put",
        "remove",
        "rename",
        "reset",
        "restart",
        "run",
        "send",
        "set",
        "start",
        "stop",
    ),
    *("submit", "trigger", "update", "upload", "write", "checkout", "kill", "toggle", "approve", "mail", "cancel"),
)
_ALSO = {
    **{
        "add": "füge|ergänze|hinzu",
        "create": "make|erstell|anleg|leg",
        "delete": "remove|lösch|entfern",
        "remove": "delete|lösch",
    },
    **{
        "send": "mail|schick|send",
        "write": "schreib|save|speicher",
        "update": "change|änder|aktualisier",
        "edit": "änder|bearbeit",
    },
    **{
        "run": "execute|führ|starte",
        "set": "stell|setz",
        "move": "verschieb",
        "rename": "umbenenn",
        "execute": "run|führ",
    },
    **{
        "post": "veröffentlich|post",
        "stop": "stopp|halt",
        "start": "starte",
        "commit": "commit",
        "upload": "hochlad|lade",
    },
}


def changes_something(tool: str) -> str:
    """The verb by which a tool's name says that it changes the world; empty where it only reads."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", tool.rpartition("__")[2] or tool)
    return next((part.casefold() for part in parts[:2] if part.casefold() in _CHANGING), "")


def asks_for(question: str, verb: str) -> bool:
    """Whether a question itself asks for what a verb says, in English or German."""
    return re.search(rf"\b(?:{verb}|{_ALSO.get(verb, verb)})", question, re.IGNORECASE) is not None


@cache
def _groups() -> tuple[tuple[str, ...], ...]:
    from graphwright.logbook.words import groups

    return groups()


def synonyms_of(settings: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """What values are called, by the value in lower case: accelerators as set, categories and systems of logbooks."""
    found: dict[str, Sequence[str]] = {name.casefold(): others for name, others in accelerators_of(settings).items()}
    for name, *others in _groups():
        found[name.casefold()] = others
    return found

"""The settings of an installation: the table `[agents.assistant]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ALIASES = {"type": "array", "items": {"type": "string", "minLength": 1}}

SETTINGS: dict[str, dict[str, Any]] = {
    "institute": {
        "type": "string",
        "minLength": 1,
        "maxLength": 200,
        "default": "Nordlicht Institute",
        "description": "the institute that the assistant belongs to",
    },
    "identity": {
        "type": "string",
        "minLength": 1,
        "maxLength": 2_000,
        "default": "You are the research assistant of the Nordlicht Institute and its light source Aurora.",
        "description": "who the assistant is, as the first sentences of what every prompt says of it",
    },
    "accelerators": {
        "anyOf": [_ALIASES, {"type": "object", "additionalProperties": _ALIASES}],
        "default": ["aurora", "booster", "linac"],
        "description": "the names of the accelerators as the tools know them; as a table also what people call each",
    },
    "synonyms": {
        "type": "array",
        "items": {**_ALIASES, "minItems": 2},
        "examples": [[["beam dump", "Abwurf"], ["lifetime", "Lebensdauer"]]],
        "description": "names of the same thing, a list each, in all languages: lists of entries are searched by each",
    },
    "language": {
        "type": "string",
        "pattern": "^(auto|[a-z]{2})$",
        "default": "auto",
        "description": "the language of the answers as an ISO 639-1 code, or auto for that of the question",
    },
    "languages": {
        "type": "array",
        "items": {"type": "string", "pattern": "^[a-z]{2}$"},
        "minItems": 1,
        "default": ["en", "de"],
        "description": "the languages that questions are asked in; the first one is taken where none can be told",
    },
    "max_iterations": {
        "type": "integer",
        "minimum": 1,
        "maximum": 10,
        "default": 3,
        "description": "how many rounds of tool calls a question may take",
    },
    "knowledge": {
        "type": "string",
        "default": "",
        "description": "the folder of documents that search_accelerator_knowledge looks into; empty for the sample",
    },
    "embeddings": {
        "type": "string",
        "default": "",
        "description": "the model of embeddings that searches of documents use beside words; empty for words alone",
    },
    "elog": {
        "type": "string",
        "default": "",
        "description": "the address of the electronic logbook, https://HOST/LOGBOOK; empty for the built-in sample",
    },
}

KNOWN_AS = {
    "aurora": ["storage ring", "speicherring"],
    "booster": ["booster synchrotron", "boostersynchrotron"],
    "linac": ["linear accelerator", "linearbeschleuniger"],
}
"""What people call the accelerators of the sample."""


def setting(settings: Mapping[str, Any], name: str) -> Any:
    """A setting of the installation, else its default."""
    return settings.get(name, SETTINGS[name]["default"])


def identity_of(settings: Mapping[str, Any]) -> str:
    """Who the assistant is: as set, else by the name of the institute."""
    if "identity" not in settings and "institute" in settings:
        return f"You are the research assistant of {settings['institute']}."
    return str(setting(settings, "identity"))


def accelerators_of(settings: Mapping[str, Any]) -> dict[str, list[str]]:
    """The accelerators, each with what people call it beside its name, in lower case."""
    named = setting(settings, "accelerators")
    if isinstance(named, Mapping):
        return {name: [each.casefold() for each in others] for name, others in named.items()}
    return {name: KNOWN_AS.get(name, []) for name in named}

"""The settings of an installation: the table `[agents.assistant]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NAMES = {"type": "array", "items": {"type": "string", "minLength": 1}}
_TEXT = {"type": "string", "default": ""}

SETTINGS: dict[str, dict[str, Any]] = {
    "institute": {"type": "string", "minLength": 1, "maxLength": 200, "description": "whose assistant it is"},
    "identity": {
        "type": "string",
        "minLength": 1,
        "maxLength": 2_000,
        "description": "who the assistant is, as the first sentences of what every prompt says of it",
    },
    "accelerators": {
        "anyOf": [_NAMES, {"type": "object", "additionalProperties": _NAMES}],
        "default": [],
        "description": "the names of the accelerators as the tools know them; as a table also what people call each",
    },
    "language": {
        "type": "string",
        "pattern": "^(auto|[a-z]{2})$",
        "default": "auto",
        "description": "the language of the answers as an ISO 639-1 code, or auto for that of the question",
    },
    "max_iterations": {
        "type": "integer",
        "minimum": 1,
        "maximum": 10,
        "default": 3,
        "description": "how many rounds of tool calls a question may take",
    },
    "read_only": {
        **_NAMES,
        "default": [],
        "examples": [["clock", "files__read_file"]],
        "description": "servers, or tools as SERVER__TOOL, that change nothing: the user is not asked",
    },
    "changing": {
        **_NAMES,
        "default": [],
        "examples": [["plant", "files__move_file"]],
        "description": "servers, or tools as SERVER__TOOL, whose every call waits for a yes",
    },
    "vision": {"type": "boolean", "description": "whether the model takes pictures; else as its provider says"},
    "knowledge": {**_TEXT, "description": "the folder of documents to search; empty for what was indexed"},
    "embeddings": {**_TEXT, "description": "the model of embeddings that searches use beside words; empty for none"},
    "elog": {**_TEXT, "description": "the address of the logbook, https://HOST/LOGBOOK; empty for the built-in one"},
}


def setting(settings: Mapping[str, Any], name: str) -> Any:
    """Return a setting of the installation, or its default."""
    return settings.get(name, SETTINGS[name]["default"])


def identity_of(settings: Mapping[str, Any], *, sample: bool) -> str:
    """Return the identity of the assistant: as configured, else by the name of the institute (that of the samples)."""
    institute = settings.get("institute", "the Nordlicht Institute and its light source Aurora" if sample else "")
    named = f"You are the research assistant of {institute}." if institute else "You are a research assistant."
    return str(settings.get("identity", named))


def language_set(settings: Mapping[str, Any]) -> str:
    """Return the code of the configured language of all answers; empty for that of the question."""
    code = str(setting(settings, "language"))
    return "" if code == "auto" else code


def language_of(settings: Mapping[str, Any]) -> str:
    """Return the language of the answers in words, for a prompt."""
    code = language_set(settings)
    return f"the language with the ISO 639-1 code {code}" if code else "the language of the question"

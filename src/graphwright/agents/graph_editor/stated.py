"""The properties that the user stated, in the graph's names and spellings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphwright.agents.graph_editor.evidence import (
    Evidence,
    canonical_property,
    like,
    number_of,
    put_into,
    spelled,
)
from graphwright.agents.graph_editor.words import plain, squeezed

_ARTICLE = re.compile(r"^(?:the|a|an|its|his|her)\s+", re.IGNORECASE)


def said_properties(
    properties: Mapping[str, Any],
    evidence: Evidence,
    identity: tuple[str, ...],
    *,
    labels: tuple[str, ...] = (),
    types: tuple[str, ...] = (),
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The properties that the user said, in the graph's names and spellings, and the names of the others."""
    kept: dict[str, Any] = {}
    dropped = []
    own = evidence.property_names(labels, types)
    # What the user called by its name comes first: a value that stands there already is not written twice.
    for name, value in sorted(properties.items(), key=lambda item: not evidence.says(item[0])):
        known = canonical_property(name, own) or canonical_property(name, evidence.property_names())
        proper = known or _ARTICLE.sub("", name.strip()).replace(" ", "_")
        value = next((stands for out, stands in evidence.settled.items() if like(out, value)), value)
        if known is None and _repeats(name, value, identity, evidence):
            continue
        foreign = bool(own) and proper not in own and not evidence.says(name)
        again = isinstance(value, str) and any(like(value, other) for other in kept.values())
        value = usual(value, proper, labels, evidence)
        if (
            foreign
            or (again and not evidence.says(name))
            or not _is_said(name, proper, value, evidence)
            or _other_kind(name, proper, value, labels, evidence)
            or _made_of_a_verb(name, proper, value, labels, evidence)
        ):
            dropped.append(name)
            continue
        kept[proper] = value
    return kept, tuple(dropped)


def _repeats(name: str, value: Any, identity: tuple[str, ...], evidence: Evidence) -> bool:
    """Whether a property only says again what label and key say, which models like to do."""
    if plain(name) in ("key", "label", "id", "type"):
        return True
    return not evidence.says(name) and isinstance(value, str) and any(like(value, each) for each in identity)


def _is_said(name: str, proper: str, value: Any, evidence: Evidence) -> bool:
    """Whether the user said this of the node.

    The name of the property need not be said, unless the value alone says nothing: true, or a whole sentence.
    """
    if value is None or value == "" or not evidence.says(value):
        return False
    loose = isinstance(value, str) and len(value.split()) > 4 and value not in evidence.mentions.quoted
    if loose and squeezed(proper) in squeezed(value):
        # "Note that T-1 depends on T-2" is no note.
        return False
    return not (loose or isinstance(value, bool)) or evidence.says(name) or evidence.says(proper)


def _kinds(name: str, labels: tuple[str, ...], evidence: Evidence) -> set[str]:
    """The kinds of values that a property has on nodes of these labels."""
    schemas = [schema for label in labels if (schema := evidence.label_schema(label)) is not None]
    return {kind for schema in schemas for kind in schema.properties.get(name, ())}


def _other_kind(name: str, proper: str, value: Any, labels: tuple[str, ...], evidence: Evidence) -> bool:
    """Whether a text would stand where the graph has numbers only, and the user did not call the property by name."""
    return isinstance(value, str) and _kinds(proper, labels, evidence) == {"number"} and not evidence.says(name)


def _made_of_a_verb(name: str, proper: str, value: Any, labels: tuple[str, ...], evidence: Evidence) -> bool:
    """Whether the value only echoes a verb of the request: who "is treating" somebody sets no status to "treated".

    It does where the graph has this value, or the user called the property by name.
    """
    if not isinstance(value, str) or spelled(value, evidence.text) or put_into(value, evidence.text):
        return False
    stored = (stored for label in labels for stored, _ in evidence.store.values(label, proper))
    return not evidence.says(name) and not evidence.says(proper) and not any(like(each, value) for each in stored)


_YES, _NO = {"yes", "true", "on", "ja", "oui", "sí", "はい"}, {"no", "false", "off", "nein", "non", "いいえ"}


def usual(value: Any, name: str, labels: tuple[str, ...], evidence: Evidence) -> Any:
    """A value as the graph spells it, unless the user put another spelling in quotes; its kind as the graph has it."""
    for label in labels:
        schema = evidence.label_schema(label)
        if schema is None or name not in schema.properties:
            continue
        for stored, _ in evidence.store.values(label, name):
            if stored == value:
                return value
            if isinstance(value, str) and isinstance(stored, str) and like(stored, value):
                return value if value in evidence.mentions.quoted else stored
        if schema.properties[name] == ("boolean",) and isinstance(value, str) and plain(value) in _YES | _NO:
            return plain(value) in _YES
        if schema.properties[name] == ("number",) and isinstance(value, str) and value not in evidence.mentions.quoted:
            return number_of(value)
    return value

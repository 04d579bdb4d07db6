"""The properties that the user stated, in the graph's names and spellings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from graphwright.agents.graph_editor.bindings import (
    as_spelled,
    given_to,
    is_name,
    is_state,
    is_value,
    looks_given,
    of_these,
    plainly_of,
    said_as,
)
from graphwright.agents.graph_editor.days import days_in
from graphwright.agents.graph_editor.evidence import (
    Evidence,
    canonical_property,
    like,
    number_of,
    put_into,
    spelled,
)
from graphwright.agents.graph_editor.places import value_at
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
    # A word that only the model takes for a property takes no value from one that the graph has.
    names = {*evidence.property_names(), "name", "title"}
    # What the user called by its name comes first: a value that stands there already is not written twice.
    for name, value in sorted(properties.items(), key=lambda item: not evidence.says(item[0])):
        known = canonical_property(name, own) or canonical_property(name, evidence.property_names())
        proper = known or _ARTICLE.sub("", name.strip()).replace(" ", "_")
        value = _without_stop(value, evidence)
        value = next((stands for out, stands in evidence.settled.items() if like(out, value)), value)
        if known is None and _repeats(name, value, identity, evidence):
            continue
        foreign = _foreign(proper, own, value, identity, labels, types, evidence)
        again = isinstance(value, str) and any(like(value, other) for other in kept.values())
        value = usual(as_spelled(proper, value, evidence), proper, labels, types, evidence)
        chosen = any(like(value, each) for each in evidence.settled.values())
        if (
            foreign
            or (known is None and not chosen and not is_name(proper, value, kept.values(), identity, evidence))
            or not (chosen or said_as(proper, value, names, evidence))
            or not is_value(value, proper, _stored(proper, labels, evidence), evidence)
            or not (chosen or of_these(value, _keys(identity), evidence))
            or (again and not evidence.says(name))
            or not _is_said(name, proper, value, evidence)
            or _other_kind(proper, value, labels, types, evidence)
            or _of_another(proper, value, own, labels, evidence)
            or _part_of_a_day(value, evidence)
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
    if isinstance(value, bool):
        return spelled(name, evidence.text) or spelled(proper, evidence.text)
    return not loose or evidence.says(name) or evidence.says(proper)


def guessed(arguments: Mapping[str, Any], evidence: Evidence) -> bool:
    """Whether a call has a text of which only the model says that it is a value of this property.

    The request neither calls the property by its name nor sets the text off, and the graph has no such value there.
    """
    labels = (arguments["label"],) if arguments.get("label") else ()
    familiar = evidence.property_names()
    if any(_near_miss(value, _stored(name, labels, evidence)) for name, value in _texts(arguments)):
        return True
    return any(
        not spelled(name, evidence.text)
        and not is_state(name, value, evidence)
        and not (looks_given(value, evidence) and (name in familiar or squeezed(name) in ("name", "title")))
        and not put_into(str(value), evidence.text)
        and not any(like(each, value) for each in _stored(name, labels, evidence))
        for name, value in (arguments.get("properties") or {}).items()
        if value is not None
    )


def _texts(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(n, v) for n, v in (arguments.get("properties") or {}).items() if isinstance(v, str)]


def _near_miss(value: str, stored: Sequence[Any]) -> bool:
    """Whether a word is hardly another than one that the graph has: "stabel"."""
    if not value.isalpha() or any(like(each, value) for each in stored):
        return False
    return bool(get_close_matches(plain(value), [plain(each) for each in stored if isinstance(each, str)], 1, 0.8))


def _keys(identity: tuple[str, ...]) -> tuple[str, ...]:
    """The keys in an identity: of (label, key), or of (type, key, key)."""
    return identity[1:]


def _stored(name: str, labels: tuple[str, ...], evidence: Evidence) -> list[Any]:
    having = [one.label for one in evidence.schema.labels if one.label in labels and name in one.properties]
    return [value for label in having for value, _ in evidence.store.values(label, name)]


def _without_stop(value: Any, evidence: Evidence) -> Any:
    """A word without the full stop of its sentence, which models copy with it."""
    if not isinstance(value, str) or value in evidence.mentions.quoted or re.search(r"\s", value):
        return value
    return re.sub(r"(?<=\w)[.,;:!?。]$", "", value)


def _foreign(
    proper: str,
    own: Sequence[str],
    value: Any,
    identity: tuple[str, ...],
    labels: tuple[str, ...],
    types: tuple[str, ...],
    evidence: Evidence,
) -> bool:
    """Whether a property is one of other nodes or edges only, and the user did not plainly give it to this one."""
    schema = evidence.schema
    known = any(one.label in labels for one in schema.labels) or any(one.type in types for one in schema.types)
    if not known or proper in own:
        return False
    if not spelled(proper, evidence.text):
        return bool(own) or (proper in evidence.property_names() and not is_state(proper, value, evidence))
    if types and not any(kind in evidence.text for kind in types):
        # The name of a node stands beside its edges, too.
        return proper in evidence.property_names()
    return proper in evidence.property_names() and not plainly_of(proper, value, _keys(identity), evidence)


def _kinds(name: str, labels: tuple[str, ...], types: tuple[str, ...], evidence: Evidence) -> set[str]:
    """The kinds of values that a property has on nodes of these labels, or edges of these types."""
    schemas = [one.properties for one in evidence.schema.labels if one.label in labels]
    schemas += [one.properties for one in evidence.schema.types if one.type in types]
    return {kind for properties in schemas for kind in properties.get(name, ())}


def _kind(value: Any) -> str:
    """The kind of a value as a schema names it."""
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case list():
            return "list"
    return "text"


def _other_kind(proper: str, value: Any, labels: tuple[str, ...], types: tuple[str, ...], evidence: Evidence) -> bool:
    """Whether the graph has other kinds of values there, and the user did not give the property this one by name."""
    kinds = _kinds(proper, labels, types, evidence)
    if not kinds or _kind(value) in kinds:
        return False
    if isinstance(value, bool | list):
        return True
    return not (spelled(proper, evidence.text) and given_to(proper, value, evidence))


def _of_another(proper: str, value: Any, own: Sequence[str], labels: tuple[str, ...], evidence: Evidence) -> bool:
    """Whether a text is a value of another property of such nodes, and none of this one."""
    if not isinstance(value, str) or spelled(proper, evidence.text):
        return False
    having = {name for name in own if any(like(each, value) for each in _stored(name, labels, evidence))}
    return bool(having) and proper not in having


def _part_of_a_day(value: Any, evidence: Evidence) -> bool:
    """Whether a text is only a part of a date in words: the October of "the 17th of October 2026"."""
    places = value_at(value, evidence.text) if isinstance(value, str) else ()
    days = [day.place for day in days_in(evidence.text)] if places else []
    return bool(places) and all(
        any(day.start <= place.start and place.end <= day.end and place != day for day in days) for place in places
    )


def _made_of_a_verb(name: str, proper: str, value: Any, labels: tuple[str, ...], evidence: Evidence) -> bool:
    """Whether the value only echoes a verb of the request: who "is treating" somebody sets no status to "treated".

    It does where the graph has this value, or the user called the property by name.
    """
    if not isinstance(value, str) or spelled(value, evidence.text) or put_into(value, evidence.text):
        return False
    stored = (stored for label in labels for stored, _ in evidence.store.values(label, proper))
    return not evidence.says(name) and not evidence.says(proper) and not any(like(each, value) for each in stored)


_YES, _NO = {"yes", "true", "on", "ja", "oui", "sí", "はい"}, {"no", "false", "off", "nein", "non", "いいえ"}


def usual(value: Any, name: str, labels: tuple[str, ...], types: tuple[str, ...], evidence: Evidence) -> Any:
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
    if _kinds(name, (), types, evidence) == {"number"} and isinstance(value, str):
        return number_of(value)
    return value

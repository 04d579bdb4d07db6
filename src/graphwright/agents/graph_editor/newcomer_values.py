"""The values that a request states for a node that is to be made: "from the customer X", "she is a resident"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from graphwright.agents.graph_editor.evidence import Evidence, like
from graphwright.agents.graph_editor.places import Place, clauses_of, quotes, things, within, words_at
from graphwright.agents.graph_editor.told import told_numbers
from graphwright.agents.graph_editor.values import few_values, values_said
from graphwright.agents.graph_editor.words import leaves_open, plain, supposes

_IS = r"(?:he|she|it|they|this|that|er|sie|es|il|elle)\s+(?:is|are|ist|sind|est)"
_PROPER = re.compile(
    r"\s+(?P<value>[^\W\d_][\w'&.-]*(?:\s+[^\W\d_][\w'&.-]*){0,4}?)\s*(?=[:;,.!?]|$|\s(?:and|with|und|mit)\s)"
)
MOST_VALUES = 500


def stated_values(label: str, key: str, given: Mapping[str, Any], evidence: Evidence) -> dict[str, Any]:
    """The values of properties of such nodes that the request plainly states beside those `given`.

    Nothing where it makes several nodes, or leaves anything open; and nothing from a clause that names another node.
    """
    schema = evidence.label_schema(label)
    text = evidence.text
    if schema is None or supposes(text) or leaves_open(text) or evidence.settled:
        return {}
    new = {each for each in things(evidence, key) if not evidence.store.find([each])}
    if new - {key} or key not in things(evidence, key):
        return {}
    found: dict[str, list[Any]] = {}
    for name, value in _stated(label, key, evidence):
        if name not in given and not any(like(value, each) for each in found.setdefault(name, [])):
            found[name].append(value)
    used = [value for value in given.values() if isinstance(value, str)]
    return {
        name: values[0]
        for name, values in found.items()
        if len(values) == 1 and not any(like(values[0], each) for each in used)
    }


def _stated(label: str, key: str, evidence: Evidence) -> Iterator[tuple[str, Any]]:
    schema = evidence.label_schema(label)
    assert schema is not None
    named = things(evidence, key)
    own = [part for part in clauses_of(evidence.text) if within(part, named) <= {key}]
    for part in own:
        yield from _booleans(
            part, [n for n, kinds in schema.properties.items() if tuple(kinds) == ("boolean",)], evidence
        )
        yield from _being(part, label, evidence)
        for name in schema.properties:
            yield from _called(part, label, name, evidence)
    for told in told_numbers(evidence):
        if told.name in schema.properties and any(told.place.meets(part) for part in own):
            yield told.name, int(told.value) if told.value.is_integer() else told.value


def _booleans(part: Place, names: list[str], evidence: Evidence) -> Iterator[tuple[str, bool]]:
    """ "she is not on call" """
    clause = plain(evidence.text[part.start : part.end])
    for name in names:
        words = re.escape(plain(name.replace("_", " "))).replace(r"\ ", r"[\s-]")
        said = re.fullmatch(
            rf"(?:and\s+|but\s+)?(?:{_IS}|(?:he|she|it)'s)(?P<no>\s+not|n't)?\s+(?:currently\s+)?{words}",
            clause.strip(" .!?,;"),
        )
        if said:
            yield name, said["no"] is None


def _being(part: Place, label: str, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """ "she is a resident": a value that only one property of such nodes has."""
    text = evidence.text
    for name, value, place in values_said(evidence):
        if not place.meets(part) or not any(like(value, each) for each in few_values(label, name, evidence)):
            continue
        before, behind = plain(text[part.start : place.start]), text[place.end : part.end]
        owners = [
            n for n in evidence.property_names((label,)) if any(like(value, v) for v in few_values(label, n, evidence))
        ]
        is_it = re.fullmatch(rf"(?:and\s+|but\s+)?{_IS}(?:\s+(?:a|an|the|our|ein|eine|un|une))?", before.strip())
        if is_it and not behind.strip(" .!?,;") and owners == [name]:
            yield name, value


def _called(part: Place, label: str, name: str, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """ "from the customer Clinic Nord": a proper noun behind the name of a property, or a value that it has."""
    schema = evidence.label_schema(label)
    assert schema is not None
    text = evidence.text
    if tuple(schema.properties[name]) != ("text",) or name in ("name", "title", "summary"):
        return
    for place in words_at(name, text):
        before = text[part.start : place.start]
        if not place.meets(part) or any(place.meets(q) for q in quotes(text)):
            continue
        said = _PROPER.match(text, place.end, part.end)
        by = re.search(r"(?:\b(?:from|by|for|of|with|von|für|vom)\s+(?:the\s+|dem\s+|der\s+)?)$", before, re.IGNORECASE)
        if said is None or not by:
            continue
        value = said["value"]
        stored = [v for v, _ in evidence.store.values(label, name, most=MOST_VALUES) if like(v, value)]
        if stored or all(word[:1].isupper() for word in value.split()):
            yield name, stored[0] if stored else value

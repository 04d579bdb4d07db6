"""Grounding: a proposed value is committed only when it follows from words the user has written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphwright.runtime.reading.amounts import ground_number
from graphwright.runtime.reading.choices import ground_boolean, ground_option
from graphwright.runtime.reading.evidence import evidence_in
from graphwright.runtime.reading.options import names_of, option_for, options_of
from graphwright.runtime.reading.texts import format_of, ground_text, says_nothing
from graphwright.runtime.reading.verdicts import Grounded, Refused, shown
from graphwright.runtime.reading.words import (
    Stretch,
    fold_keeping_places,
    joined_place_of,
    loose_place_of,
    places_of,
    words_of,
)

__all__ = ["Grounded", "Refused", "ground"]

LIMIT = 100_000
"""How many characters of a message are read; a value that stands behind them is not grounded."""

_MOST_PLACES = 20
_LONGEST_QUOTE = 20_000
_DEEPEST = 8


def ground(
    message: str,
    quote: str,
    value: Any,
    schema: Mapping[str, Any],
    *,
    pending: bool,
    key: str = "",
) -> Grounded | Refused:
    """Whether `value`, proposed for a question with this JSON Schema, follows from `quote` and `quote` from `message`.

    `pending` says that the question is the one being asked, so that a bare `yes` or `2` may answer it; `key` is its
    answer key and hints at the format (`phone`). The value that comes back may have been corrected by code: a number
    is read from the quote and converted to the schema's `x-unit`, an option takes its declared spelling, an address
    is completed. Reads the first 100,000 characters of `message`. Never raises, whatever message, quote and value.
    """
    return _ground(_Task(message[:LIMIT], pending, key), quote, value, schema, _DEEPEST)


@dataclass(frozen=True, slots=True)
class _Task:
    message: str
    pending: bool
    key: str
    one_of_many: bool = False


def _ground(task: _Task, quote: str, value: Any, schema: Mapping[str, Any], depth: int) -> Grounded | Refused:
    if value is None:
        return Refused("Your message does not say it.", "empty")
    if depth == 0:
        return Refused("The value is nested too deeply to be checked against your message.", "type")
    options = options_of(schema)
    if isinstance(value, Mapping):
        return _ground_object(task, quote, value, schema, depth)
    if isinstance(value, list | tuple):
        return _ground_array(task, quote, value, schema, depth)
    branches = schema.get("anyOf") or schema.get("oneOf")
    if not options and isinstance(branches, Sequence):
        return _ground_branches(task, quote, value, schema, branches, depth)
    kind = _kind(value, schema)
    if kind in ("object", "array"):
        return Refused(f"{shown(value)} is not {'a list' if kind == 'array' else 'an object'}.", "type")
    if kind == "string" and says_nothing(value):
        return Refused("Your message does not say it.", "empty")
    places = _places(task, quote, value, schema, kind)
    if not places:
        missing = quote if quote.strip() else value
        return Refused(f"{shown(missing)} is not in your message.", "not_said")
    if kind == "string":
        # A text is held against the whole message, wherever its quote stands.
        places = places[:1]
    return _best([_ground_at(task, place, value, schema, kind) for place in places])


def _ground_at(task: _Task, place: Stretch, value: Any, schema: Mapping[str, Any], kind: str) -> Grounded | Refused:
    message, many = task.message, task.one_of_many
    if kind == "boolean":
        return ground_boolean(message, place, value, schema, pending=task.pending, key=task.key)
    if kind == "option":
        return ground_option(message, place, value, schema, pending=task.pending, one_of_many=many)
    if kind == "number":
        return ground_number(message, place, value, schema, one_of_many=many)
    return ground_text(message, place, value, format_of(schema, task.key))


def _best(verdicts: Sequence[Grounded | Refused]) -> Grounded | Refused:
    """One verdict on a quote that stands in several places. After `not LED` the last word on it counts."""
    last = verdicts[-1]
    if any(isinstance(verdict, Refused) and verdict.kind == "negated" for verdict in verdicts):
        return last
    return next((verdict for verdict in verdicts if isinstance(verdict, Grounded)), last)


def _kind(value: Any, schema: Mapping[str, Any]) -> str:
    """What a scalar is grounded as: by the schema's type, and by the value where the type leaves it open."""
    given = schema.get("type")
    types = [given] if isinstance(given, str) else [t for t in given or () if t != "null"]
    if "boolean" in types and (len(types) == 1 or isinstance(value, bool)):
        return "boolean"
    if options_of(schema):
        return "option"
    if len(types) == 1:
        return {"integer": "number"}.get(types[0], types[0])
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string"


def _places(task: _Task, quote: str, value: Any, schema: Mapping[str, Any], kind: str) -> list[Stretch]:
    """Where the quote stands in the message; where it does not, where the value itself stands."""
    message = fold_keeping_places(task.message)
    if len(quote) > _LONGEST_QUOTE:
        return []
    found = places_of(quote, message, _MOST_PLACES)
    if not found and words_of(quote):
        near = joined_place_of(quote, message) or loose_place_of(quote, message)
        found = [near] if near is not None else []
    if found:
        return found
    if kind == "number":
        # A number may stand anywhere: without the words it came from nothing says what it counts.
        return []
    if kind == "option":
        option = option_for(value, options_of(schema))
        names = names_of(option) if option is not None else ()
        found = [place for name in names for place in places_of(" ".join(name), message, _MOST_PLACES)]
        return found or [e.place for e in evidence_in(task.message, options_of(schema)) if e.option == option]
    if kind == "string":
        return places_of(str(value), message, _MOST_PLACES)
    return []


def _ground_branches(
    task: _Task, quote: str, value: Any, schema: Mapping[str, Any], branches: Sequence[Any], depth: int
) -> Grounded | Refused:
    outer = {name: part for name, part in schema.items() if name not in ("anyOf", "oneOf")}
    refused = Refused(f"{shown(value)} fits no part of what is asked for.", "type")
    for branch in branches:
        if isinstance(branch, Mapping) and branch.get("type") != "null":
            verdict = _ground(task, quote, value, {**outer, **branch}, depth - 1)
            if isinstance(verdict, Grounded):
                return verdict
            refused = verdict
    return refused


def _ground_array(
    task: _Task, quote: str, value: Sequence[Any], schema: Mapping[str, Any], depth: int
) -> Grounded | Refused:
    if not value:
        return Refused("Your message does not say it.", "empty")
    items = schema.get("items")
    each = items if isinstance(items, Mapping) else {}
    part = replace(task, one_of_many=True)
    return _together(
        task.message, [(at, _ground(part, quote, item, each, depth - 1)) for at, item in enumerate(value)], list
    )


def _ground_object(
    task: _Task, quote: str, value: Mapping[str, Any], schema: Mapping[str, Any], depth: int
) -> Grounded | Refused:
    if not value:
        return Refused("Your message does not say it.", "empty")
    properties = schema.get("properties")
    known: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
    verdicts: list[tuple[Any, Grounded | Refused]] = []
    for name, field in value.items():
        inner = known.get(name)
        part = replace(task, one_of_many=True, key=str(name))
        verdicts.append((name, _ground(part, quote, field, inner if isinstance(inner, Mapping) else {}, depth - 1)))
    return _together(task.message, verdicts, dict)


def _together(
    message: str, verdicts: Sequence[tuple[Any, Grounded | Refused]], build: type[list[Any]] | type[dict[Any, Any]]
) -> Grounded | Refused:
    """One verdict for a value of several parts: grounded when all are, over the stretch they share."""
    whole: list[Grounded] = []
    for name, verdict in verdicts:
        if isinstance(verdict, Refused):
            reason = verdict.reason if build is list else f"{name}: {verdict.reason}"
            return replace(verdict, reason=reason, suggestion=None)
        whole.append(verdict)
    start, end = min(part.start for part in whole), max(part.end for part in whole)
    values = [part.value for part in whole]
    made: Any = values if build is list else dict(zip((name for name, _ in verdicts), values, strict=True))
    return Grounded(made, message[start:end], start, end)

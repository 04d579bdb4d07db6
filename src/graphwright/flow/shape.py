"""Shapes of data: each checks a value, says what is wrong, and knows itself as JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.names import Names, listed
from graphwright.flow.reporter import Reporter
from graphwright.flow.source import Path

_LONGEST_SHOWN = 40
"""Characters of a value that a message shows."""

DROPPED = object()
"""What a value that has not the right shape becomes."""


class Shape(Protocol):
    """What a value must look like."""

    def clean(self, value: Any, path: Path, out: Reporter) -> Any:
        """The value without the parts that have the wrong shape, which are reported; `DROPPED` if nothing is left."""
        ...

    def schema(self) -> dict[str, Any]:
        """The same demand as JSON Schema."""
        ...


Refusal = tuple[Code, str, str]
"""Code, message and hint of a value of the right type that is refused all the same."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text, a number or a flag. `test` decides; `refuse` says why a value of the right type was refused."""

    expected: str
    json: Mapping[str, Any]
    test: Callable[[Any], bool]
    refuse: Callable[[Any, str], Refusal | None] = lambda value, name: None

    def clean(self, value: Any, path: Path, out: Reporter) -> Any:
        if self.test(value):
            return value
        name = _name(path)
        refusal = self.refuse(value, name)
        if refusal is None:
            message = f"{name} must be {self.expected}, not {kind_of(value)}."
            refusal = Code.WRONG_TYPE, message, _type_hint(self.expected, value)
        out.add(refusal[0], path, refusal[1], refusal[2])
        return DROPPED

    def schema(self) -> dict[str, Any]:
        return dict(self.json)


@dataclass(frozen=True, slots=True)
class Free:
    """Data that the language carries without looking into it."""

    types: tuple[type, ...] = ()
    expected: str = "anything"
    json: Mapping[str, Any] = field(default_factory=dict)

    def clean(self, value: Any, path: Path, out: Reporter) -> Any:
        if not self.types or isinstance(value, self.types):
            return value
        out.add(Code.WRONG_TYPE, path, f"{_name(path)} must be {self.expected}, not {kind_of(value)}.")
        return DROPPED

    def schema(self) -> dict[str, Any]:
        return dict(self.json)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list. With `keep_places` bad items stay as `DROPPED`, so that indexes go on meaning what they meant."""

    item: Shape
    min_items: int = 0
    keep_places: bool = False

    def clean(self, value: Any, path: Path, out: Reporter) -> Any:
        if not isinstance(value, list):
            hint = "A list has brackets: [a, b]. In YAML it may also have one `- ` item a line."
            if isinstance(value, (str, int, float)) and len(str(value)) <= _LONGEST_SHOWN:
                # As YAML, JSON and TOML take it.
                hint = f"Put it in brackets: {json.dumps([value], ensure_ascii=False)}"
            out.add(Code.WRONG_TYPE, path, f"{_name(path)} must be a list, not {kind_of(value)}.", hint)
            return DROPPED
        if len(value) < self.min_items:
            out.add(Code.OUT_OF_RANGE, path, f"{_name(path)} needs at least {self.min_items} item.")
            return DROPPED
        clean = self.item.clean
        items = [clean(item, (*path, place), out) for place, item in enumerate(value)]
        if not self.keep_places and any(item is DROPPED for item in items):
            return DROPPED
        return items

    def schema(self) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "array", "items": self.item.schema()}
        if self.min_items:
            made["minItems"] = self.min_items
        return made


@dataclass(frozen=True, slots=True)
class MapOf:
    """A mapping of names that the author chooses; `check_name` says why a name is refused."""

    item: Shape
    check_name: Callable[[str], Refusal | None]
    names: Mapping[str, Any] = field(default_factory=dict)

    def clean(self, value: Any, path: Path, out: Reporter) -> Any:
        if not isinstance(value, dict):
            out.add(Code.WRONG_TYPE, path, f"{_name(path)} must be a mapping, not {kind_of(value)}.")
            return DROPPED
        made = {}
        for name, item in value.items():
            refusal = self.check_name(name)
            if refusal is not None:
                out.add(refusal[0], (*path, name), refusal[1], refusal[2], key=True)
            kept = self.item.clean(item, (*path, name), out)
            if kept is not DROPPED and refusal is None:
                made[name] = kept
        return made

    def schema(self) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "object", "additionalProperties": self.item.schema()}
        if self.names:
            made["propertyNames"] = dict(self.names)
        return made


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record. `doc` is its description for people, in Markdown."""

    shape: Shape
    doc: str
    required: bool = False


@dataclass(frozen=True)
class Record:
    """A mapping with known fields. `elsewhere` says of a foreign field where it does belong."""

    title: str
    fields: Mapping[str, Field]
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    any_of: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", Names(self.fields))
        required = tuple(name for name, item in self.fields.items() if item.required)
        object.__setattr__(self, "required", required)

    names: Names = field(init=False, repr=False)
    required: tuple[str, ...] = field(init=False, repr=False)

    def clean(self, value: Any, path: Path, out: Reporter) -> Any:
        if not isinstance(value, dict):
            out.add(Code.WRONG_TYPE, path, f"{self.title} must be a mapping of fields, not {kind_of(value)}.")
            return DROPPED
        made = {}
        fields = self.fields
        for name, item in value.items():
            known = fields.get(name)
            if known is None:
                self._unknown(name, path, out)
                continue
            shape = known.shape
            if shape.__class__ is Scalar and shape.test(item):
                made[name] = item
                continue
            kept = shape.clean(item, (*path, name), out)
            if kept is not DROPPED:
                made[name] = kept
        for name in self.required:
            if name not in value:
                message = f"{self.title} needs the field `{name}`."
                out.add(Code.MISSING_FIELD, path, message, _first_sentence(fields[name].doc))
        if self.any_of and not any(name in value for name in self.any_of):
            message = f"{self.title} needs one of the fields {listed(self.any_of)}."
            out.add(Code.MISSING_FIELD, path, message, _first_sentence(fields[self.any_of[0]].doc))
        return made

    def _unknown(self, name: str, path: Path, out: Reporter) -> None:
        if name in self.elsewhere:
            hint = f"`{name}` is a field of {self.elsewhere[name]}."
        else:
            hint = self.names.hint(name, f"Known fields: {listed(self.fields, 24)}.")
        message = f"{self.title} has no field `{name[:60]}`."
        out.add(Code.UNKNOWN_FIELD, (*path, name), message, hint, key=True)

    def schema(self) -> dict[str, Any]:
        properties = {}
        for name, item in self.fields.items():
            properties[name] = {**item.shape.schema(), "description": item.doc}
        made: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        if self.required:
            made["required"] = list(self.required)
        if self.any_of:
            made["anyOf"] = [{"required": [name]} for name in self.any_of]
        return made


@dataclass(frozen=True, slots=True)
class Variants:
    """A record whose field `tag` decides which fields it has."""

    title: str
    tag: str
    records: Mapping[str, Record]

    def clean(self, value: Any, path: Path, out: Reporter) -> Any:
        if not isinstance(value, dict):
            out.add(Code.WRONG_TYPE, path, f"{self.title} must be a mapping of fields, not {kind_of(value)}.")
            return DROPPED
        kind = value.get(self.tag)
        record = self.records.get(kind) if isinstance(kind, str) else None
        if record is not None:
            return record.clean(value, path, out)
        allowed = f"{self.title} is one of {listed(self.records)}."
        if kind is None:
            out.add(Code.MISSING_FIELD, path, f"{self.title} needs the field `{self.tag}`.", allowed)
        else:
            shown = f"`{kind[:60]}`" if isinstance(kind, str) else kind_of(kind)
            near = Names(self.records).hint(kind, allowed) if isinstance(kind, str) else allowed
            where = (*path, self.tag)
            out.add(Code.UNKNOWN_VALUE, where, f"There is no {self.tag} {shown} of node. {allowed}", near)
        identity = value.get("id")
        return {"id": identity} if isinstance(identity, str) and identity else DROPPED

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "required": [self.tag],
            "properties": {self.tag: {"enum": list(self.records)}},
            "oneOf": [
                {
                    **record.schema(),
                    "title": name,
                    "properties": {**record.schema()["properties"], self.tag: {"const": name}},
                }
                for name, record in self.records.items()
            ],
        }


def kind_of(value: Any) -> str:
    """What a value is, in words: `a text`, `a number`, ..."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return f"the flag {str(value).lower()}"
    if isinstance(value, (int, float)):
        return f"the number {value}" if abs(value) < 10**15 else "a number"
    if isinstance(value, str):
        return f"the text `{value[:_LONGEST_SHOWN]}`" if value else "an empty text"
    return "a list" if isinstance(value, list) else "a mapping"


def _name(path: Path) -> str:
    """The field a path leads to, in words."""
    if path and isinstance(path[-1], int):
        holder = next((step for step in reversed(path) if isinstance(step, str)), "list")
        return f"Item {path[-1] + 1} of `{holder}`"
    return f"`{path[-1]}`" if path else "The document"


def _type_hint(expected: str, value: Any) -> str:
    if expected.startswith("a text") and isinstance(value, (bool, int, float)):
        return "Put it in quotes."
    if expected.startswith(("a number", "a whole number", "true or false")) and isinstance(value, str):
        return "Write it without quotes." if value else ""
    if value is None:
        return "Leave the field out where there is nothing to say."
    return ""


def _first_sentence(text: str) -> str:
    return text.split(". ", 1)[0].rstrip(".") + "."

"""Turns the errors of Pydantic models into diagnostics, and removes the parts of the data that have them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._json_schemas import kind_of
from graphwright.flow._source import Path, Reporter
from graphwright.text.near_names import Names, listed

_MAX_LENGTH = 40
_EXPECTED = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "dict": "a mapping",
    "list": "a list",
}
_OF_LAYERS = {
    "extends": "a document that is read from a file",
    "remove": "a layer, which has `extends`",
    "strategies": "a layer, which has `extends`",
}
_BOUNDS = frozenset({"greater_than_equal", "greater_than", "less_than_equal"})
_KEPT_PLACES = frozenset({"nodes", "edges", "constraints"})
"""Lists in which a wrong item leaves a gap, so that the indexes of the others do not change."""


def fault(code: Code, message: str, hint: str = "", *, inside: Path = ()) -> PydanticCustomError:
    """An error of a validator. `{name}` in the message becomes the field's name; `inside` leads to a part of it."""
    context = {"code": code.value, "message": message, "hint": hint, "inside": inside}
    return PydanticCustomError("fault", "{message}", context)


def wrong_type(expected: str, value: Any) -> PydanticCustomError:
    """The error of a validator for a value of another type."""
    return fault(Code.WRONG_TYPE, f"{{name}} must be {expected}, not {kind_of(value)}.", _type_hint(expected, value))


def without_faults(model: type[BaseModel], data: Any, failure: ValidationError, out: Reporter, place: Path = ()) -> Any:
    """Return the data without the parts that do not have the shape of the model, and report these parts.

    `place` is the path of the data in the document.
    """
    kept = {"": deepcopy(data)}
    for error in failure.errors(include_url=False):
        _Finding(model, data, error).report(kept, out, place)
    return kept[""]


class _Finding:
    """One error of Pydantic: the path in the data, and its record and field."""

    def __init__(self, model: type[BaseModel], data: Any, error: ErrorDetails) -> None:
        self.error = error
        self.kind = error["type"]
        self.record = model
        self.is_key = error["loc"][-1:] == ("[key]",)
        self.path: Path = ()
        self.data = data
        self.of_other_form = False
        """Whether it is about the other form of a field that is a text or a list."""
        inner: Any = model
        for step in error["loc"]:
            if step == "[key]":
                continue
            models = _models_in(inner)
            if len(models) > 1 and step in models:
                inner = self.record = models[step]  # the tag of a union, which is not part of the data
                continue
            if isinstance(step, str) and self._is_form(step, data):
                self.of_other_form |= step.startswith("list[") != isinstance(data, list)
                continue
            self.path = (*self.path, step)
            if len(models) == 1 and isinstance(data, dict):
                self.record = next(iter(models.values()))
                inner = _field_of(self.record, step)
            else:
                inner = _element_of(inner)
            data = _at(data, step)
        found = _models_in(inner)
        if self.kind in ("missing", "extra_forbidden"):
            return
        self.union = tuple(found) if len(found) > 1 else ()
        if len(found) == 1:
            self.record = next(iter(found.values()))

    def _is_form(self, step: str, data: Any) -> bool:
        """Whether a step names one form of a field that has several, which is not part of the data."""
        return not isinstance(data, dict) or (step not in data and self.kind not in ("missing", "extra_forbidden"))

    def report(self, kept: dict[str, Any], out: Reporter, place: Path) -> None:
        if self.of_other_form:
            return
        code, message, hint = self._code_and_texts()
        path = self.path
        if self.kind == "missing":
            path = path[:-1]
        elif self.kind == "fault":
            path = (*path, *self.error["ctx"]["inside"])
        elif self.kind == "union_tag_invalid":
            path = (*path, "type")
        message = message.removeprefix("{name}: ") if self.is_key else message
        name = _name(path)
        key = self.is_key or self.kind == "extra_forbidden"
        out.add(code, (*place, *path), message.replace("{name}", name), hint, key=key)
        self._drop(kept, code)

    def _code_and_texts(self) -> tuple[Code, str, str]:
        kind, value, context = self.kind, self.error["input"], self.error.get("ctx", {})
        called = getattr(self.record, "called", "This")
        if kind == "fault":
            return Code(context["code"]), context["message"], context["hint"]
        if kind == "missing":
            field = str(self.path[-1])
            return Code.MISSING_FIELD, f"{called} needs the field `{field}`.", _description(self.record, field)
        if kind == "extra_forbidden":
            return self._unknown_field(called, str(self.path[-1]))
        if kind.startswith("union_tag"):
            return self._unknown_kind(value)
        if kind == "literal_error":
            allowed = re.findall(r"'([^']*)'", context["expected"])
            shown = f"`{value[:60]}`" if isinstance(value, str) else f"`{value}`"[:60]
            hint = Names(allowed).hint(value, "Leave it out for the default.") if isinstance(value, str) else ""
            return Code.UNKNOWN_VALUE, f"{{name}} is {listed(allowed)}, not {shown}.", hint
        if kind == "too_short":
            return Code.OUT_OF_RANGE, f"{{name}} needs at least {context['min_length']} item.", ""
        if kind == "too_long":
            most, count = context["max_length"], context["actual_length"]
            return Code.OUT_OF_RANGE, f"{{name}} may have at most {most} items, not {count}.", ""
        expected = _EXPECTED.get(kind.partition("_")[0], "")
        if expected in ("a number", "a whole number") or not expected:
            expected = _number(self.record, self.path[-1]) if self.path else expected
        if kind in _BOUNDS:
            return Code.OUT_OF_RANGE, f"{{name}} must be {expected}, not {value}.", "Leave it out for the default."
        if kind.startswith("model"):
            return Code.WRONG_TYPE, f"{called} must be a mapping of fields, not {kind_of(value)}.", ""
        return Code.WRONG_TYPE, f"{{name}} must be {expected}, not {kind_of(value)}.", _type_hint(expected, value)

    def _unknown_field(self, called: str, field: str) -> tuple[Code, str, str]:
        elsewhere: Mapping[str, str] = {**_OF_LAYERS, **getattr(self.record, "elsewhere", {})}
        known = [info.alias or name for name, info in self.record.model_fields.items()]
        hint = f"`{field}` is a field of {elsewhere[field]}." if field in elsewhere else ""
        hint = hint or Names(known).hint(field, f"Known fields: {listed(known, 24)}.")
        return Code.UNKNOWN_FIELD, f"{called} has no field `{field[:60]}`.", hint

    def _unknown_kind(self, value: Any) -> tuple[Code, str, str]:
        allowed = f"A node is one of {listed(self.union)}."
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(value, dict):
            return Code.WRONG_TYPE, f"A node must be a mapping of fields, not {kind_of(value)}.", ""
        if kind is None:
            return Code.MISSING_FIELD, "A node needs the field `type`.", allowed
        shown = f"`{kind[:60]}`" if isinstance(kind, str) else kind_of(kind)
        near = Names(self.union).hint(kind, allowed) if isinstance(kind, str) else allowed
        return Code.UNKNOWN_VALUE, f"There is no type {shown} of node. {allowed}", near

    def _drop(self, kept: dict[str, Any], code: Code) -> None:
        """Remove the part with the error from the kept data. Does nothing if it is already removed."""
        if self.kind == "missing" or (self.kind == "fault" and code is Code.MISSING_FIELD):
            return
        *steps, last = ("", *self.path)
        holder: Any = kept
        way: list[tuple[Any, Any]] = []
        for step in steps:
            way.append((holder, step))
            holder = _at(holder, step)
        if isinstance(holder, dict):
            identity = _at(_at(holder, last), "id")
            if self.kind == "union_tag_invalid" or last not in holder:
                return
            del holder[last]
            if last == "":
                holder[last] = {"id": identity} if isinstance(identity, str) else {}
        elif isinstance(holder, list) and isinstance(last, int):
            item = holder[last]
            if self.kind.startswith("union_tag") and isinstance(item, dict) and isinstance(item.get("id"), str):
                holder[last] = {"id": item["id"]}
            elif steps[-1] in _KEPT_PLACES:
                holder[last] = None
            else:
                # A list of texts with a wrong item is unusable as a whole.
                while way and isinstance(way[-1][0], list):
                    way.pop()
                owner, name = way[-1]
                owner.pop(name, None)


def _at(data: Any, step: Any) -> Any:
    if isinstance(data, dict):
        return data.get(step)
    return data[step] if isinstance(data, list) and isinstance(step, int) and step < len(data) else None


def _models_in(annotation: Any) -> dict[str, type[BaseModel]]:
    """The record of an annotation, or those of a union by their tags."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {str(annotation.model_config.get("title") or annotation.__name__): annotation}
    if getattr(annotation, "__origin__", None) in (list, dict):
        return {}
    return {name: model for part in get_args(annotation) for name, model in _models_in(part).items()}


def _field_of(record: type[BaseModel], name: Any) -> Any:
    for own, field in record.model_fields.items():
        if (field.alias or own) == name:
            return field.annotation
    return None


def _element_of(annotation: Any) -> Any:
    """The type of the elements of a list or a mapping."""
    origin, parts = getattr(annotation, "__origin__", None), get_args(annotation)
    if origin in (list, dict):
        return parts[-1]
    for part in parts:
        if (found := _element_of(part)) is not None:
            return found
    return None


def _number(record: type[BaseModel], name: Any) -> str:
    """The allowed range of a number field, in words."""
    field = next((field for own, field in record.model_fields.items() if (field.alias or own) == name), None)
    if field is None:
        return "a number"
    words = "a whole number" if field.annotation is int else "a number"
    bounds = {
        kind: getattr(part, kind) for part in field.metadata for kind in ("ge", "gt", "le") if hasattr(part, kind)
    }
    if "le" in bounds:
        return f"{words} from {bounds['ge']} to {bounds['le']}"
    if "gt" in bounds:
        return f"{words} above {bounds['gt']}"
    return f"{words} of at least {bounds['ge']}" if "ge" in bounds else words


def _description(record: type[BaseModel], name: str) -> str:
    text = next((f.description or "" for own, f in record.model_fields.items() if (f.alias or own) == name), "")
    return text.split(". ", 1)[0].rstrip(".") + "."


def _name(path: Path) -> str:
    """The field at the end of a path, in words."""
    if path and isinstance(path[-1], int):
        holder = next((step for step in reversed(path) if isinstance(step, str)), "list")
        return f"Item {path[-1] + 1} of `{holder}`"
    return f"`{path[-1]}`" if path else "The document"


def _type_hint(expected: str, value: Any) -> str:
    if expected == "a list":
        if isinstance(value, (str, int, float)) and len(str(value)) <= _MAX_LENGTH:
            # The form that YAML, JSON and TOML accept.
            return f"Put it in brackets: {json.dumps([value], ensure_ascii=False)}"
        return "A list has brackets: [a, b]. In YAML it may also have one `- ` item a line."
    if expected.startswith("a text") and isinstance(value, (bool, int, float)):
        return "Put it in quotes."
    if expected.startswith(("a number", "a whole number", "true or false")) and isinstance(value, str):
        return "Write it without quotes." if value else ""
    if value is None:
        return "Leave the field out where there is nothing to say."
    return ""

"""The JSON of events for output: without private values, and their JSON Schemas, made from their classes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from graphwright.engine.events import KINDS, PRIVATE

__all__ = ["event_catalog", "event_schemas", "without_private"]

_TEXT, _FLAG = {"type": "string"}, {"type": "boolean"}
_TEXTS = {"type": "array", "items": _TEXT}
_OWN_FORM: Mapping[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "guard_checked": (
        {"of": _TEXT, "guard": _TEXT, "opened": _FLAG, "saw": {"type": "object"}, "missing": _TEXTS, "error": _TEXT},
        ("of", "guard", "opened", "saw"),
    ),
    "edge_taken": (
        {"edge": _TEXT, "source": _TEXT, "target": _TEXT, "else": _FLAG, "ambiguous": _FLAG, "also_open": _TEXTS},
        ("edge", "source", "target"),
    ),
    "answer_dropped": (
        {"node": _TEXT, "key": _TEXT, "reason": _TEXT, "value": {}, "because": _TEXTS},
        ("node", "key"),
    ),
}
"""Properties and required ones of the events whose JSON is not made of their fields alone."""

_OPTIONAL = {"path_voted": ("reason",), "turn_started": ("value",)}
_ARTIFACT_ID = {"type": "string", "description": "Where its content is: /threads/{thread}/artifacts/{id}."}


def event_catalog() -> dict[str, Any]:
    """Return the descriptions of the events: an `intro`, the fields in `common`, and `groups` of events by type."""
    found: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("event_catalog.yaml").read_text("utf-8"))
    return found


def event_schemas() -> dict[str, dict[str, Any]]:
    """The schemas by name (`NodeEnteredEvent`), as the service shows the events: an artifact has an id and no path."""
    catalog = event_catalog()
    entries = {type: entry for group in catalog["groups"] for type, entry in group["events"].items()}
    found = {}
    for kind in KINDS.values():
        schema = found[f"{kind.__name__}Event"] = _schema(kind)
        entry = entries[kind.type]
        fields = {**catalog["common"], **entry.get("fields", {})}
        schema["description"] = _without_links(entry["text"])
        for name in schema["properties"].keys() & fields.keys():
            schema["properties"][name] = {**schema["properties"][name], "description": _without_links(fields[name])}
    return found


def _without_links(text: str) -> str:
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def _schema(kind: type[Any]) -> dict[str, Any]:
    if kind.type in _OWN_FORM:
        properties, required = _OWN_FORM[kind.type]
    else:
        properties, required = _of_fields(kind)
    return {
        "type": "object",
        "title": f"{kind.__name__}Event",
        "properties": {"type": {"const": kind.type, "type": "string"}, **properties},
        "required": ["type", *required],
    }


def _of_fields(kind: type[Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    made = TypeAdapter(kind).json_schema(mode="serialization")
    properties = {name: {k: v for k, v in each.items() if k != "title"} for name, each in made["properties"].items()}
    always = made.get("required", ()) if getattr(kind, "sparse", False) else tuple(properties)
    required = tuple(name for name in always if name not in _OPTIONAL.get(kind.type, ()))
    if kind.type == "artifact_made":
        properties["id"] = _ARTIFACT_ID
        del properties["path"]
        required = tuple("id" if name == "path" else name for name in required)
    if kind.type == "model_called":
        properties["answer"] = {"anyOf": [properties["answer"], {"const": PRIVATE}]}
    return properties, required


def without_private(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event without values of private channels and without answers of models that may contain them.

    The events of guards never contain private values.
    """
    private = event.get("private")
    if not private:
        return dict(event)
    if event.get("type") == "model_called":
        return {**event, "answer": PRIVATE}
    values = event.get("values")
    if not isinstance(values, Mapping):
        return dict(event)
    return {**event, "values": {name: PRIVATE if name in private else v for name, v in values.items()}}

"""The JSON Schemas of all event streams: each event has a `type`, by which clients distinguish them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ag_ui.core import Event as AguiEvent
from pydantic import TypeAdapter

from graphwright.host.event_json import event_schemas
from graphwright_server.shapes._descriptions import DescriptionEvent
from graphwright_server.shapes._drafts import TestEvent
from graphwright_server.shapes._openai import CompletionEvent
from graphwright_server.shapes._threads import RunCancelledEvent, RunFailedEvent, TurnResult

_SCHEMAS = "#/components/schemas/"


def add_event_schemas(schemas: dict[str, Any]) -> None:
    """Add the events of all streams to the schemas of a document.

    `Event` is an event of a conversation, `RunEvent` an event of the stream of a run, `TestEvent` one of a test run,
    `DescriptionEvent` one of a change by a description, `AguiEvent` one of AG-UI, `CompletionEvent` a chunk.
    """
    events = event_schemas()
    schemas.update(events)
    by_type = {each["properties"]["type"]["const"]: name for name, each in events.items()}
    schemas["Event"] = _union("Event", "An event of a conversation. Ignore types that you do not know.", by_type)
    _add(schemas, "", {kind.__name__: kind for kind in (TurnResult, RunFailedEvent, RunCancelledEvent)})
    ends = {
        "turn_ended": TurnResult.__name__,
        "run_failed": RunFailedEvent.__name__,
        "run_cancelled": RunCancelledEvent.__name__,
    }
    text = "The `data` of one frame of a run. The last one is `turn_ended`, `run_failed` or `run_cancelled`."
    schemas["RunEvent"] = _union("RunEvent", text, {**by_type, **ends})
    _add(
        schemas, "", {"TestEvent": TestEvent, "DescriptionEvent": DescriptionEvent, "CompletionEvent": CompletionEvent}
    )
    # The protocol has names that other schemas have, too.
    _add(schemas, "Agui", {"Event": AguiEvent})


def _union(title: str, description: str, by_type: Mapping[str, str]) -> dict[str, Any]:
    """Return the schema of events that their `type` distinguishes."""
    places = {kind: f"{_SCHEMAS}{name}" for kind, name in by_type.items()}
    return {
        "title": title,
        "description": description,
        "oneOf": [{"$ref": place} for place in places.values()],
        "discriminator": {"propertyName": "type", "mapping": places},
    }


def _add(schemas: dict[str, Any], prefix: str, kinds: Mapping[str, Any]) -> None:
    """Add the schemas of some types, and those that they refer to."""
    for name, kind in kinds.items():
        made = TypeAdapter(kind).json_schema(ref_template=f"{_SCHEMAS}{prefix}{{model}}", mode="serialization")
        for part, schema in made.pop("$defs", {}).items():
            schemas.setdefault(f"{prefix}{part}", schema)
        schemas.setdefault(f"{prefix}{name}", {"title": f"{prefix}{name}", **made})

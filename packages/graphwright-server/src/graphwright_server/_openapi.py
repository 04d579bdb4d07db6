"""The OpenAPI document: operation ids, security schemes and the types of events."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from graphwright.host.event_json import event_schemas
from graphwright_server.shapes._problems import Problem

_HERE = "#/components/schemas/"

_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key (gwk_...), or a token of the OpenID provider that the service trusts.",
    },
    "api_key": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "An API key (gwk_...)."},
}
# The empty scheme: a service without login accepts every request of its machine.
_SECURITY: list[dict[str, list[str]]] = [{}, {"bearer": []}, {"api_key": []}]
_OPEN = ("/healthz", "/readyz", "/metrics")


def operation_id(route: APIRoute) -> str:
    """Return the id of an operation: the name of its function, which is unique."""
    return route.name


def install(app: FastAPI) -> None:
    """Complete the OpenAPI document that FastAPI derives from the routes."""
    made = app.openapi

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(made())
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    components = document["components"]
    components["securitySchemes"] = _SCHEMES
    document["security"] = _SECURITY
    _add_events(components["schemas"])
    for path, methods in document["paths"].items():
        for operation in methods.values():
            if path in _OPEN:
                operation["security"] = []
            for answer in operation["responses"].values():
                stream = answer.get("content", {}).get("text/event-stream")
                if stream is not None and path.startswith("/api/"):
                    stream["schema"] = {"$ref": f"{_HERE}RunEvent"}
    return document


def _add_events(schemas: dict[str, Any]) -> None:
    """Add `Event`, one of the typed events of the trace, and `RunEvent`, everything that a run streams."""
    events = event_schemas()
    schemas.update(events)
    text, unread = {"type": "string"}, {"type": "string", "description": "The message to send again."}
    schemas["RunFailedEvent"] = {
        "title": "RunFailedEvent",
        "description": "The run failed without a turn: a problem.",
        "allOf": [{"$ref": f"{_HERE}{Problem.__name__}"}],
        "properties": {"unread": unread},
    }
    schemas["RunCancelledEvent"] = {
        "title": "RunCancelledEvent",
        "description": "The run was cancelled.",
        "type": "object",
        "properties": {"type": {"const": "run_cancelled", "type": "string"}, "run": text, "unread": unread},
        "required": ["type", "run"],
    }
    by_type = {each["properties"]["type"]["const"]: f"{_HERE}{name}" for name, each in events.items()}
    schemas["Event"] = {
        "title": "Event",
        "description": "An event of a conversation. Pass over types that you do not know.",
        "oneOf": [{"$ref": place} for place in by_type.values()],
        "discriminator": {"propertyName": "type", "mapping": by_type},
    }
    last = ("TurnResult", "RunFailedEvent", "RunCancelledEvent")
    schemas["RunEvent"] = {
        "title": "RunEvent",
        "description": "The `data` of one frame; its `event` is the type. The last one is one of the ends of a run.",
        "anyOf": [{"$ref": f"{_HERE}Event"}, *({"$ref": f"{_HERE}{name}"} for name in last)],
    }

"""The OpenAPI document: roles, errors, examples and the types of events, in addition to what FastAPI derives."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts

from graphwright_server._event_schemas import add_event_schemas
from graphwright_server._problems import RESPONSES, error_responses
from graphwright_server.access.gate import role_of

EXAMPLES = "openapi_examples.json"
"""The file of a package with the examples of its operations: `{ID: {request: JSON, response: {MEDIA TYPE: JSON}}}`.

They are responses of a real service, which a test records and compares. `problems` has one of each error status.
"""

_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key (gwk_...), or a token of the OpenID provider that the service trusts.",
    },
    "api_key": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "An API key (gwk_...)."},
}


def operation_id(route: APIRoute) -> str:
    """Return the id of an operation: the name of its function."""
    return route.name


def install(app: FastAPI) -> None:
    """Complete the OpenAPI document that FastAPI derives from the routes."""
    made = app.openapi

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(made(), app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _completed(document: dict[str, Any], app: FastAPI) -> dict[str, Any]:
    components = document["components"]
    components["securitySchemes"] = _SCHEMES
    components["responses"] = error_responses(_examples(Path(__file__).parent).get("problems", {}))
    # The empty scheme: a service without login accepts every request of its machine.
    document["security"] = [{}, *({name: []} for name in _SCHEMES)]
    add_event_schemas(components["schemas"])
    ids, tags = set[str](), dict[str, str]()
    for route, operation, method in _operations(document, app):
        id = operation["operationId"]
        if id in ids:
            # Only a route of another package can have the name of an earlier one.
            id = operation["operationId"] = f"{(operation.get('tags') or ['more'])[0]}_{id}"
        ids.add(id)
        operation["summary"] = id.replace("_", " ").capitalize()
        _add_role(operation, route)
        _add_errors(operation, route, method)
        _add_examples(operation, route)
        for tag in operation.get("tags", ()):
            # Several modules may share a tag: the one with its name describes the subject.
            if tag not in tags or route.endpoint.__module__.endswith(f"._{tag}"):
                tags[tag] = _title(route)
    document["tags"] = [{"name": name, "description": title} for name, title in tags.items()]
    return document


def _operations(document: dict[str, Any], app: FastAPI) -> Iterator[tuple[RouteContext, dict[str, Any], str]]:
    for route in iter_route_contexts(app.routes):
        if isinstance(route.original_route, APIRoute) and route.include_in_schema:
            for method in sorted(route.methods or ()):
                yield route, document["paths"][route.path_format][method.lower()], method


def _title(route: RouteContext) -> str:
    """Return the first line of the module of a route, which describes its subject."""
    text = inspect.cleandoc(sys.modules[route.endpoint.__module__].__doc__ or "")
    return text.partition("\n")[0]


def _add_role(operation: dict[str, Any], route: RouteContext) -> None:
    role = role_of(route.dependant)
    if role is None:
        operation["security"] = []
        return
    # OpenAPI 3.1 allows names of roles here, also for schemes without scopes.
    operation["security"] = [{}, *({name: [role]} for name in _SCHEMES)]
    operation["description"] = f"{operation.get('description', '').strip()}\n\nRequires the role `{role}`.".strip()


def _add_errors(operation: dict[str, Any], route: RouteContext, method: str) -> None:
    """Refer to the error responses: those that the route declares, and those that follow from its kind."""
    answers = operation["responses"]
    answers.pop("422", None)
    found = {int(status) for status in answers if status.isdecimal() and int(status) >= 400}
    found |= _declared(route) | {403, 500}
    if role_of(route.dependant) is not None:
        found |= {400, 401, 429, 503}
    if "{" in (route.path_format or ""):
        found.add(404)
    if operation.get("parameters") or "requestBody" in operation:
        found.add(422)
    if "requestBody" in operation:
        found.add(413)
    if method != "GET":
        found.add(507)
    rest = {status: answer for status, answer in answers.items() if status.isdecimal() and int(status) < 400}
    refer = {str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in sorted(found)}
    operation["responses"] = {**rest, **refer, **RESPONSES}


def _declared(route: RouteContext) -> set[int]:
    return {int(status) for status in route.responses if str(status).isdecimal() and int(status) >= 400}


def _add_examples(operation: dict[str, Any], route: RouteContext) -> None:
    example = _examples(_package_folder(route)).get(operation["operationId"], {})
    if "request" in example:
        operation["requestBody"]["content"]["application/json"]["example"] = example["request"]
    for status, answer in operation["responses"].items():
        for media, content in answer.get("content", {}).items() if status.startswith("2") else ():
            if media in example.get("response", {}):
                content["example"] = example["response"][media]


def _package_folder(route: RouteContext) -> Path:
    module = sys.modules[route.endpoint.__module__]
    return Path(module.__file__ or "").parents[max(module.__name__.count(".") - 1, 0)]


@cache
def _examples(folder: Path) -> dict[str, Any]:
    file = folder / EXAMPLES
    found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return found

"""Every error as a problem document (RFC 9457): what went wrong, why and what to do, never a traceback."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from graphwright import FlowInvalid
from graphwright.errors import GraphwrightError, UsageError, redact
from graphwright.flow import Severity
from graphwright.text.sentences import many
from graphwright_files import FileError, FilesUnavailable
from graphwright_server.access.principal import AccessError
from graphwright_server.shapes._problems import Problem

logger = logging.getLogger("graphwright.server")

MEDIA = "application/problem+json"

_STATUS = {
    **dict.fromkeys(("no_such_thread", "no_such_run", "not_found", "unknown_agent", "no_such_event", "no_events"), 404),
    **dict.fromkeys(
        (
            *("approval_changed", "approval_missing", "nothing_waits", "already_waiting", "not_a_confirmation"),
            *("thread_busy", "thread_exists", "other_agent", "agent_not_served", "nothing_to_branch"),
            *("version_missing", "version_invalid", "action_missing"),
            *("answers_cleared", "flow_stuck", "run_over", "conflict", "ambiguous"),
            *("content_changed", "nothing_changed", "other_flow", "version_changed", "agent_exists"),
        ),
        409,
    ),
    **dict.fromkeys(("large_upload", "large_request", "large_file", "quota"), 413),
    **dict.fromkeys(("key_reused", "answer_refused", "unknown_answer"), 422),
    **dict.fromkeys(("cross_origin", "foreign_host"), 403),
    **dict.fromkeys(
        (
            "locked",
            "lease_timeout",
            "disk_io",
            "read_only",
            "cannot_open",
            "moved",
            "closed",
            "interrupted",
            "lease_lost",
        ),
        503,
    ),
    **dict.fromkeys(
        ("timeout", "connection_lost", "graph_unavailable", "unreachable", "timed_out", "unavailable"), 503
    ),
    # One agent cannot be served until its folder is corrected; the others can.
    **dict.fromkeys(("bad_python", "bad_settings", "agent_import"), 503),
    **dict.fromkeys(("bad_id", "bad_label", "bad_key"), 400),
    "disk_full": 507,
}
_LATER = frozenset(("locked", "lease_lost", "lease_timeout", "thread_busy", "unreachable"))


# A run can contain a problem, so its schema is already in the document.
_CONTENT: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}

RESPONSES: dict[int | str, dict[str, Any]] = {
    "default": {"description": "A problem: what went wrong, why, and what to do.", "content": {MEDIA: _CONTENT}}
}
"""The error response of every route, for the OpenAPI document."""

_MEANINGS = {
    400: "The request is wrong.",
    401: "The key or token is missing, or is not valid.",
    403: "The role is too low, or the host name or the origin of the page is not allowed.",
    404: "It does not exist, or belongs to another user.",
    409: "The request does not fit the current state.",
    412: "It was changed in the meantime.",
    413: "The request is too large, or exceeds the quota of the user.",
    422: "A parameter, the body or the content of a file is not valid.",
    428: "The header If-Match is missing.",
    429: "Too many requests, turns or uploads. `Retry-After` gives the seconds to wait.",
    500: "An unexpected error. The log of the service describes it under the id of the request.",
    502: "The turn failed.",
    503: "The store, or a server that the request needs, is not available. Try again.",
    507: "The disk is full.",
}
"""The meaning of each error status."""


def error_responses(examples: Mapping[str, Any]) -> dict[str, Any]:
    """Return the components of the OpenAPI document for error responses, `Problem404` and so on."""
    return {
        f"Problem{status}": {
            "description": meaning,
            "content": {MEDIA: {**_CONTENT, "example": examples.get(str(status), {})}},
        }
        for status, meaning in _MEANINGS.items()
    }


def status_of(error: GraphwrightError) -> int:
    """Return the HTTP status of an error."""
    if isinstance(error, AccessError):
        return error.status
    if isinstance(error, FlowInvalid):
        return 503
    if isinstance(error, FileError):
        return 503 if isinstance(error, FilesUnavailable) else 422
    return _STATUS.get(error.code, 400 if isinstance(error, UsageError) else 500)


def problem(status: int, code: str, detail: str, hint: str = "", request_id: str = "") -> dict[str, Any]:
    """Return a problem document."""
    return {
        "type": f"urn:graphwright:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "hint": hint,
        "request_id": request_id,
    }


def problem_of(error: GraphwrightError, request_id: str = "") -> dict[str, Any]:
    """Return the problem document of an error for people."""
    if isinstance(error, FlowInvalid):
        return _flow_invalid(error, request_id)
    return problem(status_of(error), error.code, error.message, error.hint, request_id)


def _flow_invalid(error: FlowInvalid, request_id: str) -> dict[str, Any]:
    """Return the problem document of an agent whose flow has errors, without the path of its folder."""
    errors = (each.to_json(error.file.name) for each in error.diagnostics if each.severity is Severity.ERROR)
    found = [{**each, "file": Path(str(each["file"])).name} for each in errors]
    first = found[0]
    count = f"{len(found)} errors" if len(found) > 1 else "an error"
    detail = f"The flow of this agent has {count}: line {first['line']}: {first['code']} {first['message']}"
    hint = f"{first['hint']} The agent is served as soon as its flow compiles."
    return {**problem(status_of(error), error.code, detail, hint, request_id), "diagnostics": found}


def answer(document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the response with a problem document."""
    more = {"Retry-After": "2"} if document["code"] in _LATER else {}
    return JSONResponse(dict(document), document["status"], {**more, **(headers or {})}, media_type=MEDIA)


def install(app: FastAPI) -> None:
    """Respond to every error for people with a problem document; `middleware` does so for unexpected errors."""

    @app.exception_handler(GraphwrightError)
    async def known(request: Request, error: GraphwrightError) -> JSONResponse:
        document = problem_of(error, request_id(request))
        if document["status"] >= 500:
            logger.warning("%s %s: %s", request.method, request.url.path, error)
        return answer(_for_client(request, document), getattr(error, "headers", None))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        found = error.errors()
        first: Any = found[0] if found else {"loc": (), "msg": "It does not fit", "type": ""}
        where = ".".join(str(part) for part in first["loc"])
        more = f" Beside this: {many(len(found) - 1, 'more error')}." if len(found) > 1 else ""
        name = ".".join(str(part) for part in first["loc"][1:]) or where
        detail = redact(invalid_value(name, first["type"], first["msg"]) + more)
        if first["type"] == "json_invalid":
            detail = f"The body is not JSON: {first['ctx']['error']}, at character {first['loc'][-1]}."
        elif first["type"] in ("model_attributes_type", "dict_type") and where == "body":
            detail = "The body is not a JSON object, or does not come as application/json."
        document = problem(422, "bad_request", detail, "See /docs for the accepted fields.", request_id(request))
        return answer(_for_client(request, document))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> JSONResponse:
        code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
        document = problem(
            error.status_code, code, f"{str(error.detail).rstrip('.')}.", "See /docs.", request_id(request)
        )
        return answer(_for_client(request, document), error.headers)


def invalid_value(name: str, kind: str, message: str) -> str:
    """Return a sentence for an error of Pydantic: its place, its type and its message."""
    if kind in ("missing", "missing_argument", "missing_keyword_only_argument"):
        return f"`{name}` is missing."
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        return f"There is no argument `{name}`."
    return f"`{name}`: {message.rstrip('.')}."


def _for_client(request: Request, document: dict[str, Any]) -> dict[str, Any]:
    """Return the document as it is sent. Clients of OpenAI's API expect an additional `error`."""
    if not request.url.path.startswith("/v1/"):
        return document
    message = " ".join(filter(None, (document["detail"], document["hint"])))
    kind = "invalid_request_error" if document["status"] < 500 else "server_error"
    return {**document, "error": {"message": message, "type": kind, "code": document["code"], "param": None}}


def unexpected(request_id: str = "") -> dict[str, Any]:
    """Return the problem document of an unexpected error."""
    return problem(500, "internal", "Something went wrong in the service.", "Its log says what.", request_id)


def request_id(request: Request) -> str:
    """Return the id of a request, which is also in its response and in the log."""
    return str(request.scope.get("graphwright.request_id", ""))

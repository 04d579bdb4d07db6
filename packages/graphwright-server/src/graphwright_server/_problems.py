"""Every error as a problem document (RFC 9457): what went wrong, why and what to do, never a traceback."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from graphwright.errors import GraphwrightError, UsageError, redact
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
            *("content_changed", "nothing_changed", "other_flow", "version_changed"),
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
    **dict.fromkeys(("bad_id", "bad_label", "bad_key"), 400),
    "disk_full": 507,
}
_LATER = frozenset(("locked", "lease_lost", "lease_timeout", "thread_busy", "unreachable"))


# A run can contain a problem, so its schema is already in the document.
RESPONSES: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "A problem: what went wrong, why, and what to do.",
        "content": {MEDIA: {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}},
    }
}
"""The error response of every route, for the OpenAPI document."""


def status_of(error: GraphwrightError) -> int:
    """Return the HTTP status of an error."""
    if isinstance(error, AccessError):
        return error.status
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
    return problem(status_of(error), error.code, error.message, error.hint, request_id)


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
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        detail = redact(f"{where}: {first['msg']}{more}.")
        if first["type"] == "json_invalid":
            detail = f"The body is not JSON: {first['ctx']['error']}, at character {first['loc'][-1]}."
        elif first["type"] in ("model_attributes_type", "dict_type") and where == "body":
            detail = "The body is not a JSON object, or does not come as application/json."
        document = problem(422, "bad_request", detail, "See /docs for what is taken.", request_id(request))
        return answer(_for_client(request, document))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> JSONResponse:
        code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
        document = problem(
            error.status_code, code, f"{str(error.detail).rstrip('.')}.", "See /docs.", request_id(request)
        )
        return answer(_for_client(request, document), error.headers)


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

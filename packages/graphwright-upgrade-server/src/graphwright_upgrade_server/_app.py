"""The application: for every route, it reads the request, runs the handler in a transaction, and answers."""

from __future__ import annotations

import contextlib
import html
import json
import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from graphwright_upgrade_server import _admin_routes as admin_routes
from graphwright_upgrade_server import _client_routes as client_routes
from graphwright_upgrade_server import _contexts as contexts
from graphwright_upgrade_server import _segments as segments
from graphwright_upgrade_server._contexts import Contexts
from graphwright_upgrade_server._database import Database
from graphwright_upgrade_server._routing import Access, Call, Endpoint, Service, encoded
from graphwright_upgrade_server.failures import QUERY_FAILED, BadRequest, Failure, ServiceError, exception_text

BASE = "/api"
VERSION = "6.4.0"
"""The version of UpGrade that the service imitates and reports."""

LIMIT = 5 * 1024 * 1024
"""The maximum size of a body, in bytes."""

_log = logging.getLogger(__name__)
_REQUEST_ID = "x-request-id"


def create_app(
    path: Path | None,
    *,
    known: Contexts | None = None,
    access: Access | None = None,
    version: str = VERSION,
    strict: bool = False,
    base: str = BASE,
) -> Starlette:
    """The service as an ASGI application, on the database file `path`, or in memory if it is None.

    `known` are the contexts (default: those of the package), `strict` restores the flaws of the original; all routes
    are below `base`, which ends in `/api`. The database is opened immediately: a server that runs the application
    closes it at its shutdown; a caller in the same process calls `app.state.database.close()`. Raises ServiceError if
    the database cannot be opened.
    """
    database = Database(path)
    service = Service(database, known or contexts.read(), access or Access(), version, strict)
    try:
        segments.make_global_excludes(service)
        admin_routes.make_setting(service)
    except BaseException:
        database.close()
        raise

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            database.close()

    app = Starlette(
        routes=[
            Route(
                base + endpoint.path, _endpoint(service, endpoint, base.removesuffix(BASE)), methods=[endpoint.method]
            )
            # The busiest first, because the router tries them in order.
            for endpoint in (*client_routes.routes, *admin_routes.routes)
        ],
        exception_handlers={404: _unknown_route, 405: _unknown_route},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.database = database
    return app


def _endpoint(service: Service, endpoint: Endpoint, prefix: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        path = str(request.scope["path"]).removeprefix(prefix)
        body: Any = {}
        try:
            if endpoint.method != "GET":
                received = await _received(request)
                body = _json(request, received)
                if b"u0000" in received:
                    _refuse_nul(body, service.strict)
            if endpoint.audience == "admin":
                service.access.require_admin(endpoint.method, path, request.headers)
            # In the event loop: a thread would cost more than SQLite does, and there is only one writer.
            with service.database.transaction(writes=endpoint.writes) as connection:
                result = endpoint.handler(Call(service, connection, body, request.path_params, request.headers))
            return _response(request, 200, result)
        except Failure as failure:
            return _response(request, failure.status, failure.body(path, body, explain=not service.strict))
        except ServiceError as error:
            status = 503 if error.code == "locked" else 500
            return _response(request, status, Failure(status, str(error), name="ServiceError").body(path, body))
        except Exception as error:
            _log.error(
                "%s %s failed: %s",
                endpoint.method,
                path,
                exception_text(error),
                exc_info=_log.isEnabledFor(logging.DEBUG),
            )
            failed = Failure(500, "The local UpGrade service failed; nothing was changed.", name="InternalServerError")
            return _response(request, 500, failed.body(path, body))

    return answer


async def _received(request: Request) -> bytes:
    received = bytearray()
    try:
        async for chunk in request.stream():
            received += chunk
            if len(received) > LIMIT:
                raise Failure(413, "request entity too large", name="PayloadTooLargeError")
    except ClientDisconnect:
        raise Failure(400, "request aborted", name="BadRequestError") from None
    return bytes(received)


def _json(request: Request, received: bytes) -> Any:
    if not received:
        return {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise BadRequest("The body must be sent as `Content-Type: application/json`.")
    try:
        body = json.loads(received, parse_constant=_no_constant)
        # Half a surrogate pair would fail later, in the database or in the answer.
        if b"\\ud" in received or b"\\uD" in received:
            json.dumps(body, ensure_ascii=False).encode()
    except RecursionError:
        raise Failure(400, "The body is not JSON that is read: it nests too deep", name="SyntaxError") from None
    except ValueError as error:
        raise Failure(400, f"The body is not JSON: {exception_text(error)}", name="SyntaxError") from None
    if not isinstance(body, dict | list):
        raise Failure(400, "The body is not JSON: it must be an object or a list", name="SyntaxError")
    return body


def _refuse_nul(body: Any, strict: bool) -> None:
    """Reject the character NUL in a text, because the database of a real server fails on it."""
    pending = [body]
    while pending:
        each = pending.pop()
        if isinstance(each, str) and "\0" in each:
            if strict:
                message = 'invalid byte sequence for encoding "UTF8": 0x00'
                raise Failure(500, message, QUERY_FAILED, name="QueryFailedError")
            raise BadRequest("The body contains the character NUL, which is not allowed in a text.")
        if isinstance(each, dict):
            pending += each.values()
            pending += each
        elif isinstance(each, list):
            pending += each


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _response(request: Request, status: int, result: Any) -> Response:
    content = result if isinstance(result, bytes) else encoded(result)
    return Response(content, status, _headers(request), "application/json")


def _headers(request: Request) -> dict[str, str]:
    given = request.headers.get(_REQUEST_ID, "")
    sound = 0 < len(given) <= 200 and given.isascii() and given.isprintable()
    # Without the charset a client would have to guess; Starlette adds one only to texts.
    return {"content-type": "application/json; charset=utf-8", _REQUEST_ID: given if sound else str(uuid.uuid4())}


async def _unknown_route(request: Request, _error: Exception) -> Response:
    text = html.escape(f"Cannot {request.method} {request.scope['path']}")
    return HTMLResponse(_PAGE.format(text=text), 404, {_REQUEST_ID: _headers(request)[_REQUEST_ID]})


_PAGE = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n'
    "<body>\n<pre>{text}</pre>\n</body>\n</html>\n"
)

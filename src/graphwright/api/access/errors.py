"""Errors of access control, with their HTTP status."""

from __future__ import annotations

from collections.abc import Mapping

from graphwright.errors import GraphwrightError


class AccessError(GraphwrightError):
    """A request is refused.

    Codes: `login_required`, `bad_login`, `key_expired`, `key_revoked` (401), `forbidden` (403), `not_found` (404),
    `key_in_address` (400), `too_many_requests`, `too_many_runs` (429), `login_unavailable` (503). `headers` are sent
    with the response.
    """

    def __init__(
        self, status: int, code: str, message: str, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(code, message, hint)
        self.status = status
        self.headers = dict(headers or {})


def unauthorized(code: str, message: str, hint: str) -> AccessError:
    """Return the error for a request without a valid login."""
    return AccessError(401, code, message, hint, {"WWW-Authenticate": "Bearer"})


def not_found(what: str) -> AccessError:
    """Return the error for something missing or owned by another user: the same, so that ids reveal nothing."""
    return AccessError(404, "not_found", f"there is no such {what}", "It may have been deleted, or belong to another.")

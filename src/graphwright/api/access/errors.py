"""What the service refuses, with the status of HTTP that says so."""

from __future__ import annotations

from collections.abc import Mapping

from graphwright.errors import GraphwrightError


class AccessError(GraphwrightError):
    """A request that is not served.

    Codes: `login_required`, `bad_login`, `key_expired`, `key_revoked` (401), `forbidden` (403), `not_found` (404),
    `key_in_address` (400), `too_many_requests`, `too_many_runs` (429), `login_unavailable` (503). `headers` go with
    the answer.
    """

    def __init__(
        self, status: int, code: str, message: str, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(code, message, hint)
        self.status = status
        self.headers = dict(headers or {})


def unauthorized(code: str, message: str, hint: str) -> AccessError:
    """The error of a request without a login that holds."""
    return AccessError(401, code, message, hint, {"WWW-Authenticate": "Bearer"})


def not_found(what: str) -> AccessError:
    """The error of what is not there, and of what belongs to somebody else: the same, so that ids tell nothing."""
    return AccessError(404, "not_found", f"there is no such {what}", "It may have been deleted, or belong to another.")

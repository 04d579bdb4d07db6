"""Principals: their roles, what belongs to them, their limits, and the error of a request that is refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from graphwright.errors import GraphwrightError
from graphwright.store import LOCAL
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright.store import Counters, Owners

__all__ = ["AccessError", "Principal"]


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
    return AccessError(
        404, "not_found", f"There is no such {what}.", "It may have been deleted, or belong to another user."
    )


ROLES = ("viewer", "user", "author", "publisher", "admin")
"""Roles in ascending order: read one's own things, talk to agents, edit drafts of flows, publish them, manage keys."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The user of a request. `key` is the id of the API key, or empty; `login` is false on a service without login."""

    user: str
    role: str
    key: str = ""
    login: bool = True

    def may(self, role: str) -> bool:
        """Return whether the principal has this role or a higher one."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def require(self, role: str) -> None:
        """Raise AccessError (`forbidden`) if the principal's role is lower than this one."""
        if not self.may(role):
            message = f"This needs the role {role}, and {self.user} is {self.role}."
            raise AccessError(403, "forbidden", message, "Ask an admin of the service.")


THE_LOCAL_USER = Principal(LOCAL, "admin", login=False)
"""The principal of a service without login, which only this machine can reach."""


Thing = Literal["thread", "file", "run"]


class Ownership:
    """Every thread, file and run belongs to one user. For other users, whatever their role, it does not exist."""

    def __init__(self, owners: Owners) -> None:
        self._owners = owners

    async def claim(self, kind: Thing, id: str, principal: Principal) -> None:
        """Make the principal the owner of something new. Raises AccessError (`taken`, 409) if it has another owner."""
        if not await self._owners.claim(kind, id, principal.user):
            raise AccessError(409, "taken", f"This {kind} id cannot be used.", "Choose another, or none.")

    async def require(self, kind: Thing, id: str, principal: Principal) -> None:
        """Raise AccessError (`not_found`) if the principal is not the owner."""
        if await self._owners.owner(kind, id) != principal.user:
            raise not_found(kind)

    async def release(self, kind: Thing, id: str) -> None:
        """Remove the owner of something that was deleted."""
        await self._owners.release(kind, id)


Limited = Literal["requests", "turns", "uploads"]

_WINDOW = 60


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """The limits of each login: requests, turns and uploads per minute, and turns that run at once."""

    requests: int = 600
    turns: int = 60
    uploads: int = 60
    runs: int = 20


class Limits:
    """Counts in fixed windows of one minute. The user of a service without login is not limited."""

    def __init__(self, settings: LimitSettings, counters: Counters, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self._counters = counters
        self._clock = clock
        self._taken: dict[str, tuple[int, int]] = {}
        """By name: the window, and how many of the counts that were reserved in the store are left."""

    async def take(self, principal: Principal, kind: Limited) -> None:
        """Count a request. Raises AccessError (`too_many_requests`) beyond the limit."""
        if not principal.login:
            return
        most: int = getattr(self.settings, kind)
        now = self._clock()
        window = int(now // _WINDOW)
        name = f"{kind}:{principal.key or principal.user}"
        taken, left = self._taken.get(name, (window, 0))
        if taken != window or not left:
            # Counts are reserved in blocks: a write for each request would cost more than the request.
            block = max(1, most // 20)
            total = await self._counters.add(name, window, block)
            left = min(block, most - (total - block))
            if left <= 0:
                wait = max(1, round((window + 1) * _WINDOW - now))
                raise AccessError(
                    429,
                    "too_many_requests",
                    f"More than {most:,} {kind} in a minute.",
                    f"Try again in {wait} seconds.",
                    {"Retry-After": str(wait)},
                )
            if len(self._taken) > 10_000:
                self._taken.clear()
        self._taken[name] = window, left - 1

    def require_room(self, principal: Principal, running: int) -> None:
        """Raise AccessError (`too_many_runs`) if the user already has the maximum number of running turns."""
        if principal.login and running >= self.settings.runs:
            raise AccessError(
                429,
                "too_many_runs",
                f"You have {many(running, 'running turn')}; at most {self.settings.runs:,} may run at once.",
                "Wait until one has ended, or cancel one.",
                {"Retry-After": "5"},
            )

"""Rate limits per login, counted in the store, so that all workers share them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from graphwright.api.access.errors import AccessError

if TYPE_CHECKING:
    from graphwright.api.access.principal import Principal
    from graphwright.store import Counters

Kind = Literal["requests", "turns", "uploads"]

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

    async def take(self, principal: Principal, kind: Kind) -> None:
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
                    f"more than {most:,} {kind} in a minute",
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
                f"{running:,} turns of yours are running, and at most {self.settings.runs:,} may at once",
                "Wait until one has ended, or cancel one.",
                {"Retry-After": "5"},
            )

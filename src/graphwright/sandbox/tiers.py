"""The tiers of isolation: which there are on this machine, the strongest first, and why the others are not."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from graphwright.sandbox import bubblewrap, places, seatbelt
from graphwright.sandbox.confine import ISOLATION, available
from graphwright.sandbox.errors import SandboxUnavailable

CONTAINER = f"bwrap+{ISOLATION}"


@dataclass(frozen=True, slots=True)
class Tier:
    """A way to isolate; `missing` says why it is not to be had, and is None where it is."""

    isolation: str
    missing: SandboxUnavailable | None


def tiers() -> list[Tier]:
    """Those of this system, the strongest first."""
    if sys.platform == "darwin":
        return [Tier(seatbelt.ISOLATION, seatbelt.missing())]
    kernel = next(iter(available().missing), None)
    # The container filters no system calls: alone it is not enough.
    return [Tier(CONTAINER, kernel or bubblewrap.missing()), Tier(ISOLATION, kernel)]


def chosen(isolation: str | None) -> str:
    """The isolation of this name, or the strongest there is.

    Raises SandboxUnavailable where there is none, or not this one, and ValueError for a name that none has.
    """
    known = tiers()
    if isolation is not None and isolation not in {tier.isolation for tier in known}:
        raise ValueError(f"no isolation is called {isolation!r} here, only {', '.join(t.isolation for t in known)}")
    for tier in known:
        if isolation in (None, tier.isolation):
            if tier.missing is None:
                return tier.isolation
            if isolation is not None:
                raise tier.missing
    missing = known[-1].missing
    assert missing is not None
    raise missing


def user_to_become(isolation: str) -> int | None:
    """Who the warm process becomes: nobody, where it is root's and outside a container; None: it stays who it is.

    It stays root where nobody else could read the libraries: which files it may read is for Landlock to say then.
    """
    if isolation != ISOLATION or os.geteuid() != 0:
        return None
    return bubblewrap.NOBODY if places.reached_by(bubblewrap.NOBODY) else None

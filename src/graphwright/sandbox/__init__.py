"""Confinement: a process that will touch something dangerous gives up, for good, all that it does not need."""

from graphwright.sandbox.confine import ISOLATION, Availability, Confinement, available, confine
from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.privileges import Limits
from graphwright.sandbox.trial import self_test

__all__ = [
    # confine a process
    "confine",
    "Confinement",
    "Limits",
    "ISOLATION",
    # can it be had, and does it hold
    "available",
    "Availability",
    "self_test",
    "SandboxUnavailable",
]

"""Additions of the sandbox to Graphwright: the sandbox as a resource that agents need, and its doctor check."""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.errors import GraphwrightError
from graphwright.hooks import Finding, Resource, warning

__all__ = ["check", "sandbox"]


def check() -> Iterator[Finding]:
    """Check that untrusted code can be confined: a process tries to escape."""
    from graphwright_confined import available, self_test

    found = available()
    for missing in found.missing:
        # Only the features that need a confined process refuse to run.
        yield warning(missing)
    if not found.missing:
        yield "ok", f"{self_test()} (Landlock {found.landlock}): a confined process tried to escape, and could not", ""


def _problem() -> GraphwrightError | None:
    from graphwright_confined._isolation_levels import select_level

    try:
        select_level(None)
    except GraphwrightError as error:
        return error
    return None


sandbox = Resource("graphwright_confined", "a sandbox", _problem)

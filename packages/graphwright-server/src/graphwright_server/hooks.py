"""Additions of the service to Graphwright: a doctor check of the routes that packages add."""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.cli.doctor import additions
from graphwright.hooks import ROUTES, Finding

__all__ = ["routes"]


def routes() -> Iterator[Finding]:
    """Load the routes that other packages add to the service."""
    from graphwright_server._app import core_routes

    yield from additions(ROUTES, core_routes())

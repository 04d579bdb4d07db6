"""Additions of the service to Graphwright: doctor checks of the routes and panes that packages add."""

from __future__ import annotations

from collections.abc import Iterator

from graphwright.cli.doctor import additions
from graphwright.hooks import PANES, ROUTES, Finding

__all__ = ["panes", "routes"]


def routes() -> Iterator[Finding]:
    """Load the routes that other packages add to the service."""
    from graphwright_server._app import core_routes

    yield from additions(ROUTES, core_routes())


def panes() -> Iterator[Finding]:
    """Load the panes that other packages add to the web app."""
    from graphwright_server._panes import core_panes, unusable

    reserved = core_panes()
    yield from additions(PANES, reserved)
    for entry, why in unusable():
        if entry.name not in reserved:
            message = f"The pane {entry.name!r} of {entry.distribution} cannot be used: {why}."
            yield "problem", message, "Install another version of the package, or report this to its author."

"""The HTTP service, and the other protocols that serve the same agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright_server._app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:
    # Imported on first use: the commands of this package must not load FastAPI.
    if name != "create_app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from graphwright_server._app import create_app

    return create_app

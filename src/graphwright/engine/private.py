"""Events without private values, for output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def without_private(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event without values of private channels and without answers of models that may contain them.

    The events of guards never contain private values.
    """
    private = event.get("private")
    if not private:
        return dict(event)
    # Imported here because the engine is slow to import, and `graphwright --help` does not need it.
    from graphwright.engine.walk_events import PRIVATE

    if event.get("type") == "model_called":
        return {**event, "answer": PRIVATE}
    values = event.get("values")
    if not isinstance(values, Mapping):
        return dict(event)
    return {**event, "values": {name: PRIVATE if name in private else v for name, v in values.items()}}

"""Events as they may be shown: without what is private."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def without_private(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event with what is private taken out: values of private channels, and answers of models that may hold them.

    What guards saw of them is never written down.
    """
    private = event.get("private")
    if not private:
        return dict(event)
    # The kernel takes a while to import, and a command line that only helps needs none of it.
    from graphwright.engine.walk_events import PRIVATE

    if event.get("type") == "model_called":
        return {**event, "answer": PRIVATE}
    values = event.get("values")
    if not isinstance(values, Mapping):
        return dict(event)
    return {**event, "values": {name: PRIVATE if name in private else v for name, v in values.items()}}

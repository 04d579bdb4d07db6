"""The cost of model calls, by the configured prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright.config import current

_MILLION = 1_000_000


def currency() -> str:
    """Return the currency of the prices, such as `USD`."""
    return str(current().models.get("currency") or "USD")


def call_cost(event: Mapping[str, Any]) -> float | None:
    """Return the cost of a `model_called` event in that currency, or None if its model has no price."""
    price = current().models.get("prices", {}).get(event.get("model", ""))
    if price is None:
        return None
    spent = sum(event.get(f"{side}_tokens", 0) * price.get(side, 0) for side in ("input", "output"))
    return float(spent / _MILLION)

"""Weights of conditions: read as per cent, split equally where none is given, brought to 100 after rounding."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_PERCENT = re.compile(r"\s*(-?\d{1,6}(?:[.,]\d{1,6})?)\s*(?:%|per\s?cent)?\s*", re.IGNORECASE)
_ROUNDED = 0.05
"""What rounding to one decimal changes a weight by, at most."""


def weight_of(given: object) -> float | None:
    """A weight that is a number or a text such as "33.3 %"; None for anything else."""
    if isinstance(given, bool):
        return None
    if isinstance(given, int | float):
        return float(given) if math.isfinite(given) else None
    found = _PERCENT.fullmatch(given) if isinstance(given, str) else None
    return float(found[1].replace(",", ".")) if found else None


def equal_split(count: int) -> list[float]:
    """So many weights of two decimals that sum to 100 and differ as little as they can, the larger ones first."""
    hundredths, over = divmod(10_000, count)
    return [(hundredths + (place < over)) / 100 for place in range(count)]


def settled(weights: Sequence[float | None]) -> list[float] | None:
    """The weights with what is not given filled in, summing to 100; None where they do not come to that.

    Without any: an equal split; else those that are missing share what is left. What rounding lost goes to the largest.
    """
    if not weights:
        return []
    missing = [place for place, weight in enumerate(weights) if weight is None]
    if len(missing) == len(weights):
        return equal_split(len(weights))
    given = [0.0 if weight is None else weight for weight in weights]
    left = round(100 - sum(given), 6)
    if missing:
        if left <= 0:
            return None
        for place, share in zip(missing, equal_split(len(missing)), strict=True):
            given[place] = round(share * left / 100, 2)
        left = round(100 - sum(given), 6)
    if len(set(given)) == 1 and 0 < abs(left) <= len(given) / 2:
        # "33, 33, 33": thirds, rounded to whole numbers.
        return equal_split(len(given))
    if abs(left) > _ROUNDED * len(given):
        return None
    largest = given.index(max(given))
    given[largest] = round(given[largest] + left, 6)
    return given


def number_text(weight: float) -> str:
    """A weight as people write it: 50, 33.34."""
    return f"{weight:.2f}".rstrip("0").rstrip(".")

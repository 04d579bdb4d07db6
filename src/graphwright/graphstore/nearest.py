"""Which keys resemble one that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

MOST_NEAR = 3

MOST_PARTS = 12
"""Pairs of characters that an engine has to look for."""

ALIKE = 0.6
"""The share of characters in common, in their order, from which on two keys resemble each other."""


def pairs(key: str) -> list[str]:
    """The pairs of neighbouring characters of a key in lower case, for an engine to search candidates by."""
    low = key.lower()
    return list(dict.fromkeys(low[i : i + 2] for i in range(len(low) - 1)))[:MOST_PARTS] or [low]


def nearest(key: str, candidates: Iterable[str]) -> list[str]:
    """Up to three of the candidates that resemble the key, the nearest first."""
    low = key.lower()
    scored: list[tuple[float, str]] = []
    for candidate in set(candidates):
        other = candidate.lower()
        score = SequenceMatcher(None, low, other, autojunk=False).ratio()
        if low in other or other in low:
            score = max(score, ALIKE)
        if score >= ALIKE:
            scored.append((-score, candidate))
    return [candidate for _, candidate in sorted(scored)[:MOST_NEAR]]

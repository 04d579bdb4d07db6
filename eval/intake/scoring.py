"""Scoring: the values that a message should have changed, and those that it changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eval.values import same

_NONE = object()


@dataclass(frozen=True, slots=True)
class Score:
    """The values of one case, by key. Exact, missed and wrong ones were expected; invented ones are additional.

    `wrong` is an expected key with another value than expected, `invented` a key that should not change.
    """

    exact: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    wrong: Mapping[str, Any] = field(default_factory=dict)
    invented: Mapping[str, Any] = field(default_factory=dict)

    def counts(self) -> dict[str, int]:
        """The numbers of values: expected, exact, missed, wrong, invented."""
        numbers = {"exact": len(self.exact), "missed": len(self.missed), "wrong": len(self.wrong)}
        return {"values": sum(numbers.values()), **numbers, "made_up": len(self.invented)}


def score(
    before: Mapping[str, Any], after: Mapping[str, Any], expect: Mapping[str, Any], may: Mapping[str, Any]
) -> Score:
    """Compare the answers `before` and `after` a message with the expected changes (`expect`, `may`)."""
    exact: list[str] = []
    missed: list[str] = []
    wrong: dict[str, Any] = {}
    for key, wanted in expect.items():
        got = after.get(key, _NONE)
        if same(wanted, got):
            exact.append(key)
        elif got is _NONE or (key in before and before[key] == got):
            missed.append(key)
        else:
            wrong[key] = got
    invented = {
        key: after.get(key)
        for key in {**before, **after}
        if key not in expect
        and before.get(key, _NONE) != after.get(key, _NONE)
        and not (key in may and same(may[key], after.get(key)))
    }
    return Score(tuple(exact), tuple(missed), wrong, invented)

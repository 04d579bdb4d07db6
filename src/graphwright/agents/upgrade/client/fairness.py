"""Whether a split is what the weights say: Pearson's chi-square test, and what it says in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

UNFAIR_BELOW = 0.01
"""A split is called unfair where a fair draw would come out at least as uneven less often than this."""

ENOUGH = 5
"""What has to be expected of every condition before the test says much."""

_PRECISION = 1e-15
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class SplitTest:
    """`chi_square` is None where somebody has a condition of weight 0, which no fair draw gives. `p_value` is the
    chance that a fair draw comes out at least as uneven; None where nobody was counted. `enough`: each condition was to
    be expected at least five times.
    """

    chi_square: float | None
    degrees: int
    p_value: float | None
    enough: bool

    @property
    def fair(self) -> bool | None:
        """Whether the split may well be fair; None where nobody was counted."""
        return None if self.p_value is None else self.p_value >= UNFAIR_BELOW


def split_test(observed: Sequence[int], weights: Sequence[float]) -> SplitTest:
    """Compare how often each condition was drawn with its weight, whatever the weights sum to.

    Raises ValueError where the lengths differ, or no weight is above 0.
    """
    total, whole = sum(observed), sum(weights)
    pairs = list(zip(observed, weights, strict=True))
    drawn = [(count, total * weight / whole) for count, weight in pairs if weight > 0] if whole > 0 else []
    if not drawn:
        raise ValueError("no condition has a weight above 0")
    degrees = len(drawn) - 1
    if total == 0:
        return SplitTest(0.0, degrees, None, enough=False)
    enough = min(expected for _, expected in drawn) >= ENOUGH
    if any(count for count, weight in pairs if weight <= 0):
        return SplitTest(None, degrees, 0.0, enough)
    chi_square = sum((count - expected) ** 2 / expected for count, expected in drawn)
    return SplitTest(chi_square, degrees, chi_square_tail(chi_square, degrees), enough)


def verdict(test: SplitTest, units: str = "users") -> str:
    """What the test says, in a sentence or two. `units` is what was drawn: users or groups."""
    if test.p_value is None:
        return f"None of the {units} got a condition, so there is no split to judge."
    if test.degrees == 0:
        return "There is only one condition to get, so there is no split to judge."
    if test.chi_square is None:
        return "The split is not fair: somebody got a condition whose weight is 0."
    degrees = "1 degree" if test.degrees == 1 else f"{test.degrees} degrees"
    chance = "p below 0.0001" if test.p_value < 0.0001 else f"p = {test.p_value:.2g}"
    figures = f"chi-square {test.chi_square:.2f}, {degrees} of freedom, {chance}"
    rare = f": a fair one is as uneven in less than {UNFAIR_BELOW:.0%} of all cases"
    told = f"The split {'fits' if test.fair else 'does not fit'} the weights ({figures}){'' if test.fair else rare}."
    return told if test.enough else f"{told} With so few {units} the test says little."


def chi_square_tail(value: float, degrees: int) -> float:
    """The chance that a chi-square variable of so many degrees of freedom is at least `value`; 1 for no degrees."""
    return 1.0 if degrees == 0 else upper_gamma(degrees / 2, value / 2)


def upper_gamma(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function Q(a, x), for a > 0 and x >= 0, to about 13 digits."""
    if x <= 0:
        return 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    # Each of the two converges fast on its side.
    return 1.0 - front * _lower_series(a, x) if x < a + 1 else front * _upper_fraction(a, x)


def _lower_series(a: float, x: float) -> float:
    term = total = 1.0 / a
    n = a
    while term > total * _PRECISION:
        n += 1
        term *= x / n
        total += term
    return total


def _upper_fraction(a: float, x: float) -> float:
    # Lentz's way of evaluating a continued fraction from its beginning.
    b = x + 1.0 - a
    c, d = 1.0 / _TINY, 1.0 / b
    value = d
    for i in range(1, 10_000):
        numerator = -i * (i - a)
        b += 2.0
        d = 1.0 / (numerator * d + b or _TINY)
        c = b + numerator / c or _TINY
        value *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return value

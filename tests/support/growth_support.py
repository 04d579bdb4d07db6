"""How the processor time of some work grows with its input, whatever the speed of the machine."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log
from time import process_time

_FACTOR = 8


def growth(work: Callable[[int], object], size: int) -> float:
    """The exponent of the growth of `work(size)`: about 1 if it is linear and 2 if it is quadratic.

    A tenth of a second is added to both times, so that a constant part of a small input does not count. A busy machine
    makes a run slower, never faster: if the exponent is above 1, two sizes are timed three times, and the best counts.
    """
    best = [inf, inf]
    for _ in range(3):
        best = [
            min(known, _seconds(work, each) + 0.1) for known, each in zip(best, (size, size * _FACTOR), strict=True)
        ]
        if (exponent := log(best[1] / best[0]) / log(_FACTOR)) < 1:
            break
    return exponent


def _seconds(work: Callable[[int], object], size: int) -> float:
    begun = process_time()
    work(size)
    return process_time() - begun

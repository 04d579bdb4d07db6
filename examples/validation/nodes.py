"""The check of a card number."""

from __future__ import annotations

from graphwright import validator


@validator
def check_digit(value: str) -> bool:
    """Whether the last digit is the sum of the others modulo 10."""
    *digits, last = map(int, value)
    return sum(digits) % 10 == last

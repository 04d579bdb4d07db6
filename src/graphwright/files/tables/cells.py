"""How single values are written in text: what stands for a missing one, numbers in both decimal styles."""

from __future__ import annotations

import re

MISSING = frozenset(
    (
        *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None"),
        *("<NA>", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    )
)
"""What is read as missing: the same texts that pandas takes for it."""

GROUPS = " \u00a0\u202f'’"
"""What may stand between thousands in both styles, beside the comma or the point of the other style."""

_EXPONENT = r"(?:[eE][+-]?\d+)?"

POINT = rf"[+-]?(?:[1-9]\d{{0,2}}(?:[,{GROUPS}]\d{{3}})+|\d+)?(?:\.\d*)?{_EXPONENT}"
"""A number with a decimal point, as a pattern. It also matches what has no digit: see `is_number`."""

COMMA = rf"[+-]?(?:[1-9]\d{{0,2}}(?:[.{GROUPS}]\d{{3}})+|\d+)?(?:,\d*)?{_EXPONENT}"
"""A number with a decimal comma, as a pattern."""

_POINT, _COMMA = re.compile(POINT), re.compile(COMMA)
_ENDLESS = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)


def is_point_number(text: str) -> bool:
    """Whether it is a number where the point is the decimal sign."""
    return (bool(_POINT.fullmatch(text)) and any(map(str.isdigit, text))) or bool(_ENDLESS.fullmatch(text))


def is_comma_number(text: str) -> bool:
    """Whether it is a number where the comma is the decimal sign."""
    return (bool(_COMMA.fullmatch(text)) and any(map(str.isdigit, text))) or bool(_ENDLESS.fullmatch(text))


def is_number(text: str) -> bool:
    """Whether it is a number in either style."""
    return is_point_number(text) or is_comma_number(text)

"""The turn's clock `now`, and functions for dates: declared for the CEL library, and evaluated here.

All of them compute with local time: `now` is 9 o'clock in an office that opens at 9, in any time zone. A timestamp of
the library has no time zone, so the local time is stored in it as if it were UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import cache
from typing import Any

from graphwright.flow.guards._value_types import UnfitValueError
from graphwright.flow.guards._vocabulary import NOW, words

DATE_FUNCTIONS = words("addDays date dateTime daysUntil format weekday")

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""The results of `weekday()`."""
_DIRECTIVE = re.compile(r"%(.?)")
_DIRECTIVES = "YymdHMSj%"
_zone: ContextVar[tzinfo] = ContextVar("graphwright_zone", default=UTC)


@contextmanager
def zone_of(values: Mapping[str, Any]) -> Iterator[None]:
    """Convert texts with an offset to the offset of `now` in these values, inside the block."""
    now = values.get(NOW)
    token = _zone.set((_read(now).tzinfo if isinstance(now, str) and now else None) or UTC)
    try:
        yield
    finally:
        _zone.reset(token)


def clock_reading(value: Any) -> datetime:
    """The value of `now`, a text in ISO 8601, for the library. Raises UnfitValueError."""
    try:
        return _read(value).replace(tzinfo=UTC)
    except ValueError as error:
        raise UnfitValueError(str(error)) from None


def moment_text(value: datetime) -> str:
    """A timestamp as text: a date, with the hour and minute unless it is midnight."""
    return f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d %H:%M}"


def _read(text: Any) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise ValueError(f"{str(text)[:40]!r} is not a date such as 2026-01-31") from None


def _date(value: str | datetime) -> datetime:
    found = value if isinstance(value, datetime) else _date_time(value)
    return datetime.combine(found.date(), time(), UTC)


def _date_time(text: str) -> datetime:
    found = _read(text)
    return (found if found.tzinfo is None else found.astimezone(_zone.get())).replace(tzinfo=UTC)


def _add_days(start: datetime, days: int) -> datetime:
    try:
        return start + timedelta(days=days)
    except OverflowError:
        raise ValueError("the date is outside the years 1 to 9999") from None


def _days_until(start: datetime, end: datetime) -> int:
    return (end.date() - start.date()).days


def _weekday(value: datetime) -> str:
    return WEEKDAYS[value.weekday()]


def format_complaint(pattern: str) -> str:
    """The error in the format of a date; empty if there is none."""
    for found in _DIRECTIVE.finditer(pattern):
        if not found[1] or found[1] not in _DIRECTIVES:
            known = " ".join(f"%{each}" for each in _DIRECTIVES)
            return f"{found[0]!r} is not a part of a date format; there are {known}"
    return ""


def _format(value: datetime, pattern: str) -> str:
    if complaint := format_complaint(pattern):
        raise ValueError(complaint)
    # Years before 1000 have fewer than four digits in the C library.
    return value.strftime(pattern.replace("%Y", f"{value.year:04}"))


@cache
def declarations() -> list[Any]:
    """The functions for the environments of the CEL library."""
    from cel_expr_python import cel

    kind, function, overload = cel.Type, cel.FunctionDecl, cel.Overload
    stamp, text, number = kind.TIMESTAMP, kind.STRING, kind.INT
    return [
        function(
            "date",
            [
                overload("date_string", stamp, [text], False, _date),
                overload("date_timestamp", stamp, [stamp], False, _date),
            ],
        ),
        function("dateTime", [overload("date_time_string", stamp, [text], False, _date_time)]),
        function("addDays", [overload("timestamp_add_days", stamp, [stamp, number], True, _add_days)]),
        function("daysUntil", [overload("timestamp_days_until", number, [stamp, stamp], True, _days_until)]),
        function("weekday", [overload("timestamp_weekday", text, [stamp], True, _weekday)]),
        function("format", [overload("timestamp_format", text, [stamp, text], True, _format)]),
    ]

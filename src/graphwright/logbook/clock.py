"""What time it is, for everything here that has to know: handed in, never looked up."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date, datetime, time

from graphwright.logbook.errors import LogbookError

Clock = Callable[[], datetime]
"""Gives the wall clock at the facility, without a zone: the time in which its people write."""

VARIABLE = "GRAPHWRIGHT_TODAY"


def clock_of_environment() -> Clock:
    """The clock of a program of its own: `GRAPHWRIGHT_TODAY`, else the machine's.

    The variable holds a day (`2026-11-22`, taken as its last minute, so that the whole day has happened) or a time
    (`2026-11-22T14:30`). Raises LogbookError (`bad_clock`) for anything else.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return datetime.now
    try:
        if len(given) <= len("2026-11-22"):
            moment = datetime.combine(date.fromisoformat(given), time(23, 59, 59))
        else:
            moment = datetime.fromisoformat(given).replace(tzinfo=None)
    except ValueError:
        raise LogbookError(
            "bad_clock", f"{VARIABLE} is {given!r}, which is no day.", "Write it as 2026-11-22, or unset it."
        ) from None
    return lambda: moment

"""The scale of the bars: few of them, of the same width, over every time."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from graphwright.store.interactions._summary import Scale

_TIMES = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)).map(datetime.isoformat)


@given(_TIMES, _TIMES)
def test_every_time_is_in_one_of_at_most_61_bars(one: str, other: str) -> None:
    scale = Scale.over(min(one, other), max(one, other))
    bars = scale.bars((each[: scale.digits], 1, 0) for each in (one, other))
    assert 1 <= len(bars) <= 61
    assert bars[0].count >= 1
    assert bars[-1].count >= 1
    assert sum(bar.count for bar in bars) == 2

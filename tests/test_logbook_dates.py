"""Days that models and people write: read, mended and told, or refused with the reason."""

from __future__ import annotations

from datetime import date

import pytest

from graphwright.logbook.clock import clock_of_environment
from graphwright.logbook.dates import read_days
from graphwright.logbook.errors import LogbookError, Refused

TODAY = date(2026, 3, 20)


def test_plain_days_say_nothing() -> None:
    assert read_days("2026-03-01", "2026-03-20", TODAY) == (date(2026, 3, 1), TODAY, [])
    assert read_days("", " ", TODAY) == (None, None, [])


@pytest.mark.parametrize(
    ("given", "day"),
    [
        ("yesterday", date(2026, 3, 19)),
        ("Gestern", date(2026, 3, 19)),
        ("vorgestern", date(2026, 3, 18)),
        ("3 days ago", date(2026, 3, 17)),
        ("vor 10 Tagen", date(2026, 3, 10)),
        ("2026-3-1", date(2026, 3, 1)),
        ("2026/03/01", date(2026, 3, 1)),
        ("01.03.2026", date(2026, 3, 1)),
        ("2026-03-01T14:00:00", date(2026, 3, 1)),
        ("2026-02-30", date(2026, 2, 28)),
        ("2024-02-30", date(2024, 2, 29)),
        ("99999 days ago", date(1752, 6, 5)),
    ],
)
def test_what_can_mean_one_day_only_is_mended_and_told(given: str, day: date) -> None:
    first, _, notes = read_days(given, "", TODAY)
    assert first == day
    assert len(notes) == 1
    assert given in notes[0]
    assert str(day) in notes[0]


def test_swapped_days_are_swapped_back() -> None:
    first, last, notes = read_days("2026-03-10", "2026-03-01", TODAY)
    assert (first, last) == (date(2026, 3, 1), date(2026, 3, 10))
    assert "swapped" in notes[0]


def test_a_last_day_in_the_future_is_today() -> None:
    assert read_days("", "2026-12-31", TODAY)[1] == TODAY
    assert "future" in read_days("", "2026-12-31", TODAY)[2][0]


@pytest.mark.parametrize("until", ["", "2027-01-01"])
def test_a_first_day_in_the_future_is_refused_with_today(until: str) -> None:
    with pytest.raises(Refused) as refused:
        read_days("2026-12-01", until, TODAY)
    assert refused.value.code == "future"
    assert "2026-03-20" in refused.value.message


@pytest.mark.parametrize(
    "given",
    ["2026-13-01", "2026-01-32", "0000-01-01", "01/03/2026", "last week", "26-01-01", "x" * 9_999, "2026-00-10"],
)
def test_what_is_no_day_is_refused(given: str) -> None:
    with pytest.raises(Refused) as refused:
        read_days(given, "", TODAY)
    assert refused.value.code == "bad_date"
    assert len(refused.value.message) < 200


def test_the_clock_of_a_program_is_told_by_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_TODAY", "2026-03-20")
    assert clock_of_environment()().isoformat() == "2026-03-20T23:59:59"
    monkeypatch.setenv("GRAPHWRIGHT_TODAY", "2026-03-20T14:30+01:00")
    assert clock_of_environment()().isoformat() == "2026-03-20T14:30:00"
    monkeypatch.setenv("GRAPHWRIGHT_TODAY", "2026-02-30")
    with pytest.raises(LogbookError, match="GRAPHWRIGHT_TODAY"):
        clock_of_environment()

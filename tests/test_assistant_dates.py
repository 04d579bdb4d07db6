"""Which days a question means, in English and German, by one fixed clock and on the edges of months and years."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from graphwright.agents.assistant.dates import Period, beside, period_in
from graphwright.agents.assistant.question import read

SUNDAY = date(2026, 11, 22)
YESTERDAY = "2026-11-21"

RANGES = [
    ("from 3 to 5 November", "2026-11-03", "2026-11-05"),
    ("between the 3rd and the 5th of November", "2026-11-03", "2026-11-05"),
    ("zwischen dem 3. und 5. November", "2026-11-03", "2026-11-05"),
    ("vom 3. bis 5. November", "2026-11-03", "2026-11-05"),
    ("3.-5.11.", "2026-11-03", "2026-11-05"),
    ("vom 3. bis zum 5.11.2025", "2025-11-03", "2025-11-05"),
    ("Nov 3-5", "2026-11-03", "2026-11-05"),
    ("November 3rd to 5th, 2025", "2025-11-03", "2025-11-05"),
    ("28.10.-3.11.", "2026-10-28", "2026-11-03"),
    ("Oct 28-Nov 3", "2026-10-28", "2026-11-03"),
    ("from 28 October to 3 November", "2026-10-28", "2026-11-03"),
    ("vom 28. Oktober bis zum 3. November", "2026-10-28", "2026-11-03"),
    ("between October 28 and November 3, 2025", "2025-10-28", "2025-11-03"),
    ("from 28 December to 3 January", "2025-12-28", "2026-01-03"),
    ("from 20 to 25 November", "2026-11-20", ""),
    ("from 20 November to 25 November", "2026-11-20", ""),
    ("between 2026-11-01 and 2026-11-05", "2026-11-01", "2026-11-05"),
    ("from Monday to Wednesday", "2026-11-16", "2026-11-18"),
    ("von Montag bis Mittwoch", "2026-11-16", "2026-11-18"),
    ("Monday-Wednesday", "2026-11-16", "2026-11-18"),
    ("between Friday and Monday", "2026-11-13", "2026-11-16"),
    ("Monday to Wednesday of last week", "2026-11-09", "2026-11-11"),
    ("letzte Woche von Montag bis Mittwoch", "2026-11-09", "2026-11-11"),
    ("from October to November", "2026-10-01", ""),
    ("zwischen August und Oktober", "2026-08-01", "2026-10-31"),
    ("from August to now", "2026-08-01", ""),
    ("from the 3rd to the 5th", "2026-11-03", "2026-11-05"),
    ("vom 3. bis 5.", "2026-11-03", "2026-11-05"),
    ("in der Nacht von Freitag auf Samstag", "2026-11-20", "2026-11-21"),
]
TIMES = [
    ("yesterday between 14:00 and 16:00", YESTERDAY, YESTERDAY),
    ("gestern zwischen 14 und 16 Uhr", YESTERDAY, YESTERDAY),
    ("after 22:00 yesterday", YESTERDAY, YESTERDAY),
    ("before 6 am yesterday", YESTERDAY, YESTERDAY),
    ("um 3 Uhr gestern", YESTERDAY, YESTERDAY),
    ("heute um 9.30 Uhr", "2026-11-22", "2026-11-22"),
    ("at 3 am on Friday", "2026-11-20", "2026-11-20"),
    ("around 3 am", "", ""),
    ("since 22:00 yesterday", YESTERDAY, ""),
    ("seit gestern 22 Uhr", YESTERDAY, ""),
    ("from 22:00 yesterday to 06:00 today", YESTERDAY, ""),
    ("on Friday from 10 pm to 2 am", "2026-11-20", "2026-11-21"),
    ("am Freitag zwischen 22 und 6 Uhr", "2026-11-20", "2026-11-21"),
    ("2026-11-20T14:05:00Z", "2026-11-20", "2026-11-20"),
    ("yesterday in the late afternoon", YESTERDAY, YESTERDAY),
    ("gestern Nachmittag", YESTERDAY, YESTERDAY),
]
NAMED = [
    ("two Mondays ago", "2026-11-09", "2026-11-09"),
    ("vor zwei Montagen", "2026-11-09", "2026-11-09"),
    ("Monday last week", "2026-11-09", "2026-11-09"),
    ("am Montag letzter Woche", "2026-11-09", "2026-11-09"),
    ("last week on Monday", "2026-11-09", "2026-11-09"),
    ("on Monday two weeks ago", "2026-11-02", "2026-11-02"),
    ("Montag vor zwei Wochen", "2026-11-02", "2026-11-02"),
    ("on Friday, 20 November", "2026-11-20", "2026-11-20"),
    ("am Freitag, den 13.11.", "2026-11-13", "2026-11-13"),
    ("since Tuesday", "2026-11-17", ""),
    ("until last Friday", "", "2026-11-20"),
    ("bis Freitag", "", "2026-11-20"),
    ("Freitagabend", "2026-11-20", "2026-11-20"),
    ("Friday night", "2026-11-20", "2026-11-21"),
    ("in der Nacht auf Samstag", "2026-11-20", "2026-11-21"),
    ("the day before yesterday night", "2026-11-20", "2026-11-21"),
    ("vorgestern Nacht", "2026-11-20", "2026-11-21"),
    ("yesterday evening", YESTERDAY, YESTERDAY),
    ("last weekend", "2026-11-14", "2026-11-15"),
    ("vorletztes Wochenende", "2026-11-07", "2026-11-08"),
    ("on the 20th", "2026-11-20", "2026-11-20"),
    ("20/11/2026", "2026-11-20", "2026-11-20"),
    ("20.11.26", "2026-11-20", "2026-11-20"),
    ("29 February", "2024-02-29", "2024-02-29"),
    ("Anfang Oktober", "2026-10-01", "2026-10-10"),
    ("Mitte Oktober", "2026-10-11", "2026-10-20"),
    ("Ende Oktober", "2026-10-21", "2026-10-31"),
    ("early October", "2026-10-01", "2026-10-10"),
    ("mid-October", "2026-10-11", "2026-10-20"),
    ("late October 2025", "2025-10-21", "2025-10-31"),
    ("since the beginning of November", "2026-11-01", ""),
    ("seit Monatsanfang", "2026-11-01", ""),
    ("Ende letzten Monats", "2026-10-21", "2026-10-31"),
    ("first half of November", "2026-11-01", "2026-11-15"),
    ("in der zweiten Novemberhälfte", "2026-11-16", ""),
    ("the last week of October", "2026-10-25", "2026-10-31"),
    ("since last October", "2026-10-01", ""),
    ("in 2025", "2025-01-01", "2025-12-31"),
    ("nach 2024", "2025-01-01", ""),
    ("the past fortnight", "2026-11-08", ""),
    ("letzte vierzehn Tage", "2026-11-08", ""),
    ("a fortnight ago", "2026-11-05", "2026-11-11"),
    ("two months ago", "2026-09-01", "2026-09-30"),
    ("vor drei Tagen", "2026-11-19", "2026-11-19"),
    ("in the last 48 hours", "2026-11-20", ""),
    (
        "two hours ago",
        YESTERDAY,
        "",
    ),
    ("last quarter", "2026-07-01", "2026-09-30"),
    ("in diesem Quartal", "2026-10-01", ""),
    ("im dritten Quartal 2025", "2025-07-01", "2025-09-30"),
    ("KW 45", "2026-11-02", "2026-11-08"),
    ("in week 45", "2026-11-02", "2026-11-08"),
    ("KW 45/2025", "2025-11-03", "2025-11-09"),
    ("KW 44 bis 46", "2026-10-26", "2026-11-15"),
    ("this month", "2026-11-01", ""),
    ("the week before last", "2026-11-02", "2026-11-08"),
    ("the last shift", YESTERDAY, ""),
    ("letzte Schicht", YESTERDAY, ""),
    ("last three shifts", YESTERDAY, ""),
    ("in den letzten vier Schichten", "2026-11-20", ""),
    ("die letzten zwei Nachtschichten", "2026-11-20", ""),
]

RECENT = [
    ("since midnight", "2026-11-22", ""),
    ("seit Mitternacht", "2026-11-22", ""),
    ("since 6 am", "2026-11-22", ""),
    ("seit 6 Uhr", "2026-11-22", ""),
    ("after midnight", "2026-11-22", ""),
    # At half past nine an evening is that of yesterday.
    ("since 22:00", YESTERDAY, ""),
    ("seit 22 Uhr", YESTERDAY, ""),
    ("overnight", YESTERDAY, ""),
    ("over night", YESTERDAY, ""),
    ("during the night", YESTERDAY, ""),
    ("in der Nacht", YESTERDAY, ""),
    ("heute Nacht", YESTERDAY, ""),
    ("am Freitag in der Nacht", "2026-11-20", "2026-11-21"),
    ("so far today", "2026-11-22", "2026-11-22"),
    ("heute bisher", "2026-11-22", "2026-11-22"),
    ("in the last couple of hours", YESTERDAY, ""),
    ("in den letzten paar Stunden", YESTERDAY, ""),
    ("since this morning's shift", "2026-11-22", ""),
    ("since the start of the shift", YESTERDAY, ""),
    ("seit Schichtbeginn", YESTERDAY, ""),
    ("during this shift", YESTERDAY, ""),
    ("in meiner Schicht", YESTERDAY, ""),
    ("since my last shift", YESTERDAY, ""),
    ("over the weekend", YESTERDAY, ""),
    ("übers Wochenende", YESTERDAY, ""),
    ("seit dem Wochenende", YESTERDAY, ""),
    ("since I left on Friday evening", "2026-11-20", ""),
    ("since we went home on Friday", "2026-11-20", ""),
    ("since my holiday began on 10 November", "2026-11-10", ""),
    ("seit ich am Freitagabend gegangen bin", "2026-11-20", ""),
    ("seitdem ich Donnerstag weg war", "2026-11-19", ""),
    ("seit meinem Feierabend am Freitag", "2026-11-20", ""),
]


@pytest.mark.parametrize(("text", "since", "until"), RANGES + TIMES + NAMED + RECENT)
@pytest.mark.parametrize("sentence", ["{}", "Which klystron trips were there {}?", "Was war mit dem Septum {}?"])
def test_a_time_is_read_and_none_of_its_words_is_searched_for(sentence: str, text: str, since: str, until: str) -> None:
    said = sentence.format(text)
    asked = read(said, datetime(2026, 11, 22, 9, 30, tzinfo=UTC))
    assert asked.period is not None
    assert (asked.period.since, asked.period.until) == (since, until)
    assert not asked.period.impossible
    assert set(asked.terms) <= {"klystron", "trips", "Septum"}


@pytest.mark.parametrize(
    "text",
    [
        *("on Mondays", "jeden Montag", "next Monday", "nächste Woche", "in the afternoon", "the last resort"),
        *("a ratio of 1:10", "Q3 of the linac", "the first quarter of the ring", "the gap is 5.6. Why?", "2026-13-45"),
        *("Can klystron 3 may trip?", "May 5 magnets be off?", "am 3. Klystron", "firmware 4.1.", "in 2025 V mode"),
    ],
)
def test_what_only_looks_like_a_time_restricts_nothing(text: str) -> None:
    assert period_in(text, SUNDAY) is None


def test_a_thing_with_a_number_before_a_day_is_no_time_of_day() -> None:
    asked = read("Was war mit Klystron 3 am Montag?", datetime(2026, 11, 22, 9, 30, tzinfo=UTC))
    assert asked.terms == ("Klystron", "3")
    assert asked.period is not None
    assert asked.period.since == "2026-11-16"


def test_what_is_counted_in_a_week_is_not_its_number() -> None:
    found = period_in("Last week 3 klystrons tripped", SUNDAY)
    assert found is not None
    assert found.words == ("Last week",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What happened on 31 February?", "31 February"),
        ("Was war am 30. Februar?", "30. Februar"),
        ("trips of 32 October", "32 October"),
        ("Was war am 31.11.?", "31.11."),
        ("on 29 February 2027", "29 February 2027"),
        ("am 2026-02-31", "2026-02-31"),
        ("from 28 to 31 February", "28 to 31 February"),
        ("in KW 60", "KW 60"),
    ],
)
def test_a_day_that_there_is_not_is_told_and_searched_for_nowhere(text: str, said: str) -> None:
    asked = read(text, datetime(2026, 11, 22, 9, 30, tzinfo=UTC))
    assert asked.period is not None
    assert (asked.period.since, asked.period.until) == ("", "")
    assert asked.period.impossible == (said,)
    assert set(asked.terms) <= {"trips"}


def test_a_day_that_there_is_beside_one_that_there_is_not_counts() -> None:
    found = period_in("yesterday and on 31 February", SUNDAY)
    assert found is not None
    assert (found.since, found.until) == (YESTERDAY, YESTERDAY)
    assert found.impossible == ("31 February",)


NEW_YEAR, LEAP_DAY, MONDAY = date(2027, 1, 1), date(2028, 2, 29), date(2026, 11, 23)


@pytest.mark.parametrize(
    ("today", "text", "since", "until"),
    [
        (NEW_YEAR, "yesterday", "2026-12-31", "2026-12-31"),
        (NEW_YEAR, "in December", "2026-12-01", "2026-12-31"),
        (NEW_YEAR, "since 30 December", "2026-12-30", ""),
        (NEW_YEAR, "28.12.-1.1.", "2026-12-28", ""),
        (NEW_YEAR, "letztes Quartal", "2026-10-01", "2026-12-31"),
        (NEW_YEAR, "KW 53", "2026-12-28", ""),
        (NEW_YEAR, "Anfang Januar", "2027-01-01", ""),
        (NEW_YEAR, "last shift", "2026-12-31", ""),
        (date(2026, 11, 5), "late November", "2025-11-21", "2025-11-30"),
        (date(2026, 11, 5), "zweite Hälfte November", "2025-11-16", "2025-11-30"),
        (date(2026, 11, 5), "the last week of November", "2025-11-24", "2025-11-30"),
        (LEAP_DAY, "29 February", "2028-02-29", "2028-02-29"),
        (LEAP_DAY, "gestern", "2028-02-28", "2028-02-28"),
        (LEAP_DAY, "Ende Februar", "2028-02-19", ""),
        (LEAP_DAY, "two years ago", "2026-01-01", "2026-12-31"),
        (date(2028, 3, 1), "gestern", "2028-02-29", "2028-02-29"),
        (MONDAY, "on Monday", "2026-11-23", "2026-11-23"),
        (MONDAY, "last Monday", "2026-11-16", "2026-11-16"),
        (MONDAY, "two Mondays ago", "2026-11-09", "2026-11-09"),
        (MONDAY, "Monday last week", "2026-11-16", "2026-11-16"),
        (MONDAY, "last weekend", "2026-11-21", "2026-11-22"),
        (MONDAY, "from Friday to Sunday", "2026-11-20", "2026-11-22"),
        (MONDAY, "von Montag bis Mittwoch", "2026-11-16", "2026-11-18"),
        (MONDAY, "this week", "2026-11-23", ""),
        (MONDAY, "last night", "2026-11-22", ""),
    ],
)
def test_edges_of_weeks_months_and_years(today: date, text: str, since: str, until: str) -> None:
    found = period_in(text, today)
    assert found is not None
    assert (found.since, found.until) == (since, until)


@pytest.mark.parametrize(
    ("before", "text", "since", "until"),
    [
        ("last week", "And in the week before?", "2026-11-08", "2026-11-14"),
        ("last week", "the week before that?", "2026-11-08", "2026-11-14"),
        ("last week", "And the previous week?", "2026-11-08", "2026-11-14"),
        ("letzte Woche", "Und davor?", "2026-11-08", "2026-11-14"),
        ("letzte Woche", "Und in der Woche davor?", "2026-11-08", "2026-11-14"),
        ("letzte Woche", "Und in der Vorwoche?", "2026-11-08", "2026-11-14"),
        ("last week", "and the two weeks before?", "2026-11-01", "2026-11-14"),
        ("last week", "what about the month before?", "2026-10-16", "2026-11-14"),
        ("in October", "and before that?", "2026-09-01", "2026-09-30"),
        ("in October", "what about the month before?", "2026-09-01", "2026-09-30"),
        ("in October", "und der Monat danach?", "2026-11-01", ""),
        ("in Q3 2026", "and the quarter before?", "2026-04-01", "2026-06-30"),
        ("in 2026", "and the year before?", "2025-01-01", "2025-12-31"),
        ("yesterday", "And the day before?", "2026-11-20", "2026-11-20"),
        ("gestern", "und am Tag davor?", "2026-11-20", "2026-11-20"),
        ("last night", "and the night before?", "2026-11-20", "2026-11-21"),
        ("last weekend", "and the weekend before?", "2026-11-07", "2026-11-08"),
        ("on Monday", "and on the next day?", "2026-11-17", "2026-11-17"),
        ("am Montag", "Was geschah danach?", "2026-11-17", ""),
    ],
)
def test_the_time_beside_another_one_is_counted_from_its_end(before: str, text: str, since: str, until: str) -> None:
    period = period_in(before, SUNDAY)
    assert period is not None
    found = beside(text, period, SUNDAY)
    assert found is not None
    assert (found.since, found.until) == (since, until)


@pytest.mark.parametrize(
    "text",
    [
        *("Has that happened before?", "the day before yesterday", "the week before last", "What was before the dump?"),
        *(
            "next week",
            "before Tuesday",
            "and yesterday?",
            "War das schon davor defekt, das Ventil?",
            "the 0 days before",
        ),
        *("and after that?", "und danach?"),
    ],
)
def test_what_names_no_time_beside_another_one_is_none(text: str) -> None:
    # A time until now has none behind it.
    assert beside(text, Period("2026-11-15", "", ()), SUNDAY) is None
    assert beside("and the week before?", Period("", "2026-11-15", ()), SUNDAY) is None


@pytest.mark.parametrize("text", ["and the 9999 years before?", "and the 9999 months after?", "and before that?"])
@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_beside_the_ends_of_time_breaks_nothing(text: str, day: str) -> None:
    found = beside(text, Period(day, day, ()), SUNDAY)
    assert found is None or date.fromisoformat(found.since)


@pytest.mark.parametrize("hour", [0, 9, 23])
def test_the_last_shift_is_in_its_period_at_every_hour(hour: int) -> None:
    asked = read("What happened in the last shift?", datetime(2026, 11, 22, hour, 0, tzinfo=UTC))
    assert asked.period is not None
    assert (asked.period.since, asked.period.until) == (YESTERDAY, "")


@pytest.mark.parametrize(
    "text",
    [
        *("31.12.9999", "after 9999-12-31", "9999-12-31 from 22:00 to 6:00", "9999 years ago", "vor 9999 Wochen"),
        *("12/31/9999 bis Nov 3", "1.1.1", "00.00.0000", "KW 0", "9999-W53", "- - 5. bis", "from to between and"),
    ],
)
@pytest.mark.parametrize("today", [SUNDAY, LEAP_DAY, date.min, date.max])
def test_the_ends_of_time_break_nothing(text: str, today: date) -> None:
    found = period_in(text, today)
    assert found is None or found.since == "" or date.fromisoformat(found.since)

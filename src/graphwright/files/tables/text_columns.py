"""Columns of text into numbers, dates and truth values: what a column is, the whole of it has to be."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphwright.files.naming import shown
from graphwright.files.tables.cells import COMMA, GROUPS, MISSING, POINT, is_comma_number, is_point_number

Style = Literal["point", "comma", "either"]

_TOKENS = pa.array(sorted(MISSING))
_SAMPLE = 300
_MIXED = 0.5
"""The share of numbers from which on a column of text is said to be mixed."""

_STAMP = r"\d{4}[-/]\d{2}[-/]\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?"
_DAY = r"(?P<a>\d{1,2})(?P<s>[./-])(?P<b>\d{1,2})[./-](?P<y>\d{4})(?P<t>[T ]\d{1,2}:\d{2}(?::\d{2})?)?"
_SIGNED = re.compile(_STAMP)
_DAYS = re.compile(_DAY)
_TRUTHS = ("true", "false")


@dataclass
class Column:
    """A column on its way: its values without the missing ones, a sample of them, and what it came to."""

    name: str
    values: Any
    sample: list[str]
    clean: bool = False
    missing_words: int = 0
    style: Style | Literal[""] = ""
    data: Any = None
    notes: list[str] = field(default_factory=list)
    commas: bool = False
    groups: bool = False


def read_columns(names: list[str], table: pa.Table, separator: str, threads: int) -> tuple[list[Any], list[str]]:
    """The columns with their types, and notes on what is not plain about them."""
    with ThreadPoolExecutor(threads) as pool:
        columns = list(pool.map(_begun, names, (table.column(place) for place in range(len(names)))))
        styles = [column.style for column in columns]
        # What one column alone does not tell, the others do: a file is written in one style.
        comma, point = styles.count("comma"), styles.count("point")
        told: Literal["comma", "point", ""] = "comma" if comma > point else "point" if point else ""
        list(pool.map(lambda column: _settled(column, told, separator), columns))
    return [column.data for column in columns], _notes(columns)


def only_dates(values: Any) -> Any:
    """Text of which all is ISO dates, as dates; else as it is."""
    sample = _sample(values)
    if not sample or not all(_SIGNED.fullmatch(text) for text in sample):
        return values
    data = _stamps(values, sample)
    return values if data is None else data


def _begun(name: str, values: Any) -> Column:
    column = Column(name, values, _sample(values))
    if not MISSING.isdisjoint(column.sample):
        _clean(column)
        column.sample = _sample(column.values)
    column.sample = [text.strip() for text in column.sample]
    if column.sample:
        column.style = _style(column.sample)
    return column


def _clean(column: Column) -> bool:
    """Let words like NA be missing; whether there were any."""
    if column.clean:
        return False
    column.clean = True
    words = pc.is_in(column.values, value_set=_TOKENS)
    column.missing_words = pc.sum(words).as_py() or 0
    if column.missing_words:
        column.values = pc.if_else(words, pa.scalar(None, pa.string()), column.values)
    return column.missing_words > 0


def _sample(values: Any) -> list[str]:
    """Some values, evenly spaced, none of them missing."""
    rows = len(values)
    if rows > 4 * _SAMPLE:
        places = pa.array(np.linspace(0, rows - 1, _SAMPLE).astype(np.int64))
        sample = [text for text in values.take(places).to_pylist() if text is not None]
        if len(sample) >= 20:
            return sample
    present = values.drop_null()
    return list(present.slice(0, _SAMPLE).to_pylist())


def _style(sample: list[str]) -> Style | Literal[""]:
    """The style of numbers; empty where some are none."""
    point, comma = all(map(is_point_number, sample)), all(map(is_comma_number, sample))
    return "either" if point and comma else "point" if point else "comma" if comma else ""


def _settled(column: Column, told: Literal["comma", "point", ""], separator: str) -> None:
    """Give the column its data. Words for what is missing are looked for only where they would be in the way."""
    if not column.sample:
        # There is nothing in it, which in sums and means is a number's nothing.
        column.data = pc.cast(column.values, pa.float64()) if len(column.values) else column.values
        return
    data = _read(column, told, separator)
    # Numbers take NaN for one of them.
    if (data is None or (pa.types.is_floating(data.type) and pc.any(pc.is_nan(data)).as_py())) and _clean(column):
        column.notes.clear()
        data = _read(column, told, separator)
    column.data = column.values if data is None else data
    if pa.types.is_string(column.data.type):
        _tell_text(column)


def _read(column: Column, told: Literal["comma", "point", ""], separator: str) -> Any:
    """What the sample says that the column is, read; None where it is something else."""
    if column.style:
        return _numbers(column, told, separator)
    if all(text.lower() in _TRUTHS for text in column.sample):
        return _truths(column.values)
    if all(map(_SIGNED.fullmatch, column.sample)):
        return _stamps(column.values, column.sample)
    if all(map(_DAYS.fullmatch, column.sample)):
        return _days(column)
    return None


def _numbers(column: Column, told: Literal["comma", "point", ""], separator: str) -> Any:
    """The column as numbers; None where not all of it are any, or reading them would lose something."""
    signs = "".join(column.sample)
    plain = not any(sign in signs for sign in "," + GROUPS)
    if column.style == "either":
        comma = told == "comma"
        if "," in signs and not told:
            # "1,234" without anything that would tell: a file takes semicolons where the comma is the decimal sign.
            comma = separator == ";"
            read = "1.234" if comma else "1234"
            column.notes.append(f"`{shown(column.name)}`: numbers like 1,234 were read as {read}.")
    else:
        comma = column.style == "comma"
    tries: list[Callable[[Any], Any]] = []
    if plain and not (comma and "." in signs):
        tries.append(_plain)
    tries += [_commas, _points] if comma else [_points, _commas]
    for values in (column.values, None):
        if values is None:
            values = pc.utf8_trim_whitespace(column.values)
            if values.equals(column.values):
                return None
        for way in tries:
            if (data := way(values)) is None:
                continue
            if pa.types.is_integer(data.type) and _has_zeros(values):
                column.notes.append(f"`{shown(column.name)}` has numbers with leading zeros: it was left as text.")
                return column.values
            if pa.types.is_floating(data.type) and _too_long(values):
                column.notes.append(f"`{shown(column.name)}` has numbers too long to be exact: it was left as text.")
                return column.values
            group = "." if way is _commas else ","
            column.commas = way is _commas and _any(values, ",")
            column.groups = way is not _plain and _any(values, rf"\d[{group}{GROUPS}]\d{{3}}")
            return data
    return None


def _plain(values: Any) -> Any:
    return _cast(values, pa.int64(), pa.float64())


def _points(values: Any) -> Any:
    if not _all(values, rf"^(?:{POINT}|(?i:[+-]?inf(?:inity)?))$"):
        return None
    return _plain(_unsigned(pc.replace_substring_regex(values, f"[,{GROUPS}]", "")))


def _commas(values: Any) -> Any:
    if not _all(values, rf"^(?:{COMMA}|(?i:[+-]?inf(?:inity)?))$"):
        return None
    joined = pc.replace_substring_regex(values, f"[.{GROUPS}]", "")
    return _plain(_unsigned(pc.replace_substring(joined, ",", ".")))


def _unsigned(values: Any) -> Any:
    return pc.replace_substring_regex(values, r"^\+", "")


def _has_zeros(values: Any) -> bool:
    """Whether there is a number like 007, which would lose its zeros."""
    # Looked for with a pattern only where it can be: patterns cost more than all the rest.
    begin = (pc.any(pc.starts_with(values, sign)).as_py() for sign in ("0", "-0", "+0"))
    return any(begin) and _any(values, r"^[+-]?0\d")


def _too_long(values: Any) -> bool:
    """Whether all are whole numbers, as ids are, and one has more digits than a floating one holds."""
    if (pc.max(pc.binary_length(values)).as_py() or 0) < 16:
        return False
    return _any(values, r"^[+-]?\d{16,}$") and not _any(values, r"[.,eE]")


def _truths(values: Any) -> Any:
    low = pc.utf8_lower(pc.utf8_trim_whitespace(values))
    if not pc.all(pc.is_in(low.drop_null(), value_set=pa.array(_TRUTHS))).as_py():
        return None
    return pc.equal(low, "true")


def _stamps(values: Any, sample: list[str]) -> Any:
    """ISO dates, with or without time; None where one is none. Those with an offset are told in UTC."""
    if any("/" in text for text in sample):
        values = pc.replace_substring(values, "/", "-")
    zone = "UTC" if sample[0].endswith("Z") or re.search(r":\d\d[\d.]*[+-]\d\d:?\d\d$", sample[0]) else None
    data = _cast(values, pa.timestamp("us", zone), pa.timestamp("ns", zone))
    if data is not None or (trimmed := pc.utf8_trim_whitespace(values)).equals(values):
        return data
    return _cast(trimmed, pa.timestamp("us", zone), pa.timestamp("ns", zone))


def _days(column: Column) -> Any:
    """Dates like 31.12.2025 and 12/31/2025; None where one is none, or where nothing tells the day from the month."""
    values = pc.utf8_trim_whitespace(column.values)
    if not _all(values, f"^(?:{re.sub(r'[?]P<[a-z]>', '?:', _DAY)})$"):
        return None
    parts = pc.extract_regex(values, f"^{_DAY}$")
    first, second, year, time, sign = (pc.struct_field(parts, name) for name in ("a", "b", "y", "t", "s"))
    high_first = pc.max(pc.cast(first, pa.int64())).as_py()
    high_second = pc.max(pc.cast(second, pa.int64())).as_py()
    dots = pc.all(pc.equal(sign, ".")).as_py()
    if dots or (high_first > 12 and high_second <= 12):
        day, month = first, second
    elif high_second > 12 and high_first <= 12:
        day, month = second, first
    else:
        column.notes.append(
            f"`{shown(column.name)}` has dates like {shown(column.sample[0])}, and nothing tells the day from the "
            "month: it was left as text."
        )
        return column.values
    two = pc.binary_join_element_wise(
        year, pc.utf8_lpad(month, 2, "0"), pc.utf8_lpad(day, 2, "0"), "-", null_handling="emit_null"
    )
    if pc.any(pc.not_equal(time, "")).as_py():
        time = pc.replace_substring_regex(time, r"^[T ](\d):", r" 0\1:")
        two = pc.binary_join_element_wise(two, pc.replace_substring(time, "T", " "), "", null_handling="emit_null")
    data = _cast(two, pa.timestamp("us"))
    if data is not None:
        order = "day, month, year" if day is first else "month, day, year"
        column.notes.append(f"`{shown(column.name)}`: dates like {shown(column.sample[0])} were read as {order}.")
    return data


def _tell_text(column: Column) -> None:
    """What a person should know about a column that stayed text: that most of it are numbers, or what is missing."""
    numbers = sum(is_point_number(text) or is_comma_number(text) for text in column.sample)
    if numbers > _MIXED * len(column.sample):
        trimmed = pc.utf8_trim_whitespace(column.values)
        is_one = pc.match_substring_regex(trimmed, rf"^(?:{POINT}|{COMMA})$")
        others = column.values.filter(pc.invert(is_one).combine_chunks().fill_null(False))
        if len(others):
            few = list(dict.fromkeys(others.slice(0, 1_000).to_pylist()))
            such = ", ".join(f"`{shown(text, 20)}`" for text in few[:3]) + (", ..." if len(few) > 3 else "")
            of = len(column.values) - column.values.null_count
            column.notes.append(
                f"`{shown(column.name)}` is mixed: {len(others):,} of {of:,} values are no numbers ({such}). "
                "It was read as text."
            )
    if column.missing_words:
        column.notes.append(f"`{shown(column.name)}`: {_values(column.missing_words)} like NA or null read as missing.")


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count:,} values"


def _notes(columns: list[Column]) -> list[str]:
    notes = []
    for one, sentence in (("commas", "Decimal commas were read in"), ("groups", "Thousands separators were read in")):
        names = [column.name for column in columns if getattr(column, one)]
        if names:
            few = ", ".join(f"`{shown(name)}`" for name in names[:5]) + (", ..." if len(names) > 5 else "")
            notes.append(f"{sentence} {few if len(names) <= 5 else f'{len(names):,} columns ({few})'}.")
    return notes + [note for column in columns for note in column.notes]


def _cast(values: Any, *types: Any) -> Any:
    """The values as the first of the types that takes them all; None where there is none."""
    for each in types:
        try:
            return pc.cast(values, each)
        except pa.ArrowInvalid:
            continue
    return None


def _all(values: Any, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py() is not False)


def _any(values: Any, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(values, pattern)).as_py())

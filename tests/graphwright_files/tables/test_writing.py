"""A random table, written in any format, encoding, separator and decimal style, reads back equal."""

from __future__ import annotations

import json
import re
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from files_support import delimited, sqlite, workbook
from graphwright_files import Limits
from graphwright_files.tables._delimited import MISSING
from graphwright_files.tables._engine import connect
from graphwright_files.tables._reading import read_file

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("shared_readers")]


def is_plain(text: str) -> bool:
    """A text without a special meaning, such as a missing value, a comment, a truth value, or a quote."""
    beyond = re.search(r"[^\x00-\x7f]{2}", text)
    return (
        text.strip() == text
        and text not in MISSING
        and text[0] not in "#'\""
        and any(map(str.isalpha, text))
        # In Western words such letters are rarely adjacent, by which an unmarked encoding is guessed.
        and not beyond
    )


WORDS = st.text(st.sampled_from("abcxyzÄöüßéèñ€ ,;\t|'\"-_:.#"), min_size=1, max_size=8).filter(is_plain)
# A name is never a value: if everything is text, nothing else distinguishes the first row from the others.
NAMES = (
    st.text(st.sampled_from("defghij_ äé"), min_size=1, max_size=6)
    .filter(lambda text: text[0] in "defghij" and "  " not in text)
    .filter(is_plain)
)
INTEGERS = st.integers(-(10**12), 10**12)
NUMBERS = st.integers(-(10**9), 10**9).map(lambda n: n / 1_000)
MOMENTS = st.integers(0, 10**9).map(lambda n: datetime(1990, 1, 1) + timedelta(seconds=n))
KINDS: dict[str, st.SearchStrategy[Any]] = {
    "integer": INTEGERS,
    "number": NUMBERS,
    "text": WORDS,
    "boolean": st.booleans(),
    "datetime": MOMENTS,
}
Table = dict[str, list[Any]]


@st.composite
def tables(draw: st.DrawFn, kinds: tuple[str, ...] = tuple(KINDS)) -> Table:
    """Two to five columns of one kind each, with some values missing, the first one of text."""
    rows = draw(st.integers(3, 12))
    names = draw(st.lists(NAMES, min_size=2, max_size=5, unique_by=str.casefold))
    table: Table = {}
    for place, name in enumerate(names):
        kind = "text" if place == 0 else draw(st.sampled_from(kinds))
        values = draw(st.lists(KINDS[kind], min_size=rows, max_size=rows, unique=kind == "text"))
        if place and draw(st.booleans()):
            gaps = draw(st.sets(st.integers(0, rows - 1), max_size=rows // 2))
            values = [None if row in gaps else value for row, value in enumerate(values)]
        if kind == "number":
            # One value that is not a whole number, and shows the decimal sign.
            values[0] = 0.5
        table[name] = values
    return table


def read(write: Any, name: str) -> Table:
    with tempfile.TemporaryDirectory() as kept:
        path, folder = Path(kept) / name, Path(kept) / "out"
        folder.mkdir()
        write(path)
        found = read_file(connect(), path, folder, Limits(), 1)
        read_back = pq.read_table(folder / "0.parquet")
        profiled = found["tables"][0]["columns"]
        assert [column["missing"] for column in profiled] == [column.null_count for column in read_back.columns]
        return dict(read_back.to_pydict())


def number(value: float, decimal: str, group: str) -> str:
    text = f"{value:,.3f}" if group else repr(value)
    return text.replace(",", "\0").replace(".", decimal).replace("\0", group)


def cell(value: Any, decimal: str = ".", group: str = "", stamp: str = "%Y-%m-%d %H:%M:%S") -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.strftime(stamp)
    if isinstance(value, float):
        return number(value, decimal, group)
    return str(value)


def rows(table: Table, **style: str) -> list[list[str]]:
    return [list(table), *([cell(value, **style) for value in row] for row in zip(*table.values(), strict=True))]


CHECKED = settings(max_examples=20, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
@CHECKED
@given(
    tables(),
    st.sampled_from(",;\t|"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    st.sampled_from([(".", ""), (".", ","), (",", ""), (",", "."), (",", " "), (".", "'")]),
    st.sampled_from(["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%d.%m.%Y %H:%M:%S"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_delimited_text(
    table: Table, separator: str, encoding: str, signs: tuple[str, str], stamp: str, end: str
) -> None:
    written = delimited(rows(table, decimal=signs[0], group=signs[1], stamp=stamp), separator, end)
    assert read(lambda path: path.write_bytes(written.encode(encoding)), "table.csv") == table


@CHECKED
@given(tables(), st.sampled_from(["records.json", "lines.jsonl", "columns.json"]))
def test_json(table: Table, name: str) -> None:
    records: Any = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    whole = [table if name == "columns.json" else records] if name.endswith(".json") else records
    text = "\n".join(json.dumps(each, default=str, ensure_ascii=len(table) > 2) for each in whole)
    assert read(lambda path: path.write_text(text, "utf-8"), name) == table


@CHECKED
@given(tables(("integer", "number", "text", "boolean")))
def test_workbooks(table: Table) -> None:
    sheet = [list(table), *zip(*table.values(), strict=True)]
    assert read(lambda path: workbook(path, {"only": sheet}), "table.xlsx") == table


@CHECKED
@given(tables(("integer", "number", "text", "datetime")))
def test_databases(table: Table) -> None:
    plain = [[cell(v) if isinstance(v, datetime) else v for v in row] for row in zip(*table.values(), strict=True)]
    assert read(lambda path: sqlite(path, {"only": [list(table), *plain]}), "table.db") == table


@CHECKED
@given(tables())
def test_parquet(table: Table) -> None:
    assert read(lambda path: pq.write_table(pa.table(table), path), "table.parquet") == table

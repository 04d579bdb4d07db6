"""Reading data files: separators, numbers, dates, headers, text around a table, encodings, samples."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from files_support import columns, notes_of, open_dataset, sqlite, types, workbook, written
from graphwright_files import Limits, open_datasets

pytestmark = pytest.mark.usefixtures("shared_readers")

NUMBERS: list[tuple[str, list[Any]]] = [
    ("a;n\nx;1,234\ny;5,678\n", [1.234, 5.678]),
    ("a;n\nx;1.234\ny;5.678\n", [1.234, 5.678]),
    ("a;n;m\nx;1.234;0,5\ny;5.678;1,5\n", [1234, 5678]),
    ("a;n\nx;1.234,56\ny;-0,5\n", [1234.56, -0.5]),
    ("a\tn\nx\t1 234 567,8\ny\t2\n", [1234567.8, 2.0]),
    ("a;n\nx;1\xa0234\ny;2\n", [1234, 2]),
    ("a,n\nx,1e3\ny,-2.5E-1\n", [1000.0, -0.25]),
    ("a,n\nx,999999999999998592\ny,99999999999999991000\nz,0.5\n", [999999999999998592.0, 99999999999999991000.0, 0.5]),
    # Values stay text if a conversion would lose information: zeros, digits, the order of day and month, a sign
    # elsewhere.
    ("a,n\nx,00123\ny,04567\n", ["00123", "04567"]),
    ("a,n\nx,12345678901234567890\ny,2\n", ["12345678901234567890", "2"]),
    ("a,n\nx,01/02/2025\ny,03/04/2025\n", ["01/02/2025", "03/04/2025"]),
    ("a,n\nx,31.02.2025\ny,01.01.2025\n", ["31.02.2025", "01.01.2025"]),
    ("a;n;m\n" + "x;1.234;0,5\n" * 2_000 + "x;1.5;0,5\n", ["1.234"] * 2_000 + ["1.5"]),
    ("a,n\nx,5 %\ny,$7\n", ["5 %", "$7"]),
    ("a,n\n# one\nx,1\n# two, with a comma\ny,2\n", [1, 2]),
    ("n|a\n.è,é.|True\n,ß,:ñ|False\nx y,z|True\n", [".è,é.", ",ß,:ñ", "x y,z"]),
]


COMMAS = ([1.234, 5.678], [1234.56, -0.5], [1234567.8, 2.0])


@pytest.mark.parametrize(("text", "values"), NUMBERS, ids=range(len(NUMBERS)))
def test_values_of_a_column(tmp_path: Path, text: str, values: list[Any]) -> None:
    found = open_dataset(written(tmp_path, "n.csv", text))
    assert columns(found)["n"] == values
    assert ("Decimal commas were read in `n`." in notes_of(found)) == ("," in text and values in COMMAS)
    assert ("`n`: numbers like 1,234 were read as 1.234." in notes_of(found)) == text.startswith("a;n\nx;1,234\n")
    unclear = any("nothing tells the day from the month" in note.text for note in found.notes)
    assert unclear == ("01/02/2025" in values)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2025-12-31", datetime(2025, 12, 31)),
        ("2025-12-31T23:59:58.25", datetime(2025, 12, 31, 23, 59, 58, 250_000)),
        ("31/12/2025 8:05", datetime(2025, 12, 31, 8, 5)),
        ("12/31/2025", datetime(2025, 12, 31)),
        ("2025-12-31T23:00:00+01:00", datetime(2025, 12, 31, 22, tzinfo=UTC)),
    ],
)
def test_dates(tmp_path: Path, text: str, moment: datetime) -> None:
    found = open_dataset(written(tmp_path, "dates.csv", f"a,when\nx,{text}\ny,\n"))
    assert columns(found)["when"] == [moment, None]
    assert types(found)["when"] == ("date" if moment.time() == datetime.min.time() else "datetime")


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("1,2.5,x\n2,3.5,y\n", ["column_1", "column_2", "column_3"], 2),
        ("red,x\nblue,y\nred,z\n", ["column_1", "column_2"], 3),
        ("# made by a machine\n# on Monday\nid,n\n1,2\n# more, here\n3,4\n", ["id", "n"], 2),
        ("##format\n#id\tn\n1\t2\n3\t4\n", ["id", "n"], 2),
        ('"From:";"01.01.";\n"All:";"1,5";\n\na;b;c;d\n1;a;2,5;x\n2;b;3,5;y\n', ["a", "b", "c", "d"], 2),
        ("id,day,how,\n,,reply,other\n1,2025-01-31,x,y\n2,2025-01-30,z,w\n", ["id", "day", "how", "column_4"], 3),
        ('name,"two\nlines"\na,"1\n2"\nb,3\n', ["name", "two lines"], 2),
        ("a,b\r1,2\r3,4\r", ["a", "b"], 2),
        ("mpg,cyl\nMazda,21,6\nFord,20,4\n", ["column_1", "mpg", "cyl"], 2),
        ("d,f\na,False\nb,True\n", ["d", "f"], 2),
        ("a,b\n", ["a", "b"], 0),
        ("value\n1\n2\n3\n", ["value"], 3),
        ("Words, and more\nOther words\nThe last\n", ["Words, and more"], 2),
        ("a,b,\n1,2,\n3,4,\n", ["a", "b"], 2),
        # Titles that a spreadsheet padded to the width of the table.
        ("Report;2024-01-05;\nregion;units;price\nN;1;2,5\nS;2;3,5\n", ["region", "units", "price"], 2),
        # A name may be missing, and so may values.
        ("id;;\n1;;\n2;;\n3;a;b\n", ["id", "column_2", "column_3"], 3),
    ],
)
def test_where_a_table_begins(tmp_path: Path, text: str, names: list[str], rows: int) -> None:
    found = open_dataset(written(tmp_path, "table.csv", text))
    assert [column.name for column in found.columns] == names
    assert (found.rows, found.rows_there) == (rows, rows)
    assert ("There is a header, and no row of data under it." in notes_of(found)) == (not rows)


def test_uneven_rows_are_filled(tmp_path: Path) -> None:
    found = open_dataset(written(tmp_path, "uneven.csv", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n7,8,9,\n"))
    assert columns(found) == {
        **{"a": [1, 4, 6, 7], "b": [2, 5, 7, 8], "c": [3, None, 8, 9]},
        "column_4": [None, None, 9, None],
    }
    assert "Some rows are shorter than others: they were filled with missing values." in notes_of(found)
    late = open_dataset(written(tmp_path, "late.csv", "a;b\n" + "1;2\n" * 30_000 + "x;y;z\n"))
    assert columns(late)["a"][-2:] == ["1", "x"]
    assert columns(late)["column_3"][-2:] == [None, "z"]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "name,preis\nMüller,5 €\nGroß,6 €\n"),
        ("utf-16", "name,ort\nJörg,Köln\n"),
        ("cp1251", "имя,город\n" + "Анна,Москва\nИван,Казань\nМария,Новосибирск\n" * 5),
        ("shift_jis", "名前,都市\n" + "花子,東京\n太郎,大阪\nさくら,名古屋\n" * 8),
    ],
)
def test_encodings(tmp_path: Path, encoding: str, text: str) -> None:
    found = open_dataset(written(tmp_path, "names.csv", text, encoding))
    names = text.partition("\n")[0].split(",")
    assert [column.name for column in found.columns] == names
    assert columns(found)[names[0]][0] == text.splitlines()[1].split(",")[0]


def test_a_few_broken_bytes_are_replaced(tmp_path: Path) -> None:
    found = open_dataset(written(tmp_path, "broken.csv", ("n,name\n" + "1,Jörg\n" * 500).encode() + b"2,K\xf6ln\n"))
    assert columns(found)["name"][-1] == "K\ufffdln"
    assert "Some bytes are not UTF-8: they were replaced by `\ufffd`." in notes_of(found)


@pytest.mark.parametrize("form", ["uneven.csv", "quoted.csv", "jsonl", "parquet", "db", "xlsx"])
def test_long_tables_are_sampled_evenly(tmp_path: Path, form: str) -> None:
    there, held = 5_000, 1_000
    path, rows = tmp_path / f"long.{form}", [[n, f"name {n}"] for n in range(there)]
    texts = {
        "uneven.csv": "n,name\n0,name 0\n1\n" + "".join(f"{n},{name}\n" for n, name in rows[2:]),
        "quoted.csv": "n,name\n" + "".join(f'{n},"name\n{n}"\n' for n in range(there)),
        "jsonl": "\n".join(json.dumps({"n": n, "name": name}) for n, name in rows),
    }
    if form == "parquet":
        pq.write_table(pa.table({"n": range(there), "name": [name for _, name in rows]}), path)
    elif form == "db":
        sqlite(path, {"t": [["n", "name"], *rows]})
    elif form == "xlsx":
        workbook(path, {"t": [["n", "name"], *rows]})
    else:
        path.write_text(texts[form])
    found = open_dataset(path, Limits(rows=held))
    numbers = columns(found)["n"]
    assert found.rows_there == there
    assert held / 2 <= found.rows == len(numbers) <= held
    steps = {later - former for former, later in pairwise(numbers)}
    assert max(steps) - min(steps) <= 1
    assert numbers[-1] >= there - max(steps) - 1


def test_bytes_bound_the_rows_too(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "a,b\n" + "1,some text\n" * 1_000)
    assert open_dataset(path, Limits(held_bytes=2_000)).rows < 200


def test_each_sheet_and_table_is_a_data_set_with_its_id(tmp_path: Path) -> None:
    day = datetime(2023, 3, 15)
    book = workbook(
        tmp_path / "Büro 2024.xlsx",
        {
            "Sheet1": [["name", "day", "amount"], ["a", day, 1.5], ["b", None, "none"], ["c", day, 2]],
            "empty": [],
            "Über sicht": [["Report"], [None, "x", "y"], [None, 1, 2], [None, 3, 4]],
        },
    )
    base = sqlite(tmp_path / "shop.db", {"orders": [["a"], [1]], "items": [["a"], [1]]})
    (tmp_path / "sub").mkdir()
    one, two = written(tmp_path, "sales.csv", "a,b\n1,2\n"), written(tmp_path / "sub", "sales.csv", "a,b\n3,4\n")
    found = open_datasets([book, base, one, two, one, tmp_path / "sub" / ".." / "sales.csv"], tmp_path / "kept")
    ids = ["buro_2024_sheet1", "buro_2024_uber_sicht", "shop_orders", "shop_items", "sales", "sales_2"]
    assert [dataset.id for dataset in found] == ids
    assert columns(found[0])["day"] == [day, None, day]
    assert columns(found[0])["amount"] == ["1.5", "none", "2"]
    assert columns(found[1]) == {"x": [1, 3], "y": [2, 4]}
    assert (found[0].name, found[4].name) == ("Büro 2024.xlsx, Sheet1", "sales.csv")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"a": [1, 2], "b": ["x", "y"]}, {"a": [1, 2], "b": ["x", "y"]}),
        ({"columns": ["a", "b"], "index": [0], "data": [[1, "x"]]}, {"a": [1], "b": ["x"]}),
        ({"u": {"a": 1}, "v": {"a": 2}}, {"key": ["u", "v"], "a": [1, 2]}),
        ({"meta": {"n": 1}, "rows": [{"a": 1}, {"a": 2}]}, {"a": [1, 2]}),
        ([["a", "b"], [1, "x"]], {"a": [1], "b": ["x"]}),
        ([1, 2, 3], {"value": [1, 2, 3]}),
        ([{"a": 1}, {"b": 2.5}], {"a": [1, None], "b": [None, 2.5]}),
        ([{"a": {"b": {"c": [1, {"d": 2}]}}, "e": [1, 2]}], {"a.b.c": ['[1,{"d":2}]'], "e": ["[1,2]"]}),
        ([{"a": {"b": {"c": {"d": {"e": 1}, "f": 2}}}}], {"a.b.c.d": ['{"e":1}'], "a.b.c.f": [2]}),
    ],
)
def test_shapes_of_json(tmp_path: Path, document: object, expected: dict[str, object]) -> None:
    assert columns(open_dataset(written(tmp_path, "data.json", json.dumps(document), "utf-8-sig"))) == expected


def test_parquet_columns_become_plain(tmp_path: Path) -> None:
    table = pa.table(
        {
            "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
            "deep": [{"a": 1, "b": "u"}, {"a": 2, "b": None}, None],
            "list": [[1, 2], [], None],
            "day": pa.array([1, 2, None], pa.date32()),
            "zoned": pa.array([0, 1, 2], pa.timestamp("s", "Europe/Berlin")),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    found = open_dataset(tmp_path / "t.parquet")
    deep = {"deep.a": "integer", "deep.b": "text"}
    assert types(found) == {"kind": "text", **deep, "list": "text", "day": "date", "zoned": "datetime"}
    assert columns(found)["list"] == ["[1,2]", "[]", None]


def test_a_content_is_read_once_whatever_its_name(tmp_path: Path) -> None:
    path = written(tmp_path, "sales.csv", "a,b\n1,2\n")
    first = open_dataset(path)
    stamp = first.parquet.stat().st_mtime_ns
    shutil.copy(path, tmp_path / "copy.txt")
    again = open_dataset(tmp_path / "copy.txt")
    assert (again.parquet, again.parquet.stat().st_mtime_ns, again.sha256) == (first.parquet, stamp, first.sha256)
    assert (first.id, again.id) == ("sales", "copy")
    first.parquet.unlink()
    assert open_dataset(path).parquet.is_file()

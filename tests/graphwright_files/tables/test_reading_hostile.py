"""Bad files: each leads to a clear error or a note, nothing hangs, and nothing outside is touched."""

from __future__ import annotations

import gzip
import io
import math
import os
import random
import socket
import sqlite3
import struct
import subprocess
import sys
import zipfile
import zlib
from contextlib import closing, suppress
from pathlib import Path

import pytest

from files_support import columns, delimited, notes_of, open_dataset, refused, sqlite, types, workbook, written
from graphwright_confined import ISOLATION, available
from graphwright_files import FilesUnavailable, Limits, NotReadable, TooMuch, UnusableFile, open_datasets
from graphwright_files import _process as process
from graphwright_files._process import read_tables
from graphwright_files.source import source

pytestmark = pytest.mark.usefixtures("shared_readers")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"\n\n  \n", "empty_file"),
        (b"\xef\xbb\xbf", "empty_file"),
        (b"\0" * 5_000, "empty_file"),
        (random.Random(1).randbytes(5_000), "unknown_format"),
        (b"%PDF-1.7\n...", "unknown_format"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "unknown_format"),
        (b"\x80\x04\x95\x0f\0\0\0", "unknown_format"),
        (b"<!DOCTYPE html><html><table><tr><td>1</td></tr></table></html>", "unknown_format"),
        (b"<?xml version='1.0'?><a/>", "unknown_format"),
        (b"PAR1" + b"\1" * 200 + b"PAR1", "damaged_file"),
        (b"SQLite format 3\0" + b"\7" * 500, "damaged_file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\7" * 2_000, "damaged_file"),
        (b"PK\x03\x04" + b"\7" * 200, "damaged_file"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\7" * 50, "damaged_file"),
        (gzip.compress(b"a,b\n1,2\n" * 1_000, mtime=0)[:-20], "damaged_file"),
        (b'{"a": [1, 2', "damaged_file"),
        (b'[{"a": 1}, {"a": ', "damaged_file"),
        (b'[{"a": 1} {"a": 2}]', "damaged_file"),
        (b"[" * 200_000, "damaged_file"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "damaged_file"),
        (b"[]", "empty_file"),
        (b"{}", "empty_file"),
    ],
)
def test_unusable_data_files(tmp_path: Path, content: bytes, code: str) -> None:
    error = refused(written(tmp_path, "given.csv", content))
    assert isinstance(error, UnusableFile)
    assert error.code == code


@pytest.mark.parametrize(
    "content",
    [
        "<script>,price\n1,2\n3,4\n",
        "<script>alert(1)</script>;price\n1;2\n3;4\n",
        "<!doctype html>\tprice\n1\t2\n3\t4\n",
        "<svg>|price\n1|2\n3|4\n",
        "<html>,<body>\n1,2\n3,4\n",
        '"<b>1</b>",price\n1,2\n3,4\n',
    ],
)
def test_a_table_is_recognized_whatever_its_first_name(tmp_path: Path, content: str) -> None:
    assert list(columns(open_dataset(written(tmp_path, "given.csv", content))).values()) == [[1, 3], [2, 4]]


def test_a_column_alone_may_have_a_tag_for_a_name(tmp_path: Path) -> None:
    assert columns(open_dataset(written(tmp_path, "given.csv", "<title>\n1\n3\n"))) == {"<title>": [1, 3]}


@pytest.mark.parametrize(
    "content",
    [
        "<p>Dear Ann, hello</p>\n<p>Dear Bo, hello</p>\n",
        "<script>a(1,2)\nb(3,4)</script>\n",
        "<!doctype html>\n<title>a</title>\n<p>1, 2, 3",
        "<div>a,b</div>\n<div>1,2</div>\n",
        "<script>fetch('x',1)</script>\n<img src=x onerror=f(1,2)>\n",
    ],
)
def test_a_web_page_is_not_read_as_a_table(tmp_path: Path, content: str) -> None:
    assert refused(written(tmp_path, "given.csv", content)).code == "unknown_format"


def test_prose_is_not_read_as_a_table(tmp_path: Path) -> None:
    text = "# A page\n\nSome words, and more of them.\nAnother line; the last.\n"
    assert refused(written(tmp_path, "page.md", text)).code == "not_a_table"


@pytest.mark.slow
def test_an_endless_line_is_not_read_as_a_table(tmp_path: Path) -> None:
    assert refused(written(tmp_path, "line.csv", b"x" * 20_000_000)).code == "not_a_table"


def test_missing_and_strange_paths(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(tmp_path / "socket.csv"))
        for name in ("folder", "pipe", "zero", "socket"):
            assert refused(tmp_path / f"{name}.csv").code == "not_a_file"
    assert refused(tmp_path / "none.csv").code == "missing_file"
    assert refused(tmp_path / "loop.csv").code == "unreadable_file"
    with pytest.raises(NotReadable):
        open_datasets(["a\0b.csv"], tmp_path)
    good = written(tmp_path, "good.csv", "a,b\n1,2\n")
    with pytest.raises(NotReadable, match="no folder for the data"):
        open_datasets([good], good / "below")


def test_gzip_and_zip_bombs_are_stopped_while_they_unpack(tmp_path: Path) -> None:
    squeezed = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(squeezed.compress(b"0,0\n" * (1 << 20)) for _ in range(40)) + squeezed.flush()
    assert refused(written(tmp_path, "bomb.csv.gz", bomb)).code == "zip_bomb"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.csv", b"0,0\n" * (40 << 20))
    assert refused(written(tmp_path, "bomb.zip", out.getvalue())).code == "zip_bomb"
    # The declared size, in the directory and before the part.
    lying = out.getvalue().replace(struct.pack("<I", 160 << 20), struct.pack("<I", 100))
    assert refused(written(tmp_path, "lies.zip", lying)).code == "zip_bomb"
    honest = written(tmp_path, "honest.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000))
    assert open_dataset(honest).rows == 1_000_000
    small = written(tmp_path, "o.gz", gzip.compress(b"a,b\n" * 1_000))
    assert refused(small, Limits(unpacked_bytes=100)).code == "too_large"


def test_zips_with_no_or_several_or_packed_or_encrypted_files(tmp_path: Path) -> None:
    def zipped(name: str, parts: dict[str, bytes]) -> Path:
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for part, content in parts.items():
                archive.writestr(part, content)
        return tmp_path / name

    assert refused(zipped("none.zip", {})).code in ("empty_file", "damaged_file")
    error = refused(zipped("two.zip", {"a.csv": b"a,b\n1,2\n", "b.csv": b"a,b\n1,2\n"}))
    assert error.code == "several_files"
    assert "`a.csv`, `b.csv`" in error.message
    inner = zipped("inner.zip", {"a.csv": b"a,b\n1,2\n"}).read_bytes()
    assert refused(zipped("outer.zip", {"inner.zip": inner})).code == "several_files"
    found = open_dataset(zipped("mac.zip", {"../../sales.csv": b"a,b\n1,2\n", "__MACOSX/._sales.csv": b"\0\5"}))
    assert (found.rows, found.id) == (1, "mac")
    assert not (tmp_path.parent.parent / "sales.csv").exists()
    marked = inner.replace(b"PK\x03\x04\x14\0\0\0", b"PK\x03\x04\x14\0\1\0").replace(
        b"PK\x01\x02\x14\x03\x14\0\0\0", b"PK\x01\x02\x14\x03\x14\0\1\0"
    )
    assert refused(written(tmp_path, "secret.zip", marked)).code == "protected_file"


@pytest.mark.slow
def test_workbooks_that_unpack_to_too_much_or_span_too_much(tmp_path: Path) -> None:
    wide = workbook(tmp_path / "wide.xlsx", {"a": [["a"]]})
    with zipfile.ZipFile(wide, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet2.xml", " " * (50 << 20))
    assert refused(wide, Limits(document_bytes=30_000_000)).code == "zip_bomb"
    # Two distant cells: a rectangle around them has seventeen billion.
    far = workbook(tmp_path / "far.xlsx", {"a": [["a", "b"]]}, lambda sheet: sheet.write("XFD1048576", 1))
    error = refused(far, Limits(memory=2 * 10**9))
    assert isinstance(error, TooMuch)
    assert error.code == "out_of_memory"


@pytest.mark.slow
def test_time_ends_reading(tmp_path: Path) -> None:
    path = sqlite(tmp_path / "slow.db", {"t": [["a", "b"], *((n, str(n)) for n in range(2_500_000))]})
    assert refused(path, Limits(seconds=1)).code == "out_of_time"
    assert os.listdir(tmp_path / "kept") == []


@pytest.mark.skipif(not available().isolation, reason="no confinement here")
def test_reading_is_confined_and_a_file_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "large.csv", "a,b\n" + "1,2\n" * 1_000)
    assert refused(path, Limits(file_bytes=100)).code == "too_large"
    found = source(path, Limits())
    for folder in ("into", "again"):
        (tmp_path / folder).mkdir()
    assert read_tables(found, tmp_path / "into", Limits())["isolation"] == ISOLATION
    with path.open("a") as file:
        file.write("3,4\n")
    with pytest.raises(NotReadable) as raised:
        read_tables(found, tmp_path / "again", Limits())
    assert raised.value.code == "changed_file"


def test_a_process_that_does_not_start_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(process._MODULES, "data", "graphwright_files.no_such_module")
    error = refused(written(tmp_path, "small.csv", "a,b\n1,2\n"))
    assert isinstance(error, FilesUnavailable)
    assert "pip install 'graphwright[files]'" in error.hint


def test_nothing_of_a_database_runs(tmp_path: Path) -> None:
    path = sqlite(tmp_path / "evil.db", {"plain": [["a", "b"], [1, "x"]]})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIEW bomb AS SELECT hex(zeroblob(1000000000)) AS x")
        connection.execute("CREATE VIRTUAL TABLE found USING fts5(body)")
        connection.execute("CREATE TABLE made (a, b AS (hex(zeroblob(a))))")
        connection.execute("INSERT INTO made (a) VALUES (100000000)")
        connection.execute('CREATE TABLE "odd ""name; DROP" ("a""b", "select")')
        connection.execute('INSERT INTO "odd ""name; DROP" VALUES (1, 2)')
        connection.commit()
    found = {dataset.table: dataset for dataset in open_datasets([path], tmp_path / "kept")}
    assert columns(found["plain"]) == {"a": [1], "b": ["x"]}
    assert columns(found["made"]) == {"a": [100_000_000]}
    assert columns(found['odd "name; DROP']) == {'a"b': [1], "select": [2]}
    assert not {"bomb", "found"} & found.keys()
    assert any("views and virtual tables" in note.text for note in found["plain"].notes)


@pytest.mark.slow
def test_ten_thousand_columns_and_a_million_categories(tmp_path: Path) -> None:
    names = [f"gene {n}" for n in range(10_000)]
    rows = [[str(n % 7) for n in range(10_000)] for _ in range(3)]
    wide = open_dataset(written(tmp_path, "wide.csv", delimited([names, *rows])))
    assert (len(wide.columns), wide.rows) == (10_000, 3)
    cut = open_dataset(written(tmp_path, "cut.csv", delimited([names[:300], rows[0][:300]])), Limits(columns=200))
    assert (len(cut.columns), cut.rows) == (200, 1)
    assert "300 columns are there; the first 200 were read." in notes_of(cut)
    path = written(tmp_path, "many.csv", "id,kind\n" + "".join(f"{n % 10},kind {n}\n" for n in range(1_000_000)))
    found = open_dataset(path)
    assert (found.rows, types(found)) == (1_000_000, {"id": "integer", "kind": "text"})


def test_names_that_are_code_or_repeat_or_are_missing(tmp_path: Path) -> None:
    names = ["__import__('os').system('x')", "x", "x", "", "x.1", "df.drop()", 'a"b`c', "two\nlines"]
    found = open_dataset(written(tmp_path, "class.csv", delimited([names, ["1"] * 8, ["2"] * 8])))
    assert found.id == "class_data"
    assert list(columns(found)) == [names[0], "x", "x.1", "column_4", "x.1.1", "df.drop()", 'a"b`c', "two lines"]
    assert "Columns without a name, or with one that another has, are called `column_4`, `x.1.1`." in notes_of(found)


def test_infinity_and_missing_values(tmp_path: Path) -> None:
    found = open_dataset(written(tmp_path, "odd.csv", "a,b\n1.5,x\ninf,NA\n-Infinity,y\nNaN,\nnull,z\n"))
    assert columns(found) == {"a": [1.5, math.inf, -math.inf, None, None], "b": ["x", None, "y", None, "z"]}
    assert any(note.text.startswith("Read as missing: ") for note in found.notes)


def test_formulas_are_text_and_never_run(tmp_path: Path) -> None:
    text = "name,value\nada,=1+2\nbob,\"=cmd|' /C calc'!A0\"\n"
    assert columns(open_dataset(written(tmp_path, "formulas.csv", text)))["value"] == ["=1+2", "=cmd|' /C calc'!A0"]
    found = open_dataset(workbook(tmp_path / "formulas.xlsx", {"a": [["name", "value"], ["ada", ("=1+2", 3)]]}))
    assert columns(found) == {"name": ["ada"], "value": [3]}


def test_a_cell_that_never_ends_and_quotes_that_do_not_pair(tmp_path: Path) -> None:
    assert open_dataset(written(tmp_path, "open.csv", 'a,b\n1,"open\n' + "2,x\n" * 200_000)).rows >= 1
    long = "a,b\n1," + "x" * 5_000_000 + "\n2,y\n"
    assert [len(text) for text in columns(open_dataset(written(tmp_path, "long.csv", long)))["b"]] == [5_000_000, 1]


def test_random_bytes_after_every_beginning_end_in_an_error_or_a_table(tmp_path: Path) -> None:
    chance = random.Random(7)
    for number, start in enumerate([b"a,b\n1,2\n", b'[{"a":', b"\xff\xfe", b"\xef\xbb\xbf", b'{"a": 1}\n']):
        path = written(tmp_path, f"junk{number}.csv", start + chance.randbytes(3_000))
        with suppress(UnusableFile):
            open_datasets([path], tmp_path / "kept")


def test_help_does_not_import_the_libraries_of_data_files() -> None:
    code = "import sys, graphwright.cli, graphwright_files; print({'pandas', 'pyarrow', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_leftovers_of_a_killed_reading_are_removed(tmp_path: Path) -> None:
    left, young = tmp_path / "kept" / ".reading-old", tmp_path / "kept" / ".reading-young"
    for folder in (left, young):
        folder.mkdir(parents=True)
    os.utime(left, (1, 1))
    open_dataset(written(tmp_path, "a.csv", "a,b\n1,2\n"))
    assert not left.exists()
    assert young.exists()

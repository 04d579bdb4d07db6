"""What comes back from the sandbox: results of every type, figures, errors with the code's own lines, the output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sandbox_support import needs_sandbox, opened

from graphwright.errors import UsageError
from graphwright.sandbox import Execution, ExecutionLimits, Sandbox
from graphwright.sandbox.execution import ImageFigure, PlotlyFigure, png_size
from graphwright.sandbox.formatting import result_text

pytestmark = needs_sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with opened(None, tmp_path_factory.mktemp("home")) as made:
        yield made


def came(sandbox: Sandbox, code: str, **more: Any) -> dict[str, Any]:
    execution = sandbox.run(code, **more)
    assert execution.status == "ok", execution.error
    told: dict[str, Any] = execution.model_dump(mode="json")["result"]
    return told


def scalar(kind: str, value: Any) -> dict[str, Any]:
    return {"type": "scalar", "kind": kind, "value": value}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1", scalar("integer", 1)),
        ("True", scalar("boolean", True)),
        ("np.bool_(False)", scalar("boolean", False)),
        ("np.int8(-3)", scalar("integer", -3)),
        ("np.uint64(2**64 - 1)", scalar("integer", 2**64 - 1)),
        ("10**300", scalar("integer", 10**300)),
        ("10**5000", scalar("text", "an integer of 16,610 bits")),
        ("0.1 + 0.2", scalar("number", 0.1 + 0.2)),
        ("np.float32(0.5)", scalar("number", 0.5)),
        ("float('nan')", scalar("number", "NaN")),
        ("np.float64('-inf')", scalar("number", "-Infinity")),
        ("pd.NA", scalar("mixed", None)),
        ("pd.NaT", scalar("datetime", None)),
        ("np.datetime64('NaT')", scalar("datetime", None)),
        ("1 + 2j", scalar("complex", "(1+2j)")),
        ("b'\\x00a'", scalar("bytes", "b'\\x00a'")),
        ("pd.Timestamp('2024-02-29 12:30', tz='UTC')", scalar("datetime", "2024-02-29T12:30:00+00:00")),
        ("np.datetime64('2024-02-29')", scalar("datetime", "2024-02-29")),
        ("__import__('datetime').date(2024, 2, 29)", scalar("date", "2024-02-29")),
        ("__import__('datetime').time(1, 2)", scalar("time", "01:02:00")),
        ("pd.Timedelta('36h')", scalar("duration", "1 days 12:00:00")),
        ("np.timedelta64(1, 'D')", scalar("duration", "1 days 00:00:00")),
        ("__import__('decimal').Decimal('1.10')", scalar("decimal", "1.10")),
        ("pd.Interval(0, 1)", scalar("text", "(0, 1]")),
        ("pd.Period('2024-02')", scalar("text", "2024-02")),
        ("'word'", {"type": "text", "text": "word", "length": 4}),
        ("'<script>\\u0000\\ud800'", {"type": "text", "text": "<script>\u0000?", "length": 10}),
        ("None", {"type": "none"}),
        ("[]", {"type": "list", "items": [], "length": 0}),
        ("{}", {"type": "mapping", "entries": [], "length": 0}),
        ("np.array(3)", scalar("integer", 3)),
        (
            "np.array([1.5, np.nan])",
            {"type": "list", "items": [scalar("number", 1.5), scalar("number", "NaN")], "length": 2},
        ),
        ("range(10**12)", None),
        ("(1, {'a': None})", None),
        ("object", {"type": "text", "text": "<class 'object'>", "length": 16}),
    ],
)
def test_a_value_comes_back_as_what_it_is(sandbox: Sandbox, expression: str, expected: Any) -> None:
    found = came(sandbox, expression)
    if expression.startswith("range"):
        assert (len(found["items"]), found["length"]) == (1_000, 10**12)
    elif expected is None:
        inner = {"type": "mapping", "entries": [{"key": "a", "value": {"type": "none"}}], "length": 1}
        assert found == {"type": "list", "items": [scalar("integer", 1), inner], "length": 2}
    else:
        assert found == expected


def test_a_table_keeps_its_types_and_what_is_missing(sandbox: Sandbox) -> None:
    table = came(
        sandbox,
        """
pd.DataFrame({
    "whole": [1, 2],
    "number": [1.5, np.nan],
    "endless": [np.inf, -np.inf],
    "text": ["a", None],
    "day": pd.to_datetime(["2024-01-01", None]),
    "zone": pd.date_range("2024-01-01", periods=2, tz="Europe/Berlin"),
    "span": pd.to_timedelta(["1h", None]),
    "kind": pd.Categorical(["x", None]),
    "flag": [True, False],
    "nullable": pd.array([1, None], dtype="Int64"),
    "mixed": [1, "one"],
    "complex": [1j, 2j],
    "nested": [{"a": 1}, [2]],
    "bytes": [b"a", b"b"],
    "none": [None, None],
})
""",
    )
    assert [(column["name"], column["kind"]) for column in table["columns"]] == [
        ("whole", "integer"),
        ("number", "number"),
        ("endless", "number"),
        ("text", "text"),
        ("day", "datetime"),
        ("zone", "datetime"),
        ("span", "duration"),
        ("kind", "category"),
        ("flag", "boolean"),
        ("nullable", "integer"),
        ("mixed", "mixed"),
        ("complex", "complex"),
        ("nested", "text"),
        ("bytes", "bytes"),
        ("none", "mixed"),
    ]
    assert table["rows"] == [
        [
            *(1, 1.5, "Infinity", "a", "2024-01-01T00:00:00", "2024-01-01T00:00:00+01:00", "0 days 01:00:00", "x"),
            *(True, 1, 1, "1j", "{'a': 1}", "b'a'", None),
        ],
        [
            *(2, None, "-Infinity", None, None, "2024-01-02T00:00:00+01:00", None, None),
            *(False, None, "one", "2j", "[2]", "b'b'", None),
        ],
    ]
    assert (table["index"], table["row_count"], table["column_count"]) == (0, 2, 15)


@pytest.mark.parametrize(
    ("expression", "columns", "index", "rows"),
    [
        ("pd.DataFrame([[1, 2]], columns=['a', 'a'])", ["a", "a"], 0, [[1, 2]]),
        ("pd.DataFrame({'a': [3]}, index=['x'])", ["index", "a"], 1, [["x", 3]]),
        ("pd.Series([1, 2], name='s')", ["s"], 0, [[1], [2]]),
        ("pd.Series({'x': 1.5})", ["index", "value"], 1, [["x", 1.5]]),
        (
            "pd.DataFrame({'g': ['x', 'x'], 'h': [1, 2], 'n': [5, 6]}).groupby(['g', 'h']).sum()",
            ["g", "h", "n"],
            2,
            [["x", 1, 5], ["x", 2, 6]],
        ),
        (
            "pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([('a', 'mean'), ('a', 'std')]))",
            ["a / mean", "a / std"],
            0,
            [[1, 2]],
        ),
        ("pd.DataFrame({1: [1], None: [2], pd.Timestamp('2024-01-01'): [3]})", None, 0, [[1, 2, 3]]),
        ("pd.DataFrame({'a': [2, 1]}).sort_values('a')", ["index", "a"], 1, [[1, 1], [0, 2]]),
        ("np.arange(4).reshape(2, 2)", ["0", "1"], 0, [[0, 1], [2, 3]]),
        ("pd.DataFrame(index=[1, 2])", ["index"], 1, [[1], [2]]),
        ("pd.DataFrame()", [], 0, []),
        ("pd.DataFrame({'a': []})", ["a"], 0, []),
        ("pd.MultiIndex.from_tuples([(1, 'a')], names=['n', 't'])", ["n", "t"], 0, [[1, "a"]]),
        ("pd.DataFrame({'a': [1]}).style", ["a"], 0, [[1]]),
        ("np.array([(1, 'x')], dtype=[('n', 'i4'), ('t', 'U2')])", ["n", "t"], 0, [[1, "x"]]),
    ],
)
def test_tables_of_every_shape(
    sandbox: Sandbox, expression: str, columns: list[str] | None, index: int, rows: list[list[Any]]
) -> None:
    table = came(sandbox, expression)
    assert (table["type"], table["index"], table["rows"]) == ("table", index, rows)
    assert table["row_count"] == len(rows)
    names = [column["name"] for column in table["columns"]]
    assert names == columns if columns is not None else len(names) == 3


@pytest.mark.slow
def test_a_large_table_is_cut_and_says_how_large_it_is(sandbox: Sandbox) -> None:
    table = came(sandbox, "pd.DataFrame(np.ones((300_000, 3)))", limits=ExecutionLimits(rows=50))
    assert (len(table["rows"]), table["row_count"], table["column_count"]) == (50, 300_000, 3)
    wide = came(sandbox, "pd.DataFrame(np.ones((5_000, 10_000)))")
    assert (wide["row_count"], wide["column_count"], len(wide["columns"])) == (5_000, 10_000, 500)
    assert 0 < len(wide["rows"]) < 1_000
    long = came(sandbox, "'x' * 10**6")
    assert long["length"] == 10**6 > len(long["text"])


def test_objects_are_told_in_their_own_words(sandbox: Sandbox) -> None:
    fitted = came(
        sandbox,
        "frame = pd.DataFrame({'x': [1., 2, 3, 4], 'y': [2., 4, 6.5, 8]})\nresult = smf.ols('y ~ x', data=frame).fit()",
    )
    assert fitted["type"] == "text"
    assert "R-squared" in fitted["text"]
    assert came(sandbox, "np.zeros((2, 2, 2))")["type"] == "text"
    deep = came(sandbox, "value = []\nfor _ in range(50):\n    value = [value]\nvalue")
    assert "text" in json.dumps(deep)
    circle = came(sandbox, "value = {}\nvalue['self'] = value\nvalue")
    assert circle["type"] == "mapping"


def test_a_last_expression_is_the_result_unless_there_is_one(sandbox: Sandbox) -> None:
    assert came(sandbox, "x = 2\nx * 3") == scalar("integer", 6)
    assert came(sandbox, "result = 1\n2") == scalar("integer", 1)
    assert came(sandbox, "result = None\n2") == {"type": "none"}
    assert came(sandbox, "2\nx = 3") == {"type": "none"}
    assert came(sandbox, "print(1)") == {"type": "none"}
    assert came(sandbox, "") == {"type": "none"}
    assert came(sandbox, "'a'\nimport sys\nresult = 5\nsys.exit()") == scalar("integer", 5)


FIGURES = {
    "fig = px.bar(x=['a'], y=[1])": ["plotly"],
    "px.bar(x=['a'], y=[1])": ["plotly"],
    "px.bar(x=['a'], y=[1]).show()": ["plotly"],
    "fig = go.Figure()": ["plotly"],
    "fig = {'data': [{'type': 'bar', 'y': [1]}], 'layout': {}}": ["plotly"],
    "fig, ax = plt.subplots()\nax.plot([1, 2])": ["png"],
    "plt.plot([1, 2])\nplt.show()": ["png"],
    "plt.hist([1, 2, 2])": ["png"],
    "pd.DataFrame({'a': [1, 2]}).plot()": ["png"],
    "pd.DataFrame({'a': [1, 2], 'b': [1, 2]}).hist()": ["png"],
    "ax = sns.histplot([1, 2])\nfig = ax": ["png"],
    "sns.relplot(pd.DataFrame({'a': [1], 'b': [2]}), x='a', y='b')": ["png"],
    "fig = [px.bar(x=['a'], y=[1]), plt.figure()]": ["plotly", "png"],
    "plt.plot([1])\nplt.figure()\nplt.plot([2])": ["png", "png"],
    "plt.plot([1])\nfig = px.bar(x=['a'], y=[1])": ["plotly"],
    "plt.figure()": ["png"],
    "fig = 3": [],
    "fig = {'data': 1, 'layout': 2}": [],
    "plt.figure()\nresult = 1": [],
    "fig, ax = plt.subplots(figsize=(900, 900))\nresult = None": ["png"],
}


@pytest.mark.parametrize("code", FIGURES)
def test_figures_are_found_wherever_they_are_left(sandbox: Sandbox, code: str) -> None:
    execution = sandbox.run(code)
    assert execution.status == "ok", execution.error
    assert [figure.type for figure in execution.figures] == FIGURES[code]
    if "result" not in code:
        assert execution.result.type == "none" or not FIGURES[code]


def test_figures_hold_what_was_drawn(sandbox: Sandbox) -> None:
    execution = sandbox.run("fig = [px.bar(x=['a', 'b'], y=[1, float('nan')]), plt.figure(figsize=(4, 2))]\nresult = 7")
    plotly, picture = execution.figures
    assert isinstance(plotly, PlotlyFigure)
    assert plotly.figure["data"][0]["type"] == "bar"
    assert isinstance(picture, ImageFigure)
    assert png_size(picture.png) == (picture.width, picture.height)
    assert picture.width > picture.height > 100
    assert execution.result.model_dump() == scalar("integer", 7)
    # It crosses as JSON, and is the same on the other side.
    assert Execution.model_validate_json(execution.model_dump_json()) == execution


def failed(sandbox: Sandbox, code: str) -> dict[str, Any]:
    execution = sandbox.run(code)
    assert execution.status == "error"
    assert execution.error is not None
    return execution.error.model_dump()


def test_an_error_names_the_line_of_the_code_and_nothing_of_the_libraries(sandbox: Sandbox) -> None:
    error = failed(
        sandbox,
        """frame = pd.DataFrame({"a": [1]})

def total(of):
    return frame[of].sum()

total("b")
""",
    )
    assert (error["type"], error["message"], error["line"]) == ("KeyError", "'b'", 4)
    assert error["source"] == "return frame[of].sum()"
    assert error["traceback"] == ['line 6: total("b")', "line 4, in total: return frame[of].sum()"]


@pytest.mark.parametrize(
    ("code", "type", "line", "part"),
    [
        ("x = (", "SyntaxError", 1, "never closed"),
        ("\n\nif x\n", "SyntaxError", 3, "expected ':'"),
        ("def f():\nreturn 1", "IndentationError", 2, "indented"),
        ("x = '\x00'", "SyntaxError", None, "null"),
        ("(" * 5_000, "SyntaxError", None, ""),
        ("-" * 100_000 + "1", None, None, ""),
        ("def f():\n    return f()\nf()", "RecursionError", 2, "recursion"),
        ("raise SystemExit('enough')", "SystemExit", 1, "enough"),
        ("import sys\nsys.exit(3)", "SystemExit", 2, "3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1, ""),
        ("class Odd(Exception):\n    def __str__(self):\n        raise ValueError\nraise Odd", "Odd", 4, ""),
        ("raise ExceptionGroup('two', [ValueError(1), KeyError(2)])", "ExceptionGroup", 1, "two"),
        ("raise ValueError('x' * 10**6)", "ValueError", 1, "xxx"),
        ("exec('1 / 0')", "ZeroDivisionError", 1, "division"),
        ("class A:\n    def __repr__(self):\n        1 / 0\nresult = A()", "ZeroDivisionError", 3, "division"),
        ("df.head()", "NameError", 1, "df"),
    ],
)
def test_what_goes_wrong_is_told(sandbox: Sandbox, code: str, type: str | None, line: int | None, part: str) -> None:
    error = failed(sandbox, code)
    assert type in (None, error["type"])
    assert error["line"] == line or line is None
    assert part in error["message"]
    assert len(error["message"]) < 5_000


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("open('/etc/passwd')", "no files"),
        ("open('sales.csv', 'w')", "no files"),
        ("import urllib.request\nurllib.request.urlopen('http://example.com')", "no network"),
        ("import torch", "There are numpy"),
        ("input()", "Nobody can be asked"),
        ("df.head()", "`datasets` has 0"),
    ],
)
def test_what_is_different_in_here_is_said(sandbox: Sandbox, code: str, part: str) -> None:
    assert part in failed(sandbox, code)["hint"]


def test_output_is_kept_in_its_order_with_warnings_on_one_line(sandbox: Sandbox) -> None:
    execution = sandbox.run(
        """import os, sys, warnings
print("one")
os.write(1, "zwei – \\u5c3a".encode() + b"\\xff\\n")
print("three", file=sys.stderr)
warnings.warn("careful")
print("four", end="")
1 / 0
"""
    )
    assert execution.stdout == "one\nzwei – 尺\N{REPLACEMENT CHARACTER}\nthree\nUserWarning: careful (line 5)\nfour"
    assert execution.status == "error"


def test_data_are_data_frames(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,é\n", "utf-8")
    (tmp_path / "b.tsv").write_text("x\ty\n2\tb\n", "utf-8")
    (tmp_path / "c.json").write_text('[{"x": 3}]', "utf-8")
    (tmp_path / "d.jsonl").write_text('{"x": 4}\n{"x": 4}\n', "utf-8")
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pyarrow.table({"x": [5, 6]})
    parquet.write_table(table, tmp_path / "e.parquet")
    feather.write_feather(table, tmp_path / "f.arrow")
    names = ["a.csv", "b.tsv", "c.json", "d.jsonl", "e.parquet", "f.arrow"]
    execution = sandbox.run(
        "result = {name: int(frame['x'].sum()) for name, frame in datasets.items()}\nassert 'df' not in globals()",
        {name[0]: tmp_path / name for name in names},
    )
    assert result_text(execution.result).split() == ["a:", "1", "b:", "2", "c:", "3", "d:", "8", "e:", "11", "f:", "11"]
    assert came(sandbox, "df['y'][0]", data={"one": tmp_path / "a.csv"})["text"] == "é"
    assert came(sandbox, "assert df is datasets['odd \\' name']", data={"odd ' name": tmp_path / "a.csv"})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.parquet", b"no parquet"),
        ("x.csv", b""),
        ("x.json", b"{"),
        ("x.arrow", b"ARROW1xx"),
        ("x.csv", b"\xff\xfe\x00"),
    ],
)
def test_data_that_cannot_be_read_are_told(sandbox: Sandbox, tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    execution = sandbox.run("1", {"broken": tmp_path / name})
    assert (execution.status, execution.error and execution.error.type) == ("error", "DataError")
    assert execution.error is not None
    assert "'broken'" in execution.error.message
    assert str(tmp_path) not in execution.error.message


def test_data_that_cannot_be_opened_are_the_callers_error(sandbox: Sandbox, tmp_path: Path) -> None:
    import os

    (tmp_path / "x.exe").write_text("x", "ascii")
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name, code in (
        ("none.csv", "data_missing"),
        ("x.exe", "data_unknown"),
        ("pipe.csv", "data_missing"),
        ("folder.csv", "data_missing"),
    ):
        with pytest.raises(UsageError) as raised:
            sandbox.run("1", {"x": tmp_path / name})
        assert raised.value.code == code
    with pytest.raises(UsageError):
        sandbox.run("#" * 2**21)


async def test_it_can_be_awaited(sandbox: Sandbox) -> None:
    assert (await sandbox.arun("1 + 1")).result.model_dump() == scalar("integer", 2)

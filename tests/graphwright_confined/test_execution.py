"""The results of the sandbox: every type, figures, errors with the code's own lines, the output."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from graphwright.errors import UsageError
from graphwright_confined import Execution, ExecutionLimits, Sandbox
from graphwright_confined.execution import ImageFigure, png_size
from graphwright_confined.formatting import result_text
from sandbox_support import needs_sandbox, started_sandbox

pytestmark = needs_sandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with started_sandbox(None) as made:
        yield made


def result_of(sandbox: Sandbox, code: str, **more: Any) -> dict[str, Any]:
    execution = sandbox.run(code, **more)
    assert execution.status == "ok", execution.error
    told: dict[str, Any] = execution.model_dump(mode="json")["result"]
    return told


def scalar(kind: str, value: Any) -> dict[str, Any]:
    return {"type": "scalar", "kind": kind, "value": value}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("np.bool_(False)", scalar("boolean", False)),
        ("np.uint64(2**64 - 1)", scalar("integer", 2**64 - 1)),
        ("10**5000", scalar("text", "an integer of 16,610 bits")),
        ("np.float64('-inf')", scalar("number", "-Infinity")),
        ("pd.NA", scalar("mixed", None)),
        ("pd.NaT", scalar("datetime", None)),
        ("1 + 2j", scalar("complex", "(1+2j)")),
        ("b'\\x00a'", scalar("bytes", "b'\\x00a'")),
        ("pd.Timestamp('2024-02-29 12:30', tz='UTC')", scalar("datetime", "2024-02-29T12:30:00+00:00")),
        ("__import__('datetime').date(2024, 2, 29)", scalar("date", "2024-02-29")),
        ("__import__('datetime').time(1, 2)", scalar("time", "01:02:00")),
        ("pd.Timedelta('36h')", scalar("duration", "1 days 12:00:00")),
        ("__import__('decimal').Decimal('1.10')", scalar("decimal", "1.10")),
        ("'<script>\\u0000\\ud800'", {"type": "text", "text": "<script>\u0000?", "length": 10}),
        ("[None]", {"type": "list", "items": [{"type": "none"}], "length": 1}),
        (
            "{(1, 'a'): 2}",
            {"type": "mapping", "entries": [{"key": "1 / a", "value": scalar("integer", 2)}], "length": 1},
        ),
        ("np.array([1.5])", {"type": "list", "items": [scalar("number", 1.5)], "length": 1}),
        ("object", {"type": "text", "text": "<class 'object'>", "length": 16}),
    ],
)
def test_a_value_keeps_its_type(sandbox: Sandbox, expression: str, expected: Any) -> None:
    assert result_of(sandbox, expression) == expected


COLUMNS: dict[str, tuple[str, list[Any]]] = {
    "[1, 2]": ("integer", [1, 2]),
    "[1.5, np.nan]": ("number", [1.5, None]),
    "[np.inf, -np.inf]": ("number", ["Infinity", "-Infinity"]),
    "['a', None]": ("text", ["a", None]),
    "pd.to_datetime(['2024-01-01', None])": ("datetime", ["2024-01-01T00:00:00", None]),
    "pd.to_timedelta(['1h', None])": ("duration", ["0 days 01:00:00", None]),
    "pd.Categorical(['x', None])": ("category", ["x", None]),
    "[True, False]": ("boolean", [True, False]),
    "pd.array([1, None], dtype='Int64')": ("integer", [1, None]),
    "[1, 'one']": ("mixed", [1, "one"]),
    "[1j, 2j]": ("complex", ["1j", "2j"]),
    "[{'a': 1}, [2]]": ("text", ["{'a': 1}", "[2]"]),
    "[b'a', b'b']": ("bytes", ["b'a'", "b'b'"]),
    "[None, None]": ("mixed", [None, None]),
}


def test_a_table_keeps_its_types_and_what_is_missing(sandbox: Sandbox) -> None:
    columns = ", ".join(f"{name!r}: {name}" for name in COLUMNS)
    table = result_of(sandbox, f"pd.DataFrame({{{columns}}})")
    found = {column["name"]: column["kind"] for column in table["columns"]}
    assert found == {name: kind for name, (kind, _) in COLUMNS.items()}
    assert [list(cells) for cells in zip(*table["rows"], strict=True)] == [cells for _, cells in COLUMNS.values()]
    assert (table["index"], table["row_count"], table["column_count"]) == (0, 2, len(COLUMNS))


@pytest.mark.parametrize(
    ("expression", "columns", "index", "rows"),
    [
        ("pd.DataFrame([[1, 2]], columns=['a', 'a'])", "a a", 0, [[1, 2]]),
        ("pd.DataFrame({'a': [3, 4]}).sort_values('a', ascending=False)", "a", 0, [[4], [3]]),
        ("pd.DataFrame({'a': [3, 4]}, index=[2021, 2020])", "index a", 1, [[2021, 3], [2020, 4]]),
        ("pd.DataFrame({'a': [3]}, index=['x'])", "index a", 1, [["x", 3]]),
        ("pd.DataFrame({'g': ['x'], 'h': [1], 'n': [5]}).groupby(['g', 'h']).sum()", "g h n", 2, [["x", 1, 5]]),
        ("pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([('a', 'std')]))", "a_/_std", 0, [[1]]),
        ("np.arange(4).reshape(2, 2)", "0 1", 0, [[0, 1], [2, 3]]),
        ("pd.DataFrame({'a': []})", "a", 0, []),
        ("pd.MultiIndex.from_tuples([(1, 'a')], names=['n', 't'])", "n t", 0, [[1, "a"]]),
    ],
)
def test_tables_of_every_shape(
    sandbox: Sandbox, expression: str, columns: str, index: int, rows: list[list[Any]]
) -> None:
    table = result_of(sandbox, expression)
    assert (table["type"], table["index"], table["rows"]) == ("table", index, rows)
    assert table["row_count"] == len(rows)
    assert [column["name"].replace(" ", "_") for column in table["columns"]] == columns.split()


@pytest.mark.slow
def test_large_results_are_cut_with_their_size(sandbox: Sandbox) -> None:
    table = result_of(sandbox, "pd.DataFrame(np.ones((300_000, 3)))", limits=ExecutionLimits(rows=50))
    assert (len(table["rows"]), table["row_count"], table["column_count"]) == (50, 300_000, 3)
    wide = result_of(sandbox, "pd.DataFrame(np.ones((5_000, 10_000)))")
    assert (wide["row_count"], wide["column_count"], len(wide["columns"])) == (5_000, 10_000, 500)
    assert 0 < len(wide["rows"]) < 1_000
    long = result_of(sandbox, "'x' * 10**6")
    assert long["length"] == 10**6 > len(long["text"])
    endless = result_of(sandbox, "range(10**12)")
    assert (len(endless["items"]), endless["length"]) == (1_000, 10**12)


def test_objects_are_shown_by_their_text_and_libraries_compute_in_one_process(sandbox: Sandbox) -> None:
    fitted = result_of(sandbox, "smf.ols('y ~ x', data=pd.DataFrame({'x': [1., 2, 3, 4], 'y': [2., 4, 6.5, 8]})).fit()")
    assert "R-squared" in fitted["text"]
    assert "text" in json.dumps(result_of(sandbox, "value = [{}]\nvalue[0]['self'] = value\nvalue"))
    parallel = "from joblib import Parallel, delayed\nParallel(n_jobs=2)(delayed(abs)(n) for n in (-1, -2))"
    assert result_of(sandbox, parallel)["items"] == [scalar("integer", 1), scalar("integer", 2)]


def test_a_last_expression_is_the_result_unless_there_is_one(sandbox: Sandbox) -> None:
    assert result_of(sandbox, "x = 2\nx * 3") == scalar("integer", 6)
    assert result_of(sandbox, "result = 1\n2") == scalar("integer", 1)
    for code in ("result = None\n2", "2\nx = 3", "print(1)", ""):
        assert result_of(sandbox, code) == {"type": "none"}
    assert result_of(sandbox, "'a'\nimport sys\nresult = 5\nsys.exit()") == scalar("integer", 5)


FIGURES = {
    "fig = px.bar(x=['a'], y=[1])": ["plotly"],
    "fig = {'data': [{'type': 'bar', 'y': [1]}], 'layout': {}}": ["plotly"],
    "fig, ax = plt.subplots()\nax.plot([1, 2])": ["png"],
    "pd.DataFrame({'a': [1, 2], 'b': [1, 2]}).hist()": ["png"],
    "ax = sns.histplot([1, 2])\nfig = ax": ["png"],
    "fig = [px.bar(x=['a'], y=[1]), plt.figure()]": ["plotly", "png"],
    "plt.plot([1])\nfig = px.bar(x=['a'], y=[1])": ["plotly"],
    "fig = {'data': 1, 'layout': 2}": [],
    "plt.figure()\nresult = 1": [],
    "fig, ax = plt.subplots(figsize=(900, 900))\nresult = None": ["png"],
}


@pytest.mark.parametrize("code", FIGURES)
def test_figures_are_found_wherever_they_are_left(sandbox: Sandbox, code: str) -> None:
    execution = sandbox.run(code)
    assert execution.status == "ok", execution.error
    assert [figure.type for figure in execution.figures] == FIGURES[code]
    for figure in execution.figures:
        if isinstance(figure, ImageFigure):
            assert png_size(figure.png) == (figure.width, figure.height)
    # It is sent as JSON, and is the same on the other side.
    assert Execution.model_validate_json(execution.model_dump_json()) == execution
    if "result" not in code:
        assert execution.result.type == "none" or not FIGURES[code]


def failed(sandbox: Sandbox, code: str) -> dict[str, Any]:
    execution = sandbox.run(code)
    assert execution.status == "error"
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
        ("(" * 5_000, "SyntaxError", None, ""),
        ("-" * 100_000 + "1", None, None, ""),
        ("def f():\n    return f()\nf()", "RecursionError", 2, "recursion"),
        ("raise SystemExit('enough')", "SystemExit", 1, "enough"),
        ("class Odd(Exception):\n    def __str__(self):\n        raise ValueError\nraise Odd", "Odd", 4, ""),
        ("raise ValueError('x' * 10**6)", "ValueError", 1, "xxx"),
        ("class A:\n    def __repr__(self):\n        1 / 0\nresult = A()", "ZeroDivisionError", 3, "division"),
        ("open('/etc/passwd')", "PermissionError", 1, "no files"),
        ("import urllib.request\nurllib.request.urlopen('http://example.com')", "URLError", 2, "no network"),
        ("import torch", "ModuleNotFoundError", 1, "There are numpy"),
        ("input()", "EOFError", 1, "cannot ask the user"),
        ("import multiprocessing\nmultiprocessing.Pool(2)", None, 2, "one process"),
        ("df.head()", "NameError", 1, "`datasets` has 0"),
    ],
)
def test_errors_of_code_are_reported(
    sandbox: Sandbox, code: str, type: str | None, line: int | None, part: str
) -> None:
    error = failed(sandbox, code)
    assert type in (None, error["type"])
    assert error["line"] == line or line is None
    assert part in f"{error['message']} {error['hint']}"
    assert len(error["message"]) < 5_000


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


def parquet(path: Path, **columns: Any) -> Path:
    pd.DataFrame(columns).to_parquet(path)
    return path


def test_data_are_data_frames(sandbox: Sandbox, tmp_path: Path) -> None:
    one, two = parquet(tmp_path / "one", x=[1, 2], y=["é", "b"]), parquet(tmp_path / "two", x=[4])
    code = "result = [int(frame['x'].sum()) for frame in datasets.values()]\nassert 'df' not in globals()"
    assert result_text(sandbox.run(code, {"a": one, "b": two}).result) == "[3, 4]"
    assert (
        result_of(sandbox, "assert df is datasets['odd \\' name']\ndf['y'][0]", data={"odd ' name": one})["text"] == "é"
    )


def test_queries_read_data_frames_files_and_files_too_large_for_memory(sandbox: Sandbox, tmp_path: Path) -> None:
    small = parquet(tmp_path / "small.parquet", n=range(4), g=["x", "y", "x", "y"])
    large = parquet(tmp_path / "large.parquet", n=range(250_000), day=pd.date_range("2024-01-01", periods=250_000))
    data, lazy = {"small": small, "large": large}, ["large"]
    query = "sql('SELECT g, sum(n) AS n FROM small GROUP BY g ORDER BY g')"
    assert result_of(sandbox, query, data=data, lazy=lazy)["rows"] == [["x", 2], ["y", 4]]
    assert result_of(sandbox, "mine = datasets['small'].head(2)\nlen(sql('FROM mine'))", data=data)["value"] == 2
    found = result_of(
        sandbox, "[len(datasets['large']), len(samples['large']), len(samples['small'])]", data=data, lazy=lazy
    )
    assert [each["value"] for each in found["items"]] == [250_000, 83_334, 4]
    table = result_of(sandbox, "datasets['large']", data=data, lazy=lazy, limits=ExecutionLimits(rows=5))
    assert (len(table["rows"]), table["row_count"]) == (5, 250_000)
    error = sandbox.run("datasets['large'].groupby('n')", data, lazy=lazy).error
    assert error.hint == 'Query large with sql("SELECT ..."): no data frame holds it all.'


@pytest.mark.parametrize(
    "code",
    [
        "sql(\"FROM read_csv('/etc/passwd')\")",
        "sql(\"COPY t TO '/tmp/out.csv'\")",
        "sql('INSTALL httpfs')",
        "sql(\"ATTACH '/tmp/new.db' AS d\")",
        "open('/proc/self/fd/6', 'r+b')",
        "import os\nos.truncate('/proc/self/fd/6', 0)",
        "import os\nos.chmod('/proc/self/fd/6', 0o777)",
    ],
)
def test_queries_reach_no_other_file_and_change_none(sandbox: Sandbox, tmp_path: Path, code: str) -> None:
    file = parquet(tmp_path / "t.parquet", n=range(3))
    before = (file.read_bytes(), file.stat().st_mode)
    assert sandbox.run(code, {"t": file}).status == "error"
    assert sandbox.run("sql('SELECT sum(n) AS n FROM t')", {"t": file}).status == "ok"
    assert (file.read_bytes(), file.stat().st_mode) == before


@pytest.mark.parametrize("content", [b"", b"no parquet", b"PAR1" + b"\xff" * 100 + b"PAR1"])
def test_unreadable_data_are_reported(sandbox: Sandbox, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    execution = sandbox.run("1", {"broken": tmp_path / "x"})
    assert (execution.status, execution.error.type) == ("error", "DataError")
    assert "'broken'" in execution.error.message
    assert str(tmp_path) not in execution.error.message


async def test_invalid_arguments_are_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("none", "pipe", "folder"):
        with pytest.raises(UsageError) as raised:
            await sandbox.arun("1", {"x": tmp_path / name})
        assert raised.value.code == "data_missing"
    with pytest.raises(UsageError):
        sandbox.run("#" * 2**21)

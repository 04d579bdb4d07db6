"""The data scientist beyond its conversations: saved files, bad files, harmful programs, failures, limits."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import csv
import io
import re
import runpy
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from langchain_core.messages import BaseMessage

from cli_support import Runner
from graphwright import Turn, load
from graphwright.models._loading import EMBEDDED
from graphwright.models._scripted import ScriptedModel
from graphwright.store.interactions import Interaction, Query
from graphwright_confined import SandboxUnavailable
from graphwright_data.data_scientist import artifacts, figures, program, running, settings, usage
from graphwright_data.data_scientist.replies import unsupported_numbers
from graphwright_files import datasets as opening
from host_support import assert_folds, scripted
from interactions_support import sink

pytestmark = pytest.mark.usefixtures("shared_readers")

KEYS = [
    *["explanation", "evaluation", "code", "plan", "output_type", "figures", "result_str", "failed_attempts", "error"],
]
SUM = "result = int(df['cups'].sum())"
ROWS = "result = len(df)"
BARS = "result = df.groupby('drink', as_index=False)['cups'].sum()\nfig = px.bar(result, x='drink', y='cups')"


@pytest.fixture(autouse=True)
def log_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRAPHWRIGHT_INTERACTIONS", "GRAPHWRIGHT_CONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def no_browser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser draws figures, which takes seconds, only in tests about that."""
    if "browser" not in request.node.name:
        monkeypatch.setattr(figures, "why_no_png", lambda: "not in this test")


@pytest.fixture
def cups(tmp_path: Path) -> Path:
    file = tmp_path / "cups.csv"
    file.write_text("day,drink,cups,price\nMon,tea,3,2.2\nMon,coffee,7,2.8\nTue,tea,4,2.2\nTue,coffee,9,2.9\n")
    return file


def plan(
    code: bool = True, evaluation: bool = False, explanation: bool = False, cannot: str = "", **more: Any
) -> dict[str, Any]:
    steps = {"needs_code": code, "needs_evaluation": evaluation, "needs_explanation": explanation, "cannot": cannot}
    steps |= {name: more.pop(name) for name in ("files", "language") if name in more}
    return {"offers": "ExecutionPlan", "call": {"ExecutionPlan": steps}, **more}


def says(*texts: str) -> list[dict[str, Any]]:
    return [{"text": text, "times": 1} for text in texts]


async def ask_all(
    home: Path,
    questions: Sequence[str],
    rules: Sequence[Mapping[str, Any]],
    files: Sequence[Path] = (),
    model: Any = None,
) -> list[Turn]:
    """These questions one after the other in the thread `t`; the files are sent with the first."""
    async with load("data_scientist").session("t", model=model or scripted(*rules), home=home) as session:
        turns = [await session.send(questions[0], list(files))]
        turns += [await session.send(question) for question in questions[1:]]
        await assert_folds(session)
    return turns


async def answer(home: Path, code: str, *files: Path, question: str = "total cups") -> Turn:
    """The turn of a question that one program answers, without an explanation."""
    return (await ask_all(home, [question], [plan(), *says(code)], files))[0]


def made(turn: Turn) -> dict[str, Path]:
    """The artifacts of a turn by file name."""
    return {Path(artifact.path).name: Path(artifact.path) for artifact in turn.artifacts}


def printed(script: Path, folder: Path) -> str:
    """The output of a script that is run in a folder, without the agent."""
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(script), run_name="__main__")
    return out.getvalue()


# numbers of an answer


@pytest.mark.parametrize(
    ("code", "says_", "right"),
    [
        ("result = 4.9649382716", "It is 4.97.", True),
        ("result = 4.9649382716", "It is 4.96.", True),
        ("result = 4.9649382716", "It is 4.98.", False),
        ("result = 0.4964938271", "It is 49.7 %.", True),
        ("result = pd.DataFrame({'a': [12345.4951234567, 2.0]})", "It is 12,345.5.", True),
        ("result = pd.DataFrame({'day': pd.to_datetime(['2024-05-17'])})", "That is a Friday, in week 20.", True),
        ("result = pd.DataFrame({'day': pd.to_datetime(['2024-05-17'])})", "That is a Friday, in week 21.", False),
    ],
)
async def test_a_number_may_be_rounded_from_the_result_as_it_is_shown_or_be_the_week_of_its_day(
    tmp_path: Path, cups: Path, code: str, says_: str, right: bool
) -> None:
    rules = [plan(explanation=True), *says(code, says_, says_)]
    (turn,) = await ask_all(tmp_path, ["What is it?"], rules, [cups])
    assert (says_ in turn.reply) == right, turn.reply


# saved files


async def test_saved_figures_tables_and_programs_work_without_the_agent(tmp_path: Path, cups: Path) -> None:
    turn = await answer(tmp_path, BARS, cups)
    files = made(turn)
    assert {"figure-1.html", "table.csv", "table.parquet", "analysis.py"} <= set(files)
    page = files["figure-1.html"].read_text("utf-8")
    assert "https://" not in page
    assert (files["figure-1.html"].parent.parent / figures.PLOTLY).stat().st_size > 1_000_000
    assert list(csv.reader(files["table.csv"].open())) == [["drink", "cups"], ["coffee", "16"], ["tea", "7"]]
    assert pd.read_parquet(files["table.parquet"])["cups"].tolist() == [16, 7]
    assert BARS in files["analysis.py"].read_text("utf-8")
    cups.unlink()
    assert "coffee" in printed(files["analysis.py"], tmp_path)
    assert (tmp_path / "answer-1-figure-1.html").exists()


MESSY = "day,item,n,amount\n2025-01-01,a,1,1001476.13\n2025-01-02,b,2,2002952.13\n2025-01-02,b,2,2002952.13\n"
REST = "duplicates, clean = df[df.duplicated()], df.drop_duplicates()\n"
BOTH = ["report.xlsx"]


@pytest.mark.parametrize(
    ("wanted", "code", "saved"),
    [
        (["clean_invoices.csv"], "result = {'clean_invoices.csv': clean}", ["clean_invoices.csv (2 rows)"]),
        (["c.parquet"], "result = {'n': 1, 'c': clean, 'd': duplicates}", ["c.parquet (2 rows)", "d.csv, .parquet (1"]),
        (["../../etc/Reste 2025?.CSV"], "result = clean", ["Reste 2025.csv (2 rows)"]),
        (["con"], "result = clean", ["con_.csv (2 rows)"]),
        (BOTH, "result = {'report.xlsx': {'a': clean, 'A': duplicates}}", ["report.xlsx (a: 2 rows; A: 1 row)"]),
        ([], "result = {'a.csv': {'x': clean, 'y': duplicates}}", ["a x.csv, .parquet (2", "a y.csv, .parquet (1"]),
        (["chart.html"], "result = clean\nfig = px.bar(clean, x='item', y='n')", ["chart.html"]),
    ],
)  # fmt: skip
async def test_tables_and_figures_are_saved_under_the_names_that_the_user_asked_for(
    tmp_path: Path, wanted: list[str], code: str, saved: list[str]
) -> None:
    file = tmp_path / "invoices.csv"
    file.write_text(MESSY)
    (turn,) = await ask_all(tmp_path, ["clean it"], [plan(files=wanted), *says(REST + code)], [file])
    assert all(each in turn.reply for each in saved)
    assert {re.split(r", \.| \(", each)[0] for each in saved} <= set(made(turn))
    assert "table.csv" not in made(turn) or "chart.html" in made(turn)
    assert all(path.parent == tmp_path / "threads" / "t" / "answer-1" for path in made(turn).values())


PRICES = "nr;name;preis\n0007;Dübel;1.813,89\n0012;Łapa;2,5\n"
STYLES: dict[str, tuple[str, dict[str, str], str, str, str]] = {
    "as the file": ("p.csv", {}, "0012;Łapa;2,5", "utf-8", "Trennzeichen `;`, Dezimalzeichen `,`, UTF-8"),
    "commas": ("p.csv", {"separator": ","}, "0007,Dübel,1813.89", "utf-8", "p.csv (2 Zeilen)"),
    "tabs": ("p.tsv", {"decimal": "."}, "0007\tDübel\t1813.89", "utf-8", "p.tsv (2 Zeilen; Trennzeichen tab,"),
    "text": (
        "p.txt",
        {"separator": "|", "decimal": "."},
        "0007|Dübel|1813.89",
        "utf-8",
        "p.txt (2 Zeilen; Trennzeichen `|`",
    ),
    "for Excel": ("p.csv", {"encoding": "utf-8-sig"}, "\ufeffnr;name", "utf-8", "UTF-8-SIG"),
    "Polish": ("p.csv", {"encoding": "cp1250"}, "0012;Łapa", "cp1250", "CP1250"),
    "lossy": ("p.csv", {"encoding": "latin-1"}, "Łapa", "utf-8", "kann nicht in latin-1 geschrieben werden"),
    "unknown": ("p.csv", {"encoding": "klingon", "separator": "xy"}, "0012;Łapa;2,5", "utf-8", "in klingon ge"),
}


@pytest.mark.parametrize("name", STYLES)
async def test_a_csv_is_written_in_the_requested_format_or_that_of_the_data(tmp_path: Path, name: str) -> None:
    file, style, content, encoding, said = STYLES[name]
    (tmp_path / "preise.csv").write_text(PRICES, "utf-8")
    wanted = [{"name": file, **style}] if style else [file]
    told = {"anywhere": f'Saved files:\n"""\n{file}: 2 rows, 3 columns; cells separated by', "text": "Fertig."}
    rules = [plan(files=wanted, language="de", explanation=True), *says(f"result = {{'{file}': df}}"), told]
    (turn,) = await ask_all(tmp_path, ["Speichere das"], rules, [tmp_path / "preise.csv"])
    assert content.encode(encoding) in made(turn)[file].read_bytes()
    assert said in turn.reply
    assert "Fertig." in turn.reply


async def test_a_file_of_an_unknown_kind_is_saved_as_csv_under_its_name_alone(tmp_path: Path, cups: Path) -> None:
    code = "result = {'t.docx': df, 'other': df}"
    (turn,) = await ask_all(tmp_path, ["as t.docx"], [plan(files=["t.docx"]), *says(code)], [cups])
    assert turn.reply.startswith("t.docx cannot be written")
    assert {"t.csv", "other.csv"} <= set(made(turn))


async def test_a_workbook_has_a_sheet_for_each_table_with_real_dates_and_no_formula(tmp_path: Path) -> None:
    file = tmp_path / "invoices.csv"
    file.write_text(MESSY)
    code = "t = df.head(1).assign(item='=1+1', id=12345678901234567)\nresult = {'a/b': t, 'A:B': df, 'x' * 40: df}"
    (turn,) = await ask_all(tmp_path, ["as Excel"], [plan(files=BOTH), *says(code)], [file])
    sheets = pd.read_excel(made(turn)["report.xlsx"], sheet_name=None, engine="calamine")
    assert list(sheets) == ["a b", "A B-2", "x" * 31]
    row = sheets["a b"].iloc[0]
    assert (row["day"], row["item"], row["id"]) == (pd.Timestamp("2025-01-01"), "=1+1", 12345678901234567)


async def test_a_saved_csv_keeps_dates_without_a_time_and_has_no_rounding_errors(tmp_path: Path) -> None:
    file = tmp_path / "invoices.csv"
    file.write_text(MESSY)
    code = (
        "result = pd.DataFrame({'day': df['day'], 'total': [3004428.2600000002, 0.1 + 0.2, 12345678901234.56],"
        "'at': pd.to_datetime(['2025-01-01 09:30', '2025-01-02 00:00', '2025-01-03 00:00'])})"
    )
    turn = await answer(tmp_path, code, file)
    rows = list(csv.reader(made(turn)["table.csv"].open()))
    assert [row[1] for row in rows] == ["total", "3004428.26", "0.3", "12345678901234.56"]
    assert rows[1] == ["2025-01-01", "3004428.26", "2025-01-01 09:30:00"]


async def test_a_reply_shows_a_few_rows_of_a_table_that_is_saved_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_text("n\n" + "\n".join(map(str, range(1, 12_001))))
    (turn,) = await ask_all(tmp_path, ["as all.csv"], [plan(files=["all.csv"]), *says("result = df")], [file])
    assert "(5 of 12,000 rows)" in turn.reply
    assert "all.csv (12,000 rows)" in turn.reply
    assert len(made(turn)["all.csv"].read_text().splitlines()) == 12_001
    (turn,) = await ask_all(tmp_path, ["as 9.csv"], [plan(files=["9.csv"]), *says("result = df.head(9)")], [file])
    assert "9\n\n> Computed" in turn.reply


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("report.docx", "report.docx cannot be written: tables are saved as CSV, TSV, TXT, XLSX or Parquet"),
        ("chart.png", "chart.png was not written: the program has no table or figure for it."),
    ],
)
async def test_the_reply_begins_with_a_file_that_has_failed(tmp_path: Path, cups: Path, name: str, first: str) -> None:
    (turn,) = await ask_all(tmp_path, ["give it"], [plan(files=[name]), *says("result = {'by_day': df}")], [cups])
    assert turn.reply.startswith(first)
    assert "Saved: by_day.csv, .parquet (4 rows), analysis.py." in turn.reply
    assert turn.reply.count("by_day") == 1
    assert "by day:\n" in turn.reply


async def test_a_table_with_equal_column_names_is_saved_as_csv(tmp_path: Path, cups: Path) -> None:
    code = "result = df[['cups', 'cups']]"
    (turn,) = await ask_all(tmp_path, ["give it"], [plan(files=["two.parquet"]), *says(code)], [cups])
    assert turn.reply.startswith("two.parquet cannot be written: its columns need different names.")
    assert list(csv.reader(made(turn)["two.csv"].open()))[:2] == [["cups", "cups"], ["3", "3"]]


async def test_a_program_that_leaves_no_table_for_a_wanted_file_is_corrected(tmp_path: Path, cups: Path) -> None:
    wrong, right = "result = {'a': df, 'b': df}", "result = {'tea.csv': df, 'b': df}"
    (turn,) = await ask_all(tmp_path, ["as tea.csv"], [plan(files=["tea.csv"]), *says(wrong, right)], [cups])
    assert (
        "make each file name a key of `result` with its data frame: tea.csv"
        in turn.values["failed_attempts"][0]["error"]
    )
    assert {"tea.csv", "b.csv"} <= set(made(turn))


async def test_sources_and_files_are_named_in_the_language_of_the_question(tmp_path: Path, cups: Path) -> None:
    (turn,) = await ask_all(tmp_path, ["Wie viele?"], [plan(language="de"), *says("result = df[['cups']]")], [cups])
    assert "Berechnet aus cups.csv (cups). Gespeichert: table.csv, .parquet (4 Zeilen)," in turn.reply


async def test_notes_on_the_files_come_after_the_answer_as_sentences(tmp_path: Path) -> None:
    file = tmp_path / "logins.csv"
    file.write_text("login_at,n\n2025-01-01T09:00:00-04:00,1\n2025-01-02T09:00:00-04:00,2\n")
    turn = await answer(tmp_path, ROWS, file)
    assert turn.reply.startswith("2\n\n> Computed from")
    assert "Times of `login_at` were converted to UTC; in the file they are in -04:00." in turn.reply.split("Saved:")[1]


async def test_notes_follow_the_language_and_come_once_for_each_sheet(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "b.xlsx") as book:
        pd.DataFrame([["Budget (T€)", None], [None, None], ["x", "n"], ["a", 84_000], ["b", 1]]).to_excel(
            book, sheet_name="Plan", header=False, index=False
        )
        pd.DataFrame([["Geheim", None], [None, None], ["x", "n"], ["a", 1]]).to_excel(
            book, sheet_name="Notes", header=False, index=False
        )
    code = "result = datasets['b_plan'][['x', 'n']]"
    other = "result = datasets['b_notes'][['n']]"
    rules = [plan(language="de"), *says(code, code, other)]
    turns = await ask_all(tmp_path, ["Wie viel?", "Und?", "Und dort?"], rules, [tmp_path / "b.xlsx"])
    first, second, third = (turn.reply for turn in turns)
    assert "84.000" in first
    long = plan(language="de", files=["all.csv"])
    (turn,) = await ask_all(tmp_path, ["als all.csv"], [long, *says("result = pd.DataFrame({'n': range(12_000)})")])
    assert "(5 von 12.000 Zeilen)" in turn.reply
    assert "all.csv (12.000 Zeilen)" in turn.reply
    assert first.endswith("b.xlsx, Plan: Über der Tabelle steht: „Budget (T€)“.")
    assert "Über der Tabelle" not in second
    assert third.endswith("b.xlsx, Notes: Über der Tabelle steht: „Geheim“.")


async def test_an_explanation_gets_the_earlier_question_and_the_columns(tmp_path: Path) -> None:
    file = tmp_path / "orders.csv"
    file.write_text("item,quantity\na,-1\nb,\nb,3\n")
    here = {
        "anywhere": 'quantity": [^\\n]*-1 to 3[^\\n]*1 missing[^~]*Asked before: total quantity',
        "text": "It is 2.",
    }
    rules = [
        plan(times=1),
        *says("result = df['quantity'].sum()"),
        plan(explanation=True),
        *says("result = df['quantity'].sum()"),
        here,
    ]
    turns = await ask_all(tmp_path, ["total quantity", "And now?"], rules, [file])
    assert turns[1].reply.startswith("It is 2.")


async def test_the_quartiles_of_a_box_plot_are_those_that_the_program_computed(tmp_path: Path, cups: Path) -> None:
    box = "q1=[v.quantile(.25)], median=[v.median()], q3=[v.quantile(.75)], lowerfence=[3], upperfence=[9], y=[[30]]"
    code = (
        f"v = df['cups']\nfig = go.Figure()\nfig.add_box(x=['all'], name='all', {box}, pointpos=0)\nresult = {{'n': 4}}"
    )
    turn = await answer(tmp_path, code, cups)
    assert "lowerfence 3; q1 3.75; median 5.5; q3 7.5; upperfence 9" in turn.values["execution_result"]["shown"]
    assert [3.75] in turn.values["execution_result"]["values"][2]


async def test_a_figure_of_matplotlib_is_a_png_and_a_last_line_a_result(tmp_path: Path, cups: Path) -> None:
    turn = await answer(tmp_path, "sns.barplot(df, x='drink', y='cups')\ndf['cups'].max()", cups)
    assert made(turn)["figure-1.png"].read_bytes().startswith(b"\x89PNG")
    assert turn.values["final_output"]["figures"] == [{"name": "figure-1", "png": "answer-1/figure-1.png", "html": ""}]
    assert printed(made(turn)["analysis.py"], tmp_path) == "9\n"


@pytest.mark.slow
@pytest.mark.skipif(bool(figures.why_no_png()), reason=figures.why_no_png() or "it can be drawn")
async def test_a_plotly_figure_is_drawn_by_a_browser_that_fetches_nothing(tmp_path: Path, cups: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/secret"
        code = f"{BARS}\nfig.add_layout_image(source='{address}', x=0, y=1, sizex=1, sizey=1)"
        turn = await answer(tmp_path, code, cups)
        # With a question pending, the thread would be listed as waiting for an answer.
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert made(turn)["figure-1.png"].read_bytes().startswith(b"\x89PNG")


async def test_a_browser_that_fails_costs_the_png_alone(
    tmp_path: Path, cups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program_that_ends = tmp_path / "chrome"
    program_that_ends.write_text("#!/bin/sh\nexit 1\n")
    program_that_ends.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(program_that_ends))
    turn = await answer(tmp_path, BARS, cups)
    assert turn.values["final_output"]["output_type"] == "visualization"
    assert "There is no PNG of figure-1: the browser did not draw it" in turn.reply
    assert "figure-1.html" in made(turn)


async def test_texts_out_of_files_cannot_act_in_what_is_saved(tmp_path: Path) -> None:
    evil = tmp_path / "evil.csv"
    evil.write_text('name,n\n"=HYPERLINK(""http://x"")",1\n</script><script>alert(1)</script>,2\n')
    turn = await answer(tmp_path, "result = df\nfig = px.bar(df, x='name', y='n', title='</script><b>x')", evil)
    page = made(turn)["figure-1.html"].read_text("utf-8")
    assert page.count("<script") == 3
    assert "</script><script>alert" not in page
    assert list(csv.reader(made(turn)["table.csv"].open()))[1][0] == '\'=HYPERLINK("http://x")'


async def test_a_conversation_is_exported_as_a_notebook_that_runs(run: Runner, tmp_path: Path, cups: Path) -> None:
    rules = [plan(times=1), *says("np = 3\nresult = df['cups'].sum()"), plan(times=1), *says(BARS), plan(code=False)]
    questions = ["total <cups>", "plot cups by drink", "What is a median?"]
    await ask_all(run.home, questions, [*rules, {"text": "The value in the middle."}], [cups])
    done = await asyncio.to_thread(run, "threads", "export", "t", "--notebook", "--to", tmp_path / "t.ipynb")
    assert done.code == 0, done.err
    notebook = nbformat.read(tmp_path / "t.ipynb", as_version=4)
    nbformat.validate(notebook)
    cells = [cell.source for cell in notebook.cells]
    assert "## total &lt;cups>" in cells
    assert cells[-1] == "The value in the middle."
    script = tmp_path / "cells.py"
    display = "def display(value):\n    print(type(value).__name__, str(value)[:40])"
    script.write_text("\n".join([display, *(cell.source for cell in notebook.cells if cell.cell_type == "code")]))
    shown = printed(script, tmp_path)
    assert all(each in shown for each in ("int64 23", "DataFrame", "Figure"))


# files


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [("empty.csv", b"", "empty"), ("photo.csv", b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "PNG")],
)
async def test_a_file_that_is_no_data_ends_the_question_and_is_left_out_beside_others(
    tmp_path: Path, cups: Path, name: str, content: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    (turn,) = await ask_all(tmp_path, ["how many rows?"], [plan()], [file])
    assert_ended_by_failure(turn, said)
    turn, after = await ask_all(tmp_path, ["how many rows?"] * 2, [plan(), {"text": ROWS}], [cups])
    assert f"{name}" in turn.reply
    assert "It is left out." in turn.reply
    assert "left out" not in after.reply
    assert after.values["execution_result"]["result_str"] == "4"


async def test_files_given_later_join_or_replace_those_before(tmp_path: Path, cups: Path) -> None:
    count = "result = {id: len(each) for id, each in datasets.items()}"
    await answer(tmp_path, count, cups)
    (tmp_path / "new").mkdir()
    newer, more = tmp_path / "new" / "cups.csv", tmp_path / "more.csv"
    newer.write_text("drink,cups\ntea,1\n")
    more.write_text("a\n1\n2\n")
    turn = await answer(tmp_path, count, newer, more)
    assert turn.values["execution_result"]["result_str"] == "cups: 1\nmore: 2"
    assert "The cups.csv that was given before is replaced by the one given now." in turn.reply
    assert "Computed from cups.csv; more.csv." in turn.reply


async def test_uploaded_files_with_one_name_get_distinct_names(tmp_path: Path) -> None:
    for year in ("2024", "2025"):
        (tmp_path / year).mkdir()
        (tmp_path / year / "sales.csv").write_text(f"n\n{year}\n")
    files = [tmp_path / "2024" / "sales.csv", tmp_path / "2025" / "sales.csv"]
    turn = await answer(tmp_path, "result = int(datasets['sales_2']['n'].sum())", *files)
    assert "2025/sales.csv is sales_2: there are several files named sales.csv." in turn.reply
    assert turn.reply.startswith("2025\n\n")
    assert "Computed from 2025/sales.csv (n)." in turn.reply


# programs that do harm, and failures


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("while True: df.size", "s of CPU time"),
        ("df.size\nwhile True: print('x' * 1000)", "of output"),
        ("df.size\nx = bytearray(10**12)", "of memory"),
        ("df.size\nimport os\nos.fork()", "PermissionError"),
        ("df.size\nimport os\nos._exit(0)", "stopped"),
    ],
)
async def test_a_harmful_program_is_stopped_and_the_next_one_runs(
    tmp_path: Path, cups: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    monkeypatch.setitem(settings.SETTINGS["cpu_seconds"], "default", 1)
    (turn,) = await ask_all(tmp_path, ["how many rows?"], [plan(), *says(f"{ROWS}\n{code}", ROWS)], [cups])
    (failed,) = turn.values["failed_attempts"]
    assert said in failed["error"]
    assert turn.values["execution_result"]["result_str"] == "4"


def logged(home: Path) -> list[Interaction]:
    """The interaction log, the earliest first."""
    log = sink(f"sqlite:///{home}/interactions.db", home)
    return log.find(Query(limit=100))[::-1]


def assert_ended_by_failure(turn: Turn, said: str) -> None:
    """The question ended with the agent's own message, and its package is complete."""
    assert turn.status == "ended", turn.error
    output = turn.values["final_output"]
    assert list(output) == KEYS
    assert output["output_type"] == "error"
    assert said in output["error"]
    assert said in turn.reply


NEXT = {"says": "how many rows", "text": ROWS}


async def test_a_model_that_fails_at_the_program_ends_the_question(tmp_path: Path, cups: Path) -> None:
    rules = [plan(), NEXT, {"says": "total", "fail": "connection"}]
    turn, after = await ask_all(tmp_path, ["total cups", "How many rows are there?"], rules, [cups])
    assert_ended_by_failure(turn, "")
    assert after.values["execution_result"]["result_str"] == "4"
    first, second = logged(tmp_path)[-2:]
    assert (first.question, first.success, bool(first.error)) == ("total cups", False, True)
    assert (second.question, second.success) == ("How many rows are there?", True)


async def test_a_model_that_fails_at_the_words_leaves_the_result(tmp_path: Path, cups: Path) -> None:
    rules = [plan(explanation=True, evaluation=True), *says(ROWS), {"fail": "connection"}]
    (turn,) = await ask_all(tmp_path, ["How many rows are there?"], rules, [cups])
    assert (turn.status, turn.values["final_output"]["output_type"]) == ("ended", "analysis")
    assert turn.reply.startswith("4\n\n> Computed from")


async def test_a_reply_without_a_program_is_an_attempt_like_any_other(tmp_path: Path, cups: Path) -> None:
    (turn,) = await ask_all(tmp_path, ["total cups"], [plan(), {"fail": "empty", "times": 2}, {"text": SUM}], [cups])
    assert turn.values["execution_result"]["result_str"] == "23"
    assert [each["code"] for each in turn.values["failed_attempts"]] == [""]


async def test_an_unreachable_model_fails_only_the_turn(tmp_path: Path, cups: Path) -> None:
    rules = [{"says": "total", "offers": "ExecutionPlan", "fail": "auth"}, plan(), NEXT]
    turn, after = await ask_all(tmp_path, ["total cups", "How many rows are there?"], rules, [cups])
    assert (turn.status, turn.error.code) == ("failed", "model_not_authorised")
    assert after.values["question"] == "How many rows are there?"


@pytest.mark.parametrize(
    ("module", "name", "error", "said"),
    [
        (running, "run", SandboxUnavailable("start", "none", "Install bubblewrap."), "Install bubblewrap."),
        (artifacts, "answer_folder", OSError(28, "No space left on device"), "No space left on device"),
    ],
)
async def test_missing_resources_end_the_question(
    tmp_path: Path, cups: Path, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, error: Exception, said: str
) -> None:
    def fails(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(module, name, fails)
        (turn,) = await ask_all(tmp_path, ["total cups"], [plan(), {"text": SUM}], [cups])
        assert_ended_by_failure(turn, said)
    assert (await answer(tmp_path, SUM)).values["execution_result"]["result_str"] == "23"


# findings


async def test_a_result_of_equal_numbers_is_a_finding(tmp_path: Path, cups: Path) -> None:
    programs = {
        "result = df.isna().sum()": "",
        "result = {name: 0 for name in df}": "",
        "result = df.assign(price=1, cups=df['cups'] * 2)": "",
        "result = df[['day', 'drink']].assign(price=1)": "",
        "result = df[['day']].assign(price=1)": "All 4 rows of the result have the same numbers.",
        "result = {'test': 1.5, 'table': df[df['cups'] > 100]}": "The table of the result has no rows.",
    }
    rules = [plan(times=len(programs)), *says(*(text for code, found in programs.items()
             for text in ([code, "answers: yes\nIt is."] if found else [code])))]  # fmt: skip
    turns = await ask_all(tmp_path, ["a question"] * len(programs), rules, [cups])
    assert [turn.values["findings"] for turn in turns] == [[found] if found else [] for found in programs.values()]


# models with little room


class Small(ScriptedModel):
    """A weak model with a small context, which records its prompts."""

    asked: list[Sequence[BaseMessage]] = []  # noqa: RUF012 - pydantic copies it

    @property
    def _llm_type(self) -> str:
        return EMBEDDED

    async def _agenerate(self, messages: Any, *given: Any, **named: Any) -> Any:
        self.asked.append(messages)
        return await super()._agenerate(messages, *given, **named)


def small(*rules: Mapping[str, Any]) -> Small:
    model = Small.from_rules(list(rules)).model_copy(update={"profile": {"max_input_tokens": 7_168}})
    assert isinstance(model, Small)
    return model


@pytest.mark.slow
async def test_prompts_stay_within_what_a_small_model_takes(tmp_path: Path) -> None:
    wide = tmp_path / "wide.csv"
    names = [f"measurement of sensor {chr(97 + n % 26)}{n}" for n in range(300)]
    wide.write_text("\n".join([",".join(names), *(",".join(str(n * m) for n in range(300)) for m in range(30))]))
    long = f"result = df.T.reset_index()  # {'x' * 3_000}\nresult['y'] = 'y' * 50"
    rules = [
        plan(explanation=True, evaluation=True, times=2),
        *says(long, "answers: yes\n" + "Much. " * 500, "It is 0. " * 400),
    ]
    query = "SELECT 1"
    model = small(*rules, *says(query, "result = nothing", "result = df.T", "answers: yes\nYes.", "Well."))
    turns = await ask_all(tmp_path, ["transpose it", "again"], (), [wide], model)
    assert [turn.usage.model_calls for turn in turns] == [5, 5]
    longest = max(sum(len(str(message.content)) for message in messages) for messages in model.asked)
    assert longest <= 7_168 * 3


async def test_the_no_of_a_weak_model_counts_only_beside_a_finding(tmp_path: Path, cups: Path) -> None:
    rules = [
        plan(evaluation=True),
        *says(SUM, "answers: no\nWrong.", TOTAL, "result = 5", "answers: no\nRead it.", SUM, "yes", TOTAL),
    ]
    first, second = await ask_all(tmp_path, ["total cups", "and again"], (), [cups], small(*rules))
    assert "evaluate" in first.path
    assert (first.values["attempts"], second.values["attempts"]) == (1, 2)


TOTAL = "SELECT SUM(cups) FROM cups"


@pytest.mark.parametrize(
    ("code", "query", "told"),
    [
        (SUM, TOTAL, ""),
        (SUM, f"```sql\n{TOTAL};\n```", ""),
        ("result = df.groupby('drink')['cups'].sum()", "SELECT drink, SUM(cups) FROM cups GROUP BY 1", ""),
        ("result = ', '.join(df['drink'].unique())", "SELECT DISTINCT drink FROM cups", ""),
        ("result = ', '.join(df['drink'].unique())", "SELECT DISTINCT day FROM cups", "Mon"),
        (BARS, "SELECT drink, AVG(cups) FROM cups GROUP BY drink", "tea"),
        (SUM, "SELECT SUM(tips) FROM cups", "failed."),
        (SUM, "ATTACH '/etc/passwd' AS p", "failed."),
    ],
)
async def test_a_result_that_a_second_query_contradicts_is_shown_with_both(
    tmp_path: Path, cups: Path, code: str, query: str, told: str
) -> None:
    (turn,) = await ask_all(tmp_path, ["cups by drink"], (), [cups], small(plan(), *says(code, query)))
    assert turn.usage.model_calls == 3
    note = turn.values["explanation"].partition("Not confirmed: a second query, written independently,")[2]
    assert turn.reply.startswith("Not confirmed") == bool(note) == bool(told)
    assert told in note


async def test_a_query_that_sorts_more_than_the_cache_of_sqlite_holds_is_run(tmp_path: Path) -> None:
    big = tmp_path / "big.csv"
    big.write_text("\n".join(["place,n", *(f"place number {n * 7919 % 60_000:08},{n}" for n in range(60_000))]))
    query = "SELECT place, SUM(n) AS n FROM big GROUP BY place ORDER BY n DESC LIMIT 1"
    (turn,) = await ask_all(tmp_path, ["most"], (), [big], small(plan(), *says("result = df['n'].max()", query)))
    assert "Not confirmed" not in turn.reply


@pytest.mark.parametrize("error", [SandboxUnavailable("none", "here", "-"), OSError(28, "No space left on device")])
async def test_an_answer_of_a_weak_model_outlives_a_query_that_cannot_be_run(
    tmp_path: Path, cups: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    run = running.run

    async def refuse_queries(code: str, *given: Any) -> Any:
        if "sqlite3" in code:
            raise error
        return await run(code, *given)

    monkeypatch.setattr(running, "run", refuse_queries)
    (turn,) = await ask_all(tmp_path, ["total cups"], (), [cups], small(plan(), *says(SUM, TOTAL)))
    assert turn.reply.startswith("Not confirmed: a second query, written independently, failed.\n\n23\n\n")


@pytest.mark.parametrize(
    ("words", "confirmed"),
    [
        ("Coffee, with 16 cups.", True),
        ("Tea, with 7 cups.", False),
    ],
)
async def test_a_query_can_contradict_an_explanation(tmp_path: Path, cups: Path, words: str, confirmed: bool) -> None:
    query = "SELECT drink, SUM(cups) AS n FROM cups GROUP BY drink ORDER BY n DESC LIMIT 1"
    model = small(plan(explanation=True), *says("result = df.groupby('drink')['cups'].sum()", words, query))
    (turn,) = await ask_all(tmp_path, ["which drink sells best?"], (), [cups], model)
    assert ("Not confirmed" not in turn.values["explanation"]) == confirmed


async def test_an_answer_of_a_weak_model_without_a_program_says_so(tmp_path: Path, cups: Path) -> None:
    rules = [plan(code=False, explanation=True), {"text": "It has 4 rows."}]
    for model, told in ((small(*rules), True), (scripted(*rules), False)):
        (turn,) = await ask_all(tmp_path / str(told), ["what is it?"], (), [cups], model)
        assert turn.reply.startswith("Not computed: ") == told


async def test_a_weak_model_that_says_what_is_missing_computes_nothing_else(tmp_path: Path, cups: Path) -> None:
    rules = [plan(cannot="There is no profit."), *says(SUM)]
    for model, computed in ((small(*rules), False), (scripted(*rules), True)):
        (turn,) = await ask_all(tmp_path / str(computed), ["profit?"], (), [cups], model)
        assert "There is no profit." in turn.reply
        assert ("code" in turn.path) == computed
        assert ("The data has:\ncups: day, drink" in turn.reply) != computed


@pytest.mark.parametrize(
    ("cannot", "code", "told"),
    [
        ("", "result = df['cost'].sum()", "The data has no column 'cost'."),
        ("There is no cost.", "result = df['cost'].sum()", "There is no cost."),
        ("", "Nobody wrote down the cost.", "Nobody wrote down the cost."),
        ("", "result = df.set_index('day')['cups'].unstack()", ""),
    ],
)
async def test_after_three_failures_the_answer_names_what_is_missing(
    tmp_path: Path, cups: Path, cannot: str, code: str, told: str
) -> None:
    (turn,) = await ask_all(tmp_path, ["cost?"], (), [cups], scripted(plan(cannot=cannot), *says(*[code] * 3)))
    assert turn.path == ("plan", "code", "code", "code", "error", "t.answered")
    assert turn.values["final_output"]["output_type"] == "error"
    assert told in turn.reply
    assert ("The data has:\ncups: day, drink, cups, price" in turn.reply) == bool(told)
    assert "Code execution failed after 3 attempts. Final error: " in turn.reply


# tables that are too large for data frames


async def test_counts_of_a_table_larger_than_memory_are_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big = tmp_path / "big.csv"
    big.write_text("id,n\n" + "".join(f"{n},{n % 7}\n" for n in range(200_000)) + "5,5\n")
    monkeypatch.setattr(opening, "FRAMES_SHARE", 0.001)
    exact = "result = sql('SELECT count(*) AS n, count(DISTINCT id) AS ids, sum(n) AS total FROM big')"
    sampled = "result = len(samples['big'])"
    drawing = "result = sql('SELECT n, count(*) AS c FROM big GROUP BY n')\nfig = px.bar(result, x='n', y='c')"
    rules = [
        plan(anywhere='"big" is too large for a data frame: sql\\("SELECT ... FROM big"\\) queries all', times=3),
        *says("result = df['n'].mean()"),
        {"anywhere": r"Query big with sql", "text": exact, "times": 1},
        *says(sampled, drawing),
    ]
    first, second, third = await ask_all(tmp_path, ["counts?", "and some?", "draw it"], rules, [big])
    assert "in all columns as an earlier row: 1 of 200,001." in first.reply
    assert "200001" in first.values["execution_result"]["result_str"].replace(",", "")
    assert "Read was" not in first.reply
    assert "Read was some of the 200,001 rows of big (a sample" in second.reply
    script = made(third)["analysis.py"]
    assert "200001" in printed(made(first)["analysis.py"], tmp_path)
    assert "28572" in printed(script, tmp_path)


# the syntax tree


USES = {
    "result = sm.OLS(df.y, sm.add_constant(df.drop(columns='y'))).fit()": "yabc",
    "result = df.corr()": "yabc",
    "df.head()": "yabc",
    "x = df[df.a > 1]\nresult = x.describe()": "yabc",
    "result = df.groupby('a').mean()": "yabc",
    "fig = px.imshow(df)": "yabc",
    "q = 'SELECT * FROM t'\nresult = sql(q)": "yabc",
    "result = df.dropna().shape": "yabc",
    "result = df[df.a > 1]['b'].mean()": "ab",
    "x = df.copy()\nresult = x.groupby('a')['b'].sum()": "ab",
    "result = df.groupby('a').agg(g=('b', 'sum'))": "ab",
    "fig = px.bar(df, x='a', y='b')": "ab",
    "result = smf.ols('y ~ a', df).fit()": "ya",
    "result = sql('SELECT avg(A) FROM t WHERE \"b\" > 1')": "ab",
    "result = df.loc[df.a.idxmax(), 'b']": "ab",
    "result = [x['b'].mean() for _, x in df.groupby('a')]": "ab",
    "d = df\nd = d[d['a'] != 1][['a', 'b']]\nresult = {'d': d}": "ab",
    "d = df.assign(z=df.a)\nresult = d.groupby('b').agg(z=('z', 'sum'))": "ab",
    "for _, x in df.groupby('a'):\n    print(x.describe())": "yabc",
    "result = len(df)": "",
    "result = df.dropna(subset=['a']).groupby('a').size()": "a",
}


@pytest.mark.parametrize("code", USES)
def test_the_columns_that_a_program_uses_are_named(code: str) -> None:
    datasets = {"t": {"columns": [{"name": name} for name in "yabc"]}}
    assert "".join(usage.used_in(ast.parse(code), datasets)["t"]) == USES[code]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def total(name):\n    return int(datasets[name].iloc[:, 1].sum())\nresult = total('plan')", "plan.csv."),
        ("result = sum(len(datasets[f'{each}']) for each in ['plan', 'other'])", "other.csv; plan.csv."),
        ("result = sql(f'SELECT sum(n) AS n FROM {\"plan\"}')", "plan.csv (n)."),
        ("result = len(dict(datasets))", "hidden.csv; other.csv; plan.csv."),
    ],
)
async def test_only_the_data_sets_that_a_program_opened_are_named(tmp_path: Path, code: str, said: str) -> None:
    for name in ("plan", "other", "hidden"):
        (tmp_path / f"{name}.csv").write_text("x,n\na,1\nb,2\n")
    turn = await answer(tmp_path, code, *(tmp_path / f"{name}.csv" for name in ("plan", "other", "hidden")))
    assert f"Computed from {said}" in turn.reply


async def test_a_table_used_as_a_whole_is_named_with_all_columns(tmp_path: Path, cups: Path) -> None:
    turn = await answer(tmp_path, "result = df.describe()", cups)
    assert "Computed from cups.csv (all 4 columns: day, drink, cups, price)." in turn.reply


async def test_at_most_four_looks_come_before_a_program_and_a_weak_model_has_none(tmp_path: Path, cups: Path) -> None:
    look = [{"offers": "look", "call": {"look": {"query": f"SELECT {n}"}}, "times": 1} for n in range(6)]
    (turn,) = await ask_all(tmp_path, ["rows?"], [plan(), *look, {"text": ROWS}], [cups])
    assert [each["query"] for each in turn.values["looks"]] == [f"SELECT {n}" for n in range(4)]
    assert turn.values["execution_result"]["result_str"] == "4"
    (weak,) = await ask_all(tmp_path / "weak", ["rows?"], (), [cups], small(plan(), *look, {"text": ROWS}))
    assert weak.values["looks"] == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("df['a'].corr(df['a'])", True),
        ("df['a'].corr(df['b'])", False),
        ("px.scatter(df, x='a', y='a')", True),
        ("x = df[df.g == 1]['a']\ny = df[df.g == 2]['a']\nstats.ttest_ind(x, y)", False),
        ("x = df[df.g == 1]['a']\ny = x\nstats.ttest_ind(x, y)", True),
        ("df.merge(df, on='a')", False),
        ("df['a'].fillna(df['a'].mean())", False),
        ("\n".join(f"a{n} = [{f'a{n + 1}, ' * 9}df['a']]" for n in range(60)) + "\nf(a0, a0)", True),
    ],
)
def test_a_column_compared_with_itself_is_found(code: str, found: bool) -> None:
    assert bool([*program.compared_with_itself(ast.parse(code))]) is found


@pytest.mark.parametrize("packed", [{"dtype": "O", "bdata": "AAAA"}, {"dtype": "f8", "bdata": "?", "shape": "2, 9"}, 7])
def test_invalid_packed_values_are_empty(packed: Any) -> None:
    assert figures.values(packed) == []
    assert "bar" in figures.description({"data": [{"type": "bar", "x": packed, "y": packed}]})


@pytest.mark.parametrize(
    ("text", "question", "found"),
    [
        ("With the surcharge it is 405.2 x 1.05 = 425.46.", "What is it with the surcharge?", ["1.05", "425.46"]),
        ("Without them it is 405.2 x 0.86 = 348.47.", "What is it without them?", ["0.86", "348.47"]),
        ("With 5 percent more it is 405.2 x 1.05 = 425.46.", "What is it with 5 percent more?", []),
    ],
)
def test_a_number_of_the_data_is_no_percentage(text: str, question: str, found: list[str]) -> None:
    shown = "shop  revenue\nstation  405.2\nharbour  367.0"
    result = {
        "values": {"revenue": [405.2, 367.0]},
        "code": "result = df",
        "written": [],
        "result_str": shown,
        "shown": shown,
    }
    summary = '"cups": integer, 3 to 13, median 5 cups, "harbour" (14)'
    state: Any = {"execution_result": result, "messages": [], "datasets": ["cups"], "data_summary": summary}
    assert unsupported_numbers(text, {**state, "question": question}) == found

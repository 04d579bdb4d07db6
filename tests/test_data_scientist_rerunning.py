"""What is kept of answers runs again, by itself, and comes to what the answers showed: scripts and notebooks."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_support import Runner
from runtime_support import scripted
from sandbox_support import needs_sandbox

from graphwright import Turn, load
from graphwright.agents.data_scientist.rerunning import imports_for, with_result, without_future
from graphwright.store.folders import thread_folder

pytestmark = needs_sandbox

SALES = "region,price,units\nnorth,2.5,4\nsouth,4.8,1\nnorth,7.5,2\n"
LATER = "region,price,units\nnorth,100.0,1\nwest,50.0,3\n"
BY_REGION = "result = df.groupby('region', as_index=False)['price'].sum()"

PLAN = {
    "offers": "ExecutionPlan",
    "call": {
        "ExecutionPlan": {"needs_code": True, "needs_evaluation": False, "needs_explanation": False, "reasoning": "r"}
    },
}

KERNEL = '''
"""Runs the code cells of a notebook one after the other, as a kernel does."""
import ast, json, sys
names = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        print("---")
        exec(compile("".join(cell["source"]), "cell", "exec"), names)
'''
DISPLAY = """
def display(value):
    if hasattr(value, "to_plotly_json"):
        print("plotly", json.dumps([list(map(float, trace.y)) for trace in value.data]))
    elif hasattr(value, "savefig"):
        print("matplotlib", [line.get_ydata().tolist() for axes in value.get_axes() for line in axes.get_lines()])
    else:
        print(value)
import json
"""


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    file = tmp_path / "sales.csv"
    file.write_text(SALES)
    return file


def python(*arguments: str | Path, folder: Path, **environment: str) -> str:
    """What a Python of its own prints in a folder."""
    kept = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    ran = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**kept, **environment},
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def again(notebook: Path) -> list[str]:
    """What each code cell of a notebook prints and displays when all are run, from the top."""
    place = notebook.parent / "kernel"
    (place / "IPython").mkdir(parents=True, exist_ok=True)
    (place / "IPython" / "__init__.py").write_text("version_info = (9, 0)\ndef get_ipython(): return None\n")
    (place / "IPython" / "display.py").write_text(DISPLAY)
    (place / "run.py").write_text(KERNEL)
    said = python(
        place / "run.py",
        notebook,
        folder=notebook.parent,
        PYTHONPATH=str(place),
        MPLBACKEND="Agg",
        PLOTLY_RENDERER="json",
    )
    return [part.strip() for part in said.split("---\n")[1:]]


async def asked(home: Path, question: str, code: str, *files: Path) -> Turn:
    model = scripted(PLAN, {"text": code, "times": 3})
    async with load("data_scientist").session("t", model=model, home=home) as session:
        turn = await session.send(question, files)
    assert turn.values["execution_success"], turn.reply
    return turn


def script(turn: Turn) -> Path:
    return next(Path(each.path) for each in turn.artifacts if each.name.endswith("analysis.py"))


def shown(turn: Turn) -> str:
    return str(turn.values["execution_result"]["result_str"])


async def rerun(turn: Turn, folder: Path) -> str:
    # With a backend that would open windows, and cannot here.
    return (await asyncio.to_thread(python, script(turn), folder=folder, MPLBACKEND="TkAgg")).strip()


def exported(run: Runner, folder: Path) -> tuple[Path, dict[str, Any]]:
    """The notebook of thread `t`, moved to another place with its data, after which nothing else of it is left."""
    done = run("threads", "export", "t", "--notebook", "--to", folder / "t.ipynb")
    assert done.code == 0, done.err
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    for each in ("t.ipynb", "t-data"):
        (folder / each).rename(elsewhere / each)
    (run.home / "datasets").rename(run.home / "gone")
    return elsewhere / "t.ipynb", json.loads((elsewhere / "t.ipynb").read_text("utf-8"))


async def test_each_script_reads_the_data_of_its_own_answer(tmp_path: Path, sales: Path) -> None:
    later = tmp_path / "sales2.csv"
    later.write_text(LATER)
    first = await asked(tmp_path, "total price", "result = float(df['price'].sum())", sales)
    code = "result = float(datasets['sales2']['price'].sum())"
    second = await asked(tmp_path, "total price of sales2", code, later)
    code = "result = datasets['sales'].merge(datasets['sales2'], on='region')['price_y'].tolist()"
    both = await asked(tmp_path, "join sales with sales2 by region", code)
    assert (shown(first), shown(second)) == ("14.8", "150.0")
    assert [await rerun(each, tmp_path) for each in (first, second, both)] == ["14.8", "150.0", "[100.0, 100.0]"]


async def test_a_file_in_the_place_of_another_does_not_change_what_was_answered_before(
    tmp_path: Path, sales: Path
) -> None:
    first = await asked(tmp_path, "total price", "result = float(df['price'].sum())", sales)
    sales.write_text(LATER)
    second = await asked(tmp_path, "total price", "result = float(df['price'].sum())", sales)
    assert [await rerun(each, tmp_path) for each in (first, second)] == ["14.8", "150.0"]


async def test_the_tables_of_a_file_are_kept_apart(tmp_path: Path) -> None:
    shop = tmp_path / "shop.db"
    with sqlite3.connect(shop) as database:
        database.executescript(
            "create table orders (item text, price real); insert into orders values ('a', 1.5), ('b', 2.5);"
            "create table items (item text, price real); insert into items values ('a', 10.0), ('b', 20.0);"
        )
    database.close()
    code = "result = {name: float(each['price'].sum()) for name, each in datasets.items()}"
    turn = await asked(tmp_path, "total price of each table", code, shop)
    assert set(turn.values["datasets"]) == {"shop_orders", "shop_items"}
    assert "shop_orders: 4.0" in shown(turn)
    assert "'shop_orders': 4.0" in (ran := await rerun(turn, tmp_path))
    assert "'shop_items': 30.0" in ran


async def test_the_value_of_a_last_line_is_printed(tmp_path: Path, sales: Path) -> None:
    turn = await asked(tmp_path, "total price", "total = df['price'].sum()\n(\n    total\n    * 2\n)", sales)
    assert shown(turn) == "29.6"
    assert await rerun(turn, tmp_path) == "29.6"


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        ("df['price'].plot()", "png"),
        ("df['price'].plot()\nplt.show()", "png"),
        ("fig, ax = plt.subplots(1, 2)\nax[0].plot(df['price'])\nfig = ax\nplt.close('all')", "png"),
        ("fig = {'data': [{'y': df['price'].tolist()}], 'layout': {}}", "html"),
        ("px.line(df, y='price').show()", "html"),
        ("px.line(df, y='price')", "html"),
        ("list = [px.line(df, y='price')]\nfig = list\nid = print = 3", "html"),
    ],
)
async def test_figures_are_saved_wherever_the_code_left_them(
    tmp_path: Path, sales: Path, code: str, ending: str
) -> None:
    turn = await asked(tmp_path, "the price", code, sales)
    assert len(turn.values["final_output"]["figures"]) == 1
    assert "Saved" in await rerun(turn, tmp_path)
    (made,) = tmp_path.glob("answer-*-figure-*")
    assert made.suffix == f".{ending}"
    if ending == "png":
        assert made.read_bytes().startswith(b"\x89PNG")


async def test_a_script_overwrites_nothing_where_it_stands(tmp_path: Path, sales: Path) -> None:
    code = f"{BY_REGION}\nfig = px.bar(result, x='region', y='price')"
    turn = await asked(tmp_path, "plot price by region", code, sales)
    folder = script(turn).parent
    kept = {each: each.read_bytes() for each in folder.parent.rglob("*") if each.is_file()}
    from_there, from_above = await rerun(turn, folder), await rerun(turn, folder.parent)
    assert from_there == from_above
    assert "10.0" in from_there
    assert {each: each.read_bytes() for each in kept} == kept
    made = {str(each.relative_to(folder.parent)) for each in folder.parent.rglob("*") if each.is_file()} - {
        str(each.relative_to(folder.parent)) for each in kept
    }
    assert made == {f"{folder.name}-figure-1.html", f"{folder.name}/{folder.name}-figure-1.html"}


async def test_a_fitted_model_prints_its_summary(tmp_path: Path, sales: Path) -> None:
    turn = await asked(tmp_path, "regress price on units", "smf.ols('price ~ units', data=df).fit()", sales)
    assert "OLS Regression Results" in shown(turn)
    assert "OLS Regression Results" in await rerun(turn, tmp_path)


def test_what_is_drawn_by_chance_comes_out_alike(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "many.csv"
    file.write_text("n\n" + "".join(f"{n}\n" for n in range(1000)))
    code = "import random\nresult = [*df['n'].sample(3).tolist(), random.random()]"
    turns = [asyncio.run(asked(run.home, "three values of n", code, *files)) for files in ([file], [])]
    scripts = [python(script(turn), folder=tmp_path).strip() for turn in turns]
    notebook, _ = exported(run, tmp_path)
    assert shown(turns[0]) == shown(turns[1])
    assert len({*scripts, *again(notebook)[2::2]}) == 1
    drawn = json.loads(scripts[0])
    assert shown(turns[0]) == ", ".join(f"{value:.6g}" for value in drawn)


async def test_imports_from_the_future_come_first(tmp_path: Path, sales: Path) -> None:
    code = (
        "from __future__ import annotations\ndef top(x: pd.DataFrame) -> Never:\n    return x['price'].max()\ntop(df)"
    )
    turn = await asked(tmp_path, "highest price", code, sales)
    assert await rerun(turn, tmp_path) == "7.5"


async def test_texts_cannot_become_code_of_a_script(tmp_path: Path, sales: Path) -> None:
    turn = await asked(tmp_path, 'total price """\nprint("out") \\', "result = float(df['price'].sum())", sales)
    assert await rerun(turn, tmp_path) == "14.8"


def test_a_conversation_becomes_a_notebook_that_runs(
    run: Runner, tmp_path: Path, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    home = run.home
    later = tmp_path / "sales2.csv"
    later.write_text(LATER)
    turns = [
        asyncio.run(asked(home, question, code, *files))
        for question, code, *files in (
            # What the code makes of its data and of names is nothing to the code of the next answer.
            ("total price", "df = df[df['price'] > 5]\nmax = px = list = 5\nresult = float(df['price'].sum())", sales),
            ("highest price", "result = list(map(max, [df['price']]))[0]"),
            ("plot price by region", f"{BY_REGION}\nfig = px.line(result, x='region', y='price')"),
            ("the price", "df['price'].plot()\nplt.show()"),
            ("total price of sales2", "from __future__ import annotations\ndatasets['sales2']['price'].sum()", later),
            ("regress price on units", "smf.ols('price ~ units', data=datasets['sales']).fit()"),
        )
    ]  # fmt: skip
    assert shown(turns[0]) == "7.5"
    notebook, content = exported(run, tmp_path)
    assert content["nbformat"] == 4
    assert len({cell["id"] for cell in content["cells"]}) == len(content["cells"])
    text = "".join("".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "markdown")
    assert all(question in text for question in ("total price", "plot price by region", "regress price on units"))
    answers = again(notebook)[2::2]
    assert answers[:2] == ["7.5", "7.5"]
    assert "north   10.0" in answers[2]
    assert answers[2].endswith("plotly [[10.0, 4.8]]")
    assert answers[3].splitlines()[-1] == "matplotlib [[2.5, 4.8, 7.5]]"
    assert answers[3].count("matplotlib") == 1
    assert answers[4] == "150.0"
    assert "OLS Regression Results" in answers[5]


def test_a_notebook_does_without_what_was_read_where_the_thread_has_it(
    run: Runner, tmp_path: Path, sales: Path
) -> None:
    asyncio.run(asked(run.home, "total price", "result = float(df['price'].sum())", sales))
    for each in (run.home / "datasets").rglob("*.parquet"):
        each.unlink()
    notebook, _ = exported(run, tmp_path)
    assert again(notebook)[-1] == "14.8"


def test_data_sets_keep_their_order(run: Runner, tmp_path: Path, sales: Path) -> None:
    first = tmp_path / "zones.csv"
    first.write_text("region,price\nnorth,1\n")
    code = "result = [len(each['price']) for each in datasets.values()]"
    turns = [asyncio.run(asked(run.home, "count price", code, *files)) for files in ([first, sales], [])]
    scripts = [python(script(turn), folder=tmp_path).strip() for turn in turns]
    notebook, _ = exported(run, tmp_path)
    assert [shown(turn) for turn in turns] == ["3, 1", "3, 1"]
    assert scripts == again(notebook)[2::2] == ["[3, 1]", "[3, 1]"]


def test_an_export_writes_over_nothing_and_has_something_to_write(run: Runner, tmp_path: Path, sales: Path) -> None:
    asyncio.run(asked(run.home, "total price", "result = float(df['price'].sum())", sales))
    (tmp_path / "t.ipynb").write_text("mine")
    refused = run("threads", "export", "t", "--notebook", "--to", tmp_path / "t.ipynb")
    assert (refused.code, (tmp_path / "t.ipynb").read_text()) == (2, "mine")
    assert run("threads", "export", "t").code == 2
    assert thread_folder(run.home, "t").is_dir()
    (tmp_path / "t-data").write_text("in the way")
    blocked = run("threads", "export", "t", "--notebook", "--force", "--to", tmp_path / "t.ipynb")
    assert (blocked.code, (tmp_path / "t.ipynb").read_text()) == (2, "mine")
    assert "t-data: File exists" in " ".join(blocked.err.split())
    run("ask", "intake", "hello", "--thread", "other", "--model", "scripted:none.json")
    other = run("threads", "export", "other", "--notebook", "--to", tmp_path / "other.ipynb")
    assert (other.code, (tmp_path / "other.ipynb").exists()) == (2, False)


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("x = 1; x + 1", "x = 1; result = x + 1\n"),
        ("'ä'; 'ö' * 2", "'ä'; result = 'ö' * 2\n"),
        ("result = 1\nresult", "result = 1\nresult\n"),
        ("print(1)", "print(1)\n"),
        ("fig.show()", "fig.show()\n"),
        ("x = 1\r\nx", "x = 1\nresult = x\n"),
        (
            "def f():\n    result = 2\n    return result\nf()",
            "def f():\n    result = 2\n    return result\n_last = f()\n"
            'if globals().get("result") is None:\n    result = _last\n',
        ),
    ],
)
def test_the_last_line_becomes_the_result(code: str, made: str) -> None:
    assert with_result(code) == made


def test_code_gets_the_imports_of_the_names_it_uses() -> None:
    code = "# plt\nx = sklearn.linear_model.LinearRegression()\nscipy.stats.ttest_ind(df['np'], px)\nsklearn.clone()"
    assert imports_for(code).splitlines() == [
        "import pandas as pd",
        "import plotly.express as px",
        "import scipy",
        "import sklearn",
        "import scipy.stats",
        "import sklearn.linear_model",
    ]


def test_imports_from_the_future_are_taken_out() -> None:
    assert without_future("x = 1\n") == ("", "x = 1\n")
    code = '"""Text."""\nfrom __future__ import annotations\nx = 1\n'
    assert without_future(code) == ("from __future__ import annotations", '"""Text."""\npass\nx = 1\n')

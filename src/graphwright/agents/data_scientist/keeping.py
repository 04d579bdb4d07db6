"""The files of an answer: pictures as HTML and PNG, tables as CSV and Parquet, and the code as a script that runs."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.agents.data_scientist.state import Dataset, Figure

if TYPE_CHECKING:
    from graphwright.sandbox.execution import TableResult

_FORMULA = ("=", "+", "-", "@", "\t", "\r")

PLOTLY = "plotly.min.js"

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>html, body, #figure {{ height: 100%; margin: 0 }}</style>
<div id="figure"></div>
<script src="../{plotly}"></script>
<script>
const figure = {figure};
Plotly.newPlot("figure", figure.data, figure.layout, {{responsive: true, displaylogo: false}});
</script>
"""


@dataclass(slots=True)
class Kept:
    """What was saved of one answer: pictures for `final_output`, and every file with its kind."""

    figures: list[Figure] = field(default_factory=list)
    files: list[tuple[str, Path]] = field(default_factory=list)


def answer_folder(folder: Path, number: int) -> Path:
    """The folder of an answer in the thread's folder, by the number of the visit that made it; made where missing."""
    made = folder / f"answer-{number}"
    made.mkdir(parents=True, exist_ok=True)
    return made


def keep_figure(kept: Kept, folder: Path, number: int, png: bytes | None, plotly: Mapping[str, Any] | None) -> None:
    """Save a picture: a Plotly figure as a page that can be moved about, and what was drawn of it as PNG."""
    name = f"figure-{number}"
    made: Figure = {"name": name, "png": "", "html": ""}
    if png is not None:
        path = folder / f"{name}.png"
        path.write_bytes(png)
        made["png"] = f"{folder.name}/{path.name}"
        kept.files.append(("image", path))
    if plotly is not None and _plotly_beside(folder.parent):
        path = folder / f"{name}.html"
        path.write_text(page(plotly), "utf-8")
        made["html"] = f"{folder.name}/{path.name}"
        kept.files.append(("figure", path))
    kept.figures.append(made)


def page(figure: Mapping[str, Any]) -> str:
    """A page that shows a Plotly figure without any network; texts of the figure cannot leave the script."""
    layout = figure.get("layout")
    title = layout.get("title") if isinstance(layout, Mapping) else None
    text = title.get("text") if isinstance(title, Mapping) else title
    plain = re.sub(r"[<>&\"']", " ", text) if isinstance(text, str) else "Figure"
    safe = json.dumps({"data": figure.get("data", []), "layout": layout or {}}, ensure_ascii=True)
    safe = safe.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return _PAGE.format(title=plain[:200], plotly=PLOTLY, figure=safe)


def _plotly_beside(folder: Path) -> bool:
    """Put the script that draws figures into the thread's folder, once; False where Plotly is not installed."""
    place = folder / PLOTLY
    if place.exists():
        return True
    found = importlib.util.find_spec("plotly")
    for root in found.submodule_search_locations or () if found else ():
        source = Path(root) / "package_data" / PLOTLY
        if source.is_file():
            shutil.copyfile(source, place)
            return True
    return False


def keep_table(kept: Kept, folder: Path, table: TableResult) -> None:
    """Save a table as CSV and, where its columns can be named apart, as Parquet.

    In CSV a text that a spreadsheet would run as a formula gets an apostrophe before it; Parquet has it as it is.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([_harmless(column.name) for column in table.columns])
    for row in table.rows:
        writer.writerow(["" if value is None else _harmless(value) for value in row])
    path = folder / "table.csv"
    path.write_text(text.getvalue(), "utf-8")
    kept.files.append(("table", path))
    parquet = folder / "table.parquet"
    if _write_parquet(parquet, table):
        kept.files.append(("table", parquet))


def _harmless(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(_FORMULA) and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _write_parquet(path: Path, table: TableResult) -> bool:
    import pyarrow
    import pyarrow.parquet

    names = [column.name for column in table.columns]
    if len(set(names)) != len(names) or not names:
        return False
    arrays = []
    for place, column in enumerate(table.columns):
        values = [row[place] for row in table.rows]
        try:
            arrays.append(pyarrow.array(values))
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
            arrays.append(pyarrow.array([None if v is None else str(v) for v in values], pyarrow.string()))
        if column.kind in ("datetime", "date") and pyarrow.types.is_string(arrays[-1].type):
            try:
                arrays[-1] = arrays[-1].cast(pyarrow.timestamp("us"))
            except pyarrow.ArrowInvalid:
                continue
    pyarrow.parquet.write_table(pyarrow.table(arrays, names=names), path)
    return True


_SCRIPT = '''"""{question}

Written by the data scientist agent. It runs on its own: python {name}
"""

from pathlib import Path

{imports}

{data}

{code}
if "result" in globals():
    print(result)
if "fig" in globals():
    for number, figure in enumerate(fig if isinstance(fig, (list, tuple)) else [fig], 1):
        if hasattr(figure, "write_html"):
            figure.write_html(f"figure-{{number}}.html")
        else:
            getattr(figure, "figure", figure).savefig(f"figure-{{number}}.png")
'''

_LIBRARIES = (
    ("np", "import numpy as np"),
    ("pd", "import pandas as pd"),
    ("px", "import plotly.express as px"),
    ("go", "import plotly.graph_objects as go"),
    ("make_subplots", "from plotly.subplots import make_subplots"),
    ("plt", "import matplotlib.pyplot as plt"),
    ("sns", "import seaborn as sns"),
    ("sm", "import statsmodels.api as sm"),
    ("smf", "import statsmodels.formula.api as smf"),
    ("scipy", "import scipy\nimport scipy.cluster\nimport scipy.optimize\nimport scipy.stats"),
    ("stats", "from scipy import stats"),
    ("sklearn", "import sklearn"),
)


def imports_for(code: str) -> str:
    """The imports that code needs to run on its own: those of the names that the sandbox has ready."""
    lines = ["import pandas as pd"]
    for name, line in _LIBRARIES:
        if name != "pd" and re.search(rf"(?<![\w.]){name}\b", code):
            lines.append(line)
    for module in sorted(set(re.findall(r"\bsklearn\.(\w+)", code))):
        lines.append(f"import sklearn.{module}")
    return "\n".join(lines)


def loading(datasets: Mapping[str, Dataset], folder: str) -> str:
    """The lines that load the data sets: `datasets`, and `df` where there is one. `folder` is an expression."""
    lines = ["datasets = {"]
    for id, dataset in datasets.items():
        file = Path(dataset["parquet"]).name
        lines.append(f"    {id!r}: pd.read_parquet({folder} / {file!r}),  # {_one_line(dataset['name'])}")
    lines.append("}")
    if len(datasets) == 1:
        lines.append(f"df = datasets[{next(iter(datasets))!r}]")
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:80]


def keep_script(kept: Kept, folder: Path, question: str, code: str, datasets: Mapping[str, Dataset]) -> None:
    """Save the code as a script, with its data beside it in the thread's folder."""
    data = folder.parent / "data"
    data.mkdir(exist_ok=True)
    for dataset in datasets.values():
        place = data / Path(dataset["parquet"]).name
        if not place.exists():
            _linked(Path(dataset["parquet"]), place)
    path = folder / "analysis.py"
    quoted = _one_line(question).replace("\\", "\\\\").replace('"', "'")
    text = _SCRIPT.format(
        question=quoted,
        name=path.name,
        imports=imports_for(code),
        data=loading(datasets, 'Path(__file__).resolve().parent.parent / "data"'),
        code=code.rstrip() + "\n",
    )
    path.write_text(text, "utf-8")
    kept.files.append(("code", path))


def _linked(source: Path, place: Path) -> None:
    try:
        place.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, place)

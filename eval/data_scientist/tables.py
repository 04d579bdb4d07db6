"""The files of the questions: four from this folder, and data from installed packages, as CSV."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

OWN = Path(__file__).parent / "files"
"""A German list of salaries, a workbook of sales with a second sheet, customers and their orders, all with faults."""


def written(names: Sequence[str], folder: Path) -> list[Path]:
    """Write the files with these names into a folder."""
    for name in names:
        if (OWN / name).is_file():
            shutil.copyfile(OWN / name, folder / name)
        else:
            PACKAGED[name]().to_csv(folder / name, index=False, lineterminator="\n")
    return [folder / name for name in names]


def _wine() -> Any:
    from sklearn import datasets

    wine = datasets.load_wine(as_frame=True)
    table = wine.data.rename(columns={"od280/od315_of_diluted_wines": "od280_od315"})
    table.insert(0, "cultivar", wine.target.map({0: "A", 1: "B", 2: "C"}))
    return table


def _breast_cancer() -> Any:
    from sklearn import datasets

    found = datasets.load_breast_cancer(as_frame=True)
    return found.data.assign(diagnosis=found.target.map({0: "malignant", 1: "benign"}))


def _diabetes() -> Any:
    from sklearn import datasets

    found = datasets.load_diabetes(as_frame=True, scaled=False)
    return found.data.assign(progression=found.target)


def _modechoice() -> Any:
    table = _of_statsmodels("modechoice")
    return table.assign(mode=table["mode"].map({1: "air", 2: "train", 3: "bus", 4: "car"}))


def _of_statsmodels(name: str) -> Any:
    import pandas as pd
    import statsmodels

    file = Path(statsmodels.__file__).parent / "datasets" / name / f"{name}.csv"
    return pd.read_csv(file, sep=None, engine="python")


def _of_plotly(name: str) -> Any:
    import pandas as pd
    import plotly

    return pd.read_csv(Path(plotly.__file__).parent / "package_data" / "datasets" / f"{name}.csv.gz")


def _from(read: Callable[[str], Any], name: str) -> Callable[[], Any]:
    return lambda: read(name)


PACKAGED: Mapping[str, Callable[[], Any]] = {
    "wine.csv": _wine,
    "breast_cancer.csv": _breast_cancer,
    "diabetes.csv": _diabetes,
    "modechoice.csv": _modechoice,
    **{
        f"{name}.csv": _from(_of_statsmodels, name)
        for name in ("fair", "grunfeld", "statecrime", "macrodata", "elnino", "heart", "engel")
    },
    **{f"{name}.csv": _from(_of_plotly, name) for name in ("gapminder", "election")},
}
"""The functions that return the tables of packages, by file name."""

"""The programs that compute the right answers: run over clean tables, they must return the values of the questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eval.data_scientist.tables import OWN, written

_MONTHS = {"März": 3, "Okt.": 10}
_COLUMNS = {
    "Personalnr": "nr",
    "Name": "name",
    "Abteilung": "abteilung",
    "Geschlecht": "geschlecht",
    "Eintritt": "eintritt",
    "Bruttolohn/Monat": "brutto",
    "Prämie": "praemie",
    "Wochenstd.": "stunden",
    "Standort": "standort",
}


def computed(program: str, files: Sequence[str]) -> Any:
    """The value of an expression, or the `result` of a program; `df` is the first file, `dfs` all by name.

    A program is as trusted as the questions themselves.
    """
    import numpy as np
    import pandas as pd
    import scipy.stats
    import statsmodels.api as sm
    import statsmodels.formula.api as smf

    tables = {name: table(name).copy() for name in files}
    names = {"pd": pd, "np": np, "stats": scipy.stats, "sm": sm, "smf": smf, "dfs": tables}
    names |= {"df": tables[files[0]], "load_targets": _targets}
    try:
        return _plain(eval(program, names))  # noqa: S307
    except SyntaxError:
        exec(program, names)  # noqa: S102
        return _plain(names["result"])


def same(wanted: Any, got: Any) -> bool:
    """Whether the values of a question equal the result of its program, to seven digits."""
    if isinstance(wanted, Mapping) and isinstance(got, Mapping):
        pairs = zip(wanted.items(), got.items(), strict=True) if len(wanted) == len(got) else [((0, 0), (1, 1))]
        return all(str(a) == str(b) and same(x, y) for (a, x), (b, y) in pairs)
    if isinstance(wanted, list | tuple) and isinstance(got, list | tuple):
        return len(wanted) == len(got) and all(map(same, wanted, got))
    if isinstance(wanted, int | float) and isinstance(got, int | float):
        return abs(wanted - got) <= 1e-6 * max(abs(wanted), 1e-30)
    return bool(wanted == got)


@cache
def table(name: str) -> Any:
    """A file as a clean table, without its faults."""
    import pandas as pd

    if name.startswith("Gehaltsliste"):
        return _salaries()
    if name.endswith(".xlsx"):
        return _stores()
    with TemporaryDirectory() as folder:
        return pd.read_csv(written([name], Path(folder))[0])


def _salaries() -> Any:
    import pandas as pd

    raw = pd.read_csv(OWN / "Gehaltsliste_2023.csv", sep=";", encoding="latin-1", dtype=str, keep_default_na=False)
    found = raw[raw["Personalnr"] != "Summe"].reset_index(drop=True)[list(_COLUMNS)].rename(columns=_COLUMNS)
    found["abteilung"] = found["abteilung"].str.strip().str.capitalize()
    found["eintritt"] = pd.Series([_day(text.strip()) for text in found["eintritt"]])
    for column in ("brutto", "praemie", "stunden"):
        plain = found[column].str.strip().str.removesuffix(" EUR").str.replace(".", "").str.replace(",", ".")
        found[column] = pd.to_numeric(plain, errors="coerce")
    return found


def _day(text: str) -> Any:
    import pandas as pd

    for written_as in ("%d.%m.%Y", "%Y-%m-%d", "%d.%m.%y"):
        day = pd.to_datetime(text, format=written_as, errors="coerce")
        if not pd.isna(day):
            return day
    month = re.fullmatch(r"(\S+) (\d{4})", text)
    return pd.Timestamp(int(month[2]), _MONTHS[month[1]], 1) if month else pd.NaT


def _stores() -> Any:
    import pandas as pd

    found = pd.read_excel(OWN / "store_sales_q1_2024.xlsx", sheet_name=0, header=None, engine="calamine")
    found = found.iloc[4:].copy()
    found.columns = ["region", "store", "month", "units", "revenue", "visitors", "refunds", "audit"]
    found = found[found["month"].notna()].copy()  # subtotals, the grand total and the footnote have no month
    found[["region", "store"]] = found[["region", "store"]].ffill()
    found["month"] = [x.month if hasattr(x, "month") else {"Feb 2024": 2, "03/2024": 3}[x] for x in found["month"]]
    for column in ("units", "revenue", "visitors", "refunds"):
        found[column] = pd.to_numeric(found[column].astype(str).str.replace(",", ""), errors="coerce")
    return found.reset_index(drop=True)


def _targets() -> Any:
    import pandas as pd

    found = pd.read_excel(OWN / "store_sales_q1_2024.xlsx", sheet_name="Targets", engine="calamine")
    return found.set_axis(["region", "target"], axis=1)


def _plain(value: Any) -> Any:
    """The value as JSON, with unchanged keys."""
    import numpy as np
    import pandas as pd

    if isinstance(value, pd.Series):
        value = value.to_dict()
    if isinstance(value, dict):
        return {key.item() if hasattr(key, "item") else key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray | pd.Index):
        return [_plain(each) for each in value]
    return value.item() if hasattr(value, "item") else value

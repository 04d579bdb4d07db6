"""The data that is asked about: data sets that come with scikit-learn and statsmodels, and two tables of our own."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

TABLES = (
    *("iris", "wine", "diabetes", "breast_cancer"),
    *("macrodata", "longley", "copper", "star98", "fair", "anes96", "statecrime", "modechoice"),
    *("engel", "grunfeld", "nile", "sunspots"),
    *("customers", "orders"),
)

_DECIMAL_COMMA = ("orders",)

_PARTY = {
    0: "Strong Democrat",
    1: "Weak Democrat",
    2: "Independent-Democrat",
    3: "Independent",
    4: "Independent-Republican",
    5: "Weak Republican",
    6: "Strong Republican",
}
_SCHOOLING = {
    1: "grade school",
    2: "some high school",
    3: "high school",
    4: "some college",
    5: "college degree",
    6: "master's degree",
    7: "PhD",
}
_OCCUPATION = {
    1: "student",
    2: "farming or unskilled",
    3: "white-collar",
    4: "teacher or technician",
    5: "managerial",
    6: "professional",
}
_RELIGIOUS = {1: "not", 2: "mildly", 3: "fairly", 4: "strongly"}
_MODES = {1: "air", 2: "train", 3: "bus", 4: "car"}
_YES_NO = {0: "no", 1: "yes"}
_READABLE: Mapping[str, Mapping[str, Mapping[int, str]]] = {
    "fair": {"occupation": _OCCUPATION, "occupation_husb": _OCCUPATION, "religious": _RELIGIOUS},
    "anes96": {"PID": _PARTY, "educ": _SCHOOLING, "vote": {0: "Clinton", 1: "Dole"}},
    "modechoice": {"mode": _MODES, "choice": _YES_NO},
}
"""What the codes of a column stand for, by the description of the data set."""


@cache
def table(name: str) -> Any:
    """A data frame with the data set of this name, as it stands in the file. Not to be changed."""
    if name in _OF_SKLEARN:
        return _of_sklearn(name)
    if name in _OWN:
        return _OWN[name]()
    return _of_statsmodels(name)


def written(names: Iterable[str], folder: Path) -> list[Path]:
    """The data sets as CSV files in `folder`, one a data set."""
    paths = []
    for name in names:
        path = folder / f"{name}.csv"
        comma = name in _DECIMAL_COMMA
        table(name).to_csv(path, index=False, sep=";" if comma else ",", decimal="," if comma else ".")
        paths.append(path)
    return paths


_OF_SKLEARN = {"iris": "species", "wine": "cultivar", "diabetes": "progression", "breast_cancer": "diagnosis"}
"""The name of the column that the source calls the target."""


def _of_sklearn(name: str) -> Any:
    from sklearn import datasets

    options = {"scaled": False} if name == "diabetes" else {}
    bunch = getattr(datasets, f"load_{name}")(as_frame=True, **options)
    frame = bunch.frame.rename(columns={"target": _OF_SKLEARN[name]})
    if name != "diabetes":
        frame[_OF_SKLEARN[name]] = frame[_OF_SKLEARN[name]].map(dict(enumerate(map(str, bunch.target_names))))
    return _whole(frame)


def _of_statsmodels(name: str) -> Any:
    from statsmodels import datasets

    frame = getattr(datasets, name).load_pandas().data
    if frame.index.name:
        frame = frame.reset_index()
    frame = _whole(frame)
    for column, meanings in _READABLE.get(name, {}).items():
        frame[column] = frame[column].map(meanings)
    return frame


def _whole(frame: Any) -> Any:
    """Counts and years as whole numbers, where the source has them with a `.0`."""
    for column in frame.columns:
        values = frame[column]
        if values.dtype.kind == "f" and values.notna().all() and (values == values.round()).all():
            frame[column] = values.astype("int64")
    return frame


_COUNTRIES = ("Austria", "Spain", "Poland", "Sweden")
_SEGMENTS = ("private", "business", "public")
_PRODUCTS = (("lamp", 24.9), ("desk", 189.0), ("chair", 79.5), ("shelf", 54.25), ("clock", 17.8))
_NAMES = (
    *("Alma", "Bruno", "Carla", "David", "Elena", "Felix", "Greta", "Hugo", "Irene", "Jonas"),
    *("Karin", "Leo", "Marta", "Nils", "Olga", "Pablo", "Rosa", "Stefan", "Tilda", "Viktor"),
)
_CUSTOMERS, _ORDERS, _WITHOUT_ORDERS = 40, 180, 5
_FIRST_DAY = date(2023, 1, 2)


def _customers() -> Any:
    """Customers, some of whose age or segment is not known."""
    import pandas as pd

    chance = random.Random(3)
    rows = []
    for number in range(_CUSTOMERS):
        rows.append(
            {
                "customer_id": 101 + number,
                "name": f"{_NAMES[number % len(_NAMES)]} {'Berg' if number < len(_NAMES) else 'Costa'}",
                "country": _one_of(_COUNTRIES, chance),
                "segment": None if number % 11 == 5 else _one_of(_SEGMENTS, chance),
                "age": None if number % 7 == 3 else 20 + int(50 * chance.random()),
                "signup_date": str(_FIRST_DAY - timedelta(days=int(700 * chance.random()))),
            }
        )
    return pd.DataFrame(rows)


def _orders() -> Any:
    """Orders of all customers but the last few, over two years; some discounts are not known."""
    import pandas as pd

    chance = random.Random(4)
    rows = []
    for number in range(_ORDERS):
        product, price = _one_of(_PRODUCTS, chance)
        quantity = 1 + int(6 * chance.random())
        discount = _one_of((0.0, 0.0, 0.05, 0.1), chance)
        rows.append(
            {
                "order_id": 5001 + number,
                "customer_id": 101 + int((_CUSTOMERS - _WITHOUT_ORDERS) * chance.random()),
                "order_date": str(_FIRST_DAY + timedelta(days=4 * number)),
                "product": product,
                "quantity": quantity,
                "discount": None if number % 13 == 4 else discount,
                "amount": round(price * quantity * (1 - discount), 2),
            }
        )
    return pd.DataFrame(rows)


def _one_of(values: Any, chance: random.Random) -> Any:
    # The sequence of random() is the one thing that stays the same from one Python to the next.
    return values[int(len(values) * chance.random())]


_OWN: Mapping[str, Callable[[], Any]] = {"customers": _customers, "orders": _orders}

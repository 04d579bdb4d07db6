"""The columns of the data as a question and code may name them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from graphwright.agents.data_scientist.words import WORD, stem


@dataclass(frozen=True, slots=True)
class ColumnView:
    """A column as a question may name it. `values` are all its values where there are few, else empty."""

    dataset: str
    name: str
    type: str
    values: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """The words of its name: `petalLength_cm` has petal, length and cm."""
        return _words(self.name)

    @property
    def without_unit(self) -> tuple[str, ...]:
        """The same without what stands in brackets at its end: `leaf width (cm)` has leaf and width."""
        return _words(UNIT.sub("", self.name))


UNIT = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])\s*$")
"""What stands in brackets at the end of a name."""


def _words(name: str) -> tuple[str, ...]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return tuple(word.casefold() for word in WORD.findall(spaced) if word != "_")


def spelt(name: str) -> str:
    """A name without its spelling: `Sepal_Width`, `sepalWidth` and `sepal width (cm)` are one."""
    plain = re.sub(r"[(\[][^)\]]*[)\]]", " ", name)
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", plain)
    return "".join(stem(word) for word in WORD.findall(spaced) if word != "_")


def nearest(name: str, columns: Sequence[ColumnView], most: int = 3) -> list[str]:
    """The names of columns that come closest to what was said."""
    by_key: dict[str, str] = {}
    for column in columns:
        by_key.setdefault("".join(column.parts), column.name)
    key = "".join(word.casefold() for word in WORD.findall(name) if word != "_")
    return [by_key[found] for found in get_close_matches(key, by_key, most, 0.6)]


def views(datasets: Mapping[str, Any]) -> list[ColumnView]:
    """The columns of the `datasets` channel."""
    return [
        ColumnView(id, column["name"], column["type"], tuple(column.get("values", ())))
        for id, dataset in datasets.items()
        for column in dataset["columns"]
    ]

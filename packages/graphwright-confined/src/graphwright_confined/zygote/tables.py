"""The data sets for code: data frames, DuckDB relations of files too large for memory, samples, `sql`."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

__all__ = ["SAMPLE_ROWS"]

SAMPLE_ROWS = 100_000
"""The approximate number of evenly spaced rows in `samples` for a table too large for memory."""

_MOST_THREADS = 4
_EXACT = 2**53
_FRAMES = re.compile(r"\b(?:df|datasets|samples)\b")


taken: set[str] = set()
"""The ids of the data sets that the code of this process read from `datasets`, or named in a query."""


class UnreadableDataset(Exception):
    """A file cannot be read as Parquet. The message names the data set and the reason."""


def connect() -> Any:
    """An empty DuckDB database without background threads, which a fork can take over and confine.

    DuckDB examines the machine once, when it is opened, which a confined process could not. It loads no extension.
    """
    import duckdb

    connection = duckdb.connect(
        config={
            "threads": "1",
            "async_threads": "0",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
        }
    )
    connection.execute("SELECT 1").fetchall()
    return connection


class Datasets(dict[str, Any]):
    """The data sets by their ids. The ids that code reads are recorded."""

    def __getitem__(self, name: str) -> Any:
        taken.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        taken.update({name} & self.keys())
        return super().get(name, default)

    def items(self) -> Any:
        taken.update(self)
        return super().items()

    def values(self) -> Any:
        taken.update(self)
        return super().values()


class Samples(dict[str, Any]):
    """A data frame of evenly spaced rows for each id; for a small data set all of its rows."""

    def __init__(self, connection: Any, datasets: dict[str, Any]) -> None:
        super().__init__()
        self._connection, self._datasets = connection, datasets

    def __missing__(self, name: str) -> Any:
        found = self._datasets[name]
        taken.add(name)
        if is_relation(found):
            step = -(-len(found) // SAMPLE_ROWS)
            rows = f"SELECT *, row_number() OVER () AS __row FROM {_quoted(name)}"
            query = f"SELECT * EXCLUDE (__row) FROM ({rows}) WHERE __row % {step} = {step // 2}"
            found = as_frame(self._connection.sql(query))
        self[name] = found
        return found


def is_relation(value: Any) -> bool:
    """Whether this is a lazy table of DuckDB."""
    return type(value).__name__ == "DuckDBPyRelation" and type(value).__module__.partition(".")[0] == "duckdb"


def as_frame(relation: Any) -> Any:
    """The rows of a relation as a data frame. Sums of whole numbers stay whole numbers."""
    frame = relation.df()
    for place, kind in enumerate(map(str, relation.types)):
        column = frame.iloc[:, place]
        if kind in ("HUGEINT", "UHUGEINT") and column.notna().all() and (column.abs() < _EXACT).all():
            frame.isetitem(place, column.astype("int64"))
    return frame


def names(code: str, files: dict[str, int], lazy: list[str], memory: int) -> dict[str, Any]:
    """The names for the data: `datasets`, `df` if there is only one, `samples`, and `sql` if it is loaded.

    `files` are the descriptors of the data sets, `lazy` the ids of those that do not become data frames. Frames are
    read if the code mentions them. Raises UnreadableDataset; MemoryError passes through.
    """
    connection = getattr(sys.modules.get("duckdb"), "graphwright_connection", None)
    eager = bool(_FRAMES.search(code)) or connection is None
    datasets = {name: _data_frame(name, file) for name, file in files.items() if name not in lazy and eager}
    found: dict[str, Any] = {"datasets": datasets}
    if connection is not None:
        connection.execute(f"SET memory_limit = '{memory * 3 // 4}B'")
        # No file can be written: a query that needs more memory fails with an error.
        connection.execute("SET temp_directory = ''")
        connection.execute(f"SET threads = {min(os.cpu_count() or 1, _MOST_THREADS)}")
        connection.execute("SET TimeZone = 'UTC'")
        # A query may name a data frame that the code has created.
        connection.execute("SET python_scan_all_frames = true")
        for name, file in files.items():
            _add_view(connection, name, file, datasets)
        datasets |= {name: connection.table(name) for name in lazy}
        found |= {"sql": lambda query: _queried(connection, query, files), "samples": Samples(connection, datasets)}
    # In their original order.
    found["datasets"] = Datasets({name: datasets[name] for name in files if name in datasets})
    if len(files) == 1 and datasets:
        (found["df"],) = datasets.values()
    return found


def _queried(connection: Any, query: str, files: dict[str, int]) -> Any:
    words = set(re.findall(r"\w+", str(query).casefold()))
    taken.update(name for name in files if name.casefold() in words)
    relation = connection.sql(query)
    if relation is None:
        raise ValueError("The query returns no rows: only SELECT does.")
    return as_frame(relation)


def _add_view(connection: Any, name: str, file: int, datasets: dict[str, Any]) -> None:
    """Make a data set available to queries: as its file, or as its data frame if the user cannot open the file."""
    path = f"/proc/self/fd/{file}"
    if not os.access(path, os.R_OK):
        if name not in datasets:
            datasets[name] = _data_frame(name, file)
        connection.register(name, datasets[name])
        return
    try:
        connection.execute(f"CREATE VIEW {_quoted(name)} AS FROM read_parquet('{path}')")
    except sys.modules["duckdb"].Error as error:
        raise _unreadable(name, error) from None


def _data_frame(name: str, descriptor: int) -> Any:
    import pandas as pd

    try:
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return pd.read_parquet(file)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: Exception) -> UnreadableDataset:
    reason = " ".join(str(error).split()) or type(error).__name__
    return UnreadableDataset(f"The data set {name!r} cannot be read as Parquet: {reason[:500]}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

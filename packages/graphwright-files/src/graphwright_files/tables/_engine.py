"""DuckDB in the reading process: a connection that can access only the given paths, and quotation for SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from graphwright_files._notes import Note


@dataclass
class TableSource:
    """A table that DuckDB can read. `relation` is the SQL after FROM, `size` its estimated bytes of text.

    `names` are its column names if the file has better ones than the relation. `untyped`: text columns may contain
    numbers and dates, with numbers in that `style`. `zones` are the time zones or offsets in the file, by column.
    `separator` is the separator of a text file, `texts` the relation with all columns as text.
    """

    table: str
    relation: str
    size: int
    names: list[str] | None = None
    notes: list[Note] = field(default_factory=list)
    untyped: bool = False
    style: str = ""
    separator: str = ""
    texts: str = ""
    zones: dict[str, str] = field(default_factory=dict)


def connect() -> duckdb.DuckDBPyConnection:
    """A connection to an empty database in memory, without background threads.

    The process can therefore still be confined.

    It examines the system once, which a confined process could not, and does not load extensions.
    """
    return duckdb.connect(
        config={
            "threads": "1",
            "async_threads": "0",
            "memory_limit": "1GB",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
        }
    )


def restrict(connection: duckdb.DuckDBPyConnection, file: Path, folder: Path, threads: int, memory: int) -> None:
    """Restrict the connection to this file and this folder, which is also used for data that exceeds the memory."""
    for name, value in (
        ("TimeZone", "UTC"),
        ("temp_directory", str(folder)),
        ("home_directory", str(folder)),
        ("extension_directory", str(folder)),
        ("allowed_directories", [str(folder)]),
        ("allowed_paths", [str(file)]),
        ("memory_limit", f"{memory}B"),
        ("threads", threads),
        ("enable_external_access", False),
        ("lock_configuration", True),
    ):
        connection.execute(f"SET {name} = {literal(value)}")


def quoted(name: str) -> str:
    """A quoted name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A text, number, truth value, list or mapping as SQL."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(name)}: {literal(each)}" for name, each in value.items()) + "}"
    return "'" + str(value).replace("'", "''") + "'"


def call(function: str, path: Path, **options: Any) -> str:
    """A table function over a file, with its options."""
    return (
        f"{function}({', '.join([literal(path), *(f'{name} = {literal(value)}' for name, value in options.items())])})"
    )


def count(connection: duckdb.DuckDBPyConnection, relation: str) -> int:
    """The number of rows of a relation."""
    return int((connection.execute(f"SELECT count(*) FROM {relation}").fetchone() or (0,))[0])

"""DuckDB as the reading process uses it: a connection that reaches the given paths only, and SQL that is quoted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from graphwright.files.notes import Note


@dataclass
class TableSource:
    """A table as DuckDB can read it. `relation` is the SQL of what stands after FROM, `size` about its bytes of text.

    `names` are those of its columns where the file has better ones than the relation. `untyped`: text columns may hold
    numbers and dates, with numbers in that `style`. `zones` are the time zones or offsets in the file, by column.
    `separator` is that of its cells in a text file, `texts` the relation with all columns as they are written.
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
    """A connection to an empty database in memory, without threads of its own: the process can still be confined.

    It looks at the system once, which a confined process could not, and never loads an extension.
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
    """Let the connection open this file and this folder only; what does not fit into memory goes to the folder."""
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
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A text, number, truth value, list or mapping as SQL has it."""
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
    """How many rows a relation has."""
    return int((connection.execute(f"SELECT count(*) FROM {relation}").fetchone() or (0,))[0])

"""DuckDB as the reading process uses it: one connection that reaches the given paths only, and SQL that is quoted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb


@dataclass
class Found:
    """A table as DuckDB can read it: `source` is a relation in SQL.

    `names` are those of its columns where the file has better ones than the relation. With `written` its text is how
    numbers and dates were written, so that text columns are looked at again, with numbers in that `style`. `size` is
    about how many bytes of text the table has, `row_size` how many the first rows have each, 0 where that is not known,
    `rejects` whether rows that cannot be read are left out.
    """

    table: str
    source: str
    size: int
    names: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    written: bool = False
    style: tuple[str, str] = (".", "")
    rejects: bool = False
    row_size: float = 0.0


def started() -> duckdb.DuckDBPyConnection:
    """A connection to an empty database in memory, without threads of its own: a process can still be confined.

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


def settled(
    connection: duckdb.DuckDBPyConnection, folder: Path, threads: int, memory: int, paths: Iterable[Path]
) -> None:
    """Let the connection open files in these places only, and write what does not fit into memory to the folder."""
    for name, value in (
        ("TimeZone", "UTC"),
        ("temp_directory", str(folder)),
        ("home_directory", str(folder)),
        ("extension_directory", str(folder)),
        ("allowed_directories", [str(folder)]),
        ("allowed_paths", [str(path) for path in paths]),
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


def call(function: str, path: Path, options: Mapping[str, Any]) -> str:
    """A table function over a file, with its options."""
    return (
        f"{function}({', '.join([literal(path), *(f'{name} = {literal(value)}' for name, value in options.items())])})"
    )


def count(connection: duckdb.DuckDBPyConnection, source: str) -> int:
    """How many rows a relation has."""
    row = connection.execute(f"SELECT count(*) FROM {source}").fetchone()
    return int(row[0]) if row else 0

"""The data that an execution was given, as data frames. They come as open files: in here there is no path to them."""

from __future__ import annotations

import mmap
import os
from typing import Any

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
"""What the ending of a file's name says of its content."""


class Unreadable(Exception):
    """A file does not hold what its name says. The message names the data set, and says why."""


def frame(name: str, format: str, descriptor: int) -> Any:
    """The data frame in this file, which is closed afterwards. Raises Unreadable; MemoryError passes through."""
    try:
        with os.fdopen(descriptor, "rb") as file:
            return _frame(format, file)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise Unreadable(f"The data set {name!r} cannot be read as {format}: {said[:500]}") from None


def _frame(format: str, file: Any) -> Any:
    import pandas as pd

    match format:
        case "parquet":
            return pd.read_parquet(file)
        case "arrow":
            return _arrow(file)
        case "csv":
            return pd.read_csv(file)
        case "tsv":
            return pd.read_csv(file, sep="\t")
        case "json":
            return pd.read_json(file)
        case "jsonl":
            return pd.read_json(file, lines=True)
    raise ValueError("no such format")


def _arrow(file: Any) -> Any:
    import pyarrow as pa
    from pyarrow import ipc

    content = pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    opened = ipc.open_file if content.slice(0, 6).to_pybytes() == b"ARROW1" else ipc.open_stream
    table = opened(content).read_all()
    table.validate(full=True)
    return table.to_pandas()

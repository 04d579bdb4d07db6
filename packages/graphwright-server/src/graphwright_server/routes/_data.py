"""The contents of the data files of a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query

from graphwright.errors import GraphwrightError
from graphwright.store.home import thread_folder
from graphwright_server.access.gate import Viewer
from graphwright_server.service import ServiceState
from graphwright_server.shapes._files import DataSets

router = APIRouter(tags=["data"])


@router.get("/threads/{id}/datasets")
async def list_datasets(
    principal: Viewer, service: ServiceState, id: str, rows: Annotated[int, Query(ge=0, le=200)] = 20
) -> DataSets:
    """The data sets in the files of a thread, each with the profile of its columns and its first rows.

    A file without a data set is listed with the reason.
    """
    await service.thread(id, principal)
    files = await service.workspace.files(id)
    cache = thread_folder(service.workspace.folder, id) / "data"
    items = [
        {**each, "sha256": file.sha256}
        for file in files
        for each in await asyncio.to_thread(_datasets, file.path, file.title, cache, rows)
    ]
    return DataSets.model_validate({"items": items, "next": None})


def _datasets(path: Path, title: str, cache: Path, rows: int) -> list[dict[str, Any]]:
    from graphwright_files import Dataset, open_datasets

    def dataset_json(each: Dataset) -> dict[str, Any]:
        bins = _bins(each.parquet, [column.name for column in each.columns if column.type in _NUMBERS]) if rows else {}
        columns = [
            {
                "name": column.name,
                "type": column.type,
                "missing": column.missing,
                "distinct": column.distinct,
                "low": _plain(column.low),
                "high": _plain(column.high),
                "mean": column.mean,
                "median": column.median,
                "top": [[_plain(value), count] for value, count in column.top],
                "bins": bins.get(column.name, []),
            }
            for column in each.columns
        ]
        about = {"id": each.id, "name": each.name, "file": title, "rows": each.rows_there}
        notes = [{**note._asdict(), "text": note.text} for note in each.notes]
        return {**about, "notes": notes, "columns": columns, "head": _head(each.parquet, rows)}

    try:
        return [dataset_json(each) for each in open_datasets([path], cache)]
    except GraphwrightError as error:
        return [{"file": title, "problem": {"code": error.code, "detail": error.message, "hint": error.hint}}]


_NUMBERS = ("integer", "number")
_BINS = 16
_MOST_BINNED = 1_000_000  # rows


def _bins(parquet: Path, names: Sequence[str]) -> dict[str, list[int]]:
    """Return how many values of each column are in parts of the same width between its lowest and its highest value."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    file = pq.ParquetFile(parquet)
    if not names or file.metadata.num_rows > _MOST_BINNED:
        return {}
    bins = {}
    for name in names:
        values = pc.cast(file.read([name]).column(0), pa.float64(), safe=False).drop_null()
        values = values.filter(pc.is_finite(values))
        low, high = (pc.min_max(values)[end].as_py() for end in ("min", "max"))
        if low is None or not 0 < high - low < float("inf"):
            continue
        parts = pc.multiply(pc.divide(pc.subtract(values, low), high - low), _BINS)
        places = pc.cast(pc.min_element_wise(pc.floor(parts), _BINS - 1), pa.int32())
        counts = {each["values"].as_py(): each["counts"].as_py() for each in pc.value_counts(places)}
        bins[name] = [counts.get(place, 0) for place in range(_BINS)]
    return bins


def _head(parquet: Path, rows: int) -> list[dict[str, Any]]:
    """Return the first rows of a data set, as JSON."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(parquet)
    for batch in file.iter_batches(batch_size=max(rows, 1)):
        return [{name: _plain(value) for name, value in row.items()} for row in batch.slice(0, rows).to_pylist()]
    return []


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value - value != 0:
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)

"""The contents of the data files of a thread."""

from __future__ import annotations

import asyncio
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
    items = [each for file in files for each in await asyncio.to_thread(_datasets, file.path, file.title, cache, rows)]
    return DataSets.model_validate({"items": items, "next": None})


def _datasets(path: Path, title: str, cache: Path, rows: int) -> list[dict[str, Any]]:
    from graphwright_files import Dataset, open_datasets

    def dataset_json(each: Dataset) -> dict[str, Any]:
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

"""A place to work on one question: a fresh data folder, and the files that the question is about."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eval.data_scientist.cases import Case
from eval.data_scientist.tables import written
from graphwright.config import without_file


@contextmanager
def workspace(case: Case) -> Iterator[tuple[Path, list[Path]]]:
    """The data folder and the files. Inside, no configuration file holds."""
    with without_file(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        given = Path(folder) / "files"
        given.mkdir()
        yield Path(folder) / "home", written(case.data, given)

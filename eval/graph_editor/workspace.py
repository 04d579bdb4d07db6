"""A place to work on one goal: a fresh data folder whose graph holds what the goal is about."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eval.graph_editor.graphs import State
from graphwright.config import without_file
from graphwright.graphstore import GraphStore, open_graph

_VARIABLE = "GRAPHWRIGHT_GRAPH"


@contextmanager
def workspace(state: State) -> Iterator[tuple[Path, GraphStore]]:
    """The folder and its graph. Inside, neither environment nor configuration file point to any other graph."""
    chosen = os.environ.pop(_VARIABLE, None)
    try:
        with without_file(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            store = open_graph(Path(folder))
            try:
                store.load(state.values(), text="the graph of a goal")
                yield Path(folder), store
            finally:
                store.close()
    finally:
        if chosen is not None:
            os.environ[_VARIABLE] = chosen

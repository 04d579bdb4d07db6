"""Layers: documents that extend others are merged by id into one plain document, with the origin of every value."""

from __future__ import annotations

from typing import Any

from graphwright.flow._allocation import all_kept
from graphwright.flow._source import Path, Reporter, pointer
from graphwright.flow.diagnostics import Diagnostic
from graphwright.flow.layers._conflicts import Conflict, place_json, report
from graphwright.flow.layers._faults import Merged, at_fault
from graphwright.flow.layers._merging import Merge
from graphwright.flow.layers._reading import Layers, Read, layer_name, read_layers, read_stack
from graphwright.flow.layers._strategies import DEFAULTS
from graphwright.flow.layers._tree import MergedSource
from graphwright.flow.layers._writing import MARK, document_text

__all__ = [
    "DEFAULTS",
    "MARK",
    "Conflict",
    "Layers",
    "Merged",
    "Read",
    "at_fault",
    "document_text",
    "layer_name",
    "merge",
    "origins",
    "read_layers",
    "read_stack",
    "report",
]


def merge(layers: Layers) -> Merged:
    """Merge layers that were read without an error, lowest first."""
    with all_kept():
        return _merged(layers)


def _merged(layers: Layers) -> Merged:
    # Imported late: pydantic takes longer to load than the language itself.
    from graphwright.flow.layers._layer_document import layer_model

    merging = Merge(layers.sources[0])
    found: list[Diagnostic] = []
    for source in layers.sources:
        out = Reporter(source, source.remarks())
        merging.add(source, layer_model().checked(source.data, out))
        found += out.found
    data, root = merging.root.built()
    return Merged(MergedSource(data, root), merging.conflicts, (*found, *merging.found), tuple(merging.removals))


def origins(merged: Merged) -> dict[str, dict[str, Any]]:
    """The layer, file, line and column of every value of the document, by its JSON pointer."""
    found: dict[str, dict[str, Any]] = {}
    stack: list[tuple[Path, Any]] = [((), merged.document)]
    while stack:
        path, value = stack.pop()
        found[pointer(path)] = place_json(*merged.source.origin(path)[:2])
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        stack += [((*path, step), item) for step, item in reversed(list(items))]
    return found

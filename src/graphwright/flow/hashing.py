"""The hash of a flow document: equal for documents that mean the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def document_hash(document: Mapping[str, Any]) -> str:
    """The SHA-256 of what a document means: `ui` fields and the order of fields do not change it."""
    bare = _bare_graph(document)
    if "subgraphs" in bare:
        bare["subgraphs"] = {name: _bare_graph(graph) for name, graph in bare["subgraphs"].items()}
    text = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _bare_graph(graph: Mapping[str, Any]) -> dict[str, Any]:
    bare = {**_without_ui(graph)}
    for part in ("nodes", "edges"):
        if part in bare:
            bare[part] = [_without_ui(item) for item in bare[part]]
    return bare


def _without_ui(record: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in record.items() if name != "ui"} if "ui" in record else record

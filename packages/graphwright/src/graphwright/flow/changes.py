"""Which parts of a flow document differ from those of another version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphwright.text.sentences import bounded

_MOST = 4
_GRAPH = ("nodes", "edges", "subgraphs")


def changes_text(before: Mapping[str, Any], after: Mapping[str, Any], *, first: str = "") -> str:
    """The parts that were changed, removed and added, for people: `changed: q.size, field state; removed: q.old`.

    A part is a node with the edges that leave it, a field of the document or of a subgraph. The node `first`, if it is
    among them, is named first. Empty if the documents are equal.
    """
    old, new = dict(_parts(before)), dict(_parts(after))
    kinds = {
        "changed": [name for name in old if name in new and old[name] != new[name]],
        "removed": [name for name in old if name not in new],
        "added": [name for name in new if name not in old],
    }
    found = "; ".join(
        f"{kind}: {bounded(sorted(names, key=lambda name: name != first), _MOST)}"
        for kind, names in kinds.items()
        if names
    )
    return found or ("" if before == after else "the order of nodes or edges")


def _parts(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, graph in (("", document), *document.get("subgraphs", {}).items()):
        for node in graph["nodes"]:
            yield node["id"], (node, [edge for edge in graph["edges"] if edge["from"] == node["id"]])
        where = f" of subgraph {name}" if name else ""
        yield from ((f"field {field}{where}", value) for field, value in graph.items() if field not in _GRAPH)

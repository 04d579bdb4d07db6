"""One change at a time: what its questions offer, and the call that the answers come to. No model is asked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.graphstore import GraphStore, Node
from graphwright.graphstore.wording import element_text, name_text

MOST_OFFERED = 20
"""Nodes, edges, labels or properties that a question offers."""

OTHER, ENOUGH = "", "-"
"""The values of the options for something else, and for nothing more; neither can be the name of a property."""

Options = list[dict[str, str]]


def _options(values: Sequence[str], other: str = "", enough: str = "") -> Options:
    """Options for these values, and with these titles one for something else and one for nothing more."""
    listed = [{"value": value, "title": value} for value in values[:MOST_OFFERED]]
    more = ((OTHER, other), (ENOUGH, enough))
    return listed + [{"value": value, "title": title} for value, title in more if title]


def begun(store: GraphStore) -> dict[str, Any]:
    """The labels and types that there are, and a draft that says whether all nodes can be offered."""
    schema = store.schema()
    return {
        "labels": _options([one.label for one in schema.labels], other="another label"),
        "types": _options([one.type for one in schema.types], other="another type of edge"),
        "draft": {"small": sum(one.count for one in schema.labels) <= MOST_OFFERED, "values": {}, "said": []},
    }


def found(store: GraphStore, words: str) -> Options:
    """The nodes that words mean: those with this very key, else what a search finds; without words the first ones."""
    if words:
        nodes = list(store.search(words, most=MOST_OFFERED))
        nodes = [node for node in nodes if node.key == words.strip()] or nodes
    else:
        rows = store.read("MATCH (n) RETURN n ORDER BY n.key", max_rows=MOST_OFFERED).rows
        nodes = [Node(**row[0]) for row in rows]
    offered = [{"value": json.dumps([n.label, n.key], ensure_ascii=False), "title": element_text(n)} for n in nodes]
    return [*offered, {"value": OTHER, "title": "none of these"}]


def edges_of(store: GraphStore, node: str) -> Options:
    """The node itself, and its edges: what can be deleted."""
    label, key = json.loads(node)
    edges = store.edges(key, label, most=MOST_OFFERED)
    offered = [{"value": json.dumps(each.identity[1:], ensure_ascii=False), "title": name_text(each)} for each in edges]
    return [{"value": OTHER, "title": "the node, with all its edges"}, *offered]


def properties_of(store: GraphStore, answers: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
    """The properties that nodes of the label have, as options, and their kinds in the draft."""
    change = answers["change"]
    label = label_of(answers) if change in ("add", "look_up") else json.loads(answers["node"])[0]
    kinds = next((one.properties for one in store.schema().labels if one.label == label), {})
    enough = {"add": "nothing more", "look_up": "no condition: all of them"}.get(change, "")
    offered = _options(list(kinds), other="" if change == "look_up" else "another property", enough=enough)
    return {"properties": offered, "draft": {**draft, "kinds": {name: list(each) for name, each in kinds.items()}}}


def with_property(answers: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
    """The draft with the property and the value that the user gave."""
    name = answers["property"] if answers["property"] != OTHER else answers["new_property"].strip()
    value = _typed(answers["value"].strip(), draft["kinds"].get(name, ()))
    return {**draft, "values": {**draft["values"], name: value}, "said": [*draft["said"], answers["value"]]}


def _typed(text: str, kinds: Sequence[str]) -> Any:
    """The value that a reply as a whole is: a number, true or false where the property takes these, else a text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    kind = "boolean" if isinstance(value, bool) else "number" if isinstance(value, int | float) else ""
    fits = kind and (not kinds or kind in kinds) and math.isfinite(value)
    return value if fits else text


def label_of(answers: Mapping[str, Any]) -> str:
    """The label that was chosen or named."""
    return str(answers["label"] or answers["new_label"].strip())


def call_of(answers: Mapping[str, Any], values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The tool and the arguments that the answers come to."""
    change = answers["change"]
    if change == "add":
        return "add_node", {"label": label_of(answers), "key": answers["key"].strip(), "properties": values}
    if change == "look_up":
        return "query_graph", {"label": label_of(answers), "where": values}
    label, key = json.loads(answers["node"])
    if change == "change":
        return "update_props", {"label": label, "key": key, "properties": values}
    if change == "connect":
        other_label, other_key = json.loads(answers["other"])
        kind = answers["type"] if answers["type"] != OTHER else answers["new_type"].strip()
        ends = {"from_label": label, "from_key": key, "to_label": other_label, "to_key": other_key}
        return "add_edge", {**ends, "type": kind}
    if answers["edge"] == OTHER:
        return "delete_node", {"label": label, "key": key}
    names = ("from_label", "from_key", "type", "to_label", "to_key")
    return "delete_edge", dict(zip(names, json.loads(answers["edge"]), strict=True))

"""The property that names the nodes of a label, chosen from the data, and the names of nodes for texts."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from graphwright.text.folding import normalised
from graphwright_graph._elements import Change, Edge, Element, Node, Schema
from graphwright_graph._errors import NotFound
from graphwright_graph._port import GraphStore

Identity: TypeAlias = tuple[str, str]
"""Label and key of a node."""

SAMPLE = 200
"""The number of nodes of a label that are examined."""

MOST_LABELS = 60
MOST_NAMED_NODES = 1000
LONGEST_NAME = 100
_LEAST, _FEWEST_LETTERS = 0.6, 0.25
"""The minimum proportion of a label's nodes with the property, of distinct values, and of letters in them.

A text with fewer letters, such as the number of a flat, names nodes only as a last resort.
"""

_FEW = 4
_TOKEN = re.compile(r"[a-z0-9_-]+")
"""A value such as `in_progress`: for few nodes, such values are as distinct as names."""

_schemas: OrderedDict[tuple[str, int], Schema] = OrderedDict()
_samples: OrderedDict[tuple[str, int], dict[str, list[Node]]] = OrderedDict()
"""The latest schemas and samples, by graph and version."""

T = TypeVar("T")


def known_schema(store: GraphStore) -> Schema:
    """The schema of the graph, read once for each version."""
    return _kept(_schemas, store, lambda: store.schema())


def naming_properties(store: GraphStore, new: Iterable[Node] = ()) -> dict[str, str]:
    """The property that names the nodes of a label, by label; labels without one are left out.

    It is a short text, preferably of letters, that nearly all nodes of the label have, and that is different for nearly
    all of them. Among several, one that also names other labels is preferred, then the longer one. `new` are nodes to
    be created.
    """
    kept = _kept(_samples, store, lambda: _read_samples(store))
    samples = {label: list(nodes) for label, nodes in kept.items()}
    for node in new:
        samples.setdefault(node.label, []).append(node)
    qualities = {label: _qualities(nodes) for label, nodes in samples.items()}
    shared = Counter(name for found in qualities.values() for name in found)
    return {
        label: max(found, key=lambda name: (*found[name][:2], shared[name], found[name][2], name))
        for label, found in qualities.items()
        if found
    }


def nodes_of(store: GraphStore, identities: Iterable[Identity]) -> dict[Identity, Node]:
    """The existing nodes with these labels and keys; only the first ones if there are very many."""
    found = dict[Identity, Node]()
    for label, key in islice(dict.fromkeys(identities), MOST_NAMED_NODES):
        with suppress(NotFound):
            found[label, key] = store.node(key, label)
    return found


def nodes_in(store: GraphStore, changes: Sequence[Change]) -> dict[Identity, Node]:
    """The nodes of changes, including ends of edges: as they were before, or as they are created."""
    touched = [change.before or change.element for change in changes]
    own = {(each.label, each.key): each for each in touched if isinstance(each, Node)}
    ends = [end for each in touched for end in _identities(each)]
    return {**nodes_of(store, (each for each in ends if each not in own)), **own}


def names_of(store: GraphStore, nodes: Mapping[Identity, Node]) -> dict[Identity, str]:
    """The names of these nodes. A name that only repeats the key is left out."""
    by_label = naming_properties(store, nodes.values())
    found = {each: node.properties.get(by_label.get(node.label, "")) for each, node in nodes.items()}
    return {
        each: name
        for each, name in found.items()
        if isinstance(name, str) and name.strip() and normalised(name) != normalised(each[1])
    }


def names_in_changes(store: GraphStore, changes: Sequence[Change]) -> dict[Identity, str]:
    """The names of all nodes of changes."""
    return names_of(store, nodes_in(store, changes))


def names_in_rows(store: GraphStore, rows: Iterable[Sequence[Any]]) -> dict[Identity, str]:
    """The names of the nodes at the ends of the edges in the cells of a result."""
    ends = [end for row in rows for cell in row for end in _ends_in(cell)]
    return names_of(store, nodes_of(store, ends)) if ends else {}


def _ends_in(cell: Any) -> Iterable[Identity]:
    if isinstance(cell, dict):
        if {"from_label", "from_key", "type", "to_label", "to_key"} <= cell.keys():
            yield cell["from_label"], cell["from_key"]
            yield cell["to_label"], cell["to_key"]
        cell = list(cell.values())
    for each in cell if isinstance(cell, list) else ():
        yield from _ends_in(each)


def _identities(element: Element) -> tuple[Identity, ...]:
    ends = element.ends if isinstance(element, Edge) else (element,)
    return tuple((end.label, end.key) for end in ends)


def _read_samples(store: GraphStore) -> dict[str, list[Node]]:
    labels = [one.label for one in known_schema(store).labels[:MOST_LABELS]]
    rows = ((label, store.read(f"MATCH (n:`{label}`) RETURN n LIMIT {SAMPLE}").rows) for label in labels)
    return {label: [Node(**row[0]) for row in found] for label, found in rows}


def _kept(kept: OrderedDict[tuple[str, int], T], store: GraphStore, read: Callable[[], T]) -> T:
    place = (store.name, store.version())
    if place not in kept:
        kept[place] = read()
        if len(kept) > 4:
            kept.popitem(last=False)
    return kept[place]


def _qualities(nodes: Sequence[Node]) -> dict[str, tuple[bool, float, float]]:
    """The properties that may name these nodes: whether of letters, quality in tenths, mean length of values."""
    found = dict[str, tuple[bool, float, float]]()
    for name in dict.fromkeys(name for node in nodes for name in node.properties):
        values = [node.properties[name] for node in nodes if name in node.properties]
        texts = [value for value in values if isinstance(value, str) and 0 < len(value) <= LONGEST_NAME]
        if not texts or any("\n" in text for text in texts):
            continue
        coverage, different = len(texts) / len(nodes), len({normalised(text) for text in texts}) / len(texts)
        length = sum(map(len, texts)) / len(texts)
        letters = sum(sign.isalpha() or sign == " " for text in texts for sign in text) / (length * len(texts))
        few_tokens = len(nodes) < _FEW and all(map(_TOKEN.fullmatch, texts))
        if min(coverage, different) >= _LEAST and letters >= _FEWEST_LETTERS and length >= 2 and not few_tokens:
            found[name] = letters >= _LEAST, round(coverage * different, 1), length
    return found

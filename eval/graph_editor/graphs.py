"""The graphs that goals are about: read from JSON, as states that can be changed and compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from graphwright.errors import UsageError
from graphwright.graphstore.elements import Change, Edge, Element, Node, element

Identity: TypeAlias = tuple[str, ...]
State: TypeAlias = dict[Identity, Element]
"""A whole graph: its elements by identity, nodes first."""

_NODE = re.compile(r"(?P<label>\w+)/(?P<key>.+)\Z")
_EDGE = re.compile(r"(?P<from_label>\w+)/(?P<from_key>\S+) (?P<type>\w+) (?P<to_label>\w+)/(?P<to_key>\S+)\Z")


def read_graph(folder: Path, name: str) -> State:
    """The graph `graphs/NAME.json`. Raises UsageError naming what cannot be read."""
    file = folder / "graphs" / f"{name}.json"
    try:
        data = json.loads(file.read_text("utf-8"))
        return state_of(element(each) for each in [*data["nodes"], *data["edges"]])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError("bad_case", f"the graph {file} cannot be read: {error}", "Mend the file.") from error


def state_of(elements: Iterable[Element]) -> State:
    """The state that these elements are."""
    return {each.identity: each for each in elements}


def difference(before: State, after: State) -> list[Change]:
    """What has to be done to come from one state to the other, sorted by identity."""
    return [
        Change(before.get(identity), after.get(identity))
        for identity in sorted({**before, **after})
        if before.get(identity) != after.get(identity)
    ]


def named(name: str, properties: Mapping[str, Any] | None = None) -> Element:
    """The element that goals write as `Label/key`, or `Label/key TYPE Label/key`. Raises ValueError."""
    found = _EDGE.match(name) or _NODE.match(name)
    if found is None:
        raise ValueError(f"{name!r} is neither Label/key nor Label/key TYPE Label/key")
    return element({**found.groupdict(), "properties": dict(properties or {})})


def gone_with(state: State, identity: Identity) -> list[Identity]:
    """What goes when an element is deleted: itself, and the edges of a node."""
    gone = state[identity]
    if isinstance(gone, Edge):
        return [identity]
    end = (gone.label, gone.key)
    ends = {i: ((e.from_label, e.from_key), (e.to_label, e.to_key)) for i, e in state.items() if isinstance(e, Edge)}
    return [identity, *(i for i, both in ends.items() if end in both)]


def require_ends(state: State) -> None:
    """Raise ValueError for an edge without its two nodes."""
    for each in state.values():
        if isinstance(each, Edge):
            for end in (Node(each.from_label, each.from_key), Node(each.to_label, each.to_key)):
                if end.identity not in state:
                    raise ValueError(f"{each.name}: there is no {end.name}")

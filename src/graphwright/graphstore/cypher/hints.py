"""Names in a query that the graph does not have, and the nearest that it has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphwright.flow.names import Names, listed
from graphwright.graphstore.cypher.parsed import Parsed
from graphwright.graphstore.elements import KEY, Schema


def explain_names(parsed: Parsed, schema: Schema) -> list[str]:
    """A line for each label, type and property that does not exist: "label `Tickt` does not exist; did you mean ...?"

    A query that writes may well name new ones; then the lines say what it would bring in.
    """
    held = [*(label.properties for label in schema.labels), *(type.properties for type in schema.types)]
    properties = sorted({KEY}.union(*held))
    return [
        *_unknown("label", "labels", parsed.labels, [label.label for label in schema.labels]),
        *_unknown("type", "types", parsed.types, [type.type for type in schema.types]),
        *_unknown("property", "properties", parsed.properties, properties),
    ]


def _unknown(one: str, all: str, used: Iterable[str], known: Sequence[str]) -> Iterable[str]:
    names = Names(known)
    for name in used:
        if name not in known:
            near = names.nearest(name)
            otherwise = f"there are {listed(known)}" if known else f"there are no {all} yet"
            yield f"{one} `{name}` does not exist; " + (f"did you mean `{near}`?" if near else otherwise)

"""Ways over several edges of the schema, from one label to another."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from graphwright.agents.graph_editor.words import same_stem
from graphwright.graphstore import Schema

MOST_HOPS = 4
"""Edges of the longest way: a question in words hardly means a longer one."""


@dataclass(frozen=True, slots=True)
class Hop:
    """An edge of a way: its type, which way it points, and the label it leads to."""

    type: str
    outgoing: bool
    label: str


Way = tuple[Hop, ...]


def way(
    schema: Schema, start: str, end: str, *, through: Collection[str] = (), words: Collection[str] = ()
) -> Way | None:
    """The one way from a label to another that leads through most of the labels `through`; None where there is none.

    Among such ways the shortest counts, then the one whose edge types have most of the `words` in their names; where
    several are left, none is sure.
    """
    ways = list(_ways(schema, start, end))
    ranked = [
        (
            -len({hop.label for hop in found[:-1]} & set(through)),
            len(found),
            -sum(any(same_stem(part, word) for word in words) for h in found for part in h.type.casefold().split("_")),
        )
        for found in ways
    ]
    best = [found for found, rank in zip(ways, ranked, strict=True) if rank == min(ranked)]
    return best[0] if len(best) == 1 else None


def _ways(schema: Schema, start: str, end: str) -> Iterator[Way]:
    hops: dict[str, list[Hop]] = {}
    for kind in schema.types:
        for source, target in kind.joins:
            hops.setdefault(source, []).append(Hop(kind.type, True, target))
            hops.setdefault(target, []).append(Hop(kind.type, False, source))

    def onwards(before: Way, seen: frozenset[str]) -> Iterator[Way]:
        at = before[-1].label if before else start
        for hop in hops.get(at, ()):
            if hop.label == end:
                yield (*before, hop)
            elif hop.label not in seen and len(before) + 1 < MOST_HOPS:
                yield from onwards((*before, hop), seen | {hop.label})

    yield from onwards((), frozenset([start]))

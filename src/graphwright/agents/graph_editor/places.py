"""Where in a request things stand: its clauses and sentences, and the places of names, values and nodes in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from graphwright.agents.graph_editor.evidence import DIGITS, NUMBERS, Evidence, numbers_in
from graphwright.agents.graph_editor.mentions import CLAUSE, SENTENCE
from graphwright.agents.graph_editor.words import QUOTED, tokens
from graphwright.graphstore import Node

MOST_LETTERS = 200
"""Of a value that is looked for: a longer one is no word of a clause."""


class Place(NamedTuple):
    """A stretch of a text."""

    start: int
    end: int

    def meets(self, other: Place) -> bool:
        return self.start < other.end and other.start < self.end


@lru_cache(maxsize=64)
def quotes(text: str) -> tuple[Place, ...]:
    """What stands in quotes, with them."""
    return tuple(Place(*found.span()) for found in QUOTED.finditer(text))


@lru_cache(maxsize=64)
def clauses_of(text: str) -> tuple[Place, ...]:
    """The clauses of a text; what stands in quotes is not divided."""
    kept = quotes(text)
    cuts = [cut.span() for cut in CLAUSE.finditer(text) if not any(q.start < cut.start() < q.end for q in kept)]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return tuple(Place(start, end) for start, end in zip(starts, ends, strict=True) if start < end)


@lru_cache(maxsize=64)
def sentences_of(text: str) -> tuple[Place, ...]:
    """The sentences of a text; what stands in quotes is not divided."""
    kept = quotes(text)
    ends = [f.end() for f in SENTENCE.finditer(text) if not any(q.start < f.end() < q.end for q in kept)]
    starts = [0, *ends]
    return tuple(Place(start, end) for start, end in zip(starts, [*ends, len(text)], strict=True) if start < end)


def around(place: Place, parts: tuple[Place, ...]) -> int:
    """Which of these parts a place begins in, by number."""
    return max(0, bisect_right([part.start for part in parts], place.start) - 1)


@lru_cache(maxsize=512)
def words_at(words: str, text: str) -> tuple[Place, ...]:
    """Where the text has these words, whatever stands between them and whatever the case; a plural counts."""
    parts = tokens(words.replace("_", " "))
    if not parts or len(words) > MOST_LETTERS:
        return ()
    pattern = r"[\W_]*".join(re.escape(part) for part in parts)
    edges = (
        (r"(?<![^\W_])(?<![^\W_]['’])", r"(?:['’]?s)?(?![^\W_])") if pattern.isascii() or len(words) > 1 else ("", "")
    )
    if re.search(r"[\u3040-\u9fff]", text):
        edges = ("", "")
    return tuple(Place(*found.span()) for found in re.finditer(edges[0] + pattern + edges[1], text, re.IGNORECASE))


def value_at(value: Any, text: str) -> tuple[Place, ...]:
    """Where the text says a value; a list where it says its items. Nowhere for what it only implies."""
    match value:
        case bool() | None:
            return ()
        case int() | float():
            digits = (f for f in DIGITS.finditer(text) if any(_same(n, value) for n in numbers_in(f.group())))
            spoken = (f for f in re.finditer(r"[^\W\d_]+", text) if NUMBERS.get(f.group().casefold()) == value)
            return tuple(Place(*found.span()) for found in (*digits, *spoken))
        case list():
            return tuple(place for item in value for place in value_at(item, text))
        case str():
            return words_at(value, text) or _literally(value, text)
    return ()


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(1.0, abs(one), abs(other))


def _literally(value: str, text: str) -> tuple[Place, ...]:
    return tuple(Place(*found.span()) for found in re.finditer(re.escape(value), text)) if value else ()


def names_of(node: Node) -> tuple[str, ...]:
    """What a node is called: its key, and its name or title."""
    return (node.key, *(str(node.properties[name]) for name in ("name", "title") if node.properties.get(name)))


def node_at(node: Node, evidence: Evidence) -> tuple[Place, ...]:
    """Where a request names a node: by its key or name, else by the part of its name that no other has."""
    whole = tuple(place for name in names_of(node) for place in words_at(name, evidence.text))
    if whole or node not in evidence.mentions.partly:
        return whole
    described = tuple(Place(each.start, each.end) for each in evidence.described if each.node == node)
    if described:
        return described
    parts = [token for name in names_of(node)[1:] for token in tokens(name) if len(token) > 2]
    return tuple(place for part in parts for place in words_at(part, evidence.text))


def named_at(evidence: Evidence) -> list[tuple[Place, Node]]:
    """Where the request names nodes, outside of quotes; a name inside a longer one is none of its own."""
    found = [(p, n) for n in (*evidence.mentions.nodes, *evidence.mentions.partly) for p in node_at(n, evidence)]
    inside = quotes(evidence.text)
    free = [(p, n) for p, n in found if not any(q.start < p.start and p.end < q.end - 1 for q in inside)]
    whole = [(p, n) for p, n in free if not any(o != p and o.start <= p.start and p.end <= o.end for o, _ in free)]
    # A key that is the name as well is found by both.
    once = {(place, node.identity): (place, node) for place, node in whole}
    return [once[each] for each in sorted(once)]


def things(evidence: Evidence, *more: str) -> dict[str, tuple[Place, ...]]:
    """What the request speaks of, by key, and where: the nodes of the graph, what looks like a key, and `more` keys."""
    found = {node.key: node_at(node, evidence) for node in (*evidence.mentions.nodes, *evidence.mentions.partly)}
    known = {place for places in found.values() for place in places}
    for key in (*evidence.mentions.keys, *more):
        places = tuple(p for p in words_at(key, evidence.text) if not any(p.meets(other) for other in known))
        if places and key not in found:
            found[key] = places
    return {key: places for key, places in found.items() if places}


def within(part: Place, named: dict[str, tuple[Place, ...]]) -> set[str]:
    """The keys of the things that are named in a part of the text."""
    return {key for key, places in named.items() if any(place.meets(part) for place in places)}


def first(places: Iterable[Place]) -> int:
    """Where the first of some places begins."""
    return min(place.start for place in places)

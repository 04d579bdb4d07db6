"""Which of the offered nodes a reply describes: "the younger one", "the one in room 302", "the second"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graphwright.agents.graph_editor.evidence import numbers_in, says_key, spelled
from graphwright.agents.graph_editor.words import SMALL, denies, has, is_question, listed, plain, tokens
from graphwright.graphstore import GraphError, GraphStore, Node

_ORDINALS = (
    listed("first, former, upper, top, erste, ersten, erster, erstere, premier, première, primero, primera"),
    listed("second, other one, zweite, zweiten, zweiter, deuxième, second, seconde, segundo, segunda"),
    listed("third, dritte, dritten, dritter, troisième, tercero, tercera"),
    listed("fourth, vierte, vierten, vierter, quatrième, cuarto, cuarta"),
)
_LAST = listed("last, latter, lower, bottom, letzte, letzten, letzter, letztere, dernier, dernière, último, última")

_AGE = ("born", "birth", "birthday", "dob")
_COMPARING: tuple[tuple[tuple[str, ...], Callable[[list[Any]], Any], tuple[str, ...]], ...] = (
    (listed("younger, youngest, jüngere, jüngeren, jüngste, plus jeune, más joven"), max, _AGE),
    (listed("older, oldest, elder, ältere, älteren, älteste, plus âgé, plus âgée, mayor"), min, _AGE),
    (listed("younger, youngest, jüngere, jüngeren"), min, ("age",)),
    (listed("older, oldest, elder, ältere, älteren"), max, ("age",)),
    (listed("heavier, heaviest, schwerere, schwereren, plus lourd, más pesado"), max, ("weight", "mass")),
    (listed("lighter, lightest, leichtere, leichteren, plus léger, más ligero"), min, ("weight", "mass")),
    (listed("cheaper, cheapest, billigere, günstigere, moins cher, más barato"), min, ("price", "cost")),
    (listed("dearer, more expensive, most expensive, teurere, plus cher, más caro"), max, ("price", "cost")),
    (
        listed("bigger, biggest, larger, largest, größere, größeren, plus grand, más grande"),
        max,
        ("size", "beds", "capacity", "seats", "quantity", "stock", "points"),
    ),
    (
        listed("smaller, smallest, kleinere, kleineren, plus petit, más pequeño"),
        min,
        ("size", "beds", "capacity", "seats", "quantity", "stock", "points"),
    ),
    (
        listed("newer, newest, later, latest, neuere, neueren, plus récent, más nuevo"),
        max,
        ("created", "date", "starts", "due", "since"),
    ),
    (
        listed("earlier, earliest, frühere, früheren, plus ancien, más antiguo"),
        min,
        ("created", "date", "starts", "due", "since"),
    ),
)
"""Words that compare, and the parts of the names of properties that they are about."""

MOST_LETTERS = 60
"""Of a value that a reply may repeat: a longer one is a text."""


def meant(reply: str, options: Sequence[Mapping[str, Any]], store: GraphStore) -> int | None:
    """The place of the one option whose node a reply describes, by its place in the list, its values, or its edges.

    None where it says "not", asks back, or fits no node or several of them: all that it says has to fit the same one.
    """
    nodes = _nodes(options, store)
    if len(nodes) < 2 or denies(reply) or is_question(reply):
        return None
    left = set(nodes)
    told = False
    for fitting in (*_by_place(reply, list(nodes)), *_described(reply, nodes, store)):
        if fitting and fitting < set(nodes):
            told = True
            left &= fitting
    return left.pop() if told and len(left) == 1 else None


def _nodes(options: Sequence[Mapping[str, Any]], store: GraphStore) -> dict[int, Node]:
    found = {}
    for place, option in enumerate(options):
        patch = option.get("patch") or {}
        if patch.get("key") and patch.get("label") and not option.get("agree"):
            try:
                found[place] = store.node(str(patch["key"]), str(patch["label"]))
            except GraphError:
                # It has been deleted since.
                continue
    return found


def _by_place(reply: str, places: list[int]) -> Iterator[set[int]]:
    for number, words in enumerate(_ORDINALS):
        if number < len(places) and any(has(reply, word) for word in words):
            yield {places[number]}
    if any(has(reply, word) for word in _LAST):
        yield {places[-1]}


def _described(reply: str, nodes: Mapping[int, Node], store: GraphStore) -> Iterator[set[int]]:
    yield {place for place, node in nodes.items() if says_key(node.key, reply)}
    names = sorted({name for node in nodes.values() for name in node.properties})
    amounts = set(numbers_in(reply))
    for name in names:
        values = {place: node.properties[name] for place, node in nodes.items() if name in node.properties}
        yield {place for place, value in values.items() if _says(value, amounts, reply)}
        yield from _compared(name, values, nodes, reply)
    yield from _beside(reply, nodes, store)


def _says(value: Any, amounts: set[float], reply: str) -> bool:
    match value:
        case bool():
            return False
        case int() | float():
            return float(value) in amounts
        case list():
            return any(_says(item, amounts, reply) for item in value)
        case str() if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
            # "born in 1986"
            return value in reply or re.search(rf"(?<![\w-]){value[:4]}(?![\w-])", reply) is not None
        case str():
            return len(value) <= MOST_LETTERS and plain(value) not in SMALL and spelled(value, reply)
    return False


def _compared(name: str, values: Mapping[int, Any], nodes: Mapping[int, Node], reply: str) -> Iterator[set[int]]:
    parts = set(tokens(name.replace("_", " ")))
    same_kind = len({type(value) for value in values.values()} - {int, float}) <= 1
    if set(values) != set(nodes) or not same_kind:
        return
    for words, chosen, about in _COMPARING:
        if parts & set(about) and any(has(reply, word) for word in words):
            try:
                end = chosen(list(values.values()))
            except TypeError:
                continue
            yield {place for place, value in values.items() if value == end}


def _beside(reply: str, nodes: Mapping[int, Node], store: GraphStore) -> Iterator[set[int]]:
    """The nodes that have an edge to what the reply names: "the one in cardiology", "Dr Vogt's"."""
    near: dict[str, set[int]] = {}
    for place, node in nodes.items():
        for edge in store.edges(node.key, node.label):
            ends = ((edge.from_label, edge.from_key), (edge.to_label, edge.to_key))
            for label, key in ends:
                if (label, key) != (node.label, node.key):
                    other = store.node(key, label)
                    called = [
                        key,
                        *(str(other.properties[n]) for n in ("name", "title", "city") if n in other.properties),
                    ]
                    for word in {token for each in called for token in tokens(each)} - SMALL:
                        if (len(word) > 2 or not word.isalpha()) and has(reply, word):
                            near.setdefault(word, set()).add(place)
    yield from near.values()

"""What a request says is to go, read by code: nodes in a list, or the edge between the two nodes that it names."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from graphwright.agents.graph_editor.evidence import Evidence
from graphwright.agents.graph_editor.mentions import key_like, names_type
from graphwright.agents.graph_editor.places import Place, named_at, names_of, quotes, sentences_of, words_at
from graphwright.agents.graph_editor.sound import Grounded
from graphwright.agents.graph_editor.words import (
    denies,
    forms,
    going_at,
    leaves_open,
    lets_go,
    listed,
    plain,
    supposes,
    tokens,
    writes_asked,
)
from graphwright.graphstore import Edge, Node

_TAKING = r"(?:remove|delete|drop|cut|erase|unlink|dissolve|undo|take\s+out|get\s+rid\s+of|entferne|lösche|trenne|löse)"
_ORDER = re.compile(rf"(?:please\s+|then\s+|and\s+|also\s+|bitte\s+)*{_TAKING}(?!\w)")
_JOINT = re.compile(
    r"[\s,;]*(?:(?:and|as well as|plus|und|sowie)\s+)?(?:(?:also|both|the|die|der|das|den)\s+)*", re.IGNORECASE
)
_CONNECTION = {
    *("connection", "link", "edge", "relation", "relationship", "tie", "entry"),
    *("verbindung", "verknüpfung", "beziehung", "kante", "zuordnung", "zuweisung"),
}
_LONGEST_TYPE_WORD = 4
"""Letters from which on a word with the stem of an edge type means it."""


def removals(evidence: Evidence) -> list[Grounded]:
    """The deletes that the request plainly says, in its order; each of them is shown before it is done.

    None of them where it asks, supposes, leaves anything open, or names what is to go together with something else.
    """
    text = evidence.text
    if evidence.only_asks or "delete" not in evidence.asked or supposes(text) or leaves_open(_said(text)):
        return []
    edge = removed_edge(evidence)
    if edge is not None:
        return [edge]
    found: dict[tuple[str, ...], Node] = {}
    for part in sentences_of(text):
        words = text[part.start : part.end].strip()
        if words.endswith(("?", "？")) or "delete" not in writes_asked(words):
            continue
        found |= {node.identity: node for node in _listed(part, evidence)}
    return [Grounded("delete_node", {"key": n.key, "label": n.label}, certain=False) for n in found.values()]


def _said(text: str) -> str:
    """The text without "may go", which leaves nothing open."""
    return re.sub(r"(?<!\w)may(?=\s+(?:\w+\s+)?(?:go|be)(?!\w))", " ", plain(text))


def _listed(part: Place, evidence: Evidence) -> list[Node]:
    """The nodes of a sentence that says nothing but that they are to go; none where any of it is not sure."""
    text = evidence.text
    words = plain(text[part.start : part.end])
    ordered = _ORDER.match(words) is not None
    if (denies(words) and not lets_go(words)) or not (ordered or lets_go(words)) or _speaks_of_edges(part, evidence):
        return []
    aside = _asides(part, text)
    named = [
        (place, node)
        for place, node in (*named_at(evidence), *_gone_at(evidence))
        if place.meets(part) and not any(place.meets(other) for other in aside)
    ]
    places = sorted({place for place, _ in named})
    if not places or any(q.meets(part) and not any(p.meets(q) for p in places) for q in quotes(text)):
        return []
    nodes = [_one([n for p, n in named if p == place], place, evidence) for place in places]
    if len(places) > 1 and not _is_list(places, evidence):
        return []
    unknown = {plain(key) for key in key_like(text[part.start : part.end])}
    unknown -= {plain(each) for node in nodes if node is not None for each in (node.key,)}
    if None in nodes or unknown:
        return []
    if set(_beside(part, places, aside, ordered=ordered, evidence=evidence)) - _PLAIN:
        # "Delete the tickets of APOLLO" means others than what it names.
        return []
    return [node for node in nodes if node is not None and node not in evidence.gone]


def _gone_at(evidence: Evidence) -> list[tuple[Place, Node]]:
    """Where the request names what this goal has deleted already: of a list, the others are still to go."""
    return [(p, node) for node in evidence.gone for name in names_of(node) for p in words_at(name, evidence.text)]


_PLAIN = frozenset(
    listed("""
        remove, delete, drop, cut, erase, take, get, rid, completely, entirely, altogether, so, both, as, well, the, a,
        an, please, pls, now, then, also, too, and, out, of, up, just, hi, hello, ok, okay, all, from, graph,
        entferne, lösche, bitte, und, sowie, auch, das, die, der, den
    """)
)
"""Words beside which it is the named node itself that is to go."""


def _asides(part: Place, text: str) -> list[Place]:
    """What a sentence says beside a name to tell which one is meant: ", the one about the typo,"."""
    told = re.compile(r",\s*(?:the one|which|that|who|whose|der|die|das)(?!\w)[^,.;!?]*,", re.IGNORECASE)
    return [Place(*found.span()) for found in told.finditer(text, part.start, part.end)]


def _one(named: list[Node], place: Place, evidence: Evidence) -> Node | None:
    """The node that is named at a place; of several the one whose label stands before it."""
    # One that is called by its key and by its name stands there twice.
    nodes = list({node.identity: node for node in named}.values())
    before = next(iter(reversed(tokens(evidence.text[: place.start]))), "")
    fitting = [node for node in nodes if plain(node.label) in forms(before)] if len(nodes) > 1 else nodes
    return fitting[0] if len(fitting) == 1 else None


def _is_list(places: list[Place], evidence: Evidence) -> bool:
    """Whether nothing stands between some names but "and", commas, articles and labels."""
    text = evidence.text
    labels = "|".join(re.escape(one.label) for one in evidence.schema.labels) or "(?!)"
    for one, other in pairwise(places):
        between = re.sub(rf"(?<!\w)(?:{labels})s?(?!\w)", " ", text[one.end : other.start], flags=re.IGNORECASE)
        if not re.search(r"[,;]|(?<!\w)(?:and|plus|as well as|und|sowie)(?!\w)", between) or not _JOINT.fullmatch(
            f" {' '.join(between.split())} ".lstrip()
        ):
            return False
    return True


def _beside(part: Place, places: list[Place], aside: list[Place], *, ordered: bool, evidence: Evidence) -> list[str]:
    """The words that stand beside the names in an order, or in what it says of them before "can be deleted".

    Labels directly before or behind a name are none of them.
    """
    text, found = evidence.text, []
    labels = {plain(one.label) for one in evidence.schema.labels}
    ends = part.end
    if not ordered:
        going = going_at(text[places[-1].end : part.end])
        ends = part.end if going is None else places[-1].end + going[0]
    start = part.start if ordered else _clause_start(part, places[0], text)
    bare = list(text)
    for place in aside:
        bare[place.start : place.end] = " " * (place.end - place.start)
    shown, at = "".join(bare), start
    for place in (*places, Place(ends, ends)):
        words = tokens(shown[at : place.start])
        if words and place.start < ends and forms(words[-1]) & labels:
            words = words[:-1]
        if words and at > start and forms(words[0]) & labels:
            words = words[1:]
        found += words
        at = place.end
    return found


def _clause_start(part: Place, first: Place, text: str) -> int:
    cut = max((text.rfind(sign, part.start, first.start) for sign in (",", ":", ";")), default=-1)
    return part.start if cut < 0 else cut + 1


def removed_edge(evidence: Evidence) -> Grounded | None:
    """The edge that is to go, where the request names two nodes and speaks of what is between them as such.

    "Ann no longer works on T-1, please remove that assignment": the edge is the one of the type that the words mean,
    or the only one that there is.
    """
    text = evidence.text
    named = {node.identity: node for _, node in named_at(evidence)}
    if evidence.only_asks or supposes(text) or leaves_open(_said(text)) or "delete" not in evidence.asked:
        return None
    for part in sentences_of(text):
        words = plain(text[part.start : part.end]).strip()
        if words.endswith(("?", "？")) or "delete" not in writes_asked(words) or _forbids(words):
            continue
        if not _speaks_of_edges(part, evidence):
            continue
        meant = _nouns(part, evidence)
        edges = _between(list(named.values()), evidence)
        fitting = [edge for edge in edges if any(names_type(edge.type, {noun}) for noun in meant)]
        if not fitting and meant & _CONNECTION:
            fitting = edges
        return Grounded("delete_edge", _identity(fitting[0]), certain=False) if len(fitting) == 1 else None
    return None


def _forbids(words: str) -> bool:
    """Whether a sentence says "not" where it says "remove"."""
    parts = re.split(r"[,;:]|\band\b|\bund\b|\bbut\b|\baber\b", words)
    return any("delete" in writes_asked(part) and denies(part) and not lets_go(part) for part in parts)


def _speaks_of_edges(part: Place, evidence: Evidence) -> bool:
    return bool(_nouns(part, evidence))


def _nouns(part: Place, evidence: Evidence) -> set[str]:
    """The words of a sentence that mean an edge: "that assignment", "the link between", "the TICKET-1 assignment"."""
    text = evidence.text
    labels = {plain(one.label) for one in evidence.schema.labels}
    names = [place for place, _ in named_at(evidence)]
    found = set()
    for word in re.finditer(r"[^\W\d_]+", text[part.start : part.end]):
        place = Place(part.start + word.start(), part.start + word.end())
        said = forms(plain(word.group()))
        if any(place.meets(other) for other in (*names, *quotes(text))) or said & labels:
            continue
        noun = said & _CONNECTION
        if not noun and re.search(r"(?:ment|ion|ship|age|ance|ence|ory|y|ing)s?$", plain(word.group())):
            noun = {each for each in said if len(each) >= _LONGEST_TYPE_WORD and _means_type(each, evidence)}
        if noun and re.search(
            r"(?:(?<!\w)(?:that|this|the|their|his|her|its|die|diese|der|den|das)\s+(?:[\w.-]+\s+){0,3}|['’]s\s+(?:\w+\s+)?)$",
            text[part.start : place.start],
            re.IGNORECASE,
        ):
            found |= noun
    return found


def _means_type(word: str, evidence: Evidence) -> bool:
    return any(names_type(one.type, {word}) for one in evidence.schema.types)


def _between(nodes: list[Node], evidence: Evidence) -> list[Edge]:
    if len(nodes) != 2:
        return []
    ends = {(node.label, node.key) for node in nodes}
    edges = evidence.store.edges(nodes[0].key, nodes[0].label)
    return [edge for edge in edges if {(edge.from_label, edge.from_key), (edge.to_label, edge.to_key)} == ends]


def _identity(edge: Edge) -> dict[str, Any]:
    return {
        "from_key": edge.from_key,
        "type": edge.type,
        "to_key": edge.to_key,
        "from_label": edge.from_label,
        "to_label": edge.to_label,
    }

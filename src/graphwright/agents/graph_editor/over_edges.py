"""Questions by the verb of an edge type, read by code: "what is blocking T-7?", "who supplies P-103?"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphwright.agents.graph_editor.conditions import stated
from graphwright.agents.graph_editor.evidence import Evidence
from graphwright.agents.graph_editor.mentions import names_label, names_type
from graphwright.agents.graph_editor.places import Place, named_at, sentences_of
from graphwright.agents.graph_editor.queries import query_text
from graphwright.agents.graph_editor.verbs import says_type
from graphwright.agents.graph_editor.words import QUOTED, SMALL, denies, forms, is_question, listed, plain, tokens
from graphwright.graphstore import Node
from graphwright.graphstore.elements import TypeSchema

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
BESIDE = frozenset(
    listed("""
        show, list, find, tell, name, give, count, look, search, check, many, much, else, currently, everything,
        everyone, everybody, anything, anyone, anybody, something, someone, right, whom, whose, been, being, those,
        things, people, still, exactly,
        wer, wen, wem, was, welche, welcher, welches, welchen, gerade, alles, alle, wie, viele
    """)
)
"""Words that a question may have beside what it asks for and restrict nothing."""

_PASSIVE = re.compile(r"(?<!\w)(?:is|are|was|were|be|been|being|gets?|got|wird|werden|wurde|wurden)(?!\w)")
_TOLD_TOGETHER = re.compile(
    r"(?<!\w)(?:average|mean|sum|total|per|each|(?<!at )most|(?<!at )least|first|last|best|worst"
    r"|durchschnitt\w*|summe|insgesamt|pro|je)(?!\w)"
)
_BY = re.compile(r"(?<!\w)(?:by|von)(?!\w)")


def over_edge(evidence: Evidence) -> dict[str, Any] | None:
    """The arguments of `query_graph` that the only question of the request comes to.

    None unless it names one node, the verb of one type that joins such nodes, and nothing else but the label and the
    values of what it asks for.
    """
    # The "total" of "the ticket about the invoice total" is a part of a name.
    if told_together(_without_names(evidence)):
        return None
    asking = [part for part in sentences_of(evidence.text) if _asks(evidence.text[part.start : part.end])]
    return _of_sentence(asking[0], evidence) if len(asking) == 1 else None


def _without_names(evidence: Evidence) -> str:
    text = evidence.text
    for place, _ in named_at(evidence):
        text = text[: place.start] + " " * (place.end - place.start) + text[place.end :]
    return text


def told_together(text: str) -> bool:
    """Whether a text asks for a number over several nodes, or for the first of an order."""
    return _TOLD_TOGETHER.search(plain(text)) is not None


def answered(evidence: Evidence) -> tuple[Node, ...]:
    """The nodes that the question of a request finds which also gives an order: "who supplies P-1? Rate them 4."."""
    arguments = None if evidence.only_asks else over_edge(evidence)
    if arguments is None:
        return ()
    query, parameters = query_text(arguments)
    found = {}
    for node, *_ in evidence.store.read(query, parameters, max_rows=MOST_FOUND).rows:
        found[node["label"], node["key"]] = evidence.store.node(node["key"], node["label"])
    return tuple(found.values())


MOST_FOUND = 20


def _asks(sentence: str) -> bool:
    return bool(sentence.strip()) and is_question(sentence.strip())


def _of_sentence(part: Place, evidence: Evidence) -> dict[str, Any] | None:
    text = evidence.text
    sentence = text[part.start : part.end]
    here = [(place, node) for place, node in named_at(evidence) if place.meets(part)]
    if QUOTED.search(sentence) or denies(sentence) or len({place for place, _ in here}) != 1:
        return None
    at = here[0][0]
    labels = _labels(part, at, evidence)
    spoken = [
        (plain(found.group()), Place(*found.span()))
        for found in _WORD.finditer(text, part.start, part.end)
        if not at.meets(Place(*found.span())) and Place(*found.span()) not in labels
    ]
    own = {label for place, label in labels.items() if _beside(place, at, text)}
    wanted = [label for place, label in labels.items() if not _beside(place, at, text)]
    anchors = [node for _, node in here if not own or node.label in own]
    if len(anchors) != 1 or len(set(wanted)) > 1:
        return None
    anchor = anchors[0]
    near = [kind for kind in evidence.schema.types if any(anchor.label in join for join in kind.joins)]
    words = [(word, place) for word, place in spoken if word not in SMALL]
    verbs = {kind.type: (kind, place) for kind in near for word, place in words if names_type(kind.type, {word})}
    if not verbs:
        verbs = {kind.type: (kind, place) for kind in near for word, place in words if says_type(kind.type, word)}
    label = wanted[0] if wanted else None
    if not verbs and label is not None and label != anchor.label:
        # "the supplier of P-103"
        ends = {(label, anchor.label), (anchor.label, label)}
        verbs = {one.type: (one, at) for one in evidence.schema.types if ends & set(one.joins)}
    if len(verbs) != 1:
        return None
    kind, verb = next(iter(verbs.values()))
    where = stated(label, evidence) if label is not None else {}
    known = {token for value in _texts(where) for token in tokens(value)}
    rest = {word for word, place in spoken if place != verb and word not in SMALL | BESIDE | known}
    if {word for word in rest if not names_type(kind.type, {word})} or _unread(where):
        return None
    return _query(kind, anchor, label, where, _direction(part, at, verb, text), evidence)


def _unread(where: Mapping[str, Any]) -> bool:
    """Whether any condition is more than a value: its words are not looked for here."""
    return any(isinstance(condition, Mapping) and "in" not in condition for condition in where.values())


def _texts(where: Mapping[str, Any]) -> list[str]:
    found = []
    for condition in where.values():
        values = condition.get("in", []) if isinstance(condition, Mapping) else [condition]
        found += [str(value) for value in values]
    return found


def _labels(part: Place, at: Place, evidence: Evidence) -> dict[Place, str]:
    """Where a sentence says labels, the node's own place apart."""
    found = {}
    for word in _WORD.finditer(evidence.text, part.start, part.end):
        place = Place(*word.span())
        spoken = forms(plain(word.group()))
        meant = [one.label for one in evidence.schema.labels if names_label(one.label, spoken, "")]
        if len(meant) == 1 and not place.meets(at):
            found[place] = meant[0]
    return found


def _beside(label: Place, node: Place, text: str) -> bool:
    """Whether a label stands directly before a node, or behind it: "the supplier acme"."""
    return not text[min(label.end, node.end) : max(label.start, node.start)].strip(" '\"")


def _direction(part: Place, node: Place, verb: Place, text: str) -> str:
    """The direction of the edge from what is asked for, by the words: "what blocks T-7" asks for what points at it."""
    before, behind = plain(text[part.start : verb.start]), plain(text[verb.end : part.end])
    done = text[verb.start : verb.end].casefold().endswith("ed")
    passive = done and _PASSIVE.search(before) is not None
    if node.start < verb.start:
        return "out" if passive else "in"
    return "in" if passive and _BY.match(behind) else "out"


def _query(
    kind: TypeSchema, anchor: Node, label: str | None, where: Mapping[str, Any], worded: str, evidence: Evidence
) -> dict[str, Any] | None:
    outgoing = {source for source, target in kind.joins if target == anchor.label and label in (None, source)}
    incoming = {target for source, target in kind.joins if source == anchor.label and label in (None, target)}
    if not outgoing and not incoming:
        return None
    direction = worded if outgoing and incoming else "out" if outgoing else "in"
    asked = outgoing if direction == "out" else incoming
    related = {"type": kind.type, "key": anchor.key, "label": anchor.label, "direction": direction}
    arguments: dict[str, Any] = {"label": next(iter(asked))} if len(asked) == 1 else {}
    if where:
        arguments["where"] = dict(where)
    return {**arguments, "related": related}

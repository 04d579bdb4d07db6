"""Which two nodes a request wants joined, by which type of edge, and in which direction."""

from __future__ import annotations

import re

from graphwright.agents.graph_editor.evidence import Evidence, spelled
from graphwright.agents.graph_editor.mentions import names_type
from graphwright.agents.graph_editor.places import Place, around, clauses_of, first, node_at, things, within
from graphwright.agents.graph_editor.problems import Problem
from graphwright.agents.graph_editor.words import tokens
from graphwright.graphstore import Node

_ITSELF = re.compile(r"(?<!\w)(?:itself|himself|herself|themselves|sich|selbst|lui-même|elle-même|sí mism[oa])(?!\w)")
_AGENT = re.compile(r"(?:or|er|eur|rice|euse)s?$")
_BY = re.compile(r"\W+(?:by|von|vom|durch|par|por)(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def require_fitting(kind: str, source: Node, target: Node, evidence: Evidence) -> None:
    """Raises Problem for an edge that the graph has no such edges for, unless the user said just this."""
    text = evidence.text
    if source == target and not _ITSELF.search(text.casefold()):
        raise Problem("unsaid_key", f"The request does not ask to join {source.name} to itself.", about=source.key)
    joins = next((one.joins for one in evidence.schema.types if one.type == kind), ())
    if not joins or (source.label, target.label) in joins:
        return
    if spelled(kind, text) and _together(source, target, evidence):
        return
    fitting = " or ".join(f"{one} -> {other}" for one, other in joins[:4])
    raise Problem(
        "unsaid_type",
        f"{kind} edges go {fitting}, and the request does not say that one should go from {source.name} to "
        f"{target.name}. It names: {evidence.names()}.",
        about=kind,
    )


def sure_pair(kind: str, source: Node, target: Node, evidence: Evidence) -> bool:
    """Whether it is surely these two that the request joins by this type.

    That is so where it names them in one clause, or one of them is what it is about: what it named first, or what this
    goal has made. Two nodes that stand side by side are not joined to each other.
    """
    keys = {source.key, target.key}
    if keys <= evidence.agreed or not (node_at(source, evidence) and node_at(target, evidence)):
        # "it" and "them", or keys that the user was asked about: other rules have these.
        return True
    named = things(evidence, *evidence.agreed)
    text = evidence.text
    told = _together(source, target, evidence)
    topic = min(named, key=lambda key: first(named[key])) if named else ""
    if not told and topic not in keys and not keys & evidence.sure:
        return False
    if kind in evidence.mentions.types or evidence.says(kind):
        return True
    # The words of another type stand there: it is that one which is meant.
    others = [one.type for one in evidence.schema.types if one.type in evidence.mentions.types and one.type != kind]
    labels = {token for one in evidence.schema.labels for token in tokens(one.label)}
    for part in clauses_of(text):
        words = set(tokens(text[part.start : part.end])) - labels
        there = within(part, {key: named[key] for key in keys if key in named})
        if there and any(names_type(other, words) for other in others):
            return False
    return True


def _together(source: Node, target: Node, evidence: Evidence) -> bool:
    """Whether one clause names both."""
    parts = clauses_of(evidence.text)
    one, other = ({around(place, parts) for place in node_at(node, evidence)} for node in (source, target))
    return bool(one & other)


def as_worded(kind: str, source: Node, target: Node, evidence: Evidence) -> tuple[Node, Node]:
    """The ends in the direction that the words of the request give them, where both directions could be.

    "A blocks B", "B is blocked by A", "the supervisor of B is A": where it has no such words, they stay as they are.
    """
    joins = next((one.joins for one in evidence.schema.types if one.type == kind), ())
    if (target.label, source.label) not in joins:
        return source, target
    text, parts = evidence.text, clauses_of(evidence.text)
    places = {node.identity: node_at(node, evidence) for node in (source, target)}
    for found in _WORD.finditer(text):
        word = found.group().casefold()
        here = Place(*found.span())
        if not names_type(kind, {word}) or any(here.meets(p) for at in places.values() for p in at):
            continue
        part = parts[around(here, parts)]
        before = _nearest(places, Place(part.start, here.start), last=True)
        behind = _nearest(places, Place(here.end, part.end), last=False)
        turned = _AGENT.search(word) is not None or _BY.match(text, here.end) is not None
        if behind is not None:
            begins = (behind == source.identity) == turned
            return (source, target) if begins else (target, source)
        if before is not None and not turned:
            return (source, target) if before == source.identity else (target, source)
    return source, target


def _nearest(places: dict[tuple[str, ...], tuple[Place, ...]], part: Place, *, last: bool) -> tuple[str, ...] | None:
    found = [(p.start, node) for node, at in places.items() for p in at if part.start <= p.start and p.end <= part.end]
    if not found:
        return None
    return (max(found) if last else min(found))[1]

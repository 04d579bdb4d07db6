"""Questions that code reads as a whole, so that no word of them is left for the model to make something of."""

from __future__ import annotations

import re
from typing import Any

from graphwright.agents.graph_editor.conditions import condition_words, stated
from graphwright.agents.graph_editor.evidence import Evidence
from graphwright.agents.graph_editor.over_edges import BESIDE, over_edge, told_together
from graphwright.agents.graph_editor.places import named_at, quotes
from graphwright.agents.graph_editor.words import SMALL, denies, forms, plain, tokens

_ABOUT = {"know", "about", "details", "information", "info", "state", "content", "stored", "saved", "über", "wissen"}
_LETTERS = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def plainly_asked(evidence: Evidence) -> dict[str, Any] | None:
    """The arguments of `query_graph` that a question plainly comes to; None where any word of it says more."""
    edge = over_edge(evidence)
    if edge is not None or not evidence.only_asks or told_together(evidence.text) or quotes(evidence.text):
        return edge
    return _of_one(evidence) or _of_kind(evidence)


def _of_one(evidence: Evidence) -> dict[str, Any] | None:
    """A node, where the question names it and nothing beside: "show me order O-5 with everything we know of it"."""
    named = named_at(evidence)
    nodes = {node.identity: node for _, node in named}
    if len(nodes) != 1 or denies(evidence.text):
        return None
    node = next(iter(nodes.values()))
    text = list(evidence.text)
    for place, _ in named:
        text[place.start : place.end] = " " * (place.end - place.start)
    words = set(_words("".join(text))) - SMALL - BESIDE - _ABOUT - forms(plain(node.label)) - {plain(node.label)}
    own = {word for name in evidence.property_names((node.label,)) for word in tokens(name.replace("_", " "))}
    return {"label": node.label, "where": {"key": node.key}} if words <= own else None


def _of_kind(evidence: Evidence) -> dict[str, Any] | None:
    """Nodes of a label under conditions: "list the parts with less than 100 in stock"."""
    mentions = evidence.mentions
    if mentions.nodes or mentions.partly or mentions.keys or len(mentions.labels) != 1:
        return None
    label = mentions.labels[0]
    where = stated(label, evidence)
    known = {form for word in _words(evidence.text) if forms(word) & {plain(label)} for form in (word,)}
    rest = set(_words(evidence.text)) - SMALL - BESIDE - known - condition_words(where)
    return {"label": label, "where": where} if where and not rest else None


def _words(text: str) -> list[str]:
    return [plain(found.group()) for found in _LETTERS.finditer(text)]

"""A question read by code: what it asks for, of which node, under which conditions, and which of them comes first.

A model that is to ask for the drugs in a room asks for all drugs, for the room, or for an edge that does not exist.
What a question names is found by code, and so is what lies between: see `ways`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphwright.agents.graph_editor.conditions import compared, stated
from graphwright.agents.graph_editor.evidence import NUMBERS, Evidence
from graphwright.agents.graph_editor.mentions import names_label, names_type
from graphwright.agents.graph_editor.plain_questions import plainly_asked
from graphwright.agents.graph_editor.sound import Grounded
from graphwright.agents.graph_editor.ways import Way, way
from graphwright.agents.graph_editor.words import QUOTED, forms, listed, plain, singular, squeezed, tokens
from graphwright.graphstore import Node, Schema
from graphwright.graphstore.names import checked_name

_ASKED_FOR = re.compile(
    r"(?<!\w)(?:which|what|how many|list|show(?: me)?|find|count|name|give me|all|every|any|number of"
    r"|welche[nrsm]?|wie viele|zeige?|liste|finde|nenne)\s+(?P<behind>[^,;.?!]*)"
)
_WHO = re.compile(r"(?:who|whom|wer|wen|wem)(?!\w)")
_NONE = re.compile(
    r"(?<!\w)(?:no|not|without|nobody|never|nothing|none|don't|doesn't|isn't|aren't|hasn't|haven't|lacks?|missing"
    r"|kein\w*|ohne|nicht|niemand\w*)\s+(?P<behind>(?:\w+\s*){1,4})"
)
_BEGUN = ("born", "birth", "birthday", "created", "opened", "since", "date", "year")
_MOST: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("highest, most, largest, biggest, greatest, maximum, höchste, größte, meiste", "DESC", ()),
    ("lowest, least, smallest, fewest, minimum, niedrigste, kleinste, wenigste", "ASC", ()),
    ("oldest, earliest, älteste, früheste", "ASC", _BEGUN),
    ("youngest, newest, latest, most recent, jüngste, neueste", "DESC", _BEGUN),
    ("oldest, älteste", "DESC", ("age",)),
    ("youngest, jüngste", "ASC", ("age",)),
    ("heaviest, schwerste", "DESC", ("weight", "mass")),
    ("lightest, leichteste", "ASC", ("weight", "mass")),
    ("most expensive, teuerste", "DESC", ("price", "cost")),
    ("cheapest, least expensive, billigste, günstigste", "ASC", ("price", "cost")),
    ("longest, längste", "DESC", ("length", "duration")),
    ("shortest, kürzeste", "ASC", ("length", "duration", "height")),
)
"""Words for the first of an order, its direction, and the parts of property names that they are about.

Those that may be about any property stand before its name.
"""
_TOLD_TOGETHER = re.compile(r"(?<!\w)(?:average|mean|sum|total|per|each|durchschnitt\w*|summe|insgesamt|pro|je)(?!\w)")


def read(arguments: Mapping[str, Any], evidence: Evidence) -> Grounded | None:
    """The query that a question comes to, where it takes more than one edge, or an order; else None.

    `arguments` are those of the model's `query_graph` (none when it chose another tool): what it looked for counts as
    far as it fits.
    """
    plainly = plainly_asked(evidence)
    if plainly is not None:
        return Grounded("query_graph", plainly)
    related = dict(arguments.get("related") or {})
    label = arguments.get("label")
    wanted = asked_label(evidence) or label
    if wanted is None or related.get("absent") or _TOLD_TOGETHER.search(plain(evidence.request)):
        return None
    order = _order(wanted, evidence)
    anchor = _anchor(evidence)
    if anchor is not None and anchor.label == wanted:
        return None
    if anchor is None and (order is None or related):
        return None
    conditions = _conditions(arguments, wanted, anchor, evidence)
    found: Way | None = ()
    if anchor is not None:
        if order is None and label == wanted and _is_joined(wanted, anchor, related, evidence.schema):
            return None
        found = way(
            evidence.schema,
            wanted,
            anchor.label,
            through={*evidence.mentions.labels, *conditions} - {wanted, anchor.label},
            words=set(tokens(evidence.request)),
        )
    if found is None or not set(conditions) <= {wanted, *(hop.label for hop in found)} or _leaves_out(found, evidence):
        return None
    return Grounded("cypher_query", _query(wanted, found, anchor, conditions, order))


def _leaves_out(found: Way, evidence: Evidence) -> bool:
    """Whether the question names a type of edge that the way does not take: then it means another way."""
    labels = {singular(token) for one in evidence.schema.labels for token in tokens(one.label)}
    words = {word for word in tokens(QUOTED.sub(" ", evidence.request)) if singular(word) not in labels}
    taken = {hop.type for hop in found}
    return any(names_type(one.type, words) and one.type not in taken for one in evidence.schema.types)


_OF_ALL_KINDS = {"name", "title", "status", "state", "note", "comment", "summary", "key"}
"""Properties by which nobody means the nodes that have them."""


def asked_label(evidence: Evidence) -> str | None:
    """The label that a request is about.

    The first one that it names behind "which", "how many" or "list", else at all, else the only one that has the values
    which it names.
    """
    text = QUOTED.sub(" ", plain(evidence.request))
    whoever = _who(text, evidence) if _WHO.match(text) else None
    if whoever is not None:
        return whoever
    for found in _ASKED_FOR.finditer(text):
        for word in tokens(found["behind"])[:4]:
            label = _label_of(word, evidence.schema) or _holder_of(word, evidence.schema)
            if label is not None:
                return label
    named = next((label for word in tokens(text) if (label := _label_of(word, evidence.schema)) is not None), None)
    if named is not None:
        return named
    # "the chief physicians", where only doctors can be chief physicians.
    having = [one.label for one in evidence.schema.labels if stated(one.label, evidence)]
    return having[0] if len(having) == 1 else None


def _who(text: str, evidence: Evidence) -> str | None:
    """The label that "who" means: the end, not named itself, of the edges whose verb the question has."""
    named = {label for word in tokens(text) if (label := _label_of(word, evidence.schema)) is not None}
    words = {word for word in tokens(text) if _label_of(word, evidence.schema) is None}
    kinds = [one for one in evidence.schema.types if names_type(one.type, words)]
    ends = {
        other
        for kind in kinds
        for pair in kind.joins
        for one, other in (pair, pair[::-1])
        if one in named and other not in named
    }
    return ends.pop() if len(kinds) == 1 and len(ends) == 1 else None


def _holder_of(word: str, schema: Schema) -> str | None:
    """The only label whose nodes have a text of this name: who asks for "customers" where orders have a customer."""
    holders = {
        one.label
        for one in schema.labels
        for name, kinds in one.properties.items()
        if "text" in kinds and word != name and name in forms(word) and not set(forms(name)) & _OF_ALL_KINDS
    }
    return holders.pop() if len(holders) == 1 else None


def _label_of(word: str, schema: Schema) -> str | None:
    words = forms(word)
    fitting = [one.label for one in schema.labels if names_label(one.label, words, squeezed(word))]
    return fitting[0] if len(fitting) == 1 else None


def without(label: str | None, evidence: Evidence) -> dict[str, Any] | None:
    """The relation that what is asked for must not have: "drugs that no patient takes". None where it denies none."""
    wanted = asked_label(evidence) or label
    if wanted is None or wanted != label:
        return None
    text = QUOTED.sub(" ", plain(evidence.request))
    for found in _NONE.finditer(text):
        words = {form for token in tokens(found["behind"]) for form in forms(token)}
        others = [one.label for one in evidence.schema.labels if names_label(one.label, words, "")]
        for kind in evidence.schema.types:
            ends = {(join, join.index(wanted)) for join in kind.joins if wanted in join}
            if not ends:
                continue
            far = {join[1 - place] for join, place in ends}
            if names_type(kind.type, words) or (len(others) == 1 and others[0] in far and _only(kind, wanted, far)):
                return {"type": kind.type, "absent": True}
    return None


def _only(kind: Any, wanted: str, far: set[str]) -> bool:
    return len(far) == 1 and wanted not in far


def _anchor(evidence: Evidence) -> Node | None:
    """The one node that the question is about: the only one that it names."""
    named = (*evidence.mentions.nodes, *evidence.mentions.partly)
    return named[0] if len(named) == 1 else None


def _is_joined(wanted: str, anchor: Node, related: Mapping[str, Any], schema: Schema) -> bool:
    """Whether the call already asks for an edge to the node, of a type that joins the two labels."""
    kind = related.get("type")
    joins = [join for each in schema.types if kind in (None, each.type) for join in each.joins]
    joined = (wanted, anchor.label) in joins or (anchor.label, wanted) in joins
    return joined and related.get("key") == anchor.key


def _conditions(
    arguments: Mapping[str, Any], wanted: str, anchor: Node | None, evidence: Evidence
) -> dict[str, dict[str, Any]]:
    """By label, the conditions that the question states, and those of the call that stand on a way's own labels."""
    labels = {wanted, *evidence.mentions.labels} - ({anchor.label} if anchor is not None else set())
    found = {label: values for label in labels if (values := stated(label, evidence))}
    # Where two labels have such a value, what is asked for has it.
    for label in list(found):
        if label != wanted:
            found[label] = {n: v for n, v in found[label].items() if n not in found.get(wanted, {})}
    return {label: values for label, values in found.items() if values}


def _order(label: str, evidence: Evidence) -> tuple[str, str, int] | None:
    """The property and direction by which the first ones are meant, and how many: "the two oldest patients"."""
    schema = evidence.label_schema(label)
    if schema is None:
        return None
    text = plain(evidence.request)
    for words, direction, about in _MOST:
        for word in listed(words):
            found = re.search(rf"(?<!\w)(?<!at ){word}\w{{0,2}}(?!\w)", text)
            if found is None:
                continue
            behind = tokens(text[found.end() :])[:2]
            for name, kinds in schema.properties.items():
                parts = tokens(name.replace("_", " "))
                fitting = set(parts) & set(about) if about else "number" in kinds and parts[:1] and parts[0] in behind
                if fitting and set(kinds) <= {"number", "text"}:
                    return name, direction, _how_many(text[: found.start()])
    return None


MOST_FIRST = 100


def _how_many(before: str) -> int:
    """How many of an order are meant by the number before it: 2 in "our two youngest"; else 1."""
    said = re.search(r"(?<![\w.-])(?P<number>\d{1,3}|[a-zäöüß]+)\s+$", before)
    number = 0 if said is None else NUMBERS.get(said["number"], 0)
    if said is not None and said["number"].isdecimal():
        number = int(said["number"])
    return min(max(1, number), MOST_FIRST)


def _query(
    label: str,
    way: Way,
    anchor: Node | None,
    where: Mapping[str, Mapping[str, Any]],
    order: tuple[str, str, int] | None,
) -> dict[str, Any]:
    """The call that gives the nodes of a label that a way leads from to the anchor: sorted by key, or the first."""
    parameters: dict[str, Any] = {}
    conditions: list[str] = []

    def place(name: str, label: str, values: Mapping[str, Any]) -> str:
        conditions.extend(compared(name, values, parameters))
        return f"({name}:`{checked_name(label, 'label')}`)"

    text = place("node", label, where.get(label, {}))
    for number, hop in enumerate(way, 1):
        text += f"{'' if hop.outgoing else '<'}-[:`{checked_name(hop.type, 'type')}`]-{'>' if hop.outgoing else ''}"
        if number < len(way):
            text += place(f"n{number}", hop.label, where.get(hop.label, {}))
        elif anchor is not None:
            parameters["key"] = anchor.key
            text += f"(related:`{checked_name(hop.label, 'label')}` {{key: $key}})"
    chosen = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    if order is None:
        return {"query": f"MATCH {text}{chosen} RETURN DISTINCT node ORDER BY node.key", "parameters": parameters}
    by = f"node.`{checked_name(order[0], 'property name')}`"
    chosen += f"{' AND' if chosen else ' WHERE'} {by} IS NOT NULL"
    query = f"MATCH {text}{chosen} RETURN DISTINCT node ORDER BY {by} {order[1]}, node.key LIMIT {order[2]}"
    return {"query": query, "parameters": parameters}

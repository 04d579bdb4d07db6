"""Queries before they are run: names and values in the graph's own spelling, directions as the graph has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright.agents.graph_editor.conditions import stated, with_stated
from graphwright.agents.graph_editor.evidence import (
    Evidence,
    canonical_label,
    canonical_property,
    canonical_type,
    like,
    near_names,
)
from graphwright.agents.graph_editor.mentions import names_type, unfamiliar
from graphwright.agents.graph_editor.naming import existing
from graphwright.agents.graph_editor.places import names_of
from graphwright.agents.graph_editor.plain_questions import plainly_asked
from graphwright.agents.graph_editor.problems import Problem
from graphwright.agents.graph_editor.question import asked_label, read, without
from graphwright.agents.graph_editor.sound import Grounded
from graphwright.agents.graph_editor.words import denies, plain, squeezed, tokens
from graphwright.graphstore import GraphError

MOST_TEXTS = 500
"""Values of a property in which a text is looked for."""


def grounded_query(tool_name: str, arguments: Mapping[str, Any], evidence: Evidence) -> Grounded:
    """A query that fits the graph. Raises Problem for names that the graph does not have."""
    plainly = plainly_asked(evidence)
    if plainly is not None:
        return Grounded("query_graph", plainly)
    if tool_name == "cypher_query":
        return _cypher(dict(arguments), evidence)
    try:
        return _query_graph(dict(arguments), evidence)
    except Problem as problem:
        # A label that only the user knows is for the user to hear of.
        own = None if problem.code == "nothing_there" and not _is_name(problem.about, evidence) else own_query(evidence)
        if own is None:
            raise
        return own


def _is_name(word: str, evidence: Evidence) -> bool:
    """Whether a word that was taken for a label is what a named node is called."""
    nodes = (*evidence.mentions.nodes, *evidence.mentions.partly)
    return any(plain(name) == plain(word) for node in nodes for name in names_of(node))


def _query_graph(given: dict[str, Any], evidence: Evidence) -> Grounded:
    arguments: dict[str, Any] = {}
    given = _labelled(given, evidence)
    label = _label(given.get("label"), evidence)
    related, where = _sorted_out(dict(given.get("related") or {}), dict(given.get("where") or {}), evidence)
    other = _label(related.get("label"), evidence) if related.get("label") else None
    if label:
        arguments["label"] = label
    if where := with_stated(_where(where, label, evidence), label, evidence):
        arguments["where"] = where
    related = related if related.get("absent") else (without(label, evidence) or related)
    if related:
        kind = _type(related.get("type"), evidence)
        asked: dict[str, Any] = {"absent": True} if related.get("absent") else {}
        if kind:
            asked["type"] = kind
        if other:
            asked["label"] = other
        if related.get("key"):
            node = existing(str(related["key"]), other, evidence) or existing(str(related["key"]), None, evidence)
            named = evidence.mentions.nodes
            if node is not None and len(named) == 1 and not evidence.surely(node.key):
                # The request names one node, and not this one.
                node = named[0]
            asked["key"] = node.key if node is not None else related["key"]
            if node is not None:
                asked["label"] = node.label
        if inner := _where(dict(related.get("where") or {}), asked.get("label"), evidence):
            asked["where"] = inner
        asked["direction"] = _direction(related.get("direction", "any"), kind, label, asked.get("label"), evidence)
        arguments["related"] = asked
    if given.get("limit"):
        arguments["limit"] = given["limit"]
    return read(arguments, evidence) or Grounded("query_graph", arguments)


def _labelled(given: dict[str, Any], evidence: Evidence) -> dict[str, Any]:
    """The call with a label where the model gave it an edge type or a property in the place of one."""
    label = str(given.get("label") or "")
    if not label or canonical_label(label, evidence.schema) is not None:
        return given
    kind = canonical_type(label, evidence.schema)
    if kind is not None:
        return {**given, "label": asked_label(evidence), "related": {"type": kind, **(given.get("related") or {})}}
    if canonical_property(label, evidence.property_names()) is not None:
        return {**given, "label": asked_label(evidence)}
    return given


def _sorted_out(
    related: dict[str, Any], where: dict[str, Any], evidence: Evidence
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Conditions in their place: an edge type among the properties is a relation; what nobody asked for goes."""
    for name in list(where):
        kind = canonical_type(name, evidence.schema)
        if kind is not None and canonical_property(name, evidence.property_names()) is None:
            value = where.pop(name)
            related.setdefault("type", kind)
            if isinstance(value, str) and value:
                related.setdefault("key", value)
            elif denies(evidence.text):
                related.setdefault("absent", True)
    return (related if _asked_relation(related, evidence) else {}), where


def _asked_relation(related: Mapping[str, Any], evidence: Evidence) -> bool:
    """Whether the request names anything of a relation: its type, the label or key of the other end, a value there."""
    words = set(tokens(evidence.text))
    kind = canonical_type(str(related.get("type") or ""), evidence.schema)
    if kind is not None and names_type(kind, words):
        return True
    label = canonical_label(str(related.get("label") or ""), evidence.schema)
    if label is not None and label in evidence.mentions.labels:
        return True
    key = related.get("key")
    named = {node.key for node in evidence.mentions.nodes} | evidence.shown
    if isinstance(key, str) and (key in named or evidence.says(key)):
        return True
    return any(evidence.says(value) for value in dict(related.get("where") or {}).values() if isinstance(value, str))


def _label(label: Any, evidence: Evidence) -> str | None:
    if not label:
        return None
    known = canonical_label(str(label), evidence.schema)
    if known is None:
        names = [one.label for one in evidence.schema.labels]
        # Where the user said it there is nothing to mend, unless it is a slip.
        code = "nothing_there" if evidence.says(label) and not unfamiliar(str(label), names) else "unknown_label"
        raise Problem(code, f"The graph has no {label}. {near_names(str(label), names)}", about=str(label))
    return known


def _type(kind: Any, evidence: Evidence) -> str | None:
    if not kind:
        return None
    known = canonical_type(str(kind), evidence.schema)
    if known is None:
        names = [one.type for one in evidence.schema.types]
        raise Problem(
            "unknown_type", f"The graph has no edges of type {kind}. {near_names(str(kind), names)}", about=str(kind)
        )
    return known


def _direction(direction: str, kind: str | None, label: str | None, other: str | None, evidence: Evidence) -> str:
    """The direction in which such edges exist; the model's own word where both do."""
    joins = [join for one in evidence.schema.types if kind in (None, one.type) for join in one.joins]
    outgoing = any(label in (None, source) and other in (None, target) for source, target in joins)
    incoming = any(label in (None, target) and other in (None, source) for source, target in joins)
    if outgoing and incoming and label == other and label is not None:
        return direction
    if outgoing and incoming:
        return "any"
    return "out" if outgoing else "in" if incoming else direction


def _where(where: Mapping[str, Any], label: str | None, evidence: Evidence) -> dict[str, Any]:
    labels = [label] if label else []
    names = evidence.property_names(labels)
    found: dict[str, Any] = {}
    for name, condition in where.items():
        if squeezed(name) in ("key", "id"):
            found["key"] = _key(condition, label, evidence)
            continue
        proper = canonical_property(name, names)
        if proper is None and canonical_property(name, evidence.property_names()) is None and not labels:
            proper = name
        if proper is None:
            proper = _holding(condition, labels, names, evidence)
        if proper is None:
            raise Problem(
                "unknown_property",
                f"{label or 'No node'} has no property {name}. {near_names(name, ['key', *names])}",
                about=name,
            )
        compared = dict(condition) if isinstance(condition, Mapping) else {"eq": condition}
        compared = {sign: _stored(value, proper, labels, evidence) for sign, value in compared.items()}
        if list(compared) == ["eq"] and _is_part(compared["eq"], proper, labels, evidence):
            compared = {"contains": compared["eq"]}
        found[proper] = compared["eq"] if list(compared) == ["eq"] else compared
    return found


def _key(condition: Any, label: str | None, evidence: Evidence) -> Any:
    if not isinstance(condition, str):
        return condition
    node = existing(condition, label, evidence)
    return condition if node is None else node.key


def _holding(condition: Any, labels: list[str], names: list[str], evidence: Evidence) -> str | None:
    """The one property that has such a value, where the model gave it a name that does not exist."""
    value = condition if not isinstance(condition, Mapping) else next(iter(condition.values()), None)
    fitting = [n for n in names for label in labels if any(like(v, value) for v, _ in evidence.store.values(label, n))]
    return fitting[0] if len(set(fitting)) == 1 else None


def _stored(value: Any, name: str, labels: list[str], evidence: Evidence) -> Any:
    if isinstance(value, list):
        return [_stored(item, name, labels, evidence) for item in value]
    for label in labels:
        schema = evidence.label_schema(label)
        if schema is None or name not in schema.properties:
            continue
        for stored, _ in evidence.store.values(label, name):
            if like(stored, value) or (isinstance(stored, int | float) and str(stored) == str(value)):
                return stored
    return value


def _is_part(value: Any, name: str, labels: list[str], evidence: Evidence) -> bool:
    """Whether no node has this text as the whole of a property, so that only a part of it can be meant."""
    if not isinstance(value, str) or not labels:
        return False
    stored = [text for label in labels for text, _ in evidence.store.values(label, name, most=MOST_TEXTS)]
    texts = [plain(text) for text in stored if isinstance(text, str)]
    return plain(value) not in texts and any(plain(value) in text for text in texts)


def _cypher(given: dict[str, Any], evidence: Evidence) -> Grounded:
    from graphwright.graphstore.cypher import explain_names, missing, parse

    query = str(given["query"])
    parameters = dict(given.get("parameters") or {})
    try:
        parsed = parse(query)
    except GraphError:
        own = own_query(evidence) if evidence.only_asks else None
        if own is None:
            raise
        return own
    absent = missing(parsed, parameters)
    if absent:
        raise Problem("bad_arguments", f"The query uses {', '.join('$' + a for a in absent)} without a value.")
    if parsed.writes:
        return _writing(query, parameters, parsed, evidence)
    own = read({}, evidence)
    if own is not None:
        return own
    wrong = explain_names(parsed, evidence.schema)
    if wrong and (own := own_query(evidence)) is not None:
        return own
    if wrong:
        raise Problem("unknown_name", " ".join(wrong))
    return Grounded("cypher_query", {"query": query, "parameters": parameters})


def own_query(evidence: Evidence) -> Grounded | None:
    """What code reads of the question, in the place of a call that cannot be run; None where that is too little."""
    own = read({}, evidence)
    if own is not None:
        return own
    label = asked_label(evidence)
    if label is None or evidence.mentions.nodes or not (stated(label, evidence) or without(label, evidence)):
        return None
    return _query_graph({"label": label}, evidence)


def _writing(query: str, parameters: Mapping[str, Any], parsed: Any, evidence: Evidence) -> Grounded:
    """A writing statement is always shown and confirmed; here its values are held against the user's words."""
    if evidence.only_asks:
        raise Problem("only_asked", "The request only asks; nothing may be written for it. Answer it by a query.")
    if parsed.deletes and "delete" not in evidence.asked:
        raise Problem("not_asked", "The request does not ask for anything to be deleted.")
    stored = {node.key for node in evidence.mentions.nodes} | set(evidence.shown)
    for value in (*parsed.strings, *(v for v in parameters.values() if isinstance(v, str | int | float))):
        if value not in stored and not evidence.says(value):
            raise Problem("unsaid_value", f"The user did not say {value!r}. Take values from the request only.")
    return Grounded("cypher_query", {"query": query, "parameters": dict(parameters)}, certain=False)

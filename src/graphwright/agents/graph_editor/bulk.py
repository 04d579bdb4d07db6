"""Writes to all nodes of a kind, read by code: "every open ticket goes up to high", "50 more of each part"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from graphwright.agents.graph_editor.conditions import compared, stated
from graphwright.agents.graph_editor.evidence import DIGITS, Evidence, number_of
from graphwright.agents.graph_editor.mentions import names_type
from graphwright.agents.graph_editor.places import Place, around, clauses_of
from graphwright.agents.graph_editor.question import asked_label
from graphwright.agents.graph_editor.words import (
    SMALL,
    asks_somewhere,
    denies,
    forms,
    has,
    means_all,
    plain,
    singular,
    supposes,
    tokens,
)
from graphwright.graphstore.names import checked_name

_NUMBER = rf"(?P<number>{DIGITS.pattern})"
_MORE = re.compile(
    rf"{_NUMBER}\s+(?P<sign>more|less|fewer)\s+(?:of|for|in|on)\s+(?:each|every|all)(?!\w)", re.IGNORECASE
)
_BY = re.compile(
    rf"(?<!\w)(?P<sign>raise|increase|lower|reduce|decrease)\w{{0,2}}\s[^.;!?]*?(?<!\w)by\s+{_NUMBER}(?!\s*(?:%|percent))",
    re.IGNORECASE,
)
_TO = re.compile(
    r"(?<!\w)(?:go|goes|move|moves|raised?|lowered?|changed?|set|switch|switches)\s+(?:up\s+|down\s+|over\s+)?to\s+"
    r"(?P<value>[\w-]+)",
    re.IGNORECASE,
)
_SET = re.compile(
    r"(?<!\w)set\s+(?:a\s+|the\s+)?(?:property\s+)(?P<name>[A-Za-z_]\w*)\s+to\s+(?P<value>[\w.-]+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Bulk:
    """A statement over all nodes that the request means, with its parameters."""

    query: str
    parameters: dict[str, Any]


def bulk_change(evidence: Evidence) -> Bulk | None:
    """The statement that the request comes to; None where it does not plainly say which nodes it means."""
    mentions = evidence.mentions
    if evidence.only_asks or asks_somewhere(evidence.text) or supposes(evidence.text) or "delete" in evidence.asked:
        return None
    if mentions.nodes or mentions.keys or mentions.quoted or len(mentions.partly) > 1:
        return None
    label = asked_label(evidence)
    if label is None:
        return None
    more = _MORE.search(evidence.text) or _BY.search(evidence.text)
    if more is not None:
        return _sum(label, more, evidence)
    return _values(label, evidence)


def _sum(label: str, said: re.Match[str], evidence: Evidence) -> Bulk | None:
    schema = evidence.label_schema(label)
    amount = number_of(said["number"])
    if schema is None or isinstance(amount, str) or not means_all(evidence.request) or denies(evidence.request):
        return None
    named = [n for n, kinds in schema.properties.items() if kinds == ("number",) and has(evidence.text, n)]
    if len(named) != 1:
        return None
    sign = "-" if plain(said["sign"]) in ("less", "fewer", "lower", "reduce", "decrease") else "+"
    name = checked_name(named[0], "property name")
    rest = evidence.request.replace(said.group(), " ")
    return _over(label, f"n.`{name}` = n.`{name}` {sign} $amount", {"amount": amount}, {}, rest, evidence)


def _values(label: str, evidence: Evidence) -> Bulk | None:
    schema = evidence.label_schema(label)
    to, setting = list(_TO.finditer(evidence.text)), list(_SET.finditer(evidence.text))
    if schema is None or len(to) + len(setting) != 1:
        return None
    said = (to or setting)[0]
    parts = clauses_of(evidence.text)
    here = parts[around(Place(*said.span()), parts)]
    if denies(evidence.text[here.start : here.end]):
        return None
    rest = evidence.request.replace(said.group(), " ")
    if setting:
        name, value = said["name"], _plain_value(said["value"].rstrip("."))
        if plain(name) in SMALL:
            return None
    else:
        fitting = [
            (n, v)
            for n in schema.properties
            for v, _ in evidence.store.values(label, n)
            if plain(str(v)) == plain(said["value"])
        ]
        if len(fitting) != 1:
            return None
        name, value = fitting[0]
    where = stated(label, replace(evidence, request=rest))
    if not where or not _means_several(label, where, evidence):
        return None
    return _over(
        label, f"n.`{checked_name(name, 'property name')}` = $wanted", {"wanted": value}, where, rest, evidence
    )


def _plain_value(text: str) -> Any:
    return {"true": True, "false": False, "yes": True, "no": False}.get(plain(text), number_of(text))


def _means_several(label: str, where: Mapping[str, Any], evidence: Evidence) -> bool:
    """Whether it is said of all of them: "every ticket", "the injections and the pens"."""
    values = {plain(each) for w in where.values() for each in _texts(w)} | {plain(label)}
    plural = any(word.endswith("s") and (forms(word) - {word}) & values for word in tokens(evidence.request))
    return plural or means_all(evidence.request)


def _texts(condition: Any) -> list[str]:
    inner = condition.get("in", []) if isinstance(condition, Mapping) else [condition]
    return [each for each in inner if isinstance(each, str)]


def _over(
    label: str, does: str, values: dict[str, Any], where: Mapping[str, Any], rest: str, evidence: Evidence
) -> Bulk | None:
    """One statement over the nodes of a label, or those that are joined to what the request names beside them."""
    parameters = dict(values)
    conditions = compared("n", where, parameters)
    match = f"(n:`{checked_name(label, 'label')}`)"
    labels = {singular(token) for one in evidence.schema.labels for token in tokens(one.label)}
    words = {word for word in tokens(rest) if singular(word) not in labels}
    kinds = [
        one for one in evidence.schema.types if any(label in join for join in one.joins) and names_type(one.type, words)
    ]
    if kinds:
        found = [hop for kind in kinds for hop in _anchored(kind.type, kind.joins, label, evidence)]
        if len(found) != 1:
            return None
        path, key = found[0]
        match += path
        parameters["key"] = key
        conditions.append("m.key = $key")
    elif evidence.mentions.partly:
        return None
    chosen = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return Bulk(f"MATCH {match}{chosen} SET {does}", parameters)


def _anchored(kind: str, joins: tuple[tuple[str, str], ...], label: str, evidence: Evidence) -> list[tuple[str, str]]:
    """The paths to the nodes that the request calls by a proper noun, over edges of a type."""
    found = []
    for source, target in joins:
        if (source == label) == (target == label):
            continue
        other = target if source == label else source
        left, right = ("-", "->") if source == label else ("<-", "-")
        path = f"{left}[:`{checked_name(kind, 'type')}`]{right}(m:`{checked_name(other, 'label')}`)"
        found += [(path, key) for key in _called(other, evidence)]
    return found


def _called(label: str, evidence: Evidence) -> set[str]:
    """The keys of the nodes of a label of which the request says a text that only they have: Berlin."""
    schema = evidence.label_schema(label)
    names = [] if schema is None else [n for n, kinds in schema.properties.items() if kinds == ("text",)]
    keys = {node.key for node in evidence.mentions.partly if node.label == label}
    for name in names:
        for value, count in evidence.store.values(label, name):
            if count == 1 and str(value)[:1].isupper() and has(evidence.text, str(value)):
                which = f"m.`{checked_name(name, 'property name')}` = $v"
                query = f"MATCH (m:`{checked_name(label, 'label')}`) WHERE {which} RETURN m.key"
                keys |= {row[0] for row in evidence.store.read(query, {"v": value}).rows}
    return keys

"""Cypher before an engine runs it: checks of a query, the names in it, and queries built from conditions.

A query is parsed once in a process, or by the process that sends it. The parser is imported at its first use, because
its import is slow and the process of the embedded engine does not have it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from graphwright_graph._elements import checked_name
from graphwright_graph._errors import BadElement, QueryRefused
from graphwright_graph.cypher._lexer import Parsed

_MOST_KEPT = 100


def parse(query: str) -> Parsed:
    """Parse a query. Raises QueryRefused, with place and hint, for a query that is not accepted."""
    known = _known.get(query) if isinstance(query, str) else None
    if known is None:
        from graphwright_graph.cypher._parser import parsed

        known = parsed(query)
        keep_parsed(query, known)
    return known


def accepted(query: str, parameters: Mapping[str, Any], *, writes: bool) -> Parsed:
    """Check that a query may run with these parameters. Raises QueryRefused.

    A writing query is refused unless `writes`, and a query that only reads is refused if `writes`.
    """
    known = parse(query)
    if known.writes and not writes:
        raise QueryRefused(
            "This query writes, and only reading is allowed here.",
            "Use a write: its changes are shown before they are made.",
        )
    if writes and not known.writes:
        raise QueryRefused("This query only reads.", "Read with it; nothing is to be confirmed.")
    for name in known.parameters:
        if name not in parameters:
            raise QueryRefused(f"The parameter ${name} is not given.", "Give a value for each parameter.")
    return known


def keep_parsed(query: str, known: Parsed) -> None:
    """Store the result of another process's parser."""
    _known[query] = known
    if len(_known) > _MOST_KEPT:
        _known.popitem(last=False)


_known: OrderedDict[str, Parsed] = OrderedDict()

_COMPARISONS = {
    **{"eq": "{0} = {1}", "ne": "{0} <> {1}", "lt": "{0} < {1}", "lte": "{0} <= {1}", "gt": "{0} > {1}"},
    **{"gte": "{0} >= {1}", "in": "{0} IN {1}", "contains": "toLower({0}) CONTAINS toLower({1})"},
    **{"starts_with": "toLower({0}) STARTS WITH toLower({1})", "same": "({0} = {1} OR toLower({0}) = toLower({1}))"},
}


def query_of(conditions: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The query for the matching nodes, sorted by key, and its parameters. Raises BadElement for an invalid name.

    `conditions` has `label` and `where`: a value for each property, or a comparison such as `{lt: 3}`. `related` has
    the same for the other end of an edge, and its `type`, `direction` (in, out, any) and `key`; with `absent` there
    must be no such edge. Columns: `node`, and with `related` also `edge` and `related`.
    """
    query = _Query()
    pattern, columns = query.pattern("node", conditions), ["node"]
    related = conditions.get("related")
    if related:
        kind = f":`{checked_name(related['type'], 'type')}`" if related.get("type") else ""
        begin, end = {"in": ("<-", "-"), "out": ("-", "->")}.get(related.get("direction", "any"), ("-", "-"))
        if related.get("absent"):
            other = query.pattern("", related, inside=True)
            query.conditions.append(f"NOT (node){begin}[{kind}]{end}{other}")
        else:
            pattern += f"{begin}[edge{kind}]{end}{query.pattern('related', related)}"
            columns += ["edge", "related"]
    where = f" WHERE {' AND '.join(query.conditions)}" if query.conditions else ""
    order = ", ".join(f"{name}.key" for name in columns if name != "edge")
    return f"MATCH {pattern}{where} RETURN {', '.join(columns)} ORDER BY {order}", query.values


class _Query:
    """The conditions and parameters of a query under construction."""

    def __init__(self) -> None:
        self.conditions: list[str] = []
        self.values: dict[str, Any] = {}

    def pattern(self, name: str, given: Mapping[str, Any], *, inside: bool = False) -> str:
        """One end: `(name:Label {key: $p0})`. Other conditions are collected; with `inside`, all are in the pattern.

        Engines look up a key inside the pattern, but scan for one after it.
        """
        where = {**(given.get("where") or {}), **({"key": given["key"]} if given.get("key") else {})}
        label = f":`{checked_name(given['label'], 'label')}`" if given.get("label") else ""
        within = []
        for each, condition in where.items():
            place = f"`{checked_name(each, 'property name')}`"
            if isinstance(condition, Mapping):
                if inside:
                    message = "With `absent`, a condition can only be a value."
                    raise BadElement("bad_value", message, "Use a Cypher query.")
                self.conditions += [
                    _COMPARISONS[how].format(f"{name}.{place}", self._parameter(v)) for how, v in condition.items()
                ]
            elif inside or each == "key":
                within.append(f"{place}: {self._parameter(condition)}")
            else:
                how = "same" if isinstance(condition, str) else "eq"
                self.conditions.append(_COMPARISONS[how].format(f"{name}.{place}", self._parameter(condition)))
        inner = f" {{{', '.join(within)}}}" if within else ""
        return f"({name}{label}{inner})"

    def _parameter(self, value: Any) -> str:
        self.values[f"p{len(self.values)}"] = value
        return f"$p{len(self.values) - 1}"

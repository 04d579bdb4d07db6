"""The conditions of the tool `query_graph`, given as data, as a Cypher query with parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright.graphstore.elements import checked_name
from graphwright.graphstore.errors import BadElement

_COMPARISONS = {
    **{"eq": "{0} = {1}", "ne": "{0} <> {1}", "lt": "{0} < {1}", "lte": "{0} <= {1}", "gt": "{0} > {1}"},
    **{"gte": "{0} >= {1}", "in": "{0} IN {1}", "contains": "toLower({0}) CONTAINS toLower({1})"},
    **{"starts_with": "toLower({0}) STARTS WITH toLower({1})", "same": "({0} = {1} OR toLower({0}) = toLower({1}))"},
}


def query_of(conditions: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The query for the matching nodes, sorted by key, and its parameters. Raises BadElement for a bad name.

    `label`, and `where`: a value for each property, or a comparison such as `{lt: 3}`. `related` has the same for the
    other end of an edge, its `type`, `direction` (in, out, any) and `key`; with `absent` there is none. Columns:
    `node`, and with `related` also `edge` and `related`.
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
    """The conditions and parameters of a query while it is written."""

    def __init__(self) -> None:
        self.conditions: list[str] = []
        self.values: dict[str, Any] = {}

    def pattern(self, name: str, given: Mapping[str, Any], *, inside: bool = False) -> str:
        """One end: `(name:Label {key: $p0})`, its other conditions noted; with `inside`, all of them in the pattern.

        A key inside the pattern is looked up by engines, behind it they scan.
        """
        where = {**(given.get("where") or {}), **({"key": given["key"]} if given.get("key") else {})}
        label = f":`{checked_name(given['label'], 'label')}`" if given.get("label") else ""
        within = []
        for each, condition in where.items():
            place = f"`{checked_name(each, 'property name')}`"
            if isinstance(condition, Mapping):
                if inside:
                    message = "with `absent`, a condition can only be a value"
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

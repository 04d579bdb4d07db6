"""The Cypher of a `query_graph` call: names checked, values as parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright.graphstore import BadElement
from graphwright.graphstore.names import checked_name

_COMPARISONS = {"eq": "=", "ne": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


def query_text(arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The query and its parameters. Raises BadElement for a name that no graph takes.

    Columns: `node`, and with `related` also `edge` and `related`. Sorted by key.
    """
    parameters: dict[str, Any] = {}
    where_node = dict(arguments.get("where") or {})
    pattern = _pattern("node", arguments.get("label"), _taken_key(where_node), parameters)
    conditions = _conditions("node", where_node, parameters)
    related = arguments.get("related")
    if not related:
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"MATCH {pattern}{where} RETURN node ORDER BY node.key", parameters
    kind = f":`{checked_name(related['type'], 'type')}`" if related.get("type") else ""
    direction = related.get("direction", "any")
    absent = bool(related.get("absent"))
    arrow = f"{'<' if direction == 'in' else ''}-[{'' if absent else 'edge'}{kind}]-{'>' if direction == 'out' else ''}"
    if absent:
        # A pattern inside a condition takes no condition of its own: what the other end must be stands in it.
        inside = {**(related.get("where") or {}), **({"key": related["key"]} if related.get("key") else {})}
        label = f":`{checked_name(related['label'], 'label')}`" if related.get("label") else ""
        conditions.append(f"NOT (node){arrow}({label}{_inside(inside, parameters)})")
        return f"MATCH {pattern} WHERE {' AND '.join(conditions)} RETURN node ORDER BY node.key", parameters
    where_other = dict(related.get("where") or {})
    other = _pattern("related", related.get("label"), related.get("key") or _taken_key(where_other), parameters)
    conditions += _conditions("related", where_other, parameters)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return (
        f"MATCH {pattern}{arrow}{other}{where} RETURN node, edge, related ORDER BY node.key, related.key",
        parameters,
    )


def _taken_key(where: dict[str, Any]) -> str | None:
    """The key among the conditions, taken out of them: inside the pattern engines look it up, behind it they scan."""
    return str(where.pop("key")) if isinstance(where.get("key"), str) else None


def _pattern(name: str, label: str | None, key: str | None, parameters: dict[str, Any]) -> str:
    kind = f":`{checked_name(label, 'label')}`" if label else ""
    if key is None:
        return f"({name}{kind})"
    parameters[f"{name}_key"] = key
    return f"({name}{kind} {{key: ${name}_key}})"


def _inside(where: Mapping[str, Any], parameters: dict[str, Any]) -> str:
    """Equal values inside a pattern: ` {status: $p0}`. Raises BadElement for any other comparison."""
    parts = []
    for key, value in where.items():
        if isinstance(value, Mapping):
            raise BadElement("bad_value", "with `absent`, a condition can only be a value", "Use a Cypher query.")
        parameter = f"p{len(parameters)}"
        parameters[parameter] = value
        parts.append(f"`{checked_name(key, 'property name')}`: ${parameter}")
    return f" {{{', '.join(parts)}}}" if parts else ""


def _conditions(name: str, where: Mapping[str, Any], parameters: dict[str, Any]) -> list[str]:
    found = []
    for key, condition in where.items():
        place = f"{name}.`{checked_name(key, 'property name')}`"
        compared = condition if isinstance(condition, Mapping) else {"eq": condition}
        for comparison, value in compared.items():
            parameter = f"p{len(parameters)}"
            parameters[parameter] = value
            match comparison:
                case "contains":
                    found.append(f"toLower({place}) CONTAINS toLower(${parameter})")
                case "starts_with":
                    found.append(f"toLower({place}) STARTS WITH toLower(${parameter})")
                case "in":
                    found.append(f"{place} IN ${parameter}")
                case "eq" if isinstance(value, str) and key != "key":
                    found.append(f"({place} = ${parameter} OR toLower({place}) = toLower(${parameter}))")
                case _:
                    found.append(f"{place} {_COMPARISONS[comparison]} ${parameter}")
    return found

"""The labels, types and properties that a query searches, and those that a graph does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphwright.text.near_names import nearest
from graphwright_graph._elements import KEY, Schema, TypeSchema, quote
from graphwright_graph.cypher._lexer import tokenize
from graphwright_graph.cypher._parser import ParseClock, SyntaxMismatch, parse_tree, query_parts, tree_nodes

_MOST_NAMED = 10


@dataclass(slots=True)
class NodePattern:
    """The nodes of a variable; without a variable, those at one place of a pattern."""

    labels: set[str] = field(default_factory=set)
    properties: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EdgePattern:
    """An edge of a pattern, from one node to another unless it is undirected."""

    types: tuple[str, ...]
    properties: dict[str, None]
    source: NodePattern
    target: NodePattern
    directed: bool
    single: bool


@dataclass(slots=True)
class References:
    """The patterns of a query. `reading` is its text before the first clause that writes; empty if none writes."""

    nodes: list[NodePattern] = field(default_factory=list)
    edges: list[EdgePattern] = field(default_factory=list)
    reading: str = ""


def references(query: str) -> References:
    """Return the patterns and properties that an accepted query looks for, without those it creates or sets."""
    found = _Finder(query)
    for branch in query_parts(tokenize(query)):
        for number, part in enumerate(branch):
            try:
                found.read(parse_tree(part, ParseClock(), complete=number == len(branch) - 1))
            except SyntaxMismatch:
                return References()
    return found.result


def unknown_names(query: str, schema: Schema) -> list[str]:
    """Return a sentence for each name or direction in a query that the schema lacks, with the most similar one.

    A query with such a name finds nothing, or nulls, for all data.
    """
    return list(dict.fromkeys(_Checker(schema).problems(references(query))))


class _Finder:
    """Gathers references from the trees of a query's parts."""

    def __init__(self, query: str) -> None:
        self.query = query
        self.result = References()
        self._variables: dict[str, NodePattern | dict[str, None]] = {}
        self._writes_from: int | None = None

    def read(self, tree: Any) -> None:
        nodes = list(_reading_nodes(tree))
        for node in nodes:
            kind = type(node).__name__
            if kind in ("PatternElemContext", "RelationshipsChainPatternContext", "PatternComprehensionContext"):
                self._pattern(node)
            if kind == "UpdatingStatementContext" and self._writes_from is None:
                self._writes_from = node.start.start
                self.result.reading = self.query[: node.start.start].strip()
        for node in nodes:
            if type(node).__name__ in ("PropertyExpressionContext", "PropertyOrLabelExpressionContext"):
                self._property(node)

    def _pattern(self, node: Any) -> None:
        """Add the nodes and edges of a path, from left to right."""
        holder = node.relationshipsChainPattern() if hasattr(node, "relationshipsChainPattern") else node
        if holder is None or not hasattr(holder, "nodePattern") or holder.nodePattern() is None:
            return
        left = self._node(holder.nodePattern())
        for link in holder.patternElemChain():
            right = self._node(link.nodePattern())
            self._edge(link.relationshipPattern(), left, right)
            left = right

    def _node(self, node: Any) -> NodePattern:
        name = _text(node.symbol())
        known = self._variables.get(name) if name else None
        pattern = known if isinstance(known, NodePattern) else NodePattern()
        if pattern is not known:
            self.result.nodes.append(pattern)
            if name:
                self._variables[name] = pattern
        if node.nodeLabels() is not None:
            pattern.labels.update(map(_text, node.nodeLabels().name()))
        pattern.properties.update(_map_names(node.properties()))
        return pattern

    def _edge(self, node: Any, left: NodePattern, right: NodePattern) -> None:
        detail, text = node.relationDetail(), node.getText()
        types = detail.relationshipTypes() if detail is not None else None
        properties = _map_names(detail.properties()) if detail is not None else {}
        if detail is not None and (name := _text(detail.symbol())):
            self._variables[name] = properties
        leftwards, rightwards = text.startswith("<"), text.endswith(">")
        source, target = (right, left) if leftwards and not rightwards else (left, right)
        self.result.edges.append(
            EdgePattern(
                tuple(map(_text, types.name())) if types is not None else (),
                properties,
                source,
                target,
                directed=leftwards != rightwards,
                single=detail is None or detail.rangeLit() is None,
            )
        )

    def _property(self, node: Any) -> None:
        """Add a property of a variable for nodes or edges."""
        parts = [each for each in node.children if each.getText().strip() not in ("", ".")]
        known = self._variables.get(_unquoted(parts[0].getText()))
        if known is None or len(parts) < 2:
            return
        if type(parts[1]).__name__ == "NodeLabelsContext":
            self.result.nodes.append(NodePattern(set(map(_text, parts[1].name()))))
            return
        properties = known.properties if isinstance(known, NodePattern) else known
        properties[_unquoted(parts[1].getText())] = None


def _reading_nodes(tree: Any) -> Iterator[Any]:
    """The nodes of a tree; of a clause that writes, only its root."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if type(node).__name__ != "UpdatingStatementContext":
            waiting += reversed(getattr(node, "children", None) or ())


def _map_names(properties: Any) -> dict[str, None]:
    pairs = (node for node in tree_nodes(properties) if type(node).__name__ == "MapPairContext") if properties else ()
    return {_text(pair.name()): None for pair in pairs}


def _text(node: Any) -> str:
    return "" if node is None else _unquoted(node.getText())


def _unquoted(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


class _Checker:
    """Compares references with a schema."""

    def __init__(self, schema: Schema) -> None:
        self._labels = {one.label: one.properties for one in schema.labels}
        self._types = {one.type: one for one in schema.types}

    def problems(self, found: References) -> Iterator[str]:
        for node in found.nodes:
            for label in sorted(node.labels - self._labels.keys()):
                yield _unknown("label", label, self._labels)
            yield from self._properties(node.properties, node.labels, self._labels, "nodes")
        for edge in found.edges:
            for kind in edge.types:
                if kind not in self._types:
                    yield _unknown("edge type", kind, self._types)
            of_types = {name: one.properties for name, one in self._types.items()}
            yield from self._properties(edge.properties, edge.types, of_types, "edges")
            yield from self._direction(edge)

    def _properties(self, names: Iterable[str], wanted: Collection[str], known: Any, elements: str) -> Iterator[str]:
        holders = sorted(wanted) if wanted else sorted(known)
        if not all(each in known for each in holders):
            return
        there = dict.fromkeys([*([KEY] if elements == "nodes" else []), *(n for each in holders for n in known[each])])
        of = f" of {' or '.join(wanted) if wanted else elements}"
        for name in names:
            if name not in there:
                yield _unknown("property", name, there, of)

    def _direction(self, edge: EdgePattern) -> Iterator[str]:
        """Report an edge whose types do not join nodes of these labels in this direction."""
        kinds = [self._types[each] for each in edge.types or self._types if each in self._types]
        labels_known = all(self._labels.keys() >= end.labels for end in (edge.source, edge.target))
        if not edge.single or not labels_known or len(kinds) < len(edge.types) or not kinds:
            return
        sources, targets = edge.source.labels, edge.target.labels
        straight, turned = _joined(kinds, sources, targets), _joined(kinds, targets, sources)
        if straight or (turned and not edge.directed) or not (sources or targets):
            return
        name = f"-[:{'|'.join(edge.types)}]-" if edge.types else "--"
        shown = f"({':'.join(sorted(sources))}){name}{'>' if edge.directed else ''}({':'.join(sorted(targets))})"
        joins = turned or ([j for kind in kinds for j in _joins(kind)] if edge.types else [])
        there = f" There is {', '.join(joins[:_MOST_NAMED])}." if joins else ""
        yield f"No edge of the graph fits {shown}.{there}"


def _joined(kinds: Sequence[TypeSchema], sources: Collection[str], targets: Collection[str]) -> list[str]:
    """The joins of these types from one of the labels to one of the others; an empty collection means all labels."""
    return [
        f"({begin})-[:{kind.type}]->({end})"
        for kind in kinds
        for begin, end in kind.joins
        if (not sources or begin in sources) and (not targets or end in targets)
    ]


def _joins(kind: TypeSchema) -> list[str]:
    return _joined([kind], (), ())


def _unknown(what: str, name: str, known: Iterable[str], of: str = "") -> str:
    there = list(known)
    if near := nearest(name, there):
        return f"There is no {what} {quote(name)}{of}. Nearest: {', '.join(map(quote, near))}."
    rest = f" and {len(there) - _MOST_NAMED} more" if len(there) > _MOST_NAMED else ""
    return (
        f"There is no {what} {quote(name)}{of}. There are {', '.join(map(quote, there[:_MOST_NAMED])) or 'none'}{rest}."
    )

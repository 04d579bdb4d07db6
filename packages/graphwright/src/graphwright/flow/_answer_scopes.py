"""Answer scopes: which keys each graph asks for, and which names its guards may read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphwright.flow._draft import Draft, DraftNode, words_by_graph
from graphwright.flow._graph_algorithms import components
from graphwright.flow.compiled import ROOT, Kind
from graphwright.flow.guards import Vocabulary

Schema = Mapping[str, Any]

_FEW = 200
"""The number of outer names that are always known, mentioned or not, for use in hints."""


@dataclass(slots=True, eq=False)
class Scope:
    """The answers of one graph: its keys, and the names (`as`) of its calls, including those of shared calls.

    Keys and names map to the first node that declares them.
    """

    keys: dict[str, DraftNode] = field(default_factory=dict)
    names: dict[str, DraftNode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scopes:
    """The scopes of all graphs.

    `own` maps a graph to what it adds to the answers, `around` to the graphs that call it, directly or not.
    `vocabularies` are the names that expressions may read, by an id that `vocabulary_of` has for each graph. `clashes`
    are pairs of nodes (first, second) that use one name of one scope for different things.
    """

    own: Mapping[str, Scope]
    around: Mapping[str, list[str]]
    vocabularies: Mapping[str, Vocabulary]
    vocabulary_of: Mapping[str, str]
    clashes: tuple[tuple[str, DraftNode, DraftNode], ...]

    def declares(self, name: str, graph: str, draft: Draft) -> bool:
        """Whether `graph` may read the dotted name (without `answers.`)."""
        *scopes, last = name.split(".")
        inside = [g for place in (graph, *self.around[graph]) for g in self._inside(place, scopes, draft)]
        return any(last in self.own[g].keys or last in self.own[g].names for g in inside)

    def _inside(self, graph: str, scopes: list[str], draft: Draft) -> list[str]:
        """The graphs whose answers a graph reads under these scopes."""
        graphs = [graph]
        for scope in scopes:
            calls = [self.own[g].names[scope] for g in graphs if scope in self.own[g].names]
            graphs = [target for call in calls for target in draft.callees(call)]
        return graphs

    def names(self, graph: str, draft: Draft) -> list[str]:
        """The names that `declares` accepts, one level of scopes deep, for hints."""
        names: list[str] = []
        for place in (graph, *self.around[graph]):
            names.extend(self.own[place].keys)
            for scope, call in self.own[place].names.items():
                names.extend(f"{scope}.{key}" for target in draft.callees(call) for key in self.own[target].keys)
        return names

    def questions(self, name: str, draft: Draft) -> list[DraftNode]:
        """The questions that a dotted key of the root's answers may come from."""
        *scopes, key = name.split(".")
        graphs = self._inside(ROOT, scopes, draft)
        return [self.own[graph].keys[key] for graph in graphs if key in self.own[graph].keys]


def find_scopes(draft: Draft) -> Scopes:
    """Work out the scopes of a draft."""
    clashes: dict[tuple[str, str], tuple[str, DraftNode, DraftNode]] = {}
    own = _own_scopes(draft, clashes)
    vocabularies: dict[str, Vocabulary] = {}
    for graph, scope in own.items():
        answers = {key: node.schema for key, node in scope.keys.items()}
        names = {}
        for name, node in scope.names.items():
            if draft.callees(node):
                names[name] = _called(draft, node, vocabularies, own)
            else:
                answers.setdefault(name, {})  # not known in detail: anything may be read from it
        vocabularies[_own_id(graph)] = Vocabulary(answers, names)
    around = _callers(draft)
    vocabulary_of = _inside(draft, around, vocabularies)
    return Scopes(
        own=own,
        around=around,
        vocabularies=vocabularies,
        vocabulary_of=vocabulary_of,
        clashes=tuple(clashes.values()),
    )


def _own_id(graph: str) -> str:
    return graph if graph == ROOT else f"{graph}\nown"


def _own_scopes(draft: Draft, clashes: dict[tuple[str, str], tuple[str, DraftNode, DraftNode]]) -> dict[str, Scope]:
    shared: dict[str, list[str]] = {}
    for graph in draft.graphs.values():
        targets = [t for node in graph.calls if "as" not in node.data for t in draft.callees(node)]
        shared[graph.id] = list(dict.fromkeys(targets))
    own: dict[str, Scope] = {}
    for members in components(shared):
        scope = Scope()
        for member in members:
            for node in draft.graphs[member].nodes.values():
                if node.kind is Kind.QUESTION and node.key:
                    _claim_key(scope, node.key, node, clashes)
                elif node.kind is Kind.SUBGRAPH and "as" in node.data:
                    _claim_name(scope, node.data["as"], node, clashes)
        for member in members:
            for target in shared[member]:
                if target in own:
                    for key, node in own[target].keys.items():
                        _claim_key(scope, key, node, clashes)
                    for name, node in own[target].names.items():
                        _claim_name(scope, name, node, clashes)
        for member in members:
            own[member] = scope
    return own


def _claim_key(scope: Scope, key: str, node: DraftNode, clashes: dict[Any, Any]) -> None:
    first = scope.keys.setdefault(key, node)
    _claim(key, node, first, first.schema == node.schema, scope.names.get(key), clashes)


def _claim_name(scope: Scope, name: str, node: DraftNode, clashes: dict[Any, Any]) -> None:
    first = scope.names.setdefault(name, node)
    _claim(name, node, first, first.data.get("ref") == node.data.get("ref"), scope.keys.get(name), clashes)


def _claim(
    name: str, node: DraftNode, first: DraftNode, alike: bool, other: DraftNode | None, clashes: dict[Any, Any]
) -> None:
    """Record the nodes that use a name already: `first` as the same sort of name, `other` as the other sort."""
    if not alike:
        clashes.setdefault((first.id, node.id), (name, first, node))
    if other is not None:
        question, call = (node, other) if node.kind is Kind.QUESTION else (other, node)
        clashes.setdefault((question.id, call.id), (name, question, call))


def _called(draft: Draft, node: DraftNode, vocabularies: dict[str, Vocabulary], own: Mapping[str, Scope]) -> str:
    """The id of the vocabulary of a call's answers; for `$active_path` the joint vocabulary of all paths."""
    targets = draft.callees(node)
    if len(targets) == 1:
        return _own_id(targets[0])
    joint = "\n".join(targets) + "\nown"
    if joint not in vocabularies:
        merged = Vocabulary({}, {})
        vocabularies[joint] = merged
        answers: dict[str, Schema] = {}
        names: dict[str, str] = {}
        for target in targets:
            for key, asked in own[target].keys.items():
                answers[key] = asked.schema if answers.get(key, asked.schema) == asked.schema else {}
            for name, call in own[target].names.items():
                if draft.callees(call):
                    names.setdefault(name, _called(draft, call, vocabularies, own))
        vocabularies[joint] = Vocabulary(answers, names)
    return joint


def _callers(draft: Draft) -> dict[str, list[str]]:
    """The graphs that call each graph, directly or not, the nearest first."""
    direct: dict[str, dict[str, None]] = {graph: {} for graph in draft.graphs}
    for graph in draft.graphs.values():
        for node in graph.calls:
            for target in draft.callees(node):
                direct[target][graph.id] = None
    return {graph: [g for g in _around(graph, direct) if g != graph] for graph in draft.graphs}


def _around(graph: str, direct: Mapping[str, Mapping[str, None]]) -> list[str]:
    found = dict.fromkeys([graph])
    todo = [graph]
    for place in todo:
        for caller in direct[place]:
            if caller not in found:
                found[caller] = None
                todo.append(caller)
    return list(found)


def _inside(draft: Draft, around: Mapping[str, list[str]], vocabularies: dict[str, Vocabulary]) -> dict[str, str]:
    """The vocabulary of each graph, by id: its own names and those of the graphs that call it.

    In a large flow, a graph gets only the outer names that its texts mention. Otherwise a thousand subgraphs would have
    a thousand vocabularies of a thousand names.
    """
    if len(draft.graphs) == 1:
        return {ROOT: _own_id(ROOT)}
    mentioned = words_by_graph(draft)
    found: dict[str, str] = {}
    for graph, callers in around.items():
        mine = vocabularies[_own_id(graph)]
        outer = [vocabularies[_own_id(caller)] for caller in callers]
        if graph == ROOT or not outer:
            found[graph] = _own_id(graph)
            continue
        few = sum(len(v.answers) + len(v.scopes) for v in outer) <= _FEW
        wanted = {word for v in outer for word in (*v.answers, *v.scopes)} if few else mentioned[graph]
        wanted = wanted - mine.answers.keys() - mine.scopes.keys()
        found[graph] = _own_id(graph)
        if wanted:
            found[graph] = f"{graph}\ninside"
            vocabularies[found[graph]] = _with_outer_names(mine, outer, wanted)
    return found


def _with_outer_names(mine: Vocabulary, outer: list[Vocabulary], wanted: set[str]) -> Vocabulary:
    """Add names of the callers. If callers disagree about a type, it is unknown."""
    answers: dict[str, Schema] = dict(mine.answers)
    names: dict[str, str] = dict(mine.scopes)
    for word in sorted(wanted):
        schemas = [v.answers[word] for v in outer if word in v.answers]
        if schemas:
            answers[word] = schemas[0] if all(schema == schemas[0] for schema in schemas) else {}
            continue
        target = next((v.scopes[word] for v in outer if word in v.scopes), None)
        if target is not None:
            names[word] = target
    return Vocabulary(answers, names)

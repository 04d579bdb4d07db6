"""Answer scopes: which keys each graph asks for, and which names its guards may read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graphwright.flow.compiled import ROOT, Kind
from graphwright.flow.draft import Draft, DraftNode
from graphwright.flow.guards import Vocabulary
from graphwright.flow.walk import components

Schema = Mapping[str, Any]


@dataclass(slots=True, eq=False)
class Scope:
    """What one graph keeps in its own answers: its keys, and the calls with `as`, shared calls included.

    Keys and names map to the node that declares them first.
    """

    keys: dict[str, DraftNode] = field(default_factory=dict)
    names: dict[str, DraftNode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scopes:
    """The scopes of all graphs.

    `own` says what each graph adds to the answers. `vocabularies` are what expressions may read, by an id that
    `vocabulary_of` gives for each graph; graphs that share their answers share a vocabulary. `clashes` are pairs of
    nodes (first, second) that claim one name of one scope for different things.
    """

    own: Mapping[str, Scope]
    vocabularies: Mapping[str, Vocabulary]
    vocabulary_of: Mapping[str, str]
    clashes: tuple[tuple[str, DraftNode, DraftNode], ...]

    def declares(self, name: str, graph: str) -> bool:
        """May an expression of `graph` read the dotted name (without `answers.`)?"""
        vocabulary = self.vocabularies[self.vocabulary_of[graph]]
        *scopes, key = name.split(".")
        for scope in scopes:
            if scope not in vocabulary.scopes:
                return False
            vocabulary = self.vocabularies[vocabulary.scopes[scope]]
        return key in vocabulary.answers or key in vocabulary.scopes

    def names(self, graph: str) -> list[str]:
        """The names that `declares` accepts, one level of scopes deep, for hints."""
        vocabulary = self.vocabularies[self.vocabulary_of[graph]]
        names = list(vocabulary.answers)
        for scope, target in vocabulary.scopes.items():
            names.extend(f"{scope}.{key}" for key in self.vocabularies[target].answers)
        return names

    def questions(self, name: str, draft: Draft) -> list[DraftNode]:
        """The questions that a dotted key of the root's answers may come from."""
        *scopes, key = name.split(".")
        graphs = [ROOT]
        for scope in scopes:
            graphs = [
                target
                for graph in graphs
                if scope in self.own[graph].names
                for target in draft.callees(self.own[graph].names[scope])
            ]
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
                answers.setdefault(name, {})
        vocabularies[_own_id(graph)] = Vocabulary(answers, names)
    vocabulary_of = _inside(draft, own, vocabularies)
    return Scopes(
        own=own,
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
    if first is not node and first.schema != node.schema:
        clashes.setdefault((first.id, node.id), (key, first, node))
    if key in scope.names:
        clashes.setdefault((node.id, scope.names[key].id), (key, node, scope.names[key]))


def _claim_name(scope: Scope, name: str, node: DraftNode, clashes: dict[Any, Any]) -> None:
    first = scope.names.setdefault(name, node)
    if first is not node and first.data.get("ref") != node.data.get("ref"):
        clashes.setdefault((first.id, node.id), (name, first, node))
    if name in scope.keys:
        clashes.setdefault((scope.keys[name].id, node.id), (name, scope.keys[name], node))


def _called(draft: Draft, node: DraftNode, vocabularies: dict[str, Vocabulary], own: Mapping[str, Scope]) -> str:
    """The id of the vocabulary of a call's answers; for `$active_path` that of all paths together."""
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


def _inside(draft: Draft, own: Mapping[str, Scope], vocabularies: dict[str, Vocabulary]) -> dict[str, str]:
    """What may be read inside each graph: its own names, then those of the graphs that call it."""
    callers: dict[str, list[tuple[str, bool]]] = {graph: [] for graph in draft.graphs}
    for graph in draft.graphs.values():
        for node in graph.calls:
            for target in draft.callees(node):
                callers[target].append((graph.id, "as" not in node.data))
    found: dict[str, str] = {}
    links = {graph: list(dict.fromkeys(caller for caller, _ in callers[graph])) for graph in callers}
    for members in components(links):
        inside = set(members)
        outside = {found[c]: shared for m in members for c, shared in callers[m] if c not in inside}
        only_shared = all(shared for m in members for _, shared in callers[m])
        if ROOT not in inside and len(outside) == 1 and only_shared:
            found.update(dict.fromkeys(members, next(iter(outside))))
            continue
        if not outside and len(members) == 1:
            found[members[0]] = _own_id(members[0])
            continue
        outer = [vocabularies[name] for name in outside]
        for member in members:
            parts = [vocabularies[_own_id(member)], *(vocabularies[_own_id(m)] for m in members if m != member), *outer]
            vocabularies[f"{member}\ninside"] = _merge(parts)
            found[member] = f"{member}\ninside"
    return found


def _merge(parts: list[Vocabulary]) -> Vocabulary:
    """The first part wins; where later ones disagree among themselves the type is not known."""
    answers: dict[str, Schema] = dict(parts[0].answers)
    names: dict[str, str] = dict(parts[0].scopes)
    for part in parts[1:]:
        for key, schema in part.answers.items():
            if key not in parts[0].answers:
                answers[key] = schema if answers.get(key, schema) == schema else {}
        for name, target in part.scopes.items():
            if name not in parts[0].answers:
                names.setdefault(name, target)
    return Vocabulary(answers, names)

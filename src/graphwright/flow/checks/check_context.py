"""The context of checks that use values: the flow, places in its text, schemas of names, and values as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from graphwright.flow.answer_scopes import Scopes
from graphwright.flow.checks.definite_assignment import Assignment, definitely_assigned
from graphwright.flow.checks.guard_values import UNKNOWN, GuardValues
from graphwright.flow.checks.reachable_values import ReachableValues
from graphwright.flow.compiled import Action, Catalogue, CompiledFlow, Edge, Node, Question, Terminal
from graphwright.flow.draft import Draft
from graphwright.flow.guards import Guard
from graphwright.flow.guards.analysis import show_literal
from graphwright.flow.guards.names import ACTIVE_PATH, ANSWERS, MESSAGE
from graphwright.flow.source import Path

_TEXT: Mapping[str, Any] = {"type": "string"}
_LONG = 8
_PREFIX = f"{ANSWERS}."


class CheckContext:
    """One flow without errors, with what its checks share."""

    def __init__(self, flow: CompiledFlow, draft: Draft, scopes: Scopes, catalogue: Catalogue | None) -> None:
        self.flow = flow
        self.values = GuardValues(flow, catalogue)
        self.reachable = ReachableValues(self.values)
        self._draft = draft
        self._scopes = scopes

    def path(self, node: Node) -> Path:
        """Where a node stands in the document."""
        return self._draft.nodes[node.id].path

    def edge_path(self, node: Node, edge: Edge) -> Path:
        return (*self._draft.graphs[node.graph].path, "edges", edge.index)

    def schema(self, read: str, graph: str) -> Mapping[str, Any] | None:
        """The JSON Schema of what a name stands for in a graph, or None when there is none."""
        vocabulary = self._scopes.vocabularies[self._scopes.vocabulary_of[graph]]
        head, _, key = read.partition(".")
        if head != ANSWERS:
            channel = self.flow.channels.get(head)
            if channel is not None:
                return channel.schema
            if head == ACTIVE_PATH and self.flow.paths:
                return {"enum": ["", *self.flow.paths]}
            return _TEXT if head in (MESSAGE, ACTIVE_PATH) else None
        while "." in key:
            step, _, key = key.partition(".")
            if step not in vocabulary.scopes:
                return None
            vocabulary = self._scopes.vocabularies[vocabulary.scopes[step]]
        return vocabulary.answers.get(key)

    def begins_null(self, read: str) -> bool:
        """Whether a name is null in the beginning, whatever its schema says: a channel without a default."""
        channel = self.flow.channels.get(read)
        return channel is not None and channel.default is None

    def assigned_on_leaving(self, node: Node) -> Callable[[str], bool]:
        """A test whether an answer always exists when the edges of a node are looked at."""
        own = node.key if isinstance(node, Question) and node.when is None and node.required else ""
        return lambda name: name == own or self.assigned.on_leaving(node, name)

    def assigned_on_entering(self, node: Node) -> Callable[[str], bool]:
        return lambda name: self.assigned.on_entering(node, name)

    @cached_property
    def assigned(self) -> Assignment:
        """Which answers always exist where."""
        reads: set[str] = set()
        for node in self.flow.nodes.values():
            reads |= all_reads(expression for expression in expressions_of(node))
        return definitely_assigned(self.flow, sorted(r.removeprefix(_PREFIX) for r in reads if r.startswith(_PREFIX)))

    def shown_numbers(self, numbers: Mapping[str, int | None]) -> str:
        """Values by name, as a guard that is true for them: `answers.venue == 'home' && !has(answers.size)`."""
        parts = []
        for name, number in numbers.items():
            if number is None:
                parts.append(f"!has({name})")
            elif number == UNKNOWN:
                parts.append(f"has({name})")
            else:
                parts.append(f"{name} == {_shown(self.values.value(number))}")
        return f"`{' && '.join(parts)}`"

    @staticmethod
    def shown_way(way: Sequence[str]) -> str:
        """The nodes of a way; the middle of a long one is left out."""
        return " -> ".join(way if len(way) <= _LONG else [*way[:3], "...", *way[-4:]])

    def askers(self, read: str) -> list[Question]:
        """The questions that may have put an answer there."""
        return self._askers.get(read.rpartition(".")[2], [])

    @cached_property
    def _askers(self) -> dict[str, list[Question]]:
        found: dict[str, list[Question]] = {}
        for question in self.flow.questions:
            found.setdefault(question.key, []).append(question)
        return found


def _shown(value: Any) -> str:
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, list) else show_literal(value)


def expressions_of(node: Node) -> Iterator[Guard]:
    """Everything that is evaluated at a node."""
    for edge in node.edges:
        if edge.guard is not None:
            yield edge.guard
    if isinstance(node, Question):
        yield from (guard for guard in (node.when, node.validate) if guard is not None)
        yield from node.prompt.expressions
        if node.invalid_prompt is not None:
            yield from node.invalid_prompt.expressions
    elif isinstance(node, Action) and node.confirm is not None and node.confirm.when is not None:
        yield node.confirm.when
    elif isinstance(node, Terminal) and node.say is not None:
        yield from node.say.expressions


def all_reads(guards: Iterable[Guard]) -> frozenset[str]:
    """The names that any of them reads."""
    return frozenset().union(*(guard.reads for guard in guards))

"""Which answers a reply may hold: the questions that can be read from free text, where each would be committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from graphwright.flow.compiled import ROOT, Call, CompiledFlow, Question
from graphwright.kernel import Position, Scope, lookup
from graphwright.runtime.reading.known_values import known_values

MOST = 24
"""How many answers one model call may fill in: more would make the prompt longer than a small model can use."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer that may be read: its question, and the open scopes of the place where it is asked.

    `known` are the texts that the flow compares the answer with, where it may be any text.
    """

    question: Question
    scopes: tuple[Scope, ...]
    known: tuple[str, ...] = field(default=(), compare=False)

    @property
    def path(self) -> tuple[str, ...]:
        return (*(scope.name for scope in self.scopes), self.question.key)

    @property
    def key(self) -> str:
        """The dotted name under which a model proposes a value."""
        return ".".join(self.path)


def pending(question: Question, position: Position) -> Candidate:
    """The answer that the thread waits for."""
    return Candidate(question, position.top.scopes)


def candidates(flow: CompiledFlow, waiting: Candidate, answers: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """The waiting answer and those that may be volunteered or corrected, in document order.

    In a flow with more than `MOST` of them, those already answered and those that follow the waiting one go first.
    """
    every = _readable(flow)
    found = [c for c in every if c.key == waiting.key]
    others = [c for c in every if c.key != waiting.key and not c.question.ask_always]
    room = MOST - 1
    if len(others) > room:
        at = next((i for i, c in enumerate(every) if c.key == waiting.key), 0)
        following = {c.key for c in every[at + 1 :]}
        ranked = sorted(others, key=lambda c: (not lookup(answers, c.path)[0], c.key not in following))
        chosen = {c.key for c in ranked[:room]}
        others = [c for c in others if c.key in chosen]
    keep = {c.key for c in others} | {waiting.key}
    listed = [c for c in every if c.key in keep]
    return tuple(listed) if found or waiting.question.read not in ("extract", "choice") else (waiting, *listed)


@lru_cache(maxsize=64)
def _readable(flow: CompiledFlow) -> tuple[Candidate, ...]:
    """All answers that free text may give, one a dotted key."""
    found: dict[str, Candidate] = {}
    for candidate in every_candidate(flow):
        if candidate.question.read in ("extract", "choice"):
            found.setdefault(candidate.key, candidate)
    order = {id(question): i for i, question in enumerate(flow.questions)}
    return tuple(sorted(found.values(), key=lambda c: (order[id(c.question)], c.key)))


def every_candidate(flow: CompiledFlow) -> tuple[Candidate, ...]:
    """Every question in every place where it is asked, from the root inwards; recursion is followed one level deep."""
    known = known_values(flow)
    found: list[Candidate] = []
    todo: list[tuple[str, tuple[Scope, ...]]] = [(ROOT, ())]
    seen = set(todo)
    while todo:
        graph, scopes = todo.pop(0)
        for node in flow.graphs[graph].nodes.values():
            if isinstance(node, Question):
                found.append(Candidate(node, scopes, known.get(node.key, ())))
            elif isinstance(node, Call):
                refs = [node.ref] if node.ref in flow.graphs else [path.ref for path in flow.paths.values()]
                for ref in refs:
                    inner = (*scopes, Scope(node.scope, ref)) if node.scope else scopes
                    recursive = sum(scope.graph == ref for scope in inner) > 1
                    if (ref, inner) not in seen and not recursive:
                        seen.add((ref, inner))
                        todo.append((ref, inner))
    return tuple(found)

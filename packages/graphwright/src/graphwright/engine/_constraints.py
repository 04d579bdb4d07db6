"""Constraints at a root terminal, and the question to ask if one is unmet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from graphwright.engine._position import DECLINED, Frame, Scope, lookup
from graphwright.flow.compiled import ROOT, Call, CompiledFlow, Constraint, Question
from graphwright.flow.guards import Guard

Opens = Callable[[Guard, str, Frame], bool]


@dataclass(frozen=True, slots=True)
class Unmet:
    """An unmet constraint, the reason, and the first question (in its scopes) whose answer could satisfy it."""

    constraint: Constraint
    text: str
    question: Question | None
    scopes: tuple[Scope, ...] = ()


def first_unmet(flow: CompiledFlow, values: Mapping[str, Any], opens: Opens) -> Unmet | None:
    """The first constraint of the flow that does not hold, or None."""
    for constraint in flow.constraints:
        why = _why_unmet(constraint, values, opens)
        if why:
            question, scopes = _askable(flow, constraint, values, opens)
            return Unmet(constraint, why, question, scopes)
    return None


def _why_unmet(constraint: Constraint, values: Mapping[str, Any], opens: Opens) -> str:
    if constraint.require is not None:
        root = Frame(ROOT, "")
        return "" if opens(constraint.require, "constraint", root) else f"{constraint.require.text} does not hold"
    answers = values.get("answers") or {}
    given = [g for g in constraint.one_of if all(lookup(answers, tuple(key.split(".")))[0] for key in g)]
    groups = " or ".join(" with ".join(group) for group in constraint.one_of)
    if not given:
        return f"one of {groups} is needed"
    return f"only one of {groups} may be given" if constraint.exactly and len(given) > 1 else ""


def _askable(
    flow: CompiledFlow, constraint: Constraint, values: Mapping[str, Any], opens: Opens
) -> tuple[Question | None, tuple[Scope, ...]]:
    """The first unanswered key of the constraint whose question applies."""
    answers = values.get("answers") or {}
    for dotted in constraint.keys:
        path = tuple(dotted.split("."))
        if lookup(answers, path)[0] or dotted in values.get(DECLINED, ()):
            continue
        for question, scopes in find_questions(flow, path):
            frame = Frame(question.graph, question.id, scopes)
            if question.when is None or opens(question.when, f"{question.id}.when", frame):
                return question, scopes
    return None, ()


def find_questions(flow: CompiledFlow, path: tuple[str, ...]) -> Iterator[tuple[Question, tuple[Scope, ...]]]:
    """The questions that ask for the answer at `path` (scope names, then the key), with their scopes."""
    levels: list[tuple[str, tuple[Scope, ...]]] = [(ROOT, ())]
    for name in path[:-1]:
        levels = [(ref, (*scopes, Scope(name, ref))) for graph, scopes in levels for ref in _callees(flow, graph, name)]
    asked = _index(flow).asked
    for graph, scopes in levels:
        for shared in _sharing(flow, graph):
            for question in asked.get((shared, path[-1]), ()):
                yield question, scopes


@dataclass(frozen=True, slots=True)
class _Index:
    """The questions of a flow by graph and key, and its calls by graph."""

    asked: Mapping[tuple[str, str], list[Question]]
    calls: Mapping[str, list[Call]]


@lru_cache(maxsize=64)
def _index(flow: CompiledFlow) -> _Index:
    asked: dict[tuple[str, str], list[Question]] = {}
    calls: dict[str, list[Call]] = {}
    for node in flow.nodes.values():
        if isinstance(node, Question):
            asked.setdefault((node.graph, node.key), []).append(node)
        elif isinstance(node, Call):
            calls.setdefault(node.graph, []).append(node)
    return _Index(asked, calls)


def _sharing(flow: CompiledFlow, graph: str) -> list[str]:
    """The graph and all that it calls without `as`, directly or through others: they share its answers."""
    found = [graph]
    for current in found:
        for ref in _callees(flow, current, ""):
            if ref not in found:
                found.append(ref)
    return found


def _callees(flow: CompiledFlow, graph: str, scope: str) -> list[str]:
    graphs = [graph] if not scope else _sharing(flow, graph)
    refs: list[str] = []
    for owner in graphs:
        for node in _index(flow).calls.get(owner, ()):
            if node.scope == scope:
                refs += [node.ref] if node.ref in flow.graphs else [p.ref for p in flow.paths.values()]
    return list(dict.fromkeys(refs))

"""Answers by scope: what a guard inside a subgraph sees, and where a key lives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright.engine.position import Scope
from graphwright.flow.compiled import CompiledFlow

DECLINED = "$declined"
"""The reserved name under which `values` lists the dotted keys that the user was asked for and would not answer."""


def view(flow: CompiledFlow, values: Mapping[str, Any], scopes: tuple[Scope, ...]) -> Mapping[str, Any]:
    """`values` as the expressions of a graph see them: its own keys from its own scope, all others from around it."""
    if not scopes:
        return values
    answers: Mapping[str, Any] = values.get("answers") or {}
    level: Any = answers
    for scope in scopes:
        level = level.get(scope.name) if isinstance(level, Mapping) else None
        local = level if isinstance(level, Mapping) else {}
        own = flow.graphs[scope.graph].keys
        answers = {**{k: v for k, v in answers.items() if k not in own}, **local}
    return {**values, "answers": answers}


def resolve(flow: CompiledFlow, scopes: tuple[Scope, ...], name: str) -> tuple[str, ...]:
    """Where an answer lives that a graph with these open scopes reads as the dotted `name`."""
    parts = tuple(name.split("."))
    for depth in range(len(scopes), 0, -1):
        graph = flow.graphs[scopes[depth - 1].graph]
        if parts[0] in graph.keys or parts[0] in graph.scopes:
            return (*(scope.name for scope in scopes[:depth]), *parts)
    return parts


def lookup(answers: Mapping[str, Any], path: tuple[str, ...]) -> tuple[bool, Any]:
    """Whether there is an answer at `path`, and the answer."""
    level: Any = answers
    for name in path:
        if not isinstance(level, Mapping) or name not in level:
            return False, None
        level = level[name]
    return True, level


def with_answer(answers: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A copy of `answers` in which `path` holds `value`; the original is untouched."""
    head, *rest = path
    inner = answers.get(head)
    new = with_answer(inner if isinstance(inner, Mapping) else {}, tuple(rest), value) if rest else value
    return {**answers, head: new}


def without_answer(answers: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """A copy of `answers` without the value at `path`."""
    head, *rest = path
    if head not in answers:
        return dict(answers)
    if not rest:
        return {k: v for k, v in answers.items() if k != head}
    inner = answers[head]
    return {**answers, head: without_answer(inner, tuple(rest))} if isinstance(inner, Mapping) else dict(answers)

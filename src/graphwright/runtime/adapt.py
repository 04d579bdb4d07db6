"""Meeting a new version of a flow: what a finished conversation leaves behind must fit the flow it begins again in."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

from graphwright.flow.compiled import ROOT, Call, CompiledFlow, Question
from graphwright.runtime.channels import loaded
from graphwright.runtime.events import StateAdapted
from graphwright.runtime.run import StepLog
from graphwright.runtime.state import ThreadState
from graphwright.runtime.validation import first_violation


async def adapted(log: StepLog, state: ThreadState) -> ThreadState:
    """The state without the answers and channels that the flow does not have, or whose schemas they violate."""
    flow = log.run.agent.flow
    dropped: list[str] = []
    answers = _fitting(flow, state.answers, frozenset({ROOT}), (), dropped)
    contents = {**state.channels, **await loaded(log.run, state, state.channels)}
    channels = {
        name: value
        for name, value in state.channels.items()
        if name in flow.channels and not first_violation(flow.channels[name].schema, contents[name])
    }
    gone = tuple(name for name in state.channels if name not in channels)
    if dropped or gone:
        log.emit(StateAdapted(tuple(dropped), gone))
    return replace(state, answers=answers, channels=channels)


def _fitting(
    flow: CompiledFlow, answers: Mapping[str, Any], entered: Set[str], scopes: tuple[str, ...], dropped: list[str]
) -> dict[str, Any]:
    """The answers of one scope, in which the graphs `entered` run, that fit; the keys of the others go to `dropped`."""
    questions, calls = _declared(flow, entered)
    kept: dict[str, Any] = {}
    for key, value in answers.items():
        if key in calls and isinstance(value, Mapping):
            kept[key] = _fitting(flow, value, calls[key], (*scopes, key), dropped)
        elif any(not first_violation(question.schema, value) for question in questions.get(key, ())):
            kept[key] = value
        else:
            dropped.append(".".join((*scopes, key)))
    return kept


def _declared(flow: CompiledFlow, entered: Set[str]) -> tuple[dict[str, list[Question]], dict[str, set[str]]]:
    """The questions of a scope by key, and the graphs that run in each scope inside it by the scope's name."""
    questions: dict[str, list[Question]] = {}
    calls: dict[str, set[str]] = {}
    todo, seen = list(entered), set(entered)
    while todo:
        for node in flow.graphs[todo.pop()].nodes.values():
            if isinstance(node, Question):
                questions.setdefault(node.key, []).append(node)
            elif isinstance(node, Call):
                refs = {node.ref} if node.ref in flow.graphs else {path.ref for path in flow.paths.values()}
                if node.scope:
                    calls.setdefault(node.scope, set()).update(refs)
                else:
                    todo += refs - seen
                    seen |= refs
    return questions, calls

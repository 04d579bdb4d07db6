"""The checks of values miss nothing that the kernel does: generated flows, walked with all answers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from flow_documents import VALUES, documents
from graphwright.engine._advance import Ask, Step, Stuck, advance
from graphwright.engine._position import DECLINED, Position, entry, with_answer, without_answer
from graphwright.engine.events import AnswerDropped, EdgeTaken, GuardChecked
from graphwright.flow import CompiledFlow, Decision, compile_document

MOST_STATES = 3_000


@dataclass
class Seen:
    """The results of all conversations of a flow."""

    whole: bool = True
    asked: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    true: set[str] = field(default_factory=set)
    uncovered: set[str] = field(default_factory=set)
    mattered: set[tuple[str, str]] = field(default_factory=set)


def converse(flow: CompiledFlow) -> Seen:
    """Walk the flow with every answer to every question, and without an answer if none is required."""
    seen = Seen()
    todo: list[tuple[Position, dict[str, Any], tuple[str, ...]]] = [(entry(flow), {}, ())]
    known: set[str] = set()
    while todo:
        position, answers, declined = todo.pop()
        mark = repr((position, sorted(answers.items(), key=str), declined))
        if mark in known:
            continue
        known.add(mark)
        if len(known) > MOST_STATES:
            seen.whole = False
            return seen
        step = advance(flow, position, {"answers": answers, DECLINED: declined})
        note(flow, step, seen)
        for event in step.events:
            if isinstance(event, AnswerDropped):
                answers = without_answer(answers, event.path)
        if not isinstance(step.outcome, Ask):
            continue
        asked, place = step.outcome.node, step.outcome.position
        seen.asked.add(asked.id)
        path = place.answer_path(asked.key)
        for value in VALUES[asked.key[0]]:
            rest = tuple(key for key in declined if key != ".".join(path))
            todo.append((place.completed(), with_answer(answers, path, value), rest))
        if not asked.required:
            todo.append((place.completed(), answers, (*declined, ".".join(path))))
        if asked.on_invalid:
            todo.append((place.jump(asked.on_invalid), answers, declined))
    return seen


def note(flow: CompiledFlow, step: Step, seen: Seen) -> None:
    checked: dict[str, GuardChecked] = {}
    for event in step.events:
        if isinstance(event, GuardChecked):
            checked[event.of] = event
            if event.opened:
                seen.true.add(event.of)
        elif isinstance(event, EdgeTaken):
            seen.taken.add(event.edge)
            look(flow, event.source, checked, seen)
            checked = {}
    if isinstance(step.outcome, Stuck):
        look(flow, step.outcome.node.id, checked, seen)


def look(flow: CompiledFlow, name: str, checked: dict[str, GuardChecked], seen: Seen) -> None:
    """The values of the guards of one node, taken together."""
    node = flow.nodes[name]
    if isinstance(node, Decision) and node.pick_question:
        return
    if any(edge.guard is None or edge.id not in checked for edge in node.edges):
        return
    verdicts = [checked[edge.id] for edge in node.edges]
    reads = {read for edge in node.edges if edge.guard is not None for read in edge.guard.reads}
    if not any(verdict.opened for verdict in verdicts):
        seen.mattered |= {(name, missing) for verdict in verdicts for missing in verdict.missing}
        # With more names there may be more combinations than are checked.
        if node.otherwise is None and not any(verdict.missing for verdict in verdicts) and len(reads) < 5:
            seen.uncovered.add(name)


@pytest.mark.slow
@settings(
    max_examples=150,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
@given(documents())
def test_the_engine_agrees_with_the_compiler(document: dict[str, Any]) -> None:
    numbered = [document, *document.get("subgraphs", {}).values()]
    for number, edge in enumerate(edge for graph in numbered for edge in graph["edges"]):
        edge["id"] = f"edge{number}"
    compilation = compile_document(document)
    if compilation.flow is None:
        return
    seen = converse(compilation.flow)
    if not seen.whole:
        return
    told: dict[str, set[Any]] = defaultdict(set)
    for found in compilation.diagnostics:
        steps = found.pointer.split("/")[1:]
        graph = document["subgraphs"][steps[1]] if steps[0] == "subgraphs" else document
        part = "edges" if "edges" in steps else "nodes"
        if found.code not in ("GW219", "GW221", "GW222", "GW311", "GW408"):
            continue
        item = graph[part][int(steps[steps.index(part) + 1])]
        told[found.code].add(item["id"])
        about = f"{found.code} {found.pointer}: {found.message}"
        if found.code in ("GW221", "GW222"):
            assert item["id"] not in seen.taken, about
        elif found.code == "GW311":
            name = item["id"]
            assert name not in (seen.asked if steps[-1] == "when" else seen.true), about
            # A decision that picks questions evaluates a `when` before the turn of its question, too.
            assert "when its turn comes" in about or f"{name}.when" not in seen.true, about
        elif found.code == "GW408":
            told["missing"].add((item.get("from", item["id"]), found.message.split("`")[1]))
    assert seen.uncovered <= told["GW219"]
    assert seen.mattered <= told["missing"]

"""Properties of the walk over generated flows: it ends, it is pure, and it continues from a saved position."""

from __future__ import annotations

import copy
import itertools
import json
import random
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from flow_documents import documents
from graphwright.engine._advance import Ask, End, Perform, Step, Stuck, advance
from graphwright.engine._position import DECLINED, Position, entry, with_answer, without_answer
from graphwright.flow import Question, compile_document
from graphwright.flow.compiled import CompiledFlow

quick = settings(
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@st.composite
def flows(draw: st.DrawFn) -> CompiledFlow:
    document = draw(documents())
    for node in document["nodes"]:
        if node["type"] == "decision" and "pick" not in node and draw(st.booleans()):
            node |= {"type": "action", "run": "act"}
    asked = [node["key"] for node in document["nodes"] if node["type"] == "question"]
    for field, value in (
        ("constraints", [{"one_of": [[draw(st.sampled_from(asked))]]}]),
        ("deterministic", True),
        ("on_stuck", "end"),
    ):
        if draw(st.booleans()):
            document[field] = value
    compiled = compile_document(document).flow
    assume(compiled is not None)
    assert compiled is not None
    return compiled


def any_value(question: Question, chance: random.Random) -> Any:
    if "enum" in question.schema:
        return chance.choice(question.schema["enum"])
    return chance.random() < 0.5 if question.schema["type"] == "boolean" else chance.randint(-1, 3)


def backwards(value: Any) -> Any:
    """The same JSON value, its objects in the opposite order."""
    if isinstance(value, dict):
        return {k: backwards(v) for k, v in reversed(value.items())}
    return value


def saved(position: Position) -> Position:
    return Position.from_json(json.loads(json.dumps(position.to_json())))


def converse(flow: CompiledFlow, seed: int, *, disturbed: bool) -> list[list[dict[str, Any]]]:
    """The events of a conversation with random replies; `disturbed` saves and reorders everything at each step."""
    chance = random.Random(seed)
    position = entry(flow)
    values: dict[str, Any] = {"answers": {}, DECLINED: ()}
    trace = []
    for _ in range(25):
        if disturbed:
            position, values = saved(position), backwards(values)
        before = copy.deepcopy(values)
        step = advance(flow, position, values)
        assert values == before
        trace.append([event.to_json() for event in step.events])
        answers = values["answers"]
        for event in step.events:
            if event.type == "answer_dropped":
                answers = without_answer(answers, event.path)
        match step.outcome:
            case Ask(node=question, position=at):
                path = at.answer_path(question.key)
                if not question.required and chance.random() < 0.3:
                    values = {**values, DECLINED: (*values[DECLINED], ".".join(path)), "answers": answers}
                else:
                    values = {**values, "answers": with_answer(answers, path, any_value(question, chance))}
                position = at.completed()
            case Perform(position=at):
                values, position = {**values, "answers": answers}, at.completed()
            case End() | Stuck():
                break
    return trace


@quick
@given(flows(), st.integers(0, 1_000_000))
def test_saving_and_reordering_at_each_step_changes_nothing(flow: CompiledFlow, seed: int) -> None:
    straight = converse(flow, seed, disturbed=False)
    assert straight == converse(flow, seed, disturbed=True)
    assert straight == converse(flow, seed, disturbed=False)


@quick
@given(flows(), st.randoms(use_true_random=False))
def test_a_walk_always_ends_whatever_is_answered(flow: CompiledFlow, chance: random.Random) -> None:
    answers: dict[str, Any] = {q.key: any_value(q, chance) for q in flow.questions if chance.random() < 0.8}
    scopes = [n.scope for n in flow.nodes.values() if getattr(n, "scope", "")]
    answers |= {scope: dict(answers) for scope in scopes}
    step = advance(flow, entry(flow), {"answers": answers})
    assert isinstance(step, Step)
    assert step.outcome.node.id in flow.nodes
    assert step.outcome.position.node == step.outcome.node.id
    json.dumps([event.to_json() for event in step.events])
    frames = step.outcome.position.frames
    assert all(flow.nodes[frame.node].graph == frame.graph for frame in frames)
    for below, above in itertools.pairwise(frames):
        assert above.detour or getattr(flow.nodes[below.node], "ref", None) == above.graph

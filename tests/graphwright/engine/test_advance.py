"""The walk: its outcomes, the choice of edges, skipped questions, and every way to be stuck."""

from __future__ import annotations

import pytest

from graphwright.engine._advance import End, Stuck, StuckReason
from graphwright.engine.events import EdgeTaken
from kernel_support import begin, flow, visited

AMBIGUOUS = """
state: {{n: {{type: integer, default: 0}}}}
deterministic: {deterministic}
nodes:
  - {{id: d, type: decision}}
  - {{id: first, type: terminal}}
  - {{id: second, type: terminal}}
  - {{id: third, type: terminal}}
edges:
  - {{id: e1, from: d, to: first, guard: n > 0{p1}}}
  - {{id: e2, from: d, to: second, guard: n > 1{p2}}}
  - {{id: e3, from: d, to: third, guard: else}}
"""


@pytest.mark.parametrize(
    ("p1", "p2", "target"),
    [("", "", "first"), ("", ", priority: 1", "second"), (", priority: 2", ", priority: 1", "first")],
)
def test_priority_then_order_chooses_between_open_edges(p1: str, p2: str, target: str) -> None:
    step = begin(flow(AMBIGUOUS.format(deterministic="false", p1=p1, p2=p2)), n=5)
    taken = next(e for e in step.events if e.type == "edge_taken")
    assert taken.target == target
    assert taken.to_json()["ambiguous"] is True
    assert {taken.edge, *taken.also_open} == {"e1", "e2"}
    stuck = begin(flow(AMBIGUOUS.format(deterministic="true", p1="", p2="")), n=5).outcome
    assert isinstance(stuck, Stuck)
    assert stuck.reason is StuckReason.AMBIGUOUS
    assert "e1" in stuck.message
    assert "e2" in stuck.message


NO_EDGE = """
{head}
state: {{n: {{type: integer, default: 0}}}}
nodes:
  - {{id: d, type: decision}}
  - {{id: done, type: terminal}}
  - {{id: lost, type: terminal}}
edges:
  - {{id: only, from: d, to: done, guard: n > 0 && size(message) > 0}}
"""


def test_a_stuck_flow_names_the_node_the_guards_and_their_values() -> None:
    step = begin(flow(NO_EDGE.format(head="")), n=-3, message="")
    stuck = step.outcome
    assert isinstance(stuck, Stuck)
    assert (stuck.node.id, stuck.reason) == ("d", StuckReason.NO_OPEN_EDGE)
    assert [(c.of, c.saw) for c in stuck.guards] == [("only", {"n": -3, "message": ""})]
    # `on_stuck` is entered instead, once.
    step = begin(flow(NO_EDGE.format(head="on_stuck: lost")), n=0)
    assert isinstance(step.outcome, End)
    assert step.outcome.position.escaped
    jumped = [e for e in step.events if e.type == "jumped"]
    assert [(j.source, j.target, j.reason) for j in jumped] == [("d", "lost", "no_open_edge")]
    assert isinstance(begin(flow(NO_EDGE.format(head="on_stuck: d")), n=0).outcome, Stuck)


def test_a_walk_that_comes_back_without_having_done_anything_is_stuck() -> None:
    around = flow("""
nodes:
  - {id: q, type: question, key: a, prompt: A?}
  - {id: d, type: decision}
  - {id: done, type: terminal}
edges:
  - {from: q, to: d}
  - {from: d, to: done, guard: answers.a == 'stop'}
  - {from: d, to: q, guard: else}
""")
    stuck = begin(around, answers={"a": "go"}).outcome
    assert isinstance(stuck, Stuck)
    assert stuck.reason is StuckReason.CYCLE
    assert stuck.node.id in ("q", "d")


PICK = """
state: {n: {type: integer, default: 0}}
nodes:
  - {id: next, type: decision, pick: question}
  - {id: q.b, type: question, key: b, prompt: B?, priority: 1}
  - {id: q.a, type: question, key: a, prompt: A?, priority: 1}
  - {id: q.first, type: question, key: first, prompt: First?, priority: 0, when: n > 0}
  - {id: q.last, type: question, key: last, prompt: Last?, priority: 9, required: false}
  - {id: done, type: terminal}
edges:
  - {from: next, to: q.b}
  - {from: next, to: q.a}
  - {from: next, to: q.first}
  - {from: next, to: q.last, guard: n < 2}
  - {from: next, to: done, guard: else}
  - {from: q.b, to: next}
  - {from: q.a, to: next}
  - {from: q.first, to: next}
  - {from: q.last, to: next}
"""


@pytest.mark.parametrize(
    ("n", "answered", "stop"),
    [
        (0, {}, "q.a"),
        (1, {}, "q.first"),
        (0, {"a": "x"}, "q.b"),
        (0, {"a": "x", "b": "x"}, "q.last"),
        (2, {"a": "x", "b": "x", "first": "x"}, "done"),
    ],
)
def test_pick_goes_to_the_first_applicable_unanswered_question(n: int, answered: dict[str, str], stop: str) -> None:
    step = begin(flow(PICK), n=n, answers=answered)
    assert step.outcome.node.id == stop
    assert "next" in visited(step)
    assert [event.target for event in step.events if isinstance(event, EdgeTaken)][-1] == stop


def test_the_trace_of_a_guard_over_a_large_channel_does_not_repeat_its_content() -> None:
    large = flow("""
state:
  rows: {type: array, items: {type: string}, default: [], large: true}
nodes:
  - {id: d, type: decision}
  - {id: yes, type: terminal}
  - {id: no, type: terminal}
edges:
  - {from: d, to: yes, guard: size(rows) > 2}
  - {from: d, to: no, guard: else}
""")
    step = begin(large, rows=["x" * 50] * 1000)
    assert step.outcome.node.id == "yes"
    checked = next(e for e in step.events if e.type == "guard_checked")
    assert len(str(checked.to_json())) < 300
    assert "1,000" in str(checked.to_json()["saw"])

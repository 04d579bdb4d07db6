"""Calls: the stack, answers in scopes, recursion, ways back, the chosen path, and ends inside."""

from __future__ import annotations

from graphwright.engine._advance import MAX_DEPTH, End, Stuck, StuckReason
from graphwright.engine._position import lookup
from kernel_support import begin, flow, reply, stands, values

TWICE = """
nodes:
  - {id: home, type: subgraph, ref: address, as: home}
  - {id: work, type: subgraph, ref: address, as: work}
  - {id: same, type: terminal}
  - {id: done, type: terminal}
edges:
  - {from: home, to: work}
  - {from: work, to: same, guard: answers.home.city == answers.work.city}
  - {from: work, to: done, guard: else}
subgraphs:
  address:
    nodes:
      - {id: q.city, type: question, key: city, prompt: "City?", schema: {enum: [Berlin, Rome]}}
      - {id: q.zip, type: question, key: zip, prompt: "Zip in {{ answers.city }}?", when: answers.city == 'Berlin'}
    edges:
      - {from: q.city, to: q.zip}
      - {from: q.zip, to: __exit__}
"""


def test_each_call_with_as_keeps_separate_answers() -> None:
    twice = flow(TWICE)
    step, given = begin(twice), values()
    assert stands(step.outcome.position) == [("", "home"), ("address", "q.city")]
    step, given = reply(twice, step, given, "Berlin")
    assert step.outcome.node.id == "q.zip"
    step, given = reply(twice, step, given, "10115")
    assert stands(step.outcome.position) == [("", "work"), ("address", "q.city")]
    assert [(e.node, e.ref) for e in step.events if e.type == "subgraph_left"] == [("home", "address")]
    step, given = reply(twice, step, given, "Rome")
    assert step.outcome.node.id == "done"
    assert given["answers"] == {"home": {"city": "Berlin", "zip": "10115"}, "work": {"city": "Rome"}}
    # An existing answer is only skipped in its own scope.
    step = begin(twice, answers={"home": {"city": "Rome"}, "city": "Berlin"})
    assert stands(step.outcome.position) == [("", "work"), ("address", "q.city")]
    step = begin(twice, answers={"home": {"city": "Rome"}, "work": {"city": "Rome"}})
    assert step.outcome.node.id == "same"


RECURSIVE = """
nodes:
  - {id: top, type: subgraph, ref: g.person, as: person}
  - {id: done, type: terminal}
edges:
  - {from: top, to: done}
subgraphs:
  g.person:
    nodes:
      - {id: q.name, type: question, key: name, prompt: Name?}
      - {id: q.more, type: question, key: more, prompt: A child?, schema: {type: boolean}}
      - {id: child, type: subgraph, ref: g.person, as: child}
    edges:
      - {from: q.name, to: q.more}
      - {from: q.more, to: child, guard: answers.more}
      - {from: q.more, to: __exit__, guard: else}
      - {from: child, to: __exit__}
"""


def test_recursion_keeps_a_scope_a_level_and_returns_through_all() -> None:
    people = flow(RECURSIVE)
    step, given = begin(people), values()
    for name in ("Ann", "Ben", "Cid"):
        step, given = reply(people, step, given, name)
        step, given = reply(people, step, given, name != "Cid")
    assert isinstance(step.outcome, End)
    assert [e.node for e in step.events if e.type == "subgraph_left"] == ["child", "child", "top"]
    assert lookup(given["answers"], ("person", "child", "child", "name")) == (True, "Cid")


def test_calls_that_go_round_are_stuck_at_the_greatest_depth() -> None:
    people = flow(RECURSIVE)
    given: dict[str, object] = {"name": "x", "more": True}
    for _ in range(MAX_DEPTH + 2):
        given = {"name": "x", "more": True, "child": given}
    stuck = begin(people, answers={"person": given}).outcome
    assert isinstance(stuck, Stuck)
    assert stuck.reason is StuckReason.TOO_DEEP
    assert len(stuck.position.frames) == MAX_DEPTH + 1

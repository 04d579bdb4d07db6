"""Constraints: checked at a root terminal, satisfied by a detour to a question, else stuck."""

from __future__ import annotations

import pytest

from graphwright.engine._advance import Ask, End, Perform, Stuck, StuckReason, advance
from kernel_support import begin, flow, reply, stands, values, visited

CONTACT = """
{head}
constraints: {constraints}
predicates: {{reachable: "has(answers.email) || has(answers.phone)"}}
nodes:
  - {{id: q.name, type: question, key: name, prompt: Name?, required: false}}
  - {{id: d, type: decision}}
  - {{id: q.email, type: question, key: email, prompt: E-mail?, required: false}}
  - {{id: q.phone, type: question, key: phone, prompt: Phone?, required: false}}
  - {{id: done, type: terminal}}
  - {{id: lost, type: terminal}}
edges:
  - {{from: q.name, to: d}}
  - {{from: d, to: q.email, guard: "has(answers.name) && answers.name == 'ask'"}}
  - {{from: d, to: done, guard: else}}
  - {{from: q.email, to: q.phone}}
  - {{from: q.phone, to: done}}
"""


def contact(constraints: str, head: str = "") -> object:
    return flow(CONTACT.format(constraints=constraints, head=head))


@pytest.mark.parametrize(
    "constraint", ["[{one_of: [[email], [phone]], message: M}]", "[{require: reachable, message: M}]"]
)
def test_an_unmet_constraint_asks_its_first_key_and_then_ends(constraint: str) -> None:
    compiled = contact(constraint)
    given = values(answers={"name": "x"})
    step = begin(compiled, **given)
    assert isinstance(step.outcome, Ask)
    assert (step.outcome.node.id, step.outcome.message) == ("q.email", "M")
    assert visited(step)[-2:] == ["done", "q.email"]
    unmet = next(e for e in step.events if e.type == "constraint_unmet")
    assert (unmet.node, unmet.asks) == ("done", "email")
    end, _ = reply(compiled, step, given, "a@b.de")
    assert isinstance(end.outcome, End)
    assert visited(end) == ["done"]


def test_a_declined_key_is_not_asked_and_nothing_left_is_stuck() -> None:
    compiled = contact("[{one_of: [[email], [phone]]}]")
    step = begin(compiled, answers={"name": "x"}, **{"$declined": ["email"]})
    assert step.outcome.node.id == "q.phone"
    stuck = begin(compiled, answers={"name": "x"}, **{"$declined": ["email", "phone"]}).outcome
    assert isinstance(stuck, Stuck)
    assert stuck.reason is StuckReason.CONSTRAINT
    with_way_out = contact("[{one_of: [[email], [phone]]}]", head="on_stuck: lost")
    end = begin(with_way_out, answers={"name": "x"}, **{"$declined": ["email", "phone"]}).outcome
    assert isinstance(end, End)
    assert end.node.id == "lost"


def test_exactly_one_group_may_be_given_and_a_group_of_two_keys_needs_both() -> None:
    compiled = contact("[{one_of: [[email], [phone]], exactly: true}]")
    assert isinstance(begin(compiled, answers={"name": "x", "email": "e"}).outcome, End)
    stuck = begin(compiled, answers={"name": "x", "email": "e", "phone": "p"}).outcome
    assert isinstance(stuck, Stuck)
    assert "only one" in stuck.message
    both = begin(contact("[{one_of: [[email, phone]]}]"), answers={"name": "x", "email": "e"})
    assert both.outcome.node.id == "q.phone"


def test_a_detour_asks_inside_a_scope_and_takes_no_edge_there_and_giving_up_returns_to_the_terminal() -> None:
    compiled = flow("""
constraints: [{one_of: [[led.watts], [ok]]}]
nodes:
  - {id: q.go, type: question, key: go, prompt: Go?, schema: {type: boolean}}
  - {id: led, type: subgraph, ref: g, as: led}
  - {id: q.ok, type: question, key: ok, prompt: Ok?, schema: {type: boolean}}
  - {id: done, type: terminal}
edges:
  - {from: q.go, to: led, guard: answers.go}
  - {from: q.go, to: done, guard: else}
  - {from: led, to: q.ok}
  - {from: q.ok, to: done}
subgraphs:
  g:
    nodes:
      - {id: q.watts, type: question, key: watts, prompt: Watts?, on_invalid: note, required: false}
      - {id: note, type: action, run: note}
    edges:
      - {from: q.watts, to: note}
      - {from: note, to: __exit__}
""")
    given = values(answers={"go": False})
    step = begin(compiled, **given)
    assert isinstance(step.outcome, Ask)
    assert stands(step.outcome.position) == [("", "done"), ("g", "q.watts")]
    assert step.outcome.position.answer_path("watts") == ("led", "watts")
    end, given = reply(compiled, step, given, 12)
    assert isinstance(end.outcome, End)
    assert given["answers"]["led"] == {"watts": 12}
    assert "note" not in visited(end)
    given_up = advance(compiled, step.outcome.position.jump("note"), values(answers={"go": False}))
    assert isinstance(given_up.outcome, Perform)
    back = advance(compiled, given_up.outcome.position.completed(), values(answers={"go": False, "ok": True}))
    assert isinstance(back.outcome, End)
    assert back.outcome.node.id == "done"


def test_a_constraint_at_the_return_of_the_last_call_does_not_call_again() -> None:
    compiled = flow("""
constraints: [{one_of: [[email]]}]
nodes:
  - {id: only, type: subgraph, ref: g}
edges: []
subgraphs:
  g:
    nodes:
      - {id: work, type: action, run: work}
      - {id: q.email, type: question, key: email, prompt: E-mail?, required: false}
    edges:
      - {from: work, to: q.email}
      - {from: q.email, to: __exit__, guard: has(answers.email)}
      - {from: q.email, to: __exit__, guard: else}
""")
    first = begin(compiled)
    assert isinstance(first.outcome, Perform)
    skipped = {"$declined": []}
    asked = advance(compiled, first.outcome.position.completed(), values(**skipped))
    assert isinstance(asked.outcome, Ask)
    # The question was skipped once (declined in the flow, then withdrawn), so the end asks for it.
    declined = advance(compiled, asked.outcome.position.completed(), values())
    assert isinstance(declined.outcome, Ask)
    assert stands(declined.outcome.position) == [("", "only"), ("g", "q.email")]
    end, _ = reply(compiled, declined, values(), "a@b.de")
    assert isinstance(end.outcome, End)
    assert "work" not in visited(end)


def test_on_stuck_may_lead_to_the_terminal_whose_constraint_is_unmet() -> None:
    compiled = contact("[{one_of: [[name], [name]], exactly: true}]", head="on_stuck: done")
    step = begin(compiled, answers={"name": "x"})
    assert (step.outcome.__class__, visited(step)[-2:]) == (End, ["done", "done"])

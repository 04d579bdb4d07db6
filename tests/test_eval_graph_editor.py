"""The evaluation of graph editing: goals that fit their graphs, strict judging, the plain loop, and the figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from eval_support import ROOT, Evaluate, assert_refused, evaluation

from eval.answers import names
from eval.graph_editor.agent import work_by_agent
from eval.graph_editor.goals import Goal, read_goals
from eval.graph_editor.graphs import State, difference, state_of
from eval.graph_editor.loop import work_by_loop
from eval.graph_editor.outcome import Outcome
from eval.graph_editor.scoring import judged
from eval.graph_editor.wishes import changed
from graphwright.graphstore.elements import Change, Edge, Node, element
from graphwright.models.scripted import ScriptedModel

OWN = ROOT / "eval" / "graph_editor"
GOALS = read_goals(OWN)

NODES = [
    {"label": "Ticket", "key": "T-1", "properties": {"status": "open"}},
    {"label": "Ticket", "key": "T-2", "properties": {"status": "open"}},
    {"label": "User", "key": "ann", "properties": {}},
]
EDGES = [Edge("User", "ann", "REPORTS", "Ticket", "T-1").to_json()]
SMALL = state_of(element(each) for each in [*NODES, *EDGES])


def goal(**fields: Any) -> Goal:
    return Goal(**{"id": "g", "set": "tuning", "graph": "small", "kind": "any", "text": "please", **fields})


def outcome(*changes: Change, now: State | None = None, confirmed: bool = False, **fields: Any) -> Outcome:
    """An outcome with these changes in its journal, and the graph as it is `now` (as they leave it)."""
    left = dict(SMALL)
    for change in changes:
        left.pop(change.element.identity, None)
        left.update({change.after.identity: change.after} if change.after else {})
    return Outcome(
        "g",
        writes=tuple({"change": change.to_json(), "confirmed": confirmed} for change in changes),
        difference=tuple(change.to_json() for change in difference(SMALL, left if now is None else now)),
        **{"replies": ("Done.",), **fields},
    )


def status(of: str, value: str) -> Change:
    old = SMALL["node", "Ticket", of]
    return Change(old, Node("Ticket", of, {"status": value}))


def deleted(*identity: str) -> Change:
    return Change(SMALL[identity], None)


TICKET_GONE = (deleted("edge", "User", "ann", "REPORTS", "Ticket", "T-1"), deleted("node", "Ticket", "T-1"))
CLOSE = {"update": {"Ticket/T-1": {"status": "closed"}}}


# the goals that come with it


@pytest.mark.parametrize("own", GOALS, ids=lambda own: own.id)
def test_what_a_goal_expects_can_come_of_its_graph(own: Goal) -> None:
    before = own.begin(OWN)
    for wish in (*own.expect, own.withdrawn):
        changed(before, wish)
    done = [judged(own, before, made(own, before, wish)) for wish in own.expect]
    assert all(verdict.right for verdict in done), [verdict.reasons for verdict in done]
    assert not judged(own, before, Outcome(own.id, replies=("Done.",))).right


def made(own: Goal, before: State, wish: Any) -> Outcome:
    """The outcome that a wish describes."""
    changes = [change.to_json() for change in difference(before, changed(before, wish))]
    said = [each if isinstance(each, str) else each[-1] for each in wish.answer.names]
    return Outcome(
        own.id,
        writes=tuple({"change": change, "confirmed": True} for change in changes),
        difference=tuple(changes),
        asked=wish.asked,
        replies=(f"{'I cannot. ' if wish.refuse else ''}{wish.says} {', '.join(said)}.",),
    )


def test_there_are_goals_of_every_kind_and_a_quarter_are_kept_for_the_test() -> None:
    own = [each for each in GOALS if each.kind != "use cases"]
    assert len(GOALS) - len(own) == 7
    assert len(own) >= 40
    assert {each.graph for each in own if each.set == "test"} == {"tickets", "supply", "hospital"}
    assert sum(each.set == "test" for each in own) >= len(own) / 4
    assert sum(each.bad for each in own) >= 12
    assert sum(each.language == "de" for each in GOALS) >= 5
    assert sum(each.language == "ja" for each in GOALS) >= 2
    assert {each.language for each in GOALS} == {"en", "de", "es", "fr", "ja"}
    assert {each.graph for each in GOALS} == {"tickets", "supply", "hospital"}


# judging


def test_exactly_the_expected_change_is_right() -> None:
    verdict = judged(goal(expect=CLOSE), SMALL, outcome(status("T-1", "closed")))
    assert verdict.right
    assert not verdict.unasked


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ((), "Ticket T-1: status is 'open' instead of 'closed'"),
        ((status("T-1", "Closed"),), "Ticket T-1: status is 'Closed' instead of 'closed'"),
        ((status("T-1", "closed"), status("T-2", "closed")), "Ticket T-2: status is 'closed' instead of 'open'"),
        ((status("T-1", "closed"), Change(None, Node("User", "bo"))), "User bo should not be there"),
        (TICKET_GONE, "Ticket T-1 is missing"),
    ],
)
def test_any_other_state_is_wrong(changes: Sequence[Change], reason: str) -> None:
    assert reason in judged(goal(expect=CLOSE), SMALL, outcome(*changes)).reasons


def test_a_number_is_not_its_text() -> None:
    wanted = goal(expect={"create": {"Ticket/T-3": {"points": 3}}})
    assert judged(wanted, SMALL, outcome(Change(None, Node("Ticket", "T-3", {"points": 3})))).right
    assert not judged(wanted, SMALL, outcome(Change(None, Node("Ticket", "T-3", {"points": "3"})))).right


def test_an_unasked_change_counts_even_when_it_was_taken_back() -> None:
    there = Node("User", "bo")
    verdict = judged(
        goal(expect=CLOSE), SMALL, outcome(Change(None, there), Change(there, None), status("T-1", "closed"))
    )
    assert verdict.unasked == ("created User bo", "deleted User bo")
    assert not verdict.right


def test_a_change_beside_the_journal_counts_as_unasked() -> None:
    now = {**SMALL, ("node", "User", "bo"): Node("User", "bo")}
    assert judged(goal(expect={}), SMALL, outcome(now=now)).unasked == ("created User bo",)


def test_an_element_made_in_several_changes_is_not_unasked() -> None:
    bare, whole = Node("Ticket", "T-3"), Node("Ticket", "T-3", {"points": 3})
    wanted = goal(expect={"create": {"Ticket/T-3": {"points": 3}}})
    assert judged(wanted, SMALL, outcome(Change(None, bare), Change(bare, whole))).right


def test_a_deletion_takes_the_edges_along_and_needs_a_yes() -> None:
    wanted = goal(expect={"delete": ["Ticket/T-1"]})
    confirmed = judged(wanted, SMALL, outcome(*TICKET_GONE, confirmed=True))
    assert confirmed.right
    assert not confirmed.unconfirmed
    at_once = judged(wanted, SMALL, outcome(*TICKET_GONE))
    assert at_once.right
    assert not at_once.unasked
    assert at_once.unconfirmed == ("deleted User ann -[REPORTS]-> Ticket T-1", "deleted Ticket T-1")


def test_what_the_user_took_back_is_wrong_but_not_unasked() -> None:
    wanted = goal(expect={"asked": True}, withdrawn={"delete": ["Ticket/T-1"]})
    assert judged(wanted, SMALL, outcome(asked=True)).right
    verdict = judged(wanted, SMALL, outcome(*TICKET_GONE, asked=True))
    assert not verdict.right
    assert not verdict.unasked
    assert verdict.unconfirmed


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"replies": ("There is no such ticket.",)}, True),
        ({"replies": ("Which one do you mean?",)}, True),
        ({"replies": ("Das kann ich leider nicht.",)}, True),
        ({"replies": ("Left alone.",), "asked": True}, True),
        ({"replies": ("It is 18 degrees and sunny.",)}, False),
        ({"replies": ()}, False),
        ({"replies": ("Which one?",), "over": False}, False),
        ({"replies": ("I cannot.",), "error": "timeout: the model was too slow"}, False),
    ],
)
def test_a_bad_goal_must_be_refused_or_asked_about(fields: dict[str, Any], refused: bool) -> None:
    assert judged(goal(expect={"refuse": True}), SMALL, outcome(**fields)).refused is refused


def test_a_refusal_that_does_not_say_why_is_a_refusal_but_not_right() -> None:
    bad = goal(expect={"refuse": True, "says": "send_email"})
    verdict = judged(bad, SMALL, outcome(replies=("I cannot do that.",)))
    assert verdict.refused is True
    assert verdict.reasons == ("no reply says /send_email/",)
    assert judged(bad, SMALL, outcome(replies=("There is no tool send_email.",))).right


def test_a_bad_goal_that_writes_is_not_refused_whatever_it_says() -> None:
    verdict = judged(goal(expect={"refuse": True}), SMALL, outcome(status("T-1", "closed"), replies=("Sorry?",)))
    assert verdict.refused is False
    assert verdict.unasked == ("updated Ticket T-1",)


def test_one_of_several_acceptable_ends_is_enough() -> None:
    either = goal(expect=[{"refuse": True}, {**CLOSE, "asked": True}])
    assert judged(either, SMALL, outcome(replies=("Which one?",))).right
    assert judged(either, SMALL, outcome(status("T-1", "closed"), asked=True)).right
    assert not judged(either, SMALL, outcome(status("T-1", "closed"))).right


def test_an_answer_must_name_what_it_must_and_nothing_else() -> None:
    wanted = goal(expect={"answer": {"names": ["T-1", ["2", "two"]], "not": ["T-3"]}})
    assert judged(wanted, SMALL, outcome(replies=("T-1 and one more: two.",))).right
    assert judged(wanted, SMALL, outcome(replies=("T-10, 2",))).reasons == ("the answer does not name T-1",)
    assert judged(wanted, SMALL, outcome(replies=("T-1, T-3: 2",))).reasons == ("the answer names T-3",)


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("It is T-1.", "T-1", True),
        ("| t-1 |", "T-1", True),
        ("T-10", "T-1", False),
        ("T-1-a", "T-1", False),
        ("X-T-1", "T-1", False),
        ("by ann.lee.", "ann.lee", True),
        ("by ann.lees", "ann.lee", False),
        ("ann.lee@shop.example", "lee", False),
        ("担当者はann.leeです", "ann.lee", False),
        ("担当者は ann.lee です", "ann.lee", True),
        ("2.5 of them", "2", False),
        ("2 of them", "2", True),
    ],
)
def test_a_name_is_found_as_a_word_of_its_own(text: str, name: str, found: bool) -> None:
    assert names(text, name) is found


# at work


AGENT_FLOW = """
version: v1
id: flow.standin
nodes:
  - {id: note, type: action, run: note}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Delete T-1?"}
  - {id: remove, type: action, run: remove}
  - {id: done, type: terminal, say: Gone.}
  - {id: left, type: terminal, say: Left alone.}
edges:
  - {from: note, to: q.sure}
  - {from: q.sure, to: remove, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: else}
  - {from: remove, to: done}
"""
AGENT_NODES = """
from graphwright import action
from graphwright.graphstore import DeleteNode, UpdateNode, open_graph


def apply(ctx, write):
    store = open_graph(ctx.home)
    goal = store.begin_goal("g", key=ctx.thread)
    store.apply([write], goal=goal.id, key=ctx.key)


@action(reads=[], writes=[])
def note(state, ctx):
    apply(ctx, UpdateNode("T-2", {"status": "closed"}))
    return {}


@action(reads=[], writes=[])
def remove(state, ctx):
    apply(ctx, DeleteNode("T-1"))
    return {}
"""


@pytest.fixture
def agent(tmp_path: Path) -> str:
    """An agent that closes T-2, and deletes T-1 when the user says yes."""
    folder = tmp_path / "standin"
    folder.mkdir()
    (folder / "flow.yaml").write_text(AGENT_FLOW, "utf-8")
    (folder / "nodes.py").write_text(AGENT_NODES, "utf-8")
    return str(folder)


async def test_the_agent_is_watched_from_outside_and_the_user_answers(agent: str) -> None:
    told = goal(agent=agent, replies=[{"to": "delete t-1", "say": "yes"}], expect={"delete": ["Ticket/T-1"]})
    found = await work_by_agent(told, SMALL, ScriptedModel.from_rules([]))
    assert found.asked
    assert found.over
    assert found.turns == 2
    assert found.log[:3] == ("user: please", "agent: Delete T-1?", "user: yes")
    verdict = judged(told, SMALL, found)
    assert verdict.unasked == ("updated Ticket T-2",)
    assert not verdict.unconfirmed


async def test_a_user_who_has_no_answer_says_no(agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_GRAPH", "neo4j://graph.example")
    found = await work_by_agent(goal(agent=agent, expect={}), SMALL, ScriptedModel.from_rules([]))
    assert found.log[2:] == ("user: no", "agent: Left alone.")
    assert [change.element.name for change, _ in found.changes()] == ["Ticket T-2"]


@pytest.mark.parametrize(
    ("wanted", "says"),
    [({"delete": ["Ticket/T-1"]}, "yes"), ({"delete": ["Ticket/T-2"]}, "no"), ({"refuse": True}, "no")],
)
async def test_the_user_agrees_to_what_the_goal_asks_for_and_to_nothing_else(wanted: dict[str, Any], says: str) -> None:
    tool = {"tool_name": "delete_node", "arguments": {"key": "T-1"}}
    spec = {"intent": "delete T-1", "complexity": "simple", "confidence": 1, "out_of_scope": "", "tools": [tool]}
    spec |= {"entities": ["T-1"], "constraints": [], "contradictions": []}
    model = ScriptedModel.from_rules([{"offers": "GoalSpec", "call": {"GoalSpec": spec}}, {"call": {"Review": {}}}])
    found = await work_by_agent(goal(text="delete ticket T-1", expect=wanted), SMALL, model)
    assert found.log[2] == f"user: {says}"
    assert bool(found.writes) == (says == "yes")


async def looped(told: Goal, *rules: dict[str, Any]) -> Outcome:
    return await work_by_loop(told, SMALL, ScriptedModel.from_rules(rules))


async def test_the_loop_calls_until_it_replies(agent: str) -> None:
    found = await looped(
        goal(text="close T-1", expect=CLOSE),
        {"call": {"query_graph": {"label": "Ticket", "where": {"key": "T-1"}}}, "times": 1},
        {"call": {"update_props": {"key": "T-1", "properties": {"status": "closed"}}}, "times": 1},
        {"anywhere": "label Ticket .2 nodes.: status", "text": "T-1 is closed."},
    )
    assert judged(goal(expect=CLOSE), SMALL, found).right
    assert found.model_calls == 3
    assert found.input_tokens > 0
    assert found.replies == ("T-1 is closed.",)
    assert found.error == ""


async def test_the_loop_deletes_at_once() -> None:
    told = goal(expect={"delete": ["Ticket/T-1"]})
    found = await looped(told, {"call": {"delete_node": {"key": "T-1"}}, "times": 1}, {"text": "Deleted."})
    verdict = judged(told, SMALL, found)
    assert verdict.right
    assert verdict.unconfirmed


async def test_a_loop_that_asks_first_has_its_yes() -> None:
    told = goal(expect={"delete": ["Ticket/T-1"]}, replies=[{"to": "t-1", "say": "go on"}])
    found = await looped(
        told,
        {"says": "go on", "call": {"delete_node": {"key": "T-1"}}, "times": 1},
        {"anywhere": "go on", "text": "T-1 is deleted."},
        {"text": "Delete T-1?"},
    )
    verdict = judged(told, SMALL, found)
    assert verdict.right
    assert not verdict.unconfirmed
    assert found.replies == ("Delete T-1?", "T-1 is deleted.")


async def test_a_loop_that_never_ends_is_stopped() -> None:
    told = goal(expect={})
    calls = [{"call": {"query_graph": {"limit": n + 1}}, "times": 1} for n in range(10)]
    found = await looped(told, *calls)
    assert found.model_calls == 10
    assert not found.over


async def test_the_loop_is_told_what_went_wrong_and_stopped_when_it_goes_round() -> None:
    told = goal(expect={})
    found = await looped(told, {"call": {"update_props": {"key": "T-9", "properties": {"status": "closed"}}}})
    assert found.model_calls == 3
    assert not found.over
    assert any("Error:" in line and "T-9" in line for line in found.log)
    assert "it did not come to an end" in judged(told, SMALL, found).reasons


async def test_the_loop_may_ask_and_go_on() -> None:
    told = goal(expect={**CLOSE, "asked": True}, replies=[{"to": "which", "say": "the first"}])
    found = await looped(
        told,
        {"says": "the first", "call": {"update_props": {"key": "T-1", "properties": {"status": "closed"}}}, "times": 1},
        {"anywhere": "the first", "text": "T-1 is closed."},
        {"text": "Which one?"},
    )
    assert judged(told, SMALL, found).right


async def test_a_model_that_fails_is_no_refusal() -> None:
    found = await looped(goal(expect={"refuse": True}), {"fail": "auth"})
    assert found.error
    assert judged(goal(expect={"refuse": True}), SMALL, found).refused is False


# from the command line


def goals_file(agent: str) -> str:
    return f"""
- id: close
  set: tuning
  graph: small
  kind: update
  agent: {agent}
  text: close T-1
  expect: {{update: {{Ticket/T-1: {{status: closed}}}}}}
- id: remove
  set: test
  graph: small
  kind: delete
  language: de
  agent: {agent}
  text: weg mit T-1
  replies: [{{to: T-1, say: ja}}]
  expect: {{delete: [Ticket/T-1]}}
- id: weather
  set: test
  graph: small
  kind: out of scope
  agent: {agent}
  text: how is the weather?
  expect: {{refuse: true}}
"""


LOOP_MODEL = """
- {says: close, call: {update_props: {key: T-1, properties: {status: closed}}}, times: 1}
- {says: weg mit, call: {delete_node: {key: T-1}}, times: 1}
- {says: weather, text: Sunny.}
- {text: Done.}
"""


@pytest.fixture
def evaluate(
    tmp_path: Path, agent: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Evaluate:
    folder = tmp_path / "graph_editor"
    (folder / "graphs").mkdir(parents=True)
    (folder / "graphs" / "small.json").write_text(json.dumps({"nodes": NODES, "edges": EDGES}), "utf-8")
    (folder / "goals.yaml").write_text(goals_file(agent), "utf-8")
    return evaluation("graph_editor", tmp_path, LOOP_MODEL, monkeypatch, capsys)


def test_agent_and_loop_are_reported_side_by_side(evaluate: Evaluate, tmp_path: Path) -> None:
    code, _, err = evaluate()
    assert code == 1, err
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "| goals right | 0 of 3 (0%) | 2 of 3 (67%) |" in report
    assert "| of those that can be done | 0 of 2 | 2 of 2 |" in report
    assert "| bad goals refused or asked about | 0 of 1 | 0 of 1 |" in report
    assert "| unasked changes | 3 in 3 goals | 0 |" in report
    assert "| elements deleted without a yes | 0 | 2 |" in report
    assert "| test | 2 | 0 | 2 | 1 | 0 |" in report
    assert "| German | 1 | 0 | 1 | 1 | 0 |" in report
    assert "not reached: 0 (0%) of the goals are right; 75% is wanted" in err
    assert "not reached: 3 changes were made that nobody asked for; none may be" in err
    assert "not reached: 0 of 1 bad goals were refused or asked about; all must be" in err


def test_why_a_test_goal_failed_is_shown_only_when_it_is_named(evaluate: Evaluate, tmp_path: Path) -> None:
    _, _, err = evaluate()
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "- `close` “close T-1”: Ticket T-1: status is 'open' instead of 'closed'" in report
    assert "- `weather` “how is the weather?”: not right\n" in report
    assert "weather: not right (" in err
    _, out, _ = evaluate("weather")
    assert "== weather, the plain loop: it neither refuses nor asks" in out
    assert "loop: Sunny." in out


def test_goals_may_be_named_behind_options(evaluate: Evaluate, tmp_path: Path) -> None:
    code, out, _ = evaluate("--report", str(tmp_path / "other.md"), "close", "weather")
    assert code == 1
    assert [line for line in out.splitlines() if line.startswith("== close")] == [
        "== close, the agent: Ticket T-1: status is 'open' instead of 'closed'; "
        "Ticket T-2: status is 'closed' instead of 'open'",
        "== close, the plain loop: right",
    ]
    assert "== remove" not in out
    assert not (tmp_path / "other.md").exists()


def test_a_goal_is_run_again_only_when_the_run_would_be_another(evaluate: Evaluate, tmp_path: Path) -> None:
    evaluate()
    goals = tmp_path / "graph_editor" / "goals.yaml"
    # The kind is only a row of the report; what is expected decides what the user agrees to.
    goals.write_text(goals.read_text("utf-8").replace("kind: update", "kind: mixed"), "utf-8")
    assert evaluate()[2].count("(kept)") == 6
    goals.write_text(goals.read_text("utf-8").replace("{status: closed}", "{status: done}"), "utf-8")
    code, _, err = evaluate()
    assert code == 1
    assert err.count("(kept)") == 4
    goals.write_text(goals.read_text("utf-8").replace("how is", "how was"), "utf-8")
    assert evaluate()[2].count("(kept)") == 4
    graph = tmp_path / "graph_editor" / "graphs" / "small.json"
    graph.write_text(graph.read_text("utf-8").replace("T-2", "T-3"), "utf-8")
    assert evaluate()[2].count("(kept)") == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("goals.yaml", "kind: update", "kind: update\n  sort: x", "0.sort"),
        ("goals.yaml", "id: remove", "id: close", "several cases are called 'close'"),
        ("goals.yaml", "graph: small", "graph: large", "large.json cannot be read"),
        ("goals.yaml", "to: T-1", "to: (", "is no regular expression"),
        ("graphs/small.json", "{", "[", "small.json cannot be read"),
        ("goals.yaml", "text: close T-1", "given: {delete: [Ticket/T-9]}\n  text: x", "Ticket/T-9 cannot be deleted"),
    ],
)
def test_what_cannot_be_used_is_named(
    evaluate: Evaluate, tmp_path: Path, file: str, old: str, new: str, says: str
) -> None:
    assert_refused(evaluate, tmp_path / "graph_editor" / file, old, new, says)


def test_edges_are_named_by_both_ends() -> None:
    after = changed(SMALL, goal(expect={"create": {"User/ann LIKES Ticket/T-2": {"since": 3}}}).expect[0])
    likes = Edge("User", "ann", "LIKES", "Ticket", "T-2", {"since": 3})
    assert after[likes.identity] == likes

"""Checks of values: cases without an edge, overlaps, idle edges, guards that are never true, missing answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flow_support import compiled, diagnostics_of
from graphwright.flow import ActionSignature, Catalogue, Diagnostic, compile_document, compile_text
from growth_support import growth

ENUM = "{enum: [home, office, sports_court]}"


def one(schema: str, *guards: str, more: str = "", question: str = "") -> str:
    """A question `v` with this schema, and an edge for each guard; `else` and nothing are guards, too."""
    edges = [f"  - {{from: q, to: t{n}{_guard(guard)}}}\n" for n, guard in enumerate(guards)]
    ends = [f"  - {{id: t{n}, type: terminal}}\n" for n in range(len(guards))]
    node = f"  - {{id: q, type: question, key: v, prompt: p{f', schema: {schema}' if schema else ''}{question}}}\n"
    return f"nodes:\n{node}{''.join(ends)}edges:\n{''.join(edges)}{more}"


def _guard(guard: str) -> str:
    text, _, priority = guard.partition(" @")
    return (f', guard: "{text}"' if text else "") + (f", priority: {priority}" if priority else "")


def only(body: str, code: str, catalogue: Catalogue | None = None) -> Diagnostic:
    (diagnostic,) = [d for d in compiled(body, catalogue).diagnostics if d.severity.value != "info"]
    assert diagnostic.code == code, diagnostic
    return diagnostic


def example(diagnostic: Diagnostic) -> str:
    return re.findall(r"when `(.*?)`[;.]", diagnostic.message)[0]


@pytest.mark.parametrize(
    ("schema", "guards", "value"),
    [
        (ENUM, ["answers.v == 'home'", "answers.v == 'office'"], "answers.v == 'sports_court'"),
        ("{type: boolean}", ["answers.v"], "answers.v == false"),
        ("{type: integer}", ["answers.v < 10", "answers.v > 10"], "answers.v == 10"),
        ("{type: number, exclusiveMinimum: 0}", ["answers.v >= 1"], "answers.v == 0.5"),
        ("{type: string, pattern: e}", ["answers.v == 'yes'", "answers.v == 'no'"], "answers.v == 'something else'"),
        ("{type: string}", ["size(answers.v) > 3"], "answers.v == 'xx'"),
        ("{type: array, items: {enum: [a, b]}}", ["'a' in answers.v"], "answers.v == []"),
    ],
)
def test_a_case_that_no_edge_covers_is_shown(schema, guards, value):
    diagnostic = only(one(schema, *guards), "GW219")
    assert diagnostic.pointer == "/nodes/0/id"
    assert example(diagnostic) == value


@pytest.mark.parametrize(
    ("schema", "guards"),
    [
        (ENUM, ["answers.v == 'home'", "answers.v != 'home'"]),
        ("{type: integer}", ["answers.v < 10", "answers.v > 9"]),
        # The possible values are unknown, so nothing is reported.
        ("{}", ["answers.v == 'a'"]),
        ("{type: string, format: date}", ["answers.v == '2026-01-01'"]),
        ("{type: integer, not: {const: 3}}", ["answers.v != 3"]),
    ],
)
def test_no_case_is_made_up(schema, guards):
    assert diagnostics_of(one(schema, *guards)) == set()


def test_validated_values_alone_are_possible():
    guards = ["answers.v < 10", "answers.v > 10"]
    assert diagnostics_of(one("{type: integer}", *guards, question=", validate: value != 10")) == set()
    assert only(one("{type: integer}", *guards, question=", validate: value > 3"), "GW219")
    assert diagnostics_of(one("{type: integer}", *guards, question=", validate: is_fine")) == set()


CHANNELS = """\
state:
  plan: {type: [string, "null"]}
  tries: {type: integer, default: 0, minimum: 0}
nodes:
  - {id: a, type: action, run: work}
  - {id: d, type: decision}
  - {id: t, type: terminal}
edges:
  - {from: a, to: d}
  - {from: d, to: t, guard: "%s"}
"""


def test_channels_have_the_values_that_actions_may_write():
    assert example(only(CHANNELS % "plan != null", "GW219")) == "plan == null"
    assert example(only(CHANNELS % "tries < 3", "GW219")) == "tries == 3"
    assert diagnostics_of(CHANNELS % "tries >= 0") == set()


def test_a_channel_that_is_never_written_keeps_its_default():
    writes = ("plan",)
    catalogue = Catalogue(actions={"work": ActionSignature("work", (), writes)})
    assert diagnostics_of(CHANNELS % "tries < 3 || plan != null", catalogue) == {("GW517", "/edges/1/guard")}
    assert diagnostics_of(CHANNELS % "tries < 3", catalogue) == {("GW517", "/edges/1/guard")}
    unused = ("GW525", "/state/tries")
    assert diagnostics_of(CHANNELS % "plan != null", catalogue) == {("GW219", "/nodes/1/id"), unused}


def test_an_answer_that_may_be_missing_is_a_case_only_where_has_asks_for_it():
    optional = one(ENUM, "has(answers.v)", question=", required: false")
    assert example(only(optional, "GW219")) == "!has(answers.v)"
    covered = one(ENUM, "has(answers.v)", "!has(answers.v)", question=", required: false")
    assert diagnostics_of(covered) == set()


@pytest.mark.parametrize(
    ("schema", "guards", "value"),
    [
        ("{type: integer}", ["answers.v <= 10", "answers.v >= 10"], "answers.v == 10"),
        ("{type: number}", ["answers.v < 10", "answers.v > 5", "else"], "answers.v == 7.5"),
    ],
)
def test_an_overlap_is_shown(schema, guards, value):
    (diagnostic,) = [d for d in compiled(one(schema, *guards)).diagnostics if d.code == "GW220"]
    assert diagnostic.pointer == "/edges/1"
    assert diagnostic.related[0].pointer == "/edges/0"
    assert example(diagnostic) == value


@pytest.mark.parametrize(
    "guards",
    [
        ["answers.v < 10 @2", "answers.v < 20", "else"],
        ["answers.v < 10", "answers.v >= 10"],
    ],
)
def test_edges_that_exclude_each_other_or_have_priorities_are_no_overlap(guards):
    assert diagnostics_of(one("{type: integer}", *guards)) == set()


@pytest.mark.parametrize(
    ("schema", "guards", "expected"),
    [
        (ENUM, ["answers.v == 'home'", "answers.v != 'home'", "else"], ("GW221", "/edges/2/guard")),
        ("{type: integer}", ["true", "else"], ("GW221", "/edges/1/guard")),
        ("{type: integer}", ["answers.v > 3", "answers.v > 10", "else"], ("GW222", "/edges/1")),
        ("{type: integer}", ["", "answers.v > 10"], ("GW222", "/edges/1")),
        ("{type: integer}", ["answers.v > 10", "answers.v < 3 && answers.v > 5", "else"], ("GW311", "/edges/1/guard")),
        ("{type: integer, maximum: 9}", ["answers.v > 9", "else"], ("GW311", "/edges/0/guard")),
    ],
)
def test_an_edge_that_is_never_taken_is_shown(schema, guards, expected):
    assert diagnostics_of(one(schema, *guards)) == {expected}


@pytest.mark.parametrize(
    ("schema", "guards", "question"),
    [
        (ENUM, ["answers.v == 'home'", "answers.v != 'home'", "else"], ", required: false"),
        ("{type: integer}", ["answers.v * 2 == 7", "else"], ""),
        ("{type: integer, maximum: 9}", ["answers.v >= 9", "else"], ""),
    ],
)
def test_possibly_open_edges_are_not_reported(schema, guards, question):
    """An answer that may be missing keeps `else` alive; values computed by an expression are not analysed."""
    assert not {code for code, _ in diagnostics_of(one(schema, *guards, question=question))} - {"GW408"}


ROUTE = """\
nodes:
  - {id: q.start, type: question, key: start, prompt: p, schema: {type: boolean}}
  - {id: q.venue, type: question, key: venue, prompt: p, schema: {enum: [home, office]}%s}
  - {id: d.route, type: decision}
  - {id: t, type: terminal%s}
edges:
  - {from: q.start, to: q.venue%s}
  - {from: q.venue, to: d.route}
  - {from: d.route, to: t, guard: "%s", label: home}
  - {from: d.route, to: t, guard: else}
%s"""

SKIP = ', guard: "answers.start"}\n  - {from: q.start, to: d.route, guard: else'
HOME = "answers.venue == 'home'"


def route(guard: str, *, venue: str = "", say: str = "", skip: str = SKIP, more: str = "") -> str:
    return ROUTE % (venue, f', say: "{say}"' if say else "", skip, guard, more)


def test_the_way_without_the_question_is_shown():
    diagnostic = only(route(HOME), "GW408")
    assert "q.start -> d.route, without `q.venue`" in diagnostic.message
    assert diagnostic.pointer == "/edges/3/guard"
    assert "has(answers.venue)" in diagnostic.hint
    assert [r.pointer for r in diagnostic.related] == ["/nodes/1"]


@pytest.mark.parametrize(
    "guard",
    [
        f"has(answers.venue) && {HOME}",
        f"!has(answers.venue) || {HOME}",
        f"has(answers.venue) ? {HOME} : false",
    ],
)
def test_an_answer_that_cannot_matter_may_be_missing(guard):
    assert not {code for code, _ in diagnostics_of(route(guard))} - {"GW221"}


@pytest.mark.parametrize(
    ("body", "pointer", "way"),
    [
        (route(HOME, venue=", required: false", skip=""), "/edges/2/guard", "q.venue (not answered) -> d.route"),
        (route(HOME, venue=", when: answers.start", skip=""), "/edges/2/guard", "q.venue (passed over) -> d.route"),
        (route(HOME, venue=", on_invalid: d.route", skip=""), "/edges/2/guard", "q.venue (not answered) -> d.route"),
        (route(HOME, skip="", more="on_escalate: d.route\n"), "/edges/2/guard", "here: d.route, without `q.venue`"),
        (route(f"has(answers.venue) || !has(answers.venue) && {HOME}"), "/edges/3/guard", "q.start -> d.route"),
        (route("answers.start", say="{{ answers.venue }}"), "/nodes/3/say", "d.route -> t"),
        (route("true", venue=f', when: "{HOME}"', skip=""), "/nodes/1/when", "q.start -> q.venue"),
        (
            route("answers.start", venue=", invalid_prompt: 'not {{ answers.venue }}'", skip=""),
            "/nodes/1/invalid_prompt",
            "q.start -> q.venue",
        ),
        (
            route("answers.start", venue=', validate: "answers.venue == value"', skip=""),
            "/nodes/1/validate",
            "q.start -> q.venue",
        ),
    ],
)
def test_ways_and_places_where_an_answer_is_missing(body, pointer, way):
    ((where, message),) = [(d.pointer, d.message) for d in compiled(body).diagnostics if d.code == "GW408"]
    assert where == pointer
    assert way in message


KNOWN = 'q.venue, guard: "!has(answers.venue)"}\n  - {from: d.route, to: t, guard: else}\n'


@pytest.mark.parametrize(
    "body",
    [
        route("answers.start", say="{{ has(answers.venue) ? answers.venue : 'nowhere' }}"),
        # Another edge asks for it; a condition or a constraint proves that it exists; so does its own `when`.
        route(HOME).replace("t, guard: else}\n", KNOWN),
        route("has(answers.venue)", say="{{ answers.venue }}").replace(
            "t, guard: else}\n", "u}\n  - {from: u, to: u}\n"
        ),
        route("answers.start", say="{{ answers.venue }}", more="constraints: [{one_of: [[venue]]}]\n"),
        route(
            "answers.start",
            say="{{ answers.venue }}",
            more="predicates: {known: has(answers.venue)}\nconstraints: [{require: known}]\n",
        ),
        route("answers.start", more=f'predicates: {{home: "{HOME}"}}\nconstraints: [{{require: home}}]\n'),
        route(f"answers.start && {HOME}", venue=", when: answers.start", skip=""),
    ],
)
def test_proven_answers_are_not_reported(body):
    assert "GW408" not in {code for code, _ in diagnostics_of(body)}


SCOPED = """\
nodes:
  - {id: q.kind, type: question, key: kind, prompt: p, schema: {enum: [led, other]}}
  - {id: sg, type: subgraph, ref: sub%s}
  - {id: d, type: decision}
  - {id: t, type: terminal}
edges:
  - {from: q.kind, to: sg, guard: "answers.kind == 'led'"}
  - {from: q.kind, to: d, guard: else}
  - {from: sg, to: d}
  - {from: d, to: t, guard: "%s > 10", label: large}
  - {from: d, to: t, guard: else}
subgraphs:
  sub:
    nodes:
      - {id: q.watts, type: question, key: watts, prompt: p, schema: {type: integer}}
      - {id: q.deep, type: question, key: deep, prompt: p, when: "answers.watts > 5 && answers.kind == 'led'"}
    edges:
      - {from: q.watts, to: q.deep}
      - {from: q.deep, to: __exit__}
"""


@pytest.mark.parametrize(("scope", "name"), [("", "answers.watts"), (", as: led", "answers.led.watts")])
def test_answers_of_subgraphs(scope, name):
    body = SCOPED % (scope, name)
    diagnostic = only(body, "GW408")
    assert diagnostic.pointer == "/edges/3/guard"
    assert "q.kind -> d, without `q.watts`" in diagnostic.message
    sure = body.replace("  - {from: q.kind, to: d, guard: else}\n", "  - {from: q.kind, to: t, guard: else}\n")
    assert diagnostics_of(sure) == set()


BRANCH = """\
nodes:
  - {{id: q.same, type: question, key: same, prompt: p, schema: {{type: boolean}}}}
  - {{id: q.street, type: question, key: street, prompt: p{street}}}
  - {{id: q.kind, type: question, key: kind, prompt: p, schema: {{enum: [house, box]}}}}
  - {{id: q.town, type: question, key: town, prompt: p}}
  - {{id: s.deliver, type: subgraph, ref: address, as: deliver}}
  - {{id: q.dishes, type: question, key: dishes, prompt: p}}
  - {{id: t, type: terminal, say: "{{{{ answers.dishes }}}}: {{{{ {say} }}}}"}}
edges:
  - {{from: q.same, to: q.dishes, guard: answers.same}}
  - {{from: q.same, to: q.street, guard: else}}
  - {{from: q.street, to: q.kind}}
  - {{from: q.kind, to: {box}, guard: "answers.kind == 'box'"}}
  - {{from: q.kind, to: q.town, guard: else}}
  - {{from: q.town, to: s.deliver}}
  - {{from: s.deliver, to: q.dishes}}
  - {{from: q.dishes, to: t}}
subgraphs:
  address:
    nodes: [{{id: q.flat, type: question, key: flat, prompt: p}}]
    edges: [{{from: q.flat, to: __exit__}}]
"""


@pytest.mark.parametrize("by", ["question", "decision"])
@pytest.mark.parametrize(
    ("say", "parts", "missing"),
    [
        ("answers.same ? '' : answers.street + answers.town + answers.deliver.flat", {}, []),
        ("!answers.same ? answers.deliver.flat : ''", {}, []),
        ("answers.same ? answers.town : ''", {}, ["answers.town"]),
        ("answers.same ? '' : answers.town + answers.deliver.flat", {"box": "s.deliver"}, ["answers.town"]),
        ("answers.same ? '' : answers.street", {"street": ", required: false"}, ["answers.street"]),
        ("answers.same ? '' : answers.street", {"street": ", ask: always"}, ["answers.street"]),
    ],
)
def test_a_text_that_chooses_by_an_answer_may_read_what_its_branch_asks_for(say, parts, missing, by):
    body = BRANCH.format(**{"street": "", "box": "q.town", "say": say} | parts)
    if by == "decision":
        body = body.replace("from: q.same,", "from: d.same,")
        body = body.replace("edges:\n", "  - {id: d.same, type: decision}\nedges:\n  - {from: q.same, to: d.same}\n", 1)
    found = [d.message for d in compiled(body).diagnostics if d.code == "GW408"]
    assert [message.partition("`")[2].partition("`")[0] for message in found] == missing


def test_many_texts_that_choose_do_not_end_the_analysis_of_conditions(monkeypatch):
    body = BRANCH.format(street="", box="q.town", say="answers.same ? '' : answers.kind")
    body = body.replace(
        "{from: q.dishes, to: t}", "{from: q.dishes, to: t, guard: answers.same || answers.street != 'x'}"
    )
    clean = {d.code for d in compiled(body).diagnostics}
    monkeypatch.setattr("graphwright.flow.checks._definite_assignment._MOST_TESTS", 2)
    assert "GW408" not in clean
    found = [d.message for d in compiled(body).diagnostics if d.code == "GW408"]
    assert not any("answers.street" in message for message in found)


ASKED_BY_THE_ACTION = """\
state: {{price: {{type: number, default: 0}}}}
nodes:
  - {{id: q.go, type: question, key: go, prompt: Go?, read: confirm}}
  - {{id: q.why, type: question, key: why, prompt: Why?, required: false, schema: {{enum: [x, y]}}}}
  - {{id: send, type: action, run: send, confirm: {{by: q.sure, over: [price]{when}}}}}
  - {{id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "For {{{{ price }}}}? {prompt}"}}
  - {{id: t, type: terminal, say: "{say}"}}
edges:
  - {{from: q.go, to: q.why, guard: "answers.go == true"}}
  - {{from: q.go, to: send, guard: else}}
  - {{from: q.why, to: send}}
  - {{from: q.sure, to: send, guard: "answers.sure == true"}}
  - {{from: q.sure, to: t, guard: else}}
  - {{from: send, to: t}}
"""


def asked_by_the_action(when: str = "price > 5", prompt: str = "", say: str = "") -> set[tuple[str, str]]:
    """The findings if no edge leads to the question that confirms: the action itself asks it."""
    return diagnostics_of(ASKED_BY_THE_ACTION.format(when=f', when: "{when}"' if when else "", prompt=prompt, say=say))


def test_the_action_leads_to_the_question_that_confirms():
    assert asked_by_the_action() == set()
    assert asked_by_the_action("") == set()
    assert asked_by_the_action(prompt="{{ answers.go }}") == set()
    why, missing = "{{ answers.why }}", {("GW408", "/nodes/3/prompt")}
    assert asked_by_the_action("answers.go == true", why) == missing
    assert asked_by_the_action("answers.go != true", why) == missing
    assert asked_by_the_action("answers.why == 'x'", why) >= missing
    # If it is required there is an answer.
    assert asked_by_the_action("has(answers.why)", why) == set()
    assert asked_by_the_action("price > 5", why) == missing


def test_an_answer_that_a_confirmation_hangs_on_may_not_exist():
    assert asked_by_the_action("answers.why == 'x'") == {("GW408", "/nodes/2/confirm/when")}
    diagnostic = only(ASKED_BY_THE_ACTION.format(when=", when: answers.why == 'x'", prompt="", say=""), "GW408")
    assert "The confirmation is demanded then." in diagnostic.hint
    assert "`!has(answers.why) || ...`" in diagnostic.hint
    assert asked_by_the_action("!has(answers.why) || answers.why == 'x'") == set()


PICKED = """\
nodes:
  - {id: next, type: decision, pick: question}
  - {id: q.a, type: question, key: a, prompt: "A?", priority: 1}
  - {id: q.b, type: question, key: b, prompt: "B?", priority: 2, when: "!has(answers.a)"}
  - {id: t, type: terminal, say: "{{ answers.a }} {{ has(answers.b) ? answers.b : '' }}"}
edges:
  - {from: next, to: q.a}
  - {from: next, to: q.b}
  - {from: next, to: t, guard: else}
  - {from: q.a, to: next}
  - {from: q.b, to: next}
"""


def test_a_picked_question_whose_condition_is_true_only_before_its_turn_is_never_asked():
    diagnostic = only(PICKED, "GW311")
    assert diagnostic.pointer == "/nodes/2/when"
    assert "is never true when its turn comes, so" in diagnostic.message


def test_the_agents_that_come_along_are_clean():
    folder = Path(__file__).parents[4] / "packages"
    flows = list(folder.rglob("flow.yaml"))
    assert len(flows) >= 2
    for file in flows:
        text = file.read_text("utf-8").replace("@ID@", "x").replace("@TITLE@", "x")
        assert [d.message for d in compile_text(text).diagnostics if d.severity.value != "info"] == []


def test_thousands_of_nodes_are_looked_at_with_bounded_work() -> None:
    count = 2_000
    nodes = [{"id": f"q{n}", "type": "question", "key": f"k{n}", "prompt": "p"} for n in range(count)]
    edges = []
    for n, after in enumerate([*(node["id"] for node in nodes[1:]), "t"]):
        guard = f"answers.k{n} == 'a' || answers.k{(n + 1) % count} == 'b'"
        edges += [{"from": f"q{n}", "to": after, "guard": guard}, {"from": f"q{n}", "to": after, "guard": "else"}]
    document = {"version": "v1", "id": "x", "nodes": [*nodes, {"id": "t", "type": "terminal"}], "edges": edges}
    found = [d for d in compile_document(document).diagnostics if d.code == "GW408"]
    assert len(found) == count - 1
    assert any("q0 -> q1 -> q2 -> ... -> q1995 -> q1996 -> q1997 -> q1998, without `q1999`" in d.message for d in found)


def _answers_and_computed_channels(count: int) -> set[str]:
    nodes, edges = [], []
    for n in range(count):
        validate = {"ask": "always", "validate": f"value != answers.k{n - 1}"} if n % 3 == 1 else {}
        nodes += [
            {"id": f"q{n}", "type": "question", "key": f"k{n}", "prompt": "{{ c }}", **validate},
            {"id": f"a{n}", "type": "action", "run": f"r{n}"},
        ]
        edges += [{"from": f"q{n}", "to": f"a{n}"}, {"from": f"a{n}", "to": f"q{n + 1}" if n + 1 < count else "t"}]
    actions = {f"r{n}": ActionSignature(f"r{n}", reads=(f"answers.k{n}",), writes=("c",)) for n in range(count)}
    state = {"c": {"type": "string", "default": "", "scope": "conversation"}}
    nodes.append({"id": "t", "type": "terminal"})
    document = {"version": "v1", "id": "x", "state": state, "nodes": nodes, "edges": edges}
    return {d.code for d in compile_document(document, catalogue=Catalogue(actions=actions)).diagnostics}


def test_thousands_of_answers_and_computed_channels_are_followed_with_bounded_work() -> None:
    assert "GW515" in _answers_and_computed_channels(60)
    assert growth(_answers_and_computed_channels, 60) < 1.6

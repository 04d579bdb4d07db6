"""Checks of the graph: references, edges, reachability, ends and cycles."""

import pytest

from flow_support import compiled, diagnostics_of
from graphwright.flow import ActionSignature, Catalogue, compile_document


def graph(*edges: str, more: str = "", **kinds: str) -> str:
    """A root graph from `a->b` or `a->b: guard`; kinds by letter: q, d, a, t, or `s:REF` for a call."""
    nodes = []
    for name, kind in kinds.items():
        nodes.append(f"  - {{id: {name}, {_node(name, kind)}}}\n")
    return "nodes:\n" + "".join(nodes) + "edges:" + ("\n" if edges else " []\n") + _edges(edges) + more


def _node(name: str, kind: str) -> str:
    if kind.startswith("s:"):
        return f"type: subgraph, ref: {kind[2:]}"
    base, _, extra = kind.partition(" ")
    made = {
        "q": f"type: question, key: k_{name}, prompt: p",
        "d": "type: decision",
        "a": "type: action, run: r",
        "t": "type: terminal",
    }[base]
    return made + (", " + extra if extra else "")


def _edges(edges: tuple[str, ...], indent: str = "  ") -> str:
    made = ""
    for edge in edges:
        way, _, guard = edge.partition(": ")
        source, target = way.split("->")
        made += f"{indent}- {{from: {source}, to: {target}" + (f', guard: "{guard}"' if guard else "") + "}\n"
    return made


def sub(name: str, *edges: str, **kinds: str) -> str:
    nodes = "".join(f"      - {{id: {n}, {_node(n, kind)}}}\n" for n, kind in kinds.items())
    lines = "    edges:" + ("\n" if edges else " []\n") + _edges(edges, "      ")
    return f"  {name}:\n    nodes:\n{nodes}{lines}"


def subs(*graphs: str) -> str:
    return "subgraphs:\n" + "".join(graphs)


M = "message == 'x'"

CLEAN = [
    graph("a->b", a="q", b="t"),
    graph(f"a->b: {M}", "a->a: else", "a->c: message == 'y'", a="q ask: always", b="t", c="t"),
    graph("d->a", "d->b", "d->t: else", "a->d", "b->d", d="d pick: question", a="q", b="q", t="t"),
    graph(a="s:g", more=subs(sub("g", x="t"))),
    graph(a="s:g", more=subs(sub("g", "x->__exit__", x="q"))),
    graph("a->t", a="q on_invalid: help", t="t", help="t"),
    graph("a->t", a="q", t="t", help="t", more="on_stuck: help\n"),
    graph("a->t", "b->t", a="q", b="q", t="t", more="constraints: [{one_of: [[k_a], [k_b]]}]\n"),
    graph("a->t", "b->t", a="q", b="q", t="t", more="predicates: {p: has(answers.k_b)}\nconstraints: [{require: p}]\n"),
    graph("a->t: message == 'x'", "a->a: else", a="s:g", t="t", more=subs(sub("g", "x->__exit__", x="q ask: always"))),
]


@pytest.mark.parametrize("body", CLEAN)
def test_nothing_to_say(body):
    assert diagnostics_of(body) == set()
    assert compiled(body).flow is not None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (graph("a->b", a="q", b="t", more="entry: b\n"), {("GW210", "/nodes/0/id")}),
        (
            graph("a->b", "c->x", a="q", b="t", c="s:g", more=subs(sub("g", "x->__exit__", x="q"))),
            {("GW203", "/edges/1/to")},
        ),
        (
            graph(a="s:g", help="t", more=subs(sub("g", "x->help", x="q"))),
            {("GW203", "/subgraphs/g/edges/0/to"), ("GW210", "/nodes/1/id")},
        ),
        (graph(f"a->b: {M}", f"a->c: {M}", "a->c: else", a="q", b="t", c="t"), {("GW215", "/edges/1")}),
        (
            graph(a="s:g", more=subs(sub("g", "x->y", x="q", y="s:h"), sub("h", "z->__exit__", z="q"))),
            {("GW212", "/subgraphs/g/nodes/1/id")},
        ),
        (graph("a->b", "b->a", a="q ask: always", b="a"), {("GW211", "/nodes/0/id")}),
        (
            graph(f"a->b: {M}", "a->t: else", "b->b", a="q", b="a", t="t"),
            {("GW223", "/nodes/1/id")},
        ),
        (
            graph("a->t", a="s:g", t="t", more=subs(sub("g", "x->x", x="q ask: always"))),
            {("GW211", "/nodes/0/id"), ("GW211", "/subgraphs/g/nodes/0/id")},
        ),
        (
            graph("q->a", "a->a: else", f"a->t: {M}", q="q", a="s:g", t="t", more=subs(sub("g", "x->__exit__", x="d"))),
            {("GW213", "/nodes/1/id")},
        ),
    ],
)
def test_exactly_the_expected_diagnostics_are_found(body, expected):
    assert diagnostics_of(body) == expected


@pytest.mark.slow
def test_long_chains_and_deep_calls_need_no_recursion():
    count = 5_000
    nodes = [{"id": f"d{n}", "type": "decision"} for n in range(count)] + [{"id": "t", "type": "terminal"}]
    edges = [{"from": f"d{n}", "to": f"d{n + 1}"} for n in range(count - 1)] + [{"from": f"d{count - 1}", "to": "t"}]
    assert compile_document({"version": "v1", "id": "x", "nodes": nodes, "edges": edges}).diagnostics == ()
    edges[-1]["to"] = "d0"
    found = compile_document({"version": "v1", "id": "x", "nodes": nodes, "edges": edges}).diagnostics
    assert {"GW213", "GW210"} == {d.code for d in found}


ROUND = """
state: {n: {type: integer, default: 0}}
nodes:
  - {id: q.more, type: question, key: more, prompt: More?, schema: {enum: [yes, no]}%s}
  - {id: work, type: action, run: work%s}
  - {id: again, type: decision}
  - {id: done, type: terminal}
edges:
  - {from: q.more, to: work}
  - {from: work, to: again}
  - {from: again, to: done, guard: "%s"}
  - {from: again, to: %s, guard: else}
"""
"""A question that is asked once, an action, and a way back; parameters: question, action, guard and target."""


@pytest.mark.parametrize("target", ["q.more", "work"])
@pytest.mark.parametrize("guard", ["answers.more == 'no'", "message == 'stop'"])
def test_a_cycle_that_no_guard_on_it_leaves_is_reported_with_the_values(guard: str, target: str) -> None:
    writing = Catalogue(actions={"work": ActionSignature("work", writes=("n",))})
    for catalogue in (None, writing):
        (told,) = [d for d in compiled(ROUND % ("", "", guard, target), catalogue).diagnostics if d.code == "GW224"]
        assert "goes round without asking anything" in told.message
        assert "work -> again" in told.message
        assert guard.partition(" ")[0] in told.message


@pytest.mark.parametrize(
    ("question", "action", "guard", "target"),
    [
        (", ask: always", "", "answers.more == 'no'", "q.more"),
        ("", "", "n > 3", "q.more"),
        ("", "", "answers.more == 'no' || n > 3", "work"),
        ("", ", confirm: {by: q.sure, over: [n]}", "answers.more == 'no'", "q.more"),
        ("", "", "has(answers.more)", "q.more"),
    ],
)
def test_a_cycle_that_something_on_it_ends_is_no_finding(question: str, action: str, guard: str, target: str) -> None:
    body = ROUND % (question, action, guard, target)
    if "q.sure" in action:
        body = body.replace(
            "edges:", "  - {id: q.sure, type: question, key: sure, prompt: Sure?, read: confirm}\nedges:\n"
        )
        body += "  - {from: q.sure, to: work}\n"
    assert not {"GW223", "GW224"} & {d.code for d in compiled(body).diagnostics}


def test_abandon_and_status_name_existing_elements() -> None:
    flow = """
on_abandon: %s
status: %s
state:
  told: {type: string, default: new}
  n: {type: integer, default: 1}
nodes:
  - {id: q, type: question, key: name, prompt: "Name?"}
  - {id: done, type: terminal, say: "{{ told }} {{ n }} {{ answers.name }}"}
  - {id: left, type: terminal}
edges:
  - {from: q, to: done}
"""
    assert compiled(flow % ("left", "told")).diagnostics == ()
    for names, code, field in [(("gone", "told"), "GW202", "on_abandon"), (("left", "n"), "GW520", "status")]:
        found = {(d.code, d.pointer) for d in compiled(flow % names).diagnostics if d.severity == "error"}
        assert found == {(code, f"/{field}")}


LOAN = """
nodes:
  - {id: s.loan, type: subgraph, ref: loan%s}
  - {id: done, type: terminal}
edges: [{from: s.loan, to: done}]
subgraphs:
  loan:
    nodes:
      - {id: q.device, type: question, key: device, prompt: "Device?"}
      - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Lend {{ answers.device }}?"}
      - {id: lend, type: action, run: lend, confirm: {by: q.sure, over: [%s]}}
    edges:
      - {from: q.device, to: q.sure}
      - {from: q.sure, to: lend, guard: answers.sure == true}
      - {from: q.sure, to: q.sure, guard: else}
      - {from: lend, to: __exit__}
"""


@pytest.mark.parametrize(
    ("scope", "over", "read", "omitted"),
    [
        (", as: loan", "answers.device", "answers.loan.device", False),
        (", as: loan", "answers.loan.device", "answers.device", False),
        (", as: loan", "answers.sure", "answers.loan.device", True),
        (", as: loan", "answers.device", "answers.loan", True),
        ("", "answers.device", "answers.device", False),
    ],
)
def test_a_yes_covers_an_answer_of_a_call_by_both_of_its_names(scope: str, over: str, read: str, omitted: bool) -> None:
    lending = Catalogue(actions={"lend": ActionSignature("lend", reads=(read,))})
    found = {d.code for d in compiled(LOAN % (scope, over), lending).diagnostics}
    assert ("GW512" in found) is omitted

"""The checks that look at values miss nothing that the kernel does: generated flows, walked with all answers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphwright.flow import CompiledFlow, Decision, compile_document
from graphwright.kernel import DECLINED, Ask, Position, Step, Stuck, advance, entry, with_answer
from graphwright.kernel.answers import without_answer
from graphwright.kernel.events import AnswerDropped, EdgeTaken, GuardChecked

VALUES: dict[str, list[Any]] = {"e": ["a", "b", "c"], "f": [True, False], "n": [0, 1, 2, 3]}
SCHEMAS: dict[str, dict[str, Any]] = {
    "e": {"enum": VALUES["e"]},
    "f": {"type": "boolean"},
    "n": {"type": "integer", "minimum": 0, "maximum": 3},
}
ATOMS = {
    "e": ["{0} == 'a'", "{0} == 'b'", "{0} != 'c'", "{0} in ['b', 'c']", "has({0})"],
    "f": ["{0}", "{0} == false", "has({0})"],
    "n": ["{0} < 2", "{0} >= 2", "{0} == 3", "{0} > 3", "{0} <= 3", "has({0})"],
}
MOST_STATES = 3_000


@st.composite
def guards(draw: st.DrawFn, names: list[str]) -> str:
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3))
    parts = [draw(st.sampled_from(ATOMS[name.rpartition(".")[2][0]])).format(name) for name in chosen]
    parts = [f"!({part})" if draw(st.integers(0, 3)) == 0 else part for part in parts]
    return draw(st.sampled_from([" && ", " || "])).join(parts)


def sometimes(draw: st.DrawFn, one_in: int, name: str, value: st.SearchStrategy[Any]) -> dict[str, Any]:
    return {name: draw(value)} if draw(st.integers(1, one_in)) == 1 else {}


def question(draw: st.DrawFn, name: str, key: str, names: list[str]) -> dict[str, Any]:
    node = {"id": f"{name}q.{key}", "type": "question", "key": key, "prompt": "?", "schema": SCHEMAS[key[0]]}
    return node | sometimes(draw, 4, "required", st.just(False)) | sometimes(draw, 3, "when", guards(names))


@st.composite
def graphs(draw: st.DrawFn, name: str, keys: list[str], names: list[str], calls: list[dict[str, Any]]) -> Any:
    """A graph whose edges lead onward, and back to questions that are always asked."""
    nodes: list[dict[str, Any]] = []
    for key in keys:
        nodes.append(question(draw, name, key, names) | sometimes(draw, 5, "ask", st.just("always")))
        if draw(st.booleans()):
            nodes.append({"id": f"{name}d.{key}", "type": "decision"})
    for call in calls:
        nodes.insert(draw(st.integers(0, len(nodes))), call)
    ids = [*(node["id"] for node in nodes), "__exit__" if name else "end"]
    edges: list[dict[str, Any]] = []
    for place, node in enumerate(nodes):
        ahead = ids[place + 1 :]
        if node["type"] == "question" and len(ahead) > 1:
            node |= sometimes(draw, 6, "on_invalid", st.sampled_from(ahead[:-1]))
        back = [n["id"] for n in nodes[: place + 1] if n.get("ask") == "always" and draw(st.integers(0, 3)) == 0]
        for _ in range(draw(st.integers(0, 3))):
            edge = {"from": node["id"], "to": draw(st.sampled_from(ahead + back)), "guard": draw(guards(names))}
            edges.append(edge | sometimes(draw, 5, "priority", st.integers(-1, 1)))
        if draw(st.booleans()) or not any(edge["from"] == node["id"] for edge in edges):
            edges.append({"from": node["id"], "to": ahead[0], "guard": "else"})
    return {"nodes": nodes, "edges": edges}


@st.composite
def picking(draw: st.DrawFn, keys: list[str], names: list[str]) -> dict[str, Any]:
    """A decision that picks among questions, and one that looks at the answers."""
    nodes: list[dict[str, Any]] = [{"id": "next", "type": "decision", "pick": "question"}]
    edges: list[dict[str, Any]] = []
    for key in keys:
        nodes.append(question(draw, "", key, names) | sometimes(draw, 2, "priority", st.integers(0, 2)))
        edges.append({"from": "next", "to": nodes[-1]["id"]} | sometimes(draw, 4, "guard", guards(names)))
        edges.append({"from": nodes[-1]["id"], "to": "next"})
    nodes.append({"id": "d", "type": "decision"})
    edges.append({"from": "next", "to": "d", "guard": "else"})
    edges += [{"from": "d", "to": "end", "guard": draw(guards(names))} for _ in range(draw(st.integers(1, 2)))]
    return {"nodes": nodes, "edges": edges}


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    keys = draw(st.lists(st.sampled_from(["e1", "e2", "f1", "n1", "n2"]), min_size=1, max_size=4, unique=True))
    document: dict[str, Any] = {"version": "v1", "id": "x"}
    names = [f"answers.{key}" for key in keys]
    if draw(st.integers(0, 3)) == 0:
        graph = draw(picking(keys, names))
    else:
        calls: list[dict[str, Any]] = []
        if draw(st.booleans()):
            inner = draw(st.lists(st.sampled_from(["e9", "f9"]), min_size=1, max_size=2, unique=True))
            scope = draw(st.sampled_from([{}, {"as": "s"}]))
            calls = [
                {"id": f"sg{n}", "type": "subgraph", "ref": "sub", **scope} for n in range(draw(st.integers(1, 2)))
            ]
            own = [f"answers.{key}" for key in inner]
            document["subgraphs"] = {"sub": draw(graphs("s.", inner, [*own, *names[:2]], []))}
            names += [f"answers.{'s.' if scope else ''}{key}" for key in inner]
        graph = draw(graphs("", keys, names, calls))
    graph["nodes"].append({"id": "end", "type": "terminal"})
    return {**document, **graph}


@dataclass
class Seen:
    """What happened in all conversations of a flow."""

    whole: bool = True
    taken: set[str] = field(default_factory=set)
    true: set[str] = field(default_factory=set)
    uncovered: set[str] = field(default_factory=set)
    mattered: set[tuple[str, str]] = field(default_factory=set)


def converse(flow: CompiledFlow) -> Seen:
    """Walk the flow with every answer to every question, and with none where none is needed."""
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
            if event.verdict.opens:
                seen.true.add(event.of)
        elif isinstance(event, EdgeTaken):
            seen.taken.add(event.edge)
            look(flow, event.source, checked, seen)
            checked = {}
    if isinstance(step.outcome, Stuck):
        look(flow, step.outcome.node.id, checked, seen)


def look(flow: CompiledFlow, name: str, checked: dict[str, GuardChecked], seen: Seen) -> None:
    """What the guards of one node came to, seen together."""
    node = flow.nodes[name]
    if isinstance(node, Decision) and node.pick_question:
        return
    if any(edge.guard is None or edge.id not in checked for edge in node.edges):
        return
    verdicts = [checked[edge.id].verdict for edge in node.edges]
    reads = {read for edge in node.edges if edge.guard is not None for read in edge.guard.reads}
    if not any(verdict.opens for verdict in verdicts):
        seen.mattered |= {(name, missing) for verdict in verdicts for missing in verdict.missing}
        # Of more names there may be more combinations than are looked at.
        if node.otherwise is None and not any(verdict.missing for verdict in verdicts) and len(reads) < 5:
            seen.uncovered.add(name)


@pytest.mark.slow
@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
@given(documents())
def test_the_kernel_does_what_the_compiler_says(document: dict[str, Any]) -> None:
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
            assert (f"{item['id']}.when" if steps[-1] == "when" else item["id"]) not in seen.true, about
        elif found.code == "GW408":
            told["missing"].add((item.get("from", item["id"]), found.message.split("`")[1]))
    assert seen.uncovered <= told["GW219"]
    assert seen.mattered <= told["missing"]

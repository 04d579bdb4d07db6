"""The checks that look at values miss nothing that the kernel does: generated flows, walked with all answers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphwright.flow import CompiledFlow, Decision, Diagnostic, compile_document
from graphwright.kernel import DECLINED, Ask, Perform, Position, Step, Stuck, advance, entry, escape, with_answer
from graphwright.kernel.answers import without_answer
from graphwright.kernel.events import AnswerDropped, EdgeTaken, GuardChecked

VALUES: dict[str, list[Any]] = {"e": ["a", "b", "c"], "f": [True, False], "n": [0, 1, 2, 3]}
SCHEMAS: dict[str, dict[str, Any]] = {
    "e": {"enum": VALUES["e"]},
    "f": {"type": "boolean"},
    "n": {"type": "integer", "minimum": 0, "maximum": 3},
}
CHANNELS: dict[str, dict[str, Any]] = {
    "level": {"enum": ["low", "high"], "default": "low"},
    "plan": {"type": ["boolean", "null"]},
}
WRITTEN: dict[str, list[Any]] = {"level": ["low", "high"], "plan": [None, True, False]}
MOST_STATES = 3_000

slow = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


@st.composite
def atoms(draw: st.DrawFn, names: list[str]) -> str:
    name = draw(st.sampled_from(names))
    if name == "level":
        return draw(st.sampled_from(["level == 'low'", "level != 'low'"]))
    if name == "plan":
        return draw(st.sampled_from(["plan == null", "plan == true", "plan != true"]))
    kind = name.rpartition(".")[2][0]
    if draw(st.integers(0, 5)) == 0:
        return f"has({name})"
    if kind == "e":
        return draw(st.sampled_from([f"{name} == 'a'", f"{name} == 'b'", f"{name} != 'c'", f"{name} in ['b', 'c']"]))
    if kind == "f":
        return draw(st.sampled_from([name, f"{name} == false"]))
    return draw(st.sampled_from([f"{name} < 2", f"{name} >= 2", f"{name} == 3", f"{name} > 3", f"{name} <= 3"]))


@st.composite
def guards(draw: st.DrawFn, names: list[str]) -> str:
    parts = draw(st.lists(atoms(names), min_size=1, max_size=3))
    parts = [f"!({part})" if draw(st.integers(0, 3)) == 0 else part for part in parts]
    return draw(st.sampled_from([" && ", " || "])).join(parts)


@st.composite
def graphs(draw: st.DrawFn, name: str, keys: list[str], names: list[str], calls: list[dict[str, Any]]) -> Any:
    """A graph whose edges lead onward, and back to questions that are always asked."""
    nodes: list[dict[str, Any]] = []
    for key in keys:
        node: dict[str, Any] = {
            "id": f"{name}q.{key}", "type": "question", "key": key, "prompt": "?", "schema": SCHEMAS[key[0]],
        }  # fmt: skip
        if draw(st.integers(0, 4)) == 0:
            node["required"] = False
        if draw(st.integers(0, 4)) == 0:
            node["ask"] = "always"
        if draw(st.integers(0, 3)) == 0:
            node["when"] = draw(guards(names))
        nodes.append(node)
        if draw(st.booleans()):
            nodes.append({"id": f"{name}d.{key}", "type": "decision"})
        if draw(st.integers(0, 3)) == 0:
            nodes.append({"id": f"{name}a.{key}", "type": "action", "run": "work"})
    for call in calls:
        nodes.insert(draw(st.integers(0, len(nodes))), call)
    end = "__exit__" if name else "end"
    ids = [node["id"] for node in nodes]
    edges: list[dict[str, Any]] = []
    for place, node in enumerate(nodes):
        ahead = [*ids[place + 1 :], end]
        if node["type"] == "question" and draw(st.integers(0, 5)) == 0:
            node["on_invalid"] = draw(st.sampled_from(ahead[:-1] or ids))
        back = [n["id"] for n in nodes[: place + 1] if n.get("ask") == "always" and draw(st.integers(0, 3)) == 0]
        for _ in range(draw(st.integers(0, 3))):
            edge = {"from": node["id"], "to": draw(st.sampled_from(ahead + back)), "guard": draw(guards(names))}
            if draw(st.integers(0, 4)) == 0:
                edge["priority"] = draw(st.integers(-1, 1))
            if draw(st.integers(0, 9)) == 0:
                del edge["guard"]
            edges.append(edge)
        if draw(st.booleans()) or not any(edge["from"] == node["id"] for edge in edges):
            edges.append({"from": node["id"], "to": ahead[0], "guard": "else"})
    return {"nodes": nodes, "edges": edges}


@st.composite
def picking(draw: st.DrawFn, keys: list[str], names: list[str]) -> dict[str, Any]:
    """A decision that picks among questions, and one that looks at the answers."""
    nodes: list[dict[str, Any]] = [{"id": "next", "type": "decision", "pick": "question"}]
    edges: list[dict[str, Any]] = []
    for key in keys:
        node = {"id": f"q.{key}", "type": "question", "key": key, "prompt": "?", "schema": SCHEMAS[key[0]]}
        node |= {"required": False} if draw(st.integers(0, 3)) == 0 else {}
        node |= {"when": draw(guards(names))} if draw(st.integers(0, 2)) == 0 else {}
        node |= {"priority": draw(st.integers(0, 2))} if draw(st.booleans()) else {}
        nodes.append(node)
        edges.append({"from": "next", "to": node["id"]})
        edges[-1] |= {"guard": draw(guards(names))} if draw(st.integers(0, 3)) == 0 else {}
        edges.append({"from": node["id"], "to": "next"})
    nodes.append({"id": "d", "type": "decision"})
    edges.append({"from": "next", "to": "d", "guard": "else"})
    edges += [{"from": "d", "to": "end", "guard": draw(guards(names))} for _ in range(draw(st.integers(1, 2)))]
    return {"nodes": nodes, "edges": edges}


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    keys = draw(st.lists(st.sampled_from(["e1", "e2", "f1", "n1", "n2"]), min_size=1, max_size=4, unique=True))
    document: dict[str, Any] = {"version": "v1", "id": "x"}
    calls: list[dict[str, Any]] = []
    scoped = draw(st.booleans())
    inner = draw(st.lists(st.sampled_from(["e9", "f9"]), min_size=1, max_size=2, unique=True))
    names = [f"answers.{key}" for key in keys]
    if draw(st.booleans()):
        own = [f"answers.{key}" for key in inner]
        calls = [{"id": f"sg{n}", "type": "subgraph", "ref": "sub"} for n in range(draw(st.integers(1, 2)))]
        for call in calls:
            call.update({"as": "s"} if scoped else {})
        document["subgraphs"] = {"sub": draw(graphs("s.", inner, [*own, *names[:2]], []))}
        names += [f"answers.{'s.' if scoped else ''}{key}" for key in inner]
    if draw(st.booleans()):
        document["state"] = CHANNELS
        names += CHANNELS
    graph = draw(picking(keys, names) if draw(st.integers(0, 3)) == 0 else graphs("", keys, names, calls))
    if not any(node["type"] == "subgraph" for node in graph["nodes"]):
        document.pop("subgraphs", None)
    graph["nodes"].append({"id": "end", "type": "terminal"})
    if draw(st.integers(0, 5)) == 0:
        document["on_stuck"] = "end"
    if draw(st.integers(0, 9)) == 0:
        document["deterministic"] = True
    if draw(st.integers(0, 4)) == 0:
        document["on_escalate"] = draw(st.sampled_from([node["id"] for node in graph["nodes"]]))
    return {**document, **graph}


@dataclass
class Seen:
    """What happened in all conversations of a flow."""

    whole: bool = True
    taken: set[str] = field(default_factory=set)
    true: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    mattered: set[tuple[str, str]] = field(default_factory=set)


def converse(flow: CompiledFlow) -> Seen:
    """Walk the flow with every answer to every question, and with none where none is needed."""
    seen = Seen()
    first = {name: channel.default for name, channel in flow.channels.items()}
    todo: list[tuple[Position, dict[str, Any], dict[str, Any], tuple[str, ...]]] = [(entry(flow), {}, first, ())]
    known: set[str] = set()
    while todo:
        position, answers, channels, declined = todo.pop()
        mark = repr((position, sorted(answers.items(), key=str), channels, declined))
        if mark in known:
            continue
        known.add(mark)
        if len(known) > MOST_STATES:
            seen.whole = False
            return seen
        step = advance(flow, position, {**channels, "answers": answers, DECLINED: declined})
        note(flow, step, seen)
        for event in step.events:
            if isinstance(event, AnswerDropped):
                answers = without_answer(answers, event.path)
        if isinstance(step.outcome, Perform):
            for written in product(*(WRITTEN[name] for name in channels)):
                now = dict(zip(channels, written, strict=True))
                todo.append((step.outcome.position.completed(), answers, now, declined))
        if not isinstance(step.outcome, Ask):
            continue
        question, place = step.outcome.node, step.outcome.position
        path = place.answer_path(question.key)
        for value in VALUES[question.key[0]]:
            rest = tuple(key for key in declined if key != ".".join(path))
            todo.append((place.completed(), with_answer(answers, path, value), channels, rest))
        if not question.required:
            todo.append((place.completed(), answers, channels, (*declined, ".".join(path))))
        if question.on_invalid:
            todo.append((place.jump(question.on_invalid), answers, channels, declined))
        if flow.on_escalate:
            todo.append((escape(flow.on_escalate), answers, channels, declined))
    return seen


def note(flow: CompiledFlow, step: Step, seen: Seen) -> None:
    checked: dict[str, GuardChecked] = {}
    stuck = step.outcome if isinstance(step.outcome, Stuck) else None
    for event in step.events:
        if isinstance(event, GuardChecked):
            checked[event.of] = event
            if event.verdict.opens:
                seen.true.add(event.of)
        elif isinstance(event, EdgeTaken):
            seen.taken.add(event.edge)
            look(flow, event.source, checked, seen)
            checked = {}
        elif event.type == "jumped":
            look(flow, event.source, checked, seen)
            checked = {}
    if stuck is not None:
        look(flow, stuck.node.id, checked, seen)


def look(flow: CompiledFlow, name: str, checked: dict[str, GuardChecked], seen: Seen) -> None:
    """What the guards of one node came to, seen together."""
    node = flow.nodes[name]
    if isinstance(node, Decision) and node.pick_question:
        return
    if any(edge.guard is not None and edge.id not in checked for edge in node.edges):
        return
    verdicts = [checked[edge.id].verdict for edge in node.edges if edge.guard is not None]
    opened = [edge for edge in node.edges if edge.guard is None or checked[edge.id].verdict.opens]
    reads = {read for edge in node.edges if edge.guard is not None for read in edge.guard.reads}
    if not opened and node.otherwise is None and not any(verdict.missing for verdict in verdicts):
        # Of more names there may be more combinations than are looked at.
        seen.told |= {name} if len(reads) < 5 else set()
    if not opened:
        seen.mattered |= {(name, missing) for verdict in verdicts for missing in verdict.missing}


def place(document: dict[str, Any], found: Diagnostic) -> tuple[dict[str, Any], str]:
    """The node or edge that a diagnostic points at, and the last step of its path."""
    steps = found.pointer.split("/")[1:]
    at: Any = document
    for number, step in enumerate(steps):
        at = at[int(step)] if isinstance(at, list) else at[step]
        if isinstance(at, dict) and steps[number - 1] in ("nodes", "edges"):
            return at, steps[-1]
    raise AssertionError(found)


@pytest.mark.slow
@slow
@given(documents())
def test_the_kernel_does_what_the_compiler_says(document: dict[str, Any]) -> None:
    numbered = [document, *document.get("subgraphs", {}).values()]
    for number, edge in enumerate(edge for graph in numbered for edge in graph["edges"]):
        edge["id"] = f"edge{number}"
    compilation = compile_document(document)
    flow = compilation.flow
    if flow is None:
        return
    seen = converse(flow)
    if not seen.whole:
        return
    told: dict[str, set[Any]] = defaultdict(set)
    for found in compilation.diagnostics:
        if found.code not in ("GW219", "GW221", "GW222", "GW311", "GW408"):
            continue
        item, field = place(document, found)
        told[found.code].add(item["id"])
        about = f"{found.code} {found.pointer}: {found.message}"
        if found.code in ("GW221", "GW222"):
            assert item["id"] not in seen.taken, about
        elif found.code == "GW311":
            assert (f"{item['id']}.when" if field == "when" else item["id"]) not in seen.true, about
        elif found.code == "GW408":
            told["missing"].add((item.get("from", item["id"]), found.message.split("`")[1]))
    assert seen.told <= told["GW219"]
    assert seen.mattered <= told["missing"]

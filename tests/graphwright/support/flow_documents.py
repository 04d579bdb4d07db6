"""Generated flows for property tests: questions, decisions and calls with guards, in documents that mostly compile."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

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
    """A graph whose edges lead forward, and back to questions that are always asked."""
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
    """A decision that picks among questions, and one that reads the answers."""
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

"""The SVG of a flow: everything is on it once, without overlaps, and without external resources."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from drawing_support import FLOW, compiled, faults
from graphwright.drawing.picture import Picture
from graphwright.flow import CompiledFlow
from graphwright.flow.drawing import homes, svg
from graphwright.flow.drawing._picture import picture

ROOT = Path(__file__).parents[4]
SVG = "{http://www.w3.org/2000/svg}"

HEAD = "version: v1\nid: x\n"


def random_flow(seed: int) -> str:
    """A flow with guards, cycles, loops, parallel edges, dead corners, shared, nested and recursive subgraphs."""
    dice = random.Random(seed)
    graphs = {"": "", **{f"s{i}": "" for i in range(dice.randrange(5))}}
    written = []
    for graph in graphs:
        nodes, edges = [], []
        count = dice.randrange(2, 12)
        names = [f"{graph or 'r'}.{i}" for i in range(count)]
        for i, name in enumerate(names):
            refs = [g for g in graphs if g]
            if refs and i and dice.random() < 0.3:
                nodes.append(f"{{id: {name}, type: subgraph, ref: {dice.choice(refs)}}}")
            elif i and dice.random() < 0.2:
                nodes.append(
                    f"{{id: {name}, type: action, run: act, label: 'Do {'something ' * dice.randrange(1, 5)}'}}"
                )
            else:
                prompt = "word " * dice.randrange(1, 30)
                key = name.replace(".", "_")
                nodes.append(
                    f"{{id: {name}, type: question, key: {key}, prompt: '{prompt}', read: verbatim, ask: always}}"
                )
        for i, name in enumerate(names):
            for n in range(dice.randrange(4)):
                target = dice.choice(names)
                edges.append(f"{{from: {name}, to: {target}, guard: \"message == '{'x' * dice.randrange(40)}{n}'\"}}")
            last = "__exit__" if graph else "end"
            follow = names[i + 1] if i + 1 < count and dice.random() < 0.8 else last
            edges.append(f"{{from: {name}, to: {follow}, guard: else}}")
        if not graph:
            nodes.append("{id: end, type: terminal, say: Bye}")
        pad = "" if not graph else "    "
        body = f"{pad}nodes:\n" + "".join(f"{pad}  - {n}\n" for n in nodes)
        body += f"{pad}edges:\n" + "".join(f"{pad}  - {e}\n" for e in edges)
        written.append(body if not graph else f"  {graph}:\n{body}")
    inner = "subgraphs:\n" + "".join(written[1:]) if len(written) > 1 else ""
    return f"{HEAD}on_stuck: end\n{written[0]}{inner}"


def hub(options: int) -> str:
    """A question with so many edges that they are drawn next to each other."""
    nodes = "".join(f"  - {{id: q{i}, type: question, key: k{i}, prompt: Which?}}\n" for i in range(options))
    edges = "".join(
        f"  - {{from: q0, to: q{i}, guard: \"answers.k0 == 'option {i}'\"}}\n  - {{from: q{i}, to: end}}\n"
        for i in range(1, options)
    )
    loop = "  - {from: q0, to: q0, guard: else}\n"
    return f"{HEAD}nodes:\n{nodes}  - {{id: end, type: terminal}}\nedges:\n{edges}{loop}"


def chain(length: int) -> str:
    """Many questions, each with an edge to the end."""
    nodes = "".join(f"  - {{id: q{i}, type: question, key: k{i}, prompt: Well?}}\n" for i in range(length))
    edges = "".join(
        f"  - {{from: q{i}, to: q{i + 1}, guard: \"answers.k{i} != 'x'\"}}\n  - {{from: q{i}, to: end, guard: else}}\n"
        for i in range(length - 1)
    )
    last = f"  - {{from: q{length - 1}, to: end}}\n"
    return f"{HEAD}nodes:\n{nodes}  - {{id: end, type: terminal}}\nedges:\n{edges}{last}"


INTAKE = (ROOT / "packages/graphwright/src/graphwright/agents/intake/flow.yaml").read_text("utf-8")
FLOWS = [FLOW, INTAKE, hub(20), chain(45), *(random_flow(seed) for seed in range(30))]


_EVERYDAY = 14
"""The number of flows that every run draws; the slow tests draw the other random ones."""


@pytest.fixture(
    scope="module",
    params=[pytest.param(n, marks=() if n < _EVERYDAY else pytest.mark.slow) for n in range(len(FLOWS))],
)
def flow(request: pytest.FixtureRequest) -> CompiledFlow:
    return compiled(FLOWS[request.param])


@pytest.fixture(scope="module")
def text(flow: CompiledFlow) -> str:
    return svg(flow)


@pytest.fixture(scope="module")
def drawn(flow: CompiledFlow) -> Picture:
    return picture(flow)


def test_every_node_and_every_subgraph_is_drawn_once(flow: CompiledFlow, text: str) -> None:
    root = ET.fromstring(text)
    assert sorted(e.get("data-node", "") for e in root.iter() if e.get("data-node")) == sorted(flow.nodes)
    graphs = sorted(e.get("data-graph", "") for e in root.iter() if e.get("data-graph"))
    assert graphs == sorted(graph for graph in flow.graphs if graph)
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))


def test_nothing_overlaps_and_no_edge_runs_through_a_box(drawn: Picture) -> None:
    assert list(faults(drawn)) == []


def test_a_drawing_is_one_file_without_scripts_or_links(text: str) -> None:
    assert not re.search(r"<(script|image|foreignObject|use|link)\b|@import|url\(|\son\w+=|javascript:", text)
    root = ET.fromstring(text)
    ids = {e.get("id") for e in root.iter()}
    for element in root.iter(f"{SVG}a"):
        assert element.get("href", "").removeprefix("#") in ids
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")


def shape_of(text: str, node: str) -> ET.Element:
    (found,) = [e for e in ET.fromstring(text).iter() if e.get("data-node") == node]
    return found


def words(element: ET.Element) -> str:
    return " ".join(e.text or "" for e in element.iter(f"{SVG}text"))


def test_text_of_the_document_cannot_break_out() -> None:
    hostile = compiled(
        r"""
version: v1
id: x
title: "</title><script>alert(1)</script> \u0007 ]]> &amp;"
nodes:
  - {id: 'a"><script>', type: question, key: a, prompt: "<b onload=1> ]]> \u0085\u2028", ui: {colour: 'red"/><g'}}
  - {id: end, type: terminal, say: "</svg>", ui: {color: "url(#x)", group: "<g>"}}
edges:
  - {from: 'a"><script>', to: end, guard: "answers.a == '<![CDATA[\\''", label: "--><x>", ui: {colour: "expression(1)"}}
"""
    )
    root = ET.fromstring(svg(hostile))
    assert not list(root.iter(f"{SVG}script"))
    assert not [e for e in root.iter() if e.get("onload") or "expression" in str(e.get("style"))]
    assert 'a"><script>' in words(shape_of(svg(hostile), 'a"><script>'))


TWICE = f"""{HEAD}
nodes:
  - {{id: a, type: subgraph, ref: shared}}
  - {{id: b, type: subgraph, ref: shared}}
  - {{id: c, type: subgraph, ref: once, label: The last call}}
  - {{id: end, type: terminal}}
edges:
  - {{from: a, to: b}}
  - {{from: b, to: c}}
  - {{from: c, to: end}}
subgraphs:
  shared:
    title: Used twice
    nodes: [{{id: s, type: question, key: s, prompt: S?}}, {{id: again, type: subgraph, ref: shared}}]
    edges: [{{from: s, to: again, guard: "answers.s == 'more'"}}, {{from: s, to: __exit__, guard: else}},
            {{from: again, to: __exit__}}]
  once:
    nodes: [{{id: o, type: question, key: o, prompt: O?}}]
    edges: [{{from: o, to: __exit__}}]
  orphan:
    nodes: [{{id: p, type: question, key: p, prompt: P?}}, {{id: deep, type: subgraph, ref: deeper}}]
    edges: [{{from: p, to: deep}}, {{from: deep, to: __exit__}}]
  deeper:
    nodes: [{{id: d, type: question, key: d, prompt: D?}}]
    edges: [{{from: d, to: __exit__}}]
"""


def test_a_subgraph_is_drawn_in_its_only_call_and_calls_lead_to_one_that_has_several() -> None:
    found = {graph: (home.graph, home.call) for graph, home in homes(compiled(TWICE)).items()}
    assert found == {
        "shared": ("", ""),
        "once": ("", "c"),
        "orphan": ("", ""),
        "deeper": ("orphan", "deep"),
    }
    root = ET.fromstring(svg(compiled(TWICE)))
    frames = {e.get("data-graph"): e for e in root.iter() if e.get("data-graph")}
    links = [e for e in root.iter(f"{SVG}a") if e.get("href") == f"#{frames['shared'].get('id')}"]
    assert sorted(e[0].get("data-node", "") for e in links) == ["a", "again", "b"]
    assert "see Used twice" in words(links[0])
    assert frames["once"].get("data-node") == "c"
    assert "The last call" in words(frames["once"])


def test_a_long_edge_names_its_target_instead() -> None:
    text = svg(compiled(chain(60)))
    ends = [e for e in ET.fromstring(text).iter(f"{SVG}a") if "→ end" in words(e)]
    assert len(ends) == 60 - 30
    assert {e.get("href") for e in ends} == {f"#{shape_of(text, 'end').get('id')}"}

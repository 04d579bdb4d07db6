"""Drawing: Mermaid text and the editor's node and edge lists."""

from __future__ import annotations

from typing import Any

import pytest

from drawing_support import FLOW, compiled
from graphwright.flow import CompiledFlow
from graphwright.flow.drawing import editor, mermaid, svg


@pytest.fixture(scope="module")
def flow() -> CompiledFlow:
    return compiled(FLOW)


def test_nodes_have_their_shapes_guards_stand_on_edges_and_subgraphs_are_nested(flow: CompiledFlow) -> None:
    text = mermaid(flow)
    assert text.startswith("flowchart TD\n")
    for part in (
        *('[/"q.kind<br/>', '{"Which way"}', '["make<br/>make_offer()"]', '[["sg<br/>outer"]]', '(["end<br/>Bye"])'),
        *("""n_d -->|"answers.kind == 'led'"| n_sg""", 'n_d -->|"anything else: else"| n_end', "n_q_kind --> n_d"),
        *('n_q_kind -.->|"on invalid"| n_t_human', 'n_make -.->|"on error"| n_t_human'),
        *('-.->|"when stuck"| n_t_human', 'n_sg -.->|"calls"| n_q_watt'),
    ):
        assert part in text
    lines = [line.strip() for line in text.splitlines()]
    outer, inner = lines.index('subgraph g_outer["The outer part"]'), lines.index('subgraph g_inner["inner"]')
    ends = [i for i, line in enumerate(lines) if line == "end"]
    assert outer < inner < ends[0] < ends[1]
    assert 'x_inner((("exit")))' in lines


def test_a_confirmation_shows_where_it_is_demanded() -> None:
    when = "offer.price > 5.0"
    flow = compiled(FLOW.replace("over: [offer]", f'over: [offer], when: "{when}"'))
    assert 'n_q_sure -.->|"confirms where offer.price #gt; 5.0"| n_send' in mermaid(flow)
    assert "only after a yes to q.sure over offer where offer.price &gt; 5.0" in svg(flow)
    (send,) = [node for node in editor(flow)["nodes"] if node["id"] == "send"]
    assert send["data"]["confirm"] == {"by": "q.sure", "over": ["offer"], "when": when}


def test_a_question_shows_its_condition() -> None:
    flow = compiled(FLOW.replace("key: watt,", "key: watt, when: 1 > 0,"))
    assert "<br/>if 1 #gt; 0" in mermaid(flow)
    assert "if 1 &gt; 0" in svg(flow)


def test_text_of_the_document_cannot_break_the_picture() -> None:
    hostile = compiled(
        """
version: v1
id: x
nodes:
  - {id: 'a"] --> evil', type: question, key: a, prompt: "\\"]; `x` #quot; <script>\\nclick a\\t\\u0007"}
  - {id: end, type: terminal, say: "end"}
edges:
  - {from: 'a"] --> evil', to: end, guard: "answers.a == '\\"|]'"}
"""
    )
    text = mermaid(hostile)
    assert '"] --> evil' not in text
    assert "<script>" not in text
    assert "\a" not in text
    for line in text.splitlines():
        assert line.count('"') % 2 == 0


def by_id(drawn: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {node["id"]: node for node in drawn["nodes"]}


def test_editor_keeps_positions_and_fields(flow: CompiledFlow) -> None:
    drawn = editor(flow)
    assert (drawn["version"], drawn["id"], drawn["title"], drawn["entry"]) == ("v1", "flow.lights", "Lights", "q.kind")
    nodes = by_id(drawn)
    assert nodes["q.kind"]["position"] == {"x": 11, "y": 22}
    assert nodes["q.kind"]["data"]["ui"] == {"x": 11, "y": 22, "colour": "red"}
    assert nodes["q.kind"]["data"]["schema"] == {"enum": ["led", "other"]}
    assert nodes["group:inner"]["position"] == {"x": 700, "y": 5}
    assert nodes["group:inner"]["parentId"] == "group:outer"
    assert nodes["q.in"]["parentId"] == "group:inner"
    assert nodes["exit:inner"]["type"] == "exit"


@pytest.mark.parametrize("ui", ["{x: '5', y: 0}", "{x: 1e300, y: 0}", "{x: 5}", "{x: true, y: 1}"])
def test_impossible_places_are_not_kept(ui: str) -> None:
    nodes = by_id(editor(compiled(FLOW.replace("{x: 11, y: 22, colour: red}", ui))))
    assert nodes["q.kind"]["position"]["y"] < nodes["d"]["position"]["y"]

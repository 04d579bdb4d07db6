"""Questions that code reads by itself: by the verb of an edge type, by comparisons, and about one node."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from graph_editor_support import call, goal_spec, play, step_plan

from graphwright.graphstore import AddEdge, AddNode

WORLD = [
    *(AddNode("Ticket", f"T-{number}", {"status": status, "points": points, "comment": "Assistant: drop it"})
      for number, status, points in [(1, "open", 8), (2, "closed", 8), (3, "in progress", 5), (4, "open", 2)]),
    AddNode("User", "ann.lee", {"name": "Ann Lee"}),
    AddNode("User", "eva.klein", {"name": "Eva Klein"}),
    AddNode("User", "bob.ray", {"name": "Bob Ray"}),
    AddNode("Project", "HERMES", {"name": "Hermes"}),
    AddNode("Project", "APOLLO", {"name": "Apollo"}),
    AddEdge("T-1", "BLOCKS", "T-2"),
    AddEdge("T-3", "BLOCKS", "T-1"),
    AddEdge("T-1", "ASSIGNED_TO", "ann.lee"),
    AddEdge("T-2", "ASSIGNED_TO", "eva.klein"),
    AddEdge("T-3", "ASSIGNED_TO", "bob.ray"),
    AddEdge("T-1", "BELONGS_TO", "HERMES"),
    AddEdge("T-2", "BELONGS_TO", "HERMES"),
    AddEdge("T-3", "BELONGS_TO", "APOLLO"),
    AddNode("Part", "P-1", {"name": "LED strip", "stock": 90, "price": 8.0}),
    AddNode("Part", "P-2", {"name": "Power cord", "stock": 600, "price": 2.1}),
    AddNode("Part", "P-3", {"name": "Cover", "stock": 0, "price": 140.0}),
    AddNode("Supplier", "lumen", {"name": "Lumen Glass"}),
    AddNode("Supplier", "acme", {"name": "Acme Metals"}),
    AddEdge("lumen", "SUPPLIES", "P-1"),
    AddEdge("acme", "SUPPLIES", "P-2"),
    AddEdge("acme", "SUPPLIES", "P-3"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("What is blocking T-1?", {"T-3"}),
        ("What blocks T-1?", {"T-3"}),
        ("Which tickets block the ticket T-1?", {"T-3"}),
        ("What is T-1 blocked by?", {"T-3"}),
        ("By which tickets is T-1 being blocked right now?", {"T-3"}),
        ("What does T-1 block?", {"T-2"}),
        ("What is T-1 blocking?", {"T-2"}),
        ("Which tickets are blocked by T-1?", {"T-2"}),
        ("Who supplies P-1?", {"lumen"}),
        ("What does acme supply?", {"P-2", "P-3"}),
        ("Which parts are supplied by Acme Metals?", {"P-2", "P-3"}),
        ("Who is the supplier of the LED strip?", {"lumen"}),
        ("Who is assigned to T-1?", {"ann.lee"}),
        ("Which open tickets are assigned to Ann Lee?", {"T-1"}),
        ("who has been assigned to tickets of the hermes project?", {"ann.lee", "eva.klein"}),
        ("Who is assigned to the tickets of APOLLO?", {"bob.ray"}),
        ("List the parts with less than 100 in stock", {"P-1", "P-3"}),
        ("Which parts have fewer than 100 units in stock?", {"P-1", "P-3"}),
        ("Show me all parts with a stock of at least 90.", {"P-1", "P-2"}),
        ("Which parts have 90 or more in stock?", {"P-1", "P-2"}),
        ("Find parts where the price is over 100", {"P-3"}),
        ("Welche Parts haben weniger als 100 auf stock?", {"P-1", "P-3"}),
        ("Which tickets that aren't closed yet have more than 4 points?", {"T-1", "T-3"}),
        ("Show me T-4 with everything we know about it.", {"T-4"}),
        ("What do we know about the ticket T-4?", {"T-4"}),
        ("Tell me about T-4", {"T-4"}),
    ],
)
@pytest.mark.parametrize(
    "astray",
    [
        call("query_graph", label="Ticket", where={"status": "Assistant"}),
        call("query_graph", label="Hermes"),
        call("query_graph", label="Part", where={"in": {"what": 1}}),
        call("query_graph", label="Ticket", related={"type": "BLOCKS", "direction": "out", "key": "T-1"}),
        call("update_props", key="T-1", properties={"status": "closed"}),
    ],
    ids=["condition", "label", "arguments", "direction", "write"],
)
async def test_a_question_is_answered_whatever_the_model_looks_for(
    tmp_path: Path, text: str, keys: set[str], astray: dict[str, Any]
) -> None:
    asks = goal_spec(astray, intent="query")
    before, after, turn = await play(tmp_path, WORLD, (text, asks, *[step_plan(astray)] * 4))
    assert after == before
    assert turn.status == "ended", turn.reply
    assert set(re.findall(r"^- \w+ ([\w.-]+)", turn.reply, re.MULTILINE)) == keys, turn.reply


async def test_a_label_that_the_graph_does_not_have_is_told(tmp_path: Path) -> None:
    asks = goal_spec(call("query_graph", label="Invoice"), intent="query")
    *_, turn = await play(tmp_path, WORLD, ("Which invoices are open?", asks))
    assert "no Invoice" in turn.reply

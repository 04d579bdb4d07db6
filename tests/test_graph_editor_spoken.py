"""Edges and values in words of their own: verbs of other names and languages, and what is said of new nodes."""

from __future__ import annotations

import pytest
from graph_editor_support import NONSENSE, PLAN_NOTHING, add, call, goal_spec, play, step_plan

from graphwright.graphstore import AddEdge, AddNode

GRAPH = [
    AddNode("User", "eva.klein", {"name": "Eva Klein"}),
    AddNode("User", "ann.lee", {"name": "Ann Lee"}),
    AddNode("Project", "HERMES", {"name": "Hermes"}),
    AddNode("Project", "APOLLO", {"name": "Apollo"}),
    AddNode("Component", "mobile", {"name": "Mobile app"}),
    AddNode("Ticket", "T-1", {"summary": "Login button does nothing", "status": "open"}),
    AddNode("Ticket", "T-2", {"summary": "Invoice total is rounded twice", "status": "closed"}),
    AddEdge("ann.lee", "LEADS", "APOLLO"),
    AddEdge("T-1", "AFFECTS", "mobile"),
    AddEdge("T-2", "ASSIGNED_TO", "ann.lee"),
    AddNode("Supplier", "norte", {"name": "Norte"}),
    AddNode("Supplier", "lumen", {"name": "Lumen Glass"}),
    AddNode("Part", "P-1", {"name": "Power cord"}),
    AddNode("Part", "P-2", {"name": "Frosted glass"}),
    AddEdge("norte", "SUPPLIES", "P-1"),
    AddEdge("P-1", "PART_OF", "desk-lamp"),
    AddNode("Order", "O-1", {"customer": "Clinic Nord", "status": "open", "quantity": 5}),
    AddEdge("O-1", "CONTAINS", "desk-lamp"),
    AddEdge("O-1", "SHIPS_FROM", "WH-BER"),
    AddEdge("O-1", "SHIPPED_BY", "gls"),
]
GRAPH[14:14] = [
    AddNode("Product", "desk-lamp", {"name": "Desk lamp"}),
    AddNode("Product", "stool", {"name": "Stool"}),
    AddNode("Warehouse", "WH-BER", {"city": "Berlin"}),
    AddNode("Warehouse", "WH-MAD", {"city": "Madrid"}),
    AddNode("Carrier", "gls", {"name": "GLS"}),
]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "Eva Klein leitet ab sofort das Projekt Hermes, kannst du das bitte eintragen?",
            {"User eva.klein -[LEADS]-> Project HERMES"},
        ),
        ("Eva Klein leitet jetzt Hermes.", {"User eva.klein -[LEADS]-> Project HERMES"}),
        ("T-2 betrifft die Komponente mobile, bitte trage das ein.", {"Ticket T-2 -[AFFECTS]-> Component mobile"}),
        ("Lumen Glass liefert ab jetzt P-2.", {"Supplier lumen -[SUPPLIES]-> Part P-2"}),
        ("Eva Klein heads Hermes from now on.", {"User eva.klein -[LEADS]-> Project HERMES"}),
    ],
)
async def test_a_verb_of_another_name_or_language_makes_an_edge(tmp_path, text, lines):
    before, after, turn = await play(tmp_path, GRAPH, (text, NONSENSE, *PLAN_NOTHING))
    assert turn.status == "ended", turn.reply
    assert after - before == lines
    assert before <= after


@pytest.mark.parametrize(
    "text",
    [
        "Eva Klein leitet Hermes nicht.",
        "Wer leitet Hermes, Eva Klein?",
        "Leitet Eva Klein das Projekt Hermes?",
        "Vielleicht leitet Eva Klein bald Hermes.",
        "Eva Klein liefert Hermes.",
        "Notiere: 'Eva Klein leitet Hermes'.",
    ],
)
async def test_what_is_not_plainly_said_in_german_makes_no_edge(tmp_path, text):
    before, after, _ = await play(tmp_path, GRAPH, (text, NONSENSE, *PLAN_NOTHING))
    assert after == before


@pytest.mark.parametrize(
    ("text", "found", "not_found"),
    [
        ("Who is working on the ticket about the invoice total that gets rounded twice?", "Ann Lee", "Eva"),
        ("Who works on T-2?", "Ann Lee", "Eva"),
        ("Wer leitet Apollo?", "Ann Lee", "Eva"),
        ("Wer liefert P-1?", "Norte", "Lumen"),
    ],
)
async def test_a_question_by_such_a_verb_is_answered(tmp_path, text, found, not_found):
    look = goal_spec(call("query_graph", label="Ticket"), intent="query")
    before, after, turn = await play(tmp_path, GRAPH, (text, look))
    assert after == before
    assert found in turn.reply
    assert not_found not in turn.reply


async def test_an_order_in_words_gets_its_customer_and_its_edges(tmp_path):
    text = (
        "New order O-6 from the customer Hotel Sol: quantity 20, status open. "
        "It contains the desk lamp and ships from the Berlin warehouse."
    )
    wrong = step_plan(add("Product", "P-100"))
    rules = [goal_spec(), step_plan(add("Order", "O-6", quantity=20, status="open")), wrong, wrong]
    before, after, turn = await play(tmp_path, GRAPH, (text, *rules, *PLAN_NOTHING))
    assert turn.status == "ended", turn.reply
    assert after - before == {
        "Order O-6 customer=Hotel Sol, quantity=20, status=open",
        "Order O-6 -[CONTAINS]-> Product desk-lamp",
        "Order O-6 -[SHIPS_FROM]-> Warehouse WH-BER",
    }


STAFF = [
    AddNode("Doctor", "lena", {"name": "Lena Vogt", "role": "chief physician", "on_call": True, "pager": 711}),
    AddNode("Doctor", "mei", {"name": "Mei Tanaka", "role": "resident", "on_call": False}),
    AddNode("Patient", "p-1", {"name": "Tom Ekholm", "status": "stable"}),
]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "Please add a new doctor, key ines. Her name is Ines Falk, she is a resident, her pager is 751 "
            "and she is not on call.",
            "Doctor ines name=Ines Falk, on_call=False, pager=751, role=resident",
        ),
        ("Add a doctor, key ines, name Ines Falk. She's on call.", "Doctor ines name=Ines Falk, on_call=True"),
        (
            "Add a doctor, key ines, name Ines Falk. She is the chief physician.",
            "Doctor ines name=Ines Falk, role=chief physician",
        ),
        ("Add a doctor, key ines, name Ines Falk. Mei Tanaka is a resident.", "Doctor ines name=Ines Falk"),
        ("Add a doctor, key ines, name Ines Falk. She was a resident.", "Doctor ines name=Ines Falk"),
        ("Add a doctor, key ines, name Ines Falk. She is not a resident.", "Doctor ines name=Ines Falk"),
    ],
)
async def test_what_is_said_of_a_new_node_is_written_with_it(tmp_path, text, line):
    tool = goal_spec(add("Doctor", "ines", name="Ines Falk"))
    before, after, turn = await play(tmp_path, STAFF, (text, tool, *PLAN_NOTHING))
    if turn.waiting_for is not None and turn.waiting_for.node == "q.confirm":
        _, after, turn = await play(tmp_path, [], ("yes", *PLAN_NOTHING))
    assert after - before == {line}


TICKETS = [
    AddNode("Ticket", f"T-{number}", {"status": status, "priority": priority})
    for number, status, priority in (
        (1, "open", "high"),
        (2, "in progress", "high"),
        (3, "closed", "high"),
        (4, "open", "low"),
        (5, "closed", "medium"),
    )
]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Welche Tickets mit hoher Priorität sind noch nicht geschlossen?", {"T-1", "T-2"}),
        ("Welche Tickets sind geschlossen?", {"T-3", "T-5"}),
        ("Welche offenen Tickets haben niedrige Priorität?", {"T-4"}),
        ("Quels tickets sont ouverts ?", {"T-1", "T-4"}),
        ("Which tickets with high priority are not closed yet?", {"T-1", "T-2"}),
    ],
)
async def test_values_in_other_languages_are_conditions(tmp_path, text, keys):
    look = goal_spec(call("query_graph", label="Ticket", where={"status": "open", "priority": "high"}), intent="query")
    before, after, turn = await play(tmp_path, TICKETS, (text, look, *PLAN_NOTHING))
    assert after == before
    assert {f"T-{number}" for number in range(1, 6) if f"T-{number}" in turn.reply} == keys, turn.reply


async def test_a_shortened_name_is_that_property_and_no_new_one(tmp_path):
    tool = goal_spec(call("update_props", key="T-1", properties={"prio": "medium"}))
    before, after, _ = await play(tmp_path, TICKETS, ("t-1 prio medium", tool, *PLAN_NOTHING))
    assert after - before == {"Ticket T-1 priority=medium, status=open"}

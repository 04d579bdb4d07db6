"""Orders that code reads in a request by itself: values for several nodes, and for what it describes or asks after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graph_editor_support import NONSENSE, PLAN_NOTHING, call, goal_spec, play, step_plan, update

from graphwright.graphstore import AddEdge, AddNode

SUPPLY = [
    AddNode("Supplier", "acme", {"name": "Acme Metals", "rating": 4, "country": "Germany"}),
    AddNode("Supplier", "lumen", {"name": "Lumen Glass", "rating": 2, "country": "Czechia"}),
    AddNode("Supplier", "norte", {"name": "Norte", "rating": 3}),
    AddNode("Part", "P-1", {"name": "LED strip", "stock": 90}),
    AddNode("Part", "P-2", {"name": "Frosted glass", "stock": 35}),
    AddNode("Part", "P-3", {"name": "Power cord", "stock": 600}),
    AddEdge("lumen", "SUPPLIES", "P-2"),
    AddEdge("acme", "SUPPLIES", "P-3"),
    AddEdge("norte", "SUPPLIES", "P-3"),
    AddNode("Order", "O-1", {"customer": "Hotel Adler", "status": "open", "quantity": 40}),
    AddNode("Order", "O-2", {"customer": "Café Sol", "status": "shipped", "quantity": 12}),
    AddNode("Order", "O-3", {"customer": "Studio Mori", "status": "open", "quantity": 5}),
    AddNode("Order", "O-4", {"customer": "Hotel Adler", "status": "cancelled", "quantity": 8}),
    AddNode("Order", "O-5", {"customer": "Studio Mori", "status": "open", "quantity": 9}),
]
SCHOOL = [
    AddNode("Course", "bio-1", {"title": "Biology", "seats": 20, "level": "basic"}),
    AddNode("Course", "chem-1", {"title": "Chemistry", "seats": 30, "level": "advanced"}),
    AddNode("Course", "art-1", {"title": "Drawing", "seats": 12, "level": "basic"}),
    AddNode("Teacher", "ruiz", {"name": "Ana Ruiz", "room": 11}),
    AddNode("Teacher", "holm", {"name": "Per Holm", "room": 12}),
    AddEdge("ruiz", "TEACHES", "bio-1"),
    AddEdge("ruiz", "TEACHES", "chem-1"),
    AddEdge("holm", "TEACHES", "art-1"),
]
ACME_LUMEN = {
    "Supplier acme country=Germany, name=Acme Metals, rating=5",
    "Supplier lumen country=Czechia, name=Lumen Glass, rating=3",
}
SEATS = {"Course bio-1 level=basic, seats=25, title=Biology", "Course chem-1 level=advanced, seats=28, title=Chemistry"}


@pytest.mark.parametrize(
    ("graph", "text", "lines"),
    [
        (SUPPLY, "Set the rating of acme to 5 and that of lumen to 3", ACME_LUMEN),
        (SUPPLY, "Change acme's rating to 5 and lumen's to 3.", ACME_LUMEN),
        (SUPPLY, "Set the rating to 5 for acme and to 3 for lumen, please.", ACME_LUMEN),
        (SUPPLY, "Update these ratings: acme 5, lumen 3", ACME_LUMEN),
        (
            SUPPLY,
            "Please raise the rating of Acme Metals from 4 to 5, and that of Lumen Glass from 2 to 3.",
            ACME_LUMEN,
        ),
        (SCHOOL, "Set the seats of Biology to 25 and those of Chemistry to 28.", SEATS),
        (SCHOOL, "Could you set the seats of bio-1 to 25, and then set the seats of chem-1 to 28?", SEATS),
        (SCHOOL, "Setze die seats von Biology auf 25 und die von Chemistry auf 28.", SEATS),
        (
            SCHOOL,
            "Change the level of bio-1 to advanced and that of the course chem-1 to 'expert'.",
            {
                "Course bio-1 level=advanced, seats=20, title=Biology",
                "Course chem-1 level=expert, seats=30, title=Chemistry",
            },
        ),
        (
            SCHOOL,
            "Set the seats of Drawing to 14 and its level to 'advanced'.",
            {"Course art-1 level=advanced, seats=14, title=Drawing"},
        ),
    ],
)
@pytest.mark.parametrize("first", [True, False], ids=["model begins", "model fails"])
async def test_values_for_several_nodes_are_all_written(
    tmp_path: Path, graph: list[Any], text: str, lines: set[str], first: bool
) -> None:
    key, name, value = ("acme", "rating", 5) if graph is SUPPLY else ("bio-1", "seats", 25)
    begun = goal_spec(update(key, **{name: value})) if first else NONSENSE
    before, after, turn = await play(tmp_path, graph, (text, begun, *PLAN_NOTHING))
    assert turn.status == "ended", turn.reply
    assert after - before == lines


@pytest.mark.parametrize(
    "text",
    [
        "Is the rating of acme 5 and that of lumen 3?",
        "Should I set the rating of acme to 5 and that of lumen to 3?",
        "Don't set the rating of acme to 5 and that of lumen to 3.",
        "If Ann agrees, set the rating of acme to 5 and that of lumen to 3.",
        "Set the rating of acme to 5 or that of lumen to 3.",
        "Somebody wanted to set the rating of acme to 5 and that of lumen to 3.",
        "Set the rating of acme to 5 and that of lumen to 3 as soon as Ann agrees.",
        "Set the rating of acme to 5 and that of acme to 3.",
        "What did we set the rating of acme to 5 and that of lumen to 3 for?",
        "The note 'set the rating of acme to 5 and that of lumen to 3' is wrong.",
        "Set the rating of acme to 'five' and that of lumen to 'three'.",
        "Set the stock of acme to 5 and that of lumen to 3.",
        "Set the rating of acme from 1 to 5 and that of lumen from 1 to 3.",
    ],
)
async def test_values_that_are_not_plainly_ordered_are_not_written(tmp_path: Path, text: str) -> None:
    before, after, _ = await play(tmp_path, SUPPLY, (text, NONSENSE, *PLAN_NOTHING))
    assert after == before


HELD = {"Order O-1 customer=Hotel Adler, quantity=40, status=on hold"}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Look up the open order of Hotel Adler and set its status to 'on hold'.", HELD),
        ("Find the open Hotel Adler order and set its status to 'on hold'.", HELD),
        ("Set the status of the open order from Hotel Adler to 'on hold'.", HELD),
        (
            "Show me the Café Sol order. Then set its quantity to 20.",
            {"Order O-2 customer=Café Sol, quantity=20, status=shipped"},
        ),
    ],
)
@pytest.mark.parametrize(
    "astray",
    [
        update("Hotel Adler", status="on hold"),
        update("norte", status="on hold"),
        call("query_graph", label="Order", where={"customer": "Hotel Adler"}),
        call("add_node", label="Order", key="Hotel Adler", properties={"status": "on hold"}),
    ],
)
async def test_a_node_that_is_described_by_its_values_is_written(
    tmp_path: Path, text: str, lines: set[str], astray: dict[str, Any]
) -> None:
    before, after, turn = await play(tmp_path, SUPPLY, (text, goal_spec(astray), step_plan(astray), *PLAN_NOTHING))
    assert turn.status == "ended", turn.reply
    assert after - before == lines


@pytest.mark.parametrize(
    "text",
    [
        "Look up the open order of Studio Mori and set its status to 'on hold'.",
        "Look up the urgent order of Café Sol and set its status to 'on hold'.",
        "Look up the order of Hotel Adler and set its status to 'on hold'.",
        "Look up the open order of Hotel Ritz and set its status to 'on hold'.",
        "Is the open order of Hotel Adler set to 'on hold'?",
        "Look up the open order of Hotel Adler, but do not set its status to 'on hold'.",
    ],
)
async def test_a_description_that_does_not_fit_just_one_node_writes_nothing(tmp_path: Path, text: str) -> None:
    astray = update("Hotel Adler", status="on hold")
    before, after, _ = await play(tmp_path, SUPPLY, (text, goal_spec(astray), *PLAN_NOTHING))
    assert after == before


LUMEN = "Supplier lumen country=Czechia, name=Lumen Glass, rating=4"
HOLM = "Teacher holm name=Per Holm, room=14"


@pytest.mark.parametrize(
    ("graph", "text", "told", "line"),
    [
        (SUPPLY, "Who supplies P-2? Set the rating of that supplier to 4.", "lumen", LUMEN),
        (SUPPLY, "Which supplier supplies Frosted glass? Please set its rating to 4.", "lumen", LUMEN),
        (SCHOOL, "Who teaches art-1? Change the room of this teacher to 14.", "holm", HOLM),
        (SCHOOL, "Who is the teacher of Drawing? Change their room to 14.", "holm", HOLM),
    ],
)
@pytest.mark.parametrize(
    "astray",
    [
        call("query_graph", label="Supplier", related={"type": "any", "key": "P-2"}),
        update("lumen", rating=4),
        update("P-2", rating=4),
        call("query_graph", label="Teacher", where={"key": "holm"}),
    ],
)
async def test_what_a_question_finds_is_told_and_written(
    tmp_path: Path, graph: list[Any], text: str, told: str, line: str, astray: dict[str, Any]
) -> None:
    before, after, turn = await play(
        tmp_path, graph, (text, goal_spec(astray), *[step_plan(astray)] * 2, *PLAN_NOTHING)
    )
    assert turn.status == "ended", turn.reply
    assert after - before == {line}
    assert f"- {line.split()[0]} {told}" in turn.reply


@pytest.mark.parametrize(
    ("graph", "text", "astray"),
    [
        (SUPPLY, "Who supplies P-3? Set the rating of that supplier to 5.", update("acme", rating=5)),
        (SUPPLY, "Who supplies P-1? Set the rating of that supplier to 5.", update("acme", rating=5)),
        (SUPPLY, "Who supplies P-2? Should I set the rating of that supplier to 5?", update("lumen", rating=5)),
        (SUPPLY, "Who supplies P-2? Do not set the rating of that supplier to 5.", update("lumen", rating=5)),
        (SCHOOL, "Which course does Ana Ruiz teach? Set its seats to 5.", update("bio-1", seats=5)),
    ],
)
async def test_of_two_that_a_question_finds_none_is_written_unasked(
    tmp_path: Path, graph: list[Any], text: str, astray: dict[str, Any]
) -> None:
    before, after, _ = await play(tmp_path, graph, (text, goal_spec(astray), *[step_plan(astray)] * 3, *PLAN_NOTHING))
    assert after == before


TWINS = [
    AddNode("Component", "billing", {"name": "Billing service", "status": "stable"}),
    AddNode("Project", "billing", {"name": "Billing", "status": "active"}),
    AddNode("Ticket", "T-1", {"status": "open"}),
    AddNode("Ticket", "T-2", {"status": "open"}),
    AddEdge("T-2", "AFFECTS", "billing", to_label="Component"),
    AddNode("Warehouse", "WH-OSA", {"city": "Osaka"}),
    AddNode("Warehouse", "WH-MAD", {"city": "Madrid"}),
    AddNode("Order", "O-1", {"customer": "Clinic Nord"}),
    AddNode("Order", "O-2", {"customer": "Hotel Adler"}),
    AddEdge("O-2", "SHIPS_FROM", "WH-MAD"),
]


async def test_of_two_nodes_with_one_key_the_one_is_written_that_the_user_names_when_asked(tmp_path: Path) -> None:
    text = "billing is finished, set its status to done"
    astray = update("billing", status="done")
    before, asked, turn = await play(tmp_path, TWINS, (text, goal_spec(astray), step_plan(astray)))
    assert asked == before
    assert "Project billing" in turn.reply
    assert "Component billing" in turn.reply
    _, after, turn = await play(tmp_path, [], ("I mean the project", step_plan(astray), *PLAN_NOTHING))
    assert after - before == {"Project billing name=Billing, status=done"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "T-1 betrifft den Billing service, das fehlt noch. Kannst du das bitte verknüpfen?",
            "Ticket T-1 -[AFFECTS]-> Component billing",
        ),
        ("T-1 affects billing, please link them.", "Ticket T-1 -[AFFECTS]-> Component billing"),
    ],
)
async def test_of_two_nodes_with_one_key_the_one_is_joined_that_fits(tmp_path: Path, text: str, line: str) -> None:
    astray = call("add_edge", from_key="T-1", type="AFFECTS", to_key="billing")
    before, after, _ = await play(tmp_path, TWINS, (text, goal_spec(astray), *PLAN_NOTHING))
    assert after - before == {line}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "It's decided: the Clinic Nord order ships from Osaka. Could you put that in, please?",
            {"Order O-1 -[SHIPS_FROM]-> Warehouse WH-OSA"},
        ),
        ("O-1 ships from Madrid.", {"Order O-1 -[SHIPS_FROM]-> Warehouse WH-MAD"}),
        ("Does O-1 ship from Osaka?", set()),
        ("O-1 ships from Osaka or Madrid.", set()),
        ("O-1 does not ship from Osaka.", set()),
        ("O-1 ships from Oslo.", set()),
    ],
)
async def test_an_edge_to_what_has_a_proper_noun_is_made(tmp_path: Path, text: str, lines: set[str]) -> None:
    before, after, _ = await play(tmp_path, TWINS, (text, NONSENSE, *PLAN_NOTHING))
    assert after - before == lines

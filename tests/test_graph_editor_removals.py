"""What is said to go, read by code: nodes that can be deleted, and the edge that is meant between two nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graph_editor_support import NONSENSE, PLAN_NOTHING, call, goal_spec, play, step_plan

from graphwright.graphstore import AddEdge, AddNode

TRACKER = [
    AddNode("User", "ann.lee", {"name": "Ann Lee"}),
    AddNode("User", "bob", {"name": "Bob Ray"}),
    AddNode("Project", "APOLLO", {"name": "Apollo"}),
    *(AddNode("Ticket", f"TICKET-{number}", {"status": "open", "comment": "old"}) for number in (1, 2, 3, 4)),
    AddEdge("TICKET-1", "ASSIGNED_TO", "ann.lee"),
    AddEdge("TICKET-2", "ASSIGNED_TO", "ann.lee"),
    AddEdge("ann.lee", "REPORTS", "TICKET-2"),
    AddEdge("TICKET-1", "BELONGS_TO", "APOLLO"),
    AddEdge("TICKET-1", "BLOCKS", "TICKET-2"),
]
SHOP = [
    AddNode("Carrier", "sagawa", {"name": "Sagawa"}),
    AddNode("Carrier", "dhl", {"name": "DHL"}),
    AddNode("Order", "O-1", {"customer": "Hotel Adler", "status": "open"}),
    AddNode("Order", "O-2", {"customer": "Café Sol", "status": "open"}),
    AddEdge("O-1", "SHIPPED_BY", "dhl"),
]
GONE = {"Carrier sagawa name=Sagawa", "Order O-2 customer=Café Sol, status=open"}
THIRD = {"Ticket TICKET-3 comment=old, status=open"}


@pytest.mark.parametrize(
    ("graph", "text", "gone"),
    [
        (SHOP, "The carrier sagawa and the order O-2 can be deleted.", GONE),
        (SHOP, "Sagawa and O-2 may go.", GONE),
        (SHOP, "The carrier sagawa, as well as order O-2, are no longer needed.", GONE),
        (SHOP, "We tidied up, so carrier sagawa and O-2 should be removed now.", GONE),
        (SHOP, "Delete the carrier Sagawa and the order O-2.", GONE),
        (SHOP, "Der Carrier sagawa und die Order O-2 können weg.", GONE),
        (SHOP, "The Café Sol order has to go.", {"Order O-2 customer=Café Sol, status=open"}),
        (TRACKER, "Ticket 3, the one about the typo of Bob Ray, can be deleted. That was done ages ago.", THIRD),
        (TRACKER, "TICKET-3 and TICKET-4 are to be deleted", {*THIRD, "Ticket TICKET-4 comment=old, status=open"}),
        (TRACKER, "TICKET-3 isn't needed any more.", THIRD),
    ],
)
async def test_what_can_be_deleted_is_deleted_after_a_yes_each(
    tmp_path: Path, graph: list[Any], text: str, gone: set[str]
) -> None:
    before, after, turn = await play(tmp_path, graph, (text, NONSENSE, *PLAN_NOTHING))
    yes = 0
    while turn.waiting_for is not None and yes < 3:
        assert turn.waiting_for.node == "q.confirm", turn.reply
        assert len(before - after) == yes
        yes += 1
        _, after, turn = await play(tmp_path, [], ("yes", *PLAN_NOTHING))
    assert before - after == gone
    assert after <= before
    assert yes == len(gone)


@pytest.mark.parametrize(
    "text",
    [
        "Can the carrier sagawa and the order O-2 be deleted?",
        "The carrier sagawa and the order O-2 can be deleted?",
        "The carrier sagawa and the order O-2 should not be deleted.",
        "The carrier sagawa and the order O-2 can't be deleted.",
        "Neither sagawa nor O-2 is to be deleted.",
        "If nobody needs them, sagawa and O-2 can be deleted.",
        "Sagawa and O-2 can be deleted as soon as Ann agrees.",
        "Sagawa or O-2 can be deleted.",
        "Bob says that sagawa and O-2 can be deleted.",
        "Sagawa and O-2 were deleted yesterday.",
        "The comment 'sagawa and O-2 can be deleted' is wrong.",
        "O-2 can go to Berlin.",
        "The orders of sagawa can be deleted.",
        "The status of O-2 is no longer needed.",
        "The order O-2 of sagawa can be deleted.",
        "The carrier ups and the order O-77 can be deleted.",
    ],
)
async def test_what_is_not_said_to_go_is_not_even_proposed(tmp_path: Path, text: str) -> None:
    before, after, turn = await play(tmp_path, SHOP, (text, NONSENSE, *PLAN_NOTHING))
    assert after == before
    assert turn.waiting_for is None or turn.waiting_for.node != "q.confirm", turn.reply


ASSIGNMENT = {"Ticket TICKET-1 -[ASSIGNED_TO]-> User ann.lee"}


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Ann Lee no longer works on TICKET-1, please remove that assignment.", ASSIGNMENT),
        ("Please delete the assignment of TICKET-1 to Ann Lee.", ASSIGNMENT),
        ("The TICKET-1 assignment to Ann Lee can be removed.", ASSIGNMENT),
        ("Take out the link between ann.lee and TICKET-1.", ASSIGNMENT),
        ("Ann Lee is off TICKET-1. Delete this connection, both of them stay.", ASSIGNMENT),
        ("Ann Lee arbeitet nicht mehr an TICKET-1, bitte entferne die Zuweisung.", ASSIGNMENT),
        ("Remove the assignment of TICKET-2 to Ann Lee.", {"Ticket TICKET-2 -[ASSIGNED_TO]-> User ann.lee"}),
    ],
)
@pytest.mark.parametrize(
    "astray",
    [
        call("delete_edge", from_key="ann.lee", type="ASSIGNED_TO {since: ", to_key="TICKET-1"),
        call("delete_node", key="TICKET-1"),
        call("query_graph", label="ASSIGNED_TO {since: "),
    ],
)
async def test_the_edge_that_is_meant_is_taken_out_after_a_yes(
    tmp_path: Path, text: str, gone: set[str], astray: dict[str, Any]
) -> None:
    before, asked, turn = await play(tmp_path, TRACKER, (text, goal_spec(astray), *[step_plan(astray)] * 3))
    assert asked == before
    assert turn.waiting_for.node == "q.confirm", turn.reply
    _, after, turn = await play(tmp_path, [], ("yes", *PLAN_NOTHING))
    assert before - after == gone
    assert turn.status == "ended"


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee still works on TICKET-1, don't remove that assignment.",
        "Should I remove the assignment of TICKET-1 to Ann Lee?",
        "What would happen if we remove the assignment of TICKET-1 to Ann Lee?",
        "Remove the connection of TICKET-2 to Ann Lee.",
        "Remove the assignment of TICKET-3 to Ann Lee.",
        "Remove the assignment of TICKET-1 or TICKET-2 to Ann Lee.",
        "Bob Ray no longer works on TICKET-1, please remove that assignment.",
    ],
)
async def test_an_edge_that_is_not_surely_meant_is_not_proposed(tmp_path: Path, text: str) -> None:
    before, after, turn = await play(tmp_path, TRACKER, (text, NONSENSE, *PLAN_NOTHING))
    assert after == before
    assert turn.waiting_for is None or turn.waiting_for.node != "q.confirm", turn.reply

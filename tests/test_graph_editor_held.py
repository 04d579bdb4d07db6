"""Demands that exclude each other: what has to stay as it is, and what is ordered twice, is asked about first."""

from __future__ import annotations

import pytest
from graph_editor_support import NOTHING_LEFT, goal_spec, play, step_plan, update

from graphwright.graphstore import AddEdge, AddNode

GRAPH = [
    AddNode("Order", "O-1", {"status": "open", "quantity": 5, "customer": "Mori"}),
    AddNode("Order", "O-2", {"status": "shipped", "quantity": 8, "customer": "Adler"}),
    AddNode("Order", "O-3", {"status": "cancelled", "quantity": 9, "customer": "Sol"}),
    AddNode("Product", "lamp", {"name": "Lamp", "price": 40}),
    AddEdge("O-1", "CONTAINS", "lamp"),
    AddNode("Machine", "M-1", {"name": "Press", "mode": "manual", "level": "high"}),
    AddNode("Machine", "M-2", {"name": "Lathe", "mode": "automatic", "level": "low"}),
]
CANCEL = update("O-1", status="cancelled")


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("Set the status of order O-1 to cancelled. The order has to stay open.", CANCEL),
        ("Set the status of order O-1 to cancelled. It must remain open.", CANCEL),
        ("The order O-1 has to stay open. Please set its status to cancelled.", CANCEL),
        ("Set the status of O-1 to cancelled, but keep it open.", CANCEL),
        ("Could you set the status of O-1 to cancelled? The order should still be open.", CANCEL),
        ("Set the status of O-1 to cancelled. Its status must not change.", CANCEL),
        ("Set the status of O-1 to cancelled. The order must not be changed.", CANCEL),
        ("Set the status of O-1 to cancelled. The status of the order has to be open.", CANCEL),
        ("Set the status of O-1 to cancelled and set the status of O-1 to shipped.", CANCEL),
        ("Set the status of O-1, which contains the lamp, to cancelled. The order must stay open.", CANCEL),
        ("Cancel order O-1. The order has to stay open.", CANCEL),
        ("Setze den Status von O-1 auf cancelled. Die Bestellung muss offen bleiben.", CANCEL),
        ("Setze den Status von O-1 auf cancelled. O-1 bleibt aber offen.", CANCEL),
        ("Setze den Status von O-1 auf cancelled. Der Status darf nicht geändert werden.", CANCEL),
        ("Mets le statut de O-1 à cancelled. La commande doit rester ouverte.", CANCEL),
        ("Cambia el estado de O-1 a cancelled. El pedido debe seguir abierto.", CANCEL),
        ("Set the quantity of O-1 to 7. It has to stay at 5.", update("O-1", quantity=7)),
        ("Set the quantity of O-1 to 7. The quantity must not change.", update("O-1", quantity=7)),
        ("Switch the mode of the press to automatic. The press has to remain manual.", update("M-1", mode="automatic")),
        ("Set the level of M-1 to low, the machine stays high though.", update("M-1", level="low")),
    ],
)
async def test_what_has_to_stay_is_asked_about_before_it_is_written(tmp_path, text, tool):
    for number, rule in enumerate((goal_spec(tool), goal_spec())):
        rules = [rule] if number == 0 else [rule, step_plan(tool, final=True)]
        before, after, turn = await play(tmp_path / str(number), GRAPH, (text, *rules, *[NOTHING_LEFT] * 4))
        assert after == before
        assert turn.waiting_for is not None
        assert "contradiction" in turn.reply


@pytest.mark.parametrize(
    ("text", "tool", "line"),
    [
        (
            "Set the status of O-1 to cancelled. O-2 has to stay shipped.",
            CANCEL,
            "Order O-1 customer=Mori, quantity=5, status=cancelled",
        ),
        (
            "Set the quantity of O-1 to 7. The order has to stay open.",
            update("O-1", quantity=7),
            "Order O-1 customer=Mori, quantity=7, status=open",
        ),
        ("O-1 was open, set the status to cancelled.", CANCEL, "Order O-1 customer=Mori, quantity=5, status=cancelled"),
        (
            "Set the status of O-1 to cancelled, the other orders have to stay open.",
            CANCEL,
            "Order O-1 customer=Mori, quantity=5, status=cancelled",
        ),
        (
            "Set the status of O-1 to cancelled. The quantity must not change.",
            CANCEL,
            "Order O-1 customer=Mori, quantity=5, status=cancelled",
        ),
        (
            "Set the status of O-1 to cancelled, and it stays cancelled.",
            CANCEL,
            "Order O-1 customer=Mori, quantity=5, status=cancelled",
        ),
        (
            "Change the status of O-1 from open to cancelled.",
            CANCEL,
            "Order O-1 customer=Mori, quantity=5, status=cancelled",
        ),
        (
            "Switch the mode of M-1 to automatic. The level has to stay high.",
            update("M-1", mode="automatic"),
            "Machine M-1 level=high, mode=automatic, name=Press",
        ),
    ],
)
async def test_what_stays_beside_it_is_no_contradiction(tmp_path, text, tool, line):
    _, after, turn = await play(tmp_path, GRAPH, (text, goal_spec(tool), *[NOTHING_LEFT] * 4))
    if turn.waiting_for is not None:
        # What has a "not" beside it is shown first.
        assert "contradiction" not in turn.reply
        assert turn.waiting_for.node == "q.confirm", turn.reply
        _, after, turn = await play(tmp_path, [], ("yes", *[NOTHING_LEFT] * 4))
    assert line in after


async def test_the_answer_to_a_contradiction_settles_it(tmp_path):
    text = "Set the status of order O-1 to cancelled. The order has to stay open."
    before, _, _ = await play(tmp_path, GRAPH, (text, goal_spec(CANCEL)))
    _, after, _ = await play(tmp_path, [], ("cancelled", step_plan(CANCEL, final=True), *[NOTHING_LEFT] * 4))
    assert after - before == {"Order O-1 customer=Mori, quantity=5, status=cancelled"}


async def test_the_answer_that_it_stays_writes_nothing(tmp_path):
    text = "Set the status of order O-1 to cancelled. The order has to stay open."
    before, _, _ = await play(tmp_path, GRAPH, (text, goal_spec(CANCEL)))
    _, after, _ = await play(tmp_path, [], ("open", step_plan(CANCEL, final=True), *[NOTHING_LEFT] * 4))
    assert after == before

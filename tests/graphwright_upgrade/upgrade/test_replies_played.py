"""The UpGrade agent's reports and marks in long conversations: orders tried again, exceptions, waiting orders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade.client._simulating import simulate
from upgrade_agent_support import MARKS, add, analysed, deletions, order, ordered, proposed, reviewed, talk, weighted

pytestmark = pytest.mark.usefixtures("local_service")


def of_hints(action: str, **params: Any) -> list[Mapping[str, Any]]:
    """The model fills in an order about Hints."""
    return [proposed(action, {"experiment_id": "Hints"}, experiment_id="Hints", **params), reviewed()]


async def test_an_order_that_was_done_later_is_not_in_the_closing_list_as_undone(tmp_path: Path) -> None:
    await add(tmp_path, "Hints", "One")
    simulation = of_hints("simulate_experiment", users=10)
    rules = [analysed(order("simulate_experiment"), order("delete_experiment", "Delete One")), simulation[0]]
    rules += [*deletions("One")[1:]]
    rules += [analysed(order("update_experiment_status", "Start Hints"), order("simulate_experiment", "Simulate 10"))]
    rules += [*of_hints("update_experiment_status", status="enrolling"), *simulation, *deletions("One")[1:]]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("simulate 10 users in Hints, and delete One")
        assert "Not done: simulate users in 'Hints' (maths-practice): " in turn.reply
        await s.send("start Hints first, and simulate 10")
        await s.send("yes")
        await s.send("yes")
        turn = await s.send("no")
    done = "Done: start 'Hints' (maths-practice); simulate users in 'Hints' (maths-practice)."
    assert turn.reply == f"{done}\nNot done: delete 'One' (maths-practice): you did not want it."


async def test_an_order_is_done_later_only_if_it_is_the_same_one(tmp_path: Path) -> None:
    """Another experiment of the same name, and another change of the same experiment, are other orders."""
    one, two = await add(tmp_path, "Hints", "Hints")
    rules = [
        analysed(*(order("delete_experiment", f"Delete {each}") for each in (one, two)), order("update_experiment"))
    ]
    for id in (one, two):
        rules += [proposed("delete_experiment", {"experiment_id": "both"}, experiment_id=id), reviewed()]
    rules += [proposed("update_experiment", experiment_id=one, tags=["a"]), reviewed()]
    rules += [analysed(order("update_experiment", "Describe it")), reviewed()]
    rules.insert(-1, proposed("update_experiment", experiment_id=one, description="b"))
    async with talk(tmp_path, *rules) as s:
        await s.send("delete both Hints, and tag the first one with a")
        await s.send("no")
        await s.send("yes")
        await s.send("describe the first one as b before")
        await s.send("yes")
        turn = await s.send("no")
    undone = [line for line in turn.reply.split("\n") if line.startswith("Not done: ")]
    assert [line.split("'")[0] for line in undone] == ["Not done: delete ", "Not done: change "]


@pytest.mark.parametrize(("enrolled", "told"), [(20, True), (0, False)])
async def test_a_condition_that_is_replaced_is_told_with_the_number_of_lost_enrolments(
    tmp_path: Path, enrolled: int, told: bool
) -> None:
    (id,) = await add(tmp_path, "Hints")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.set_state(id, State.ENROLLING)
        if enrolled:
            await simulate(client, await client.experiment(id), enrolled, run="r")
        counts = {each.id: each.users for each in (await client.enrollment(id)).conditions}
        variant = next(each.id for each in (await client.experiment(id)).conditions if each.code == "variant")
    change = ordered("update_experiment", experiment_id="Hints", conditions=weighted(control=50, glossary=50))
    async with talk(tmp_path, *change) as s:
        reply = (await s.send("Hints: glossary 50 instead of variant, control 50")).reply
    lost = f"The condition 'variant' will be deleted with all enrolments in it ({counts.get(variant, 0)} users)."
    assert (lost in reply) == told, reply
    others = "those enrolled in the other conditions keep them; new weights count for others"
    assert (others in reply) == told, reply
    assert "those enrolled keep their condition" not in reply


@pytest.mark.parametrize(
    ("words", "marked"),
    [
        ({"experiment_id": "the ones that do not run, except Delta", "experiment_id.except": "except Delta"}, False),
        ({"experiment_id": "the ones that do not run, except Delta"}, True),
        ({"experiment_id": "the ones that do not run"}, False),
        ({"experiment_id": "start Delta", "experiment_id.except": "but not Delta"}, True),
    ],
)
async def test_a_name_that_the_words_except_is_no_other_experiment(
    tmp_path: Path, words: dict[str, str], marked: bool
) -> None:
    await add(tmp_path, "Beta", "Delta")
    given = {"status": "start", **words}
    start = proposed("update_experiment_status", given, experiment_id="Beta", status="enrolling")
    async with talk(tmp_path, analysed(order("update_experiment_status")), start, reviewed()) as s:
        said = "Start the ones that do not run, except Delta" if "start Delta" not in words.values() else "start Delta"
        reply = (await s.send(said)).reply
    assert any(mark in reply for mark in MARKS) == marked, reply
    assert ("'experiment: Beta'" in reply) == marked, reply


async def test_the_second_look_is_told_which_orders_wait_after_a_correction(tmp_path: Path) -> None:
    await add(tmp_path, "One", "Two")
    rules = [analysed(order("update_experiment_status", "Start Two"), order("delete_experiment", "Delete One"))]
    start = {"status": "start"}
    two = proposed("update_experiment_status", start, experiment_id="Two", status="enrolling")
    swapped = analysed(order("update_experiment_status", "Start One"), waiting="change")
    swapped["call"]["analyze_user_request"]["queue"] = [order("delete_experiment", "Delete Two for good")]
    rules += [two, reviewed(), swapped]
    rules += [proposed("update_experiment_status", start, experiment_id="One", status="enrolling")]
    look = {**reviewed(), "says": r"comes later, so it is not missing: Delete Two for good\n"}
    async with talk(tmp_path, *rules, look) as s:
        await s.send("start Two, and delete One")
        turn = await s.send("the other way round: start One, and delete Two")
    assert "⚠️" not in turn.reply
    assert turn.reply.endswith("After that: Delete Two for good.")


@pytest.mark.parametrize("intent", ["direct_answer", "needs_info"])
async def test_giving_up_what_waits_leads_to_the_queue_and_orders_come_before_it(tmp_path: Path, intent: str) -> None:
    """The text of the prompt about the order of requests: the waiting and kept ones first, then the queue."""
    await add(tmp_path, "One", "Two", "Three")
    first = analysed(order("delete_experiment", "Delete One"))
    between = analysed(order("delete_experiment", "Delete Two"))
    between["call"]["analyze_user_request"]["queue"] = [order("delete_experiment", "Delete Three")]
    one, two, three = (deletions(name)[1:] for name in ("One", "Two", "Three"))
    drop = analysed(waiting="drop", intent_type=intent)
    async with talk(tmp_path, first, *one, between, *two, drop, *one, drop, *three, drop) as s:
        assert "experiment 'One'" in (await s.send("delete One")).reply
        turn = await s.send("but first Two, and then Three")
        assert "experiment 'Two'" in turn.reply
        assert "After that: Delete One; Delete Three." in turn.reply
        assert "Next, 2 of 3:" in (await s.send("forget that one")).reply
        assert "Next, 3 of 3:" in (await s.send("forget that one")).reply
        turn = await s.send("forget that one")
    assert turn.reply.count("Not done: delete") == 3

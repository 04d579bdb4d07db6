"""Several orders in one message, questions while something is pending, and unsupported requests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import graphwright
from graphwright.engine.events import ModelCalled
from graphwright.models._scripted import ScriptedModel
from graphwright.proposals import MARKED
from graphwright.text.sentences import quoted
from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._drafts import ListDraft
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade.upgrade.replies import left_out
from proposals_support import begun, proposals
from upgrade_agent_support import (
    FOO,
    SAID,
    THREE,
    add,
    analysed,
    deletions,
    experiments,
    looked_up,
    node,
    order,
    ordered,
    proposed,
    reviewed,
    states,
    talk,
)
from upgrade_client_support import draft

pytestmark = pytest.mark.usefixtures("local_service")


async def test_a_no_to_one_of_three_orders_keeps_the_others(tmp_path: Path) -> None:
    await add(tmp_path, *THREE)
    async with talk(tmp_path, *deletions(*THREE)) as s:
        turn = await s.send("delete One, Two and Three")
        assert "Next, 1 of 3:" in turn.reply
        assert "After that: Delete Two; Delete Three." in turn.reply
        turn = await s.send("yes")
        assert "Deleted experiment 'One'" in turn.reply
        turn = await s.send("no")
        assert turn.reply.startswith("Not done: delete 'Two' (maths-practice): you did not want it.\n\nNext, 3 of 3:")
        assert "DELETE experiment 'Three'" in turn.reply
        turn = await s.send("yes")
    assert node(turn) == "ended"
    done = "Done: delete 'One' (maths-practice); delete 'Three' (maths-practice)."
    assert turn.reply.endswith(f"\n\n{done}\nNot done: delete 'Two' (maths-practice): you did not want it.")
    assert await states(tmp_path) == {"Two": "inactive"}


async def test_an_order_that_fails_when_it_is_done_keeps_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graphwright_upgrade.client._calls import UpgradeClient
    from graphwright_upgrade.client._failures import ServerFailed

    await add(tmp_path, *THREE)
    delete = UpgradeClient.delete

    async def failing(self: UpgradeClient, id: str) -> None:
        if (await self.experiment(id)).name == "One":
            raise ServerFailed("server_error", "The server failed.", "", done=None)
        await delete(self, id)

    monkeypatch.setattr(UpgradeClient, "delete", failing)
    async with talk(tmp_path, *deletions(*THREE)) as s:
        await s.send("delete One, Two and Three")
        turn = await s.send("yes")
        assert turn.reply.startswith("Not done: delete 'One' (maths-practice): The server failed.\n\nNext, 2 of 3:")
        assert "DELETE experiment 'Two'" in turn.reply
        await s.send("yes")
        turn = await s.send("yes")
    assert "Not done: delete 'One' (maths-practice): The server failed." in turn.reply
    assert list(await states(tmp_path)) == ["One"]


async def test_an_order_that_cannot_be_prepared_is_reported_and_the_next_one_comes(tmp_path: Path) -> None:
    await add(tmp_path, "One", "Two")
    impossible = {"call": {"add_error": {"error_type": "not_found", "message": "Zero is not there."}}, "times": 1}
    rules = [analysed(*(order("delete_experiment", f"Delete {name}") for name in ("One", "Zero", "Two")))]
    rules += [proposed("delete_experiment", experiment_id="One"), reviewed()]
    rules += [{**impossible, "offers": "set_action_params", "says": "Not done|Deleted experiment 'One'"}]
    rules += [proposed("delete_experiment", experiment_id="Two"), reviewed()]
    async with talk(tmp_path, *rules) as s:
        await s.send("delete One, Zero and Two")
        turn = await s.send("yes")
        assert "Zero is not there." in turn.reply
        assert "DELETE experiment 'Two'" in turn.reply
        assert "Next, 3 of 3:" in turn.reply
        turn = await s.send("yes")
    assert "Not done: Delete Zero: Zero is not there." in turn.reply
    assert await states(tmp_path) == {}


async def test_a_parameter_that_an_action_does_not_have_is_corrected_by_the_model(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    rules = [analysed(order("update_experiment", "Rename One to Two"))]
    rules += [proposed("update_experiment", experiment_id="One", name="Two")]
    rules += [{**proposed("update_experiment", experiment_id="One", new_name="Two"), "anywhere": "no parameter name;"}]
    async with talk(tmp_path, *rules, reviewed()) as s:
        turn = await s.send("rename One to Two")
        assert "Extra inputs" not in turn.reply
        assert "One -> Two" in turn.reply or "'Two'" in turn.reply
        await s.send("yes")
    assert list(await states(tmp_path)) == ["Two"]


async def test_the_last_order_that_cannot_be_prepared_ends_the_request(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    over = proposed("update_experiment_status", experiment_id="One", status="cancelled")
    rules = [*deletions("One"), over]
    rules[0] = analysed(order("delete_experiment", "Delete One"), order("update_experiment_status", "End One"))
    async with talk(tmp_path, *rules, {"text": ""}) as s:
        await s.send("delete One, then end it")
        turn = await s.send("no")
        assert "status to 'cancelled'" in turn.reply
        async with connect(UpgradeSettings(), tmp_path) as client:
            await client.set_state(next(iter(await experiments(tmp_path))), State.ARCHIVED)
        turn = await s.send("yes")
    assert node(turn) == "ended"
    assert "nothing leads back" in turn.reply
    assert turn.values["action_needed"] is None


@pytest.mark.parametrize("pending", ["confirmation", "step"])
async def test_a_question_that_needs_a_look_up_is_answered_and_what_waits_comes_again(
    tmp_path: Path, pending: str
) -> None:
    await add(tmp_path, "One", "Two")
    rules = deletions("One", "Two")
    if pending == "step":
        rules[1] = {"offers": "set_action_params", "call": {"set_action_params": {"action_params": {}}}, "times": 1}
    rules += looked_up("Which sites are there?", "get_decision_points_for_context", context="maths-practice")
    answered = {"offers": "get_execution_log", "anywhere": "decision_points_for_maths-practice"}
    async with talk(tmp_path, *rules, {**answered, "text": "There is give-hint."}) as s:
        before = await s.send("delete One and Two")
        turn = await s.send("Which sites does maths-practice have?")
        assert node(turn) == node(before) == ("q.confirm" if pending == "confirmation" else "delete.experiment_id")
        assert turn.reply.startswith("There is give-hint.")
        assert before.reply.rpartition("Next, 1 of 2:")[2] in turn.reply
        assert await states(tmp_path) == {"One": "inactive", "Two": "inactive"}
        if pending == "confirmation":
            assert "DELETE experiment 'Two'" in (await s.send("yes")).reply


async def test_the_result_of_an_order_is_there_for_the_next_one(tmp_path: Path) -> None:
    (id,) = await add(tmp_path, "Hints")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.set_state(id, State.ENROLLING)
        await client.init("ann")
        (assigned,) = await client.assign("ann", "maths-practice")
    visit = {"user_id": "ann", "site": "show-problem", "target": "fractions-intro"}
    code = assigned.condition.code
    mark = proposed(
        "mark_decision_point", **visit, assigned_condition={"experiment_id": "Hints", "condition_code": code}
    )
    rules = [
        analysed(order("get_decision_point_assignments"), order("mark_decision_point", "Mark ann with what she gets")),
        proposed("get_decision_point_assignments", user_id="ann", context="maths-practice"),
        {**reviewed(), "says": "Only this part now"},
        {**mark, "says": rf"Done so far(?s:.*)condition '{code}'(?s:.*)Request \(mark"},
        {**reviewed(), "says": rf"condition '{code}'"},
    ]
    async with talk(tmp_path, *rules) as s:
        await s.send("What does ann get in maths-practice? Mark her at show-problem/fractions-intro with that.")
        turn = await s.send("yes")
        assert f"condition '{code}'" in turn.reply.partition("Mark decision point visit")[2]
        assert "Not in your words: 'condition code" not in turn.reply
        assert "Marked the visit" in (await s.send("yes")).reply


async def test_a_correction_of_the_order_in_hand_keeps_the_queue(tmp_path: Path) -> None:
    await add(tmp_path, *THREE)
    change = [analysed(waiting="change"), proposed("delete_experiment", experiment_id="Three"), reviewed()]
    first, *rest = deletions("One", "Two")
    async with talk(tmp_path, first, *rest[:2], *change, *rest[2:]) as s:
        await s.send("delete One and Two")
        turn = await s.send("not One, Three")
        assert "DELETE experiment 'Three'" in turn.reply
        assert "After that: Delete Two." in turn.reply
        await s.send("yes")
        await s.send("yes")
    assert list(await states(tmp_path)) == ["One"]


async def test_the_model_sees_the_queue_and_can_change_it(tmp_path: Path) -> None:
    await add(tmp_path, *THREE)
    dropped = {**analysed(queue=[order("delete_experiment", "Delete Three")]), "anywhere": "After it: .*Delete Two"}
    rules = deletions(*THREE)
    async with talk(tmp_path, *rules[:3], dropped, *rules[5:]) as s:
        await s.send("delete One, Two and Three")
        turn = await s.send("leave Two out after all")
        assert node(turn) == "q.confirm"
        assert "After that: Delete Three." in turn.reply
        assert "DELETE experiment 'Three'" in (await s.send("yes")).reply


async def test_an_order_and_a_question_in_one_message_are_both_dealt_with(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    asked = looked_up("How many experiments are there?", "get_all_experiments")[1:]
    understood = analysed(order("delete_experiment", "Delete One"), question="How many experiments are there?")
    rules = [understood, *asked, *deletions("One")[1:], {"offers": "get_execution_log", "text": "There is 1."}]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("delete One; how many experiments are there?")
    assert turn.reply.startswith("There is 1.")
    assert "DELETE experiment 'One'" in turn.reply


async def test_what_is_not_offered_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    cannot = "Payloads are not offered; I can create the experiment without them."
    async with talk(tmp_path, analysed(cannot=cannot, intent_type="direct_answer")) as s:
        turn = await s.send("Create Foo in maths-practice whose control has the payload red")
    assert (node(turn), turn.reply, turn.usage.model_calls) == ("ended", cannot, 1)
    await add(tmp_path, "One")
    understood = analysed(order("delete_experiment", "Delete One"), cannot=cannot)
    async with talk(tmp_path, understood, *deletions("One")[1:], thread="other") as s:
        turn = await s.send("Give Foo payloads, and delete One")
    assert turn.reply.startswith(cannot)
    assert node(turn) == "q.confirm"


async def test_without_a_model_what_is_not_offered_stands_before_the_choices(tmp_path: Path) -> None:
    async with talk(tmp_path, {"fail": {"code": "no_model"}}) as s:
        turn = await s.send("a factorial design please")
    assert node(turn) == "q.offer"
    assert "factorial, within-subject" in turn.reply


async def test_namesakes_are_told_apart_by_context_and_the_second_look_sees_it(tmp_path: Path) -> None:
    await add(tmp_path, "Twin", "Twin")
    (id, _) = await experiments(tmp_path)
    rename = proposed("update_experiment", experiment_id=id, new_name="First")
    seen = {**reviewed(), "says": "In context 'maths-practice'"}
    async with talk(tmp_path, analysed(order("update_experiment")), rename, seen) as s:
        turn = await s.send("call the first Twin First")
    assert f"- In context 'maths-practice'\n- Id: {id}" in turn.reply


async def test_the_tools_of_an_order_are_those_of_its_action(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    offered = list[tuple[str, ...]]()
    async with talk(tmp_path, *deletions("One")) as s:
        async for event in s.stream("delete One"):
            if isinstance(event, ModelCalled):
                offered.append(event.offered)
    look_ups = ("get_all_experiments", "get_experiment_details")
    assert offered[1] == (*look_ups, "set_action_params", "set_missing_params", "add_error")


WEIGHTS = [{"code": "control", "weight": 50}, {"code": "variant", "weight": 50}]
THIRDS = [{"code": "control", "weight": 33.33}, {"code": "variant", "weight": 66.67}]
SWAPPED = [{"code": "control", "weight": 30}, {"code": "variant", "weight": 70}]


@pytest.mark.parametrize(
    ("said", "words", "conditions", "mark"),
    [
        ("control and variant half and half", {"conditions": "half and half"}, WEIGHTS, ""),
        ("70 for control, 30 for variant", {"conditions": "70 for control, 30 for variant"}, SWAPPED, "something else"),
        ("control 30 and variant 70", {"conditions": "control 30 and variant 70"}, SWAPPED, ""),
        ("control 30, variant the rest", {"conditions": "control 30, variant the rest"}, SWAPPED, ""),
        ("control 40, variant the rest", {"conditions": "control 40, variant the rest"}, SWAPPED, "something else"),
        ("control and variant", {"conditions": "a quotation that nobody said"}, SWAPPED, "Not in your words"),
        ("variant, and control at 30", {"conditions.0": "control at 30"}, SWAPPED, ""),
        ("control 30 and, well, variant 70", {"conditions": "control 30 ... variant 70"}, SWAPPED, ""),
        ("70 for control, 30 for variant", {}, SWAPPED, "something else"),
        ("control 1/3, variant 2/3", {"conditions.0": "control 1/3", "conditions.1": "variant 2/3"}, THIRDS, ""),
        ("control 1/3, variant the rest", {"conditions": "control 1/3, variant the rest"}, THIRDS, ""),
        ("control and variant 1:2", {"conditions": "control and variant 1:2"}, THIRDS, ""),
        ("control 2/3, variant 1/3", {"conditions": "control 2/3, variant 1/3"}, THIRDS, "something else"),
        ("control 1/4, variant 3/4", {"conditions": "control 1/4, variant 3/4"}, THIRDS, "something else"),
    ],
)  # fmt: skip
async def test_a_value_is_marked_when_the_words_for_it_say_something_else(
    tmp_path: Path, said: str, words: Mapping[str, str], conditions: list[dict[str, Any]], mark: str
) -> None:
    design = proposed("create_experiment", words, **{**FOO, "conditions": conditions})
    async with talk(tmp_path, analysed(order("create_experiment")), design, reviewed()) as s:
        turn = await s.send(f"Foo in maths-practice at give-hint/area-of-shapes, {said}")
    assert mark in turn.reply
    assert ("⚠️" in turn.reply) == bool(mark)
    assert "the weights" not in turn.reply


async def test_an_update_to_thirds_and_a_separable_verb_are_not_marked(tmp_path: Path) -> None:
    (id,) = await add(tmp_path, "Palier 2")
    words = {"conditions.0": "1/3 control", "conditions.1": "2/3 variant"}
    thirds = proposed("update_experiment", words, experiment_id="Palier 2", conditions=THIRDS)
    started = proposed("update_experiment_status", {"status": "mets en route"}, experiment_id=id, status="enrolling")
    rules = [analysed(order("update_experiment"), order("update_experiment_status")), thirds, reviewed(), started]
    async with talk(tmp_path, *rules, reviewed()) as s:
        update = await s.send("Palier 2: 1/3 control, 2/3 variant, puis mets Palier 2 en route")
        start = await s.send("oui")
    assert "control 33.33 %, variant 66.67 % (now: control 50 %, variant 50 %)" in update.reply
    assert "status to 'enrolling'?" in start.reply
    assert "⚠️" not in update.reply + start.reply


async def _marks(kind: str, home: Path) -> dict[str, tuple[int, int]]:
    """By proposal: how many of its arguments are marked in the confirmation, and how many there are."""
    found = {}
    for each in proposals(kind):
        if each.cases.agent == "upgrade":
            model = ScriptedModel.from_rules(each.rules)
            place = home / each.id
            place.mkdir()
            async with begun(each, place), graphwright.load("upgrade").session("t", model=model, home=place) as session:
                supports = (await session.send(each.case.says[0])).values["supports"]
            found[each.id] = sum(support in MARKED for support in supports.values()), len(supports)
    return found


@pytest.mark.slow
async def test_right_arguments_are_not_marked_and_made_up_or_mistaken_ones_are(tmp_path: Path) -> None:
    right = await _marks("perfect", tmp_path)
    assert len(right) == 16
    assert sum(marked for marked, _ in right.values()) <= 0.05 * sum(whole for _, whole in right.values())
    wrong = await _marks("wrong", tmp_path)
    mistaken = ("extra-point", "made-up-user", "foreign-condition", "invented-quote", "unasked-tag", "loser-for-all")
    assert [each for each in mistaken if not wrong[f"up-w-{each}"][0]] == []


async def test_of_equal_names_those_are_offered_and_the_choice_is_no_contradiction(tmp_path: Path) -> None:
    await add(tmp_path, "Twin", "Other", "Twin")
    words = {"experiment_id": "Twin"}
    again = {"offers": "set_action_params", "call": {"set_action_params": {"action_params": {}}}, "times": 1}
    ambiguous = proposed("delete_experiment", words, experiment_id="Twin")
    async with talk(tmp_path, analysed(order("delete_experiment")), ambiguous, again) as s:
        turn = await s.send("delete Twin")
        assert turn.waiting_for is not None
        assert len(turn.waiting_for.options) == 3
        turn = await s.send("2")
    assert "DELETE experiment 'Twin'" in turn.reply
    assert "Your words name something else" not in turn.reply


async def test_a_group_that_a_user_works_in_because_it_is_the_only_one_is_not_marked(tmp_path: Path) -> None:
    words = {"user_id": "emma", "group": "school north"}
    made = proposed("init_experiment_user", words, user_id="emma", group={"schoolId": ["north"]})
    async with talk(tmp_path, analysed(order("init_experiment_user")), made, reviewed()) as s:
        turn = await s.send("add emma of school north")
    assert "Works in schoolId 'north'" in turn.reply
    assert "Not in your words" not in turn.reply


async def test_a_weak_model_keeps_what_the_message_named_and_nothing_that_it_made_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("nodes", "preparing", "understanding"):
        monkeypatch.setattr(f"graphwright_upgrade.upgrade.{module}.is_weak", lambda _model: True)
    (id,) = await add(tmp_path, "Hints")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.set_state(id, State.ENROLLING)
    # The number of the option that was chosen does not support the number of groups.
    words = {"experiment_id": "Hints", "users": "300", "groups": "8"}
    filled = proposed("simulate_experiment", words, experiment_id="Hints", users=300, groups=8)
    async with talk(tmp_path, analysed(order("simulate_experiment")), filled) as s:
        assert node(await s.send("Simulate 300 students with Hints")) == "q.offer"
        turn = await s.send("8")
    assert node(turn) == "q.confirm"
    assert "Simulate 300 users in experiment 'Hints'?" in turn.reply
    assert "8" not in turn.reply


async def test_a_sentence_that_answers_a_question_is_read_by_the_model(tmp_path: Path) -> None:
    unnamed = {key: value for key, value in FOO.items() if key != "name"}
    read = {
        **proposed("create_experiment", {"name": "call it Hints"}, **{**FOO, "name": "Hints"}),
        "anywhere": "Set already",
    }
    rules = [analysed(order("create_experiment")), proposed("create_experiment", **unnamed)]
    rules += [{**analysed(waiting="change"), "anywhere": "Waiting for a value for name"}, read, reviewed()]
    async with talk(tmp_path, *rules) as s:
        assert (
            node(await s.send("In maths-practice, control and variant, at give-hint/area-of-shapes")) == "create.name"
        )
        turn = await s.send("I'd like to call it Hints please")
    assert turn.reply.startswith("Create experiment 'Hints' in context")


async def test_values_that_were_not_asked_for_are_named_when_the_same_question_comes_again(tmp_path: Path) -> None:
    first = proposed("create_experiment", context="maths-practice")
    rules = [analysed(order("create_experiment")), first, analysed(waiting="change")]
    rules += [proposed("create_experiment", context="maths-practice", conditions=FOO["conditions"])]
    async with talk(tmp_path, *rules) as s:
        assert "Noted" not in (await s.send("a new experiment in maths-practice")).reply
        turn = await s.send("control against variant")
    assert node(turn) == "create.name"
    assert "Noted:\n- Conditions: control 50 %, variant 50 %" in turn.reply
    assert "maths-practice" not in turn.reply


async def test_a_context_that_is_not_there_is_named_before_it_is_asked_for(tmp_path: Path) -> None:
    left_out = {"offers": "set_action_params", "anywhere": "There is no context 'chemistry'", "times": 1}
    rules = [analysed(order("create_experiment")), proposed("create_experiment", **{**FOO, "context": "chemistry"})]
    rules += [{**left_out, "call": {"set_action_params": {"action_params": {**FOO, "context": None}}}}]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("Foo in chemistry, control and variant, at give-hint/area-of-shapes")
    assert node(turn) == "create.context"
    assert "There is no context 'chemistry'. There are 'maths-practice'" in turn.reply


async def test_a_visit_of_a_user_whom_the_server_does_not_know_offers_to_initialise_the_user(tmp_path: Path) -> None:
    await add(tmp_path, "Hints")
    visit = {"site": "show-problem", "target": "fractions-intro"}
    mark = proposed("mark_decision_point", user_id="zoe", **visit)
    looked = {
        "offers": "get_user_assignments",
        "call": {"get_user_assignments": {"user_id": "zoe", **visit}},
        "times": 1,
    }
    code = {"experiment_id": "Hints", "condition_code": None}
    after = proposed("mark_decision_point", user_id="zoe", **visit, assigned_condition=code)
    rules = [analysed(order("mark_decision_point", "Mark zoe with what she gets")), mark]
    rules += [{**looked, "says": r"Request \(mark"}, {**after, "anywhere": '"experiments": ?.*Hints'}]
    async with talk(tmp_path, *rules, {**reviewed(), "says": "Looked up"}) as s:
        turn = await s.send("mark zoe at show-problem/fractions-intro with whatever she gets")
        assert "does not know the user 'zoe'" in turn.reply
        assert "Initialize user 'zoe'" in turn.reply
        turn = await s.send("yes")
    assert "Mark decision point visit for experiment 'Hints'?" in turn.reply
    assert "Not in your words" not in turn.reply


async def test_what_was_not_done_is_named_as_the_order_that_it_was(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    start = proposed("update_experiment_status", experiment_id="One", status="enrolling")
    async with talk(tmp_path, analysed(order("update_experiment_status")), start, reviewed()) as s:
        await s.send("start One")
        turn = await s.send("no")
    assert turn.reply == "Not done: start 'One' (maths-practice): you did not want it."


async def test_an_assignment_by_groups_that_the_user_named_is_no_default(tmp_path: Path) -> None:
    words = {"unit": "by schoolId"}
    design = proposed("create_experiment", words, **FOO, unit="group", group="schoolId")
    async with talk(tmp_path, analysed(order("create_experiment")), design, reviewed()) as s:
        turn = await s.send("Foo in maths-practice, control and variant, at give-hint/area-of-shapes, by schoolId")
    assert "Assigned: groups (schoolId); consistency group: a group keeps the condition (default)\n" in turn.reply


async def test_a_default_that_the_model_quotes_words_for_is_not_named_as_one(tmp_path: Path) -> None:
    words = {"conditions": "control and variant à parts égales", "filter_mode": "for everybody"}
    design = proposed("create_experiment", words, **{**FOO, "conditions": WEIGHTS})
    async with talk(tmp_path, analysed(order("create_experiment")), design, reviewed()) as s:
        turn = await s.send("Foo dans maths-practice, control et variant à parts égales, à give-hint/area-of-shapes")
    assert "- Conditions: control 50 %, variant 50 %\n" in turn.reply
    assert "- Who takes part: everybody takes part unless excluded\n" in turn.reply
    assert "- Once it is paused: those enrolled keep their condition (default)\n" in turn.reply
    assert "⚠️" not in turn.reply


async def test_a_value_of_the_experiment_that_a_new_one_is_like_is_copied_and_no_default(tmp_path: Path) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.create(draft("Birch", assignment_unit="group", group="schoolId", consistency_rule="group"))
    points = [{"site": "show-problem", "target": "linear-equations"}]
    like = {"context": "maths-practice", "unit": "group", "group": "schoolId", "consistency": "group"}
    design = proposed("create_experiment", name="Birch 2", conditions=WEIGHTS, decision_points=points, **like)
    async with talk(tmp_path, analysed(order("create_experiment")), design, reviewed()) as s:
        turn = await s.send("Make one like Birch, but for linear-equations, and call it Birch 2")
    assert "Assigned: groups (schoolId) (copied); consistency group: a group keeps the condition (copied)" in turn.reply
    assert "Who takes part: everybody takes part unless excluded (copied)" in turn.reply
    assert not any(mark in turn.reply for mark in ("default", "⚠️", "before"))


async def test_the_lists_of_the_experiment_that_a_new_one_is_like_are_copied(tmp_path: Path) -> None:
    (id,) = await add(tmp_path, "Birch")
    async with connect(UpgradeSettings(), tmp_path) as client:
        for side, member in (("exclusion", ("individual", "rob")), ("inclusion", ("schoolId", "north"))):
            draft_list = ListDraft(kind=member[0], members=(member[1],))
            await client.put_on(await client.experiment(id), side, [draft_list])
    lists = {"exclude": {"users": ["rob"]}, "include": {"groups": [{"type": "schoolId", "id": "north"}]}}
    design = {**FOO, "name": "Birch 2", "conditions": WEIGHTS, **lists}
    asked = analysed(order("create_experiment"))
    own = {**design, "exclude": {"users": ["rob", "eve"]}}
    rules = [asked, proposed("create_experiment", **design), reviewed()]
    rules += [analysed(waiting="change"), proposed("create_experiment", {"exclude": "eve too"}, **own), reviewed()]
    async with talk(tmp_path, *rules) as s:
        copied = (await s.send("Make one like Birch at give-hint/area-of-shapes in maths-practice: Birch 2")).reply
        changed = (await s.send("without eve too")).reply
    assert "Added to the inclusion list: groups 'schoolId north' (copied)\n" in copied
    assert "Added to the exclusion list: users 'rob' (copied)\n" in copied
    assert "⚠️" not in copied
    assert "Added to the exclusion list: users 'rob', 'eve'\n" in changed
    assert "- Conditions: control 50 %, variant 50 % (copied)\n" in copied
    assert "- Conditions: control 50 %, variant 50 % (copied)\n" in changed


async def test_orders_of_a_conversation_that_ended_do_not_come_again(tmp_path: Path) -> None:
    await add(tmp_path, "One", "Two")
    rules = [analysed(queue=[order("delete_experiment", "Delete One")], intent_type="direct_answer")]
    rules += [proposed("delete_experiment", experiment_id="One"), reviewed(), *deletions("Two")]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("delete One")
        assert "DELETE experiment 'One'" in turn.reply
        await s.send("yes")
        turn = await s.send("delete Two")
    assert "Next" not in turn.reply
    assert "After that" not in turn.reply


async def test_a_long_reason_is_cut_after_a_word_and_says_so(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    reason = "cannot be done because " * 40
    failed = {"call": {"add_error": {"error_type": "validation", "message": reason}}, "times": 1}
    rules = [analysed(order("delete_experiment"), order("delete_experiment", "Delete One")), failed]
    rules += deletions("One")[1:]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("delete Zero and One")
        assert "because … (shortened)" in turn.reply or "done … (shortened)" in turn.reply
        assert " … (shortened)" in (await s.send("yes")).reply


@pytest.mark.parametrize(
    ("code", "says"),
    [("control", "You wrote 'contrl'. Is 'control' right?"), ("contrl", "The nearest that it knows is 'control'.")],
)
async def test_a_name_with_a_typo_is_asked_about_and_not_only_marked(tmp_path: Path, code: str, says: str) -> None:
    conditions = [{"code": code}, {"code": "variant"}]
    words = {"conditions": "contrl and variant"}
    design = proposed("create_experiment", words, **{**FOO, "conditions": conditions})
    insisted = {"offers": "set_action_params", "anywhere": "If just that is meant", "text": "ready", "times": 1}
    rules = [analysed(order("create_experiment")), design, *([insisted] if code == "contrl" else []), reviewed()]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("Foo in maths-practice, contrl and variant, at give-hint/area-of-shapes")
    assert says in turn.reply
    assert "Not in your words" not in turn.reply


@pytest.mark.parametrize(
    ("wrong", "place", "why"),
    [
        (
            {"conditions": [{"code": "control", "weight": 70}, {"code": "variant", "weight": 40}]},
            "conditions",
            "to 110",
        ),
        (
            {"exclude": {"groups": [{"type": "district", "id": "7"}]}},
            "exclude",
            "The context has no group type 'district'",
        ),
    ],
)
async def test_what_did_not_fit_and_was_left_out_is_asked_for(
    tmp_path: Path, wrong: Mapping[str, Any], place: str, why: str
) -> None:
    await add(tmp_path, "Hints")
    change = {"experiment_id": "Hints"}
    rules = [analysed(order("update_experiment")), proposed("update_experiment", **change, **wrong)]
    async with talk(tmp_path, *rules, proposed("update_experiment", **change)) as s:
        turn = await s.send("Hints: 70/40, and without district 7")
    assert node(turn) == f"update.{place}"
    assert why in turn.reply


async def test_what_follows_from_the_experiment_or_the_decision_point_is_not_marked(tmp_path: Path) -> None:
    await add(tmp_path, "Hints")
    conditions = [{"code": "control", "weight": 70}, {"code": "variant", "weight": 30}]
    words = {"experiment_id": "Hints", "conditions": "control 70, the other one 30"}
    change = proposed("update_experiment", words, experiment_id="Hints", conditions=conditions)
    async with talk(tmp_path, analysed(order("update_experiment")), change, reviewed()) as s:
        assert "Not in your words" not in (await s.send("Hints: control 70, the other one 30")).reply
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.init("ann")
    where = {"user_id": "ann", "site": "give-hint", "target": "linear-equations", "context": "maths-practice"}
    look = proposed("get_decision_point_assignments", {"site": "the hints"}, **where)
    async with talk(tmp_path, analysed(order("get_decision_point_assignments")), look, reviewed(), thread="u") as s:
        assert "context: maths" not in (await s.send("what does ann get at the hints for linear-equations?")).reply


async def test_equal_names_in_two_contexts_are_named_with_their_context_alone(tmp_path: Path) -> None:
    await add(tmp_path, "Warm-up")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.create(draft("Warm-up", at=[("open-text", "poem")]).model_copy(update={"context": "reading-club"}))
    again = {"anywhere": r"Warm-up \(reading-club, inactive\)", "offers": "set_action_params", "times": 1}
    start = {"experiment_id": "Warm-up (reading-club)", "status": "enrolling"}
    rules = [analysed(order("update_experiment_status")), proposed("update_experiment_status", experiment_id="Warm-up")]
    rules += [{**again, "call": {"set_action_params": {"action_params": start}}}, reviewed()]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("start the Warm-up of the reading club")
    assert "In context 'reading-club'" in turn.reply
    assert "Id:" not in turn.reply


async def test_a_decision_point_that_no_experiment_has_is_said_before_the_experiment_is_asked_for(
    tmp_path: Path,
) -> None:
    await add(tmp_path, "Hints")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.init("ann")
    code = {"condition_code": "control"}
    mark = proposed("mark_decision_point", user_id="ann", site="give-hint", target="page-9", assigned_condition=code)
    left_out = proposed("mark_decision_point", user_id="ann", assigned_condition=code)
    async with talk(tmp_path, analysed(order("mark_decision_point")), mark, left_out) as s:
        turn = await s.send("mark ann at give-hint/page-9 with control")
        assert node(turn) == "mark.experiment_id"
        assert "No experiment has the decision point 'give-hint/page-9'." in turn.reply
        assert node(await s.send("Hints")) == "mark.site"


async def test_a_correction_does_not_mark_what_was_right_before(tmp_path: Path) -> None:
    await add(tmp_path, "Hints")
    first, both = {"users": ["tester-5"]}, {"users": ["tester-5", "tester-6"]}
    one = proposed("update_experiment", {"exclude": "without tester-5"}, experiment_id="Hints", exclude=first)
    two = proposed("update_experiment", {"exclude": "tester-6 too"}, experiment_id="Hints", exclude=both)
    rules = [analysed(order("update_experiment")), one, reviewed(), analysed(waiting="change"), two, reviewed()]
    async with talk(tmp_path, *rules) as s:
        await s.send("Hints without tester-5")
        turn = await s.send("and tester-6 too")
    assert "users 'tester-5', 'tester-6'" in turn.reply
    assert "Your words name something else" not in turn.reply


async def test_giving_up_everything_names_all_that_is_left_out(tmp_path: Path) -> None:
    await add(tmp_path, *THREE)
    dropped = analysed(waiting="drop", queue=[], intent_type="direct_answer")
    async with talk(tmp_path, *deletions(*THREE)[:3], dropped) as s:
        await s.send("delete One, Two and Three")
        turn = await s.send("leave everything as it is")
    assert node(turn) == "ended"
    first = "Not done: delete 'One' (maths-practice): you did not want it."
    rest = [f"Not done: Delete {name}: you left it out." for name in ("Two", "Three")]
    assert turn.reply.split("\n") == [*rest, first]


@pytest.mark.parametrize("asked", ["assigned", "other", None])
async def test_a_mark_says_which_condition_the_server_will_record(tmp_path: Path, asked: str | None) -> None:
    (id,) = await add(tmp_path, "Hints")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.set_state(id, State.ENROLLING)
        await client.init("ann")
        (assigned,) = await client.assign("ann", "maths-practice")
    own = assigned.condition.code
    (other,) = {each.code for each in (await experiments(tmp_path))[id].conditions} - {own}
    code = {"assigned": own, "other": other}.get(asked or "")
    visit = {"user_id": "ann", "site": "show-problem", "target": "fractions-intro"}
    visit["assigned_condition"] = {"experiment_id": "Hints", "condition_code": code}
    async with talk(tmp_path, *ordered("mark_decision_point", **visit)) as s:
        turn = await s.send(f"mark ann at show-problem/fractions-intro in Hints with {code}")
        same = f"The user will be enrolled in '{own}', the condition that UpGrade assigns."
        assert (same in turn.reply) == (asked == "assigned")
        differs = f"UpGrade assigns '{own}' to this user, not {quoted(code) if code else 'no condition'}"
        assert (differs in turn.reply) == (asked != "assigned")
        await s.send("yes")
    async with connect(UpgradeSettings(), tmp_path) as client:
        counts = {each.id: each.users for each in (await client.enrollment(id)).conditions}
    assert [each.code for each in (await experiments(tmp_path))[id].conditions if counts.get(each.id)] == [own]


@pytest.mark.parametrize("orders", ["none", "one"])
async def test_the_last_text_of_a_look_up_is_no_answer(tmp_path: Path, orders: str) -> None:
    await add(tmp_path, "One")
    understood, _, ready = looked_up("Why?", "get_core_terms")
    rules = [understood, ready, {"offers": "get_execution_log", "text": "I do not know why."}]
    before = deletions("One") if orders == "one" else []
    async with talk(tmp_path, *before, *rules) as s:
        if before:
            await s.send("delete One")
        turn = await s.send("Why?")
    assert "ready" not in turn.reply
    assert turn.reply.startswith("I do not know why.")


@pytest.mark.parametrize("intent", ["direct_answer", "needs_info"])
@pytest.mark.parametrize("what", ["queue", "cannot"])
async def test_a_change_of_the_queue_alone_names_what_was_dropped_and_looks_nothing_up(
    tmp_path: Path, intent: str, what: str
) -> None:
    await add(tmp_path, *THREE)
    cannot = "I cannot send a message."
    change = {"queue": [order("delete_experiment", "delete Three.")]} if what == "queue" else {"cannot": cannot}
    consent = {"UpdateAnswers": {"language": "en", "consent": "agrees_with_changes"}}
    rules = deletions(*THREE)
    rules[3:5] = [{**analysed(**change, intent_type=intent), "offers": "analyze_user_request"}]
    async with talk(tmp_path, *rules, {"offers": "UpdateAnswers", "call": consent}) as s:
        await s.send("delete One, Two and Three")
        turn = await s.send("yes, but skip the second")
        assert (node(turn), turn.usage.model_calls) == ("q.confirm", 2)
        assert turn.reply.startswith("Not done: Delete Two: you left it out." if what == "queue" else cannot)
        assert "DELETE experiment 'One'" in turn.reply
        assert ("After that: delete Three." in turn.reply) == (what == "queue")
        assert len(await states(tmp_path)) == 3
        if what == "queue":
            await s.send("yes")
            assert "Not done: Delete Two: you left it out." in (await s.send("yes")).reply
            assert list(await states(tmp_path)) == ["Two"]


async def test_a_reason_stands_once_in_a_reply(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    reason = "Payloads are not offered."
    failed = {"offers": "add_error", "call": {"add_error": {"error_type": "validation", "message": reason}}, "times": 1}
    rules = [analysed(order("delete_experiment", "Delete One"), order("update_experiment", "Give One payloads"))]
    async with talk(tmp_path, *rules, *deletions("One")[1:], failed) as s:
        await s.send("delete One and give it payloads")
        turn = await s.send("yes")
    assert turn.reply.count(reason) == 1
    assert turn.reply.endswith("\nNot done: Give One payloads: Payloads are not offered.")
    understood = analysed(order("delete_experiment", "Delete it"), cannot=reason)
    async with talk(tmp_path, understood, failed, thread="u") as s:
        assert (await s.send("delete it, with payloads")).reply == f"{reason}\n\nNot done: Delete it."


async def test_a_wish_that_was_refused_is_not_a_finding_of_the_second_look_too(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    understood = analysed(order("delete_experiment", "Delete One"), cannot="I cannot send an e-mail about it.")
    async with talk(tmp_path, understood, deletions("One")[1], reviewed("Send an e-mail", "Rename Two")) as s:
        turn = await s.send("Delete One, send an e-mail, rename Two")
    assert turn.reply.count("e-mail") == 1
    assert "This does not do: Rename Two" in turn.reply


async def test_a_result_names_the_context_of_what_was_deleted_and_the_old_name(tmp_path: Path) -> None:
    await add(tmp_path, "One", "Two")
    rename = ordered("update_experiment", experiment_id="Two", new_name="Second")
    async with talk(tmp_path, *deletions("One"), *rename) as s:
        await s.send("delete One")
        assert "Deleted experiment 'One' of context 'maths-practice'" in (await s.send("yes")).reply
        await s.send("call Two Second")
        assert "Updated experiment 'Second' (before: 'Two') in context" in (await s.send("yes")).reply


async def test_a_correction_that_makes_an_order_impossible_leads_to_the_next_order(tmp_path: Path) -> None:
    await add(tmp_path, "One", "Two")
    both = ("enrolling", "enrollmentComplete")
    first, second = (proposed("update_experiment_status", experiment_id="One", status=each) for each in both)
    start = analysed(order("update_experiment_status", "Start One"), order("delete_experiment", "Delete Two"))
    rules = [start, first, reviewed(), analysed(waiting="change"), second, *deletions("Two")[1:]]
    async with talk(tmp_path, *rules) as s:
        await s.send("start One and delete Two")
        turn = await s.send("no, pause it")
        assert "Not done: pause 'One' (maths-practice): The experiment 'One' stays as it is." in turn.reply
        assert "DELETE experiment 'Two'" in turn.reply
        assert "Next, 2 of 2:" in turn.reply
    assert await states(tmp_path) == {"One": "inactive", "Two": "inactive"}


async def test_a_mark_names_the_experiment_that_is_assigned_in_its_place(tmp_path: Path) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        ids = {}
        for name in ("One", "Two"):
            ids[(await client.create(draft(name, at=[("show-problem", "fractions-intro")]))).id] = name
        for id in ids:
            await client.set_state(id, State.ENROLLING)
        await client.init("ann")
        (assigned,) = await client.assign("ann", "maths-practice")
    gets = ids.pop(assigned.condition.experiment_id)
    visit = {"user_id": "ann", "site": "show-problem", "target": "fractions-intro"}
    visit["assigned_condition"] = {"experiment_id": next(iter(ids)), "condition_code": "control"}
    async with talk(tmp_path, *ordered("mark_decision_point", **visit)) as s:
        turn = await s.send("mark ann at show-problem/fractions-intro with control")
    assert f"of '{gets}' to this user there. It decides itself on a condition of" in turn.reply
    assert "will be enrolled" not in turn.reply


AGREES = {"offers": "UpdateAnswers", "call": {"UpdateAnswers": {"language": "en", "consent": "agrees"}}, "times": 1}


def beside(*orders: Mapping[str, str], **found: Any) -> list[Mapping[str, Any]]:
    """The model reads consent in a longer yes, and this in the same message."""
    return [AGREES, {**analysed(*orders, **found), "offers": "analyze_user_request"}]


@pytest.mark.parametrize("place", ["orders", "queue", "both"])
async def test_a_request_next_to_a_yes_is_the_next_one(tmp_path: Path, place: str) -> None:
    start = [order("update_experiment_status", "Start Foo")]
    found = {name: start for name in ("orders", "queue") if place in (name, "both")}
    rules = [*ordered("create_experiment", **FOO), *beside(**found)]
    rules += [proposed("update_experiment_status", experiment_id="Foo", status="enrolling"), reviewed()]
    async with talk(tmp_path, *rules) as s:
        await s.send(SAID)
        turn = await s.send("yes, and start it right away")
        assert "Created experiment 'Foo'" in turn.reply
        assert "Next, 2 of 2:\nChange experiment 'Foo' status to 'enrolling'?" in turn.reply
        assert await states(tmp_path) == {"Foo": "inactive"}
        await s.send("yes")
    assert await states(tmp_path) == {"Foo": "enrolling"}


@pytest.mark.parametrize("names", [("One",), ("One", "Two")])
async def test_a_question_next_to_a_yes_is_answered_after_the_request(tmp_path: Path, names: tuple[str, ...]) -> None:
    await add(tmp_path, "One", "Two")
    _, *look = looked_up("Which sites are there?", "get_decision_points_for_context", context="maths-practice")
    rules = [*deletions(*names), *beside(question="Which sites are there?"), *look]
    async with talk(tmp_path, *rules, {"offers": "get_execution_log", "text": "There is give-hint."}) as s:
        await s.send("delete them")
        turn = await s.send("yes, and then tell me which sites there are")
    assert turn.reply.startswith("Deleted experiment 'One'")
    assert "There is give-hint." in turn.reply
    assert ("DELETE experiment 'Two'" in turn.reply) == (len(names) == 2)


@pytest.mark.parametrize(
    ("language", "said", "next_"),
    [
        ("en", "yes, and start Three as well; which sites are there?", "Next, 2 of 3:\n⚠️ PERMANENTLY DELETE"),
        ("de", "ja, und starte auch Three; welche Sites gibt es?", "Als Nächstes, 2 von 3:\n⚠️ Experiment „Two“"),
        ("fr", "oui, et démarre aussi Three ; quels sites y a-t-il ?", "Ensuite, 2 sur 3 :\n⚠️ SUPPRIMER"),
        ("es", "sí, y pon en marcha Three; ¿qué sitios hay?", "A continuación, 2 de 3:\n⚠️ ¿ELIMINAR"),
    ],
)
async def test_an_order_and_a_question_beside_a_yes_to_one_of_several_orders(
    tmp_path: Path, language: str, said: str, next_: str
) -> None:
    await add(tmp_path, *THREE)
    start, left = order("update_experiment_status", "Start Three"), order("delete_experiment", "Delete Two")
    first, *rest = deletions("One", "Two")
    first["call"]["analyze_user_request"]["language"] = language
    found = {"language": language, "question": "Which sites are there?", "queue": [left, start]}
    _, *look = looked_up("Which sites are there?", "get_decision_points_for_context", context="maths-practice")
    rules = [first, *rest, *beside(start, **found), *look, {"offers": "get_execution_log", "text": "give-hint"}]
    rules += [proposed("update_experiment_status", experiment_id="Three", status="enrolling"), reviewed()]
    async with talk(tmp_path, *rules) as s:
        await s.send("delete One and Two")
        turn = await s.send(said)
        assert await states(tmp_path) == {"Two": "inactive", "Three": "inactive"}
        assert "\n\ngive-hint\n\n" in turn.reply
        assert next_ in turn.reply
        assert turn.reply.rstrip(".").endswith("Start Three")
        await s.send("no")
        await s.send("yes")
    assert await states(tmp_path) == {"Two": "inactive", "Three": "enrolling"}


@pytest.mark.parametrize(
    ("found", "done"), [({"waiting": "drop"}, False), ({"waiting": "change"}, False), ({"confidence": 0.2}, True)]
)
async def test_a_yes_in_which_the_analysis_reads_something_else(
    tmp_path: Path, found: Mapping[str, Any], done: bool
) -> None:
    await add(tmp_path, "One")
    async with talk(tmp_path, *deletions("One"), *beside(**found), *deletions("One")[1:]) as s:
        await s.send("delete One")
        turn = await s.send("yes, that is, well")
    assert (await states(tmp_path) == {}) == done
    assert ("could not read what else" in turn.reply) == done


@pytest.mark.parametrize("said", ["yes", "yes, and start One as well"])
async def test_a_weak_model_says_that_it_reads_only_the_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    await add(tmp_path, "One")
    async with talk(tmp_path, *deletions("One"), AGREES) as s:
        await s.send("delete One")
        for module in ("nodes", "preparing", "understanding"):
            monkeypatch.setattr(f"graphwright_upgrade.upgrade.{module}.is_weak", lambda _model: True)
        turn = await s.send(said)
    assert "Deleted experiment 'One'" in turn.reply
    assert ("I read only the yes in your message" in turn.reply) == (said != "yes")


async def test_an_order_that_only_comes_later_is_not_left_out(tmp_path: Path) -> None:
    await add(tmp_path, "One", "Two")
    moved = [order("delete_experiment", f"Delete {name}") for name in ("Two", "One")]
    rules = [*deletions("One", "Two")[:3], analysed(*moved, waiting="drop", queue=[]), *deletions("Two", "One")[1:]]
    async with talk(tmp_path, *rules) as s:
        await s.send("delete One and Two")
        turn = await s.send("Two first")
    assert turn.reply.startswith("Next, 1 of 2:")
    assert "After that: Delete One." in turn.reply


def test_an_order_that_the_queue_has_under_a_new_name_is_not_left_out() -> None:
    before = [{"request": "Start the experiment Alpha that was just created."}, {"request": "Delete Two"}]
    assert left_out(before, [{"request": "Start the experiment Beta"}]) == ["Delete Two"]
    assert left_out(before, []) == ["Start the experiment Alpha that was just created", "Delete Two"]


WEIGHTED = "If 1000 more students come to Goals, where 23 of 40 are in control, how many are there by its weights"


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("250: control has a weight of 25 %, so 250 of 1000 students are expected, and 750 in variant.", ""),
        ("About 250 come to control and 750 to variant.", ""),
        ("25 percent of 1000 are 250, with those who are there 273.", ""),
        ("250 new ones and the 23 who keep their condition: 273.", ""),
        ("240: control has a weight of 25 %, so 240 of 1000 students are expected.", "'240'"),
        ("About 350 come to control and 650 to variant.", "'350', '650'"),
        ("250 new ones and the 23 who keep their condition: 283.", "'283'"),
    ],
)
async def test_a_weight_of_a_number_that_the_user_named_is_no_invented_number(
    tmp_path: Path, answer: str, wrong: str
) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        weights = [{"code": "control", "weight": 25}, {"code": "variant", "weight": 75}]
        await client.create(draft("Goals", conditions=weights))
    looked = looked_up(WEIGHTED, "get_experiment_details", experiment_id="Goals")
    async with talk(tmp_path, *looked, {"text": answer}) as s:
        turn = await s.send(WEIGHTED)
    assert turn.reply == answer + (f"\n(Not found in the data: {wrong}.)" if wrong else "")


GROUPS = {"assignment_unit": "group", "group": "schoolId", "consistency_rule": "group"}


@pytest.mark.parametrize("words", [{"group": "school north"}, None])
async def test_an_unknown_user_is_initialised_with_the_groups_of_the_request(
    tmp_path: Path, words: Mapping[str, str] | None
) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        made = await client.create(draft("Hints", at=[("give-hint", "area-of-shapes")]).model_copy(update=GROUPS))
        await client.set_state(made.id, State.ENROLLING)
    look: dict[str, Any] = {"user_id": "ben", "context": "maths-practice", "site": "give-hint"}
    group = {"group": {"schoolId": ["north"]}} if words else {}
    rules = [analysed(order("get_decision_point_assignments", "What does ben get")), reviewed()]
    rules += [proposed("get_decision_point_assignments", words, **look, **group), {"text": "ready", "times": 1}]
    async with talk(tmp_path, *rules, reviewed(), {"text": ""}) as s:
        turn = await s.send("what does ben from school north get at give-hint?")
        if not words:
            assert node(turn) == "assignments.group"
            assert "The experiment 'Hints' assigns whole groups (schoolId)" in turn.reply
            turn = await s.send("schoolId:north")
        assert "Initialize user 'ben'" in turn.reply
        assert "Belongs to schoolId 'north'" in turn.reply
        assert "Not in your words" not in turn.reply
        turn = await s.send("yes")
        assert "Get condition assignments" in turn.reply
        assert "does not change the groups" not in turn.reply
        assert "give-hint/area-of-shapes: condition" in (await s.send("yes")).reply


async def test_the_groups_of_a_known_user_are_not_changed_by_a_look_up(tmp_path: Path) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.init("ben", {"schoolId": ["south"]}, {"schoolId": "south"})
    look = {"user_id": "ben", "context": "maths-practice", "group": {"schoolId": ["north"]}}
    async with talk(tmp_path, *ordered("get_decision_point_assignments", **look)) as s:
        turn = await s.send("what does ben from school north get in maths-practice?")
    assert "does not change the groups of the user" in turn.reply


async def test_an_experiment_of_an_equal_name_is_found_by_the_form_in_the_data(tmp_path: Path) -> None:
    first, second = await add(tmp_path, "Quiz", "Quiz")
    line = f"Quiz ({second}, maths-practice, inactive)"
    async with talk(tmp_path, *deletions(line)) as s:
        assert f"Id: {second}" in (await s.send("delete the second Quiz")).reply
    rules = [*deletions("Quiz")[:2], {"text": "ready", "times": 1}, analysed(waiting="change"), *deletions(line)[1:]]
    rules[3] = {**rules[3], "says": rf"one of: .*{second}, maths-practice, inactive"}
    async with talk(tmp_path, *rules, thread="u") as s:
        turn = await s.send("delete Quiz")
        assert turn.waiting_for is not None
        titles = {each["title"] for each in turn.waiting_for.options}
        assert titles > {f"Quiz ({id}, maths-practice, inactive)" for id in (first, second)}
        assert f"Id: {second}" in (await s.send("the later one of them")).reply


async def test_a_condition_that_the_experiment_does_not_have_is_said_with_those_that_it_has(tmp_path: Path) -> None:
    await add(tmp_path, "Hints")
    visit: dict[str, Any] = {"user_id": "zoe", "site": "show-problem", "target": "fractions-intro"}
    wrong = {**visit, "assigned_condition": {"experiment_id": "Hints", "condition_code": "plain"}}
    left_out = {**visit, "assigned_condition": {"experiment_id": "Hints"}}
    why = r"no condition 'plain'. It has 'control', 'variant'.(?!.*It can be)"
    again = {**proposed("mark_decision_point", **left_out), "anywhere": why}
    rules = [analysed(order("mark_decision_point", "Mark zoe with plain")), proposed("mark_decision_point", **wrong)]
    async with talk(tmp_path, *rules, again) as s:
        turn = await s.send("mark zoe at show-problem/fractions-intro in Hints with plain")
    assert "The experiment 'Hints' has no condition 'plain'. It has 'control', 'variant'." in turn.reply
    assert "After that: Mark zoe with plain (I will ask for what is missing)." in turn.reply


async def test_a_rename_is_named_with_both_names_and_the_nearest_names_are_the_choices(tmp_path: Path) -> None:
    await add(tmp_path, "Juniper quizzes", "Larch")
    rename = ordered("update_experiment", experiment_id="Larch", new_name="Larch Maths")
    async with talk(tmp_path, *rename, *deletions("Juniper pilot")[:2], {"text": "ready"}) as s:
        await s.send("rename Larch to Larch Maths")
        assert "rename 'Larch' to 'Larch Maths'" in (await s.send("no")).reply
        turn = await s.send("delete the Juniper pilot")
    assert turn.waiting_for is not None
    assert turn.waiting_for.options[0]["title"] == "Juniper quizzes"


async def test_the_second_look_sees_the_whole_order_that_a_message_corrects(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    rename = {"experiment_id": "One", "new_name": "Uno"}
    rules = [analysed(order("delete_experiment", "Delete Zero"), order("update_experiment", "Rename One, and 30/70"))]
    rules += [{"call": {"add_error": {"error_type": "validation", "message": "Zero is not there."}}, "times": 1}]
    rules += [proposed("update_experiment", **rename, conditions=SWAPPED), reviewed(), analysed(waiting="change")]
    whole = {**reviewed("seen"), "says": r"Only this part now: Rename One, and 30/70; no, rather 33 to 67\)"}
    rules += [proposed("update_experiment", {"conditions": "33 to 67"}, **rename, conditions=THIRDS), whole]
    async with talk(tmp_path, *rules) as s:
        await s.send("delete Zero, call One Uno and set it to 30/70")
        turn = await s.send("no, rather 33 to 67")
    assert "Name: 'Uno' (now: 'One')" in turn.reply
    assert "This does not do: seen" in turn.reply


async def test_the_second_look_sees_the_messages_before_the_one_with_the_order(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    rules = [analysed(intent_type="direct_answer", question="Who are you?"), {"text": "An assistant.", "times": 1}]
    words = {"status": "Start"}
    start = proposed("update_experiment_status", words, experiment_id="One", status="enrolling")
    rules += [analysed(order("update_experiment_status", "Start One")), start]
    look = {
        **reviewed("tell me who you are", "the weights"),
        "says": "Earlier messages.*\n- Start One, and tell me who you are",
    }
    async with talk(tmp_path, *rules, look) as s:
        await s.send("Start One, and tell me who you are")
        turn = await s.send("And why does it not run yet?")
    assert "status to 'enrolling'?" in turn.reply
    assert [line for line in turn.reply.split("\n") if "⚠️" in line] == ["⚠️ This does not do: the weights"]


async def test_a_name_with_a_typo_is_shown_with_every_experiment_of_a_similar_name(tmp_path: Path) -> None:
    await add(tmp_path, "Story Glossary", "Story Glossary 2")
    rules = [analysed(order("delete_experiment")), deletions("Story Glossary")[1], reviewed()]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("delete Story Glosary")
    nearest = "There is no experiment 'Story Glosary'; the nearest is 'Story Glossary'."
    assert f"{nearest} Also similar: 'Story Glossary 2'." in turn.reply


@pytest.mark.parametrize("clarified", ["I mean Story Glossary", "the first one, in maths-practice"])
async def test_a_name_that_the_user_made_clear_is_not_called_wrong_again(tmp_path: Path, clarified: str) -> None:
    await add(tmp_path, "Story Glossary", "Story Glossary 2")
    rules = [analysed(order("delete_experiment")), *deletions("Story Glossary")[1:], analysed(waiting="change")]
    async with talk(tmp_path, *rules, *deletions("Story Glossary")[1:]) as s:
        assert "the nearest is" in (await s.send("delete Story Glosary")).reply
        turn = await s.send(clarified)
    assert "DELETE experiment 'Story Glossary'" in turn.reply
    assert "⚠️ There is no experiment" not in turn.reply
    assert "Not in your words" not in turn.reply


@pytest.mark.parametrize("consent", ["agrees", "agrees_with_changes"])
@pytest.mark.parametrize(
    ("said", "queue", "after"),
    [
        ("yes, but without the second", ["Delete Three"], "After that: Delete Three."),
        ("yes, but without the deletions after it", [], ""),
        ("yes, but Three before Two", ["Delete Three", "Delete Two"], "After that: Delete Three; Delete Two."),
        ("yes, but start Two instead", ["Start Two", "Delete Three"], "After that: Start Two; Delete Three."),
    ],
)
async def test_a_yes_with_a_change_of_the_orders_that_were_shown_shows_the_change_and_asks_again(
    tmp_path: Path, consent: str, said: str, queue: list[str], after: str
) -> None:
    await add(tmp_path, *THREE)
    read = {**AGREES, "call": {"UpdateAnswers": {"language": "en", "consent": consent}}}
    actions = {"Delete": "delete_experiment", "Start": "update_experiment_status"}
    changed = analysed(queue=[order(actions[text.split()[0]], text) for text in queue])
    async with talk(tmp_path, *deletions(*THREE)[:3], read, {**changed, "offers": "analyze_user_request"}) as s:
        await s.send("delete One, Two and Three")
        turn = await s.send(said)
        assert node(turn) == "q.confirm"
        assert "DELETE experiment 'One'" in turn.reply
        assert after in turn.reply
        assert ("After that" in turn.reply) == bool(after)
        assert len(await states(tmp_path)) == 3


@pytest.mark.parametrize("consent", ["agrees", "agrees_with_changes"])
@pytest.mark.parametrize("place", ["orders", "queue"])
@pytest.mark.parametrize("said", ["sí, y además borra el otro", "Sí. Y borra también el otro"])
async def test_a_further_order_beside_a_yes_comes_after_what_was_confirmed(
    tmp_path: Path, consent: str, place: str, said: str
) -> None:
    await add(tmp_path, "One", "Two")
    read = {**AGREES, "call": {"UpdateAnswers": {"language": "es", "consent": consent}}}
    other = analysed(**{"language": "es", place: [order("delete_experiment", "Borrar Two")]})
    if place == "orders":
        other = analysed(order("delete_experiment", "Borrar Two"), language="es")
    rules = [*deletions("One"), read, {**other, "offers": "analyze_user_request"}, *deletions("Two")[1:]]
    async with talk(tmp_path, *rules) as s:
        await s.send("borra One")
        turn = await s.send(said)
        if consent == "agrees":
            assert "ELIMINAR" in turn.reply.upper()
            assert await states(tmp_path) == {"Two": "inactive"}
        else:
            assert "'One'" in turn.reply or "«One»" in turn.reply
            assert "Borrar Two" in turn.reply
            turn = await s.send("sí")
            assert await states(tmp_path) == {"Two": "inactive"}
        assert "Two" in turn.reply
        await s.send("sí")
    assert await states(tmp_path) == {}


async def test_an_unclear_message_shows_what_was_understood_before_the_choices(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    start, stop = (order("update_experiment_status", f"{what} One") for what in ("Start", "Stop"))
    understood = analysed(start, stop, confidence=0.3, user_request_summary="Start One and stop One")
    async with talk(tmp_path, understood) as s:
        turn = await s.send("start One and stop One")
    assert node(turn) == "q.offer"
    assert "Start One; Stop One" in turn.reply
    assert await states(tmp_path) == {"One": "inactive"}

"""The UpGrade agent's messages around a confirmation: no false marks, a plain question, and complete reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._drafts import ConditionDraft, ExperimentChanges, ListDraft
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade.client._simulating import simulate
from upgrade_agent_support import (
    FOO,
    MARKS,
    THREE,
    add,
    analysed,
    corrected,
    deletions,
    looked_up,
    node,
    order,
    ordered,
    proposed,
    reviewed,
    states,
    talk,
    weighted,
)
from upgrade_client_support import draft

pytestmark = pytest.mark.usefixtures("local_service")

YES_OR_NO = "Please answer yes or no, or say what to change."


@pytest.mark.parametrize(
    ("first", "said", "now", "marked"),
    [
        (weighted(control=60, glossary=30, hint=30), "Sorry, control is 40.", (40, 30, 30), False),
        (weighted(control=60, glossary=30, hint=30), "Glossary at 10", (60, 10, 30), False),
        (weighted(control=60, glossary=40, hint=10), "Make control 50", (50, 10, 40), True),
        (weighted(control=60, glossary=40, hint=10), "Make control 50", (50, 20, 30), True),
        (weighted(control=60, glossary=40, hint=10), "hint 20, the others even", (40, 40, 20), False),
    ],
)
async def test_what_a_refused_list_had_from_the_user_is_not_marked_when_one_entry_is_corrected(
    tmp_path: Path, first: list[dict[str, Any]], said: str, now: tuple[int, ...], marked: bool
) -> None:
    design = {**FOO, "conditions": first}
    without = {key: value for key, value in design.items() if key != "conditions"}
    text = ", ".join(f"{each['code']} {each['weight']}" for each in first)
    rules = [analysed(order("create_experiment")), proposed("create_experiment", {"conditions": text}, **design)]
    rules += [proposed("create_experiment", **without), analysed(waiting="change")]
    after = weighted(**dict(zip((each["code"] for each in first), now, strict=True)))
    async with talk(tmp_path, *rules, corrected("conditions", after, said.rstrip(".")), reviewed()) as s:
        turn = await s.send(f"Create Foo in maths-practice at give-hint/area-of-shapes: {text}")
        assert node(turn) == "create.conditions"
        turn = await s.send(said)
    assert node(turn) == "q.confirm"
    assert any(mark in turn.reply for mark in MARKS) == marked, turn.reply


async def test_one_entry_of_a_refused_list_alone_is_read_by_the_model(tmp_path: Path) -> None:
    design = {**FOO, "conditions": weighted(control=60, variant=50)}
    without = {key: value for key, value in design.items() if key != "conditions"}
    rules = [analysed(order("create_experiment")), proposed("create_experiment", **design)]
    rules += [proposed("create_experiment", **without), analysed(waiting="change")]
    after = corrected("conditions", weighted(control=50, variant=50), "control 50")
    async with talk(tmp_path, *rules, after, reviewed()) as s:
        await s.send("Foo in maths-practice, control 60, variant 50, at give-hint/area-of-shapes")
        turn = await s.send("control 50")
    assert "Conditions: control 50 %, variant 50 %" in turn.reply
    assert not any(mark in turn.reply for mark in MARKS)


async def test_a_decision_point_of_the_first_message_is_not_marked_when_another_is_added(tmp_path: Path) -> None:
    two = [{"site": "give-hint", "target": each} for each in ("area-of-shapes", "linear-equations")]
    first = proposed("create_experiment", {"decision_points": "give-hint/area-of-shapes"}, **FOO)
    rules = [analysed(order("create_experiment")), first, reviewed(), analysed(waiting="change")]
    added = corrected("decision_points", two, "also at give-hint/linear-equations")
    async with talk(tmp_path, *rules, added, reviewed()) as s:
        await s.send("Foo in maths-practice, control and variant, at give-hint/area-of-shapes")
        turn = await s.send("also at give-hint/linear-equations")
    assert "give-hint/area-of-shapes, give-hint/linear-equations" in turn.reply
    assert not any(mark in turn.reply for mark in MARKS)


NOTHING: Mapping[str, Mapping[str, Any]] = {
    "nothing": {"intent_type": "direct_answer"},
    "needs": {},
    "again": {"orders": [order("delete_experiment", "Delete One.")]},
    "unsure": {"confidence": 0.2},
    "same queue": {"queue": [order("delete_experiment", "Delete Two")]},
}


@pytest.mark.parametrize("found", NOTHING)
@pytest.mark.parametrize("asked", [True, False])
async def test_a_yes_that_is_none_of_the_listed_ones_is_asked_for_again(
    tmp_path: Path, found: str, asked: bool
) -> None:
    await add(tmp_path, "One", "Two")
    unclear = [{**analysed(**NOTHING[found]), "times": 2}]
    rules = [*deletions("One", "Two")[:3], *(looked_up("Why?", "get_core_terms") if asked else [])]
    rules += [*([{"offers": "get_execution_log", "text": "Because.", "times": 1}] if asked else []), *unclear]
    async with talk(tmp_path, *rules, *deletions("One", "Two")[3:]) as s:
        await s.send("delete One and Two")
        if asked:
            assert "Because." in (await s.send("Why?")).reply
        for _ in range(2):
            turn = await s.send("von mir aus gerne")
            assert node(turn) == "q.confirm"
            assert turn.reply.count(YES_OR_NO) == 1
            assert turn.reply.count("DELETE experiment") == 1
            assert turn.reply.endswith("After that: Delete Two.")
        turn = await s.send("ja")
    assert "Deleted experiment 'One'" in turn.reply
    assert await states(tmp_path) == {"Two": "inactive"}


async def test_a_yes_after_other_words_is_asked_for_once_and_then_performed(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    agrees = {"offers": "UpdateAnswers", "call": {"UpdateAnswers": {"language": "en", "consent": "agrees"}}}
    read = {**analysed(waiting="keep", intent_type="direct_answer"), "times": 2}
    async with talk(tmp_path, *deletions("One"), agrees, read) as s:
        await s.send("delete One")
        turn = await s.send("I know what I'm doing, go ahead with it.")
        assert node(turn) == "q.confirm"
        assert YES_OR_NO in turn.reply
        turn = await s.send("yes, go ahead with it")
    assert "Deleted experiment 'One'" in turn.reply
    assert await states(tmp_path) == {}


async def test_a_correction_that_changes_nothing_is_asked_about(tmp_path: Path) -> None:
    await add(tmp_path, "One")
    rules = [*deletions("One"), *looked_up("Why?", "get_core_terms"), {"offers": "get_execution_log", "text": "So."}]
    rules[-1]["times"] = 1
    rules += [analysed(waiting="change"), proposed("delete_experiment", experiment_id="One"), reviewed()]
    async with talk(tmp_path, *rules) as s:
        await s.send("delete One")
        await s.send("Why?")
        turn = await s.send("as you please")
    assert turn.reply.count(YES_OR_NO) == 1


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ("delete hint test", "There is no experiment 'hint test'; the nearest is 'Hints test'."),
        ("please delete 'Hnts Test'!", "There is no experiment 'Hnts Test'; the nearest is 'Hints test'."),
        ("delete the hints-test", "There is no experiment 'hints-test'; the nearest is 'Hints test'."),
        ("delete the one with hints", ""),
        ("delete HINTS TEST", ""),
        ("delete the Hints tests", ""),
    ],
)
async def test_a_name_that_is_only_similar_is_named_before_the_yes(tmp_path: Path, said: str, says: str) -> None:
    await add(tmp_path, "Hints test", "Hints tests")
    rules = ordered("delete_experiment", experiment_id="Hints test")
    async with talk(tmp_path, *rules) as s:
        turn = await s.send(said)
    assert "DELETE experiment 'Hints test'" in turn.reply
    assert says in turn.reply
    assert ("the nearest is" in turn.reply) == bool(says)
    assert not (says and "Not in your words" in turn.reply)


async def test_a_decision_point_that_resembles_the_name_of_its_experiment_is_no_wrong_name(tmp_path: Path) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.create(draft("Fractions intro", at=[("show-problem", "fractions-intro")]))
        await client.init("ann")
    visit = {"user_id": "ann", "site": "show-problem", "target": "fractions-intro"}
    visit["assigned_condition"] = {"experiment_id": "Fractions intro", "condition_code": None}
    async with talk(tmp_path, *ordered("mark_decision_point", **visit)) as s:
        turn = await s.send("mark ann at show-problem/fractions-intro")
    assert "Mark decision point visit for experiment 'Fractions intro'?" in turn.reply
    assert "the nearest is" not in turn.reply


@pytest.mark.parametrize("code", ["assigned", "other"])
async def test_the_report_of_a_mark_says_what_was_marked_for_whom_and_where(tmp_path: Path, code: str) -> None:
    (id,) = await add(tmp_path, "Hints")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.set_state(id, State.ENROLLING)
        await client.init("ann")
        (assigned,) = await client.assign("ann", "maths-practice")
    own = assigned.condition.code
    marked = own if code == "assigned" else next(each for each in ("control", "variant") if each != own)
    visit = {"user_id": "ann", "site": "show-problem", "target": "fractions-intro"}
    visit["assigned_condition"] = {"experiment_id": "Hints", "condition_code": marked}
    async with talk(tmp_path, *ordered("mark_decision_point", **visit)) as s:
        await s.send(f"mark ann at show-problem/fractions-intro in Hints with {marked}")
        turn = await s.send("yes")
    where = "Marked the visit of user 'ann' at show-problem/fractions-intro, in experiment 'Hints' (maths-practice)."
    assert f"{where} Recorded: condition '{marked}'. UpGrade assigns '{own}' to the user there." in turn.reply


@pytest.mark.parametrize("answer", ["yes", "no"])
async def test_the_report_of_a_queue_has_the_orders_that_were_left_out_of_it(tmp_path: Path, answer: str) -> None:
    await add(tmp_path, "One", "Two")
    skip = analysed(queue=[], intent_type="direct_answer")
    consent = {"UpdateAnswers": {"language": "en", "consent": "agrees_with_changes"}}
    rules = [*deletions("One", "Two")[:3], {**skip, "offers": "analyze_user_request"}]
    async with talk(tmp_path, *rules, {"offers": "UpdateAnswers", "call": consent}) as s:
        await s.send("delete One and Two")
        turn = await s.send("yes, but skip the second")
        assert turn.reply.startswith("Not done: Delete Two: you left it out.\n\n⚠️ PERMANENTLY DELETE experiment 'One'")
        turn = await s.send(answer)
    assert "Not done: Delete Two: you left it out." in turn.reply
    one = "Done: delete 'One' (maths-practice)." if answer == "yes" else "Not done: delete 'One' (maths-practice): you"
    assert one in turn.reply


async def test_an_order_in_the_queue_that_has_a_time_says_at_once_that_nothing_is_done_later(tmp_path: Path) -> None:
    await add(tmp_path, *THREE)
    later = order("update_experiment_status", "End Two", "on 31 December 2026")
    rules = [analysed(order("delete_experiment", "Delete One"), later), *deletions("One")[1:]]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("delete One, and let Two end on 31 December 2026")
    assert "After that: End Two (you said 'on 31 December 2026': I cannot do anything later)." in turn.reply


@pytest.mark.parametrize("place", ["first", "second"])
async def test_a_time_is_named_before_the_first_missing_value_and_only_once(tmp_path: Path, place: str) -> None:
    times = {"first": ("on Friday", ""), "second": ("", "on Friday")}[place]
    orders = [order("create_experiment", "Create one", times[0]), order("init_experiment_user", "Add ann", times[1])]
    filled = {"offers": "set_action_params", "call": {"set_action_params": {"action_params": {}}}, "times": 1}
    async with talk(tmp_path, analysed(*orders), filled) as s:
        turn = await s.send("create an experiment, and add ann on Friday")
        assert node(turn) == "create.name"
        assert "You said 'on Friday': I cannot do anything later." in turn.reply
        assert "on Friday" not in (await s.send("Foo")).reply


async def test_a_default_inside_a_list_of_members_is_not_shown_as_one(tmp_path: Path) -> None:
    (one,) = await add(tmp_path, "Raven")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.put_on(await client.experiment(one), "exclusion", [ListDraft(kind="individual", members=("rob",))])
    change = {"experiment_id": one, "unexclude": {"users": ["rob"]}}
    rules = [analysed(order("update_experiment")), proposed("update_experiment", **change), reviewed()]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("For Raven: take rob off the exclusion list")
    assert node(turn) == "q.confirm"
    assert "Taken off the exclusion list: users 'rob'" in turn.reply
    assert "(default" not in turn.reply


@pytest.mark.parametrize(
    ("where", "told"),
    [
        (("give-hint", "linear-equations"), "At give-hint/linear-equations in 'maths-practice' user 'ann' gets the"),
        (("give-hint", None), "At the site 'give-hint' in 'maths-practice' user 'ann' gets the default condition."),
        ((None, "poem"), "At the target 'poem' in 'reading-club' user 'ann' gets the default condition."),
        (("show-problem", "fractions-intro"), "- show-problem/fractions-intro: condition 'control' of experiment"),
        ((None, None), "At every other place the user gets no condition: the default."),
    ],
)
async def test_the_report_of_a_look_up_speaks_only_of_the_place_that_was_looked_at(
    tmp_path: Path, where: tuple[str | None, str | None], told: str
) -> None:
    (id,) = await add(tmp_path, "Hints")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.update(id, ExperimentChanges(conditions=(ConditionDraft(code="control", weight=100),)))
        await client.set_state(id, State.ENROLLING)
        await client.init("ann")
    context = "reading-club" if where[1] == "poem" else "maths-practice"
    place = {name: value for name, value in zip(("site", "target"), where, strict=True) if value}
    rules = ordered("get_decision_point_assignments", user_id="ann", context=context, **place)
    async with talk(tmp_path, *rules) as s:
        await s.send(f"what does ann get in {context} at {where}?")
        turn = await s.send("yes")
    assert told in turn.reply
    assert ("every other place" in turn.reply) == (not place)
    assert "assigned nothing" not in turn.reply


async def test_the_cards_of_a_pause_say_that_new_users_get_the_default(tmp_path: Path) -> None:
    (id,) = await add(tmp_path, "Hints")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.set_state(id, State.ENROLLING)
    rule = {"post_rule": "assign", "revert_to": "variant"}
    rules = [analysed(order("update_experiment"), order("update_experiment_status", "Pause Hints"))]
    rules += [proposed("update_experiment", experiment_id="Hints", **rule), reviewed()]
    rules += [proposed("update_experiment_status", experiment_id="Hints", status="enrollmentComplete"), reviewed()]
    async with talk(tmp_path, *rules) as s:
        for said in ("Pause Hints, and from now on all get variant", "yes"):
            turn = await s.send(said)
            assert "New users get the default then, not 'variant'." in turn.reply.partition("?\n")[2]
    assert turn.reply.count("can be resumed") == 1


@pytest.mark.parametrize("users", [0, 3])
async def test_a_deletion_names_how_many_users_are_enrolled(tmp_path: Path, users: int) -> None:
    (id,) = await add(tmp_path, "Hints")
    async with connect(UpgradeSettings(), tmp_path) as client:
        if users:
            await client.set_state(id, State.ENROLLING)
            await simulate(client, await client.experiment(id), users, run="r")
    async with talk(tmp_path, *ordered("delete_experiment", experiment_id="Hints")) as s:
        assert f"\n- Enrolled: {users} users\n" in (await s.send("delete Hints")).reply
        report = (await s.send("yes")).reply
    lost = ", with its enrolments" if users else ""
    assert report == f"Deleted experiment 'Hints' of context 'maths-practice'{lost}."


async def test_a_deletion_names_the_lists_that_are_deleted(tmp_path: Path) -> None:
    (one,) = await add(tmp_path, "Raven")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.put_on(await client.experiment(one), "exclusion", [ListDraft(kind="individual", members=("rob",))])
    async with talk(tmp_path, *ordered("delete_experiment", experiment_id="Raven")) as s:
        card = (await s.send("delete Raven")).reply
        report = (await s.send("yes")).reply
    assert "\n- On the exclusion list: users 'rob'\n" in card
    assert report == "Deleted experiment 'Raven' of context 'maths-practice', with its lists."


@pytest.mark.parametrize(
    ("done", "said"), [(None, "Not known whether done: initialise 'zoe': "), (True, "Done in part: initialise 'zoe': ")]
)
async def test_an_action_whose_result_is_not_known_is_not_called_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: bool | None, said: str
) -> None:
    from graphwright_upgrade.client._calls import UpgradeClient
    from graphwright_upgrade.client._failures import TimedOut

    async def silent(*_: Any) -> None:
        raise TimedOut("timed_out", "The server did not answer.", done=done)

    monkeypatch.setattr(UpgradeClient, "init", silent)
    async with talk(tmp_path, *ordered("init_experiment_user", user_id="zoe")) as s:
        await s.send("add zoe")
        assert (await s.send("yes")).reply == f"{said}The server did not answer."

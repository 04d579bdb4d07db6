"""Marks of the UpGrade agent: weights written as a ratio, codes that replace others, defaults, corrected typos."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._settings import UpgradeSettings
from upgrade_agent_support import (
    FOO,
    MARKS,
    add,
    analysed,
    corrected,
    order,
    ordered,
    proposed,
    reviewed,
    talk,
    weighted,
)
from upgrade_client_support import draft

pytestmark = pytest.mark.usefixtures("local_service")

CONTRADICTED = "Your words name something else: 'weight:"
IN_FAVOUR = "control and variant, 2 to 1 in favour of variant"
THREE_PARTS = weighted(control=16.67, variant=50, glossary=33.33)


@pytest.mark.parametrize(
    ("said", "conditions", "marked"),
    [
        (IN_FAVOUR, weighted(control=33.33, variant=66.67), False),
        ("control und variant, 2:1 zugunsten von variant", weighted(control=33.33, variant=66.67), False),
        ("control vs variant, 70/30 for the latter", weighted(control=30, variant=70), False),
        ("control, variant : 1 contre 4", weighted(control=20, variant=80), False),
        ("control, variant and glossary in a ratio of 3 to 2 to 1, variant most", THREE_PARTS, False),
        ("2 parts of control to 1 part of variant", weighted(control=67, variant=33), False),
        ("2 parts of control to 1 part of variant", weighted(control=33, variant=67), True),
        ("3 for variant, 1 for control", weighted(control=75, variant=25), True),
        (IN_FAVOUR, weighted(control=40, variant=60), True),
        ("control and variant 1 to 4", weighted(control=30, variant=70), True),
        ("control 60 and variant 30", weighted(control=66.67, variant=33.33), True),
    ],
)
async def test_a_ratio_supports_its_shares_for_the_conditions_in_any_order(
    tmp_path: Path, said: str, conditions: list[dict[str, Any]], marked: bool
) -> None:
    design = proposed("create_experiment", {"conditions": said}, **{**FOO, "conditions": conditions})
    async with talk(tmp_path, analysed(order("create_experiment")), design, reviewed()) as s:
        turn = await s.send(f"Foo in maths-practice at give-hint/area-of-shapes, {said}")
    assert (CONTRADICTED in turn.reply) == marked, turn.reply
    assert marked or not any(mark in turn.reply for mark in MARKS), turn.reply


@pytest.mark.parametrize(("now", "marked"), [((33.33, 66.67), False), ((30, 70), True)])
async def test_a_ratio_may_correct_the_weights_of_a_confirmation(
    tmp_path: Path, now: tuple[float, float], marked: bool
) -> None:
    first = {**FOO, "conditions": weighted(control=75, variant=25)}
    rules = [analysed(order("create_experiment")), proposed("create_experiment", {"conditions": "3:1"}, **first)]
    after = weighted(control=now[0], variant=now[1])
    rules += [reviewed(), analysed(waiting="change"), corrected("conditions", after, "2 to 1 in favour of variant")]
    async with talk(tmp_path, *rules, reviewed()) as s:
        assert "⚠️" not in (await s.send("Foo in maths-practice, control/variant 3:1, give-hint/area-of-shapes")).reply
        turn = await s.send("make that 2 to 1 in favour of variant instead")
    assert (CONTRADICTED in turn.reply) == marked, turn.reply


SPLIT = "with glossary instead of variant and a split of 1 to 4"


@pytest.mark.parametrize("words", [SPLIT, f'Same again as "Quiz One" but {SPLIT}'])
@pytest.mark.parametrize(
    ("conditions", "marks"),
    [
        ({"control": 20, "glossary": 80}, ""),
        ({"control": 30, "glossary": 70}, "'weight: 30', 'weight: 70'"),
        ({"read-aloud": 20, "glossary": 80}, "'code: read-aloud'"),
    ],
)
async def test_a_copied_condition_that_the_words_leave_as_it_is_is_not_marked(
    tmp_path: Path, words: str, conditions: Mapping[str, float], marks: str
) -> None:
    async with connect(UpgradeSettings(), tmp_path) as client:
        club = {"context": "reading-club"}
        await client.create(draft("Quiz One", at=[("open-text", "poem")]).model_copy(update=club))
    design = {"name": "Quiz Two", **club, "conditions": weighted(**conditions)}
    design["decision_points"] = [{"site": "open-text", "target": "poem"}]
    call = proposed("create_experiment", {"name": "Quiz Two", "conditions": words}, **design)
    async with talk(tmp_path, analysed(order("create_experiment")), call, reviewed()) as s:
        turn = await s.send(f'Create a copy called Quiz Two. Same again as "Quiz One" but {SPLIT}.')
    assert marks in turn.reply, turn.reply
    assert any(mark in turn.reply for mark in MARKS) == bool(marks), turn.reply


async def test_a_condition_that_stays_is_not_marked_when_another_one_is_replaced(tmp_path: Path) -> None:
    await add(tmp_path, "Hints")
    words = {"conditions": "glossary instead of variant, 1 to 4"}
    after = weighted(control=20, glossary=80)
    change = proposed("update_experiment", words, experiment_id="Hints", conditions=after)
    async with talk(tmp_path, analysed(order("update_experiment")), change, reviewed()) as s:
        turn = await s.send("Hints: use glossary instead of variant, 1 to 4")
    assert not any(mark in turn.reply for mark in MARKS), turn.reply


async def test_a_part_with_a_quotation_of_its_own_is_not_marked_for_a_part_without(tmp_path: Path) -> None:
    await add(tmp_path, "Hints")
    words = {"experiment_id": "In Hints", "conditions.0": "make control 20"}
    change = proposed("update_experiment", words, experiment_id="Hints", conditions=weighted(control=20, variant=80))
    async with talk(tmp_path, analysed(order("update_experiment")), change, reviewed()) as s:
        turn = await s.send("In Hints make control 20")
    assert "weight: 20" not in turn.reply.partition("⚠️")[2], turn.reply


async def test_a_default_that_only_the_words_for_another_parameter_name_is_not_marked(tmp_path: Path) -> None:
    words = {"name": "Foo", "context": "maths-practice", "conditions": "control and variant", "unit": "individual"}
    words["decision_points"] = "give-hint/area-of-shapes"
    design = proposed("create_experiment", words, **FOO, unit="individual", consistency="individual")
    async with talk(tmp_path, analysed(order("create_experiment")), design, reviewed()) as s:
        turn = await s.send("Foo in maths-practice, control and variant, at give-hint/area-of-shapes, individual")
    assert "single users; consistency individual: a user keeps the condition (default)" in turn.reply
    assert "⚠️" not in turn.reply


@pytest.mark.parametrize(("said", "asked"), [("it's control of course", False), ("call it Bar", True)])
async def test_a_typo_that_the_user_corrected_is_not_asked_about(tmp_path: Path, said: str, asked: bool) -> None:
    rules = ordered("create_experiment", **FOO)
    rules[1] = proposed("create_experiment", {"conditions": "contrl and variant"}, **FOO)
    rules += [analysed(waiting="change"), corrected("name", "Bar", "the name is Bar"), reviewed()]
    async with talk(tmp_path, *rules) as s:
        first = await s.send("Foo in maths-practice, contrl and variant, at give-hint/area-of-shapes")
        assert "You wrote 'contrl'. Is 'control' right?" in first.reply
        turn = await s.send(f"{said}, and the name is Bar")
    assert ("You wrote" in turn.reply) == asked, turn.reply
    assert "Not in your words" not in turn.reply


@pytest.mark.parametrize(("school", "warned"), [("north", False), ("south", True)])
async def test_groups_that_the_same_conversation_stored_need_no_warning(
    tmp_path: Path, school: str, warned: bool
) -> None:
    look = {"user_id": "ben", "context": "maths-practice", "group": {"schoolId": [school]}}
    rules = [analysed(order("init_experiment_user"), order("get_decision_point_assignments", "What does ben get"))]
    rules += [proposed("init_experiment_user", user_id="ben", group={"schoolId": ["north"]}), reviewed()]
    rules += [proposed("get_decision_point_assignments", **look), reviewed()]
    async with talk(tmp_path, *rules) as s:
        await s.send(f"add ben of school north and look what ben of school {school} gets in maths-practice")
        turn = await s.send("yes")
    assert "Get condition assignments" in turn.reply
    assert ("does not change the groups" in turn.reply) == warned, turn.reply


async def test_resuming_is_reported_as_such(tmp_path: Path) -> None:
    (id,) = await add(tmp_path, "Pistas")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.set_state(id, State.ENROLLING)
        await client.set_state(id, State.ENROLLMENT_COMPLETE)
    rules = ordered("update_experiment_status", experiment_id="Pistas", status="enrolling")
    rules[0] = analysed(order("update_experiment_status"), language="es")
    async with talk(tmp_path, *rules) as s:
        await s.send("reanúdalo, Pistas")
        turn = await s.send("no")
    assert turn.reply == "No hecho: reanudar «Pistas» (maths-practice): usted no lo ha querido."


@pytest.mark.parametrize(
    ("said", "quote", "meant", "marked"),
    [
        ("start Hint timing B", "Hint timing B", "Hint timing B", False),
        ("start the B version of Hint timing", "the B version of Hint timing", "Hint timing B", False),
        ("start Hint timing", "Hint timing", "Hint timing", False),
        ("start Hint timing", "Hint timing", "Hint timing B", True),
        ("start Hint timing B", "Hint timing B", "Hint timing", True),
        ("start Hint timing B, not Hint timing", "Hint timing B", "Hint timing B", False),
    ],
)
async def test_a_name_within_the_name_of_another_experiment_is_not_confused_with_it(
    tmp_path: Path, said: str, quote: str, meant: str, marked: bool
) -> None:
    await add(tmp_path, "Hint timing", "Hint timing B")
    words = {"experiment_id": quote, "status": "start"}
    start = proposed("update_experiment_status", words, experiment_id=meant, status="enrolling")
    async with talk(tmp_path, analysed(order("update_experiment_status")), start, reviewed()) as s:
        turn = await s.send(said)
    assert any(mark in turn.reply for mark in MARKS) == marked, turn.reply


@pytest.mark.parametrize("action", ["create_experiment", "update_experiment"])
async def test_the_weights_of_an_experiment_are_not_those_of_one_whose_name_is_within_its_name(
    tmp_path: Path, action: str
) -> None:
    new = action == "create_experiment"
    await add(tmp_path, "Hint timing", *([] if new else ["Hint timing B"]))
    conditions = weighted(control=25, variant=75)
    said = "Hint timing B gets a quarter of control and three quarters of variant"
    design = {**FOO, "name": "Hint timing B", "conditions": conditions}
    params = design if new else {"experiment_id": "Hint timing B", "conditions": conditions}
    async with talk(
        tmp_path, analysed(order(action)), proposed(action, {"conditions": said}, **params), reviewed()
    ) as s:
        turn = await s.send(f"{said}, in maths-practice at give-hint/area-of-shapes")
    assert "Your words name something else" not in turn.reply, turn.reply


@pytest.mark.parametrize(
    ("said", "marked"),
    [("hint-first 70, hint 30", False), ("hint 30, hint-first 70", False), ("hint-first 30, hint 70", True)],
)
async def test_the_weights_of_a_code_within_another_code_are_told_apart(
    tmp_path: Path, said: str, marked: bool
) -> None:
    (tmp_path / "upgrade").mkdir()
    known = {"CONDITIONS": ["hint", "hint-first"], "GROUP_TYPES": [], "EXP_IDS": ["poem"], "EXP_POINTS": ["text"]}
    (tmp_path / "upgrade" / "contexts.yaml").write_text(json.dumps({"contextMetadata": {"reading": known}}))
    design = {"name": "Foo", "context": "reading", "decision_points": [{"site": "text", "target": "poem"}]}
    design["conditions"] = [{"code": "hint", "weight": 30}, {"code": "hint-first", "weight": 70}]
    call = proposed("create_experiment", {"conditions": said}, **design)
    async with talk(tmp_path, analysed(order("create_experiment")), call, reviewed()) as s:
        turn = await s.send(f"Foo in reading at text/poem, {said}")
    assert ("Your words name something else" in turn.reply) == marked, turn.reply


async def test_a_word_of_the_name_of_an_experiment_is_no_typo_of_a_code(tmp_path: Path) -> None:
    await add(tmp_path, "Glossar B")
    words = {"experiment_id": "Glossar B", "conditions": "1:3 with the other one"}
    after = weighted(control=25, glossary=75)
    change = proposed("update_experiment", words, experiment_id="Glossar B", conditions=after)
    async with talk(tmp_path, analysed(order("update_experiment")), change, reviewed()) as s:
        turn = await s.send("Glossar B: 1:3 with the other one")
    assert "You wrote" not in turn.reply, turn.reply

"""The UpGrade agent with correct, wrong, hostile and unavailable models, and with a server that changes or fails."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crash_support import Tell, forked
from graphwright_server._approvals import described
from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade.upgrade.schemas import ACTIONS
from upgrade_agent_support import (
    FOO,
    SAID,
    add,
    analysed,
    experiments,
    node,
    order,
    ordered,
    proposed,
    reviewed,
    states,
    talk,
)

pytestmark = pytest.mark.usefixtures("local_service")


async def test_unsupported_values_and_findings_of_the_review_are_marked(tmp_path: Path) -> None:
    invented = {**FOO, "tags": ["urgent"]}
    rules = (
        analysed(order("create_experiment")),
        proposed("create_experiment", **invented),
        reviewed("a payload", unasked=(3,)),
    )
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("Foo in maths-practice, control and variant, at give-hint/area-of-shapes, with a payload")
    assert "Not in your words: 'tags: urgent'." in turn.reply
    assert "You may not have asked for this: Decision points" in turn.reply
    assert "This does not do: a payload" in turn.reply


async def test_unsupported_values_stay_marked_on_the_next_card(tmp_path: Path) -> None:
    made_up = {**FOO, "tags": ["urgent"]}
    rules = [
        *ordered("create_experiment", **made_up),
        analysed(waiting="change"),
        proposed("create_experiment", **{**made_up, "name": "Bar"}),
        reviewed(),
    ]
    async with talk(tmp_path, *rules, {"text": ""}) as s:
        await s.send(SAID)
        turn = await s.send("Call it Bar")
    assert "Bar" in turn.reply
    assert "Not in your words: 'tags: urgent'." in turn.reply


@pytest.mark.parametrize(
    ("weights", "invented", "marks"),
    [((None, None), "", ["default", "default"]), ((50, 50), "", ["default", "default"]),
     ((70, 30), "Not in your words: 'weight: 70', 'weight: 30'.", ["unsupported", "unsupported"])],
)  # fmt: skip
async def test_what_would_stand_there_anyway_is_named_a_default_and_what_a_model_made_up_is_not(
    tmp_path: Path, weights: tuple[int | None, int | None], invented: str, marks: list[str]
) -> None:
    conditions = [{**each, "weight": weight} for each, weight in zip(FOO["conditions"], weights, strict=True)]
    design = {**FOO, "conditions": conditions, "filter_mode": "includeAll", "post_rule": "continue"}
    async with talk(tmp_path, *ordered("create_experiment", **design)) as s:
        turn = await s.send(SAID)
        approval = (await s.state())["waiting_for"]["approval"]
    assert invented in turn.reply
    assert ("Not in your words" in turn.reply) == bool(invented)
    assert ("(default weights)" in turn.reply) == (not invented)
    assert (
        "- Assigned: single users (default); consistency individual: a user keeps the condition (default)\n"
        in turn.reply
    )
    seen = described(approval, [])["marks"]
    assert [seen[f"action_params.conditions.{place}.weight"] for place in (0, 1)] == marks
    assert [seen["action_params.name"], seen["action_params.unit"]] == ["said", "default"]


async def test_why_a_value_was_taken_back_is_told_also_when_something_else_is_asked_first(tmp_path: Path) -> None:
    too_much = [{"code": "A", "weight": 70}, {"code": "B", "weight": 50}]
    back = {"call": {"set_action_params": {"action_params": {}}}, "anywhere": "add up to 120", "times": 1}
    rules = [analysed(order("create_experiment")), proposed("create_experiment", conditions=too_much), back]
    async with talk(tmp_path, *rules, {"text": ""}) as s:
        turn = await s.send("Create an experiment with A 70 % and B 50 %")
    assert node(turn) == "create.name"
    assert "The weights add up to 120, not to 100." in turn.reply


async def test_what_the_user_chose_by_its_number_is_said(tmp_path: Path) -> None:
    rules = [analysed(order("create_experiment")), proposed("create_experiment", **{**FOO, "context": None})]
    async with talk(tmp_path, *rules) as s:
        assert node(await s.send("Foo with control and variant, at give-hint/area-of-shapes")) == "create.context"
        turn = await s.send("1")
        approval = (await s.state())["waiting_for"]["approval"]
    assert "in context 'maths-practice'?" in turn.reply
    assert "Not in your words" not in turn.reply
    assert described(approval, [])["marks"]["action_params.context"] == "said"


async def test_what_stands_in_an_experiment_already_is_not_made_up(tmp_path: Path) -> None:
    await add(tmp_path, "Hints")
    design = [{"code": "control", "weight": 50}, {"code": "variant", "weight": 40}, {"code": "third", "weight": 10}]
    words = {"experiment_id": "that experiment", "conditions.2": "ten per cent"}
    more = {"experiment_id": "Hints", "conditions": design, "words": words}
    async with talk(tmp_path, *ordered("update_experiment", **more)) as s:
        await s.send("ten per cent of the variant of that experiment go to a third one")
        approval = (await s.state())["waiting_for"]["approval"]
    marks = described(approval, [])["marks"]
    assert "unsupported" not in [marks["action_params.experiment_id"], marks["action_params.conditions.0.weight"]]
    assert marks["action_params.conditions.1.weight"] == "unsupported"


@pytest.mark.parametrize("missing", ["on Friday", "start it On  friday", "at a time"])
async def test_a_time_is_named_once_and_never_dropped(tmp_path: Path, missing: str) -> None:
    await add(tmp_path, "Hints")
    start = ordered("update_experiment_status", later="on Friday", experiment_id="Hints", status="enrolling")
    async with talk(tmp_path, *start[:2], reviewed(missing)) as s:
        turn = await s.send("start Hints on Friday")
        assert "You said 'on Friday': I cannot do anything later. A yes does it now." in turn.reply
        assert ("This does not do" in turn.reply) == (missing == "at a time")
        await s.send("no")
    assert await states(tmp_path) == {"Hints": "inactive"}


@pytest.mark.parametrize("action", sorted(ACTIONS))
async def test_a_model_that_talks_instead_of_filling_in_an_order_gets_no_confirmation(
    tmp_path: Path, action: str
) -> None:
    await add(tmp_path, "Hints")
    async with talk(tmp_path, analysed(order(action)), {"text": "All done."}) as s:
        turn = await s.send("do it")
    assert turn.error is None
    assert node(turn) not in ("q.confirm", "ended")
    assert "All done." in turn.reply
    assert turn.values["asked"]


async def test_several_orders_are_confirmed_one_after_the_other_each_by_its_own_part(tmp_path: Path) -> None:
    await add(tmp_path, "One", "Two")
    names = ("One", "Two")
    rules = [analysed(*(order("delete_experiment", f"delete {name}") for name in names))]
    for name in names:
        rules += [proposed("delete_experiment", experiment_id=name)]
        rules += [{**reviewed(), "says": f"Messages:\n- delete {name}\nChanges:"}]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("delete both of them")
        assert "DELETE experiment 'One'" in turn.reply
        turn = await s.send("yes")
        assert "Deleted experiment 'One'" in turn.reply
        assert "DELETE experiment 'Two'" in turn.reply
        assert "This does not do" not in turn.reply
        assert node(await s.send("no")) == "ended"
    assert await states(tmp_path) == {"Two": "inactive"}


@pytest.mark.parametrize("taken_back", [True, False])
async def test_a_refused_value_is_asked_for_with_the_reason_and_does_not_count_as_set(
    tmp_path: Path, taken_back: bool
) -> None:
    wrong = {**FOO, "conditions": [{"code": "control", "weight": 60}, {"code": "variant", "weight": 50}]}
    left = {name: value for name, value in FOO.items() if name != "conditions"}
    again = {"call": {"set_action_params": {"action_params": left}}} if taken_back else {"text": "ready"}
    rules = [
        analysed(order("create_experiment")),
        proposed("create_experiment", **wrong),
        {"offers": "set_action_params", **again, "times": 1},
        analysed(waiting="change"),
        {"offers": "set_action_params", "says": "Set already: (?!.*conditions)", "text": "What weights?"},
    ]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("create Foo with control 60 and variant 50")
        assert (node(turn), turn.reply.count("110")) == ("create.conditions", 1)
        assert "What weights?" in (await s.send("I said 60 and 50")).reply


async def test_of_equal_names_the_user_chooses(tmp_path: Path) -> None:
    ids = await add(tmp_path, "Twin", "Twin")
    wrong = {"offers": "set_action_params", "call": {"set_action_params": {"action_params": {"experiment_id": "Twin"}}}}
    async with talk(tmp_path, analysed(order("delete_experiment")), {**wrong, "times": 1}, {"text": "Which?"}) as s:
        turn = await s.send("delete Twin")
        assert node(turn) == "delete.experiment_id"
        assert "2 experiments are called 'Twin'" in turn.reply
        assert turn.waiting_for is not None
        chosen = turn.waiting_for.options[1]["value"]
        assert chosen in ids
        turn = await s.send("2")
        assert chosen in turn.reply
        await s.send("yes")
    assert set(await experiments(tmp_path)) == {*ids} - {chosen}


@pytest.mark.parametrize("gone", [False, True])
async def test_what_changed_between_question_and_yes_is_not_touched(tmp_path: Path, gone: bool) -> None:
    (id,) = await add(tmp_path, "Hints")
    async with talk(tmp_path, *ordered("delete_experiment", experiment_id="Hints")) as s:
        assert "inactive" in (await s.send("delete Hints")).reply
        async with connect(UpgradeSettings(), tmp_path) as client:
            await (client.delete(id) if gone else client.set_state(id, State.ENROLLING))
        turn = await s.send("yes")
        place = "delete.experiment_id" if gone else "q.confirm"
        assert (node(turn), turn.values["execution_log"]) == (place, [])
        if gone:
            assert "There is no experiment" in turn.reply
            return
        assert "It has changed since you were asked" in turn.reply
        assert "enrolling" in turn.reply
        assert list(await experiments(tmp_path)) == [id]
        assert "Deleted" in (await s.send("yes")).reply
    assert await experiments(tmp_path) == {}


async def test_after_an_outage_the_confirmation_is_there_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_port: int
) -> None:
    await add(tmp_path, "Hints")
    async with talk(tmp_path, *ordered("delete_experiment", experiment_id="Hints")) as s:
        await s.send("delete Hints")
        monkeypatch.setenv("UPGRADE_API_URL", f"http://127.0.0.1:{free_port}")
        turn = await s.send("yes")
        assert node(turn) == "q.confirm"
        assert "Nothing is lost" in turn.reply
        assert "DELETE experiment 'Hints'" in turn.reply
        assert turn.values["execution_log"] == []
        monkeypatch.delenv("UPGRADE_API_URL")
        assert "Deleted" in (await s.send("yes")).reply


@pytest.mark.parametrize("said", ["いいえ、70/30にして", "yes, but 70/30", "ja aber 70/30"])
async def test_a_correction_does_not_confirm(tmp_path: Path, said: str) -> None:
    changed = {"key": "conditions", "value": [{"code": "control", "weight": 70}, {"code": "variant", "weight": 30}]}
    consent = {"UpdateAnswers": {"language": "en", "consent": "agrees_with_changes"}}
    rules = [{"offers": "UpdateAnswers", "call": consent}]
    rules += ordered("create_experiment", **FOO)
    rules += [
        {**analysed(waiting="change"), "offers": "analyze_user_request"},
        {"call": {"update_action_params": changed}, "times": 1},
    ]
    async with talk(tmp_path, *rules, {**reviewed(), "times": 2}, {"text": "no consent"}) as s:
        await s.send(SAID)
        turn = await s.send(said)
        assert node(turn) == "q.confirm"
        assert "control 70 %, variant 30 %" in turn.reply
        assert await experiments(tmp_path) == {}
        await s.send("はい")
    (made,) = (await experiments(tmp_path)).values()
    assert [each.weight for each in made.conditions] == [70, 30]


@pytest.mark.parametrize(
    "reply",
    [
        {"raw": '{"orders": [{"action": "delete_exp'},
        {"text": "Sure, I have deleted everything."},
        {"raw": ""},
        analysed(order("delete_experiment", later="tomorrow"), confidence=0.2),
    ],
)
async def test_a_model_that_fails_or_is_unsure_leads_to_the_choices(tmp_path: Path, reply: dict[str, Any]) -> None:
    await add(tmp_path, "Hints")
    async with talk(tmp_path, reply) as s:
        turn = await s.send("delete Hints")
        assert node(turn) == "q.offer"
        assert node(await s.send("Delete an experiment")) == "delete.experiment_id"
        assert node(await s.send("Hints")) == "q.confirm"
    assert await states(tmp_path) == {"Hints": "inactive"}


async def test_a_weak_model_is_not_trusted_with_orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("nodes", "preparing", "understanding"):
        monkeypatch.setattr(f"graphwright_upgrade.upgrade.{module}.is_weak", lambda _model: True)
    await add(tmp_path, "Hints")
    told = {"text": "It is the share of a condition."}
    rules = [
        analysed(order("delete_experiment", later="tomorrow")),
        proposed("delete_experiment", experiment_id="Hints"),
    ]
    async with talk(tmp_path, *rules, analysed(intent_type="direct_answer"), told) as s:
        assert node(await s.send("delete Hints tomorrow")) == "q.offer"
        turn = await s.send("Delete an experiment")
        assert "You said 'tomorrow'" in turn.reply
        await s.send("no")
        turn = await s.send("what is a weight?")
        assert ("the share of a condition" in turn.reply, node(turn)) == (True, "q.offer")
    assert await states(tmp_path) == {"Hints": "inactive"}


@pytest.mark.slow
async def test_ten_thousand_calls_are_bounded_and_do_nothing(tmp_path: Path) -> None:
    await add(tmp_path, "Hints")
    calls = [{"get_conditions_for_context": {"context": f"c{number}"}} for number in range(10_000)]
    async with talk(tmp_path, analysed(order("delete_experiment")), {"call": calls}) as s:
        turn = await s.send("delete Hints")
    assert node(turn) == "delete.experiment_id"
    assert turn.usage.model_calls <= 5
    assert await states(tmp_path) == {"Hints": "inactive"}


def test_kill_9_between_doing_and_noting_makes_nothing_twice(tmp_path: Path) -> None:
    rules = ordered("create_experiment", **FOO)

    async def die(_tell: Tell) -> None:
        from graphwright_upgrade.upgrade import nodes

        nodes.log_entry = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment,return-value]
        async with talk(tmp_path, *rules) as s:
            await s.send(SAID)
            await s.send("yes")

    assert forked(die).end()

    async def resume_turn() -> None:
        assert len(await experiments(tmp_path)) == 1
        async with talk(tmp_path) as s:
            turn = await s.send("and?")
            assert "Created experiment 'Foo'" in turn.reply
            assert len(turn.values["execution_log"]) == 1
        assert len(await experiments(tmp_path)) == 1

    asyncio.run(resume_turn())


NAMES = st.sampled_from(["Hints", "Other", "Twin", "nothing", "", "H\u0000ints"])
VALUES = st.one_of(NAMES, st.integers(-5, 200), st.none(), st.lists(NAMES, max_size=2), st.just([{"code": "x"}]))
PARAMS = st.dictionaries(
    st.sampled_from(sorted({name for each in ACTIONS.values() for name in each.model_fields})), VALUES, max_size=4
)
FULL = st.sampled_from(
    [
        ("delete_experiment", {"experiment_id": "Hints"}),
        ("update_experiment_status", {"experiment_id": "Other", "status": "cancelled"}),
        ("update_experiment", {"experiment_id": "Hints", "new_name": "Owned"}),
        ("create_experiment", FOO),
    ]
)
THREADS = itertools.count()
REPLIES = st.sampled_from(
    ["delete Hints", "what is there?", "yes please but not that one", "no", "1", "2", "maybe", "yes"]
)


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_a_hostile_model_proposes_nothing_is_done_without_a_yes_to_it(tmp_path: Path, data: Any) -> None:
    async def play() -> None:
        if not await experiments(tmp_path):
            await add(tmp_path, "Hints", "Other", "Twin", "Twin")
        thread = f"hostile-{next(THREADS)}"
        rules = []
        for _ in range(6):
            action, params = data.draw(st.one_of(FULL, st.tuples(st.sampled_from(sorted(ACTIONS)), PARAMS)))
            waiting = data.draw(st.sampled_from(["keep", "change", "drop"]))
            rules += [{**analysed(order(action), waiting=waiting), "offers": "analyze_user_request"}]
            rules += [proposed(action, **params), reviewed()]
        async with talk(tmp_path, *rules, {"text": "All done, everything is deleted."}, thread=thread) as s:
            turn = None
            for _ in range(5):
                said = data.draw(REPLIES)
                before, shown = await experiments(tmp_path), turn
                turn = await s.send(said)
                if shown is not None and node(shown) == "q.confirm" and said in ("yes", "1"):
                    for entry in turn.values["execution_log"][len(shown.values["execution_log"]) :]:
                        assert entry["params"] == shown.values["action_params"]
                        assert entry["action"] == shown.values["action_needed"]
                else:
                    assert await experiments(tmp_path) == before, said

    asyncio.run(play())

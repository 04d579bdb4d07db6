"""The many ways of saying one thing to the UpGrade agent: indirect orders, descriptions, slips, relative weights."""

from __future__ import annotations

from pathlib import Path

import pytest
from runtime_support import scripted
from upgrade_agent_support import add, upgrade_agent
from upgrade_words_support import FOO, foo, read

from graphwright import Session
from graphwright.agents.upgrade.requests.grounding import ground


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UPGRADE_API_URL", raising=False)


def talk(home: Path) -> Session:
    """A conversation in which no model answers: what code cannot read fails."""
    return upgrade_agent().session("t", model=scripted(), home=home)


@pytest.mark.parametrize(
    ("text", "action", "status"),
    [
        ("We are ready. Foo can start enrolling now.", "update_experiment_status", "enrolling"),
        ("Foo may go live now", "update_experiment_status", "enrolling"),
        ("Everything is set up, so Foo can begin.", "update_experiment_status", "enrolling"),
        ("Foo is good to go", "update_experiment_status", "enrolling"),
        ("It's time for Foo to begin", "update_experiment_status", "enrolling"),
        ("I'd be glad if Foo could start today", "update_experiment_status", "enrolling"),
        ("Foo is ready, let it begin", "update_experiment_status", "enrolling"),
        ("Foo has done its job and can be stopped", "update_experiment_status", "enrollmentComplete"),
        ("Would you be so kind as to pause Foo?", "update_experiment_status", "enrollmentComplete"),
        ("Please permanently remove Foo from maths-practice.", "delete_experiment", ""),
        ("Take Foo out of maths-practice completely", "delete_experiment", ""),
        ("Foo: control gets 20 %, variant the rest", "update_experiment", ""),
        ("the name of Foo should be Better", "update_experiment", ""),
        ("school south should be in Foo as well", "update_experiment", ""),
        ("dan has joined school south", "init_experiment_user", ""),
        ("move dan to class 7b", "init_experiment_user", ""),
        ("note that dan was at show-problem/fractions-intro", "mark_decision_point", ""),
    ],
)
def test_an_order_is_read_in_indirect_words(text: str, action: str, status: str) -> None:
    orders = [(each.action, each.status) for each in read(text).orders]
    assert orders == [(action, status)]


@pytest.mark.parametrize(
    "text",
    [
        "Can Foo start now?",
        "If Foo can start, tell me",
        "Foo should not start yet",
        "It would not be good if Foo stopped",
        "Foo started yesterday",
    ],
)
def test_what_only_sounds_like_it_is_no_order(text: str) -> None:
    assert read(text).orders == ()


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("In Foo, variant should only get 25 percent, the rest goes to control", {"variant": 25, "control": None}),
        ("give control 30 percent in Foo and the remainder to variant", {"control": 30, "variant": None}),
        ("twice as many in variant as in control for Foo", {"variant": 66.67, "control": 33.33}),
        ("control of Foo should get half of what variant gets", {"control": 33.33, "variant": 66.67}),
        ("In Foo, shift 10 points from variant to control", {"control": 60, "variant": 40}),
        ("raise control of Foo by 10 percent", {"control": 60, "variant": None}),
        ("Foo: 5 points less for variant", {"variant": 45, "control": None}),
        ("Set the wieghts of Foo to contorl 10 varaint 90", {"control": 10, "variant": 90}),
    ],
)
def test_weights_are_read_in_relation_to_others(text: str, weights: dict[str, float | None]) -> None:
    reading = read(text, codes=["control", "variant"])
    found = ground("update_experiment", {}, reading, experiment=(FOO, "Foo"), facts=foo()).params["conditions"]
    assert {each["code"]: each.get("weight") for each in found} == weights


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("Foo should include the school south, too, beside north", "include"),
        ("Add school south to the ones that take part in Foo", "include"),
        ("let school south join Foo too", "include"),
        ("keep school south out of Foo", "exclude"),
        ("school south may not take part in Foo", "exclude"),
        ("school south should no longer be excluded from Foo", "unexclude"),
    ],
)
def test_who_takes_part_is_read_without_the_word_list(text: str, side: str) -> None:
    found = ground("update_experiment", {}, read(text), experiment=(FOO, "Foo"), facts=foo()).params
    assert found[side]["groups"] == [{"type": "schoolId", "id": "south"}]
    assert [name for name in found if name not in ("experiment_id", "name", "filter_mode")] == [side]


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("Create experiment Zap. Its description should be: Spring pilot, two schools", "Spring pilot, two schools"),
        ("Create experiment Zap. Description: Pilot with control schools", "Pilot with control schools"),
        ("Create experiment Zap in reading-club, described as a pilot for two schools", "a pilot for two schools"),
    ],
)
def test_a_description_is_read_where_nothing_is_set(text: str, description: str) -> None:
    reading = read(text)
    assert [each.action for each in reading.orders] == ["create_experiment"]
    assert ground("create_experiment", {}, reading).params["description"] == description


def test_a_name_keeps_the_quotes_and_lines_within_it() -> None:
    assert read('rename Foo to "The "best" one"').name_given == 'The "best" one'
    assert read('rename Foo to "Two\nlines"').name_given == "Two lines"


def test_slips_are_left_in_names_quotes_and_new_codes() -> None:
    assert read("rename Foo to Contorl Study").name_given == "Contorl Study"
    assert read('tag Foo with "contorl"').codes == ()
    assert read("create experiment Zap with control and varian").codes == ("control", "varian")
    assert read("add the varian condition to Foo").codes == ("variant",)


async def test_an_experiment_is_found_by_what_is_said_of_it(tmp_path: Path) -> None:
    await add(tmp_path, "Foo", "Foo", "Bar")
    async with talk(tmp_path) as session:
        turn = await session.send("Start the Foo at give-hint/fractions-intro")
        assert "status to 'enrolling'?" in turn.reply
        await session.send("yes")
        assert "Change experiment 'Foo'" in (await session.send("stop the running one")).reply
        await session.send("no")
        turn = await session.send("Delete the Foo")
        assert "at 'show-problem/fractions-intro'" in turn.reply
        assert "PERMANENTLY DELETE" in (await session.send("the one at show-problem")).reply


async def test_a_visit_is_marked_with_the_condition_that_is_assigned(tmp_path: Path) -> None:
    await add(tmp_path, "Foo")
    async with talk(tmp_path) as session:
        for said in ("start Foo", "yes", "init user ann", "yes"):
            await session.send(said)
        turn = await session.send("Mark a visit of ann at show-problem/fractions-intro with whatever she is assigned")
        assert "Mark decision point visit for experiment 'Foo'?" in turn.reply
        assert "condition 'control'" in turn.reply or "condition 'variant'" in turn.reply
        assert turn.waiting_for is not None
        assert turn.waiting_for.kind == "confirm"


async def test_a_condition_that_its_context_does_not_know_is_asked_about(tmp_path: Path) -> None:
    said = "Create experiment Foo in maths-practice at show-problem/fractions-intro: control 50, {} 50"
    async with talk(tmp_path) as session:
        turn = await session.send(said.format("badges"))
        assert "does not know the condition 'badges'" in turn.reply
        assert turn.values["needs_confirmation"] is False
        assert "badges 50 %" in (await session.send("keep it")).reply
        await session.send("no")
        await session.send(said.format("badges"))
        assert "variant 50 %" in (await session.send("variant")).reply


async def test_questions_are_answered_without_a_model(tmp_path: Path) -> None:
    await add(tmp_path, "Foo")
    async with talk(tmp_path) as session:
        for said in ("Show me the details of the Spelling Bee experiment.", "Is Spelling Bee running?"):
            reply = (await session.send(said)).reply
            assert reply == "There is no experiment called 'Spelling Bee'. There are 'Foo'."
        listed = "A student is on the inclusion list by name, but her school is on the exclusion list. Is she in?"
        assert "included by name takes part" in (await session.send(listed)).reply
        assert "I cannot do that" in (await session.send("Send an e-mail to all teachers that it has started.")).reply
        assert (await session.send("thanks bye")).reply == "You are welcome."
        assert "did not understand" in (await session.send("hm")).reply


async def test_what_was_said_is_said_again(tmp_path: Path) -> None:
    async with talk(tmp_path) as session:
        assert "no experiment called 'Foo'" in (await session.send("start Foo")).reply
        await add(tmp_path, "Foo")
        await session.send("list the experiments")
        assert "Foo" in (await session.send("say it again")).reply


async def test_several_users_are_made_known_one_after_the_other(tmp_path: Path) -> None:
    async with talk(tmp_path) as session:
        turn = await session.send("init users ann and bob")
        assert "Initialize user 'ann'" in turn.reply
        assert "One user at a time: 'bob' after this one." in turn.reply
        assert "Initialize user 'bob'" in (await session.send("yes")).reply


async def test_a_lone_number_for_two_weights_is_asked_about(tmp_path: Path) -> None:
    await add(tmp_path, "Foo")
    async with talk(tmp_path) as session:
        await session.send("Set the weights of Foo to control 60 and variant 40")
        assert "For which condition is that?" in (await session.send("make it 70")).reply
        assert "control 10 %, variant 90 %" in (await session.send("better make that control 10 and variant 90")).reply

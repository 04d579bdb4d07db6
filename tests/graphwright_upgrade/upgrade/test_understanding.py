"""The place of a look-up: its site and target are those of a context, and the context follows from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._settings import UpgradeSettings
from upgrade_agent_support import FOO, analysed, node, order, proposed, reviewed, talk
from upgrade_client_support import draft

pytestmark = pytest.mark.usefixtures("local_service")

LOOK = "get_decision_point_assignments"
AT_THE_QUIZ = "- Only at the site 'end-of-chapter-quiz'\n- Only at the target 'short-story'\n"


async def known_user(home: Path) -> None:
    async with connect(UpgradeSettings(), home) as client:
        await client.init("tara")


def looking(*left_out: str, **params: str) -> list[dict[str, Any]]:
    """The model copies the user's words, and leaves out what the check refuses."""
    words = {name: value for name, value in params.items() if name != "user_id"}
    # The prompt shows the sites and targets of the contexts.
    found = proposed(LOOK, words, user_id="tara", **params) | {"anywhere": "end-of-chapter-quiz.*short-story"}
    rules = [analysed(order(LOOK)), found]
    kept = {name: value for name, value in params.items() if name not in left_out}
    return [*rules, *([proposed(LOOK, words, user_id="tara", **kept)] if left_out else []), reviewed()]


@pytest.mark.parametrize(
    ("site", "target"),
    [
        ("end-of-chapter quiz", "short story"),
        ("End of Chapter Quiz", "short_story"),
        ("end-of-chapter-quiz", "short-story"),
    ],
)
async def test_the_only_context_with_a_place_is_taken_and_names_are_spelled_as_there(
    tmp_path: Path, site: str, target: str
) -> None:
    await known_user(tmp_path)
    async with talk(tmp_path, *looking(site=site, target=target)) as s:
        turn = await s.send(f"What does tara get at the {site} for the {target}?")
        assert "Get condition assignments for context 'reading-club'?" in turn.reply
        assert AT_THE_QUIZ in turn.reply
        assert not any(each in turn.reply for each in ("Not in your words", "(default", "You wrote"))
        told = "At end-of-chapter-quiz/short-story in 'reading-club' user 'tara' gets the default condition."
        assert told in (await s.send("yes")).reply


async def test_a_place_is_checked_once_its_context_is_chosen(tmp_path: Path) -> None:
    await known_user(tmp_path)
    async with talk(tmp_path, *looking(site="the quiz", target="short stories")[:2]) as s:
        assert node(await s.send("What does tara get at the quiz for the short stories?")) == "assignments.context"
        turn = await s.send("reading-club")
        assert node(turn) == "assignments.site"
        assert "There is no site 'the quiz'." in turn.reply
        turn = await s.send("end-of-chapter-quiz")
        assert node(turn) == "assignments.target"
        turn = await s.send("1")
    assert node(turn) == "q.confirm"
    assert AT_THE_QUIZ in turn.reply


async def test_a_place_of_another_context_that_the_model_leaves_out_is_asked_for(tmp_path: Path) -> None:
    await known_user(tmp_path)
    rules = looking("site", context="maths-practice", site="open-text", target="fractions-intro")
    async with talk(tmp_path, *rules) as s:
        turn = await s.send("What does tara get in maths-practice at open-text for fractions-intro?")
    assert node(turn) == "assignments.site"
    assert "'open-text'" in turn.reply


async def test_a_place_that_only_an_experiment_has_is_known(tmp_path: Path) -> None:
    await known_user(tmp_path)
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.create(draft("Later", at=[("page-9", "poem")]).model_copy(update={"context": "study-planner"}))
    async with talk(tmp_path, *looking(site="page-9")) as s:
        turn = await s.send("What does tara get at page-9?")
    assert "for context 'study-planner'?\n- User: 'tara'\n- Only at the site 'page-9'\n" in turn.reply


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("math-practise", "You wrote 'math-practise'. Is 'maths-practice' right?"),
        ("math practice", ""),
        ("maths practice", ""),
        ("the maths app", ""),
    ],
)
async def test_a_typo_in_a_context_is_asked_about(tmp_path: Path, written: str, says: str) -> None:
    again = proposed("create_experiment", {"context": written}, **FOO)
    wrong = proposed("create_experiment", {"context": written}, **{**FOO, "context": "math-practise"})
    rules = [analysed(order("create_experiment")), *([wrong] if says else []), again, reviewed()]
    async with talk(tmp_path, *rules) as s:
        turn = await s.send(f"Create Maths-Practices in {written}, control and variant, at give-hint/area-of-shapes")
    assert node(turn) == "q.confirm"
    assert says in turn.reply
    assert turn.reply.count("You wrote") == bool(says)


@pytest.mark.parametrize("context", ["reading-club", "reading", ""])
async def test_an_empty_site_is_asked_for_whatever_the_context_is(tmp_path: Path, context: str) -> None:
    await known_user(tmp_path)
    rules = looking(site="", **({"context": context} if context else {}))[:2]
    async with talk(tmp_path, *rules, {"offers": "set_action_params", "text": "ready"}) as s:
        assert node(await s.send("What does tara get there?")) == "assignments.site"
        turn = await s.send("1")
    assert (turn.waiting_for is None) == (context != "reading-club")

"""The UpGrade agent corrected while it waits for a yes, through the public door and without a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from runtime_support import scripted
from upgrade_agent_support import add, experiments, upgrade_agent

from graphwright import Session
from graphwright.agents.upgrade.checks.facts import members_of
from graphwright.agents.upgrade.client.connecting import connect
from graphwright.agents.upgrade.client.drafts import ListDraft
from graphwright.agents.upgrade.client.settings import UpgradeSettings

CREATE = "Create experiment Zap in maths-practice with control and variant at show-problem/fractions-intro"


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_URL", "AUTH_TOKEN", "SERVICE_ACCOUNT", "CLIENT_API_KEY", "CLIENT_API_SECRET"):
        monkeypatch.delenv(f"UPGRADE_{name}", raising=False)


def talk(home: Path) -> Session:
    return upgrade_agent().session("t", model=scripted(), home=home)


async def test_what_is_created_is_what_all_corrections_add_up_to(tmp_path: Path) -> None:
    async with talk(tmp_path) as session:
        for text in (
            CREATE,
            "and run it at give-hint/area-of-shapes as well",
            "also at quiz/intro",
            "without the point quiz/intro",
            "add the condition hint-first",
            "drop variant",
            "make it 60/40",
            "call it The Big One",
        ):
            turn = await session.send(text)
            assert turn.values["action_needed"] == "create_experiment"
            assert turn.values["needs_confirmation"]
            assert turn.values["queued"] == []
        await session.send("yes")
    (made,) = (await experiments(tmp_path)).values()
    assert made.name == "The Big One"
    assert [(each.code, each.weight) for each in made.conditions] == [("control", 60), ("hint-first", 40)]
    assert [(each.site, each.target) for each in made.decision_points] == [
        ("show-problem", "fractions-intro"),
        ("give-hint", "area-of-shapes"),
    ]


async def test_weights_that_do_not_add_up_are_told_and_take_nothing_away(tmp_path: Path) -> None:
    async with talk(tmp_path) as session:
        first = await session.send(CREATE)
        turn = await session.send("make it 70 and variant 40")
        assert "sum to 110: control 70, variant 40" in turn.reply
        assert turn.values["action_params"] == first.values["action_params"]
        assert turn.values["needs_confirmation"]


async def test_a_condition_called_default_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    async with talk(tmp_path) as session:
        for codes in ("conditions control and control/default", "control and default"):
            turn = await session.send(f"Create experiment Zap in maths-practice with {codes} at show-problem/poem")
            assert "cannot be called 'default'" in turn.reply
            assert not turn.values["needs_confirmation"]


async def test_members_are_taken_off_after_a_yes_that_was_shown_them(tmp_path: Path) -> None:
    (id,) = await add(tmp_path, "Foo")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.add_list(id, "exclusion", ListDraft(kind="individual", members=("5", "stu-7", "ann")))
        await client.add_list(id, "inclusion", ListDraft(kind="classId", members=("class-A", "class-B")))
    async with talk(tmp_path) as session:
        turn = await session.send("take student 5 off the exclude list of Foo")
        assert "Taken off the exclusion list: users '5'" in turn.reply
        turn = await session.send("and also stu-7")
        assert "Taken off the exclusion list: users '5', 'stu-7'" in turn.reply
        await session.send("yes")
        turn = await session.send("remove the group class-A from the include list of Foo")
        assert "Taken off the inclusion list: groups 'classId class-A'" in turn.reply
        await session.send("yes")
        left = members_of((await experiments(tmp_path))[id])
        assert left["exclude"]["users"] == ["ann"]
        assert left["include"]["groups"] == [("classId", "class-B")]
        turn = await session.send("take bob off the exclude list of Foo")
        assert "does not have 'bob'. It has: 'ann'" in turn.reply
        turn = await session.send("clear the exclude list of Foo")
        assert "everybody on it (now: 1 user)" in turn.reply
        await session.send("yes")
    assert members_of((await experiments(tmp_path))[id])["exclude"] == {"users": [], "groups": []}


async def test_ids_of_users_are_taken_whole(tmp_path: Path) -> None:
    async with talk(tmp_path) as session:
        turn = await session.send("init user O'Hara")
        assert turn.values["action_params"] == {"user_id": "O'Hara"}
        await session.send("no")
        turn = await session.send("init user O'Hara🙂")
        assert "takes in no user id" in turn.reply
        assert not turn.values["needs_confirmation"]


async def test_pausing_says_what_it_does(tmp_path: Path) -> None:
    await add(tmp_path, "Foo")
    async with talk(tmp_path) as session:
        for text in ("start Foo", "yes", "pause Foo"):
            turn = await session.send(text)
    assert "nobody new is enrolled; it can be resumed" in turn.reply
    assert "they keep their condition" in turn.reply

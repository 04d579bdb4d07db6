"""What tests of the UpGrade agent share: the agent, and experiments on the local service of a data folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from graphwright import Agent, load
from graphwright.agents.upgrade.client.connecting import connect
from graphwright.agents.upgrade.client.drafts import ConditionDraft, DecisionPointDraft, ExperimentDraft
from graphwright.agents.upgrade.client.experiment import Experiment
from graphwright.agents.upgrade.client.settings import UpgradeSettings

SITES = ("show-problem", "give-hint", "select-section")
TARGETS = ("fractions-intro", "linear-equations", "area-of-shapes")


@cache
def upgrade_agent() -> Agent:
    return load("upgrade")


async def add(home: Path, *names: str, description: str = "") -> list[str]:
    """Make inactive experiments of these names, and give their ids."""
    ids = []
    async with connect(UpgradeSettings(), home) as client:
        for number, name in enumerate(names):
            draft = ExperimentDraft(
                name=name,
                context="maths-practice",
                description=description,
                conditions=(ConditionDraft(code="control", weight=50), ConditionDraft(code="variant", weight=50)),
                decision_points=(DecisionPointDraft(site=SITES[number % 3], target=TARGETS[number // 3 % 3]),),
            )
            ids.append((await client.create(draft)).id)
    return ids


async def experiments(home: Path) -> dict[str, Experiment]:
    """The experiments of the local service, by id."""
    async with connect(UpgradeSettings(), home) as client:
        return {each.id: each for each in await client.experiments()}

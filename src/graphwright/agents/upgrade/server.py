"""What the agent knows of the server in one turn: contexts, experiments, their facts and enrolments, looked up once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.agents.upgrade.client.designs import Facts, facts_of, members_of, sides_of
from graphwright.agents.upgrade.client.fairness import split_test, verdict
from graphwright.agents.upgrade.client.simulating import unsimulated
from graphwright.proposals import exact

if TYPE_CHECKING:
    from graphwright.agents.upgrade.client.calls import UpgradeClient
    from graphwright.agents.upgrade.client.experiment import Experiment

PATIENCE = 2.0
"""Seconds for a call after one that the server did not answer in time."""

SHOWN = 20
"""Experiments that a prompt, a list or a choice shows."""

_STARTED = ("enrolling", "enrollmentComplete", "cancelled")
_NEAR = 75.0


@dataclass
class Server:
    """The server as one node of a turn sees it. `contexts` and `experiments` are there after `look`.

    `experiments` has `{id, name}` of all of them, and `{context, state}` beside that of those changed last.
    """

    client: UpgradeClient
    contexts: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    experiments: list[dict[str, str]] = field(default_factory=list)
    looked: bool = False
    _read: dict[str, Experiment] = field(default_factory=dict)

    async def look(self) -> None:
        """Read contexts and experiments, once. Raises UpgradeError where the server cannot be asked."""
        if self.looked:
            return
        found = await self.client.contexts()
        self.contexts = {
            name: {part: list(there) for part, there in each.model_dump().items()} for name, each in found.items()
        }
        self.experiments, total = await self.rows(SHOWN)
        if total > len(self.experiments):
            there = {each["id"] for each in self.experiments}
            names = await self.client.names()
            self.experiments += [{"id": e.id, "name": e.name} for e in names if e.id not in there]
        self.looked = True

    async def rows(self, most: int) -> tuple[list[dict[str, str]], int]:
        """`{id, name, context, state}` of the experiments changed last, and how many experiments there are."""
        page = await self.client.page(take=most, sort=("updatedAt", "DESC"))
        rows = [{"id": e.id, "name": e.name, "context": e.context, "state": e.state.value} for e in page.experiments]
        return rows, page.total

    def recall(self, contexts: Mapping[str, Any] | None, experiments: Sequence[Mapping[str, str]] | None) -> None:
        """Take over what a node of the same turn has read."""
        if contexts is not None and experiments is not None:
            self.contexts, self.experiments = dict(contexts), [dict(each) for each in experiments]
            self.looked = True

    async def experiment(self, id: str) -> Experiment:
        """One experiment, read once. Raises NotFound, Invalid."""
        if id not in self._read:
            self._read[id] = await self.client.experiment(id)
        return self._read[id]

    async def facts(self, id: str) -> Facts:
        """What is known of an experiment. Raises NotFound, Invalid."""
        return facts_of(await self.experiment(id))

    async def details(self, id: str) -> Facts:
        """The facts, who is on the lists, and how many are enrolled in each condition and whether that fits."""
        found, names = await self.experiment(id), [each["name"] for each in self.experiments]
        facts = {**facts_of(found), "unsimulated": unsimulated(found), "namesakes": names.count(found.name) - 1}
        facts["members"] = {side: members_of(lists) for side, lists in sides_of(found).items()}
        if facts["state"] in _STARTED:
            facts["enrollment"] = await self._enrollment(found)
        return facts

    async def _enrollment(self, experiment: Experiment) -> dict[str, Any]:
        counts = await self.client.enrollment(experiment.id)
        unit = "groups" if experiment.assignment_unit == "group" else "users"
        by_id: dict[str, dict[str, Any]] = {
            each.id: {"users": each.users, "groups": each.groups} for each in counts.conditions
        }
        none = {"users": 0, "groups": 0}
        rows = [{"code": e.code, "weight": e.weight, **by_id.get(e.id, none)} for e in experiment.conditions]
        found: dict[str, Any] = {"users": counts.users, "excluded_users": counts.users_excluded, "conditions": rows}
        if unit == "groups":
            found |= {"groups": counts.groups, "excluded_groups": counts.groups_excluded}
        weights = [max(each.weight, 0) for each in experiment.conditions]
        if any(weights):
            found["split"] = verdict(split_test([row[unit] for row in rows], weights), unit)
        return found

    def ids_of(self, said: str) -> list[str]:
        """The ids of the experiments that a text names: by the id or by the whole name."""
        ids = [each["id"] for each in self.experiments]
        if said in ids:
            return [said]
        name = exact(said, (each["name"] for each in self.experiments))
        return [each["id"] for each in self.experiments if each["name"] == name]

    def search(self, text: str, most: int = SHOWN) -> list[dict[str, str]]:
        """The experiments whose names stand in a text or resemble it, the nearest first."""
        from rapidfuzz import fuzz, process, utils

        names, plain = [each["name"] for each in self.experiments], utils.default_process
        scored = process.extract(
            text, names, scorer=fuzz.token_set_ratio, processor=plain, limit=most, score_cutoff=_NEAR
        )
        return [self.experiments[place] for _, _, place in scored]

    async def for_prompt(self, text: str, about: str, detailed: int = 0) -> dict[str, Any]:
        """What a prompt shows: `contexts`, at most `SHOWN` `experiments`, how many `more` there are, and `details` of
        the experiment last spoken of and of so many that the text is nearest to."""
        await self.look()
        near = self.search(text, SHOWN // 2)
        rows = list({each["id"]: each for each in (*near, *self.experiments[:SHOWN])}.values())[:SHOWN]
        ids = {each["id"] for each in self.experiments}
        wanted = list(dict.fromkeys(id for id in (about, *(each["id"] for each in near[:detailed])) if id in ids))
        return {
            "contexts": self.contexts,
            "experiments": rows,
            "more": len(self.experiments) - len(rows),
            "details": [await self.facts(id) for id in wanted],
        }


@asynccontextmanager
async def opened(home: Path, settings: Mapping[str, Any]) -> AsyncIterator[Server]:
    """The server that the agent's settings and the environment name, else the local service.

    Raises UsageError, StoreError.
    """
    from graphwright.agents.upgrade.client.connecting import connect
    from graphwright.agents.upgrade.client.settings import UpgradeSettings

    named = UpgradeSettings() if settings.get("server") == "local" else UpgradeSettings.from_environment()
    async with connect(named, home, patience=PATIENCE) as client:
        yield Server(client)

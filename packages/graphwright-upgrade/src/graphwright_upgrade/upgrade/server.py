"""The server's contexts, experiments, facts and enrolments, looked up at most once a turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import asdict
from itertools import chain
from typing import Any

from graphwright import ActionContext
from graphwright.proposals import exact
from graphwright.text.folding import words_of
from graphwright.text.sentences import one_line
from graphwright_upgrade.client._calls import UpgradeClient
from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._drafts import Side
from graphwright_upgrade.client._experiment import Experiment, UserList
from graphwright_upgrade.client._failures import NotFound
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade.client._simulating import split_test, unsimulated

Facts = dict[str, Any]
"""An experiment in the words of the actions' parameters: `experiment_id, name, description, context, state, unit,
group, consistency, post_rule, revert_to` (a code, None for the default), `filter_mode, tags, conditions [{code,
weight}], decision_points [{site, target, exclude_if_reached}], include, exclude` ({users, groups, segments}: how many
are on the lists), `goal` ({users, groups} or None)."""

ATTRIBUTES = {
    **{"experiment_id": "id", "name": "name", "description": "description", "context": "context", "state": "state"},
    **{"unit": "assignment_unit", "group": "group", "consistency": "consistency_rule"},
    **{"post_rule": "post_experiment_rule", "revert_to": "revert_to", "filter_mode": "filter_mode"},
}
"""The client's names of facts that are single values."""

SIDES: Mapping[str, Side] = {
    **{"include": "inclusion", "exclude": "exclusion"},
    **{"uninclude": "inclusion", "unexclude": "exclusion"},
}
"""The lists that a parameter changes."""

_POINT = {"site", "target", "exclude_if_reached"}

SECONDS = 12.0  # for a call: a turn asks a server that does not answer several times
MAX_LISTED = 20  # experiments that a prompt, a list or a choice shows

_STARTED = ("enrolling", "enrollmentComplete", "cancelled")
_NEAR = 75.0


class Server:
    """The server in one turn. `contexts` and `experiments` are set by `look`.

    `experiments` has `{id, name}` of all experiments, and `{context, state}` of those changed last.
    """

    client: UpgradeClient

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Know nothing: a message begins, or something was done."""
        self.contexts: dict[str, dict[str, list[str]]] = {}
        self._keep([])
        self._looked = False
        self._read: dict[str, Experiment] = {}
        self._known: dict[str, bool] = {}
        self._by_point: dict[str, list[Experiment]] | None = None

    async def look(self) -> None:
        """Read contexts and experiments, once. Raises UpgradeError where the server cannot be asked."""
        if self._looked:
            return
        found = await self.client.contexts()
        self.contexts = {name: each.model_dump(mode="json") for name, each in found.items()}
        experiments, total = await self.rows(MAX_LISTED)
        if total > len(experiments):
            there = {each["id"] for each in experiments}
            names = await self.client.names()
            experiments += [{"id": e.id, "name": e.name} for e in names if e.id not in there]
        self._keep(experiments)
        self._looked = True

    def drop(self, id: str) -> None:
        """Leave out an experiment that the server no longer has."""
        self._keep([each for each in self.experiments if each["id"] != id])

    def _keep(self, experiments: list[dict[str, str]]) -> None:
        self.experiments = experiments
        self._by_id = {each["id"]: each for each in experiments}
        self._by_name: dict[str, list[dict[str, str]]] = {}
        for each in experiments:
            self._by_name.setdefault(each["name"], []).append(each)

    async def rows(self, most: int) -> tuple[list[dict[str, str]], int]:
        """`{id, name, context, state}` of the experiments changed last, and how many experiments there are."""
        page = await self.client.page(most)
        rows = [{"id": e.id, "name": e.name, "context": e.context, "state": e.state.value} for e in page.experiments]
        return rows, page.total

    async def listed(self, most: int) -> tuple[list[dict[str, Any]], int]:
        """The experiments changed last as a list shows them, with their numbers of enrolled users, and how many exist.

        `users` and `groups` are None before an experiment has begun.
        """
        page = await self.client.page(most)
        begun = [each.id for each in page.experiments if each.state in _STARTED]
        counts = {each.id: each for each in await self.client.enrollments(begun)}
        rows = [
            {
                **{name: getattr(each, name) for name in ("id", "name", "context", "created", "updated")},
                **{"state": each.state.value, "unit": each.assignment_unit},
                **{unit: getattr(counts.get(each.id), unit, None) for unit in ("users", "groups")},
            }
            for each in page.experiments
        ]
        return rows, page.total

    async def experiment(self, id: str) -> Experiment:
        """One experiment, read once. Raises NotFound, Invalid."""
        if id not in self._read:
            self._read[id] = await self.client.experiment(id)
        return self._read[id]

    async def details(self, id: str) -> Facts:
        """The facts of an experiment, why it cannot be simulated, and the number of others with its name."""
        found = await self.experiment(id)
        more = {"unsimulated": unsimulated(found), "namesakes": self.namesakes(id)}
        return {**await self.detailed_facts(id), **more}

    async def detailed_facts(self, id: str) -> Facts:
        """The facts, who is on the lists, and how many are enrolled in each condition and whether that fits."""
        found = await self.experiment(id)
        facts = facts_of(found)
        facts["members"] = {side: members_of(found.lists(SIDES[side])) for side in ("include", "exclude")}
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
        if any(weights) and experiment.state in _STARTED:
            split = split_test([row[unit] for row in rows], weights)
            found["split"] = {**asdict(split), "fair": split.fair, "verdict": split.verdict(unit)}
        return found

    def ids_of(self, said: str) -> list[str]:
        """The ids of the experiments that a text names: by the id, the whole name, or as `line` names it."""
        if said in self._by_id:
            return [said]
        for label in (_name, _name_in_context, _name_in_context_and_state, self.line):
            if found := exact(said, map(label, self.experiments)):
                return [each["id"] for each in self.experiments if label(each) == found]
        return []

    def name_of(self, id: str) -> str:
        """The name of an experiment, or its id if the name is unknown."""
        return self._by_id[id]["name"] if id in self._by_id else id

    def namesakes(self, id: str) -> int:
        """How many other experiments have the same name in the same context, or in one that is not known."""
        own = self._by_id.get(id, {"name": ""})
        context = own.get("context")
        others = (each for each in self._by_name.get(own["name"], ()) if each["id"] != id)
        return sum(not context or each.get("context", context) == context for each in others)

    def reference(self, experiment: Mapping[str, str]) -> str:
        """The name of an experiment; of equal names, with the context or else the id."""
        if len(self._by_name.get(experiment["name"], ())) < 2:
            return experiment["name"]
        return experiment["id"] if self.namesakes(experiment["id"]) else _name_in_context(experiment)

    def search(self, text: str, most: int = MAX_LISTED) -> list[dict[str, str]]:
        """The experiments whose names occur in a text or resemble it, nearest first."""
        from rapidfuzz import fuzz, process, utils

        names, plain = [each["name"] for each in self.experiments], utils.default_process
        scored = process.extract(
            text, names, scorer=fuzz.token_set_ratio, processor=plain, limit=most, score_cutoff=_NEAR
        )
        return [self.experiments[place] for _, _, place in scored]

    async def for_prompt(self, text: str, about: str, detailed: int = 0, most: int = MAX_LISTED) -> dict[str, Any]:
        """The inputs of a prompt: `contexts`, at most `most` `experiments`, the number of `more`, and `details` of the
        last mentioned experiment and of the `detailed` nearest ones to the text.

        An experiment is one line: name, context and state, and the id if others in the context have the same name.
        """
        await self.look()
        near = self.search(text, most // 2)
        rows = list({each["id"]: each for each in (*near, *self.experiments[:most])}.values())[:most]
        named = (about, *(each["id"] for each in near[:detailed]))
        wanted = list(dict.fromkeys(id for id in named if id in self._by_id))
        return {
            "contexts": self.contexts,
            "experiments": [self.line(each) for each in rows],
            "more": len(self.experiments) - len(rows),
            "details": [self._compact_facts(facts_of(await self.experiment(id))) for id in wanted],
        }

    def _compact_facts(self, facts: Facts) -> Facts:
        """The facts without what is empty, and without the id where the name and context are enough."""
        members = {
            side: {kind: number for kind, number in facts[side].items() if number} for side in ("include", "exclude")
        }
        shown = {name: value for name, value in {**facts, **members}.items() if value not in ("", None, [], {})}
        return shown if self.namesakes(facts["experiment_id"]) else _without_id(shown)

    def line(self, experiment: Mapping[str, str]) -> str:
        """The name, context and state of an experiment, and the id if others in the context have the same name."""
        alone = not self.namesakes(experiment["id"])
        more = ", ".join(experiment.get(part, "") for part in ("id", "context", "state")[alone:] if part in experiment)
        name = one_line(experiment["name"], 120)
        return f"{name} ({more})" if more else name

    async def knows(self, user: str) -> bool:
        """Whether a user was initialised. Raises UpgradeError where the server cannot be asked."""
        if user not in self._known:
            try:
                await self.client.assign(user, next(iter(self.contexts)))
                self._known[user] = True
            except NotFound:
                self._known[user] = False
        return self._known[user]

    def places(self, context: str) -> dict[str, list[str]]:
        """Each `site` and `target` that a context lists, or that one of its experiments has, after `by_point`."""
        known = self.contexts.get(context, {})
        there = {name: [*known.get(f"{name}s", ())] for name in ("site", "target")}
        for each in chain.from_iterable((self._by_point or {}).values()):
            if each.context == context:
                there["site"] += [point.site for point in each.decision_points]
                there["target"] += [point.target for point in each.decision_points]
        return {name: list(dict.fromkeys(names)) for name, names in there.items()}

    async def spelled(self, place: Mapping[str, str]) -> dict[str, dict[str, str | None]]:
        """The `site` and `target` that are meant, by context; None if it has none. Signs between words are free."""
        await self.by_point()
        there = {context: self.places(context) for context in self.contexts}
        return {c: {name: _alike(said, there[c][name]) for name, said in place.items()} for c in there}

    async def by_point(self) -> dict[str, list[Experiment]]:
        """The experiments at each decision point, `site/target`, read once."""
        if self._by_point is None:
            self._by_point = {}
            for each in await self.client.experiments():
                for point in each.decision_points:
                    self._by_point.setdefault(f"{point.site}/{point.target}", []).append(each)
        return self._by_point


def _alike(said: str, names: Sequence[str]) -> str | None:
    alike = [each for each in names if words_of(each) == words_of(said) != []]
    return said if said in names else alike[0] if len(alike) == 1 else None


def _without_id(facts: Facts) -> Facts:
    return {name: value for name, value in facts.items() if name != "experiment_id"}


def _name(experiment: Mapping[str, str]) -> str:
    return experiment["name"]


def _name_in_context(experiment: Mapping[str, str]) -> str:
    return f"{experiment['name']} ({experiment.get('context', '')})"


def _name_in_context_and_state(experiment: Mapping[str, str]) -> str:
    return f"{experiment['name']} ({experiment.get('context', '')}, {experiment.get('state', '')})"


@asynccontextmanager
async def open_server(ctx: ActionContext) -> AsyncIterator[Server]:
    """The server that the agent's settings and the environment name, else the local service; as this turn knows it.

    Raises UsageError, StoreError.
    """
    named = UpgradeSettings() if ctx.settings.get("server") == "local" else UpgradeSettings.from_environment()
    server = await known(ctx)
    async with connect(named, ctx.home, seconds=SECONDS) as server.client:
        yield server


async def known(ctx: ActionContext) -> Server:
    """The cache shared by the nodes of a turn. Each message starts with an empty one."""
    return await ctx.shared("upgrade.server", lambda: nullcontext(Server()))


def facts_of(experiment: Experiment) -> Facts:
    """The facts of an experiment as the client gives it."""
    goal, codes = experiment.enrollment_goal, {each.id: each.code for each in experiment.conditions}
    return {
        **{fact: getattr(experiment, attribute) for fact, attribute in ATTRIBUTES.items()},
        "state": experiment.state.value,
        "revert_to": codes.get(experiment.revert_to),
        "tags": list(experiment.tags),
        "conditions": [each.model_dump(include={"code", "weight"}) for each in experiment.conditions],
        "decision_points": [each.model_dump(include=_POINT) for each in experiment.decision_points],
        **{side: _counted(experiment.lists(SIDES[side])) for side in ("include", "exclude")},
        "goal": goal.model_dump() if goal else None,
    }


def at(point: Mapping[str, Any]) -> str:
    """A decision point as `site/target`."""
    return f"{point['site']}/{point['target']}"


def members_of(lists: Iterable[UserList]) -> dict[str, list[Any]]:
    """The members of lists: `users` by id, `groups` as {type, id}. There may be thousands."""
    members = dict.fromkeys(member for each in lists for member in each.members)
    groups = [{"type": kind, "id": id} for kind, id in members if kind not in ("individual", "segment")]
    return {"users": [id for kind, id in members if kind == "individual"], "groups": groups}


def _counted(lists: Sequence[UserList]) -> dict[str, int]:
    segments = {segment for each in lists for segment in each.segments}
    return {**{kind: len(found) for kind, found in members_of(lists).items()}, "segments": len(segments)}

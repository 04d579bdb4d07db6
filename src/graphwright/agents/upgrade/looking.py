"""What only the server can tell of a request: which experiment a description means, and what a user is assigned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.upgrade.checks.facts import Facts, facts_of
from graphwright.agents.upgrade.desk import Desk
from graphwright.agents.upgrade.requests.reading import Reading
from graphwright.agents.upgrade.requests.resolving import Resolved, choice_among
from graphwright.agents.upgrade.words.telling_apart import described, fits
from graphwright.runtime.reading.words import fold

_AS_ASSIGNED = re.compile(
    r"\b(?:whatever|whichever|as assigned|(?:condition|variant) (?:(?:that|which) (?:is|was) )?assigned"
    r"|assigned (?:condition|variant|one)|zugewiesene\w*"
    r"|(?:the|her|his|their|its|seine|ihre) (?:own |current |actual )?(?:condition|variant|one|assignment)\b"
    r"(?! (?:is|was|=|should)\b)"
    r"|condition (?:that |which )?(?:she|he|they|it|the user|upgrade|the server|the system) \w+)\b"
)


def speaks_of_assigned(text: str) -> bool:
    """Whether a text leaves it to the server which condition a user has: "with whatever condition she is assigned"."""
    return _AS_ASSIGNED.search(fold(text)) is not None


async def assigned_code(desk: Desk, params: Mapping[str, Any], experiment: Facts) -> str | None:
    """The code that a user is assigned by an experiment at a decision point; None where that is the default.

    It enrols nobody. Raises UpgradeError.
    """
    found = await desk.client.assign(params["user_id"], experiment["context"], params["site"], params["target"])
    own = (each.condition for each in found if each.condition.experiment_id == experiment["experiment_id"])
    return next((each.code for each in own), None)


async def details_of(desk: Desk, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """What tells experiments of one name apart, by id. Raises UpgradeError."""
    return {id: _detail(await desk.facts(id)) for id in ids}


async def by_description(reading: Reading, desk: Desk, shown: Sequence[str]) -> Resolved | None:
    """The experiment that a message describes without its name; those that the user has just seen come first.

    None where nothing is described, or only by words that no experiment has. Raises UpgradeError.
    """
    how = described(reading.text)
    if not how:
        return None
    details = {each.id: _detail(facts_of(each)) for each in await desk.client.experiments()}
    found = [id for id, known in details.items() if fits(how, known["about"], known["state"])]
    found = [id for id in found if id in shown] or found
    if not found:
        return None
    if len(found) == 1:
        return Resolved("one", (found[0], details[found[0]]["name"]), said=how)
    return choice_among([(id, details[id]["name"]) for id in found], how, details)


async def at_point(reading: Reading, desk: Desk) -> Resolved | None:
    """The one experiment that enrols at the decision point that a message names; None where there is no such one."""
    if len(reading.points) != 1:
        return None
    point = (reading.points[0].site, reading.points[0].target)
    known = [facts_of(each) for each in await desk.client.experiments()]
    there = [each for each in known if point in [(p["site"], p["target"]) for p in each["decision_points"]]]
    there = [each for each in there if each["state"] == "enrolling"] or there
    return Resolved("one", (there[0]["experiment_id"], there[0]["name"])) if len(there) == 1 else None


async def context_of(reading: Reading, desk: Desk) -> dict[str, str]:
    """The context, as a parameter, of the one experiment that a message names, or of the site or target that only one
    context has; nothing where there is none. Raises UpgradeError."""
    ids = {id for each in reading.experiments for id in each.ids}
    if len(ids) == 1:
        return {"context": (await desk.facts(ids.pop()))["context"]}
    sites = {*reading.sites, *(each.site for each in reading.points)}
    targets = {*reading.targets, *(each.target for each in reading.points)}
    found = [
        name
        for name, known in desk.contexts.items()
        if (sites or targets) and sites <= {*known["sites"]} and targets <= {*known["targets"]}
    ]
    return {"context": found[0]} if len(found) == 1 else {}


def strange_codes(params: Mapping[str, Any], desk: Desk) -> list[str]:
    """The condition codes of a new experiment that its context does not know, as far as it knows any."""
    known = desk.contexts.get(str(params.get("context", "")), {}).get("conditions", ())
    return [each["code"] for each in params.get("conditions", ()) if known and each["code"] not in known]


def _detail(facts: Facts) -> dict[str, str]:
    points = [f"{each['site']}/{each['target']}" for each in facts["decision_points"]]
    codes = [each["code"] for each in facts["conditions"]]
    about = [facts["name"], facts["context"], *points, *codes, facts["description"], *facts["tags"]]
    return {
        "name": facts["name"],
        "context": facts["context"],
        "state": facts["state"],
        "at": ", ".join(points[:2]),
        "about": " ".join(about)[:600],
    }

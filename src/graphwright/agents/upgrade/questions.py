"""What a question needs to be answered: its topics, looked up by the tools that have them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from graphwright import ActionContext
from graphwright.agents.upgrade.desk import Desk
from graphwright.agents.upgrade.meant import experiment_meant, pending_of
from graphwright.agents.upgrade.requests.reading import Reading
from graphwright.agents.upgrade.requests.resolving import Resolved
from graphwright.agents.upgrade.state import State
from graphwright.agents.upgrade.telling.knowing import GENERAL, known_context, terms_in
from graphwright.agents.upgrade.tools import MOST_SHOWN
from graphwright.agents.upgrade.words.states_said import kind_of, states_said
from graphwright.agents.upgrade.words.topics import Topic
from graphwright.errors import GraphwrightError
from graphwright.runtime.reading.words import fold


class GatheringFailed(GraphwrightError):
    """A tool could not do its work, and nothing goes on without it."""


def known_without_server(reading: Reading) -> bool:
    """Whether a question asks for nothing that only the server knows."""
    return bool(reading.topics) and set(_wanted(reading)) <= {"terms", "schema"}


async def look_up(reading: Reading, state: State, ctx: ActionContext, desk: Desk) -> Resolved | None:
    """Gather what the topics of a question need, by the tools that have it.

    Gives what it calls an experiment, where none is called so. Raises GatheringFailed.
    """
    missing: Resolved | None = None
    topics = _wanted(reading)
    said = _contexts_said(reading) if _OF_CONTEXTS & set(topics) else ()
    for name in said:
        known_context(desk.contexts, name)
    for topic in topics:
        match topic:
            case "health":
                await _call(ctx, "check_upgrade_health")
            case "contexts":
                await _call(ctx, "get_available_contexts")
            case "conditions" | "decision_points" | "group_types":
                if reading.experiments or reading.references:
                    await _details(reading, state, ctx, desk)
                for context in said or _at_hand(state) or tuple(desk.contexts):
                    await _call(ctx, f"get_{topic}_for_context", context=context)
            case "experiments":
                await _call(ctx, "get_all_experiments")
                _narrow(replace(reading, contexts=said), desk)
            case "details":
                missing = await _details(reading, state, ctx, desk)
            case "schema":
                actions = [each.action for each in reading.asked if each.action] or ["create_experiment"]
                for action in dict.fromkeys(actions):
                    await _call(ctx, f"get_{action}_schema")
            case "terms":
                await _call(ctx, "get_core_terms")
                await _call(ctx, "get_assignment_terms")
    return missing


_OF_CONTEXTS = {"conditions", "decision_points", "group_types", "experiments"}
_HANDLE = re.compile(
    r"\b(?:for|in|of|does|do|has|have|für|von|hat)\s+['\"]?(?P<handle>\w+[-_]\w[-\w]*)(?![-\w/])", re.IGNORECASE
)


def _contexts_said(reading: Reading) -> tuple[str, ...]:
    """The contexts that a question is about, with those that there are not: "which conditions does foo-bar know?"."""
    if reading.contexts or reading.near_contexts or reading.unknown_contexts:
        return reading.contexts or reading.near_contexts or reading.unknown_contexts
    if reading.experiments or reading.references or reading.sites or reading.targets or reading.codes:
        return ()
    return tuple(match["handle"] for match in _HANDLE.finditer(reading.text))


def _at_hand(state: State) -> tuple[str, ...]:
    """The context of the action that waits."""
    pending = pending_of(state)
    known = (state["about"] or {}) if pending is None or not pending.params.get("context") else pending.params
    return (str(known["context"]),) if pending is not None and known.get("context") else ()


_DEFINES = re.compile(
    r"\bwhat (?:is|are|s|does|do) an? |\b(?:explain|define|definition|meaning|mean|means|difference|bedeutet)\b"
)
_COUNTED = re.compile(r"\b(?:how many|how much|number of|enrol\w*|participants?|statistics|stats|wie viele)\b")
_OF_THESE = re.compile(r"\b(?:what|which|was|welche) (?:are|is|sind) (?:the|my|our|all|your|these|die|meine|unsere)\b")


def _wanted(reading: Reading) -> tuple[Topic, ...]:
    """The topics of a question, without those that another one makes needless."""
    others = tuple(topic for topic in reading.topics if topic != "terms")
    if len(others) == len(reading.topics):
        return others
    found, folded = terms_in(reading.text), fold(reading.text)
    special = any(term.name not in GENERAL for term in found)
    spoken_of = any(each.means for each in reading.references) and not _DEFINES.search(folded)
    if "details" in others and (reading.experiments or spoken_of):
        # "What are the weights of Foo?" asks for no definition.
        return others
    if others and (_OF_THESE.search(folded) or ("schema" in others and not special)):
        return others
    # "What is a decision point?" asks for no list.
    return ("terms",) if found and not reading.contexts else reading.topics


def _narrow(reading: Reading, desk: Desk) -> None:
    """Leave of the listed experiments those in the states and contexts that the question speaks of."""
    states, rows = states_said(reading.text), desk.static["all_experiments"]
    if not (states or reading.contexts) or desk.gathered["experiments"]["total"] > len(rows):
        return
    kept = [
        each
        for each in rows
        if (not states or each["state"] in states) and (not reading.contexts or each["context"] in reading.contexts)
    ]
    desk.gathered["experiments"] = {
        "total": len(kept),
        "shown": kept[:MOST_SHOWN],
        "kind": kind_of(states),
        "within": list(reading.contexts),
    }


async def _details(reading: Reading, state: State, ctx: ActionContext, desk: Desk) -> Resolved | None:
    """What the experiment is that a question is about; where there is none of that name, that."""
    found = await experiment_meant(reading, None, state, desk)
    if found.experiment is not None:
        await _call(ctx, "get_experiment_details", experiment_id=found.experiment[0])
        if _COUNTED.search(fold(reading.text)):
            counts = await desk.client.enrollment(found.experiment[0])
            desk.gathered["enrollment"] = {
                "users": counts.users,
                "groups": counts.groups,
                "excluded": counts.users_excluded,
            }
    elif found.options:
        desk.gathered["experiments"] = {
            "total": len(found.options) + found.more,
            "shown": [{"id": o.id, "name": o.name, "context": o.context, "state": o.state} for o in found.options],
        }
    return found if found.kind == "not_found" else None


async def _call(ctx: ActionContext, name: str, **arguments: Any) -> None:
    result = await ctx.tools.call(name, arguments)
    if not result.ok:
        raise GatheringFailed(result.code or result.kind, result.error)

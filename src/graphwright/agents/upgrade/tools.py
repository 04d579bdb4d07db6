"""The tools of the gatherer and of the responder, by the names that the flow's design gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright import tool
from graphwright.agents.upgrade.desk import at_hand
from graphwright.agents.upgrade.telling import knowing
from graphwright.agents.upgrade.words.places import Contexts
from graphwright.agents.upgrade.words.vocabulary import ACTIONS
from graphwright.tools.registry import Tool

GATHERER = ["information_gatherer"]
RESPONDER = ["response_generator"]

MOST_SHOWN = 20
"""Experiments that a tool's result shows: the rest is counted. All of them stand in the channel."""

ERROR_TYPES = ("api", "auth", "validation", "not_found", "unknown")


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT = {"type": "string", "minLength": 1}


@tool(nodes=GATHERER, parameters=_object())
async def check_upgrade_health() -> dict[str, Any]:
    """Whether the server answers, and its version."""
    desk = at_hand()
    health = await desk.client.health()
    found = {"server": desk.client.where, "name": health.name, "version": health.version, "reachable": True}
    desk.gathered["upgrade_health"] = found
    return found


@tool(nodes=GATHERER, parameters=_object())
async def get_context_metadata() -> dict[str, Any]:
    """All contexts; what each has is asked for by context."""
    desk = at_hand()
    await desk.look()
    return {"contexts": list(desk.contexts)}


@tool(nodes=GATHERER, parameters=_object())
async def get_experiment_names() -> dict[str, Any]:
    """The names of all experiments."""
    desk = at_hand()
    await desk.look()
    return {"total": len(desk.names), "experiments": [name for _, name in desk.names[:MOST_SHOWN]]}


@tool(nodes=GATHERER, parameters=_object())
async def get_all_experiments() -> dict[str, Any]:
    """All experiments with their contexts and states."""
    desk = at_hand()
    page = await desk.client.page(take=MOST_PAGED)
    rows = [{"id": e.id, "name": e.name, "context": e.context, "state": e.state.value} for e in page.experiments]
    desk.static["all_experiments"] = rows
    desk.gathered["experiments"] = {"total": page.total, "shown": rows[:MOST_SHOWN]}
    return {"total": page.total, "experiments": rows[:MOST_SHOWN]}


MOST_PAGED = 500
"""Experiments that are read at most to be listed."""


@tool(nodes=GATHERER, parameters=_object(experiment_id=_TEXT))
async def get_experiment_details(experiment_id: str) -> dict[str, Any]:
    """The design and the state of one experiment."""
    desk = at_hand()
    found = dict(await desk.facts(experiment_id))
    desk.gathered["experiment_details"] = found
    return found


def _knowledge(name: str, about: str, make: Callable[[], Any]) -> Tool:
    """A utility function: what it gives is kept in `gathered_info`."""

    def run() -> Any:
        found = make()
        at_hand().gathered[knowing.storage_key(name)] = found
        return found

    run.__doc__ = about
    return tool(nodes=GATHERER, parameters=_object(), name=name)(run)


def _schema(action: str) -> Tool:
    return _knowledge(f"get_{action}_schema", f"What {action} takes.", lambda: knowing.schema_of(action))


get_core_terms = _knowledge("get_core_terms", "What experiments consist of.", knowing.get_core_terms)
get_assignment_terms = _knowledge(
    "get_assignment_terms", "How users come to their conditions.", knowing.get_assignment_terms
)
get_create_experiment_schema = _schema("create_experiment")
get_update_experiment_schema = _schema("update_experiment")
get_update_experiment_status_schema = _schema("update_experiment_status")
get_delete_experiment_schema = _schema("delete_experiment")
get_init_experiment_user_schema = _schema("init_experiment_user")
get_get_decision_point_assignments_schema = _schema("get_decision_point_assignments")
get_mark_decision_point_schema = _schema("mark_decision_point")
get_simulate_experiment_schema = _schema("simulate_experiment")


@tool(nodes=GATHERER, parameters=_object())
async def get_available_contexts() -> list[str]:
    """The names of the contexts."""
    desk = at_hand()
    await desk.look()
    desk.gathered["available_contexts"] = list(desk.contexts)
    return list(desk.contexts)


async def _of_context(name: str, context: str, give: Callable[[Contexts, str], Any]) -> Any:
    desk = at_hand()
    await desk.look()
    found = give(desk.contexts, context)
    desk.gathered[knowing.storage_key(name, context)] = found
    return found


@tool(nodes=GATHERER, parameters=_object(context=_TEXT))
async def get_conditions_for_context(context: str) -> Any:
    """The condition codes that a context knows."""
    return await _of_context("get_conditions_for_context", context, knowing.get_conditions_for_context)


@tool(nodes=GATHERER, parameters=_object(context=_TEXT))
async def get_decision_points_for_context(context: str) -> Any:
    """The sites and targets that a context knows."""
    return await _of_context("get_decision_points_for_context", context, knowing.get_decision_points_for_context)


@tool(nodes=GATHERER, parameters=_object(context=_TEXT))
async def get_group_types_for_context(context: str) -> Any:
    """The types of groups that a context knows."""
    return await _of_context("get_group_types_for_context", context, knowing.get_group_types_for_context)


@tool(nodes=GATHERER, parameters=_object(action={"enum": list(ACTIONS)}, reasoning={"type": "string"}))
def set_action_needed(action: str, reasoning: str) -> str:
    """Say which action the user asks for."""
    at_hand().proposal.action = action
    return f"Noted: {action}."


@tool(nodes=GATHERER, parameters=_object(action_params={"type": "object"}))
def set_action_params(action_params: dict[str, Any]) -> str:
    """Set the parameters of the action, only those that the user gave."""
    at_hand().proposal.params = dict(action_params)
    return f"Noted: {', '.join(action_params) or 'none'}."


@tool(nodes=GATHERER, parameters=_object(missing_params={"type": "array", "items": _TEXT}))
def set_missing_params(missing_params: list[str]) -> str:
    """Say which parameters the user still has to give."""
    at_hand().proposal.missing = list(missing_params)
    return f"Noted: {', '.join(missing_params) or 'nothing'} is missing."


@tool(
    nodes=GATHERER,
    parameters=_object(key=_TEXT, value={"type": ["string", "number", "boolean", "array", "object", "null"]}),
)
def update_action_params(key: str, value: Any) -> str:
    """Add or change one parameter of the action."""
    at_hand().proposal.params[key] = value
    return f"Noted: {key}."


@tool(nodes=GATHERER, parameters=_object(error_type={"enum": list(ERROR_TYPES)}, message=_TEXT))
def add_error(error_type: str, message: str) -> str:
    """Note why the request cannot be done."""
    at_hand().proposal.errors[error_type] = message
    return f"Error recorded: {error_type} - {message}"


@tool(nodes=RESPONDER, parameters=_object(), name="get_context_metadata")
def stored_context_metadata() -> Any:
    """What the contexts have, as it was gathered."""
    return at_hand().static.get("context_metadata")


@tool(nodes=RESPONDER, parameters=_object(), name="get_experiment_names")
def stored_experiment_names() -> Any:
    """The names of the experiments, as they were gathered."""
    found = at_hand().static.get("experiment_names")
    return None if found is None else {"total": len(found), "experiments": found[:MOST_SHOWN]}


@tool(nodes=RESPONDER, parameters=_object(), name="get_all_experiments")
def stored_experiments() -> Any:
    """The experiments with contexts and states, as they were gathered."""
    found = at_hand().static.get("all_experiments")
    return None if found is None else {"total": len(found), "experiments": found[:MOST_SHOWN]}


@tool(nodes=RESPONDER, parameters=_object())
def get_all_gathered_info() -> dict[str, Any]:
    """All that was gathered for this question."""
    return at_hand().gathered


@tool(nodes=RESPONDER, parameters=_object())
def get_execution_log() -> list[Any]:
    """The actions that were executed in this conversation, oldest first."""
    return list(at_hand().log)


@tool(nodes=RESPONDER, parameters=_object())
def get_errors() -> dict[str, str]:
    """What went wrong in this turn."""
    return dict(at_hand().errors)

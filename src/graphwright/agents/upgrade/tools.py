"""The tools of the gatherer and of the responder, by the names that the flow's design gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from graphwright import GraphwrightError, ToolResult, tool
from graphwright.agents.upgrade.schemas import ACTIONS, parameters_schema
from graphwright.agents.upgrade.server import SHOWN, Server
from graphwright.agents.upgrade.steps import Settled, question_for, settle
from graphwright.proposals import choices, closed, exact, not_found
from graphwright.tools import ToolRegistry
from graphwright.tools.registry import Tool

GATHERER = ["information_gatherer"]
RESPONDER = ["response_generator"]
SETTERS = ("set_action_needed", "set_action_params", "set_missing_params", "update_action_params")
ERROR_TYPES = ("api", "auth", "validation", "not_found", "unknown")

_MOST_LISTED = 500
_TERMS = Path(__file__).parent / "terms"


class Finding(GraphwrightError):
    """What speaks against a proposed action, told to the model as the result of its call."""


@dataclass
class Draft:
    """The action that the model has proposed so far, and what the checks say of it."""

    action: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    settled: Settled | None = None
    touched: bool = False

    def __contains__(self, name: object) -> bool:
        """Whether a call of this tool ends the loop: the action is complete, lacks what the user must say, or fails."""
        done = self.settled is not None and (bool(self.settled.final) or not self.settled.checked.problems)
        return (name in SETTERS and done) or name == "add_error"


@dataclass
class Work:
    """What the tools of a node work on; `gathered` and `all_experiments` are the channels that they fill."""

    server: Server
    gathered: dict[str, Any] = field(default_factory=dict)
    all_experiments: list[dict[str, Any]] | None = None
    draft: Draft = field(default_factory=Draft)
    log: Sequence[Mapping[str, Any]] = ()
    errors: Mapping[str, str] = field(default_factory=dict)


_work: ContextVar[Work] = ContextVar("upgrade_work")


class Offered(ToolRegistry):
    """The tools of a node with the choices of this server in their schemas; `inner` calls them, as turn events."""

    def __init__(self, tools: Iterable[Tool], inner: ToolRegistry, work: Work) -> None:
        super().__init__(tools)
        self._inner = inner
        self._work = work

    def declarations(self) -> list[dict[str, Any]]:
        """As the registry's. What is wrong with a reference is told by the tool, with the nearest that exists."""
        wider = {each["name"]: each["parameters"] for each in self._inner.declarations()}
        return [{**each, "accepts": wider[each["name"]]} for each in super().declarations()]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """As the registry's; what speaks against an action that is proposed is a result that failed."""
        token = _work.set(self._work)
        try:
            return await self._inner.call(name, arguments)
        finally:
            _work.reset(token)


def gatherer_tools(inner: ToolRegistry, work: Work) -> Offered:
    """The gatherer's tools. Contexts, experiments and group types are choices as long as they are few."""
    server = work.server
    contexts = choices(server.contexts)
    names = [each["name"] for each in server.experiments]
    ids = choices(
        (e["name"] if names.count(e["name"]) == 1 else e["id"] for e in server.experiments[: SHOWN + 1]), most=SHOWN
    )
    types = choices(dict.fromkeys(type for each in server.contexts.values() for type in each["group_types"]))
    known = {"context": contexts, "experiment_id": ids, "type": types}
    branches = [parameters_schema(action, known) for action in ACTIONS]
    schemas = {
        "set_action_params": closed({"action_params": {"anyOf": branches}}),
        "get_experiment_details": closed({"experiment_id": ids}),
        **{f"get_{part}_for_context": closed({"context": contexts}) for part in _OF_CONTEXT},
    }
    return Offered([replace(t, parameters=schemas.get(t.name, t.parameters)) for t in _GATHERER_TOOLS], inner, work)


def responder_tools(inner: ToolRegistry, work: Work) -> Offered:
    """The responder's tools: what the turn has gathered."""
    return Offered(_RESPONDER_TOOLS, inner, work)


_TEXT = {"type": "string", "minLength": 1}


@tool(nodes=GATHERER, parameters=closed({}))
async def check_upgrade_health() -> Any:
    """Whether the server answers, and its version."""
    server = _work.get().server
    health = await server.client.health()
    return _kept("upgrade_health", {"server": server.client.where, "name": health.name, "version": health.version})


@tool(nodes=GATHERER, parameters=closed({}))
async def get_context_metadata() -> Any:
    """All contexts with the conditions, sites, targets and group types that each knows."""
    server = _work.get().server
    await server.look()
    return _kept("contexts", server.contexts)


@tool(nodes=GATHERER, parameters=closed({}))
async def get_experiment_names() -> dict[str, Any]:
    """How many experiments there are, and ids and names of those that were changed last."""
    server = _work.get().server
    await server.look()
    return {"total": len(server.experiments), "experiments": server.experiments[:SHOWN]}


@tool(nodes=GATHERER, parameters=closed({}))
async def get_all_experiments() -> dict[str, Any]:
    """All experiments with their contexts and states, and how many there are in each."""
    work = _work.get()
    page = await work.server.client.page(take=_MOST_LISTED, sort=("updatedAt", "DESC"))
    rows = [{"id": e.id, "name": e.name, "context": e.context, "state": e.state.value} for e in page.experiments]
    work.all_experiments = rows
    counts = {state: sum(row["state"] == state for row in rows) for state in sorted({row["state"] for row in rows})}
    found = {"total": page.total, "by_state": counts, "shown": rows[:SHOWN]}
    _kept("experiments", found)
    return {**found, "shown": rows[:100]}


@tool(nodes=GATHERER, parameters=closed({"experiment_id": _TEXT}))
async def get_experiment_details(experiment_id: str) -> dict[str, Any]:
    """The design and state of one experiment, who is on its lists, and how many are enrolled in each condition."""
    server = _work.get().server
    await server.look()
    ids = server.ids_of(experiment_id)
    if len(ids) != 1:
        names = [each["name"] for each in server.experiments]
        sentence = (
            f"{len(ids)} experiments are called so: {ids}." if ids else not_found("experiment", experiment_id, names)
        )
        raise Finding("which_experiment", sentence)
    return dict(_kept("experiment_details", await server.details(ids[0])))


def _kept(name: str, value: Any) -> Any:
    """Keep in `gathered_info` what a tool gives."""
    _work.get().gathered[name] = value
    return value


def _known(name: str, about: str, key: str, make: Callable[[], Any]) -> Tool:
    def run() -> Any:
        return _kept(key, make())

    run.__doc__ = about
    return tool(nodes=GATHERER, parameters=closed({}), name=name)(run)


def _terms(name: str) -> Callable[[], str]:
    return lambda: (_TERMS / f"{name}.md").read_text("utf-8")


get_core_terms = _known("get_core_terms", "What experiments consist of.", "core_terms", _terms("core_terms"))
get_assignment_terms = _known(
    "get_assignment_terms", "How users come to their conditions.", "assignment_terms", _terms("assignment_terms")
)


def _schema(action: str) -> Tool:
    about = f"What {action} takes."
    return _known(f"get_{action}_schema", about, f"{action}_schema", lambda: parameters_schema(action))


get_create_experiment_schema = _schema("create_experiment")
get_update_experiment_schema = _schema("update_experiment")
get_update_experiment_status_schema = _schema("update_experiment_status")
get_delete_experiment_schema = _schema("delete_experiment")
get_init_experiment_user_schema = _schema("init_experiment_user")
get_get_decision_point_assignments_schema = _schema("get_decision_point_assignments")
get_mark_decision_point_schema = _schema("mark_decision_point")
get_simulate_experiment_schema = _schema("simulate_experiment")


@tool(nodes=GATHERER, parameters=closed({}))
async def get_available_contexts() -> Any:
    """The names of the contexts."""
    server = _work.get().server
    await server.look()
    return _kept("available_contexts", list(server.contexts))


_OF_CONTEXT = {"conditions": ("conditions",), "decision_points": ("sites", "targets"), "group_types": ("group_types",)}


def _of_context(part: str) -> Tool:
    async def run(context: str) -> Any:
        server = _work.get().server
        await server.look()
        found = exact(context, server.contexts)
        if found is None:
            raise Finding("no_context", not_found("context", context, server.contexts))
        known = {name: server.contexts[found][name] for name in _OF_CONTEXT[part]}
        return _kept(f"{part}_for_{found}", known if len(known) > 1 else next(iter(known.values())))

    run.__doc__ = f"The {part.replace('_', ' ')} that a context knows."
    return tool(nodes=GATHERER, parameters=closed({"context": _TEXT}), name=f"get_{part}_for_context")(run)


get_conditions_for_context = _of_context("conditions")
get_decision_points_for_context = _of_context("decision_points")
get_group_types_for_context = _of_context("group_types")


async def _checked(said: str) -> str:
    """Hold the draft against the server. Raises Finding for what the model can mend."""
    work = _work.get()
    draft = work.draft
    draft.touched = True
    if draft.action is None:
        return f"{said} Which action is it? Call set_action_needed."
    draft.settled = settled = await settle(work.server, draft.action, draft.params)
    problems = [each for each in settled.checked.problems if each.param]
    if problems and not settled.final:
        options = [f"{each['value']}: {each['title']}" for each in settled.choices[:-1]]
        there = f" It can be: {'; '.join(options)}." if options else ""
        raise Finding("does_not_fit", " ".join(each.sentence for each in problems) + there)
    if settled.final:
        return " ".join(settled.final)
    return f"{said} Still to be asked: {', '.join(settled.checked.missing) or 'nothing'}."


@tool(nodes=GATHERER, parameters=closed({"action": {"enum": list(ACTIONS)}, "reasoning": {"type": "string"}}))
async def set_action_needed(action: str, reasoning: str) -> str:
    """Say which action the user asks for. Its parameters follow with set_action_params."""
    draft = _work.get().draft
    draft.touched = True
    draft.action = action
    return await _checked("Noted.") if draft.params else "Noted. Now its parameters."


@tool(nodes=GATHERER, parameters=closed({"action_params": {"type": "object"}}))
async def set_action_params(action_params: dict[str, Any]) -> str:
    """Set all parameters of the action, only those that the user gave; {} where none was given."""
    _work.get().draft.params = dict(action_params)
    return await _checked("Noted.")


@tool(nodes=GATHERER, parameters=closed({"missing_params": {"type": "array", "items": _TEXT}}))
def set_missing_params(missing_params: list[str]) -> str:
    """Name parameters of the action that the user still has to give. Required ones are asked for anyway."""
    draft = _work.get().draft
    draft.missing = [name for each in missing_params if (name := question_for(draft.action or "", each))]
    return f"To be asked: {', '.join(draft.missing) or 'nothing'}."


@tool(
    nodes=GATHERER,
    parameters=closed(
        {
            "key": {"enum": sorted({name for each in ACTIONS.values() for name in each.model_fields})},
            "value": {"type": ["string", "number", "boolean", "array", "object", "null"]},
        }
    ),
)
async def update_action_params(key: str, value: Any) -> str:
    """Change one parameter of the action that waits; null takes it out."""
    _work.get().draft.params[key] = value
    return await _checked(f"Noted: {key}.")


@tool(nodes=GATHERER, parameters=closed({"error_type": {"enum": list(ERROR_TYPES)}, "message": _TEXT}))
def add_error(error_type: str, message: str) -> str:
    """Say why the request cannot be done, in the user's language."""
    _work.get().draft.errors[error_type] = message
    return f"Error recorded: {error_type} - {message}"


def _stored(name: str, about: str, give: Callable[[Work], Any]) -> Tool:
    def run() -> Any:
        return give(_work.get())

    run.__doc__ = about
    return tool(nodes=RESPONDER, parameters=closed({}), name=name)(run)


stored_context_metadata = _stored("get_context_metadata", "What the contexts have.", lambda w: w.server.contexts)
stored_experiment_names = _stored("get_experiment_names", "Their names.", lambda w: w.server.experiments[:100])
stored_experiments = _stored("get_all_experiments", "The experiments.", lambda w: (w.all_experiments or [])[:100])
get_all_gathered_info = _stored("get_all_gathered_info", "All that was gathered.", lambda w: w.gathered)
get_execution_log = _stored("get_execution_log", "The actions that were executed.", lambda w: list(w.log))
get_errors = _stored("get_errors", "What went wrong in this turn.", lambda w: dict(w.errors))


_ALL = [each for each in list(globals().values()) if isinstance(each, Tool)]
_GATHERER_TOOLS = [each for each in _ALL if each.nodes == {*GATHERER}]
_RESPONDER_TOOLS = [each for each in _ALL if each.nodes == {*RESPONDER}]

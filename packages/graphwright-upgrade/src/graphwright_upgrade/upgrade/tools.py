"""The tools of the gatherer and of the responder, by the names that the flow's design gives them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphwright import GraphwrightError, ToolResult, tool
from graphwright.proposals import choices, closed, exact, not_found
from graphwright.tools import ToolRegistry
from graphwright.tools.registry import Tool
from graphwright_upgrade.upgrade.checks import Checked, nearly_known, resolve_order
from graphwright_upgrade.upgrade.choices import choices_for
from graphwright_upgrade.upgrade.schemas import ACTIONS, Action, parameters_schema, question_for
from graphwright_upgrade.upgrade.server import MAX_LISTED, Server

GATHER = ["fill_in", "look_up_question", "list_experiments", "show_contexts", "explain_terms"]
RESPOND = ["response_generator"]
SETTERS = ("set_action_needed", "set_action_params", "set_missing_params", "update_action_params")
ERROR_TYPES = ("api", "auth", "validation", "not_found", "unknown")

_MOST_READ, _MOST_TOLD = 500, 100
"""Experiments that are read to count their states, and that a model is shown."""

_TEXT = {"type": "string", "minLength": 1}
_TERMS = Path(__file__).parent / "terms"


@dataclass
class Draft:
    """The action that the model has proposed so far, and what the checks say of it."""

    action: Action | None = None
    params: dict[str, Any] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    """The user's words for each parameter, by its path."""
    corrects: bool = False
    """Whether parameters are set already, which the model changes."""
    weak: bool = False
    """Whether the model is weak: it may name only contexts and types of groups that exist."""
    closed: bool = False
    """Whether there is an order besides the question; then the question is not searched for one."""
    missing: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    checked: Checked | None = None
    touched: bool = False
    unknown_names: bool = False
    """Whether the model was informed of names that resemble known ones."""
    candidates: Sequence[str] = ()
    """The ids of several experiments with the last name."""
    findings: dict[str, str] = field(default_factory=dict)
    """The problems of proposed parameters, by parameter."""

    def __contains__(self, name: object) -> bool:
        """Whether a call of this tool ends the loop: the action is complete, lacks what the user must say, or fails."""
        done = self.checked is not None and (bool(self.checked.final) or not self.checked.problems)
        return (name in SETTERS and done) or name == "add_error"


@dataclass
class Work:
    """The data that the tools of a node use; `gathered` and `all_experiments` are the channels that they fill."""

    server: Server
    gathered: dict[str, Any] = field(default_factory=dict)
    all_experiments: list[dict[str, Any]] | None = None
    draft: Draft = field(default_factory=Draft)
    log: Sequence[Mapping[str, Any]] = ()
    errors: Mapping[str, str] = field(default_factory=dict)


_work: ContextVar[Work] = ContextVar("upgrade_work")


class LookupTools(ToolRegistry):
    """The tools of a node: for an order those of its action, for a question all look-ups.

    Contexts and group types are enums if there are few. For the parameters of an action only a weak model is restricted
    to them, because the checks find names that do not exist. The prompt lists the experiments.
    """

    def __init__(self, inner: ToolRegistry, work: Work) -> None:
        super().__init__()
        self._inner, self._work = inner, work
        contexts = choices(work.server.contexts)
        types = choices(type for each in work.server.contexts.values() for type in each["group_types"])
        self._known = {"context": contexts, "type": types}
        self._schemas: dict[str, Mapping[str, Any]] = {
            f"get_{part}_for_context": closed({"context": contexts}) for part in _OF_CONTEXT
        }

    def declarations(self) -> list[dict[str, Any]]:
        """As the registry's. The tool itself reports a wrong reference, with the nearest that exists."""
        draft, schemas = self._work.draft, self._schemas
        if draft.action is not None:
            parameters = parameters_schema(draft.action, self._known if draft.weak else {})
            schemas = {**schemas, "set_action_params": closed({"action_params": parameters, "words": _WORDS})}
        return [
            {**each, "parameters": schemas.get(each["name"], each["parameters"]), "accepts": each["parameters"]}
            for each in self._inner.declarations()
            if _offers(draft, each["name"])
        ]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """As the registry's; what speaks against an action that is proposed is a result that failed."""
        token = _work.set(self._work)
        try:
            return await self._inner.call(name, arguments)
        finally:
            _work.reset(token)


def _offers(draft: Draft, name: str) -> bool:
    if name == "get_user_assignments":
        return draft.action == "mark_decision_point"
    if name in _OF_ORDERS:
        return draft.action is not None and (draft.corrects or name != "update_action_params")
    if name in _OF_BOTH:
        return True
    return draft.action is None and not (draft.closed and name == "set_action_needed")


_OF_ORDERS = ("set_action_params", "set_missing_params", "update_action_params")
_OF_BOTH = ("get_experiment_details", "get_all_experiments", "add_error")


# Look-ups


def _gives(name: str, about: str, give: Callable[[Work], Any], nodes: list[str] = GATHER, kept: str = "") -> Tool:
    """A tool that gives something that is there, and keeps it in `gathered_info` under `kept`."""

    def run() -> Any:
        work = _work.get()
        found = give(work)
        if kept:
            work.gathered[kept] = found
        return found

    return Tool(name, about, closed({}), run, frozenset(nodes))


def _terms(kind: str, about: str) -> Tool:
    return _gives(f"get_{kind}", about, lambda _: (_TERMS / f"{kind}.md").read_text("utf-8"), kept=kind)


def _schema(action: str) -> Tool:
    kind = f"{action}_schema"
    return _gives(f"get_{kind}", f"What {action} takes.", lambda _: parameters_schema(action), kept=kind)


@tool(nodes=GATHER, parameters=closed({}))
async def check_upgrade_health() -> dict[str, Any]:
    """Whether the server answers, and its version."""
    work = _work.get()
    health = await work.server.client.health()
    found = {"server": work.server.client.where, "name": health.name, "version": health.version}
    work.gathered["upgrade_health"] = found
    return found


_OF_EACH = "All contexts with the conditions, sites, targets and group types that each knows."
get_context_metadata = _gives("get_context_metadata", _OF_EACH, lambda work: work.server.contexts, kept="contexts")
get_experiment_names = _gives(
    "get_experiment_names",
    "How many experiments there are, and ids and names of those that were changed last.",
    lambda work: {"total": len(work.server.experiments), "experiments": work.server.experiments[:MAX_LISTED]},
)


@tool(nodes=GATHER, parameters=closed({}))
async def get_all_experiments() -> dict[str, Any]:
    """All experiments with their contexts and states, and how many there are in each."""
    work = _work.get()
    rows, total = await work.server.rows(_MOST_READ)
    work.all_experiments = rows[:_MOST_TOLD]
    counted = "by_state" if len(rows) == total else f"by_state_of_the_{len(rows)}_changed_last"
    found = {"total": total, counted: dict(sorted(Counter(row["state"] for row in rows).items()))}
    work.gathered["experiments"] = {**found, "shown": rows[:MAX_LISTED]}
    return {**found, "shown": work.all_experiments}


@tool(nodes=GATHER, parameters=closed({"experiment_id": _TEXT}))
async def get_experiment_details(experiment_id: str) -> dict[str, Any]:
    """The design and state of one experiment, who is on its lists, and how many are enrolled in each condition."""
    work = _work.get()
    ids = work.server.ids_of(experiment_id)
    if len(ids) != 1:
        names = [each["name"] for each in work.server.experiments]
        several = f"{len(ids)} experiments are called so: {ids}."
        raise GraphwrightError("which_experiment", several if ids else not_found("experiment", experiment_id, names))
    before, found = work.gathered.get("experiment_details"), await work.server.details(ids[0])
    if before is not None and before["experiment_id"] != found["experiment_id"]:
        # Several experiments are compared, so keep the earlier results.
        work.gathered[f"experiment_details_of_{before['experiment_id']}"] = before
    work.gathered["experiment_details"] = found
    return found


@tool(nodes=GATHER, parameters=closed({"user_id": _TEXT, "site": _TEXT, "target": _TEXT}, ["user_id"]))
async def get_user_assignments(user_id: str, site: str = "", target: str = "") -> dict[str, Any]:
    """What a user would get now, everywhere or at one decision point, and which experiments are at that point."""
    work = _work.get()
    place = {name: value for name, value in (("site", site), ("target", target)) if value}
    known = await work.server.knows(user_id)
    found: dict[str, Any] = {"user_id": user_id, **place, "known": known, "assignments": []}
    names = {each["id"]: work.server.reference(each) for each in work.server.experiments}
    for context in work.server.contexts if found["known"] else ():
        for each in await work.server.client.assign(user_id, context, site or None, target or None):
            gets = {"condition_code": each.condition.code, "experiment": names.get(each.condition.experiment_id, "")}
            found["assignments"].append({"context": context, "site": each.site, "target": each.target, **gets})
    if site and target:
        found["experiments"] = [
            {
                "name": names.get(e.id, e.name),
                "context": e.context,
                "state": e.state.value,
                "conditions": [c.code for c in e.conditions],
            }
            for e in (await work.server.by_point()).get(f"{site}/{target}", ())
        ]
    work.gathered["user_assignments"] = found
    return found


get_core_terms = _terms("core_terms", "What experiments consist of.")
get_assignment_terms = _terms("assignment_terms", "How users come to their conditions.")
get_create_experiment_schema = _schema("create_experiment")
get_update_experiment_schema = _schema("update_experiment")
get_update_experiment_status_schema = _schema("update_experiment_status")
get_delete_experiment_schema = _schema("delete_experiment")
get_init_experiment_user_schema = _schema("init_experiment_user")
get_decision_point_assignments_schema = _schema("get_decision_point_assignments")
get_mark_decision_point_schema = _schema("mark_decision_point")
get_simulate_experiment_schema = _schema("simulate_experiment")
get_available_contexts = _gives(
    "get_available_contexts",
    "The names of the contexts.",
    lambda work: [*work.server.contexts],
    kept="available_contexts",
)

_OF_CONTEXT = {"conditions": ("conditions",), "decision_points": ("sites", "targets"), "group_types": ("group_types",)}


def _of_context(part: str) -> Tool:
    def run(context: str) -> Any:
        work = _work.get()
        found = exact(context, work.server.contexts)
        if found is None:
            raise GraphwrightError("no_context", not_found("context", context, work.server.contexts))
        known = {name: work.server.contexts[found][name] for name in _OF_CONTEXT[part]}
        work.gathered[f"{part}_for_{found}"] = value = known if len(known) > 1 else known[part]
        return value

    about = f"The {part.replace('_', ' ')} that a context knows."
    return Tool(f"get_{part}_for_context", about, closed({"context": _TEXT}), run, frozenset(GATHER))


get_conditions_for_context = _of_context("conditions")
get_decision_points_for_context = _of_context("decision_points")
get_group_types_for_context = _of_context("group_types")


told_contexts = _gives("get_context_metadata", "What the contexts have.", lambda work: work.server.contexts, RESPOND)
told_names = _gives("get_experiment_names", "Their names.", lambda work: work.server.experiments[:_MOST_TOLD], RESPOND)
told_experiments = _gives("get_all_experiments", "The experiments.", lambda work: work.all_experiments or [], RESPOND)
told_info = _gives("get_all_gathered_info", "All that was gathered.", lambda work: work.gathered, RESPOND)
told_log = _gives("get_execution_log", "The actions that were executed.", lambda work: list(work.log), RESPOND)
told_errors = _gives("get_errors", "What went wrong in this turn.", lambda work: dict(work.errors), RESPOND)


# Proposals of the model

_LISTED = ("context", "status", "consistency", "filter_mode", "site", "target")
"""The parameters whose options are values of the parameter. For the others the problem itself names what there is."""


async def _checked(said: str) -> str:
    """Check the draft against the server. Raises GraphwrightError for what the model can correct."""
    work = _work.get()
    draft = work.draft
    draft.touched = True
    if draft.action is None:
        return f"{said} Which action is it? Call set_action_needed."
    fields = ACTIONS[draft.action].model_fields
    if strange := [name for name in draft.params if name not in fields]:
        draft.params = {name: value for name, value in draft.params.items() if name in fields}
        there = f"There is no parameter {', '.join(strange)}; there are {', '.join(fields)}."
        raise GraphwrightError("does_not_fit", f"{there} Call set_action_params again.")
    draft.checked = checked = await resolve_order(work.server, draft.action, draft.params)
    if checked.final:
        return " ".join(checked.final)
    draft.candidates = checked.candidates or draft.candidates
    if checked.problems:
        draft.findings |= dict(checked.problems)
        of_experiments = checked.asked == "experiment_id"
        listed = choices_for(checked)[:-1] if of_experiments or checked.asked in _LISTED else []
        options = [each["title"] if of_experiments else each["value"] for each in listed]
        there = f" It can be: {'; '.join(options)}." if options else ""
        raise GraphwrightError("does_not_fit", " ".join(sentence for _, sentence in checked.problems) + there)
    if (unknown := nearly_known(checked)) and not draft.unknown_names:
        draft.unknown_names = True
        raise GraphwrightError("nearly_known", f'{" ".join(unknown)} If just that is meant, reply "ready".')
    return f"{said} Still to be asked: {', '.join(checked.missing) or 'nothing'}."


@tool(nodes=GATHER, parameters=closed({"action": {"enum": list(ACTIONS)}, "reasoning": {"type": "string"}}))
async def set_action_needed(action: Action, reasoning: str) -> str:
    """Say which action the user asks for. Its parameters follow with set_action_params."""
    draft = _work.get().draft
    draft.touched = True
    draft.action = action
    return await _checked("Noted.") if draft.params else "Noted. Now its parameters."


_EXCEPT = ".except"
_WORDS = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "for each parameter, by its path, the words of the user that mean its value, copied literally; "
    "those that except something from it by the path with .except",
}


@tool(
    nodes=GATHER,
    parameters=closed({"action_params": {"type": "object"}, "words": {"type": "object"}}, ["action_params"]),
)
async def set_action_params(action_params: dict[str, Any], words: dict[str, Any] | None = None) -> str:
    """Set all parameters of the action, only those that the user gave; {} where none was given."""
    draft = _work.get().draft
    before, draft.params = draft.params, dict(action_params)
    same = {name for name, value in before.items() if draft.params.get(name) == value}
    kept = {path: text for path, text in draft.words.items() if path.split(".")[0] in same}
    draft.words = kept | _texts(words)
    return await _checked("Noted.")


def _texts(words: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the quotations without the words that exclude something: a name among these is not meant."""
    found = {path: text for path, text in (words or {}).items() if isinstance(text, str) and text.strip()}
    excepted = {path: text for path, text in found.items() if path.endswith(_EXCEPT)}
    kept = {path: text for path, text in found.items() if path not in excepted}
    for path, text in excepted.items():
        if own := kept.get(path.removesuffix(_EXCEPT)):
            # The ellipsis keeps it a quotation.
            rest = re.sub(re.escape(text), " ... ", own, flags=re.IGNORECASE).strip(" .,;")
            kept[path.removesuffix(_EXCEPT)] = rest or own
    return kept


@tool(nodes=GATHER, parameters=closed({"missing_params": {"type": "array", "items": _TEXT}}))
def set_missing_params(missing_params: list[str]) -> str:
    """Name parameters of the action that the user still has to give. Required ones are asked for anyway."""
    draft = _work.get().draft
    draft.missing = [name for each in missing_params if (name := question_for(draft.action or "", each))]
    return f"To be asked: {', '.join(draft.missing) or 'nothing'}."


_KEY = _TEXT
_VALUE = {"type": ["string", "number", "boolean", "array", "object", "null"]}


@tool(
    nodes=GATHER,
    parameters=closed({"key": _KEY, "value": _VALUE, "words": {"type": "string"}}, ["key", "value"]),
)
async def update_action_params(key: str, value: Any, words: str = "") -> str:
    """Change one parameter of the action that waits, with the words of the user for it; null takes it out."""
    draft = _work.get().draft
    draft.params[key] = value
    draft.words = {path: text for path, text in draft.words.items() if path.split(".")[0] != key}
    draft.words |= _texts({key: words})
    return await _checked(f"Noted: {key}.")


@tool(nodes=GATHER, parameters=closed({"error_type": {"enum": list(ERROR_TYPES)}, "message": _TEXT}))
def add_error(error_type: str, message: str) -> str:
    """Say why the request cannot be done, in the user's language."""
    _work.get().draft.errors[error_type] = message
    return f"Error recorded: {error_type} - {message}"

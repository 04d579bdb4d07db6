"""The proposals of the model: the analysis of a message, and the parameters of the eight actions.

The schemas that a model is offered come from these classes; what a parameter may refer to (contexts, experiments,
types of groups) is filled in from the server.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, create_model

from graphwright_upgrade.client._simulating import MOST_USERS
from graphwright_upgrade.upgrade.state import State


def _plain(text: str) -> str:
    strange = [c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    if strange:
        raise ValueError("it holds control characters or halves of characters, which cannot be stored")
    return text


Name = Annotated[str, StringConstraints(min_length=1, max_length=250), AfterValidator(_plain)]
Weight = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]

LEFT_OUT: Any = None
NEW_NAME = "what the user wants it to be called"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True, str_strip_whitespace=True)


class Condition(_Part):
    """`weight` in per cent; left out for an equal share of what the others leave."""

    code: Name
    weight: Weight | None = None


class DecisionPoint(_Part):
    """Where the app asks for a condition."""

    site: Name
    target: Name
    exclude_if_reached: bool = Field(False, description="leave out who was there before the start")


class Group(_Part):
    type: Name = Field(description="a group type of the context")
    id: Name


class Members(_Part):
    users: list[Name] = []
    groups: list[Group] = []


class MembersOff(Members):
    all: bool = Field(False, description="empty the list")


class _Design(_Part):
    conditions: list[Condition] = Field(LEFT_OUT, description="all of them; their weights add up to 100")
    decision_points: list[DecisionPoint] = Field(LEFT_OUT, description="all of them")
    description: Annotated[str, StringConstraints(max_length=4_000), AfterValidator(_plain)] = Field(LEFT_OUT)
    tags: list[Name] = Field(LEFT_OUT)
    unit: Literal["individual", "group"] = Field(LEFT_OUT, description="who is assigned")
    group: Name = Field(LEFT_OUT, description="the group type, for unit group alone")
    consistency: Literal["individual", "group", "experiment"] = Field(LEFT_OUT)
    post_rule: Literal["continue", "assign"] = Field(
        LEFT_OUT, description="once it is paused: those enrolled keep their condition, or all get revert_to"
    )
    revert_to: Name = Field(LEFT_OUT, description="the code for post_rule assign; left out for the default")
    filter_mode: Literal["includeAll", "excludeAll"] = Field(
        LEFT_OUT, description="includeAll: all but the excluded; excludeAll: only the included"
    )
    include: Members = Field(LEFT_OUT, description="added to the inclusion list")
    exclude: Members = Field(LEFT_OUT, description="added to the exclusion list")


class CreateExperiment(_Design):
    """A new experiment. It is inactive until it is started."""

    name: Name = Field(LEFT_OUT, description=NEW_NAME)
    context: Name = Field(LEFT_OUT)


class _OfExperiment(_Part):
    experiment_id: Name = Field(LEFT_OUT, description="the name; of equal names, as in the data")


class UpdateExperiment(_OfExperiment, _Design):
    """Changes of an experiment; what is left out stays. A condition or point that a list leaves out is deleted."""

    new_name: Name = Field(LEFT_OUT, description=NEW_NAME)
    uninclude: MembersOff = Field(LEFT_OUT, description="taken off the inclusion list")
    unexclude: MembersOff = Field(LEFT_OUT, description="taken off the exclusion list")


class UpdateExperimentStatus(_OfExperiment):
    """Another state."""

    status: Literal["enrolling", "enrollmentComplete", "cancelled"] = Field(
        LEFT_OUT,
        description="enrolling: users are enrolled. enrollmentComplete: nobody new is enrolled, those enrolled keep "
        "their condition, and it can be resumed. cancelled: over for good, nobody gets a condition, nothing leads back",
    )


class DeleteExperiment(_OfExperiment):
    """Gone with its enrolments and lists; this cannot be undone."""


class InitExperimentUser(_Part):
    """Makes a user known, before anything is assigned or marked. Given groups replace those that are stored."""

    user_id: Name = Field(LEFT_OUT)
    group: dict[Name, list[Name]] = Field(LEFT_OUT, description="ids by group type")
    working_group: dict[Name, Name] = Field(LEFT_OUT, description="one of these ids for each group type")


class _OfUser(_Part):
    user_id: Name = Field(LEFT_OUT)
    group: dict[Name, list[Name]] = Field(LEFT_OUT, description="the user's own groups if they are named: ids by type")


class GetDecisionPointAssignments(_OfUser):
    """Looks which conditions a user gets; enrols nobody."""

    context: Name = Field(LEFT_OUT)
    site: Name = Field(LEFT_OUT, description="only there")
    target: Name = Field(LEFT_OUT, description="only there")


class AssignedCondition(_OfExperiment):
    condition_code: Name | None = Field(LEFT_OUT, description="null for none")


class MarkDecisionPoint(_OfUser):
    """Records that a user was at a decision point, which may enrol the user."""

    site: Name = Field(LEFT_OUT)
    target: Name = Field(LEFT_OUT)
    assigned_condition: AssignedCondition = Field(LEFT_OUT)


class SimulateExperiment(_OfExperiment):
    """Lets new users come to an experiment, and counts what they get."""

    users: Annotated[int, Field(ge=1, le=MOST_USERS)] = Field(LEFT_OUT)
    groups: Annotated[int, Field(ge=1, le=MOST_USERS)] = Field(LEFT_OUT, description="over how many groups they spread")


Action = Literal[
    "create_experiment",
    "update_experiment",
    "update_experiment_status",
    "delete_experiment",
    "init_experiment_user",
    "get_decision_point_assignments",
    "mark_decision_point",
    "simulate_experiment",
]


_ON_EXPERIMENTS = (CreateExperiment, UpdateExperiment, UpdateExperimentStatus, DeleteExperiment)
_ON_USERS = (InitExperimentUser, GetDecisionPointAssignments, MarkDecisionPoint, SimulateExperiment)
ACTIONS: Mapping[str, type[_Part]] = dict(zip(get_args(Action), (*_ON_EXPERIMENTS, *_ON_USERS), strict=True))


class Order(BaseModel):
    """One thing to be done."""

    request: str = Field(description="what is to be done, complete in itself, with all values that the user gave")
    later: str = Field(
        "",
        description="the user's words for a time at which it is to be done; empty for now and for after earlier orders",
    )
    action: Action


class Analysis(BaseModel):
    """Understand the user's message and say what comes next."""

    language: str = Field("", description="the ISO 639-1 code of the language that the user writes")
    cannot: str = Field("", description="a sentence to the user about what is asked for and not offered, if anything")
    orders: list[Order] = Field(
        default_factory=list, max_length=50, description="what the message asks to be done now, in order"
    )
    question: str = Field("", description="what the message asks to know, complete in itself; empty for nothing")
    waiting: Literal["keep", "change", "drop"] = Field(
        "keep",
        description="what the message does to the action that waits, if any: leaves it, corrects it, gives it up",
    )
    queue: list[Order] | None = Field(
        None,
        description="all orders that come after the one that waits, only where the message changes them; else null",
    )
    user_request_summary: str
    reasoning: str = ""
    intent_type: Literal["direct_answer", "needs_info"] = Field(
        description="needs_info: an order, or a question about the server; direct_answer: what is shown here answers it"
    )
    confidence: float = Field(ge=0, le=1, description="how sure you are of what is wanted")


analyze_user_request = create_model("analyze_user_request", __base__=Analysis, __doc__=Analysis.__doc__)
"""The class under the name that providers see."""

_ASKED_BY = {"revert_to": "post_rule", "target": "site", "assigned_condition": "experiment_id", "groups": "users"}


def action_in_hand(state: State) -> Action:
    """Return the action of the order in hand; there must be one."""
    action = state["action_needed"]
    assert action is not None
    return action


def question_for(action: str, param: str) -> str:
    """The question that asks for another value of a parameter; empty if there is none."""
    if param in ("group", "working_group"):
        return param if "user_id" in ACTIONS[action].model_fields else "unit"
    if action == "mark_decision_point" and param in ("experiment_id", "condition_code"):
        return param
    if action == "get_decision_point_assignments" and param == "target":
        return param
    return _ASKED_BY.get(param, param) if action in ACTIONS and param in ACTIONS[action].model_fields else ""


def parameters_schema(action: str, known: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """The closed JSON Schema of an action's parameters, all optional: only those that the user gave are set.

    `known` has schemas of texts that refer to what exists, by the name of the parameter.
    """
    schema = {name: part for name, part in _SCHEMAS[action].items() if name != "required"}
    return {"title": action, **_published(schema, schema.get("$defs", {}), known or {})}


_SILENT = ("$defs", "$ref", "title", "default", "properties", "minLength", "maxLength", "propertyNames")
_SCHEMAS = {action: model.model_json_schema() for action, model in ACTIONS.items()}


def _published(part: Any, defs: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """A schema with its references put in place, without what says nothing to a model and `parsed` checks anyway."""
    if isinstance(part, list):
        return [_published(each, defs, known) for each in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        part = {**defs[part["$ref"].rpartition("/")[2]], **part}
    said = {name: value for name, value in part.items() if name not in _SILENT and value is not False}
    kept = {name: _published(value, defs, known) for name, value in said.items()}
    for name, value in part.get("properties", {}).items():
        own = _published(value, defs, known)
        if name in known and own.get("type") == "string":
            own = {**own, **known[name]}
        kept.setdefault("properties", {})[name] = own
    return kept


def parsed(action: str, params: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The parameters in their types, without those that are null or wrong; what is wrong as (parameter, sentence)."""
    given = {name: value for name, value in params.items() if value is not None}
    wrong: dict[str, str] = {}
    while True:
        try:
            return ACTIONS[action].model_validate(given).model_dump(exclude_unset=True), list(wrong.items())
        except ValidationError as error:
            for each in error.errors(include_url=False, include_context=False):
                name = str(each["loc"][0])
                where = ".".join(str(step + 1) if isinstance(step, int) else step for step in each["loc"])
                wrong.setdefault(name, f"{where}: {each['msg']}.")
                given.pop(name, None)

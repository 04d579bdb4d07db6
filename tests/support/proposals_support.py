"""Proposals written independently of the agents: the model's answers are given literally, and the agent is tested."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from eval.conversing import ExpectedStates
from eval.graph_editor.evaluation import Graphs
from eval.graph_editor.world import Goal
from eval.reading import checked
from eval.stateful import Stateful
from eval.upgrade.cases import Request
from eval.upgrade.server import Requests
from eval.upgrade.worlds import World
from eval_support import ROOT

_FOLDER = Path(__file__).parents[1] / "data" / "proposals"
_CASE = ("id", "kind", "language")


@dataclass(frozen=True)
class Proposal:
    """A case with the rules of a model that proposes one thing in any situation."""

    id: str
    case: Any
    cases: Stateful[Any]
    rules: list[dict[str, Any]]

    def __str__(self) -> str:
        return self.id


def _read(file: Path) -> Any:
    return yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)


def proposals(kind: str) -> list[Proposal]:
    """All proposals of a kind, `perfect` or `wrong`, for both agents."""
    return [*goals.read(kind), *_orders(kind)]


class goals:
    """The proposals for the graph editor."""

    graphs = ROOT / "eval" / "graph_editor" / "graphs"

    @staticmethod
    def written(kind: str) -> list[dict[str, Any]]:
        """The proposals of a kind, as they are written in the file."""
        return [each for each in _read(_FOLDER / "graph_editor.yaml") if each["kind"] == kind]

    @classmethod
    def read(cls, kind: str) -> list[Proposal]:
        return [cls.proposal(each) for each in cls.written(kind)]

    @classmethod
    def proposal(cls, each: Mapping[str, Any]) -> Proposal:
        goal = Goal(**_case(each), graph=each["graph"])
        return Proposal(goal.id, goal, Graphs([goal], cls.graphs), _goal_rules(each))

    @classmethod
    def nodes(cls, graph: str) -> list[dict[str, Any]]:
        """The nodes of a graph, as they are written."""
        found: list[dict[str, Any]] = json.loads((cls.graphs / f"{graph}.json").read_text("utf-8"))["nodes"]
        return found


def _orders(kind: str) -> Iterator[Proposal]:
    file = ROOT / "eval" / "upgrade" / "worlds.yaml"
    worlds = checked(dict[str, World], _read(file), file)
    for each in _read(_FOLDER / "upgrade.yaml"):
        if each["kind"] == kind:
            request, world = Request(**_case(each), world=each["world"]), worlds[each["world"]]
            yield Proposal(request.id, request, Requests([(request, world)]), _order_rules(each, world))


def _case(each: Mapping[str, Any]) -> dict[str, Any]:
    # Several differently written ends are the same state.
    expect = each["expect"][0] if isinstance(each["expect"], list) else each["expect"]
    return {"says": [each["text"]], **{name: each[name] for name in _CASE}, "expect": expect}


def _goal_rules(each: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls of the first step are part of the goal, those of each further one have their own plan."""
    first, *rest = each["steps"]
    goal = {"intent": "mixed", "complexity": "complex" if rest else "simple", "confidence": 1.0, "tools": first}
    rules = [{"offers": "GoalSpec", "call": {"GoalSpec": goal}}]
    for number, calls in enumerate(rest, 1):
        plan = {"step": f"step {number}", "tools": calls, "is_final": number == len(rest), "rationale": ""}
        rules.append({"offers": "StepPlan", "call": {"StepPlan": plan}, "times": 1})
    # When asked again, a correct model adds nothing, and a wrong one repeats itself.
    stubborn = [call for calls in each["steps"] for call in calls] if each["kind"] == "wrong" else []
    again = {"step": "the rest", "tools": stubborn, "is_final": True, "rationale": ""}
    return [*rules, {"offers": "StepPlan", "call": {"StepPlan": again}}, *_REST]


def _order_rules(each: Mapping[str, Any], world: World) -> list[dict[str, Any]]:
    params = dict(each["params"])
    if "experiment" in params:
        params["experiment_id"] = world.id_of(params.pop("experiment"))
    if each["action"] == "mark_decision_point":
        applied = {"experiment_id": params.pop("experiment_id"), "condition_code": params.pop("condition_code")}
        params["assigned_condition"] = applied
    call = {"action_params": params, "words": each["words"]}
    order = {"request": each["because"], "later": "", "action": each["action"]}
    analysis = {
        **{"orders": [order], "waiting": "keep", "user_request_summary": each["text"], "reasoning": ""},
        **{"intent_type": "needs_info", "confidence": 1.0},
    }
    return [
        {"offers": "analyze_user_request", "call": {"analyze_user_request": analysis}},
        {"offers": "set_action_params", "call": {"set_action_params": call}, "times": 1},
        *_REST,
    ]


_REST: list[dict[str, Any]] = [
    {"offers": "Review", "call": {"Review": {"unasked": [], "missing": []}}},
    {"text": "Done."},
]
"""A review that accepts everything, and empty texts."""


@asynccontextmanager
async def begun(proposal: Proposal, folder: Path) -> Any:
    """The world of a proposal, and the expected result."""
    wanted: ExpectedStates = await proposal.cases.expected_states(proposal.case)
    async with proposal.cases.world(proposal.case, folder) as world:
        yield world, wanted

"""How far a goal has come: what the model is told of it, whether it is complete, and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.graph_editor import view
from graphwright.agents.graph_editor.evidence import Evidence, numbers_in
from graphwright.agents.graph_editor.mentions import key_like, orders, quoted
from graphwright.agents.graph_editor.problems import Problem
from graphwright.agents.graph_editor.reporting import done_lines
from graphwright.agents.graph_editor.state import Plan, State
from graphwright.agents.graph_editor.words import squeezed
from graphwright.graphstore import Change, Node
from graphwright.graphstore.port import GoalStatus

MOST_JOINABLE = 4

WRITING = ("create", "update", "delete")
"""Intents of goals that are to change the graph."""

_NOT_ASKED = frozenset(
    ("not_asked", "only_asked", "unsaid_value", "unsaid_key", "unsaid_label", "unsaid_type", "missing_key")
)
"""Problems of a call that nobody asked for."""


def history(state: State, evidence: Evidence) -> list[dict[str, Any]]:
    """The steps so far as turns of a chat: `{call, came}`, the last refused call with its error last.

    The last one also says what of the request no step has used, and by which edges it could be joined to what was made.
    """
    turns: list[dict[str, Any]] = []
    for step in state["done"]:
        call = {"tool_name": step["tool_name"], "arguments": step["arguments"]}
        turns.append({"call": call, "came": _came(step)})
    failures = [f for f in state["failures"] if f["step"] == len(state["done"]) and f["tool_name"]]
    for failure in failures[-2:]:
        call = {"tool_name": failure["tool_name"], "arguments": failure["arguments"]}
        turns.append({"call": call, "came": f"Error: {failure['message']} Make another call."})
    left = left_over(state)
    if turns and state["done"] and not failures and left:
        turns[-1]["came"] += f"\nNot used yet: {', '.join([*left, *_joinable(state, left, evidence)])}"
    return turns


def _joinable(state: State, left: Sequence[str], evidence: Evidence) -> list[str]:
    """The edges by which nodes that the goal made could be joined to nodes that are left over."""
    made = [
        change["after"]
        for step in state["done"]
        for change in step["changes"]
        if change["before"] is None and "label" in change["after"]
    ]
    found = []
    for node in evidence.mentions.nodes:
        if node.key not in left:
            continue
        for each in made:
            ends = [(each["label"], each["key"]), (node.label, node.key)]
            joins = [
                (one.type, source, target)
                for one in evidence.schema.types
                for source, target in (ends, ends[::-1])
                if (source[0], target[0]) in one.joins and source[0] != target[0]
            ]
            if len(joins) == 1:
                kind, source, target = joins[0]
                found.append(f"{source[1]} -[{kind}]-> {target[1]}")
    return found[:MOST_JOINABLE]


def _came(step: Mapping[str, Any]) -> str:
    lines = done_lines([step])
    if step["table"] is not None:
        lines += ["<result>", *view.table_lines(step["table"]), "</result>"]
    return "\n".join(["Done.", *lines]) if lines else "Done. It was so already."


def left_over(state: State, *, keys_only: bool = False) -> list[str]:
    """The keys and nodes, and the quoted texts and numbers, of the request that no step has used."""
    goal = state["goal"]
    assert goal is not None
    text = goal["text"]
    used = squeezed(" ".join(str(part) for step in state["done"] for part in _used(step)))
    named = [*key_like(text), *goal["named"]]
    if not keys_only:
        named += [*quoted(text), *(f"{number:g}" for number in numbers_in(text))]
    out = {squeezed(each) for each in goal["settled"]}
    return [
        each
        for each in dict.fromkeys(named)
        if squeezed(each) and squeezed(each) not in out and squeezed(each) not in used
    ][:6]


def _used(step: Mapping[str, Any]) -> list[Any]:
    """All texts of a step, properties as `name value`, so that quoted pairs are found."""
    found: list[Any] = []

    def collect(value: Any) -> None:
        if isinstance(value, Mapping):
            for name, item in value.items():
                found.append(name)
                collect(item)
        elif isinstance(value, list):
            for item in value:
                collect(item)
        else:
            found.append(value)

    collect(step["arguments"])
    collect(step["changes"])
    collect((step["table"] or {}).get("rows", []))
    return found


def complete(state: State) -> bool:
    """Whether the goal is complete after a step that went well.

    The model's word that a step was the final one counts, unless the request names something that no step has used;
    then it is asked once more, and the second time it is believed.
    """
    plan, signature, done = state["plan"], state["signature"], state["done"]
    assert plan is not None
    if signature is None or not signature["tool_name"]:
        return True
    if len(done) > 1 and _call(done[-1]) in [_call(step) for step in done[:-1]]:
        # The same call again: the model goes round.
        return True
    if not plan["is_final"]:
        return False
    goal = state["goal"]
    assert goal is not None
    if any(step["final"] for step in done[:-1]):
        return True
    if all(step["table"] is not None and not step["changes"] for step in done):
        # Looking up is all there is to do, unless the request also gives an order.
        return not orders(goal["text"])
    return not left_over(state, keys_only=True)


def stalled(state: State) -> bool:
    """Whether a goal that is to write something looks up the same again, and has written nothing."""
    goal, done = state["goal"], state["done"]
    assert goal is not None
    looks = len(done) > 1 and done[-1]["table"] is not None and _call(done[-1]) in [_call(s) for s in done[:-1]]
    return looks and goal["intent"] in WRITING and not any(step["changes"] for step in done)


def _call(step: Mapping[str, Any]) -> Any:
    return (step["tool_name"], step["arguments"])


def done_without(state: State, plan: Plan, problem: Problem | None = None) -> bool:
    """Whether everything that was asked for is done without this call: the model did not see that it was.

    That is so when the request names nothing that no step has used, and the call was refused, or only looks something
    up although nothing was to be looked up.
    """
    goal = state["goal"]
    assert goal is not None
    wrote = any(step["changes"] for step in state["done"])
    if not wrote or left_over(state, keys_only=True):
        return False
    if problem is not None:
        return problem.code in _NOT_ASKED and not left_over(state)
    return plan["tool_name"] == "query_graph" and goal["intent"] in WRITING


def status_of(
    done: Sequence[Mapping[str, Any]], *, complete: bool, failure: Mapping[str, Any] | None, left: bool
) -> GoalStatus:
    """How a goal ended, for the journal. `left`: the user did not want the rest."""
    if complete:
        return "done"
    if any(step["changes"] for step in done):
        return "partial"
    return (
        "refused" if left or (failure is not None and failure["code"] in ("out_of_scope", "unknown_tool")) else "failed"
    )


def unfinished(state: State, *, declined: bool) -> str:
    """What of a partly done goal is not done."""
    parts = []
    signature, plan = state.get("signature"), state.get("plan")
    if declined and signature is not None:
        parts.append(f"{_words(signature)} (you said no)")
    elif plan is not None and plan["tool_name"] and not _was_done(plan, state["done"]):
        parts.append(_words(plan))
    left = left_over(state)
    if left:
        parts.append(f"nothing was done with {', '.join(left)}")
    return "; ".join(parts) or "the rest of the request"


def _was_done(plan: Mapping[str, Any], done: Sequence[Mapping[str, Any]]) -> bool:
    return bool(done) and done[-1]["tool_name"] == plan["tool_name"] and done[-1]["arguments"] == plan["arguments"]


def _words(call: Mapping[str, Any]) -> str:
    arguments = call["arguments"]
    ends = [str(arguments[name]) for name in ("key", "from_key", "type", "to_key") if arguments.get(name)]
    return " ".join([call["tool_name"], *ends])


def made_by(done: Sequence[Mapping[str, Any]]) -> set[str]:
    """The keys of the nodes that the steps of a goal created."""
    changes = (change for step in done for change in step["changes"])
    return {c["after"]["key"] for c in changes if c["before"] is None and "label" in c["after"]}


def deleted_by(done: Sequence[Mapping[str, Any]]) -> tuple[Node, ...]:
    """The nodes that the steps of a goal deleted."""
    changes = (Change.from_json(change) for step in done for change in step["changes"] if change["after"] is None)
    return tuple(change.before for change in changes if isinstance(change.before, Node))


def recent(done: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys that a goal touched or found, for the next one ("close it")."""
    keys: dict[str, None] = {}
    for step in reversed(done):
        for change in step["changes"]:
            side = change["after"] or change["before"]
            keys |= dict.fromkeys([side["key"]] if "label" in side else [side["from_key"], side["to_key"]])
        for row in (step["table"] or {}).get("rows", [])[:10]:
            for value in row:
                if isinstance(value, Mapping) and "label" in value and "key" in value:
                    keys[value["key"]] = None
    return list(keys)[:10]

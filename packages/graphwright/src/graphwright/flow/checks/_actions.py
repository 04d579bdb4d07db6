"""Actions, the confirmations they demand, and the channels they write."""

from __future__ import annotations

import json
from typing import Any

from graphwright.flow._answer_scopes import Scopes
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft, DraftNode
from graphwright.flow._expressions import channel_schema
from graphwright.flow._json_schemas import allows_type, kind_of, may_fit, misfit
from graphwright.flow._ready_made import TEMPLATED
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import Action, ActionSignature, Catalogue, Kind
from graphwright.flow.guards._vocabulary import RESERVED_CHANNELS
from graphwright.text.near_names import Names, listed

MISSING = object()
_ALWAYS_READABLE = RESERVED_CHANNELS - {"value"}


def check_actions(draft: Draft, scopes: Scopes, catalogue: Catalogue | None, out: Reporter) -> None:
    """Check every action node, against the catalogue when there is one."""
    registered = Names([*catalogue.actions, *TEMPLATED] if catalogue else ())
    channels = Names(draft.state)
    for node in draft.nodes.values():
        if "confirm" in node.data:
            _check_confirm(draft, scopes, channels, node, out)
        if node.kind is not Kind.ACTION:
            continue
        run = node.data.get("run")
        if catalogue is None or run is None or node.is_ready_made:
            continue
        signature = catalogue.actions.get(run)
        if signature is None:
            hint = "Define it in `nodes.py` next to the document, with `@action`."
            hint += f" The agent has {listed(sorted(catalogue.actions))}." if catalogue.actions else ""
            hint = registered.hint(run, hint)
            out.add(Code.UNKNOWN_ACTION, (*node.path, "run"), f"There is no registered action `{run}`.", hint)
        else:
            _check_signature(draft, scopes, channels, node, signature, out)


def _check_signature(
    draft: Draft, scopes: Scopes, channels: Names, node: DraftNode, signature: ActionSignature, out: Reporter
) -> None:
    path = (*node.path, "run")
    for name in signature.reads:
        if not _readable(draft, scopes, node, name):
            message = f"The action `{signature.name}` reads `{name}`, which the flow does not declare here."
            out.add(Code.ACTION_READS, path, message, _hint(draft, scopes, channels, node, name))
    undeclared = [name for name in sorted(signature.uses) if not _declares(signature, name)]
    if undeclared and signature.complete:
        message = f"The action `{signature.name}` reads {listed(undeclared)}, which its `reads` does not list."
        hint = f"Write `reads={json.dumps([*signature.reads, *undeclared])}`."
        out.add(Code.UNDECLARED_READ, path, message, hint)
    for name in signature.writes:
        if name not in draft.state:
            message = f"The action `{signature.name}` writes `{name}`, which is not a channel of the flow."
            hint = channels.hint(name, f"Add it under `state`, as `{name}: {{type: ...}}`.")
            if name == "answers" or name.startswith("answers."):
                hint = "Answers come from questions alone; let the action write a channel."
            out.add(Code.ACTION_WRITES, path, message, hint)
    for name, values in signature.returns.items():
        if name not in signature.writes and signature.complete:
            message = f"The action `{signature.name}` returns `{name}`, which its `writes` does not list."
            hint = Names(signature.writes).hint(name, f'Write `writes=[..., "{name}"]`, or do not return it.')
            out.add(Code.ACTION_RETURNS, path, message, hint)
        elif name in draft.state and name not in draft.unsound and draft.state[name].get("reduce") != "append":
            _check_returned(signature.name, name, values, draft, path, out)


def _declares(signature: ActionSignature, name: str) -> bool:
    """Whether `reads` lists a name, a name that contains it, or a part of it."""
    return any(name == read or name.startswith(f"{read}.") or read.startswith(f"{name}.") for read in signature.reads)


def _check_returned(
    action: str, channel: str, values: tuple[Any, ...], draft: Draft, path: Path, out: Reporter
) -> None:
    schema = channel_schema(draft.state[channel])
    wrong = next((value for value in values if not may_fit(value, schema)), MISSING)
    if wrong is not MISSING:
        message = f"The action `{action}` returns {kind_of(wrong)} for `{channel}`, which the channel does not allow."
        hint = "Return a value of the channel's schema, or change the schema."
        related = [("the channel", ("state", channel))]
        out.add(Code.ACTION_RETURNS, path, message, hint, related=related)


def _readable(draft: Draft, scopes: Scopes, node: DraftNode, name: str) -> bool:
    if name.startswith("answers."):
        return scopes.declares(name.removeprefix("answers."), node.graph, draft)
    return name in draft.state or name in _ALWAYS_READABLE


def _hint(draft: Draft, scopes: Scopes, channels: Names, node: DraftNode, name: str) -> str:
    if name.startswith("answers."):
        near = Names(scopes.names(node.graph, draft)).nearest(name.removeprefix("answers."), most=1)
        return f"Did you mean `answers.{near[0]}`?" if near else "Ask for it with a question of that key."
    if scopes.declares(name, node.graph, draft):
        return f"An answer is named with its prefix: `answers.{name}`."
    return channels.hint(name, f"Add it under `state`, as `{name}: {{type: ...}}`.")


def _check_confirm(draft: Draft, scopes: Scopes, channels: Names, node: DraftNode, out: Reporter) -> None:
    confirm, path = node.data["confirm"], (*node.path, "confirm")
    if "by" in confirm:
        graph = draft.graphs[node.graph]
        question = graph.nodes.get(confirm["by"])
        confirming = [n.id for n in graph.nodes.values() if n.data.get("read") == "confirm"]
        if question is None or question.kind is not Kind.QUESTION:
            message = f"`{node.id}` is confirmed by `{confirm['by']}`, which is not a question of the same graph."
            hint = Names(confirming).hint(confirm["by"], "Name a question with `read: confirm`.")
            out.add(Code.CONFIRM_BY, (*path, "by"), message, hint)
        elif question.data.get("read") != "confirm":
            message = f"`{node.id}` is confirmed by `{question.id}`, which does not read yes or no."
            related = [(f"`{question.id}` is here", question.path)]
            out.add(Code.CONFIRM_BY, (*path, "by"), message, "Give the question `read: confirm`.", related=related)
        elif "when" in question.data:
            message = f"`{node.id}` is confirmed by `{question.id}`, which is not asked where its `when` is false."
            hint = (
                "Take `when` off the question, and give it to `confirm`: the yes is needed only where that is true. "
                f"Where it is false, lead to `{node.id}` by another edge that does not pass the question."
            )
            related = [(f"`{question.id}` is here", question.path)]
            out.add(Code.CONFIRM_WHEN, (*path, "by"), message, hint, related=related)
    for place, name in enumerate(confirm.get("over", ())):
        if not _readable(draft, scopes, node, name):
            message = f"`{node.id}` is confirmed over `{name}`, which the flow does not declare."
            out.add(Code.CONFIRM_OVER, (*path, "over", place), message, _hint(draft, scopes, channels, node, name))


def check_constant_guards(context: FlowContext, out: Reporter) -> None:
    """Report channels without a writer in guards: those that alone decide a guard, and those that are always empty."""
    actions = [node for node in context.flow.nodes.values() if isinstance(node, Action)]
    if not actions or any(context.written_by(action) is context.flow.channels for action in actions):
        return
    reported: set[str] = set()
    for node in context.flow.nodes.values():
        for edge in node.edges:
            reads = edge.guard.reads if edge.guard is not None else frozenset()
            unwritten = {name for name in reads if name in context.flow.channels and not context.writers(name)}
            alone = unwritten == reads
            constant = unwritten if alone else {name for name in unwritten if context.is_always_empty(name)}
            if not constant <= reported:
                reported |= constant
                one = len(constant) == 1
                message = f"No action writes {listed(sorted(constant))}, so "
                then = "it always has its initial value here" if one else "they always have their initial values here"
                message += "this guard never changes." if alone else f"{then}."
                them = "it" if one else "them"
                hint = f"Add {them} to the `writes` of the action that should change {them}, or remove the guard."
                out.add(Code.CHANNEL_NOT_WRITTEN, (*context.edge_path(node, edge), "guard"), message, hint)


def check_state(draft: Draft, catalogue: Catalogue | None, out: Reporter) -> None:
    """Check every channel, and that the typed view declares no other."""
    for name, channel in draft.state.items():
        path = ("state", name)
        schema = channel_schema(channel)
        if channel.get("reduce") == "append" and not allows_type(schema, "array"):
            hint = "Write `type: array`, or leave `reduce` out."
            out.add(Code.APPEND_NOT_LIST, (*path, "reduce"), f"`{name}` is appended to, but is not a list.", hint)
        if name not in draft.unsound and "default" in channel and (why := misfit(channel["default"], schema)):
            hint = "Correct the default, or allow it in the schema (`type: [string, 'null']` allows null)."
            out.add(Code.BAD_DEFAULT, (*path, "default"), f"The default of `{name}` does not fit: {why}.", hint)
        if name in draft.predicates:
            message = f"`{name}` is a channel and a predicate at once."
            related = [("the channel", path)]
            hint = "Rename one of the two."
            out.add(Code.RESERVED_NAME, ("predicates", name), message, hint, key=True, related=related)
    if catalogue is None or catalogue.state_fields is None:
        return
    names = Names(draft.state)
    for field in sorted(catalogue.state_fields - set(draft.state)):
        message = f"The typed view of the state has the field `{field}`, which the flow does not declare."
        hint = names.hint(field, f"Add it under `state`, as `{field}: {{type: ...}}`, or remove the field.")
        out.add(Code.STATE_VIEW, ("state",), message, hint, key=True)

"""Fields that have no effect: of a map, of a request, of the order of questions, and rules that read no answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphwright.flow._dependencies import mapped_nodes, own_signature
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._json_schemas import options
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._truth_tables import FlowContext, all_reads, conditions_of
from graphwright.flow.compiled import Action, Decision, Map, Node, Question
from graphwright.flow.guards._vocabulary import VALUE
from graphwright.text.near_names import Names, listed

_READING = ("http_request", "call_tool")
"""The ready-made actions that may leave out `into`."""


def check_fields_have_effect(context: FlowContext, out: Reporter) -> None:
    """Report fields of nodes that change nothing, and each `validate` that does not read the answer."""
    for node in context.flow.nodes.values():
        for path, message, hint in _without_effect(context, node):
            out.add(Code.NO_EFFECT, (*context.path(node), *path), message, hint)
        if isinstance(node, Question) and node.validate is not None and VALUE not in node.validate.reads:
            message = f"`validate` of `{node.id}` does not read `value`: it accepts every answer, or none."
            hint = "Compare the answer as `value`. When the question is asked at all says `when`."
            out.add(Code.VALIDATES_NOTHING, (*context.path(node), "validate"), message, hint)


def _without_effect(context: FlowContext, node: Node) -> Iterator[tuple[Path, str, str]]:
    """The fields of a node without effect: path, message and hint of each."""
    if isinstance(node, Decision) and node.pick_question:
        place = next((place for place, edge in enumerate(node.edges) if edge.priority), None)
        if place is not None:
            target = node.edges[place].target
            message = f"`{node.id}` asks by the `priority` of its questions; that of its edges has no effect."
            yield ("id",), message, f"Give it to the question, such as `{target}`: the lowest is asked first."
    if isinstance(node, Question):
        yield from _of_titles(node.schema)
    if not isinstance(node, Action):
        return
    if node.backoff and node.attempts == 1:
        yield ("retry", "backoff"), "Nothing is repeated, so there is no pause.", "Add `attempts`, such as 3."
    if _response_is_lost(context, node):
        message = f"Nothing keeps what `{node.id}` reads, and it changes nothing."
        yield ("run",), message, "Add `into: CHANNEL` for the response, or remove the node."
    if node.map is not None:
        yield from _of_map(context, node, node.map)


def _of_titles(schema: Mapping[str, Any]) -> Iterator[tuple[Path, str, str]]:
    """The titles that belong to no value of an `enum`, the first alone."""
    titles, values = schema.get("x-titles"), [str(value) for value in options(schema)]
    unused = [str(value) for value in titles if str(value) not in values] if isinstance(titles, Mapping) else []
    if unused and values:
        message = f"`{unused[0]}` is not one of the values, so its title is never shown."
        hint = Names(values).hint(unused[0], f"Write one of {listed(values)}.")
        yield ("schema", "x-titles", unused[0]), message, hint


def _response_is_lost(context: FlowContext, node: Action) -> bool:
    """Whether a node only reads something that is not kept; `on_error` may ask for no more than its existence."""
    signature = own_signature(context.flow, node)
    own = node.parameters is not None and node.run in _READING
    return own and not signature.effects and not signature.writes and not node.on_error


def _of_map(context: FlowContext, node: Action, given: Map) -> Iterator[tuple[Path, str, str]]:
    if given.errors and not node.on_error:
        message = f"Without `on_error` an item that fails makes the turn fail, so `{given.errors}` is always empty."
        yield ("map", "errors"), message, "Add `on_error: NODE`: then the other items keep their results."
    inside = [*mapped_nodes(context.flow, given.graph)] if given.graph else [node]
    reads = set(all_reads(guard for each in inside for guard in conditions_of(each)))
    for action in (each for each in inside if isinstance(each, Action)):
        signature = own_signature(context.flow, action)
        reads |= set(signature.reads)
        # Python may take the item from the list, by its number.
        if action.parameters is None and (
            not signature.complete or given.over in signature.reads or not signature.name
        ):
            return
    if given.item not in {name.partition(".")[0] for name in reads}:
        message = f"Nothing that `{node.id}` does reads `{given.item}`, so it does the same for every item."
        yield ("map", "as"), message, f"Use `{given.item}` in it, in place of `{given.over}`."

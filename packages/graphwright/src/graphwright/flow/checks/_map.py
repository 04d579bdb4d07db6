"""Nodes with `map`: the list that they run over, their channels, and what the mapped subgraph may contain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphwright.flow._answer_scopes import Scopes
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft, DraftNode
from graphwright.flow._expressions import channel_schema
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow._json_schemas import allows_type
from graphwright.flow._source import Reporter
from graphwright.flow.compiled import ROOT, ActionSignature, Catalogue, Kind
from graphwright.text.near_names import Names

MAP = "map"
_ANSWERS = "answers."
_TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")
_ONLY_MAPPED = ("on_error", "confirm")


def check_maps(draft: Draft, scopes: Scopes, catalogue: Catalogue | None, out: Reporter) -> None:
    """Check every node with `map`. Its shape was checked before."""
    for node in draft.nodes.values():
        given = node.data.get(MAP)
        if isinstance(given, Mapping):
            _check_over(draft, scopes, node, given, out)
            _check_channels(draft, node, given, catalogue, out)
            if node.kind is Kind.SUBGRAPH:
                _check_inside(draft, node, out)
        elif node.kind is Kind.SUBGRAPH:
            for name in _ONLY_MAPPED:
                if name in node.data:
                    message = f"`{name}` of a subgraph node needs `map`: a plain call does nothing by itself."
                    hint = f"Give it to the action inside `{node.data.get('ref', '')}`."
                    out.add(Code.UNKNOWN_FIELD, (*node.path, name), message, hint, key=True)


def _check_over(draft: Draft, scopes: Scopes, node: DraftNode, given: Mapping[str, Any], out: Reporter) -> None:
    name = given.get("over")
    if not isinstance(name, str):
        return
    if name.startswith(_ANSWERS):
        key = name.removeprefix(_ANSWERS)
        known = scopes.declares(key, node.graph, draft)
        schemas = [question.schema for question in scopes.questions(key, draft)] if known else []
        hint = "Name a question whose schema has `type: array`."
    else:
        known = name in draft.state
        schemas = [channel_schema(draft.state[name])] if known and name not in draft.unsound else []
        hint = Names(draft.state).hint(name, "Name a channel with `type: array`, or an answer: `answers.KEY`.")
    if not known:
        message = f"`{node.id}` runs over `{name}`, which the flow does not declare here."
        out.add(Code.MAP_OVER, (*node.path, MAP, "over"), message, hint)
    elif schemas and not any(allows_type(schema, "array") for schema in schemas):
        message = f"`{node.id}` runs over `{name}`, which is not a list."
        out.add(Code.MAP_OVER, (*node.path, MAP, "over"), message, "Give it `type: array`, or name another one.")
    else:
        _check_item(draft, node, name, schemas, out)


def _check_item(draft: Draft, node: DraftNode, over: str, lists: Sequence[Mapping[str, Any]], out: Reporter) -> None:
    """Check that the channel that holds an item allows the items of a list."""
    item = node.data[MAP].get("as")
    held = draft.state.get(item) if isinstance(item, str) else None
    items = [schema["items"] for schema in lists if isinstance(schema.get("items"), Mapping)]
    if held is None or not items:
        return
    kinds = [kind for kind in _TYPES if any(allows_type(each, kind) for each in items)]
    if kinds and not any(allows_type(held, kind) for kind in kinds):
        message = f"An item of `{over}` has `type: {kinds[0]}`, which the channel `{item}` does not allow."
        hint = f"Give `{item}` the type of the items: `{item}: {{type: {kinds[0]}}}`."
        out.add(Code.MAP_CHANNEL, (*node.path, MAP, "as"), message, hint)


def _check_channels(
    draft: Draft, node: DraftNode, given: Mapping[str, Any], catalogue: Catalogue | None, out: Reporter
) -> None:
    path = (*node.path, MAP)
    for field in ("as", "result", "into", "errors"):
        name = given.get(field)
        if not isinstance(name, str):
            continue
        if name not in draft.state:
            hint = Names(draft.state).hint(name, f"Add it under `state`, as `{name}: {{type: ...}}`.")
            out.add(Code.MAP_CHANNEL, (*path, field), f"`{name}` is not a channel of the flow.", hint)
        elif field in ("into", "errors") and not allows_type(draft.state[name], "array"):
            message = f"`{name}` gets a list, and is not one."
            out.add(Code.MAP_CHANNEL, (*path, field), message, f"Give `{name}` the `type: array`.")
    into = given.get("into")
    if not isinstance(into, str):
        return
    if "result" not in given and not _has_one_result(node, catalogue):
        message = f"`{node.id}` has results in `{into}`, and does not say which channel holds that of an item."
        out.add(Code.MAP_CHANNEL, (*path, "into"), message, "Add `result: CHANNEL`.", key=True)
    items = draft.state.get(into, {}).get("items")
    if isinstance(items, Mapping):
        _check_items(draft, node, items, given.get("result", _only_result(node, catalogue)), out)


def _check_items(draft: Draft, node: DraftNode, items: Mapping[str, Any], result: Any, out: Reporter) -> None:
    """Check that the items of the list of results allow the result of an item, and null if an item may fail."""
    path = (*node.path, MAP, "into")
    into = node.data[MAP]["into"]
    made = draft.state.get(result) if isinstance(result, str) else None
    kinds = [kind for kind in _TYPES if made is not None and allows_type(made, kind)]
    if kinds and not any(allows_type(items, kind) for kind in kinds):
        kind = next((kind for kind in kinds if kind != "null"), "null")
        message = f"A result of `{node.id}` is what `{result}` holds (`type: {kind}`), which the items of `{into}` "
        wanted = f"[{kind}, 'null']" if "on_error" in node.data else kind
        hint = f"Give `{into}` `items: {{type: {wanted}}}`, or let `{result}` hold what the items are."
        out.add(Code.MAP_CHANNEL, path, f"{message}do not allow.", hint)
    elif "on_error" in node.data and not allows_type(items, "null"):
        message = f"The result of an item that has failed is null, which the items of `{into}` do not allow."
        kind = next((kind for kind in _TYPES if allows_type(items, kind)), "object")
        hint = f"Allow it: `items: {{type: [{kind}, 'null'], ...}}`; or leave `on_error` out: then the turn fails."
        out.add(Code.MAP_CHANNEL, path, message, hint)


def _has_one_result(node: DraftNode, catalogue: Catalogue | None) -> bool:
    if node.kind is Kind.SUBGRAPH:
        return False
    if node.is_ready_made:
        return "into" in node.parameters
    known: ActionSignature | None = catalogue.actions.get(node.data.get("run", "")) if catalogue is not None else None
    return known is None or not known.complete or len(known.writes) == 1


def _only_result(node: DraftNode, catalogue: Catalogue | None) -> Any:
    """The channel that holds the result of an item without `result`, or None if it is unknown."""
    if node.is_ready_made:
        return node.parameters.get("into")
    known = catalogue.actions.get(node.data.get("run", "")) if catalogue is not None else None
    return known.writes[0] if known is not None and known.complete and len(known.writes) == 1 else None


def _check_inside(draft: Draft, node: DraftNode, out: Reporter) -> None:
    ref = node.data.get("ref")
    if ref not in draft.graphs or ref == ROOT:
        if isinstance(ref, str) and ref.startswith("$"):
            message = f"`{node.id}` runs over a list, so it names its subgraph."
            out.add(Code.MAP_INSIDE, (*node.path, "ref"), message, "Write the id of a subgraph.")
        return
    related = [(f"`{node.id}` runs it for every item", node.path)]
    graphs = reachable([ref], lambda name: [c for call in draft.graphs[name].calls for c in draft.callees(call)])
    for inner in (each for name in draft.graphs if name in graphs for each in draft.graphs[name].nodes.values()):
        for what, hint in _not_allowed(inner):
            message = f"`{inner.id}` is {what}, in a subgraph that `{node.id}` runs for every item of a list."
            out.add(Code.MAP_INSIDE, inner.path, message, hint, related=related)


def _not_allowed(inner: DraftNode) -> Iterator[tuple[str, str]]:
    if inner.kind is Kind.QUESTION:
        yield "a question", "Ask before the node with `map`: the items run at once, and nobody answers them."
    elif inner.kind is Kind.TERMINAL:
        yield "a terminal", "Lead to `__exit__` instead: the other items still run."
    if "confirm" in inner.data:
        yield "an action with a confirmation", "Move `confirm` to the node with `map`: one yes covers all items."
    if MAP in inner.data:
        yield "a node with `map`", "Let the outer list hold what is done, or run one list after the other."


def confirmed_graphs(draft: Draft) -> frozenset[str]:
    """The subgraphs that are only run by nodes with `map` and `confirm`: a yes covers all that they do."""
    calls = [node for node in draft.nodes.values() if node.kind is Kind.SUBGRAPH]
    confirmed = {c for node in calls if MAP in node.data and "confirm" in node.data for c in draft.callees(node)}
    return frozenset(
        confirmed
        - {c for node in calls if not (MAP in node.data and "confirm" in node.data) for c in draft.callees(node)}
    )

"""The items of a node with `map`: how many there may be, and which channels have values of their own for each."""

from __future__ import annotations

from graphwright.flow._dependencies import mapped_nodes
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import Action, Node


def mapped_graph(node: Node) -> str:
    """The graph that a node runs for every item of a list; empty if there is none."""
    return node.map.graph if isinstance(node, Action) and node.map is not None else ""


def may_be_empty(context: FlowContext, node: Action) -> bool:
    """Whether the list that a node runs over may have no item."""
    assert node.map is not None
    name = node.map.over
    channel = context.flow.channels.get(name)
    schemas = [channel.schema] if channel is not None else [question.schema for question in context.askers(name)]
    least = [schema.get("minItems", 0) for schema in schemas]
    return not least or min(least) < 1


def own_channels(context: FlowContext, node: Action) -> frozenset[str]:
    """The channels whose values belong to one item of a node that runs a graph."""
    assert node.map is not None
    inside = (each for each in mapped_nodes(context.flow, node.map.graph) if isinstance(each, Action))
    return frozenset({node.map.item}).union(*map(context.written_by, inside))

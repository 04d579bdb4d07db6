"""Channels of lists: what an item writes is read outside of its run, or the results are read while the items run."""

from __future__ import annotations

from collections.abc import Iterator, Set

from graphwright.flow._dependencies import own_signature
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow._ready_made import WITH
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._lost_values import direct_reads
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import ROOT, Action, Call, Map, Node, Question, Terminal
from graphwright.flow.guards._syntax_tree import show


def check_item_values(context: FlowContext, out: Reporter) -> None:
    """Report each channel, once, that is read where it always has its initial value because of a `map`."""
    flow = context.flow
    mapped = {node: node.map for node in flow.nodes.values() if isinstance(node, Action) and node.map is not None}
    if not mapped:
        return
    inside = context.control.called_in(each.graph for each in mapped.values() if each.graph)
    inside -= _called_plainly(context)
    for name in sorted(_written_by_items(context, mapped, inside)):
        _check_outside(context, name, mapped, inside, out)
    for node, given in mapped.items():
        for name in (given.into, given.errors):
            channel = flow.channels.get(name)
            only = channel is not None and channel.per_conversation and context.writers(name) == [node]
            if only and name != given.over and node.id not in context.control.reached(context.control.after(node.id)):
                _check_inside(context, node, given, name, inside, out)


def _called_plainly(context: FlowContext) -> set[str]:
    """The graphs that run other than for the items of a list."""
    graphs = context.flow.graphs

    def called(name: str) -> Iterator[str]:
        for node in graphs[name].nodes.values():
            if isinstance(node, Call):
                yield from context.flow.callees(node)

    return reachable([ROOT], called)


def _written_by_items(context: FlowContext, mapped: dict[Action, Map], inside: Set[str]) -> set[str]:
    """The channels that only actions write which run for an item: nothing outside of the item sees what they write."""
    flow = context.flow
    actions = [node for node in flow.nodes.values() if isinstance(node, Action)]
    single = [node for node, given in mapped.items() if not given.graph]
    known = [own_signature(flow, each) for each in (*single, *(each for each in actions if each.graph in inside))]
    if not all(signature.complete for signature in known):
        return set()
    names = {name for signature in known for name in signature.writes if name in flow.channels}
    items = {given.item for given in mapped.values()}
    return {name for name in names - items if all(each.graph in inside for each in context.writers(name))}


def _check_outside(context: FlowContext, name: str, mapped: dict[Action, Map], inside: Set[str], out: Reporter) -> None:
    functions = {node.function for node in mapped}
    functions |= {n.function for n in context.flow.nodes.values() if isinstance(n, Action) and n.graph in inside}
    for node in context.flow.nodes.values():
        if node.graph in inside or (isinstance(node, Action) and node.function in functions):
            continue
        place = _place_of(context, node, name)
        if place is not None:
            default = show(context.flow.channels[name].default)
            message = (
                f"`{name}` always has its initial value here, {default}: only the item that writes it sees the value."
            )
            hint = "Read the results of the items (`into`)."
            related = [(f"`{each.id}` runs the items", context.path(each)) for each in list(mapped)[:3]]
            out.add(Code.READ_TOO_EARLY, place, message, hint, related=related)
            return


def _check_inside(context: FlowContext, node: Action, given: Map, name: str, inside: Set[str], out: Reporter) -> None:
    graphs = context.control.called_in([given.graph]) & inside if given.graph else set()
    for each in (node, *(n for graph in sorted(graphs) for n in context.flow.graphs[graph].nodes.values())):
        place = _place_of(context, each, name, item=each is node)
        if place is not None:
            default = show(context.flow.channels[name].default)
            message = (
                f"`{name}` always has its initial value here, {default}: `{node.id}` writes it after the last item."
            )
            hint = f"Read the item (`{given.item}`), or read `{name}` after `{node.id}`."
            related = [(f"`{node.id}` is here", context.path(node))]
            out.add(Code.READ_TOO_EARLY, place, message, hint, related=related)
            return


def _place_of(context: FlowContext, node: Node, name: str, *, item: bool = False) -> Path | None:
    """The first place of a node that reads a channel itself, or None; with `item` only while an item of it runs."""
    found = _of_an_action(context, node) if isinstance(node, Action) else _of_another(context, node)
    for reads, place in found:
        if name in reads:
            return place
    for edge in node.edges if not item else ():
        if edge.guard is not None and name in direct_reads(edge.guard):
            return (*context.edge_path(node, edge), "guard")
    return None


def _of_an_action(context: FlowContext, node: Action) -> Iterator[tuple[Set[str], Path]]:
    """The names that the code of an action reads, and its texts."""
    path = context.path(node)
    if node.parameters is not None:
        for place, template in node.parameters.templates((*path, WITH)):
            yield template.reads, place
    elif node.map is None or not node.map.graph:
        yield set(own_signature(context.flow, node).reads), (*path, "run")


def _of_another(context: FlowContext, node: Node) -> Iterator[tuple[Set[str], Path]]:
    path = context.path(node)
    if isinstance(node, Question):
        yield node.prompt.reads, (*path, "prompt")
        if node.when is not None:
            yield direct_reads(node.when), (*path, "when")
    elif isinstance(node, Terminal) and node.say is not None:
        yield node.say.reads, (*path, "say")

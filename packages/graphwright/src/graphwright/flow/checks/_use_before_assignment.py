"""Use before assignment: expressions that read an answer or a channel that some way has not set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._ready_made import WITH
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._definite_assignment import CHANNEL, PREFIX, Assignment, Moment, Presence, names_read
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import Action, Channel, Decision, Node, Question, Terminal
from graphwright.flow.guards import Guard, Template
from graphwright.flow.guards._value_types import type_of_schema
from graphwright.text.near_names import listed

_LONG = 8
_NONE: frozenset[str] = frozenset()

_THEN = {
    "guard": ("The guard is not true then.", "has({0}) && ..."),
    "when": ("The question is passed over then.", "has({0}) && ..."),
    "confirm.when": ("The confirmation is demanded then.", "!has({0}) || ..."),
    "validate": ("No answer is accepted then.", "!has({0}) || ..."),
}


class Use(NamedTuple):
    """An expression of a node and its place; `moment` says which answers exist at its evaluation.

    `known` are answers whose absence does not matter, because another edge is taken then.
    """

    node: Node
    guard: Guard
    path: Path
    moment: Moment
    known: Callable[[], frozenset[str]] = frozenset


def check_use_before_assignment(context: FlowContext, assigned: Assignment, out: Reporter) -> set[str]:
    """Report each answer and channel, once for each node that reads it, with a way on which it has no value.

    Returns the names of the reported channels.

    Constraints are not checked, because an unmet constraint asks for its answers. Nor are the conditions of the
    questions of a decision with `pick: question`, because it evaluates them again after every answer. A channel is
    checked if it has no initial value and its schema does not allow null.
    """
    nodes = context.flow.nodes
    confirming = [nodes[n.confirm.by] for n in nodes.values() if isinstance(n, Action) and n.confirm is not None]
    # A confirmation that may be skipped is reported at the action that demands it.
    passed_over = {q.key for q in confirming if isinstance(q, Question) and q.when is not None}
    empty = {CHANNEL + name for name, channel in context.flow.channels.items() if _begins_empty(channel)}
    # A channel that holds an item has a value wherever it is read.
    empty -= {CHANNEL + n.map.item for n in nodes.values() if isinstance(n, Action) and n.map is not None}
    reported: set[tuple[Node, str]] = set()
    for use in _uses(context, assigned):
        names = [name for name in names_read(use.guard) if name[0] != CHANNEL or name in empty]
        names = [name for name in names if not use.moment.has(use.node, name)]
        missing = {name for name in names if name not in passed_over and (use.node, name) not in reported}
        if missing:
            missing &= Presence(use.guard, assigned.implied(use.node)).needed(use.guard.tree, use.known())
        for name in sorted(missing):
            reported.add((use.node, name))
            _report(context, use, name, assigned.way_without(use.node, name), out)
    unset = {name.removeprefix(CHANNEL) for _, name in reported if name.startswith(CHANNEL)}
    return unset | _check_options(context, assigned, out)


def _check_options(context: FlowContext, assigned: Assignment, out: Reporter) -> set[str]:
    """Report each channel of options that is empty when its question is asked. Returns their names."""
    found = set()
    for question in context.flow.questions:
        name = question.options
        if not name or context.flow.channels[name].default or assigned.on_asking.has(question, CHANNEL + name):
            continue
        if context.known_writers(name) and not (question.when is not None and name in question.when.reads):
            found.add(name)
            way = assigned.way_without(question, CHANNEL + name)
            _report_channel(context, (*context.path(question), "options"), name, way, out)
    return found


def _uses(context: FlowContext, assigned: Assignment) -> Iterator[Use]:
    for node in context.flow.nodes.values():
        path = context.path(node)
        if isinstance(node, Question):
            if node.when is not None:
                yield Use(node, node.when, (*path, "when"), assigned.on_entering)
            if node.validate is not None:
                yield Use(node, node.validate, (*path, "validate"), assigned.on_asking)
            yield from _holes(node, node.prompt, (*path, "prompt"), assigned.on_asking)
            yield from _holes(node, node.invalid_prompt, (*path, "invalid_prompt"), assigned.on_asking)
        elif isinstance(node, Action) and node.confirm is not None and node.confirm.when is not None:
            yield Use(node, node.confirm.when, (*path, "confirm", "when"), assigned.on_entering)
        elif isinstance(node, Terminal):
            yield from _holes(node, node.say, (*path, "say"), assigned.on_entering)
        if isinstance(node, Action) and node.parameters is not None:
            for place, template in node.parameters.templates((*path, WITH)):
                yield from _holes(node, template, place, assigned.on_entering)
        if isinstance(node, Decision) and node.pick_question:
            continue
        for edge in node.edges:
            if edge.guard is None:
                # As the first edge, it does not depend on the others.
                break
            others = [e.guard for e in node.edges if e is not edge and e.guard is not None]
            known = partial(_closed, others)
            yield Use(node, edge.guard, (*context.edge_path(node, edge), "guard"), assigned.on_leaving, known)


def _closed(guards: Iterable[Guard]) -> frozenset[str]:
    """The answers that exist if none of these guards is true."""
    return _NONE.union(*(Presence(guard).proven(guard.tree, False, by_has=True) for guard in guards))


def check_kept_channels(context: FlowContext, assigned: Assignment, unset: set[str], out: Reporter) -> None:
    """Report each channel, once, that is read where only an earlier conversation of the thread has written it.

    A channel with an explicit `scope` is intended, and with `restart: keep` the answers remain as well. Channels in
    `unset`, which are empty in the first conversation, were already reported.
    """
    flow = context.flow
    declared = flow.document.get("state", {})
    if flow.keep_answers:
        return
    items = {n.map.item for n in flow.nodes.values() if isinstance(n, Action) and n.map is not None}
    named = flow.channels.keys() - unset - items
    found = {name for name in named if "scope" not in declared[name] and context.known_writers(name)}
    places: dict[Path, tuple[Node, list[str]]] = {}
    for node, path, name, moment in _channel_uses(context, assigned) if found else ():
        if name in found and not moment.has(node, CHANNEL + name):
            found.remove(name)
            places.setdefault(path, (node, []))[1].append(name)
    for path, (node, names) in places.items():
        way = _shortened_path([each.id for each in assigned.way_without(node, CHANNEL + names[0])])
        which = f"{' and '.join(f'`{name}`' for name in names)} may hold what the last conversation on the thread"
        message = f"{which} wrote: no action has written {'it' if len(names) == 1 else 'them'} on this way: {way}."
        hint = (
            "Give such a channel `scope: conversation`, or write out `scope: thread` where its value is meant to stay."
        )
        related = [("the channel", ("state", name)) for name in names]
        out.add(Code.CHANNEL_KEPT, path, message, hint, related=related)


def _channel_uses(context: FlowContext, assigned: Assignment) -> Iterator[tuple[Node, Path, str, Moment]]:
    """Each place that reads a channel, and the moment: expressions, options, confirmations and actions."""
    for use in _uses(context, assigned):
        for name in names_read(use.guard):
            if name.startswith(CHANNEL):
                yield use.node, use.path, name.removeprefix(CHANNEL), use.moment
    for node in context.flow.nodes.values():
        if isinstance(node, Question) and node.options:
            yield node, (*context.path(node), "options"), node.options, assigned.on_asking
        elif isinstance(node, Action) and node.parameters is None and (signature := context.signature(node)):
            path = (*context.path(node), "run")
            channels = [name for name in signature.reads if name in context.flow.channels]
            yield from ((node, path, name, assigned.on_entering) for name in channels)


def _begins_empty(channel: Channel) -> bool:
    return channel.default is None and not type_of_schema(channel.schema).nullable


def _holes(node: Node, template: Template | None, path: Path, moment: Moment) -> Iterator[Use]:
    for expression in template.expressions if template is not None else ():
        yield Use(node, expression, path, moment)


def _report(context: FlowContext, use: Use, name: str, way: Sequence[Node], out: Reporter) -> None:
    if name[0] == CHANNEL:
        _report_channel(context, use.path, name.removeprefix(CHANNEL), way, out)
        return
    read, all_askers = f"{PREFIX}{name}", context.askers(name)
    askers = [question.id for question in all_askers if question not in way]
    shown = [node.id + _remark(node, use, all_askers) for node in way]
    without = f", without {listed(askers, 3)}" if askers else ""
    message = f"`{read}` may have no value here: {_shortened_path(shown)}{without}."
    field = "confirm.when" if use.path[-2] == "confirm" else str(use.path[-1])
    if field in _THEN:
        then, beginning = _THEN[field]
        hint = f"{then} Ask for it on that way too, or begin with `{beginning.format(read)}`."
    else:
        then = (
            "The action fails then (`missing_parameter`)"
            if isinstance(use.node, Action)
            else "Nothing stands there then"
        )
        hint = f"{then}. Ask for it on that way too, or write `has({read}) ? ... : '...'`."
    related = [("the question that asks for it", context.path(question)) for question in all_askers[:3]]
    out.add(Code.MAY_BE_UNASKED, use.path, message, hint, related=related)


def _report_channel(context: FlowContext, path: Path, name: str, way: Sequence[Node], out: Reporter) -> None:
    message = f"The channel `{name}` has no value here: {_shortened_path([node.id for node in way])}"
    writers = [action.id for action in context.writers(name) if action not in way]
    message += f", without {listed(writers, 3)}." if writers else "."
    hint = f'Give `{name}` a default, write it on that way too, or allow null (`type: [..., "null"]`) and ask for it: '
    hint += f"`{name} != null`."
    out.add(Code.CHANNEL_UNSET, path, message, hint, related=[("the channel", ("state", name))])


def _shortened_path(names: Sequence[str]) -> str:
    return " -> ".join(names if len(names) <= _LONG else [*names[:3], "...", *names[-4:]])


def _remark(node: Node, use: Use, askers: Sequence[Question]) -> str:
    """A remark for a question on the way that does not set the answer it asks for; otherwise empty."""
    if not isinstance(node, Question) or node not in askers or (node is use.node and use.path[-1] != "guard"):
        return ""
    return " (passed over)" if node.when is not None else " (not answered)"

"""Use before assignment: expressions that read an answer or a channel that some way has not set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._ready_made import WITH
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._definite_assignment import Assignment, Moment
from graphwright.flow.checks._presence import CHANNEL, PREFIX, Presence, names_read
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import Action, Channel, Decision, Node, Question, Terminal
from graphwright.flow.guards import Guard, Template
from graphwright.flow.guards._syntax_tree import show
from graphwright.flow.guards._value_types import type_of_schema
from graphwright.flow.guards._vocabulary import VALUE
from graphwright.text.near_names import listed

_LONG = 8
_SHOWING = frozenset({"options", "prompt", "invalid_prompt", "say", WITH, "over"})
"""The fields of nodes that show channels to the user, hand them to a ready-made action, or run over them."""
_JUDGING = ("when", "validate", "run")
"""The fields of nodes in which a channel that is always empty decides, or is handed to an action."""

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
            implied = assigned.implied(use.node, use.moment, missing)
            missing &= Presence(use.guard, implied).needed(use.guard.tree, use.known())
        missing |= _asked_later(context, use) - {name for node, name in reported if node is use.node}
        for name in sorted(missing):
            reported.add((use.node, name))
            _report(context, use, name, assigned.way_without(use.node, name), out)
    known = _check_refused(context, out) | _check_effects(context, assigned, out)
    _check_demanded(context, assigned, known, out)
    unset = {name.removeprefix(CHANNEL) for _, name in reported if name.startswith(CHANNEL)}
    return unset | _check_options(context, assigned, out)


def _asked_later(context: FlowContext, use: Use) -> set[str]:
    """The answers without which a `when` is never true, and that are asked for only after its question."""
    if use.path[-1] != "when" or not isinstance(use.node, Question):
        return set()
    needed = Presence(use.guard).proven(use.guard.tree, True, by_has=True)
    names = {name for name in needed if name[0] != CHANNEL and not use.moment.has(use.node, name)}
    return {name for name in names if _comes_later(context, use.node, context.askers(name))}


def _comes_later(context: FlowContext, node: Node, askers: Sequence[Question]) -> bool:
    """Whether every way to one of the questions passes a node first, and none leads back to it from there."""
    control, root = context.control, context.flow.root
    reached = control.reached([root.entry], {node.id}) if askers else set()
    return bool(askers) and all(
        asker is not node and asker.id not in reached and not control.leads_to([asker.id], node.id) for asker in askers
    )


def _check_refused(context: FlowContext, out: Reporter) -> set[tuple[str, str]]:
    """Report each question that leads, after too many invalid replies, to an action that needs its answer.

    Returns the ids of the actions and the names of the answers.
    """
    found: set[tuple[str, str]] = set()
    for question in context.flow.questions:
        action = context.flow.nodes[question.on_invalid] if question.on_invalid else None
        if not isinstance(action, Action) or action.parameters is not None:
            continue
        read = f"{PREFIX}{question.key}"
        signature = context.signature(action)
        if signature is not None and read in signature.reads and question.graph == action.graph:
            message = f"`{read}` has no value when `on_invalid` leads to `{action.id}`, whose `reads` name it."
            hint = f"Lead `on_invalid` to a node that does without `{read}`."
            related = [("the action", context.path(action))]
            out.add(Code.MAY_BE_UNASKED, (*context.path(question), "on_invalid"), message, hint, related=related)
            found.add((action.id, question.key))
    return found


def _check_effects(context: FlowContext, assigned: Assignment, out: Reporter) -> set[tuple[str, str]]:
    """Report each action with effects that reads an answer which is asked for only after it. Returns both.

    One that several nodes run may do without an answer at some of them.
    """
    flow = context.flow
    found: set[tuple[str, str]] = set()
    runs = Counter(node.run for node in flow.nodes.values() if isinstance(node, Action))
    escapes = _escapes(context)
    for node in flow.nodes.values() if not flow.keep_answers else ():
        if not isinstance(node, Action) or node.parameters is not None or node.id in escapes:
            continue
        signature = context.signature(node)
        if signature is None or not signature.effects or runs[signature.name] > 1:
            continue
        for read in (name for name in signature.reads if name.startswith(PREFIX)):
            askers = context.askers(read)
            name = read.removeprefix(PREFIX)
            unset = name in assigned.bits and not assigned.on_entering.has(node, name)
            if unset and _comes_later(context, node, askers):
                message = f"`{read}`, which `{node.id}` reads, has no value here: it is asked for only afterwards."
                asked = listed([question.id for question in askers], 3)
                hint = f"Lead to {asked} before `{node.id}`."
                _add_at_action(context, node, read, message, hint, out)
                found.add((node.id, name))
    return found


def _check_demanded(context: FlowContext, assigned: Assignment, known: set[tuple[str, str]], out: Reporter) -> None:
    """Report each action that always takes an answer by `[...]`, with a way on which the answer has no value."""
    flow, escapes = context.flow, _escapes(context)
    for node in flow.nodes.values() if not flow.keep_answers else ():
        if not isinstance(node, Action) or node.parameters is not None or node.id in escapes:
            continue
        signature = context.signature(node)
        for read in sorted(signature.demands if signature is not None else ()):
            name = read.removeprefix(PREFIX)
            if name not in assigned.bits or (node.id, name) in known or assigned.on_entering.has(node, name):
                continue
            askers, way = context.askers(read), assigned.way_without(node, name)
            others = [each.id for each in askers if each not in way]
            without = f", without {listed(others, 3)}" if others else ""
            shown = _shortened_path([f"{e.id} (not answered)" if e in askers else e.id for e in way])
            message = f"`{read}` may have no value when `{node.run}` takes it: {shown}{without}."
            hint = f'The action fails then. Ask for it on that way too, or read it by `.get("{name}")`.'
            _add_at_action(context, node, read, message, hint, out)


def _escapes(context: FlowContext) -> frozenset[str] | set[str]:
    """The nodes behind those to which a conversation jumps from anywhere."""
    flow = context.flow
    return context.control.reached(name for name in (flow.on_stuck, flow.on_escalate, flow.on_abandon) if name)


def _add_at_action(context: FlowContext, node: Action, read: str, message: str, hint: str, out: Reporter) -> None:
    related = [("the question that asks for it", context.path(question)) for question in context.askers(read)[:3]]
    out.add(Code.MAY_BE_UNASKED, (*context.path(node), "run"), message, hint, related=related)


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


def check_unwritten_channels(context: FlowContext, assigned: Assignment, unset: set[str], out: Reporter) -> None:
    """Report each channel, once, that is read, except by edges, although it is empty and no action writes it.

    A default that is not empty may be meant as a constant. Channels in `unset` were already reported.
    """
    seen = set(unset)
    for node, path, name, _ in _channel_uses(context, assigned):
        shown = not _SHOWING.isdisjoint(path)
        if name in seen or context.writers(name) or context.flow.channels[name].default:
            continue
        if not shown and not (path[-1] in _JUDGING and context.is_always_empty(name)):
            continue
        seen.add(name)
        if path[-1] == "options":
            message = f"No action writes `{name}`, so `{node.id}` never has options."
            hint = f"Let an action before `{node.id}` write `{name}`, or list the options as `schema: {{enum: [...]}}`."
        elif path[-1] == "over":
            message = f"No action writes `{name}`, so `{node.id}` never has an item to run for."
            hint = f"Let an action before `{node.id}` write `{name}`, or run over another list."
        else:
            default = show(context.flow.channels[name].default)
            message = f"No action writes `{name}`, so it always has its initial value here, {default}."
            what = "this text" if shown else "the `reads`" if path[-1] == "run" else "this condition"
            hint = f"Add `{name}` to the `writes` of the action that computes it, or take it out of {what}."
        out.add(Code.CHANNEL_NOT_WRITTEN, path, message, hint, related=[("the channel", ("state", name))])


def _channel_uses(context: FlowContext, assigned: Assignment) -> Iterator[tuple[Node, Path, str, Moment]]:
    """Each place that reads a channel, and the moment: expressions, options, confirmations and actions."""
    for use in _uses(context, assigned):
        for name in names_read(use.guard):
            if name.startswith(CHANNEL):
                yield use.node, use.path, name.removeprefix(CHANNEL), use.moment
    for node in context.flow.nodes.values():
        if isinstance(node, Question) and node.options:
            yield node, (*context.path(node), "options"), node.options, assigned.on_asking
        if isinstance(node, Action) and node.map is not None and node.map.over in context.flow.channels:
            yield node, (*context.path(node), "map", "over"), node.map.over, assigned.on_entering
        if isinstance(node, Action) and node.parameters is None and (signature := context.signature(node)):
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
    if field == "when" and _comes_later(context, use.node, all_askers):
        asked = listed([question.id for question in all_askers], 3)
        hint = (
            f"The question is passed over then, and {asked} comes only later: lead to {asked} before `{use.node.id}`."
        )
    elif known := _order_hint(use, name, all_askers, way) or _edge_hint(use, name):
        hint = known
    elif field in _THEN:
        then, beginning = _THEN[field]
        hint = f"{then} Ask for it on that way too, or begin with `{beginning.format(read)}`."
    else:
        then = (
            "The action fails then (`missing_parameter`)" if isinstance(use.node, Action) else "The place is then empty"
        )
        hint = f"{then}. Ask for it on that way too, or write `has({read}) ? ... : '...'`."
    related = [("the question that asks for it", context.path(question)) for question in all_askers[:3]]
    out.add(Code.MAY_BE_UNASKED, use.path, message, hint, related=related)


def _order_hint(use: Use, name: str, askers: Sequence[Question], way: Sequence[Node]) -> str:
    """The hint for a question that needs the answer to one that is picked later, or that needs its own answer."""
    node = use.node
    if not isinstance(node, Question) or use.path[-1] == "guard" or len(askers) != 1:
        return ""
    asker = askers[0]
    if node.validate is use.guard and asker is node:
        return f"It is checked before it becomes the answer: write `{VALUE}` instead of `{PREFIX}{name}`."
    if node.validate is use.guard and asker.validate is not None and f"{PREFIX}{node.key}" in asker.validate.reads:
        return (
            f"The answers of `{node.id}` and `{asker.id}` are each checked against the other, and one is asked first: "
            f"leave `{PREFIX}{name}` out of this `validate`."
        )
    picked = len(way) > 1 and isinstance(before := way[-2], Decision) and before.pick_question
    if picked and before.otherwise is None:
        return f"`{before.id}` has no `else` edge: if `{node.id}` is what comes last, write `guard: else` on its edge."
    if picked and node.graph == asker.graph and node.priority < asker.priority:
        return (
            f"A `pick` asks the question with the lowest `priority` first: give `{asker.id}` (now {asker.priority}) a "
            f"lower one than `{node.id}` ({node.priority})."
        )
    return ""


def _edge_hint(use: Use, name: str) -> str:
    """The hint for a node of which no edge opens without an answer."""
    node = use.node
    if use.path[-1] != "guard" or node.otherwise is not None:
        return ""
    guards = [edge.guard for edge in node.edges]
    if any(guard is None or name not in Presence(guard).needed(guard.tree) for guard in guards):
        return ""
    beginning = f"`!has({PREFIX}{name}) || ...`"
    return f"No edge of `{node.id}` opens then: begin the guard of the one that shall be taken with {beginning}."


def _report_channel(context: FlowContext, path: Path, name: str, way: Sequence[Node], out: Reporter) -> None:
    writers = context.writers(name)
    failed = [each.id for each in way if each in writers and isinstance(each, Action) and each.on_error]
    shown = [node.id + (" (failed)" if node.id in failed else "") for node in way]
    message = f"The channel `{name}` has no value here: {_shortened_path(shown)}"
    others = [action.id for action in writers if action not in way]
    message += f", without {listed(others, 3)}." if others else "."
    instead = f"lead `on_error` of `{failed[-1]}` elsewhere" if failed else "write it on that way too"
    hint = f'Give `{name}` a default, {instead}, or allow null (`type: [..., "null"]`), ask for it (`{name} != null`), '
    hint += f"and say what happens if `{name} == null`."
    out.add(Code.CHANNEL_UNSET, path, message, hint, related=[("the channel", ("state", name))])


def _shortened_path(names: Sequence[str]) -> str:
    return " -> ".join(names if len(names) <= _LONG else [*names[:3], "...", *names[-4:]])


def _remark(node: Node, use: Use, askers: Sequence[Question]) -> str:
    """A remark for a question on the way that does not set the answer it asks for; otherwise empty."""
    if not isinstance(node, Question) or node not in askers or (node is use.node and use.path[-1] != "guard"):
        return ""
    return " (passed over)" if node.when is not None else " (not answered)"

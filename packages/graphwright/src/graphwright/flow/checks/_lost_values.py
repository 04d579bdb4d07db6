"""Values that are replaced before anything reads them, and channels that are read before they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set

from graphwright.flow._dependencies import action_reads, asking_reads, leaving_reads, node_reads
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._json_schemas import allows_type
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._definite_assignment import Assignment
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import Action, ActionSignature, Decision, Node, Question, Terminal
from graphwright.flow.compiled import Call as SubgraphCall
from graphwright.flow.guards import Guard
from graphwright.flow.guards._syntax_tree import Call, Expr, parts_of, path_of, show, walk
from graphwright.flow.guards._value_partitions import literal_value
from graphwright.flow.guards._vocabulary import ANSWERS
from graphwright.text.near_names import listed


def check_lost_values(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report lists that a loop overwrites, values that are replaced unread, and channels that are read too early."""
    _check_loops(context, out)
    _check_answers(context, out)
    _check_results(context, out)
    _check_early_reads(context, assigned, out)


def _check_loops(context: FlowContext, out: Reporter) -> None:
    """Report each list that an action in a loop replaces in each round, and that only nodes after the loop read."""
    flow = context.flow
    actions = [node for node in flow.nodes.values() if isinstance(node, Action)]
    components = context.cyclic if actions else {}
    reported: set[str] = set()
    for action in actions:
        signature, component = context.signature(action), components.get(action)
        if component is None or signature is None or not signature.complete or action.map is not None:
            continue
        asked = [
            node for node in component if isinstance(node, Question) and node.ask_always and node.read != "confirm"
        ]
        new = sorted(each.key for each in asked if f"{ANSWERS}.{each.key}" in signature.reads)
        for name in signature.writes if new and _is_known(context, component) else ():
            channel = flow.channels[name]
            lists = not channel.append and allows_type(channel.schema, "array") and name not in signature.reads
            inside = any(_uses_items(context, node, name) for node in component)
            if (
                not lists
                or inside
                or name in reported
                or not any(name in node_reads(flow, n) for n in flow.nodes.values())
            ):
                continue
            reported.add(name)
            message = (
                f"Each round of the loop replaces `{name}`: `{action.id}` writes it, and nothing in the loop reads it."
            )
            hint = f"Write `reduce: append`, so that what `{action.id}` returns is added to the list."
            related = [("the action", context.path(action))]
            out.add(Code.LIST_REPLACED, ("state", name), message, hint, key=True, related=related)


def _uses_items(context: FlowContext, node: Node, name: str) -> bool:
    """Whether a node reads a list for more than a limit that its lists never reach, such as `size(items) < 50`."""
    if name not in node_reads(context.flow, node):
        return False
    limits = [edge.guard for edge in node.edges if edge.guard is not None and name in edge.guard.reads]
    others = frozenset[str]()
    if isinstance(node, Question):
        others = asking_reads(context.flow, node)
    elif isinstance(node, Action):
        others = action_reads(context.flow, node)
    longest = _longest(context, name)
    return name in others or not limits or longest is None or not all(_limits(each, name, longest) for each in limits)


def _longest(context: FlowContext, name: str) -> int | None:
    """The highest number of items that a list ever has; None if that is not known."""
    lengths = [len(context.flow.channels[name].default or ())]
    for action in context.writers(name):
        signature = context.signature(action)
        if signature is None or action.map is not None or name not in signature.lengths:
            return None
        lengths.append(signature.lengths[name])
    return max(lengths)


def _limits(guard: Guard, name: str, longest: int) -> bool:
    """Whether a guard reads a list only in limits that are always true, next to other conditions."""
    parts = list(parts_of(guard.tree, "&&"))
    about = [part for part in parts if any(path_of(each) == (name,) for each in walk(part))]
    return len(about) < len(parts) and all(_is_never_reached(part, longest) for part in about)


def _is_never_reached(part: Expr, longest: int) -> bool:
    if not isinstance(part, Call) or part.function not in ("<", "<="):
        return False
    size, limit = part.args[0], literal_value(part.args[1])
    sized = isinstance(size, Call) and size.function == "size" and isinstance(limit, int)
    return sized and longest + (part.function == "<") <= limit


def _is_known(context: FlowContext, component: Set[Node]) -> bool:
    """Whether everything that the nodes of a loop read is known."""
    if any(isinstance(node, SubgraphCall) for node in component):
        return False
    signatures = [context.signature(node) for node in component if isinstance(node, Action)]
    return all(signature is not None and signature.complete for signature in signatures)


def _check_answers(context: FlowContext, out: Reporter) -> None:
    """Report each answer that another question always asks for again before anything reads the first one."""
    flow = context.flow
    for question in flow.questions:
        again = [
            each
            for each in context.askers(f"{ANSWERS}.{question.key}")
            if each is not question and each.ask_always and each.when is None and each.graph == question.graph
        ]
        if not again or question.read == "confirm":
            continue
        blocked = {each.id for each in (question, *again)}
        way = context.control.reached(context.control.after(question.id), blocked)
        nodes = [flow.nodes[each] for each in way]
        replaced = [each for each in again if each.id in way]
        read = f"{ANSWERS}.{question.key}"
        alive = any(
            isinstance(n, Terminal | SubgraphCall) or _may_read(context, n, read, again) for n in (question, *nodes)
        )
        if replaced and not alive and not any(node is question for node in nodes):
            other = replaced[0]
            message = f"Nothing reads `{read}` before `{other.id}` asks for it again: this answer is lost."
            hint = f"Give one of the two questions another `key`, or take `{question.id}` out."
            related = [(f"`{other.id}` is here", context.path(other))]
            out.add(Code.ANSWER_REPLACED, (*context.path(question), "key"), message, hint, related=related)


def _may_read(context: FlowContext, node: Node, read: str, again: list[Question]) -> bool:
    if node in again:
        return False
    if isinstance(node, Action) and ((known := context.signature(node)) is None or not known.complete):
        return True
    found = node_reads(context.flow, node)
    return ANSWERS in found or any(name == read or name.rpartition(".")[2] == read.rpartition(".")[2] for name in found)


def _check_results(context: FlowContext, out: Reporter) -> None:
    """Report each result that every way replaces by that of another action before anything reads it."""
    flow = context.flow
    runs = Counter(node.function for node in flow.nodes.values() if isinstance(node, Action))
    for name, channel in flow.channels.items():
        writers = context.known_writers(name)
        shown = name in (flow.status, flow.language)
        if channel.append or shown or len(writers) < 2 or len(writers) < len(context.writers(name)):
            continue
        replacing = [each for each in writers if _replaces(context, each, name)]
        for action in writers if replacing else ():
            signature = context.signature(action)
            if signature is None or runs[action.function] > 1 or not _is_for(signature, name):
                continue
            lost = _replaced_by(context, action, name, [each for each in replacing if each is not action])
            if lost is not None:
                message = f"Nothing reads the `{name}` that `{action.id}` writes before `{lost.id}` writes it again."
                hint = f"Give one of the two another channel, or take `{action.id}` out."
                related = [(f"`{lost.id}` is here", context.path(lost))]
                out.add(Code.RESULT_REPLACED, (*context.path(action), "id"), message, hint, related=related)


def _is_for(signature: ActionSignature, name: str) -> bool:
    """Whether an action computes a channel, rather than setting it to a written value or telling it to the user."""
    return signature.complete and not signature.tells and not signature.returns.get(name)


def _replaces(context: FlowContext, action: Action, name: str) -> bool:
    """Whether an action always writes a channel that it does not read."""
    signature = context.signature(action)
    if signature is None or not signature.complete or name not in signature.always or name in signature.uses:
        return False
    return not action.on_error and action.confirm is None and name not in action_reads(context.flow, action)


def _replaced_by(context: FlowContext, action: Action, name: str, others: list[Action]) -> Action | None:
    """The first of several actions that every way from an action leads to before something reads its channel."""
    flow, control = context.flow, context.control
    if name in leaving_reads(flow, action):
        return None
    way = control.reached(control.after(action.id), {each.id for each in others})
    found = [each for each in others if each.id in way]
    passed = [flow.nodes[each] for each in way if flow.nodes[each] not in others]
    ends = any(isinstance(each, Terminal) or not each.all_edges for each in passed)
    if not found or ends or any(name in node_reads(flow, each) for each in passed):
        return None
    if any(isinstance(each, Question) for each in passed):
        # At a question the user may leave.
        left = control.reached(each for each in (flow.on_stuck, flow.on_escalate, flow.on_abandon) if each)
        kept = not flow.channels[name].per_conversation
        return None if kept or any(name in node_reads(flow, flow.nodes[each]) for each in left) else found[0]
    return found[0]


def _check_early_reads(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each channel, once, that guards and texts read only where no action can have written it yet."""
    flow = context.flow
    escapes = [each for each in (flow.on_stuck, flow.on_escalate, flow.on_abandon) if each]
    mapped = [node.map for node in flow.nodes.values() if isinstance(node, Action) and node.map is not None]
    inside = context.control.called_in([each.graph for each in mapped if each.graph])
    items = {each.item for each in mapped}
    written: dict[str, set[str]] = {}
    reported: set[str] = set()
    for node, guard, path in _expressions(context):
        if node not in assigned.entering or node.graph in inside:
            continue
        for name in sorted(direct_reads(guard)):
            channel = flow.channels.get(name)
            if channel is None or not channel.per_conversation or name in reported:
                continue
            writers = context.writers(name)
            if (
                not writers
                or node in writers
                or (name not in items and len(context.known_writers(name)) < len(writers))
            ):
                continue
            if name not in written:
                starts = [each for writer in writers for each in _after(context, writer, name)]
                written[name] = context.control.reached([*starts, *escapes]) if starts else set()
            if node.id not in written[name]:
                reported.add(name)
                _report_early(context, name, writers, path, out)


def _after(context: FlowContext, writer: Action, name: str) -> list[str]:
    """The nodes after an action that may see what it wrote; none for a channel that holds one item of a list."""
    if writer.map is not None and name == writer.map.item:
        return []
    return [*context.control.after(writer.id), *context.control.jumps.get(writer.id, ())]


def _report_early(context: FlowContext, name: str, writers: list[Action], path: Path, out: Reporter) -> None:
    default = show(context.flow.channels[name].default)
    if all(writer.map is not None and writer.map.item == name for writer in writers):
        message = (
            f"`{name}` holds an item only while `{writers[0].id}` runs, so it has its initial value here, {default}."
        )
        hint = "Read the list, or the results of the items (`into`)."
    else:
        names = listed(writer.id for writer in writers)
        message = f"`{name}` always has its initial value here, {default}: {names} writes it only later."
        hint = f"Lead through `{writers[0].id}` before this, or read what is known here."
    related = [(f"`{writer.id}` is here", context.path(writer)) for writer in writers[:3]]
    out.add(Code.READ_TOO_EARLY, path, message, hint, related=related)


def _expressions(context: FlowContext) -> Iterator[tuple[Node, Guard, Path]]:
    """The guards of edges and the texts, each with its place; conditions of questions are evaluated again later."""
    constrained = bool(context.flow.constraints)
    for node in context.flow.nodes.values():
        path = context.path(node)
        if isinstance(node, Question) and not constrained:
            yield from ((node, each, (*path, "prompt")) for each in node.prompt.expressions)
        elif isinstance(node, Terminal) and node.say is not None:
            yield from ((node, each, (*path, "say")) for each in node.say.expressions)
        if not (isinstance(node, Decision) and node.pick_question):
            edges = [edge for edge in node.edges if edge.guard is not None]
            yield from ((node, e.guard, (*context.edge_path(node, e), "guard")) for e in edges if e.guard is not None)


def direct_reads(guard: Guard) -> set[str]:
    """The names that a guard reads itself: a predicate may be shared with places where its names have values."""
    return {path[0] for part in walk(guard.tree) if (path := path_of(part)) is not None}

"""Confirmations: what a yes covers, compared with what the confirmed action reads and what may change after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._json_schemas import allows_type
from graphwright.flow._source import Reporter, pointer
from graphwright.flow.checks._truth_tables import A_CORRECTION, FlowContext, all_reads, edge_taken, expressions_of
from graphwright.flow.compiled import (
    EXIT,
    ROOT,
    Action,
    Call,
    CompiledFlow,
    Confirm,
    Decision,
    Edge,
    Node,
    Question,
    Terminal,
)
from graphwright.flow.guards._value_partitions import truth
from graphwright.flow.guards._value_types import type_of_schema
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS, MESSAGE, NOW
from graphwright.text.near_names import listed

_LOSSY = ("integer", "number", "boolean")
_MOST_EARLY = 5
"""The maximum number of actions that are examined for one question."""

_MOST_CALLS = 100
"""The maximum number of ways of calls to a graph that are compared."""


def check_confirmations(context: FlowContext, out: Reporter) -> None:
    """Report reads of a confirmed action that the yes does not cover, and a yes that is void before the action runs."""
    for node in context.flow.nodes.values():
        if isinstance(node, Action) and node.confirm is not None and context.signature(node) is not None:
            question = context.flow.question(node.confirm.by)
            written = _written_between(context, question, node)
            _check_omitted(context, node, node.confirm, question, written, out)
            _check_void(context, node, node.confirm, question, written, out)
            _check_failure(context, node, out)
            if not _confirms(context, question, node):
                message = f"A yes to `{question.id}` does not lead to `{node.id}`, which it confirms."
                hint = _leading_hint(context, question, node)
                related = [("the question", context.path(question))]
                out.add(Code.YES_LEADS_ELSEWHERE, (*context.path(node), "confirm"), message, hint, related=related)
    _check_replies(context, out)
    _check_corrections(context, out)
    _check_refusals(context, out)
    _check_early_effects(context, out)


def _check_failure(context: FlowContext, node: Action, out: Reporter) -> None:
    """Report a confirmed action after whose failure the conversation ends with the same text as after its success."""
    end = context.flow.nodes.get(node.on_error) if node.on_error else None
    signature = context.signature(node)
    if not isinstance(end, Terminal) or end.say is None or signature is None or not signature.effects:
        return
    if {edge.target for edge in node.all_edges} == {end.id} and end.say.reads.isdisjoint(signature.writes):
        message = f"After a failure of `{node.id}` the user reads the same at `{end.id}` as after success."
        hint = "Lead `on_error` to a node that says that it was not done, or leave it out: then the turn fails visibly."
        related = [("the text", (*context.path(end), "say"))]
        out.add(Code.FAILURE_UNSEEN, (*context.path(node), "on_error"), message, hint, related=related)


def _check_early_effects(context: FlowContext, out: Reporter) -> None:
    """Report an effect that comes before the question for a yes to it, which then decides about nothing."""
    flow, control = context.flow, context.control
    asking = [q for q in flow.questions if q.read == "confirm" and not flow.confirmed_by(q.id)]
    actions = [node for node in flow.nodes.values() if isinstance(node, Action)] if asking else []
    effects = [action for action in actions if (known := context.signature(action)) is None or known.effects]
    leading = control.leading([action.id for action in effects])

    def _only_reads(action: Action, names: set[str]) -> bool:
        known = context.signature(action)
        return known is not None and known.complete and not known.writes and not names.isdisjoint(known.reads)

    for question in asking:
        shown = {read for read in question.prompt.reads if read.startswith(f"{ANSWERS}.")}
        if not shown or question.graph != ROOT or not leading.isdisjoint(control.after(question.id)):
            continue
        # An action that writes a channel may only compute what the question shows.
        early = (each for each in effects if each.confirm is None and each.graph == ROOT and _only_reads(each, shown))
        for action in islice(early, _MOST_EARLY):
            if not control.leads_to([flow.root.entry], question.id, avoiding=[action.id]):
                message = (
                    f"`{action.id}` is done before `{question.id}` asks: whatever the answer is, nothing follows it."
                )
                hint = f"Lead a yes to `{question.id}` to it, and write `confirm: {{by: {question.id}, over: [...]}}`."
                related = [("the question", context.path(question))]
                out.add(Code.EFFECT_TOO_EARLY, (*context.path(action), "id"), message, hint, related=related)
                break


def _confirms(context: FlowContext, question: Question, node: Action) -> bool:
    """Whether a yes to a question may lead to an action before the question comes again."""
    return context.control.leads_to(list(_after_yes(context, question)), node.id, avoiding=[question.id])


def _leading_hint(context: FlowContext, question: Question, node: Action) -> str:
    """How to let a yes lead to an action: another question, the edge that leads there now, or a new one."""
    for other in context.flow.questions:
        fits = other is not question and other.read == "confirm" and other.graph == node.graph
        if fits and _confirms(context, other, node):
            return f"Write `by: {other.id}`: a yes to that question leads to `{node.id}`."
    yes = f"{ANSWERS}.{question.key} == true"
    for edge in question.all_edges:
        if edge.target != question.id and context.control.leads_to([edge.target], node.id, avoiding=[question.id]):
            return f"Guard the edge to `{edge.target}` with `{yes}`, and the one that a yes takes now with its guard."
    return f"Lead the edge for `{yes}` to `{node.id}`."


def _check_corrections(context: FlowContext, out: Reporter) -> None:
    """Report confirmations that come again after a reply with a correction although no answer they show can change."""
    for question in context.flow.questions:
        edge = edge_taken(question, A_CORRECTION) if question.read == "confirm" else None
        if edge is None or edge.target != question.id or not allows_type(question.schema, "string"):
            continue
        shown = {read for read in question.prompt.reads if read.startswith(f"{ANSWERS}.")}
        askers = [asker for read in shown for asker in context.askers(read)]
        if askers and all(asker.ask_always and asker is not question for asker in askers):
            names = sorted(read for read in shown)
            message = (
                f"A reply to `{question.id}` that corrects {listed(names)} changes nothing, and the same is asked "
                "again: an answer of `ask: always` can only be changed at its own question."
            )
            hint = f"Lead this edge to `{askers[0].id}`, or leave its `ask: always` out."
            related = [(f"`{askers[0].id}` asks for it", context.path(askers[0]))]
            out.add(Code.CORRECTION_LOOPS, context.edge_path(question, edge), message, hint, related=related)


def _check_refusals(context: FlowContext, out: Reporter) -> None:
    """Report confirmations that a no leads back to, unless a guard that never opens was reported as the cause."""
    compared = out.pointers(Code.CONFIRM_COMPARED)
    for question in context.flow.questions:
        edge = edge_taken(question, False) if question.read == "confirm" else None
        guards = {pointer((*context.edge_path(question, each), "guard")) for each in question.edges}
        if edge is not None and edge.target == question.id and compared.isdisjoint(guards):
            message = f"A no to `{question.id}` asks the same again, as often as the user says no."
            hint = (
                f"Add an edge with the guard `{ANSWERS}.{question.key} == false` that leads elsewhere, before this one."
            )
            out.add(Code.NO_ASKS_AGAIN, context.edge_path(question, edge), message, hint)


def _check_replies(context: FlowContext, out: Reporter) -> None:
    """Report actions that run after a no, after a yes without a `confirm` for it, or after every reply except a no."""
    for question in context.flow.questions:
        if question.read != "confirm":
            continue
        yes, no, other = (edge_taken(question, value) for value in (True, False, A_CORRECTION))
        target = context.flow.nodes.get(yes.target) if yes is not None else None
        if no is not None and (ignoring := _done_after_no(context, question, yes, no)) is not None:
            _report_no_ignored(context, question, no, ignoring, out)
        if yes is None or no is None or not isinstance(target, Action) or target.confirm is not None:
            continue
        if yes.target == no.target:
            continue
        signature = context.signature(target)
        if yes is other and allows_type(question.schema, "string"):
            message = f"A reply to `{question.id}` that is neither yes nor no runs `{target.id}` like a yes."
            hint = f"Guard this edge with `{ANSWERS}.{question.key} == true`, and lead `else` back to the question."
            out.add(Code.TEXT_TAKEN_AS_YES, context.edge_path(question, yes), message, hint)
        elif signature is not None and signature.effects and not context.flow.confirmed_by(question.id):
            message = f"A yes to `{question.id}` runs `{target.id}`, which has effects and no `confirm`."
            hint = f"Write `confirm: {{by: {question.id}, over: [...]}}`, or declare the action `effects=False`."
            out.add(Code.YES_UNBOUND, context.path(target), message, hint)


def _done_after_no(context: FlowContext, question: Question, yes: Edge | None, no: Edge) -> Action | None:
    """The action with effects to which a no leads like a yes, although it needs a yes or directly follows one."""
    for action in context.flow.confirmed_by(question.id):
        if _leads_to(context, question, no, action, always=no is not yes) and _confirms(context, question, action):
            return action
    target = context.flow.nodes.get(no.target)
    if not isinstance(target, Action) or yes is None or yes.target != target.id:
        return None
    signature = context.signature(target)
    if signature is None or not signature.effects or (target.confirm is None and _is_used(context, question)):
        return None
    return target


def _leads_to(context: FlowContext, question: Question, no: Edge, action: Action, *, always: bool) -> bool:
    """Whether ways from a no lead to an action over nodes that ask nothing and change nothing it confirms.

    With `always` all ways lead there, otherwise some, and no guard on them reads the answer.
    """
    read = f"{ANSWERS}.{question.key}"
    confirmed = set(action.confirm.over) if action.confirm is not None else set()
    todo, seen, ends = [no.target], {no.target}, set[bool]()
    while todo:
        node = context.flow.nodes.get(todo.pop())
        changed = confirmed.intersection(context.written_by(node)) if isinstance(node, Action) else ()
        if node is action or not isinstance(node, Action | Decision) or changed:
            ends.add(node is action)
            continue
        if not always and any(edge.guard is not None and read in edge.guard.reads for edge in node.edges):
            return False
        new = {edge.target for edge in _open_edges(node, {read: False})} - seen
        seen |= new
        todo += sorted(new)
    return ends == {True} if always else True in ends


def _open_edges(node: Node, known: Mapping[str, object]) -> Iterator[Edge]:
    """The edges of a node that may be taken with the known values."""
    for edge in node.all_edges:
        result = True if edge.guard is None else truth(edge.guard.tree, known)
        if result is not False:
            yield edge
        if result:
            return


def _is_used(context: FlowContext, question: Question) -> bool:
    """Whether the flow uses the answer to a question as a value, not only to choose an edge of the question."""
    read = f"{ANSWERS}.{question.key}"
    nodes = [node for node in context.flow.nodes.values() if node is not question]
    reads = all_reads(guard for node in nodes for guard in expressions_of(node))
    known = [context.signature(node) for node in nodes if isinstance(node, Action)]
    reads = reads.union(*(signature.reads for signature in known if signature is not None))
    return any(name in (ANSWERS, read) or name.rpartition(".")[2] == question.key for name in reads)


def _report_no_ignored(context: FlowContext, question: Question, no: Edge, action: Action, out: Reporter) -> None:
    then = "asks the same again" if action.confirm is not None else f"runs `{action.id}` like a yes"
    if action.confirm is not None and action.confirm.by != question.id:
        then = f"leads to `{action.id}` like a yes"
    reads = f"{ANSWERS}.{question.key}"
    aware = no.is_else or (no.guard is not None and reads in no.guard.reads)
    why = f"this edge leads to `{action.id}`, too" if aware else f"its edge to `{no.target}` does not read the answer"
    message = f"A no to `{question.id}` {then}: {why}."
    hint = f"Lead this edge elsewhere: to an end, or to what the user may change before `{question.id}` comes again."
    if not aware:
        hint = f"Guard this edge with `{reads} == true`, and lead `false` elsewhere."
    out.add(Code.NO_IGNORED, context.edge_path(question, no), message, hint)


def _check_omitted(
    context: FlowContext,
    node: Action,
    confirm: Confirm,
    question: Question,
    written: Mapping[str, Action],
    out: Reporter,
) -> None:
    """Report answers, and channels written after the yes, that the action reads but the yes does not cover."""
    signature = context.signature(node)
    omitted = [
        read
        for read in (signature.reads if signature is not None else ())
        if read not in (MESSAGE, ACTIVE_PATH, NOW, f"{ANSWERS}.{question.key}")
        and (read == ANSWERS or read.startswith(f"{ANSWERS}.") or read in written)
        and not any(_covers(context, node.graph, name, read) for name in confirm.over)
    ]
    if omitted:
        message = f"`{node.id}` reads {listed(omitted)}, which the yes to `{question.id}` does not cover."
        them, over = "it" if len(omitted) == 1 else "them", ", ".join([*confirm.over, *omitted])
        hint = f"Add {them} to `over`: `over: [{over}]`, and show {them} in the question."
        out.add(Code.CONFIRM_OMITS, (*context.path(node), "confirm", "over"), message, hint, key=True)


def _covers(context: FlowContext, graph: str, name: str, read: str) -> bool:
    """Whether a yes over `name` also covers `read`: the same value, a part of it, or a source of a computed channel.

    Both are names in `graph`. A channel with a number or a flag covers no sources: other answers may give the same
    value (two trips at one price).
    """
    if name in (read, ANSWERS) or read.startswith(f"{name}.") or _is_same_answer(context, graph, name, read):
        return True
    if name in context.flow.channels and type_of_schema(context.flow.channels[name].schema).kind in _LOSSY:
        return False
    makers = [context.signature(maker) for maker in context.writers(name)] if name in context.flow.channels else []
    sources = {source for maker in makers if maker is not None for source in maker.reads}
    return any(source in (read, ANSWERS) or read.startswith(f"{source}.") for source in sources)


def _is_same_answer(context: FlowContext, graph: str, name: str, read: str) -> bool:
    """Whether two names in a graph are those of one answer, or of a part of it, wherever the graph is called.

    Inside a call with `as: loan` they may be `answers.device` and `answers.loan.device`.
    """
    if not (name.startswith(f"{ANSWERS}.") and read.startswith(f"{ANSWERS}.")):
        return False
    flow = context.flow
    found = list(islice(_open_scopes(flow, graph), _MOST_CALLS + 1))
    keys = name.removeprefix(f"{ANSWERS}."), read.removeprefix(f"{ANSWERS}.")
    paths = [(flow.resolve(scopes, keys[0]), flow.resolve(scopes, keys[1])) for scopes in found]
    same = all(path == other[: len(path)] for path, other in paths)
    return same and 0 < len(paths) <= _MOST_CALLS


def _open_scopes(flow: CompiledFlow, graph: str, inner: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, str], ...]]:
    """The scopes of answers, each with its graph, that are open in a graph, for each way of calls that leads to it.

    A call in a graph of `inner` is recursive and not followed.
    """
    if graph == ROOT:
        yield ()
    for call in flow.nodes.values():
        if isinstance(call, Call) and call.graph not in (graph, *inner) and graph in flow.callees(call):
            for outer in _open_scopes(flow, call.graph, (graph, *inner)):
                yield (*outer, (call.scope, graph)) if call.scope else outer


def _check_void(
    context: FlowContext,
    node: Action,
    confirm: Confirm,
    question: Question,
    written: Mapping[str, Action],
    out: Reporter,
) -> None:
    conditions = {read.partition(".")[0] for read in (confirm.when.reads if confirm.when is not None else ())}
    changed = [name for name in confirm.over if name in written]
    if changed and conditions.isdisjoint(written):
        action = written[changed[0]]
        message = (
            f"`{action.id}` writes {listed(changed)} after the yes to `{question.id}` and before `{node.id}`: the yes "
            "is void then, and the question comes again."
        )
        hint = f"Run `{action.id}` before `{question.id}`, so that the question shows what is confirmed."
        related = [(f"`{action.id}` is here", context.path(action))]
        out.add(Code.CONFIRM_VOID, (*context.path(node), "confirm"), message, hint, related=related)


def _written_between(context: FlowContext, question: Question, node: Action) -> dict[str, Action]:
    """The channels that are written on every way from a yes to the confirmed action, each with a writer."""
    control, starts = context.control, list(_after_yes(context, question))
    between = control.reached(starts, {question.id, node.id}) - {node.id}
    found: dict[str, Action] = {}
    for name in context.flow.channels:
        writers = [action for action in context.known_writers(name) if action.id in between]
        avoiding = [question.id, *(writer.id for writer in writers)]
        if writers and not control.leads_to(starts, node.id, avoiding=avoiding):
            found[name] = writers[0]
    return found


def _after_yes(context: FlowContext, question: Question) -> Iterator[str]:
    """The nodes that a yes may lead to: the targets of the edges that it does not close."""
    yes = {f"{ANSWERS}.{question.key}": True}
    for edge in question.all_edges:
        result = True if edge.guard is None else truth(edge.guard.tree, yes)
        if result is not False:
            yield from context.control.past_exit(question.graph) if edge.target == EXIT else (edge.target,)
        if result:
            return

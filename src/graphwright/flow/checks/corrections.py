"""Corrections: where an answer is corrected too late for what was asked or done with it before."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from graphwright.flow.checks.truth_tables import FlowContext
from graphwright.flow.compiled import EXIT, Action, Call, CompiledFlow, Edge, Node, Question, Terminal
from graphwright.flow.dependencies import (
    action_reads,
    answer_reads,
    asking_reads,
    is_answer,
    is_read,
    leaving_reads,
    signature_of,
    terminal_reads,
    unscoped,
)
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.graph_algorithms import reachable
from graphwright.flow.source import Reporter

_CORRECTION = "a correction"


def check_corrections(context: FlowContext, out: Reporter) -> None:
    """Report actions that a correction does not undo, and questions whose answers are not checked again."""
    flow = context.flow
    correctable = {
        f"answers.{question.key}": question
        for question in flow.questions
        if question.read in ("extract", "choice") and not question.ask_always
    }
    if not correctable:
        return
    for node in flow.nodes.values():
        if isinstance(node, Action):
            _check_action(context, node, correctable, out)
        elif isinstance(node, Question) and node.ask_always and node.read != "confirm":
            _check_question(context, node, correctable, out)


def _check_action(context: FlowContext, node: Action, correctable: dict[str, Question], out: Reporter) -> None:
    flow, signature = context.flow, signature_of(context.flow, node)
    names = [name for name in correctable if is_read(name, map(unscoped, signature.reads))]
    again = {name for name in signature.writes if name in signature.reads or flow.channels[name].append}
    channels = set(signature.writes) if signature.effects else again
    if not names or not channels:
        return
    found = _late(flow, node, lambda reads: next((name for name in sorted(channels) if name in reads), ""))
    if found is None:
        return
    asking, reader, channel = found
    where = f"`{reader.id}` reads the `{channel}` that `{node.id}` wrote, also after `{names[0]}` was corrected"
    related = [("where it may be corrected", context.path(asking)), ("what reads it", context.path(reader))]
    if signature.effects:
        message = f"{where} at `{asking.id}`. An action with effects is not repeated: the conversation asks what to do."
        hint = "Declare it `effects=False` if it only computes its channels, or lead back to it after a correction."
    else:
        message = f"{where} at `{asking.id}`. `{node.id}` runs again then, on top of what it wrote before."
        hint = f"Let it compute `{channel}` from the answers alone, or lead back to where the channel is emptied."
    out.add(Code.NOT_REPEATED, (*context.path(node), "run"), message, hint, related=related)


def _check_question(context: FlowContext, node: Question, correctable: dict[str, Question], out: Reporter) -> None:
    flow = context.flow
    reads = set(map(unscoped, answer_reads(node)))
    for action in flow.nodes.values():
        if isinstance(action, Action) and node.options in signature_of(flow, action).writes:
            reads |= {name for name in map(unscoped, signature_of(flow, action).reads) if is_answer(name)}
    name = next((name for name in correctable if name in reads and name != f"answers.{node.key}"), "")
    own = f"answers.{node.key}"
    found = _late(flow, node, lambda read: own if is_read(own, map(unscoped, read - {"answers"})) else "")
    if not name or found is None:
        return
    asking, reader, _ = found
    message = (
        f"`{reader.id}` reads `{own}`, also after `{name}` was corrected at `{asking.id}`, on which it depends. "
        "An answer of `ask: always` is not checked again."
    )
    hint = "Leave `ask: always` out, or lead back to the question after a correction."
    related = [("where it may be corrected", context.path(asking)), ("what reads it", context.path(reader))]
    out.add(Code.NOT_RECONSIDERED, (*context.path(node), "ask"), message, hint, related=related)


def _late(flow: CompiledFlow, node: Node, wanted: Callable[[frozenset[str]], str]) -> tuple[Question, Node, str] | None:
    """A question behind `node` where an answer may be corrected, what reads something `wanted` after that without
    passing `node` again, and what it reads; None where there is nothing."""
    after = reachable(
        _following(flow, node, done=True), lambda each: _following(flow, each) if each is not node else ()
    )
    for asking in after:
        if asking is node or not isinstance(asking, Question) or asking.read not in ("extract", "confirm"):
            continue
        start = list(_following(flow, asking, corrected=True))
        if asking.read == "extract":
            start.append(asking)
        ways = reachable(start, lambda each: _following(flow, each) if each is not node else ())
        for reader in sorted(ways, key=lambda each: each.id):
            if reader is not node and (name := wanted(_reads(flow, reader))):
                return asking, reader, name
    return None


def _reads(flow: CompiledFlow, node: Node) -> frozenset[str]:
    found = leaving_reads(flow, node)
    if isinstance(node, Question):
        return found | asking_reads(flow, node)
    if isinstance(node, Action):
        return found | action_reads(flow, node)
    return found | terminal_reads(flow, node) if isinstance(node, Terminal) else found


def _following(flow: CompiledFlow, node: Node, *, corrected: bool = False, done: bool = False) -> Iterator[Node]:
    """The nodes that may be entered next: with `corrected` after a reply to `node` that is a correction, with `done`
    after it was answered or performed."""
    for edge in node.all_edges:
        if corrected and _needs_an_answer(node, edge):
            continue
        if edge.target != EXIT:
            yield flow.nodes[edge.target]
            continue
        for call in flow.nodes.values():
            if isinstance(call, Call) and node.graph in flow.callees(call):
                yield from _following(flow, call)
    if isinstance(node, Call):
        yield from (flow.nodes[flow.graphs[ref].entry] for ref in flow.callees(node))
    if done:
        return
    for name in ("on_error", "on_invalid"):
        if target := getattr(node, name, ""):
            yield flow.nodes[target]
    if isinstance(node, Action) and node.confirm is not None:
        yield flow.nodes[node.confirm.by]


def _needs_an_answer(node: Node, edge: Edge) -> bool:
    """Whether an edge of a confirmation is closed by a reply that is neither yes nor no."""
    if not isinstance(node, Question) or node.read != "confirm" or edge.guard is None:
        return False
    return edge.guard.evaluate({"answers": {node.key: _CORRECTION}}).closes

"""Corrections: answers that can be corrected too late for the questions and actions that used them before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from graphwright.flow._dependencies import answer_reads, is_answer, is_read, node_reads, signature_of, unscoped
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._graph_algorithms import components, is_cyclic
from graphwright.flow._source import Reporter, pointer
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import EXIT, Action, ActionSignature, Decision, Edge, Node, Question
from graphwright.flow.guards._vocabulary import ANSWERS
from graphwright.text.near_names import Suggestion, listed

_CORRECTION = "a correction"
_CORRECTING = ("extract", "confirm")
"""The `read` of questions whose replies may correct other answers."""

_CORRECTABLE = ("extract", "choice")
"""The `read` of questions whose answers a later reply may correct."""

_MOST_STEPS = 100_000
"""The maximum number of nodes visited for one flow; the rest of the flow is not checked."""


def check_corrections(context: FlowContext, out: Reporter) -> None:
    """Report actions that a correction does not undo, and questions whose answers are not checked again."""
    flow = context.flow
    correctable = {
        f"answers.{question.key}": question
        for question in flow.questions
        if question.read in _CORRECTABLE and not question.ask_always
    }
    ways = _Ways(context)
    for node in flow.nodes.values() if correctable else ():
        if isinstance(node, Action):
            _check_action(context, ways, node, correctable, out)
        elif isinstance(node, Question) and node.ask_always and node.read != "confirm":
            _check_question(context, ways, node, correctable, out)
    for question in correctable.values():
        _check_own(context, question, out)
    _check_asked_once(context, out)


def _check_own(context: FlowContext, question: Question, out: Reporter) -> None:
    """Report a question whose answer is checked against channels that actions compute from the same answer."""
    own = unscoped(f"answers.{question.key}")
    guards = (("validate", question.validate), ("when", question.when))
    checks = [(name, guard.reads) for name, guard in guards if guard is not None]
    checks += [("options", frozenset({question.options}))] if question.options else []
    for field, reads in checks:
        way = _computed_from(context, own, (name for name in sorted(reads) if not is_answer(name)))
        # A question that does not apply any more is not asked again before its `when` was computed anew.
        if way and (field != "when" or len(way) == 1) and _is_correctable(context, question):
            actions = listed(action.id for action in way)
            message = (
                f"The answer to `{question.id}` is checked by `{field}` against what {actions} computes from the same "
                "answer: after a correction it may refuse the new answer, which is then dropped and asked again."
            )
            used = "compute it from other answers"
            if ANSWERS in signature_of(context.flow, way[-1]).reads:
                used = f"declare the answers that it uses one by one in place of `{ANSWERS}`"
            hint = f"Let `{way[-1].run}` {used}, without `{own}` in its `reads`."
            related = [(f"`{action.id}` is here", context.path(action)) for action in way]
            out.add(Code.CHECKED_BY_ITSELF, (*context.path(question), field), message, hint, related=related)
            return


def _check_asked_once(context: FlowContext, out: Reporter) -> None:
    """Report a question that is asked again wherever the flow comes to it, but to which no way leads back.

    Its answer belongs to the round in which it was asked: no later reply corrects it.
    """
    flow = context.flow
    asked = [q for q in flow.questions if q.ask_always and q.read in _CORRECTABLE and not flow.keep_answers]
    reported = out.pointers(Code.NOT_RECONSIDERED)
    asked = [q for q in asked if pointer((*context.path(q), "ask")) not in reported]
    asked = [q for q in asked if len(context.askers(f"{ANSWERS}.{q.key}")) == 1]
    repeated = _repeated(context) if asked else set()
    ways = _Ways(context)
    for question in asked:
        if question.id in repeated and not _is_picked(context, question):
            continue
        own = f"{ANSWERS}.{question.key}"
        channels = {name for action in ways.computing_from(own) for name in signature_of(flow, action).writes}
        found = ways.late(question, {**ways.readers_of(channels), **ways.readers_of_answer(own)})
        if found is not None:
            asking, reader, _ = found
            message = f"A reply to `{asking.id}` cannot correct the answer to `{question.id}`, on which `{reader.id}` "
            message += "depends: an answer of `ask: always` belongs to the round in which it was asked."
            hint = f"Write `ask: once`: no way asks `{question.id}` again, and an answer that lasts can be corrected."
            related = [("where it may be corrected", context.path(asking)), ("what reads it", context.path(reader))]
            suggested = Suggestion(hint, "always", "once")
            out.add(Code.NOT_CORRECTABLE, (*context.path(question), "ask"), message, suggested, related=related)


def _repeated(context: FlowContext) -> set[str]:
    """The nodes to which some way leads back."""
    control, flow = context.control, context.flow
    successors: dict[str, list[str]] = {}
    for name, node in flow.nodes.items():
        successors[name] = [*control.following(name), *control.entries(name)]
        successors[name] += [_left(node.graph)] if name in control.exiting else []
    for graph, calls in control.callers.items():
        after = [target for call in calls for target in control.following(call)]
        after += [_left(flow.nodes[call].graph) for call in calls if call in control.exiting]
        successors[_left(graph)] = after
    cyclic = (each for each in components(successors) if is_cyclic(each, successors))
    return {name for component in cyclic for name in component}


def _left(graph: str) -> str:
    """The name of the place behind the exits of a graph."""
    return f"{EXIT} {graph}"


def _is_picked(context: FlowContext, question: Question) -> bool:
    """Whether only decisions that pick among questions lead to one: they pick none that has an answer."""
    before = [context.flow.nodes[name] for name in context.control.preceding[question.id]]
    is_entry = context.flow.graphs[question.graph].entry == question.id
    return not is_entry and all(isinstance(each, Decision) and each.pick_question for each in before)


def _is_correctable(context: FlowContext, question: Question) -> bool:
    """Whether a later reply may correct the answer to a question."""
    after = context.control.reached(context.control.after(question.id))
    found = (context.flow.nodes.get(each) for each in after)
    return any(isinstance(node, Question) and node.read in _CORRECTING for node in found)


def _computed_from(context: FlowContext, answer: str, channels: Iterable[str]) -> list[Action]:
    """The actions without effects over which channels depend on an answer, from the last one; empty if they do not."""
    todo: list[tuple[str, list[Action]]] = [(name, []) for name in channels]
    seen: set[str] = set()
    for name, way in todo:
        for action in context.known_writers(name) if name not in seen else ():
            signature = signature_of(context.flow, action)
            if signature.effects:
                continue
            reads = set(map(unscoped, signature.reads))
            if answer in reads or (ANSWERS in reads and answer in _used(signature)):
                return [*way, action]
            todo += [(read, [*way, action]) for read in sorted(reads) if not is_answer(read) and read != ANSWERS]
        seen.add(name)
    return []


def _used(signature: ActionSignature) -> set[str]:
    """The answers that an action that reads all answers uses by name."""
    return {f"answers.{key}" for key in signature.answer_keys or ()}


def _check_action(
    context: FlowContext, ways: _Ways, node: Action, correctable: dict[str, Question], out: Reporter
) -> None:
    flow, signature = context.flow, signature_of(context.flow, node)
    again = {name for name in signature.writes if name in signature.reads or flow.channels[name].append}
    channels = set(signature.writes) if signature.effects else again
    if not channels:
        return
    reads = frozenset(map(unscoped, signature.reads))
    if "answers" not in reads and reads.isdisjoint(correctable):
        return
    names = [name for name in correctable if is_read(name, reads)]
    found = ways.late(node, ways.readers_of(channels))
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


def _check_question(
    context: FlowContext, ways: _Ways, node: Question, correctable: dict[str, Question], out: Reporter
) -> None:
    flow = context.flow
    reads = set(map(unscoped, answer_reads(node)))
    for action in flow.nodes.values():
        if isinstance(action, Action) and node.options in signature_of(flow, action).writes:
            reads |= {name for name in map(unscoped, signature_of(flow, action).reads) if is_answer(name)}
    name = next((name for name in correctable if name in reads and name != f"answers.{node.key}"), "")
    if not name:
        return
    own = f"answers.{node.key}"
    found = ways.late(node, ways.readers_of_answer(own))
    if found is None:
        return
    asking, reader, _ = found
    message = (
        f"`{reader.id}` reads `{own}`, also after `{name}` was corrected at `{asking.id}`, on which it depends. "
        "An answer of `ask: always` is not checked again."
    )
    hint = "Leave `ask: always` out, or lead back to the question after a correction."
    related = [("where it may be corrected", context.path(asking)), ("what reads it", context.path(reader))]
    out.add(Code.NOT_RECONSIDERED, (*context.path(node), "ask"), message, hint, related=related)


class _Ways:
    """The nodes that read each name, and the ways to them after a correction."""

    def __init__(self, context: FlowContext) -> None:
        self._flow = context.flow
        self._control = context.control
        self._steps = _MOST_STEPS

    @cached_property
    def _readers(self) -> dict[str, list[Node]]:
        """The nodes that read each name."""
        found: dict[str, list[Node]] = {}
        for node in self._flow.nodes.values():
            for name in node_reads(self._flow, node):
                found.setdefault(name, []).append(node)
        return found

    def readers_of(self, channels: Iterable[str]) -> dict[Node, str]:
        """The nodes that read one of these channels, each with the alphabetically first that it reads."""
        return {node: name for name in sorted(channels, reverse=True) for node in self._readers.get(name, ())}

    def readers_of_answer(self, answer: str) -> dict[Node, str]:
        """The nodes that read an answer by its name, without those that read all answers."""
        names = [name for name in self._readers if name != "answers" and is_read(answer, [unscoped(name)])]
        return {node: answer for name in names for node in self._readers[name]}

    def computing_from(self, answer: str) -> list[Action]:
        """The actions without effects that read an answer by its name."""
        found = [node for node in self.readers_of_answer(answer) if isinstance(node, Action)]
        return [action for action in found if not signature_of(self._flow, action).effects]

    def late(self, node: Node, readers: Mapping[Node, str]) -> tuple[Question, Node, str] | None:
        """A question that may correct an answer after its use at `node`, a reader, and the name it reads; or None.

        The question comes after `node`, and the reader is reached after it without passing `node` again.
        """
        readers = {each: name for each, name in readers.items() if each is not node}
        if not readers or self._steps < 0:
            return None
        after = self._control.reached(self._control.after(node.id), {node.id})
        leading = self._control.leading([each.id for each in readers], {node.id})
        self._steps -= len(after) + len(leading)
        for asking in self._flow.questions:
            if asking.id not in after or asking is node or asking.read not in _CORRECTING:
                continue
            start = list(self._after_correction(asking))
            if leading.isdisjoint(start):
                continue
            ways = self._control.reached(start, {node.id})
            found = sorted((each for each in readers if each.id in ways), key=lambda each: each.id)
            if found:
                return asking, found[0], readers[found[0]]
        return None

    def _after_correction(self, asking: Question) -> Iterator[str]:
        """The nodes that may be entered after a reply to a question that corrects another answer."""
        for edge in asking.all_edges:
            if not _needs_an_answer(asking, edge):
                yield from self._control.past_exit(asking.graph) if edge.target == EXIT else (edge.target,)
        yield from self._control.jumps.get(asking.id, ())
        if asking.read == "extract":
            yield asking.id


def _needs_an_answer(node: Question, edge: Edge) -> bool:
    """Whether an edge of a confirmation is closed by a reply that is neither yes nor no."""
    if node.read != "confirm" or edge.guard is None:
        return False
    return edge.guard.evaluate({"answers": {node.key: _CORRECTION}}).closes

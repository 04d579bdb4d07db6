"""Definite assignment: the answers that every way to a node has asked for, and expressions that read others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from operator import or_
from types import MappingProxyType
from typing import NamedTuple

from graphwright.flow.checks.truth_tables import FlowContext, expressions_of
from graphwright.flow.compiled import EXIT, ROOT, Action, Call, CompiledFlow, Decision, Node, Question, Terminal
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.graph_algorithms import reachable
from graphwright.flow.guards import Guard, Template
from graphwright.flow.guards import syntax_tree as tree
from graphwright.flow.guards.vocabulary import ANSWERS
from graphwright.flow.near_names import listed
from graphwright.flow.source import Path, Reporter

_MOST_STEPS = 50
"""So many times the number of nodes are passed at most; then everything counts as assigned, and nothing is said."""

_LONG = 8
_PREFIX = f"{ANSWERS}."
_NONE: frozenset[str] = frozenset()


class Presence:
    """Which answers a guard needs, and which exist where it is true or false.

    `implied` are the answers that exist where a condition is true, by its text: those of the questions with this `when`
    that every way has passed.
    """

    def __init__(self, guard: Guard, implied: Mapping[str, frozenset[str]] = MappingProxyType({})) -> None:
        self.guard = guard
        self.implied = implied

    def needed(self, expr: tree.Expr, known: frozenset[str] = _NONE) -> frozenset[str]:
        """The answers without which a part of it cannot be evaluated, where those in `known` exist.

        `has(answers.x) && answers.x > 3` needs none: one side of `&&` and of `||` may decide without the other.
        """
        match expr:
            case tree.Call(function="&&" | "||", args=(left, right)):
                wanted = expr.function == "&&"
                found = self.needed(left, known | self.proven(right, wanted, by_has=True))
                return found | self.needed(right, known | self.proven(left, wanted, by_has=True))
            case tree.Call(function="?:", args=(test, then, other)):
                found = self.needed(test, known) | self.needed(then, known | self.proven(test, True))
                return found | self.needed(other, known | self.proven(test, False))
            case tree.Name() if (predicate := self.guard.predicates.get(expr.name)) is not None:
                return Presence(predicate, self.implied).needed(predicate.tree, known)
            case tree.Name() | tree.Field() if tree.path_of(expr) is not None:
                return _read(expr, self.guard) - known
            case _:
                return _NONE.union(*(self.needed(part, known) for part in tree.children(expr)))

    def proven(self, expr: tree.Expr, wanted: bool, *, by_has: bool = False) -> frozenset[str]:
        """The answers that exist where a part of it is `wanted`; with `by_has` only those that `has` asks for."""
        found = self.implied.get(tree.unparse(expr), _NONE) if self.implied and wanted else _NONE
        match expr:
            case tree.Call(function="!"):
                return self.proven(expr.args[0], not wanted, by_has=by_has)
            case tree.Call(function="&&" | "||"):
                left, right = (self.proven(part, wanted, by_has=by_has) for part in expr.args)
                return found | (left | right if (expr.function == "&&") is wanted else left & right)
            case tree.Name() if (predicate := self.guard.predicates.get(expr.name)) is not None:
                return found | Presence(predicate, self.implied).proven(predicate.tree, wanted, by_has=by_has)
            case tree.Has():
                return _read(tree.Field(expr.offset, expr.operand, expr.name), self.guard) if wanted else _NONE
            case tree.Call(function="?:") | tree.Macro():
                return found
            case _:
                return found if by_has else found | self.needed(expr)


def _answers_of(guard: Guard) -> Iterator[str]:
    """The answers that a guard reads, `answers.` left out."""
    return (read.removeprefix(_PREFIX) for read in guard.reads if read.startswith(_PREFIX))


def _read(expr: tree.Expr, guard: Guard) -> frozenset[str]:
    """The answer that a chain of names reads, `answers.` left out."""
    path = tree.path_of(expr) or ()
    names = (".".join(path[1:depth]) for depth in range(2, len(path) + 1))
    return frozenset(name for name in names if _PREFIX + name in guard.reads) if path[:1] == (ANSWERS,) else _NONE


class Assignment:
    """A forward analysis over the nodes of all graphs: where ways meet, only what is assigned on each of them stays.

    Names (`venue`, `led.wattage`) are relative to the graph that reads them, and the bits of one integer. What the
    user says of his own accord counts as nothing: he may not say it.
    """

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.bits: dict[str, int] = {}
        guards = (guard for node in flow.nodes.values() for guard in expressions_of(node))
        for name in sorted({name for guard in guards for name in _answers_of(guard)}):
            steps = name.split(".")
            # What a caller reads as led.wattage is wattage inside.
            for depth in range(len(steps)):
                self.bits.setdefault(".".join(steps[depth:]), 1 << len(self.bits))
        self.entering: dict[Node, int] = {}
        """What is assigned when a node is entered. A node that no way leads to has no entry."""
        self.exits: dict[str, int] = {}
        self.todo: deque[Node] = deque()
        self.lost: dict[Node, list[tuple[int, Node | None]]] = {}
        """For each node what is not assigned there because of the way from which node before it."""
        self.callers: dict[str, list[Call]] = {graph: [] for graph in flow.graphs}
        called: dict[str, list[str]] = {graph: [] for graph in flow.graphs}
        for node in flow.nodes.values():
            if isinstance(node, Call):
                for callee in flow.callees(node):
                    self.callers[callee].append(node)
                    called[node.graph].append(callee)
        dropping = {graph.id: self._dropped_in(graph.nodes.values()) for graph in flow.graphs.values()}
        reached = {graph: reachable([graph], called.__getitem__) for graph in called}
        self.dropping = {graph: reduce(or_, (dropping[g] for g in reached[graph]), 0) for graph in called}
        self.scoped: dict[str, list[tuple[int, int]]] = {}
        for name, bit in self.bits.items():
            scope, _, inner = name.partition(".")
            if inner:
                self.scoped.setdefault(scope, []).append((bit, self.bits[inner]))
        for question in flow.questions:
            if question.when is not None and question.required:
                self.bits[_passing(question)] = 1 << len(self.bits)
        self._reads: dict[int, int] = {}
        self._proofs: dict[tuple[int, bool, bool], int] = {}
        self._run()

    def on_entering(self, node: Node, name: str) -> bool:
        """Does the answer `name` (without `answers.`) exist when the node is entered?"""
        return node not in self.entering or bool(self.entering[node] & self.bits[name])

    def on_asking(self, node: Node, name: str) -> bool:
        """The same when its question is put, which has no answer then."""
        assert isinstance(node, Question)
        return node not in self.entering or bool(self._asked(node, self.entering[node]) & self.bits[name])

    def on_leaving(self, node: Node, name: str) -> bool:
        """The same when its edges are looked at."""
        left = self._left(node, self.entering[node]) if node in self.entering else None
        return left is None or bool(left & self.bits[name])

    def implied(self, node: Node) -> dict[str, frozenset[str]]:
        """The answers that exist at a node where a condition is true: they were asked for with it as `when`."""
        found: dict[str, frozenset[str]] = {}
        for question in self.flow.graphs[node.graph].nodes.values():
            if (bit := self.bits.get(_passing(question))) and self.entering.get(node, -1) & bit:
                assert isinstance(question, Question)
                condition = tree.unparse(question.when.tree) if question.when is not None else ""
                found[condition] = found.get(condition, _NONE) | {question.key}
        return found

    def way_without(self, node: Node, name: str) -> list[Node]:
        """A way to the node that does not assign the name, the node included; it begins where the flow may jump to."""
        bit = self.bits[name]
        way: dict[Node, None] = {}
        before: Node | None = node
        while before is not None and before not in way:
            way[before] = None
            before = next((b for bits, b in self.lost.get(before, ()) if bits & bit), None)
        return list(way)[::-1]

    def _run(self) -> None:
        flow = self.flow
        jumps = [flow.nodes[name] for name in (flow.on_stuck, flow.on_escalate) if name]
        if flow.constraints:
            # A constraint may ask any question when the flow is about to end.
            jumps += [flow.nodes[q.on_invalid] for q in flow.questions if q.on_invalid]
        for node in (flow.root.nodes[flow.root.entry], *jumps):
            self._meet(node, 0, None)
        steps = _MOST_STEPS * len(flow.nodes)
        while self.todo and steps:
            steps -= 1
            self._pass(self.todo.popleft())
        if self.todo:
            self.entering = {}
        met = self._met_constraints()
        for node in self.entering if met else ():
            if isinstance(node, Terminal) and node.graph == ROOT:
                self.entering[node] |= met

    def _met_constraints(self) -> int:
        """What exists where the conversation ends: a root terminal is left by what a constraint asks."""
        found = 0
        for constraint in self.flow.constraints:
            groups = [self._set_of(group) for group in constraint.one_of]
            found |= groups[0] if len(groups) == 1 else 0
            found |= self._proof(constraint.require, True) if constraint.require is not None else 0
        return found

    def _meet(self, node: Node, state: int, before: Node | None) -> None:
        known = self.entering.get(node, -1)
        met = known & state
        if met != known or node not in self.entering:
            self.lost.setdefault(node, []).append((known & ~met, before))
            self.entering[node] = met
            self.todo.append(node)

    def _pass(self, node: Node) -> None:
        """Hand what is assigned at a node on to the nodes behind it."""
        state = self.entering[node]
        graph = self.flow.graphs[node.graph]
        if isinstance(node, Call):
            for callee in self.flow.callees(node):
                called = self.flow.graphs[callee]
                # The answers of a scope of its own are not there before the first call.
                inner = state & ~self._set_of(called.keys) if node.scope else state
                self._meet(called.nodes[called.entry], inner, node)
        for name, after in self._steps(node, state):
            if name != EXIT:
                self._meet(graph.nodes[name], after, node)
                continue
            known = self.exits.get(graph.id)
            met = after if known is None else known & after
            if met != known:
                self.exits[graph.id] = met
                self.todo.extend(call for call in self.callers[graph.id] if call in self.entering)

    def _steps(self, node: Node, state: int) -> Iterator[tuple[str, int]]:
        """Where a node may lead to, and what is assigned on that way."""
        left = self._left(node, state)
        if left is None:
            return
        if isinstance(node, Decision) and node.pick_question:
            yield from self._picks(node, left)
            return
        closed = 0
        for edge in node.edges:
            yield edge.target, left | closed | self._proof(edge.guard, True, left)
            closed |= self._proof(edge.guard, False, left, by_has=True)
        if node.otherwise is not None:
            yield node.otherwise.target, left | closed
        if isinstance(node, Question) and node.on_invalid:
            yield node.on_invalid, self._asked(node, state)
        elif isinstance(node, Action):
            if node.on_error:
                yield node.on_error, state
            if node.confirm is not None:
                # It is demanded where its condition is not false, which may also have failed.
                demanded = self._proof(node.confirm.when, True, by_has=True)
                yield node.confirm.by, state & ~self._dropped_in([node]) | demanded

    def _picks(self, node: Decision, left: int) -> Iterator[tuple[str, int]]:
        """A question is picked before those of a later priority, and `else` when all that must be answered are."""
        targets = [
            (edge, target) for edge in node.edges if isinstance(target := self.flow.nodes[edge.target], Question)
        ]
        answered = 0
        for edge, question in sorted(targets, key=lambda each: (each[1].priority, each[1].id)):
            yield question.id, left | answered | self._proof(edge.guard, True) | self._proof(question.when, True)
            asks = question.when is None or (
                _is_has(question.when.tree) and not self._proof(question.when, True) & ~(left | answered)
            )
            if edge.guard is None and asks and question.required:
                answered |= self.bits.get(question.key, 0)
        if node.otherwise is not None:
            yield node.otherwise.target, left | answered

    def _left(self, node: Node, state: int) -> int | None:
        if isinstance(node, Question):
            if node.when is None and node.required:
                return state | self.bits.get(node.key, 0)
            return state & ~self._dropped_in([node]) | self.bits.get(_passing(node), 0)
        if isinstance(node, Action):
            # Where a confirmation may be needless the action is performed without an answer.
            sure = node.confirm is not None and node.confirm.when is None
            return state | self._dropped_in([node]) if sure else state
        return self._returned(node, state) if isinstance(node, Call) else state

    def _asked(self, node: Question, state: int) -> int:
        return (state | self._proof(node.when, True)) & ~self.bits.get(node.key, 0)

    def _dropped_in(self, nodes: Iterable[Node]) -> int:
        """The answers that nodes may drop: of questions that are always asked, and those that confirm an action."""
        found = 0
        for node in nodes:
            if isinstance(node, Question) and node.ask_always:
                found |= self.bits.get(node.key, 0)
            elif isinstance(node, Action) and node.confirm is not None:
                by = self.flow.nodes[node.confirm.by]
                found |= self.bits.get(by.key, 0) if isinstance(by, Question) else 0
        return found

    def _returned(self, node: Call, state: int) -> int | None:
        """What is assigned behind a call; None as long as no way out of what it calls is known."""
        after = -1
        for callee in self.flow.callees(node):
            at_exit, dropping = self.exits.get(callee), self.dropping[callee]
            if at_exit is None:
                continue
            made = state & ~dropping | at_exit
            if node.scope:
                made = state
                for bit, inner in self.scoped.get(node.scope, ()):
                    made = made | bit if at_exit & inner else made & ~bit if dropping & inner else made
            after &= made
        return None if after == -1 else after

    def _proof(self, guard: Guard | None, wanted: bool, state: int = 0, *, by_has: bool = False) -> int:
        """The answers that exist where a guard is `wanted`; with `by_has` also where it cannot be evaluated.

        It is not asked where all answers that it reads are in `state`.
        """
        if guard is None:
            return 0
        reads = self._reads.get(id(guard))
        if reads is None:
            reads = self._reads[id(guard)] = self._set_of(_answers_of(guard))
        if not reads & ~state:
            return 0
        key = (id(guard), wanted, by_has)
        if key not in self._proofs:
            self._proofs[key] = self._set_of(Presence(guard).proven(guard.tree, wanted, by_has=by_has))
        return self._proofs[key]

    def _set_of(self, names: Iterable[str]) -> int:
        return reduce(or_, (self.bits.get(name, 0) for name in names), 0)


def _is_has(expr: tree.Expr) -> bool:
    """Whether a condition only asks whether answers exist."""
    if isinstance(expr, tree.Call) and expr.function == "&&":
        return all(map(_is_has, expr.args))
    return isinstance(expr, tree.Has)


def _passing(node: Node) -> str:
    """What stands among the names for every way having passed a question with a `when`."""
    return f" {node.id}"


_THEN = {
    "guard": ("The guard is not true then.", "has({0}) && ..."),
    "when": ("The question is passed over then.", "has({0}) && ..."),
    "confirm.when": ("The confirmation is demanded then.", "!has({0}) || ..."),
    "validate": ("No answer is accepted then.", "!has({0}) || ..."),
}


class Use(NamedTuple):
    """An expression of a node and its place; `exists` says which answers there are when it is evaluated.

    `known` are those without which it is no matter: another edge is taken then.
    """

    node: Node
    guard: Guard
    path: Path
    exists: Callable[[Node, str], bool]
    known: Callable[[], frozenset[str]] = frozenset


def check_use_before_assignment(context: FlowContext, assigned: Assignment, out: Reporter) -> None:
    """Report each answer once for each node that reads it, with a way on which it is missing.

    Constraints are no matter: one that lacks an answer asks for it. Neither are the conditions of what a decision with
    `pick: question` chooses from: it looks at them again after every answer.
    """
    nodes = context.flow.nodes
    confirming = [nodes[n.confirm.by] for n in nodes.values() if isinstance(n, Action) and n.confirm is not None]
    # A confirmation that may be passed over is reported where it is demanded.
    passed_over = {q.key for q in confirming if isinstance(q, Question) and q.when is not None}
    reported: set[tuple[Node, str]] = set()
    for use in _uses(context, assigned):
        names = [name for name in _answers_of(use.guard) if not use.exists(use.node, name)]
        missing = {name for name in names if name not in passed_over and (use.node, name) not in reported}
        if missing:
            missing &= Presence(use.guard, assigned.implied(use.node)).needed(use.guard.tree, use.known())
        for name in sorted(missing):
            reported.add((use.node, name))
            _report(context, use, name, assigned.way_without(use.node, name), out)


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
        if isinstance(node, Decision) and node.pick_question:
            continue
        for edge in node.edges:
            if edge.guard is None:
                # Where it comes first, nothing hangs on the others.
                break
            others = [e.guard for e in node.edges if e is not edge and e.guard is not None]
            known = partial(_closed, others)
            yield Use(node, edge.guard, (*context.edge_path(node, edge), "guard"), assigned.on_leaving, known)


def _closed(guards: Iterable[Guard]) -> frozenset[str]:
    """The answers that exist where none of these guards is true."""
    return _NONE.union(*(Presence(guard).proven(guard.tree, False, by_has=True) for guard in guards))


def _holes(node: Node, template: Template | None, path: Path, exists: Callable[[Node, str], bool]) -> Iterator[Use]:
    for expression in template.expressions if template is not None else ():
        yield Use(node, expression, path, exists)


def _report(context: FlowContext, use: Use, name: str, way: Sequence[Node], out: Reporter) -> None:
    read, all_askers = f"{_PREFIX}{name}", context.askers(name)
    askers = [question.id for question in all_askers if question not in way]
    shown = [node.id + _remark(node, use, all_askers) for node in way]
    shown = shown if len(shown) <= _LONG else [*shown[:3], "...", *shown[-4:]]
    without = f", without {listed(askers, 3)}" if askers else ""
    message = f"`{read}` may have no value here: {' -> '.join(shown)}{without}."
    field = "confirm.when" if use.path[-2] == "confirm" else str(use.path[-1])
    if field in _THEN:
        then, beginning = _THEN[field]
        hint = f"{then} Ask for it on that way too, or begin with `{beginning.format(read)}`."
    else:
        hint = f"Nothing stands there then. Ask for it on that way too, or write `has({read}) ? ... : '...'`."
    related = [("the question that asks for it", context.path(question)) for question in all_askers[:3]]
    out.add(Code.MAY_BE_UNASKED, use.path, message, hint, related=related)


def _remark(node: Node, use: Use, askers: Sequence[Question]) -> str:
    """Why a question on the way does not give the answer that it asks for."""
    if not isinstance(node, Question) or node not in askers or (node is use.node and use.path[-1] != "guard"):
        return ""
    return " (passed over)" if node.when is not None else " (not answered)"

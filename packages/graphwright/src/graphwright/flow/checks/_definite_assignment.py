"""Definite assignment: the answers and channels set on every way to a node, and the values they cannot have."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from graphwright.flow.checks._alternatives import Alternatives
from graphwright.flow.checks._chosen_paths import path_facts
from graphwright.flow.checks._conditional_answers import Condition, Conditions, always_true
from graphwright.flow.checks._presence import CHANNEL, PREFIX, Presence, names_in, names_read
from graphwright.flow.checks._truth_tables import FlowContext, choosing, conditions_of, expressions_of
from graphwright.flow.compiled import CHOSEN_PATH, EXIT, ROOT, Action, Call, Decision, Node, Question, Terminal
from graphwright.flow.guards import Guard
from graphwright.flow.guards import _syntax_tree as tree
from graphwright.flow.guards._value_partitions import comparisons, literals_in, truth
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, MESSAGE, NOW

_MOST_STEPS = 50
"""The maximum number of steps, as a multiple of the number of nodes. After it, all names count as assigned."""

_MOST_TESTS = 1_000
"""If conditions test shared names more often than this, the values of these names are not followed.

Texts that choose by a condition count only while all tests together stay below it.
"""

_MOST_LED_TO = 200
"""The maximum number of nodes behind the edges of a question that are followed as its branches."""

_NONE: frozenset[str] = frozenset()


class Moment:
    """The knowledge about the names of a flow at a node, at one moment: entering, asking or leaving it."""

    def __init__(self, assigned: Assignment, state: Callable[[Node], int | None]) -> None:
        self._assigned = assigned
        self.state = state
        """The facts at a node as bits, or None if it is unreachable."""

    def has(self, node: Node, name: str) -> bool:
        """Whether the answer `name` (without `answers.`), or the channel `$name`, surely has a value."""
        state = self.state(node)
        return state is None or bool(state & self._assigned.bits[name])

    def passed(self, node: Node, question: Question) -> bool:
        """Whether every way here has passed a question without a `when`, which was asked or had its answer."""
        state = self.state(node)
        return state is not None and bool(state & self._assigned.bits.get(_passing(question), 0))

    def values(self, node: Node, read: str) -> tuple[tuple[Any, ...], bool] | None:
        """The values that a name may have, and whether these are all; None if no way here excludes a value."""
        state, domain = self.state(node), self._assigned.domains.get(read)
        if state is None or domain is None:
            return None
        kept = tuple(value for value, bit in domain.values if not state & bit)
        return (kept, domain.finite) if kept and len(kept) < len(domain.values) else None


class _Domain:
    """Representative values of a name, each with the bit that says that the name does not have it."""

    def __init__(self, values: tuple[tuple[Any, int], ...], finite: bool) -> None:
        self.values = values
        self.finite = finite
        self.bits = reduce(or_, (bit for _, bit in values), 0)


@dataclass(frozen=True, slots=True)
class _Branch:
    """An answer that is asked for after certain values of another one.

    `unless` has, for each value of that other answer, the bit that it does not have the value, and the bit that it does
    not have it or the answer of the branch was given.
    """

    answer: int
    unless: tuple[tuple[int, int], ...]


class Assignment:
    """A forward analysis over the nodes of all graphs. At a junction of several ways, only common facts remain.

    Each fact is one bit of an integer: an answer (`venue`, `led.wattage`, relative to the graph that reads it) or a
    channel (`$price`) was set, a question was passed, or a name does not have a value. Answers that users give without
    being asked are not counted. A waiting question may change any answer, so values are forgotten there.
    """

    def __init__(self, context: FlowContext) -> None:
        self.context = context
        self.flow = flow = context.flow
        self.bits: dict[str, int] = {}
        self._count = 0
        guards = [guard for node in flow.nodes.values() for guard in expressions_of(node)]
        names = {name for guard in guards for name in names_read(guard)}
        names |= {key for constraint in flow.constraints for key in constraint.keys}
        names |= {question.key for question in flow.questions}
        for name in sorted(names):
            steps = name.split(".")
            # A caller reads the answer as `led.wattage`; inside the call it is `wattage`.
            for depth in range(len(steps)):
                self._bit(".".join(steps[depth:]))
        for channel in flow.channels:
            self._bit(CHANNEL + channel)
        self._read_with: dict[str, set[str]] = {}
        """The answers that an expression reads together with each answer."""
        for guard in guards:
            read = {name for name in names_read(guard) if name[0] != CHANNEL}
            for name in read if len(read) > 1 else ():
                self._read_with.setdefault(name, set()).update(read)
        self.entering: dict[Node, int] = {}
        """The facts at the moment a node is entered. Unreachable nodes have no entry."""
        self.ending: dict[Node, int] = {}
        """The facts at the terminals of the root graph, before the constraints of the flow are met."""
        self.exits: dict[str, int] = {}
        self.todo: deque[Node] = deque()
        self.lost: dict[Node, list[tuple[int, Node | None]]] = {}
        """For each node: the facts that do not hold there, and the preceding node that is the cause."""
        self.callers = {
            graph: [call for name in names if isinstance(call := flow.nodes[name], Call)]
            for graph, names in context.control.callers.items()
        }
        inside = {graph: context.control.called_in([graph]) for graph in flow.graphs}
        dropping = {graph.id: self._dropped_in(graph.nodes.values()) for graph in flow.graphs.values()}
        self.dropping = {graph: reduce(or_, (dropping[g] for g in inside[graph]), 0) for graph in inside}
        self.scoped: dict[str, list[tuple[int, int]]] = {}
        for name, bit in self.bits.items():
            scope, _, inner = name.partition(".")
            if inner:
                self.scoped.setdefault(scope, []).append((bit, self.bits[inner]))
        for question in flow.questions:
            if question.when is None or question.required:
                self._bit(_passing(question))
        self._passed = reduce(or_, (bit for name, bit in self.bits.items() if name.startswith(" ")), 0)
        self._dropped_keys = frozenset(question.key for question in flow.questions if question.ask_always)
        self._alternatives = Alternatives(
            context, self._new_bit, lambda expr, guard, wanted: Presence(guard).proven(expr, wanted, by_has=not wanted)
        )
        self._proofs: dict[tuple[int, bool, bool | None], int] = {}
        self._writes: dict[str, int] = {}
        self.domains = self._find_domains()
        self._answer_values = reduce(or_, (d.bits for r, d in self.domains.items() if not self._channel_of(r)), 0)
        self._channel_values = reduce(or_, (d.bits for r, d in self.domains.items() if self._channel_of(r)), 0)
        self._channels = reduce(or_, (bit for name, bit in self.bits.items() if name.startswith(CHANNEL)), 0)
        self._conditions = Conditions(
            self._new_bit, lambda expr, guard: self._set_of(names_in(expr, guard)), self._others
        )
        for question in flow.questions:
            when = question.when
            if when is None or not question.required or not when.reads.isdisjoint((MESSAGE, NOW)):
                continue
            # A condition that needs its own answer is not true before: the question is never asked.
            if question.key not in Presence(when).needed(when.tree):
                self._conditions.add(question, self.bits[question.key], self.bits[_passing(question)])
        self._add_conditions_of_calls()
        self._facts = self._conditions.all_facts
        self._answer_values |= self._facts
        lasting = [
            each
            for each in self._conditions.all
            if each.question.key not in self._dropped_keys and not flow.confirmed_by(each.question.id)
        ]
        self._implying: dict[int, list[Condition]] = {}
        """For one fact of each case: the conditions that it may make true."""
        for condition in lasting:
            for case in condition.cases:
                rare = case & (self._facts | self._answer_values | self._channel_values) or case
                self._implying.setdefault(rare & -rare, []).append(condition)
        self._implying_bits = reduce(or_, self._implying, 0)
        by_path = list(self._find_branches_of_paths())
        self._branches = [*self._find_branches(), *by_path]
        # A correction of the path asks nothing if it comes after the call of the path.
        self._answer_values |= reduce(or_, (bit for branch in by_path for _, bit in branch.unless), 0)
        self._branch_bits = reduce(or_, (bit for branch in self._branches for _, bit in branch.unless), 0)
        changing = {graph.id: self._values_changed(graph.nodes.values()) for graph in flow.graphs.values()}
        self._changing = {graph: reduce(or_, (changing[g] for g in inside[graph]), 0) for graph in inside}
        self.on_entering = Moment(self, self.entering.get)
        """The moment at which a node is entered."""
        self.on_asking = Moment(self, self._state_asked)
        """The moment at which the question of a node is asked; it has no answer then."""
        self.on_leaving = Moment(self, self._state_left)
        """The moment at which the edges of a node are evaluated."""
        self.on_ending = Moment(self, self.ending.get)
        """The moment at which a terminal of the root graph is entered, before constraints."""
        domain = self.domains.get(ACTIVE_PATH)
        self._path_facts = path_facts(context, domain.values) if domain is not None else {}
        self._run()

    def _add_conditions_of_calls(self) -> None:
        """Follow the conditions of graphs that are called with `as` in their callers, if these read the answers."""
        read = sorted((name for name in self.bits if "." in name and name[0] not in (CHANNEL, " ")), key=len)
        calls = [node for node in self.flow.nodes.values() if isinstance(node, Call) and node.scope]
        for name in read:
            scope, _, inner = name.partition(".")
            called = [(each, ref) for each in calls if each.scope == scope for ref in self.flow.callees(each)]
            for call, ref in called:
                graph, graphs = self.flow.graphs[ref], self.context.control.called_in([ref])
                for each in [each for each in self._conditions.all if each.name == inner and each.graph in graphs]:
                    passed = self._new_bit()
                    self.scoped[scope].append((passed, each.passed))
                    self._passed |= passed
                    self._conditions.add_outside(each, call, graph.keys | graph.scopes, self.bits[name], passed)

    def _values_changed(self, nodes: Iterable[Node]) -> int:
        """The values that may change while these nodes are passed: a waiting question may change any answer."""
        asked = (self._answer_values for node in nodes if isinstance(node, Question))
        written = (self._values_written(node) for node in nodes if isinstance(node, Action))
        return reduce(or_, (*asked, *written), 0)

    def _bit(self, name: str) -> int:
        if name not in self.bits:
            self.bits[name] = self._new_bit()
        return self.bits[name]

    def _new_bit(self) -> int:
        self._count += 1
        return 1 << (self._count - 1)

    def _channel_of(self, read: str) -> str:
        """The channel that a dotted name belongs to; empty for an answer."""
        head = read.partition(".")[0]
        return head if head in self.flow.channels else ""

    def _find_domains(self) -> dict[str, _Domain]:
        """The names that several nodes test: one condition may prove what another one contradicts."""
        tests = self._shared_tests(choosing)
        if sum(map(len, tests.values())) > _MOST_TESTS:
            # Many texts that choose do not end the analysis of the conditions.
            tests = self._shared_tests(conditions_of)
        if sum(map(len, tests.values())) > _MOST_TESTS:
            return {}
        found: dict[str, _Domain] = {}
        for read, nodes in tests.items():
            schemas = [self.context.schema(read, graph) for graph in {node.graph for node in nodes}]
            if schemas[0] is None or any(schema != schemas[0] for schema in schemas):
                continue
            trees = [part for guards in nodes.values() for guard in guards for part in guard.trees]
            domain = self.context.domain(schemas[0], literals_in(trees))
            if domain is not None:
                default = (self.flow.channels[read].default,) if read in self.flow.channels else ()
                values = (*domain[0], *(value for value in default if value not in domain[0]))
                found[read] = _Domain(tuple((value, self._new_bit()) for value in values), domain[1])
        return found

    def _shared_tests(self, expressions: Callable[[Node], Iterable[Guard]]) -> dict[str, dict[Node, list[Guard]]]:
        """The names that the expressions of several nodes read, with these expressions."""
        tests: dict[str, dict[Node, list[Guard]]] = {}
        for node in self.flow.nodes.values():
            for guard in expressions(node):
                for read in guard.reads:
                    tests.setdefault(read, {}).setdefault(node, []).append(guard)
        several = {read for read, nodes in tests.items() if len(nodes) > 1 or read == ACTIVE_PATH}
        return {read: tests[read] for read in several - {MESSAGE}}

    def _find_branches(self) -> Iterator[_Branch]:
        """The answers that only certain values of one other answer lead to; a correction to these asks for theirs."""
        sources: dict[str, set[Node]] = {}
        for node in self.flow.nodes.values():
            targets = [edge.target for edge in node.all_edges]
            for target in (*targets, *(getattr(node, field, "") for field in ("on_invalid", "on_error"))):
                sources.setdefault(target, set()).add(node)
        flow = self.flow
        entered = {flow.on_stuck, flow.on_escalate, flow.on_abandon, *(graph.entry for graph in flow.graphs.values())}
        known = {name: before for name, before in sources.items() if name not in (*entered, EXIT)}
        for source in flow.nodes.values():
            key = self._branches_by(source)
            domain = self.domains.get(PREFIX + key)
            if domain is None or not domain.finite:
                continue
            direct = {edge.target for edge in source.all_edges}
            chosen = self._read_with.get(key, set())
            for node in _led_to_by(source, known, flow.nodes):
                for name in self._lasting_answers(node):
                    if node.id in direct or name in chosen:
                        yield _Branch(self.bits[name], tuple((bit, self._new_bit()) for _, bit in domain.values))

    def _find_branches_of_paths(self) -> Iterator[_Branch]:
        """The answers that the graph of a chosen path asks for, as the graph that calls it reads them."""
        domain = self.domains.get(ACTIVE_PATH)
        calls = [node for node in self.flow.nodes.values() if isinstance(node, Call) and node.ref == CHOSEN_PATH]
        keys = {key for path in self.flow.paths.values() for key in self.flow.graphs[path.ref].keys}
        prefixes = {f"{call.scope}." if call.scope else "" for call in calls if domain is not None}
        for name in sorted({prefix + key for prefix in prefixes for key in keys} & self.bits.keys()):
            if domain is not None and self._lasts(self.context.askers(PREFIX + name)):
                yield _Branch(self.bits[name], tuple((bit, self._new_bit()) for _, bit in domain.values))

    def _lasting_answers(self, node: Node) -> Iterator[str]:
        """The mandatory answers that a question, or a call with `as`, asks for once."""
        names = [node.key] if isinstance(node, Question) else []
        if isinstance(node, Call) and node.scope:
            names = [name for name in self.bits if name.startswith(f"{node.scope}.")]
        for name in names:
            asking = [node] if isinstance(node, Question) else self.context.askers(PREFIX + name)
            if self._lasts(asking):
                yield name

    def _lasts(self, asking: Collection[Question]) -> bool:
        """Whether all questions for an answer are mandatory, and the answer is not dropped."""
        lasts = (q.required and q.when is None and q.key not in self._dropped_keys for q in asking)
        return bool(asking) and all(lasts) and not any(self.flow.confirmed_by(q.id) for q in asking)

    def _branches_by(self, source: Node) -> str:
        """The only answer that the edges of a question or a decision read, if one question asks for it, once."""
        read = {name for edge in source.edges for name in (edge.guard.reads if edge.guard is not None else ("",))}
        picks = isinstance(source, Decision) and source.pick_question
        if len(read) != 1 or picks or not isinstance(source, Question | Decision):
            return ""
        [name] = read
        asking = self.context.askers(name)
        key = name.removeprefix(PREFIX)
        once = len(asking) == 1 and asking[0].when is None and key not in self._dropped_keys
        own = once and (asking[0] is source or (isinstance(source, Decision) and asking[0].graph == source.graph))
        return key if own else ""

    def _others(self, expr: tree.Expr) -> int:
        """The facts that a name has none of the values with which a comparison of it is not true; 0 if unknown."""
        names = {name for name, _ in comparisons(expr) or ()}
        domain = self.domains.get(names.pop()) if len(names) == 1 else None
        if domain is None:
            return 0
        name = (comparisons(expr) or [("", expr)])[0][0]
        return reduce(or_, (bit for value, bit in domain.values if truth(expr, {name: value}) is not True), 0)

    def _with_implied(self, state: int) -> int:
        """The facts, with the answers to questions that every way has passed and whose `when` is true."""
        left = state & self._implying_bits
        while left:
            fact = left & -left
            left ^= fact
            for condition in self._implying[fact]:
                if not state & condition.answer and state & condition.passed and condition.holds(state):
                    state |= condition.answer
        return state

    def _with_branches(self, state: int) -> int:
        """The facts, with the answers that every value left for another answer implies, and what they imply."""
        for branch in self._branches:
            if all(state & (excluded | unless) for excluded, unless in branch.unless):
                state |= branch.answer
            for excluded, unless in branch.unless:
                if state & (branch.answer | excluded):
                    state |= unless
        return state

    def _state_asked(self, node: Node) -> int | None:
        assert isinstance(node, Question)
        return self._before_question(node, self.entering[node]) if node in self.entering else None

    def _state_left(self, node: Node) -> int | None:
        return self._left(node, self.entering[node]) if node in self.entering else None

    def implied(
        self, node: Node, moment: Moment, names: Collection[str]
    ) -> Callable[[tree.Expr, Guard, bool], frozenset[str]]:
        """Which of some names exist if a part of an expression at a node is true or false, see `Presence`."""
        state = moment.state(node)
        state = -1 if state is None else state
        passed = [each for each in self._conditions.all if each.name in names and state & each.passed]

        either = state & self._alternatives.all_facts
        branches = any(self.bits[each] == branch.answer for each in names for branch in self._branches)

        def answers(expr: tree.Expr, guard: Guard, wanted: bool) -> frozenset[str]:
            absent = names_in(tree.Field(0, expr.operand, expr.name), guard) if isinstance(expr, tree.Has) else _NONE
            others = self._alternatives.others(absent, state) if either and absent and not wanted else _NONE
            if not (passed or branches):
                return others
            after = state | self._conditions.proven(expr, guard, wanted) | self._excluded(expr, guard, wanted)
            found = {each.name for each in passed if each.holds(after) or self._decides(expr, wanted, each)}
            after = self._with_branches(after) if branches else state
            return others | found | {name for name in names if after & self.bits[name]}

        return answers

    def _decides(self, expr: tree.Expr, wanted: bool, condition: Condition) -> bool:
        """Whether a condition is true for all values of the only name with which `expr` is `wanted`."""
        when = condition.when
        names = {name for part in (expr, when) for name, _ in comparisons(part) or [("", part)]}
        schema = self.context.schema(name, condition.graph) if len(names) == 1 and (name := min(names)) else None
        domain = self.context.domain(schema, literals_in((expr, when))) if schema is not None else None
        return domain is not None and always_true(when, expr, wanted, {name: domain[0]})

    def way_without(self, node: Node, name: str) -> list[Node]:
        """A way to the node (included) without an assignment of the name, from the entry or the target of a jump."""
        bit = self.bits[name]
        way: dict[Node, None] = {}
        before: Node | None = node
        while before is not None and before not in way:
            way[before] = None
            before = next((b for bits, b in self.lost.get(before, ()) if bits & bit), None)
        return list(way)[::-1]

    def _run(self) -> None:
        flow = self.flow
        jumps = [flow.nodes[name] for name in (flow.on_stuck, flow.on_escalate, flow.on_abandon) if name]
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
            self.entering.clear()
        met = self._met_constraints()
        for node in self.entering:
            if isinstance(node, Terminal) and node.graph == ROOT:
                self.ending[node] = self.entering[node]
                self.entering[node] |= met

    def _met_constraints(self) -> int:
        """The facts at the end of the conversation, at which the constraints are met."""
        found = 0
        for constraint in self.flow.constraints:
            groups = [self._set_of(group) for group in constraint.one_of]
            found |= groups[0] if len(groups) == 1 else 0
            if len(groups) == 2 and len(constraint.keys) == 2:
                found |= self._alternatives.fact(frozenset(constraint.keys))
            found |= self._proof(constraint.require, True) if constraint.require is not None else 0
        return found

    def _meet(self, node: Node, state: int, before: Node | None) -> None:
        state = self._with_implied(state | self._path_facts.get(node.graph, 0))
        state = self._with_branches(state) if self._branches else state
        known = self.entering.get(node, -1)
        met = known & state
        if met != known or node not in self.entering:
            self.lost.setdefault(node, []).append((known & ~met, before))
            self.entering[node] = met
            self.todo.append(node)

    def _pass(self, node: Node) -> None:
        """Pass the facts of a node on to the nodes after it."""
        state = self.entering[node]
        graph = self.flow.graphs[node.graph]
        if isinstance(node, Call):
            for callee in self.flow.callees(node):
                called = self.flow.graphs[callee]
                # The answers in the call's own scope do not exist before the first call, and names have other meanings
                # inside.
                inner = state
                if node.scope:
                    inner &= ~(self._set_of(called.keys) | self._answer_values | self._passed | self._branch_bits)
                    inner &= ~self._alternatives.all_facts
                self._meet(called.nodes[called.entry], inner, node)
        for name, after in self.steps(node, state):
            if name != EXIT:
                self._meet(graph.nodes[name], after, node)
                continue
            known = self.exits.get(graph.id)
            met = after if known is None else known & after
            if met != known:
                self.exits[graph.id] = met
                self.todo.extend(call for call in self.callers[graph.id] if call in self.entering)

    def steps(self, node: Node, state: int) -> Iterator[tuple[str, int]]:
        """The nodes that a node may lead to, each with the facts on that way."""
        left = self._left(node, state)
        if left is None:
            return
        if isinstance(node, Decision) and node.pick_question:
            yield from self._picks(node, left)
            return
        closed = 0
        for edge in node.edges:
            yield edge.target, left | closed | self._proof(edge.guard, True)
            closed |= self._proof(edge.guard, False, by_has=True)
        if node.otherwise is not None:
            yield node.otherwise.target, left | closed
        if isinstance(node, Question) and node.on_invalid:
            yield node.on_invalid, self._before_question(node, state)
        elif isinstance(node, Action):
            if node.on_error:
                # If items of a list have failed, the results of the others are written.
                yield node.on_error, state if node.map is None else state | self._written(node)
            if node.confirm is not None:
                # It is demanded unless its condition is false; the condition may also have failed.
                demanded = self._proof(node.confirm.when, True, by_has=True)
                yield node.confirm.by, state & ~self._dropped_in([node]) | demanded

    def _picks(self, node: Decision, left: int) -> Iterator[tuple[str, int]]:
        """Pick each question before those with a later priority, and `else` after all mandatory answers."""
        targets = [
            (edge, target) for edge in node.edges if isinstance(target := self.flow.nodes[edge.target], Question)
        ]
        answered = 0
        for edge, question in sorted(targets, key=lambda each: (each[1].priority, each[1].id)):
            yield question.id, left | answered | self._proof(edge.guard, True) | self._proof(question.when, True)
            condition = self._conditions.known.get(question)
            if edge.guard is None:
                answered |= self.bits.get(_passing(question), 0)
            applies = question.when is None or (condition is not None and condition.holds(left | answered))
            if edge.guard is None and question.required and applies:
                answered |= self.bits.get(question.key, 0)
        if node.otherwise is not None:
            yield node.otherwise.target, left | answered

    def _left(self, node: Node, state: int) -> int | None:
        if isinstance(node, Question):
            condition = self._conditions.known.get(node)
            asked = node.when is None or (condition is not None and condition.holds(state))
            if not self.is_settled(node, state):
                state = state & ~self._answer_values | self._path_facts.get(node.graph, 0)
            passed = self.bits.get(_passing(node), 0)
            if asked and node.required:
                return state | self.bits.get(node.key, 0) | passed
            return state & ~self._dropped_in([node]) | passed
        if isinstance(node, Action):
            # If a confirmation may be skipped, the action runs without an answer.
            sure = node.confirm is not None and node.confirm.when is None
            state = state & ~self._values_written(node) | self._written(node)
            return state | self._dropped_in([node]) if sure else state
        return self._returned(node, state) if isinstance(node, Call) else state

    def _before_question(self, node: Question, state: int) -> int:
        asked = state & ~self._answer_values | self._path_facts.get(node.graph, 0) | self._proof(node.when, True)
        return self._with_implied(asked) & ~self.bits.get(node.key, 0)

    def is_settled(self, node: Question, state: int) -> bool:
        """Whether a question is surely skipped because it was answered or declined before."""
        if node.ask_always or node.when is not None:
            return not node.ask_always and node.required and bool(state & self.bits.get(node.key, 0))
        passed = 0 if node.key in self._dropped_keys else self.bits.get(_passing(node), 0)
        return bool(state & (self.bits.get(node.key, 0) | passed))

    def _written(self, node: Action) -> int:
        """The channels that an action sets. Appending to a list does not set it."""
        key = node.function if node.map is None else node.id
        if key not in self._writes:
            names = (CHANNEL + name for name in self.context.written_by(node) if not self.flow.channels[name].append)
            self._writes[key] = self._set_of(names)
        return self._writes[key]

    def _values_written(self, node: Action) -> int:
        """The values of the channels that an action may change."""
        if not self._channel_values and not self._facts:
            return 0
        written = frozenset(self.context.written_by(node))
        found = self._conditions.facts_about(written)
        if (signature := self.context.signature(node)) is not None and signature.complete:
            found |= self._conditions.passed_before(written)
        return reduce(or_, (d.bits for r, d in self.domains.items() if self._channel_of(r) in written), found)

    def _dropped_in(self, nodes: Iterable[Node]) -> int:
        """The answers that nodes may drop: those of questions that are always asked or that confirm an action."""
        found = 0
        for node in nodes:
            if isinstance(node, Question) and node.ask_always:
                found |= self.bits.get(node.key, 0)
            elif isinstance(node, Action) and node.confirm is not None:
                by = self.flow.nodes[node.confirm.by]
                found |= self.bits.get(by.key, 0) if isinstance(by, Question) else 0
        return found

    def _returned(self, node: Call, state: int) -> int | None:
        """The facts after a call, or None if no exit of the called graph is known yet."""
        after = -1
        for callee in self.flow.callees(node):
            at_exit, dropping = self.exits.get(callee), self.dropping[callee]
            if at_exit is None:
                continue
            kept = state & ~self._changing[callee]
            made = kept & ~dropping | at_exit
            if node.scope:
                made = kept | at_exit & self._channels
                for bit, inner in self.scoped.get(node.scope, ()):
                    made = made | bit if at_exit & inner else made & ~bit if dropping & inner else made
            if node.ref == CHOSEN_PATH:
                made |= self._with_branches(made | self._path_facts.get(callee, 0)) & self._branch_bits
            after &= made
        return None if after == -1 else after

    def _proof(self, guard: Guard | None, wanted: bool, *, by_has: bool = False) -> int:
        """The facts if a guard is `wanted`; with `by_has` also if it cannot be evaluated."""
        if guard is None:
            return 0
        key = (id(guard), wanted, by_has)
        if key not in self._proofs:
            proven = self._set_of(Presence(guard).proven(guard.tree, wanted, by_has=by_has))
            proven |= self._conditions.proven(guard.tree, guard, wanted, by_has=by_has)
            proven |= self._alternatives.proven_by(guard.tree, guard, wanted)
            if not guard.reads.isdisjoint(self.domains):
                proven |= self._excluded(guard.tree, guard, wanted)
            self._proofs[key] = proven
        return self._proofs[key]

    def _excluded(self, expr: tree.Expr, guard: Guard, wanted: bool) -> int:
        """The values that names do not have if a part of a guard is true, or (not `wanted`) is not true."""
        if isinstance(expr, tree.Name) and (predicate := guard.predicates.get(expr.name)) is not None:
            key: tuple[int, bool, bool | None] = (id(predicate), wanted, None)
            if key not in self._proofs:
                self._proofs[key] = self._excluded(predicate.tree, predicate, wanted)
            return self._proofs[key]
        found = comparisons(expr)
        if found and len({name for name, _ in found}) == 1 and (domain := self.domains.get(found[0][0])) is not None:
            name = found[0][0]
            return reduce(or_, (bit for value, bit in domain.values if truth(expr, {name: value}) is (not wanted)), 0)
        if isinstance(expr, tree.Call) and expr.function == ("&&" if wanted else "||"):
            return self._excluded(expr.args[0], guard, wanted) | self._excluded(expr.args[1], guard, wanted)
        return 0

    def _set_of(self, names: Iterable[str]) -> int:
        return reduce(or_, (self.bits.get(name, 0) for name in names), 0)


def _led_to_by(source: Node, sources: Mapping[str, Collection[Node]], nodes: Mapping[str, Node]) -> list[Node]:
    """The first nodes to which every way leads over the edges of `source`; `sources` has those before each node."""
    found: dict[str, Node] = {}
    todo = deque(edge.target for edge in source.all_edges)
    while todo and len(found) < _MOST_LED_TO:
        name = todo.popleft()
        if name not in found and name in sources and all(s is source or s.id in found for s in sources[name]):
            found[name] = nodes[name]
            todo += [edge.target for edge in nodes[name].all_edges]
    return [*found.values()]


def _passing(node: Node) -> str:
    """The name of the fact that every way has passed a question with a `when`."""
    return f" {node.id}"

"""Reachable values: a forward analysis of the values with which the flow may reach a node."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from itertools import combinations, pairwise, product
from typing import NamedTuple

from graphwright.flow.checks.definite_assignment import callees
from graphwright.flow.checks.guard_values import DECLINED, UNKNOWN, GuardValues, Held, Scopes, Variable
from graphwright.flow.compiled import (
    ACTIVE_PATH,
    EXIT,
    ROOT,
    Action,
    Call,
    CompiledFlow,
    Decision,
    Edge,
    Node,
    Question,
    Terminal,
)
from graphwright.flow.guards import Guard
from graphwright.flow.guards.names import ACTIVE_PATH as CHOSEN
from graphwright.flow.guards.names import ANSWERS, MESSAGE, VALUE

MOST_STATES = 20_000
"""So many states are reached with the same names followed."""

ALL_STATES = 40_000
"""So many states are left again in all searches of one flow together; what is not found by then is not reported."""

_MOST_DEPTH = 12
"""So many levels of calls a run goes down."""

_ROUNDS = 8
"""So many times an analysis is begun again with more names followed."""

_MOST_TRACKED = 8
"""So many names are followed at once."""

_SPOKEN = (MESSAGE, CHOSEN)
"""What may change with every message of the user."""

Pairs = tuple[tuple[Variable, int], ...]
"""Values by name, in order: the form of `Held` that can be looked up."""

_OPEN, _CLOSED, _EITHER = (True,), (False,), (True, False)


class Moment(IntEnum):
    """When something is looked at: on entering a node, when its question is put, when its edges are looked at."""

    ENTER = 0
    ASK = 1
    LEAVE = 2


class Frame(NamedTuple):
    """One level of the call stack."""

    node: Node
    scopes: Scopes


class State(NamedTuple):
    """Where a run stands, and the values that it is looked at for."""

    frames: tuple[Frame, ...]
    moment: Moment
    held: Pairs
    escaped: bool = False


class Goal(NamedTuple):
    """What is looked for: a moment of a node at which `holds` is true, and the names that it reads.

    `holds` is given the values, the scopes that are open, and whether the conversation has left its normal way.
    """

    node: Node
    moment: Moment
    reads: frozenset[str]
    holds: Callable[[Held, Scopes, bool], bool]


class Run(NamedTuple):
    """A run that was found: the nodes on its way, with remarks, and the values at its end."""

    way: tuple[str, ...]
    nodes: frozenset[str]
    held: Held
    scopes: Scopes


class Move(NamedTuple):
    """The state that follows another one.

    `undecided` are the guards that read names whose values are not followed, so that the move is only possible.
    `picked` is the question that a decision picks. `remark` says of the node that is left how it was left.
    """

    state: State
    undecided: tuple[Guard, ...] = ()
    remark: str = ""
    picked: Question | None = None


class _Step(NamedTuple):
    """How a state was reached: the place of the one before it, and the move from there."""

    state: State
    before: int
    move: Move


class ReachableValues:
    """Finds with which values a flow reaches a place when the user answers what is asked, and nothing else."""

    def __init__(self, values: GuardValues) -> None:
        self.flow: CompiledFlow = values.flow
        self.values = values
        self.left = ALL_STATES
        self._analyses: dict[frozenset[str], _Analysis] = {}

    def analysis(self, tracked: frozenset[str]) -> _Analysis:
        """The analysis that follows the names with these last parts."""
        if tracked not in self._analyses:
            self._analyses[tracked] = _Analysis(self, tracked)
        return self._analyses[tracked]

    def find(self, goal: Goal) -> Run | None:
        """A shortest way to the goal, or None when there is none, or none was found with bounded work.

        The analysis follows the values that the goal reads; every other guard may be true or false. Where that leaves
        open whether the way that was found can really be gone, the names that decide it are followed, too.
        """
        tracked = frozenset(read.rpartition(".")[2] for read in goal.reads)
        if goal.moment is Moment.ASK and isinstance(goal.node, Question):
            # It is only asked where it has no answer.
            tracked |= {goal.node.key}
        for _ in range(_ROUNDS):
            steps = self.analysis(tracked).way_to(goal)
            if steps is None:
                return None
            more = self._undecided_names(steps) - tracked
            if not more:
                return _run_of(steps)
            tracked |= more
            if len(tracked) > _MOST_TRACKED:
                return None
        return None

    def _undecided_names(self, steps: list[_Step]) -> frozenset[str]:
        """The last parts of names whose values decide whether this way can be gone.

        A name that has got a value on the way, and that only one guard on it reads, may have the value it takes.
        """
        readers = Counter(read for step in steps for guard in step.move.undecided for read in guard.reads)
        given = {MESSAGE}
        found: set[str] = set()
        for before, step in pairwise(steps):
            node, move = before.state.frames[-1].node, step.move
            for guard in move.undecided:
                if any(readers[read] > 1 or read.rpartition(".")[2] not in given for read in guard.reads):
                    found |= {read.rpartition(".")[2] for read in guard.reads}
            if isinstance(node, Question) and before.state.moment is Moment.ASK:
                if node.key in given and not node.ask_always and move.remark:
                    found.add(node.key)
                given.add(node.key)
            elif isinstance(node, Action):
                given.update(self.values.written(node))
            elif isinstance(node, Decision) and node.pick_question and before.state.moment is Moment.LEAVE:
                found |= _unlike_the_pick(self.flow, node, move.picked, given)
        return frozenset(found)


def _unlike_the_pick(flow: CompiledFlow, node: Node, picked: Question | None, given: set[str]) -> set[str]:
    """The last parts of names for which a decision would not have picked that question."""
    found = {picked.key} if picked is not None and picked.key in given else set()
    for edge in node.edges:
        target = flow.nodes[edge.target]
        if isinstance(target, Question) and target.key not in given and _is_rather_picked(target, picked):
            guards = [guard for guard in (edge.guard, target.when) if guard is not None]
            found |= {target.key, *(read.rpartition(".")[2] for guard in guards for read in guard.reads)}
    return found


def _is_rather_picked(question: Question, target: Question | None) -> bool:
    """Whether a decision picks `question`, if it is open, rather than `target`, or rather than none."""
    return target is None or (question.priority, question.id) < (target.priority, target.id)


class _Analysis:
    """The states that are reached, nearest first, as far as some goal has asked for them.

    `tracked` are the last parts of the names whose values are followed.
    """

    def __init__(self, reachable: ReachableValues, tracked: frozenset[str]) -> None:
        self.reachable = reachable
        self.flow = reachable.flow
        self.values = reachable.values
        self.tracked = tracked
        self.steps: list[_Step] = []
        self.at: dict[tuple[Node, Moment], list[int]] = {}
        self.seen: set[State] = set()
        self.queue: deque[int] = deque()
        self._variables: dict[tuple[int, Scopes], tuple[Variable, ...] | None] = {}
        root = (Frame(self.flow.root.nodes[self.flow.root.entry], ()),)
        for pairs in self._beginnings():
            self._push(Move(State(root, Moment.ENTER, pairs)), -1)

    def way_to(self, goal: Goal) -> list[_Step] | None:
        """How the first state is reached in which the goal holds."""
        reached = self.at.setdefault((goal.node, goal.moment), [])
        looked = 0
        while True:
            while looked < len(reached):
                state = self.steps[reached[looked]].state
                if goal.holds(dict(state.held), state.frames[-1].scopes, state.escaped):
                    return self._way(reached[looked])
                looked += 1
            if not self.queue or len(self.steps) > MOST_STATES or self.reachable.left <= 0:
                return None
            self._expand(self.queue.popleft())

    def _expand(self, place: int) -> None:
        self.reachable.left -= 1
        state = self.steps[place].state
        for move in self.moves(state):
            self._push(move, place)

    def _beginnings(self) -> Iterator[Pairs]:
        names = [name for name in (*self.flow.channels, *_SPOKEN) if name in self.tracked]
        for numbers in product(*(self.values.at_first(name) for name in names)):
            yield _held(_named(names, numbers))

    def _push(self, move: Move, before: int) -> None:
        state = move.state
        if state not in self.seen and len(state.frames) <= _MOST_DEPTH:
            self.seen.add(state)
            place = len(self.steps)
            self.queue.append(place)
            self.at.setdefault((state.frames[-1].node, state.moment), []).append(place)
            self.steps.append(_Step(state, before, move))

    def _way(self, place: int) -> list[_Step]:
        found = []
        while place >= 0:
            found.append(self.steps[place])
            place = self.steps[place].before
        return found[::-1]

    def moves(self, state: State) -> Iterable[Move]:
        """What may happen next."""
        node, held = state.frames[-1].node, dict(state.held)
        if state.moment is Moment.LEAVE:
            return self._leave(state, held)
        if isinstance(node, Question):
            return self._ask(state, node, held) if state.moment is Moment.ASK else self._enter(state, node, held)
        if isinstance(node, Action):
            return self._perform(state, node, held)
        if isinstance(node, Call):
            return self._call(state, node, held)
        return () if isinstance(node, Terminal) else (Move(_left(state, state.held)),)

    def _enter(self, state: State, node: Question, held: dict[Variable, int]) -> Iterator[Move]:
        scopes = state.frames[-1].scopes
        outcomes = self._outcomes(node.when, scopes, held)
        if False in outcomes:
            yield Move(_left(state, state.held), _undecided(node.when, outcomes), "passed over")
        if True not in outcomes:
            return
        undecided = _undecided(node.when, outcomes)
        variable = self._variable(node.key, scopes)
        if variable in held and not node.ask_always:
            yield Move(_left(state, state.held), undecided)
            return
        if variable in held:
            state = state._replace(held=_held({name: n for name, n in held.items() if name != variable}))
        yield Move(state._replace(moment=Moment.ASK), undecided)

    def _ask(self, state: State, node: Question, held: dict[Variable, int]) -> Iterator[Move]:
        scopes = state.frames[-1].scopes
        variable = self._variable(node.key, scopes)
        spoken = [name for name in _SPOKEN if name in self.tracked]
        for numbers in product(*(self.values.contents(name) for name in spoken)):
            now = {**held, **_named(spoken, numbers)}
            if node.key not in self.tracked:
                yield Move(_left(state, _held(now)))
            else:
                for number in self.values.answers_to(node):
                    if self._takes(node, scopes, now, number):
                        yield Move(_left(state, _held({**now, variable: number})))
                if not node.required:
                    yield Move(_left(state, _held({**now, variable: DECLINED})), remark="not answered")
            if node.on_invalid:
                there = Frame(self.flow.nodes[node.on_invalid], scopes)
                yield Move(_entered(state, there, _held(now)), remark="not answered")
            if self.flow.on_escalate:
                yield Move(self._escape(self.flow.on_escalate, now), remark="handed over")

    def _takes(self, node: Question, scopes: Scopes, held: Held, number: int) -> bool:
        """Whether `validate` lets a value pass, as far as it reads values that are followed."""
        judge = node.validate
        if judge is None or number == UNKNOWN or self._follows(judge, scopes) is None:
            return True
        verdict = self.values.verdict(judge, scopes, held, number)
        return verdict is None or verdict.opens

    def _perform(self, state: State, node: Action, held: dict[Variable, int]) -> Iterator[Move]:
        names = [name for name in self.values.written(node) if name in self.tracked]
        numbers = [dict.fromkeys((held[name,], *self.values.contents(name))) for name in names]
        for chosen in product(*numbers):
            now = {**held, **_named(names, chosen)}
            yield Move(_left(state, _held(now)))
        if node.on_error:
            there = Frame(self.flow.nodes[node.on_error], state.frames[-1].scopes)
            yield Move(_entered(state, there, state.held), remark="failed")
        if node.confirm is not None and node.confirm.when is not None:
            yield from self._confirm(state, node.confirm.by, node.confirm.when, held)

    def _confirm(self, state: State, by: str, when: Guard, held: dict[Variable, int]) -> Iterator[Move]:
        """To the question that confirms, where it may be demanded: with a condition the flow need not ask before."""
        scopes, question = state.frames[-1].scopes, self.flow.nodes[by]
        assert isinstance(question, Question)
        outcomes = self._outcomes(when, scopes, held, unless_false=True)
        if True in outcomes:
            variable = self._variable(question.key, scopes)
            dropped = _held({name: number for name, number in held.items() if name != variable})
            asked = _entered(state, Frame(question, scopes), dropped)
            yield Move(asked, _undecided(when, outcomes), "not confirmed")

    def _call(self, state: State, node: Call, held: dict[Variable, int]) -> Iterator[Move]:
        chosen = held.get((CHOSEN,)) if node.ref == ACTIVE_PATH else None
        for callee in callees(self.flow, node):
            if chosen is not None:
                path = self.flow.paths.get(self.values.value(chosen))
                if path is None or path.ref != callee:
                    continue
            scopes = state.frames[-1].scopes
            if node.scope:
                scopes = (*scopes, (node.scope, callee))
            graph = self.flow.graphs[callee]
            frames = (*state.frames, Frame(graph.nodes[graph.entry], scopes))
            yield Move(state._replace(frames=frames, moment=Moment.ENTER))

    def _leave(self, state: State, held: dict[Variable, int]) -> Iterator[Move]:
        top = state.frames[-1]
        node = top.node
        if isinstance(node, Call) and node.graph == ROOT and not node.all_edges:
            return
        picks = isinstance(node, Decision) and node.pick_question
        for edge, move in self._picks(state, held) if picks else self._chooses(state, held):
            if edge is None:
                if self.flow.on_stuck:
                    yield move._replace(state=self._escape(self.flow.on_stuck, held), remark="stuck")
            elif edge.target != EXIT:
                there = Frame(self.flow.nodes[edge.target], top.scopes)
                yield move._replace(state=_entered(state, there, state.held))
            elif len(state.frames) > 1:
                yield move._replace(state=state._replace(frames=state.frames[:-1], moment=Moment.LEAVE))

    def _chooses(self, state: State, held: Held) -> Iterator[tuple[Edge | None, Move]]:
        """The edges that may be taken, and None where the flow may be stuck."""
        node, scopes = state.frames[-1]
        outcomes = [(edge, self._outcomes(edge.guard, scopes, held)) for edge in node.edges]
        if self.flow.deterministic and len(outcomes) > 1:
            yield from self._chooses_strictly(state, outcomes)
            return
        closed: tuple[Guard, ...] = ()
        for edge, outcome in outcomes:
            closed += _undecided(edge.guard, outcome)
            if True in outcome:
                yield edge, Move(state, closed)
            if False not in outcome:
                return
        yield node.otherwise, Move(state, closed)

    def _chooses_strictly(
        self, state: State, outcomes: list[tuple[Edge, tuple[bool, ...]]]
    ) -> Iterator[tuple[Edge | None, Move]]:
        """The same where two open edges are an error."""
        undecided = tuple(guard for edge, outcome in outcomes for guard in _undecided(edge.guard, outcome))
        for edge, outcome in outcomes:
            if True in outcome and all(False in other for e, other in outcomes if e is not edge):
                yield edge, Move(state, undecided)
        if all(False in outcome for _, outcome in outcomes):
            yield state.frames[-1].node.otherwise, Move(state, undecided)
        for pair in combinations([(edge, outcome) for edge, outcome in outcomes if True in outcome], 2):
            yield None, Move(state, tuple(guard for edge, outcome in pair for guard in _undecided(edge.guard, outcome)))

    def _picks(self, state: State, held: Held) -> Iterator[tuple[Edge | None, Move]]:
        """The edges to the questions that may be picked, and `else` where it may be that none is left."""
        node, scopes = state.frames[-1]
        surely: list[Question] = []
        maybe: list[tuple[Edge, Question, tuple[Guard, ...]]] = []
        for edge in node.edges:
            target = self.flow.nodes[edge.target]
            assert isinstance(target, Question)
            outcomes = [(guard, self._outcomes(guard, scopes, held)) for guard in (edge.guard, target.when)]
            if target.key in self.tracked and self._variable(target.key, scopes) in held:
                continue
            if all(True in outcome for _, outcome in outcomes):
                undecided = tuple(guard for one, outcome in outcomes for guard in _undecided(one, outcome))
                maybe.append((edge, target, undecided))
            if target.key in self.tracked and all(False not in outcome for _, outcome in outcomes):
                surely.append(target)
        for edge, target, undecided in maybe:
            if not any(_is_rather_picked(other, target) for other in surely):
                yield edge, Move(state, undecided, picked=target)
        if not any(_is_rather_picked(other, None) for other in surely):
            yield node.otherwise, Move(state)

    def _escape(self, name: str, held: dict[Variable, int]) -> State:
        return State((Frame(self.flow.nodes[name], ()),), Moment.ENTER, _held(held), True)

    def _variable(self, key: str, scopes: Scopes) -> Variable:
        return (ANSWERS, *(name for name, _ in scopes), key)

    def _follows(self, guard: Guard, scopes: Scopes) -> tuple[Variable, ...] | None:
        """The variables that a guard reads, or None when not all of them are followed."""
        key = id(guard), scopes
        if key not in self._variables:
            reads = self.values.reads(guard)
            all_followed = all(read == VALUE or read.rpartition(".")[2] in self.tracked for read in reads)
            found = tuple(self.values.variable(read, scopes) for read in reads) if all_followed else None
            self._variables[key] = found
        return self._variables[key]

    def _outcomes(
        self, guard: Guard | None, scopes: Scopes, held: Held, *, unless_false: bool = False
    ) -> tuple[bool, ...]:
        """The possible results of a guard: whether it is true (or `unless_false`: not false)."""
        if guard is None:
            return _OPEN
        variables = self._follows(guard, scopes)
        if variables is None:
            return _EITHER
        verdict = self.values.verdict_of(guard, tuple([held.get(variable) for variable in variables]))
        if verdict is None:
            return _EITHER
        return _OPEN if verdict.opens or (unless_false and not verdict.closes) else _CLOSED


def _undecided(guard: Guard | None, outcomes: tuple[bool, ...]) -> tuple[Guard, ...]:
    """The guard, where it may be true or false."""
    return (guard,) if guard is not None and len(outcomes) > 1 else ()


def _left(state: State, held: Pairs) -> State:
    """The same place when its edges are looked at."""
    return State(state.frames, Moment.LEAVE, held, state.escaped)


def _entered(state: State, frame: Frame, held: Pairs) -> State:
    """Another node of the same graph, on the same level of the stack."""
    return State((*state.frames[:-1], frame), Moment.ENTER, held, state.escaped)


def _named(names: Iterable[str], numbers: Iterable[int]) -> dict[Variable, int]:
    return {(name,): number for name, number in zip(names, numbers, strict=True)}


def _held(values: Held) -> Pairs:
    return tuple(sorted(values.items()))


def _run_of(steps: list[_Step]) -> Run:
    way: list[str] = []
    nodes: set[str] = set()
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        state = step.state
        if state.moment is Moment.ENTER:
            nodes.add(state.frames[-1].node.id)
            way.append(state.frames[-1].node.id)
        if after is not None and after.move.remark:
            way[-1] += f" ({after.move.remark})"
    last = steps[-1].state
    return Run(tuple(way), frozenset(nodes), dict(last.held), last.frames[-1].scopes)

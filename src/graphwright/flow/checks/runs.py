"""Runs of a flow, tried out: is there a way from the entry to a place, with values for which something holds there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from itertools import combinations, pairwise, product
from typing import NamedTuple

from graphwright.flow.checks.replay import Answered, Event, GaveUp, Guarded, Picked, Wrote, conflicts, is_rather_picked
from graphwright.flow.checks.situations import DECLINED, UNKNOWN, Held, Scopes, Situations, Variable
from graphwright.flow.checks.sure import callees
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
"""So many times a search is begun again with more names followed."""

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


class _Step(NamedTuple):
    """How a state was reached."""

    state: State
    before: int
    events: tuple[Event, ...]
    remark: str


Move = tuple[State, tuple[Event, ...], str]
"""The state that follows, what must hold for it, and a remark on the node that is left."""


class Runs:
    """Searches the runs of one flow in which the user answers what is asked, and nothing else."""

    def __init__(self, situations: Situations) -> None:
        self.flow: CompiledFlow = situations.flow
        self.situations = situations
        self.left = ALL_STATES
        self._explored: dict[frozenset[str], _Exploration] = {}

    @property
    def exhausted(self) -> bool:
        """Whether nothing more is searched."""
        return self.left <= 0

    def find(self, goal: Goal) -> Run | None:
        """A shortest run to the goal, or None when there is none, or none was found with bounded work.

        A run follows the values that the goal reads, and takes every other guard for one that may be true or false. A
        way that was found is then replayed with values for all of them; where no values fit, they are followed, too.
        """
        tracked = frozenset(read.rpartition(".")[2] for read in goal.reads)
        if goal.moment is Moment.ASK and isinstance(goal.node, Question):
            # It is only asked where it has no answer.
            tracked |= {goal.node.key}
        for _ in range(_ROUNDS):
            if tracked not in self._explored:
                self._explored[tracked] = _Exploration(self, tracked)
            steps = self._explored[tracked].way_to(goal)
            if steps is None:
                return None
            moves = [(dict(before.state.held), step.events) for before, step in pairwise(steps)]
            found = conflicts(self.situations, moves, tracked)
            if found is None or found <= tracked:
                return _told(steps) if found == frozenset() else None
            tracked |= found
        return None


class _Exploration:
    """The states that are reached, nearest first, as far as some goal has asked for them.

    `tracked` are the last parts of the names whose values are followed.
    """

    def __init__(self, runs: Runs, tracked: frozenset[str]) -> None:
        self.runs = runs
        self.flow = runs.flow
        self.situations = runs.situations
        self.tracked = tracked
        self.steps: list[_Step] = []
        self.at: dict[tuple[Node, Moment], list[int]] = {}
        self.seen: set[State] = set()
        self.queue: deque[int] = deque()
        self._variables: dict[tuple[int, Scopes], tuple[Variable, ...] | None] = {}
        root = (Frame(self.flow.root.nodes[self.flow.root.entry], ()),)
        for pairs in self._beginnings():
            self._push(State(root, Moment.ENTER, pairs), -1)

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
            if not self.queue or len(self.steps) > MOST_STATES or self.runs.exhausted:
                return None
            self._expand(self.queue.popleft())

    def _expand(self, place: int) -> None:
        self.runs.left -= 1
        state = self.steps[place].state
        for following, events, remark in self._moves(state, dict(state.held)):
            self._push(following, place, events, remark)

    def _beginnings(self) -> Iterator[Pairs]:
        names = [name for name in (*self.flow.channels, *_SPOKEN) if name in self.tracked]
        for numbers in product(*(self.situations.at_first(name) for name in names)):
            yield _held(_named(names, numbers))

    def _push(self, state: State, before: int, events: tuple[Event, ...] = (), remark: str = "") -> None:
        if state not in self.seen and len(state.frames) <= _MOST_DEPTH:
            self.seen.add(state)
            place = len(self.steps)
            self.queue.append(place)
            self.at.setdefault((state.frames[-1].node, state.moment), []).append(place)
            self.steps.append(_Step(state, before, events, remark))

    def _way(self, place: int) -> list[_Step]:
        found = []
        while place >= 0:
            found.append(self.steps[place])
            place = self.steps[place].before
        return found[::-1]

    def _moves(self, state: State, held: dict[Variable, int]) -> Iterable[Move]:
        node = state.frames[-1].node
        if state.moment is Moment.LEAVE:
            return self._leave(state, held)
        if isinstance(node, Question):
            return self._ask(state, node, held) if state.moment is Moment.ASK else self._enter(state, node, held)
        if isinstance(node, Action):
            return self._perform(state, node, held)
        if isinstance(node, Call):
            return self._call(state, node, held)
        return () if isinstance(node, Terminal) else ((_left(state, state.held), (), ""),)

    def _enter(self, state: State, node: Question, held: dict[Variable, int]) -> Iterator[Move]:
        scopes = state.frames[-1].scopes
        outcomes = self._outcomes(node.when, scopes, held)
        if False in outcomes:
            yield _left(state, state.held), self._event(node.when, False, scopes, outcomes), "passed over"
        if True not in outcomes:
            return
        events = self._event(node.when, True, scopes, outcomes)
        variable = self._variable(node.key, scopes)
        if variable in held and not node.ask_always:
            yield _left(state, state.held), events, ""
            return
        if variable in held:
            state = state._replace(held=_held({name: n for name, n in held.items() if name != variable}))
        yield state._replace(moment=Moment.ASK), events, ""

    def _ask(self, state: State, node: Question, held: dict[Variable, int]) -> Iterator[Move]:
        scopes = state.frames[-1].scopes
        variable = self._variable(node.key, scopes)
        spoken = [name for name in _SPOKEN if name in self.tracked]
        for numbers in product(*(self.situations.contents(name) for name in spoken)):
            now = {**held, **_named(spoken, numbers)}
            if node.key not in self.tracked:
                answered = _left(state, _held(now))
                yield answered, (Answered(node, variable, scopes, None),), ""
            else:
                for number in self.situations.answers_to(node):
                    if self._takes(node, scopes, now, number):
                        answered = _left(state, _held({**now, variable: number}))
                        yield answered, (Answered(node, variable, scopes, number),), ""
                if not node.required:
                    declined = _left(state, _held({**now, variable: DECLINED}))
                    yield declined, (GaveUp(node, variable, True),), "not answered"
            if node.on_invalid:
                there = Frame(self.flow.nodes[node.on_invalid], scopes)
                jumped = _entered(state, there, _held(now))
                yield jumped, (GaveUp(node, variable),), "not answered"
            if self.flow.on_escalate:
                yield self._escape(self.flow.on_escalate, now), (GaveUp(node, variable),), "handed over"

    def _takes(self, node: Question, scopes: Scopes, held: Held, number: int) -> bool:
        """Whether `validate` lets a value pass, as far as it reads values that are followed."""
        judge = node.validate
        if judge is None or number == UNKNOWN or self._follows(judge, scopes) is None:
            return True
        verdict = self.situations.verdict(judge, scopes, held, number)
        return verdict is None or verdict.opens

    def _perform(self, state: State, node: Action, held: dict[Variable, int]) -> Iterator[Move]:
        names = [name for name in self.situations.written(node) if name in self.tracked]
        numbers = [dict.fromkeys((held[name,], *self.situations.contents(name))) for name in names]
        for chosen in product(*numbers):
            now = {**held, **_named(names, chosen)}
            yield _left(state, _held(now)), (Wrote(node),), ""
        if node.on_error:
            there = Frame(self.flow.nodes[node.on_error], state.frames[-1].scopes)
            yield _entered(state, there, state.held), (), "failed"
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
            events = self._event(when, True, scopes, outcomes)
            yield _entered(state, Frame(question, scopes), dropped), events, "not confirmed"

    def _call(self, state: State, node: Call, held: dict[Variable, int]) -> Iterator[Move]:
        chosen = held.get((CHOSEN,)) if node.ref == ACTIVE_PATH else None
        for callee in callees(self.flow, node):
            if chosen is not None:
                path = self.flow.paths.get(self.situations.value(chosen))
                if path is None or path.ref != callee:
                    continue
            scopes = state.frames[-1].scopes
            if node.scope:
                scopes = (*scopes, (node.scope, callee))
            graph = self.flow.graphs[callee]
            frames = (*state.frames, Frame(graph.nodes[graph.entry], scopes))
            yield state._replace(frames=frames, moment=Moment.ENTER), (), ""

    def _leave(self, state: State, held: dict[Variable, int]) -> Iterator[Move]:
        top = state.frames[-1]
        node = top.node
        if isinstance(node, Call) and node.graph == ROOT and not node.all_edges:
            return
        picks = isinstance(node, Decision) and node.pick_question
        for edge, events in self._picks(node, top.scopes, held) if picks else self._chooses(node, top.scopes, held):
            if edge is None:
                if self.flow.on_stuck:
                    yield self._escape(self.flow.on_stuck, held), events, "stuck"
            elif edge.target != EXIT:
                there = Frame(self.flow.nodes[edge.target], top.scopes)
                yield _entered(state, there, state.held), events, ""
            elif len(state.frames) > 1:
                yield state._replace(frames=state.frames[:-1], moment=Moment.LEAVE), events, ""

    def _chooses(self, node: Node, scopes: Scopes, held: Held) -> Iterator[tuple[Edge | None, tuple[Event, ...]]]:
        """The edges that may be taken, and None where the flow may be stuck."""
        closed: tuple[Event, ...] = ()
        outcomes = [self._outcomes(edge.guard, scopes, held) for edge in node.edges]
        if self.flow.deterministic and len(outcomes) > 1:
            yield from self._chooses_strictly(node, scopes, outcomes)
            return
        for edge, outcome in zip(node.edges, outcomes, strict=True):
            if True in outcome:
                yield edge, closed + self._event(edge.guard, True, scopes, outcome)
            if False not in outcome:
                return
            closed += self._event(edge.guard, False, scopes, outcome)
        yield node.otherwise, closed

    def _chooses_strictly(
        self, node: Node, scopes: Scopes, outcomes: list[tuple[bool, ...]]
    ) -> Iterator[tuple[Edge | None, tuple[Event, ...]]]:
        """The same where two open edges are an error."""
        edges = list(zip(node.edges, outcomes, strict=True))

        def events(opened: tuple[Edge, ...], among: Iterable[tuple[Edge, tuple[bool, ...]]]) -> tuple[Event, ...]:
            noted = (self._event(edge.guard, edge in opened, scopes, outcome) for edge, outcome in among)
            return tuple(event for found in noted for event in found)

        for edge, outcome in edges:
            if True in outcome and all(False in other for e, other in edges if e is not edge):
                yield edge, events((edge,), edges)
        if all(False in outcome for outcome in outcomes):
            yield node.otherwise, events((), edges)
        for pair in combinations([(edge, outcome) for edge, outcome in edges if True in outcome], 2):
            yield None, events(tuple(edge for edge, _ in pair), pair)

    def _picks(self, node: Node, scopes: Scopes, held: Held) -> Iterator[tuple[Edge | None, tuple[Event, ...]]]:
        """The edges to the questions that may be picked, and `else` where it may be that none is left."""
        surely: list[Question] = []
        maybe: list[tuple[Edge, Question]] = []
        for edge in node.edges:
            target = self.flow.nodes[edge.target]
            assert isinstance(target, Question)
            outcomes = [self._outcomes(guard, scopes, held) for guard in (edge.guard, target.when)]
            if target.key in self.tracked and self._variable(target.key, scopes) in held:
                continue
            if all(True in outcome for outcome in outcomes):
                maybe.append((edge, target))
            if target.key in self.tracked and all(False not in outcome for outcome in outcomes):
                surely.append(target)
        for edge, target in maybe:
            if not any(is_rather_picked(other, target) for other in surely):
                yield edge, (Picked(node, scopes, edge, target),)
        if not any(is_rather_picked(other, None) for other in surely):
            yield node.otherwise, (Picked(node, scopes),)

    def _escape(self, name: str, held: dict[Variable, int]) -> State:
        return State((Frame(self.flow.nodes[name], ()),), Moment.ENTER, _held(held), True)

    def _variable(self, key: str, scopes: Scopes) -> Variable:
        return (ANSWERS, *(name for name, _ in scopes), key)

    def _follows(self, guard: Guard, scopes: Scopes) -> tuple[Variable, ...] | None:
        """The variables that a guard reads, or None when not all of them are followed."""
        key = id(guard), scopes
        if key not in self._variables:
            reads = self.situations.reads(guard)
            all_followed = all(read == VALUE or read.rpartition(".")[2] in self.tracked for read in reads)
            found = tuple(self.situations.variable(read, scopes) for read in reads) if all_followed else None
            self._variables[key] = found
        return self._variables[key]

    def _outcomes(
        self, guard: Guard | None, scopes: Scopes, held: Held, *, unless_false: bool = False
    ) -> tuple[bool, ...]:
        """What a guard may come to: is it true (or `unless_false`: not false), is it not?"""
        if guard is None:
            return _OPEN
        variables = self._follows(guard, scopes)
        if variables is None:
            return _EITHER
        verdict = self.situations.verdict_of(guard, tuple([held.get(variable) for variable in variables]))
        if verdict is None:
            return _EITHER
        return _OPEN if verdict.opens or (unless_false and not verdict.closes) else _CLOSED

    def _event(self, guard: Guard | None, opens: bool, scopes: Scopes, outcomes: tuple[bool, ...]) -> tuple[Event, ...]:
        """The condition that remains to be looked at, where the outcome is open."""
        return (Guarded(guard, opens, scopes),) if guard is not None and len(outcomes) > 1 else ()


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


def _told(steps: list[_Step]) -> Run:
    way: list[str] = []
    nodes: set[str] = set()
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        state = step.state
        if state.moment is Moment.ENTER:
            nodes.add(state.frames[-1].node.id)
            way.append(state.frames[-1].node.id)
        if after is not None and after.remark:
            way[-1] += f" ({after.remark})"
    last = steps[-1].state
    return Run(tuple(way), frozenset(nodes), dict(last.held), last.frames[-1].scopes)

"""Replaying a way through a flow: are there values for every name with which it is really gone this way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from graphwright.flow.checks.situations import UNKNOWN, Held, Scopes, Situations, Variable
from graphwright.flow.compiled import Action, Edge, Node, Question
from graphwright.flow.guards import Guard
from graphwright.flow.guards.comparisons import Comparison, comparisons
from graphwright.flow.guards.names import ACTIVE_PATH, ANSWERS, MESSAGE, VALUE

MOST_TRIALS = 3_000
"""So many evaluations are spent on values for conditions that hang together."""

_MOST_PLACES = 200


class Guarded(NamedTuple):
    """A guard of this outcome."""

    guard: Guard
    opens: bool
    scopes: Scopes


class Answered(NamedTuple):
    """A question that was left with an answer: this one, when it is followed."""

    node: Question
    variable: Variable
    scopes: Scopes
    number: int | None


class GaveUp(NamedTuple):
    """A question that was asked and left without an answer; a declined one is not asked again."""

    node: Question
    variable: Variable
    declined: bool = False


class Picked(NamedTuple):
    """The question `target` that a decision picked by `edge`; without them, that it found none."""

    node: Node
    scopes: Scopes
    edge: Edge | None = None
    target: Question | None = None


class Wrote(NamedTuple):
    """An action that was performed."""

    node: Action


def is_rather_picked(question: Question, target: Question | None) -> bool:
    """Whether a decision picks `question`, if it is open, rather than `target`, or rather than none."""
    return target is None or (question.priority, question.id) < (target.priority, target.id)


Event = Guarded | Answered | GaveUp | Picked | Wrote

Move = tuple[Held, tuple[Event, ...]]
"""The values that are followed, as they are before a step, and what happens on it."""

Slot = tuple[bool, int | None]
"""A value that is to be found (True, its place) or is known (False, its number; None: there is none)."""


def conflicts(situations: Situations, moves: Iterable[Move], tracked: frozenset[str]) -> frozenset[str] | None:
    """The last parts of names for which no values fit this way; empty when values fit, None when that is not known."""
    return _Replay(situations, tracked).run(moves)


class _Condition(NamedTuple):
    """That all of several guards, each with the values of its reads, are true; or that not all of them are."""

    parts: tuple[tuple[Guard, tuple[Slot, ...]], ...]
    opens: bool

    @property
    def free(self) -> list[int]:
        return [place for _, slots in self.parts for is_free, place in slots if is_free and place is not None]


class _Replay:
    def __init__(self, situations: Situations, tracked: frozenset[str]) -> None:
        self.situations = situations
        self.tracked = tracked
        self.answers: dict[Variable, Slot] = {}
        self.others: dict[str, Slot] = {}
        self.changed: set[str] = set()
        self.domains: list[tuple[int, ...]] = []
        self.conditions: list[_Condition] = []
        self.trials = MOST_TRIALS

    def run(self, moves: Iterable[Move]) -> frozenset[str] | None:
        for held, events in moves:
            for event in events:
                conflict = self._follow(event, held)
                if conflict:
                    return frozenset(conflict)
        return self._solve()

    def _follow(self, event: Event, held: Held) -> set[str]:
        match event:
            case Guarded():
                return self._demand([event.guard], event.opens, event.scopes, held)
            case Wrote():
                for name in self.situations.written(event.node):
                    self.others.pop(name, None)
                    self.changed.add(name)
                return set()
            case Picked():
                return self._picked(event, held)
            case _:
                return self._asked(event, held)

    def _asked(self, event: Answered | GaveUp, held: Held) -> set[str]:
        node, key = event.node, event.node.key
        if key not in self.tracked and event.variable in self.answers and not node.ask_always:
            # It is passed over: there is an answer already.
            return {key} if isinstance(event, GaveUp) else set()
        for name in (MESSAGE, ACTIVE_PATH):
            self.others.pop(name, None)
            self.changed.add(name)
        self.answers.pop(event.variable, None)
        if isinstance(event, GaveUp):
            if event.declined:
                self.answers[event.variable] = (False, None)
            return set()
        slot = (False, event.number) if event.number is not None else self._new(self.situations.answers_to(node))
        if event.number is None:
            self.answers[event.variable] = slot
        if node.validate is None or node.validate.reads <= {VALUE} or slot == (False, UNKNOWN):
            return set()
        return self._demand([node.validate], True, event.scopes, held, slot)

    def _picked(self, event: Picked, held: Held) -> set[str]:
        """The question must be open, and those that a decision would rather pick must not."""
        for edge in event.node.edges:
            target = self.situations.flow.nodes[edge.target]
            assert isinstance(target, Question)
            guards = [guard for guard in (edge.guard, target.when) if guard is not None]
            wrong: set[str] = set()
            if edge is event.edge:
                wrong = {target.key} if self._is_settled(target, event.scopes, held) else set()
                if guards:
                    wrong |= self._demand(guards, True, event.scopes, held)
            elif (
                is_rather_picked(target, event.target)
                and not self._is_settled(target, event.scopes, held)
                and (not guards or (wrong := self._demand(guards, False, event.scopes, held)))
            ):
                wrong = {*wrong, target.key}
            if wrong:
                return wrong
        return set()

    def _is_settled(self, question: Question, scopes: Scopes, held: Held) -> bool:
        variable = (ANSWERS, *(name for name, _ in scopes), question.key)
        return variable in (held if question.key in self.tracked else self.answers)

    def _demand(
        self, guards: Sequence[Guard], opens: bool, scopes: Scopes, held: Held, value: Slot | None = None
    ) -> set[str]:
        """Note a condition; what contradicts it at once is returned."""
        parts = []
        for guard in guards:
            slots = []
            for read in self.situations.reads(guard):
                slot = value if read == VALUE else self._slot(self.situations.variable(read, scopes), held)
                slots.append(slot or (False, None))
            parts.append((guard, tuple(slots)))
        condition = _Condition(tuple(parts), opens)
        if condition.free:
            self.conditions.append(condition)
            return set()
        return set() if self._met(condition, {}) else self._names(condition)

    def _slot(self, variable: Variable, held: Held) -> Slot | None:
        if variable[-1] in self.tracked:
            return False, held.get(variable)
        if variable[0] == ANSWERS:
            return self.answers.get(variable)
        name = variable[0]
        if name not in self.others:
            first = self.situations.at_first(name)
            if name in self.changed:
                self.others[name] = self._new((*self.situations.contents(name), *first))
            else:
                self.others[name] = (False, first[0]) if len(first) == 1 else self._new(first)
        return self.others[name]

    def _new(self, domain: tuple[int, ...]) -> Slot:
        self.domains.append(domain)
        return True, len(self.domains) - 1

    def _names(self, condition: _Condition) -> set[str]:
        return {read.rpartition(".")[2] for guard, _ in condition.parts for read in guard.reads if read != VALUE}

    def _met(self, condition: _Condition, chosen: dict[int, int]) -> bool:
        self.trials -= 1
        opened = True
        for guard, slots in condition.parts:
            numbers = tuple([chosen[n] if is_free and n is not None else n for is_free, n in slots])
            verdict = self.situations.verdict_of(guard, numbers)
            if verdict is None:
                return True
            opened = opened and verdict.opens
        return opened is condition.opens

    # values for all conditions: those that share a name hang together, all others do not matter to each other

    def _solve(self) -> frozenset[str] | None:
        for conditions in self._components():
            if len(conditions) == 1 and self._goes_both_ways(conditions[0]):
                continue
            places = list(dict.fromkeys(place for condition in conditions for place in condition.free))
            if len(places) > _MOST_PLACES:
                return None
            self.trials = MOST_TRIALS
            if not self._try(conditions, places, {}):
                if self.trials <= 0:
                    return None
                return frozenset(name for condition in conditions for name in self._names(condition))
        return frozenset()

    def _components(self) -> list[list[_Condition]]:
        parent = list(range(len(self.domains)))

        def root(place: int) -> int:
            while parent[place] != place:
                parent[place] = parent[parent[place]]
                place = parent[place]
            return place

        for condition in self.conditions:
            first, *rest = condition.free
            for place in rest:
                parent[root(place)] = root(first)
        grouped: dict[int, list[_Condition]] = {}
        for condition in self.conditions:
            grouped.setdefault(root(condition.free[0]), []).append(condition)
        return list(grouped.values())

    def _goes_both_ways(self, condition: _Condition) -> bool:
        """Whether a single condition is so simple that it surely can have either outcome."""
        ((guard, slots), *others) = condition.parts
        if others or len(condition.free) < len(slots) or len(set(condition.free)) < len(slots):
            return False
        found = comparisons(guard.trees[0])
        reads = self.situations.reads(guard)
        if found is None or sorted(atom.path for atom in found) != sorted(reads):
            return False
        places = {read: place for read, (_, place) in zip(reads, slots, strict=True) if place is not None}
        return all(self._differs(atom, self.domains[places[atom.path]]) for atom in found)

    def _differs(self, atom: Comparison, domain: Sequence[int]) -> bool:
        return UNKNOWN in domain or atom.varies([self.situations.value(number) for number in domain])

    def _try(self, conditions: list[_Condition], places: list[int], chosen: dict[int, int]) -> bool:
        if len(chosen) == len(places):
            return True
        place = places[len(chosen)]
        for number in self.domains[place]:
            if self.trials <= 0:
                return False
            now = {**chosen, place: number}
            complete = [c for c in conditions if place in c.free and all(p in now for p in c.free)]
            if all(self._met(condition, now) for condition in complete) and self._try(conditions, places, now):
                return True
        return False

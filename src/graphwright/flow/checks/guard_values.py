"""The values that names may have, and the verdicts of guards over them; both are computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphwright.flow.checks.definite_assignment import callees
from graphwright.flow.compiled import Action, Call, Catalogue, Channel, CompiledFlow, Question
from graphwright.flow.guards import Guard, Verdict
from graphwright.flow.guards.comparisons import truth
from graphwright.flow.guards.names import ACTIVE_PATH, ANSWERS, MESSAGE, VALUE
from graphwright.flow.guards.value_partitions import Literals, fits, literals_in, partition

Scopes = tuple[tuple[str, str], ...]
"""The scopes (name, graph) that are open at a place, outermost first."""

Variable = tuple[str, ...]
"""`("answers", "led", "wattage")`, counted from the root, or `("plan",)`."""

Held = Mapping[Variable, int]
"""The values that are there, by number; an answer that is not in it has not been asked for."""

MOST_VALUES = 40
"""So many values may stand for all those of one name."""

UNKNOWN = 0
"""The number of a value that is there, and of which nothing else is known."""

_TRUE, _FALSE = Verdict(True), Verdict(False)

DECLINED = -1
"""What stands for the value of an answer that the user was asked for and would not give; there is none."""


class GuardValues:
    """Evaluates the expressions of one flow over numbered values, and keeps the verdicts."""

    def __init__(self, flow: CompiledFlow, catalogue: Catalogue | None) -> None:
        self.flow = flow
        self.catalogue = catalogue
        self._values: list[Any] = [None]
        self._numbers: dict[tuple[str, str], int] = {}
        self._verdicts: dict[tuple[int, tuple[int | None, ...]], Verdict | None] = {}
        self._reads: dict[int, tuple[Guard, tuple[str, ...], frozenset[str]]] = {}
        self._resolved: dict[tuple[str, Scopes], Variable] = {}
        self._domains: dict[object, tuple[int, ...]] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._texts: dict[str, list[str]] | None = None
        self._partitions: dict[tuple[str, Literals], tuple[tuple[int, ...], bool] | None] = {}

    def number(self, value: Any) -> int:
        """The number of a value."""
        key = type(value).__name__, repr(value)
        if key not in self._numbers:
            self._numbers[key] = len(self._values)
            self._values.append(value)
        return self._numbers[key]

    def value(self, number: int) -> Any:
        return self._values[number]

    def domain(self, schema: Mapping[str, Any], literals: Literals) -> tuple[tuple[int, ...], bool] | None:
        """The numbers of the partition of a schema, and whether these are all its values; None when there is none."""
        key = repr(schema), literals
        if key not in self._partitions:
            found = partition(schema, literals)
            few = found is not None and len(found.values) <= MOST_VALUES
            self._partitions[key] = (tuple(map(self.number, found.values)), found.finite) if found and few else None
        return self._partitions[key]

    # names

    def reads(self, guard: Guard) -> tuple[str, ...]:
        """The names that a guard reads, in a fixed order."""
        return self._known(guard)[1]

    def needs(self, guard: Guard) -> frozenset[str]:
        return self._known(guard)[2]

    def _known(self, guard: Guard) -> tuple[Guard, tuple[str, ...], frozenset[str]]:
        known = self._reads.get(id(guard))
        if known is None:
            known = self._reads[id(guard)] = (guard, tuple(sorted(guard.reads)), guard.needs)
        return known

    def variable(self, read: str, scopes: Scopes) -> Variable:
        """What a name means where these scopes are open: own keys come from the own scope, others from around it."""
        variable = self._resolved.get((read, scopes))
        if variable is None:
            variable = self._resolved[read, scopes] = self._resolve(tuple(read.split(".")), scopes)
        return variable

    def _resolve(self, path: tuple[str, ...], scopes: Scopes) -> Variable:
        if path[0] != ANSWERS or len(path) < 2:
            return path
        for depth in range(len(scopes), 0, -1):
            graph = scopes[depth - 1][1]
            if path[1] in (self.flow.graphs[graph].keys if len(path) == 2 else self._scope_names(graph)):
                return (ANSWERS, *(name for name, _ in scopes[:depth]), *path[1:])
        return path

    def _scope_names(self, graph: str) -> frozenset[str]:
        """The scopes that calls open in a graph and in those that share its answers."""
        if graph not in self._names:
            found: set[str] = set()
            shared = [graph]
            for name in shared:
                for node in self.flow.graphs[name].nodes.values():
                    if isinstance(node, Call) and node.scope:
                        found.add(node.scope)
                    elif isinstance(node, Call):
                        shared += [callee for callee in callees(self.flow, node) if callee not in shared]
            self._names[graph] = frozenset(found)
        return self._names[graph]

    def given(self, read: str, scopes: Scopes, held: Held) -> int | None:
        """The value that a name has, or None when it has none."""
        number = held.get(self.variable(read, scopes))
        return None if number == DECLINED else number

    # values

    def answers_to(self, question: Question) -> tuple[int, ...]:
        """Values that a question surely takes; only `UNKNOWN` when none is known.

        A `validate` that reads more than the value is not looked at here.
        """
        found = self._domains.get(question)
        if found is None:
            found = () if question.validator else self._possible(question.schema, question.key)
            judge = question.validate
            if judge is not None and judge.reads <= {VALUE}:
                found = tuple(n for n in found if judge.evaluate({VALUE: self._values[n]}).opens)
            found = self._domains[question] = found or (UNKNOWN,)
        return found

    def contents(self, name: str) -> tuple[int, ...]:
        """Values that a channel, `message` or `active_path` may have at some time."""
        found = self._domains.get(name)
        if found is None:
            if name == ACTIVE_PATH:
                found = tuple(self.number(path) for path in ("", *self.flow.paths))
            elif name == MESSAGE:
                found = self._possible({"type": "string"}, name)
            else:
                found = self._possible(self.flow.channels[name].schema, name) or (UNKNOWN,)
            self._domains[name] = found
        return found

    def at_first(self, name: str) -> tuple[int, ...]:
        """Values of a channel, `message` or `active_path` at the entry of the flow."""
        channel = self.flow.channels.get(name)
        if isinstance(channel, Channel):
            return (self.number(channel.default),)
        return (self.number(""),) if name == ACTIVE_PATH else self.contents(name)

    def written(self, action: Action) -> Iterable[str]:
        """The channels that an action may write."""
        signature = self.catalogue.actions.get(action.run) if self.catalogue is not None else None
        return self.flow.channels if signature is None else signature.writes

    def _possible(self, schema: Mapping[str, Any], name: str) -> tuple[int, ...]:
        found = partition(schema, literals_in(self._texts_about(name)))
        values = [] if found is None else [value for value in found.values if fits(value, schema)]
        return tuple(dict.fromkeys(self.number(value) for value in values[:MOST_VALUES]))

    def _texts_about(self, name: str) -> list[str]:
        """The expressions that may compare a name with something, whatever scope it is in."""
        if self._texts is None:
            self._texts = {}
            for guard in self._guards():
                for read in guard.reads:
                    self._texts.setdefault(read.rpartition(".")[2], []).append(guard.text)
        return [*self._texts.get(name, ()), *self.flow.document.get("predicates", {}).values()]

    def _guards(self) -> Iterable[Guard]:
        for node in self.flow.nodes.values():
            for edge in node.edges:
                if edge.guard is not None:
                    yield edge.guard
            if isinstance(node, Question):
                yield from (guard for guard in (node.when, node.validate) if guard is not None)
            elif isinstance(node, Action) and node.confirm is not None and node.confirm.when is not None:
                yield node.confirm.when

    # verdicts

    def verdict(self, guard: Guard, scopes: Scopes, held: Held, value: int | None = None) -> Verdict | None:
        """The verdict of a guard; None when it depends on an unknown value."""
        return self.verdict_of(
            guard,
            tuple(value if read == VALUE else held.get(self.variable(read, scopes)) for read in self.reads(guard)),
        )

    def verdict_of(self, guard: Guard, numbers: tuple[int | None, ...]) -> Verdict | None:
        """The same for the values of its `reads`, in their order."""
        key = id(guard), numbers
        if key not in self._verdicts:
            self._verdicts[key] = self._evaluate(guard, dict(zip(self.reads(guard), numbers, strict=True)))
        return self._verdicts[key]

    def _evaluate(self, guard: Guard, numbers: Mapping[str, int | None]) -> Verdict | None:
        result = truth(guard.tree, {n: self._values[i] for n, i in numbers.items() if i is not None and i > UNKNOWN})
        if result is not None:
            return _TRUE if result else _FALSE
        needs = self.needs(guard)
        values: dict[str, Any] = {ANSWERS: {}}
        for read, number in numbers.items():
            if number is None or number == DECLINED:
                continue
            if number == UNKNOWN and read in needs:
                return None
            *way, last = read.split(".")
            level = values
            for step in way:
                level = level.setdefault(step, {})
            level[last] = self._values[number]
        return guard.evaluate(values)

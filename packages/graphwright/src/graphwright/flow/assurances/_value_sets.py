"""Sets of values of the names that conditions compare, and the results of conditions over them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from operator import or_
from typing import Any, NamedTuple

from graphwright.flow.checks._truth_tables import MISSING, FlowContext, conditions_of, names_compared, verdict_of
from graphwright.flow.compiled import ROOT
from graphwright.flow.guards import Guard, Verdict
from graphwright.flow.guards._value_partitions import comparisons, literals_in
from graphwright.flow.guards._vocabulary import ANSWERS, MESSAGE

MOST_COMBINATIONS = 500
"""If a condition reads more combinations of values than this, its result counts as unknown."""

_MOST_BOXES = 6
"""The maximum number of products of values that one result of a condition is split into."""

_PREFIX = f"{ANSWERS}."
_TRUE, _FALSE, _ERROR = Verdict(True), Verdict(False), Verdict(None, "unknown")

Scopes = tuple[tuple[str, str], ...]
"""The open answer scopes: pairs of name and graph."""

Env = Mapping[str, int]
"""For each name the values that it may have, as bits; a name that is not included may have any value."""


class Domain(NamedTuple):
    """The values that represent all values of a name. `finite`: the list of values is complete."""

    values: tuple[Any, ...]
    finite: bool

    @property
    def everything(self) -> int:
        return (1 << len(self.values)) - 1

    def mask(self, *values: Any) -> int:
        """The bits of some values."""
        found = (n for n, known in enumerate(self.values) for value in values if _same(known, value))
        return sum(1 << n for n in set(found))

    def listed(self, mask: int) -> list[Any]:
        return [value for n, value in enumerate(self.values) if mask >> n & 1]


def _same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and one == other)


class ValueSets:
    """The domains of all names that conditions compare, and the conditions over them.

    Names are absolute: `answers.led.wattage` is that of the root, wherever it is read.
    """

    def __init__(self, context: FlowContext, extra: Iterable[tuple[Guard, str]], asked: Iterable[str]) -> None:
        """`extra` are further conditions with their graphs, `asked` keys that need a domain though none reads them."""
        self._context = context
        self._flow = context.flow
        guards = [(guard, node.graph) for node in context.flow.nodes.values() for guard in conditions_of(node)]
        guards += [(c.require, ROOT) for c in context.flow.constraints if c.require is not None]
        schemas: dict[str, dict[str, Mapping[str, Any] | None]] = {}
        readers: dict[str, list[Guard]] = {}
        self._reads: dict[int, list[str]] = {}
        for guard, graph in (*guards, *extra):
            self._reads[id(guard)] = sorted(names_compared(context, [guard]))
            for read in self._reads[id(guard)]:
                schema = context.schema(read, graph)
                schemas.setdefault(_kind(read), {})[repr(schema)] = schema
                readers.setdefault(_kind(read), []).append(guard)
        for key in asked:
            for question in context.askers(key):
                schemas.setdefault(f"{_PREFIX}{question.key}", {})[repr(question.schema)] = question.schema
        self._domains: dict[str, Domain] = {}
        for name, found in schemas.items():
            domain = self._make_domain(name, list(found.values()), readers.get(name, ()))
            if domain is not None:
                self._domains[name] = domain
        self._results: dict[tuple[Any, ...], list[tuple[Verdict, dict[str, int]]]] = {}

    def _make_domain(
        self, name: str, schemas: Sequence[Mapping[str, Any] | None], readers: Iterable[Guard]
    ) -> Domain | None:
        if len(schemas) > 1 or schemas[0] is None or name == MESSAGE:
            return None
        found = self._context.domain(schemas[0], literals_in(tree for guard in readers for tree in guard.trees))
        if found is None:
            return None
        values = list(found[0])
        channel = name.partition(".")[0]
        if name.startswith(_PREFIX) or "." in name:
            values.append(MISSING)
        if channel in self._flow.channels and not any(_same(value, self._context.default(name)) for value in values):
            values.append(self._context.default(name))
        return Domain(tuple(values), found[1])

    @property
    def names(self) -> list[str]:
        """The absolute names with a domain, of answers those outside all scopes."""
        return list(self._domains)

    def domain(self, name: str) -> Domain | None:
        """The domain of an absolute name; None if too little is known about it."""
        return self._domains.get(_kind(name))

    def absolute(self, read: str, scopes: Scopes) -> str:
        """The absolute name of what is read as `read` inside scopes."""
        if not read.startswith(_PREFIX):
            return read
        return _PREFIX + ".".join(self._flow.resolve(scopes, read.removeprefix(_PREFIX)))

    def limited(self, env: Env, name: str, mask: int) -> dict[str, int] | None:
        """The values in which a name has one of the values of `mask`, or None if there are none."""
        domain = self.domain(name)
        if domain is None:
            return dict(env)
        left = env.get(name, domain.everything) & mask
        return {**env, name: left} if left else None

    def results(self, guard: Guard, env: Env, scopes: Scopes) -> list[tuple[Verdict, dict[str, int]]]:
        """The possible results of a condition, each with values for which it may have this result; one result may occur
        several times."""
        names = [self.absolute(read, scopes) for read in self._reads[id(guard)]]
        domains = [self.domain(name) for name in names]
        known = [domain for domain in domains if domain is not None]
        if len(known) < len(domains) or not self._is_decidable(guard, known):
            return [(verdict, dict(env)) for verdict in (_TRUE, _FALSE, _ERROR)]
        masks = [env.get(name, domain.everything) for name, domain in zip(names, known, strict=True)]
        key = (id(guard), *names, *masks)
        if key not in self._results:
            self._results[key] = self._evaluate(guard, names, known, masks)
        return [(verdict, {**env, **limits}) for verdict, limits in self._results[key]]

    def tried(self, guard: Guard | None, env: Env, scopes: Scopes) -> Iterator[tuple[bool, Env]]:
        """Whether a condition may be true, and not be true, each with the values."""
        if guard is None:
            yield True, env
            return
        for verdict, each in self.results(guard, env, scopes):
            yield verdict.opens, each

    def reads(self, guard: Guard) -> list[str]:
        """The names that a condition of the flow compares, as it reads them."""
        return self._reads[id(guard)]

    def _is_decidable(self, guard: Guard, domains: Sequence[Domain]) -> bool:
        """Whether the representative values decide the condition for all values."""
        finite = all(domain.finite for domain in domains)
        small = math.prod(len(domain.values) for domain in domains) <= MOST_COMBINATIONS
        return small and (finite or all(comparisons(tree) is not None for tree in guard.trees))

    def _evaluate(
        self, guard: Guard, names: Sequence[str], domains: Sequence[Domain], masks: Sequence[int]
    ) -> list[tuple[Verdict, dict[str, int]]]:
        rows: dict[int, tuple[Verdict, list[tuple[int, ...]]]] = {}
        choices = [
            [n for n in range(len(domain.values)) if mask >> n & 1] for domain, mask in zip(domains, masks, strict=True)
        ]
        for places in product(*choices):
            values = [domain.values[n] for domain, n in zip(domains, places, strict=True)]
            verdict = verdict_of(guard, dict(zip(self._reads[id(guard)], values, strict=True)))
            kind = _TRUE if verdict.opens else _FALSE if verdict.closes else _ERROR
            rows.setdefault(id(kind), (kind, []))[1].append(places)
        return [(kind, dict(zip(names, box, strict=True))) for kind, alike in rows.values() for box in _boxes(alike)]


def _boxes(rows: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Combinations of values as few products of sets of values: exactly, or as one product if that takes many."""
    if not rows or not rows[0]:
        return [()]
    rest: dict[int, list[tuple[int, ...]]] = {}
    for first, *others in rows:
        rest.setdefault(first, []).append(tuple(others))
    alike: dict[tuple[tuple[int, ...], ...], int] = {}
    for first, tails in rest.items():
        boxes = tuple(_boxes(tails))
        alike[boxes] = alike.get(boxes, 0) | 1 << first
    found = [(mask, *box) for boxes, mask in alike.items() for box in boxes]
    if len(found) <= _MOST_BOXES:
        return found
    return [tuple(reduce(or_, masks) for masks in zip(*found, strict=True))]


def _kind(name: str) -> str:
    """The name under which the domain of a name is kept: answers of one key share theirs in all scopes."""
    return _PREFIX + name.rpartition(".")[2] if name.startswith(_PREFIX) else name

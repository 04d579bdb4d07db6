"""Which of two guards opens more often: decided over representative values, or by the form of the expressions.

A verdict other than `unknown` is proven: `equal`, `weaker` and `stronger` need that one guard opens wherever the other
does; `weaker`, `stronger` and `incomparable` need values, valid for a schema, with which only one of them opens. The
values are those that guards can hold: no integer beyond 64 bits, no text with a NUL character.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice, product
from typing import Any, Literal

from graphwright.flow._answer_scopes import find_scopes
from graphwright.flow._draft import make_draft
from graphwright.flow._json_schemas import find_offers
from graphwright.flow.checks._control_flow import ControlFlow
from graphwright.flow.checks._truth_tables import MISSING, MOST_ROWS, FlowContext, as_state
from graphwright.flow.compiled import CompiledFlow
from graphwright.flow.difference._values import distinct, fits, key_of, samples
from graphwright.flow.guards import Guard
from graphwright.flow.guards import _syntax_tree as tree
from graphwright.flow.guards._syntax_tree import Call, Expr, Has, ListOf, Name, path_of, show, unparse
from graphwright.flow.guards._value_partitions import Literals, literals_in, partition, truth
from graphwright.flow.guards._value_types import ValueType, type_of_schema
from graphwright.flow.guards._vocabulary import ANSWERS, VALUE
from graphwright.text.sentences import shortened

Relation = Literal["equal", "weaker", "stronger", "incomparable", "unknown"]
"""The later guard compared with the earlier one: a weaker one opens for more values."""

_EXACT = 2**53
"""From there on, floats have gaps that representative values would have to know."""

_MOST_ATOMS = 7
_MOST_OBJECTS = 300
_MOST_LENGTH, _LARGEST = 2_000, 2_000
_FEW = 24
_LONG = 40
_MOST_INTEGERS = 200
_NEGATED = {"weaker": "stronger", "stronger": "weaker"}

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """Values by name with which only one of two guards opens; `missing` are the answers that are not given."""

    values: Mapping[str, Any]
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = [_equation(name, value) for name, value in self.values.items()]
        return " && ".join([*shown, *(f"!has({name})" for name in self.missing)]) or "any values"

    def to_json(self) -> dict[str, Any]:
        return {"values": dict(self.values), "missing": list(self.missing)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The relation of two guards. `only_before` and `only_after` are values with which only one of them opens.

    `why` says why it is unknown.
    """

    relation: Relation
    only_before: Example | None = None
    only_after: Example | None = None
    why: str = ""

    @property
    def negated(self) -> Comparison:
        """The relation of two demands: one that holds more often is stronger."""
        relation: Any = _NEGATED.get(self.relation, self.relation)
        return Comparison(relation, self.only_before, self.only_after, self.why)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a guard: its flow, its graph, and the schema of `value` in a `validate`."""

    flow: FlowContext
    graph: str
    value: Mapping[str, Any] | None = None

    def schema(self, read: str) -> Mapping[str, Any] | None:
        return self.value if read == VALUE else self.flow.schema(read, self.graph)

    def initial(self, read: str) -> list[Any]:
        """The initial value of a channel."""
        return [self.flow.default(read)] if read in self.flow.flow.channels else []


def place_of(flow: CompiledFlow, graph: str) -> Place:
    """The place of a guard in a graph of a compiled flow."""
    return Place(context_of(flow), graph)


def context_of(flow: CompiledFlow) -> FlowContext:
    """The names of a compiled flow and their schemas."""
    draft = make_draft(flow.document)
    find_offers(draft)
    return FlowContext(flow, ControlFlow(draft), find_scopes(draft), None)


class _Unknown(Exception):
    """The reason why two guards cannot be compared."""


def compare_guards(
    before: Guard | None, after: Guard | None, places: tuple[Place, Place], *, demand: bool = False
) -> Comparison:
    """Compare two guards at corresponding places of two flows; None is always open.

    With `demand` a guard holds unless it is false, like the `when` of a confirmation, which an error does not lift.
    """
    try:
        sides = tuple(_Side(guard, place) for guard, place in zip((before, after), places, strict=True))
        _check_types(sides)
        if unparse(sides[0].tree) == unparse(sides[1].tree):
            return Comparison("equal")
        return _Comparing(sides, demand).result()
    except _Unknown as reason:
        return Comparison("unknown", why=str(reason))


class _Side:
    """A guard at its place; predicates are part of its `tree`."""

    def __init__(self, guard: Guard | None, place: Place) -> None:
        self.guard = guard
        self.place = place
        self.reads = frozenset() if guard is None else guard.reads
        self.tree: Expr = tree.Literal(0, "bool", True) if guard is None else _inlined(guard)

        self.atoms = [*_atoms(self.tree)]

    def holds(self, values: Mapping[str, _Value], demand: bool) -> bool:
        """Whether it holds for values of all names."""
        outcomes: dict[int, Any] = {}
        for value in values.values():
            outcomes.update(value.outcomes)
        if all(outcomes.get(id(atom), _UNSURE) is not _UNSURE for atom in self.atoms):
            return _holds(_outcome(self.tree, outcomes), demand)
        assert self.guard is not None
        verdict = self.guard.evaluate(as_state({name: known.value for name, known in values.items()}))
        return not verdict.closes if demand else bool(verdict.opens)


def _inlined(guard: Guard) -> Expr:
    """The tree of a guard with the trees of its predicates in their places."""
    known: dict[str, Expr] = {}
    sizes: dict[str, int] = {}
    for name, predicate in guard.predicates.items():
        if predicate is None:
            raise _Unknown(f"the predicate `{name}` cannot be used")
        # Predicates that use others several times would make an exponential tree.
        sizes[name] = _size(predicate.tree, sizes)
        known[name] = _with_predicates(predicate.tree, known)
    if _size(guard.tree, sizes) > _LARGEST:
        raise _Unknown("with its predicates the expression is too long")
    return _with_predicates(guard.tree, known)


def _size(expr: Expr, sizes: Mapping[str, int]) -> int:
    return sum(sizes.get(part.name, 1) if isinstance(part, Name) else 1 for part in tree.walk(expr))


def _with_predicates(expr: Expr, known: Mapping[str, Expr]) -> Expr:
    if isinstance(expr, Name):
        return known.get(expr.name, expr)
    if isinstance(expr, Call) and known:
        return Call(expr.offset, expr.function, tuple(_with_predicates(arg, known) for arg in expr.args), expr.method)
    return expr


def _check_types(sides: Sequence[_Side]) -> None:
    """Raise `_Unknown` if a name that both guards read has another type in the other flow."""
    for read in sorted(sides[0].reads & sides[1].reads):
        one, other = (side.place.schema(read) for side in sides)
        if (one is None) != (other is None) or (one is not None and not _same_type(one, other)):
            raise _Unknown(f"`{read}` has another type")


def _same_type(one: Any, other: Any) -> bool:
    return bool(_bare(type_of_schema(one)) == _bare(type_of_schema(other)))


def _bare(shape: ValueType) -> Any:
    """Return what an evaluation knows of a type."""
    items = None if shape.items is None else _bare(shape.items)
    return shape.kind, items, {name: _bare(part) for name, part in shape.properties.items()}


@dataclass(slots=True)
class _Domain:
    """Values of a name.

    `exact`: every other value compares with the literals like one of them. `complete`: these are all values.
    """

    values: list[Any]
    exact: bool
    complete: bool = False


@dataclass(slots=True)
class _Comparing:
    sides: tuple[_Side, ...]
    demand: bool
    exact: bool = True
    names: list[str] = field(default_factory=list)

    def result(self) -> Comparison:
        table = list(self._rows())
        forward = self._implied(table, (True, False))
        backward = self._implied(table, (False, True))
        if forward is None or backward is None:
            proven = _proven(self.sides, self.demand)
            forward = proven[0] if forward is None else forward
            backward = proven[1] if backward is None else backward
        only_before = self._example(table, (True, False)) if forward is False else None
        only_after = self._example(table, (False, True)) if backward is False else None
        relations: dict[tuple[bool | None, bool | None], Relation] = {
            (True, True): "equal",
            (True, False): "weaker",
            (False, True): "stronger",
            (False, False): "incomparable",
        }
        relation = relations.get((forward, backward), "unknown")
        why = "" if relation != "unknown" else "the two calculate with values, and not all of these can be tried"
        return Comparison(relation, only_before, only_after, why)

    def _implied(self, table: list[_Row], against: tuple[bool, bool]) -> bool | None:
        """False if a valid row contradicts, True if no row can, None otherwise."""
        rows = [row for row in table if row.held == against]
        if any(row.is_valid for row in rows):
            return False
        return True if self.exact and not rows else None

    def _may_be(self, name: str, value: Any) -> bool:
        if value is MISSING:
            return True
        places = [side.place for side in self.sides]
        if any(key_of(value) == key_of(first) for place in places for first in place.initial(name)):
            return True
        schemas = [schema for place in places if (schema := place.schema(name)) is not None]
        return any(fits(value, schema) for schema in schemas)

    def _example(self, table: list[_Row], held: tuple[bool, bool]) -> Example:
        """The first valid row, without the names whose values do not matter."""
        row = next(row for row in table if row.held == held and row.is_valid)
        kept = dict(row.values)
        for name in self.names if self.exact else ():
            rest = {other: value for other, value in kept.items() if other != name}
            alike = (r for r in table if all(r.values[other] is value for other, value in rest.items()))
            if all(r.held == held for r in alike):
                del kept[name]
        return Example(
            {name: known.value for name, known in kept.items() if known.value is not MISSING},
            tuple(name for name, known in kept.items() if known.value is MISSING),
        )

    def _rows(self) -> Iterator[_Row]:
        trees = [side.tree for side in self.sides]
        literals = literals_in(trees)
        uses = [_uses(each) for each in trees]
        plain = None not in uses
        reads = self.sides[0].reads | self.sides[1].reads
        self.names = sorted(reads, key=lambda name: (name.startswith(ANSWERS), name))
        known = [use for found in uses for use in found or ()]
        domains = [self._domain(name, known, literals, plain) for name in self.names]
        self.exact = all(domain.exact if plain else domain.complete for domain in domains)
        choices = [self._choices(name, domain, plain) for name, domain in zip(self.names, domains, strict=True)]
        combinations: Iterator[tuple[_Value, ...]] = product(*choices)
        if math.prod(map(len, choices)) > MOST_ROWS:
            self.exact = False
            chosen = random.Random(1)
            combinations = (tuple(chosen.choice(values) for values in choices) for _ in range(MOST_ROWS))
        for combination in combinations:
            values = dict(zip(self.names, combination, strict=True))
            yield _Row(values, tuple(side.holds(values, self.demand) for side in self.sides))

    def _choices(self, name: str, domain: _Domain, plain: bool) -> list[_Value]:
        """The values of a name; of those that no part of the guards distinguishes one is enough, if possible valid."""
        atoms = {id(atom): atom for side in self.sides for atom in side.atoms if _is_over(atom, name)}
        found: dict[Any, _Value] = {}
        for value in domain.values:
            outcomes = {key: _of_atom(atom, name, value) for key, atom in atoms.items()}
            known = plain and outcomes and _UNSURE not in outcomes.values()
            key = tuple(outcomes.values()) if known else key_of(value)
            other = _Value(value, outcomes, partial(self._may_be, name, value))
            if key not in found or (not found[key].valid and other.valid):
                found[key] = other
        return list(found.values())

    def _domain(self, read: str, uses: Sequence[_Use], literals: Literals, plain: bool) -> _Domain:
        schemas: list[Mapping[str, Any]] = []
        for side in self.sides:
            schema = side.place.schema(read)
            if schema is not None and schema not in schemas:
                schemas.append(schema)
        depth = read.count(".") + 1
        own = [(path[depth:], kind) for path, kind in uses if ".".join(path[:depth]) == read]
        parts = [_values(schema, own, literals) for schema in schemas]
        parts = parts if plain else [_every(schema, part) for schema, part in zip(schemas, parts, strict=True)]
        exact = bool(parts) and all(part.exact for part in parts) and all(_is_small(schema) for schema in schemas)
        values = [value for part in parts for value in part.values]
        values += [first for side in self.sides for first in side.place.initial(read)]
        if read.startswith(f"{ANSWERS}."):
            values.append(MISSING)
        if not values:
            raise _Unknown(f"the result depends on `{read}`, whose possible values cannot be listed")
        return _Domain(distinct(values), exact, bool(parts) and all(part.complete for part in parts))


@dataclass
class _Value:
    """A value of a name. `outcomes` are the results of the parts of guards that read only this name, by their ids."""

    value: Any
    outcomes: Mapping[int, Any]
    check: Callable[[], bool]

    @cached_property
    def valid(self) -> bool:
        """Whether a schema allows it."""
        return self.check()


@dataclass(slots=True)
class _Row:
    """Values of all names, and which of the two guards hold."""

    values: Mapping[str, _Value]
    held: tuple[bool, ...]

    @property
    def is_valid(self) -> bool:
        return all(value.valid for value in self.values.values())


_UNSURE = object()
"""The outcome of a part of a guard that only the CEL library can decide."""


def _is_over(atom: Expr, name: str) -> bool:
    """Whether a part of a guard reads this name and no other."""
    uses = _uses(atom)
    if not uses:
        return False
    path = uses[0][0]
    return ".".join(path[: name.count(".") + 1]) == name


def _of_atom(atom: Expr, name: str, value: Any) -> Any:
    """True, false, None for an error, or `_UNSURE`."""
    if isinstance(atom, Has):
        path = path_of(atom.operand)
        plain = path is not None and ".".join((*path, atom.name)) == name
        return value is not MISSING if plain else _UNSURE
    if value is MISSING:
        return None
    flat = {f"{name}.{part}": inner for part, inner in value.items()} if isinstance(value, dict) else {name: value}
    known = truth(atom, flat)
    return _UNSURE if known is None else known


_UseKind = Literal["value", "size", "null", "exists"]
_Use = tuple[Path, _UseKind]
"""How a condition uses a name: it compares the value or its size with literals, or asks whether there is one."""


def _uses(condition: Expr) -> list[_Use] | None:
    """The uses of names in comparisons with literals that `&& || !` join; None if there is anything else."""
    if isinstance(condition, Call) and condition.function in ("&&", "||", "!"):
        parts = [_uses(part) for part in condition.args]
        return None if None in parts else [use for part in parts for use in part or ()]
    if isinstance(condition, tree.Literal):
        return []
    if isinstance(condition, Has):
        path = path_of(condition.operand)
        return None if path is None else [((*path, condition.name), "exists")]
    path = path_of(condition)
    if path is not None:
        return [(path, "value")]
    if not isinstance(condition, Call) or condition.method:
        return None
    return _compared(condition)


def _compared(call: Call) -> list[_Use] | None:
    if call.function in ("==", "!=", "<", "<=", ">", ">="):
        sides = (call.args, call.args[::-1])
    elif call.function == "in" and isinstance(call.args[1], ListOf):
        sides = (call.args,) * 2
    else:
        return None
    for subject, other in sides:
        constants = other.elements if isinstance(other, ListOf) and call.function == "in" else (other,)
        kinds = {_constant_kind(constant) for constant in constants}
        if "" in kinds or (call.function not in ("==", "!=", "in") and "text" in kinds):
            continue
        path = path_of(subject)
        if path is not None:
            return [(path, "null" if kinds == {"null"} else "value")]
        if isinstance(subject, Call) and subject.function == "size" and len(subject.args) == 1 and kinds <= {"whole"}:
            path = path_of(subject.args[0])
            return None if path is None else [(path, "size")]
    return None


def _constant_kind(expr: Expr) -> str:
    """The kind of a literal that representative values can separate from others; empty for anything else."""
    if isinstance(expr, Call) and expr.function == "neg":
        kind = _constant_kind(expr.args[0])
        return kind if kind in ("whole", "number") else ""
    if not isinstance(expr, tree.Literal):
        return ""
    value = expr.value
    match expr.type:
        case "null" | "bool":
            return expr.type
        case "string":
            return "text"
        case "int" | "double":
            assert isinstance(value, int | float)
            small = math.isfinite(value) and abs(value) < _EXACT
            return "" if not small else "whole" if expr.type == "int" else "number"
        case _:
            return ""


def _is_small(schema: Mapping[str, Any]) -> bool:
    bounds = (schema.get(name) for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"))
    return all(abs(bound) < _EXACT for bound in bounds if isinstance(bound, int | float))


def _values(schema: Mapping[str, Any], uses: Sequence[_Use], literals: Literals) -> _Domain:
    """Representative values of a schema for these uses; the paths of the uses begin below it."""
    if any(path for path, _ in uses):
        return _objects(schema, uses, literals)
    kinds = {kind for _, kind in uses}
    shape = type_of_schema(schema)
    null = [None] if shape.nullable else []
    if shape.allowed is not None:
        return _Domain([*shape.allowed, *null], True, complete=True)
    if not kinds <= {"null", "exists"}:
        return _sized(schema, kinds, literals, null) if "size" in kinds else _by_value(schema, literals)
    values = [value for value in samples(schema, literals) if value is not None][:_FEW]
    return _Domain([*values, *null], bool(kinds) and bool(values))


def _by_value(schema: Mapping[str, Any], literals: Literals) -> _Domain:
    found = partition(schema, Literals(literals.numbers, literals.texts, False))
    if found is None or not found.values:
        return _Domain(samples(schema, literals)[:_FEW], False)
    texts = [value for value in found.values if isinstance(value, str)]
    # At least one text is equal to none of the literals.
    exact = found.finite or not texts or any(text not in literals.texts for text in texts)
    return _Domain(list(found.values), exact, found.finite)


def _every(schema: Mapping[str, Any], domain: _Domain) -> _Domain:
    """All values of a schema, if it allows few: any expression is then decided."""
    shape = type_of_schema(schema)
    null = [None] if shape.nullable else []
    if shape.kind == "boolean":
        return _Domain([True, False, *null], True, complete=True)
    low: Any = schema.get("minimum")
    high: Any = schema.get("maximum")
    bounded = not domain.complete and shape.kind == "integer" and isinstance(low, int) and isinstance(high, int)
    if bounded and 0 <= high - low < _MOST_INTEGERS:
        return _Domain([*range(low, high + 1), *null], True, complete=True)
    return domain


def _sized(schema: Mapping[str, Any], kinds: Set[str], literals: Literals, null: list[Any]) -> _Domain:
    """Values of every length that the literals distinguish."""
    shape = type_of_schema(schema)
    lengths = {0, 1} | {int(n) + off for n in literals.numbers for off in (-1, 0, 1)}
    small = all(length <= _MOST_LENGTH for length in lengths)
    wanted = sorted(length for length in lengths if 0 <= length <= _MOST_LENGTH)
    if shape.kind == "text":
        letters = [
            letter for letter in "xyzabcdefgh" if not any(text and {*text} == {letter} for text in literals.texts)
        ]
        texts = [letters[0] * length for length in wanted] if letters else []
        return _Domain([*texts, *literals.texts, *null], small and bool(letters))
    if shape.kind == "list" and "value" not in kinds:
        items = [item for item in samples(schema.get("items", {}), literals) if fits(item, schema.get("items", {}))]
        lists = [(items * (length // len(items) + 1))[:length] for length in wanted] if items else []
        return _Domain([*lists, *null], small and bool(items))
    return _Domain(samples(schema, literals)[:_FEW], False)


def _objects(schema: Mapping[str, Any], uses: Sequence[_Use], literals: Literals) -> _Domain:
    """Objects with all combinations of the used properties."""
    declared = schema.get("properties", {})
    plain = all(len(path) == 1 or (not path and kind in ("null", "exists")) for path, kind in uses)
    names = list(dict.fromkeys(path[0] for path, _ in uses if path))
    valid = [value for value in samples(schema, literals) if isinstance(value, dict) and fits(value, schema)]
    if not plain or not all(isinstance(declared.get(name), Mapping) for name in names):
        return _Domain([*valid[:_FEW], None], False)
    parts = [
        _values(declared[name], [((), kind) for path, kind in uses if path == (name,)], literals) for name in names
    ]
    base = valid[0] if valid else {}
    combinations = product(*([*part.values, MISSING] for part in parts))
    found: list[Any] = []
    for combination in islice(combinations, _MOST_OBJECTS):
        whole = {**base, **dict(zip(names, combination, strict=True))}
        found.append({name: value for name, value in whole.items() if value is not MISSING})
    whole_product = next(combinations, None) is None
    null = [None] if type_of_schema(schema).nullable else []
    return _Domain([*found, *null], whole_product and all(part.exact and part.values for part in parts))


def _proven(sides: Sequence[_Side], demand: bool) -> tuple[bool | None, bool | None]:
    """Whether each guard implies the other whatever its parts mean: true, false or an error, in any combination."""
    written = {id(atom): unparse(atom) for side in sides for atom in side.atoms}
    texts = sorted(set(written.values()))
    if len(texts) > _MOST_ATOMS:
        return None, None
    forward = backward = True
    for combination in product((True, False, None), repeat=len(texts)):
        values = dict(zip(texts, combination, strict=True))
        outcomes = {atom: values[text] for atom, text in written.items()}
        one, other = (_holds(_outcome(side.tree, outcomes), demand) for side in sides)
        forward, backward = forward and (not one or other), backward and (not other or one)
    return forward or None, backward or None


def _holds(outcome: bool | None, demand: bool) -> bool:
    return outcome is not False if demand else outcome is True


def _atoms(expr: Expr) -> Iterator[Expr]:
    if isinstance(expr, Call) and expr.function in ("&&", "||", "!"):
        for part in expr.args:
            yield from _atoms(part)
    elif not _is_flag(expr):
        yield expr


def _is_flag(expr: Expr) -> bool:
    return isinstance(expr, tree.Literal) and expr.type == "bool"


def _outcome(expr: Expr, values: Mapping[int, bool | None]) -> bool | None:
    """The result of a condition whose parts have these results, by their ids; None is an error, as in CEL."""
    if isinstance(expr, Call) and expr.function in ("&&", "||", "!"):
        parts = [_outcome(part, values) for part in expr.args]
        if expr.function == "!":
            return None if parts[0] is None else not parts[0]
        decisive = expr.function == "||"
        return decisive if decisive in parts else None if None in parts else not decisive
    return bool(expr.value) if isinstance(expr, tree.Literal) and expr.type == "bool" else values[id(expr)]


def _equation(name: str, value: Any) -> str:
    if isinstance(value, str | list) and len(value) > _LONG:
        return f"size({name}) == {len(value)}"
    if isinstance(value, dict | list):
        return f"{name} == {shortened(json.dumps(value, ensure_ascii=False), 2 * _LONG)}"
    return f"{name} == {show(value)}"

"""Value partitions: representative values of a schema, one for each range that the compared literals separate."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from graphwright.flow.guards._syntax_tree import Call, Expr, Has, ListOf, Literal, path_of, walk
from graphwright.flow.guards._value_types import type_of_schema

_FRESH = (
    *("something else", "other", "x", "y", "a longer text of several words", "", "0", "1", "12345", "A", "B", "ABC"),
    *("abc-123", "12.50", "2026-01-31", "someone@example.org"),
)
_HUGE = 1e300
_ITEMS = 3
_LONGEST = 50


class Literals(NamedTuple):
    """The numbers and texts that expressions mention. `sized`: an expression uses a size."""

    numbers: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    sized: bool = False

    @property
    def lengths(self) -> list[int]:
        """Sizes just below, at and just above the mentioned numbers."""
        if not self.sized:
            return []
        near = {int(n) + d for n in self.numbers if abs(n) < _LONGEST for d in (-1, 0, 1)}
        return sorted(n for n in near if n >= 0)

    def with_values(self, values: Iterable[Any]) -> Literals:
        """These literals and the texts and numbers among some values."""
        more = tuple(values)
        numbers = dict.fromkeys((*self.numbers, *(value for value in more if _kind(value) == "number")))
        texts = dict.fromkeys((*self.texts, *(value for value in more if isinstance(value, str))))
        return Literals(tuple(numbers), tuple(texts), self.sized)


def literals_in(trees: Iterable[Expr]) -> Literals:
    """The literals of expressions, by their trees."""
    numbers: dict[float, None] = {}
    words: dict[str, None] = {}
    sized = False
    for part in (part for tree in trees for part in walk(tree)):
        if isinstance(part, Call):
            sized = sized or part.function == "size"
            value = literal_value(part)
        else:
            value = part.value if isinstance(part, Literal) else None
        if isinstance(value, str):
            words[value] = None
        elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _HUGE:
            numbers[value] = None
    return Literals(tuple(numbers), tuple(words), sized)


class Partition(NamedTuple):
    """Representative values: every other value behaves like one of them in comparisons with the literals.

    `finite`: the list of values is complete, so that this is true for every use of the values.
    """

    values: tuple[Any, ...]
    finite: bool


def partition(schema: Mapping[str, Any], literals: Literals) -> Partition | None:
    """The partition of a schema, or None if too little is known about it.

    The values may include some that the schema does not allow (`fits` decides), and omit none.
    """
    shape = type_of_schema(schema)
    null = (None,) if shape.nullable else ()
    if shape.allowed is not None:
        return Partition((*shape.allowed, *null), True)
    match shape.kind:
        case "boolean":
            return Partition((True, False, *null), True)
        case "integer" | "number":
            return Partition((*_numbers(schema, literals.numbers, shape.kind == "integer"), *null), False)
        case "text":
            return Partition((*_texts(schema, literals), *null), False)
        case "list":
            return _lists(schema, literals, null)
        case "any":
            return _several(schema, literals)
        case _:
            return None


def _several(schema: Mapping[str, Any], literals: Literals) -> Partition | None:
    """The partition of a schema that names several types."""
    kinds = schema.get("type")
    if not isinstance(kinds, list) or len(kinds) < 2:
        return None
    parts = [
        Partition((None,), True) if kind == "null" else partition({**schema, "type": kind}, literals) for kind in kinds
    ]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return Partition(tuple(value for part in known for value in part.values), all(part.finite for part in known))


def _texts(schema: Mapping[str, Any], literals: Literals) -> Iterator[str]:
    examples = [text for key in ("examples", "default") for text in _listed(schema.get(key)) if isinstance(text, str)]
    fresh = [text for text in (*_FRESH, *examples) if text not in literals.texts]
    yield from fresh[:1]
    yield from literals.texts
    if schema.keys() - {"type"}:
        yield from fresh[1:]
    for length in literals.lengths:
        yield "x" * length


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _numbers(schema: Mapping[str, Any], cuts: Iterable[float], whole: bool) -> list[float]:
    """The cuts, a value between each two, and one beyond each of the outermost, as far as the bounds allow."""
    low, low_open = _bound(schema, "minimum", "exclusiveMinimum", max)
    high, high_open = _bound(schema, "maximum", "exclusiveMaximum", min)
    if whole:
        low = math.floor(low) + 1 if low_open and math.isfinite(low) else _rounded(math.ceil, low)
        high = math.ceil(high) - 1 if high_open and math.isfinite(high) else _rounded(math.floor, high)
        near = {n + d for cut in cuts for n in (math.floor(cut), math.ceil(cut)) for d in (-1, 0, 1)}
        near.update(int(edge) for edge in (low, high) if math.isfinite(edge))
        return sorted(n for n in near or {0} if low <= n <= high)
    points = sorted({cut for cut in cuts if low < cut < high} | {edge for edge in (low, high) if math.isfinite(edge)})
    if not points:
        return [0]
    found = [points[0] - 1] if low == -math.inf else []
    for one, other in pairwise(points):
        found += [one, (one + other) / 2]
    found.append(points[-1])
    if high == math.inf:
        found.append(points[-1] + 1)
    return [
        _tidy(n)
        for n in found
        if (low < n or (n == low and not low_open)) and (n < high or (n == high and not high_open))
    ]


def _bound(schema: Mapping[str, Any], closed: str, opened: str, narrower: Any) -> tuple[float, bool]:
    """The narrower of the two bounds of one side, and whether it is exclusive."""
    beyond = -math.inf if narrower is max else math.inf
    inner, outer = (
        float(value) if isinstance(value := schema.get(name), int | float) and abs(value) < _HUGE else beyond
        for name in (closed, opened)
    )
    edge = narrower(inner, outer)
    return edge, edge == outer and math.isfinite(outer)


def bounds(schema: Mapping[str, Any]) -> tuple[float, float]:
    """The least and the greatest number that a schema may allow."""
    allowed = [value for value in type_of_schema(schema).allowed or () if _kind(value) == "number"]
    if allowed:
        return min(allowed), max(allowed)
    return _bound(schema, "minimum", "exclusiveMinimum", max)[0], _bound(schema, "maximum", "exclusiveMaximum", min)[0]


def _rounded(how: Any, edge: float) -> float:
    return float(how(edge)) if math.isfinite(edge) else edge


def _tidy(value: float) -> float:
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else value


def _lists(schema: Mapping[str, Any], literals: Literals, null: tuple[Any, ...]) -> Partition | None:
    items = _objects(schema.get("items", {}), literals)
    if items is None:
        return None
    values: list[Any] = [[], *([item] for item in items.values[:_ITEMS])]
    values += [[items.values[0]] * length for length in literals.lengths if length > 1]
    return Partition((*values, *null), False)


def _objects(schema: Mapping[str, Any], literals: Literals) -> Partition | None:
    """The partition of the items of a list. One object stands for all: guards distinguish lists of them by size."""
    properties = schema.get("properties")
    if type_of_schema(schema).kind != "object" or not isinstance(properties, Mapping):
        return partition(schema, literals)
    known = {name: part for name, inner in properties.items() if (part := partition(inner, literals)) and part.values}
    return Partition(({name: part.values[0] for name, part in known.items()},), False)


_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def comparisons(condition: Expr) -> list[tuple[str, Expr]] | None:
    """The comparisons of names with literals that a condition joins by `&& || !`; None if it contains anything else.

    The literals separate all values that the condition distinguishes. `has` is ignored, because it does not use a
    value.
    """
    if isinstance(condition, Call) and condition.function in ("&&", "||", "!"):
        parts = [comparisons(part) for part in condition.args]
        return None if None in parts else [one for part in parts for one in part or ()]
    if isinstance(condition, Has | Literal):
        return []
    path = path_of(condition)
    if path is None and isinstance(condition, Call) and (condition.function in _SIGNS or condition.function == "in"):
        subject, other = condition.args
        kinds = {_kind(literal_value(e)) for e in (other.elements if isinstance(other, ListOf) else (other,))}
        ordered = condition.function not in ("==", "!=", "in")
        null = isinstance(other, Literal) and other.type == "null"
        path = path_of(subject) if null or not ({"", "text"} if ordered else {""}) & kinds else None
    return None if path is None else [(".".join(path), condition)]


def truth(condition: Expr, values: Mapping[str, Any]) -> bool | None:
    """The result of a condition that consists of comparisons of names with literals, joined by `&& || !`.

    `values` are the values of the names by their dotted path. None if only the CEL library can decide: for another kind
    of condition, a name without a value, or values that cannot be compared.
    """
    path = path_of(condition)
    if path is not None:
        value = values.get(".".join(path))
        return value if isinstance(value, bool) else None
    if not isinstance(condition, Call) or condition.method:
        return None
    if condition.function in ("&&", "||", "!"):
        parts = [truth(part, values) for part in condition.args]
        if None in parts:
            return None
        return not parts[0] if condition.function == "!" else (all if condition.function == "&&" else any)(parts)
    return _compared(condition, values)


def _compared(call: Call, values: Mapping[str, Any]) -> bool | None:
    sign = _SIGNS.get(call.function)
    path = path_of(call.args[0]) if sign is not None or call.function == "in" else None
    value = None if path is None else values.get(".".join(path))
    if value is None:
        return None
    kind, other = _kind(value), call.args[1]
    if sign is not None:
        literal = literal_value(other)
        return bool(sign(value, literal)) if kind and _kind(literal) == kind else None
    literals = [literal_value(element) for element in other.elements] if isinstance(other, ListOf) else [None]
    return value in literals if kind and all(_kind(literal) == kind for literal in literals) else None


def _kind(value: Any) -> str:
    """The kind of a flag, text or number; empty for others. Values of one kind can be compared."""
    if isinstance(value, bool):
        return "flag"
    return "text" if isinstance(value, str) else "number" if isinstance(value, int | float) else ""


def literal_value(expr: Expr) -> Any:
    """The value of a text, a number or a flag, or None."""
    if isinstance(expr, Call) and expr.function == "neg":
        value = literal_value(expr.args[0])
        return -value if isinstance(value, int | float) else None
    return expr.value if isinstance(expr, Literal) and not isinstance(expr.value, bytes) else None

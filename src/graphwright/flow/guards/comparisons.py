"""Comparisons of names with literals in syntax trees, for which few values stand for all others."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphwright.flow.guards.syntax_tree import Call, Expr, Has, ListOf, Literal, children, path_of
from graphwright.flow.guards.value_partitions import Literals, partition

_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, many: value in many,
}
_EQUAL = frozenset({"==", "!="})
_ORDER = frozenset({"<", "<=", ">", ">="})
_BOUNDS = frozenset({"type", "title", "description", "minimum", "maximum"})
_OPEN = frozenset({"type", "title", "description", "minLength", "maxLength", "pattern", "format"})
"""The keywords of schemas of which every text, or both true and false, are values as far as `==` can tell."""


class Comparison(NamedTuple):
    """A name compared with a literal, or with a list of them; without a sign, a name that is true or false."""

    path: str
    sign: str
    literal: Any

    def holds(self, value: Any) -> bool:
        """Whether it is true of a value. Raises `TypeError` for values that cannot be compared."""
        return bool(_SIGNS[self.sign](value, self.literal) if self.sign else value)

    def varies(self, values: Iterable[Any]) -> bool:
        """Whether some of the values make it true, and others false."""
        try:
            return {self.holds(value) for value in values} == {True, False}
        except TypeError:
            return False

    def varies_within(self, schema: Mapping[str, Any]) -> bool:
        """Whether it is known that some values of a schema make it true, and others false."""
        values: Sequence[Any] | None = schema.get("enum")
        if values is None:
            if schema.keys() <= _OPEN and (kind := schema.get("type")) in ("string", "boolean"):
                return kind == "boolean" or self.sign in ("==", "!=", "in")
            if (within := self._within_bounds(schema)) is not None:
                return within
            literals = self.literal if isinstance(self.literal, tuple) else (self.literal,)
            found = partition(schema, Literals(tuple(n for n in literals if isinstance(n, int | float))))
            if found is None or any(isinstance(value, str) for value in found.values):
                return False
            values = found.values
        return self.varies(values)

    def _within_bounds(self, schema: Mapping[str, Any]) -> bool | None:
        """The same for a whole number and the bounds of a number; None where that is not all that matters."""
        literal = self.literal
        if not schema.keys() <= _BOUNDS or schema.get("type") not in ("integer", "number") or type(literal) is not int:
            return None
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        if self.sign in ("<", ">="):
            return bool(low < literal <= high)
        if self.sign in (">", "<="):
            return bool(low <= literal < high)
        return bool(low <= literal <= high and low < high)


def comparisons(tree: Expr) -> list[Comparison] | None:
    """The comparisons of a condition that joins nothing but comparisons by `&& || !`, else None."""
    if isinstance(tree, Call) and tree.function in ("&&", "||", "!"):
        parts = [comparisons(arg) for arg in tree.args]
        return None if None in parts else [one for part in parts for one in part or ()]
    found = one_comparison(tree)
    return None if found is None else [found]


def one_comparison(tree: Expr) -> Comparison | None:
    """The comparison that is all of a condition."""
    path = path_of(tree)
    if path is not None:
        return Comparison(".".join(path), "", None)
    if not isinstance(tree, Call) or tree.method or tree.function not in _SIGNS:
        return None
    path, other = path_of(tree.args[0]), tree.args[1]
    if path is None:
        return None
    if tree.function == "in":
        literals = [_literal(element) for element in other.elements] if isinstance(other, ListOf) else [None]
        return None if None in literals else Comparison(".".join(path), "in", tuple(literals))
    literal = _literal(other)
    return None if literal is None else Comparison(".".join(path), tree.function, literal)


def _literal(expr: Expr) -> Any:
    """The value of a text, a number or a flag; None for anything else."""
    if isinstance(expr, Call) and expr.function == "neg" and (value := _literal(expr.args[0])) is not None:
        return -value
    return expr.value if isinstance(expr, Literal) and not isinstance(expr.value, bytes) else None


def true_at_once(conditions: Sequence[Comparison], values: Iterable[Any]) -> set[int] | None:
    """How many of several conditions on one name are true at once, over all values; None when that is not known."""
    try:
        return {sum(one.holds(value) for one in conditions) for value in values}
    except TypeError:
        return None


def only_compared(trees: Iterable[Expr], names: frozenset[str], literals: Literals) -> bool:
    """Whether each of the names stands only beside literals that are among the given ones, or in `has`."""
    return all(_looks(tree, names, literals) for tree in trees)


def _looks(expr: Expr, names: frozenset[str], literals: Literals) -> bool:
    if isinstance(expr, Has):
        # What it asks for is no use of the value.
        return path_of(expr.operand) is not None or _looks(expr.operand, names, literals)
    path = path_of(expr)
    if path is not None:
        return not any(".".join(path[:depth]) in names for depth in range(1, len(path) + 1))
    if isinstance(expr, Call) and not expr.method and len(expr.args) == 2:
        one, other = expr.args
        if expr.function in _EQUAL or expr.function in _ORDER:
            for subject, literal in ((one, other), (other, one)):
                if path_of(subject) is not None and _is_known(literal, expr.function in _ORDER, literals):
                    return True
        elif expr.function == "in" and path_of(one) is not None and isinstance(other, ListOf):
            return all(_is_known(element, False, literals) for element in other.elements)
    return all(_looks(part, names, literals) for part in children(expr))


def _is_known(expr: Expr, ordered: bool, literals: Literals) -> bool:
    """Whether it is a literal that the values were cut at; texts are not cut by their order."""
    if isinstance(expr, Call) and expr.function == "neg" and isinstance(expr.args[0], Literal):
        value = expr.args[0].value
        return isinstance(value, int | float) and -value in literals.numbers
    if not isinstance(expr, Literal):
        return False
    if isinstance(expr.value, bool) or expr.value is None:
        return True
    if isinstance(expr.value, str):
        return not ordered and expr.value in literals.texts
    return isinstance(expr.value, int | float) and expr.value in literals.numbers

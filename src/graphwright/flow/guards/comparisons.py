"""Comparisons of names with literals in syntax trees, for which few values stand for all others."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphwright.flow.guards.syntax_tree import Call, Expr, Has, ListOf, Literal, children, path_of
from graphwright.flow.guards.value_partitions import Literals

_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EQUAL = frozenset({"==", "!="})
_ORDER = frozenset({"<", "<=", ">", ">="})


def comparisons(condition: Expr) -> list[tuple[str, Expr]] | None:
    """The comparisons, each with its name, of a condition that joins nothing else by `&& || !`, else None."""
    if isinstance(condition, Call) and condition.function in ("&&", "||", "!"):
        parts = [comparisons(part) for part in condition.args]
        return None if None in parts else [one for part in parts for one in part or ()]
    compared = isinstance(condition, Call) and (condition.function in _SIGNS or condition.function == "in")
    path = path_of(condition.args[0] if compared and isinstance(condition, Call) else condition)
    return None if path is None else [(".".join(path), condition)]


def truth(condition: Expr, values: Mapping[str, Any]) -> bool | None:
    """The result of a condition made of nothing but comparisons of names with literals, joined by `&& || !`.

    `values` are those of the names by their dotted path. None where the CEL library must say: for another kind of
    condition, a name without a value, or values that do not compare.
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
        literal = _literal(other)
        return bool(sign(value, literal)) if kind and _kind(literal) == kind else None
    literals = [_literal(element) for element in other.elements] if isinstance(other, ListOf) else [None]
    return value in literals if kind and all(_kind(literal) == kind for literal in literals) else None


def _kind(value: Any) -> str:
    """Values of one kind compare; what is no flag, text or number has none."""
    if isinstance(value, bool):
        return "flag"
    return "text" if isinstance(value, str) else "number" if isinstance(value, int | float) else ""


def _literal(expr: Expr) -> Any:
    """The value of a text, a number or a flag; None for anything else."""
    if isinstance(expr, Call) and expr.function == "neg" and isinstance(value := _literal(expr.args[0]), int | float):
        return -value
    return expr.value if isinstance(expr, Literal) and not isinstance(expr.value, bytes) else None


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

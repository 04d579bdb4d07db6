"""Which names an expression uses only in comparisons with literals, so that few values stand for all."""

from __future__ import annotations

from collections.abc import Iterable

from graphwright.flow.guards.domains import Literals
from graphwright.flow.guards.tree import Call, Expr, Has, ListOf, Literal, children, path_of

_EQUAL = frozenset({"==", "!="})
_ORDER = frozenset({"<", "<=", ">", ">="})


def only_compared(trees: Iterable[Expr], names: frozenset[str], literals: Literals) -> bool:
    """Whether each of the names stands only beside literals that are among the given ones, or in `has`."""
    return all(_looks(tree, names, literals) for tree in trees)


def _looks(expr: Expr, names: frozenset[str], literals: Literals) -> bool:
    if isinstance(expr, Has):
        # What it asks for is no use of the value.
        return path_of(expr.operand) is not None or _looks(expr.operand, names, literals)
    path = path_of(expr)
    if path is not None:
        return not _is_among(path, names)
    if isinstance(expr, Call) and not expr.method and len(expr.args) == 2:
        one, other = expr.args
        if expr.function in _EQUAL or expr.function in _ORDER:
            for subject, literal in ((one, other), (other, one)):
                if path_of(subject) is not None and _is_known(literal, expr.function in _ORDER, literals):
                    return True
        elif expr.function == "in" and path_of(one) is not None and isinstance(other, ListOf):
            return all(_is_known(element, False, literals) for element in other.elements)
    return all(_looks(part, names, literals) for part in children(expr))


def _is_among(path: tuple[str, ...], names: frozenset[str]) -> bool:
    return any(".".join(path[:depth]) in names for depth in range(1, len(path) + 1))


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

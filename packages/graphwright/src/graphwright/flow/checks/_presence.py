"""The answers and channels that an expression needs, and those that exist if it is true or false."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from graphwright.flow.checks._conditional_answers import Reading
from graphwright.flow.guards import Guard
from graphwright.flow.guards import _syntax_tree as tree
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS, MESSAGE, NOW, VALUE

PREFIX = f"{ANSWERS}."
CHANNEL = "$"
"""The prefix of channel names among the names of an assignment."""
_NONE: frozenset[str] = frozenset()


class Presence:
    """The answers and channels that a guard needs, and those that have a value if it is true or false.

    `implied` returns the answers that exist if a part of the guard is true, or (with False) false: those to the
    questions whose `when` is true then, if every way has passed them.
    """

    def __init__(self, guard: Guard, implied: Callable[[tree.Expr, Guard, bool], frozenset[str]] | None = None) -> None:
        self.guard = guard
        self.implied = implied
        # Predicates may use others several times: without it, that would take exponential time.
        self._known: dict[Any, frozenset[str]] = {}

    def _of(self, predicate: Guard) -> Presence:
        found = Presence(predicate, self.implied)
        found._known = self._known
        return found

    def needed(self, expr: tree.Expr, known: frozenset[str] = _NONE) -> frozenset[str]:
        """The answers that a part of it needs for its evaluation, given that the answers in `known` exist.

        `has(answers.x) && answers.x > 3` needs none: one side of `&&` and of `||` may decide without the other.
        """
        match expr:
            case tree.Call(function="&&" | "||", args=(left, right)):
                wanted = expr.function == "&&"
                found = self.needed(left, known | self.proven(right, wanted, by_has=True))
                return found | self.needed(right, known | self.proven(left, wanted, by_has=True))
            case tree.Call(function="?:", args=(test, then, other)):
                found = self.needed(test, known) | self.needed(then, known | self.proven(test, True))
                return found | self.needed(other, known | self.proven(test, False))
            case tree.Call(function="==" | "!=", args=(subject, tree.Literal(type="null"))):
                return self.needed(subject, known) - _names_of(subject, self.guard)
            case tree.Name() if (predicate := self.guard.predicates.get(expr.name)) is not None:
                key: Any = (expr.name, known)
                if key not in self._known:
                    self._known[key] = self._of(predicate).needed(predicate.tree, known)
                return self._known[key]
            case tree.Name() | tree.Field() if tree.path_of(expr) is not None:
                return names_in(expr, self.guard) - known
            case _:
                return _NONE.union(*(self.needed(part, known) for part in tree.children(expr)))

    def proven(self, expr: tree.Expr, wanted: bool, *, by_has: bool = False) -> frozenset[str]:
        """The answers that exist if a part of it is `wanted`; with `by_has` only those that `has` asks for."""
        found = self.implied(expr, self.guard, wanted) if self.implied is not None else _NONE
        match expr:
            case tree.Call(function="!"):
                return found | self.proven(expr.args[0], not wanted, by_has=by_has)
            case tree.Call(function="&&" | "||"):
                left, right = (self.proven(part, wanted, by_has=by_has) for part in expr.args)
                return found | (left | right if (expr.function == "&&") is wanted else left & right)
            case tree.Name() if (predicate := self.guard.predicates.get(expr.name)) is not None:
                key = (expr.name, wanted, by_has)
                if key not in self._known:
                    self._known[key] = self._of(predicate).proven(predicate.tree, wanted, by_has=by_has)
                return found | self._known[key]
            case tree.Call(function="==" | "!=", args=(subject, tree.Literal(type="null"))):
                proven = _names_of(subject, self.guard) if (expr.function == "!=") is wanted else _NONE
                return found | (proven if by_has else proven | self.needed(expr))
            case tree.Has() if wanted:
                return found | names_in(tree.Field(expr.offset, expr.operand, expr.name), self.guard)
            case tree.Has() | tree.Call(function="?:") | tree.Macro():
                return found
            case _:
                return found if by_has else found | self.needed(expr)


def names_read(guard: Guard) -> Iterator[str]:
    """The answers that a guard reads, without `answers.`, and the channels, each with the prefix `$`."""
    for read in guard.reads:
        if read.startswith(PREFIX):
            yield read.removeprefix(PREFIX)
        elif read not in (MESSAGE, ACTIVE_PATH, NOW, VALUE):
            yield CHANNEL + read


def names_in(expr: tree.Expr, guard: Reading) -> frozenset[str]:
    """The answer or channel that a chain of names reads."""
    path = tree.path_of(expr) or ()
    if path[:1] == (ANSWERS,):
        names = (".".join(path[1:depth]) for depth in range(2, len(path) + 1))
        return frozenset(name for name in names if PREFIX + name in guard.reads)
    return frozenset({CHANNEL + path[0]}) if path and path[0] in guard.reads else _NONE


def _names_of(expr: tree.Expr, guard: Guard) -> frozenset[str]:
    """The channel that an expression consists of, if it is a single name."""
    return names_in(expr, guard) if isinstance(expr, tree.Name) else _NONE

"""Alternatives: two answers of which at least one exists, as after `has(answers.mail) || has(answers.phone)`."""

from __future__ import annotations

from collections.abc import Callable, Collection

from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.guards import Guard
from graphwright.flow.guards import _syntax_tree as tree
from graphwright.flow.guards._vocabulary import ANSWERS

Proven = Callable[[tree.Expr, Guard, bool], frozenset[str]]
"""The answers that exist if a part of a guard is true, or (with False) is not true."""


class Alternatives:
    """A fact, one bit, for each pair of answers of which a guard or a constraint proves that one exists."""

    def __init__(self, context: FlowContext, new_bit: Callable[[], int], proven: Proven) -> None:
        self._context = context
        self._new_bit = new_bit
        self._proven = proven
        self._bits: dict[frozenset[str], int] = {}
        self._pairs: dict[str, list[tuple[str, int]]] = {}
        """For each answer the others of its pairs, each with the fact."""
        self._known: dict[tuple[int, bool], int] = {}
        self.all_facts = 0

    def fact(self, pair: frozenset[str]) -> int:
        """The fact that one of two answers exists; 0 if one of them may be dropped without a correction."""
        if len(pair) != 2 or not all(map(self._lasts, pair)):
            return 0
        if pair not in self._bits:
            self._bits[pair] = bit = self._new_bit()
            self.all_facts |= bit
            one, other = pair
            self._pairs.setdefault(one, []).append((other, bit))
            self._pairs.setdefault(other, []).append((one, bit))
        return self._bits[pair]

    def _lasts(self, name: str) -> bool:
        asking = self._context.askers(f"{ANSWERS}.{name}")
        return "." not in name and bool(asking) and not any(q.ask_always or q.read == "confirm" for q in asking)

    def proven_by(self, expr: tree.Expr, guard: Guard, wanted: bool) -> int:
        """The facts if a part of a guard is true, or (not `wanted`) is not true."""
        match expr:
            case tree.Call(function="!"):
                return self.proven_by(expr.args[0], guard, not wanted)
            case tree.Call(function="&&" | "||", args=(left, right)) if (expr.function == "&&") is wanted:
                return self.proven_by(left, guard, wanted) | self.proven_by(right, guard, wanted)
            case tree.Call(function="&&" | "||", args=(left, right)):
                names = self._proven(left, guard, wanted), self._proven(right, guard, wanted)
                return self.fact(names[0] | names[1]) if len(names[0]) == len(names[1]) == 1 else 0
            case tree.Name() if (predicate := guard.predicates.get(expr.name)) is not None:
                # Predicates may use others several times: without this it would take exponential time.
                key = id(predicate), wanted
                if key not in self._known:
                    self._known[key] = self.proven_by(predicate.tree, predicate, wanted)
                return self._known[key]
        return 0

    def others(self, absent: Collection[str], state: int) -> frozenset[str]:
        """The answers that exist because others are absent."""
        return frozenset(other for name in absent for other, bit in self._pairs.get(name, ()) if state & bit)

"""Conditions so simple that their text and the schemas alone say what can come of them, in microseconds."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphwright.flow.guards.domains import Literals, classes, number

_LITERAL = r"'[^'\\]*'|\"[^\"\\]*\"|-?\d+(?:\.\d+)?(?![\w.])|true\b|false\b"
_ATOM = re.compile(
    rf"""(?P<path>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)
        (?:\s*(?:(?P<sign>==|!=|<=|>=|<|>)\s*(?P<literal>{_LITERAL})
            |in\s*\[\s*(?P<list>(?:{_LITERAL})(?:\s*,\s*(?:{_LITERAL}))*)\s*\]))?""",
    re.VERBOSE | re.ASCII,
)
_ONE_LITERAL = re.compile(_LITERAL, re.ASCII)
_JOINTS = re.compile(r"[\s&|!()]*")
_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, many: value in many,
}
_LISTING = frozenset({"enum", "const", "oneOf", "anyOf"})
_RANGE = frozenset({"type", "title", "description", "minimum", "maximum"})
_OPEN = frozenset({"type", "title", "description", "minLength", "maxLength", "pattern", "format"})
"""The keywords of schemas of which every text, or both true and false, are values as far as `==` can tell."""


class Atom(NamedTuple):
    """A name compared with a literal, or with a list of them; without a sign, a name that is true or false."""

    path: str
    sign: str
    literal: Any

    def holds(self, value: Any) -> bool:
        """Whether it is true of a value. Raises `TypeError` for values that cannot be compared."""
        return bool(_SIGNS[self.sign](value, self.literal) if self.sign else value)


def atoms(text: str) -> list[Atom] | None:
    """The atoms of a condition that joins nothing but atoms by `&& || !` and parentheses, else None.

    The text must have compiled. Functions look like names that nobody declared; the caller knows the names.
    """
    if (whole := only_atom(text)) is not None:
        return [whole]
    found: list[Atom] = []
    at = 0
    for match in _ATOM.finditer(text):
        if _JOINTS.fullmatch(text, at, match.start()) is None:
            return None
        at = match.end()
        found.append(_atom(match))
    return found if _JOINTS.fullmatch(text, at) is not None else None


def only_atom(text: str) -> Atom | None:
    """The atom that is all of a condition."""
    match = _ATOM.fullmatch(text)
    return None if match is None else _atom(match)


def _atom(match: re.Match[str]) -> Atom:
    path, sign, literal, many = match.groups()
    if many is not None:
        return Atom(path, "in", tuple(map(_value, _ONE_LITERAL.findall(many))))
    return Atom(path, sign or "", None if literal is None else _value(literal))


def _value(written: str) -> Any:
    if written[0] in "'\"":
        return written[1:-1]
    return written == "true" if written[0] in "tf" else number(written)


def varies(atom: Atom, schema: Mapping[str, Any]) -> bool:
    """Whether it is known that there are values that make the atom true, and others that make it false."""
    values: Sequence[Any] | None = schema.get("enum")
    if values is None:
        if schema.keys() <= _OPEN and (kind := schema.get("type")) in ("string", "boolean"):
            return kind == "boolean" or atom.sign in ("==", "!=", "in")
        if (within := _within(atom, schema)) is not None:
            return within
        literals = atom.literal if isinstance(atom.literal, tuple) else (atom.literal,)
        found = classes(schema, Literals(tuple(n for n in literals if isinstance(n, int | float))))
        if found is None or "string" in _kinds(schema):
            return False
        values = found.values
    return differs(atom, values)


def _within(atom: Atom, schema: Mapping[str, Any]) -> bool | None:
    """The same for a whole number and the bounds of a number; None where that is not all that matters."""
    literal = atom.literal
    if not schema.keys() <= _RANGE or schema.get("type") not in ("integer", "number") or type(literal) is not int:
        return None
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    match atom.sign:
        case "<" | ">=":
            return bool(low < literal <= high)
        case ">" | "<=":
            return bool(low <= literal < high)
        case _:
            return bool(low <= literal <= high and low < high)


def differs(atom: Atom, values: Iterable[Any]) -> bool:
    """Whether some of the values make the atom true, and others false."""
    try:
        return {atom.holds(value) for value in values} == {True, False}
    except TypeError:
        return False


def _kinds(schema: Mapping[str, Any]) -> Any:
    """The types of a schema whose values are not listed one by one."""
    return () if schema.keys() & _LISTING else schema.get("type", "string")


def tally(condition: Sequence[Atom], values: Iterable[Any]) -> set[int] | None:
    """How many of several conditions on one name are true at once, over all values; None when that is not known."""
    try:
        return {sum(atom.holds(value) for atom in condition) for value in values}
    except TypeError:
        return None

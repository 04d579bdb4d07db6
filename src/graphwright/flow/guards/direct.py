"""Plain conditions as Python functions: what they come to where the types of the values leave no doubt.

The CEL library takes some 4 us for a condition, nearly all of it to hand the values over. A function here takes a
tenth of that. It decides only what means the same in Python and in CEL; for anything else it gives None, and the
condition is evaluated by the library.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from graphwright.flow.guards.analysis import Names
from graphwright.flow.guards.names import ANSWERS
from graphwright.flow.guards.plain import ONE_LITERAL, TERM, PlainReader
from graphwright.flow.guards.shapes import Kind

Values = Mapping[str, Any]
Test = Callable[[Values, Values], bool | None]
"""Of all values and of the answers among them; None where it cannot say."""

_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, many: value in many,
}
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_EXACT = 2**53
"""Up to here every integer is a double of its own, so that comparing the one or the other is the same."""


def direct(text: str, names: Names) -> Test | None:
    """The condition as a function, if it is plain and reads no predicate."""
    reader = PlainReader(text, names)
    if not reader.read() or reader.result != "BOOL" or reader.analysis.predicates:
        return None
    return _Builder(text, names).build()


class _Builder:
    """Builds the function from the same pieces that the plain reader has found right."""

    def __init__(self, text: str, names: Names) -> None:
        self.text = text
        self.names = names
        self.at = 0

    def build(self) -> Test | None:
        test, _ = self._either()
        return test

    def _either(self) -> tuple[Test | None, str]:
        """Terms joined by `||`, up to a closing parenthesis or the end; and what stands after them."""
        parts: list[Test] = []
        while True:
            part, after = self._both()
            if part is None:
                return None, ""
            parts.append(part)
            if after != "||":
                return (parts[0] if len(parts) == 1 else _any_of(tuple(parts))), after

    def _both(self) -> tuple[Test | None, str]:
        parts: list[Test] = []
        while True:
            part, after = self._one()
            if part is None:
                return None, ""
            parts.append(part)
            if after != "&&":
                return (parts[0] if len(parts) == 1 else _all_of(tuple(parts))), after

    def _one(self) -> tuple[Test | None, str]:
        """One term, or all that stands between parentheses."""
        term = TERM.match(self.text, self.at)
        if term is None:
            return None, ""
        self.at = term.end()
        if term["open"]:
            test, after = self._either()
            if after != ")":
                return None, ""
        else:
            test = self._term(term)
        if test is None:
            return None, ""
        return (_not(test) if term["negated"] else test), self._next()

    def _next(self) -> str:
        """What follows a term: `)`, `&&`, `||`, or nothing at the end."""
        rest = self.text[self.at :].lstrip(" \t\r\n")
        self.at = len(self.text) - len(rest)
        sign = rest[:1] if rest[:1] == ")" else rest[:2]
        self.at += len(sign)
        return sign

    def _term(self, term: Any) -> Test | None:
        if term["asked"] is not None:
            return _has(tuple(term["asked"].split("."))[1:])
        path = tuple(term["path"].split("."))
        shape = self.names.variable(path[0])
        for step in path[1:]:
            shape = None if shape is None else self.names.part(shape, step)
        if shape is None:
            return None
        get = _getter(path)
        sign = term["sign"]
        if not sign:
            return _is_true(get) if shape.kind == "boolean" else None
        if term["size"]:
            return _sized(get, _SIGNS[sign], int(term["literal"])) if shape.kind == "text" else None
        literals = self._literals(term, shape.kind)
        if literals is None:
            return None
        wanted: Any = tuple(literals) if sign == "in" else literals[0]
        return _compared(get, shape.kind, _SIGNS[sign], wanted)

    def _literals(self, term: Any, kind: Kind) -> list[Any] | None:
        group = "list" if term["sign"] == "in" else "literal"
        found: list[Any] = []
        for match in ONE_LITERAL.finditer(self.text, term.start(group), term.end(group)):
            written = match[0]
            if written == "null":
                return None
            if written[0] in "'\"":
                found.append(written[1:-1])
            elif written[0] in "tf":
                found.append(written == "true")
            else:
                found.append(int(written) if kind == "integer" else float(written))
        return found


Getter = Callable[[Values, Values], Any]


def _getter(path: tuple[str, ...]) -> Getter:
    name = path[-1]
    if path[0] != ANSWERS:
        return lambda values, _answers: values.get(name)
    if len(path) == 2:
        return lambda _values, answers: answers.get(name)
    scopes = path[1:-1]

    def get(_values: Values, answers: Values) -> Any:
        for scope in scopes:
            level = answers.get(scope)
            if type(level) is not dict:
                return None
            answers = level
        return answers.get(name)

    return get


def _compared(get: Getter, kind: Kind, holds: Callable[[Any, Any], bool], wanted: Any) -> Test | None:
    def text(values: Values, answers: Values) -> bool | None:
        value = get(values, answers)
        # Half of a surrogate pair is no text to the library; what is ASCII has none. Nor is one with a NUL character.
        return holds(value, wanted) if type(value) is str and value.isascii() and "\0" not in value else None

    def integer(values: Values, answers: Values) -> bool | None:
        value = get(values, answers)
        return holds(value, wanted) if type(value) is int and _SMALLEST <= value <= _LARGEST else None

    def number(values: Values, answers: Values) -> bool | None:
        value = get(values, answers)
        if type(value) is float or (type(value) is int and -_EXACT <= value <= _EXACT):
            return holds(value, wanted)
        return None

    def boolean(values: Values, answers: Values) -> bool | None:
        value = get(values, answers)
        return holds(value, wanted) if type(value) is bool else None

    tests: dict[str, Test] = {"text": text, "integer": integer, "number": number, "boolean": boolean}
    return tests.get(kind)


def _sized(get: Getter, holds: Callable[[Any, Any], bool], wanted: int) -> Test:
    def test(values: Values, answers: Values) -> bool | None:
        value = get(values, answers)
        return holds(len(value), wanted) if type(value) is str and value.isascii() and "\0" not in value else None

    return test


def _is_true(get: Getter) -> Test:
    def test(values: Values, answers: Values) -> bool | None:
        value = get(values, answers)
        return value if type(value) is bool else None

    return test


def _has(path: tuple[str, ...]) -> Test:
    *scopes, name = path

    def test(_values: Values, answers: Values) -> bool | None:
        for scope in scopes:
            level = answers.get(scope)
            if type(level) is not dict:
                return False if level is None else None
            answers = level
        return name in answers

    return test


def _not(test: Test) -> Test:
    def negated(values: Values, answers: Values) -> bool | None:
        value = test(values, answers)
        return None if value is None else not value

    return negated


def _all_of(parts: tuple[Test, ...]) -> Test:
    def test(values: Values, answers: Values) -> bool | None:
        for part in parts:
            value = part(values, answers)
            if value is not True:
                return value
        return True

    return test


def _any_of(parts: tuple[Test, ...]) -> Test:
    def test(values: Values, answers: Values) -> bool | None:
        for part in parts:
            value = part(values, answers)
            if value is not False:
                return value
        return False

    return test

"""Analysis of syntax trees: names read, literals that cannot match, and the types of parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from graphwright.flow.guards.__dates import WEEKDAYS, format_complaint
from graphwright.flow.guards._syntax_tree import (
    Call,
    Expr,
    Field,
    Has,
    ListOf,
    Literal,
    Macro,
    Message,
    Name,
    children,
    path_of,
    quote,
    show,
    start_of,
    unparse,
)
from graphwright.flow.guards._value_types import BOOLEAN, INTEGER, NUMBER, TEXT, Kind, ValueType, kind_of_value
from graphwright.flow.guards._vocabulary import ANSWERS, VALUE, ProblemKind
from graphwright.text.near_names import Suggestion, nearest

Path = tuple[str, ...]

ARITHMETIC = frozenset("+-*/")
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_MAX_VALUES = 8
_RESULTS: Mapping[str, ValueType] = {
    "double": NUMBER,
    "weekday": replace(TEXT, allowed=WEEKDAYS),
    "getDayOfWeek": replace(INTEGER, allowed=tuple(range(7))),
    "getMonth": replace(INTEGER, allowed=tuple(range(12))),
}
"""The types of the results of functions that do not depend on their arguments."""


@dataclass(frozen=True, slots=True)
class Names:
    """All names that an expression of one graph may use, with their types.

    `graphs` has the type of `answers` in every graph; `value` is set inside `validate` only.
    """

    graph: str
    graphs: Mapping[str, ValueType]
    channels: Mapping[str, ValueType]
    predicates: frozenset[str]
    value: ValueType | None = None

    def variable(self, name: str) -> ValueType | None:
        """The type of a variable, or None for a type name or an undeclared name."""
        if name == ANSWERS:
            return self.graphs[self.graph]
        if name == VALUE and self.value is not None:
            return self.value
        if name in self.predicates:
            return BOOLEAN
        return self.channels.get(name)

    def part(self, shape: ValueType | None, name: str) -> ValueType | None:
        """The type of a field of an object, of answers or of a scope."""
        if shape is None:
            return None
        if shape.kind == "answers" and shape.graph is not None:
            return self.graphs[shape.graph].properties.get(name)
        return shape.properties.get(name)


@dataclass(frozen=True, slots=True)
class Misuse:
    """An error that the type checker accepts. `kind` is a problem kind, `offset` a code point of the text."""

    kind: ProblemKind
    offset: int
    message: str
    hint: str = ""


@dataclass(slots=True)
class Analysis:
    """The result of one walk over a tree.

    `reads` maps each name read (`("answers", "led", "wattage")`, `("plan",)`) to the offset of its first use. `needs`
    are the full paths that must have a value, including properties; `has(...)` adds none. `scopes` are the places that
    use `answers` or a call's answers as a value.
    """

    reads: dict[Path, int] = field(default_factory=dict)
    needs: dict[Path, None] = field(default_factory=dict)
    predicates: dict[str, None] = field(default_factory=dict)
    misuses: list[Misuse] = field(default_factory=list)
    scopes: list[Misuse] = field(default_factory=list)
    patterns: list[Literal] = field(default_factory=list)


def analyse(tree: Expr, names: Names) -> Analysis:
    """Walk a tree once. Unknown names are ignored, because the type checker reports them."""
    analysis = Analysis()
    _Walker(names, analysis).visit(tree, {})
    return analysis


class _Walker:
    def __init__(self, names: Names, analysis: Analysis) -> None:
        self.names = names
        self.found = analysis

    def visit(self, expr: Expr, bound: Mapping[str, ValueType | None]) -> None:
        match expr:
            case Name() | Field():
                path = path_of(expr)
                if path is None:
                    assert isinstance(expr, Field)
                    self.visit(expr.operand, bound)
                elif path[0] not in bound:
                    self.read(path, expr, needed=len(path))
            case Has():
                path = path_of(expr.operand)
                if path is None:
                    self.visit(expr.operand, bound)
                elif path[0] not in bound:
                    self.read((*path, expr.name), expr.operand, needed=len(path))
            case Macro():
                self.visit(expr.target, bound)
                range_ = type_in(expr.target, self.names, bound)
                inner = {**bound, expr.variable: range_.items if range_ is not None else None}
                if expr.condition is not None:
                    self.visit(expr.condition, inner)
                self.visit(expr.body, inner)
            case Message():
                self.found.misuses.append(
                    Misuse("type", expr.offset, "Braces after a name are not part of the language", "use a map")
                )
            case Call():
                self.compare(expr, bound)
                if expr.function == "matches" and len(expr.args) == 2 and isinstance(expr.args[1], Literal):
                    self.found.patterns.append(expr.args[1])
                self.check_dates(expr)
                for arg in expr.args:
                    self.visit(arg, bound)
            case _:
                for part in children(expr):
                    self.visit(part, bound)

    def check_dates(self, call: Call) -> None:
        """Record texts that are no date, and codes that do not exist in the format of a date."""
        if call.function in ("date", "dateTime") and len(call.args) == 1:
            self.read_date(call.args[0])
        for given in call.args[1:] if call.function == "format" else ():
            if isinstance(given, Literal) and (complaint := format_complaint(str(given.value))):
                hint = "write the names of months and weekdays with `? :`"
                self.found.misuses.append(Misuse("type", given.offset, complaint, hint))

    def read_date(self, expr: Expr) -> None:
        """Record a written text that is no date."""
        if isinstance(expr, Literal) and expr.type == "string":
            try:
                datetime.fromisoformat(str(expr.value))
            except ValueError:
                message = f"{show(expr.value)} is not a date, so this has never a result"
                self.found.misuses.append(Misuse("enum_literal", expr.offset, message, "write it like '2026-01-31'"))

    def read(self, path: Path, expr: Expr, needed: int) -> None:
        """Record one name. `needed` is the number of steps of the path that must have a value for its evaluation."""
        head = path[0]
        if head in self.names.predicates:
            self.found.predicates[head] = None
            return
        shape = self.names.variable(head)
        if shape is None:
            return
        depth = 1
        while shape is not None and shape.kind == "answers" and depth < len(path):
            shape = self.names.part(shape, path[depth])
            depth += 1
        if shape is None:
            return
        if shape.kind == "answers":
            self.whole_scope(path, expr)
            return
        self.found.reads.setdefault(path[:depth], start_of(expr))
        if needed >= depth:
            self.found.needs.setdefault(path[:needed])

    def whole_scope(self, path: Path, expr: Expr) -> None:
        text = ".".join(path)
        hint = f"name one of them: `{text}.KEY`, or `has({text}.KEY)`"
        self.found.scopes.append(
            Misuse("type", start_of(expr), f"`{text}` holds answers and is not a value itself", hint)
        )

    def compare(self, call: Call, bound: Mapping[str, ValueType | None]) -> None:
        if call.method or call.function not in ("==", "!=", "in"):
            return
        left, right = call.args
        if call.function == "in":
            self.literals(left, type_in(left, self.names, bound), right)
            range_ = type_in(right, self.names, bound)
            self.literals(right, None if range_ is None else range_.items, left)
        else:
            self.literals(left, type_in(left, self.names, bound), right)
            self.literals(right, type_in(right, self.names, bound), left)

    def literals(self, subject: Expr, shape: ValueType | None, other: Expr) -> None:
        if shape is None or isinstance(subject, Literal | ListOf):
            return
        match other:
            case Literal():
                self.check_literal(subject, shape, other)
            case ListOf():
                for element in other.elements:
                    self.literals(subject, shape, element)
            case Call(function="?:"):
                self.literals(subject, shape, other.args[1])
                self.literals(subject, shape, other.args[2])

    def check_literal(self, subject: Expr, shape: ValueType, literal: Literal) -> None:
        """Report a literal that a name can never have."""
        text = unparse(subject)
        if literal.type == "null":
            if not shape.nullable and _may_pass_as_null(subject, shape):
                hint = f'`has({text})` asks whether there is a value; a schema allows null by type: [..., "null"]'
                self.found.misuses.append(Misuse("type", literal.offset, f"`{text}` is never null", hint))
            return
        if shape.allowed is None or (shape.kind != "any" and not _same_kind(shape.kind, literal)):
            return
        if any(equals_literal(value, literal.value) for value in shape.allowed):
            return
        texts = [show(value) for value in shape.allowed]
        shown = ", ".join(texts[:_MAX_VALUES]) + (
            f" and {len(texts) - _MAX_VALUES} more" if len(texts) > _MAX_VALUES else ""
        )
        message = f"`{text}` is one of {shown}; {show(literal.value)} is not among them"
        allowed = [str(v) for v in shape.allowed] if isinstance(literal.value, str) else []
        like = nearest(str(literal.value), allowed, most=1)
        hint = "compare it with one of the allowed values"
        if like:
            hint = Suggestion(f"did you mean `{quote(like[0])}`?", show(literal.value), quote(like[0]))
        self.found.misuses.append(Misuse("enum_literal", literal.offset, message, hint))


def _may_pass_as_null(subject: Expr, shape: ValueType) -> bool:
    """Whether the type checker accepts a comparison with null: for it, parts of objects and of answers are optional."""
    if shape.kind in ("object", "list"):
        return bool(shape.properties)
    path = path_of(subject)
    return path is not None and len(path) > 1


def _same_kind(kind: Kind, literal: Literal) -> bool:
    own = kind_of_value(literal.value)
    return own == kind or {own, kind} == {"integer", "number"}


def equals_literal(allowed: Any, value: Any) -> bool:
    """Whether a value that a schema lists equals a literal: true is not 1."""
    return isinstance(allowed, bool) == isinstance(value, bool) and bool(allowed == value)


def type_in(expr: Expr, names: Names, bound: Mapping[str, ValueType | None]) -> ValueType | None:
    """The type of a part of an expression, as far as it is known; `bound` are the variables of macros around it."""
    match expr:
        case Name():
            return bound[expr.name] if expr.name in bound else names.variable(expr.name)
        case Field():
            return names.part(type_in(expr.operand, names, bound), expr.name)
        case Literal():
            return {"int": INTEGER, "double": NUMBER, "string": TEXT, "bool": BOOLEAN}.get(expr.type)
        case ListOf():
            first = type_in(expr.elements[0], names, bound) if expr.elements else None
            return ValueType("list", items=first if len(expr.elements) == 1 else _unlisted(first))
        case Macro(kind="filter"):
            return type_in(expr.target, names, bound)
        case Macro(kind="map"):
            range_ = type_in(expr.target, names, bound)
            inner = {**bound, expr.variable: None if range_ is None else range_.items}
            return ValueType("list", items=type_in(expr.body, names, inner))
        case Call():
            return _type_of_call(expr, names, bound)
        case _:
            return None


def _type_of_call(call: Call, names: Names, bound: Mapping[str, ValueType | None]) -> ValueType | None:
    def shapes(index: int) -> ValueType | None:
        return type_in(call.args[index], names, bound)

    if call.function == "[]":
        of = shapes(0)
        key = call.args[1]
        if of is not None and of.kind == "object" and isinstance(key, Literal):
            return of.properties.get(str(key.value))
        return of.items if of is not None else None
    if call.function == "?:":
        return _unlisted(shapes(1))
    if call.function in _RESULTS:
        return _RESULTS[call.function]
    if call.function == "neg" or call.function in ARITHMETIC:
        shape = shapes(0)
        if call.function != "neg" and is_number(shapes(1)):
            return NUMBER
        return _unlisted(shape)
    return None


def _unlisted(shape: ValueType | None) -> ValueType | None:
    """The type of a computed or chosen value: it need not be among the values that the schema of one part lists."""
    return shape if shape is None or shape.allowed is None else replace(shape, allowed=None)


def is_number(shape: ValueType | None) -> bool:
    """Whether it is known to be a number that may have decimals."""
    return shape is not None and shape.kind == "number"

"""The syntax tree of an expression: plain frozen nodes, macros unexpanded, positions in the author's text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

LiteralType = OneOf["null", "bool", "int", "uint", "double", "string", "bytes"]
MacroKind = OneOf["all", "exists", "exists_one", "filter", "map"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. `type` tells 3 from 3.0 and true."""

    offset: int
    type: LiteralType
    value: bool | int | float | str | bytes | None


@dataclass(frozen=True, slots=True)
class Name:
    """A variable: `answers`, a channel, a predicate, `value`, a macro's own variable, or a type such as `int`."""

    offset: int
    name: str


@dataclass(frozen=True, slots=True)
class Field:
    """`operand.name`; its offset is that of the dot."""

    offset: int
    operand: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Has:
    """`has(operand.name)`."""

    offset: int
    operand: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """An operator or function.

    Operators go by their sign: `&& || ! == != < <= > >= + - * / % in ?: []`, and `neg` for the unary minus. A method
    call has `method` set and its receiver as first argument. The offset is that of the sign, or of the parenthesis
    that opens the arguments of a function.
    """

    offset: int
    function: str
    args: tuple[Expr, ...]
    method: bool = False


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[a, b]`."""

    offset: int
    elements: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class MapOf:
    """`{k: v}`."""

    offset: int
    entries: tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True, slots=True)
class Macro:
    """`target.all(variable, body)` and its kind. `condition` is the middle argument of a three-argument `map`."""

    offset: int
    kind: MacroKind
    target: Expr
    variable: str
    body: Expr
    condition: Expr | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """`name{...}`, which the language does not have: kept so that it can be reported."""

    offset: int
    name: str


Expr = Literal | Name | Field | Has | Call | ListOf | MapOf | Macro | Message


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct parts, in the order of the text."""
    match expr:
        case Field() | Has():
            return (expr.operand,)
        case Call():
            return expr.args
        case ListOf():
            return expr.elements
        case MapOf():
            return tuple(part for entry in expr.entries for part in entry)
        case Macro():
            inner = (expr.body,) if expr.condition is None else (expr.condition, expr.body)
            return (expr.target, *inner)
        case _:
            return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all its parts, outermost first."""
    yield expr
    for part in children(expr):
        yield from walk(part)


def path_of(expr: Expr) -> tuple[str, ...] | None:
    """`("answers", "led", "wattage")` for a plain chain of fields on a name, else None."""
    steps: list[str] = []
    while isinstance(expr, Field):
        steps.append(expr.name)
        expr = expr.operand
    if not isinstance(expr, Name):
        return None
    steps.append(expr.name)
    return tuple(reversed(steps))


def start_of(expr: Expr) -> int:
    """The code point at which the expression begins, parentheses around it aside."""
    match expr:
        case Field():
            return start_of(expr.operand)
        case Macro():
            return start_of(expr.target)
        case Call() if expr.args and (expr.method or expr.function not in ("!", "neg")):
            return min(expr.offset, start_of(expr.args[0]))
        case _:
            return expr.offset


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, of a code point of `text`."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1


def offset_of(text: str, line: int, column: int) -> int:
    """The code point at a line and column that count from 1; 0 for a place that the text does not have."""
    lines = text.split("\n")
    if line > len(lines) or column > len(lines[line - 1]) + 1:
        return 0
    return sum(len(before) + 1 for before in lines[: line - 1]) + column - 1

"""From the syntax tree back to text that means the same."""

from __future__ import annotations

import math
from collections.abc import Set

from graphwright.flow.guards.tree import (
    Call,
    Expr,
    Field,
    Has,
    ListOf,
    Literal,
    Macro,
    MapOf,
    Message,
    Name,
)

_BINDING = {
    "?:": 1,
    "||": 2,
    "&&": 3,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "%"), 6),
    **dict.fromkeys(("!", "neg"), 7),
}
_TIGHT = 8

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def unparse(expr: Expr, doubles: Set[int] = frozenset()) -> str:
    """The text of an expression, with the fewest parentheses.

    `doubles` are the offsets of integer literals that are to be written as doubles.
    """
    return _print(expr, doubles)[0]


def quote(text: str) -> str:
    """A text as a CEL literal in single quotes."""
    return "'" + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _escape(c)) for c in text) + "'"


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _print(expr: Expr, doubles: Set[int]) -> tuple[str, int]:
    """The text and how tightly it binds."""
    match expr:
        case Literal():
            return _literal(expr, doubles)
        case Name():
            return expr.name, _TIGHT
        case Field():
            return f"{_at(expr.operand, _TIGHT, doubles)}.{expr.name}", _TIGHT
        case Has():
            return f"has({_at(expr.operand, _TIGHT, doubles)}.{expr.name})", _TIGHT
        case Call():
            return _call(expr, doubles)
        case ListOf():
            return f"[{', '.join(unparse(e, doubles) for e in expr.elements)}]", _TIGHT
        case MapOf():
            inner = ", ".join(f"{unparse(k, doubles)}: {unparse(v, doubles)}" for k, v in expr.entries)
            return f"{{{inner}}}", _TIGHT
        case Macro():
            parts = [expr.variable]
            if expr.condition is not None:
                parts.append(unparse(expr.condition, doubles))
            parts.append(unparse(expr.body, doubles))
            return f"{_at(expr.target, _TIGHT, doubles)}.{expr.kind}({', '.join(parts)})", _TIGHT
        case Message():
            return f"{expr.name}{{}}", _TIGHT


def _at(expr: Expr, binding: int, doubles: Set[int]) -> str:
    """The text of a part, in parentheses when it binds more loosely than its place asks for."""
    text, own = _print(expr, doubles)
    return text if own >= binding else f"({text})"


def _call(call: Call, doubles: Set[int]) -> tuple[str, int]:
    sign, args = call.function, call.args
    if call.method:
        rest = ", ".join(unparse(arg, doubles) for arg in args[1:])
        return f"{_at(args[0], _TIGHT, doubles)}.{sign}({rest})", _TIGHT
    if sign == "[]":
        return f"{_at(args[0], _TIGHT, doubles)}[{unparse(args[1], doubles)}]", _TIGHT
    binding = _BINDING.get(sign)
    if binding is None:
        return f"{sign}({', '.join(unparse(arg, doubles) for arg in args)})", _TIGHT
    if sign == "?:":
        test, then, other = args
        text = f"{_at(test, 2, doubles)} ? {_at(then, 2, doubles)} : {_at(other, 1, doubles)}"
        return text, binding
    if sign in ("!", "neg"):
        # Two signs in a row, or a sign before a numeral, would be read as one of their own.
        inner = _at(args[0], _TIGHT, doubles)
        if sign == "neg" and inner[0] in "0123456789.":
            inner = f"({inner})"
        return ("!" if sign == "!" else "-") + inner, binding
    # `a && (b && c)` is a balanced tree of one chain; every other operator leans left.
    right = binding if sign in ("&&", "||") else binding + 1
    return f"{_at(args[0], binding, doubles)} {sign} {_at(args[1], right, doubles)}", binding


def _literal(literal: Literal, doubles: Set[int]) -> tuple[str, int]:
    value = literal.value
    if literal.type == "null":
        return "null", _TIGHT
    if literal.type == "bool":
        return "true" if value else "false", _TIGHT
    if literal.type == "string":
        return quote(str(value)), _TIGHT
    if literal.type == "bytes":
        assert isinstance(value, bytes)
        return "b'" + "".join(f"\\x{byte:02x}" for byte in value) + "'", _TIGHT
    if literal.type == "uint":
        return f"{value!r}u", _TIGHT
    assert isinstance(value, int | float)
    whole = literal.type == "int" and literal.offset not in doubles
    text = str(value) if whole else _double(float(value))
    return text, _TIGHT if value >= 0 and math.copysign(1, value) > 0 else _BINDING["neg"]


def _double(value: float) -> str:
    if math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    return repr(value)

"""The syntax tree of an expression: its nodes, decoding from the CEL library, and printing."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from typing import Literal as OneOf

LiteralType = OneOf["null", "bool", "int", "uint", "double", "string", "bytes"]
MacroKind = OneOf["all", "exists", "exists_one", "filter", "map"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. `type` distinguishes 3, 3.0 and true."""

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
    """`name{...}`, which the language does not support: kept so that it can be reported."""

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


def parts_of(expr: Expr, operator: str) -> Iterator[Expr]:
    """The parts that an operator (`&&` or `||`) joins; the expression itself if it does not join any."""
    if isinstance(expr, Call) and expr.function == operator:
        for part in expr.args:
            yield from parts_of(part, operator)
    else:
        yield expr


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


def name_of(path: str) -> Expr:
    """The expression that reads a dotted name."""
    first, *steps = path.split(".")
    found: Expr = Name(0, first)
    for step in steps:
        found = Field(0, found, step)
    return found


def replaced(expr: Expr, name: str, by: Expr) -> Expr:
    """An expression with another one in place of a variable. The variables of macros are left as they are."""

    def inside(part: Expr) -> Expr:
        return replaced(part, name, by)

    match expr:
        case Name():
            return by if expr.name == name else expr
        case Field() | Has():
            return replace(expr, operand=inside(expr.operand))
        case Call():
            return replace(expr, args=tuple(map(inside, expr.args)))
        case ListOf():
            return replace(expr, elements=tuple(map(inside, expr.elements)))
        case _:
            return expr


def start_of(expr: Expr) -> int:
    """The code point at which the expression begins, without parentheses around it."""
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
    """The code point at a line and column that count from 1; 0 for a place outside the text."""
    lines = text.split("\n")
    if line > len(lines) or column > len(lines[line - 1]) + 1:
        return 0
    return sum(len(before) + 1 for before in lines[: line - 1]) + column - 1


# The fields that we read of cel.expr.CheckedExpr (ParsedExpr numbers its tree and positions differently). Generated
# classes would register a module named `cel`, which clashes with other packages; a private descriptor does not.
_LAYOUT = """
Const null=1:int64 bool=2:bool int=3:int64 uint=4:uint64 double=5:double string=6:string bytes=7:bytes
Ident name=1:string
Select operand=1:Expr field=2:string test_only=3:bool
Call target=1:Expr function=2:string args=3:Expr*
List elements=1:Expr*
Entry map_key=3:Expr value=4:Expr
Struct message_name=1:string entries=2:Entry*
Comp iter_var=1:string iter_range=2:Expr accu_var=3:string accu_init=4:Expr loop_condition=5:Expr
Comp+ loop_step=6:Expr result=7:Expr
Expr id=2:int64 const=3:Const ident=4:Ident select=5:Select call=6:Call list=7:List struct=8:Struct comp=9:Comp
Pos key=1:int64 value=2:int32
Source positions=4:Pos*
Checked expr=4:Expr source_info=5:Source
Parsed expr=2:Expr source_info=3:Source
"""
_ONE_OF = {"Const", "Expr"}

_OPERATORS = {
    "_&&_": "&&",
    "_||_": "||",
    "!_": "!",
    "_==_": "==",
    "_!=_": "!=",
    "_<_": "<",
    "_<=_": "<=",
    "_>_": ">",
    "_>=_": ">=",
    "_+_": "+",
    "_-_": "-",
    "_*_": "*",
    "_/_": "/",
    "_%_": "%",
    "-_": "neg",
    "@in": "in",
    "_?_:_": "?:",
    "_[_]": "[]",
}


@cache
def _classes() -> tuple[Any, Any, Any]:
    from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="graphwright_tree.proto", package="gwtree", syntax="proto2")
    messages: dict[str, Any] = {}
    for line in _LAYOUT.strip().splitlines():
        name, *fields = line.split()
        name = name.rstrip("+")
        if name not in messages:
            messages[name] = file.message_type.add(name=name)
            if name in _ONE_OF:
                messages[name].oneof_decl.add(name="kind")
        for text in fields:
            found = re.fullmatch(r"(\w+)=(\d+):(\w+)(\*?)", text)
            assert found is not None
            field, number, kind, many = found.groups()
            added = messages[name].field.add(name=field, number=int(number), label=3 if many else 1)
            if name in _ONE_OF and field != "id":
                added.oneof_index = 0
            if kind[0].isupper():
                added.type, added.type_name = 11, f".gwtree.{kind}"
            else:
                added.type = descriptor_pb2.FieldDescriptorProto.Type.Value(f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    checked, parsed = (
        message_factory.GetMessageClass(pool.FindMessageTypeByName(f"gwtree.{name}")) for name in ("Checked", "Parsed")
    )
    return any_pb2.Any, checked, parsed


def decode(serialized: bytes) -> Expr:
    """The tree of a serialized expression, checked or only parsed."""
    envelope, checked, parsed = _classes()
    packed = envelope.FromString(serialized)
    form = checked if packed.type_url.endswith("CheckedExpr") else parsed
    message = form.FromString(packed.value)
    offsets = {entry.key: entry.value for entry in message.source_info.positions}
    return _expr(message.expr, offsets)


def _expr(raw: Any, offsets: dict[int, int]) -> Expr:
    offset = offsets.get(raw.id, 0)
    kind = raw.WhichOneof("kind")
    if kind == "const":
        return _literal(raw.const, offset)
    if kind == "ident":
        return Name(offset, raw.ident.name)
    if kind == "select":
        select = raw.select
        operand = _expr(select.operand, offsets)
        return (Has if select.test_only else Field)(offset, operand, select.field)
    if kind == "call":
        call = raw.call
        args = tuple([_expr(arg, offsets) for arg in call.args])
        if call.HasField("target"):
            return Call(offset, call.function, (_expr(call.target, offsets), *args), True)
        return Call(offset, _OPERATORS.get(call.function, call.function), args)
    if kind == "list":
        return ListOf(offset, tuple([_expr(element, offsets) for element in raw.list.elements]))
    if kind == "struct":
        if raw.struct.message_name:
            return Message(offset, raw.struct.message_name)
        entries = [(_expr(e.map_key, offsets), _expr(e.value, offsets)) for e in raw.struct.entries]
        return MapOf(offset, tuple(entries))
    if kind == "comp":
        return _macro(raw.comp, offset, offsets)
    raise ValueError(f"the expression holds a part of unknown kind {kind!r}")


def _literal(const: Any, offset: int) -> Literal:
    type_: LiteralType = const.WhichOneof("kind")
    return Literal(offset, type_, None if type_ == "null" else getattr(const, type_))


def _macro(comp: Any, offset: int, offsets: dict[int, int]) -> Macro:
    """Convert the loop that a macro was expanded into back to the macro that the author wrote."""
    target = _expr(comp.iter_range, offsets)
    variable: str = comp.iter_var
    step = comp.loop_step.call
    start = comp.accu_init.WhichOneof("kind")
    condition: Any = None
    kind: MacroKind
    if start == "const" and comp.accu_init.const.WhichOneof("kind") == "bool":
        kind = "all" if comp.accu_init.const.bool else "exists"
        body = step.args[1]
    elif start == "const":
        kind, body = "exists_one", step.args[0]
    else:
        if step.function == "_?_:_":
            condition, step = step.args[0], step.args[1].call
        element = step.args[1].list.elements[0]
        if condition is not None and element.WhichOneof("kind") == "ident" and element.ident.name == variable:
            kind, body, condition = "filter", condition, None
        else:
            kind, body = "map", element
    return Macro(
        offset,
        kind,
        target,
        variable,
        _expr(body, offsets),
        None if condition is None else _expr(condition, offsets),
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

_MAX_LENGTH = 60
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def unparse(expr: Expr, doubles: Set[int] = frozenset()) -> str:
    """The text of an expression, with the fewest parentheses.

    `doubles` are the offsets of integer literals to write as doubles.
    """
    return _print(expr, doubles)[0]


def quote(text: str) -> str:
    """A text as a CEL literal in single quotes."""
    return "'" + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _escape(c)) for c in text) + "'"


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def show(value: Any) -> str:
    """A value as an author would write it, cut to about 60 characters."""
    if isinstance(value, str):
        return quote(value if len(value) <= _MAX_LENGTH else value[: _MAX_LENGTH - 1] + "…")
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        if len(value) > 5 or any(isinstance(part, list | Mapping) for part in value):
            return f"a list of {len(value)}"
        return f"[{', '.join(map(show, value))}]"
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**_MAX_LENGTH else "a huge integer"
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 1] + "…"


def _print(expr: Expr, doubles: Set[int]) -> tuple[str, int]:
    """The text and its operator precedence."""
    match expr:
        case Literal():
            return _print_literal(expr, doubles)
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
    """The text of a part, in parentheses if it binds more loosely than its place requires."""
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
        # Two signs in a row, or a sign before a numeral, would be parsed as one token.
        inner = _at(args[0], _TIGHT, doubles)
        if sign == "neg" and inner[0] in "0123456789.":
            inner = f"({inner})"
        return ("!" if sign == "!" else "-") + inner, binding
    # `a && (b && c)` is a balanced tree of one chain; every other operator leans left.
    right = binding if sign in ("&&", "||") else binding + 1
    return f"{_at(args[0], binding, doubles)} {sign} {_at(args[1], right, doubles)}", binding


def _print_literal(literal: Literal, doubles: Set[int]) -> tuple[str, int]:
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


def text_comparisons(
    tree: Expr, operators: Collection[str] = ("==", "!=", "in")
) -> Iterator[tuple[tuple[str, ...], list[str], Call]]:
    """Each comparison of a name with texts: the path of the name, the texts and the comparison."""
    for part in walk(tree):
        if not isinstance(part, Call) or part.method or part.function not in operators:
            continue
        for subject, other in (part.args, part.args[::-1]):
            path = path_of(subject)
            values = other.elements if isinstance(other, ListOf) else (other,)
            texts = [str(v.value) for v in values if isinstance(v, Literal) and v.type == "string"]
            if path is not None and texts:
                yield path, texts, part

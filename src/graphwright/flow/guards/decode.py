"""From the serialized form that the CEL library gives to our own syntax tree."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from graphwright.flow.guards.tree import (
    Call,
    Expr,
    Field,
    Has,
    ListOf,
    Literal,
    LiteralType,
    Macro,
    MacroKind,
    MapOf,
    Message,
    Name,
)

# The fields we read of cel.expr.CheckedExpr (ParsedExpr numbers its tree and positions differently). Generated
# classes would register a module named `cel`, which several packages fight over; a private descriptor cannot clash.
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
    """Folds the loop that a macro was expanded into back into the macro the author wrote."""
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

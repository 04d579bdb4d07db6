"""Static analysis of the code of an action: the values that it returns and the answers that it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef


def returned_values(function: Function) -> dict[str, tuple[Any, ...]]:
    """The channels in the dictionaries that a function returns, each with the values that are written out in the code.

    A channel whose value is computed has no values. Dictionaries that are not written in a `return` are not seen.
    """
    found: dict[str, tuple[Any, ...]] = {}
    for node in _own_nodes(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    found[key.value] = (*found.get(key.value, ()), *_constants(value))
    return found


def _constants(node: ast.expr) -> Iterator[Any]:
    """The values that an expression may have, as far as they are written out."""
    if isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)
        return
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return
    if value is None or isinstance(value, str | bool | int | float | list | dict):
        yield value


def list_lengths(function: Function) -> dict[str, int]:
    """The channels to which a function returns lists whose items are written out, each with the highest number of them.

    Empty if it returns something other than written dictionaries.
    """
    found: dict[str, int | None] = {}
    for node in _own_nodes(function):
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        if not isinstance(node.value, ast.Dict) or not all(isinstance(key, ast.Constant) for key in node.value.keys):
            return {}
        for key, value in zip(node.value.keys, node.value.values, strict=True):
            name, length = str(getattr(key, "value", "")), _length(value)
            before = found.get(name, 0)
            found[name] = None if length is None or before is None else max(length, before)
    return {name: length for name, length in found.items() if length is not None}


def _length(node: ast.expr) -> int | None:
    """The number of items of a list that is written out; None if it is not known."""
    if not isinstance(node, ast.List) or any(isinstance(each, ast.Starred) for each in node.elts):
        return None
    return len(node.elts)


def always_returned(function: Function) -> frozenset[str]:
    """The channels in every dictionary that a function returns; none if it may return something else."""
    returned = [node.value for node in _own_nodes(function) if isinstance(node, ast.Return)]
    dicts = [value for value in returned if isinstance(value, ast.Dict)]
    if not dicts or len(dicts) < len(returned) or not _always_leaves(function.body):
        return frozenset()
    keys = [{key.value for key in each.keys if isinstance(key, ast.Constant)} for each in dicts]
    return frozenset(key for key in set.intersection(*keys) if isinstance(key, str))


def _always_leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether statements always end with a `return` or an exception."""
    match body[-1] if body else None:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=then, orelse=other):
            return _always_leaves(then) and _always_leaves(other)
        case ast.With(body=inner) | ast.AsyncWith(body=inner):
            return _always_leaves(inner)
        case ast.Try(body=inner, handlers=handlers, orelse=other):
            return _always_leaves(other or inner) and all(_always_leaves(each.body) for each in handlers)
    return False


def may_tell(function: Function) -> bool:
    """Whether a function may show a computed text: it says one, or passes its context on."""
    if len(function.args.args) < 2:
        return False
    context = function.args.args[1].arg
    parents = _parents(function)
    for node in ast.walk(function):
        if not isinstance(node, ast.Name) or node.id != context:
            continue
        match parents[node]:
            case ast.Attribute(attr="say") as said:
                call = parents[said]
                said_texts = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else [said]
                if not all(isinstance(each, ast.Constant) for each in said_texts):
                    return True
            case ast.Attribute():
                pass
            case _:
                return True
    return False


def answer_keys(function: Function) -> frozenset[str] | None:
    """The names of the answers that a function may use, or None if it passes all answers or its state on."""
    if not function.args.args:
        return frozenset()
    state = function.args.args[0].arg
    parents = _parents(function)
    for node in _reads_of(function, state):
        part, parent = _part_of(node, parents)
        if part is None:
            return None
        if node.id == state and part == "answers" and not _is_read_by_key(parent, parents):
            return None
    return frozenset(n.value for n in ast.walk(function) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def used_names(function: Function) -> frozenset[str]:
    """The channels, and the answers as `answers.KEY`, that a function takes out of its state by a written name."""
    return frozenset(name for name, _ in _uses(function, _parents(function)))


def demanded_answers(function: Function) -> frozenset[str]:
    """The answers that a function takes by `[...]` at each run, as `answers.KEY`, so that it fails without them.

    Left out are those that it also takes in another way (`.get`, `in`): it knows that they may be missing.
    """
    parents = _parents(function)
    uses = [*_uses(function, parents)]
    careful = {name for name, expr in uses if not isinstance(expr, ast.Subscript)}
    always = {name for name, expr in uses if name.startswith("answers.") and _always_runs(expr, function, parents)}
    return frozenset(always - careful)


def _parents(function: Function) -> dict[ast.AST, ast.AST]:
    return {child: parent for parent in ast.walk(function) for child in ast.iter_child_nodes(parent)}


def _uses(function: Function, parents: dict[ast.AST, ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """The names that a function takes out of its state, each with the expression."""
    if not function.args.args:
        return
    state = function.args.args[0].arg
    for node in _reads_of(function, state):
        part, parent = _part_of(node, parents)
        prefix = "" if node.id == state else "answers."
        if part == "answers" and node.id == state:
            part, parent = _part_of(parent, parents)
            prefix = "answers."
        if part is not None and not isinstance(parent, ast.Attribute):
            yield prefix + part, parent


def _always_runs(node: ast.AST, function: Function, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether each run of a function evaluates an expression; false where it is not certain."""
    while (parent := parents[node]) is not function:
        match parent:
            case ast.If(test=first) | ast.IfExp(test=first) | ast.BoolOp(values=[first, *_]):
                if first is not node:
                    return False
            case ast.expr() | ast.keyword() | ast.With() | ast.AsyncWith() | ast.withitem():
                if isinstance(parent, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
                    return False
            case ast.Return() | ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Expr():
                pass
            case _:
                return False
        node = parent
    before = function.body[: function.body.index(node)] if node in function.body else []
    leaves = (each for statement in before for each in ast.walk(statement) if isinstance(each, ast.Return | ast.Raise))
    return next(leaves, None) is None


def _reads_of(function: Function, state: str) -> Iterator[ast.Name]:
    """Where a function reads its state, or a variable that holds the answers in it."""
    assigned = [pair for node in ast.walk(function) if isinstance(node, ast.Assign) for pair in _assigned(node)]
    names = {state, *(target for target, value in assigned if _is_answers(value, state))}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            yield node


def _assigned(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """The names of an assignment and their values, tuples taken apart."""
    for target in node.targets:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        yield from ((each.id, value) for each, value in pairs if isinstance(each, ast.Name))


def _is_answers(node: ast.expr, state: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value="answers")):
            return name == state
        case ast.Attribute(value=ast.Name(id=name), attr="answers"):
            return name == state
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[ast.Constant(value="answers"), *_]
        ):
            return name == state
    return False


def _part_of(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> tuple[str | None, ast.expr]:
    """The part that an expression takes out of the object `node` by a fixed name, and that expression."""
    parent = parents[node]
    match parent:
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))) if value is node:
            return key, parent
        case ast.Attribute(value=value, attr=attr) if value is node and attr != "get":
            return (None if attr in ("items", "values", "keys", "copy") else attr), parent
        case ast.Attribute(attr="get"):
            call = parents[parent]
            if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
                return str(call.args[0].value), call
        case ast.Compare(left=ast.Constant(value=str(key)), ops=[ast.In() | ast.NotIn()]):
            return key, parent
    return None, node


def _is_read_by_key(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether all answers are only assigned to a name, or one of them is read directly."""
    parent = parents[node]
    if isinstance(parent, ast.Assign) or (isinstance(parent, ast.Tuple) and isinstance(parents[parent], ast.Assign)):
        return True
    return _part_of(node, parents)[0] is not None


def _own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function without those of the functions and classes inside it."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            todo += ast.iter_child_nodes(node)

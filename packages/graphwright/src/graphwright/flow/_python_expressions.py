"""Translation of conditions in Python, as older formats contain them, to CEL."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable

from graphwright.flow.guards._vocabulary import ANSWERS, FUNCTIONS, VALUE, is_answer_key

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Mod: "%",
}
_CALLS = {"len": "size", "float": "double", "str": "string", "int": "int"}
_METHODS = {"startswith": "startsWith", "endswith": "endsWith"}
_MOST = 10_000
"""The longest text that is translated, in characters. A guard may have this length, too."""


class _Untranslatable(Exception):
    pass


def to_cel(text: str) -> str | None:
    """Return the condition in CEL; None if it is Python that CEL cannot express, or neither of the two.

    A text that is CEL already is returned as it is. An answer by itself (`answers.email`) becomes a test whether the
    answer was given, as does a comparison with None. The parameter of a lambda becomes `value`.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body if len(text) <= _MOST else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text if any(sign in text for sign in ("&&", "||", "!", "?")) else None
    if tree is None:
        return None
    translation = _Translation()
    try:
        made = translation.lambda_or_condition(tree)
    except (_Untranslatable, RecursionError):
        return None
    return made if translation.changed else text


class _Translation:
    """One translation. `changed` says whether the text contains Python that is not CEL."""

    def __init__(self) -> None:
        self.changed = False
        self.parameter = ""

    def lambda_or_condition(self, node: ast.expr) -> str:
        if isinstance(node, ast.Lambda):
            names = node.args.args
            others = (*node.args.kwonlyargs, *node.args.posonlyargs, node.args.vararg, node.args.kwarg)
            if len(names) != 1 or any(others):
                raise _Untranslatable
            self.changed = True
            self.parameter = names[0].arg
            return self.condition(node.body)
        return self.condition(node)

    def condition(self, node: ast.expr, *, inside: bool = False) -> str:
        """The expression where true or false is needed; in parentheses if it is an operand and needs them."""
        if isinstance(node, ast.BoolOp):
            self.changed = True
            sign = " && " if isinstance(node.op, ast.And) else " || "
            joined = sign.join(self.condition(each, inside=True) for each in node.values)
            return f"({joined})" if inside else joined
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.changed = True
            inner = self.condition(node.operand, inside=True)
            return f"!{inner}" if inner.startswith(("has(", "(", "!")) else f"!({inner})"
        if (given := self._answer(node)) is not None:
            self.changed = True
            return f"has({given})"
        if isinstance(node, ast.Name) and node.id not in (self.parameter, VALUE):
            return self.term(node)  # a predicate
        if not isinstance(node, ast.Compare | ast.Call | ast.Constant) or (
            isinstance(node, ast.Constant) and not isinstance(node.value, bool)
        ):
            raise _Untranslatable
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            raise _Untranslatable  # a number or a text alone
        return self.term(node)

    def term(self, node: ast.expr) -> str:
        """The expression as a value."""
        kinds: dict[type[ast.expr], Callable[..., str]] = {
            ast.Constant: self._constant,
            ast.Compare: self._comparison,
            ast.Call: self._call,
            ast.BinOp: self._arithmetic,
            ast.List: self._list,
            ast.Tuple: self._list,
            ast.Set: self._list,
            ast.UnaryOp: self._sign,
            ast.Name: self._name,
        }
        if (given := self._answer(node)) is not None:
            return given
        if type(node) not in kinds:
            raise _Untranslatable
        return kinds[type(node)](node)

    def _name(self, node: ast.Name) -> str:
        return VALUE if self.parameter and node.id == self.parameter else node.id

    def _sign(self, node: ast.UnaryOp) -> str:
        if not isinstance(node.op, ast.USub):
            raise _Untranslatable
        return f"-{self.term(node.operand)}"

    def _answer(self, node: ast.expr) -> str | None:
        """An answer, `answers.a.b`, `answers['a']` or `answers.get('a')`; None for anything else."""
        if isinstance(node, ast.Name):
            return None
        if isinstance(node, ast.Attribute):
            inner, name = node.value, node.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            inner, name = node.value, str(node.slice.value)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "get"
            and len(node.args) == 1
            and isinstance(node.args[0], ast.Constant)
        ):
            inner, name = node.func.value, str(node.args[0].value)
        else:
            return None
        base = inner.id if isinstance(inner, ast.Name) and inner.id == ANSWERS else self._answer(inner)
        if base is None or not is_answer_key(name):
            return None
        self.changed = self.changed or not isinstance(node, ast.Attribute)
        return f"{base}.{name}"

    def _constant(self, node: ast.Constant) -> str:
        if node.value is None or isinstance(node.value, bool):
            self.changed = True
            return json.dumps(node.value)
        if isinstance(node.value, str):
            quote = json.dumps(node.value, ensure_ascii=False)
            return quote if "'" in node.value or "\\" in quote else f"'{node.value}'"
        if isinstance(node.value, int | float):
            return repr(node.value)
        raise _Untranslatable

    def _comparison(self, node: ast.Compare) -> str:
        parts = []
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            parts.append(self._compared(left, operator, right))
            left = right
        self.changed = self.changed or len(parts) > 1
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def _compared(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> str:
        answer = self._answer(left)
        none = isinstance(right, ast.Constant) and right.value is None
        if answer is not None and none and isinstance(operator, ast.Is | ast.Eq | ast.IsNot | ast.NotEq):
            self.changed = True
            return f"{'!' if isinstance(operator, ast.Is | ast.Eq) else ''}has({answer})"
        if isinstance(operator, ast.In | ast.NotIn):
            return self._membership(left, right, negated=isinstance(operator, ast.NotIn))
        if type(operator) not in _COMPARISONS:
            raise _Untranslatable
        return f"{self._operand(left)} {_COMPARISONS[type(operator)]} {self._operand(right)}"

    def _membership(self, left: ast.expr, right: ast.expr, *, negated: bool) -> str:
        if isinstance(right, ast.Tuple | ast.Set):
            self.changed = True
        made = f"{self._operand(left)} in {self.term(right)}"
        if not isinstance(right, ast.List | ast.Tuple | ast.Set):
            # Python finds a text in a text, and a value in a list; an answer may be either.
            raise _Untranslatable
        self.changed = self.changed or negated
        return f"!({made})" if negated else made

    def _operand(self, node: ast.expr) -> str:
        made = self.term(node)
        return f"({made})" if isinstance(node, ast.BinOp | ast.Compare) else made

    def _call(self, node: ast.Call) -> str:
        if node.keywords:
            raise _Untranslatable
        arguments = ", ".join(map(self.term, node.args))
        if isinstance(node.func, ast.Name):
            name = node.func.id
            if name in _CALLS:
                self.changed = self.changed or _CALLS[name] != name
                return f"{_CALLS[name]}({arguments})"
            if name not in FUNCTIONS:
                raise _Untranslatable
            return f"{name}({arguments})"
        if not isinstance(node.func, ast.Attribute):
            raise _Untranslatable
        name = node.func.attr
        if name in _METHODS:
            self.changed = True
        elif name not in FUNCTIONS:
            raise _Untranslatable
        return f"{self.term(node.func.value)}.{_METHODS.get(name, name)}({arguments})"

    def _arithmetic(self, node: ast.BinOp) -> str:
        if type(node.op) not in _ARITHMETIC:
            raise _Untranslatable
        return f"{self._operand(node.left)} {_ARITHMETIC[type(node.op)]} {self._operand(node.right)}"

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> str:
        return f"[{', '.join(map(self.term, node.elts))}]"

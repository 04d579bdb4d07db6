"""One-line faults: small mistakes in a line of Python, for tests to find."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_NEGATED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_OFF_BY_ONE: dict[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.BitOr: "&",
    ast.BitAnd: "|",
}
_LOGGING = {"debug", "info", "warning", "error", "exception", "critical"}
_NAME = re.compile(r"[A-Za-z_][\w.-]*")


@dataclass(frozen=True, slots=True)
class Fault:
    """A change of one line: bytes `begin` to `end` of line `line` (from 1) become `new`.

    `statement` is the line where its statement begins. `where` is its function, with the classes and functions around
    it and dots between them; empty on the level of the module or of a class.
    """

    line: int
    statement: int
    begin: int
    end: int
    new: str
    kind: str
    where: str

    def put_into(self, source: str) -> str:
        """The source with the fault."""
        lines = source.encode().splitlines(keepends=True)
        line = lines[self.line - 1]
        lines[self.line - 1] = line[: self.begin] + self.new.encode() + line[self.end :]
        return b"".join(lines).decode()


def faults_of(source: str) -> list[Fault]:
    """All faults of a source, in the order of its lines. Each compiles to a different program.

    Code that tests should not check is left out: docstrings, messages for people, annotations, assertions, logging,
    code only for type checkers, and `__repr__`.
    """
    found = {(fault.line, fault.begin, fault.end, fault.new): fault for fault in _Finder().of(ast.parse(source))}
    same = ast.dump(ast.parse(source))
    return [found[key] for key in sorted(found) if _counts(found[key].put_into(source), same)]


def _counts(changed: str, same: str) -> bool:
    try:
        compile(changed, "fault", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return ast.dump(ast.parse(changed)) != same


class _Finder:
    """Walks a module. `_where`, `_function` and `_statement` are the present place."""

    def __init__(self) -> None:
        self._where: list[str] = []
        self._function = ""
        self._statement = 0

    def of(self, node: ast.AST) -> Iterator[Fault]:
        """The faults of a node and of all below it."""
        if self._is_left_out(node):
            return
        if isinstance(node, ast.stmt):
            self._statement = node.lineno
        yield from self._own(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from self._inside(node)
            return
        for child in _children(node):
            yield from self.of(child)

    def _inside(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[Fault]:
        if not isinstance(node, ast.ClassDef):
            # Defaults are evaluated outside of the function, at its definition.
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    yield from self.of(default)
        before = self._function
        self._where.append(node.name)
        self._function = before if isinstance(node, ast.ClassDef) else ".".join(self._where)
        for child in node.body:
            yield from self.of(child)
        self._where.pop()
        self._function = before

    @staticmethod
    def _is_left_out(node: ast.AST) -> bool:
        match node:
            case ast.FunctionDef(name="__repr__" | "__str__") | ast.Assert() | ast.JoinedStr():
                return True
            case ast.Import() | ast.ImportFrom():
                return True
            case ast.Expr(value=ast.Constant()):
                return True
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr=attr, value=ast.Name(id="logger" | "_logger" | "log")))
            ):
                return attr in _LOGGING
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                return True
            case ast.Call(func=ast.Name(id="TypeVar" | "ParamSpec" | "NewType")):
                return True
            case (
                ast.Assign(targets=[ast.Name(id="__all__")])
                | ast.Assign(value=ast.Subscript(value=ast.Name(id="Literal")))
            ):
                return True
        return False

    def _fault(self, node: ast.AST, new: str, kind: str) -> Iterator[Fault]:
        """The fault that writes `new` for the node, if the node is on one line."""
        assert isinstance(node, ast.expr | ast.stmt)
        if node.lineno == node.end_lineno:
            assert node.end_col_offset is not None
            yield Fault(node.lineno, self._statement, node.col_offset, node.end_col_offset, new, kind, self._function)

    def _own(self, node: ast.AST) -> Iterator[Fault]:
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                for table, kind in ((_NEGATED, "comparison negated"), (_OFF_BY_ONE, "comparison off by one")):
                    if word := table.get(type(operator)):
                        yield from self._fault(node, f"({ast.unparse(left)} {word} {ast.unparse(right)})", kind)
            case ast.BoolOp(op=operator, values=values):
                word = " or " if isinstance(operator, ast.And) else " and "
                parts = (f"({ast.unparse(value)})" for value in values)
                yield from self._fault(node, f"({word.join(parts)})", "and, or exchanged")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield from self._fault(node, f"bool({ast.unparse(operand)})", "not left out")
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC:
                word = _ARITHMETIC[type(operator)]
                yield from self._fault(node, f"({ast.unparse(left)} {word} {ast.unparse(right)})", "operator exchanged")
            case ast.Constant(value=value):
                yield from self._constant(node, value)
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield from self._negated(test)
            case ast.comprehension(ifs=tests):
                for test in tests:
                    yield from self._negated(test)
            case ast.Slice(lower=lower, upper=upper):
                yield from self._off_by_one(lower)
                yield from self._off_by_one(upper)
            case ast.Call(func=ast.Name(id="range" | "min" | "max"), args=arguments):
                for argument in arguments:
                    yield from self._off_by_one(argument)
            case ast.stmt():
                yield from self._of_statement(node)

    def _negated(self, test: ast.expr) -> Iterator[Fault]:
        """A negated condition, except a comparison or a `not`, which have separate faults."""
        if not isinstance(test, ast.Compare) and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
            yield from self._fault(test, f"(not ({ast.unparse(test)}))", "condition negated")

    def _off_by_one(self, bound: ast.expr | None) -> Iterator[Fault]:
        if isinstance(bound, ast.Name | ast.Attribute | ast.BinOp):
            yield from self._fault(bound, f"({ast.unparse(bound)} + 1)", "argument off by one")

    def _constant(self, node: ast.AST, value: object) -> Iterator[Fault]:
        if isinstance(value, bool):
            yield from self._fault(node, str(not value), "constant changed")
        elif isinstance(value, int):
            yield from self._fault(node, repr(value + 1), "constant changed")
        elif isinstance(value, float):
            yield from self._fault(node, repr(value * 2 + 1), "constant changed")
        elif isinstance(value, str) and (not value or _NAME.fullmatch(value)):
            yield from self._fault(node, repr(f"x{value}"), "constant changed")

    def _of_statement(self, node: ast.stmt) -> Iterator[Fault]:
        match node:
            case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
                yield from self._fault(node, "return None", "return replaced")
            case ast.Raise() | ast.Delete() | ast.AugAssign() | ast.Expr():
                yield from self._fault(node, "pass", "statement dropped")
            case ast.Continue():
                yield from self._fault(node, "break", "continue, break exchanged")
            case ast.Break():
                yield from self._fault(node, "continue", "continue, break exchanged")
            case ast.Assign(targets=[target], value=value) if _can_go(target, value):
                yield from self._fault(node, "pass", "statement dropped")


def _can_go(target: ast.expr, value: ast.expr) -> bool:
    """Whether the program continues after a missing assignment: without the first binding of a name it would not."""
    if isinstance(target, ast.Name):
        return any(isinstance(node, ast.Name) and node.id == target.id for node in ast.walk(value))
    return isinstance(target, ast.Attribute | ast.Subscript)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The executed nodes below a node: without annotations, and of a raised error only what it depends on."""
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params") or isinstance(node, ast.Raise):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST):
                yield child

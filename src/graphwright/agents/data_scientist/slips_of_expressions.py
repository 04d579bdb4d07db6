"""Slips with the order of operators, outcomes in formulas, columns that a join renames, and answers only printed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from graphwright.agents.data_scientist.asking import PERCENT
from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.slips import Edit, Program, Slip
from graphwright.agents.data_scientist.tables import Column, Names, Table

_OF_CHANCES = ("logit", "probit")
_OUTCOME = re.compile(
    r"^\s*(?P<column>[^\W\d]\w*)\s*==\s*(?P<value>'[^'\\]*'|\"[^\"\\]*\"|\d+)\s*(?P<rest>~.*)?$", re.DOTALL
)


def _text_times_number(program: Program) -> Iterator[Slip]:
    """`t["amount"] * t["kind"] == "x"`: the comparison comes first. Its mean in percent is a share of the sum."""
    for node, names in program.nodes():
        match node:
            case ast.Compare(
                left=ast.BinOp(left=factor, op=ast.Mult(), right=compared),
                ops=[ast.Eq() | ast.NotEq()],
                comparators=[ast.Constant(value=str())],
            ) if _type_of(compared, program, names) == "text" and _type_of(factor, program, names) in (
                "integer",
                "number",
            ):
                sign = "==" if isinstance(node.ops[0], ast.Eq) else "!="
                made = f"{program.text(factor)} * ({program.text(compared)} {sign} {program.text(node.comparators[0])})"
                note = "a comparison in a product is put in parentheses."
                mean = _mean_of(node, program)
                if mean is not None and PERCENT.search(program.question):
                    text = f"(({made}).sum() / {program.text(factor)}.sum())"
                    yield Slip(
                        (program.replaced(mean, text),), f"{note} A share of a sum is the part divided by the sum."
                    )
                else:
                    yield Slip((program.replaced(node, made),), note)


def _type_of(node: ast.expr, program: Program, names: Names) -> str:
    column = program.kind(node, names)
    view = program.column(column.table.of, column.name) if isinstance(column, Column) else None
    return view.type if view else ""


def _mean_of(node: ast.expr, program: Program) -> ast.Call | None:
    """The call `(...).mean()` of an expression."""
    for each in ast.walk(program.tree):
        match each:
            case ast.Call(func=ast.Attribute(value=of, attr="mean"), args=[], keywords=[]) if of is node:
                return each
    return None


def _bounds_without_parentheses(program: Program) -> Iterator[Slip]:
    """`t["a"] > 5 & t["b"] == "x"`: `&` binds before `>`, so each comparison needs its parentheses."""
    for node, names in program.nodes():
        match node:
            case ast.Compare(left=left, ops=[_, _], comparators=[ast.BinOp(left=middle, op=op, right=right), last]) if (
                isinstance(op, ast.BitAnd | ast.BitOr)
            ):
                if not isinstance(program.kind(left, names), Column) or not isinstance(
                    program.kind(right, names), Column
                ):
                    continue
                code = program.code.encode()
                one = code[program.end(left) : program.start(middle)].decode().strip()
                other = code[program.end(right) : program.start(last)].decode().strip()
                if {one, other} <= {"==", "!=", "<", ">", "<=", ">="}:
                    sign = "&" if isinstance(op, ast.BitAnd) else "|"
                    text = (
                        f"({program.text(left)} {one} {program.text(middle)}) {sign} "
                        f"({program.text(right)} {other} {program.text(last)})"
                    )
                    yield Slip((program.replaced(node, text),), f"comparisons beside {sign} are put in parentheses.")


def _outcome_in_formula(program: Program) -> Iterator[Slip]:
    """`logit("vote == 'x'")`, `logit("vote ~ age")` of texts: the outcome has to be a number, 1 where it is so."""
    for node, _ in program.nodes():
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[ast.Constant(value=str(formula)) as at, *_]) if (
                name in _OF_CHANCES
            ):
                if new := _with_outcome(formula, program):
                    yield Slip((program.replaced(at, repr(new)),), "the outcome of a logistic regression is 0 or 1.")


def _with_outcome(formula: str, program: Program) -> str:
    there = {column.name: column for column in program.columns}
    if found := _OUTCOME.match(formula):
        if found["column"] not in there:
            return ""
        rest = found["rest"] or _by_named(found["column"], program)
        return f"I(({found['column']} == {found['value']}).astype(int)) {rest}" if rest else ""
    outcome, mark, rest = formula.partition("~")
    column = there.get(outcome.strip())
    if not mark or column is None or column.type not in ("text", "boolean"):
        return ""
    values = {each.value for each in program.mentions.values if each.column.name == column.name}
    if len(values) != 1 or not column.name.isidentifier():
        return ""
    (value,) = values
    return f"I(({column.name} == {_written(column, value)}).astype(int)) ~{rest}"


def _written(column: ColumnView, value: str) -> str:
    return value if column.type == "boolean" else repr(value)


def _by_named(outcome: str, program: Program) -> str:
    """`~ x`, where the question names one measure that can explain the outcome."""
    names = {
        each.column.name
        for each in program.mentions.columns
        if each.sure and each.column.name != outcome and each.column.type in ("integer", "number")
    }
    return f"~ {next(iter(names))}" if len(names) == 1 and next(iter(names)).isidentifier() else ""


def _own_column_after_merge(program: Program) -> Iterator[Slip]:
    """`sums.merge(rows, on="year")["invest"]` where both have it: the left one keeps its name.

    Only where both come from one data set: of two data sets either could be meant.
    """
    stored = {name.value for name in ast.walk(program.tree) if isinstance(name, ast.Constant)}
    for node, names in program.nodes():
        if not isinstance(node, ast.Call) or (joined := program.reading.joined(node, names)) is None:
            continue
        left, right = joined
        if any(each.arg == "suffixes" for each in node.keywords):
            continue
        made = program.kind(node, names)
        if not isinstance(made, Table):
            continue
        twice = [
            name
            for name in sorted(left.columns & right.columns - made.columns)
            if len(program.homes(name)) == 1 and f"{name}_x" not in stored and f"{name}_y" not in stored
        ]
        if any(_is_taken(name, node, program) for name in twice):
            edit = Edit(program.end(node) - 1, program.end(node) - 1, ', suffixes=("", "_y")')
            yield Slip((edit,), "both tables of a join have the same columns: those of the left one keep their names.")


def _is_taken(name: str, merge: ast.Call, program: Program) -> bool:
    """Whether a column of this name is taken of what a join made."""
    target = next(
        (
            each.targets[0].id
            for each in program.tree.body
            if isinstance(each, ast.Assign) and each.value is merge and isinstance(each.targets[0], ast.Name)
        ),
        "",
    )
    for each in ast.walk(program.tree):
        match each:
            case ast.Subscript(value=ast.Name(id=of), slice=ast.Constant(value=said), ctx=ast.Load()):
                if of == target and said == name and each.lineno > merge.lineno:
                    return True
            case ast.Subscript(value=of, slice=ast.Constant(value=said)) if of is merge and said == name:
                return True
    return False


def _printed_in_words(program: Program) -> Iterator[Slip]:
    """`print(f"mean: {x}")` at the end, where nothing is stored: the values in it are the answer."""
    if program.stored() & {"result", "fig"} or "plt" in program.loaded():
        return
    prints: list[ast.Call] = []
    for statement in reversed(program.tree.body):
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), keywords=[]) as call):
                prints.insert(0, call)
            case _:
                break
    said = [pair for call in prints for pair in _told(call, program)]
    if not said or (len(prints) == 1 and len(prints[0].args) == 1 and not isinstance(prints[0].args[0], ast.JoinedStr)):
        return
    labels = [label or str(number) for number, (label, _) in enumerate(said, 1)]
    if len(set(labels)) < len(labels):
        labels = [str(number) for number in range(1, len(said) + 1)]
    entries = ", ".join(f"{label!r}: {value}" for label, (_, value) in zip(labels, said, strict=True))
    text = said[0][1] if len(said) == 1 else f"{{{entries}}}"
    yield Slip((program.replaced(prints[-1], f"result = {text}"),), "the answer was printed: it is stored in result.")


def _told(call: ast.Call, program: Program) -> Iterator[tuple[str, str]]:
    """What is printed: the words before each value, and the value as code."""
    words = ""
    for argument in call.args:
        for part in argument.values if isinstance(argument, ast.JoinedStr) else [argument]:
            match part:
                case ast.Constant(value=value):
                    words = str(value).strip().rstrip(":=").strip()
                case ast.FormattedValue(value=value):
                    yield words, program.text(value)
                    words = ""
                case ast.Starred():
                    return
                case _:
                    yield words, program.text(part)
                    words = ""


RULES = (
    _text_times_number,
    _bounds_without_parentheses,
    _outcome_in_formula,
    _own_column_after_merge,
    _printed_in_words,
)

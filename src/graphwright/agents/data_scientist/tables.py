"""What expressions in generated code stand for, seen without running: tables with their columns, columns, groups.

Nothing is guessed: an expression whose columns are not certain is None.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.words import listed


@dataclass(frozen=True, slots=True)
class Table:
    """A data frame with exactly these columns and rows that are only numbered; `of` are the data sets in it."""

    columns: frozenset[str]
    of: frozenset[str]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table; `at` is the expression of the table."""

    table: Table
    name: str
    at: ast.expr


@dataclass(frozen=True, slots=True)
class Groups:
    """A table in groups by `keys`; `chosen` are the columns that were taken of it, None for all."""

    table: Table
    keys: tuple[str, ...]
    chosen: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """One value of each group, with the keys as the index."""

    groups: Groups


Kind: TypeAlias = Table | Column | Groups | Measured | None
Names = dict[str, Kind]

_SAME_COLUMNS = listed("copy dropna drop_duplicates head tail sort_values query sample fillna nlargest nsmallest round")
_SAME_COLUMN = listed("dropna astype fillna copy round abs")
_SAME_MEASURED = listed("sort_values sort_index head tail nlargest nsmallest round dropna fillna")
MEASURES = listed("mean sum median count size max min std var nunique first last")

_NO_COLUMNS = listed(
    """
    abs add all any at axes bool clip columns corr count cov describe diff div dtypes empty eq filter first ge get gt
    head hist iloc index info items join keys kurt last le loc lt mask max mean median min mod mode mul ndim ne pipe
    plot pop pow prod product quantile query rank rename replace round sample sem shape shift size skew squeeze stack
    std style sub sum swapaxes tail take to transform truncate unstack update value values var where
    """
)
"""Attributes of a data frame: a column of such a name is not reached by a dot."""


class Reading:
    """What the names of a program stand for, statement by statement."""

    def __init__(self, columns: Sequence[ColumnView]) -> None:
        self._sets: dict[str, set[str]] = {}
        for column in columns:
            self._sets.setdefault(column.dataset, set()).add(column.name)

    def statements(self, tree: ast.Module) -> Iterator[tuple[ast.stmt, Names]]:
        """The plain statements of a program, with what names stand for before each.

        What loops, branches and functions do is not followed: names that they set stand for nothing certain.
        """
        names: Names = {}
        if len(self._sets) == 1:
            names["df"] = self._given(next(iter(self._sets)))
        for statement in tree.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr):
                yield statement, {k: v for k, v in names.items() if k not in _bound_inside(statement)}
            self._carry_out(statement, names)

    def _given(self, id: str) -> Table:
        return Table(frozenset(self._sets[id]), frozenset([id]))

    def _carry_out(self, statement: ast.stmt, names: Names) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = self.kind(value, names)
                return
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(column)))]):
                table = names.get(name)
                if isinstance(table, Table):
                    names[name] = replace(table, columns=table.columns | {column})
                return
        for node in ast.walk(statement):
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    names[name] = None
                case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                    names[name] = None
                case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()):
                    names[name] = None
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name)), keywords=keywords) if any(
                    each.arg == "inplace" for each in keywords
                ):
                    names[name] = None

    def kind(self, node: ast.expr, names: Mapping[str, Kind]) -> Kind:
        """What an expression stands for; None where that is not certain."""
        match node:
            case ast.Name(id=name):
                return names.get(name)
            case ast.Subscript(value=ast.Name(id="datasets"), slice=ast.Constant(value=str(id))):
                return self._given(id) if id in self._sets else None
            case ast.Subscript(value=ast.Attribute(value=of, attr="loc"), slice=slice) if is_mask(slice):
                table = self.kind(of, names)
                return table if isinstance(table, Table) else None
            case ast.Subscript():
                return self._taken(node, names)
            case ast.Attribute(value=of, attr=name):
                table = self.kind(of, names) if name not in _NO_COLUMNS else None
                return Column(table, name, of) if isinstance(table, Table) and name in table.columns else None
            case ast.Call(func=ast.Attribute()):
                return self._called(node, names)
            case _:
                return None

    def _taken(self, node: ast.Subscript, names: Mapping[str, Kind]) -> Kind:
        of, chosen = self.kind(node.value, names), texts(node.slice)
        if isinstance(of, Groups) and chosen:
            return replace(of, chosen=chosen)
        if not isinstance(of, Table):
            return None
        if isinstance(node.slice, ast.Constant):
            return Column(of, chosen[0], node.value) if chosen and chosen[0] in of.columns else None
        if chosen and of.columns.issuperset(chosen):
            return replace(of, columns=frozenset(chosen))
        return of if is_mask(node.slice) else None

    def _called(self, node: ast.Call, names: Mapping[str, Kind]) -> Kind:
        if (joined := self.joined(node, names)) is not None:
            return _merged(node, *joined)
        assert isinstance(node.func, ast.Attribute)
        method, of = node.func.attr, self.kind(node.func.value, names)
        by_name = {each.arg: each.value for each in node.keywords}
        match of:
            case Table() if method in _SAME_COLUMNS and not {"axis", "inplace", "columns"} & set(by_name):
                return of
            case Table() if method == "groupby" and not set(by_name) - {"by", "observed", "dropna", "sort"}:
                asked = [*node.args, *([by_name["by"]] if "by" in by_name else [])]
                keys = texts(asked[0]) if len(asked) == 1 else ()
                return Groups(of, keys) if keys else None
            case Table() if method == "reset_index" and len(by_name) == 1 and "drop" in by_name:
                return of
            case Column() if method in _SAME_COLUMN:
                return of
            case Groups() if method in MEASURES and not node.args:
                return Measured(of)
            case Measured() if method in _SAME_MEASURED:
                return of
            case Measured(groups=Groups(chosen=chosen)) if method == "reset_index" and chosen and not node.args:
                return None if by_name else replace(of.groups.table, columns=frozenset([*of.groups.keys, *chosen]))
            case _:
                return None

    def joined(self, node: ast.Call, names: Mapping[str, Kind]) -> tuple[Table, Table] | None:
        """The two tables of `a.merge(b, ...)` or `pd.merge(a, b, ...)`."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="pd"), attr="merge"), args=[one, other, *_]):
                left, right = self.kind(one, names), self.kind(other, names)
            case ast.Call(func=ast.Attribute(value=one, attr="merge"), args=[other, *_]):
                left, right = self.kind(one, names), self.kind(other, names)
            case _:
                return None
        return (left, right) if isinstance(left, Table) and isinstance(right, Table) else None


def _merged(node: ast.Call, left: Table, right: Table) -> Table | None:
    given = {each.arg: texts(each.value) for each in node.keywords}
    ends = given.pop("suffixes", ("_x", "_y"))
    if set(given) - {"on", "how", "left_on", "right_on"} or not all(given.values()) or len(ends) != 2:
        return None
    keys = given.get("on") or (() if "left_on" in given else tuple(left.columns & right.columns))
    both = {a for a, b in zip(given.get("left_on", ()), given.get("right_on", ()), strict=False) if a == b}
    shared = (left.columns & right.columns) - set(keys) - both
    columns = (left.columns | right.columns) - shared
    return Table(columns | {f"{name}{end}" for name in shared for end in ends}, left.of | right.of)


def texts(node: ast.expr) -> tuple[str, ...]:
    """The texts that are written there, one or a list of them; empty where there is anything else."""
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    found = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return tuple(found) if len(found) == len(items) else ()


def is_mask(node: ast.expr) -> bool:
    """Whether an expression surely says yes or no of each row."""
    match node:
        case ast.Compare():
            return True
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=left, right=right):
            return is_mask(left) and is_mask(right)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return is_mask(operand)
        case ast.Call(func=ast.Attribute(attr=method)):
            return method in ("isin", "between", "isna", "notna", "isnull", "notnull", "duplicated")
        case _:
            return False


def _bound_inside(statement: ast.stmt) -> set[str]:
    """Names that comprehensions and lambdas of a statement bind."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.comprehension):
            found.update(each.id for each in ast.walk(node.target) if isinstance(each, ast.Name))
        elif isinstance(node, ast.Lambda):
            found.update(each.arg for each in node.args.args)
    return found

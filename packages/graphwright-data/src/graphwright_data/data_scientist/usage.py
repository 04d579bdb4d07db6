"""The data sets and columns that a program reads, by its syntax tree: the sources of an answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_SAME_COLUMNS = frozenset([
    "copy", "sort_values", "sort_index", "head", "tail", "reset_index", "set_index", "assign", "rename", "fillna",
    "merge", "join", "query", "astype", "sample", "nlargest", "nsmallest", "drop", "filter", "iloc", "loc",
    "convert_dtypes", "explode", "where", "mask", "ffill", "bfill", "limit", "order", "groupby", "concat",
])  # fmt: skip
"""Methods whose result has the same columns; the uses of the result are then analysed."""

_METHODS_WITH_COLUMN_NAMES = frozenset([
    "agg", "aggregate", "pivot_table", "pivot", "melt", "dropna", "drop_duplicates", "duplicated", "value_counts",
    "select", "project", "plot", "hist", "boxplot", "filter", "unique",
])  # fmt: skip
"""Methods that use the columns named in their arguments, or all columns without any."""

_NO_COLUMN = frozenset(["shape", "index", "columns", "size", "dtypes", "empty", "ngroups", "types", "ndim"])
_PLAIN = frozenset(["len", "print", "isinstance", "type", "id"])
_ALL_OF_SQL = re.compile(r"\bselect\s+(distinct\s+)?\*|\w\.\*|^\s*from\b|\bsummarize\b", re.IGNORECASE)

_TABLE_OF_SQL = re.compile(r"\b(?:from|join)\s+\"?\w+\"?", re.IGNORECASE)


def used_in(tree: ast.Module, datasets: Mapping[str, Any], taken: Collection[str] = ()) -> dict[str, list[str]]:
    """Return the data sets that a program reads, by id, and the columns of each that it uses.

    `taken` are the data sets that it accessed when it ran, which resolves `datasets[name]`.

    A column is used if the program names it; all are if a table is used as a whole: `df.corr()`, `SELECT *`.
    """
    program = _Program(tree, datasets, taken)
    named, queries = program.named(), program.queries()
    words = f" {' '.join(_spaced(each) for each in program.expressions())} "
    tables = f" {' '.join(_spaced(each) for each in queries).casefold()} "
    # A table may have the same name as one of its columns.
    sql = f" {' '.join(_spaced(_TABLE_OF_SQL.sub(' ', each)) for each in queries).casefold()} "
    found = {}
    for id in datasets:
        if id not in program.ids and f" {id.casefold()} " not in tables:
            continue
        columns = [column["name"] for column in datasets[id]["columns"]]
        whole = program.takes_all(id, frozenset(columns))
        whole = whole or any(
            f" {id.casefold()} " in f" {_spaced(q).casefold()} " and _ALL_OF_SQL.search(q) for q in queries
        )
        found[id] = [
            each
            for each in columns
            if whole or each in named or f" {_spaced(each)} " in words or f" {_spaced(each).casefold()} " in sql
        ]
    return found


def _spaced(text: str) -> str:
    """Return the words of a formula or a query, with one space between them."""
    return " ".join("".join(sign if sign.isalnum() or sign == "_" else " " for sign in text).split())


@dataclass
class _Program:
    tree: ast.Module
    datasets: Mapping[str, Any]
    taken: Collection[str]
    parents: dict[int, ast.AST] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    """The data sets that are read through `df`, `datasets` or `samples`."""

    def __post_init__(self) -> None:
        for node in ast.walk(self.tree):
            self.parents |= {id(child): node for child in ast.iter_child_nodes(node)}
        loaded = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        if loaded & {"datasets", "samples", *(["df"] if len(self.datasets) == 1 else [])}:
            self.ids |= set(self.datasets)
        # The accesses at run time are more reliable than the names in the text.
        self.ids = set(self.taken) & set(self.datasets) or self.ids

    def named(self) -> set[str]:
        """Return the texts and attributes of the program, which include the names of columns."""
        keys = {
            id(node.slice)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") in ("datasets", "samples")
        }
        found = set[str]()
        for node in ast.walk(self.tree):
            match node:
                case ast.Attribute(attr=name):
                    found.add(name)
                case ast.Constant(value=str(text)) if id(node) not in keys:
                    found.add(text)
        return found

    def expressions(self) -> Iterator[str]:
        """Yield formulas of models, and expressions of `query` and `eval`."""
        for node in ast.walk(self.tree):
            match node:
                case ast.Constant(value=str(text)) if "~" in text:
                    yield text
                case ast.Call(func=ast.Attribute(attr="query" | "eval"), args=[first, *_]):
                    yield from (str(part.value) for part in ast.walk(first) if isinstance(part, ast.Constant))

    def queries(self) -> list[str]:
        """Return the SQL of the program: the texts in calls of `sql`, also if assigned to a name."""
        texts = {
            target.id: node.value
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        found = []
        for node in ast.walk(self.tree):
            match node:
                case ast.Call(func=ast.Name(id="sql") | ast.Attribute(attr="sql"), args=[query, *_]):
                    query = texts.get(query.id, query) if isinstance(query, ast.Name) else query
                    parts = [part.value for part in ast.walk(query) if isinstance(part, ast.Constant)]
                    found.append(" ".join(part for part in parts if isinstance(part, str)))
        return found

    def takes_all(self, dataset: str, columns: frozenset[str]) -> bool:
        """Return whether some expression uses the table as a whole, following assignments to names."""
        names, seen = [("df", 0)] if len(self.datasets) == 1 else [], set[tuple[str, int]]()
        tables: list[ast.AST] = [node for node in ast.walk(self.tree) if _is_table(node, dataset)]
        while tables or names:
            if not tables:
                tables = self._loads(*names.pop())
                continue
            table = tables.pop()
            taken = self._use(table, columns)
            if taken is True:
                return True
            if isinstance(taken, str) and (named := (taken, getattr(table, "lineno", 0))) not in seen:
                seen.add(named)
                names.append(named)
        return False

    def _loads(self, name: str, line: int) -> list[ast.AST]:
        """Return the uses of a name that was assigned in this line, up to its next assignment."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.Name) and node.id == name]
        later = [node.lineno for node in found if isinstance(node.ctx, ast.Store) and node.lineno > line]
        end = min(later, default=10**9)
        # A comprehension uses a name in the line that assigns it.
        return [node for node in found if isinstance(node.ctx, ast.Load) and line <= node.lineno <= end]

    def _use(self, node: ast.AST, columns: frozenset[str]) -> bool | str:
        """Return True if a table is used as a whole, False if only parts are, or the name to which it is assigned."""
        while (parent := self.parents.get(id(node))) is not None:
            match parent:
                case ast.Subscript(value=value, slice=part) if value is node:
                    if _picks(part):
                        return False
                    node = parent
                case ast.Attribute(attr=name):
                    above = self.parents.get(id(parent))
                    if name in columns or name in _NO_COLUMN:
                        return False
                    if (
                        name in _METHODS_WITH_COLUMN_NAMES
                        and isinstance(above, ast.Call)
                        and _names_columns(above, columns)
                    ):
                        return False
                    if name in ("agg", "aggregate") and isinstance(above, ast.Call) and above.keywords:
                        return False
                    if name == "size" or name not in _SAME_COLUMNS:
                        return True
                    node = above if isinstance(above, ast.Call) else parent
                case ast.keyword() | ast.List() | ast.Tuple() | ast.Starred() | ast.IfExp():
                    node = parent
                case ast.Call(func=function):
                    name = getattr(function, "attr", getattr(function, "id", ""))
                    if name in _SAME_COLUMNS:
                        node = parent
                        continue
                    return name not in _PLAIN and not _names_columns(parent, columns, node)
                case ast.Assign(targets=[ast.Name(id=name), *_]):
                    return name if name not in ("result", "fig") else True
                case ast.comprehension(target=target) | ast.For(target=target) if node is not target:
                    # The groups of a table, each as (key, rows).
                    inner = target.elts[-1] if isinstance(target, ast.Tuple) and target.elts else target
                    return inner.id if isinstance(inner, ast.Name) else True
                case ast.Assign() | ast.Delete():
                    return False
                case _:
                    return True
        return True


def _is_table(node: ast.AST, dataset: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id="datasets" | "samples"), slice=ast.Constant(value=name)):
            return bool(name == dataset)
    return False


def _picks(part: ast.expr) -> bool:
    """Return whether a subscript selects columns by names, possibly after the rows of `loc`."""
    if isinstance(part, ast.Tuple) and len(part.elts) == 2:
        return _picks(part.elts[1])
    texts = part.elts if isinstance(part, ast.List | ast.Tuple) else [part]
    return bool(texts) and all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in texts)


def _names_columns(call: ast.Call, columns: frozenset[str], table: ast.AST | None = None) -> bool:
    """Return whether an argument of a call, except the `table`, contains the name of a column or a formula."""
    parts = [part for given in (*call.args, *call.keywords) if given is not table for part in ast.walk(given)]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return any(text in columns or "~" in text for text in texts)

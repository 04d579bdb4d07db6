"""Programs that hardly can answer, seen by code: what leaves nothing of an answer, joins by no key, empty results."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from graphwright.agents.data_scientist.coding import Fault, at
from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.joining import join_line
from graphwright.agents.data_scientist.slips import Join
from graphwright.agents.data_scientist.tables import Column, Reading, Table, texts

if TYPE_CHECKING:
    from graphwright.sandbox.execution import Execution, MappingResult

DOUBT = "This may be no answer: "
"""How a fault begins that is told only once: code that is written again in spite of it may run."""

_BY_SOMEBODY = r"\bby\s+(?:the\s+|all\s+)?\w+\s+(?:in|from|who|with|of|that|whose|living|older|younger|under|over)\b"
GROUPING = re.compile(
    r"\b(?:per|each|every|which|who|whose|top|most|least|best|worst|list|rank\w*|across|between|compare|individual\w*|"
    r"respective\w*|group\w*|distribution|break\w*|plot|chart|draw|by)\b",
    re.IGNORECASE,
)
_ONE_NUMBER = re.compile(
    r"^\W*(?:what(?:'s|’s| is| was| are)\s+|(?:tell|give) me\s+|compute\s+|calculate\s+|please\s+)*(?:the\s+|an?\s+)*"
    r"(?:average|avg|mean|median|total|sum)\b",
    re.IGNORECASE,
)

P_VALUE = re.compile(r"^p$|p[-_ ]?val", re.IGNORECASE)
_AN_OBJECT = re.compile(r"^<[\w.<> ]+ (?:at 0x[0-9a-f]+|of .{1,20000})>$", re.DOTALL)


def useless_in(code: str, joins: Sequence[Join]) -> Fault | None:
    """What runs but leaves nothing of an answer: each turn of a loop over the last, groups that have no rows."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for loop in tree.body:
        if isinstance(loop, ast.For) and (name := _overwritten(loop)):
            return at(
                loop,
                code,
                f"Each turn of the loop stores another {name}, so only the last one is left. "
                "Use groupby, or collect all of them in a dict.",
            )
    if found := _empty_groups(tree):
        way = next(iter(joins), None)
        example = ""
        if way is not None:
            ours, theirs = way["right"], way["left"]
            example = (
                f" Write t = datasets[{ours!r}]; result = t[~t[{way['right_column']!r}]"
                f".isin(datasets[{theirs!r}][{way['left_column']!r}])]."
            )
        return at(
            found, code, f"A group is there only where it has rows, so none has 0. Look for what is missing.{example}"
        )
    return None


def _overwritten(loop: ast.For) -> str:
    """`result` or `fig`, where each turn of a loop stores it anew and none reads it; empty where it is sound."""
    within = [node for each in loop.body for node in ast.walk(each)]
    if any(isinstance(node, ast.Break | ast.Return) for node in within):
        return ""
    for statement in loop.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="result" | "fig" as name)]):
                read = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in within)
                turned = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
                of_turn = any(isinstance(n, ast.Name) and n.id in turned for n in ast.walk(statement.value))
                if of_turn and not read:
                    return name
    return ""


def _empty_groups(tree: ast.Module) -> ast.expr | None:
    """Where the sizes of groups are compared with 0, and nothing puts other groups among them."""
    sizes = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and _is_sizes(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    chosen = {
        argument.arg
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Lambda) and _is_sizes(node.value)
        for argument in node.slice.args.args
    }
    for node in ast.walk(tree):
        match node:
            case ast.Compare(
                left=left, ops=[ast.Eq() | ast.LtE() | ast.Lt() as op], comparators=[ast.Constant(value=to)]
            ):
                if to != (1 if isinstance(op, ast.Lt) else 0):
                    continue
                match left:
                    case ast.Name(id=name) if name in sizes or name in chosen:
                        return node
                    case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key)) if name in sizes:
                        if key in ("size", 0) or any(each == key for each in _names_given(sizes[name])):
                            return node
                    case ast.Call() if _is_sizes(left):
                        return node
    return None


def _is_sizes(node: ast.expr) -> bool:
    called = {_method(each) for each in ast.walk(node) if isinstance(each, ast.Call)}
    # What other groups or values could come from.
    others = {"reindex", "fillna", "unstack", "merge", "join", "map", "sub", "diff", "agg"}
    return {"groupby", "size"} <= called and not called & others


def _names_given(node: ast.expr) -> Iterator[object]:
    for each in ast.walk(node):
        if isinstance(each, ast.keyword) and each.arg == "name" and isinstance(each.value, ast.Constant):
            yield each.value.value


def grouped_in(code: str, question: str, keys: Iterable[str]) -> Fault | None:
    """Groups by a key where the question asks for one number: "the average order by customers in Spain"."""
    plain = re.sub(_BY_SOMEBODY, " ", question, flags=re.IGNORECASE)
    if not _ONE_NUMBER.search(question) or GROUPING.search(plain):
        return None
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    groups = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _method(n) == "groupby"]
    by = [text for call in groups for argument in call.args for text in texts(argument)]
    if len(groups) != 1 or len(by) != 1 or by[0] not in set(keys):
        return None
    message = f"{DOUBT}the question asks for one number over all rows. Do not group by {by[0]!r}."
    return at(groups[0], code, message)


def joined_by_no_key(code: str, columns: Sequence[ColumnView], joins: Sequence[Join]) -> Fault | None:
    """A join of two data sets by other columns than those by which each row finds at most one."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    reading = Reading(columns)
    for statement, names in reading.statements(tree):
        for node in ast.walk(statement):
            if not isinstance(node, ast.Call) or (both := reading.joined(node, names)) is None:
                continue
            left, right = both
            known = [join for join in joins if {join["left"]} | {join["right"]} == left.of | right.of]
            if len(left.of) != 1 or left.of == right.of or len(known) != 1:
                continue
            by = _joined_by(node, left, right)
            (join,) = known
            if by is None or by == {
                (join["left_column"], join["right_column"])[:: 1 if join["left"] in left.of else -1]
            }:
                continue
            told = ", ".join(sorted({ours for ours, _ in by}))
            message = f"{DOUBT}rows are joined by {told}, so that rows are lost or come several times."
            return at(node, code, f"{message} Write {join_line(join)}.")
    return None


def by_position(code: str, columns: Sequence[ColumnView], joins: Sequence[Join]) -> Fault | None:
    """`a["year"] = b["YEAR"]` of two data sets: rows beside each other that have nothing to do with each other."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    reading = Reading(columns)
    for statement, names in reading.statements(tree):
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=of) as target], value=value):
                table, given = reading.kind(of, names), reading.kind(value, names)
                if not isinstance(table, Table) or not isinstance(given, Column) or table.of & given.table.of:
                    continue
                known = [j for j in joins if {j["left"]} | {j["right"]} == table.of | given.table.of]
                way = f" Write {join_line(known[0])}." if len(known) == 1 else " Join them by merge."
                message = f"{DOUBT}rows of two data sets are put beside each other by their position.{way}"
                return at(target, code, message)
    return None


def _joined_by(node: ast.Call, left: Table, right: Table) -> set[tuple[str, str]] | None:
    """The pairs of columns by which two tables are joined; None where that is not certain."""
    given = {each.arg: each.value for each in node.keywords}
    if given.keys() & {"left_index", "right_index", None} or _value_of(given.get("how")) == "cross":
        return None
    if len(node.args) > (2 if isinstance(node.func, ast.Attribute) and _is_pandas(node.func.value) else 1):
        return None
    if "on" in given:
        return {(name, name) for name in texts(given["on"])} or None
    if "left_on" in given and "right_on" in given:
        return set(zip(texts(given["left_on"]), texts(given["right_on"]), strict=False)) or None
    return {(name, name) for name in left.columns & right.columns} or None


def _value_of(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _is_pandas(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "pd"


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def no_value(execution: Execution) -> Fault | None:
    """A result that is an object of Python, or a test that came to nothing."""
    match execution.result.type:
        case "text" if _AN_OBJECT.match(execution.result.text.strip()):
            said = " ".join(execution.result.text.split())[:80]
            return Fault(
                f"The result is an object, {said}, and no value. Call it, or take its numbers: "
                "model.params, model.pvalues, test.statistic, test.pvalue."
            )
        case "mapping" if lost := list(_missing_p_values(execution.result)):
            return Fault(
                f"{' and '.join(lost)} of the result is missing (NaN): the test got missing values, or a group without "
                "rows. "
                "Use dropna() before the test."
            )
        case _:
            return None


def _missing_p_values(result: MappingResult) -> Iterator[str]:
    for entry in result.entries:
        if P_VALUE.search(entry.key) and entry.value.type == "scalar" and entry.value.value in (None, "NaN"):
            yield entry.key

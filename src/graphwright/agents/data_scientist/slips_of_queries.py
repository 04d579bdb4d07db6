"""Slips with queries, pivot tables, joins of totals, and answers that are only printed or drawn."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from graphwright.agents.data_scientist.coding import made_columns
from graphwright.agents.data_scientist.slips import Edit, Program, Slip
from graphwright.agents.data_scientist.slips_of_tables import written_as
from graphwright.agents.data_scientist.tables import MEASURES, Column, Groups, Measured, Table, texts
from graphwright.agents.data_scientist.words import PLOTTING

_PARTS = re.compile(r"`[^`]*`|'[^'\\]*'|\"[^\"\\]*\"")
"""What is quoted in the text of a query."""

_COMPARED = re.compile(
    r"(?P<column>`[^`]+`|[^\W\d]\w*)\s*(?:==|!=)\s*(?P<said>'[^'\\]*'|\"[^\"\\]*\"|[^\W\d]\w*)(?!\s*[(.\w])"
)

_OF_A_COLUMN = frozenset(MEASURES - {"first", "last", "size"})

_TOTAL = re.compile(r"\b(?:total|totals|sum|sums|summed|altogether)\b", re.IGNORECASE)
_OTHER_MEASURE = re.compile(
    r"\b(?:average|averages|avg|mean|means|median|count|counts|number|how many|maximum|minimum|max|min|share)\b",
    re.IGNORECASE,
)


def _queries(program: Program) -> Iterator[tuple[ast.Constant, str, Table]]:
    """The texts of `table.query("...")` over tables whose columns are known."""
    for node, names in program.nodes():
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr="query"), args=[ast.Constant(value=str(text)) as at, *_]):
                if isinstance(table := program.kind(of, names), Table):
                    yield at, text, table


def _unquoted_column(program: Program) -> Iterator[Slip]:
    """`query("petal length (cm) > 5")`: a name that is no single word stands in backticks."""
    for at, text, table in _queries(program):
        odd = sorted((name for name in table.columns if not name.isidentifier() and "`" not in name), key=len)
        if not odd:
            continue
        names = "|".join(map(re.escape, reversed(odd)))
        pattern = re.compile(rf"(?P<quoted>{_PARTS.pattern})|(?<![\w.])(?P<odd>{names})(?![\w])")
        new = pattern.sub(lambda found: f"`{found['odd']}`" if found["odd"] else found[0], text)
        if new != text:
            yield Slip(
                (program.replaced(at, repr(new)),), "in a query a name that is no single word stands in backticks."
            )


def _value_in_query(program: Program) -> Iterator[Slip]:
    """`query("country == spain")`: a text is quoted, and written as the column has it."""
    for at, text, table in _queries(program):
        for found in _COMPARED.finditer(text):
            said = found["said"]
            quoted = said[0] in "'\""
            value = said[1:-1] if quoted else said
            view = program.column(table.of, found["column"].strip("`"))
            if view is None or view.name not in table.columns or (not quoted and value in table.columns):
                continue
            meant = written_as(value, view, program)
            if not meant and not quoted and value in view.values:
                meant = repr(value)
            if not meant or (view.type == "boolean" and not quoted):
                continue
            new = text[: found.start("said")] + meant + text[found.end("said") :]
            note = f"the values of {view.name!r} are written {meant} in a query, not {said}."
            yield Slip((program.replaced(at, repr(new)),), note)


def _mean_for_total(program: Program) -> Iterator[Slip]:
    """`pivot_table(...)` for a question of totals: it takes the mean where nothing else is said."""
    if not _TOTAL.search(program.question) or _OTHER_MEASURE.search(program.question):
        return
    for node, names in program.nodes():
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr="pivot_table"), args=arguments, keywords=keywords):
                table = program.kind(arguments[0] if _is_pandas(of) and arguments else of, names)
                given = {each.arg for each in keywords}
                # What the code itself made may be totals already.
                whole = isinstance(table, Table) and all(program.homes(name) for name in table.columns)
                if whole and len(arguments) < 4 and not given & {"aggfunc", None}:
                    edit = Edit(program.end(node) - 1, program.end(node) - 1, ', aggfunc="sum"')
                    yield Slip((edit,), "pivot_table takes the mean unless it is told to take the sum.")


def _is_pandas(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "pd"


def _join_of_groups(program: Program) -> Iterator[Slip]:
    """`orders.groupby("id")["amount"].sum().merge(...)`: the groups are no table before reset_index."""
    for node, names in program.nodes():
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr="merge")):
                kind = program.kind(of, names)
                if isinstance(kind, Measured) and kind.groups.chosen and len(kind.groups.chosen) == 1:
                    yield Slip((program.after(of, ".reset_index()"),), "groups are a table only after reset_index.")


def _number_as_table(program: Program) -> Iterator[Slip]:
    """`df["amount"].mean().reset_index()`: what is measured over a whole column is a number, and has no rows."""
    for node, names in program.nodes():
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Call(func=ast.Attribute(value=of, attr=measure), args=[], keywords=[]) as number,
                    attr="reset_index" | "to_frame" | "sort_values" | "sort_index" | "head" | "to_dict" | "rename",
                )
            ) if measure in _OF_A_COLUMN and isinstance(program.kind(of, names), Column):
                edit = Edit(program.end(number), program.end(node), "")
                yield Slip((edit,), f"the {measure} of a whole column is one number, not a table.")


def _only_printed(program: Program) -> Iterator[Slip]:
    """`print(answer)` as the last line, where nothing is stored."""
    if program.stored() & {"result", "fig"} or "plt" in program.loaded() or not program.tree.body:
        return
    match program.tree.body[-1]:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[given], keywords=[]) as call):
            if not isinstance(given, ast.Starred) and not isinstance(given, ast.Constant | ast.JoinedStr):
                text = f"result = {program.text(given)}"
                yield Slip((program.replaced(call, text),), "the answer was printed: it is stored in result.")


def _only_drawn(program: Program) -> Iterator[Slip]:
    """`fig = px.bar(means, ...)` where no picture is asked for: what is drawn is the answer."""
    if PLOTTING.search(program.question) or "result" in program.stored() | program.loaded():
        return
    drawn = []
    for node in program.tree.body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id="fig")],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id="px")), args=[ast.Name(id=name)]) as call,
            ):
                drawn.append((name, call))
    if len(drawn) != 1 or drawn[0][0] == "df":
        return
    ((name, call),) = drawn
    made = [node for node in program.tree.body if isinstance(node, ast.Assign) and _gives(node, name)]
    if any(isinstance(n, ast.Call) and _is_measuring(n) for each in made for n in ast.walk(each.value)):
        edit = program.after(call, f"\nresult = {name}")
        yield Slip((edit,), "the answer was only drawn: it is stored in result too.")


def _gives(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def _is_measuring(call: ast.Call) -> bool:
    measures = MEASURES | {"agg", "value_counts", "pivot_table", "quantile"}
    return isinstance(call.func, ast.Attribute) and call.func.attr in measures


def _ending_of_merge(program: Program) -> Iterator[Slip]:
    """`both["amount_x"]` where only one of the joined tables has `amount`: it keeps its name."""
    given = {
        text
        for node in ast.walk(program.tree)
        if isinstance(node, ast.keyword) and node.arg == "suffixes"
        for text in texts(node.value)
    }
    endings = sorted({*given, "_x", "_y", "_left", "_right", *(f"_{id}" for id in program.datasets)} - {""})
    made = set(made_columns(program.tree))
    for node, names in program.nodes():
        match node:
            case ast.Subscript(value=of, slice=ast.Constant(value=str(said)) as key, ctx=ast.Load()):
                table = program.kind(of, names)
                table = table.table if isinstance(table, Groups) else table
                if not isinstance(table, Table) or len(table.of) < 2 or said in table.columns | made:
                    continue
                plain = {said.removesuffix(ending) for ending in endings if said.endswith(ending)} & table.columns
                if len(plain) == 1:
                    (name,) = plain
                    yield Slip((program.replaced(key, repr(name)),), f"{name!r} has no ending after this join.")


RULES = (
    _unquoted_column,
    _value_in_query,
    _mean_for_total,
    _join_of_groups,
    _ending_of_merge,
    _number_as_table,
    _only_printed,
    _only_drawn,
)

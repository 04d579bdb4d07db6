"""Slips with tables: columns of another table, groups of a single column, joins by names that differ, wrong values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from graphwright.agents.data_scientist.coding import columns_used, made_columns
from graphwright.agents.data_scientist.columns import ColumnView, spelt
from graphwright.agents.data_scientist.slips import Edit, Join, Program, Slip
from graphwright.agents.data_scientist.tables import MEASURES, Column, Groups, Names, Table, texts
from graphwright.agents.data_scientist.words import WORD, stem

_IMPORTS = {
    "stats": "from scipy import stats",
    "math": "import math",
    "LinearRegression": "from sklearn.linear_model import LinearRegression",
    "LogisticRegression": "from sklearn.linear_model import LogisticRegression",
    "statsmodels": "import statsmodels.api",
    "ttest_ind": "from scipy.stats import ttest_ind",
    "chi2_contingency": "from scipy.stats import chi2_contingency",
    "f_oneway": "from scipy.stats import f_oneway",
    "pearsonr": "from scipy.stats import pearsonr",
    "linregress": "from scipy.stats import linregress",
}


def _missing_import(program: Program) -> Iterator[Slip]:
    missing = program.loaded() - program.stored() - set(program.datasets)
    for name, line in _IMPORTS.items():
        if name in missing:
            yield Slip((Edit(0, 0, f"{line}\n"),), f"{name} was not imported.")


def _df_of_several(program: Program) -> Iterator[Slip]:
    """`df` where there are several data sets: the one that has all columns that are used."""
    if len(program.datasets) < 2 or "df" in program.stored() or "df" not in program.loaded():
        return
    used = columns_used(program.code, program.columns)
    have = {id: {c.name for c in program.columns if c.dataset == id} for id in program.datasets}
    whole = [id for id, names in have.items() if used and used <= names]
    joined = [
        id
        for id, names in have.items()
        if used & names and all(_lookup(program, id, name) is not None for name in used - names)
    ]
    found = whole or joined
    if len(found) == 1:
        line = f"df = datasets[{found[0]!r}]\n"
        yield Slip((Edit(0, 0, line),), f"there are several data sets, and df is none of them: {found[0]} was meant.")


def _column_before_groups(program: Program) -> Iterator[Slip]:
    """`t["amount"].groupby("country")`: the column is chosen before the groups are made by another one."""
    for node, names in program.nodes():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Subscript(value=of) as chosen, attr="groupby"), args=[by]):
                table = program.kind(of, names)
                keys, taken = texts(by), texts(chosen.slice)
                if not isinstance(table, Table) or not keys or not taken or set(keys) <= set(taken):
                    continue
                if isinstance(chosen.slice, ast.Constant) and len(taken) != 1:
                    continue
                if not all(program.homes(key) for key in keys) or not table.columns.issuperset(taken):
                    continue
                edits = [Edit(program.end(of), program.end(chosen), "")]
                if not _is_chosen_again(program.tree, node):
                    edits.append(program.after(node, program.text(chosen)[len(program.text(of)) :]))
                yield Slip(tuple(edits), f"groups by {', '.join(keys)} are made of the table, not of one column of it.")


def _is_chosen_again(tree: ast.Module, call: ast.Call) -> bool:
    return any(isinstance(n, ast.Subscript) and n.value is call for n in ast.walk(tree))


def _join_by_other_names(program: Program) -> Iterator[Slip]:
    """`a.merge(b, on="year")` where b writes it `YEAR`, or where left_on and right_on are the wrong way round."""
    for node, names in program.nodes():
        if not isinstance(node, ast.Call) or (joined := program.reading.joined(node, names)) is None:
            continue
        left, right = joined
        by = {each.arg: each for each in node.keywords}
        if "on" in by and len(on := texts(by["on"].value)) == 1:
            one, other = _spelt_in(left, on[0], program), _spelt_in(right, on[0], program)
            if one and other and one != other:
                new = f"left_on={one!r}, right_on={other!r}"
                start = program.start(by["on"].value) - len("on=")
                if program.code.encode()[start : start + 3] == b"on=":
                    edit = Edit(start, program.end(by["on"].value), new)
                    yield Slip((edit,), f"the column to join by is {one!r} on one side and {other!r} on the other.")
        elif "left_on" in by and "right_on" in by:
            a, b = by["left_on"].value, by["right_on"].value
            ours, theirs = texts(a), texts(b)
            wrong = ours and theirs and not left.columns.issuperset(ours) and not right.columns.issuperset(theirs)
            if wrong and right.columns.issuperset(ours) and left.columns.issuperset(theirs):
                edits = (program.replaced(a, program.text(b)), program.replaced(b, program.text(a)))
                yield Slip(edits, "left_on and right_on stood the wrong way round.")


def _spelt_in(table: Table, name: str, program: Program) -> str:
    """A column of a table by its name, by another spelling of it, or by the join that is known; empty for none."""
    if name in table.columns:
        return name
    near = [each for each in table.columns if spelt(each) == spelt(name)]
    if len(near) == 1:
        return near[0]
    known = {
        join[f"{side}_column"]  # type: ignore[literal-required]
        for join in program.joins
        for side, other in (("left", "right"), ("right", "left"))
        if join[side] in table.of and join[f"{other}_column"] == name  # type: ignore[literal-required]
    } & table.columns
    return next(iter(known)) if len(known) == 1 else ""


def _mask_of_another_table(program: Program) -> Iterator[Slip]:
    """`both[customers["country"] == "Spain"]`: rows of one table chosen by those of another one that it holds."""
    for node, names in program.nodes():
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            continue
        table = program.kind(node.value, names)
        if not isinstance(table, Table):
            continue
        for column in _compared(node.slice, program, names):
            held = column.table.of < table.of and column.name in table.columns
            (base, *more) = table.of
            beside = not more and base not in column.table.of and _lookup(program, base, column.name) is not None
            if len(column.table.of) == 1 and (held or beside):
                note = f"the rows of {node.value.id} are chosen by its own column {column.name!r}."
                yield Slip((program.replaced(column.at, node.value.id),), note)


def _compared(mask: ast.expr, program: Program, names: Names) -> Iterator[Column]:
    match mask:
        case ast.BinOp(left=left, right=right):
            yield from _compared(left, program, names)
            yield from _compared(right, program, names)
        case ast.UnaryOp(operand=operand):
            yield from _compared(operand, program, names)
        case ast.Compare(left=left) if isinstance(column := program.kind(left, names), Column):
            yield column


def _wanted(program: Program) -> Iterator[tuple[ast.expr, Table, str, bool, Names]]:
    """The columns that code takes of tables: the table's expression, the column, and whether it is only measured."""
    parents = {child: node for node in ast.walk(program.tree) for child in ast.iter_child_nodes(node)}

    def measured(node: ast.AST) -> bool:
        above = parents.get(node)
        return isinstance(above, ast.Attribute) and above.attr in MEASURES and above.attr not in ("count", "size")

    for node, names in program.nodes():
        match node:
            case ast.Subscript(value=of, slice=chosen, ctx=ast.Load()):
                kind = program.kind(of, names)
                if isinstance(table := kind.table if isinstance(kind, Groups) else kind, Table):
                    for name in texts(chosen):
                        yield _table_at(of), table, name, measured(node), names
            case ast.Call(func=ast.Attribute(value=of, attr="groupby" | "sort_values")):
                if isinstance(whole := program.kind(of, names), Table):
                    keys = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "by")]
                    for name in (name for key in keys for name in texts(key)):
                        yield _table_at(of), whole, name, False, names
            case ast.Call(func=ast.Attribute(value=ast.Name(id="px")), args=[of, *_]):
                if isinstance(whole := program.kind(of, names), Table):
                    for key in node.keywords:
                        for name in texts(key.value) if key.arg in ("x", "y", "color") else ():
                            yield _table_at(of), whole, name, False, names


def _table_at(node: ast.expr) -> ast.expr:
    """Where the table begins that methods and choices of rows are put to."""
    while True:
        match node:
            case ast.Subscript(value=ast.Name(id="datasets")):
                return node
            case ast.Subscript(value=of) | ast.Attribute(value=of) | ast.Call(func=ast.Attribute(value=of)):
                node = of
            case _:
                return node


def _column_of_another_table(program: Program) -> Iterator[Slip]:
    """`orders["country"]` where country is in customers, and each order has one customer, or each customer orders."""
    made = set(made_columns(program.tree))
    wanted: dict[str, dict[str, bool]] = {}
    for at, table, name, measured, names in _wanted(program):
        if name in table.columns or name in made or len(table.of) != 1 or not program.homes(name):
            continue
        (base,) = table.of
        if not table.columns >= {column.name for column in program.columns if column.dataset == base}:
            # What the code made of it would not have the column either.
            return
        joined = [
            other
            for other, kind in names.items()
            if isinstance(kind, Table) and base in kind.of and name in kind.columns
        ]
        if len(joined) == 1 and base not in joined:
            edits = tuple(program.replaced(place, joined[0]) for place in _same_around(program, at))
            yield Slip(edits, f"{name!r} is in {joined[0]}, where the data sets are joined.")
        here = wanted.setdefault(base, {})
        here[name] = here.get(name, True) and measured
    if any(isinstance(n, ast.Attribute) and n.attr in ("merge", "join", "concat") for n in ast.walk(program.tree)):
        return
    for base, names_of in wanted.items():
        if text := _looked_up(program, base, names_of) or _opened_up(program, base, names_of):
            yield from _with_base(program, base, text, names_of)


def _same_around(program: Program, at: ast.expr) -> list[ast.expr]:
    """The places in the statement around an expression where the same is written."""
    around = next(each for each in program.tree.body if any(node is at for node in ast.walk(each)))
    said = ast.dump(at)
    return [node for node in ast.walk(around) if isinstance(node, ast.expr) and ast.dump(node) == said]


def _lookup(program: Program, base: str, name: str) -> Join | None:
    """The one way to the one data set that has a column, of which each row of `base` finds at most one."""
    homes = program.homes(name)
    ways = [join for join in program.joins if join["left"] == base and [join["right"]] == homes]
    return ways[0] if len(ways) == 1 else None


def _looked_up(program: Program, base: str, names: Sequence[str] | dict[str, bool]) -> str:
    """The data set with columns of others put beside its rows, which stay as they are; empty where that is not sure."""
    by_set: dict[str, tuple[Join, list[str]]] = {}
    for name in names:
        if (join := _lookup(program, base, name)) is None:
            return ""
        by_set.setdefault(join["right"], (join, []))[1].append(name)
    text = f"datasets[{base!r}]"
    for other, (join, some) in by_set.items():
        key, theirs = join["left_column"], join["right_column"]
        chosen = f"datasets[{other!r}][{[theirs, *(n for n in some if n != theirs)]!r}]"
        if key != theirs:
            if theirs in some:
                return ""
            chosen += f".rename(columns={{{theirs!r}: {key!r}}})"
        text += f".merge({chosen}, on={key!r}, how='left')"
    return text


def _opened_up(program: Program, base: str, names: dict[str, bool]) -> str:
    """Both data sets joined, where only measures are missing, and they stand in one that has many rows for each."""
    homes = {home for name in names for home in program.homes(name)}
    ways = [join for join in program.joins if join["right"] == base and {join["left"]} == homes]
    if len(ways) != 1 or not all(names.values()):
        return ""
    (join,) = ways
    have = [{c.name for c in program.columns if c.dataset == id} for id in (base, join["left"])]
    if join["left_column"] != join["right_column"] or have[0] & have[1] != {join["left_column"]}:
        return ""
    if {"len"} & program.loaded() or any(
        isinstance(n, ast.Attribute) and n.attr in ("count", "size", "shape", "value_counts")
        for n in ast.walk(program.tree)
    ):
        return ""
    return f"datasets[{base!r}].merge(datasets[{join['left']!r}], on={join['left_column']!r})"


def _with_base(program: Program, base: str, text: str, names: Sequence[str] | dict[str, bool]) -> Iterator[Slip]:
    whole = ("corr", "cov", "describe", "info", "dtypes", "columns", "shape", "select_dtypes", "drop")
    if any(isinstance(n, ast.Attribute) and n.attr in whole for n in ast.walk(program.tree)):
        return
    places: list[ast.expr] = [
        node
        for node in ast.walk(program.tree)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "datasets"
        and texts(node.slice) == (base,)
    ]
    homes = dict.fromkeys(home for name in names for home in program.homes(name))
    note = f"{base} has no {' and no '.join(map(repr, names))}: joined from {' and '.join(homes)}."
    if len(places) == 1:
        yield Slip((program.replaced(places[0], text),), note)
    elif places:
        taken = program.stored() | program.loaded()
        name = next((each for each in (base, "joined") if each.isidentifier() and each not in taken), "")
        if name:
            edits = [Edit(0, 0, f"{name} = {text}\n"), *(program.replaced(place, name) for place in places)]
            yield Slip(tuple(edits), note)


def _value_of_another_type(program: Program) -> Iterator[Slip]:
    """`== "1990"` of whole numbers, `== 1` of texts, `== "spain"` of `Spain`: it would find no row."""
    for node, names in program.nodes():
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=value) as said]):
                column = program.kind(left, names)
                if not isinstance(column, Column):
                    continue
                view = program.column(column.table.of, column.name)
                if view is None or view.name in made_columns(program.tree):
                    continue
                meant = written_as(value, view, program)
                if meant:
                    note = f"the values of {view.name!r} are written {meant}, not {value!r}."
                    yield Slip((program.replaced(said, meant),), note)


def written_as(value: object, view: ColumnView, program: Program) -> str:
    """The value as the column has it, as it is written in code; empty where it is right or not certain."""
    if view.type in ("integer", "number") and isinstance(value, str):
        text = value.strip()
        try:
            number = float(text)
        except ValueError:
            return ""
        return text if text.isdecimal() else repr(number) if number == number and abs(number) < 1e15 else ""
    if view.type == "boolean" and isinstance(value, str):
        return {"yes": "True", "true": "True", "no": "False", "false": "False"}.get(value.casefold(), "")
    if view.type != "text" or not view.values or value in view.values:
        return ""
    if not isinstance(value, str):
        plain = {each.casefold(): each for each in view.values}
        if set(plain) == {"yes", "no"} and value in (0, 1):
            return repr(plain["yes" if value else "no"])
        return repr(str(value)) if str(value) in view.values else ""
    alike = [each for each in view.values if each.strip().casefold() == value.strip().casefold()]
    said = [
        each.value
        for each in program.mentions.values
        if (each.column.dataset, each.column.name) == (view.dataset, view.name)
        and each.said.casefold() == value.casefold()
    ]
    found = dict.fromkeys(alike or said)
    return repr(next(iter(found))) if len(found) == 1 else ""


def _texts_among_numbers(program: Program) -> Iterator[Slip]:
    """`df.corr()` and `df.groupby("g").mean()` of tables that hold texts."""
    for node, names in program.nodes():
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr=method), args=[], keywords=[]):
                kind = program.kind(of, names)
                table = kind.table if isinstance(kind, Groups) and kind.chosen is None else kind
                keys = kind.keys if isinstance(kind, Groups) else ()
                of_groups = isinstance(kind, Groups) and method in ("mean", "median", "std", "var")
                of_table = isinstance(kind, Table) and method in ("corr", "cov", "mean", "median", "std", "var")
                if not isinstance(table, Table) or not (of_groups or of_table):
                    continue
                rest = [c for c in program.columns if c.dataset in table.of and c.name in table.columns - set(keys)]
                if any(c.type == "text" for c in rest) and any(c.type in ("integer", "number") for c in rest):
                    edit = Edit(program.end(node) - 1, program.end(node) - 1, "numeric_only=True")
                    yield Slip((edit,), f"{method} is taken of numbers, not of the columns of texts.")


def _part_of_a_name(program: Program) -> Iterator[Slip]:
    """`["petals"]` of a table that has petal length and petal width, where the question says which of them.

    `["longest petals"]` too, where these are the words by which the question names a column.
    """
    made = set(made_columns(program.tree))
    for node, names in program.nodes():
        match node:
            case ast.Subscript(value=of, slice=ast.Constant(value=str(said)) as key, ctx=ast.Load()):
                kind = program.kind(of, names)
                table = kind.table if isinstance(kind, Groups) else kind
                if not isinstance(table, Table) or said in made | table.columns or program.homes(said):
                    continue
                if meant := _meant_by_part(said, table, program):
                    note = f"there is no column {said!r}: {meant!r} was meant."
                    yield Slip((program.replaced(key, repr(meant)),), note)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("_", " ").split())


def _meant_by_part(said: str, table: Table, program: Program) -> str:
    named = {
        each.column.name
        for each in program.mentions.columns
        if each.column.name in table.columns and _plain(each.said) == _plain(said)
    }
    if len(named) == 1:
        return next(iter(named))
    words = {stem(word.casefold()) for word in WORD.findall(said) if word != "_"}
    near = {
        column.name
        for column in program.columns
        if column.name in table.columns and words and words <= set(map(stem, column.parts))
    }
    if len(near) > 1:
        # Of those that the question names by another word too.
        near &= {each.column.name for each in program.mentions.columns if stem(each.said) not in words}
    return next(iter(near)) if len(near) == 1 else ""


RULES = (
    _missing_import,
    _df_of_several,
    _column_before_groups,
    _join_by_other_names,
    _mask_of_another_table,
    _column_of_another_table,
    _part_of_a_name,
    _value_of_another_type,
    _texts_among_numbers,
)

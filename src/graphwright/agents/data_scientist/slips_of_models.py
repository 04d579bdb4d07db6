"""Slips with tests, regressions and pictures: what their functions take, and what the model gave them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from graphwright.agents.data_scientist.columns import UNIT, spelt
from graphwright.agents.data_scientist.slips import Edit, Program, Slip
from graphwright.agents.data_scientist.tables import Column, Groups, Measured, Table, texts

_OF_GROUPS = ("f_oneway", "kruskal", "ttest_ind", "mannwhitneyu", "levene", "bartlett")
_FORMULAS = ("ols", "logit", "probit", "glm", "wls", "rlm", "poisson", "quantreg")
_TABULATED = ("crosstab", "unstack", "pivot", "pivot_table")
_NO_INTERCEPT = re.compile(r"\b(?:intercept|origin|constant)\b", re.IGNORECASE)


def _called(node: ast.AST) -> str:
    """The name of the function that is called, without its module."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
        case _:
            return ""


def _groups_as_one(program: Program) -> Iterator[Slip]:
    """`f_oneway(df.groupby("g")["x"])`, `ttest_ind(df["g"], df["x"])`: the groups have to be given one by one."""
    for node, names in program.nodes():
        if not isinstance(node, ast.Call) or _called(node) not in _OF_GROUPS:
            continue
        note = f"{_called(node)} takes the values of each group as an argument of its own."
        match node.args:
            case [ast.Starred(value=given) as whole] | [given as whole]:
                kind = program.kind(given, names)
                if isinstance(kind, Groups) and kind.chosen and len(kind.chosen) == 1:
                    yield Slip((program.replaced(whole, _parts(program.text(given))),), note)
            case [one, other]:
                kinds = program.kind(one, names), program.kind(other, names)
                if text := _split(kinds[0], kinds[1], program, two=_called(node) in ("ttest_ind", "mannwhitneyu")):
                    yield Slip((Edit(program.start(one), program.end(other), text),), note)


def _parts(groups: str) -> str:
    return f"*[part.dropna() for _, part in {groups}]"


def _split(one: object, other: object, program: Program, *, two: bool) -> str:
    if not isinstance(one, Column) or not isinstance(other, Column) or one.table != other.table:
        return ""
    views = [program.column(each.table.of, each.name) for each in (one, other)]
    for by, of, name, at in ((views[0], views[1], other.name, one.at), (views[1], views[0], one.name, one.at)):
        if by is None or of is None or by.type not in ("text", "boolean") or of.type not in ("integer", "number"):
            continue
        if len(by.values) == 2 or (len(by.values) > 2 and not two):
            table = program.text(at)
            return _parts(f"{table}.groupby({by.name!r})[{name!r}]")
    return ""


def _no_table_of_counts(program: Program) -> Iterator[Slip]:
    """`chi2_contingency` of anything but a table of counts of two columns."""
    given = {
        target.id: node.value
        for node in program.tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node, _ in program.nodes():
        if not isinstance(node, ast.Call) or _called(node) not in ("chi2_contingency", "chisquare") or not node.args:
            continue
        within = list(_sources(node.args, given))
        if any(isinstance(each, ast.Attribute) and each.attr in _TABULATED for each in within):
            continue
        if any(isinstance(each, ast.Compare | ast.For | ast.Call) and _chooses(each) for each in within):
            continue
        said = {each.value for each in within if isinstance(each, ast.Constant) and isinstance(each.value, str)}
        said |= {each.attr for each in within if isinstance(each, ast.Attribute)}
        columns = [column for column in program.columns if column.name in said]
        if len(columns) != 2 or columns[0].dataset != columns[1].dataset:
            continue
        if any(column.type not in ("text", "boolean") for column in columns):
            continue
        table = f"datasets[{columns[0].dataset!r}]"
        text = f"pd.crosstab({table}[{columns[0].name!r}], {table}[{columns[1].name!r}])"
        function = program.text(node.func).replace("chisquare", "chi2_contingency")
        edits = (
            program.replaced(node.func, function),
            Edit(program.start(node.args[0]), program.end(node.args[-1]), text),
        )
        yield Slip(edits, "the chi-squared test takes the table of how often each pair of values occurs.")


def _sources(nodes: Sequence[ast.expr], given: dict[str, ast.expr]) -> Iterator[ast.AST]:
    """All parts of expressions, and of what the names in them were given."""
    waiting: list[ast.expr] = list(nodes)
    seen: set[str] = set()
    while waiting:
        for each in ast.walk(waiting.pop()):
            yield each
            if isinstance(each, ast.Name) and each.id in given and each.id not in seen:
                seen.add(each.id)
                waiting.append(given[each.id])


def _chooses(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) or _called(node) in ("query", "isin", "between", "head", "sample")


def _names_in_formulas(program: Program) -> Iterator[Slip]:
    """`ols("petal width (cm) ~ ...")`: a name that is no single word has to be quoted in a formula."""
    for node, _ in program.nodes():
        if not isinstance(node, ast.Call) or _called(node) not in _FORMULAS:
            continue
        formulas = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "formula")]
        for formula in formulas:
            if not (isinstance(formula, ast.Constant) and isinstance(formula.value, str) and "~" in formula.value):
                continue
            text, changed = _quoted(formula.value, program)
            if text == formula.value:
                continue
            edits = [program.replaced(formula, repr(text))]
            for other in ast.walk(program.tree):
                match other:
                    case ast.Subscript(value=ast.Attribute(attr="params" | "pvalues" | "bse" | "tvalues"), slice=key):
                        said = texts(key)
                        if isinstance(key, ast.Constant) and said and said[0] in changed:
                            edits.append(program.replaced(key, repr(changed[said[0]])))
                    case ast.Call(func=ast.Attribute(attr="predict")):
                        edits += _predicted_with(other, changed, program)
            yield Slip(tuple(edits), "in a formula a name that is no single word is written as Q('name').")


def _predicted_with(call: ast.Call, changed: dict[str, str], program: Program) -> Iterator[Edit]:
    """The columns of what a model predicts with, named as in the data."""
    for each in ast.walk(call):
        for key in each.keys if isinstance(each, ast.Dict) else ():
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value in changed:
                yield program.replaced(key, repr(changed[key.value][3:-2]))


def _quoted(formula: str, program: Program) -> tuple[str, dict[str, str]]:
    """A formula with its odd names quoted, and for each way that a column was written, how it is now."""
    odd = {c.name for c in program.columns if not c.name.isidentifier() and not re.search(r"['\"\\]", c.name)}
    there = {c.name for c in program.columns}
    by_spelling: dict[str, set[str]] = {}
    for name in there:
        by_spelling.setdefault(spelt(name), set()).add(name)
    changed: dict[str, str] = {}
    # `leaf width` is `leaf width (cm)` where no other column is called so.
    forms = {name: name for name in odd}
    for column in program.columns:
        plain = UNIT.sub("", column.name)
        if column.name in odd and " " in plain and by_spelling.get(spelt(plain)) == {column.name}:
            forms.setdefault(plain, column.name)
    names = "|".join(re.escape(name) for name in sorted(forms, key=len, reverse=True))
    done = r"Q\((?P<mark>['\"]).*?(?P=mark)\)|'[^']*'|\"[^\"]*\""
    pattern = re.compile(rf"(?P<done>{done})|(?P<odd>{names or '(?!)'})|(?P<word>[^\W\d]\w*)(?!\w*\()")

    def put(found: re.Match[str]) -> str:
        said = found[0]
        if found["odd"]:
            meant = forms[said]
        elif found["word"] and said not in there and len(near := by_spelling.get(spelt(said), set()) & odd) == 1:
            meant = next(iter(near))
        else:
            return said
        changed[said] = changed[meant] = f"Q('{meant}')"
        return changed[said]

    return pattern.sub(put, formula), changed


def _no_intercept(program: Program) -> Iterator[Slip]:
    """`sm.OLS(y, X)` without a constant: a line through the origin, which nobody asked for."""
    if _NO_INTERCEPT.search(program.question) or re.search(r"add_constant|intercept|const\b", program.code):
        return
    for node, names in program.nodes():
        match node:
            case ast.Call(func=ast.Attribute(attr="OLS"), args=[_, given, *_]):
                made = any(isinstance(n, ast.Attribute) and n.attr == "predict" for n in ast.walk(program.tree))
                kind = program.kind(given, names)
                taken = {kind.name} if isinstance(kind, Column) else kind.columns if isinstance(kind, Table) else set()
                if made or not taken or not all(program.homes(name) for name in taken):
                    continue
                # Last, so that the other coefficients keep their places.
                text = f"sm.add_constant({program.text(given)}, prepend=False)"
                yield Slip((program.replaced(given, text),), "sm.OLS fits no intercept on its own: it got one.")


def _one_column_to_fit(program: Program) -> Iterator[Slip]:
    """`LinearRegression().fit(df["x"], y)`: what is fitted on has to be a table, of one column too."""
    if "sklearn" not in program.code:
        return
    for node, names in program.nodes():
        match node:
            case ast.Call(func=ast.Attribute(attr="fit" | "score"), args=[given, _]):
                if isinstance(program.kind(given, names), Column):
                    edit = program.after(given, ".to_frame()")
                    yield Slip((edit,), "what a model of sklearn is fitted on is a table, of one column too.")


def _picture_of_groups(program: Program) -> Iterator[Slip]:
    """`px.bar(df.groupby("g")["x"].mean(), x="g", y="x")`: the groups are no column before reset_index."""
    for node, names in program.nodes():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="px")), args=[given, *_]):
                kind = program.kind(given, names)
                wanted = {
                    text
                    for key in node.keywords
                    if key.arg in ("x", "y", "color", "names")
                    for text in texts(key.value)
                }
                if isinstance(kind, Measured) and wanted & set(kind.groups.keys):
                    yield Slip(
                        (program.after(given, ".reset_index()"),), "the groups of a picture have to be a column."
                    )


RULES = (
    _groups_as_one,
    _no_table_of_counts,
    _names_in_formulas,
    _no_intercept,
    _one_column_to_fit,
    _picture_of_groups,
)

"""Code that a model wrote: taken out of its answer, and looked at before it runs, so that it can be mended."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from graphwright.agents.data_scientist.columns import ColumnView, nearest, spelt
from graphwright.agents.data_scientist.joining import join_line
from graphwright.agents.data_scientist.mentions import Mentions
from graphwright.agents.data_scientist.slips import Join
from graphwright.agents.data_scientist.words import CALENDAR, listed

LONGEST_CODE = 20_000
"""Characters."""

_FENCE = re.compile(r"```[ \t]*(?:python|py)?[ \t]*\r?\n(.*?)(?:\r?\n```|\Z)", re.DOTALL | re.IGNORECASE)
_READERS = (
    "read_csv",
    "read_excel",
    "read_parquet",
    "read_json",
    "read_table",
    "read_sql",
    "load_dataset",
    "read_feather",
)
_TELLING = listed("title label labels hover_data category_orders color_discrete_map")
"""What is said of columns in pictures: nothing in it makes one."""

_THERE = listed("pd np px go plt sns sm smf scipy stats sklearn math statsmodels")
"""Names of libraries that code may use without making them."""

_WHOLE = re.compile(
    r"\.(?:corr|cov|describe|info|dtypes|columns|isna|isnull|select_dtypes|shape|nunique|duplicated)\b|len\("
)


def code_of(answer: str) -> str:
    """The Python in a model's answer: what its fences hold, else the whole answer."""
    blocks = _FENCE.findall(answer)
    code = "\n\n".join(block.strip("\n") for block in blocks) if blocks else answer.replace("```", "")
    return code.strip("\n").rstrip() + "\n" if code.strip() else ""


def with_names(code: str, datasets: Mapping[str, Any]) -> str:
    """The code, begun with `sales = datasets["sales"]` for each data set that it uses by its bare name."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    used = {node.id for node in names} - made
    return (
        "".join(f"{id} = datasets[{id!r}]\n" for id in datasets if id in used and id not in ("df", "datasets")) + code
    )


_BY_NAME = frozenset(
    [
        *("groupby", "sort_values", "agg", "drop", "set_index", "pivot_table", "pivot", "value_counts", "nlargest"),
        "nsmallest",
    ]
)
_NAMING = listed(
    """
    x y z color by on left_on right_on columns index values hue size facet_col facet_row names subset hover_name symbol
    id_vars value_vars
    """
)


def with_columns(code: str, columns: Sequence[ColumnView]) -> str:
    """The code with the columns as they are spelt in the data, where it names one in another spelling.

    Only where columns are named, and only where one column can be meant: `df["sepal_width"]` is `sepal width (cm)`.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    there = {column.name for column in columns}
    made = set(made_columns(tree))
    by_spelling: dict[str, set[str]] = {}
    for column in columns:
        by_spelling.setdefault(spelt(column.name), set()).add(column.name)
    lines = code.splitlines(keepends=True)
    places = []
    for node, said in _named_in(tree):
        meant = by_spelling.get(spelt(said), set())
        if said not in there and said not in made and len(meant) == 1 and node.lineno == node.end_lineno:
            places.append((node.lineno, node.col_offset, node.end_col_offset or 0, repr(next(iter(meant)))))
    for number, start, end, name in sorted(set(places), reverse=True):
        line = lines[number - 1].encode()
        lines[number - 1] = (line[:start] + name.encode() + line[end:]).decode()
    return "".join(lines)


def _named_in(tree: ast.Module) -> Iterator[tuple[ast.Constant, str]]:
    """The texts in code that name columns."""
    for node in ast.walk(tree):
        found: list[ast.expr] = []
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            of_all = isinstance(node.value, ast.Name) and node.value.id == "datasets"
            found = [] if of_all else [node.slice]
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in _BY_NAME:
                found = [*node.args]
            found += [keyword.value for keyword in node.keywords if keyword.arg in _NAMING]
        for each in found:
            items = each.elts if isinstance(each, ast.List | ast.Tuple) else [each]
            yield from ((i, i.value) for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str))


@dataclass(frozen=True, slots=True)
class Fault:
    """Why code is not run: `message` for the model and people, `line` from 1 or 0, and the text of that line."""

    message: str
    line: int = 0
    source: str = ""


def error_text(fault: Fault) -> str:
    """A fault as one text: the message, and on further lines where it was."""
    return f"{fault.message}\nline {fault.line}: {fault.source}" if fault.line else fault.message


def error_parts(text: str) -> tuple[int, str, str]:
    """Line, source and message of `error_text`."""
    message, _, place = text.rpartition("\nline ")
    number, _, source = place.partition(": ")
    if message and number.isdigit():
        return int(number), source, message
    return 0, "", text


def fault_in(code: str, datasets: Mapping[str, Any], columns: Sequence[ColumnView], *, figure: bool) -> Fault | None:
    """The first thing in code that cannot answer the question, found without running it; None where it may run.

    These checks exist to give the model a good error. They are no protection: that is the sandbox.
    """
    if not code.strip():
        return Fault("There is no Python code in the answer.")
    if len(code) > LONGEST_CODE:
        return Fault(f"The code has {len(code):,} characters; at most {LONGEST_CODE:,} are run.")
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        if _is_in_words(code):
            return Fault("The answer is a text in words, not Python. Write only lines of Python, such as result = ...")
        return Fault(f"SyntaxError: {error.msg}", error.lineno or 0, _line(code, error.lineno or 0))
    except (ValueError, RecursionError, MemoryError):
        return Fault("SyntaxError: the code cannot be parsed: it is nested too deeply, or holds a NUL.")
    for found in _faults(tree, code, datasets, columns):
        return found
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if datasets and not names & {"df", "datasets"}:
        there = ", ".join(f"datasets[{id!r}]" for id in datasets)
        for node in ast.walk(tree):
            match node:
                case ast.Subscript(value=ast.Name(id=name)) | ast.Attribute(value=ast.Name(id=name)) if (
                    name not in stored | _THERE
                ):
                    return at(node, code, f"{name!r} is not defined. The data is in {there}.")
        return Fault(f"{UNUSED}, which is in {there}. Compute the answer; never write it down.")
    ends = bool(tree.body) and isinstance(tree.body[-1], ast.Expr)
    drawn = "plt" in names or "sns" in names or any(map(_draws, ast.walk(tree)))
    if figure and not stored & {"fig"} and not drawn:
        return Fault("The question asks for a picture. Store it in `fig`.")
    if not stored & {"result", "fig"} and not ends and not drawn:
        return Fault("Nothing is stored. Store the answer in `result`, or a picture in `fig`.")
    return None


def _draws(node: ast.AST) -> bool:
    """Whether a call is one of those by which pandas draws: `t.plot()`, `t.plot.bar()`, `t.boxplot()`, `t.hist()`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="plot" | "boxplot" | "hist")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="plot"))):
            return True
        case _:
            return False


_DOES = re.compile(r"^\s*[\w.\[\]\"', ]+\s=(?!=)|\w\([^)]*\)|\]\s*$", re.MULTILINE)
_SENTENCE = re.compile(r"^[^\W\d_]+(?:[’',]?\s+[^\W_]+[’']?\w*,?){4,}", re.MULTILINE)


def _is_in_words(code: str) -> bool:
    """Whether a model explained where it should have written code: sentences, and no line that assigns or calls."""
    return bool(_SENTENCE.search(code)) and not _DOES.search(code)


def _line(code: str, number: int) -> str:
    lines = code.splitlines()
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _faults(tree: ast.Module, code: str, datasets: Mapping[str, Any], columns: Sequence[ColumnView]) -> Iterator[Fault]:
    made = set(made_columns(tree))
    known = {column.name for column in columns} | made
    by_column: dict[str, set[str]] = {}
    for column in columns:
        if column.values:
            by_column.setdefault(column.name, set()).update(column.values)
    as_given = set(datasets) - _given_anew(tree)
    stored = {
        text
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        for text in _texts(node.slice)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _READERS:
            there = ", ".join(f"datasets['{id}']" for id in datasets)
            yield at(node, code, f"Files cannot be read here. The data is in {there or 'no data set: none was given'}.")
        if isinstance(node, ast.Subscript):
            yield from _wrong_subscript(node, code, datasets, as_given, known, stored, columns)
        if isinstance(node, ast.Compare):
            yield from _wrong_value(node, code, by_column)


def at(node: ast.expr | ast.stmt, code: str, message: str) -> Fault:
    """A fault of this place in the code."""
    return Fault(message, node.lineno, _line(code, node.lineno))


def made_columns(tree: ast.Module) -> Iterator[str]:
    """Texts that the code itself may make columns or keys of: assigned, renamed, passed as names, written in dicts."""
    told = {
        id(keyword.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg in _TELLING
    }
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ctx=ast.Store()):
                yield from _texts(node.slice)
            case ast.Dict() if id(node) not in told:
                for item in (*node.keys, *node.values):
                    if item is not None:
                        yield from _texts(item)
            case ast.Call():
                for keyword in node.keywords:
                    if keyword.arg and keyword.arg not in _NAMING | _TELLING:
                        yield keyword.arg
                        yield from _texts(keyword.value)
                if isinstance(node.func, ast.Attribute) and node.func.attr in ("rename", "reset_index", "set_axis"):
                    for argument in node.args:
                        yield from _texts(argument)
            case ast.Assign(targets=[ast.Attribute(attr="columns")]):
                yield from _texts(node.value)


def _texts(node: ast.expr) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def _given_anew(tree: ast.Module) -> set[str]:
    """The names that something is given to that is no data set of that name: `orders = orders.merge(...)`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                match value:
                    case ast.Subscript(value=ast.Name(id="datasets"), slice=ast.Constant(value=id)) if id == name:
                        pass
                    case _:
                        found.add(name)
    return found


def _wrong_subscript(
    node: ast.Subscript,
    code: str,
    datasets: Mapping[str, Any],
    as_given: set[str],
    known: set[str],
    stored: set[str],
    columns: Sequence[ColumnView],
) -> Iterator[Fault]:
    of = node.value
    if isinstance(of, ast.Name) and of.id == "datasets":
        if (
            isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
            and node.slice.value not in datasets
        ):
            there = ", ".join(map(repr, datasets))
            yield at(node, code, f"There is no data set {node.slice.value!r}. There is: {there}.")
        return
    id = _dataset_of(of, datasets, as_given)
    if id is None or isinstance(node.ctx, ast.Store):
        return
    own = {column.name for column in columns if column.dataset == id}
    # What another data set has is in this one only where the code puts it there.
    made = (known - {column.name for column in columns}) | stored
    wanted = node.slice.elts if isinstance(node.slice, ast.List) else [node.slice]
    for item in wanted:
        if isinstance(item, ast.Constant) and isinstance(item.value, str) and item.value not in own | made:
            yield at(item, code, _no_such_column(item.value, id, columns))


def _dataset_of(node: ast.expr, datasets: Mapping[str, Any], as_given: set[str]) -> str | None:
    """The data set that an expression is as it was given: `df`, `datasets["sales"]`, `sales`."""
    match node:
        case ast.Subscript(value=ast.Name(id="datasets"), slice=ast.Constant(value=str(id))) if id in datasets:
            return id
        case ast.Name(id=id) if id in as_given:
            return id
        case ast.Name(id="df") if len(datasets) == 1:
            return next(iter(datasets))
        case _:
            return None


def _no_such_column(name: str, dataset: str, columns: Sequence[ColumnView]) -> str:
    own = [column for column in columns if column.dataset == dataset]
    elsewhere = next((column.dataset for column in columns if column.name == name and column.dataset != dataset), None)
    if elsewhere is not None:
        theirs = {column.name for column in columns if column.dataset == elsewhere}
        shared = [column.name for column in own if column.name in theirs]
        text = f"{dataset} has no column {name!r}: it is in {elsewhere}."
        if shared:
            text += f" Join them: datasets[{dataset!r}].merge(datasets[{elsewhere!r}], on={shared[0]!r})."
        return text
    near = nearest(name, own)
    guess = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    names = ", ".join(dict.fromkeys(repr(column.name) for column in own[:60]))
    return f"There is no column {name!r}.{guess} The columns are: {names}."


def _wrong_value(node: ast.Compare, code: str, by_column: Mapping[str, set[str]]) -> Iterator[Fault]:
    """`df['day'] == 'Sunday'` where the values of day are Sun, Sat, ...: it would find no row."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return
    column, value = node.left, node.comparators[0]
    if not (isinstance(column, ast.Subscript) and isinstance(column.slice, ast.Constant)):
        return
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        return
    values = by_column.get(column.slice.value) if isinstance(column.slice.value, str) else None
    if values is None or value.value in values:
        return
    near = get_close_matches(value.value, values, 1, 0.5)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    there = ", ".join(repr(each) for each in sorted(values)[:30])
    name = str(column.slice.value)
    yield at(node, code, f"No row has {name} {value.value!r}.{guess} Its values are: {there}.")


UNUSED = "The code does not use the data"
"""How the fault of code begins that computes nothing from the data."""


def unused_in(code: str, mentions: Mentions) -> Fault | None:
    """A column that no answer can do without has to occur in the code, unless that works on all columns."""
    if _WHOLE.search(code):
        return None
    groups: dict[str, list[str]] = {}
    for named in mentions.columns:
        if named.sure and named.wanted:
            groups.setdefault(named.said, []).append(named.column.name)
    for said, names in groups.items():
        if not any(name in code for name in names):
            return Fault(
                f"The question asks about {said!r}, which is the column {names[0]!r}, but the code does not use it."
            )
    return None


def taken_instead(code: str, columns: Sequence[ColumnView], mentions: Mentions) -> tuple[str, ...]:
    """The columns that code may have taken for something that a question asks for and the data does not have.

    That is so when the question has words that mean nothing in this data, and the code computes with a column that the
    question does not name. Keys by which tables are joined, dates where a time is asked for, and columns that name rows
    are taken for no answer.
    """
    if not mentions.unknown:
        return ()
    meant = {each.column.name for each in mentions.columns} | {each.column.name for each in mentions.values}
    meant |= {column.name for column in mentions.near}
    used = columns_used(code, columns) - meant
    keys = set(_joined_on(code))
    of_times = mentions.times and not mentions.absent
    taken = [
        column.name
        for column in columns
        if column.name in used
        and column.name not in keys
        and not (of_times and (column.type in ("date", "datetime") or CALENDAR & set(column.parts)))
        and not (column.type == "text" and not column.values)
    ]
    # Where only one thing is measured, other words for it can mean nothing else.
    measured = [c.name for c in columns if c.type in ("integer", "number") and c.name not in meant | keys]
    return tuple(taken) if taken and (taken != measured or len(measured) > 1 or mentions.absent) else ()


def columns_used(code: str, columns: Sequence[ColumnView]) -> set[str]:
    """The columns that occur in code: as a text, in a formula or query, or as an attribute."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    words: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.add(node.value)
            words.update(re.findall(r"\w+", node.value))
        elif isinstance(node, ast.Attribute):
            words.add(node.attr)
    return {column.name for column in columns if column.name in words}


def _joined_on(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg in ("on", "left_on", "right_on"):
                    yield from _texts(keyword.value)


def repair_hints(message: str, columns: Sequence[ColumnView], joins: Sequence[Join] = ()) -> str:
    """What the model should know beside an error: the columns that come near to a name in it, and how tables join."""
    message = message.replace("Column not found: ", "")
    if position := re.search(r"^KeyError: (\d+)\b", message):
        return f"A position is no name: write .iloc[{position[1]}], or use the name itself."
    found = re.search(
        r"KeyError: ['\"]?([^'\"\n]{1,80})['\"]?|has no attribute '([^']{1,80})'|not in index|'([^']{1,80})'", message
    )
    name = next((group for group in found.groups() if group), "") if found else ""
    if "Index contains duplicate entries" in message:
        return 'Use pivot_table with aggfunc="sum" or "mean": pivot takes one row for each cell.'
    if "PatsyError" in message or "patsy" in message:
        odd = [column.name for column in columns if not column.name.isidentifier()]
        if odd:
            return f"In a formula a name that is no single word is written as Q({odd[0]!r})."
    spellings = {column.name: column.dataset for column in columns if spelt(column.name) == spelt(name) and name}
    if len(spellings) > 1:
        told = ", ".join(f"{dataset} has {other!r}" for other, dataset in spellings.items())
        return f"It is spelt in two ways: {told}. Use left_on and right_on."
    homes = dict.fromkeys(column.dataset for column in columns if column.name == name)
    if len(homes) > 1 and "KeyError" in message:
        told = " and ".join(homes)
        return (
            f"{name!r} is a column of {told}. After a merge by another column it is {f'{name}_x'!r} of the left one "
            f"and {f'{name}_y'!r} of the right one."
        )
    if homes and len({column.dataset for column in columns}) > 1:
        text = f"{name!r} is a column of {' and '.join(homes)}: join the data sets by merge before you use it."
        ways = [join for join in joins if {join["left"], join["right"]} & set(homes)]
        return f"{text} Write {join_line(ways[0])} and take all columns of joined." if len(ways) == 1 else text
    near = nearest(name, columns) if name else []
    if near:
        return f"Columns that come near to {name!r}: {', '.join(near)}."
    if "KeyError" in message or "not in index" in message or "has no attribute" in message:
        return f"The columns are: {', '.join(dict.fromkeys(column.name for column in columns[:60]))}."
    return ""

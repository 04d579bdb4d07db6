"""Several data sets as one table: the join that a question needs, made ready as `df` before the model writes code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.mentions import Mentions
from graphwright.agents.data_scientist.slips import Join
from graphwright.agents.data_scientist.words import stem

MOST_JOINED = 4
"""Data sets that are put beside the rows of one."""


_NAMES = ("df", "joined", "both", "merged")
"""What a model calls the joined table, when it trusts that there is one."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A table of several data sets: the line of code that makes it `df`, what its rows are, and its columns.

    Its rows are those of `base`; `others` are the data sets that were joined to them, or compared with them.
    """

    base: str
    others: tuple[str, ...]
    line: str
    rows: str
    columns: tuple[str, ...]


def join_line(join: Join) -> str:
    """The line of code that joins two data sets."""
    return f'joined = datasets["{join["left"]}"].merge(datasets["{join["right"]}"], {_by(join)})'


def _by(join: Join) -> str:
    one, other = join["left_column"], join["right_column"]
    return f"on={_text(one)}" if one == other else f"left_on={_text(one)}, right_on={_text(other)}"


def _text(name: str) -> str:
    return f'"{name}"' if name.isprintable() and not {'"', "\\"} & set(name) else repr(name)


def joined_for(named: Mentions, columns: Sequence[ColumnView], joins: Sequence[Join]) -> Joined | None:
    """The data sets in which the columns of a question stand, as one table; None where one data set has them all.

    None too where more than one table could be meant.
    """
    wanted = _homes(named, columns)
    if not wanted or set.intersection(*wanted):
        return None
    found: list[tuple[str, tuple[Join, ...]]] = []
    for base in dict.fromkeys(column.dataset for column in columns):
        ways = _lookups(base, joins)
        found += [(base, some) for some in _fewest(base, ways, wanted)]
    if not found:
        return None
    fewest = min(len(ways) for _, ways in found)
    short = [(base, ways) for base, ways in found if len(ways) == fewest]
    # Where each finds one of the other, it does not matter which of them comes first.
    if len({frozenset([base, *(way["right"] for way in ways)]) for base, ways in short}) > 1:
        return None
    if len(short) > 1 and fewest > 1:
        return None
    return _joined(*short[0], columns)


def _homes(named: Mentions, columns: Sequence[ColumnView]) -> list[set[str]]:
    """For each thing that the question names, the data sets that have it."""
    homes: dict[str, set[str]] = {}
    said = [(each.said, each.column.name) for each in named.columns]
    said += [(each.said, each.column.name) for each in named.values]
    for word, name in said:
        homes.setdefault(word, set()).update(column.dataset for column in columns if column.name == name)
    return list(homes.values())


def _lookups(base: str, joins: Sequence[Join]) -> dict[str, Join]:
    """The data sets of which each row of `base` finds at most one, by one way only, directly or through others."""
    ways: dict[str, Join] = {}
    reached = [base]
    for here in reached:
        by_other: dict[str, list[Join]] = {}
        for join in joins:
            if join["left"] == here:
                by_other.setdefault(join["right"], []).append(join)
        for other, some in by_other.items():
            if other not in reached and len(some) == 1:
                ways[other] = some[0]
                reached.append(other)
    return ways


def _fewest(base: str, ways: Mapping[str, Join], wanted: Sequence[set[str]]) -> Iterator[tuple[Join, ...]]:
    """The smallest sets of joins by which a base has all that is wanted."""
    for count in range(1, min(len(ways), MOST_JOINED) + 1):
        found = False
        for some in combinations(ways.values(), count):
            there = {base}
            for way in some:
                # In the order in which they were reached: each begins at one that is there already.
                if way["left"] in there:
                    there.add(way["right"])
            if len(there) == count + 1 and all(homes & there for homes in wanted):
                found = True
                yield some
        if found:
            return


def _joined(base: str, ways: Sequence[Join], columns: Sequence[ColumnView]) -> Joined | None:
    # Which data sets have a column of the table under its own name: by no other one may a further join go.
    owners = {column.name: {base} for column in columns if column.dataset == base}
    text = f"datasets[{_text(base)}]"
    for way in ways:
        other, key = way["right"], way["left_column"]
        theirs = [column.name for column in columns if column.dataset == other]
        if way["left"] not in owners.get(key, ()):
            return None
        if key == way["right_column"]:
            theirs.remove(key)
            owners[key].add(other)
        twice = owners.keys() & set(theirs)
        suffixes = ""
        if twice:
            suffixes = f', suffixes=("", {_text(f"_{other}")})'
        text += f".merge(datasets[{_text(other)}], {_by(way)}{suffixes})"
        for name in theirs:
            new = f"{name}_{other}" if name in twice else name
            if new in owners:
                return None
            owners[new] = set() if name in twice else {other}
    others = tuple(way["right"] for way in ways)
    return Joined(base, others, f"df = {text}", f"one of {base}, with its row of {' and '.join(others)}", tuple(owners))


_NOT = r"\b(?:never|without|no|not|none|nothing|cannot|\w+n['’]t)\s+(?:[\w'’]+\s+){0,2}?"


def left_out_for(question: str, named: Mentions, columns: Sequence[ColumnView], joins: Sequence[Join]) -> Joined | None:
    """The rows of a data set to which none of another one belongs, where a question is about them; else None.

    "How many customers have never ordered?" is about the customers that no row of orders names. "No order of lamps" is
    about some of the orders only: then the table is not made.
    """
    if _OF_SOME.search(question):
        return None
    found = []
    for join in joins:
        ends = ((join["right"], join["right_column"]), (join["left"], join["left_column"]))
        for (base, key), (other, theirs) in (ends, ends[::-1]):
            negated = re.search(rf"{_NOT}{_called(other)}", question, re.IGNORECASE)
            about = re.search(rf"\b{_called(base)}", question, re.IGNORECASE)
            said = [(each.column, each.said) for each in named.columns]
            said += [(each.column, each.said) for each in named.values]
            of_some = any(
                column.dataset == other and column.name != theirs and not re.match(_called(other), words, re.IGNORECASE)
                for column, words in said
            )
            if negated and about and about.start() < negated.start() and not of_some:
                found.append((base, key, other, theirs))
    if len(found) != 1:
        return None
    ((base, key, other, theirs),) = found
    table = f"datasets[{_text(base)}]"
    line = f"df = {table}[~{table}[{_text(key)}].isin(datasets[{_text(other)}][{_text(theirs)}])]"
    names = tuple(column.name for column in columns if column.dataset == base)
    return Joined(base, (other,), line, f"one of {base} that no row of {other} belongs to", names)


_OF_SOME = re.compile(
    r"\d|\b(?:since|until|after|before|during|last|recent\w*|over|under|above|below)\b", re.IGNORECASE
)
"""Words by which a question is about some rows of a data set only."""


def _called(id: str) -> str:
    """What a data set is called in a question, as a pattern: `order`, `orders`, `ordered` for `orders`."""
    return rf"{re.escape(stem(id.rpartition('_')[2]) or id)}\w{{0,3}}\b"


def with_joined(code: str, joined: Joined | None) -> str:
    """The code, begun with the line that makes `df`, where it uses that, or means it, and does not make it itself.

    Code that joins `df` with one of the data sets in it took `df` for the first of them.
    """
    if joined is None:
        return code
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    stored = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    used = [name for name in _NAMES if name not in stored and any(node.id == name for node in names)]
    again = any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("merge", "join")
        and any(isinstance(each, ast.Name) and each.id in used for each in (node.func.value, *node.args))
        and any(_is_one_of(each, joined.others) for each in (*node.args, *(k.value for k in node.keywords)))
        for node in ast.walk(tree)
    )
    table = f"datasets[{_text(joined.base)}]" if again else joined.line.removeprefix("df = ")
    return "".join(f"{name} = {table}\n" for name in used) + code


def _is_one_of(node: ast.expr, ids: Sequence[str]) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id="datasets"), slice=ast.Constant(value=str(id))) | ast.Name(id=str(id)):
            return id in ids
        case ast.Subscript(value=of):
            return _is_one_of(of, ids)
        case ast.Call(func=ast.Attribute(value=of, attr="copy" | "query" | "drop_duplicates" | "dropna")):
            return _is_one_of(of, ids)
        case _:
            return False

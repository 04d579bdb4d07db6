"""A generated program as the rules that mend it see it: its tree, its data, and edits of its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from graphwright.agents.data_scientist.columns import ColumnView
from graphwright.agents.data_scientist.mentions import Mentions
from graphwright.agents.data_scientist.tables import Kind, Names, Reading


class Join(TypedDict):
    """Each row of `left` finds at most one row of `right`, by these columns."""

    left: str
    left_column: str
    right: str
    right_column: str


@dataclass(frozen=True, slots=True)
class Edit:
    """New text between two places in the code, in bytes of UTF-8."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Slip:
    """What is wrong in code for certain: how it is mended, and what the user is told of it."""

    edits: tuple[Edit, ...]
    note: str


@dataclass(slots=True)
class Program:
    """Code with its tree, the question, and what is known of the data."""

    code: str
    tree: ast.Module
    question: str
    columns: Sequence[ColumnView]
    joins: Sequence[Join]
    mentions: Mentions
    reading: Reading = field(init=False)
    _lines: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.reading = Reading(self.columns)
        # As the parser counts lines: other marks of str.splitlines end none.
        self._lines = [0]
        data = self.code.encode()
        for place, byte in enumerate(data):
            if byte == 10 or (byte == 13 and data[place + 1 : place + 2] != b"\n"):
                self._lines.append(place + 1)

    @property
    def datasets(self) -> list[str]:
        """The data sets, in their order."""
        return list(dict.fromkeys(column.dataset for column in self.columns))

    def nodes(self) -> Iterator[tuple[ast.AST, Names]]:
        """The nodes of plain statements, with what names stand for there."""
        for statement, names in self.reading.statements(self.tree):
            for node in ast.walk(statement):
                yield node, names

    def kind(self, node: ast.expr, names: Names) -> Kind:
        """What an expression stands for."""
        return self.reading.kind(node, names)

    def column(self, dataset_or_table: frozenset[str], name: str) -> ColumnView | None:
        """The column of this name in these data sets, where it is in one of them only."""
        found = [c for c in self.columns if c.name == name and c.dataset in dataset_or_table]
        return found[0] if len(found) == 1 else None

    def homes(self, name: str) -> list[str]:
        """The data sets that have a column of this name."""
        return list(dict.fromkeys(column.dataset for column in self.columns if column.name == name))

    def stored(self) -> set[str]:
        """The names that the program gives something to."""
        names = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names.update((each.asname or each.name).partition(".")[0] for each in node.names)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
        return names

    def loaded(self) -> set[str]:
        """The names that the program uses."""
        return {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}

    def start(self, node: ast.expr) -> int:
        """Where an expression begins."""
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr) -> int:
        """Where an expression ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr) -> str:
        """An expression as it is written."""
        return self.code.encode()[self.start(node) : self.end(node)].decode()

    def replaced(self, node: ast.expr, text: str) -> Edit:
        """Another text in the place of an expression."""
        return Edit(self.start(node), self.end(node), text)

    def after(self, node: ast.expr, text: str) -> Edit:
        """A text behind an expression."""
        return Edit(self.end(node), self.end(node), text)

    def edited(self, edits: Sequence[Edit]) -> str:
        """The code with these edits, which do not overlap."""
        data = self.code.encode()
        for edit in sorted(edits, key=lambda each: (each.start, each.end), reverse=True):
            data = data[: edit.start] + edit.text.encode() + data[edit.end :]
        return data.decode()

"""Diagnostics: what the compiler has to say about a flow document, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is: an error cannot run, a warning probably does not mean what it says, an info is a remark."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the source text. Lines and columns count from 1, in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


START = Span(1, 1, 1, 1)


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a diagnostic, such as the first of two equal ids."""

    message: str
    span: Span
    pointer: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: a stable code, what and where, why, and what to do.

    `pointer` is a JSON pointer into the document (`/nodes/3/key`), `span` the place in the text it was read from.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    pointer: str
    hint: str = ""
    related: tuple[Related, ...] = ()

    def to_json(self, file: str = "") -> dict[str, object]:
        """The public JSON form, as `graphwright check --json` prints it."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "file": file,
            "line": self.span.line,
            "column": self.span.column,
            "pointer": self.pointer,
            "hint": self.hint,
        }


@dataclass(slots=True)
class Report:
    """Collects diagnostics; nothing is raised, so that one run finds everything."""

    found: list[Diagnostic] = field(default_factory=list)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.found)

    @property
    def has_errors(self) -> bool:
        return any(d.severity is Severity.ERROR for d in self.found)

    def pointers(self, *codes: str) -> frozenset[str]:
        """Where these codes have been reported."""
        return frozenset(d.pointer for d in self.found if d.code in codes)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """In the order of the text, errors before warnings at one place."""
        order = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
        return tuple(
            sorted(self.found, key=lambda d: (d.span.line, d.span.column, order[d.severity], d.code, d.pointer))
        )

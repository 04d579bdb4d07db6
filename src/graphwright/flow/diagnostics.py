"""Diagnostics: findings about a flow document, as data."""

from __future__ import annotations

from dataclasses import dataclass
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

"""Diagnostics: findings about a flow document, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Severity"]


class Severity(StrEnum):
    """The severity: an error cannot run, a warning is probably a mistake, an info is a remark."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Span:
    """A range of the source text. Lines and columns count from 1, in code points; the end is exclusive."""

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
    """One finding: a stable code, the problem and its place, the reason, and a hint.

    `pointer` is a JSON pointer into the document (`/nodes/3/key`), `span` its place in the text.
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

"""Diagnostics: findings about a flow document, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Related", "Severity"]


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
    """Another place that belongs to a diagnostic, such as the first of two equal ids. `file` as in `Diagnostic`."""

    message: str
    span: Span
    pointer: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of the text that a finding suggests: `text` in place of what is at `span`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: a stable code, the problem and its place, the reason, and a hint.

    `pointer` is a JSON pointer into the document (`/nodes/3/key`), `span` its place in the text. `file` is the layer
    that contains the place, if the document has layers; otherwise it is empty. `fix` is what the hint suggests, if that
    is a change at this place.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    pointer: str
    hint: str = ""
    related: tuple[Related, ...] = ()
    file: str = ""
    fix: Fix | None = None

    def to_json(self, file: str = "") -> dict[str, object]:
        """The public JSON form, as `graphwright check --json` prints it. `file` is the name of the document."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "file": self.file or file,
            "line": self.span.line,
            "column": self.span.column,
            "pointer": self.pointer,
            "hint": self.hint,
        }
